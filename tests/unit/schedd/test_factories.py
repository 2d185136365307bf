"""Clusters that make their jobs late: how many now, and what actions on the whole cluster do."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs import factory
from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.rights import Caller
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import ClusterRemove, Completion
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, SET, Change
from condor_py.model.selection import Selection


def cluster(**attributes: object) -> ClassAd:
    """Ten jobs, none of them made."""
    given = {"Owner": "alice", "JobMaterializeDigestFile": "digest", "TotalSubmitProcs": 10, **attributes}
    return ClassAd(given)


@pytest.mark.parametrize(
    ("attributes", "present", "running", "room"),
    [
        ({}, 0, 0, 10),
        ({"JobMaterializeNextProcId": 7}, 0, 0, 3),
        ({"JobMaterializeNextProcId": 10}, 0, 0, 0),
        ({"JobMaterializeLimit": 4}, 0, 0, 4),
        ({"JobMaterializeLimit": 4}, 3, 0, 1),
        ({"JobMaterializeLimit": 4}, 6, 0, 0),
        ({"JobMaterializeMaxIdle": 2}, 5, 4, 1),
        ({"JobMaterializeMaxIdle": 2}, 5, 3, 0),
        ({"JobMaterializeMaxIdle": 0}, 0, 0, 0),
        ({"JobMaterializeMaxIdle": -1}, 5, 0, 10),
        ({"JobMaterializeMaxIdle": 5, "JobMaterializeLimit": 3}, 1, 0, 2),
        ({"JobMaterializePaused": 1}, 0, 0, 0),
        ({"JobMaterializePaused": 3}, 0, 0, 0),
        ({"TotalSubmitProcs": 5000}, 0, 0, factory.AT_ONCE),
    ],
)
def test_how_many_may_be_made_now(attributes: dict[str, object], present: int, running: int, room: int) -> None:
    assert factory.room(cluster(**attributes), present, running) == room


@pytest.mark.parametrize(
    ("ad", "more"),
    [
        (None, False),
        (ClassAd({"TotalSubmitProcs": 10}), False),
        (cluster(), True),
        (cluster(JobMaterializePaused=1), True),
        (cluster(JobMaterializePaused=2), False),
        (cluster(JobMaterializePaused=3), False),
        (cluster(JobMaterializeNextProcId=9), True),
        (cluster(JobMaterializeNextProcId=10), False),
    ],
)
def test_whether_more_are_to_come(ad: ClassAd | None, more: bool) -> None:
    assert factory.has_more(ad) is more


@pytest.mark.parametrize(
    ("attributes", "count"),
    [
        ({"TotalSubmitProcs": 5000}, 5000),
        ({"JobMaterializeNextProcId": 7, "JobMaterializeLimit": 1}, 3),
        ({"JobMaterializeNextProcId": 10}, 0),
        ({"JobMaterializePaused": 1}, 0),
        ({"JobMaterializePaused": 3}, 0),
    ],
)
def test_how_many_are_to_come_is_no_matter_of_room(attributes: dict[str, object], count: int) -> None:
    assert factory.to_come(cluster(**attributes)) == count


class Clusters:
    """Cluster 1 of alice, 2 of bob, 3 of alice with all jobs made, 4 held."""

    def __init__(self) -> None:
        made = {"JobMaterializeNextProcId": 10}
        self.ads = {1: cluster(), 2: cluster(Owner="bob"), 3: cluster(**made), 4: cluster(JobMaterializePaused=1)}
        for number, ad in self.ads.items():
            ad["ClusterId"] = number

    def cluster(self, number: int) -> ClassAd | None:
        return self.ads.get(number)

    def clusters(self) -> list[int]:
        return [*self.ads, 99]


def paused(number: int, mode: int) -> Change:
    return Change(SET, f"0{number}.-1", "JobMaterializePaused", str(mode))


def why(number: int, reason: str) -> Change:
    return Change(SET, f"0{number}.-1", "JobMaterializePauseReason", f'"{reason}"')


HOLD = "late (by user alice)"
RELEASED = [paused(4, 0), why(4, HOLD), Change(DELETE, "04.-1", "JobMaterializePauseReason")]
CASES = [
    ("remove", "true", [paused(1, 3), paused(4, 3)], [1, 4]),
    ("removex", "ClusterId == 1", [paused(1, 3)], [1]),
    ("hold", "ClusterId == 1", [paused(1, 1), why(1, HOLD)], [1]),
    ("release", "true", RELEASED, [1, 4]),
    ("vacate", "true", [], []),
    ("hold", "NoSuchAttribute", [], []),
]


@pytest.mark.parametrize(("action", "constraint", "changes", "acted"), CASES)
def test_an_action_on_clusters(action: str, constraint: str, changes: list[Change], acted: list[int]) -> None:
    """Those of others and those with nothing to come are left alone."""
    results: dict[JobId, int] = {}
    chosen = Selection(constraint=constraint)
    assert factory.act(Clusters(), Caller("alice"), action, chosen, "late") == (acted, changes)
    factory.add_results(results, acted)
    assert results == {JobId(number, -1): 1 for number in acted}


@pytest.mark.parametrize("text", ['"x"', "1e300", 'real("NaN")', "pow(10, 400)", "undefined", "{ 1 }"])
def test_any_value_of_a_mode_is_no_fault(text: str) -> None:
    """Everybody may write what he likes into his own factory, and the answers of others are in the same batch."""
    records = [
        Change(SET, "05.-1", "JobMaterializePauseReason", text),
        Change(SET, "05.-1", "JobMaterializePaused", text),
    ]
    assert list(factory.pause_events(1, records, factory.RUNNING, 1000)) == []


def test_a_cluster_has_a_result_of_its_own_only_where_none_of_its_jobs_has_one() -> None:
    results = {JobId(1, 0): 1}
    clusters, _ = factory.act(Clusters(), Caller("alice"), "remove", Selection(constraint="true"))
    factory.add_results(results, clusters)
    assert set(results) == {JobId(1, 0), JobId(4, -1)}
    assert factory.act(Clusters(), Caller("alice"), "remove", Selection((JobId(1, 0),))) == ([], [])


@pytest.mark.parametrize(
    ("attributes", "fields"),
    [
        ({"JobMaterializeNextProcId": 10, "JobMaterializeItemCount": 5, "JobMaterializeNextRow": 5}, (10, 5, 1)),
        ({"JobMaterializeNextProcId": 10, "JobMaterializeItemCount": 5, "JobMaterializeNextRow": -1}, (10, 5, 1)),
        ({"JobMaterializeNextProcId": 4, "JobMaterializeItemCount": 5, "JobMaterializeNextRow": 2}, (4, 2, 0)),
        ({"JobMaterializeNextProcId": 4, "JobMaterializePaused": 1}, (4, 0, 2)),
        ({"JobMaterializeNextProcId": 4, "JobMaterializePaused": 3}, (4, 0, 0)),
    ],
)
def test_the_event_of_a_cluster_that_leaves(attributes: dict[str, object], fields: tuple[int, int, int]) -> None:
    said = factory.removed_event(1, cluster(**attributes), 1000)
    assert (said.next_proc, said.next_row, said.completion) == fields


@pytest.mark.parametrize(("made", "leaves"), [(2, True), (1, False)])
def test_a_cluster_leaves_with_its_last_job_and_says_so(made: int, leaves: bool) -> None:
    world = World()
    world.connect()
    late = {"JobMaterializeDigestFile": '"digest"', "TotalSubmitProcs": "2", "JobMaterializeNextProcId": str(made)}
    jobs = world.submit(1, made, **late)
    for job in jobs:
        world.match(job)
        world.started(job)
        world.ended(job, exit_code=0)
    assert (world.queue.cluster(1) is None) is leaves
    told = [effect.event for effect in world.told(UserEvent) if effect.event.number == 36]
    gone = ClusterRemove(cluster=1, proc=-1, time=1000, next_proc=2, next_row=0, completion=Completion.COMPLETE)
    assert told == ([gone] if leaves else [])


def test_what_happens_to_a_factory_is_told_of_its_mode_alone() -> None:
    def told(*records: Change, was: int = 0) -> list[tuple[int, str]]:
        return [(event.number, event.reason) for event in factory.pause_events(5, records, was, 9.0)]  # type: ignore[attr-defined]

    held = [paused(5, 1), why(5, "too many")]
    assert told(*held) == [(37, "too many")]
    assert told(*held, was=1) == []
    assert told(paused(5, 0), was=1) == [(38, "")]
    assert told(paused(5, 0), was=2) == []
    assert told(Change(SET, "05.-1", "Other", "1"), Change(DELETE, "05.-1", "JobMaterializePaused"), was=0) == []
    assert told(Change(DELETE, "05.-1", "JobMaterializePauseReason"), paused(5, 1)) == [(37, "")]
    assert told(paused(5, 1), paused(5, 0), paused(5, 1)) == [(37, ""), (38, ""), (37, "")]
