"""The report of a run as a field of messages; a module of its own, as tools need no reports."""

from __future__ import annotations

from typing import Any

from condor_py.model.messages.codec import parts_of
from condor_py.model.messages.kinds import KINDS, Kind, WrongValue, kind_of, shown
from condor_py.model.report import ExitReport, Usage

__all__ = ["ExitReport"]


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
