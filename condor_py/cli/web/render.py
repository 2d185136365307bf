"""Data as HTML: the templates, and the few filters that they have. Every text is escaped."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from condor_py.cli.plots.chart import draw, of_data
from condor_py.cli.web.svg import colour
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
        plot=plot,
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


def amount(value: float | None) -> str:
    """Return a number with thin spaces between thousands, and at most one digit behind the point."""
    if value is None:
        return "–"
    text = f"{value:,.1f}" if value != int(value) and abs(value) < 1000 else f"{value:,.0f}"
    return text.replace(",", "\u202f")


def memory(megabytes: float | None) -> str:
    """Return an amount of memory in MB with a fitting unit."""
    return _scaled(megabytes, ("MB", "GB", "TB", "PB"))


def disk(kilobytes: float | None) -> str:
    """Return an amount of disk in KB with a fitting unit."""
    return _scaled(kilobytes, ("KB", "MB", "GB", "TB", "PB"))


def _scaled(value: float | None, units: tuple[str, ...]) -> str:
    if value is None:
        return "–"
    for unit in units[:-1]:
        if abs(value) < 1024:
            return f"{amount(value)} {unit}"
        value /= 1024
    return f"{amount(value)} {units[-1]}"


def span(seconds: float | None) -> str:
    """Return a length of time in its two greatest units."""
    if seconds is None:
        return "–"
    whole = max(0, int(seconds))
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {whole % 60:02} s" if minutes else f"{whole} s"


def moment(when: float | None) -> str:
    """Return a moment in local time."""
    return _strftime("%Y-%m-%d %H:%M:%S", when) or "–"


def iso(when: float | None) -> str:
    """Return a moment as the attribute datetime wants it."""
    return _strftime("%Y-%m-%dT%H:%M:%S%z", when)


def _strftime(form: str, when: float | None) -> str:
    try:
        return time.strftime(form, time.localtime(when)) if when else ""
    except (OverflowError, ValueError, OSError):
        return ""


def percent(part: float | None) -> str:
    """Return a part of 1 in percent."""
    return "–" if part is None else f"{100 * part:.0f} %"
