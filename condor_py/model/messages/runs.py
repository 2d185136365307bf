"""Messages between a starter and the daemon that forked it: the startd, or the schedd for its own universes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condor_py.model.messages.codec import Message, Refused, Vocabulary, parts_of
from condor_py.model.messages.kinds import KINDS, Attributes, JobName, Kind, WrongValue, kind_of, shown
from condor_py.model.report import ExitReport, Usage
from condor_py.model.texts import Line

# -- the report of a run, a field of messages ------------------------------------------------------------------------


def _report(value: Any) -> ExitReport:
    if type(value) is not dict:
        raise WrongValue(f"must be an object, not {shown(value)}")
    try:
        return ExitReport(**parts_of(_PARTS[ExitReport], value))
    except TypeError:
        raise WrongValue("does not name claim, job and run") from None


def _usage(value: Any) -> Usage:
    if type(value) is not dict:
        raise WrongValue(f"must be an object, not {shown(value)}")
    return Usage(**parts_of(_PARTS[Usage], value))


def _no_part(name: str) -> None:
    """Reports have no messages inside."""


KINDS["Usage"] = Kind(_usage)
KINDS["ExitReport"] = Kind(_report, None, ExitReport.to_wire)
_PARTS = {
    record: {name: kind_of(text, _no_part) for name, text in record.__annotations__.items()}
    for record in (ExitReport, Usage)
}


class CatalogWanted(Message):
    """A catalog of common files, as ``model.catalogs.Catalog``."""

    name: str
    files: str
    identity: str
    key: str
    scope: str
    scope_type: str
    access_point: str


class CatalogStaged(CatalogWanted):
    """It is in the directory ``path`` and takes ``size_kb``."""

    path: str
    size_kb: int


# -- orders ----------------------------------------------------------------------------------------------------------


class StarterOrder(Message):
    """An order to the starter of a claim."""

    claim: str


class StartJob(StarterOrder, op="start"):
    """Run the job whose ad is the body; RunStarted and RunEnded follow, or the starter dies. ``common`` are directories
    with files to map into it, ``schedd`` is the socket for what it chirps. With ``catalogs`` it is no job: fetch these,
    with the identity of the job's owner."""

    job: str
    run: int
    common: Sequence[str] = ()
    schedd: str = ""
    catalogs: Sequence[CatalogWanted] = ()


class SoftKill(StarterOrder, op="soft"):
    """End the job by the signal that it wants for this VacateCode (0 for no reason)."""

    code: int = 0


class HardKill(StarterOrder, op="hard"):
    """Kill every process of the job."""


class SuspendJob(StarterOrder, op="suspend"):
    """Stop every process of the job."""


class ContinueJob(StarterOrder, op="continue"):
    """Let the processes of the job run again."""


class Restart(Message, op="restart"):
    """Whether a program that has its checkpoint may be started again."""

    ok: bool


class TransferTurn(Message, op="transfer_turn"):
    """Whether the transfer that was asked for may begin; if not, another answer follows."""

    granted: bool


class StopStarter(StarterOrder, op="quit"):
    """The claim is over, no process receives reports of a run: leave."""


# -- news ------------------------------------------------------------------------------------------------------------


class News(Message):
    """Something that the starter of a claim tells."""

    claim: str


class Ready(News, op="ready"):
    """The starter takes orders."""

    pid: int


class Unable(News, op="unable"):
    """The starter has to leave."""

    reason: Line


class AboutRun(News):
    """Something about a run of a job; the startd passes it on to the schedd."""

    job: JobName
    run: int


class RunStarted(AboutRun, op="started"):
    """The program was executed at ``when`` (Unix seconds), or that failed; ``transfer`` are begin and end of the input
    transfer, if there was any; ``door`` is the socket for sessions."""

    pid: int
    when: float
    scratch: str
    transfer: Sequence[float] = ()
    door: str = ""


class RunUpdate(AboutRun, op="update"):
    """Attributes that the schedd should know now, as name and ClassAd text."""

    attributes: Attributes


class RunDelayed(AboutRun, op="delayed"):
    """Changes of its ad that the job asked for some time ago; the starter has judged them."""

    attributes: Attributes


class RunNotice(AboutRun, op="notice"):
    """A line for the user's event log; not ``critical``: the run continues."""

    text: Line
    critical: bool


class RunSuspended(AboutRun, op="suspended"):
    """So many processes of the job are stopped; None: it continues."""

    processes: int | None


class Sample(News, op="sample"):
    """The resources that the job uses, for the startd."""

    attributes: dict[str, str]


class StagingStep(News, op="common"):
    """A catalog begins to come to a data slot, or has come (``ok``) or failed to; ``step`` is the word of the event,
    ``attributes`` are those of the transfer."""

    catalog: str
    step: str
    when: float
    ok: bool
    path: str
    attributes: dict[str, str]


class CatalogsStaged(News, op="staged"):
    """All catalogs are there."""

    catalogs: Sequence[CatalogStaged]


class Checkpointed(News, op="checkpointed"):
    """A program has its checkpoint, and waits for Restart."""


class TransferWanted(News, op="transfer_wanted"):
    """Much input (``upload``) or output of the job is to be moved, and waits for TransferTurn. ``user`` takes turns
    with others."""

    upload: bool
    user: str


class TransferOver(News, op="transfer_over"):
    """That is done."""


class RunEnded(Message, op="ended"):
    """The run is over. The startd sends the report until the schedd acknowledges it; code (a VacateCode) and reason are
    the startd's when it was the startd that ended the run."""

    report: ExitReport
    vacate_code: int = 0
    vacate_reason: Line = ""

    @property
    def claim(self) -> str:
        """The claim of the run."""
        return self.report.claim_id


BY_STARTER = Vocabulary(
    StartJob, SoftKill, HardKill, SuspendJob, ContinueJob, Restart, TransferTurn, StopStarter, Refused
)
FROM_STARTER = Vocabulary(
    Ready, Unable, RunStarted, RunUpdate, RunDelayed, RunNotice, RunSuspended, Sample, StagingStep, CatalogsStaged,
    Checkpointed, TransferWanted, TransferOver, RunEnded, Refused,
)  # fmt: skip
