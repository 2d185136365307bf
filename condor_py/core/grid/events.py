"""Events of the gridmanager's core. Time comes with each event: ``GridManager.handle(event, now)``, in Unix seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from condor_py.lang.classad import ClassAd
from condor_py.model.gridjobs import Ending as Ending
from condor_py.model.gridjobs import Seen as Seen
from condor_py.model.gridjobs import Stand as Stand
from condor_py.model.ids import JobId
from condor_py.model.settings.grid import GridSettings

# -- from the schedd --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JobTold:
    """A job as the queue has it now; ``grid_status`` is its GridJobStatus."""

    job: JobId
    status: int
    resource: str
    global_id: str
    grid_id: str = ""
    attempt: int = 0
    grid_status: str = ""


@dataclass(frozen=True, slots=True)
class JobGone:
    """A job has left the queue, whatever there is of it elsewhere."""

    job: JobId


@dataclass(frozen=True, slots=True)
class AllTold:
    """All jobs in the queue have been reported: everything else of ours belongs to no job."""


@dataclass(frozen=True, slots=True)
class AdCame:
    """The ad that was asked for; None when the job has left the queue."""

    job: JobId
    ad: ClassAd | None


@dataclass(frozen=True, slots=True)
class Settled:
    """All reports up to a number are in the queue."""

    number: int


# -- from the engines -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StagedIn:
    """The input of a job is where it will run; ``bytes`` and ``files`` came."""

    job: JobId
    bytes: int = 0
    files: int = 0


@dataclass(frozen=True, slots=True)
class StageFailed:
    """Input or output of a job could not be moved: it is held."""

    job: JobId
    code: int
    subcode: int
    reason: str


@dataclass(frozen=True, slots=True)
class Submitted:
    """The remote system has taken a job."""

    job: JobId
    remote_id: str


@dataclass(frozen=True, slots=True)
class SubmitFailed:
    """The remote system did not take a job. ``away``: it did not answer, and the job may be tried again; otherwise it
    does not want this job, which is held: at once when it is ``certain`` that it has not got it, else after a look. One
    that is not wanted any more leaves at once, too, where that is certain."""

    job: JobId
    reason: str
    away: bool = False
    certain: bool = True
    code: int = 0
    subcode: int = 0


@dataclass(frozen=True, slots=True)
class Began:
    """The program of a job runs: when, in Unix seconds, and where. ``again``: it ran before, and the remote system has
    started it again."""

    job: JobId
    remote_id: str
    when: float
    host: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """The program of a job has ended."""

    job: JobId
    ending: Ending


@dataclass(frozen=True, slots=True)
class Looked:
    """All jobs of ours that a resource has, by our names for them; several of one name where it was submitted twice."""

    resource: str
    jobs: Mapping[str, tuple[Seen, ...]]


@dataclass(frozen=True, slots=True)
class LookFailed:
    """A resource did not answer."""

    resource: str
    reason: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The remote system has ended a job, or does not know it."""

    job: JobId
    remote_id: str


@dataclass(frozen=True, slots=True)
class CancelFailed:
    """An order to end a job did not reach the remote system."""

    job: JobId
    remote_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Obeyed:
    """The remote system has held or released a job as ordered, or has no such job."""

    job: JobId
    remote_id: str


@dataclass(frozen=True, slots=True)
class Disobeyed:
    """An order to hold or release a job did not reach the remote system."""

    job: JobId
    remote_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class StagedOut:
    """The output of a job is where its owner wants it; ``bytes`` and ``files`` went."""

    job: JobId
    bytes: int = 0
    files: int = 0


# -- time and settings ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tick:
    """A moment has come that ``GridManager.due`` named."""


@dataclass(frozen=True, slots=True)
class LookNow:
    """There is a reason to look at a resource before its time."""

    resource: str


@dataclass(frozen=True, slots=True)
class Reconfigured:
    """New settings hold from now on."""

    settings: GridSettings


Event = (
    JobTold
    | JobGone
    | AllTold
    | AdCame
    | Settled
    | StagedIn
    | StageFailed
    | Submitted
    | SubmitFailed
    | Began
    | Ended
    | Looked
    | LookFailed
    | Cancelled
    | CancelFailed
    | Obeyed
    | Disobeyed
    | StagedOut
    | Tick
    | LookNow
    | Reconfigured
)
