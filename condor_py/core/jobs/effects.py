"""Effects that the schedd core requests once its records are on disk; ``events`` has its inputs. Messages to the startd
are effects as they are."""

from __future__ import annotations

from dataclasses import dataclass

from condor_py.lang.classad import ClassAd
from condor_py.lang.events import JobEvent
from condor_py.model.catalogs import Catalog
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import (
    Acknowledge,
    Activate,
    ContinueClaim,
    Deactivate,
    ReleaseClaim,
    RequestClaim,
    SuspendClaim,
    WithdrawClaim,
)
from condor_py.model.notices import Notice


@dataclass(slots=True)
class StageFiles:
    """Make the claim's slot a data slot that fetches ``catalogs`` of ``job``, with the job's identity."""

    claim_id: str
    job: JobId
    catalogs: tuple[Catalog, ...]


@dataclass(slots=True)
class UserEvent:
    """An event of ``procs`` of its cluster (-1: the whole cluster) for the logs that ``ad`` names; it says the same as
    the ads of all of them about their logs."""

    ad: ClassAd
    event: JobEvent
    procs: tuple[int, ...]


@dataclass(slots=True)
class Leave:
    """Jobs of one cluster, in one JobStatus, are finished: write their history records, then the event JobsRecorded
    brings their removal."""

    jobs: tuple[JobId, ...]
    ads: tuple[ClassAd, ...]
    status: int


@dataclass(slots=True)
class RunRecord:
    """A run (numbered from 0) started (``SPAWN``) or ended (``EPOCH``), with the job's attributes at that moment."""

    kind: str
    job: JobId
    run: int
    owner: str
    items: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Reconnect:
    """A run that was out of reach is found again or given up. Times in Unix seconds, ``lease`` in seconds."""

    job: JobId
    activated: int
    heard: int
    found: bool
    when: int
    lease: int
    starter_dead: bool


@dataclass(slots=True)
class Mail:
    """An e-mail to a job's owner; ``subject`` without the prefix of all such messages."""

    to: str
    subject: str
    text: str


@dataclass(slots=True)
class Notify:
    """A notice for the URL or the desktop of a job's owner."""

    notice: Notice


@dataclass(slots=True)
class CallNegotiator:
    """There is unmet demand or something was freed: a cycle is worth running."""


@dataclass(slots=True)
class Note:
    """A line for the SchedLog."""

    text: str


@dataclass(slots=True)
class ShadowNote:
    """A line about a job for SHADOW_LOG."""

    job: JobId
    text: str


@dataclass(slots=True)
class GridNews:
    """Something has happened to a grid job of a user: the user's gridmanager is sent its state."""

    owner: str
    job: JobId


@dataclass(slots=True)
class GridAcknowledge:
    """All reports of a gridmanager up to a number are durable."""

    owner: str
    number: int


@dataclass(slots=True)
class SizesWanted:
    """A job wants its requests found: read what is known of the sizes of jobs, which the event SizesFound brings."""


Effect = (
    RequestClaim
    | WithdrawClaim
    | Activate
    | StageFiles
    | Deactivate
    | SuspendClaim
    | ContinueClaim
    | ReleaseClaim
    | Acknowledge
    | UserEvent
    | Leave
    | RunRecord
    | Reconnect
    | Mail
    | Notify
    | CallNegotiator
    | Note
    | ShadowNote
    | GridNews
    | GridAcknowledge
    | SizesWanted
)
