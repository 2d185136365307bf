"""Charts as SVG: stacked areas and step lines over time, and horizontal bars.

A chart is an ``<svg>`` element with a title and a description for screen readers. Its colours are classes that
``STYLE`` defines, for light and dark; a page has it once, a file of its own has it inside (``document``). Whatever text
comes from outside goes through ``escaped``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from html import escape
from typing import NamedTuple

from condor_py.cli.plots import scale

#: Distinguishable by people who see colours differently; on white and on black.
_LIGHT = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#56b4e9", "#5d5d5d", "#882255")
_DARK = ("#4aa8e0", "#ff8a3d", "#2ec99b", "#dd88cc", "#e5b93c", "#a0d8ff", "#b5b5b5", "#e0779b")
COLOURS = len(_LIGHT)


def _rules(colours: Sequence[str]) -> str:
    return "".join(f".plot .k{index}{{fill:{one};stroke:{one}}}" for index, one in enumerate(colours))


STYLE = (
    ".plot{font-family:system-ui,sans-serif;font-size:12px}.plot text{fill:currentColor;stroke:none}"
    ".plot .axis{stroke:currentColor;stroke-opacity:.55;fill:none}.plot .grid{stroke:currentColor;stroke-opacity:.15}"
    ".plot .line{fill:none;stroke-width:1.8}.plot .area{stroke:none}.plot .limit{stroke:currentColor;fill:none;"
    "stroke-dasharray:5 4;stroke-width:1.5}.plot .mark{stroke:currentColor;stroke-opacity:.5;stroke-dasharray:2 3;"
    "stroke-width:1.5}" + _rules(_LIGHT) + ".plot .line{fill:none}"
    "@media (prefers-color-scheme:dark){" + _rules(_DARK) + ".plot .line{fill:none}}"
)
_WIDTH, _LEFT, _RIGHT, _TOP, _HEIGHT = 720, 56, 14, 12, 190
_ROW, _ROWS_GAP, _LABEL = 14, 8, 170
#: Pixels of the lanes of a chart together, about, and of one lane with a label.
_LANES, _LABELLED = 900, 11


class Series(NamedTuple):
    """A name and its values, one a bin; None where nothing is known."""

    name: str
    values: Sequence[float | None]


class Row(NamedTuple):
    """A label and its bars; ``note`` is written behind them."""

    label: str
    values: Sequence[float]
    note: str = ""


class Bar(NamedTuple):
    """A stretch of time (Unix seconds) of a kind, which is an index of the kinds of its chart; ``words`` tell more."""

    begin: float
    end: float
    kind: int
    words: str = ""


class Lane(NamedTuple):
    """A label and its bars over time."""

    label: str
    bars: Sequence[Bar]


class Mark(NamedTuple):
    """Something that happened at a moment (Unix seconds)."""

    when: float
    words: str


def escaped(text: str) -> str:
    """Any text as text of HTML and XML: no markup, no control characters, nothing that is no character."""
    clean = "".join(
        char if (char >= " " or char in "\t\n") and not "\ud800" <= char <= "\udfff" and char not in "\x7f\ufffe\uffff"
        else "\ufffd"
        for char in text
    )  # fmt: skip
    return escape(clean, quote=True)


def document(charts: Sequence[tuple[str, str]], heading: str) -> str:
    """A file of its own: charts (title, element) below each other."""
    parts, y = [], 40
    for title, chart in charts:
        parts.append(f'<text x="8" y="{y}" font-weight="bold" font-size="14">{escaped(title)}</text>')
        height = _height_of(chart)
        parts.append(f'<svg x="0" y="{y + 6}" width="{_WIDTH}" height="{height}">{chart}</svg>')
        y += height + 40
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{y}" viewBox="0 0 {_WIDTH} {y}" '
        f'class="plot page"><style>{STYLE}.page{{color:#111;background:#fff}}'
        "@media (prefers-color-scheme:dark){.page{color:#eee;background:#161616}}</style>"
        f'<title>{escaped(heading)}</title><text x="8" y="18" font-size="15">{escaped(heading)}</text>'
        + "".join(parts)
        + "</svg>\n"
    )


def _height_of(chart: str) -> int:
    return int(chart.partition('viewBox="0 0 ')[2].partition('"')[0].split()[1])


def stacked(title: str, begin: float, width: float, series: Sequence[Series], limit: float = 0.0) -> str:
    """Areas upon each other over time, bins of ``width`` seconds from ``begin`` on; ``limit``: a dashed line."""
    count = max((len(one.values) for one in series), default=0)
    sums = [0.0] * count
    layers: list[tuple[str, list[float], list[float]]] = []
    for one in series:
        below = list(sums)
        for index, value in enumerate(one.values):
            sums[index] += value or 0.0
        layers.append((one.name, below, list(sums)))
    frame = _Frame(begin, begin + width * max(1, count), max([*sums, limit, 0.0]))
    body = list(frame.grid())
    for index, (name, below, above) in enumerate(layers):
        upper = [frame.at(begin + width * (i + side), v) for i, v in enumerate(above) for side in (0, 1)]
        lower = [frame.at(begin + width * (i + side), v) for i, v in enumerate(below) for side in (0, 1)]
        points = " ".join([*upper, *reversed(lower)])
        body.append(
            f'<polygon class="area k{index % COLOURS}" points="{points}"><title>{escaped(name)}</title></polygon>'
        )
    body += frame.limit(limit)
    return _chart(title, frame, body, [one.name for one in series])


def lines(
    title: str, begin: float, width: float, series: Sequence[Series], limit: float = 0.0, marks: Sequence[Mark] = ()
) -> str:
    """A step line for each series; it is interrupted where nothing is known.

    ``limit``: a dashed line across; ``marks``: dashed lines at moments.
    """
    count = max((len(one.values) for one in series), default=0)
    top = max((value or 0.0 for one in series for value in one.values), default=0.0)
    frame = _Frame(begin, begin + width * max(1, count), max(top, limit))
    body = [*frame.grid(), *frame.limit(limit), *map(frame.mark, marks)]
    for index, one in enumerate(series):
        for piece in _pieces(one.values):
            points = [frame.at(begin + width * (i + side), value) for i, value in piece for side in (0, 1)]
            body.append(
                f'<polyline class="line k{index % COLOURS}" points="{" ".join(points)}">'
                f"<title>{escaped(one.name)}</title></polyline>"
            )
    return _chart(title, frame, body, [one.name for one in series])


def _pieces(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    """The stretches without gaps."""
    piece: list[tuple[int, float]] = []
    for index, value in enumerate(values):
        if value is not None:
            piece.append((index, value))
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


class _Frame:
    """The axes of a chart over time."""

    def __init__(self, begin: float, end: float, top: float) -> None:
        self.begin, self.end = begin, end
        self.marks = scale.marks(top if math.isfinite(top) else 0.0)

    def limit(self, value: float) -> Iterator[str]:
        """A dashed line across at ``value``; nothing for 0."""
        if value > 0:
            (x1, y), (x2, _) = (self.at(when, value).split(",") for when in (self.begin, self.end))
            yield f'<line class="limit" x1="{x1}" x2="{x2}" y1="{y}" y2="{y}"/>'

    def mark(self, mark: Mark) -> str:
        """A dashed line at a moment."""
        x = self.at(min(max(mark.when, self.begin), self.end), 0.0).split(",")[0]
        words = f"{scale.moment(mark.when)}: {mark.words}"
        ends = f'x1="{x}" x2="{x}" y1="{_TOP}" y2="{_TOP + _HEIGHT}"'
        return f'<line class="mark" {ends}><title>{escaped(words)}</title></line>'

    def at(self, when: float, value: float) -> str:
        """A point, as an SVG list of points has it."""
        x = _LEFT + (_WIDTH - _LEFT - _RIGHT) * (when - self.begin) / (self.end - self.begin)
        return f"{x:.1f},{_TOP + _HEIGHT * (1 - value / self.marks[-1]):.1f}"

    def grid(self) -> Iterator[str]:
        """Lines and words of the axes."""
        right, bottom = _WIDTH - _RIGHT, _TOP + _HEIGHT
        for mark in self.marks:
            y = self.at(self.begin, mark).split(",")[1]
            yield f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y}" y2="{y}"/>'
            yield f'<text x="{_LEFT - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{scale.number(mark)}</text>'
        for when, text in scale.moments(self.begin, self.end):
            x = self.at(when, 0.0).split(",")[0]
            yield f'<line class="axis" x1="{x}" x2="{x}" y1="{bottom}" y2="{bottom + 4}"/>'
            anchor = _anchor(float(x), _LEFT, right)
            yield f'<text x="{x}" y="{bottom + 17}" text-anchor="{anchor}">{text}</text>'
        yield f'<path class="axis" d="M{_LEFT},{_TOP}V{bottom}H{right}"/>'


def _chart(title: str, frame: _Frame, body: list[str], names: Sequence[str]) -> str:
    key, height = _key(names, _TOP + _HEIGHT + 34)
    words = f"From {scale.moment(frame.begin)} to {scale.moment(frame.end)}: {', '.join(names) or 'nothing'}."
    return _element(title, words, height, "".join([*body, *key]))


def _element(title: str, words: str, height: int, body: str) -> str:
    return (
        f'<svg class="plot" role="img" viewBox="0 0 {_WIDTH} {height}" aria-label="{escaped(title)}">'
        f"<desc>{escaped(words)}</desc>{body}</svg>"
    )


def _key(names: Sequence[str], top: int, shown: Collection[int] | None = None) -> tuple[list[str], int]:
    """The legend, as many rows as it takes, and where it ends; ``shown`` are the indices of its names, None for all."""
    parts, x, y = [], _LEFT, top
    for index, name in enumerate(names):
        if shown is not None and index not in shown:
            continue
        label = shortened(name, 28)
        width = 26 + 7 * len(label)
        if x > _LEFT and x + width > _WIDTH - _RIGHT:
            x, y = _LEFT, y + 18
        parts.append(f'<rect class="k{index % COLOURS}" x="{x}" y="{y - 9}" width="10" height="10"/>')
        parts.append(f'<text x="{x + 15}" y="{y}">{escaped(label)}</text>')
        x += width
    return parts, (y + 10 if names else top)


def shortened(text: str, most: int) -> str:
    """The text with its middle left out where it is longer than that."""
    return text if len(text) <= most else f"{text[: most - 12]}…{text[-11:]}"


def bars(title: str, kinds: Sequence[str], rows: Sequence[Row], shown: Callable[[float], str] = scale.number) -> str:
    """Horizontal bars, for each row one of each kind."""
    most = max((value for row in rows for value in row.values), default=0.0)
    top = scale.time_marks(most) if shown is scale.span else scale.marks(most)
    each = _ROW * len(kinds) + _ROWS_GAP
    bottom = _TOP + each * len(rows)
    room = _WIDTH - _LABEL - 90
    body = []
    for mark in top:
        x = _LABEL + room * mark / top[-1]
        body.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}"/>')
        body.append(f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{shown(mark)}</text>')
    for number, row in enumerate(rows):
        y = _TOP + each * number
        middle = y + _ROW * len(kinds) / 2 + 4
        body.append(
            f'<text x="{_LABEL - 8}" y="{middle:.1f}" text-anchor="end">{escaped(shortened(row.label, 24))}</text>'
        )
        for kind, value in enumerate(row.values):
            length = room * value / top[-1]
            at = y + _ROW * kind
            words = f"{row.label}: {kinds[kind]} {shown(value)}"
            body.append(
                f'<rect class="k{kind % COLOURS}" x="{_LABEL}" y="{at}" width="{length:.1f}" height="{_ROW - 2}">'
                f"<title>{escaped(words)}</title></rect>"
            )
            body.append(f'<text x="{_LABEL + length + 5:.1f}" y="{at + _ROW - 4}">{shown(value)}</text>')
    key, height = _key(kinds if len(kinds) > 1 else (), bottom + 36)
    words = "; ".join(f"{row.label}: {', '.join(map(shown, row.values))}" for row in rows[:20])
    return _element(title, words, max(height, bottom + 22), "".join([*body, *key]))


def gantt(title: str, kinds: Sequence[str], lanes: Sequence[Lane], begin: float, end: float) -> str:
    """Bars over time in lanes, coloured by their kind; of very many lanes only some have a label."""
    height = max(4, min(_ROW + 2, _LANES // max(1, len(lanes))))
    room, length = _WIDTH - _LABEL - _RIGHT, max(1.0, end - begin)
    bottom = _TOP + height * len(lanes)
    body = []
    for when, text in scale.moments(begin, begin + length):
        x = f"{_LABEL + room * (when - begin) / length:.1f}"
        body.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}"/>')
        anchor = _anchor(float(x), _LABEL, _WIDTH - _RIGHT)
        body.append(f'<text x="{x}" y="{bottom + 14}" text-anchor="{anchor}">{text}</text>')
    every = -(-_LABELLED // height)
    for number, lane in enumerate(lanes):
        y = _TOP + height * number
        if number % every == 0:
            label = escaped(shortened(lane.label, 24))
            body.append(f'<text x="{_LABEL - 8}" y="{y + min(height, _LABELLED)}" text-anchor="end">{label}</text>')
        body += [_bar(lane, bar, y, height, lambda when: _LABEL + room * (when - begin) / length) for bar in lane.bars]
    body.append(f'<path class="axis" d="M{_LABEL},{_TOP}V{bottom}H{_WIDTH - _RIGHT}"/>')
    key, foot = _key(kinds, bottom + 36, {bar.kind for lane in lanes for bar in lane.bars})
    words = f"From {scale.moment(begin)} to {scale.moment(end)}: {', '.join(lane.label for lane in lanes[:20])}."
    return _element(title, words, max(foot, bottom + 22), "".join([*body, *key]))


def _anchor(x: float, left: float, right: float) -> str:
    """Return how a text below an axis is placed, so that it does not leave the chart."""
    return "start" if x < left + 30 else "end" if x > right - 30 else "middle"


def _bar(lane: Lane, bar: Bar, y: int, height: int, at: Callable[[float], float]) -> str:
    left, right = (min(max(at(when), float(_LABEL)), float(_WIDTH - _RIGHT)) for when in (bar.begin, bar.end))
    words = f"{lane.label}: {bar.words}, {scale.moment(bar.begin)}, {scale.span(bar.end - bar.begin)}"
    return (
        f'<rect class="k{bar.kind % COLOURS}" x="{left:.1f}" y="{y + 1}" width="{max(1.0, right - left):.1f}" '
        f'height="{max(2, height - 2)}"><title>{escaped(words)}</title></rect>'
    )
