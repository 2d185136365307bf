"""Records of a log played on ads, and written as lines: the compiled functions do what their twins do."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from condor_py.lang.classad import ClassAd, changes
from condor_py.lang.classad.kernel import native
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Change
from condor_py.store.adlog import format_record, format_records

needs_native = pytest.mark.skipif(native is None, reason="the extension is not built")
NAMES = ("Iwd", "iwd", "JobPrio", "JOBPRIO", "RemoteHost", "Cmd", "Own")
TEXTS = ("1", '"/tmp"', "undefined", "JobPrio + 1", '"é"', "true")


def chained() -> ClassAd:
    """A proc with its cluster, which has two of the names."""
    cluster, proc = ClassAd(), ClassAd()
    cluster.set_texts([("Iwd", '"/home"'), ("JobPrio", "0")])
    proc.chain(cluster)
    return proc


def some(random_one: random.Random, key: str = "1.0") -> Change:
    if random_one.random() < 0.4:
        return Change(DELETE, key, random_one.choice(NAMES))
    return Change(SET, key, random_one.choice(NAMES), random_one.choice(TEXTS))


KEYS = ("1.0", "1.1", "1.2", "1.3")
#: Keys that are those of jobs, and others that look much like them.
ODD_KEYS = (
    "1.0", "1.10", "12.3", "0.0", "0.2", "01.-1", "1.-2", "01.0", "1.00", "1.01", "1.", ".1", "1", "1.0 ", "x",
    "1.0x", "",
    "999999999999999999.0", "1000000000000000000.0", "9999999999999999999.0", "1.999999999999999999",
    "1.1000000000000000000", "+1.0", "1_0.3", "1.\u0661", "\u0661.0",
)  # fmt: skip


@needs_native
@pytest.mark.parametrize("seed", range(20))
def test_jobs_are_found_by_their_numbers_as_by_the_twin(seed: int) -> None:
    choose = random.Random(seed)
    told = [some(choose, choose.choice(ODD_KEYS)) for _ in range(200)]

    def played(play: object) -> object:
        ads = {key: chained() for key in ODD_KEYS}
        jobs: dict[int, dict[int, ClassAd]] = {1: {0: chained(), 10: chained()}, 12: {3: chained()}, 10: {3: chained()}}
        jobs[999999999999999999] = {0: chained()}
        play(ads, told, print, jobs)  # type: ignore[operator]
        by_number = {number: [(proc, ad.text_items()) for proc, ad in procs.items()] for number, procs in jobs.items()}
        return {key: ad.text_items() for key, ad in ads.items()}, by_number

    assert played(native.play) == played(changes._play)


@pytest.mark.parametrize("play", [changes.play, changes._play])
def test_a_plain_key_is_that_of_a_job_and_any_other_is_not(play: object) -> None:
    ads = {key: ClassAd() for key in ("1.0", "01.0", "0.0")}
    jobs = {1: {0: ClassAd()}}
    play(ads, [Change(SET, key, "A", "1") for key in (*ads, "1.7", "2.0")], print, jobs)  # type: ignore[operator]
    assert [ad.text("A") for ad in ads.values()] == [None, "1", "1"]
    assert jobs[1][0].text("A") == "1"


@needs_native
@pytest.mark.parametrize("seed", range(20))
def test_records_do_the_same_to_a_table_as_the_twin(seed: int) -> None:
    choose = random.Random(seed)
    told: list[Change] = []
    for _ in range(120):
        key = choose.choice(KEYS)
        kind = choose.random()
        told.append(Change(NEW_AD, key) if kind < 0.1 else Change(DESTROY_AD, key) if kind < 0.2 else some(choose, key))

    def played(play: object) -> tuple[dict[str, list[tuple[str, str]]], list[Change]]:
        ads: dict[str, ClassAd] = {}
        others: list[Change] = []

        def other(record: Change) -> None:
            others.append(record)
            if record.op == DESTROY_AD:
                ads.pop(record.key, None)
            else:
                ads.setdefault(record.key, chained())

        play(ads, told, other)  # type: ignore[operator]
        return {key: ad.text_items() for key, ad in ads.items()}, others

    assert played(native.play) == played(changes._play)


APPLY = [changes.apply, changes._apply]


@pytest.mark.parametrize("apply", APPLY)
def test_a_deleted_attribute_of_the_cluster_is_hidden_and_an_own_one_gone(apply: Any) -> None:
    proc = chained()
    proc.set_text("Own", "1")
    apply(proc, [Change(DELETE, "1.0", "IWD"), Change(DELETE, "1.0", "own"), Change(DELETE, "1.0", "Nothing")])
    assert proc.text("Iwd") == "undefined"
    assert proc.text("Own") is None


@pytest.mark.parametrize("apply", APPLY)
def test_a_change_sees_those_before_it_and_others_are_passed_on(apply: Any) -> None:
    ad = ClassAd()

    def some_changes() -> Iterator[Change]:
        yield Change(SET, "1.0", "A", "1")
        yield Change(SET, "1.0", "B", f"{ad.eval_int('A', 0) + 1}")
        yield Change(DESTROY_AD, "1.0")

    done = apply(ad, some_changes())
    assert done == [Change(SET, "1.0", "A", "1"), Change(SET, "1.0", "B", "2"), Change(DESTROY_AD, "1.0")]
    assert ad.text("B") == "2"
    with pytest.raises(TypeError):
        apply(ad, [None])


@pytest.mark.parametrize("apply", APPLY)
def test_what_fails_in_the_middle_of_changes_is_raised(apply: Any) -> None:
    def some_changes() -> Iterator[Change]:
        yield Change(SET, "1.0", "A", "1")
        raise LookupError("nothing more")

    ad = ClassAd()
    with pytest.raises(LookupError):
        apply(ad, some_changes())
    assert ad.text("A") == "1"


@needs_native
def test_lines_are_those_of_the_twin_or_left_to_it() -> None:
    plain = [Change(SET, "7.0", "A", "1 + 2"), Change(DELETE, "07.-1", "B"), Change(SET, "0.0", "C", '"x\\ty"'),
             Change(NEW_AD, "7.0", "Job", "Machine"), Change(NEW_AD, "0.2", "*", ""),
             Change(DESTROY_AD, "7.0")]  # fmt: skip
    assert native.format_changes(plain) == "".join(map(format_record, plain)).encode() == format_records(plain)
    assert native.format_changes(plain * 2000) == format_records(plain) * 2000
    others = (
        Change(SET, "7.0", "A", ""), Change(SET, "7.0", "A", "é"), Change(SET, "7.0", "A", "1\n2"),
        Change(SET, "7.0", "A", "1\0"), Change(SET, "7 0", "A", "1"), Change(DELETE, "7.0", "A\x1cB"),
        Change(SET, "", "A", "1"), Change(NEW_AD, "7.0", "A job", ""), Change(NEW_AD, "7.0", "Job", "1"),
        Change(NEW_AD, "7.0", "é", ""), Change(DESTROY_AD, "7 0"), Change(107, "1", "CreationTimestamp", "1"),
    )  # fmt: skip
    for record in others:
        assert native.format_changes([*plain, record]) is None, record
