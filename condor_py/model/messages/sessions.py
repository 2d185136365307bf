"""condor_ssh_to_job: the schedd says where a job can be entered, its starter lets the session in.

Open files travel with ``Open``: the three standard streams, or a pseudo-terminal and the terminal of the user.
"""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.model.ids import JobId
from condor_py.model.messages.codec import Message, Refused, Request, Vocabulary
from condor_py.model.messages.kinds import Pairs


class NotNow(Message, op="error"):
    """No session; ``retry`` when there may be one later."""

    error: str
    retry: bool = False


class Door(Message, op="door"):
    """The socket of the job's starter, and its slot. ``proc`` is the job that it runs, which for a node of a parallel
    job may be another one of its cluster."""

    door: str
    slot: str
    proc: str = ""


class Waiting(Message, op="waiting"):
    """The job does not run yet; the answer follows when it does, or never will."""


class Locate(Request[Door], op="locate"):
    """Ask where the job can be entered. Without ``wait`` the answer comes at once if it cannot be. ``node`` is one of a
    parallel job; less than 0 is the first of the proc."""

    job: JobId
    wait: bool = False
    node: int = -1


class Facts(Message, op="facts"):
    """For the welcome: the processes of the job (none when it is there for sessions only), TMOUT of its shells."""

    slot: str
    pids: Sequence[int]
    idle: str


class AskFacts(Request[Facts], op="ask"):
    """Before a shell is opened."""

    job: str


class UseSoFar(Message, op="use"):
    """The use of the running job over time, as ``model.usagerecord`` has it; "" as long as there is none."""

    record: str


class AskUse(Request[UseSoFar], op="ask-use"):
    """For a picture of a running job."""

    job: str


class Opened(Message, op="opened"):
    """The session has begun, as that user."""

    uid: int


class Open(Request[Opened], op="open"):
    """A session: ``command`` for the first of ``shells`` that is there ("" for a login shell)."""

    job: str
    command: str
    shells: Sequence[str]
    terminal: bool
    variables: Pairs


class SessionEnded(Message, op="ended"):
    """By itself, with that exit code, 128 and more for signals."""

    code: int


class SessionLost(Message, op="lost"):
    """It was taken away with the job."""


#: The messages that a starter receives on its session socket, and those that the tool receives from schedd and starter.
AT_DOOR = Vocabulary(AskFacts, AskUse, Open)
BY_VISITOR = Vocabulary(Door, Waiting, NotNow, Facts, UseSoFar, Opened, SessionEnded, SessionLost, Refused)
