"""condor_submit -wait: what it tells of jobs that are held, cannot run or fail, and its exit status."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.cli import idle_pool
from condor_py.cli.submit import following
from condor_py.cli.submit.following import STUCK, wait_for_jobs
from condor_py.client.pool import Pool, open_pool
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

ENDED = {"JobStatus": "4", "ExitCode": "0", "ExitBySignal": "false"}


def _wait(*clusters: tuple[int, int]) -> int:
    return wait_for_jobs(open_pool(), list(clusters))


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Pool]:
    """A pool runs; the pools of which that was asked."""
    found: list[Pool] = []
    monkeypatch.setattr(idle_pool, "say_that_it_waits", found.append)
    return found


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """No job can continue for no time, which is enough."""
    monkeypatch.setattr(following, "_STUCK_FOR", 0.0)
    monkeypatch.setattr(following, "_AT_LEAST", 0.001)
    monkeypatch.setattr(following, "_AT_MOST", 0.002)


def test_an_end_that_nobody_knows_is_no_success(
    spool: Spool, capsys: pytest.CaptureFixture[str], asked: list[Pool]
) -> None:
    spool.add(7)
    assert wait_for_jobs(open_pool(), [(8, 2)]) == 1
    assert capsys.readouterr().err == "condor_submit: the history does not tell how 2 of the jobs ended\n"
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("attributes", "status", "told"),
    [
        ({}, 0, ""),
        ({"ExitCode": "3"}, 3, "exit status 3"),
        ({"ExitCode": "256"}, 255, "exit status 256"),
        ({"ExitBySignal": "true", "ExitSignal": "9"}, 137, "killed by signal 9"),
        ({"ExitBySignal": "true"}, 128, "killed by signal 0"),
        ({"JobStatus": "3"}, 1, "removed: no reason is given"),
        ({"ExitBySignal": "undefined", "ExitCode": "5", "ExitSignal": "9"}, 5, "exit status 5"),
        ({"JobStatus": "3", "RemoveReason": '"by me"', "ExitCode": "9"}, 1, "removed: by me"),
    ],
)  # fmt: skip
def test_how_a_job_ended(
    spool: Spool, capsys: pytest.CaptureFixture[str], attributes: dict[str, str], status: int, told: str
) -> None:
    spool.add(7, **(ENDED | attributes))
    assert _wait((7, 1)) == status
    assert capsys.readouterr() == ("", f"condor_submit: job 7.0: {told}\n" if told else "")


def test_ways_of_failure_are_told_once_with_the_first_job(spool: Spool, capsys: pytest.CaptureFixture[str]) -> None:
    spool.add(9, procs=1, **ENDED | {"ExitCode": "2"})
    spool.add(7, procs=1200, **ENDED | {"ExitCode": "2"})
    spool.add(8, procs=2, **ENDED | {"ExitBySignal": "true", "ExitSignal": "15"})
    assert _wait((9, 1), (8, 2), (7, 1200)) == 143
    assert capsys.readouterr().err.splitlines() == [
        "condor_submit: 1,201 jobs (first 7.0): exit status 2",
        "condor_submit: 2 jobs (first 8.0): killed by signal 15",
    ]


def _record(job: str, kind: str = "Offset = 0", more: str = "", **attributes: str) -> str:
    """A record of the history."""
    cluster, proc = job.split(".")
    names = {"ClusterId": cluster, "ProcId": proc, **ENDED, **attributes}
    lines = "".join(f"{name} = {text}\n" for name, text in names.items())
    return f'{lines}*** {kind} ClusterId = {cluster} ProcId = {proc} Owner = "u" CompletionDate = 5{more}\n'


def test_jobs_that_have_left_the_queue(spool: Spool, capsys: pytest.CaptureFixture[str]) -> None:
    records = [
        _record("7.2", ExitCode="9"),
        _record("7.0", "INPUT", ExitCode="8"),
        _record("7.0", ExitCode="4"),
        _record("6.0", ExitCode="7"),
        _record("7.1", ExitCode="4"),
    ]
    spool.add(8)
    (spool.path.parent / "history").write_text("".join(records))
    assert _wait((7, 2)) == 4
    assert capsys.readouterr().err == "condor_submit: 2 jobs (first 7.0): exit status 4\n"
    assert _wait((7, 4)) == 9
    assert capsys.readouterr().err.splitlines() == [
        "condor_submit: 2 jobs (first 7.0): exit status 4",
        "condor_submit: job 7.2: exit status 9",
        "condor_submit: the history does not tell how 1 of the jobs ended",
    ]


def test_a_job_that_leaves_the_queue_meanwhile_counts_once(spool: Spool, capsys: pytest.CaptureFixture[str]) -> None:
    """Its record may be written when the queue has been read, and is newer than that of a job that left before."""
    spool.add(7, **ENDED)
    (spool.path.parent / "history").write_text(_record("7.1", ExitCode="3") + _record("7.0"))
    assert _wait((7, 2)) == 3
    assert capsys.readouterr().err == "condor_submit: job 7.1: exit status 3\n"


def test_older_records_are_not_searched(spool: Spool, capsys: pytest.CaptureFixture[str]) -> None:
    spool.add(8)
    records = _record("7.0", ExitCode="4"), _record("6.0", more=" CurrentTime = 1000")
    (spool.path.parent / "history").write_text("".join(records))
    assert _wait((7, 1)) == 1
    assert capsys.readouterr().err == "condor_submit: the history does not tell how 1 of the jobs ended\n"
    (spool.path.parent / "history").write_text("".join(records).replace("1000", str(int(time.time()) + 3600)))
    assert _wait((7, 1)) == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("first\nlast\n\n", "; err ends with: last"),
        ("x" * 3000 + "\nlast", "; err ends with: last"),
        ("y" * 3000, "; err ends with: " + "y" * 1000),
        ("\n \n", ""),
        ("", ""),
    ],
)
def test_the_last_line_of_the_error_file(
    spool: Spool, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "err").write_text(text)
    spool.add(7, **ENDED | {"ExitCode": "1", "Err": '"err"', "Iwd": f'"{tmp_path}"'})
    assert _wait((7, 1)) == 1
    assert capsys.readouterr().err == f"condor_submit: job 7.0: exit status 1{told}\n"
    (tmp_path / "err").unlink()
    assert _wait((7, 1)) == 1
    assert capsys.readouterr().err == "condor_submit: job 7.0: exit status 1\n"


@pytest.mark.usefixtures("soon")
def test_held_jobs_end_the_wait_and_stay(spool: Spool, capsys: pytest.CaptureFixture[str]) -> None:
    spool.add(7, procs=2, JobStatus="5", HoldReason='"no disk"', NumHolds="1")
    spool.add(8, **ENDED)
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [_slot()])
    assert _wait((7, 2), (8, 1), (9, 0)) == STUCK == 75
    assert capsys.readouterr().err.splitlines() == [
        *(f"condor_submit: job 7.{n}: it is held: no disk; what helps: condor_release 7.{n}" for n in (0, 1)),
        "condor_submit: no job can continue; they stay in the queue, condor_rm 7 8 removes them",
    ]


def _slot() -> ClassAd:
    texts = {"MyType": "Machine", "Name": "slot1@vm", "SlotType": "Static", "State": "Unclaimed", "Arch": "X86_64"}
    return ClassAd({**texts, "SlotID": 1, "Cpus": 1, "Memory": 1000, "Disk": 10000})


def _end(spool: Spool, job: str) -> Callable[[float], None]:
    """In place of a pause: the jobs end at the third one."""
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            for name, text in ENDED.items():
                spool.set(job, name, text)

    return pause


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    ("attributes", "knobs", "has_slots"),
    [
        ({"PeriodicRelease": "NumHolds < 3"}, {}, True),
        ({}, {"SYSTEM_PERIODIC_RELEASE": "NumHolds < 3"}, True),
        ({}, {"SYSTEM_PERIODIC_RELEASE_NAMES": "A"}, True),
        ({}, {}, False),
        ({"JobStatus": "2"}, {}, True),
        ({"JobStatus": "1", "Requirements": "true"}, {}, True),
    ],
)  # fmt: skip
def test_what_may_still_continue_is_waited_for(
    spool: Spool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    attributes: dict[str, str], knobs: dict[str, str], has_slots: bool,
) -> None:  # fmt: skip
    spool.add(7, **{"JobStatus": "5", "NumHolds": "1", **attributes})
    if has_slots:
        AdStore(f"{spool.path.parent}/ads").publish("STARTD", [_slot()])
    for name, text in knobs.items():
        monkeypatch.setenv(f"_CONDOR_{name}", text)
    monkeypatch.setattr(time, "sleep", _end(spool, "7.0"))
    assert _wait((7, 1)) == 0
    held = "condor_submit: job 7.0: it is held: no reason is given; what helps: condor_release 7.0\n"
    assert capsys.readouterr().err == ("" if "JobStatus" in attributes else held)


@pytest.mark.usefixtures("soon")
def test_a_job_that_can_never_run(spool: Spool, capsys: pytest.CaptureFixture[str]) -> None:
    spool.add(7, procs=2, Requirements='TARGET.Arch == "none"', RequestCpus="1")
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [_slot()])
    assert _wait((7, 2)) == STUCK
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("condor_submit: job 7.0 will never run here: ")
    assert last == "condor_submit: no job can continue; they stay in the queue, condor_rm 7 removes them"


def test_each_hold_is_told_once(
    spool: Spool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.add(7, JobStatus="5", HoldReason='"first"', NumHolds="1")
    end = _end(spool, "7.0")

    def pause(seconds: float) -> None:
        end(seconds)
        for name, text in (("HoldReason", '"second"'), ("NumHolds", "2")):
            spool.set("7.0", name, text)

    monkeypatch.setattr(time, "sleep", pause)
    monkeypatch.setattr(following, "_AT_MOST", following._AT_LEAST)
    assert _wait((7, 1)) == 0
    assert [line.split(";")[0] for line in capsys.readouterr().err.splitlines()] == [
        "condor_submit: job 7.0: it is held: first",
        "condor_submit: job 7.0: it is held: second",
    ]


def test_the_user_interrupts(spool: Spool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(7)
    spool.add(8)

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupt)
    assert _wait((7, 1), (8, 1)) == 130
    assert capsys.readouterr().err == "condor_submit: the jobs stay in the queue; condor_rm 7 8 removes them\n"


def test_the_line_says_what_the_first_job_waits_for_while_none_runs(
    spool: Spool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, asked: list[Pool]
) -> None:
    spool.add(7, procs=2, JobStatus="1")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(time, "sleep", lambda seconds: (_ for _ in ()).throw(KeyboardInterrupt))
    assert _wait((7, 2)) == 130
    assert "\r0 of 2 jobs done, 2 idle: the pool has no slots\r" in capsys.readouterr().err


def test_the_line_about_the_progress(
    spool: Spool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, asked: list[Pool]
) -> None:
    spool.add(6, procs=3, JobStatus="2")
    spool.add(7, procs=1200, JobStatus="1")
    spool.add(8, JobStatus="5")
    spool.add(9, procs=2, **ENDED)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr(time, "sleep", lambda seconds: (_ for _ in ()).throw(KeyboardInterrupt))
    assert _wait((6, 3), (7, 1200), (8, 1), (9, 2)) == 130
    shown = capsys.readouterr().err
    assert asked == []  # a terminal has been told by the submit
    line = "2 of 1,206 jobs done, 3 running, 1,200 idle, 1 held"
    assert shown.endswith(
        f"\r{line}\r{' ' * len(line)}\rcondor_submit: the jobs stay in the queue; condor_rm 6 7 8 9 removes them\n"
    )


def test_jobs_that_the_schedd_has_still_to_make(
    spool: Spool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are waited for, although none of the cluster is in the queue or all that are have ended."""
    spool.add(7, procs=2, **ENDED, JobMaterializeNextProcId="2")
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        spool.set("07.-1", "JobMaterializeNextProcId", "5" if len(pauses) < 2 else "6")

    monkeypatch.setattr(time, "sleep", pause)
    monkeypatch.setattr(following, "_AT_MOST", following._AT_LEAST)
    assert _wait((7, 6)) == 1  # of four nothing is known
    assert len(pauses) == 2
    assert capsys.readouterr().err == "condor_submit: the history does not tell how 4 of the jobs ended\n"


@pytest.mark.usefixtures("soon")
def test_a_queue_is_not_stuck_while_jobs_are_still_made(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spool.add(7, JobStatus="5", JobMaterializeNextProcId="1", NumHolds="1")
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [_slot()])
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            spool.set("07.-1", "JobMaterializeNextProcId", "2")

    monkeypatch.setattr(time, "sleep", pause)
    assert _wait((7, 2)) == STUCK
    assert len(pauses) == 3


def test_a_short_time_without_progress_is_not_the_end(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three seconds of it are; a hold may be lifted."""
    spool.add(7, JobStatus="5", NumHolds="1")
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [_slot()])
    now = [100.0]

    def pause(seconds: float) -> None:
        now[0] += 1.0

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", pause)
    monkeypatch.setattr(following, "_AT_MOST", following._AT_LEAST)
    assert _wait((7, 1)) == STUCK
    assert now[0] == 103.0
