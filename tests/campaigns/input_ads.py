"""Ads in every format and expressions: what is read prints, and reads back equal."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from random import Random

from hostile import VALUES, attributes
from input_maker import Maker, Parser, text_of

from condor_py.lang.classad import (
    ClassAd,
    ExprTree,
    ParserType,
    parse,
    parseAds,
    parseNext,
    parseOne,
    symmetric_match,
    value_text,
)
from condor_py.lang.classad.flatten import flatten
from condor_py.lang.classad.formats import xml
from condor_py.lang.classad.functions import function_names
from condor_py.lang.classad.sent import read as read_sent
from condor_py.lang.classad.sent import write as write_sent
from condor_py.model.record import is_attribute_name
from condor_py.store.longform import ad_of_lines, ad_text, ads_of_text, checked_ad

_SPEC = str(Path(__file__).resolve().parents[1] / "spec" / "classad")
if _SPEC not in sys.path:
    sys.path.append(_SPEC)

import differential
import documents

WORDS = (
    *differential.WORDS, *differential.CONSTANTS, *differential.NAMES, *differential.OPERATORS, '<a n="A">', "</a>",
    "<s>", "</s>", "<i>", "<r>", "<b v=\"t\"/>", "<l>", "</l>", "<at>", "<rt>", "<un/>", "<er/>", '"A": ', "\\/Expr(",
    ")\\/", "MyType = ", "\n\n", "\nA = ", "; A = ", "quantize(", "evalInEachContext(", "countMatches(", "regexps(",
    "userMap(",
)  # fmt: skip
#: Not asked for: the terminal and the accounts of this machine.
_FUNCTIONS = [f"{name}(" for name in function_names() if name not in ("debug", "userhome", "usermap")]


@cache
def _names() -> tuple[str, ...]:
    return attributes()


def expression(maker: Maker) -> str:
    """An expression: those of the comparison with HTCondor, or of attributes and values that nobody expects."""
    chance = maker.chance
    if chance.random() < 0.5:
        other = differential.Maker(chance.randrange(1 << 60))
        return other.expression(chance.randint(1, 4)) if chance.random() < 0.6 else other.call()
    return _odd_expression(chance, 0)


def _odd_expression(chance: Random, depth: int) -> str:
    if depth > 4 or chance.random() < 0.3:
        return chance.choice((*VALUES, *_names()[:20], "MY.RequestDisk", "TARGET.Cpus"))
    left, right = _odd_expression(chance, depth + 1), _odd_expression(chance, depth + 1)
    forms = (
        f"({left} + {right})", f"({left} ?: {right})", f"{left} =?= {right}", f"({left} ? {right} : 1)", f"-{left}",
        f"{{{left}, {right}}}[0]", f"[a = {left}; b = a].b", f"({left} << {right})", f"({left} % {right})",
        f"{chance.choice(_FUNCTIONS)}{left})", f"{chance.choice(_FUNCTIONS)}{left}, {right})",
        f"{chance.choice(_FUNCTIONS)}{right}, {left}, {right})", f"!({left} && {right} || {left})",
    )  # fmt: skip
    return chance.choice(forms)


def any_ad(maker: Maker) -> ClassAd:
    """An ad of values that nobody expects."""
    chance = maker.chance
    ad = ClassAd()
    for name in chance.sample(_names(), chance.randint(0, 6)):
        ad.set_text(name, expression(maker) if chance.random() < 0.5 else chance.choice(VALUES))
    return ad


def xml_of(ad: ClassAd) -> str:
    """An ad as XML."""
    return str(xml.ad_to_xml(list(ad.bindings())))


def _document(maker: Maker, form: str) -> bytes:
    chance = maker.chance
    if chance.random() < 0.4:
        return maker.pick([documents.document(chance, form)])
    printers = {"Old": ClassAd.printOld, "New": repr, "JSON": ClassAd.printJson, "XML": xml_of, "FileAuto": str}
    shown = "".join(printers[form](any_ad(maker)) + "\n" for _ in range(chance.choice((1, 1, 2))))
    return maker.pick([shown])


def _reads(form: str, kind: ParserType) -> Parser:
    def read(data: bytes) -> None:
        text = text_of(data)
        found = []
        for ad in parseAds(text, kind):
            found.append(ad)
            if len(found) == 5:
                break
        parseNext(text, kind)
        for ad in found:
            check_ad(ad)
        parseOne(text, kind)

    return Parser(f"ads-{form.lower()}", lambda maker: _document(maker, form), read, WORDS)


_RESERVED = ("error", "false", "is", "isnt", "parent", "true", "undefined")
#: What HTCondor reads as something else than it was printed from: years of few digits, more than 68 years, minus zero.
_CHANGES = re.compile(r'absTime\("[-+]?\d{1,3}-|relTime\("-?\d{5,}\+|-0(?![.\d])')


def check_ad(ad: ClassAd) -> None:
    """An ad prints in every format, and what is printed reads back."""
    plain = all(name.isidentifier() and name.isascii() and "\n" not in text and text for name, text in ad.text_items())
    for form, shown in (
        (ParserType.New, repr(ad)), (ParserType.New, str(ad)), (ParserType.Old, ad.printOld()),
        (ParserType.JSON, ad.printJson()), (ParserType.XML, xml_of(ad)),
    ):  # fmt: skip
        shown.encode("utf-8", "surrogateescape")
        again = parseNext(shown, form)
        if "\0" in shown or (form is ParserType.Old and (not plain or "\\" in shown)):
            continue  # what C reads ends there, and lines of names and values hold no others
        assert again is not None, f"{form.name}: nothing reads back"
        assert len(again) == len(ad), f"{form.name}: {len(ad)} attributes read back as {len(again)}"
        if form is ParserType.New and not _CHANGES.search(shown):
            assert _alike(repr(again), repr(ad)), f"{form.name}: {repr(ad)[:200]} reads back as {repr(again)[:200]}"


def _alike(again: str, shown: str) -> bool:
    """Whether two texts are the same but for blanks before a minus and the sign of an integer zero: HTCondor prints
    ``(- 4)`` as ``( -4)``, and ``--0`` as ``-0``, which it reads as ``0``."""
    return _signs(again) == _signs(shown)


def _signs(shown: str) -> str:
    return re.sub(r"(?<![\w.]) *-*0(?![\w.])", "0", re.sub("(?<! ) +-", "-", shown))


def _read_long(data: bytes) -> None:
    text = text_of(data)
    ad_of_lines(text.split("\n"), "FILE")
    for ad in ads_of_text(text, "FILE"):
        shown = ad_text(ad)
        if not all(is_attribute_name(name) and name.lower() not in _RESERVED for name, _ in ad.text_items()):
            continue  # other names are printed in quotes, which lines do not have
        again = checked_ad(shown.splitlines(), "FILE")
        assert ad_text(again) == shown, f"{shown[:200]!r} reads back as {ad_text(again)[:200]!r}"


_OTHER = ClassAd(
    '[ Cpus = 4; Memory = 1024; Arch = "X86_64"; List = { 1, 2, "a" }; Sub = [ x = Cpus; y = 2 ]; Mine = MY.a ]'
)


def _read_expression(data: bytes) -> None:
    tree = parse(text_of(data))
    shown = repr(tree)
    again = ExprTree(shown)
    assert _alike(repr(again), shown) or _CHANGES.search(shown), f"{shown[:200]!r} reads back as {repr(again)[:200]!r}"
    str(tree)
    mine = ClassAd(differential.MY)
    value, second = mine.raw(tree, _OTHER), mine.raw(again, _OTHER)
    if "random" not in shown.lower() and "time" not in shown.lower() and "debug" not in shown.lower():
        first, last = value_text(value), value_text(second)
        assert first == last, f"{shown[:200]!r} is {first:.200} and then {last:.200}"
    flatten(mine, tree)
    mine.externalRefs(ExprTree(shown))
    mine.internalRefs(ExprTree(shown))
    mine.set_text("Requirements", shown)
    symmetric_match(mine, _OTHER)


def _read_sent(data: bytes) -> None:
    ad = read_sent(data)
    shown, again = repr(ad.text_items()), repr(read_sent(write_sent(ad)).text_items())
    assert _alike(again, shown) or _CHANGES.search(shown), f"{shown:.200} reads back as {again:.200}"


def _sent(maker: Maker) -> bytes:
    import json

    return json.dumps(dict(any_ad(maker).text_items())).encode()


PARSERS = (
    *(_reads(form, getattr(ParserType, form if form != "FileAuto" else "Auto"))
      for form in ("Old", "New", "JSON", "XML", "FileAuto")),
    Parser("ads-long", lambda maker: _document(maker, "Old"), _read_long, WORDS, where="FILE"),
    Parser("ads-sent", _sent, _read_sent, WORDS, errors=(*Parser.errors, ValueError, RecursionError)),
    Parser("expressions", lambda maker: maker.pick([expression(maker)]), _read_expression, WORDS),
)  # fmt: skip
