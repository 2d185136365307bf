"""The interface of all batch systems: their command lines, and reading their output. Nothing here runs a command."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from condor_py.lang.classad import ClassAd, whole
from condor_py.model.errors import CondorError
from condor_py.model.gridjobs import Seen

#: What a user has cancelled there; HTCondor's words.
MANUALLY = "Job removed from batch queue manually"


#: Characters of arguments for the command that submits: splitting takes a time that grows with their square.
_MOST_EXTRA = 1 << 16


class NotUnderstood(CondorError):
    """A command of a batch system has printed something else than expected."""


@dataclass(frozen=True, slots=True)
class Order:
    """A job for a batch system. ``script`` is run in ``directory``; ``runtime`` in seconds, ``memory`` in MB; 0 and ""
    where the job asks for nothing."""

    name: str
    script: str
    directory: str
    queue: str = ""
    project: str = ""
    runtime: int = 0
    cpus: int = 1
    memory: int = 0
    gpus: int = 0
    extra: tuple[str, ...] = ()


class Found(NamedTuple):
    """A job that a batch system reports, by the name that we gave it."""

    name: str
    seen: Seen


class BatchSystem(Protocol):
    """One kind of batch system."""

    #: As in ``grid_resource = batch NAME``.
    name: str
    #: The variable with the number of a job.
    variable: str

    @property
    def older(self) -> BatchSystem | None:
        """The commands of an older version, or of a relative, that go by the same name; None: there are no others."""

    def job_name(self, name: str) -> str:
        """Return the batch system's name of a job that we call ``name``."""

    def submit(self, order: Order) -> list[str]:
        """The command that submits; what it prints is for ``submitted``."""

    def submitted(self, printed: str, order: Order) -> str:
        """The number of the new job. NotUnderstood."""

    def looks(self, user: str, numbers: Iterable[str]) -> list[list[str]]:
        """The commands that tell of all jobs of a user; one, but for systems with several clusters."""

    def looked(self, printed: str, command: list[str], user: str) -> list[Found]:
        """The jobs of a user in the output of such a command. NotUnderstood."""

    def cancel(self, number: str) -> list[str]:
        """The command that ends a job."""

    def knows_nothing(self, printed: str) -> bool:
        """Whether an error says that there is no such job (any more), or no job at all."""

    def is_away(self, printed: str) -> bool:
        """Whether an error says that the system does not answer, which has nothing to do with the job."""

    def is_older(self, printed: str) -> bool:
        """Whether an error says that ``older`` is what runs here; the command has then done nothing."""


class OfOneVersion:
    """The part of a batch system that has no older versions to distinguish."""

    @property
    def older(self) -> BatchSystem | None:
        """None."""
        return None

    def is_older(self, printed: str) -> bool:
        """Never."""
        return False


def order_of(name: str, script: str, directory: str, ad: ClassAd) -> Order:
    """Return a job's order for a batch system. ``remote_...`` attributes of the job count before its own. CondorError
    for arguments that are no shell words, or far too many."""

    def text(attribute: str) -> str:
        return (ad.eval_str(f"Remote_{attribute}", "") or ad.eval_str(attribute, "") or "").strip()

    def number(attribute: str, default: int = 0) -> int:
        for which in (f"Remote_{attribute}", attribute):
            if ad.has(which):
                return max(0, whole(ad.eval_real(which, float(default)) or 0.0))
        return default

    said = text("BatchExtraSubmitArgs")
    if len(said) > _MOST_EXTRA:
        raise CondorError(f"BatchExtraSubmitArgs has more than {_MOST_EXTRA} characters")
    try:
        extra = tuple(shlex.split(said))
    except ValueError as error:
        raise CondorError(f"BatchExtraSubmitArgs cannot be read: {error}") from None
    return Order(
        name,
        script,
        directory,
        queue=text("BatchQueue"),
        project=text("BatchProject"),
        runtime=number("BatchRuntime"),
        cpus=number("RequestCpus", 1) or 1,
        memory=number("RequestMemory"),
        gpus=number("RequestGPUs"),
        extra=extra,
    )


def any_of(printed: str, words: Iterable[str]) -> bool:
    """Whether one of some texts, in small letters, is in what a command printed."""
    lowered = printed.lower()
    return any(word in lowered for word in words)


def minutes(seconds: int) -> int:
    """Whole minutes, none too few."""
    return -(-seconds // 60)
