"""The state of a remote job, and its end."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Stand(StrEnum):
    """The state of a remote job, as its system reports it."""

    WAITS = "IDLE"
    RUNS = "RUNNING"
    HELD = "HELD"
    SUSPENDED = "SUSPENDED"
    #: It has ended; how, its wrapper tells.
    OVER = "COMPLETED"
    #: A user or a program there has ended it; ``reason`` tells why.
    STOPPED = "REMOVED"


class Seen(NamedTuple):
    """One remote job as the remote system tells of it; ``reason`` is that of a hold, of an end, or why it waits where
    that is out of the ordinary, ``code`` and ``subcode`` belong to that of a hold.
    ``changes`` are attributes that its job here is to have, ``word`` is the remote system's own for its stand."""

    remote_id: str
    stand: Stand
    reason: str = ""
    changes: Mapping[str, str] | None = None
    code: int = 0
    subcode: int = 0
    word: str = ""


class Ending(NamedTuple):
    """The end of the program of a remote job: exit code or signal; CPU in seconds, memory in KB (0 unknown), begin and
    end in Unix seconds. ``failure`` says why there was no program to end, ``failure_errno`` by number (0 unknown).
    ``changes`` as in ``Seen``."""

    exit_code: int | None = None
    exit_signal: int | None = None
    user_cpu: float = 0.0
    sys_cpu: float = 0.0
    max_rss_kb: int = 0
    began: float = 0.0
    ended: float = 0.0
    failure: str = ""
    failure_errno: int = 0
    changes: Mapping[str, str] | None = None


class GridStep(StrEnum):
    """A change of the state of a grid job."""

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
    #: It cannot continue.
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
