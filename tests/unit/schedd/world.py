"""A queue in memory and a startd that does what it is asked: the surroundings of the schedd core in tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.effects import CallNegotiator, Effect, Leave, Note, UserEvent
from condor_py.core.jobs.events import (
    ClaimGranted,
    Dispatch,
    Event,
    JobsRecorded,
    Planned,
    Published,
    QueueChanged,
    StartdConnected,
)
from condor_py.core.jobs.parts import ClaimInfo
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import apply
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Acknowledge, Activate, Deactivate, ReleaseClaim, RequestClaim
from condor_py.model.messages.runs import RunEnded, RunStarted
from condor_py.model.plan import Match, Plan
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Change, one_by_one
from condor_py.model.report import ExitReport, Usage
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.store import logreader_py

Told = TypeVar("Told")

CLUSTER = {
    "Owner": '"alice"',
    "User": '"alice@example.net"',
    "UserLog": '"/tmp/job.log"',
    "JobUniverse": "5",
    "RequestCpus": "1",
    "RequestMemory": "128",
    "RequestDisk": "1024",
    "Requirements": "TARGET.Memory >= RequestMemory",
    "OnExitRemove": "true",
    "OnExitHold": "false",
    "JobPrio": "0",
    "QDate": "1000",
}


class Queue:
    """The image of a queue, without a file."""

    def __init__(self) -> None:
        self.procs: dict[JobId, ClassAd] = {}
        self.cluster_ads: dict[int, ClassAd] = {}
        self.user = ClassAd.from_text_items([("User", '"alice@example.net"')])

    def job(self, job: JobId) -> ClassAd | None:
        return self.procs.get(job)

    def cluster(self, cluster: int) -> ClassAd | None:
        return self.cluster_ads.get(cluster)

    def clusters(self) -> list[int]:
        return sorted(self.cluster_ads)

    def procs_of(self, cluster: int) -> list[tuple[JobId, ClassAd]]:
        return [(job, ad) for job, ad in sorted(self.procs.items()) if job.cluster == cluster]

    def count(self, cluster: int) -> int:
        return len(self.procs_of(cluster))

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        return iter(sorted(self.procs.items()))

    def groups(self) -> list[tuple[int, list[int]]]:
        clusters = sorted({job.cluster for job in self.procs})
        return [(cluster, [job.proc for job, _ in self.procs_of(cluster)]) for cluster in clusters]

    def like(self, jobs: Iterable[JobId], keys: tuple[str, ...]) -> Iterable[list[JobId]]:
        found: dict[object, list[JobId]] = {}
        for job in jobs:
            ad = self.cluster_ads.get(job.cluster)
            said = None if ad is None else (frozenset(ad.attrs), *map(ad.local_text, keys))
            found.setdefault(said or job.cluster, []).append(job)
        return found.values()

    def kinds(self, jobs: Sequence[JobId], keys: tuple[str, ...]) -> list[list[JobId]]:
        ads = [self.procs[job] for job in jobs]
        return [[jobs[at] for at in places] for places in logreader_py.kinds(ads, keys)]

    def among(self, jobs: Iterable[JobId]) -> list[JobId]:
        return [job for job in jobs if job in self.procs]

    def ads_of(self, jobs: Sequence[JobId]) -> list[ClassAd]:
        return [self.procs[job] for job in jobs if job in self.procs]

    def change(self, jobs: Sequence[JobId], changes: Sequence[Change]) -> None:
        for ad in self.ads_of(jobs):
            apply(ad, changes)

    def rest(self, cluster: int, procs: Iterable[int]) -> None:
        """Ads stay as they are."""

    def user_record_of(self, user: str) -> tuple[int, ClassAd] | None:
        return (2, self.user) if user == "alice@example.net" else None

    @property
    def user_records(self) -> dict[int, ClassAd]:
        return {2: self.user}

    def apply(self, records: list[Change]) -> None:
        """Plays records as the store does after a commit."""
        for op, key, name, value in records:
            ad = self._ad(key)
            if op == NEW_AD:
                self._new(key)
            elif op == DESTROY_AD:
                self._destroy(key)
            elif ad is not None and op == SET:
                ad.set_text(name, value)
            elif ad is not None and op == DELETE:
                ad.delete(name)

    def _ad(self, key: str) -> ClassAd | None:
        if key == "0.2":
            return self.user
        if key.startswith("0"):
            return self.cluster_ads.get(int(key[1:].split(".")[0]))
        cluster, proc = map(int, key.split("."))
        return self.procs.get(JobId(cluster, proc))

    def _new(self, key: str) -> None:
        if key.startswith("0"):
            self.cluster_ads[int(key[1:].split(".")[0])] = ClassAd()
        elif not key.endswith(".-2"):
            job = JobId.parse(key)
            self.procs[job] = ClassAd()
            self.procs[job].chain(self.cluster_ads[job.cluster])

    def _destroy(self, key: str) -> None:
        if key.startswith("0"):
            self.cluster_ads.pop(int(key[1:].split(".")[0]), None)
        elif not key.endswith(".-2"):
            self.procs.pop(JobId.parse(key), None)


def one_by_one_told(effects: Iterable[Effect]) -> Iterator[Effect]:
    """Effects, with what is about many jobs as one a job."""
    for effect in effects:
        if isinstance(effect, UserEvent):
            yield from (UserEvent(effect.ad, replace(effect.event, proc=proc), (proc,)) for proc in effect.procs)
        elif isinstance(effect, Leave):
            yield from (Leave((job,), (ad,), effect.status) for job, ad in zip(effect.jobs, effect.ads, strict=True))
        else:
            yield effect


def is_of_many(effect: Effect) -> bool:
    """Whether an effect is about several jobs."""
    return len(effect.procs if isinstance(effect, UserEvent) else effect.jobs if isinstance(effect, Leave) else ()) > 1


def job_of(effect: UserEvent) -> JobId:
    return JobId(effect.event.cluster, effect.event.proc)


#: What jobs of the local and scheduler universes see.
PUBLISHED = Published(ClassAd("[ Memory = 4000 ]"))


class World:
    """Time, queue, core, and everything the core has asked for."""

    def __init__(self, **settings: object) -> None:
        self.now = 1000
        self.queue = Queue()
        self.core = Schedd(self.queue, ScheddSettings(uid_domain="example.net", **settings), self.now)  # type: ignore[arg-type]
        self.core.handle(PUBLISHED, self.now)
        self.seen: list[Effect] = []
        self.committed: list[Change] = []
        self.claims = 0
        self.slot_cpus = 1
        #: What slot ads have besides.
        self.slot_more: dict[str, str] = {}

    # -- what tools do ------------------------------------------------------------------------------------------------

    def submit(self, cluster: int, procs: int = 1, status: int = 1, **attributes: str) -> list[JobId]:
        """Queues a cluster."""
        records = self.cluster(cluster, procs, status, **attributes)
        self.written(records)
        return [JobId(cluster, proc) for proc in range(procs)]

    @staticmethod
    def cluster(cluster: int, procs: int = 1, status: int = 1, **attributes: str) -> list[Change]:
        """The records of a new cluster."""
        items = {**CLUSTER, "ClusterId": str(cluster), **attributes}
        records = [Change(NEW_AD, f"0{cluster}.-1", "Job", "Machine")]
        records += [Change(SET, f"0{cluster}.-1", name, text) for name, text in items.items()]
        for proc in range(procs):
            job = f"{cluster}.{proc}"
            records.append(Change(NEW_AD, job, "Job", "Machine"))
            records.append(Change(SET, job, "ProcId", str(proc)))
            records.append(Change(SET, job, "JobStatus", str(status)))
        return records

    def written(self, records: list[Change]) -> None:
        """A tool's transaction."""
        self.queue.apply(records)
        self.core.handle(QueueChanged(records), self.now)
        self.turn()

    # -- turns -------------------------------------------------------------------------------------

    def turn(self) -> list[Effect]:
        """The end of a batch: dispatch, commit; finished jobs leave in the batch after."""
        self.core.handle(Dispatch(), self.now)
        entries, effects = self.core.take()
        records = list(one_by_one(entries))
        self.queue.apply(records)
        self.core.validate()
        self.committed += records
        self.seen += one_by_one_told(effects)
        assert not [one.text for one in effects if isinstance(one, Note) and "IllegalMove" in one.text]
        leaving = [job for effect in effects if isinstance(effect, Leave) for job in effect.jobs]
        if leaving:
            self.core.handle(JobsRecorded(leaving), self.now)
            effects = effects + self.turn()
        return effects

    def handle(self, event: Event) -> list[Effect]:
        """One event, one batch."""
        self.core.handle(event, self.now)
        return self.turn()

    def connect(self, *claims: ClaimInfo) -> list[Effect]:
        """The startd is there."""
        return self.handle(StartdConnected(claims))

    # -- what negotiator and startd do --------------------------------------------------------------------------------

    def match(self, *jobs: JobId, submitter: str = "alice@example.net") -> list[Effect]:
        """A plan that gives each job a slot, granted at once."""
        plan = Plan(tuple(Match(job, submitter, "slot1@vm", 1.0) for job in jobs))
        self.core.handle(Planned(plan), self.now)
        effects = self.turn()
        for effect in list(effects):
            if isinstance(effect, RequestClaim):
                effects += self.grant(effect)
        return effects

    def grant(self, request: RequestClaim) -> list[Effect]:
        """The startd carves a slot."""
        self.claims += 1
        slot = ClassAd.from_text_items(
            [
                ("Cpus", str(self.slot_cpus)),
                ("Memory", "128"),
                ("Disk", "1024"),
                ("SlotID", "1"),
                *(() if "Requirements" in self.slot_more else (("Requirements", "true"),)),
                ("SlotWeight", "Cpus"),
                *self.slot_more.items(),
            ]
        )
        info = ClaimInfo(f"<addr>#1#{self.claims}#secret", f"slot1_{self.claims}@vm", request.submitter, slot)
        return self.handle(ClaimGranted(request.id, info))

    def started(self, job: JobId) -> list[Effect]:
        """The starter executed the job."""
        run = self.core.runs[job]
        return self.handle(RunStarted(run.claim_id, job, run.number, 4711, float(self.now), "/execute/dir_1/scratch"))

    def ended(self, job: JobId, **outcome: object) -> list[Effect]:
        """The run is over."""
        run = self.core.runs[job]
        times = {"start_time": float(self.now - 2), "exec_time": float(self.now - 2), "end_time": float(self.now)}
        given = {"usage": Usage(1.0, 0.5, 2000), **times, **outcome}
        report = ExitReport(run.claim_id, str(job), run.number, **given)  # type: ignore[arg-type]
        return self.handle(RunEnded(report))

    # -- questions ---------------------------------------------------------------------------------

    def status(self, job: JobId) -> int | None:
        """JobStatus, None when the job has left."""
        ad = self.queue.job(job)
        return None if ad is None else ad.eval_int("JobStatus")

    def events(self, job: JobId) -> list[int]:
        """Numbers of the events of a job, in order, without image sizes."""
        return [e.event.number for e in self.told(UserEvent) if job_of(e) == job and e.event.number != 6]

    def sizes(self, job: JobId) -> int:
        """How often the size of a job was told (event 006)."""
        return sum(job_of(e) == job and e.event.number == 6 for e in self.told(UserEvent))

    def told(self, *kinds: type[Told]) -> list[Told]:
        """Effects of these kinds, in order."""
        return [effect for effect in self.seen if isinstance(effect, kinds)]


__all__ = [
    "Acknowledge",
    "Activate",
    "CallNegotiator",
    "Deactivate",
    "Leave",
    "ReleaseClaim",
    "RequestClaim",
    "World",
]
