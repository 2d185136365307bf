"""Events of a starter and its run. Times are not in them: the core receives ``now`` with each. Orders of the daemon
that forked it are events as they are."""

from __future__ import annotations

from dataclasses import dataclass

from condor_py.core.runs.effects import Step
from condor_py.core.runs.facts import RunFacts
from condor_py.model.messages.runs import ContinueJob, HardKill, SoftKill, StopStarter, SuspendJob


@dataclass(slots=True)
class Begin:
    """The startd hands over a job."""

    facts: RunFacts


@dataclass(slots=True)
class Underway:
    """The program of a job that the core has not heard of runs."""

    facts: RunFacts


@dataclass(slots=True)
class BeginStaging:
    """The slot becomes a data slot."""


@dataclass(slots=True)
class StagingEnded:
    """The data slot has no files any more."""


@dataclass(slots=True)
class Tick:
    """The time of a Wait is over."""


@dataclass(slots=True)
class Done:
    """A step that was requested is done; not ``ok``: the run cannot continue. A step that was cancelled is not
    reported."""

    step: Step
    ok: bool = True


@dataclass(slots=True)
class OverLimit:
    """The job uses more memory than it may, and has not been killed for that."""


@dataclass(slots=True)
class Dismiss:
    """The first session of an interactive job is there: the program that waited for it is not needed any more."""


@dataclass(slots=True)
class ProgramEnded:
    """The program is over; processes that it has started may be left."""


@dataclass(slots=True)
class Drained:
    """The data that the ended program had sent us is handled. ``at_checkpoint``: it wanted a checkpoint. ``in_use``:
    sessions are open."""

    at_checkpoint: bool = False
    in_use: bool = False


@dataclass(slots=True)
class SessionsEnded:
    """The last session is over."""


Event = (
    Begin
    | Underway
    | BeginStaging
    | StagingEnded
    | Tick
    | Done
    | SoftKill
    | HardKill
    | SuspendJob
    | ContinueJob
    | OverLimit
    | Dismiss
    | ProgramEnded
    | Drained
    | SessionsEnded
    | StopStarter
)
