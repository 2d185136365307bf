"""Whole numbers in words that people and other programs write."""

from __future__ import annotations

#: The largest number of an ad.
LARGEST = 2**63 - 1
#: Digits of a number that is surely below it.
_SURELY = 18


def as_integer(word: str) -> int:
    """The number of digits with or without a sign; one beyond those of ads is the largest or smallest of them, as C has
    it (Python refuses to read thousands of digits). ValueError for another word."""
    if len(word) <= _SURELY:
        return int(word)
    bare = word.strip()
    digits = bare[1:] if bare[:1] in ("+", "-") else bare
    if not digits.isdecimal():
        raise ValueError(f"not a whole number: {word[:_SURELY]}...")
    short = digits.lstrip("0")
    number = LARGEST if len(short) > _SURELY + 1 else min(int(short or "0"), LARGEST)
    return -number if bare[0] == "-" else number
