"""condor_userprio -plot (ours): priority and use over time, as text on a terminal or as SVG in a file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

from condor_py.tools.userprio.history import Point

_BARS = "▁▂▃▄▅▆▇█"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")
_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 860, 200, 70, 30, 60

Value = Callable[[Point], float]
_PANELS: tuple[tuple[str, Value], ...] = (
    ("Real priority (smaller is better)", lambda point: point.priority),
    ("Slot weight in use", lambda point: point.use),
)


def text_lines(series: Mapping[str, Sequence[Point]], columns: int) -> Iterator[str]:
    """A row of bars for each submitter, one scale a panel; ``columns`` of the terminal."""
    begin, end = _span(series)
    width = max(len(name) for name in series)
    cells = max(10, columns - width - 22)
    for title, value in _PANELS:
        top = max(value(point) for points in series.values() for point in points) or 1.0
        yield f"{title}, from 0 to {top:.6g}"
        for name, points in sorted(series.items()):
            sampled = [value(at) if (at := _at(points, moment)) else None for moment in _moments(begin, end, cells)]
            bars = "".join(" " if v is None else _BARS[min(7, int(8 * v / top))] for v in sampled)
            yield f"{name:<{width}} {bars} {value(points[-1]):>10.2f}"
        yield ""
    yield f"{'':<{width}} {_date(begin)} to {_date(end)}"


def _moments(begin: int, end: int, count: int) -> list[float]:
    return [begin + (end - begin) * (index + 1) / count for index in range(count)]


def _at(points: Sequence[Point], moment: float) -> Point | None:
    """The last point not after ``moment``; None before the first."""
    from bisect import bisect_right

    index = bisect_right(points, moment, key=lambda point: point.when)
    return points[index - 1] if index else None


def _span(series: Mapping[str, Sequence[Point]]) -> tuple[int, int]:
    begin = min(points[0].when for points in series.values())
    end = max(points[-1].when for points in series.values())
    return begin, max(end, begin + 1)


def _date(when: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(when))


def svg(series: Mapping[str, Sequence[Point]]) -> str:
    """Two panels with a step line for each submitter, and a legend."""
    names = sorted(series)
    colours = {name: _COLOURS[index % len(_COLOURS)] for index, name in enumerate(names)}
    height = _TOP + len(_PANELS) * (_HEIGHT + _GAP) + 20 * len(names)
    total = _LEFT + _WIDTH + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{height}" viewBox="0 0 {total} {height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, (title, value) in enumerate(_PANELS):
        parts.extend(_panel(series, colours, title, value, _TOP + number * (_HEIGHT + _GAP)))
    below = _TOP + len(_PANELS) * (_HEIGHT + _GAP)
    for row, name in enumerate(names):
        y = below + 20 * row
        parts.append(f'<rect x="{_LEFT}" y="{y - 9}" width="20" height="10" fill="{colours[name]}"/>')
        parts.append(f'<text x="{_LEFT + 28}" y="{y}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(
    series: Mapping[str, Sequence[Point]], colours: Mapping[str, str], title: str, value: Value, top: int
) -> Iterator[str]:
    begin, end = _span(series)
    most = max(value(point) for points in series.values() for point in points) or 1.0

    def place(when: float, amount: float) -> str:
        x = _LEFT + _WIDTH * (when - begin) / (end - begin)
        return f"{x:.1f},{top + _HEIGHT - _HEIGHT * amount / most:.1f}"

    yield f'<text x="{_LEFT}" y="{top - 8}" font-weight="bold">{escape(title)}</text>'
    yield f'<rect x="{_LEFT}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#888"/>'
    yield f'<text x="{_LEFT - 6}" y="{top + 10}" text-anchor="end">{most:.6g}</text>'
    yield f'<text x="{_LEFT - 6}" y="{top + _HEIGHT}" text-anchor="end">0</text>'
    yield f'<text x="{_LEFT}" y="{top + _HEIGHT + 16}">{_date(begin)}</text>'
    yield f'<text x="{_LEFT + _WIDTH}" y="{top + _HEIGHT + 16}" text-anchor="end">{_date(end)}</text>'
    for name, points in sorted(series.items()):
        corners = []
        for index, point in enumerate(points):
            if index:
                corners.append(place(point.when, value(points[index - 1])))
            corners.append(place(point.when, value(point)))
        corners.append(place(end, value(points[-1])))
        yield (
            f'<polyline fill="none" stroke="{colours[name]}" stroke-width="1.5" points="{" ".join(corners)}">'
            f"<title>{escape(name)}</title></polyline>"
        )
