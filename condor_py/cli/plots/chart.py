"""Charts as data: a page draws them, and a program gets them as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from condor_py.cli.plots import scale, svg
from condor_py.cli.plots.svg import Bar, Lane, Mark, Row, Series


class Areas(NamedTuple):
    """Areas upon each other over time: bins of ``width`` seconds from ``begin`` (Unix seconds) on. A dashed line is at
    ``limit`` if that is above 0."""

    title: str
    begin: float
    width: float
    series: Sequence[Series]
    limit: float = 0.0


class Lines(NamedTuple):
    """A step line for each series; it is interrupted where nothing is known (None). Dashed lines are at ``limit``, if
    that is above 0, and at the moments of ``marks``."""

    title: str
    begin: float
    width: float
    series: Sequence[Series]
    limit: float = 0.0
    marks: Sequence[Mark] = ()


class Bars(NamedTuple):
    """Horizontal bars, for each row one of each kind. Values are ``seconds``, or plain numbers."""

    title: str
    kinds: Sequence[str]
    rows: Sequence[Row]
    seconds: bool = False


class Gantt(NamedTuple):
    """Bars over time in lanes, coloured by their kind, from ``begin`` to ``end`` (Unix seconds)."""

    title: str
    kinds: Sequence[str]
    lanes: Sequence[Lane]
    begin: float
    end: float


Chart = Areas | Lines | Bars | Gantt


def draw(chart: Chart) -> str:
    """Return a chart as an ``<svg>`` element."""
    if isinstance(chart, Areas):
        return svg.stacked(*chart)
    if isinstance(chart, Lines):
        return svg.lines(*chart)
    if isinstance(chart, Gantt):
        return svg.gantt(*chart)
    return svg.bars(chart.title, chart.kinds, chart.rows, scale.span if chart.seconds else scale.number)


def data(chart: Chart) -> dict[str, Any]:
    """Return a chart as an object of JSON, whose ``kind`` is areas, lines, bars or gantt."""
    data = {"kind": type(chart).__name__.lower(), **chart._asdict()}
    for name in ("series", "rows", "marks"):
        if name in data:
            data[name] = [one._asdict() for one in data[name]]
    if isinstance(chart, Gantt):
        data["lanes"] = [{"label": lane.label, "bars": [bar._asdict() for bar in lane.bars]} for lane in chart.lanes]
    return data


def of_data(data: Mapping[str, Any]) -> Chart:
    """Return the chart that ``data`` made an object of."""
    if data["kind"] == "bars":
        return Bars(data["title"], data["kinds"], [Row(**row) for row in data["rows"]], data["seconds"])
    if data["kind"] == "gantt":
        lanes = [Lane(lane["label"], [Bar(**bar) for bar in lane["bars"]]) for lane in data["lanes"]]
        return Gantt(data["title"], data["kinds"], lanes, data["begin"], data["end"])
    series = [Series(**one) for one in data["series"]]
    if data["kind"] == "lines":
        marks = [Mark(**one) for one in data["marks"]]
        return Lines(data["title"], data["begin"], data["width"], series, data["limit"], marks)
    return Areas(data["title"], data["begin"], data["width"], series, data["limit"])
