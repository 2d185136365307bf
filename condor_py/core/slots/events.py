"""Events of a startd. Time comes with each event: ``Startd.handle(event, now)``, in Unix seconds. Messages that need
nothing else are events as they are: orders of the schedd, news of starters, drains. ``claim`` is the id of a claim, as
in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from condor_py.lang.classad import ClassAd
from condor_py.model.facts import MachineFacts
from condor_py.model.messages.claims import ContinueClaim, Deactivate, ReleaseClaim, SuspendClaim, WithdrawClaim
from condor_py.model.messages.machine import CancelDrain, Drain, UpdateAd
from condor_py.model.messages.runs import CatalogsStaged, Ready, RunEnded, RunStarted, RunUpdate, Sample
from condor_py.model.power import PowerAbilities
from condor_py.model.settings.containers import ContainerAbilities
from condor_py.model.settings.java import JavaAbilities
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.virtual import VmAbilities
from condor_py.model.states import VacateCode

ShutdownHow = Literal["graceful", "fast", "peaceful"]


@dataclass(slots=True)
class Poll:
    """Time has passed: timers are checked and the policy is evaluated. ``facts`` None keeps those of the last poll."""

    facts: MachineFacts | None = None


@dataclass(slots=True)
class ClaimRequest:
    """The schedd wants ``slot`` (its Name) for ``submitter``; the first job it means to run there is ``job_ad``.
    ``fetched`` is the hook keyword of a job that was fetched and has no schedd."""

    request_id: str
    slot: str
    submitter: str
    owner: str
    job_ad: ClassAd
    group: str = "<none>"
    autoregroup: bool = False
    own_group: str = ""
    schedd: str = ""
    client: str = ""
    fetched: str = ""


@dataclass(slots=True)
class WorkFetched:
    """The fetch hook of ``slot`` has ended; ``job`` is what it printed, None for nothing."""

    slot: str
    job: ClassAd | None


@dataclass(slots=True)
class BetterClaim:
    """A request for a slot that has a claim: the negotiator prefers this one, by the slot's RANK or by the priority
    of the users. The job that runs there keeps its retirement time."""

    request: ClaimRequest
    by_rank: bool


@dataclass(slots=True)
class Match:
    """The negotiator has matched the slot (its Name): NEGOTIATOR_INFORM_STARTD."""

    slot: str


@dataclass(slots=True)
class BenchmarksDone:
    """All benchmarks have ended; attribute names (Mips, KFlops, ...) to ClassAd text."""

    results: Mapping[str, str]


@dataclass(slots=True)
class BackfillStarted:
    """The backfill client (of one ``slot``) runs, or (not ``ok``) could not be started."""

    ok: bool = True
    slot: str = ""


@dataclass(slots=True)
class BackfillGone:
    """The backfill client (of one ``slot``) has ended with wait status ``status``, and all it started is dead."""

    status: int = 0
    slot: str = ""


@dataclass(slots=True)
class PowerFound:
    """Low power states that this machine has."""

    abilities: PowerAbilities


@dataclass(slots=True)
class Woken:
    """The machine is back from its low power state; ``reason`` says why it was not there."""

    reason: str = ""


@dataclass(slots=True)
class ClockJumped:
    """The clock advanced by so many seconds while the machine slept, or because it was set; less than 0: it was set
    back."""

    seconds: float


@dataclass(slots=True)
class CronJobs:
    """The programs of STARTD_CRON_JOBLIST, in this order: the ads of all others are forgotten."""

    jobs: tuple[str, ...]


@dataclass(slots=True)
class CronAd:
    """A program has given an ad (name and ClassAd text) for the slots numbered ``slots`` (() for all). ``publish``
    None means: if it changed anything."""

    job: str
    tag: str
    pairs: tuple[tuple[str, str], ...]
    slots: tuple[int, ...] = ()
    publish: bool | None = False
    metrics: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Activate:
    """The schedd has committed ``job`` ("CLUSTER.PROC") to the claim and wants it started; ``run`` counts
    activations. ``common`` are the keys of the catalogs to map into it. With ``stages`` it is no job: the slot is to be
    a data slot, and its starter fetches the common files of the job whose ad this is."""

    claim: str
    job: str
    run: int
    job_ad: ClassAd
    common: tuple[str, ...] = ()
    stages: bool = False


@dataclass(slots=True)
class StarterGone:
    """The starter process exited with wait status ``status``; what was left of its job is already dead."""

    claim: str
    status: int


@dataclass(slots=True)
class Vacate:
    """Evict the claim of ``slot`` (Name; a partitionable slot means all cut from it), or all claims for None.

    A ``graceful`` eviction lets the job use its retirement time first. For a better claim (rank or priority preemption)
    ``retire`` is true, and ``code`` and ``reason`` say so.
    """

    slot: str | None
    graceful: bool = True
    code: int = VacateCode.VACATED_BY_ADMIN
    reason: str = "Claim vacated by the administrator"
    retire: bool = False


@dataclass(slots=True)
class Shutdown:
    """Stop: peaceful waits for the jobs, graceful gives them their retirement and vacate time, fast kills."""

    how: ShutdownHow = "graceful"


@dataclass(slots=True)
class ScheddGone:
    """The connection to the schedd broke. Running jobs have their lease (JobLeaseDuration) to be asked for
    again."""


@dataclass(slots=True)
class ScheddSilent:
    """The schedd is connected but has not given a sign of life since ``since`` (it is stopped, or hangs): its claims
    have their lease, counted from then, idle ones too."""

    since: float


@dataclass(slots=True)
class ScheddBack:
    """The schedd has reconnected and asked for its claims, or sends messages again: no lease runs any more."""


@dataclass(slots=True)
class Reconfig:
    """New settings. The slot layout stays as it was made at start."""

    settings: StartdSettings


@dataclass(slots=True)
class ContainersFound:
    """Abilities of containers on this machine, after a test."""

    abilities: ContainerAbilities


@dataclass(slots=True)
class MachinesFound:
    """Abilities of virtual machines on this machine, after a test."""

    abilities: VmAbilities


@dataclass(slots=True)
class JavaFound:
    """Facts about Java on this machine, after a test."""

    abilities: JavaAbilities


Event = (
    Poll
    | ClaimRequest
    | BetterClaim
    | WithdrawClaim
    | Match
    | BenchmarksDone
    | BackfillStarted
    | BackfillGone
    | PowerFound
    | Woken
    | ClockJumped
    | WorkFetched
    | CronJobs
    | CronAd
    | UpdateAd
    | Activate
    | CatalogsStaged
    | Ready
    | RunStarted
    | RunUpdate
    | Sample
    | RunEnded
    | StarterGone
    | ReleaseClaim
    | Deactivate
    | Vacate
    | SuspendClaim
    | ContinueClaim
    | Drain
    | CancelDrain
    | Shutdown
    | ScheddGone
    | ScheddSilent
    | ScheddBack
    | Reconfig
    | ContainersFound
    | MachinesFound
    | JavaFound
)
