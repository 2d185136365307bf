"""The changes that a command line of condor_userprio asks for."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.cli.suggest import hint
from condor_py.client.priority_edits import Edit, apply
from condor_py.lang.classad.functions.types import strtod
from condor_py.model.errors import CondorError
from condor_py.model.texts import leading_number

if TYPE_CHECKING:
    from condor_py.cli.options import Args, Use
    from condor_py.client.pool import Pool

_FULL_NAMES = "(user@uid.domain or user@full.host.name)"


def number(text: str) -> float:
    """C's atof: a text that begins with no number is 0, and so is NaN."""
    found = strtod(text)
    return 0.0 if found is None or found != found else found


def requested_edit(args: Args) -> Edit | None:
    """The edit that the command line asks for; of several the first in HTCondor's order. CondorError if it is bad."""
    for names, make in _MAKERS:
        use = args.last(*names)
        if use is not None:
            try:
                edit = make(use, args)
            except CondorError:
                hint(f"Not done: -{use.name} {' '.join(use.values)}")
                raise
            _hint_at_number(use)
            return edit
    return None


def full_name(name: str, purpose: str, what: str = "submittor", more: str = "") -> str:
    """``name`` if it has a domain."""
    if "@" not in name:
        hint(f"condor_userprio: {name} has no @ and domain")
        asked = f"condor_userprio: You must specify the full name of the {what} you wish"
        raise CondorError(f"{asked}\n\tto {purpose} {_FULL_NAMES}{more}")
    return name


def _hint_at_number(use: Use) -> None:
    """On a terminal, name a value that does not begin with a number, and counts as 0."""
    if len(use.values) > 1 and not number(use.values[1]) and not re.match(r"\s*[-+]?\.?\d", use.values[1]):
        hint(f"condor_userprio: -{use.name} takes a number: {use.values[1]} counts as 0")


def _duration(args: Args) -> int:
    return args.number("duration", 0)


def _set_priority(use: Use, args: Args) -> Edit:
    name, value = full_name(use.values[0], "update the priority of"), number(use.values[1])
    return Edit("setprio", (name, value), f"The priority of {name} was set to {value:f}", "", "SET_PRIORITY")


def _set_factor(use: Use, args: Args) -> Edit:
    name, value = full_name(use.values[0], "update the priority of"), number(use.values[1])
    if not value >= 1:
        raise CondorError("Priority factors must be greater than or equal to 1.")
    seconds = _duration(args)
    if seconds:
        done = f"Set priority-factor lease on {name} to {value:f} for {seconds} seconds"
        refused = "negotiator rejected priority-factor lease: "
        return Edit("lease", ("factor", name, value, seconds), done, refused, "MANAGE_PRIORITY_FACTOR")
    done = f"The priority factor of {name} was set to {value:f}"
    return Edit("setfactor", (name, value), done, "set priority factor failed: ", "SET_PRIORITYFACTOR")


def _set_bound(use: Use, args: Args) -> Edit:
    """-setfloor and -setceiling."""
    word = use.name.removeprefix("set")
    least = 0 if word == "floor" else -1
    name = full_name(use.values[0], f"update the {word} of", more=f" (not {use.values[0]})")
    value = leading_number(use.values[1])
    if value < least:
        raise CondorError(f"{word} must be greater than or equal to {least}.")
    seconds = _duration(args)
    if seconds:
        done = f"Set {word} lease on {name} to {value} for {seconds} seconds"
        return Edit("lease", (word, name, value, seconds), done, f"negotiator rejected {word} lease: ", f"SET_{word}")
    return Edit(use.name, (name, value), f"The {word} of {name} was set to {value}", "", f"SET_{word}")


def _cancel(use: Use, args: Args) -> Edit:
    kind = use.name.removeprefix("cancel").removesuffix("lease")
    word = "priority-factor" if kind == "factor" else kind
    name = use.values[0]
    if "@" not in name:
        raise CondorError(f"condor_userprio: -{use.name} requires a full submitter name (user@domain)")
    done = f"Cancelled {word} lease for {name}"
    return Edit("cancel-lease", (kind, name), done, "negotiator rejected cancel: ", f"{word} lease cancel")


def _set_accumulated(use: Use, args: Args) -> Edit:
    name, value = full_name(use.values[0], "update the Accumulated usage of"), number(use.values[1])
    if value < 0:
        raise CondorError("Usage must be greater than 0 seconds")
    done = f"The Accumulated Usage of {name} was set to {value:f}"
    return Edit("setaccum", (name, value), done, "", "SET_ACCUMUSAGE")


def _set_time(use: Use, args: Args) -> Edit:
    """-setbegin and -setlast."""
    begin = use.name == "setbegin"
    name = full_name(use.values[0], f"update the {'begin' if begin else 'last'} usage time of")
    value = leading_number(use.values[1])
    if value < 0:
        raise CondorError("Time must be greater than 0 seconds")
    done = f"The {'Begin' if begin else 'Last'} Usage Time of {name} was set to {value}"
    return Edit(use.name, (name, value), done, "", "SET_BEGINTIME" if begin else "SET_LASTTIME")


def _reset_usage(use: Use, args: Args) -> Edit:
    name = full_name(use.values[0], "update the priority of")
    return Edit("resetusage", (name,), f"The accumulated usage of {name} was reset", "", "RESET_USAGE")


def _delete(use: Use, args: Args) -> Edit:
    name = full_name(use.values[0], "delete", "record")
    done = f"The accountant record named {name} was deleted"
    return Edit("delete", (name,), done, "condor_userprio: ", "DELETE_USER")


def _reset_all(use: Use, args: Args) -> Edit:
    return Edit("resetall", (), "The accumulated usage was reset for all users", "", "RESET_ALL_USAGE")


_MAKERS: tuple[tuple[tuple[str, ...], Callable[[Use, Args], Edit]], ...] = (
    (("setprio",), _set_priority),
    (("setfactor",), _set_factor),
    (("setfloor",), _set_bound),
    (("setceiling",), _set_bound),
    (("cancelceilinglease",), _cancel),
    (("cancelfloorlease",), _cancel),
    (("cancelfactorlease",), _cancel),
    (("setaccum",), _set_accumulated),
    (("setbegin",), _set_time),
    (("setlast",), _set_time),
    (("resetusage",), _reset_usage),
    (("delete",), _delete),
    (("resetall",), _reset_all),
)


def carry_out(pool: Pool, edit: Edit) -> None:
    """Change the record, durably, and say so. CondorError when it is refused."""
    apply(pool, edit)
    sys.stdout.write(edit.done + "\n")
