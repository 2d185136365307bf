"""The phases of a starter: what it does for the job of its claim, which phase may follow which, and what an order to
stop means in each.

    IDLE -> DEFERRED -> PREPARING <-> FETCHING        a program is started:
                        PREPARING -> RUNNING -> DRAINING -> EXITING -> LEAVING -> IDLE
    its sessions last longer:           DRAINING -> LINGERING -> EXITING
    it wanted a checkpoint:             DRAINING -> SAVING -> PAUSED -> RUNNING again, or EXITING
    a data slot:                        IDLE -> STAGING -> IDLE

A job that fails or is stopped before its program runs goes to IDLE from where it is.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto


class Phase(Enum):
    """Phase of the starter."""

    __hash__ = object.__hash__  # that of Enum is written in Python

    #: It has no job.
    IDLE = auto()
    #: It keeps files that jobs share (a data slot).
    STAGING = auto()
    #: The job waits for its time, if it has one (deferral_time).
    DEFERRED = auto()
    #: A hook prepares the job, if there is one; then its next step is taken.
    PREPARING = auto()
    #: The input comes.
    FETCHING = auto()
    #: The program runs.
    RUNNING = auto()
    #: The program has ended; its earlier requests are served first.
    DRAINING = auto()
    #: The program has ended; sessions keep the slot.
    LINGERING = auto()
    #: The program wanted a checkpoint, which is being kept.
    SAVING = auto()
    #: The checkpoint is kept: may the program continue?
    PAUSED = auto()
    #: All processes have ended; the hook receives that, if there is one.
    EXITING = auto()
    #: The output goes back and the scratch directory is cleared.
    LEAVING = auto()


class Order(Enum):
    """An order to stop the job."""

    __hash__ = object.__hash__  # that of Enum is written in Python

    #: With its kill signal, for the sake of the machine or the pool.
    SOFT = auto()
    #: With its kill signal, because its user removed, held or vacated it.
    USER = auto()
    #: At once.
    HARD = auto()


class Stop(Enum):
    """Effects of an order to stop, one after the other."""

    __hash__ = object.__hash__  # that of Enum is written in Python

    #: The program gets its kill signal.
    SIGNAL = auto()
    #: All processes of the job are killed.
    KILL = auto()
    KILL_HOOK = auto()
    #: The step that a child does is not done to its end.
    KILL_CHILD = auto()
    #: The run is over: move to EXITING.
    FINISH = auto()
    #: The run is reported as stopped from outside: move to IDLE.
    ABANDON = auto()
    #: The preparation has no result.
    GIVE_UP = auto()
    #: Files that a killed child has left are removed, after the report to the startd.
    CLEAN = auto()
    #: The data slot is to end.
    END_STAGING = auto()


_MAY_FOLLOW = {
    Phase.IDLE: {Phase.STAGING, Phase.DEFERRED},
    Phase.STAGING: {Phase.IDLE},
    Phase.DEFERRED: {Phase.PREPARING, Phase.IDLE},
    Phase.PREPARING: {Phase.FETCHING, Phase.RUNNING, Phase.IDLE},
    Phase.FETCHING: {Phase.PREPARING, Phase.IDLE},
    Phase.RUNNING: {Phase.DRAINING},
    Phase.DRAINING: {Phase.LINGERING, Phase.SAVING, Phase.EXITING},
    Phase.LINGERING: {Phase.EXITING},
    Phase.SAVING: {Phase.PAUSED, Phase.EXITING},
    Phase.PAUSED: {Phase.RUNNING, Phase.EXITING},
    Phase.EXITING: {Phase.LEAVING},
    Phase.LEAVING: {Phase.IDLE},
}

#: What (a soft order, one of the user, a hard one) cause. A hook that still receives the end of the job is ended by a
#: hard order.
_STOPPED: dict[Phase, tuple[tuple[Stop, ...], tuple[Stop, ...], tuple[Stop, ...]]] = {
    Phase.IDLE: ((), (), (Stop.KILL_HOOK,)),
    Phase.STAGING: ((Stop.END_STAGING,), (Stop.END_STAGING,), (Stop.END_STAGING,)),
    Phase.DEFERRED: ((Stop.ABANDON,), (Stop.ABANDON,), (Stop.ABANDON, Stop.KILL_HOOK)),
    Phase.PREPARING: ((Stop.GIVE_UP, Stop.KILL_HOOK, Stop.ABANDON),) * 3,
    Phase.FETCHING: ((Stop.KILL_CHILD, Stop.ABANDON, Stop.CLEAN),) * 3,
    Phase.RUNNING: ((Stop.SIGNAL,), (Stop.SIGNAL,), (Stop.KILL,)),
    Phase.DRAINING: ((Stop.SIGNAL, Stop.FINISH), (Stop.SIGNAL, Stop.FINISH), (Stop.KILL, Stop.FINISH)),
    Phase.LINGERING: ((Stop.SIGNAL, Stop.FINISH), (Stop.SIGNAL, Stop.FINISH), (Stop.KILL, Stop.FINISH)),
    # A checkpoint is let finish, if there is time.
    Phase.SAVING: ((Stop.SIGNAL,), (Stop.SIGNAL,), (Stop.KILL, Stop.KILL_CHILD, Stop.FINISH)),
    Phase.PAUSED: ((Stop.SIGNAL, Stop.FINISH), (Stop.SIGNAL, Stop.FINISH), (Stop.KILL, Stop.FINISH)),
    Phase.EXITING: ((), (), (Stop.KILL_HOOK,)),
    # Output is let finish, unless its user does not want it or its time is over.
    Phase.LEAVING: (
        (),
        (Stop.KILL_CHILD, Stop.ABANDON, Stop.CLEAN),
        (Stop.KILL_CHILD, Stop.ABANDON, Stop.CLEAN, Stop.KILL_HOOK),
    ),
}

#: The job's program was started, and its processes are not all gone.
WITH_PROGRAM = frozenset((Phase.RUNNING, Phase.DRAINING, Phase.LINGERING, Phase.SAVING, Phase.PAUSED))


#: Phases that an illegal move names at most: a program may pause often.
_REMEMBERED = 20


class IllegalMove(RuntimeError):
    """A phase that may not follow; the text has the phases so far."""


class Phases:
    """The phase of one starter."""

    def __init__(self) -> None:
        self.now = Phase.IDLE
        #: The phases since the starter was idle.
        self._story: deque[Phase] = deque(maxlen=_REMEMBERED)

    def move(self, to: Phase) -> None:
        """Enters a phase. IllegalMove, and nothing has changed."""
        if to not in _MAY_FOLLOW[self.now]:
            story = " -> ".join(phase.name for phase in (*self._story, self.now))
            raise IllegalMove(f"{to.name} may not follow {story}")
        if to is Phase.IDLE:
            self._story.clear()
        else:
            self._story.append(self.now)
        self.now = to

    def stop(self, order: Order) -> tuple[Stop, ...]:
        """Return the effects of an order to stop the job now, in this order."""
        return _STOPPED[self.now][(Order.SOFT, Order.USER, Order.HARD).index(order)]

    @property
    def with_program(self) -> bool:
        """Whether there are, or may be, processes of the job."""
        return self.now in WITH_PROGRAM
