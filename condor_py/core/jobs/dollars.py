"""``$$(Attribute)``, ``$$(Attribute:default)`` and ``$$([expression])`` in a job, filled in from the slot it is given.

What the schedd of HTCondor does when it activates a claim (qmgmt.cpp, dollarDollarExpand): the texts of expressions are
worked on, so the value of a slot goes in as it is written there, without the quotes of a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from condor_py.lang.classad import ClassAd, ClassAdParseError, quote_string
from condor_py.model.errors import CondorError
from condor_py.model.record import is_one_line
from condor_py.model.states import SCRATCH_MARK

_MACRO = re.compile(
    r"\$\$\((?:(?P<expression>\[.*?\])|(?P<name>[A-Za-z_][A-Za-z0-9_.]*)(?P<default>:[^)]*)?)\)", re.DOTALL
)
_LITERAL = "dollardollar"
_SCRATCH = "condorscratchdir"


class CannotExpand(CondorError):
    """The slot has no such attribute, or the expression gives no value; the text is the reason to hold the job."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Cannot expand $$ expression ({name}).")


@dataclass(frozen=True, slots=True)
class Expansion:
    """``run`` has the expanded attributes for the job's run, ``kept`` what stays in the queue: ``MATCH_EXP_X`` for an
    expanded attribute X, ``MATCH_Y`` for a value Y taken from the slot. All as expression texts.
    """

    run: dict[str, str]
    kept: dict[str, str]


def expand(job: ClassAd, slot: ClassAd) -> Expansion:
    """All ``$$`` of a job. CannotExpand for the first that cannot be."""
    expansion = Expansion({}, {})
    for name, text in _candidates(job):
        filled = _expand_text(text, job, slot, expansion.kept)
        if not is_one_line(filled):
            raise CannotExpand(name)  # the queue cannot hold it
        if filled != text:
            expansion.run[name] = filled
            expansion.kept[f"MATCH_EXP_{name}"] = filled
    return expansion


def _candidates(job: ClassAd) -> Iterator[tuple[str, str]]:
    """Attributes with ``$$(``; what earlier expansions left (MATCH_...) may hold it literally."""
    for name, text in job.text_items():
        if "$$(" in text and not name.lower().startswith("match_"):
            yield name, text


def _expand_text(text: str, job: ClassAd, slot: ClassAd, kept: dict[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        if found["expression"] is not None:
            return _evaluated(found["expression"], job, slot)
        return _of_slot(found["name"], found["default"], slot, kept)

    return _MACRO.sub(value, text)


def _of_slot(name: str, default: str | None, slot: ClassAd, kept: dict[str, str]) -> str:
    if name.lower() == _LITERAL:
        return "$$"
    if "." in name:
        raise CannotExpand(name)
    text = f'"{SCRATCH_MARK}"' if name.lower() == _SCRATCH else slot.text(name)
    if text is None:
        if default is None:
            raise CannotExpand(name)
        text = f'"{default[1:]}"'
    kept[f"MATCH_{name}"] = text
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _evaluated(bracketed: str, job: ClassAd, slot: ClassAd) -> str:
    """The value as a string. In the text of a string the quotes of the expression have backslashes, which go."""
    text = re.sub(r'\\(["\\])', r"\1", bracketed[1:-1])
    try:
        value = job.eval_text(f"string({text})", slot)
    except ClassAdParseError:
        value = None
    if not isinstance(value, str):
        raise CannotExpand(bracketed)
    return quote_string(value)[1:-1]
