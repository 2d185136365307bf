"""Why a condition is not true: its clauses, what they saw, and which of them to relax."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condor_py.classad import ClassAd, ExprTree, parse
from condor_py.classad.explain import Clause, conjunction, conjuncts, explain, outcome, survey


def ad(**texts: str) -> ClassAd:
    return ClassAd.from_text_items(texts.items())


def clauses(text: str, own: ClassAd | None = None) -> list[str]:
    return [ExprTree.of(part.node).text for part in conjuncts(parse(text), own or ClassAd())]


# ---- one target ---------------------------------------------------------------------------------------------


def test_each_clause_tells_its_outcome_and_the_values_it_saw() -> None:
    text = '(TARGET.Arch == "X86_64") && (TARGET.Memory >= RequestMemory) && HasGlue'
    job = ad(Requirements=text, RequestMemory="512 * 2")
    found = explain(job, ad(Arch='"x86_64"', Memory="512"))
    assert found.outcome == "false"
    assert found.clauses == (
        Clause('TARGET.Arch == "X86_64"', "true", (("TARGET", "Arch", '"x86_64"'),)),
        Clause(
            "TARGET.Memory >= RequestMemory", "false", (("TARGET", "Memory", "512"), ("MY", "RequestMemory", "1024"))
        ),
        Clause("HasGlue", "undefined", (("", "HasGlue", "undefined"),)),
    )
    assert [clause.text for clause in found.failing] == ["TARGET.Memory >= RequestMemory", "HasGlue"]


def test_attributes_that_are_expressions_are_opened() -> None:
    slot = ad(
        Requirements="Start && WithinResourceLimits",
        Start='TARGET.Owner == "ann" && (KeyboardIdle > 60)',
        KeyboardIdle="5",
        WithinResourceLimits="TARGET.RequestCpus <= Cpus",
        Cpus="4",
    )
    found = explain(slot, ad(Owner='"ann"', RequestCpus="1"))
    assert [(clause.text, clause.outcome, clause.via) for clause in found.clauses] == [
        ('TARGET.Owner == "ann"', "true", ("Start",)),
        ("KeyboardIdle > 60", "false", ("Start",)),
        ("TARGET.RequestCpus <= Cpus", "true", ("WithinResourceLimits",)),
    ]


def test_a_name_without_scope_is_shown_where_it_was_found() -> None:
    found = explain(ad(Requirements="Memory > Disk", Memory="5"), ad(Memory="1", Disk="7"))
    assert found.clauses[0].reads == (("MY", "Memory", "5"), ("TARGET", "Disk", "7"))


def test_a_choice_is_split_when_one_of_its_branches_is_a_conjunction() -> None:
    assert clauses("a ? b && c : d") == ["a ? b : true", "a ? c : true", "a ? true : d"]
    assert clauses("a ? b : c") == ["a ? b : c"]
    assert clauses("a ? (b && c) : true") == ["a ? b : true", "a ? c : true"]


def test_conditions_that_are_always_true_are_left_out() -> None:
    assert clauses("true && (a || b) && 1") == ["a || b"]
    assert clauses("true") == ["true"]


def test_attributes_that_refer_to_themselves_stay_closed() -> None:
    own = ad(Start="(Start =?= undefined) && Ready", Ready="true")
    assert clauses("Start && Ready", own) == ["Start", "Ready"]
    round_about = ad(A="B && true", B="A && true")
    assert explain(round_about, None, "A").outcome == "undefined"


def test_a_cycle_through_the_other_ad_does_not_fool_the_split() -> None:
    own = ad(Requirements="Start", Start="(TARGET.Echo =?= undefined) && x", x="true")
    other = ad(Echo="TARGET.Start")
    found = explain(own, other)
    assert found.outcome == outcome(own, "Requirements", other)
    assert conjunction([clause.outcome for clause in found.clauses]) == found.outcome


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", "true"), ("0.0", "false"), ('"yes"', "error"), ("{true}", "error"), ("x", "undefined"), ("1 / 0", "error")],
)
def test_what_counts_as_true(text: str, expected: str) -> None:
    assert outcome(ClassAd(), parse(text)) == expected


def test_a_missing_attribute_is_undefined() -> None:
    found = explain(ClassAd(), ClassAd())
    assert (found.outcome, found.clauses[0].text) == ("undefined", "Requirements")


# ---- many targets -------------------------------------------------------------------------------------------


def slots(*memory_and_disk: tuple[int, int]) -> list[ClassAd]:
    return [ad(Memory=str(memory), Disk=str(disk)) for memory, disk in memory_and_disk]


JOB = ad(Requirements='TARGET.Memory >= 100 && TARGET.Disk >= 10 && TARGET.Site == "B"')


def test_the_clause_to_relax_is_the_one_that_alone_keeps_most_targets_out() -> None:
    job = ad(Requirements="TARGET.Memory >= 100 && TARGET.Disk >= 10")
    found = survey(job, slots((200, 20), (50, 20), (60, 30), (200, 1), (1, 1)))
    assert (found.total, found.matched) == (5, 1)
    assert [(count.satisfied, count.first, count.alone) for count in found.clauses] == [(2, 3, 2), (3, 1, 1)]
    assert found.relax == 0


def test_nothing_to_relax_when_every_target_fails_twice() -> None:
    found = survey(JOB, slots((1, 1), (200, 1)))
    assert found.relax is None
    assert (found.nearest, found.missing) == (1, (1, 2))
    assert [count.undefined for count in found.clauses] == [0, 0, 2]


def test_all_match() -> None:
    found = survey(ad(Requirements="TARGET.Memory > 0"), slots((1, 1), (2, 2)))
    assert (found.matched, found.relax, found.nearest, found.missing) == (2, None, None, ())


def test_no_targets() -> None:
    found = survey(JOB, [])
    assert (found.total, found.matched, found.relax, found.nearest) == (0, 0, None, None)


# ---- the split never lies -----------------------------------------------------------------------------------

LEAVES = [
    "true", "false", "undefined", "error", "1", "0", '"text"', "a", "b", "c", "TARGET.q", "TARGET.r", "MY.b", "Start",
    "Loop", "zz", "a > 1", "TARGET.q >= b", 'MY.s == "x"', "isUndefined(zz)", "q =?= 7", "r",
]  # fmt: skip


def condition(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.15:
        return random.choice(LEAVES)
    inner = [condition(random, depth - 1) for _ in range(3)]
    return random.choice(
        [
            f"{inner[0]} && {inner[1]}", f"({inner[0]}) && ({inner[1]})", f"({inner[0]} && {inner[1]} && {inner[2]})",
            f"({inner[0]}) || ({inner[1]})", f"({inner[0]}) ? ({inner[1]}) : ({inner[2]})", f"!({inner[0]})",
        ]
    )  # fmt: skip


def pair(random: Random) -> tuple[ClassAd, ClassAd]:
    own = ad(
        a=random.choice(LEAVES), b="2", s='"x"', Start=condition(random, 2), Loop=condition(random, 1),
        Requirements=condition(random, 4),
    )  # fmt: skip
    other = ad(q=random.choice(["7", "1", "true", "TARGET.Start", "TARGET.a && MY.r"]), r=condition(random, 1))
    return own, other


@settings(max_examples=1500, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1 << 32))
def test_the_clauses_together_are_the_whole(seed: int) -> None:
    own, other = pair(Random(seed))
    found = explain(own, other)
    assert found.outcome == outcome(own, "Requirements", other)
    assert conjunction([clause.outcome for clause in found.clauses]) == found.outcome
    assert (found.outcome == "true") == (not found.failing)


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1 << 32))
def test_without_cycles_the_split_alone_is_exact(seed: int) -> None:
    """Not even the comparison with the whole in explain() is needed."""
    random = Random(seed)
    own, other = pair(random)
    own.set_text("Loop", "true")
    own.set_text("a", "1")
    own.set_text("Start", "b > 1 && TARGET.q")
    other.set_text("q", "7")
    other.set_text("r", "true")
    parts = conjuncts(own.lookup("Requirements"), own)
    outcomes = [outcome(own, ExprTree.of(part.node), other) for part in parts]
    assert conjunction(outcomes) == outcome(own, "Requirements", other)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1 << 32))
def test_a_survey_is_many_explanations(seed: int) -> None:
    random = Random(seed)
    own, _ = pair(random)
    targets = [pair(random)[1] for _ in range(6)]
    found = survey(own, targets)
    assert found.matched == sum(outcome(own, "Requirements", target) == "true" for target in targets)
    assert sum(count.first for count in found.clauses) == found.total - found.matched
    if found.relax is not None:
        assert found.clauses[found.relax].alone == max(count.alone for count in found.clauses) > 0
