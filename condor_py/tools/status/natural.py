"""How condor_status compares names: numbers in them as numbers, and letters that are not ASCII before all others."""

from __future__ import annotations

import re

_DIGITS = re.compile(rb"([0-9]+)")
#: A byte as C's signed char orders it.
_SIGNED = bytes(code ^ 0x80 for code in range(256))
_DIGIT = bytes([ord("0") ^ 0x80])


def natural_key(text: str) -> bytes:
    """Sorts as HTCondor does: slot2 before slot10, and of numbers those with more leading zeros first."""
    parts = _DIGITS.split(text.encode("utf-8", "surrogateescape"))
    return b"".join(_number(part) if at % 2 else part.translate(_SIGNED) for at, part in enumerate(parts))


def _number(digits: bytes) -> bytes:
    """Leading zeros first, then, without any, the length: what is longer is more."""
    zeros = min(len(digits) - len(digits.lstrip(b"0")), len(digits) - 1)
    rest = digits[zeros:]
    length = b"" if zeros else len(rest).to_bytes(4, "big")
    return _DIGIT + bytes([255 - min(zeros, 255)]) + length + rest.translate(_SIGNED)
