"""Ads that nobody has looked at, changed and printed as they are: as if they had been read first."""

from __future__ import annotations

import random

import pytest

from condor_py.classad import ClassAd
from condor_py.classad.changes import apply
from condor_py.model.record import DELETE, SET, Change
from condor_py.store import history_texts, logreader
from condor_py.store.history_texts import record_texts
from condor_py.store.lazy import LazyAd, lines_of, rest
from condor_py.store.longform import ad_text

#: Names in several spellings, two of one length, and one that a line of a submit deletes of every job.
_NAMES = (
    "Foo", "foo", "FOO", "Bar", "Owner", "OWNER", "ProcId", "CompletionDate", "JobPreparingTasks", "Grö", "A", "Env",
    "Environment", "104",
)  # fmt: skip
_TEXTS = (
    "1", "-7", "007", "2.50", "true", "TRUE", '"a b"', '"a\\"b"', '"back\\\\"', '"alice"', '"a b, c"', "Foo+1",
    "undefined", '"é"', '"\udcff"', "[ A = 1 ]", "0x10", " 3", "1.5E3",
)  # fmt: skip


def _lines(dice: random.Random, key: str, some: int) -> bytes:
    """Lines of a log about one ad, or, without a key, what an ad that nobody has looked at keeps of them."""
    made = []
    for _ in range(dice.randrange(some)):
        name = dice.choice(_NAMES)
        head = f"103 {key or 0} " if key or name[0] == "1" else ""
        made.append(f"104 {key or 0} {name}\n" if dice.random() < 0.2 else f"{head}{name} {dice.choice(_TEXTS)}\n")
    return "".join(made).encode("utf-8", "surrogateescape")


def _changes(dice: random.Random) -> tuple[Change, ...]:
    names = [dice.choice(_NAMES) for _ in range(dice.randrange(5))]
    kinds = [(name, dice.random() < 0.3) for name in names]
    return tuple([Change(DELETE, "", n) if gone else Change(SET, "", n, dice.choice(_TEXTS)) for n, gone in kinds])


def _parent(dice: random.Random) -> ClassAd | None:
    if dice.random() < 0.2:
        return None
    return ClassAd.from_text_items([(dice.choice(_NAMES), dice.choice(_TEXTS)) for _ in range(dice.randrange(1, 9))])


def _ads(dice: random.Random) -> tuple[list[ClassAd], list[ClassAd]]:
    """The same ads twice, with lines of which a few differ; some were read."""
    parent = _parent(dice)
    said = [_lines(dice, dice.choice(("", "0", "1.0")), 12) for _ in range(4)]
    both = []
    for _ in range(2):
        ads: list[ClassAd] = [LazyAd(lines) for lines in said]
        for ad in ads:
            ad.parent = parent
        ads[0].has("Foo")  # reads it
        both.append(ads)
    return both[0], both[1]


@pytest.mark.parametrize("seed", range(8))
def test_a_change_is_that_of_an_ad_that_was_read_and_put_away(seed: int) -> None:
    dice = random.Random(seed)
    unread = 0
    for _ in range(100):
        (ads, others), changes = _ads(dice), _changes(dice)
        for ad in logreader.change(ads, changes):
            apply(ad, changes)
        for ad, other in zip(ads, others, strict=True):
            apply(other, changes)
            if type(ad) is LazyAd:
                unread += 1
                rest(other)
                if type(other) is LazyAd:  # what is no plain text stays read
                    assert lines_of(ad) == lines_of(other), changes
            assert list(ad.attrs) == list(other.attrs), changes
            assert sorted(ad.pairs()) == sorted(other.pairs()), changes
    assert unread or not logreader.COMPILED


@pytest.mark.parametrize("environment", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_a_record_of_the_history_is_that_of_an_ad_that_was_read(
    seed: int, environment: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_texts, "_FEW", 1)
    dice = random.Random(seed)
    for _ in range(100):
        ads, others = _ads(dice)
        together = list(record_texts(ads, environment))
        lines = [ad_text(other).splitlines(keepends=True) for other in others]
        bodies = ["".join([line for line in each if environment or not line.startswith("Env")]) for each in lines]
        assert [body.decode("utf-8", "surrogateescape") for body, _ in together] == bodies
        assert [told for _, told in together] == [next(record_texts([other], environment))[1] for other in others]
