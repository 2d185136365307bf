"""The constraints, modes and contradictions of condor_status's options, and the order of names."""

from __future__ import annotations

import io
import sys

import pytest

from condor_py.cli.options import parse
from condor_py.cli.status.displays import AVAILABLE, CLAIMED_COMPACT, COMPACT
from condor_py.cli.status.modes import Chosen, choose
from condor_py.cli.status.select import BadConstraint, constraints, natural_key, ordered, place, select, sort_key
from condor_py.cli.status.spec import SPEC
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.exprtree import parse as expression
from condor_py.model.errors import CondorError


def asked(line: str, *known: str) -> list[str]:
    """Return the constraints of a command line; ``known`` are the names that ads have."""
    args = parse(SPEC, line.split())
    return [str(one) for one in constraints(args, choose(args), "", known)]


def texts(*expressions: str) -> list[str]:
    return [str(expression(text)) for text in expressions]


NAMED = 'Name == "lab" || Machine == "lab"'


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", []),
        ("-avail", [AVAILABLE]),
        ("-avail -compact", [AVAILABLE]),
        ("-compact", [COMPACT]),
        ("-compact -gpus", []),
        ("-compact -claimed", [CLAIMED_COMPACT]),
        ("-compact -server", [COMPACT]),
        ("-cod", ["NumCODClaims > 0"]),
        ("-java -vm -absent", ["HasJava", "HasVM", "Absent"]),
        ("-offline", ["size(OfflineUniverses) != 0"]),
        ("-constraint Cpus>1 -java -constraint Memory>2", ["HasJava", "Cpus>1", "Memory>2"]),
        ("-annex-name a", ['AnnexName =?= "a"']),
        ("-annex-slots", ["IsAnnex"]),
        ("-annex", ["IsAnnex"]),
        ("-annex a", ['AnnexName =?= "a"']),
        ("-annex-slots a -java", ["HasJava", 'AnnexName =?= "a"']),
        ("-annex-slots -annex-name a", ["IsAnnex", 'AnnexName =?= "a"']),
        ("-sort Cpus -sort no", ["(Cpus) =!= undefined"]),
        *((f"-sort {word}", []) for word in ("false", "0", "No", "NONE")),
        ("-claimed", ['(State == "Claimed")']),
        ("-claimed ann", ['State == "Claimed" && (RemoteUser == "ann")']),
        ("-claimed ann bob", ['State == "Claimed" && (RemoteUser == "ann" || RemoteUser == "bob")']),
        ("-claimed -compact ann", [CLAIMED_COMPACT, '(RemoteUser == "ann")']),
        ("-claimed -compact ann bob", [CLAIMED_COMPACT, '(RemoteUser == "ann") || (RemoteUser == "bob")']),
        ("lab", [f"({NAMED})"]),
        ("LAB", ['(Name == "LAB" || Machine == "LAB")']),
        ("lab a@b", [f'({NAMED}) || (Name == "a@b" || Machine == "a@b")']),
        ("-submitters no.such.invalid", ['(Name == "no.such.invalid" || Machine == "no.such.invalid")']),
        ("-claimed no.such.invalid", ['State == "Claimed" && (RemoteUser == "no.such.invalid")']),
    ],
)
def test_what_ads_must_be(line: str, wanted: list[str]) -> None:
    assert asked(line, "Lab") == texts(*wanted)


def test_a_host_has_to_exist() -> None:
    with pytest.raises(CondorError, match="unknown host"):
        asked("no.such.invalid", "lab")
    assert asked("localhost", "lab") == texts('(Name == "localhost" || Machine == "localhost")')


def test_the_display_adds_its_own_constraint() -> None:
    args = parse(SPEC, ["-java"])
    assert [str(one) for one in constraints(args, choose(args), "TotalGPUs > 0", [])] == texts(
        "TotalGPUs > 0", "HasJava"
    )


def test_what_does_not_parse() -> None:
    with pytest.raises(BadConstraint) as bad:
        asked("-constraint (")
    assert (bad.value.text, str(bad.value)) == ("(", "Error: invalid constraint\n")
    with pytest.raises(CondorError, match=r"Error:  Parse error of: \("):
        asked("-sort (")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("name", "told"), [("slot1@lab", False), ("SLOT1@LAB", False), ("localhost", False), ("slot2@lab", True)]
)
def test_a_person_is_told_of_a_slot_that_does_not_exist(name: str, told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    error = _Terminal()
    monkeypatch.setattr(sys, "stderr", error)
    asked(name, "slot1@lab")
    assert (error.getvalue() == f"condor_status: nothing here is called {name}\n") is told


def slots(*cpus: int) -> list[ClassAd]:
    return [ClassAd({"Name": f"slot{number}", "Machine": "m", "Cpus": many}) for number, many in enumerate(cpus, 1)]


@pytest.mark.parametrize(("limit", "found"), [(None, 3), (0, 3), (-1, 3), (1, 1), (2, 2), (9, 3)])
def test_so_many_ads_at_most(limit: int | None, found: int) -> None:
    assert len(select(slots(1, 0, 2, 3), [expression("Cpus > 0")], limit)) == found


def test_all_constraints_hold_and_numbers_count() -> None:
    found = select(slots(1, 0, 2), [expression("Cpus"), expression('Name != "slot3"')], None)
    assert [ad.eval_str("Name") for ad in found] == ["slot1"]
    assert select(slots(1), [expression("Missing")], None) == []


def in_order(line: str, ads: list[ClassAd]) -> list[str]:
    args = parse(SPEC, line.split())
    return [ad.eval_str("Name", "") for ad in ordered(ads, args, choose(args).compact)]


def test_the_order_of_values() -> None:
    ads = slots(3, 1, 2)
    assert in_order("", ads) == ["slot1", "slot2", "slot3"]
    assert in_order("-sort Cpus", ads) == ["slot2", "slot3", "slot1"]
    assert in_order("-sort no", ads[::-1]) == ["slot3", "slot2", "slot1"]
    assert in_order("-sort no -sort Cpus", ads) == ["slot2", "slot3", "slot1"]
    assert in_order("-sort Cpus>1 -sort Name", ads) == ["slot2", "slot1", "slot3"], "false before true"
    assert in_order("-sort Cpus*1.5", slots(10, 9)) == ["slot2", "slot1"]


def test_compact_rows_keep_a_machine_together() -> None:
    ads = [
        ClassAd({"Name": f"{machine}{kind}{number}", "Machine": machine, "SlotTypeID": kind, "Cpus": number})
        for number, machine, kind in ((2, "b", 1), (1, "a", 2), (3, "a", 1), (1, "b", -1))
    ]
    assert in_order("-compact", ads) == ["a13", "a21", "b-11", "b12"]
    assert in_order("-compact -sort Cpus", ads) == ["a13", "a21", "b-11", "b12"]
    assert in_order("-compact -sort Machine -sort 10-Cpus", ads) == ["a13", "a21", "b12", "b-11"]


@pytest.mark.parametrize(
    ("attributes", "shown"),
    [({"Machine": "m", "SlotTypeID": -2}, "m:2"), ({"Machine": "m"}, "m"), ({"SlotTypeID": 1}, "1"), ({}, "undefined")],
)
def test_a_place_is_machine_and_type(attributes: dict[str, object], shown: str) -> None:
    assert place(ClassAd(attributes)) == shown


def test_two_ads_are_the_same_by_machine_and_name_or_by_what_they_are_sorted_by() -> None:
    one, other = ClassAd({"Machine": "m", "Name": "a", "Cpus": 1}), ClassAd({"Machine": "m", "Name": "b", "Cpus": 1})
    by_name, by_cpus = parse(SPEC, []), parse(SPEC, ["-sort", "Cpus"])
    assert sort_key(one, by_name) != sort_key(other, by_name)
    assert sort_key(one, by_cpus) == sort_key(other, by_cpus)
    moved = ClassAd({"Machine": "n", "Name": "a"})
    assert sort_key(one, by_name) != sort_key(moved, by_name)


@pytest.mark.parametrize(
    ("first", "second"), [("x00", "x0"), ("x9", "x10"), ("x01b", "x1"), ("x0", "x9"), ("x9a", "x10"), ("x", "x0")]
)
def test_numbers_in_names(first: str, second: str) -> None:
    """As HTCondor compares names: of equal numbers those with more zeros before them first, letters after digits."""
    assert sorted((second, first), key=natural_key) == [first, second]


MODES = {
    "": "slots",
    "-avail": "avail",
    "-run": "schedd-run",
    "-slots -run": "claimed",
    "-claimed -run": "claimed",
    "-schedd -run": "schedd-run",
    "-run -schedd": "schedd-run",
    "-data": "schedd-data",
    "-schedd -data": "schedd-data",
    "-data -schedd": "schedd-data",
    "-claimed -schedd": "schedd-run",
    "-schedd -schedd": "schedd",
    "-gpus": "gpus",
    "-startd -gpus": "startd-gpus",
    "-gpus -startd": "startd-gpus",
    "-broken": "broken",
    "-startd -broken": "startd-broken",
    "-broken -startd": "startd-broken",
    "-lvm": "lvm",
    "-lvm:x": "lvm",
    "-startd -lvm": "startd-lvm",
    "-lvm -startd": "startd-lvm",
    "-healthy": "startd-health",
    "-healthy -startd": "startd-health",
    "-startd -healthy": "startd-health",
    "-slots -healthy": "slot-health",
    "-healthy -slots": "slot-health",
    "-master": "master",
    "-subsystem machine": "slots",
    "-subsystem SCHEDD": "schedd",
    "-subsystem Submitters": "submitters",
    "-subsystem Odd": "Odd",
}


def chosen(line: str) -> Chosen:
    return choose(parse(SPEC, line.split()))


@pytest.mark.parametrize("line", MODES)
def test_the_mode_of_options_together(line: str) -> None:
    found = chosen(line)
    assert (found.name, found.messages) == (MODES[line], [])


def test_slots_undoes_compact() -> None:
    assert not chosen("-compact -slots").compact
    assert chosen("-slots -compact").compact
    assert not chosen("-compact -nocompact").compact


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("-master -schedd", "Error:  Arg 2 (-schedd) contradicts arg 1 (-master)"),
        ("-master x@y -neg", "Error:  Arg 3 (-neg) contradicts arg 1 (-master)"),
        ("-schedd -compact", "Error:  arg (-compact) contradicts arg 1 (-schedd) "),
        ("-compact -startd", "Error:  arg (-compact) contradicts arg 2 (-startd) remove -startd from command or use "
         "-slot instead"),
    ],
)  # fmt: skip
def test_modes_that_contradict_each_other(line: str, said: str) -> None:
    with pytest.raises(CondorError) as refused:
        chosen(line)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("line", "style", "messages"),
    [
        ("-server -claimed", "CLAIMED", []),
        ("-claimed -server", "CLAIMED", ["Error:  arg 2 (-server) contradicts arg 1 (-claimed)"]),
        ("-server -state", "STATE", []),
        ("-state -server", "STATE", ["Error:  arg 2 (-server) contradicts arg 1 (-state)"]),
        ("-server -server", "SERVER", []),
        ("-healthy -slots", "SLOT_HEALTH", []),
        ("-healthy -server", "STARTD_HEALTH", ["Error:  arg 2 (-server) contradicts arg 1 (-healthy)"]),
        ("-master -server", "MASTER", ["Error:  arg 2 (-server) contradicts arg 1 (-master)"]),
        ("-long -server", "LONG", []),
        ("-server -long", "LONG", []),
        ("-format %d Cpus -long", "LONG", []),
        ("-long -format %d Cpus", "LONG", ["Error:  arg 2 (-format) contradicts arg 1 (-long)"]),
        ("-af Cpus -server", "CUSTOM", []),
        ("-json", "LONG", []),
        ("-toml", "LONG", []),
        ("-server", "SERVER", []),
        ("-server -slots", "SERVER", ["Error:  arg 2 (-slots) contradicts arg 1 (-server)"]),
    ],
)
def test_the_style_of_options_together(
    line: str, style: str, messages: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A later option replaces an earlier one that shows less; whole ads and columns of one's own stay."""
    found = chosen(line)
    assert found.style.name == style
    assert found.messages == messages
    assert capsys.readouterr().err == "".join(f"{text}\n" for text in messages)


def test_a_subsystem_has_a_name() -> None:
    for line in ("-subsystem", "-subsystem -x"):
        with pytest.raises(CondorError, match=r"condor_status: -subsystem requires another argument\nUse"):
            chosen(line)
