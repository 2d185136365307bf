"""condor_setup puts a machine or an account in order, again and back, and leaves alone what is not its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pool import MAIN, PersonalPool

from condor_py.cli import setup
from condor_py.model.errors import CondorError

ROOT = MAIN.parents[1]


def tree(root: Path) -> dict[str, str]:
    """All files below a directory with their texts; links with their targets."""
    paths = [path for path in root.rglob("*") if path.is_symlink() or path.is_file()]
    return {
        f"/{path.relative_to(root)}": os.readlink(path) if path.is_symlink() else path.read_text() for path in paths
    }


@pytest.mark.skipif(os.geteuid() != 0, reason="a set-up of the machine is for root")
def test_a_machine_is_set_up_and_the_unit_and_the_configuration_work(
    stopped_pool: PersonalPool, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    stopped_pool.environment.pop("CONDOR_CONFIG", None)
    *planned, end = stopped_pool.tool("condor_setup", "-dry-run", "-destdir", str(root)).stdout.splitlines()
    assert not root.exists()
    assert end == "nothing was changed (-dry-run)"
    done = stopped_pool.tool("condor_setup", "-destdir", str(root)).stdout.splitlines()
    assert planned == [f"would make {line}" for line in done]
    made = tree(root)
    assert made["/usr/local/bin/condor_submit"] == f"{ROOT}/bin/condor_submit"
    assert "_condor_py" in made["/etc/bash_completion.d/condor"]
    assert "condor_q" in made["/usr/local/share/man/man1/condor_q.1"]
    environment = {"CONDOR_CONFIG": f"{root}/etc/condor/condor_config", "PATH": "/usr/bin:/bin"}
    shown = subprocess.run(
        [root / "usr/local/bin/condor_config_val", "LOCAL_DIR", "SPOOL"],
        env=environment, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert shown.split("\n")[1].startswith(shown.split("\n")[0])
    if "/etc/systemd/system/condor.service" in made:
        unit = made["/etc/systemd/system/condor.service"]
        assert f"\nExecStart={ROOT}/bin/condor_master -f\n" in unit
        assert "\nEnvironment=CONDOR_CONFIG=/etc/condor/condor_config\n" in unit
    if "/etc/cron.d/condor" in made:
        for line in made["/etc/cron.d/condor"].splitlines()[4:]:
            assert os.access(line.split()[-1], os.X_OK), line
    assert stopped_pool.tool("condor_setup", "-destdir", str(root)).stdout == "everything is there already\n"
    assert tree(root) == made
    *planned, end = stopped_pool.tool("condor_setup", "-remove", "-dry-run", "-destdir", str(root)).stdout.splitlines()
    assert all(line.startswith("would remove: ") for line in planned)
    assert (end, tree(root)) == ("nothing was changed (-dry-run)", made)
    stopped_pool.tool("condor_setup", "-remove", "-destdir", str(root))
    assert list(tree(root)) == ["/etc/condor/condor_config"]


def test_a_place_that_cannot_be_written_is_named(stopped_pool: PersonalPool) -> None:
    words = [sys.executable, "-I", str(MAIN), "condor_setup", "-destdir", "/proc/nothing"]
    done = subprocess.run(words, env=stopped_pool.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("condor_setup: /proc/nothing")
    assert done.stderr.count("\n") == 1


@pytest.fixture
def crontab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A crontab of this account, kept by a program of that name (the real one needs the spool of a cron)."""
    kept = tmp_path / "crontab"
    program = tmp_path / "bin" / "crontab"
    program.parent.mkdir()
    program.write_text(
        f"#!/bin/sh\ncase $1 in -l) cat {kept} 2>/dev/null || {{ echo no crontab for me >&2; exit 1; }} ;;\n"
        f"-r) rm {kept} ;; -) cat >{kept} ;; esac\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.delenv("CONDOR_CONFIG", raising=False)
    return kept


OTHERS = "MAILTO=me\n# mine\n0 1 * * * tidy\n"


@pytest.mark.parametrize("before", ["", OTHERS])
def test_a_crontab_gets_our_lines_once_and_gives_them_back(before: str, crontab: Path) -> None:
    if before:
        crontab.write_text(before)
    assert setup.main(["-cron", "-dry-run"]) == 0
    assert (crontab.read_text() if crontab.exists() else "") == before
    for _ in range(2):
        assert setup.main(["-cron"]) == 0
        text = crontab.read_text()
        assert text.startswith(before)
        assert text.count("nightly-preen") == 1
    assert setup.main(["-cron", "-remove"]) == 0
    assert (crontab.read_text() if crontab.exists() else "") == before


def test_lines_of_a_crontab_run_the_scripts_of_a_pool_and_print_nothing(
    pool: PersonalPool, crontab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = pool.directory / "my config %"
    config.write_text(f"LOCAL_DIR = {pool.directory}/local\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    assert setup.main(["-cron"]) == 0
    commands = [line.split(maxsplit=5)[5] for line in crontab.read_text().splitlines() if line[0] != "#"]
    assert len(commands) == 5
    for command in commands:
        done = subprocess.run(
            ["/bin/sh", "-c", command.replace("\\%", "%")],  # as cron does
            env={"PATH": "/usr/bin:/bin", "HOME": str(pool.home), "CONDOR_PY_PYTHON": sys.executable},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), command
    assert list(pool.log.glob("queue-*.txt"))


def test_a_crontab_whose_block_has_no_end_is_left_alone(crontab: Path) -> None:
    setup.main(["-cron"])
    crontab.write_text(crontab.read_text().rpartition("# condor_py ends")[0] + OTHERS)
    before = crontab.read_text()
    with pytest.raises(CondorError, match="without the line '# condor_py ends'"):
        setup.main(["-cron", "-remove"])
    assert crontab.read_text() == before


def test_without_cron_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CondorError, match="there is no program crontab: install cron"):
        setup.main(["-cron"])
