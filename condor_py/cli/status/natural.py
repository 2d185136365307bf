"""How condor_status compares names: numbers in them as numbers, and letters that are not ASCII before all others."""

from __future__ import annotations

_DIGITS = b"0123456789"
#: A byte as C's signed char orders it.
_SIGNED = bytes(code ^ 0x80 for code in range(256))
_DIGIT = bytes([ord("0") ^ 0x80])


def natural_key(text: str) -> bytes:
    """Sorts as HTCondor does: slot2 before slot10, and of numbers those with more leading zeros first."""
    rest = text.encode("utf-8", "surrogateescape")
    key = b""
    while rest:
        left = rest.lstrip(_DIGITS)
        if len(left) < len(rest):
            key += _number(rest[: len(rest) - len(left)])
        end = next((at for at, code in enumerate(left) if 48 <= code <= 57), len(left))
        key += left[:end].translate(_SIGNED)
        rest = left[end:]
    return key


def _number(digits: bytes) -> bytes:
    """Leading zeros first, then, without any, the length: what is longer is more."""
    zeros = min(len(digits) - len(digits.lstrip(b"0")), len(digits) - 1)
    rest = digits[zeros:]
    length = b"" if zeros else len(rest).to_bytes(4, "big")
    return _DIGIT + bytes([255 - min(zeros, 255)]) + length + rest.translate(_SIGNED)
