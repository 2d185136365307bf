"""The parts of a report, as data: sections with charts, tables and sentences, which pages render."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from condor_py.cli.plots import chart as charts
from condor_py.cli.plots.chart import Chart


class Text(NamedTuple):
    """A paragraph."""

    text: str


class Column(NamedTuple):
    """A column of a table: its heading, and whether its cells are words."""

    heading: str
    words: bool = False


class Table(NamedTuple):
    """A table; the first cell of a row is its heading. One of what a chart shows is ``folded`` behind it."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    folded: bool = False


class Figure(NamedTuple):
    """A chart with its caption."""

    caption: str
    chart: Chart


class Advices(NamedTuple):
    """Sentences, each with the line of a submit file that would do."""

    heading: str
    items: Sequence[tuple[str, str]]


Part = Text | Table | Figure | Advices


class Section(NamedTuple):
    """A section with a heading; ``name`` is what links lead to."""

    name: str
    heading: str
    parts: Sequence[Part]


def data(section: Section) -> dict[str, Any]:
    """Return a section as an object of JSON; the ``kind`` of a part is text, table, figure or advices."""
    return {"name": section.name, "heading": section.heading, "parts": [_part(part) for part in section.parts]}


def _part(part: Part) -> dict[str, Any]:
    data = {"kind": type(part).__name__.lower(), **part._asdict()}
    if isinstance(part, Figure):
        data["chart"] = charts.data(part.chart)
    elif isinstance(part, Table):
        data["columns"] = [column._asdict() for column in part.columns]
    return data
