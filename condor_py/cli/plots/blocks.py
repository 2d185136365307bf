"""Rows of blocks over time, for a terminal: a row a series, one scale for all, in Unicode or in ASCII."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence

from condor_py.cli.plots import scale
from condor_py.cli.plots.svg import Lane, Series
from condor_py.model.texts import printable

UNICODE, ASCII = "▁▂▃▄▅▆▇█", "_.:-=+*#"


def levels() -> str:
    """The eight characters for the locale of the user, by LC_ALL, LC_CTYPE and LANG."""
    kind = os.environ.get("LC_CTYPE", "")
    if sys.flags.utf8_mode and kind == "C.UTF-8":
        kind = ""  # Python has set it itself, because the locale is C
    words = os.environ.get("LC_ALL") or kind or os.environ.get("LANG", "")
    return UNICODE if "utf-8" in words.lower() or "utf8" in words.lower() else ASCII


def last(values: Sequence[float]) -> float:
    """The last of the values, 0 without any."""
    return values[-1] if values else 0.0


def mean(values: Sequence[float]) -> float:
    """Their mean, 0 without any."""
    return sum(values) / len(values) if values else 0.0


def rows(
    series: Sequence[Series], columns: int, characters: str, figure: Callable[[Sequence[float]], float] = last
) -> Iterator[str]:
    """A line a series, at most ``columns`` wide: its name, its blocks, and a ``figure`` of the known values."""
    top = max((value or 0.0 for one in series for value in one.values), default=0.0)
    width, cells = width_for(series, columns)
    for one in series:
        drawn = "".join(_cell(value, top, characters) for value in _sampled(one.values, cells))
        known = [value for value in one.values if value is not None]
        name = printable(one.name)
        name = name if len(name) <= width else name[: width - 1] + ("…" if characters == UNICODE else "~")
        yield f"{name:<{width}} {drawn} {scale.number(figure(known)):>9}".rstrip()


def width_for(series: Sequence[Series], columns: int) -> tuple[int, int]:
    """Return the width of the names and the number of blocks after them, for lines above or below the rows."""
    width = min(max((len(one.name) for one in series), default=0), max(8, columns // 3))
    return width, max(10, columns - width - 12)


def _sampled(values: Sequence[float | None], cells: int) -> Iterator[float | None]:
    """As many values as there are cells: the mean of what falls into each, or what it falls into."""
    count = len(values)
    for cell in range(cells if count else 0):
        first = count * cell // cells
        known = [value for value in values[first : max(first + 1, count * (cell + 1) // cells)] if value is not None]
        yield sum(known) / len(known) if known else None


def _cell(value: float | None, top: float, characters: str) -> str:
    if value is None or value <= 0 or top <= 0:
        return " "
    return characters[min(7, int(8 * value / top))]


def axis(begin: float, end: float, width: int, cells: int, moment: Callable[[float], str] = scale.moment) -> str:
    """The line below: when the first and the last block are."""
    first, last = moment(begin), moment(end)
    return f"{'':<{width}} {first} {last:>{max(1, cells - len(first) - 1)}}"


def lanes(
    found: Sequence[Lane], letters: str, begin: float, end: float, columns: int, figures: Sequence[str] = ()
) -> Iterator[str]:
    """A line a lane, at most ``columns`` wide: its label and its bars over time, each as the letter of its kind.

    ``figures`` are written behind the lanes.
    """
    width, cells = lanes_width(found, columns)
    length = max(1.0, end - begin)
    for number, lane in enumerate(found):
        drawn = [" "] * cells
        for bar in lane.bars:
            first = min(cells - 1, max(0, int(cells * (bar.begin - begin) / length)))
            last = min(cells - 1, max(first, int(cells * (bar.end - begin) / length - 1e-9)))
            drawn[first : last + 1] = letters[bar.kind] * (last + 1 - first)
        label = printable(lane.label)
        label = label if len(label) <= width else label[: width - 1] + "~"
        figure = figures[number] if number < len(figures) else ""
        yield f"{label:<{width}} {''.join(drawn)} {figure:>9}".rstrip()


def lanes_width(found: Sequence[Lane], columns: int) -> tuple[int, int]:
    """Return the width of the labels and the number of characters of the bars."""
    width = min(max((len(one.label) for one in found), default=0), max(8, columns // 3))
    return width, max(10, columns - width - 12)
