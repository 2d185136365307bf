"""The extension prints what its Python twins print: reals to the last digit, names in storage order, escapes."""

from __future__ import annotations

import struct
from random import Random

import pytest

from condor_py.lang import classad
from condor_py.lang.classad.formats.json import ad_to_json
from condor_py.lang.classad.formats.old import format_old
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.nodes import Literal
from condor_py.lang.classad.unparse import name_text, real_text

pytestmark = pytest.mark.skipif(native is None, reason="the extension was not built")


def reals(random: Random) -> list[float]:
    """Numbers with few binary digits, with sixteen decimal ones and a few more, very small, very large."""
    found = [odd * 2.0**power for power in range(-60, 80) for odd in (1, 3, 123, 999_999, 2**40 + 1, 2**53 - 1)]
    found += [random.randrange(10**16 - 50, 10**16 + 50) / 2 ** random.randrange(3) for _ in range(200)]
    found += [round(random.uniform(-1000, 1000), random.randrange(6)) for _ in range(1000)]
    found += [struct.unpack("d", random.randbytes(8))[0] for _ in range(1000)]
    found += [1e15, 1e16, 123456789012345680.0, 0.0001, 0.00001, 5e-324, 1.7976931348623157e308, -0.0]
    return found + [-number for number in found]


def test_reals_are_rounded_as_python_rounds_them() -> None:
    for number in reals(Random(19)):
        for old in (True, False):
            assert native.unparse(Literal(number), old) == real_text(number, old), number.hex()


@pytest.mark.parametrize("number", [0, 7, -1, 10**18, 2**63 - 1, -(2**63)])
def test_integers_of_all_sizes(number: int) -> None:
    assert native.unparse(Literal(number), True) == str(number)


def ad_of(random: Random, count: int) -> classad.ClassAd:
    """An ad whose names are of few lengths or of many, with values that need escapes."""
    ad = classad.ClassAd()
    texts = (
        "1",
        "-2.25",
        "0.1",
        '"plain"',
        '"tab\\tquote\\"end"',
        'strcat("a\\"", B) =?= "c\\d"',
        "{1, [a = 2]}",
        "true",
    )
    longest = random.choice((3, 9, 20, 90))
    for _ in range(count):
        name = "".join(random.choices("abcXYZ_019", k=random.randint(1, longest)))
        ad[name if not name[0].isdigit() else f"n{name}"] = classad.ExprTree(random.choice(texts))
    return ad


@pytest.mark.parametrize("text", ["'a b'(1)", "''(x)", "'isnt'(1)", "parent(1)"])
def test_what_is_called_reads_back(text: str) -> None:
    tree = classad.parse(text)
    assert classad.parse(tree.text).text == tree.text
    new = classad.ClassAd.from_text_items([("x", text)])
    for printed in (repr(new), str(new)):
        assert repr(classad.parseOne(printed, classad.ParserType.New)) == repr(new)


@pytest.mark.parametrize("name", ["x y", "true", "isnt", "Parent", "", "\t", "\\", "a'b", "a\nb", "\u00e9", "b"])
@pytest.mark.parametrize("scope", ["n.", "[ a = 1 ].", "(1).", "1 .", "1.5.", "true.", ".", ""])
def test_a_reference_reads_back_as_what_it_was(scope: str, name: str) -> None:
    """A queue has what was printed: what nobody can read again would be damage in it."""
    tree = classad.parse(scope + name_text(name))
    assert classad.parse(tree.text).text == tree.text
    new = classad.ClassAd.from_text_items([("x", tree.text)])
    for printed in (repr(new), str(new)):
        assert repr(classad.parseOne(printed, classad.ParserType.New)) == repr(new)


@pytest.mark.parametrize("count", [0, 1, 5, 60, 700])
def test_an_ad_is_printed_as_by_the_twins(count: int) -> None:
    random = Random(count)
    for _ in range(20 if count < 100 else 3):
        ad = ad_of(random, count)
        bindings = list(ad.bindings())
        assert ad.printJson() == ad_to_json(bindings)
        assert ad.printOld() == (format_old([(binding.name, binding.text) for binding in bindings]) or "\n")


def test_what_is_asked_wrongly_is_refused() -> None:
    tree, ad = classad.ExprTree("a + 1"), classad.ClassAd({"a": 1})
    assert tree.eval(scope=ad) == tree.eval(ad, target=ad) == 2
    assert ad["A"] == 1
    assert tree.eval(target=ad) == tree.eval() == classad.Value.Undefined
    with pytest.raises(TypeError, match="scope must be a ClassAd"):
        tree.eval("a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="target must be a ClassAd"):
        tree.eval(ad, 3)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="missing"):
        ad["missing"]
    with pytest.raises(KeyError, match="missing"):
        ad.eval("missing")
    with pytest.raises(TypeError):
        ad[1]  # type: ignore[index]


def test_target_means_nobody_without_a_match() -> None:
    ad = classad.ClassAd("[rank = TARGET.a; inner = [b = TARGET.a; c = b]; a = 1]")
    assert ad.eval("rank") == classad.Value.Undefined
    assert ad["inner"].eval("c") == classad.Value.Undefined
    assert classad.ClassAd("[target = [a = 5]; rank = TARGET.a]").eval("rank") == 5
