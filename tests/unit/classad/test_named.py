"""What an expression looks at, with the values it sees."""

from __future__ import annotations

from condor_py.lang.classad import ClassAd, parse
from condor_py.lang.classad.named import named, reads


def ad(**texts: str) -> ClassAd:
    return ClassAd.from_text_items(texts.items())


def test_a_name_without_scope_is_shown_where_it_was_found() -> None:
    found = reads(parse("Memory > Disk && HasGlue").node, ad(Memory="5"), ad(Memory="1", Disk="7"))
    assert found == (("MY", "Memory", "5"), ("TARGET", "Disk", "7"), ("", "HasGlue", "undefined"))


def test_each_attribute_is_shown_once_with_the_value_it_has_for_the_pair() -> None:
    found = reads(parse("TARGET.Memory >= MY.Request || my.request > 1").node, ad(Request="512 * 2"), ad(Memory="512"))
    assert found == (("TARGET", "Memory", "512"), ("MY", "Request", "1024"))


def test_names_that_a_nested_ad_defines_are_its_own() -> None:
    assert list(named(parse("[a = 1; b = a + c] == TARGET.d").node)) == [("", "c"), ("TARGET", "d")]


def test_what_is_evaluated_in_each_ad_of_a_list_names_nothing_of_the_two_ads() -> None:
    assert list(named(parse("countMatches(Memory > 1, Slots)").node)) == [("", "Slots")]
