"""Many new jobs at once: what comes of them is what comes of them one by one."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from world import CLUSTER, Queue, World, is_of_many, one_by_one_told

from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.effects import Effect, Leave, UserEvent
from condor_py.core.jobs.events import LogsWanted, QueueChanged, QueueTaken
from condor_py.model.ids import JobId
from condor_py.model.record import NEW_AD, SET, Change
from condor_py.model.settings.schedd import ScheddSettings

#: What some jobs say themselves, or their clusters.
SAID = [
    ("JobStatus", ["1", "5", "2", "3", "4", "7", "ProcId % 2 + 1"]), ("JobPrio", ["0", "5", "ProcId", "-1"]),
    ("NumHolds", ["1"]), ("PeriodicHold", ["false", "true", "ProcId == 3"]), ("UserLog", ['"/tmp/b"', "undefined"]),
    ("JobUniverse", ["5", "7", "9", "12"]), ("IsNoopJob", ["true", "false"]), ("CronMinute", ['"5"']),
    ("JobCoolDownExpiration", ["5000", "1"]), ("RequestCpus", ["1", "4", "ProcId + 1"]),
    ("RequestMemory", ["ProcId * 2"]),
    ("AccountingGroup", ['"a.b"']), ("Requirements", ["TARGET.X > Size", "false"]), ("Size", ["1", "2"]),
    ("Managed", ['"External"']), ("DAGNodeName", ['"A"', 'strcat("N", ProcId)']), ("JobBatchName", ['"batch"']),
    ("SubmitEventNotes", ['"note"']), ("SubmitEventNotesAttrs", ['"Args"']), ("Args", ['"1"', '"2"']),
    ("ClaimId", ['"<x>#1#2"', '"local#1"']), ("PreJobPrio1", ["3"]), ("JobAdInformationAttrs", ['"Args"']),
    ("NumVacatesByReason", ["[ ReconnectFailed = 2 ]"]), ("HoldReasonCode", ["16", "1"]), ("QDate", ["900"]),
    ("LeaveJobInQueue", ["true", "false", "ProcId % 2 == 0"]), ("JobAbortEventLogged", ["1"]),
]  # fmt: skip


class OneByOne(Queue):
    """A queue that tells no jobs to be alike."""

    def like(self, jobs: Iterable[JobId], keys: tuple[str, ...]) -> Iterable[list[JobId]]:
        return ([job] for job in jobs)

    def kinds(self, jobs: Iterable[JobId], keys: tuple[str, ...]) -> list[list[JobId]]:
        return [[job] for job in jobs]


def queue_of(kind: type[Queue], records: list[Change]) -> Queue:
    queue = kind()
    queue.apply(records)
    return queue


def submitted(rng: random.Random) -> list[Change]:
    """One to three clusters of up to 60 jobs, of which few or all say something of their own."""
    records: list[Change] = []
    for number in range(1, rng.randrange(2, 4)):
        own, status = dict(CLUSTER), rng.choice("1113")
        own.update((name, rng.choice(texts)) for name, texts in rng.sample(SAID, rng.choice([0, 0, 1])))
        records += World.cluster(number, 0, **own)
        said = [(name, rng.choice(texts)) for name, texts in rng.sample(SAID, rng.randrange(4))]
        for proc in range(rng.randrange(60)):
            key = f"{number}.{proc}"
            records += [Change(NEW_AD, key, "Job", "Machine"), Change(SET, key, "ProcId", str(proc))]
            records.append(Change(SET, key, "JobStatus", status))
            records += [Change(SET, key, name, text) for name, text in said if rng.random() < 0.6]
    return records


def state(core: Schedd) -> object:
    """What the core holds, and what it wants written and done, without the order among jobs."""
    books = core.state
    entries, effects = core.take()
    places = {job: core.idle.get(job) for job in core.idle.jobs()}
    waiting = [set(books.waiting.cooling), set(books.waiting.here), set(books.watched.jobs), set(books.reach.orphans)]
    waiting += [set(books.departing.leaving), set(books.departing.kept)]
    totals = [dict(books.tally.counts), dict(core.counters.totals), books.agenda.cycle]
    told = sorted(map(repr, entries)), sorted(_told(effects))
    return dict(core.known), places, waiting, totals, told


def _told(effects: Iterable[Effect]) -> list[str]:
    return [
        repr(effect.event) if isinstance(effect, UserEvent) else repr(effect) for effect in one_by_one_told(effects)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_new_jobs_and_a_queue_taken_over(seed: int) -> None:
    rng, settings, together = random.Random(seed), ScheddSettings(uid_domain="example.net"), 0
    left = 0
    for _ in range(40):
        records = submitted(rng)
        everything = rng.random() < 0.1
        told = rng.choice([[[0], [0], [0, 1], []], [[0, 9], [0, 9], [0]], [[0, 9]]])
        logged = {
            JobId(cluster, proc): list(rng.choice(told))
            for cluster in (1, 2, 3) for proc in range(60) if rng.random() < 0.9
        }  # fmt: skip
        history = {job for job in logged if rng.random() < 0.02}
        for event in (QueueChanged(records), QueueTaken(logged, history)):
            found = []
            for kind in (Queue, OneByOne):
                core = Schedd(queue_of(kind, records), settings, 1000)
                core.handle(LogsWanted(all_jobs=everything), 1000)
                core.handle(event, 1000)
                together += any(map(is_of_many, core.state.out.effects))
                left += any(isinstance(effect, Leave) and is_of_many(effect) for effect in core.state.out.effects)
                found.append(state(core))
                core.idle.validate()
            assert found[0] == found[1]
    assert together > 10
    assert left > 2


@pytest.mark.parametrize("told", [[0], [], [0, 13], [0, 12], [0, 1, 4]])
def test_a_cluster_whose_jobs_have_had_the_same_events_is_taken_over_as_its_jobs_are(told: list[int]) -> None:
    records = submitted(random.Random(1))
    found = []
    for alike in (True, False):
        core = Schedd(queue_of(Queue, records), ScheddSettings(uid_domain="example.net"), 1000)
        logged = {JobId(cluster, proc): told for cluster in (1, 2, 3) for proc in range(60)}
        core.handle(QueueTaken(logged, (), are_alike=lambda cluster, alike=alike: alike), 1000)
        found.append(state(core))
    assert found[0] == found[1]


def test_what_comes_of_one_does_not_come_of_those_who_differ() -> None:
    world = World()
    records = World.cluster(1, 40)
    records += [Change(SET, f"1.{proc}", "JobPrio", "7") for proc in range(20)]
    records += [Change(SET, "1.39", "JobStatus", "5")]
    world.written(records)
    assert [world.events(JobId(1, proc)) for proc in range(40)] == [[0]] * 40
    assert len(world.core.idle) == 39
    best = [job for group in world.core.idle.requests("alice@example.net", 100) for job in group.jobs]
    assert best[:20] == [JobId(1, proc) for proc in range(20)]
    assert world.core.counters.totals["JobsSubmitted"] == 40
    world.written([Change(SET, "1.3", "JobPrio", "9"), Change(SET, "1.4", "JobStatus", "5")])
    assert [world.core.known[JobId(1, proc)].prio for proc in (2, 3, 4)] == [7, 9, 7]
    assert len(world.core.idle) == 38
