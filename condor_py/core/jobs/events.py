"""Events of the schedd core. Time comes with each event: ``Schedd.handle(event, now)``, in Unix seconds.

Messages of other daemons that say all by themselves are events as they are (``Event`` names them).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from condor_py.core.jobs.parts import ClaimInfo
from condor_py.core.jobs.rights import Caller
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import ClaimLost, ClaimRefused, ClaimReleased, FilesStaged
from condor_py.model.messages.cycles import Significant
from condor_py.model.messages.grid import GridReport
from condor_py.model.messages.runs import (
    RunDelayed,
    RunEnded,
    RunNotice,
    RunStarted,
    RunSuspended,
    RunUpdate,
    StagingStep,
)
from condor_py.model.plan import Plan
from condor_py.model.record import Change, Entry
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.sizes import Sizes

if TYPE_CHECKING:
    from condor_py.core.jobs.parts import Ocu


# -- the queue --------------------------------------------------------------------------------------------------------


class PastEvents(Protocol):
    """Events of jobs that the event logs already contain."""

    def get(self, job: JobId, /) -> Sequence[int] | None: ...


@dataclass(slots=True)
class QueueTaken:
    """The schedd starts on this queue. ``logged`` has the event numbers already in each job's event log, in order (jobs
    without a log are absent); ``in_history`` the jobs whose history record is already written. Of the jobs that
    ``is_partly`` tells only the end of a long log was read. Of all jobs of a cluster that ``are_alike`` tells the logs
    say the same."""

    logged: PastEvents
    in_history: Collection[JobId]
    is_partly: Callable[[JobId], bool] = lambda job: False
    are_alike: Callable[[int], bool] = lambda cluster: False


@dataclass(slots=True)
class QueueChanged:
    """Another process (a tool) wrote ``records``, which are already in the image."""

    records: Iterable[Entry]


@dataclass(slots=True)
class ClientWrites:
    """Records made on behalf of a client are to be written with this batch. They are news when they are in the queue;
    with ``at_once`` they change what is there, for the next client and for claims looking for jobs."""

    records: Sequence[Entry]
    at_once: bool = False


@dataclass(slots=True)
class JobsRecorded:
    """The history has these finished jobs: they leave the queue, and with its last one a cluster."""

    jobs: Collection[JobId]


@dataclass(slots=True)
class UserLine:
    """A job's owner adds a line to its event log."""

    job: JobId
    text: str


@dataclass(slots=True)
class FactoryBegins:
    """The first jobs of a cluster of late materialization are about to be made."""

    cluster: int


@dataclass(slots=True)
class FactoryTold:
    """``records`` of the ad of a cluster may hold or release its factory; ``was`` is JobMaterializePaused before."""

    cluster: int
    records: Sequence[Change]
    was: int


@dataclass(slots=True)
class ClusterEmpty:
    """A cluster of late materialization has no jobs, and makes no more."""

    cluster: int


# -- what drives it ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Reconfigured:
    """New settings hold from now on."""

    settings: ScheddSettings


@dataclass(slots=True)
class SizesFound:
    """The sizes that jobs had, as the effect SizesWanted asks for them."""

    sizes: Sizes


@dataclass(slots=True)
class Published:
    """The schedd's own ad as it is published now: START_LOCAL_UNIVERSE and START_SCHEDULER_UNIVERSE see it."""

    ad: ClassAd


@dataclass(slots=True)
class LogsWanted:
    """``all_jobs``: events of jobs without a log are wanted, too (EVENT_LOG). ``runs``: records of runs
    (JOB_EPOCH_HISTORY). None leaves what was."""

    all_jobs: bool | None = None
    runs: bool | None = None


@dataclass(slots=True)
class Tick:
    """A second or so has passed."""


@dataclass(slots=True)
class Dispatch:
    """The news of a batch is in: idle claims get their next job or go back, and a cycle is asked for if it is worth
    one."""


@dataclass(slots=True)
class PoliciesDue:
    """The periodic expressions of all jobs that have any are to be evaluated, until there is ``enough``:
    ``Schedd.policies_left`` tells whether there is more."""

    enough: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class UpdatesDue:
    """The same for the jobs whose starter reported something: ``Schedd.updates_left``."""

    enough: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class Leaving:
    """The schedd is shut down: no job starts any more. Those that run without a slot are ended (when ``fast`` their
    starters are killed by the sender of this); the startd ends the others."""

    fast: bool = False


# -- negotiation ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Planned:
    """Matches that a negotiation cycle made for jobs, and its reasons for rejecting others."""

    plan: Plan


@dataclass(slots=True)
class CycleWanted:
    """Something was freed or became wanted elsewhere: negotiate after this batch."""


@dataclass(slots=True)
class SlotsOffered:
    """The startd offers its slots to this schedd directly; ``alone`` when no negotiator has a say."""

    slots: Sequence[ClassAd]
    alone: bool = False


@dataclass(slots=True)
class RunNow:
    """condor_now: the slots of ``victims`` are for ``wanted``. ``handle`` raises CannotReassign, and nothing has
    changed."""

    caller: Caller
    wanted: JobId
    victims: Sequence[JobId]


@dataclass(slots=True)
class UsersFound:
    """The records of users and projects by number when the schedd starts: owner capacity units and limits."""

    users: Mapping[int, ClassAd]


@dataclass(slots=True)
class OcuMade:
    """An owner capacity unit, as ``ocu.requested`` made it."""

    unit: Ocu


@dataclass(slots=True)
class OcuRemoved:
    """An owner capacity unit goes, and its slot with it: what runs there is vacated."""

    number: int


# -- claims and runs --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ClaimGranted:
    """Answer to RequestClaim."""

    id: str
    info: ClaimInfo


@dataclass(slots=True)
class OrderRefused:
    """A startd or starter refused an order on a claim as one that it cannot be given. ``job`` is the job concerned, as
    text; "" where it is not known."""

    claim: str
    reason: str
    job: str = ""


@dataclass(slots=True)
class StartdConnected:
    """A startd (again) within reach, with the claims it holds."""

    claims: tuple[ClaimInfo, ...]


@dataclass(slots=True)
class StartdLost:
    """The connection to the startd broke."""


@dataclass(slots=True)
class ClockJumped:
    """The clock went on by so many seconds while the machine slept, or was set; less than 0: it was set back."""

    seconds: int


# -- the grid universe ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class GridReported:
    """The gridmanager of a user reports on one of the user's jobs."""

    owner: str
    job: JobId
    report: GridReport


@dataclass(slots=True)
class GridReportsEnd:
    """These were the reports up to a number: when they are durable, the gridmanager is told."""

    owner: str
    number: int


Event = (
    QueueTaken
    | QueueChanged
    | ClientWrites
    | JobsRecorded
    | UserLine
    | FactoryBegins
    | FactoryTold
    | ClusterEmpty
    | Reconfigured
    | SizesFound
    | Published
    | LogsWanted
    | Tick
    | Dispatch
    | PoliciesDue
    | UpdatesDue
    | Leaving
    | Planned
    | Significant
    | CycleWanted
    | SlotsOffered
    | RunNow
    | UsersFound
    | OcuMade
    | OcuRemoved
    | RunStarted
    | StagingStep
    | FilesStaged
    | RunUpdate
    | RunSuspended
    | RunDelayed
    | RunNotice
    | RunEnded
    | ClaimGranted
    | ClaimRefused
    | ClaimLost
    | OrderRefused
    | ClaimReleased
    | StartdConnected
    | StartdLost
    | ClockJumped
    | GridReported
    | GridReportsEnd
)
