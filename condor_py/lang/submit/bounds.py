"""Bounds on job attributes, enforced by submit, transforms and routes (and by edits, ``core.jobs.requests``).

The starter clamps, and the negotiator ignores, what reaches it in spite of this (an expression).
"""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.lang.classad import ClassAd
from condor_py.model.bounds import BOUNDED, out_of_bounds
from condor_py.model.errors import CondorError

#: Characters of a refused value that are shown.
_SHOWN = 80


def check_bounds(items: Iterable[tuple[str, str]]) -> None:
    """CondorError that names the attribute and what it may be."""
    for name, text in items:
        key = name.lower()
        if key in BOUNDED:
            fault = out_of_bounds(key, ClassAd.from_text_items([(name, text)]).raw(name))
            if fault:
                raise CondorError(f"{name} = {repr(text[:_SHOWN])[1:-1]} is invalid, {fault}")
