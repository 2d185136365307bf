"""Messages between schedd and startd. What starters tell of runs (see ``runs``), the startd passes on."""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.model.messages.codec import Message, Refused, Vocabulary
from condor_py.model.messages.common import BY_EVERYBODY
from condor_py.model.messages.kinds import JobName
from condor_py.model.messages.machine import OF_TOOLS
from condor_py.model.messages.runs import (
    CatalogWanted,
    RunDelayed,
    RunEnded,
    RunNotice,
    RunStarted,
    RunSuspended,
    RunUpdate,
    StagingStep,
)
from condor_py.model.texts import Line

#: ``groups`` of a request that no negotiator made.
NO_GROUPS = "<none>", False, ""

# -- the schedd to the startd ----------------------------------------------------------------------------------------


class Hello(Message, op="hello"):
    """A schedd, again perhaps: it wants to hear of every claim, and what it may have missed."""


class Alive(Message, op="alive"):
    """The leases of our claims hold as long as the startd hears this."""


class RequestClaim(Message, op="claim"):
    """Ask for a claim on ``slot`` for the job whose ad is the body. ``victims`` are slots to preempt for it; they give
    way because the slot ranks the job higher (``by_rank``), or because its user has the better priority. ``groups`` are
    group, autoregroup and own group (``model.plan.Match``); ``matched``: tell the slot so first."""

    id: str
    slot: str
    job: JobName
    submitter: str
    victims: Sequence[str]
    by_rank: bool
    groups: tuple[str, bool, str]
    matched: bool = False


class Activate(Message, op="activate"):
    """Start the job whose ad is the body, as that run; see ``runs.StartJob``. ``ended_job`` and ``ended_run``: as
    Acknowledge of that run on the claim."""

    claim: str
    job: JobName
    run: int
    common: Sequence[str] = ()
    catalogs: Sequence[CatalogWanted] = ()
    ended_job: str = ""
    ended_run: int = 0


class Acknowledge(Message, op="ack"):
    """The outcome of that run is durable: forget its report."""

    claim: str
    job: str
    run: int


class Deactivate(Message, op="deactivate"):
    """End the run on a claim: softly (kill signal, then the vacate time) or at once; ``code`` is a VacateCode."""

    claim: str
    graceful: bool
    code: int
    reason: Line


class SuspendClaim(Message, op="suspend"):
    """Stop the processes of a claim, until ContinueClaim."""

    claim: str


class ContinueClaim(Message, op="continue"):
    """Let them continue."""

    claim: str


class WithdrawClaim(Message, op="withdraw"):
    """The job of a request is not to run any more. A claim that was granted meanwhile is for others."""

    id: str


class ReleaseClaim(Message, op="release"):
    """Give a claim back."""

    claim: str


BY_STARTD = Vocabulary(
    *BY_EVERYBODY, *OF_TOOLS, Hello, Alive, RequestClaim, Activate, Acknowledge, Deactivate, SuspendClaim,
    ContinueClaim, WithdrawClaim, ReleaseClaim, Refused,
)  # fmt: skip

# -- the startd to the schedd ----------------------------------------------------------------------------------------


class ClaimTold(Message):
    """A claim, and its run if it has one. Of a data slot (``data``), ``staged`` are the keys of its catalogs."""

    claim: str
    slot: str
    submitter: str
    ad: dict[str, str]
    job: str = ""
    run: int = 0
    data: bool = False
    staged: Sequence[str] = ()


class Claims(Message, op="claims"):
    """All there are, the answer to Hello."""

    claims: Sequence[ClaimTold]


class Granted(ClaimTold, op="granted", kw_only=True):
    """The claim that was asked for."""

    id: str


class ClaimRefused(Message, op="refused"):
    """No claim for a request; ``fault``: the startd failed over the job, and would again."""

    id: str
    reason: Line
    fault: bool = False


class ClaimLost(Message, op="lost"):
    """The startd took a claim back, for a VacateCode; a run on it without a report is lost with it. ``idle``: no other
    run had begun there; an order to start one has crossed this on its way."""

    claim: str
    code: int
    reason: Line
    idle: bool = False


class ClaimReleased(Message, op="released"):
    """A claim that was given back is over."""

    claim: str


class NewOffer(Message, op="slots"):
    """The slots have something else to offer."""


class FilesStaged(Message, op="staged"):
    """A data slot has all of its catalogs."""

    claim: str


FROM_STARTD = Vocabulary(
    Claims, Granted, ClaimRefused, ClaimLost, ClaimReleased, NewOffer, FilesStaged, RunStarted, RunUpdate, RunDelayed,
    RunNotice, RunSuspended, StagingStep, RunEnded, Refused,
)  # fmt: skip
