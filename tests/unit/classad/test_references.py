"""Which names an expression needs, for significant attributes."""

from __future__ import annotations

import pytest

from condor_py.lang.classad import ClassAd, attribute_references, external_references, parse
from condor_py.lang.classad.columns import column, columns, computed
from condor_py.lang.classad.references import NameSet

AD = ClassAd.from_text_items(
    [
        ("Requirements", "(TARGET.Memory >= RequestMemory) && Arch == WantArch && MY.Extra"),
        ("RequestMemory", "ifThenElse(MemoryUsage =!= undefined, MemoryUsage, 1)"),
        ("Loop", "Loop + other.Disk"),
    ]
)


def test_names_are_split_between_the_two_ads() -> None:
    my, target = attribute_references("Requirements", AD)
    assert list(my) == ["Extra", "RequestMemory", "Requirements"]
    assert list(target) == ["Arch", "Memory", "MemoryUsage", "WantArch"]


def test_without_an_ad_every_unscoped_name_is_external() -> None:
    assert list(external_references("a + B * MY.c + TARGET.d")) == ["a", "B", "d"]


def test_references_follow_everything_an_expression_can_hold() -> None:
    text = "f(a, {b, [x = c]})[d].e ?: (g ? h : i) + n.m"
    assert list(external_references(parse(text))) == ["a", "b", "c", "d", "g", "h", "i", "n"]


def test_cycles_end() -> None:
    my, target = attribute_references("Loop", AD)
    assert (list(my), list(target)) == (["Loop"], ["Disk"])


def test_names_compare_without_case() -> None:
    names = NameSet(["Memory", "memory", "DISK"])
    assert len(names) == 2
    assert "disk" in names
    assert list(names) == ["DISK", "Memory"]
    names.discard("MEMORY")
    assert list(names) == ["DISK"]


def test_an_attribute_of_many_ads_is_gathered() -> None:
    parent, child, plain = ClassAd("[a = b + 1; c = 2]"), ClassAd("[c = 3]"), ClassAd("[A = 4]")
    child.chain(parent)
    ads = [parent, child, plain]
    assert [None if one is None else one.text for one in column(ads, "c")] == ["2", "3", None]
    assert [[None if one is None else one.text for one in found] for found in columns(ads, ("c", "a"))] == [
        ["2", "3", None],
        ["b + 1", "b + 1", "4"],
    ]
    assert columns([], ("c", "a")) == [[], []]
    assert computed(ads, ("a", "c")) == [{parent.find("a")}, set()]
    for wrong in (3, [3], [parent, None]):
        with pytest.raises((TypeError, AttributeError)):
            column(wrong, "a")  # type: ignore[arg-type]
        with pytest.raises((TypeError, AttributeError)):
            computed(wrong, ("a",))  # type: ignore[arg-type]
