"""match_many says what symmetric_match says for every pair, and evaluates like ads once."""

from __future__ import annotations

from random import Random

import pytest

from condor_py.lang.classad import ClassAd, match_many, symmetric_match
from condor_py.lang.classad.allowance import Allowance
from condor_py.lang.classad.dependencies import OPAQUE, Names, names_in
from condor_py.lang.classad.exprtree import parse
from condor_py.lang.classad.match import run_each, symmetric_matches
from condor_py.lang.classad.values import ERROR

REQUIREMENTS = [
    "TARGET.Memory >= RequestMemory && TARGET.Arch == MyArch",
    "Memory > 1000",
    "TARGET.Ok ?: false",
    "true",
    "undefined",
    'TARGET["Memory"] > RequestMemory',
    "(size(TARGET) > 4) || Cpus > 2",
    "Cpus >= RequestCpus && Indirect",
    'regexp("^x", TARGET.Arch)',
    "TARGET.Tags[1] == 2",
    "TARGET.Sub.Value > 3",
]


def random_ad(random: Random, slot: bool) -> ClassAd:
    pairs = [("Requirements", random.choice(REQUIREMENTS)), ("Noise", str(random.random()))]
    for name, texts in {
        "Memory": ["512", "2048", "4096.0", "Cpus * 1024"],
        "Cpus": ["1", "4"],
        "Arch": ['"X86_64"', '"x86_64"', '"arm"'],
        "RequestMemory": ["1000", "Disk / 2"],
        "RequestCpus": ["1", "2"],
        "MyArch": ['"X86_64"'],
        "Disk": ["4000"],
        "Indirect": ["TARGET.Cpus > 1", "MY.Cpus > 1"],
        "Ok": ["true", "TARGET.Cpus == 1"],
        "Tags": ["{1, 2}", "{1, Cpus}"],
        "Sub": ["[Value = 4]", "[Value = Cpus]"],
    }.items():
        if random.random() < 0.7:
            pairs.append((name, random.choice(texts)))
    ad = ClassAd.from_text_items(pairs)
    if slot and random.random() < 0.3:
        ad["Memory"] = 2048  # a binding of its own, with the same text as others
    if not slot and random.random() < 0.3:
        ad.chain(ClassAd("[RequestMemory = 600; Cpus = 4]"))
    return ad


@pytest.mark.parametrize("seed", range(12))
def test_every_pair_is_as_matched_alone(seed: int) -> None:
    random = Random(seed)
    requests = [random_ad(random, False) for _ in range(30)]
    slots = [random_ad(random, True) for _ in range(40)]
    expected = [tuple(at for at, slot in enumerate(slots) if symmetric_match(request, slot)) for request in requests]
    assert match_many(requests, slots) == expected


def test_nothing_against_something() -> None:
    ad = ClassAd("[Requirements = true]")
    assert match_many([], [ad]) == []
    assert match_many([ad], []) == [()]
    assert match_many([ad], [ad, ClassAd(), ad]) == [(0, 2)]


def test_names_of_expressions() -> None:
    assert names_in(parse("TARGET.Memory > RequestMemory + f(x)").node) >= {"memory", "requestmemory", "x"}
    for text in ("size(TARGET)", 'MY["x"]', "eval(s)", "random()", "other", "string(MY)"):
        assert OPAQUE in names_in(parse(text).node), text
    assert OPAQUE not in names_in(parse("l[0] > MY.x").node)


def test_names_reached_through_attributes() -> None:
    ads = [ClassAd("[Requirements = START; START = Cpus > 1 && Owner =?= undefined; Rank = Kflops]")]
    assert Names(ads).closure({"requirements"}) == {"requirements", "start", "cpus", "owner"}


@pytest.mark.parametrize("seed", range(4))
def test_one_ad_and_each_of_many_are_as_alone(seed: int) -> None:
    random = Random(seed)
    slots = [random_ad(random, True) for _ in range(40)]
    trees = [parse(text) for text in (*REQUIREMENTS, "Memory - TARGET.RequestMemory")]
    for request in [random_ad(random, False) for _ in range(10)]:
        assert symmetric_matches(request, slots) == [symmetric_match(request, slot) for slot in slots]
        for tree in trees:
            assert run_each(tree.node, tuple(slots), request) == [slot.raw(tree, request) for slot in slots]


def test_what_there_are_no_steps_for_is_an_error() -> None:
    tree, slots = parse("Round + 1"), [ClassAd("[Round = Other + 1; Other = Round > 1]"), ClassAd("[Round = 1]")]
    with Allowance(0):
        alone = [slot.raw(tree, ClassAd()) for slot in slots]
        assert run_each(tree.node, slots, ClassAd()) == alone
    assert alone[0] is ERROR


def test_only_ads_are_asked() -> None:
    for wrong in ([ClassAd(), 1], 5):
        with pytest.raises((TypeError, AttributeError)):
            symmetric_matches(ClassAd("[Requirements = true]"), wrong)  # type: ignore[arg-type]
        with pytest.raises((TypeError, AttributeError)):
            run_each(parse("A").node, wrong, ClassAd())  # type: ignore[arg-type]
