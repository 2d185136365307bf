"""Random documents, good and broken: each parser gives the ads, the end and the refusals that the reference gives.

The reference crashes or never returns on some broken XML, so it reads in processes of its own; what it has no answer
for is not compared. CONDOR_PY_CASES=20 in the environment compares twenty times as many documents.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import re
import signal
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from condor_py.lang import classad
from tests.spec.classad.conftest import plain
from tests.spec.classad.documents import MAKERS, document

MANY = int(os.environ.get("CONDOR_PY_CASES", "1"))
#: Ours on purpose: a name in the old format loses its quotes, and a tab before its equals sign; long times fit, and
#: years below 0 are error.
_DIFFERENT = re.compile(r"""["'][']|["'\\]t'|-24855|out of range""")


def reading(module: Any, text: str, form: str) -> Any:
    """All that the module says about a document: every ad, how it ended, all ads merged, the first one."""
    parser = getattr(module.ParserType, form)
    ads: list[Any] = []

    def all_ads() -> str:
        for ad in module.parseAds(text, parser):
            ads.append({name: plain(ad.lookup(name)) for name in ad})
        return "end"

    answers = [
        said(all_ads),
        said(lambda: repr(module.parseOne(text, parser))),
        said(lambda: repr(module.parseNext(text, parser))),
    ]
    return [ads, *answers]


def said(action: Any) -> str:
    try:
        return str(action())
    except (ValueError, module_errors) as error:
        return f"{'ValueError' if isinstance(error, ValueError) else 'other'}: {error}"


module_errors: type[Exception] = classad.ClassAdException


def reference_readings(reference: ModuleType, texts: list[str], form: str, patience: int = 1) -> list[Any]:
    """What the reference says; None where it crashed or did not come back within ``patience`` seconds."""
    answers: list[Any] = [None] * len(texts)
    begin = 0
    while begin < len(texts):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            faulthandler.disable()  # that it crashes is known
            with os.fdopen(writer, "wb") as stream:
                for index in range(begin, len(texts)):
                    signal.alarm(patience)
                    pickle.dump((index, reading(reference, texts[index], form)), stream)
                    stream.flush()
            os._exit(0)
        os.close(writer)
        last = begin - 1
        with os.fdopen(reader, "rb") as stream:
            while True:
                try:
                    last, answer = pickle.load(stream)
                except EOFError:
                    break
                answers[last] = answer
        os.waitpid(child, 0)
        begin = last + 2
    return answers


@pytest.mark.parametrize("form", [*MAKERS, "Auto"])
def test_documents_are_read_alike(reference: ModuleType, form: str) -> None:
    random = Random(form)
    texts = [document(random, form) for _ in range(400 * MANY)]
    compared = 0
    for text, expected in zip(texts, reference_readings(reference, texts, form), strict=True):
        if expected is None or _DIFFERENT.search(repr(expected)):
            continue
        assert reading(classad, text, form) == expected, repr(text)
        compared += 1
    assert compared > len(texts) // 2


@pytest.mark.parametrize("form", ["New", "JSON"])
@pytest.mark.parametrize(
    "text",
    [
        "[a=1..\n", '{"a":1..\n', '{"a":1.\n', '[a = relTime("x")]', '[a = relTime("x")',
        "-", "--", "---", "-+", "+-", "\n\n--", "--\n",
        "?", "?,", "{\n?\n,", "{\n?\n:", "{\n?\n, ", "{? ?", "{\n=\n,",
    ],
)  # fmt: skip
def test_a_mistake_at_the_end_ends_a_text_alike(reference: ModuleType, form: str, text: str) -> None:
    """A minus is read with the character behind it, a question mark with all white space and one more, a time up to its
    parenthesis, and a number up to the character behind its first point."""
    assert reading(classad, text, form) == reference_readings(reference, [text], form, patience=60)[0]


@pytest.mark.parametrize("form", ["New", "JSON", "FileAuto"])
def test_files_are_read_alike(reference: ModuleType, form: str, tmp_path: Path) -> None:
    """parseAds leaves a file behind the ad it gave, also where characters take several bytes."""
    random = Random(form)
    path = tmp_path / "ads"
    for _ in range(60 * MANY):
        text = "\n".join([MAKERS[form](random), "\u00e9\u4e16"])
        path.write_text(text, encoding="utf-8")
        places = [file_places(module, path, form) for module in (reference, classad)]
        assert places[0] == places[1], repr(text)


def file_places(module: Any, path: Path, form: str) -> list[Any]:
    places: list[Any] = []
    with path.open(encoding="utf-8") as file:

        def walk() -> str:
            for ad in module.parseAds(file, getattr(module.ParserType, form)):
                places.append((len(ad), file.tell()))
            return "end"

        return [said(walk), places]


@pytest.mark.parametrize("name", ["a b", r"a\tb", r"a\\b", r"a\'b", r"a\\\'b", r"a\001\177", "\u00e9 \u2028", "true"])
def test_a_name_in_quotes_stays_the_same_in_the_old_format(reference: ModuleType, name: str) -> None:
    printed = []
    for module in (reference, classad):
        first = module.ClassAd(f"[ u = '{name}' + .'{name}'; v = [ '{name}' = 1 ] ]")
        again = module.parseNext(first.printOld(), module.ParserType.Old)
        printed.append((first.printOld(), repr(first)))
        assert (again.printOld(), repr(again)) == printed[-1]
    assert printed[0] == printed[1]
