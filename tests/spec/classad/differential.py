"""Compare our ClassAds with HTCondor's (classad2 of PyPI) on random texts.

``differential.py [--seed S] [--count N] [KIND ...]`` makes N cases of each kind and prints every difference that the
docstring of condor_py.lang.classad does not name, with the seed of its case. Each side answers from child processes,
so that a crash of the library costs one case.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

MY = (
    '[ a = 1; b = 2.5; s = "Hello"; t = true; u = undefined; e = error; l = {1,2,a}; d = {[x = 1; k = 2], [x = 3]};'
    " n = [x = 5; y = a; z = [w = x]]; f = a+b; g = g ?: 5; c1 = c2; c2 = c1; w = q ]"
)
TARGET = '[ a = 10; q = 7; s2 = "World"; r = MY.q + TARGET.a; Requirements = TARGET.a == 1 && q > 3 ]'

CONSTANTS = (
    "0", "1", "2", "-3", "7", "100", "9223372036854775807", "-9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "2147483648", "0.0", "-0.0", "1.5", "-2.5", "1e300", "1e-320", "1e999", ".5", "5.",
    "5.e1", "1e", "010", "08", "0x1F", "0x1.8", "-0x1.8", "-0x10", "0x1.8e+3", "0x", "0x.8", "1.0e+05", '"a"',
    '"A b"', '"abc"', '"1.5"', '""', '"a,b,C"', '"x y"', '"^a"', '"\\\\1"', '"x\\"y"', '"\\n\\t\\\\"',
    '"\\101\\377"', '"h\u00e9"', "'q n'", "'a'", "true", "FALSE", "t", "undefined", "error", "UNDEFINED",
    "parent", "is", "isnt", "{}", "{1,2,3}", '{"a","b"}', '{1,"a",undefined,2.5}', "[]", "[x=1]",
    "[x=a;y=[z=x]]", "relTime(5)", "absTime(100,0)", 'absTime("2020-01-01T00:00:00Z")', 'relTime("1:00")',
    "1/0", "/* c */ 2", "INF", 'real("NaN")', 'real("INF")',
)  # fmt: skip
NAMES = (
    "a", "b", "s", "t", "u", "e", "l", "d", "n", "f", "g", "c1", "q", "zz", "MY.a", "TARGET.a", "TARGET.q", "r",
    "n.x", "n.y", "n.z.w", "other.q", "s2", "x", "..a", ".a", "n..x", "my.n.x", "TaRgEt.S2", "self.a",
    "parent.a", "toplevel.a", "root.a", "w", "d[0].x", "l[0]", "CurrentTime", "Requirements",
    "TARGET.Requirements",
)  # fmt: skip
OPERATORS = (
    "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "=?=", "=!=", "is", "isnt", "&&", "||", "&", "|",
    "^", "<<", ">>", ">>>", "?:", "IS", "isNT",
)  # fmt: skip
TIMES = (
    "2020-01-01T00:00:00Z", "2020-01-01", "2020-01-01T00:00:00", "2020-1-1", "2020/01/01 1:2:3", "20200101",
    "20200101T010203", "2020-01-01T00:00:00+01:00", "2020-01-01T00:00:00-0130", "2020-01-01T25:00:00",
    "2020-02-30T00:00:00Z", "1:00", "1:2:3", "1+00:00:05", "-1+1:1:1", "5", "5.5", "-5", "+5", "1d", "1d2h",
    "1h 2m", "2m3.5s", "1D", " 1:00 ", "1:00.5", "x", "", "1:00:00.123", "99:99", "0:0:-5", "1+", "2020",
    "2020-13-01T00:00:00Z", "1969-12-31T23:59:59Z", "2020-01-01T00:00:00z", "2020-01-01T00:00:00 +01:00", "abs",
    "2020-06-01T12:00:00", "1-1", "1h1h", "1s2m", "h", "3 d", "3d 4", "1.5d", "-1h", "- 1h",
)  # fmt: skip
PATTERNS = (
    "a", "^a", "a$", "[ab]+", "(a)(b)?", "\\\\d", "\\\\p{L}", "\\\\pN", "\\\\P{Lu}", "(?i)A", "a{2}", "a{,2}",
    "a**", "a*?", "a*+", "(", ")", "[", "]", "[]a]", "[^]", "(?=a)", "(?<!a)b", "(?<n>a)\\\\k<n>",
    "(?P<n>a)(?P=n)", "\\\\1", "(a)\\\\1", "\\\\Qa.b\\\\E", "\\\\x41", "\\\\x{41}", "\\\\101", "\\\\o{101}",
    "\\\\cA", "\\\\R", "\\\\h", "\\\\v", "\\\\K", "\\\\G", "\\\\A", "\\\\z", "\\\\Z", "\\\\b", "[[:alpha:]]",
    "[[:nope:]]", "[a-z&&[b]]", "(?#c)a", "(?x) a b # c", "(?s).", "(?m)^b$", "(?U)a+", "(?-i)a", "(?i:a)",
    "(?|(a)|(b))", "(?>a)", "(?(1)a|b)", "(a)?(?(1)b|c)", "(?R)", "(?1)", "(?&n)", "\\\\g1", "\\\\g{-1}",
    "\\\\N", "\\\\X", "\\\\C", ".", "|", "a|", "a|b", "+", "*a", "?", "{1}", "a{1", "a{2,1}", "\\\\",
    "(*UTF8)a", "(*ANY)a", "\\\\u0041", "\\\\L", "\\\\e", "\\\\H", "\\\\V", "\\\\S", "\\\\W", "\\\\D",
    "[\\\\d-z]", "[a-\\\\d]", "[\\\\b]", "[\\\\Qa]\\\\E]", "[z-a]", "(?C1)a", "(?J)a", "(?'n'a)", "\\\\k'n'",
    "\\\\pL\\\\pN", "(?<=a|bc)d", "(?<=a+)b", "\\\\B", "$", "^", "^$", "a(?=b)c*",
)  # fmt: skip
SUBJECTS = (
    "", "a", "A", "ab", "abc", "aab", "b", "a.b", "a\\nb", "a b", "AbC1_", "12", "h\u00e9", "\\377", "xaxbx",
    "a1b2", "bcd", "slot1@host", "slot1_2@h.example", "a,b,c", "a, b ,,c", "1,2.5,x", "bob@example.net", "-5",
    "1e3", "0x1F", " 7 ", "7x", "TRUE", "f", "undefined", "8.10.2", "8.9", "$CondorVersion: 8.9.1 Jan 1 2020 $",
    "v1", "24.0.1-rc", "A=1 B='x y'", "A=1;B=2", "a 'b c' \\\"d", "a\\\"b", "'", "\\\\", "$0", "\\\\1\\\\2",
    "\\\\0", "a + 1", "n.x", "1 +", "2 3", "5 garbage", "[x = 1].x", "{1,2", "(a", "a;b", "..a", "f(1;2)",
    "0x1.8",
)  # fmt: skip
#: Asks for the clock, chance, the terminal or the accounts of this machine.
SKIPPED = {"time", "currenttime", "daytime", "random", "debug", "userhome", "usermap"}
NOISE = "()[]{}\"'\\;=?:.,<>!&|+-*/% \n\t0xX1eE.aA_é\x7f#~^@$"
WORDS = (
    "[", "]", "{", "}", "(", ")", ";", ",", "=", "=?=", "=!=", "?:", "?", ":", "&&", "||", "!", "~", "<<",
    ">>>", "%", "/", "*", "-", "+", ".", "..", '"', "'", "\\", "/*", "*/", "//", "#", "\n", " ", "a", "b", "n",
    "l", "x", "f", "1", "0", "1.5", "0x1", "e1", "is", "isnt", "true", "undefined", "error", "MY.", "TARGET.",
    "parent", '"a"', "'q'", "strcat", "eval", "== ", "<=", ">=", "|", "&", "^",
)  # fmt: skip


OPERATIONS = (
    "set", "set", "set", "setdefault", "get", "pop", "popitem", "update", "delete", "in", "eval", "lookup", "clear",
    "len", "keys", "items", "repr", "equal", "flatten", "refs", "init", "text",
)  # fmt: skip


class Maker:
    """Cases of one seed."""

    def __init__(self, seed: int) -> None:
        from condor_py.lang.classad.functions import function_names

        self.chance = Random(seed)
        self.functions = [name for name in function_names() if name not in SKIPPED]

    def string(self) -> str:
        """A string literal for a function."""
        chance = self.chance
        pool = chance.choice((TIMES, PATTERNS, SUBJECTS, SUBJECTS))
        text = chance.choice(pool)
        if chance.random() < 0.15:
            text += chance.choice(pool)
        if chance.random() < 0.05 and "\\" not in text:
            at = chance.randint(0, len(text))
            text = text[:at] + chance.choice(" +-.:T0129aZ,;") + text[at:]
        return f'"{text}"'

    def argument(self) -> str:
        """An argument of a function: mostly a string."""
        chance = self.chance
        draw = chance.random()
        if draw < 0.6:
            return self.string()
        if draw < 0.7:
            return "{" + ", ".join(self.string() for _ in range(chance.randint(0, 3))) + "}"
        return chance.choice(CONSTANTS if draw < 0.9 else NAMES)

    def call(self) -> str:
        """A call of any function."""
        chance = self.chance
        name = chance.choice(self.functions)
        count = chance.choice((0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4))
        comma = "; " if chance.random() < 0.03 else ", "
        return f"{name}({comma.join(self.argument() for _ in range(count))})"

    def expression(self, depth: int) -> str:
        """Any expression, at most ``depth`` levels of operators and calls high."""
        chance = self.chance
        if depth <= 0 or chance.random() < 0.2:
            return chance.choice(CONSTANTS if chance.random() < 0.6 else NAMES)
        one, two, three = (self.expression(depth - 1) for _ in range(3))
        forms = (
            f"{one} {chance.choice(OPERATORS)} {two}",
            f"({one}) {chance.choice(OPERATORS)} ({two})",
            f"{chance.choice('!-+~')}{one}",
            f"{one} ? {two} : {three}",
            f"{{{one}, {two}}}",
            f"[x = {one}; k={two}]",
            f"({one})[{two}]",
            f"({one}).{chance.choice(('x', 'a', 'k', 'zz'))}",
            self.call(),
            f"{chance.choice(self.functions)}({one})",
            f"{chance.choice(self.functions)}({one}, {two})",
            f"{chance.choice(self.functions)}({one}, {two}, {three})",
        )
        return chance.choice(forms)

    def mutated(self, text: str) -> str:
        """``text`` with a few characters lost, doubled or replaced."""
        chance = self.chance
        for _ in range(chance.randint(1, 3)):
            at = chance.randint(0, len(text))
            new = chance.choice((chance.choice(NOISE), text[at : at + 3], "", chance.choice(WORDS)))
            text = text[:at] + new + text[at + chance.randint(0, 2) :]
        return text

    def soup(self) -> str:
        """Words of the language in any order."""
        chance = self.chance
        joint = chance.choice(("", " "))
        return joint.join(chance.choice(WORDS) for _ in range(chance.randint(1, 9)))

    def text(self) -> str:
        """A text that may be an expression."""
        draw = self.chance.random()
        if draw < 0.3:
            return self.soup()
        return self.mutated(self.expression(2))

    def name(self) -> str:
        """The name of an attribute."""
        chance = self.chance
        return chance.choice(
            (
                "A",
                "bC",
                "a",
                "D_1",
                "x y",
                "",
                "é",
                "A.b",
                "a-b",
                "1a",
                "true",
                "error",
                "is",
                "MY",
                "parent",
                "Requirements",
            )
        )

    def digits(self) -> str:
        """A number, mostly a damaged one."""
        return "".join(self.chance.choice("0123456789.eE+-xaFpK 1.50e8.") for _ in range(self.chance.randint(1, 8)))

    def ad(self) -> str:
        """The text of one ad or more, in any format, whole or damaged."""
        chance = self.chance
        kind = chance.choice(("old", "old", "new", "json", "xml"))
        parts = []
        for _ in range(chance.choice((1, 1, 2, 3))):
            pairs = [(self.name(), self.expression(1)) for _ in range(chance.randint(0, 4))]
            if kind == "old":
                middle = chance.choice((" = ", "=", "  =  ", "\t= ", " =\t"))
                parts.append(
                    "".join(f"{name}{middle}{value}\n" for name, value in pairs)
                    + chance.choice(("\n", "\n\n", "", "# note\n\n", "***\n"))
                )
            elif kind == "new":
                inner = chance.choice(("; ", ";\n", ";")).join(f"{quoted(name)} = {value}" for name, value in pairs)
                parts.append(f"[ {inner} ]" + chance.choice(("\n", "", " ", ",")))
            else:
                parts.append(self.structured(kind, pairs))
        text = "".join(parts)
        if kind == "json" and chance.random() < 0.3:
            text = "[\n" + ",\n".join(parts) + "\n]\n"
        if kind == "xml" and chance.random() < 0.7:
            text = f'<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n{text}</classads>\n'
        return self.mutated(text) if chance.random() < 0.4 else text

    def structured(self, kind: str, pairs: list[tuple[str, str]]) -> str:
        """One ad in JSON or XML as we print it, or nearly."""
        from condor_py.lang.classad import ClassAd
        from condor_py.lang.classad.exprtree import is_valid

        ad = ClassAd()
        for name, value in pairs:
            if name and is_valid(value):
                ad.set_text(name, value)
        if kind == "json":
            return ad.printJson() + "\n"
        from condor_py.lang.classad.formats.xml import ad_to_xml

        return ad_to_xml(ad.attrs.values()) + "\n"


def quoted(name: str) -> str:
    """``name`` as it is written in an ad of the new format."""
    return name if re.fullmatch("[A-Za-z_][A-Za-z_0-9]*", name) else f"'{name}'"


Case = list[Any]


def case(kind: str, seed: int) -> Case:
    """The case of this kind and seed."""
    maker = Maker(seed)
    chance = maker.chance
    if kind == "expressions":
        return [kind, maker.expression(chance.randint(1, 3))]
    if kind == "functions":
        return [
            kind,
            maker.call() if chance.random() < 0.85 else f"{maker.call()} {chance.choice(OPERATORS)} {maker.argument()}",
        ]
    if kind == "texts":
        return [kind, maker.text()]
    if kind == "eval":
        inner = maker.text().replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return [kind, f'eval("{inner}")']
    if kind == "ads":
        return [kind, maker.ad()]
    if kind == "numbers":
        return [kind, chance.choice(("", "", "-", "0x", "-0x")) + maker.digits()]
    assert kind == "objects", kind
    return [kind, [operation(maker) for _ in range(chance.randint(1, 8))]]


def operation(maker: Maker) -> list[Any]:
    """Something that is done with an ad as a mapping."""
    chance = maker.chance
    word = chance.choice(OPERATIONS)
    value = chance.choice(
        (
            1,
            -1,
            True,
            None,
            1.5,
            "x",
            "",
            [],
            [1, "a"],
            {"k": 1},
            {"": 1},
            {"a": {"": 2, "c": 3}},
            1 << 62,
            [[{}]],
            {"A": 1, "a": 2},
            "expr:" + maker.expression(1),
        )
    )
    return [word, maker.name(), value]


# What is asked of either module.


def outcome(module: Any, action: Callable[[], Any]) -> Any:
    """The result of ``action``, or the kind of exception."""
    try:
        return plain(action())
    except (ValueError, module.ClassAdException):
        return "refused"
    except (KeyError, TypeError, RuntimeError) as error:
        return type(error).__name__


def plain(value: Any) -> Any:
    """A value of either module without the module's own types; 1, 1.0 and True stay different."""
    kind = type(value).__name__
    if kind in ("ClassAd", "ExprTree"):
        return [kind, repr(value)]
    if kind == "Value":
        return value.name
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [kind, repr(value)]


def answers(module: Any, one: Case) -> list[Any]:
    """What ``module`` says of a case, question by question."""
    kind, what = one
    if kind == "ads":
        types = [
            module.ParserType.Auto,
            module.ParserType.Old,
            module.ParserType.New,
            module.ParserType.JSON,
            module.ParserType.XML,
        ]
        return [
            outcome(module, lambda form=form: [[repr(ad), printed_old(ad)] for ad in module.parseAds(what, form)])
            for form in types
        ]
    if kind == "objects":
        ad = module.ClassAd(MY)
        return [outcome(module, lambda step=step: perform(module, ad, *step)) for step in what] + [
            outcome(module, lambda: repr(ad))
        ]
    if kind == "numbers":
        texts = (
            (f"a = {what}\nb = 2\n", module.ParserType.Old),
            (f"[a = {what}; b = 2]\n[c={what}]", module.ParserType.New),
            (f'{{"a": {what}, "b": 2}}\n{{"c": [1, {what}], "d": {{"e": {what}}}}}', module.ParserType.JSON),
        )
        return [
            outcome(module, lambda: repr(module.ExprTree(what))),
            *(
                outcome(module, lambda text=text, form=form: [repr(ad) for ad in module.parseAds(text, form)])
                for text, form in texts
            ),
        ]
    questions: list[Callable[[], Any]] = [
        lambda: repr(module.ExprTree(what)),
        lambda: str(module.ExprTree(what)),
        lambda: module.ExprTree(what).eval(),
        lambda: module.ExprTree(what).eval(module.ClassAd(MY)),
        lambda: module.ExprTree(what).eval(module.ClassAd(MY), module.ClassAd(TARGET)),
    ]
    if kind in ("texts", "expressions"):
        questions += [
            lambda: module.ClassAd(MY).externalRefs(module.ExprTree(what)),
            lambda: module.ClassAd(MY).internalRefs(module.ExprTree(what)),
            lambda: module.ClassAd(f"[a = {what}]").printOld(),
            lambda: module.ClassAd(f"[a = {what}; b = 1]").printJson(),
            lambda: module.parseOne(f"a = {what}\nb = 2\n", module.ParserType.Old),
        ]
    return [outcome(module, question) for question in questions]


def printed_old(ad: Any) -> str:
    """``ad`` in the old format; without it where names have characters that only we escape there."""
    return "" if _NAME_OF_LINES.search(repr(ad)) else ad.printOld()


def perform(module: Any, ad: Any, word: str, name: str, value: Any) -> Any:
    """Carry one operation out on an ad."""
    if isinstance(value, str) and value.startswith("expr:"):
        value = module.ExprTree(value[5:])
    if word == "set":
        ad[name] = value
        return ad[name]
    if word == "init":
        return module.ClassAd({name: value})
    if word == "text":
        return module.ClassAd(f"[{name} = 1]")
    if word == "update":
        return ad.update({name: value, "z": 1})
    if word == "delete":
        del ad[name]
        return None
    if word == "equal":
        return ad == module.ClassAd({name: value})
    if word == "flatten":
        return ad.flatten(module.ExprTree("a + zz"))
    if word == "refs":
        return ad.externalRefs(module.ExprTree("a + zz"))
    simple = {
        "setdefault": lambda: ad.setdefault(name, value),
        "get": lambda: ad.get(name, value),
        "pop": lambda: ad.pop(name, value),
        "popitem": lambda: len(ad.popitem()),
        "in": lambda: name in ad,
        "eval": lambda: ad.eval(name),
        "lookup": lambda: ad.lookup(name),
        "clear": ad.clear,
        "len": lambda: len(ad),
        "keys": lambda: sorted(ad.keys()),
        "items": lambda: sorted(key for key, _ in ad.items()),
        "repr": lambda: repr(ad),
    }
    return simple[word]()


# Processes that answer.


def serve(side: str) -> None:
    """Answer batches of cases, a line each, from children; a case that kills its child is answered with "died"."""
    os.environ["CONDOR_CONFIG"] = "/dev/null"
    os.environ["TZ"] = "UTC"
    if side == "theirs":
        import classad2 as module
        import htcondor2  # noqa: F401  (registers HTCondor's own functions)
    else:
        from condor_py.lang import classad as module  # type: ignore[no-redef]
    for line in sys.stdin:
        print(json.dumps(from_children(module, json.loads(line))), flush=True)


def from_children(module: Any, cases: list[Case]) -> list[Any]:
    """The answers to ``cases``: "died" for one on which its child died."""
    found: list[Any] = []
    while len(found) < len(cases):
        found += in_child(module, cases[len(found) :])
        if len(found) < len(cases):
            found.append("died")
    return found


def in_child(module: Any, cases: list[Case]) -> list[Any]:
    """The answers from a child up to a case on which it dies or takes a second of CPU: HTCondor's reader may loop."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        with os.fdopen(writing, "w") as stream:
            for one in cases:
                signal.setitimer(signal.ITIMER_PROF, 1)
                print(json.dumps(answers(module, one)), file=stream, flush=True)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        lines = stream.read().split("\n")
    os.waitpid(pid, 0)
    return [json.loads(line) for line in lines[:-1]]


class Side:
    """One of the two, in a process."""

    def __init__(self, side: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", side], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def send(self, cases: list[Case]) -> None:
        """Ask."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(cases) + "\n")
        self.process.stdin.flush()

    def receive(self) -> list[Any]:
        """Its answers."""
        assert self.process.stdout is not None
        found: list[Any] = json.loads(self.process.stdout.readline())
        return found

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


KINDS = ("expressions", "functions", "texts", "eval", "ads", "objects", "numbers")


def differences(kind: str, seed: int, count: int, batch: int = 200) -> Iterator[tuple[int, Case, Any, Any]]:
    """Seed, case, HTCondor's answers and ours, where they differ and HTCondor's library survived."""
    sides = Side("theirs"), Side("ours")
    try:
        for start in range(seed, seed + count, batch):
            seeds = range(start, min(start + batch, seed + count))
            cases = [case(kind, each) for each in seeds]
            for side in sides:
                side.send(cases)
            theirs, ours = sides[0].receive(), sides[1].receive()
            for each, one, their, our in zip(seeds, cases, theirs, ours, strict=True):
                if their != "died" and (our == "died" or any(unexplained(one, their, our))):
                    yield each, one, their, our
    finally:
        for side in sides:
            side.close()


#: Patterns that Python's ``re`` cannot express.
_OTHER_PATTERNS = re.compile(r"\(\*[A-Z]|\(\?(?:[a-z]*U|[R|^&0-9(J]|P>)|\\[CXKGg]")
#: A backslash and the quote that ends a line, but for spaces: HTCondor's old format takes the quote for an escaped one.
_QUOTE_BEFORE_BLANK = r'(?m:\\"[ \t]+$)'
#: A bracket before a comment without an end, which HTCondor reads once more.
_OPEN_COMMENT = r"(?s:[\])}]\s*/\*(?!.*\*/))"
#: A quoted name with the end of a line, which is printed escaped.
_NAME_OF_LINES = re.compile(r"'[^']*(?:\n|\\n|\\012)[^']*'")


def unexplained(one: Case, theirs: list[Any], ours: list[Any]) -> list[bool]:
    """Whether each answer differs in a way that the docstring of condor_py.lang.classad does not name."""
    kind, what = one
    found = [
        their != our and not (their == "refused" and "\\udc" in repr(our))
        for their, our in zip(theirs, ours, strict=True)
    ]
    if re.search(r"\.\s*'|'\s*\(|[0-9a-fA-F]\s+\.", str(what)):
        # Names behind a point and of functions, which HTCondor prints without quotes, and behind a number's blank.
        found = [
            one and _as_printed(their) != _as_printed(our) for one, their, our in zip(found, theirs, ours, strict=True)
        ]
    if kind == "ads":
        return _open_of_ads(what, found, theirs, ours)
    if kind == "objects":
        return _open_of_objects(what, found, theirs, ours)
    if kind == "numbers":
        return found

    def explain(pattern: str, *places: int) -> None:
        if re.search(f"(?is){pattern}", what):
            for place in places or range(len(found)):
                if place < len(found):
                    found[place] = False

    explain(r"evalInEachContext|countMatches", 4)  # the scope of what is projected, in a match
    # What is projected leaves its scope behind.
    explain(r"(?:evalInEachContext|countMatches) *\(.*\. *\w+\)* *[,;]", 2, 3)
    explain(r"unresolved *\([^,)]*\.", 3, 4)  # the same, for all that is evaluated behind it
    explain(r"unresolved *\([^)]*,")  # a pattern that is none, over which HTCondor leaves any value
    explain(r"\bparent\b.*(?:\bis(?:nt)?\b|=[?!]=)", 2, 3, 4)  # whether an ad around another is a third one
    explain(r"unresolved *\( *(?:my|target|self|other)\b")  # what a whole ad of a match refers to
    # Such a name without an ad counts as unknown in HTCondor's functions, as an error in ours.
    explain(r"(?:evalInEachContext|countMatches).*(?<![\w)\].])\.\.?[A-Za-z]", 2)
    explain(  # an ad of HTCondor's machinery in a match
        r"(?:(?:\b|\\[nrt])parent|(?<![\w.])(?:toplevel|root)|(?<![\w)\].])\.\.?(?:my|self))\b(?!\s*\.)"
        r"|\bparent\s*\.\s*(?:my|target)\b|unresolved *\( *\.",
        4,
    )
    explain(r"currentTime|(?:abs|format)Time *\( *\)", 2, 3, 4)  # the clock
    explain(r"(?:format|split)Time *\([^,]*[0-9]{11}", 2, 3, 4, 5, 6)  # impossible dates
    explain(r"formatTime *\( *(?:[\[{]|n\b)", 2, 3, 4)  # the day 0 of an ad without a day
    if "refused" in (theirs[2], ours[2]):  # a name of the outermost ad, without an ad
        explain(r"(?<![\w)\].])\.\.?\s*[A-Za-z]|\b(?:toplevel|root)\b", 2)
    explain(_OPEN_COMMENT)
    if re.search(r"(?i)absTime|splitTime|formatTime", what):  # years that Python does not have
        found = [one and their != "refused" for one, their in zip(found, theirs, strict=True)]
    if "reltime" in what.lower():  # more days than an int has
        found = [one and "-24855+" not in repr(their) for one, their in zip(found, theirs, strict=True)]
    explain(r'absTime *\( *\\*"[^"]*[^\0-\x7f]')  # no time, of which HTCondor counts the bytes
    if _OTHER_PATTERNS.search(what):
        found[2:5] = [False] * len(found[2:5])
    if kind in ("expressions", "texts"):
        explain(r"[\])] *\)? *\. *\w", 5, 6)  # names inside of an ad that was computed
        if _NAME_OF_LINES.search(what):
            found[7] = False
        explain(_QUOTE_BEFORE_BLANK, 9)
    return found


def _as_printed(answer: Any) -> str:
    return re.sub(r"""[\\'"]| (?=\.)""", "", repr(answer))


def _open_of_objects(what: list[list[Any]], found: list[bool], theirs: list[Any], ours: list[Any]) -> list[bool]:
    """`unexplained` for ads as mappings."""
    if any("\\377" in str(value) for _, _, value in what):
        return [False] * len(found)  # half a character: HTCondor's module refuses all that reads such an ad
    for place, step in enumerate(what):
        # A computed ad that is flattened; a time in a year that Python does not have.
        if theirs[place] == "refused" and (step[0] == "flatten" or ours[place] == "Error"):
            found[place] = False
        if "-24855+" in repr(theirs[place]):  # more days than an int has
            found[place] = False
    return found


def _open_of_ads(what: str, found: list[bool], theirs: list[Any], ours: list[Any]) -> list[bool]:
    """`unexplained` for texts of ads."""
    if re.search(r"(?m)(?:^|\])[ \t]*'|\t[ \t]*=", what):  # quotes and tabs around names of the old format
        found[:3] = [False] * 3
        found = [one and "\\\\'" not in repr(their) for one, their in zip(found, theirs, strict=True)]
    if re.search(r"[^\0-\x7f]\s*\Z", what):  # not the end for HTCondor, which reads one byte of the character
        found = [one and their != "refused" for one, their in zip(found, theirs, strict=True)]
    if re.search(r"<at>[^<]*[^\0-\x7f]", what):  # no time, of which HTCondor counts the bytes
        found = [one and their != "refused" for one, their in zip(found, theirs, strict=True)]
    if re.search(_OPEN_COMMENT, what):
        return [False] * len(found)
    if re.search(_QUOTE_BEFORE_BLANK, what):
        found[0] = found[1] = False
    if re.search(r"\?[^:]*:", what):  # HTCondor reads on behind a mistake in a condition
        found = [one and our != "refused" for one, our in zip(found, ours, strict=True)]
    if "''" in what:  # a name without a character ends HTCondor's list of ads
        found = [one and our != "refused" for one, our in zip(found, ours, strict=True)]
    return found


def main() -> int:
    """Compare, print, count."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=10_000)
    options.add_argument("--serve", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        serve(given.serve)
        return 0
    total = 0
    for kind in given.kinds or KINDS:
        found = 0
        for seed, one, theirs, ours in differences(kind, given.seed, given.count):
            found += 1
            print(f"{kind} {seed}: {one[1]!r}")
            if ours == "died":
                print("   ours died")
                continue
            open_ones = unexplained(one, theirs, ours)
            for place, (their, our) in enumerate(zip(theirs, ours, strict=True)):
                if open_ones[place]:
                    print(f"   {place}: HTCondor {their!r}\n      ours     {our!r}")
        print(f"{kind}: {given.count} cases from seed {given.seed}, {found} differ", flush=True)
        total += found
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
