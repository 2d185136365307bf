"""Which jobs a constraint means: those for which it is true, and no others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from world import World

from condor_py.core.jobs.actions import Result
from condor_py.core.jobs.requests import act, apply, edit, is_factory, select
from condor_py.core.jobs.rights import Caller
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import is_storable
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, SET, Change, one_by_one
from condor_py.model.selection import Selection

SUCCESS, NOT_FOUND, BAD_STATUS, ALREADY_DONE, PERMISSION_DENIED = (
    int(result)
    for result in (
        Result.SUCCESS, Result.NOT_FOUND, Result.BAD_STATUS, Result.ALREADY_DONE, Result.PERMISSION_DENIED,
    )
)  # fmt: skip


class ThreeJobs:
    """A queue of three held jobs, one of which has the attribute Foo."""

    def __init__(self) -> None:
        self.ads = {
            JobId(1, proc): ClassAd({"Owner": "alice", "JobStatus": 5, "ClusterId": 1, "ProcId": proc})
            for proc in range(3)
        }
        self.ads[JobId(1, 1)]["Foo"] = "bar"

    def job(self, job: JobId) -> ClassAd | None:
        return self.ads.get(job)

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        return iter(self.ads.items())


@pytest.mark.parametrize(
    ("constraint", "procs"),
    [
        ('Foo == "bar"', [1]),
        ("Bar == 1", []),
        ("undefined", []),
        ("error", []),
        ("ProcId / 0 == 1", []),
        ('"true"', []),
        ("ProcId", [1, 2]),
        ("ProcId > 0.5", [1, 2]),
        ("true", [0, 1, 2]),
        ("Foo isnt undefined", [1]),
    ],
)
def test_only_jobs_for_which_it_is_true(constraint: str, procs: list[int]) -> None:
    jobs = ThreeJobs()
    assert [job.proc for job, _ in select(jobs, constraint)] == procs  # type: ignore[arg-type]
    selection = Selection(constraint=constraint)
    results, _ = act(jobs, Caller("alice"), "remove", selection, None, None, 0)  # type: ignore[arg-type]
    assert [job.proc for job in results] == procs
    results, _ = edit(jobs, Caller("alice"), selection, [("Bar", "1")])  # type: ignore[arg-type]
    assert [job.proc for job in results] == procs


def test_every_job_that_is_named_has_a_result() -> None:
    """Its own, whether it is there or not, and once where it is named and selected."""
    jobs = ThreeJobs()
    jobs.ads[JobId(1, 2)]["Owner"] = "bob"
    named = (JobId(1, 0), JobId(9, 9), JobId(1, 0), JobId(1, 2))
    results, records = act(jobs, Caller("alice"), "release", Selection(named, "true"), None, None, 0)  # type: ignore[arg-type]
    wanted = {JobId(1, 0): SUCCESS, JobId(1, 1): SUCCESS, JobId(1, 2): PERMISSION_DENIED, JobId(9, 9): NOT_FOUND}
    assert results == wanted
    assert {record.key for record in records} == {"1.0", "1.1"}


@pytest.mark.parametrize(
    ("action", "status", "code", "result"),
    [
        ("release", 5, 1, SUCCESS),
        ("release", 5, 16, BAD_STATUS),
        ("release", 1, 0, BAD_STATUS),
        ("hold", 1, 0, SUCCESS),
        ("hold", 5, 1, ALREADY_DONE),
        ("hold", 3, 0, BAD_STATUS),
        ("hold", 4, 0, BAD_STATUS),
    ],
)
def test_what_may_be_done_in_which_state(action: str, status: int, code: int, result: int) -> None:
    """Whose input is still to come (hold code 16) is not released by hand."""
    jobs = ThreeJobs()
    jobs.ads[JobId(1, 0)]["JobStatus"] = status
    jobs.ads[JobId(1, 0)]["HoldReasonCode"] = code
    selection = Selection((JobId(1, 0),))
    results, records = act(jobs, Caller("alice"), action, selection, None, None, 0)  # type: ignore[arg-type]
    assert results == {JobId(1, 0): result}
    assert bool(records) is (result == SUCCESS)


@pytest.mark.parametrize(
    ("action", "status", "reason", "written"),
    [
        ("hold", 1, None, {"HoldReason": "via condor_hold (by user alice)", "HoldReasonCode": 1}),
        ("hold", 1, "late", {"HoldReason": "late (by user alice)", "HoldReasonSubCode": 42}),
        ("release", 5, None, {"ReleaseReason": "via condor_release (by user alice)"}),
        ("release", 5, "soon", {"ReleaseReason": "soon (by user alice)"}),
        ("remove", 1, None, {"RemoveReason": "via condor_rm (by user alice)"}),
        ("remove", 1, "old", {"RemoveReason": "old (by user alice)"}),
    ],
)
def test_who_did_it_and_why_is_written(
    action: str, status: int, reason: str | None, written: dict[str, object]
) -> None:
    jobs = ThreeJobs()
    jobs.ads[JobId(1, 0)]["JobStatus"] = status
    _, records = act(jobs, Caller("alice"), action, Selection((JobId(1, 0),)), reason, 42, 1234)  # type: ignore[arg-type]
    apply(jobs, records)  # type: ignore[arg-type]
    ad = jobs.ads[JobId(1, 0)]
    assert {name: ad.evaluate(name) for name in written} == written
    assert (ad.eval_int("EnteredCurrentStatus"), ad.eval_int("LastJobStatus")) == (1234, status)
    if action == "release":
        assert ad.text("HoldReason") is None


def test_records_hold_in_the_image_before_they_are_written() -> None:
    jobs = ThreeJobs()
    apply(jobs, [Change(DELETE, "1.1", "Foo"), Change(SET, "1.0", "Foo", '"new"'), Change(SET, "9.9", "Foo", "1")])  # type: ignore[arg-type]
    assert [jobs.ads[JobId(1, proc)].eval_str("Foo", None) for proc in range(2)] == ["new", None]


def test_a_job_that_is_only_waiting_for_its_history_is_gone_for_constraints() -> None:
    """Its number says so; leave_in_queue keeps it there for everybody."""
    jobs = ThreeJobs()
    for proc in range(3):
        jobs.ads[JobId(1, proc)]["JobStatus"] = 4
    jobs.ads[JobId(1, 2)].set_text("LeaveJobInQueue", "JobStatus == 4")
    chosen = Selection((JobId(1, 0),), "true")
    results, _ = act(jobs, Caller("alice"), "remove", chosen, None, None, 0)  # type: ignore[arg-type]
    assert results == {JobId(1, 0): NOT_FOUND, JobId(1, 2): SUCCESS}


def test_no_edit_of_a_job_is_acknowledged_that_its_history_would_lack() -> None:
    """From the moment when its history is to be written until it has left, it is gone for condor_qedit."""
    world = World()
    first, second, third = world.submit(1, 3)
    departing = world.core.state.departing
    chosen = Selection((first,), "true", among=(first, second, third))

    def edited() -> dict[JobId, int]:
        results, records = edit(world.queue, Caller("alice"), chosen, [("A", "1")], beyond=departing.beyond)
        changed = [JobId(*map(int, record.key.split("."))) for record in one_by_one(records)]
        assert changed == [job for job, result in results.items() if result == SUCCESS]
        return results

    assert edited() == {first: SUCCESS, second: SUCCESS, third: SUCCESS}
    departing.leave([first, second])
    assert edited() == {first: NOT_FOUND, third: SUCCESS}
    departing.recorded([first, second])
    departing.go(1, [first, second])
    assert edited() == {first: NOT_FOUND, third: SUCCESS}
    departing.cluster_gone(1)
    assert edited() == {first: SUCCESS, second: SUCCESS, third: SUCCESS}


def test_a_constraint_is_tried_only_on_jobs_that_are_there() -> None:
    some = (JobId(1, 1), JobId(9, 9))
    assert [job for job, _ in select(ThreeJobs(), "ProcId > 0", some)] == [JobId(1, 1)]  # type: ignore[arg-type]


def test_an_edit_of_a_cluster_that_is_no_more_or_anothers_does_nothing() -> None:
    world = World()
    world.submit(1)
    chosen = Selection(clusters=(1, 9))
    assert edit(world.queue, Caller("bob"), chosen, [("A", "1")]) == ({}, [])
    assert edit(world.queue, Caller("alice"), chosen, [("A", "1")])[0] == {JobId(1, -1): SUCCESS}
    assert not is_factory(None)


@pytest.mark.parametrize(("text", "storable"), [("1 + 1", True), ("1 +\n 1", False), ("1 +", False), ("", False)])
def test_what_the_queue_can_hold(text: str, storable: bool) -> None:
    assert is_storable(text) is storable
