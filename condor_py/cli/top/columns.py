"""The columns of condor_top's three tables: what is in them, and what they sort by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from condor_py.cli.output.terminal import screen_cut, screen_width
from condor_py.cli.top.rows import LETTERS, STATES, JobRow, SlotRow, UserRow
from condor_py.model.texts import printable

_RANK = {int(state): place for place, state in enumerate(STATES)}


class Column(NamedTuple):
    """A column; ``width`` 0 takes what the others leave. ``key`` gives what rows are sorted by."""

    title: str
    width: int
    cell: Callable[[Any], str]
    key: Callable[[Any], Any]
    left: bool = False
    #: Whether large values come first.
    falls: bool = False


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.1f}"


def _percent(part: float | None) -> str:
    return "-" if part is None else f"{100 * part:.0f}%"


def _length(seconds: int) -> str:
    seconds = max(0, seconds)
    return f"{seconds // 86400}+{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _state(row: SlotRow) -> str:
    return f"{row.state}/{row.activity}"


def _place(name: str) -> list[tuple[int, int, str]]:
    """Slot names in the order of their numbers: slot1_2 before slot1_10."""
    return [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in name.replace("@", "_").split("_")]


USERS = (
    Column("USER", 0, lambda row: row.name, lambda row: row.name, left=True),
    Column("PRIO", 10, lambda row: "-" if row.priority is None else f"{row.priority:.2f}",
           lambda row: row.priority or 0.0),
    Column("SLOTS", 6, lambda row: _number(row.slots), lambda row: row.slots, falls=True),
    Column("SHARE", 6, lambda row: _percent(row.share), lambda row: row.share or 0.0, falls=True),
    Column("ENTITLED", 8, lambda row: _percent(row.entitled), lambda row: row.entitled or 0.0, falls=True),
    Column("RUN", 6, lambda row: str(row.running), lambda row: row.running, falls=True),
    Column("IDLE", 7, lambda row: str(row.idle), lambda row: row.idle, falls=True),
    Column("HELD", 6, lambda row: str(row.held), lambda row: row.held, falls=True),
)  # fmt: skip
SLOTS = (
    Column("SLOT", 10, lambda row: row.name, lambda row: _place(row.name), left=True),
    Column("STATE", 14, _state, _state, left=True),
    Column("CPUS", 4, lambda row: _number(row.cpus), lambda row: row.cpus, falls=True),
    Column("MEM", 6, lambda row: str(row.memory), lambda row: row.memory, falls=True),
    Column("GPUS", 4, lambda row: str(row.gpus), lambda row: row.gpus, falls=True),
    Column("LOAD", 5, lambda row: f"{row.load:.2f}", lambda row: row.load, falls=True),
    Column("USER", 0, lambda row: row.user, lambda row: row.user, left=True),
    Column("JOB", 9, lambda row: row.job, lambda row: row.job),
    Column("TIME", 10, lambda row: _length(row.seconds), lambda row: row.seconds, falls=True),
)
JOBS = (
    Column("ID", 10, lambda row: str(row.id), lambda row: row.id, left=True),
    Column("OWNER", 10, lambda row: row.owner, lambda row: row.owner, left=True),
    Column("ST", 2, lambda row: LETTERS.get(row.status, "?"), lambda row: _RANK.get(row.status, 99)),
    Column("TIME", 10, lambda row: _length(row.seconds), lambda row: row.seconds, falls=True),
    Column("CPUS", 4, lambda row: str(row.cpus), lambda row: row.cpus, falls=True),
    Column("MEM", 6, lambda row: str(row.memory), lambda row: row.memory, falls=True),
    Column("SLOT", 9, lambda row: row.slot, lambda row: _place(row.slot), left=True),
    Column("CMD", 0, lambda row: row.command, lambda row: row.command, left=True),
)
#: The tables from top to bottom, with their names.
PANELS = (("users", USERS), ("slots", SLOTS), ("jobs", JOBS))
Row = UserRow | SlotRow | JobRow
_NARROWEST = 4


def _widths(columns: tuple[Column, ...], width: int) -> list[int]:
    free = width - sum(column.width for column in columns) - len(columns) + 1
    return [column.width or max(_NARROWEST, free) for column in columns]


def _laid_out(columns: tuple[Column, ...], cells: list[str], width: int) -> str:
    widths = _widths(columns, width)
    shown = [_fitted(cell, size, column.left) for column, cell, size in zip(columns, cells, widths, strict=True)]
    return screen_cut(" ".join(shown), width)


def _fitted(text: str, width: int, left: bool) -> str:
    text = screen_cut(text, width)
    blanks = " " * (width - screen_width(text))
    return text + blanks if left else blanks + text


def heading(columns: tuple[Column, ...], width: int, sorted_by: int = -1, backwards: bool = False) -> str:
    """The titles; an arrow tells what the rows are sorted by."""
    titles = [column.title for column in columns]
    if sorted_by >= 0:
        title, size = titles[sorted_by], columns[sorted_by].width
        arrow = "v" if columns[sorted_by].falls != backwards else "^"
        titles[sorted_by] = (title[: size - 1] if size else title) + arrow
    return _laid_out(columns, titles, width)


def line(columns: tuple[Column, ...], row: Row, width: int) -> str:
    """A row."""
    return _laid_out(columns, [printable(column.cell(row)) for column in columns], width)
