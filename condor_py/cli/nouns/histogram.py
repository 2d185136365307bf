"""States of jobs over time as a stacked histogram, from an event log: ``htcondor dag histogram`` and
``htcondor eventlog histogram``."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from condor_py.client.screen import draw
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType as Type
from condor_py.model.texts import printable
from condor_py.store.event_log import EventReader, LogEvent

#: The states from the bottom of a column to its top, with the number of their colour and their letter without colours.
_STATES = (("Done", 2, "#"), ("Running", 6, "="), ("Xfer In", 4, ">"), ("Xfer Out", 5, "<"), ("Idle", 3, "-"),
           ("Held", 1, "!"))  # fmt: skip
_DONE, _RUNNING, _INPUT, _OUTPUT, _IDLE, _HELD = range(len(_STATES))
_AFTER: dict[int, int] = {
    Type.SUBMIT: _IDLE, Type.EXECUTE: _RUNNING, Type.JOB_EVICTED: _IDLE, Type.JOB_TERMINATED: _DONE,
    Type.JOB_ABORTED: _DONE, Type.JOB_HELD: _HELD, Type.JOB_RELEASED: _IDLE,
}  # fmt: skip
#: Columns in front of the chart, lines that are not the chart, and the least that a chart needs of both.
_LEFT, _OTHER_LINES, _LEAST_WIDTH, _LEAST_HEIGHT = 8, 7, 10, 3
_LABELS = 5
_DAY = 86400


class Step(NamedTuple):
    """A job's new state at a time (Unix seconds)."""

    when: float
    job: tuple[int, int, int]
    state: int


def show(path: str, instant: bool) -> None:
    """Print the histogram of an event log. Raises CondorError and OSError."""
    if not os.path.exists(path):
        raise CondorError(f"Could not find file: {path}")
    size = shutil.get_terminal_size()
    colors = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    steps = steps_of(EventReader(path).sound_events())
    name = os.path.basename(path)
    for line in lines(printable(name), steps, size.columns, size.lines, instant=instant, colors=colors):
        draw(sys.stdout, f"{line}\n")


def steps_of(events: Iterable[LogEvent]) -> list[Step]:
    """Return the changes of job state that the events report, in the order of time."""
    found = []
    for event in events:
        state = _transfer(event.text) if event.number == Type.FILE_TRANSFER else _AFTER.get(event.number)
        if state is not None:
            found.append(Step(event.time, (event.cluster, event.proc, event.subproc), state))
    return sorted(found, key=lambda step: step.when)


def _transfer(text: str) -> int | None:
    lowered = text.lower()
    if "finished" in lowered:
        return _RUNNING
    return _INPUT if "input" in lowered else _OUTPUT if "output" in lowered else None


def lines(name: str, steps: Sequence[Step], columns: int, rows: int, *, instant: bool, colors: bool) -> list[str]:
    """The chart for a terminal of this size: how many jobs are in which state, or, ``instant``, get into it."""
    if not steps:
        return ["No state-change events found in log file."]
    if steps[-1].when <= steps[0].when:
        return ["All events have the same timestamp; cannot build histogram."]
    width, height = columns - _LEFT, rows - _OTHER_LINES
    if width < _LEAST_WIDTH or height < _LEAST_HEIGHT:
        return ["Terminal too small for histogram."]
    bins = _bins(steps, width, instant)
    most = max(sum(counts.values()) for counts in bins)
    labels = _labels(most, height)
    chart = []
    for row in range(height, 0, -1):
        cells = (_cell(counts, row, height, most, colors) for counts in bins)
        chart.append(f"{labels.get(row, ''):>6} │{''.join(cells).rstrip()}")
    legend = "   ".join(f"{_paint('██', color) if colors else mark} {title}" for title, color, mark in _STATES)
    title = f"DAG Event Log Histogram ({'Instant' if instant else 'Cumulative'}): {name}"
    axis = f"     0 └{'─' * width}"
    return [title, "", *chart, axis, " " * _LEFT + _times(steps, width), "", f"  {legend}"]


def _bins(steps: Sequence[Step], width: int, instant: bool) -> list[Counter[int]]:
    """The jobs by state in each of ``width`` equal times."""
    begin, each = steps[0].when, (steps[-1].when - steps[0].when) / width
    found, at = [], 0
    now: dict[tuple[int, int, int], int] = {}
    standing: Counter[int] = Counter()
    for column in range(width):
        end = begin + (column + 1) * each if column + 1 < width else steps[-1].when
        moved: Counter[int] = Counter()
        while at < len(steps) and steps[at].when <= end:
            step = steps[at]
            moved[step.state] += 1
            if step.job in now:
                standing[now[step.job]] -= 1
            standing[step.state] += 1
            now[step.job] = step.state
            at += 1
        found.append(moved if instant else standing.copy())
    return found


def _cell(counts: Counter[int], row: int, height: int, most: int, colors: bool) -> str:
    """One character: with colours its two halves are states of their own."""
    low = _state_at(counts, (row - 0.75) * most / height)
    if not colors:
        return " " if low is None else _STATES[low][2]
    high = _state_at(counts, (row - 0.25) * most / height)
    if low is None:
        return " "
    if low == high:
        return _paint("█", _STATES[low][1])
    return _paint("▄", _STATES[low][1], None if high is None else _STATES[high][1])


def _paint(text: str, color: int, behind: int | None = None) -> str:
    back = "" if behind is None else f"\033[48;5;{behind}m"
    return f"\033[38;5;{color}m{back}{text}\033[0m"


def _state_at(counts: Counter[int], value: float) -> int | None:
    reached = 0
    for state in range(len(_STATES)):
        reached += counts[state]
        if reached > value:
            return state
    return None


def _labels(most: int, height: int) -> dict[int, int]:
    """Round numbers for some rows, and the greatest for the top one."""
    steps = (digit * 10**power for power in range(len(str(most)) + 1) for digit in (1, 2, 5))
    step = next(one for one in steps if most <= one * _LABELS)
    found = {}
    for value in range(step, most + 1, step):
        row = round(value * height / most)
        if row >= 1:
            found[row] = value
    return found | {height: most}


def _times(steps: Sequence[Step], width: int) -> str:
    """The times of begin, middle and end below the chart."""
    begin, end = steps[0].when, steps[-1].when
    form = "%H:%M:%S" if end - begin < _DAY else "%m/%d %H:%M"
    first, middle, last = (time.strftime(form, time.localtime(when)) for when in (begin, (begin + end) / 2, end))
    text = f"{first}{last:>{max(len(last) + 1, width - len(first))}}"
    at = width // 2 - len(middle) // 2
    if at > len(first) + 1 and at + len(middle) < width - len(last) - 1:
        text = text[:at] + middle + text[at + len(middle) :]
    return text
