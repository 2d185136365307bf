"""The report of a starter about a run of a job, and its form on a socket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from condor_py.model.copies import changed
from condor_py.model.texts import Line


@dataclass(frozen=True, slots=True)
class Usage:
    """Resources a run used: seconds of CPU, peaks of resident set and image and the disk in KB, bytes and files moved
    by file transfer, and how many files and directories the scratch directory had in the end (-1: not counted).

    ``record`` is the use over time (``model.usagerecord``), "" for a run of which none was made.
    """

    user_cpu: float = 0.0
    sys_cpu: float = 0.0
    max_rss_kb: int = 0
    disk_kb: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    files_sent: int = 0
    files_received: int = 0
    scratch_files: int = -1
    image_kb: int = 0
    #: Bytes over the network of its container; -1 where it had none.
    net_received: int = -1
    net_sent: int = -1
    record: Line = ""
    #: Whether the scratch directory was encrypted.
    encrypted: bool = False
    #: The parts of the moved files that had URLs (see ``protocols_text``).
    sent_by_url: Line = ""
    received_by_url: Line = ""
    #: Seconds that the image of its container took to come; -1 where none came.
    image_seconds: int = -1


def protocols_text(moved: Mapping[str, tuple[int, int]]) -> str:
    """Return (files, bytes) by protocol as a text, such as ``FILE 2 1000, HTTPS 1 70``."""
    return ", ".join(f"{name} {files} {size}" for name, (files, size) in moved.items())


def protocols_of(text: str) -> dict[str, tuple[int, int]]:
    """Return (files, bytes) by protocol of a text that ``protocols_text`` made; what has another form is left out."""
    parts = (part.split() for part in text.split(","))
    return {
        part[0]: (int(part[1]), int(part[2]))
        for part in parts
        if len(part) == 3 and part[0].isidentifier() and part[0].isascii() and all(map(_is_count, part[1:]))
    }


def sum_of_protocols(one: str, other: str) -> str:
    """Add two such texts."""
    total = protocols_of(one)
    for name, (files, size) in protocols_of(other).items():
        before = total.get(name, (0, 0))
        total[name] = (before[0] + files, before[1] + size)
    return protocols_text(total)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def traffic_attributes(received: int, sent: int) -> dict[str, str]:
    """Return the attributes of a job ad for bytes over the network, in units of a million; none where they are
    unknown."""
    if received < 0:
        return {}
    return {"NetworkInputMb": repr(received / 1e6), "NetworkOutputMb": repr(sent / 1e6)}


@dataclass(slots=True)
class ExitReport:
    """The end of one run of one job.

    ``exit_code`` is set for a normal exit, ``exit_signal`` for death by signal, neither when the job never ran.
    ``hold_code`` asks for a hold that is the job's fault (``hold_subcode`` is usually an errno, ``hold_reason`` the
    text).
    ``vacated`` is true when the run was ended from outside (soft or hard kill) and did not finish by itself.
    ``skipped``: the job need not run (skip_if_dataflow), and counts as ended with ``exit_code``.
    ``error`` is set when the run failed for a reason that is not the job's fault (the job goes back to idle);
    ``vacate_code`` and ``vacate_subcode`` tell what kind of reason that is, 0 that the starter failed.
    Times are Unix seconds with fraction; 0 when the phase was not reached. ``input_transfer`` and ``output_transfer``
    have begin and end of the transfers, and are empty where nothing was to be transferred.
    """

    claim_id: str
    job: str
    run: int
    exit_code: int | None = None
    exit_signal: int | None = None
    core_dumped: bool = False
    hold_code: int = 0
    hold_subcode: int = 0
    hold_reason: Line = ""
    vacated: bool = False
    error: Line = ""
    vacate_code: int = 0
    vacate_subcode: int = 0
    skipped: bool = False
    pid: int = 0
    start_time: float = 0.0
    exec_time: float = 0.0
    end_time: float = 0.0
    input_transfer: tuple[float, ...] = ()
    output_transfer: tuple[float, ...] = ()
    usage: Usage = Usage()

    def but(self, **changes: Any) -> ExitReport:
        """A copy with other values of some fields."""
        return changed(self, **changes)

    def moved(self, seconds: float) -> ExitReport:
        """A copy in which all that has happened did so ``seconds`` later (earlier, where they are less than 0)."""
        when = {name: at + seconds for name in _WHEN if (at := getattr(self, name))}
        spans = {name: tuple(at + seconds for at in getattr(self, name)) for name in _SPANS}
        return self.but(**when, **spans)

    @property
    def outcome(self) -> int | None:
        """Exit code, or the negative number of a signal."""
        return self.exit_code if self.exit_signal is None else -self.exit_signal

    def to_wire(self) -> dict[str, Any]:
        """As JSON has it; ``model.messages`` reads it."""
        data = {name: value for (name, default), value in zip(_REPORT, _VALUES(self), strict=True) if value != default}
        used = zip(_USAGE, _USED(self.usage), strict=True)
        data["usage"] = {name: value for (name, default), value in used if value != default}
        return data


#: Fields and their defaults, which are not sent.
_REPORT = tuple((part.name, part.default) for part in fields(ExitReport) if part.name != "usage")
_USAGE = tuple((part.name, part.default) for part in fields(Usage))
_VALUES, _USED = (attrgetter(*(name for name, _ in parts)) for parts in (_REPORT, _USAGE))
_WHEN = ("start_time", "exec_time", "end_time")
_SPANS = ("input_transfer", "output_transfer")
