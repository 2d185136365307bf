"""Edits that administrators make with ``condor_userprio``: set, lease, reset, delete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from condor_py.core.accounts.core import Accountant
from condor_py.model.errors import CondorError
from condor_py.model.submitters import fault_of, shown


class EditRefused(CondorError):
    """An edit that makes no sense; the text is HTCondor's."""


@dataclass(frozen=True, slots=True)
class _Leased:
    """A value that may be set for a time: the attribute, HTCondor's word for it, and where it starts."""

    attribute: str
    word: str


LEASED = {
    "ceiling": _Leased("Ceiling", "ceiling"),
    "floor": _Leased("Floor", "floor"),
    "factor": _Leased("PriorityFactor", "priority-factor"),
}


def _row(accountant: Accountant, name: str) -> int:
    """The row of a submitter or group, made where there was none. EditRefused where the log cannot hold the name."""
    if fault := fault_of(name):
        raise EditRefused(f"The name of a submitter cannot be {shown(name)}: it {fault}")
    return accountant.row(name)


def set_priority(accountant: Accountant, name: str, priority: float) -> None:
    """Write the real priority; a value below 0.5 reads as 0.5."""
    accountant.table.set(_row(accountant, name), "Priority", priority)


def set_factor(accountant: Accountant, name: str, factor: float) -> None:
    """Write the priority factor, at least 1."""
    if not factor >= 1.0:
        raise EditRefused("Priority factors must be greater than or equal to 1.")
    accountant.table.set(_row(accountant, name), "PriorityFactor", factor)


def set_ceiling(accountant: Accountant, name: str, ceiling: int) -> None:
    """Write the ceiling in slot weight; -1 for none."""
    if ceiling < -1:
        raise EditRefused("ceiling must be greater than or equal to -1.")
    accountant.table.set(_row(accountant, name), "Ceiling", ceiling)


def set_floor(accountant: Accountant, name: str, floor: int) -> None:
    """Write the floor in slot weight; 0 for none."""
    if floor < -1:
        raise EditRefused("floor must be greater than or equal to -1.")
    accountant.table.set(_row(accountant, name), "Floor", floor)


def set_accumulated(accountant: Accountant, name: str, usage: float) -> None:
    """Write the accumulated weighted usage in weight-seconds."""
    accountant.table.set(_row(accountant, name), "WeightedAccumulatedUsage", usage)


def set_begin(accountant: Accountant, name: str, when: int) -> None:
    """Write the time of the first use."""
    accountant.table.set(_row(accountant, name), "BeginUsageTime", when)


def set_last(accountant: Accountant, name: str, when: int) -> None:
    """Write the time of the last use."""
    accountant.table.set(_row(accountant, name), "LastUsageTime", when)


def reset_usage(accountant: Accountant, name: str, now: int) -> None:
    """Accumulated usage becomes 0 and its beginning ``now``."""
    row = _row(accountant, name)
    accountant.table.set(row, "AccumulatedUsage", 0.0)
    accountant.table.set(row, "WeightedAccumulatedUsage", 0.0)
    accountant.table.set(row, "BeginUsageTime", now)


def reset_all(accountant: Accountant, now: int) -> None:
    """``reset_usage`` for every record."""
    for name in list(accountant.table.names):
        reset_usage(accountant, name, now)


def delete(accountant: Accountant, name: str) -> None:
    """Forget a record. EditRefused when there is none. Submitters that run jobs reappear with the next cycle."""
    if not accountant.table.delete(name):
        raise EditRefused(f"there is no accountant record named {name}")


def lease(accountant: Accountant, kind: str, name: str, value: float, duration: int, now: int) -> None:
    """Set ``kind`` (a key of LEASED) for ``duration`` seconds; refused while another such lease runs."""
    leased = LEASED[kind]
    if duration <= 0:
        raise EditRefused("lease duration must be positive")
    expire_leases(accountant, now)
    expiration = accountant.lease_expiration(name, leased.attribute)
    if expiration > now:
        raise EditRefused(f"{leased.word} lease for {name} is already in effect (expires at {expiration})")
    before = accountant.setting(name, leased.attribute)
    {"ceiling": _ceiling, "floor": _floor, "factor": set_factor}[kind](accountant, name, value)
    row = _row(accountant, name)
    accountant.table.set(row, leased.attribute + "PreLeaseValue", before)
    accountant.table.set(row, leased.attribute + "LeaseExpiration", now + duration)


def _ceiling(accountant: Accountant, name: str, value: float) -> None:
    set_ceiling(accountant, name, int(value))


def _floor(accountant: Accountant, name: str, value: float) -> None:
    set_floor(accountant, name, int(value))


def cancel_lease(accountant: Accountant, kind: str, name: str) -> None:
    """End a lease now: the value from before comes back."""
    leased = LEASED[kind]
    if accountant.lease_expiration(name, leased.attribute) == 0:
        raise EditRefused(f"no {leased.word} lease in effect for {name}")
    _restore(accountant, accountant.table.index[name], leased.attribute)


def expire_leases(accountant: Accountant, now: int) -> tuple[str, ...]:
    """Put back every value whose lease has run out; the names concerned. First thing of a cycle."""
    ended = []
    for leased in LEASED.values():
        column = accountant.table.integers[leased.attribute + "LeaseExpiration"]
        for row, expiration in enumerate(column):
            if 0 < expiration <= now:
                _restore(accountant, row, leased.attribute)
                ended.append(accountant.table.names[row])
    return tuple(ended)


def _restore(accountant: Accountant, row: int, attribute: str) -> None:
    table = accountant.table
    table.set(row, attribute, table.values(row)[attribute + "PreLeaseValue"])
    table.set(row, attribute + "LeaseExpiration", 0)


#: Edits by the names that they have on the negotiator's socket.
_PLAIN: dict[str, Callable[..., Any]] = {
    "setprio": set_priority,
    "setfactor": set_factor,
    "setceiling": set_ceiling,
    "setfloor": set_floor,
    "setaccum": set_accumulated,
    "setbegin": set_begin,
    "setlast": set_last,
    "delete": delete,
}


def apply_edit(accountant: Accountant, name: str, arguments: list[Any], now: int) -> None:
    """Carries one edit out. KeyError for an unknown one, CondorError for one that makes no sense."""
    accountant.update(now)  # what was used until now is charged under what was valid until now
    if name == "resetusage":
        reset_usage(accountant, arguments[0], now)
    elif name == "resetall":
        reset_all(accountant, now)
    elif name == "lease":
        kind, user, value, duration = arguments
        lease(accountant, kind, user, value, duration, now)
    elif name == "cancel-lease":
        cancel_lease(accountant, *arguments)
    else:
        _PLAIN[name](accountant, *arguments)
