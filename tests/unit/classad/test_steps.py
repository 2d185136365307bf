"""The steps of a condition: how they are numbered, and which are left out when targets are counted."""

from __future__ import annotations

import pytest

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.exprtree import parse
from condor_py.lang.classad.stepcounts import Target, count_steps, decides
from condor_py.lang.classad.steps import own_names, steps_of, target_names

NUMBERED = [
    ("TARGET.a && (TARGET.b || TARGET.c)", ["TARGET.a", "TARGET.b", "TARGET.c", "[1] || [2]", "[0] && [3]"]),
    ("!(TARGET.a > 1)", [" !(TARGET.a > 1)"]),
    ("!(x1 && y1)", ["x1", "y1", " ! [0]"]),
    ("TARGET.a + 1 > 2.5", ["TARGET.a + 1 > 2.500000000000000E+00"]),
    ("(TARGET.a > 1) == (TARGET.b > 2)", ["TARGET.a > 1", "TARGET.b > 2", "[0] (TARGET.a > 1) == (TARGET.b > 2)"]),
    ("x1 > 1 ? y1 : z1", ["x1 > 1", "x1 > 1 ? y1 : z1"]),
    ("(x1 > 1 ? y1 : z1)", ["x1 > 1", "[0] x1 > 1 ? y1 : z1"]),
    ("a1 =?= b1", ["a1 is b1"]),
    ("ifThenElse(x1, y1, z1)", ["ifThenElse(x1,y1,z1)"]),
]


@pytest.mark.parametrize(("text", "expected"), NUMBERED, ids=[text for text, _ in NUMBERED])
def test_steps_are_numbered_in_the_order_in_which_they_are_complete(text: str, expected: list[str]) -> None:
    assert [step.numbered() for step in steps_of(ClassAd(), parse(text))] == expected


def test_what_is_not_shared_is_looked_into_as_a_condition() -> None:
    found = steps_of(ClassAd(), parse("{ 1 }[0] == 1 ? y1 : z1"), shared=False)
    assert [step.numbered() for step in found] == ["{ 1 }[0] == 1", "[0] { 1 }[0] == 1 ? y1 : z1"]


def test_what_ifthenelse_chooses_from_can_be_steps() -> None:
    found = steps_of(ClassAd(), parse("ifThenElse(x1 > 1, y1, z1)"), branches=True)
    assert [step.numbered() for step in found] == ["x1 > 1", "y1", "z1", "ifThenElse([0],[1],[2])"]


def test_attributes_are_taken_apart_in_place_once() -> None:
    ad = ClassAd("[ START = Cpus > 1 && START; Cpus = 2 ]")
    assert [step.numbered() for step in steps_of(ad, parse("START"), frozenset(("start",)))] == [
        "Cpus > 1", "START", "[0] && [1]",
    ]  # fmt: skip


def _table(ad: ClassAd, text: str, targets: list[Target]) -> list[tuple[str, bool | None, list[int]]]:
    steps = steps_of(ad, parse(text))
    count_steps(ad, steps, targets)
    return [(step.shown(), step.constant, step.counts) for step in steps if decides(step)]


def test_steps_that_decide_nothing_are_left_out() -> None:
    targets = [Target(ClassAd(f"[ Cpus = {cpus}; Memory = 10 ]")) for cpus in (0, 1, 4)]
    ad = ClassAd("[ Want = 2 ]")
    assert _table(ad, "true && TARGET.Cpus >= Want", targets) == [("TARGET.Cpus >= Want", None, [1, 0])]
    assert _table(ad, "TARGET.Memory > 5 || TARGET.Cpus > 1", targets) == [("TARGET.Memory > 5", None, [3, 0])]
    assert _table(ad, "Want > 5 && TARGET.Cpus > 1", targets) == [("Want > 5", False, [0, 0])]


def test_what_could_be_is_counted_apart() -> None:
    full = ClassAd("[ Cpus = 0; TotalSlotCpus = 4 ]")
    drained = ClassAd("[ Cpus = TotalSlotCpus ]")
    drained.chain(full)
    assert _table(ClassAd(), "TARGET.Cpus > 1", [Target(full), Target(drained, True)]) == [
        ("TARGET.Cpus > 1", None, [0, 1])
    ]


def test_names_are_those_of_the_ad_and_of_the_target() -> None:
    ad = ClassAd("[ Want = Size * 2; Size = 3; Loop = Loop ]")
    condition = parse("TARGET.Cpus > Want && Other.x > 1 && nowhere")
    assert list(own_names(ad, condition)) == ["Size", "Want"]
    assert list(target_names(ad, condition)) == ["Cpus", "nowhere", "x"]
    assert list(own_names(ad, parse("Loop"))) == []
