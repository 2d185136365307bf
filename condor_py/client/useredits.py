"""Edits of priorities by name, as they come over the negotiator's socket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.core.accounts import Accountant, edits

_PLAIN: dict[str, Callable[..., Any]] = {
    "setprio": edits.set_priority,
    "setfactor": edits.set_factor,
    "setceiling": edits.set_ceiling,
    "setfloor": edits.set_floor,
    "setaccum": edits.set_accumulated,
    "setbegin": edits.set_begin,
    "setlast": edits.set_last,
    "delete": edits.delete,
}


def apply_edit(accountant: Accountant, name: str, arguments: list[Any], now: int) -> None:
    """Carries one edit out. KeyError for an unknown one, CondorError for one that makes no sense."""
    accountant.update(now)  # what was used until now is charged under what was valid until now
    if name == "resetusage":
        edits.reset_usage(accountant, arguments[0], now)
    elif name == "resetall":
        edits.reset_all(accountant, now)
    elif name == "lease":
        kind, user, value, duration = arguments
        edits.lease(accountant, kind, user, value, duration, now)
    elif name == "cancel-lease":
        edits.cancel_lease(accountant, *arguments)
    else:
        _PLAIN[name](accountant, *arguments)
