"""The drawings of condor_watch_q: a table with a bar in each row, a bar of everything, a summary."""

from __future__ import annotations

import os
from collections import Counter
from typing import NamedTuple

from condor_py.cli.watch_q.states import State

_RED, _GREEN, _YELLOW, _CYAN, _WHITE = "\033[31m", "\033[32m", "\033[33m", "\033[36m", "\033[97m"
_BRIGHT_YELLOW, _RESET = "\033[93m", "\033[0m"
#: The parts of a bar in order.
_BAR = (
    (State.IDLE, "-", _BRIGHT_YELLOW),
    (State.INPUT, ">", _CYAN),
    (State.RUNNING, "=", _CYAN),
    (State.OUTPUT, ">", _CYAN),
    (State.DONE, "#", _GREEN),
    (State.HELD, "!", _RED),
    (State.SUSPENDED, "!", _RED),
    (State.REMOVED, "!", _RED),
)
_ALWAYS = (State.IDLE, State.RUNNING, State.DONE)
_SUMMARY = (
    ("completed", (State.DONE,)),
    ("removed", (State.REMOVED,)),
    ("idle", (State.IDLE,)),
    ("running", (State.INPUT, State.RUNNING, State.OUTPUT)),
    ("held", (State.HELD,)),
    ("suspended", (State.SUSPENDED,)),
)
_WIDEST_BAR = 79
_NARROWEST_BAR = 10
_BAR_LABEL = "Total Progress: "


class Row(NamedTuple):
    """One group of clusters: its name, its jobs by state, how many they are, and which are active."""

    name: str
    counts: Counter[State]
    total: int
    jobs: str


def table(heading: str, rows: list[Row], columns: int, bars: bool, colors: bool) -> list[str]:
    """Heading and rows; columns of states in which no job is are left out."""
    states = [state for state in State if state in _ALWAYS or any(row.counts[state] for row in rows)]
    titles = [heading, *(state.value for state in states), "TOTAL", *(("JOB_IDS",) if rows else ())]
    cells = [
        [f"{row.name} ", *(f"{row.counts[state] or '-'} " for state in states), f"{row.total or '-'} ", f"{row.jobs} "]
        for row in rows
    ]
    widths = [max([len(title), *(len(line[at]) for line in cells)]) for at, title in enumerate(titles)]
    header = _line(titles, widths).rstrip()
    lines = [_line(line, widths) for line in cells]
    left = columns - len(lines[0]) if lines else columns
    has_bars = bars and left > _NARROWEST_BAR
    shown = []
    for row, line in zip(rows, lines, strict=True):
        text = line if has_bars else line[:columns]
        text = f"{_row_color(row)}{text}{_RESET}" if colors else text
        shown.append(text + progress_bar(row.counts, row.total, left, colors) if has_bars else text)
    return [header, *shown]


def _line(cells: list[str], widths: list[int]) -> str:
    last = len(cells) - 1
    return "  ".join(
        cell.ljust(width) if at == 0 or (at == last and at > len(_ALWAYS) + 1) else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=False))
    )


def _row_color(row: Row) -> str:
    if row.counts[State.HELD]:
        return _RED
    if row.counts[State.DONE] == row.total:
        return _GREEN
    if row.counts[State.RUNNING]:
        return _CYAN
    return _YELLOW if row.counts[State.IDLE] else _WHITE


def progress_bar(counts: Counter[State], total: int, columns: int, colors: bool) -> str:
    """A bar whose parts are as long as the states are frequent; what rounding leaves goes to the longest part."""
    width = min(columns, _WIDEST_BAR) - 2
    lengths = [int(width * (counts[state] / total)) if total else 0 for state, _, _ in _BAR]
    lengths[lengths.index(max(lengths))] += width - sum(lengths)
    parts = [
        f"{color}{mark * length}{_RESET}" if colors else mark * length
        for (_, mark, color), length in zip(_BAR, lengths, strict=True)
        if length > 0
    ]
    return f"[{''.join(parts)}]"


def total_bar(counts: Counter[State], total: int, columns: int, colors: bool) -> str:
    """The bar of all jobs, with its label."""
    return _BAR_LABEL + progress_bar(counts, total, columns - len(_BAR_LABEL), colors)


def summary(counts: Counter[State], total: int, columns: int, percentages: bool) -> str:
    """``Total: 4 jobs; 1 idle, 3 running``; its words are cut as far as the line needs it."""
    sums = [(word, sum(counts[state] for state in states)) for word, states in _SUMMARY]
    if percentages:
        shares = (f"{round(100.0 * (number / total if total else 0))}% {word}" for word, number in sums)
        return f"Total: {total} jobs; {', '.join(shares)}"
    for letters in range(10, 1, -1):
        words = (f"{number} {word[:letters]}" for word, number in sums if number)
        text = f"Total: {total} jobs; {', '.join(words)}"
        if len(text) <= columns:
            break
    return text


def nice_path(path: str) -> str:
    """The shortest of the absolute path and those relative to the home and the present directory."""
    found = [os.path.abspath(path), os.path.join("~", os.path.relpath(path, os.path.expanduser("~")))]
    here = os.path.relpath(path, os.getcwd())
    if not here.startswith("../"):
        found.append(os.path.join(".", here))
    return min(found, key=len)


def abbreviate(path: str) -> str:
    """Every directory cut behind what all its neighbours have in common and one letter more."""
    parts = path.split("/")
    base = "" if parts[0] in ("~", ".") else "/"
    short = []
    for part in parts[:-1]:
        if part in ("", "~", "."):
            short.append(part)
            base = os.path.expanduser(part) if part else base
            continue
        try:
            neighbours = os.listdir(base or ".")
        except OSError:
            neighbours = []
        common = os.path.commonprefix(neighbours) if len(neighbours) > 1 else ""  # noqa: RUF071 - letters are meant
        short.append(part[: len(common) + 1])
        base = os.path.join(base, part)
    return "/".join([*short, parts[-1]])
