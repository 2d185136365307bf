"""Many known jobs changed at once: what comes of them is what comes of them one by one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest
from world import CLUSTER, Queue, World, is_of_many, one_by_one_told

from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.effects import Effect, Leave, UserEvent
from condor_py.core.jobs.events import ClientWrites, JobsRecorded, LogsWanted, QueueChanged
from condor_py.core.jobs.requests import act, edit
from condor_py.core.jobs.rights import Caller
from condor_py.model.ids import JobId
from condor_py.model.record import NEW_AD, SET, Change, Entry, one_by_one
from condor_py.model.selection import Selection
from condor_py.model.settings.schedd import ScheddSettings

OWN = [
    ("JobPrio", ["0", "5", "ProcId"]), ("NumHolds", ["1"]), ("PeriodicHold", ["false", "ProcId == 3"]),
    ("UserLog", ['"/tmp/b"', "undefined"]), ("JobUniverse", ["5", "7", "9", "12"]), ("IsNoopJob", ["true"]),
    ("CronMinute", ['"5"']), ("JobCoolDownExpiration", ["5000"]), ("RequestCpus", ["4", "ProcId + 1"]),
    ("AccountingGroup", ['"a.b"', '"c"']), ("Requirements", ["TARGET.X > Size"]), ("Size", ["1", "2"]),
    ("Managed", ['"External"']), ("LeaveJobInQueue", ["true", "JobStatus == 3", "ProcId > 9"]),
    ("JobAdInformationAttrs", ['"Args"']), ("HoldReasonCode", ["16", "1"]), ("HoldReason", ['"so"']),
    ("JobAbortEventLogged", ["1"]), ("RoutedToJobId", ['"7.0"']), ("Owner", ['"bob"']), ("Size", ["ProcId"]),
]  # fmt: skip
ACTIONS = ("hold", "release", "remove", "removex", "hold", "release", "remove-transfer", "suspend", "vacate")
EDITS = (("JobPrio", "3"), ("JobPrio", "ProcId % 3"), ("Size", "17"), ("PeriodicRemove", "false"), ("RequestCpus", "2"),
         ("LeaveJobInQueue", "false"), ("UserLog", '"/tmp/other"'))  # fmt: skip
ROOT = Caller("root", superuser=True)


class OneByOne(Queue):
    """A queue that tells no jobs to be alike."""

    def like(self, jobs: Iterable[JobId], keys: tuple[str, ...]) -> Iterable[list[JobId]]:
        return ([job] for job in jobs)

    def kinds(self, jobs: Iterable[JobId], keys: tuple[str, ...]) -> list[list[JobId]]:
        return [[job] for job in jobs]


class Side:
    """A core with its queue, to which the same happens as to the other's."""

    def __init__(self, kind: type[Queue], records: list[Change], everything: bool) -> None:
        self.queue = kind()
        self.queue.apply(records)
        self.core = Schedd(self.queue, ScheddSettings(uid_domain="example.net"), 1000)
        self.core.handle(LogsWanted(all_jobs=everything), 1000)
        self.core.handle(QueueChanged(records), 1000)
        self.effects: list[Effect] = []
        self.entries: list[Entry] = []
        self.commit()

    def commit(self) -> None:
        """The end of a batch: what is written is in the image, and what is told is kept."""
        entries, effects = self.core.take()
        self.entries, self.effects = list(entries), effects
        self.queue.apply(list(one_by_one(entries)))

    def client(self, step: str, text: str, jobs: list[JobId], moment: int) -> None:
        """What an administrator asks for through the socket."""
        chosen = Selection(tuple(jobs))
        if step in ACTIONS:
            _, records = act(self.queue, ROOT, step, chosen, None, None, moment)
        else:
            _, records = edit(self.queue, ROOT, chosen, [(step, text)])
        self.core.handle(ClientWrites(records, at_once=True), moment)

    def tool(self, step: str, text: str, jobs: list[JobId], moment: int) -> None:
        """The same from a tool that writes the queue itself."""
        chosen = Selection(tuple(jobs))
        if step in ACTIONS:
            _, records = act(self.queue, ROOT, step, chosen, None, None, moment)
        else:
            _, records = edit(self.queue, ROOT, chosen, [(step, text)])
        played = list(one_by_one(records))
        self.queue.apply(played)
        self.core.handle(QueueChanged(played), moment)

    def recorded(self, moment: int) -> None:
        """The history has the jobs that leave."""
        self.core.handle(
            JobsRecorded([each.jobs[0] for each in one_by_one_told(self.effects) if isinstance(each, Leave)]), moment
        )

    def state(self) -> object:
        """What the core holds, and what it wants written and done, without the order among jobs."""
        books = self.core.state
        first: dict[int, JobId] = {}  # numbers of autoclusters follow the order of the turns
        places = {}
        for job in sorted(books.idle.jobs()):
            place = books.idle.get(job)
            assert place is not None
            places[job] = place.submitter, first.setdefault(place.autocluster, job), place.prios, place.cpus
        waiting = [set(books.waiting.cooling), set(books.waiting.here), set(books.watched.jobs)]
        leaving = [set(books.departing.kept), set(books.departing.leaving)]
        totals = [+books.tally.counts, dict(books.tally.held), dict(self.core.counters.totals), books.agenda.cycle]
        ads = {job: sorted(ad.pairs()) for job, ad in self.queue.jobs()}
        told = sorted(map(repr, one_by_one(books.out.records))), sorted(_told(books.out.effects))
        return dict(self.core.known), places, waiting, leaving, totals, told, ads


def _told(effects: Iterable[Effect]) -> list[str]:
    return [
        f"{effect.event}" if isinstance(effect, UserEvent)
        else f"leaves {effect.jobs[0]}" if isinstance(effect, Leave) else repr(effect)
        for effect in one_by_one_told(effects)
    ]  # fmt: skip


def submitted(rng: random.Random) -> list[Change]:
    """Clusters of up to 60 jobs, of which few or all say something of their own."""
    records: list[Change] = []
    for number in (1, 2):
        own = dict(CLUSTER)
        own.update((name, rng.choice(texts)) for name, texts in rng.sample(OWN, rng.choice([0, 0, 1])))
        records += World.cluster(number, 0, **own)
        said = [(name, rng.choice(texts)) for name, texts in rng.sample(OWN, rng.choice([0, 1, 2]))]
        for proc in range(rng.randrange(60)):
            key = f"{number}.{proc}"
            records += [Change(NEW_AD, key, "Job", "Machine"), Change(SET, key, "ProcId", str(proc))]
            records += [Change(SET, key, "JobStatus", "1"), Change(SET, key, "QDate", "900")]
            records += [Change(SET, key, name, text) for name, text in said if rng.random() < 0.6]
    return records


def looped(rng: random.Random) -> list[Change]:
    """Clusters of one or two jobs, as a loop submits them; some say something of their own."""
    records: list[Change] = []
    for number in range(1, rng.randrange(30, 70)):
        own = {**CLUSTER, "Args": f'"{number}"'}
        own.update((name, rng.choice(texts)) for name, texts in rng.sample(OWN, rng.choice([0, 0, 0, 0, 1])))
        records += World.cluster(number, 0, **own)
        for proc in range(rng.choice([1, 1, 1, 2])):
            key = f"{number}.{proc}"
            records += [Change(NEW_AD, key, "Job", "Machine"), Change(SET, key, "ProcId", str(proc))]
            records += [Change(SET, key, "JobStatus", "1"), Change(SET, key, "QDate", "900")]
    return records


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("made", [submitted, looped])
def test_whatever_is_done_to_many_jobs(seed: int, made: Callable[[random.Random], list[Change]]) -> None:
    rng, together = random.Random(seed), 0
    for _ in range(25 if made is submitted else 10):
        records, everything = made(rng), rng.random() < 0.1
        sides = [Side(kind, records, everything) for kind in (Queue, OneByOne)]
        moment = 1000
        for _ in range(6):
            moment += rng.randrange(3)
            jobs = [job for job, _ in sides[0].queue.jobs() if rng.random() < 0.9]
            step, text = rng.choice([(name, "") for name in ACTIONS] * 2 + list(EDITS))
            way = rng.choice((Side.client, Side.tool))
            found = []
            for side in sides:
                way(side, step, text, jobs, moment)
                found.append(side.state())
                side.core.idle.validate()
                together += any(map(is_of_many, side.core.state.out.effects))
                side.commit()
                side.core.validate()
            assert found[0] == found[1], (step, text)
            if rng.random() < 0.5:
                for side in sides:
                    side.recorded(moment)
                    side.commit()
                    side.core.validate()
    assert together > 10 or made is looped
