"""Values that are not of the kind, or not in the range, that the table gives."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.config.lint.finding import Finding
from condor_py.config.lint.known import Known, known
from condor_py.config.lint.subject import Subject, finding
from condor_py.config.values import to_boolean, to_integer, to_real, to_size
from condor_py.macro import MacroError

_KINDS = {"i": "an integer", "r": "a number", "b": "True or False", "z": "a size (10 Mb) or an age (7 days)"}


def check_values(subject: Subject) -> Iterator[Finding]:
    """Macros that do not expand, and numbers, truth values and sizes that are none or out of range."""
    for macro in subject.settings:
        try:
            text = subject.config.expand(macro.value).strip()
        except MacroError as error:
            yield finding("error", macro, str(error))
            continue
        knob = known(macro.name)
        if knob is not None and text and (wrong := problem(knob, text)):
            yield finding("error", macro, wrong)


def problem(knob: Known, text: str) -> str:
    """What is wrong with the expanded ``text`` as a value of ``knob``; "" when nothing is."""
    hint = f" (default {knob.default})" if knob.default else ""
    value: object
    if knob.kind in ("i", "r"):
        number = to_integer(text, _evaluate) if knob.kind == "i" else to_real(text, _evaluate)
        if number is not None and _inside(knob, number):
            return ""
        return f"{text!r} is not valid, it must be {_KINDS[knob.kind]}{_range(knob)}{hint}"
    if knob.kind in ("b", "z"):
        value = to_boolean(text, _evaluate) if knob.kind == "b" else to_size(text)
        return "" if value is not None else f"{text!r} is not valid, it must be {_KINDS[knob.kind]}{hint}"
    return ""


def _inside(knob: Known, value: float) -> bool:
    return (knob.low is None or value >= knob.low) and (knob.high is None or value <= knob.high)


def _range(knob: Known) -> str:
    if knob.low is not None and knob.high is not None:
        return f" from {knob.low:g} to {knob.high:g}"
    if knob.low is not None:
        return f" of at least {knob.low:g}"
    return f" of at most {knob.high:g}" if knob.high is not None else ""


def _evaluate(text: str) -> object:
    from condor_py.macro.evaluate import classad_evaluate

    return classad_evaluate(text)
