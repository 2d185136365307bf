"""The phases of a starter: what it does for the job of its claim, which phase may follow which, what entering one
causes, and what an order to stop means in each. Pure: no clock, no file, no process; the daemon carries the actions
out.

    IDLE -> DEFERRED -> PREPARING <-> FETCHING        a program is started:
                        PREPARING -> RUNNING -> DRAINING -> EXITING -> LEAVING -> IDLE
    its sessions last longer:           DRAINING -> LINGERING -> EXITING
    it wanted a checkpoint:             DRAINING -> SAVING -> PAUSED -> RUNNING again, or EXITING
    a data slot:                        IDLE -> STAGING -> IDLE

A job that fails or is stopped before its program runs goes to IDLE from where it is.
"""

from __future__ import annotations

from enum import Enum, auto


class Phase(Enum):
    """What the starter does."""

    #: It has no job.
    IDLE = auto()
    #: It keeps files that jobs share (a data slot).
    STAGING = auto()
    #: The job waits for its time, if it has one (deferral_time).
    DEFERRED = auto()
    #: A hook prepares the job, if there is one; then its next step is taken.
    PREPARING = auto()
    #: The input comes; a child does it where that may take long.
    FETCHING = auto()
    #: The program runs.
    RUNNING = auto()
    #: The program has ended; what it has told us before is served first.
    DRAINING = auto()
    #: The program has ended; sessions keep the slot.
    LINGERING = auto()
    #: The program wanted a checkpoint, which is being kept; a child does it where that may take long.
    SAVING = auto()
    #: The checkpoint is kept: may the program go on?
    PAUSED = auto()
    #: All processes have ended; a hook is told, if there is one.
    EXITING = auto()
    #: The output goes back and the scratch directory is cleared; a child does it where that may take long.
    LEAVING = auto()


class Order(Enum):
    """An order to stop the job."""

    #: With its kill signal, for the sake of the machine or the pool.
    SOFT = auto()
    #: With its kill signal, for its user, who does not want it (here) any more.
    USER = auto()
    #: At once.
    HARD = auto()


class Do(Enum):
    """What the daemon has to do."""

    #: The program is to be waited for.
    AWAIT_PROGRAM = auto()
    #: The startd is asked whether a paused program may go on.
    ASK_TO_GO_ON = auto()
    #: No more looks at the program's use, sessions and requests of the program.
    END_SERVICES = auto()
    #: The job is nobody's business any more: the timer is off, the run forgotten.
    FORGET = auto()
    #: The data slot is to end.
    END_STAGING = auto()
    #: The program gets its kill signal.
    SIGNAL = auto()
    #: All processes of the job are killed.
    KILL = auto()
    KILL_HOOK = auto()
    KILL_CHILD = auto()
    #: The run is over: move to EXITING.
    FINISH = auto()
    #: The run is told as stopped before its end: move to IDLE.
    ABANDON = auto()
    #: The preparation has no result.
    GIVE_UP = auto()
    #: What a killed child has left is removed, after the startd was told.
    CLEAN = auto()


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

_ON_ENTRY: dict[Phase, tuple[Do, ...]] = {
    Phase.IDLE: (Do.FORGET,),
    Phase.RUNNING: (Do.AWAIT_PROGRAM,),
    Phase.PAUSED: (Do.ASK_TO_GO_ON,),
    Phase.EXITING: (Do.END_SERVICES,),
}

#: What (a soft order, one of the user, a hard one) cause. A hook that is still told of the job ends with a hard order.
_STOPPED: dict[Phase, tuple[tuple[Do, ...], tuple[Do, ...], tuple[Do, ...]]] = {
    Phase.IDLE: ((), (), (Do.KILL_HOOK,)),
    Phase.STAGING: ((Do.END_STAGING,), (Do.END_STAGING,), (Do.END_STAGING,)),
    Phase.DEFERRED: ((Do.ABANDON,), (Do.ABANDON,), (Do.ABANDON, Do.KILL_HOOK)),
    Phase.PREPARING: ((Do.GIVE_UP, Do.KILL_HOOK, Do.ABANDON),) * 3,
    Phase.FETCHING: ((Do.KILL_CHILD, Do.ABANDON, Do.CLEAN),) * 3,
    Phase.RUNNING: ((Do.SIGNAL,), (Do.SIGNAL,), (Do.KILL,)),
    Phase.DRAINING: ((Do.SIGNAL, Do.FINISH), (Do.SIGNAL, Do.FINISH), (Do.KILL, Do.FINISH)),
    Phase.LINGERING: ((Do.SIGNAL, Do.FINISH), (Do.SIGNAL, Do.FINISH), (Do.KILL, Do.FINISH)),
    # A checkpoint is let finish, if there is time.
    Phase.SAVING: ((Do.SIGNAL,), (Do.SIGNAL,), (Do.KILL, Do.KILL_CHILD, Do.FINISH)),
    Phase.PAUSED: ((Do.SIGNAL, Do.FINISH), (Do.SIGNAL, Do.FINISH), (Do.KILL, Do.FINISH)),
    Phase.EXITING: ((), (), (Do.KILL_HOOK,)),
    # Output is let finish, unless its user does not want it or its time is over.
    Phase.LEAVING: (
        (),
        (Do.KILL_CHILD, Do.ABANDON, Do.CLEAN),
        (Do.KILL_CHILD, Do.ABANDON, Do.CLEAN, Do.KILL_HOOK),
    ),
}

#: The job's program was started, and its processes are not all gone.
WITH_PROGRAM = frozenset((Phase.RUNNING, Phase.DRAINING, Phase.LINGERING, Phase.SAVING, Phase.PAUSED))


#: So many phases an illegal move tells: a program may pause often.
_REMEMBERED = 20


class IllegalMove(RuntimeError):
    """A phase that may not follow; the text tells the phases so far."""


class Phases:
    """The phase of one starter."""

    def __init__(self) -> None:
        self.now = Phase.IDLE
        #: The phases since the starter was idle.
        self._story: list[Phase] = []

    def move(self, to: Phase) -> tuple[Do, ...]:
        """Enters a phase; what that causes. IllegalMove, and nothing has changed."""
        if to not in _MAY_FOLLOW[self.now]:
            story = " -> ".join(phase.name for phase in (*self._story, self.now))
            raise IllegalMove(f"{to.name} may not follow {story}")
        self._story = [] if to is Phase.IDLE else [*self._story, self.now][-_REMEMBERED:]
        self.now = to
        return _ON_ENTRY.get(to, ())

    def stop(self, order: Order) -> tuple[Do, ...]:
        """What an order to stop the job causes now, in this order."""
        return _STOPPED[self.now][(Order.SOFT, Order.USER, Order.HARD).index(order)]

    @property
    def with_program(self) -> bool:
        """Whether there are, or may be, processes of the job."""
        return self.now in WITH_PROGRAM
