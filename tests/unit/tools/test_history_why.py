"""condor_history -why: how each run of a job ended, by the records of runs and of the history."""

from __future__ import annotations

import json

import pytest
from tool_runner import Spool

from condor_py.cli.history import endings as module
from condor_py.cli.history.endings import endings
from condor_py.lang.classad import ClassAd

NOW = 1_795_000_000
RUN = {"ClusterId": "7", "ProcId": "0", "Owner": '"ann"', "RemoteHost": '"slot1_1@vm"', "JobCurrentStartDate": str(NOW)}


def ad(**more: object) -> ClassAd:
    return ClassAd.from_text_items([*RUN.items(), *((name, str(value)) for name, value in more.items())])


def run(number: int, **more: object) -> ClassAd:
    """A record of a run that ended 10 seconds after the one before it."""
    return ad(NumShadowStarts=number, EpochWriteDate=NOW + 10 * number, **{"JobStatus": 2} | more)


def left(**more: object) -> ClassAd:
    """The record of a job that left the queue."""
    return ad(**{"JobStatus": 4, "CompletionDate": NOW + 99} | more)


def why(*records: ClassAd, job: ClassAd | None = None) -> list[str]:
    """The texts, the oldest first. ``records`` are in the order in which they were written."""
    return [one.text for one in endings(records[::-1], [] if job is None else [job])][::-1]


@pytest.mark.parametrize(
    ("record", "kind", "code", "text"),
    [
        ({"ExitCode": 0}, "exited", 0, "exited with status 0"),
        ({"ExitBySignal": "true", "ExitSignal": 11, "JobCoreDumped": "true"}, "killed", 11,
         "killed by signal 11 and left a core file"),
        ({"VacateReasonCode": 1023, "VacateReason": '"via condor_rm (by user ann)"', "JobStatus": 3, "ExitSignal": 15},
         "removed", 1023, "removed: via condor_rm (by user ann)"),
        ({"VacateReasonCode": 1, "VacateReason": '"via condor_hold"', "JobStatus": 5}, "held", 1,
         "held: via condor_hold (code 1)"),
        ({"VacateReasonCode": 34, "VacateReasonSubCode": 102, "VacateReason": '"over its memory"'}, "held", 34,
         "held: over its memory (code 34/102)"),
        ({"JobStatus": 5, "HoldReason": '"its periodic_hold"', "HoldReasonCode": 3, "ExitSignal": 15}, "held", 3,
         "held: its periodic_hold (code 3)"),
        ({"JobStatus": 3, "RemoveReason": '"its periodic_remove"'}, "removed", 0, "removed: its periodic_remove"),
        ({"VacateReasonCode": 1019, "VacateReason": '"Preempted for a Priority user (bob@x)"'}, "preempted", 1019,
         "preempted by a user with a better priority: Preempted for a Priority user (bob@x)"),
        ({"VacateReasonCode": 1008, "VacateReason": '"gone"'}, "lost", 1008,
         "lost with its machine, startd or starter: gone"),
        ({"VacateReasonCode": 4711, "VacateReason": "17"}, "evicted", 4711, "evicted"),
        ({}, "ended", 0, "ended; its record does not say how"),
    ],
)  # fmt: skip
def test_the_end_of_a_run(record: dict[str, object], kind: str, code: int, text: str) -> None:
    (one,) = endings([run(1, **record)], [])
    assert (one.kind, one.code, one.text) == (kind, code, text)
    assert (one.run, one.slot, one.began, one.ended) == (1, "slot1_1@vm", NOW, NOW + 10)


def test_what_followed_is_told_by_the_next_record() -> None:
    held = {"LastHoldReason": '"its on_exit_hold"', "LastHoldReasonCode": 3, "NumHolds": 1}
    assert why(
        run(1, ExitCode=1),
        run(2, ExitCode=1),
        run(3, ExitCode=2, **held),
        run(4, VacateReasonCode=1, VacateReason='"by hand"', **held | {"JobStatus": 5, "NumHolds": 2}),
        run(5, ExitCode=0, **held | {"NumHolds": 2}),
        job=left(NumShadowStarts=5, ExitCode=0, NumHolds=2),
    ) == [
        "exited with status 1; then tried again",
        "exited with status 1; then held: its on_exit_hold (code 3), and released",
        "exited with status 2; then tried again",
        "held: by hand (code 1); then released",
        "exited with status 0",
    ]


def test_a_job_that_is_held_now_and_one_that_was_removed_while_it_did_not_run() -> None:
    held = ad(JobStatus=5, NumShadowStarts=1, NumHolds=1, HoldReason='"its on_exit_hold"', HoldReasonCode=3)
    held.set_int("EnteredCurrentStatus", NOW + 10)
    assert why(run(1, ExitCode=1), job=held) == ["exited with status 1; then held: its on_exit_hold (code 3)"]
    removed = ad(JobStatus=3, NumShadowStarts=1, RemoveReason='"by ann"', EnteredCurrentStatus=NOW + 99)
    assert why(run(1, ExitCode=1), job=removed) == ["exited with status 1", "removed while it did not run: by ann"]
    assert why(job=ad(JobStatus=3, RemoveReason='"by ann"')) == ["removed while it did not run: by ann"]


def test_records_of_one_moment_in_any_order_tell_of_a_run_once() -> None:
    """The record of a run may be written a little after the end of its job; a job runs again at once."""
    assert why(run(1, ExitCode=5), job=left(NumShadowStarts=1, ExitCode=5, CompletionDate=NOW + 8)) == [
        "exited with status 5"
    ]
    again = ad(JobStatus=2, NumShadowStarts=2, EnteredCurrentStatus=NOW + 9)
    assert [one.text for one in endings([run(1, ExitCode=5)], [], [again])] == [
        "exited with status 5; then tried again"
    ]


def test_the_history_tells_of_the_last_run_where_no_run_has_a_record() -> None:
    assert why(job=left(NumShadowStarts=3, ExitCode=5)) == ["exited with status 5"]
    removed = {"JobStatus": 3, "VacateReasonCode": 1023, "VacateReason": '"by ann"'}
    when = {"LastVacateTime": NOW + 5, "EnteredCurrentStatus": NOW + 4}
    assert why(job=left(NumShadowStarts=3, **removed, **when)) == ["removed: by ann"]
    assert why(run(1, ExitCode=1), job=left(NumShadowStarts=2, ExitCode=5)) == [
        "exited with status 1; then tried again",
        "exited with status 5",
    ]


@pytest.mark.parametrize("text", ["error", "undefined", '"x"', "-1", "[ a = 1 ]", "1e300", "99999999999999999999"])
def test_odd_values_in_records_break_nothing(text: str) -> None:
    names = """NumShadowStarts EpochWriteDate JobStatus VacateReasonCode ExitCode ExitBySignal RemoteHost NumHolds
        ClusterId JobCurrentStartDate VacateReason HoldReasonCode CompletionDate"""
    for name in names.split():
        record = run(1, ExitCode=1)
        record.set_text(name, text)
        assert list(endings([record, run(2, ExitCode=0)], [left(NumShadowStarts=2), record]))


def records(spool: Spool) -> None:
    """Writes runs of 7.0 and 7.1 and the history of 7.0."""

    def texts(*ads: tuple[str, ClassAd]) -> str:
        return "".join(
            "".join(f"{name} = {text}\n" for name, text in one.text_items())
            + f"*** {kind} ClusterId={one.eval_int('ClusterId')} ProcId={one.eval_int('ProcId')} "
            f'RunInstanceId={one.eval_int("NumShadowStarts", 0) - 1} Owner="ann" CurrentTime={NOW}\n'
            for kind, one in ads
        )

    other = run(1, VacateReasonCode=1014, VacateReason='"drained\\nfor good"')
    other.set_int("ProcId", 1)
    runs = (("EPOCH", run(1, ExitCode=1)), ("SPAWN", other), ("EPOCH", other), ("EPOCH", run(2, ExitCode=0)))
    (spool.path.parent / "epoch_history").write_text(texts(*runs))
    (spool.path.parent / "history").write_text(texts(("JOB", left(NumShadowStarts=2, ExitCode=0))))


def test_the_table_and_what_programs_read(spool: Spool) -> None:
    records(spool)
    done = spool.run("condor_history", "-why", "7.0")
    assert done.err == ""
    heading, *rows = [line.split(None, 7) for line in done.out.splitlines()]
    assert heading == ["ID", "RUN", "STARTED", "ENDED", "TIME", "SLOT", "WHY", "IT ENDED"]
    assert [(row[0], row[1]) for row in rows] == [("7.0", "1"), ("7.0", "2")]
    assert "0+00:00:10 slot1_1 exited with status 1; then tried again" in done.out
    assert len(spool.run("condor_history", "-why", "7").out.splitlines()) == 4
    found = json.loads(spool.run("condor_history", "-why", "7", "-json").out)
    assert [(one["job"], one["run"], one["kind"]) for one in found] == [
        ("7.0", 1, "exited"), ("7.0", 2, "exited"), ("7.1", 1, "evicted"),
    ]  # fmt: skip
    newest = spool.run("condor_history", "-why", "-limit", "1").out.splitlines()
    assert [line.split()[:2] for line in newest[1:]] == [["7.0", "2"]]
    assert spool.run("condor_history", "-why", "bob").out.splitlines() == newest[:1]


@pytest.mark.parametrize("option", ["-long", "-epochs", "-startd", "-plot", "-forwards"])
def test_options_that_say_something_else(spool: Spool, option: str) -> None:
    done = spool.run("condor_history", "-why", option)
    assert (done.err, done.code) == (f"Error: -why conflicts with {option}; its form for programs is -json\n", 1)


def test_records_that_cannot_be_read_are_counted(spool: Spool) -> None:
    records(spool)
    whole = spool.run("condor_history", "-why")
    assert whole.err == ""
    for name in ("history", "epoch_history"):
        for path in spool.path.parent.glob(name):
            path.write_text("Cmd = ((\n*** Offset = 0 ClusterId = 7 ProcId = 0\n" + path.read_text())
    done = spool.run("condor_history", "-why")
    assert done.out == whole.out
    assert done.err.splitlines()[-1] == "WARNING: records of HISTORY that cannot be read are left out: 1"


def test_a_job_in_the_queue_shows_how_its_runs_ended(spool: Spool) -> None:
    records(spool)
    spool.add(7, 2, owner="ann", JobStatus="2", NumShadowStarts="3", RemoteHost='"slot1_2@vm"')
    done = spool.run("condor_q", "-why", "7.0")
    assert "7.0 (ann): running on slot1_2@vm\n" in done.out
    assert "exited with status 1; then tried again\n" in done.out
    (one,) = json.loads(spool.run("condor_q", "-why", "7.1", "-json").out)
    assert (one["state"], [run["kind"] for run in one["runs"]]) == ("running", ["evicted"])


@pytest.mark.parametrize("code", module._VACATED)
def test_every_code_has_a_kind_for_programs_and_words_for_people(code: int) -> None:
    """The words begin as the kind does, but for runs that failed, were stopped or interrupted."""
    kind, text = module._VACATED[code]
    assert kind in ("removed", "preempted", "evicted", "lost", "failed", "restarted")
    begins = {"evicted": ("evicted", "interrupted", "stopped"), "failed": ("interrupted by an error", "not started")}
    assert text.startswith(begins.get(kind, (kind,)))
    assert text[:1].islower()
