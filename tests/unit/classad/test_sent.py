"""Ads as daemons send them: what is written and read in C is what JSON and ``set_texts`` make of it."""

from __future__ import annotations

import json
import random
import sys

import pytest

from condor_py.lang.classad import ClassAd, sent
from condor_py.lang.classad.kernel import native

NAMES = ["Cmd", "cmd", "CMD", "A", "Requirements", "x" * 70, "a b", "_\x7f", "Ä", 'q"uote', "back\\slash", ""]
TEXTS = [
    "1", "-0", "2.50", "true", "undefined", '"/bin/true"', '"say \\"x\\""', "a + 1", "1 +", "", '"ü\udcff"', "\t",
    "x\ny", '"' + "long" * 100 + '"', "/", "\x00", "{1, [b = 2]}", "\\", '"\\\\"',
]  # fmt: skip


def shown(ad: ClassAd) -> list[tuple[str, str, str]]:
    return [(key, binding.name, str(binding.raw)) for key, binding in ad.attrs.items()]


def test_any_ad_is_read_as_json_reads_it_the_first_time_and_again() -> None:
    chance = random.Random(5)
    for _ in range(1500):
        items = {chance.choice(NAMES): chance.choice(TEXTS) for _ in range(chance.randrange(6))}
        items |= {f"N{chance.randrange(40)}": chance.choice(TEXTS) for _ in range(3)}
        expected = shown(ClassAd.from_text_items(items.items()))
        for data in (
            json.dumps(items, separators=(",", ":")),
            json.dumps(items),
            json.dumps(items, ensure_ascii=False),
        ):
            assert shown(sent.read(data.encode("utf-8", "surrogatepass"))) == expected


def test_an_ad_comes_as_it_went() -> None:
    chance = random.Random(6)
    plain = [text for text in TEXTS if text not in ("", "1 +", "\\", "\x00", "\t", "/", "x\ny")]
    for _ in range(500):
        parent = ClassAd.from_text_items([(f"P{number}", chance.choice(plain)) for number in range(3)])
        ad = ClassAd.from_text_items([(f"N{chance.randrange(9)}", chance.choice(plain)) for _ in range(4)])
        ad.set_text("p1", chance.choice(plain))
        ad.chain(parent)
        written = sent.write(ad)
        assert json.loads(written) == dict(ad.pairs())
        assert dict(sent.read(written).pairs()) == dict(ad.pairs())


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"}", b"[]x", b"{,}", b'{"a"}', b'{"a":}', b'{"a":"1",}', b'{"a":"1""b":"2"}', b'{"a":"1"', b'{"a":"1}',
     b'{"a":"\\"}', b'{"a":"1"}}', b'{"a":"\x01"}', b'{"a":"\\x"}', b'{"a":"1"};'],
)  # fmt: skip
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        sent.read(data)


def test_what_is_json_but_has_no_texts_is_no_ad() -> None:
    for data in (b"[1]", b'"a"', b"1", b'{"a": 1}', b'{"a": "1", "b": null}'):
        with pytest.raises(ValueError, match="an object of texts"):
            sent.read(data)
    assert shown(sent.read(b"{}")) == shown(sent.read(b" { } ")) == []


@pytest.mark.skipif(native is None, reason="the C part is not built")
def test_pieces_that_take_each_others_places_keep_nothing() -> None:
    def once() -> None:
        for number in range(3000):
            sent.read(f'{{"A{number % 3}":"{number}","B":"\\"7\\"","b":"{number % 7}"}}'.encode())

    binding = ClassAd.from_text_items([("B", '"7"')]).attrs["b"]
    once()
    before = sys.getrefcount(binding)
    once()
    after = sys.getrefcount(binding)
    assert after == before
