"""The steps in the life of a grid job that a gridmanager reports."""

from __future__ import annotations

from enum import StrEnum


class GridStep(StrEnum):
    """What has become of a grid job."""

    #: Nothing but its attributes has changed.
    UPDATE = "update"
    #: The remote side has taken it (event 027).
    SUBMITTED = "submitted"
    #: Its program runs.
    RUNNING = "running"
    #: It waits again, at the remote side or here.
    IDLE = "idle"
    #: Its program has ended; the attributes say how.
    ENDED = "ended"
    #: It cannot go on.
    HOLD = "hold"
    #: The remote side has it on hold, and keeps what it has of it; with a reason it is to be held here, too.
    HELD_THERE = "held-there"
    #: It is to go, for the reason.
    REMOVE = "remove"
    #: The remote side has nothing of it any more.
    LET_GO = "let-go"
    #: Its resource does not answer, or does again (events 026 and 025).
    DOWN = "down"
    UP = "up"
