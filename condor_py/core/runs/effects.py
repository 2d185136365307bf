"""Effects that a starter carries out for its run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Step(Enum):
    """Step that takes time: it is requested last, and answered by a Done unless something else is said here."""

    __hash__ = object.__hash__  # that of Enum is written in Python

    #: The scratch directory is made.
    MAKE_SCRATCH = auto()
    #: A hook prepares the job, before its input comes and after that; there need not be one.
    ASK_HOOK = auto()
    ASK_HOOK_AGAIN = auto()
    #: The input comes.
    FETCH = auto()
    #: The program is started.
    EXECUTE = auto()
    #: What the ended program has sent is served; answered by Drained.
    DRAIN = auto()
    #: The checkpoint is kept.
    SAVE = auto()
    #: Would the claim take the job once more?
    ASK_TO_GO_ON = auto()
    #: The program is started again.
    RESUME = auto()
    #: Everything of the job ends; then the hook that receives its end, if there is one.
    CONCLUDE = auto()
    #: The output goes back, and the scratch directory is cleared.
    CLEAR = auto()


class Do(Enum):
    """Action that is completed at once."""

    __hash__ = object.__hash__  # that of Enum is written in Python

    #: The program runs: its end is waited for (ProgramEnded), looks at its use and sessions begin.
    WATCH = auto()
    #: All of that ends, and requests of the program.
    END_SERVICES = auto()
    #: All processes of the job stop, or continue.
    SUSPEND = auto()
    CONTINUE = auto()
    #: All processes of the job are killed.
    KILL = auto()
    #: Users in a session are notified that they lose it, and no session begins any more.
    END_SESSIONS = auto()
    #: The program that only waited for a session is ended.
    DISMISS = auto()
    #: The hook that runs is killed.
    KILL_HOOK = auto()
    #: The child that does a step is killed.
    KILL_CHILD = auto()
    #: What has been prepared goes: the run has no result.
    GIVE_UP = auto()
    #: Report why the program was not started.
    TELL_NOT_STARTED = auto()
    #: The run ends at its checkpoint, because its claim takes no more.
    GIVE_WAY = auto()
    #: What a killed child has left is removed.
    CLEAN = auto()
    #: Files that jobs share are fetched and kept (StagingEnded follows at the end), or removed.
    STAGE = auto()
    END_STAGING = auto()
    #: No more Tick.
    CANCEL_WAIT = auto()
    #: The starter leaves.
    LEAVE = auto()


@dataclass(slots=True)
class Wait:
    """Tell with a Tick when so many seconds are over; a new Wait replaces the last."""

    seconds: float


@dataclass(slots=True)
class Refuse:
    """The job is to be held before anything of it was prepared."""

    code: int
    reason: str


@dataclass(slots=True)
class Signal:
    """The program, and nothing that it has started, gets a signal."""

    number: int


@dataclass(slots=True)
class Stopped:
    """The run ends from outside. ``final``: its output is to come back all the same."""

    final: bool = False


@dataclass(slots=True)
class Report:
    """Report the end of the run; ``stopped``: from outside."""

    stopped: bool = False


Effect = Step | Do | Wait | Refuse | Signal | Stopped | Report
