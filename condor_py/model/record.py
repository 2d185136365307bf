"""One record of a ClassAd log, as cores produce it and the store writes it."""

from __future__ import annotations

import re
from typing import NamedTuple

NEW_AD = 101
DESTROY_AD = 102
SET = 103
DELETE = 104


class Change(NamedTuple):
    """101: name is MyType, value TargetType. 102: key only. 103: value is expression text. 104: no value.

    107: key is the number of the rewrite, name the word CreationTimestamp, value the birth date. An op of a later
    HTCondor has its body in ``value`` alone.
    """

    op: int
    key: str
    name: str = ""
    value: str = ""


_ATTRIBUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NOT_IN_A_LINE = re.compile("[\\0\\n\ud800-\udc7f\udd00-\udfff]")


def is_attribute_name(name: str) -> bool:
    """Whether a log, and whoever reads ads as lines, can hold an attribute of this name."""
    return _ATTRIBUTE.fullmatch(name) is not None


def is_one_line(text: str) -> bool:
    """Whether a log can hold ``text`` as a value: no newline, no zero byte, nothing that is no character (bytes that
    are no UTF-8 travel as U+DC80 to U+DCFF)."""
    return _NOT_IN_A_LINE.search(text) is None
