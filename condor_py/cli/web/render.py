"""Data as HTML: the templates, and the few filters that they have. Every text is escaped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from condor_py.cli.plots.chart import draw, of_data
from condor_py.cli.web.svg import colour
from condor_py.cli.web.texts import account, amount, disk, iso, memory, moment, percent, span, terminal
from condor_py.model.texts import printable_lines

FOLDER = os.path.dirname(os.path.abspath(__file__))


def environment() -> Environment:
    """Return the templates."""
    made = Environment(
        loader=FileSystemLoader(os.path.join(FOLDER, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    made.filters.update(
        amount=amount, memory=memory, disk=disk, span=span, moment=moment, iso=iso, percent=percent, colour=colour,
        plot=plot, account=account, terminal=terminal,
    )  # fmt: skip
    return made


def shown(value: Any) -> Any:
    """Return a value as it is printed: without control characters and halves of surrogate pairs, None as nothing."""
    if value is None:
        return ""
    return printable_lines(value) if type(value) is str else value


def plot(chart: Mapping[str, Any]) -> Markup:
    """Return a chart of a report, as data (see plots/chart.py), as a picture."""
    return Markup(draw(of_data(chart)))
