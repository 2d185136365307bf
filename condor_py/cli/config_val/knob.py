"""Descriptions of knobs and their permitted values, from the table of knobs."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from condor_py.lang.config import table
from condor_py.model.spelling import nearest

_EXPECTED = {"i": "INT", "r": "DOUBLE", "b": "BOOL", "p": "PATH", "s": "STRING", "e": "EXPRESSION", "z": "SIZE"}
_TYPES = {
    "i": "an integer, or an expression that evaluates to one",
    "r": "a number, or an expression that evaluates to one",
    "b": "True or False, or an expression that evaluates to one",
    "p": "a path",
    "s": "text",
    "e": "a ClassAd expression",
    "z": "a size in bytes (10 Mb), or an age (7 days)",
}


def explain(name: str) -> int:
    """Print all that is known of the knob ``name`` (-help-knob); 1 when there is no such knob."""
    found = table.knob(name) or table.family(name)
    if found is None:
        like = nearest(name, (known.name for known in table.all_knobs()))
        meant = f"; did you mean {like}?" if like else ""
        sys.stderr.write(f"Not a knob: {name}{meant}\n")
        return 1
    print(f"{found.name}\n  {found.description}")
    for title, text in _rows(found, name):
        print(f"  {title + ':':<9}{text}")
    return 0


def _rows(found: table.Knob, name: str) -> Iterator[tuple[str, str]]:
    yield "default", "(not defined)" if found.default is None else found.default or "(empty)"
    yield "type", _TYPES[found.kind]
    if found.low is not None or found.high is not None:
        yield "range", _range(found.low, found.high).strip()
    if found.unit:
        yield "unit", found.unit
    if found.no_effect:
        yield "effect", f"none here: {found.no_effect}"
        return
    from condor_py.lang.config.lint.changes import read_at_start

    if found.readers:
        yield "read by", found.readers
    waiting = read_at_start(name)
    yield "change", f"with a restart of {', '.join(waiting)}" if waiting else "with condor_reconfig"


def print_description(name: str) -> None:
    """The line of -info that says what a knob is for."""
    text = _description(name)
    if text:
        print(f" # description: {text}")


def print_expected(name: str) -> None:
    """The line of -info with type and range."""
    found = table.knob(name)
    if found is not None:
        print(f" # expected values : {_EXPECTED[found.kind]}{_range(found.low, found.high)}")


def _range(least: float | None, most: float | None) -> str:
    low = "" if least is None else f" from {least:g}"
    high = "" if most is None else f" to {most:g}"
    return low + high


def _description(name: str) -> str:
    found = table.knob(name)
    return "" if found is None else found.description
