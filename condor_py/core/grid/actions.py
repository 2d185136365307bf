"""Actions that the gridmanager's core requests. ``events`` has the answers.

An engine carries out those of one type of resource: ``StageIn``, ``Submit``, ``Look``, ``Cancel``, ``StageOut`` and
``Clean``, and where it can ``Order`` and ``Edit``. Each but ``Clean`` and ``Edit`` is answered by an event, sooner or
later, whatever happens. Several may be under way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from condor_py.core.grid.events import Ending
from condor_py.lang.classad import ClassAd
from condor_py.model.gridjobs import GridStep
from condor_py.model.ids import JobId


@dataclass(frozen=True, slots=True)
class StageIn:
    """Bring the input of a job to where it will run. StagedIn or StageFailed."""

    job: JobId
    resource: str
    name: str
    ad: ClassAd


@dataclass(frozen=True, slots=True)
class Submit:
    """Give a job, whose input is there, to the remote system, with our name for it. Submitted or SubmitFailed."""

    job: JobId
    resource: str
    name: str
    ad: ClassAd


@dataclass(frozen=True, slots=True)
class Look:
    """Request the states of all our jobs at a resource. Looked or LookFailed answers it; Began and Ended come before,
    where they are known already."""

    resource: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """End a remote job. Cancelled or CancelFailed."""

    job: JobId
    resource: str
    name: str
    remote_id: str


@dataclass(frozen=True, slots=True)
class Order:
    """Put a remote job on hold, or ``release`` it. Obeyed or Disobeyed."""

    job: JobId
    resource: str
    name: str
    remote_id: str
    release: bool


@dataclass(frozen=True, slots=True)
class Edit:
    """The ad of a job may have changed: let its counterpart be what it would be if it were submitted now."""

    job: JobId
    resource: str
    name: str
    remote_id: str
    ad: ClassAd


@dataclass(frozen=True, slots=True)
class StageOut:
    """Bring the output of a job to its owner. StagedOut or StageFailed."""

    job: JobId
    resource: str
    name: str
    ad: ClassAd
    ending: Ending


@dataclass(frozen=True, slots=True)
class Clean:
    """Nothing of a job's attempt is needed any more."""

    resource: str
    name: str
    remote_id: str = ""


@dataclass(frozen=True, slots=True)
class CleanOthers:
    """Request the removal of everything of ours there that has none of these names."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class AskAd:
    """The ad of a job is needed. AdCame."""

    job: JobId


@dataclass(frozen=True, slots=True)
class AskJob:
    """Request the current state of a job in the queue. JobTold or JobGone answers it."""

    job: JobId


@dataclass(frozen=True, slots=True)
class Tell:
    """A report for the schedd, with its number; ``Settled`` says when it is durable."""

    number: int
    job: JobId
    step: GridStep
    assignments: tuple[tuple[str, str], ...] = ()
    deletions: tuple[str, ...] = ()
    reason: str = ""
    code: int = 0
    subcode: int = 0
    when: float = 0.0


@dataclass(frozen=True, slots=True)
class Say:
    """A line for the log."""

    text: str


#: Those that engines carry out.
Deed = StageIn | Submit | Look | Cancel | Order | Edit | StageOut | Clean | CleanOthers
Action = Deed | AskAd | AskJob | Tell | Say


class Engine(Protocol):
    """The executor of the actions of one type of resource."""

    def carry_out(self, action: Deed) -> None:
        """Begins with it; the answer comes at once or later, as an event."""

    def close(self) -> None:
        """The gridmanager leaves: what is under way may end, but is not reported."""
