"""What a knob is for and what it may be: from the table of knobs, in our own words."""

from __future__ import annotations

import sys

from condor_py.config.params import PARAMS, Param

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
    param = PARAMS.get(name.lower())
    if param is None:
        from difflib import get_close_matches

        like = get_close_matches(name.lower(), PARAMS, 1, 0.75)
        hint = f"; did you mean {PARAMS[like[0]][0]}?" if like else ""
        sys.stderr.write(f"Not a knob: {name}{hint}\n")
        return 1
    rows = [("default", param[1] or "(empty)"), ("type", _TYPES[param[2]])]
    if param[3] is not None or param[4] is not None:
        rows.append(("range", _range(param).strip()))
    from condor_py.config.lint.changes import read_at_start

    waiting = read_at_start(param[0])
    rows.append(("change", f"with a restart of {', '.join(waiting)}" if waiting else "with condor_reconfig"))
    print(f"{param[0]}\n  {_description(param[0])}")
    for title, text in rows:
        print(f"  {title + ':':<9}{text}")
    return 0


def print_description(name: str) -> None:
    """The line of -info that says what a knob is for."""
    text = _description(name)
    if text:
        print(f" # description: {text}")


def print_expected(name: str) -> None:
    """The line of -info with type and range."""
    param = PARAMS.get(name.lower())
    if param is not None:
        print(f" # expected values : {_EXPECTED[param[2]]}{_range(param)}")


def _range(param: Param) -> str:
    low = "" if param[3] is None else f" from {param[3]:g}"
    high = "" if param[4] is None else f" to {param[4]:g}"
    return low + high


def _description(name: str) -> str:
    from condor_py.config.descriptions import DESCRIPTIONS

    wanted = name.lower()
    return next((text for group in DESCRIPTIONS.values() for key, text in group.items() if key.lower() == wanted), "")
