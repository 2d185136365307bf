"""Prints what this room makes of thousands of random texts, one line each; test_twin runs it with and without C."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from typing import Any

from condor_py.lang import classad
from condor_py.lang.classad.functions import function_names

CONSTANTS = [
    "0",
    "1",
    "-3",
    "9223372036854775807",
    "-9223372036854775808",
    "12345678901234567890",
    "0.0",
    "-0.0",
    "1.5",
    "1e300",
    "1e999",
    ".5",
    "5.",
    "010",
    "0x1F",
    "08",
    '"a"',
    '"A b"',
    '"x\\"y"',
    '"\\n\\t\\\\"',
    '"\\101\\377"',
    '"h\u00e9"',
    '""',
    '"a" "b"',
    "true",
    "FALSE",
    "undefined",
    "error",
    "{}",
    "{1,2,a}",
    "[x=1;y=x]",
    "relTime(5)",
    'absTime("2020-01-01T00:00:00Z")',
    'relTime("1:00")',
    "1/0",
    "'q n'",
    "n.'q n'",
    "n.'TRUE'",
    "n.parent",
    "'q n'(1)",
    "n.''",
    "1 .n",
    "-1 .'q n'",
    "1.5.n",
    "'\t\\'",
    "/* c */ 2",
    "\u00fc",
]
NAMES = ["a", "b", "s", "l", "n.x", "MY.a", "TARGET.a", "TARGET.q", "zz", ".a", "c1", "f", "other.q", "TaRgEt.S2", "g"]
OPERATORS = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "=?=",
    "=!=",
    "is",
    "isnt",
    "&&",
    "||",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    ">>>",
    "?:",
]
FUNCTIONS = [name for name in function_names() if name not in ("time", "random", "currenttime", "daytime", "debug")]
MY = '[a = 1; b = 2.5; s = "Hello"; l = {1,2,a}; n = [x = 5; y = a]; f = a+b; g = g ?: 5; c1 = c2; c2 = c1; w = q ]'
TARGET = '[a = 10; q = MY.q + 7; s2 = "World"; Requirements = TARGET.a == 1 && f > 3 || q ]'
NOISE = "()[]{}\"'\\;=?:.,<>!&|+-*/ \n\0a0e\u00e9\x7f"


def expression(random: Random, depth: int) -> str:
    if depth <= 0 or random.random() < 0.2:
        return random.choice(CONSTANTS if random.random() < 0.5 else NAMES)
    one, two, three = (expression(random, depth - 1) for _ in range(3))
    return random.choice(
        [
            f"{one} {random.choice(OPERATORS)} {two}",
            f"({one}) {random.choice(OPERATORS)} ({two})",
            f"{random.choice('!-+~')}{one}",
            f"{one} ? {two} : {three}",
            f"{{{one}, {two}}}",
            f"[x = {one}; k={two}]",
            f"({one})[{two}]",
            f"({one}).x",
            f"{random.choice(FUNCTIONS)}({one}, {two})",
            f"{random.choice(FUNCTIONS)}({one})",
            f"{random.choice(FUNCTIONS)}({one}, {two}, {three})",
            f"ifThenElse({one}, {two}, {three})",
            f"{one} && {two} && {three}",
            f"{one} || {two} || {three}",
            f"isUndefined({one})",
        ]
    )


def mutated(random: Random, text: str) -> str:
    """The text with a few characters lost, doubled or replaced."""
    for _ in range(random.randint(0, 3)):
        at = random.randint(0, len(text))
        text = (
            text[:at] + random.choice([random.choice(NOISE), text[at : at + 3], ""]) + text[at + random.randint(0, 2) :]
        )
    return text


def shown(action: Callable[[], Any]) -> str:
    try:
        value = action()
    except (classad.ClassAdError, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    return f"{type(value).__name__} {value!r}"


def old_lines(random: Random) -> str:
    lines = [
        f"{random.choice(['A', 'bC', 'a', 'D_1', 'x y', ''])} {random.choice(['=', '==', ''])} {expression(random, 1)}"
        for _ in range(random.randint(1, 6))
    ]
    return random.choice(["\n", "\r\n", "\n\n"]).join([*lines, "# note", ""])


def plain(value: Any) -> Any:
    """A value, or what kind of one it is where it shows its address."""
    return value if isinstance(value, bool | int | float | str) else type(value).__name__


def asked(text: str, target: classad.ClassAd) -> list[Any]:
    """Everything that is asked of an attribute, of an ad and of one chained to it."""
    above = classad.ClassAd.from_text_items([("x", text), ("Yy", f"x + {text}"), ("z", "1.5")])
    ad = classad.ClassAd.from_text_items((("X", "yY"), ["zZ", "7"]))
    ad.chain(above)
    ad.set_text("x", "yy")
    found: list[Any] = [list(ad.local_items()), ad.text_items(), sorted(ad.pairs()), sorted(ad.merged())]
    for one in (above, ad):
        for name in ("x", "YY", "Z", "none"):
            found += [plain(one.raw(name)), plain(one.raw(name, target)), one.text(name), one.has(name)]
            found += [one.eval_int(name, 3), one.eval_real(name), one.eval_bool(name, default=True)]
            found += [one.eval_str(name, "-", target=target), one.eval_int(name=name), one.find(name.lower()) is None]
    return [str(value) for value in found]


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    random = Random(seed)
    out = sys.stdout
    for _ in range(count):
        text = mutated(random, expression(random, 3)) if random.random() < 0.5 else expression(random, 3)
        my, target = classad.ClassAd(MY), classad.ClassAd(TARGET)
        old = mutated(random, old_lines(random))
        steps = [
            lambda text=text: classad.ExprTree(text),
            lambda text=text: classad.parse(text),
            lambda text=text: classad.parse(text).text,
            lambda text=text, my=my: classad.ExprTree(text).eval(my),
            lambda text=text, my=my, target=target: classad.parse(text).eval(my, target),
            lambda text=text, target=target: classad.ClassAd(f"[a = 1; Requirements = {text}]").symmetricMatch(target),
            lambda text=text: classad.ClassAd(f"[a = {text}; A = 2; bb = {text}; c = {text}]").printOld(),
            lambda text=text: classad.ClassAd(f"[a = {text}; b = [k = {text}]; c={{{text}}}]").printJson(),
            lambda text=text, my=my: my.flatten(classad.ExprTree(text)),
            lambda text=text: classad.ClassAd.from_text_items([("x", text), ("X", "3")]).text_items(),
            lambda text=text, target=target: asked(text, target),
            lambda old=old: [ad.printOld() for ad in classad.parseAds(old, classad.ParserType.Old)],
        ]
        out.write(repr((text, old)) + "\n")
        for step in steps:
            out.write("  " + ascii(shown(step)) + "\n")


if __name__ == "__main__":
    main()
