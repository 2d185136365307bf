"""A job that is to be held for what it used runs again instead, where it brings a larger request."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs.effects import Note
from condor_py.core.jobs.events import PoliciesDue
from condor_py.lang.classad import quote_string
from condor_py.model.ids import JobId
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.submit_policy import EditRules

OVER_MEMORY = "REQUIREMENTS (VacateReasonCode==21 || VacateReasonCode == 34) && VacateReasonSubCode == 102"
LISTED = "EVALSET RequestMemory RetryRequestMemory[RetryRequestMemoryIndex?:0]"
NEXT = "EVALSET RetryRequestMemoryIndex MIN({size(RetryRequestMemory)-1, (RetryRequestMemoryIndex?:0)+1})"


def _transforms(**bodies: str) -> dict[str, str]:
    return {
        "TransformOnEvict": quote_string(" ".join(bodies)),
        **{f"TransformBody_{name}": quote_string(body.replace("\n", "\x1e")) for name, body in bodies.items()},
    }


def _over(world: World, job: JobId, code: int = 34, subcode: int = 102) -> int:
    """The status and the request of a job after it has used too much; it runs again where it may."""
    world.match(job)
    world.started(job)
    world.ended(job, hold_code=code, hold_subcode=subcode, hold_reason="out of memory")
    return world.status(job) or 0


def _world(**attributes: str) -> tuple[World, JobId]:
    world = World(edit_rules=EditRules(protected=frozenset(("walltime",))))
    world.connect()
    (job,) = world.submit(1, **attributes)
    return world, job


def _request(world: World, job: JobId, name: str = "RequestMemory") -> int:
    ad = world.queue.job(job)
    assert ad is not None
    return ad.eval_int(name, 0)


def test_one_larger_request_then_held() -> None:
    world, job = _world(**_transforms(RequestMemory=f"{OVER_MEMORY}\nSET RequestMemory 3072"))
    assert (_over(world, job), _request(world, job)) == (1, 3072)
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.text("HoldReason") is None
    assert ad.eval_int("NumHolds", 0) == 0
    assert ad.eval_int("VacateReasonCode", 0) == 34
    assert world.events(job) == [0, 1, 21, 4]
    assert any("is not held" in note.text for note in world.told(Note))
    assert (_over(world, job), _request(world, job)) == (5, 3072)  # it asks for no more than before
    assert world.events(job)[-2:] == [4, 12]


def test_each_request_of_a_list_in_turn() -> None:
    world, job = _world(
        RetryRequestMemory="{ 1024, 2048 }", **_transforms(RequestMemory=f"{OVER_MEMORY}\n{LISTED}\n{NEXT}")
    )
    assert (_over(world, job), _request(world, job)) == (1, 1024)
    assert (_over(world, job), _request(world, job)) == (1, 2048)
    assert (_over(world, job), _request(world, job)) == (5, 2048)


@pytest.mark.parametrize(("code", "subcode"), [(34, 104), (6, 0), (13, 102)])
def test_another_fault_holds_as_ever(code: int, subcode: int) -> None:
    world, job = _world(**_transforms(RequestMemory=f"{OVER_MEMORY}\nSET RequestMemory 3072"))
    assert (_over(world, job, code, subcode), _request(world, job)) == (5, 128)


def test_the_first_that_changes_a_request_ends_the_search() -> None:
    bodies = {"Other": "SET Tried 1", "Disk": "SET RequestDisk 4096", "Memory": "SET RequestMemory 256"}
    world, job = _world(**_transforms(**bodies))
    assert _over(world, job) == 1
    assert [_request(world, job, name) for name in ("Tried", "RequestDisk", "RequestMemory")] == [1, 4096, 128]


def test_a_job_changes_nothing_that_its_owner_could_not_edit() -> None:
    body = 'SET Owner "root"\nSET JobStatus 4\nSET ClusterId 9\nSET Walltime 1\nSET OsUser "root"\nDELETE RequestDisk'
    world, job = _world(Walltime="7", **_transforms(Grab=body))
    assert _over(world, job) == 1  # RequestDisk is another
    ad = world.queue.job(job)
    assert ad is not None
    assert (ad.eval_str("Owner"), ad.eval_int("ClusterId"), ad.eval_int("Walltime")) == ("alice", job.cluster, 7)
    assert (ad.text("OsUser"), ad.text("RequestDisk")) == (None, "undefined")


@pytest.mark.parametrize(
    "body", ["FROB x", "SET RequestMemory ((", "REQUIREMENTS ((\nSET RequestMemory 9", "include : /x", "if x\n"]
)
def test_a_transform_that_cannot_be_carried_out_holds_and_is_named(body: str) -> None:
    world, job = _world(**_transforms(Odd=body))
    assert (_over(world, job), _request(world, job)) == (5, 128)
    assert any(f"job {job}: TransformOnEvict Odd: " in note.text for note in world.told(Note))


def test_on_exit_hold_is_no_exception() -> None:
    world, job = _world(OnExitHold="true", **_transforms(More="SET RequestCpus 2"))
    world.match(job)
    world.started(job)
    world.ended(job, exit_code=1)
    assert (world.status(job), _request(world, job, "RequestCpus")) == (1, 2)


def test_a_periodic_hold_of_a_run_is_no_exception() -> None:
    body = "REQUIREMENTS HoldReasonCode == 3 && HoldReasonSubCode == 7\nSET RequestMemory 256"
    world, job = _world(PeriodicHold="JobStatus == 2", PeriodicHoldSubCode="7", **_transforms(More=body))
    world.match(job)
    world.started(job)
    world.handle(PoliciesDue())
    assert (world.status(job), _request(world, job)) == (2, 256), "it runs until its starter says that it has ended"
    world.ended(job, vacated=True)
    assert world.status(job) == 1
    ad = world.queue.job(job)
    assert ad is not None
    assert (ad.text("HoldReason"), ad.eval_int("VacateReasonCode", 0), ad.eval_int("NumHolds", 0)) == (None, 3, 0)
    assert world.events(job) == [0, 1, 4]
    world.match(job)
    world.started(job)
    world.handle(PoliciesDue())
    assert (world.status(job), _request(world, job)) == (5, 256), "it asks for no more than before"


def test_the_rules_of_edits_are_settings_of_the_schedd() -> None:
    assert "owner" in ScheddSettings().edit_rules.immutable
