"""The classes that ``state`` is made of: runs, claims, what was last seen of each job, data slots, parallel jobs,
..."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from condor_py.core.jobs.effects import GridNews
from condor_py.core.jobs.jobad import MOST_NODES, hosts_of, is_gang, status_of, universe_of
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import apply
from condor_py.lang.classad.numbers import summable
from condor_py.model.ids import NODE_ASKER, JobId, is_asker
from condor_py.model.record import Change, Entry
from condor_py.model.report import ExitReport
from condor_py.model.states import JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.core.jobs.effects import Effect
    from condor_py.model.messages.runs import RunEnded

#: Beginning of the ids of the claims that the schedd makes for jobs that run without a slot.
LOCAL = "local#"


def is_local(claim_id: str) -> bool:
    """Whether a claim is one of the schedd's own, for a job that runs without a slot."""
    return claim_id.startswith(LOCAL)


class JobTable(Protocol):
    """The image of the queue. Proc ads are chained to their cluster ads."""

    def job(self, job: JobId) -> ClassAd | None:
        """A proc ad, None when it is not in the queue."""

    def cluster(self, cluster: int) -> ClassAd | None:
        """A cluster ad."""

    def procs_of(self, cluster: int) -> Iterable[tuple[JobId, ClassAd]]:
        """The procs of a cluster that are in the queue."""

    def count(self, cluster: int) -> int:
        """Number of procs of a cluster in the queue."""

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        """All jobs, by cluster and proc."""

    def groups(self) -> Iterable[tuple[int, Sequence[int]]]:
        """All jobs as (cluster, procs), both ascending, without their ads."""

    def like(self, jobs: Iterable[JobId], keys: tuple[str, ...]) -> Iterable[list[JobId]]:
        """Return jobs in groups whose cluster ads agree in all of ``keys`` (lower-case names) and have the same
        attributes. Jobs of one cluster are together."""

    def kinds(self, jobs: Sequence[JobId], keys: tuple[str, ...]) -> list[list[JobId]]:
        """Return jobs in groups whose own ads, without those of their clusters, agree in all of ``keys``. KeyError for
        a job that is not in the queue."""

    def among(self, jobs: Iterable[JobId]) -> list[JobId]:
        """Return those of some jobs that are in the queue."""

    def ads_of(self, jobs: Sequence[JobId]) -> list[ClassAd]:
        """Return the ads of those of some jobs that are in the queue, by cluster."""

    def change(self, jobs: Sequence[JobId], changes: Sequence[Change]) -> None:
        """Apply ``changes``, whatever their keys are, to all of these jobs that are in the queue."""

    def rest(self, cluster: int, procs: Iterable[int]) -> None:
        """Allow to put away the ads of jobs, to save memory: they are not expected to be read soon."""

    def user_record_of(self, user: str) -> tuple[int, ClassAd] | None:
        """Number N (key ``0.N``) and ad of the record of ``user@domain``."""

    @property
    def user_records(self) -> dict[int, ClassAd]:
        """Records of users and projects by number."""


@dataclass(slots=True)
class Logs:
    """Logs to write. ``all_jobs``: events of jobs without a log, too (EVENT_LOG); ``runs``: records of runs."""

    all_jobs: bool = False
    runs: bool = False


class Known(NamedTuple):
    """Last seen state of a job, for detecting changes by other processes. Jobs that came together share one."""

    status: int
    prio: int
    #: NumHolds when the event of its last hold was written.
    holds: int = 0
    #: Its last moves: when (Unix seconds), and the status that ended then; flat, to save memory.
    story: tuple[int, ...] = ()


@dataclass(slots=True)
class Run:
    """A run: a job on a claim. ``number`` is its NumShadowStarts; ``executing``: its program was started. ``stop_code``
    and ``stop_reason`` are set once the schedd has ordered its end.

    ``by_policy``: a policy expression that holds or removes the job ends it, so that there is no event 004.
    """

    job: JobId
    claim_id: str
    number: int
    submitter: str
    executing: bool = False
    stop_code: int = 0
    stop_reason: str = ""
    by_policy: bool = False
    #: Keys of the catalogs of common files that are mapped into it.
    common: tuple[str, ...] = ()
    #: The user and the project whose running jobs it counts among (``quotas.holders_of``).
    holders: tuple[tuple[str, str], ...] = ()
    #: The job requests something else now than when its slot was made.
    outgrown: bool = False

    def begin(self) -> None:
        """Its program runs."""
        self.executing = True

    def stop(self, code: int, reason: str) -> None:
        """The schedd has ordered its end, for a reason."""
        self.stop_code, self.stop_reason = code, reason

    def judge(self) -> None:
        """A policy expression ends it."""
        self.by_policy = True

    def outgrow(self) -> None:
        """Its job requests something else than its slot was made for."""
        self.outgrown = True


@dataclass(slots=True)
class Claim:
    """A slot that this schedd has claimed. ``created`` is when (Unix seconds); ``used``: it has had a job.

    ``keep`` is keep_claim_idle of its last job in seconds; ``kept_until`` (0: not idle yet) when that time is over.
    ``limits`` are the concurrency limits that it was given for, those of its first job. ``reserved`` is the job that
    waits on it for common files, or the staging that it is used for. ``releasing``: it is being given back.
    """

    info: ClaimInfo
    created: int
    used: bool
    job: JobId | None = None
    releasing: bool = False
    keep: int = 0
    kept_until: int = 0
    limits: str = ""
    reserved: JobId | None = None
    #: What the slot gives each job (``lifecycle.given_by``); None before the first one.
    given: tuple[tuple[str, str, str, str | None], ...] | None = None

    def knows(self, given: tuple[tuple[str, str, str, str | None], ...]) -> None:
        """Remember the resources that its jobs get."""
        self.given = given

    @property
    def is_free(self) -> bool:
        """Whether it is there for the next job."""
        return self.job is None and self.reserved is None and not self.releasing

    def take_job(self, ad: ClassAd) -> None:
        """A job starts on it."""
        if not self.used:
            self.limits = limits_of(ad)
        self.used = True
        self.keep, self.kept_until = ad.eval_int("KeepClaimIdle", 0), 0

    def take_back(self, ad: ClassAd) -> None:
        """A former schedd had it for a job that runs on it."""
        self.limits = limits_of(ad)

    def give_back(self) -> None:
        """It is being given back: no job starts on it any more."""
        self.releasing = True

    def reserve(self, job: JobId) -> None:
        """It is kept for a job, or for a staging."""
        self.reserved = job

    def free(self) -> None:
        """End the reservation."""
        self.reserved = None

    def set_back(self, seconds: int) -> None:
        """The clock was set, by so many seconds (less than 0)."""
        self.created += seconds
        if self.kept_until:
            self.kept_until += seconds

    def stays(self, now: int) -> bool:
        """Whether keep_claim_idle of its last job keeps it without a job at ``now`` (Unix seconds). The first call
        begins that time."""
        if self.keep <= 0:
            return False
        self.kept_until = self.kept_until or now + self.keep
        return now < self.kept_until

    @property
    def weight(self) -> float:
        """Weight of the slot in accounting."""
        slot = self.info.slot_ad
        return summable(slot.eval_real("SlotWeight", None) or slot.eval_real("Cpus", 1.0) or 1.0)


def limits_of(ad: ClassAd) -> str:
    """Return the concurrency limits of a job as its ad has them, in lower case; "" for none."""
    return (ad.text("ConcurrencyLimits") or "").lower()


class Outbox:
    """Records to commit and effects to carry out after the commit, in order.

    ``apply`` changes the ad at once, so that later events of the same batch see it; the store writes the same records.
    ``lacking``: those records that the image of the queue lacks and gets with the commit. None if all records are to be
    played on it, in their order.
    """

    def __init__(self) -> None:
        self.records: list[Entry] = []
        self.effects: list[Effect] = []
        self.lacking: list[Entry] | None = []

    def apply(self, ad: ClassAd, changes: Iterable[Change]) -> None:
        """Changes an ad and queues the records."""
        self.records += apply(ad, changes)

    def queue(self, entries: Iterable[Entry]) -> None:
        """Queue records of any kind, which the image lacks."""
        self.records.extend(entries)
        self.lacking = None

    def destroy(self, entries: Sequence[Entry]) -> None:
        """Queue records that remove ads from the queue."""
        self.records += entries
        if self.lacking is not None:
            self.lacking += entries

    def write_instead(self, count: int, entries: Sequence[Entry]) -> None:
        """Queue ``entries`` in place of the last ``count`` records. The image has them already, too."""
        self.records[len(self.records) - count :] = entries

    def emit(self, effect: Effect) -> None:
        """Queues an effect."""
        self.effects.append(effect)

    def take(self) -> tuple[list[Entry], list[Effect]]:
        """Take out the records and effects since the last call."""
        taken = self.records, self.effects
        self.records, self.effects, self.lacking = [], [], []
        return taken


#: The proc of the job id that represents an owner capacity unit in its requests for slots.
OCU_ASKER = -100


@dataclass(slots=True)
class Ocu:
    """An owner capacity unit: a slot that stays with its owner (see ``ocu``). ``user`` is ``owner@domain``;
    ``claim_id`` that of the slot that it got last."""

    number: int
    user: str
    owner: str
    ad: ClassAd
    claim_id: str = ""
    by_owner: int = 0
    by_borrowers: int = 0

    @property
    def asker(self) -> JobId:
        """Job id that represents the unit in its claim requests."""
        return JobId(self.number, OCU_ASKER)


class Ocus:
    """The owner capacity units by number, and which of them has which claim."""

    def __init__(self) -> None:
        self.units: dict[int, Ocu] = {}
        self._holders: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self.units)

    def of_claim(self, claim_id: str) -> Ocu | None:
        """The unit that holds a claim."""
        number = self._holders.get(claim_id)
        return None if number is None else self.units[number]

    def of_asker(self, job: JobId) -> Ocu | None:
        """The unit that a request's job id represents."""
        return self.units.get(job.cluster) if job.proc == OCU_ASKER else None

    def request_ad(self, job: JobId) -> ClassAd | None:
        """Ad that the startd gets instead of a job ad."""
        unit = self.of_asker(job)
        return None if unit is None else unit.ad

    def bind(self, unit: Ocu, claim_id: str) -> None:
        """A unit has a slot."""
        self._holders.pop(unit.claim_id, None)
        unit.claim_id = claim_id
        self._holders[claim_id] = unit.number

    def drop(self, number: int) -> None:
        """Forget a unit, which was removed."""
        self._holders.pop(self.units.pop(number).claim_id, None)

    def validate(self) -> None:
        """AssertionError when the state is inconsistent."""
        for claim_id, number in self._holders.items():
            assert number in self.units, f"{claim_id} is held by the unit {number}, which is no more"
            assert self.units[number].claim_id == claim_id, f"{claim_id} is not the slot of the unit {number}"


@dataclass(slots=True)
class Stage:
    """A data slot, which keeps common files. ``asked_by`` is the job that gave its slot for it, None if a former schedd
    made it.

    ``needed_at`` is when a job was last seen to need it (Unix seconds).
    """

    claim_id: str
    asked_by: JobId | None
    keys: tuple[str, ...]
    needed_at: int
    staged: bool = False


@dataclass(slots=True)
class Stagings:
    """``stages``: the data slots by claim. ``providers``: the claim that has (or will have) a catalog, by its key.
    ``waiting``: blocked jobs, and the claim that each of them keeps ("" for the one whose slot became the data slot).
    ``losses``: how often the data slot of a catalog was lost, by its key.
    """

    stages: dict[str, Stage] = field(default_factory=dict)
    providers: dict[str, str] = field(default_factory=dict)
    waiting: dict[JobId, str] = field(default_factory=dict)
    losses: dict[str, int] = field(default_factory=dict)

    def has(self, key: str) -> bool:
        """Whether a catalog is there to be mapped."""
        stage = self.stages.get(self.providers.get(key, ""))
        return stage is not None and stage.staged


#: A job in one of these states is the work of a gridmanager.
_OF_GRIDMANAGER = (JobStatus.IDLE, JobStatus.RUNNING)


class GridJobs:
    """The jobs of the grid universe that gridmanagers know of. Only its methods change it."""

    def __init__(self) -> None:
        self._owners: dict[JobId, str] = {}
        self._by_owner: dict[str, dict[JobId, None]] = {}
        #: By owner: jobs about which nothing is to be done, as they are held here and on the remote system.
        self._resting: dict[str, set[JobId]] = {}
        self.jobs: Collection[JobId] = self._owners.keys()

    def __contains__(self, job: JobId) -> bool:
        return job in self._owners

    def among(self, jobs: Iterable[JobId]) -> list[JobId]:
        """Return those of some jobs that gridmanagers know of."""
        return [job for job in jobs if job in self._owners] if self._owners else []

    def of(self, owner: str) -> list[JobId]:
        """Return the jobs of a user, in the order in which they came."""
        return list(self._by_owner.get(owner, ()))

    def keeps_busy(self, owner: str) -> bool:
        """Whether there is something to do for a user."""
        return len(self._by_owner.get(owner, ())) > len(self._resting.get(owner, ()))

    def rest(self, job: JobId) -> None:
        """Do nothing about a known job until it changes."""
        self._resting.setdefault(self._owners[job], set()).add(job)

    def _wake(self, job: JobId, owner: str) -> None:
        if job in (resting := self._resting.get(owner, set())):
            resting.discard(job)
            if not resting:
                del self._resting[owner]

    def file(self, job: JobId, owner: str) -> None:
        """The gridmanager of a user has to know of a job."""
        self._wake(job, owner)
        self._owners[job] = owner
        self._by_owner.setdefault(owner, {})[job] = None

    def note(self, job: JobId, ad: ClassAd, out: Outbox) -> None:
        """A job has come, or something of it has changed: tell its gridmanager, as long as there is work for it."""
        if universe_of(ad) != Universe.GRID:
            return
        if status_of(ad) in _OF_GRIDMANAGER or ad.text("GridJobId") is not None:
            owner = ad.eval_str("Owner", "")
            self.file(job, owner)
            out.emit(GridNews(owner, job))
        else:
            self.gone(job, out)

    def gone(self, job: JobId, out: Outbox) -> None:
        """A job has left the queue, or nothing is to be done about it any more."""
        owner = self.forget(job)
        if owner:
            out.emit(GridNews(owner, job))

    def forget(self, job: JobId) -> str:
        """Remove a job; return its owner, "" when it was not known."""
        owner = self._owners.pop(job, "")
        if owner:
            self._wake(job, owner)
            mine = self._by_owner[owner]
            del mine[job]
            if not mine:
                del self._by_owner[owner]
        return owner


@dataclass(slots=True)
class Node:
    """A node of a parallel job: one slot of those that ``job``, a proc, asks for with its machine_count. ``claim_id``
    is empty until it has one, ``run`` the NumShadowStarts of its proc. ``begun``: its program was executed; ``over``:
    that has ended, or the slot is lost. ``cpu`` are the seconds (user, system) that it has used, as last reported."""

    number: int
    job: JobId
    claim_id: str = ""
    run: int = 0
    begun: bool = False
    over: bool = False
    cpu: tuple[float, float] = (0.0, 0.0)

    @property
    def asker(self) -> JobId:
        """Job id that represents the node in its claim request."""
        return JobId(self.job.cluster, NODE_ASKER - self.number)

    def claimed(self, claim_id: str) -> None:
        """It has a slot."""
        self.claim_id = claim_id

    def begin(self) -> None:
        """Its program runs."""
        self.begun = True

    def end(self) -> None:
        """It runs no more."""
        self.over = True

    def use(self, user: float, system: float) -> None:
        """It has used so many seconds of CPU."""
        self.cpu = (user, system)


@dataclass(slots=True)
class Gang:
    """A parallel job that is being started, or runs: its nodes, which the procs of its cluster ask for. ``lead`` is
    proc 0, whose run is that of node 0 and of the whole job. ``runs``: the nodes were started; ``told``: the log has
    the event 001; ``dissolves``: the nodes that are left are being ended.

    ``last`` is the report of node 0, which ends the job as soon as all nodes are over; ``lost`` the code and the reason
    where that will never come. ``fault`` is the report of another node that asks for a hold. ``reports`` are those of
    the other nodes, which are acknowledged when the job ends.
    """

    lead: JobId
    nodes: list[Node]
    runs: bool = False
    told: bool = False
    dissolves: bool = False
    last: RunEnded | None = None
    lost: tuple[int, str] | None = None
    fault: ExitReport | None = None
    reports: list[ExitReport] = field(default_factory=list)

    @property
    def left(self) -> list[Node]:
        """The nodes that are not over."""
        return [node for node in self.nodes if not node.over]


class Gangs:
    """The parallel jobs that wait for slots or have them. Only its methods change it."""

    def __init__(self) -> None:
        self._waiting: dict[int, None] = {}
        self._gangs: dict[int, Gang] = {}
        self._nodes: dict[str, Node] = {}
        self._spooling: dict[int, None] = {}
        #: The cluster of the one that the negotiator keeps free slots for; 0 for none.
        self.reserved = 0
        #: Clusters with a parallel job that may be idle.
        self.waiting: Collection[int] = self._waiting.keys()
        #: Clusters with a parallel job that came without its files, and may still be held for them.
        self.spooling: Collection[int] = self._spooling.keys()

    def __bool__(self) -> bool:
        return bool(self._gangs)

    def each(self) -> list[Gang]:
        """All that have slots, or are asking for them."""
        return list(self._gangs.values())

    def wait(self, cluster: int) -> None:
        """The job of a cluster wants slots."""
        self._waiting[cluster] = None

    def forget(self, cluster: int) -> None:
        """The job of a cluster does not wait any more."""
        self._waiting.pop(cluster, None)

    def spool(self, cluster: int) -> None:
        """The job of a cluster is held until its files are there."""
        self._spooling[cluster] = None

    def spooled(self, cluster: int) -> None:
        """The job of a cluster has its files, or has left."""
        self._spooling.pop(cluster, None)

    def reserve(self, cluster: int) -> None:
        """Free slots are kept for the job of a cluster, 0 for none."""
        self.reserved = cluster

    @property
    def needs_slots(self) -> bool:
        """Whether a claim without a job is better given back, for a parallel job that free slots are kept for."""
        return self.reserved in self._waiting

    def of(self, cluster: int) -> Gang | None:
        """The job of a cluster, while it has slots or asks for them."""
        return self._gangs.get(cluster)

    def of_asker(self, job: JobId) -> Node | None:
        """The node that the job id of a claim request represents."""
        gang = self._gangs.get(job.cluster) if is_asker(job) else None
        return None if gang is None else gang.nodes[NODE_ASKER - job.proc]

    def of_claim(self, claim_id: str) -> Node | None:
        """The node that has a claim."""
        return self._nodes.get(claim_id)

    def form(self, gang: Gang) -> None:
        """A job asks for slots, or has them."""
        self._gangs[gang.lead.cluster] = gang
        self._nodes.update((node.claim_id, node) for node in gang.nodes if node.claim_id)

    def claim(self, node: Node, claim_id: str) -> None:
        """A node has its slot."""
        node.claimed(claim_id)
        self._nodes[claim_id] = node

    def drop(self, cluster: int) -> Gang | None:
        """The job of a cluster has no slots any more."""
        gang = self._gangs.pop(cluster, None)
        for node in gang.nodes if gang is not None else ():
            self._nodes.pop(node.claim_id, None)
        return gang


def members(jobs: JobTable, cluster: int) -> list[tuple[JobId, ClassAd]]:
    """Return the procs of a cluster that are its parallel job, with their ads; none if proc 0 is not there."""
    found = [(job, ad) for job, ad in jobs.procs_of(cluster) if is_gang(ad)]
    return found if found and found[0][0].proc == 0 else []


def never_runs(jobs: JobTable, cluster: int) -> str:
    """Return why a parallel job can never run; "" if it can."""
    shared = jobs.cluster(cluster)
    if shared is not None and shared.text("JobMaterializeDigestFile") is not None:
        return "The jobs of a parallel job cannot be made late: no max_materialize and max_idle"
    if jobs.count(cluster) > MOST_NODES:
        return f"The parallel job has more than {MOST_NODES} procs"
    count = sum(max(0, hosts_of(ad)) for _, ad in members(jobs, cluster))
    if count > MOST_NODES:
        return f"The parallel job asks for {count} nodes; {MOST_NODES} is the most (machine_count)"
    return "" if count else "The parallel job asks for no node: machine_count has to be at least 1"


@dataclass(slots=True)
class ClaimInfo:
    """A claim as the startd describes it. ``job`` and ``run`` are empty and 0 while it is idle. Of a data slot
    (``data``), ``staged`` are the keys of the catalogs that it has, and ``job`` is the number of the staging."""

    claim_id: str
    slot: str
    submitter: str
    slot_ad: ClassAd
    job: str = ""
    run: int = 0
    data: bool = False
    staged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reassignment:
    """A slot that a job is to get at once, and the claims of those that give way (condor_now)."""

    slot: str
    claims: tuple[str, ...]


class Reassignments:
    """The jobs that wait for the slots of others."""

    def __init__(self) -> None:
        self._waiting: dict[JobId, Reassignment] = {}
        #: The jobs.
        self.jobs: Collection[JobId] = self._waiting.keys()

    def __contains__(self, job: object) -> bool:
        return job in self._waiting

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def each(self) -> list[tuple[JobId, Reassignment]]:
        """All of them; they may be dropped meanwhile."""
        return list(self._waiting.items())

    def reserves(self, claim_id: str) -> bool:
        """Whether a claim is kept for one of the jobs."""
        return any(claim_id in one.claims for one in self._waiting.values())

    def add(self, job: JobId, one: Reassignment) -> None:
        """The job waits from now on."""
        self._waiting[job] = one

    def drop(self, job: JobId) -> None:
        """The job waits no longer."""
        del self._waiting[job]
