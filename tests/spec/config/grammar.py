"""Random configurations: macros, functions, conditions, blocks, includes, templates, prefixes, environment."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

NAMES = [*"ABCDE", "SLOT_TYPE_1", "NUM_SLOTS_TYPE_1"]
_LETTERS = "ABCDE"

_CONDITIONS = """yes|NO|t|F|1|0|2.5|-1|!true|! 0|!!1|$(A)|! $(B)|$(NOPE)|defined A|defined B|! defined C|defined $(D)
|defined SCHEDD.A|defined TOOL.A|defined NOPE|version > 8.0|version >= 25.13.1|version < 25.13|version == 25.13.1
|version = 25|version != 25.13.1|version !== 25.14|version >25.1|version>=8.1.6|VERSION >= 8.1.6|version>= 8.1.6
|version !>= 8.1|version => 8.1|defined use FEATURE:GPUs|defined use feature|defined use NOPE:x|defined use FEATURE:x
|true # c|$(A:1)|$INT(A)|  1  |(1)|1 == 1|"true"|0x1|1e3|.5|+1|00|TRUE|defined  A |defined A B|version >= 7.1.2.3
|version|version 25.13.1|version >= v25.13.1|Ture|defined yes|$(A)$(B)|! $(NOPE)|defined use FEATURE : GPUs""".replace(
    "\n", ""
).split("|")
_SELF = """$({0}) more|pre $({0})|$({0}:dd) x|$({1}),y|$INT({0})|$F({0})|$Fn({0})|$(SCHEDD.{0}) 1|$(B$({0}))
|$({0})$({0})|$$({0})|$({0}:$({0}:q))|$({0}:$(B))|$ENV({0})|$SUBSTR({0},1)""".replace("\n", "").split("|")
_ARGUMENTS = [
    "",
    "1",
    "1,50%",
    "1, cpus=1, mem=2",
    "$(A)",
    "1,$(B)",
    ",x",
    "1,,x",
    "(1)",
    "1,(a,b)",
    "1,[a]",
    "2",
    "1,)",
]
_FILES = [f"$F{letters}({{0}})" for letters in ("", "p", "n", "x", "nx", "pn", "q", "d", "db", "f", "pa", "wp")]


class Case(NamedTuple):
    """A root file, what is in the environment, and who reads it."""

    root: Path
    environ: dict[str, str]
    subsystem: str


class Grammar:
    """Makes one random configuration in ``folder``, out of the generator ``r``."""

    def __init__(self, r: random.Random, folder: Path) -> None:
        self.r = r
        self.folder = folder
        self.files: list[str] = []

    def case(self) -> Case:
        r = self.r
        self._write("root", self._lines(0, includes=True))
        environ = {"IN_ENV": "env val"}
        if r.random() < 0.3:
            environ["_CONDOR_" + r.choice(_LETTERS)] = self._value()
        if r.random() < 0.1:
            environ["_condor_" + r.choice(["SCHEDD.", "TOOL.", ""]) + r.choice(_LETTERS)] = self._value()
        return Case(self.folder / "root", environ, r.choice(["TOOL", "TOOL", "SCHEDD"]))

    def _write(self, name: str, lines: list[str]) -> None:
        # The original does not strip a last line without line end, so there is always one.
        end = "\r\n" if self.r.random() < 0.1 else "\n"
        (self.folder / name).write_text("".join(line + end for line in lines), newline="")

    def _lines(self, depth: int, *, includes: bool) -> list[str]:
        return [line for _ in range(self.r.randrange(1, 6)) for line in self._line(depth, includes)]

    def _line(self, depth: int, includes: bool) -> list[str]:
        r = self.r
        kinds: list[tuple[int, Callable[[], list[str]]]] = [
            (9, self._setting),
            (1, self._self_reference),
            (1, self._append),
            (1, self._continued),
            (1, self._block),
            (1, lambda: [r.choice(["# a comment", "# with \\", "", "   ", "[section]", "[ab]=3", "  # in", "#A = 5"])]),
            (1, self._template),
            (1, lambda: [f"warning : careful $({r.choice(_LETTERS)})"]),
            (2, lambda: [f"{r.choice(_LETTERS)} = deep$(Z)"]),
        ]
        if depth < 4:
            kinds.append((3, lambda: self._if(depth)))
        if includes and depth < 3 and len(self.files) < 5:
            kinds.append((1, lambda: self._include(depth)))
        if r.random() < 0.1:
            kinds.append((1, lambda: [f"{r.choice(_LETTERS)}{r.choice([' :', ' word ='])} {self._value()}"]))
        if r.random() < 0.3:
            kinds.append((2, self._odd))
        return r.choices([make for _, make in kinds], [weight for weight, _ in kinds])[0]()

    def _odd(self) -> list[str]:
        name = self.r.choice(_LETTERS)
        return self.r.choice(
            [
                [":if true", f":{name} = colon", ":endif"],
                ["if true", f"  : {name} = colon", "endif"],
                ["if false", "error : not reached", "include : /no/file", "use NOPE : x", f"A-B {name}", "endif"],
                [f"{name} = é ü\tx"],
                [f"{name}\v=\f1 \v"],
                [f"{name} = x\\\\", "y"],
                [f"{name} = a \\ ", "  b"],
                [f"{name} = $$([ $(B) ])$(A)$$(B:c)"],
                [f"{name} = $INT((1+2))$INT(2*(3+4))"],
                [f"{name} = $(B:$INT(A))"],
                [f"{name} = $(B:$(C):$(D))"],
                [f"{name} = $SUBSTR({name},0,1)$SUBSTR(B,-2,1)"],
                [f"{name} = $RANDOM_CHOICE(z)$RANDOM_INTEGER(3,3)"],
                [f"{name} = %d %s %%"],
                [f"{name} = {'x' * 5000}"],
                ["# " + "x" * 3000, f"{name} = after"],
                [f"@use FEATURE : PartitionableSlot({name})"],
                ["use FEATURE : PartitionableSlot StaticSlots(1,2,cpus=1)"],
                [f"{name} =", f"{name} += one", f"{name} += two"],
                [f"{name} @=x", "@x"],
                [f"{name} = $({name}.b)", f"{name}.b = dot"],
                [f"{name.lower()} = lower $({name})"],
                [
                    f"if defined {name}",
                    f"{name} = was",
                    "elif defined B",
                    f"{name} = B was",
                    "else",
                    "B = none",
                    "endif",
                ],
            ]
        )

    def _space(self) -> str:
        return self.r.choice(["", " ", "  ", "\t", " "])

    def _name(self) -> str:
        r = self.r
        name = r.choice(_LETTERS)
        other = r.choice(_LETTERS)
        forms = [f"SCHEDD.{name}", f"TOOL.{name}", name.lower(), f"{name}_$({other})", f"$(N{name}:{name})"]
        return r.choice(forms) if r.random() < 0.2 else name

    def _setting(self) -> list[str]:
        return [f"{self._space()}{self._name()}{self._space()}={self._space()}{self._value()}{self._space()}"]

    def _self_reference(self) -> list[str]:
        name = self.r.choice(_LETTERS)
        return [f"{name} = {self.r.choice(_SELF).format(name, name.lower())}"]

    def _append(self) -> list[str]:
        r = self.r
        separator = r.choice(["", "", ",", ";", "|", "&", "*", "&&", "||", ",,", "+", " "])
        return [f"{r.choice(_LETTERS)}{r.choice([' ', '  ', ' ', ''])}+{separator}={self._space()}{self._value()}"]

    def _continued(self) -> list[str]:
        tail = self.r.choice(["  tail", "tail \\", "# gone \\", "   ", "\\"])
        return [f"{self.r.choice(_LETTERS)} = {self._value()} \\", tail, "B = end", ""]

    def _block(self) -> list[str]:
        r = self.r
        tag = r.choice(["tag", "end", "x", "", "E N D", "@"])
        lines = ["# no", "", "if true", "@other", f"  @{tag} x", "X = 1", "@@", "\tz", "include : /x", "second \\"]
        # The last letter of a comment inside a continuation stays in the value: not copied.
        body = [r.choice([*lines, "  " + self._value()]) for _ in range(r.randrange(4))]
        body = [line for at, line in enumerate(body) if line != "# no" or not (at and body[at - 1].endswith("\\"))]
        first = f"{r.choice(_LETTERS)}{self._space()}@={self._space()}{tag}"
        return [first, *body, f"{self._space()}@{tag}{self._space()}"]

    def _template(self) -> list[str]:
        form = self.r.choice(["use FEATURE : PartitionableSlot(%s)", "use feature:StaticSlots(%s)"])
        return [form % self.r.choice(_ARGUMENTS)]

    def _include(self, depth: int) -> list[str]:
        name = f"f{len(self.files)}"
        self.files.append(name)
        self._write(name, self._lines(depth + 1, includes=True))
        forms = """include : {0}/{1}|include ifexist : {0}/{1}|@include:{0}/{1}|INCLUDE : {0}/{1} |include : {0}/$(Q){1}
|include command : cat {0}/{1}|include : cat {0}/{1} \\p|include ifexist command : cat {0}/{1}
|include ifexist : {0}/no{1}|include command into {0}/cache{1} : cat {0}/{1}
|include ifexist command into {0}/cache{1} : cat {0}/no{1}|include command : false""".replace("\n", "").split("|")
        return [self.r.choice(forms).format(self.folder, name).replace("\\p", "|")]

    def _if(self, depth: int) -> list[str]:
        r = self.r

        def condition() -> str:
            return r.choice(_CONDITIONS) if r.random() < 0.3 else r.choice(["true", "false"])

        lines = [f"{self._space()}{r.choice(['if', 'IF', 'if ', 'If'])} {condition()}"]
        lines += self._lines(depth + 1, includes=False)
        for _ in range(r.randrange(2)):
            lines += [f"{r.choice(['elif', 'ELIF'])} {condition()}", *self._lines(depth + 1, includes=False)]
        if r.random() < 0.5:
            lines += ["else", *self._lines(depth + 1, includes=False)]
        return [*lines, "endif"]

    def _value(self) -> str:
        r = self.r
        one, two = r.choice(_LETTERS), r.choice(_LETTERS)
        default = r.choice(["d", f"$({two})", "a b", "a:b", f"$({two}:z)", "", "/p/q", "(x)", "$(1)", "a-b"])
        plain = [
            "1",
            "x y",
            "",
            "a,b , c",
            "true",
            "0",
            "/a/b.c/d.e",
            '"q \\" s" # no comment',
            "$(DOLLAR)(A)",
            "$$(A)$(X)",
        ]
        return r.choice(
            [
                *plain,
                f"$({one})",
                f"$({one}) $({two})",
                f"$({one}:{default})",
                f"<$($({one}))>",
                f"$(SCHEDD.{one})",
                f"$( {one})$({one} )$({one}.{two})",
                f"$INT({r.choice(['', ' '])}{one})",
                f"$CHOICE({r.choice(['0', '1', ' 1 ', '-1', one])},{r.choice(['a,b', ' a , b ', one, ' ' + one])})",
                f"$SUBSTR({one},{r.choice(['0', '1', '-1', ' 2 ', '1,1', '0,-1'])})",
                r.choice(_FILES).format(one),
                f"$EVAL({r.choice([one, '1+1', 'strcat(1)', f'$({one})'])})",
                f"$STRING({one}{r.choice(['', ',%s', ',%5s', ', %s'])})",
                f"$REAL({one}{r.choice(['', ',%.1f'])})",
                f"$ENV({r.choice(['IN_ENV', 'NOPE', 'IN_ENV:x', 'NOPE:y', f'NOPE:$({one})'])})",
            ]
        )
