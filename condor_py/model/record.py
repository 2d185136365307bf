"""One record of a ClassAd log, as cores produce it and the store writes it."""

from __future__ import annotations

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
