"""Each edit option of condor_userprio: what is asked of the negotiator, and what is said when that works or fails."""

from __future__ import annotations

from itertools import pairwise

import pytest

from condor_py.cli.options import parse
from condor_py.cli.userprio import SPECS
from condor_py.cli.userprio.edit import number, requested_edit
from condor_py.client.priority_edits import Edit
from condor_py.model.errors import CondorError
from condor_py.model.texts import leading_number

USER = "bea@example.net"
EDITS = {
    f"-setprio {USER} 7.5": Edit(
        "setprio", (USER, 7.5), f"The priority of {USER} was set to 7.500000", "", "SET_PRIORITY"
    ),
    f"-setfactor {USER} 1": Edit(
        "setfactor", (USER, 1.0), f"The priority factor of {USER} was set to 1.000000", "set priority factor failed: ",
        "SET_PRIORITYFACTOR",
    ),
    f"-setfactor {USER} 20 -duration 60": Edit(
        "lease", ("factor", USER, 20.0, 60), f"Set priority-factor lease on {USER} to 20.000000 for 60 seconds",
        "negotiator rejected priority-factor lease: ", "MANAGE_PRIORITY_FACTOR",
    ),
    f"-setfloor {USER} 0": Edit("setfloor", (USER, 0), f"The floor of {USER} was set to 0", "", "SET_floor"),
    f"-setfloor {USER} 2 -duration 9": Edit(
        "lease", ("floor", USER, 2, 9), f"Set floor lease on {USER} to 2 for 9 seconds",
        "negotiator rejected floor lease: ", "SET_floor",
    ),
    f"-setceiling {USER} -1": Edit(
        "setceiling", (USER, -1), f"The ceiling of {USER} was set to -1", "", "SET_ceiling"
    ),
    f"-setceiling {USER} 3 -duration 9": Edit(
        "lease", ("ceiling", USER, 3, 9), f"Set ceiling lease on {USER} to 3 for 9 seconds",
        "negotiator rejected ceiling lease: ", "SET_ceiling",
    ),
    f"-cancelceilinglease {USER}": Edit(
        "cancel-lease", ("ceiling", USER), f"Cancelled ceiling lease for {USER}", "negotiator rejected cancel: ",
        "ceiling lease cancel",
    ),
    f"-cancelfloorlease {USER}": Edit(
        "cancel-lease", ("floor", USER), f"Cancelled floor lease for {USER}", "negotiator rejected cancel: ",
        "floor lease cancel",
    ),
    f"-cancelfactorlease {USER}": Edit(
        "cancel-lease", ("factor", USER), f"Cancelled priority-factor lease for {USER}",
        "negotiator rejected cancel: ", "priority-factor lease cancel",
    ),
    f"-setaccum {USER} 0": Edit(
        "setaccum", (USER, 0.0), f"The Accumulated Usage of {USER} was set to 0.000000", "", "SET_ACCUMUSAGE"
    ),
    f"-setbegin {USER} 0": Edit(
        "setbegin", (USER, 0), f"The Begin Usage Time of {USER} was set to 0", "", "SET_BEGINTIME"
    ),
    f"-setlast {USER} 77": Edit(
        "setlast", (USER, 77), f"The Last Usage Time of {USER} was set to 77", "", "SET_LASTTIME"
    ),
    f"-resetusage {USER}": Edit(
        "resetusage", (USER,), f"The accumulated usage of {USER} was reset", "", "RESET_USAGE"
    ),
    f"-delete {USER}": Edit(
        "delete", (USER,), f"The accountant record named {USER} was deleted", "condor_userprio: ", "DELETE_USER"
    ),
    "-resetall": Edit("resetall", (), "The accumulated usage was reset for all users", "", "RESET_ALL_USAGE"),
}  # fmt: skip


def asked(text: str) -> Edit | None:
    return requested_edit(parse(SPECS[0], text.split()))


@pytest.mark.parametrize("text", EDITS)
def test_an_edit(text: str) -> None:
    assert asked(text) == EDITS[text]


def test_the_first_of_several_edits_is_made_in_the_order_of_htcondor() -> None:
    assert asked("-allusers") is None
    texts = list(EDITS)
    for before, after in pairwise(texts):
        if before.split()[0] != after.split()[0] and "-duration" not in before + after:
            found = asked(f"{after} {before}")
            assert found is not None
            assert found == EDITS[before]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"-setfactor {USER} 0.99", "Priority factors must be greater than or equal to 1."),
        (f"-setfactor {USER} nan", "Priority factors must be greater than or equal to 1."),
        (f"-setfloor {USER} -1", "floor must be greater than or equal to 0."),
        (f"-setceiling {USER} -2", "ceiling must be greater than or equal to -1."),
        (f"-setaccum {USER} -1", "Usage must be greater than 0 seconds"),
        (f"-setbegin {USER} -1", "Time must be greater than 0 seconds"),
        (f"-setlast {USER} -1", "Time must be greater than 0 seconds"),
        ("-cancelfloorlease bea", "condor_userprio: -cancelfloorlease requires a full submitter name (user@domain)"),
        *(
            (f"{words}", f"condor_userprio: You must specify the full name of the {what} you wish\n\tto {purpose} "
             f"(user@uid.domain or user@full.host.name){more}")
            for words, what, purpose, more in (
                ("-setprio bea 5", "submittor", "update the priority of", ""),
                ("-setfactor bea 5", "submittor", "update the priority of", ""),
                ("-setfloor bea 5", "submittor", "update the floor of", " (not bea)"),
                ("-setceiling bea 5", "submittor", "update the ceiling of", " (not bea)"),
                ("-setaccum bea 5", "submittor", "update the Accumulated usage of", ""),
                ("-setbegin bea 5", "submittor", "update the begin usage time of", ""),
                ("-setlast bea 5", "submittor", "update the last usage time of", ""),
                ("-resetusage bea", "submittor", "update the priority of", ""),
                ("-delete bea", "record", "delete", ""),
            )
        ),
    ],
)  # fmt: skip
def test_an_edit_that_is_refused(text: str, said: str) -> None:
    with pytest.raises(CondorError) as refused:
        asked(text)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("text", "real", "whole"),
    [
        ("5", 5.0, 5), (" -2.5e1x", -25.0, -2), ("+.5", 0.5, 0), ("x", 0.0, 0), ("", 0.0, 0), ("7 8", 7.0, 7),
        ("0x10", 16.0, 0), ("inf", float("inf"), 0), ("nan", 0.0, 0),
    ],
)  # fmt: skip
def test_numbers_are_read_as_c_reads_them(text: str, real: float, whole: int) -> None:
    assert (number(text), leading_number(text)) == (real, whole)
