"""What the schedd core remembers besides the job ads: runs, claims, and what it last saw of each job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import apply
from condor_py.lang.classad.numbers import summable
from condor_py.model.ids import JobId
from condor_py.model.record import Change, Entry

if TYPE_CHECKING:
    from condor_py.core.jobs.effects import Effect
    from condor_py.core.jobs.events import ClaimInfo

#: How claim ids of the schedd itself begin.
LOCAL = "local#"


def is_local(claim_id: str) -> bool:
    """Whether a claim is the schedd's own."""
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
        """How many procs of a cluster are in the queue."""

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        """All jobs, by cluster and proc."""

    def groups(self) -> Iterable[tuple[int, Sequence[int]]]:
        """All jobs as (cluster, procs), both ascending, without their ads."""

    def kinds(self, cluster: int, procs: Sequence[int], keys: tuple[str, ...]) -> list[list[int]]:
        """Procs of a cluster in groups that say the same themselves of all of ``keys`` (lower-case names)."""

    def among(self, jobs: Iterable[JobId]) -> list[JobId]:
        """Those of these jobs that are in the queue."""

    def ads_of(self, jobs: Sequence[JobId]) -> list[ClassAd]:
        """The ads of those of these jobs that are in the queue, by cluster."""

    def change(self, jobs: Sequence[JobId], changes: Sequence[Change]) -> None:
        """Sets and deletes attributes of the jobs that are there, as ``changes`` say whatever their keys."""

    def rest(self, cluster: int, procs: Iterable[int]) -> None:
        """These jobs are not expected to be looked at soon: their ads may be put away until somebody does."""

    def user_record_of(self, user: str) -> tuple[int, ClassAd] | None:
        """Number N (key ``0.N``) and ad of the record of ``user@domain``."""


@dataclass(slots=True)
class Logs:
    """What is to be written. ``all_jobs``: events of jobs without a log, too (EVENT_LOG); ``runs``: records of runs."""

    all_jobs: bool = False
    runs: bool = False


class Known(NamedTuple):
    """What was last seen of a job, to tell what somebody else changed. Jobs that came together share one."""

    status: int
    prio: int
    #: NumHolds when its last hold was told.
    holds: int = 0
    #: Its last moves: when (Unix seconds), and the status that ended then; flat, as there may be very many jobs.
    story: tuple[int, ...] = ()


@dataclass(slots=True)
class Run:
    """A job on a claim. ``stop_code`` and ``stop_reason`` are set once the run is being ended from here.

    ``by_policy``: what ends it is a policy expression that holds or removes the job, which no event 004 tells.
    """

    job: JobId
    claim_id: str
    number: int
    submitter: str
    executing: bool = False
    stop_code: int = 0
    stop_reason: str = ""
    by_policy: bool = False
    #: Keys of the catalogs that are mapped into it.
    common: tuple[str, ...] = ()

    def begin(self) -> None:
        """Its program runs."""
        self.executing = True

    def stop(self, code: int, reason: str) -> None:
        """It is being ended, for a reason."""
        self.stop_code, self.stop_reason = code, reason

    def judge(self) -> None:
        """A policy expression ends it."""
        self.by_policy = True


@dataclass(slots=True)
class Claim:
    """A slot that is ours. ``created`` is when we got it (Unix seconds).

    ``keep`` is keep_claim_idle of its last job in seconds; ``kept_until`` (0: not idle yet) when that time is over.
    ``limits`` are the concurrency limits that it was given for, as its first job names them. ``reserved`` is the job
    that waits on it for common files, or the staging that it is used for.
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
        """What its jobs get was looked up."""
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
        """It is for no job any more."""
        self.releasing = True

    def reserve(self, job: JobId) -> None:
        """It is kept for a job, or for a staging."""
        self.reserved = job

    def free(self) -> None:
        """Nobody waits on it any more."""
        self.reserved = None

    def set_back(self, seconds: int) -> None:
        """The clock was set, by so many seconds (less than 0)."""
        self.created += seconds
        if self.kept_until:
            self.kept_until += seconds

    def stays(self, now: int) -> bool:
        """Whether keep_claim_idle of its last job keeps it without a job at ``now`` (Unix seconds); the first asking
        begins that time."""
        if self.keep <= 0:
            return False
        self.kept_until = self.kept_until or now + self.keep
        return now < self.kept_until

    @property
    def weight(self) -> float:
        """What the slot counts for in accounting."""
        slot = self.info.slot_ad
        return summable(slot.eval_real("SlotWeight", None) or slot.eval_real("Cpus", 1.0) or 1.0)


def limits_of(ad: ClassAd) -> str:
    """The concurrency limits of a job as its ad has them, "" for none."""
    return (ad.text("ConcurrencyLimits") or "").lower()


class Outbox:
    """Records to commit and effects to carry out after the commit, in order.

    ``apply`` changes the ad at once, so that later events of the same batch see it; the store writes the same records.
    """

    def __init__(self) -> None:
        self.records: list[Entry] = []
        self.effects: list[Effect] = []

    def apply(self, ad: ClassAd, changes: Iterable[Change]) -> None:
        """Changes an ad and queues the records."""
        self.records += apply(ad, changes)

    def write_instead(self, count: int, entries: Sequence[Entry]) -> None:
        """Queues ``entries`` in place of the last ``count`` records, which the image has as well."""
        self.records[len(self.records) - count :] = entries

    def emit(self, effect: Effect) -> None:
        """Queues an effect."""
        self.effects.append(effect)

    def take(self) -> tuple[list[Entry], list[Effect]]:
        """Everything since the last call."""
        taken = self.records, self.effects
        self.records, self.effects = [], []
        return taken
