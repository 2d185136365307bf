"""condor_with_pool: a command in a pool of its own, of which nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import PATIENCE, ROOT, wait_for

TOOL = str(ROOT / "bin" / "condor_with_pool")
FAILING = "shell = echo no >&2 $(item); exit 3\nerror = wrong\nqueue\n"


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Path]:
    """A directory for submit files, and one for temporary files, in which nothing stays."""
    (tmp_path / "tmp").mkdir()
    yield tmp_path
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not _processes(tmp_path)


def _processes(directory: Path) -> list[str]:
    """The processes that have files of a pool in this directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                text = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"CONDOR_CONFIG={directory}/tmp/".encode() in text:
                found.append(entry.name)
    return found


def environment(work: Path) -> dict[str, str]:
    other = {name: value for name, value in os.environ.items() if not name.upper().startswith("_CONDOR_")}
    other.pop("CONDOR_CONFIG", None)
    return {**other, "TMPDIR": str(work / "tmp"), "HOME": str(work), "CONDOR_PY_PYTHON": sys.executable}


def with_pool(work: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [TOOL, *words],
        cwd=work,
        env=environment(work),
        capture_output=True,
        text=True,
        timeout=60 * PATIENCE,
        check=False,
    )


def test_the_jobs_of_a_submit_file_and_their_status(work: Path) -> None:
    (work / "job.sub").write_text(FAILING)
    done = with_pool(work, "condor_submit", "-wait", "job.sub")
    assert done.returncode == 3
    assert done.stderr.splitlines()[1:] == [
        "condor_submit: job 1.0: exit status 3; wrong ends with: no",
        "condor_with_pool: condor_submit ended with status 3",
    ]
    (work / "site.config").write_text('NUM_CPUS = 3\nSTARTD_ATTRS = Site\nSite = "here"\n')
    done = with_pool(work, "-config", "site.config", "condor_status", "-af", "Cpus", "Site")
    assert (done.returncode, done.stdout) == (0, "3 here\n")


def test_why_jobs_are_left(work: Path) -> None:
    (work / "job.sub").write_text(
        "executable = /bin/true\nrequest_memory = 1024TB\nhold = $(held)\nqueue held in (false, true)\n"
    )
    done = with_pool(work, "sh", "-c", "condor_submit job.sub; exit 9")
    assert done.returncode == 9
    first, large, held = [line for line in done.stderr.splitlines() if line.startswith("condor_with_pool")]
    assert first == "condor_with_pool: sh ended with status 9"
    assert large.startswith("condor_with_pool: job 1.0: no slot is large enough: memory: wants 1 PB, there is ")
    assert held == "condor_with_pool: job 1.1: it is held: submitted on hold at user's request"


@pytest.mark.parametrize(
    ("config", "words", "status", "message"),
    [
        ("NUM_CPUS = x y\n", ["-config", "site.config", "true"], 1, "this configuration"),
        ("", ["-config", "nowhere", "true"], 1, "cannot read "),
        ("", ["-keep", "no-such-program"], 127, "cannot run no-such-program: No such file or directory"),
        ("", ["-frob", "true"], 1, "-frob"),
        ("", [], 1, "no command is given"),
    ],
)
def test_what_cannot_be_run(work: Path, config: str, words: list[str], status: int, message: str) -> None:
    (work / "site.config").write_text(config)
    done = with_pool(work, *words)
    assert done.returncode == status
    assert message in done.stderr
    for kept in (work / "tmp").iterdir() if "-keep" in words else ():
        assert f"condor_with_pool: the pool's files are in {kept}\n" in done.stderr
        assert (kept / "log" / "MasterLog").exists()
        subprocess.run(["rm", "-r", kept], check=True)


def test_two_at_once_and_one_that_is_stopped(work: Path) -> None:
    """Each has its own queue; a signal ends the command, the pool and its running job."""
    (work / "long.sub").write_text("executable = /bin/sleep\narguments = 600\nlog = long.log\nqueue\n")
    long = subprocess.Popen([TOOL, "condor_submit", "-wait", "long.sub"], cwd=work, env=environment(work))
    wait_for(lambda: (work / "long.log").exists() and "\n001 " in (work / "long.log").read_text(), "it runs")
    (work / "job.sub").write_text("executable = /bin/echo\narguments = here\noutput = out\nqueue\n")
    assert with_pool(work, "condor_submit", "-wait", "job.sub").returncode == 0
    assert (work / "out").read_text() == "here\n"
    for _ in range(3):
        long.send_signal(signal.SIGTERM)  # an impatient sender leaves nothing either
    assert long.wait(60 * PATIENCE) == 128 + signal.SIGTERM


def test_in_a_container_without_init(work: Path) -> None:
    """As the first process of namespaces of its own, where nothing reaps what is left."""
    enter = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*enter, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine does not let an account make namespaces")
    (work / "job.sub").write_text("executable = /bin/echo\narguments = here\noutput = out\nqueue\n")
    done = subprocess.run(
        [*enter, TOOL, "condor_submit", "-wait", "job.sub"],
        cwd=work, env=environment(work), capture_output=True, text=True, timeout=60 * PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, (work / "out").read_text()) == (0, "here\n"), done.stderr
