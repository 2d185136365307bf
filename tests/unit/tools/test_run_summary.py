"""condor_run -summary: what it says while its job waits and is held, and the line about it at the end."""

from __future__ import annotations

import io
import os
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tool_runner import Done, Spool

from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

SUBMIT = "000 (007.000.000) 2026-11-20 10:00:00 Job submitted from host: <127.0.0.1:9618>\n...\n"
EXECUTE = "001 (007.000.000) 2026-11-20 10:01:01 Job executing on host: <127.0.0.1:9618>\n\tSlotName: slot1@vm\n...\n"
HELD = "012 (007.000.000) 2026-11-20 10:02:00 Job was held.\n\tno disk\n\tCode 12 Subcode 28\n...\n"
RELEASED = "013 (007.000.000) 2026-11-20 10:02:10 Job was released.\n\tby me\n...\n"
ENDED = """005 (007.000.000) 2026-11-20 10:02:31 Job terminated.
\t(1) Normal termination (return value 3)
\tPartitionable Resources :    Usage  Request Allocated
\t   Cpus                 :        0        1         1
\t   Memory (MB)          :       12      100       128
...
"""
KILLED = "005 (007.000.000) 2026-11-20 10:02:31 Job terminated.\n\t(0) Abnormal termination (signal 9)\n...\n"
ABORTED = "009 (007.000.000) 2026-11-20 10:02:31 Job was aborted.\n\tby me\n...\n"
NO_MASTER = "No condor_master is running on this machine: start it with condor_master\n"
BEGUN = datetime(2026, 11, 20, 10, tzinfo=UTC).timestamp()


class Life:
    """A job whose log grows with every wait. A step is the seconds after its submit, and what is new in the log."""

    def __init__(self, steps: list[tuple[float, str]]) -> None:
        self.now, first = steps[0]
        self._steps = steps[1:]
        self._log = Path(f".condor_log.{os.getpid()}")
        self._first = first
        self.waits: list[float | None] = []
        self.calls: list[str] = []

    def quietly(self, program: str, *words: str) -> tuple[int, str, str]:
        """In place of the tools that condor_run runs."""
        self.calls.append(program)
        if program == "condor_submit":
            self._log.write_text(self._first)
            for kind in ("out", "error"):
                Path(f".condor_{kind}.{os.getpid()}").write_text(f"its {kind}\n")
        return 0, "7.0 - 7.0\n", ""

    def wait(self, timeout: float | None) -> None:
        """In place of the wait for the log."""
        self.waits.append(timeout)
        self.now, text = self._steps.pop(0)
        with self._log.open("a") as log:
            log.write(text)


@pytest.fixture
def queue(spool: Spool) -> Spool:
    """A job that no slot is large enough for."""
    spool.add(7, RequestMemory="50000", RequestCpus="1", Requirements="TARGET.Memory >= RequestMemory")
    slot = {"Name": "slot1@vm", "SlotID": 1, "State": "Unclaimed", "Activity": "Idle", "Cpus": 1, "Memory": 1000,
            "PartitionableSlot": True, "Requirements": True, "Start": True, "Machine": "vm"}  # fmt: skip
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [ClassAd(slot)])
    return spool


def lived(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, steps: list[tuple[float, str]], *words: str
) -> tuple[Life, str, int]:
    """Return what happened, what was written on standard error, and the exit status."""
    life = Life(steps)

    class Watch:
        """In place of the watch of the log."""

        def __init__(self, path: str) -> None:
            self.wait = life.wait

    monkeypatch.setattr("condor_py.cli.run.quietly", life.quietly)
    monkeypatch.setattr("condor_py.client.watch.FileWatch", Watch)
    monkeypatch.setattr("time.time", lambda: BEGUN + life.now)
    done = spool.run("condor_run", *words, "true")
    assert done.out == "its out\n"
    return life, done.err, done.code


def test_the_story_of_a_job(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason why it waits comes after three seconds, once; then it is waited for without a limit."""
    steps = [
        (0.0, SUBMIT),
        (2.9, ""),
        (3.0, ""),
        (9.0, ""),
        (62.0, EXECUTE),
        (120.0, HELD),
        (130.0, RELEASED),
        (151.0, ENDED),
    ]
    life, error, code = lived(queue, monkeypatch, steps, "-summary")
    assert life.waits == [3.0, 3.0, *[None] * 5]
    assert error == (
        f"{NO_MASTER}condor_run: job 7.0 will never run here: no slot is large enough: memory: wants 48.8 GB, there is "
        "1000 MB on slot1@vm\n"
        "condor_run: the job is held: no disk; waiting for its release\n"
        "its error\n"
        "condor_run: job 7.0 waited 61 s and ran 90 s on slot1@vm; it used 12 of its 128 MB of memory; its exit status "
        "is 3\n"
    )
    assert (code, life.calls) == (3, ["condor_submit"])


def test_a_job_that_has_started_is_not_asked_why_it_waits(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    life, error, code = lived(queue, monkeypatch, [(99.0, SUBMIT + EXECUTE), (151.0, KILLED)], "-summary")
    assert life.waits == [None]
    assert error == (
        f"{NO_MASTER}Condor job killed by signal 9.\nits error\n"
        "condor_run: job 7.0 waited 61 s and ran 90 s on slot1@vm; signal 9 ended it\n"
    )
    assert code == 137


def test_a_job_that_can_run_says_what_it_waits_for(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    queue.set("7.0", "RequestMemory", "100")
    queue.set("7.0", "DeferralTime", str(int(BEGUN) + 600))
    _, error, _ = lived(queue, monkeypatch, [(4.0, SUBMIT), (9.0, EXECUTE + ENDED)], "-summary")
    assert "condor_run: job 7.0 waits: it waits for its time: it starts at 10:10:00\n" in error


def test_a_job_that_was_removed(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    life, error, code = lived(queue, monkeypatch, [(0.0, SUBMIT), (1.0, ABORTED)], "-summary")
    assert error == (f"{NO_MASTER}The job was aborted\nits error\ncondor_run: job 7.0 was removed before its end\n")
    assert (code, life.waits) == (1, [3.0])


def test_without_a_terminal_nothing_is_said(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    life, error, code = lived(queue, monkeypatch, [(99.0, SUBMIT + HELD), (151.0, EXECUTE + ENDED)])
    assert (error, code, life.waits) == (f"{NO_MASTER}its error\n", 3, [None])


def test_a_held_job_without_a_reason(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    held = "012 (007.000.000) 2026-11-20 10:02:00 Job was held.\n...\n"
    _, error, _ = lived(queue, monkeypatch, [(0.0, SUBMIT + EXECUTE + held), (151.0, ENDED)], "-summary")
    assert "condor_run: the job is held: ; waiting for its release\n" in error


def test_a_job_that_never_started_has_no_times(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its log may lack the beginning, too."""
    for text in (SUBMIT + KILLED, EXECUTE + KILLED):
        _, error, code = lived(queue, monkeypatch, [(0.0, text)], "-summary")
        assert error.endswith("condor_run: job 7.0; signal 9 ended it\n")
        assert code == 137


def test_a_clock_that_was_set_back(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    early = EXECUTE.replace("10:01:01", "09:59:00")
    _, error, _ = lived(queue, monkeypatch, [(0.0, SUBMIT + early + KILLED)], "-summary")
    assert "condor_run: job 7.0 waited 0 s and ran 211 s on slot1@vm; " in error


def test_a_job_that_left_the_queue_unseen_is_not_explained(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log of job 8 says that it waits; the queue does not know it."""
    gone = SUBMIT.replace("007", "008"), ENDED.replace("007", "008")
    _, error, code = lived(queue, monkeypatch, [(4.0, gone[0]), (9.0, gone[1])], "-summary")
    assert "condor_run: job 8.0; it used 12 of its 128 MB of memory; its exit status is 3\n" in error
    assert ("waits" in error, code) == (False, 3)


def test_a_terminal_gets_the_lines_about_the_job(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("tool_runner.io.StringIO", Terminal)
    _, error, _ = lived(queue, monkeypatch, [(0.0, SUBMIT + EXECUTE + ENDED)])
    assert "condor_run: job 7.0 waited 61 s and ran 90 s on slot1@vm" in error


def test_output_that_is_not_there(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that ran has output; one that was removed need not have any."""
    pid = os.getpid()

    class NoOutput(Life):
        def quietly(self, program: str, *words: str) -> tuple[int, str, str]:
            done = super().quietly(program, *words)
            Path(f".condor_out.{pid}").unlink(missing_ok=True)
            return done

    def run(text: str) -> Done:
        life = NoOutput([(0.0, text)])
        monkeypatch.setattr("condor_py.cli.run.quietly", life.quietly)
        return queue.run("condor_run", "true")

    done = run(SUBMIT + EXECUTE + ENDED)
    assert (done.out, done.code) == ("", 1)
    assert done.err.endswith(f"condor_run: Failed to open job output file .condor_out.{pid}\n")
    done = run(SUBMIT + ABORTED)
    assert (done.out, done.code) == ("", 1)
    assert done.err.endswith("The job was aborted\nits error\n")
    assert [name for name in os.listdir() if name.startswith(".condor_")] == []


def test_texts_that_are_not_utf8(
    queue: Spool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Bytes of the command line and of the output stay as they are."""
    command = os.fsdecode(b"echo \xff")
    pid, scripts = os.getpid(), []

    class Bytes(Life):
        def quietly(self, program: str, *words: str) -> tuple[int, str, str]:
            done = super().quietly(program, *words)
            scripts.append(Path(f".condor_run.{pid}").read_bytes())
            scripts.append(Path(f".condor_submit.{pid}").read_bytes())
            Path(f".condor_out.{pid}").write_bytes(b"\xff\r\n" + b"x" * 3_000_000)
            return done

    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setattr("condor_py.cli.run.quietly", Bytes([(0.0, SUBMIT + EXECUTE + ENDED)]).quietly)
    done = queue.run("condor_run", "-a", os.fsdecode(b"+Note = \xfe"), command)
    assert scripts[0] == b"#!/bin/bash\necho \xff\n"
    assert b"\n+Note = \xfe\nqueue\n" in scripts[1]
    assert done.out == os.fsdecode(b"\xff\r\n") + "x" * 3_000_000


def test_a_directory_that_cannot_be_written(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(f".condor_run.{os.getpid()}").mkdir()
    monkeypatch.setattr("condor_py.cli.run._Files.clean", lambda self: None)
    done = queue.run("condor_run", "true")
    assert done == ("", f"condor_run: cannot write .condor_run.{os.getpid()}: Is a directory\n", 1)


def test_a_submit_that_fails_halfway(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit status counts, whatever was printed before."""
    monkeypatch.setattr("condor_py.cli.run.quietly", lambda *words: (1, "7.0 - 7.0\n", "no disk\n"))
    done = queue.run("condor_run", "true")
    assert done == ("", "no disk\nFailed to submit Condor job.\n", 1)


@pytest.mark.parametrize("words", [("-u",), ("-a",), ("true", "-a")])
def test_a_value_that_is_missing(queue: Spool, words: tuple[str, ...]) -> None:
    done = queue.run("condor_run", *words)
    assert (done.err.splitlines()[0], done.code) == (f"condor_run: {words[-1]} requires an argument", 1)


def test_an_interrupted_command_waits_for_the_end_of_its_job(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five seconds at most: the last event of the job would make the log again."""
    calls: list[tuple[str, ...]] = []

    def quietly(*words: str) -> tuple[int, str, str]:
        calls.append(words)
        return 0, "7.0 - 7.0\n", ""

    def wait(log: str, summary: bool) -> None:
        os.kill(os.getpid(), signal.SIGHUP)

    monkeypatch.setattr("condor_py.cli.run.quietly", quietly)
    monkeypatch.setattr("condor_py.cli.run._wait", wait)
    done = queue.run("condor_run", "true")
    assert (done.err.splitlines()[-1], done.code) == ("Killed by SIGHUP.", 129)
    assert calls[1:] == [("condor_rm", "7"), ("condor_wait", "-wait", "5", f".condor_log.{os.getpid()}")]
