"""The extension leaks nothing, refuses what it should not be given, and keeps 100,000 chained ads small."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import psutil
import pytest

from condor_py.lang.classad import ClassAd, ClassAdError, ExprTree, parseAds
from condor_py.lang.classad.api import ParserType
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.parser import parse_node

compiled = pytest.mark.skipif(native is None, reason="the extension is not built (or CONDOR_PY_NO_EXT=1)")
ROOT = Path(__file__).resolve().parents[3]

SLOT = ClassAd(
    '[Requirements = TARGET.Owner =!= "x" && START; START = Load < 0.3; Load = 0.1; Memory = 4096; L = {1,2}]'
)


def parse_and_evaluate(number: int) -> None:
    text = f'MY.a + {number} > TARGET.Memory && f(b, {{1, [x = a]}}) =?= "s{number}" || (c ?: d) ? L[0] : n.x'
    ExprTree(text).eval(ClassAd("[a = b; b = 4; n = [x = 1]]"), SLOT)


def match(number: int) -> None:
    job = ClassAd(f'[Requirements = TARGET.Memory > {number}; Owner = "u{number}"]')
    job.symmetricMatch(SLOT)
    job.printOld()
    job.printJson()


def fail(number: int) -> None:
    for text in (f"a + + {number} )", f"[a = {number}; b", "f(1, {2, [x = 3", "x["):
        with pytest.raises(ClassAdError):
            ExprTree(text)


def read_old(number: int) -> None:
    list(parseAds(f'A = {number}\nB = A + {number}\nBad = (\nC = 1\n\na = 2\nA = "s{number}"\n', ParserType.Old))


def too_deep(number: int) -> None:
    ad = ClassAd("[" + ";".join(f"a{i} = a{i + 1} + strcat({number})" for i in range(250)) + "]")
    with pytest.raises(ClassAdError):
        ad.eval("a0")


def ask(number: int) -> None:
    ad = ClassAd.from_text_items([("A", str(number)), ("B", "A / 2.0"), ("C", f"A + {number}.5")])
    above = ClassAd.from_text_items([("Above", "true"), ("a", f'"{number}"')])
    ad.chain(above)
    for name in ("a", "B", "c", "ABOVE", f"none{number}"):
        ad.eval_int(name, 1), ad.eval_real(name, target=SLOT), ad.eval_bool(name), ad.eval_str(name, default="x")
        ad.text(name), ad.has(name), ad.find(name), ad.raw(ExprTree("a"))
    ad.set_text("a", "2"), ad.merged(), list(ad.local_items()), ad.text_items()
    for wrong in (("a", 1), (), ("a",)):
        with pytest.raises((TypeError, ValueError)):
            ad.set_texts([wrong])


@pytest.mark.parametrize("action", [parse_and_evaluate, match, fail, read_old, too_deep, ask])
def test_nothing_leaks(action: Callable[[int], None]) -> None:
    process = psutil.Process()

    def grown(rounds: int) -> int:
        before = process.memory_info().rss
        for number in range(rounds):
            action(number % 50)
        gc.collect()
        return process.memory_info().rss - before

    rounds = 40 if action is too_deep else 1500
    grown(rounds)
    assert any(grown(rounds) < 200_000 for _ in range(4))


@compiled
def test_wrong_arguments_are_type_errors() -> None:
    node = parse_node("1 + a")
    for call in (
        lambda: native.run(1, None),
        lambda: native.run(node, 5),
        lambda: native.run(node, None, "x"),
        lambda: native.run_binding(node, SLOT),
        lambda: native.symmetric_match(SLOT, None),
        lambda: native.bind("a", 1),
        lambda: native.State(3),
        lambda: native.literal(1)(2),
        lambda: native.chain(True, ()),
        lambda: native.unparse("a", True),
        lambda: native.print_old([]),
        lambda: native.parse_attrs("[]", -1),
        lambda: native.next_old(b"", 0),
        lambda: native.fetch(1, 2, 3, 4, 5),
        lambda: native.value_of(1, 2, 3, 4),
        lambda: native.take_methods(int),
        lambda: ClassAd.raw(3, "a"),
        lambda: SLOT.raw("a", None, None),
        lambda: SLOT.raw(),
        lambda: SLOT.raw("a", expr="a"),
        lambda: SLOT.raw("a", wrong=1),
        lambda: SLOT.eval_int(5),
        lambda: SLOT.eval_str(default="a"),
        lambda: SLOT.set_text("a", 5),
        lambda: SLOT.set_text("a"),
    ):
        with pytest.raises((TypeError, ValueError, KeyError)):
            call()

    assert ExprTree("1 + 1").eval() == 2


@compiled
@pytest.mark.parametrize("seed", range(4))
def test_any_text_is_survived(seed: int) -> None:
    random = Random(seed)
    pieces = [
        '"',
        "'",
        "\\",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "a",
        "=",
        ";",
        "1",
        ".",
        "e",
        "-",
        "?",
        ":",
        "//",
        "/*",
        "\n",
        "\0",
        "\x7f",
        "\u00e9",
        "\U0001f600",
        "\udcff",
        " ",
        "is",
        "true",
        "<<",
        ">>>",
        "99999999999999999999",
    ]
    for _ in range(4000):
        text = "".join(random.choice(pieces) for _ in range(random.randint(0, 30)))
        native.parse_node(text, random.random() < 0.5, random.random() < 0.5)
        native.parse_attrs(text, random.randint(0, len(text) + 2))
        native.next_old(text, random.randint(0, len(text)))
        native.bind(text, text[::-1])
    assert ExprTree("1 + 1").eval() == 2, "nothing is left of what was wrong"


MEMORY = """
import psutil
from condor_py.lang.classad import ClassAd
process = psutil.Process()
before = process.memory_info().rss
ads = []
for cluster in range(100):
    parent = ClassAd.from_text_items([(f"Attribute{i}", f'"value {i} of {cluster}"') for i in range(80)])
    for proc in range(1000):
        ad = ClassAd()
        ad.chain(parent)
        for name, value in {
            "ProcId": proc, "JobStatus": 1, "QDate": 1700000000 + proc, "EnteredCurrentStatus": 1700000000 + proc,
        }.items():
            ad.set_int(name, value)
        ad.set_str("GlobalJobId", f"host#{cluster}.{proc}#1700000000")
        ad.set_str("Args", f"{cluster} {proc}")
        ads.append(ad)
print((process.memory_info().rss - before) >> 20)
"""


@pytest.mark.parametrize("pure", ["0", "1"])
def test_a_hundred_thousand_chained_ads_are_small(pure: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CONDOR_PY_NO_EXT": pure}
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    assert int(done.stdout) < 300
