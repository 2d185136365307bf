"""Attributes whose values a submit cannot choose freely, because root acts on them.

Values out of bounds are refused. The starter clamps what reaches it in spite of this (an edit, an expression).
"""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.signals import signal_of

_NICE = "jobnice"
_SIGNALS = frozenset(("killsig", "removekillsig", "holdkillsig"))
#: Lower-case names of what is looked at.
BOUNDED = _SIGNALS | {_NICE}
NICEST = 19


def check_bounds(items: Iterable[tuple[str, str]]) -> None:
    """CondorError that names the attribute and what it may be."""
    for name, text in items:
        key = name.lower()
        if key == _NICE:
            nice = ClassAd.from_text_items([(name, text)]).eval_real(name)
            if nice is not None and not 0 <= nice <= NICEST:
                raise CondorError(f"{name} = {text} is invalid, it must be from 0 to {NICEST}")
        elif key in _SIGNALS:
            ad = ClassAd.from_text_items([(name, text)])
            word, number = ad.eval_str(name), ad.eval_real(name)
            given = word if word is not None else None if number is None else f"{number:.0f}"
            if given is not None and signal_of(given) is None:
                raise CondorError(f"{name} = {text} is invalid, there is no such signal")
