"""condor_with_pool: what it starts and stops, its exit status, and what it tells and leaves of a failure."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.bindings import personal
from condor_py.cli import with_pool
from condor_py.store.job_queue import JobQueue

SHELL = ("/bin/sh", "-c")


class Pool:
    """A pool that is only noted; its spool is the one of the test."""

    made: list[Pool]
    #: What hinders the start.
    broken = ""

    def __init__(self, directory: str, raw_config: str = "") -> None:
        self.directory, self.raw_config = Path(directory), raw_config
        self.log_dir = self.directory / "log"
        self.steps: list[str] = []
        self.made.append(self)

    def start(self) -> None:
        self.steps.append("start")
        self.mode = self.directory.stat().st_mode & 0o777
        self.places = sorted(name for name in os.environ if name.upper().startswith("_CONDOR_"))
        if self.broken:
            raise RuntimeError(self.broken)

    def stop(self) -> None:
        self.steps.append("stop")


@pytest.fixture
def pools(spool: Spool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Pool]]:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(Pool, "made", [], raising=False)
    monkeypatch.setattr(personal, "PersonalPool", Pool)
    monkeypatch.setenv("PATH", os.environ["PATH"])
    before = signal.getsignal(signal.SIGTERM)
    yield Pool.made
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("true",), 0),
        ((*SHELL, "exit 7"), 7),
        ((*SHELL, "kill -9 $$"), 137),
        (("/no/such",), 127),
        ((*SHELL, 'test "$1 $2" = "-keep -config"', "sh", "-keep", "-config"), 0),
        (("-keep", "true"), 0),
        ((*SHELL, 'command -v condor_submit | grep -q "^/.*bin/condor_submit"'), 0),
    ],
)  # fmt: skip
def test_the_status_is_that_of_the_command(
    spool: Spool, pools: list[Pool], words: tuple[str, ...], status: int
) -> None:
    done = spool.run("condor_with_pool", *words)
    command = next(word for word in words if word != "-keep")
    told = f"condor_with_pool: {command} ended with status {status}\n" if status else ""
    if status == 127:
        told = f"condor_with_pool: cannot run {command}: No such file or directory\n{told}"
    assert done == ("", told, status)
    assert [pool.steps for pool in pools] == [["start", "stop"]]
    assert pools[0].mode == 0o755
    assert pools[0].raw_config == ""
    assert not pools[0].directory.exists()


def test_a_configuration_and_places_of_another_pool(
    spool: Spool, pools: list[Pool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "policy").write_text("A = 1\n")
    for name in ("SPOOL", "log", "EXECUTE", "RUN", "LOCK", "LOCAL_CONFIG_FILE", "LOCAL_CONFIG_DIR"):
        monkeypatch.setenv(f"_CONDOR_{name}", "/else")
    assert spool.run("condor_with_pool", "-config", "policy", "--config", "policy", "true").code == 0
    assert pools[0].raw_config == f"include : {tmp_path}/policy"
    assert pools[0].places == ["_CONDOR_UID_DOMAIN"]
    assert spool.run("condor_with_pool", "-config", "none", "true") == (
        "", f"condor_with_pool: cannot read {tmp_path}/none\n", 1,
    )  # fmt: skip
    assert len(pools) == 1


def test_no_command(spool: Spool, pools: list[Pool]) -> None:
    for words in ((), ("-keep",), ("-config", "/dev/null")):
        done = spool.run("condor_with_pool", *words)
        assert done.err.startswith("condor_with_pool: no command is given\n")
        assert done.code not in (0, 127)
    assert pools == []


def test_files_are_kept_of_a_failure_if_wanted(spool: Spool, pools: list[Pool]) -> None:
    done = spool.run("condor_with_pool", "-keep", "false")
    directory = pools[0].directory
    assert directory.name.startswith("condor_with_pool.")
    assert done.err.splitlines() == [
        "condor_with_pool: false ended with status 1",
        f"condor_with_pool: the pool's files are in {directory}",
    ]
    assert directory.is_dir()


def test_jobs_that_a_failure_leaves(
    spool: Spool, pools: list[Pool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.add(1, JobStatus="5", HoldReason='"no disk"')
    spool.add(4, JobStatus="4")  # it is about to leave
    spool.add(2, JobStatus="2")
    spool.add(3, procs=20)
    directory = spool.path.parent.parent
    monkeypatch.setattr(Pool, "start", lambda pool: os.environ.__setitem__("_CONDOR_LOCAL_DIR", str(directory)))
    told = spool.run("condor_with_pool", "false").err.splitlines()
    assert told[:4] == [
        "condor_with_pool: false ended with status 1",
        "condor_with_pool: job 1.0: it is held: no disk",
        "condor_with_pool: job 2.0: it is running",
        "condor_with_pool: job 3.0: the pool has no slots",
    ]
    assert told[-2:] == [
        "condor_with_pool: job 3.17: the pool has no slots",
        "condor_with_pool: and 2 jobs more are left",
    ]
    for proc in (18, 19):
        queue = JobQueue(str(spool.path), uid_domain="example.net")
        with queue.transaction() as transaction:
            transaction.destroy(f"3.{proc}")
        queue.close()
    monkeypatch.delenv("_CONDOR_LOCAL_DIR")
    last = spool.run("condor_with_pool", "false").err.splitlines()[-1]
    assert last == "condor_with_pool: job 3.17: the pool has no slots"


def test_a_pool_that_does_not_start(spool: Spool, pools: list[Pool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "broken", "no ports")
    lines = "".join(f"line {number}\n" for number in range(12))

    def start(pool: Pool, begin: object = Pool.start) -> None:
        pool.log_dir.mkdir()
        (pool.log_dir / "MasterLog").write_text(lines)
        begin(pool)  # type: ignore[operator]

    failure = "condor_with_pool: the pool does not start: no ports\n"
    assert spool.run("condor_with_pool", "true") == ("", failure, 1)
    monkeypatch.setattr(Pool, "start", start)
    assert spool.run("condor_with_pool", "-keep", "true") == ("", lines.partition("line 2\n")[1] + lines.partition(
        "line 2\n")[2] + failure, 1)  # fmt: skip
    assert [pool.steps for pool in pools] == [["start", "stop"]] * 2
    assert not any(pool.directory.exists() for pool in pools)


def test_a_configuration_that_is_refused(spool: Spool, pools: list[Pool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_NEGOTIATOR_INTERVAL", "never")
    done = spool.run("condor_with_pool", "true")
    assert done.code == 1
    assert "condor_with_pool: the pool does not start with this configuration" in done.err
    assert "NEGOTIATOR_INTERVAL" in done.err
    assert pools[0].steps == []
    assert not pools[0].directory.exists()


def test_a_signal_ends_command_and_pool(spool: Spool, pools: list[Pool], tmp_path: Path) -> None:
    """The command kills us, and notes that it was ended before it would end."""
    me = os.getpid()
    wait = f"while kill -0 {me}; do sleep 0.01; done"
    script = f"trap 'echo ended > {tmp_path}/told; exit' TERM; kill -TERM {me}; {wait}"
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with pytest.raises(SystemExit) as caught:
        with_pool.main([*SHELL, script])
    assert caught.value.code == 143
    assert (tmp_path / "told").read_text() == "ended\n"
    assert [pool.steps for pool in pools] == [["start", "stop"]]
    assert not pools[0].directory.exists()


def test_help(spool: Spool, pools: list[Pool]) -> None:
    assert "usage: condor_with_pool [-config FILE] [-keep] COMMAND [ARGUMENT...]" in spool.run(
        "condor_with_pool", "-help"
    ).out.replace("Usage", "usage")
    assert "CondorVersion" in spool.run("condor_with_pool", "-version").out
    assert sys.exc_info() == (None, None, None)
    assert pools == []
