"""Limits on the answers of condor_mcp: rows and bytes, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

Row = TypeVar("Row", bound=BaseModel)
#: Characters of one value.
_LONGEST = 400


class Limits(NamedTuple):
    """The most that one answer has: ``rows`` of its tables, ``size`` of these rows or of a text in bytes."""

    rows: int
    size: int


def text(value: object, longest: int = _LONGEST) -> str:
    """Return a value as text that JSON can hold, cut to ``longest`` characters; "" for None."""
    if value is None:
        return ""
    whole = str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return whole if len(whole) <= longest else f"{whole[:longest]}... ({len(whole) - longest} more characters)"


def cut(rows: Iterable[Row], limits: Limits, wanted: int | None = None) -> list[Row]:
    """Return the first rows, as many as the limits and ``wanted`` allow; always the first one."""
    most = limits.rows if wanted is None else max(1, min(wanted, limits.rows))
    found: list[Row] = []
    room = limits.size
    for row in rows:
        room -= len(row.model_dump_json())
        if len(found) == most or (room < 0 and found):
            break
        found.append(row)
    return found


def left_out(shown: int, there: int, advice: str) -> str:
    """Return a text on the rows that are missing, with what shows them; "" where none are."""
    return f"{there - shown} of {there} left out: {advice}" if there > shown else ""
