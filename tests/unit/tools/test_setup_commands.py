"""condor_setup as it is typed: -cron, -upgrade, and what it says at its end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock, Timeout
from tool_runner import Spool

from condor_py.cli import setup
from condor_py.cli.setup import plan

BEGIN = "# condor_py begins (condor_setup -cron made this, condor_setup -cron -remove takes it away)"
END = "# condor_py ends"
CRONTAB = """#!/bin/sh
case $1 in
-l) test -e {place} && exec /bin/cat {place}; echo "no crontab for me" >&2; exit 1;;
-r) exec /bin/rm {place};;
-) exec /bin/cat > {place};;
esac
"""
OTHERS = "MAILTO=me\n0 1 * * * backup\n"


@pytest.fixture
def crontab(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The crontab of this account, which has lines already."""
    place = tmp_path / "table"
    place.write_text(OTHERS)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "crontab"
    program.write_text(CRONTAB.format(place=place))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return place


def lines_of(variables: str) -> list[str]:
    """Return the lines of a crontab that run the scripts with these variables."""
    return [f"{when} {variables} {plan.places().cron}/{name}" for when, name in plan.CRON]


def test_lines_of_a_crontab_come_and_go(spool: Spool, crontab: Path) -> None:
    ours = lines_of(f"CONDOR_BIN={plan.places().bin}")
    shown = "".join(f"    {line}\n" for line in ours)
    assert spool.run("condor_setup", "-cron", "-dry-run") == (f"would add:\n{shown}", "", 0)
    assert crontab.read_text() == OTHERS
    assert spool.run("condor_setup", "-cron") == (f"added to the crontab:\n{shown}", "", 0)
    assert crontab.read_text() == OTHERS + "".join(f"{line}\n" for line in [BEGIN, *ours, END])
    assert spool.run("condor_setup", "-cron") == ("the crontab is as it should be\n", "", 0)
    with crontab.open("a") as file:
        file.write("0 2 * * * later\n")
    assert spool.run("condor_setup", "-cron", "-remove", "-dry-run").out == f"would remove:\n{shown}"
    assert spool.run("condor_setup", "-cron", "-remove") == (f"removed from the crontab:\n{shown}", "", 0)
    assert crontab.read_text() == f"{OTHERS}0 2 * * * later\n"
    assert spool.run("condor_setup", "-cron", "-remove").out == "the crontab has no lines of condor_setup\n"


def test_a_crontab_that_is_empty_otherwise_is_removed(spool: Spool, crontab: Path) -> None:
    crontab.unlink()
    assert spool.run("condor_setup", "-cron").code == 0
    assert crontab.read_text().startswith(BEGIN)
    assert spool.run("condor_setup", "-cron", "-remove").code == 0
    assert not crontab.exists()


def test_the_scripts_find_the_pool_of_a_configuration(
    spool: Spool, crontab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A % is a new line to cron, and a space would be the end of the name."""
    config = tmp_path / "50% of it"
    config.write_text("")
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    assert spool.run("condor_setup", "-cron").code == 0
    escaped = str(config).replace("%", "\\%")
    ours = lines_of(f"CONDOR_BIN={plan.places().bin} CONDOR_CONFIG='{escaped}'")
    assert crontab.read_text().splitlines()[3:-1] == ours


def test_a_block_without_an_end_is_left_alone(spool: Spool, crontab: Path) -> None:
    crontab.write_text(f"{OTHERS}{BEGIN}\n0 1 * * * mine\n")
    done = spool.run("condor_setup", "-cron", "-remove")
    assert done == ("", f"condor_setup: the crontab has the line {BEGIN!r} without the line {END!r}: crontab -e\n", 1)
    assert crontab.read_text().endswith("mine\n")


def test_a_crontab_that_is_refused(spool: Spool, crontab: Path, tmp_path: Path) -> None:
    (tmp_path / "bin" / "crontab").write_text("#!/bin/sh\necho 'you may not use this program' >&2\nexit 1\n")
    assert spool.run("condor_setup", "-cron").err == "condor_setup: crontab -l: you may not use this program\n"
    (tmp_path / "bin" / "crontab").unlink()
    assert spool.run("condor_setup", "-cron").err == "condor_setup: there is no program crontab: install cron\n"


@contextmanager
def locked(path: str) -> Iterator[bool]:
    """Whether another process would have to wait for a file's lock."""
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        yield True
        return
    lock.release()
    yield False


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("-from there -prefix /opt/x", ("there", False, "/opt/x", False, None)),
        ("-back", ("", True, None, False, None)),
        ("-drain -limit 60", ("", False, None, True, 60)),
    ],
)
def test_what_is_asked_of_an_upgrade(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: str, wish: tuple[Any, ...]
) -> None:
    """It runs alone, and a dry run makes no directory."""
    seen: list[Any] = []
    directory = f"{spool.path.parent.parent}/upgrade"

    def upgrade(asked: Any, say: Any) -> None:
        there = os.path.isdir(directory)
        with locked(f"{directory}/setup.lock") if there else contextmanager(lambda: iter([False]))() as held:
            seen.append((*asked[:5], asked.dry_run, there, held))
        say("upgraded")

    monkeypatch.setattr("condor_py.cli.setup.upgrade.upgrade", upgrade)
    monkeypatch.setattr("condor_py.cli.setup.upgrade.kept_below", lambda paths: directory)
    assert spool.run("condor_setup", "-upgrade", "-dry-run", *words.split()) == ("upgraded\n", "", 0)
    assert spool.run("condor_setup", "-upgrade", *words.split()) == ("upgraded\n", "", 0)
    assert seen == [(*wish, True, False, False), (*wish, False, True, True)]
    assert os.stat(directory).st_mode & 0o777 == 0o700


def test_a_place_that_cannot_be_written_is_named(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = spool.run("condor_setup", "-destdir", str(tmp_path / "file"))
    assert done.code == 1
    assert done.err.startswith(f"condor_setup: {tmp_path}/file/")
    assert done.err.endswith(": Not a directory\n")


def test_everything_that_was_made_goes_again(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    root = tmp_path / "root"
    words = ("condor_setup", "-destdir", str(root))
    dry = spool.run(*words, "-dry-run")
    assert (dry.out.splitlines()[-1], root.exists()) == ("nothing was changed (-dry-run)", False)
    made = spool.run(*words)
    assert (made.err, made.code) == ("", 0)
    assert "Next:" not in made.out
    files = [path for path in root.rglob("*") if not path.is_dir()]
    assert len(files) > 10
    gone = spool.run(*words, "-remove", "-dry-run")
    assert gone.out.splitlines()[-1] == "nothing was changed (-dry-run)"
    assert all(path.is_symlink() or path.exists() for path in files)
    assert spool.run(*words, "-remove").code == 0
    left = [path.name for path in root.rglob("*") if not path.is_dir()]
    assert left == (["condor_config"] if os.geteuid() == 0 else []), "the configuration of a machine stays"


def test_what_comes_next_is_said_in_two_columns(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [("condor_master", "start the pool"), ("c" * 41, "a long command")]
    asked: list[dict[str, object]] = []

    def next_steps(data: str, path: str, **more: object) -> list[tuple[str, str]]:
        asked.append(more)
        return steps

    monkeypatch.setattr(plan, "next_steps", next_steps)
    monkeypatch.setattr(setup, "_has_systemd", lambda: False)
    setup._tell_what_is_next(True)
    assert capsys.readouterr().out == (
        f"Next:\n    condor_master{' ' * 27} start the pool\n    {'c' * 41}\n{' ' * 44} a long command\n"
    )
    assert asked == [{"system": True, "has_systemd": False, "runs": False}]


@pytest.mark.parametrize(("system", "told"), [(True, "daemon-reload\n"), (False, "--user daemon-reload\n")])
def test_systemd_reads_its_units_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: bool, told: str
) -> None:
    program = tmp_path / "systemctl"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(setup, "_has_systemd", lambda: False)
    setup._tell_systemd(system)
    assert not (tmp_path / "asked").exists()
    monkeypatch.setattr(setup, "_has_systemd", lambda: True)
    setup._tell_systemd(system)
    assert (tmp_path / "asked").read_text() == told


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """What condor_setup does as root, without doing it, with the time of each."""
    calls: list[Any] = []
    monkeypatch.setattr(setup.os, "geteuid", lambda: 0)
    monkeypatch.setattr(plan, "state_directory", lambda: f"{tmp_path}/state")
    monkeypatch.setattr(plan, "install", lambda steps, root, record, say, dry_run: calls.append(("install", root)))
    monkeypatch.setattr(plan, "remove", lambda root, record, say, dry_run: calls.append(("remove", root)))
    monkeypatch.setattr(setup, "_in_force", lambda: ("/etc/condor/condor_config", "/"))
    monkeypatch.setattr(setup, "_tell_systemd", lambda system: calls.append(("systemd", system)))
    monkeypatch.setattr(setup, "_tell_what_is_next", lambda system: calls.append(("next", system)))
    return calls


@pytest.mark.parametrize(
    ("words", "done", "out"),
    [
        ("", [("install", ""), ("systemd", True), ("next", True)], ""),
        ("-remove", [("remove", ""), ("systemd", True)], ""),
        ("-dry-run", [("install", "")], "nothing was changed (-dry-run)\n"),
        ("-dry-run -remove", [("remove", "")], "nothing was changed (-dry-run)\n"),
    ],
)
def test_what_follows_a_set_up(
    spool: Spool, calls: list[Any], tmp_path: Path, words: str, done: list[Any], out: str
) -> None:
    """systemd reads its units, and what to type next is said, unless nothing was changed or all was taken away."""
    assert spool.run("condor_setup", *words.split()) == (out, "", 0)
    assert calls == done
    assert (tmp_path / "state").exists() == ("-dry-run" not in words)


def test_what_is_put_below_a_directory_concerns_no_running_system(
    spool: Spool, calls: list[Any], tmp_path: Path
) -> None:
    root = f"{tmp_path}/root"
    assert spool.run("condor_setup", "-destdir", f"{root}/") == ("", "", 0)
    assert calls == [("install", root)]


@pytest.mark.parametrize("others_may", [True, False])
def test_a_pool_that_others_cannot_use(
    spool: Spool, calls: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others_may: bool
) -> None:
    monkeypatch.setattr(setup, "_in_force", lambda: ("/etc/condor/condor_config", "/srv/pool"))
    monkeypatch.setattr(setup, "_others_may_use", lambda directory: others_may)
    said = (
        "/etc/condor/condor_config keeps the existing pool in /srv/pool, which no other account may use.\n"
        "For one that all accounts share: when its queue is empty, condor_off -master, move that directory away, "
        "remove /etc/condor/condor_config, and run condor_setup again.\n"
    )
    assert spool.run("condor_setup", "-destdir", f"{tmp_path}/root").out == ("" if others_may else said)


@pytest.mark.parametrize(
    ("modes", "others_may"),
    [
        ({"/srv": 0o755, "/srv/pool": 0o711}, True),
        ({"/srv": 0o755, "/srv/pool": 0o750}, False),
        ({"/srv": 0o700, "/srv/pool": 0o755}, False),
        ({"/srv": 0o700}, False),
        ({"/srv": 0o755}, True),  # it is not there yet
        ({}, True),
    ],
)
def test_whether_others_reach_a_directory(
    monkeypatch: pytest.MonkeyPatch, modes: dict[str, int], others_may: bool
) -> None:
    """All directories on the way count."""

    def status(path: str) -> os.stat_result:
        if path not in modes:
            raise FileNotFoundError(path)
        return os.stat_result((modes[path], *[0] * 9))

    with monkeypatch.context() as patched:
        patched.setattr(setup.os, "stat", status)
        found = setup._others_may_use("/srv/pool")
    assert found == others_may


def test_a_second_upgrade_finds_the_directory_of_the_first(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.cli.setup.upgrade.upgrade", lambda asked, say: say("upgraded"))
    monkeypatch.setattr("condor_py.cli.setup.upgrade.kept_below", lambda paths: f"{os.getcwd()}/kept")
    for _ in range(2):
        assert spool.run("condor_setup", "-upgrade") == ("upgraded\n", "", 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-cron -destdir x", "-cron and -destdir do not go together"),
        ("-upgrade -remove", "-upgrade and -remove do not go together"),
        ("-upgrade -destdir x", "-upgrade and -destdir do not go together"),
        ("-from x", "-from belongs to -upgrade"),
        ("-back", "-back belongs to -upgrade"),
        ("-limit 5", "-limit belongs to -upgrade"),
        ("-prefix x", "-prefix belongs to -upgrade"),
    ],
)
def test_pairs_of_options(spool: Spool, words: str, said: str) -> None:
    assert spool.run("condor_setup", *words.split()) == ("", f"condor_setup: {said}\n", 1)
