"""Values that are not of the kind, or not in the range, that the table gives."""

from __future__ import annotations

import re
from collections.abc import Iterator

from condor_py.lang.config import table
from condor_py.lang.config.lint.expressions import setter_of
from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.known import Known, all_names, base_name, known
from condor_py.lang.config.lint.subject import Subject, finding
from condor_py.lang.config.values import to_boolean, to_integer, to_real, to_size
from condor_py.lang.macro import Macro, MacroError
from condor_py.model.spelling import Speller

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
        elif wrong := _odd(subject, macro, knob, text) or _unreadable(base_name(macro.name), text):
            yield finding("warning", macro, wrong)
        if not macro.origin.template:
            yield from _undefined(subject, macro)
            for name in _ENV.findall(macro.value):
                if name not in subject.config.environ:
                    yield finding("warning", macro, f"the variable {name} is not in the environment: it is UNDEFINED")


def _undefined(subject: Subject, macro: Macro) -> Iterator[Finding]:
    """``$(NAME)`` of names that nothing defines, in settings that are expanded when the configuration is read."""
    if _EXPANDED_LATER.match(base_name(macro.name)) or macro.name.lower() in subject.referenced:
        return
    if subject.is_expression(macro.name) and not _parses(subject.expand(macro.value) or ""):
        return  # that is said anyway
    for name in subject.undefined_in(macro.value):
        if name.lower() in ("dollar", macro.name.lower()) or _LIVE.match(name):
            continue
        like = _names_like(subject, name)
        hint = f", did you mean $({like})?" if like else f" ({setter} sets it)" if (setter := setter_of(name)) else ""
        yield finding("warning", macro, f"$({name}) is not defined and counts as nothing{hint}")


def _parses(text: str) -> bool:
    from condor_py.lang.classad import is_valid

    return not text.strip() or is_valid(text)


def _names_like(subject: Subject, name: str) -> str:
    from condor_py.lang.config import detected

    own = [macro.name for macro in subject.settings]
    return Speller((*own, *detected.names(), *all_names().values())).nearest(name)


_ENV = re.compile(r"\$ENV\((\w+)\)", re.IGNORECASE)
#: Texts whose macros are expanded for each job, or by another language.
_EXPANDED_LATER = re.compile(r"(?:JOB_TRANSFORM|SUBMIT_TEMPLATE|JOB_ROUTER)_\w+|\w+_HOOK_\w+", re.IGNORECASE)
_LIVE = re.compile(r"(?:MY|TARGET|JOB|MACHINE)\.|[0-9+?]+\Z|\W", re.IGNORECASE)
_FACTORS = re.compile(r"(?:DEFAULT|NICE_USER|REMOTE|GROUP)_PRIO_FACTOR(?:_.+)?\Z", re.IGNORECASE)
_LIMIT = re.compile(r"\w+_LIMIT\Z|CONCURRENCY_LIMIT_DEFAULT_\w+\Z", re.IGNORECASE)
#: What numbers less than nothing mean in the words of the table.
_MAY_BE_NEGATIVE = re.compile(r"-1|negative|nice|offset|priority|without (?:end|limit)", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?:Seconds|Most|Least|Longest|Shortest|Bytes|Megabytes|Kilobytes|How (?:many|often)|Number|Old|Rotated|Size|MB"
    r"|Time|Limit|Jobs|Slots|Days|Minutes)\b"
)
_COUNTS = re.compile(r"NUM_SLOTS(?:_TYPE_\d+)?\Z", re.IGNORECASE)


def _odd(subject: Subject, macro: Macro, knob: Known | None, text: str) -> str:
    """Return the mistake in a value that can be read: a number below zero, a factor below 1, a limit that is not
    one."""
    base = base_name(macro.name)
    row = table.knob(base)
    if not text or (row is None and not any(one.match(base) for one in (_FACTORS, _COUNTS, _LIMIT))):
        return ""
    number = to_real(text, _evaluate)
    if _FACTORS.match(base):
        return f"{text!r} is less than 1, the least priority factor" if number is not None and number < 1 else ""
    if _COUNTS.match(base):
        return f"{text!r} is not a number of slots" if number is not None and number < 0 else ""
    if _LIMIT.match(base) and knob is None and macro.name.lower() not in subject.referenced:
        if number is None or number < 0:
            return f"{text!r} is not the limit of a concurrency token, which is a number from 0"
        return ""
    if row is None or number is None or number >= 0 or row.low is not None or row.kind not in ("i", "r"):
        return ""
    default = to_real(row.default or "0", _evaluate)
    what = row.description
    if (default is None or default >= 0) and _AMOUNT.match(what) and not _MAY_BE_NEGATIVE.search(what):
        return f"{text} is less than nothing: {what}"
    return ""


_ARGUMENTS = re.compile(r"(?:DOCKER|JAVA|SINGULARITY)_EXTRA_ARGUMENTS\Z", re.IGNORECASE)
#: Of these the arguments may also be an expression.
_OR_EXPRESSION = re.compile(r"SINGULARITY_", re.IGNORECASE)
_PATTERN = re.compile(r"CONTAINER_REGEX_COMMON_BY_DEFAULT\Z", re.IGNORECASE)
_PLACE_INSIDE = re.compile(r"SINGULARITY_TARGET_DIR\Z", re.IGNORECASE)


def _unreadable(base: str, text: str) -> str:
    """Return the mistake in arguments, a pattern, or the path of a directory that containers have."""
    if _ARGUMENTS.match(base) and not (_OR_EXPRESSION.match(base) and _parses(text)):
        from condor_py.model.arguments import ArgumentError, parse_arguments

        try:
            parse_arguments(text)
        except ArgumentError as error:
            return f"these arguments cannot be read, and nothing that needs them is started: {error}"
    if _PATTERN.match(base):
        try:
            re.compile(text)
        except re.error as error:
            return f"{text!r} is no regular expression, and is not used: {error}"
    if _PLACE_INSIDE.match(base) and text and not text.startswith("/"):
        return f"{text!r} is no full path: containers do not start with it"
    return ""


def problem(knob: Known, text: str) -> str:
    """Return the mistake in the expanded ``text`` as a value of ``knob``; "" without one."""
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
    from condor_py.lang.macro.evaluate import classad_evaluate

    return classad_evaluate(text)
