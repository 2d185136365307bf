"""Attributes whose values a job cannot choose freely: root acts on them, or the accountant keeps them."""

from __future__ import annotations

from condor_py.model.signals import signal_of
from condor_py.model.submitters import fault_of

_NICE = "jobnice"
_GROUP = "accountinggroup"
_SIGNALS = frozenset(("killsig", "removekillsig", "holdkillsig"))
#: Lower-case names of what is checked.
BOUNDED = _SIGNALS | {_NICE, _GROUP}
NICEST = 19


def out_of_bounds(key: str, value: object) -> str:
    """Why no job may have ``value`` in the attribute of BOUNDED named ``key`` (lower case); "" when one may."""
    number = value if isinstance(value, (int, float)) and value == value else None
    if key == _NICE:
        return "" if number is None or 0 <= number <= NICEST else f"it must be from 0 to {NICEST}"
    if key == _GROUP:
        fault = fault_of(value) if isinstance(value, str) else ""
        return fault and f"the name of a submitter {fault}"
    word = value if isinstance(value, str) else None if number is None else f"{number:.0f}"
    return "" if word is None or signal_of(word) is not None else "there is no such signal"
