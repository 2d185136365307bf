"""condor_submit_dag -wait: the line on the terminal, and how the end of the DAG becomes an exit status."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import submit
from condor_py.cli.submit_dag.waiting import Waiting, progress_line
from condor_py.client import watch
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError

SUBMITTED = "000 ({cluster:03}.000.000) 2026-11-20 10:00:00 Job submitted from host: <127.0.0.1:9618?x>\n...\n"
ENDED = """005 ({cluster:03}.000.000) 2026-11-20 10:05:30 Job terminated.
\t{how}
\t\tUsr 0 00:01:10, Sys 0 00:00:05  -  Run Remote Usage
\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage
\t\tUsr 0 00:01:20, Sys 0 00:00:10  -  Total Remote Usage
\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Total Local Usage
...
"""
ABORTED = "009 ({cluster:03}.000.000) 2026-11-20 10:06:00 Job was aborted.\n...\n"


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ({}, "d.dag waits for its start 1:01:01"),
        ({"JobStatus": 2}, "d.dag starts 1:01:01"),
        ({"JobStatus": 5, "HoldReason": "no room", "DAG_NodesTotal": 4}, "d.dag is held: no room"),
        ({"JobStatus": 5}, "d.dag is held: "),
        ({"JobStatus": 2, "DAG_NodesTotal": 40}, "d.dag [--------------------] 0 of 40 nodes done 1:01:01"),
        (
            {"JobStatus": 2, "DAG_NodesTotal": 40, "DAG_NodesDone": 21, "DAG_JobsRunning": 3, "DAG_JobsIdle": 1,
             "DAG_JobsHeld": 2, "DAG_NodesPrerun": 4, "DAG_NodesPostrun": 1, "DAG_NodesFailed": 6,
             "DAG_NodesFutile": 7},
            "d.dag [##########----------] 21 of 40 nodes done, 3 running, 1 idle, 2 held, 5 in scripts, 6 failed, "
            "7 never to run 1:01:01",
        ),
        (
            {"JobStatus": 2, "DAG_NodesTotal": 3, "DAG_NodesDone": 3, "DAG_Status": 6},
            "d.dag [####################] 3 of 3 nodes done 1:01:01 (halted)",
        ),
    ],
)  # fmt: skip
def test_the_line_of_a_dag(counts: dict[str, Any], line: str) -> None:
    assert progress_line("d.dag", ClassAd(counts), 3661.9) == line


@pytest.fixture
def log(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The log of condor_dagman's job, with an earlier run; each wait for it appends the next text of ``more``."""
    path = Path("d.dag.dagman.log")
    path.write_text(
        SUBMITTED.format(cluster=3) + ENDED.format(cluster=3, how="(1) Normal termination (return value 9)")
    )

    class Watch:
        def __init__(self, path: str) -> None:
            self.path = path

        def wait(self, seconds: float | None) -> None:
            assert seconds in (None, 1.0)
            waits.append(seconds)
            text = more.pop(0)
            if isinstance(text, BaseException):
                raise text
            with open(self.path, "a") as file:
                file.write(text)

        def close(self) -> None:
            waits.append(-1.0)

    monkeypatch.setattr(watch, "FileWatch", Watch)
    more.clear()
    waits.clear()
    return path


more: list[Any] = []
waits: list[float | None] = []


@pytest.fixture
def waited(log: Path) -> list[float | None]:
    """The limits of the waits for the log, in seconds; -1 when it is watched no longer."""
    return waits


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def wait(log: Path, said: io.StringIO, monkeypatch: pytest.MonkeyPatch, *texts: Any) -> tuple[int, str]:
    """The exit status of waiting while the log grows by ``texts``, and what was printed meanwhile."""
    monkeypatch.setattr("sys.stderr", said)
    waiting = Waiting(Pool(), "d.dag", str(log))
    first, *rest = texts
    with open(log, "a") as file:
        file.write(first)
    more[:] = rest
    return waiting.wait(), said.getvalue()


@pytest.mark.parametrize(
    ("ended", "code"),
    [
        (ENDED.format(cluster=7, how="(1) Normal termination (return value 0)"), 0),
        (ENDED.format(cluster=7, how="(1) Normal termination (return value 4)"), 4),
        (ENDED.format(cluster=7, how="(0) Abnormal termination (signal 9)"), 137),
        (ABORTED.format(cluster=7), 2),
    ],
)
def test_the_end_of_the_dag_is_the_exit_status(
    log: Path, monkeypatch: pytest.MonkeyPatch, ended: str, code: int
) -> None:
    others = SUBMITTED.format(cluster=7), ABORTED.format(cluster=8), ""
    said = f"ERROR: d.dag ended with {code}: d.dag.dagman.out says why\n" if code else ""
    assert wait(log, io.StringIO(), monkeypatch, *others, ended) == (code, said)
    assert more == []
    assert wait(log, io.StringIO(), monkeypatch, SUBMITTED.format(cluster=7) + ended) == (code, said)


def test_a_log_that_does_not_mention_the_dag(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CondorError, match=r"^ERROR: d\.dag\.dagman\.log does not mention the job of d\.dag$"):
        wait(log, io.StringIO(), monkeypatch, ABORTED.format(cluster=7))


def test_a_user_who_does_not_want_to_wait(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, said = wait(log, io.StringIO(), monkeypatch, SUBMITTED.format(cluster=7), KeyboardInterrupt())
    assert (code, said) == (130, "d.dag continues as job 7.\n")


def test_a_terminal_shows_how_far_it_is(log: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(7, JobStatus="2", DAG_NodesTotal="4", DAG_NodesDone="1")
    ended = ENDED.format(cluster=7, how="(1) Normal termination (return value 0)")
    code, said = wait(log, Terminal(), monkeypatch, SUBMITTED.format(cluster=7), "", ended)
    assert code == 0
    assert "\rd.dag [#####---------------] 1 of 4 nodes done 0:00:0" in said
    assert said.splitlines()[-1].startswith("d.dag is done after 0:00:0")


def test_a_queue_that_cannot_be_read_shows_nothing(log: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_queue(self: Pool) -> None:
        raise CondorError("damaged")

    monkeypatch.setattr(Pool, "read_queue", read_queue)
    ended = ENDED.format(cluster=7, how="(1) Normal termination (return value 1)")
    code, said = wait(log, Terminal(), monkeypatch, SUBMITTED.format(cluster=7), "", ended)
    assert (code, said) == (1, "ERROR: d.dag ended with 1: d.dag.dagman.out says why\n")


# -- the submit of condor_dagman's job


@pytest.mark.parametrize(("words", "remote"), [((), []), (("-r", "far"), ["-remote", "far"])])
def test_the_job_of_a_dag_is_submitted(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], remote: list[str]
) -> None:
    Path("d.dag").write_text("JOB A a.sub\n")
    Path("a.sub").write_text("executable = /bin/true\nqueue\n")
    asked: list[list[str]] = []

    def condor_submit(argv: list[str]) -> int:
        asked.append(argv)
        print("1 job(s) submitted to cluster 7.")
        return codes.pop()

    codes = [0]
    monkeypatch.setattr(submit, "main", condor_submit)
    done = spool.run("condor_submit_dag", *words, "d.dag")
    assert (done.err, done.code) == ("", 0)
    *_, ruler, submitted, last = done.out.splitlines()[-4:]
    assert (submitted, last, ruler) == ("1 job(s) submitted to cluster 7.", "-" * 71, "")
    assert asked == [[*remote, "d.dag.condor.sub"]]
    codes = [3]
    done = spool.run("condor_submit_dag", "-f", *words, "d.dag")
    assert (done.err.splitlines()[1:], done.code) == (["ERROR: condor_submit failed; aborting."], 1)

    def refused(argv: list[str]) -> int:
        raise CondorError("no schedd")

    monkeypatch.setattr(submit, "main", refused)
    done = spool.run("condor_submit_dag", "-f", *words, "d.dag")
    assert (done.err.splitlines()[1:], done.code) == (["no schedd", "ERROR: condor_submit failed; aborting."], 1)


def test_waiting_begins_before_the_submit(spool: Spool, monkeypatch: pytest.MonkeyPatch, log: Path) -> None:
    def condor_submit(argv: list[str]) -> int:
        with open(log, "a") as file:
            file.write(SUBMITTED.format(cluster=7))
            file.write(ENDED.format(cluster=7, how="(1) Normal termination (return value 5)"))
        return 0

    Path("d.dag").write_text("JOB A a.sub\n")
    monkeypatch.setattr(submit, "main", condor_submit)
    done = spool.run("condor_submit_dag", "-f", "-wait", "d.dag")
    assert done.err.splitlines()[1:] == ["ERROR: d.dag ended with 5: d.dag.dagman.out says why"]
    assert done.code == 5


def test_a_line_that_is_wider_than_the_terminal_is_cut(
    log: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One column is left free, so that no terminal wraps; ten columns are shown in any case."""
    spool.add(7, JobStatus="2", DAG_NodesTotal="4", DAG_NodesDone="1")
    ended = ENDED.format(cluster=7, how="(1) Normal termination (return value 0)")
    for columns, shown in (("24", "d.dag [#####-----------"), ("4", "d.dag [###")):
        monkeypatch.setenv("COLUMNS", columns)
        _, said = wait(log, Terminal(), monkeypatch, SUBMITTED.format(cluster=7), "", ended)
        first = said.split("\r")[1].split("\x1b")[0].rstrip()
        assert first == shown


def test_only_a_terminal_is_looked_at_again_and_again(
    log: Path, spool: Spool, waited: list[float | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one the queue is not read, and the log is waited for without a limit."""
    ended = ENDED.format(cluster=7, how="(1) Normal termination (return value 0)")
    wait(log, io.StringIO(), monkeypatch, SUBMITTED.format(cluster=7), "", ended)
    assert waited == [None, None, -1.0]
    waited.clear()
    wait(log, Terminal(), monkeypatch, SUBMITTED.format(cluster=7), "", ended)
    assert waited == [1.0, 1.0, -1.0]


def test_a_dag_is_waited_for_until_its_end_and_not_its_start(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = "001 (007.000.000) 2026-11-20 10:01:00 Job executing on host: <127.0.0.1:9618?x>\n...\n"
    ended = ENDED.format(cluster=7, how="(1) Normal termination (return value 3)")
    assert wait(log, io.StringIO(), monkeypatch, SUBMITTED.format(cluster=7), started, ended)[0] == 3


def test_a_user_at_a_terminal_who_does_not_want_to_wait(
    log: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is taken away first: what is said stands alone."""
    spool.add(7, JobStatus="2", DAG_NodesTotal="4")
    _, said = wait(log, Terminal(), monkeypatch, SUBMITTED.format(cluster=7), KeyboardInterrupt())
    line, _, last = said.rpartition("\r")
    assert "0 of 4 nodes done" in line
    assert last.removeprefix("\x1b[K") == "d.dag continues as job 7.\n"


def test_an_empty_log_does_not_mention_the_dag(tmp_path: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new.log").touch()
    with pytest.raises(CondorError, match=r"does not mention the job of d\.dag$"):
        wait(tmp_path / "new.log", io.StringIO(), monkeypatch, "")
