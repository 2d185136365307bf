"""Configuration files, line by line: random ones, and the odd cases one by one, read as HTCondor reads them."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from condor_py.config import Config, load
from condor_py.model.errors import ConfigError

NAMES = list("ABCD")
CONDITIONS = """true|false|yes|no|1|0|2.5|0.0|! true|!0|$(A)|! $(B)|defined A|defined $(A)|! defined B|defined NOPE
|defined true|version > 8.0|version >= 25.14|version < 9.1.2|version == 25.14|version != 25.0|$(NOPE)|defined|! defined
|-1|defined use FEATURE|defined use ROLE:Personal|defined use NOPE|defined A.B|version >= 99.1""".replace(
    "\n", ""
).split("|")
ODD_CONDITIONS = ["foo bar", "1 > 2", "A", "", "version", "version > x", "true && true", "defined A B", "$(C) == 3"]


def _read(path: Path, text: str) -> Config | None:
    """The configuration in ``text``; None when it is refused."""
    path.write_text(text)
    try:
        return load({**os.environ, "CONDOR_CONFIG": str(path)})
    except ConfigError:
        return None


def _line(r: random.Random, depth: int) -> list[str]:
    name = r.choice(NAMES)
    value = r.choice(["1", "x y", "$(A)", "$(B) 2", f"$({name}) more", "", "a,b", "true", "0", f"$({name}:d)"])
    kind = r.randrange(16)
    if kind < 5:
        return [f"{r.choice(['', '  '])}{name}{r.choice(['=', ' = ', '= ', chr(9) + '='])}{value}"]
    if kind == 5:
        return [f"{name} +{r.choice(['', ',', ';', '|', '&', '*', '&&', '||'])}= {value}"]
    if kind == 6:
        return [f"{name} = {value} \\", r.choice(["  tail", "tail \\", "", "# gone \\"]), "end"]
    if kind == 7:
        return [f"{name} @=tag", f"  {value}", r.choice(["# no", "", "second \\"]), "third", "@tag"]
    if kind == 8:
        return [r.choice(["# a comment", "# with \\", "", "   ", "[section]"])]
    if kind == 9:
        return [f"{name}_$(A:x) = 1", f"{name} = $({name}_$(A:x))"]
    if kind == 10:
        return [r.choice(["use FEATURE : PartitionableSlot", "use ROLE : Personal", f"SCHEDD.{name} = 9"])]
    if kind == 11:
        return [f"{name} word = {value}"]
    if depth < 3:
        lines = [f"if {r.choice(CONDITIONS)}", *_lines(r, depth + 1)]
        for _ in range(r.randrange(2)):
            lines += [f"elif {r.choice(CONDITIONS)}", *_lines(r, depth + 1)]
        if r.random() < 0.5:
            lines += ["else", *_lines(r, depth + 1)]
        return [*lines, "endif"]
    return [f"{name} = deep"]


def _lines(r: random.Random, depth: int = 0) -> list[str]:
    return [line for _ in range(r.randrange(1, 6)) for line in _line(r, depth)]


@pytest.mark.parametrize("seed", range(3))
def test_random_files(htcondor, tmp_path: Path, seed: int) -> None:
    r = random.Random(1000 + seed)
    texts = ["\n".join(_lines(r)) + "\n" for _ in range(400)]
    names = [*NAMES, "SLOT_TYPE_1"]
    for text, answer in zip(texts, htcondor([(text, names) for text in texts]), strict=True):
        config = _read(tmp_path / "c", text)
        if config is None:
            assert "Configuration Error" in answer.get("!", ""), text
            continue
        if "A" not in answer:
            assert any("$(" in line for line in text.splitlines()), text
            continue  # macros in a circle
        for name in names:
            try:
                ours = config.expanded(name)
            except ConfigError:
                continue
            assert ours == (None if answer[name] is None else str(answer[name])), f"{name} in\n{text}"


ODD_LINES = [
    "A B = 1",
    "L+= x",
    "[a b]",
    "[ab]",
    "A",
    "= 1",
    "A@=1",
    "A-B = 1",
    "$(X) = 3",
    "A @=x\nfoo",
    "A +x = 3",
    "A @ 3",
    "use NOPE : x",
    "use ROLE : nope",
    "use : x",
    "include : /nofile",
    "include ifexist : /nofile",
    "include foo : /nofile",
    "@include ifexist : /nofile",
    "@use ROLE : Personal",
    "error : bye",
    "error 7 : bye",
    "if true\nA = 1",
    "endif",
    "else",
    "elif 1",
    "if 1\nelse\nelse\nendif",
    "if 1\nelse\nelif 1\nendif",
    ":if 1\n:A = 7\n:endif",
    "include command : echo A=7",
    "include : echo A=8 |",
    "include command : /no/such/program",
    "use policy : preempt_if",
    "use policy:want_hold_if(A)",
    "LOCAL_CONFIG_FILE = /nofile",
    "LOCAL_CONFIG_FILE = echo A=5 |",
    "LOCAL_CONFIG_FILE = false |",
    "LOCAL_CONFIG_FILE = /nofile\nREQUIRE_LOCAL_CONFIG_FILE = false",
    "A = 1\nA.B = 2\nTOOL.A = 7",
    "A = \\",
    "A = x\\",
    "A = x # y",
    "A : 5",
    *(f"if {condition}\nA = 1\nendif" for condition in (*CONDITIONS, *ODD_CONDITIONS)),
]


def test_odd_lines_one_by_one(htcondor, tmp_path: Path) -> None:
    texts = [f"{line}\nD = end\n" for line in ODD_LINES]
    wrong = []
    for text, answer in zip(texts, htcondor([(text, NAMES) for text in texts]), strict=True):
        config = _read(tmp_path / "c", text)
        ours = None if config is None else {name: config.expanded(name) for name in NAMES}
        theirs = None
        if "A" in answer:
            theirs = {name: None if answer[name] is None else str(answer[name]) for name in NAMES}
        if ours != theirs:
            wrong.append((text, ours, theirs))
    assert wrong == []


@pytest.mark.parametrize("count", [17, 18, 19, 20])
def test_how_deep_includes_may_nest(htcondor, tmp_path: Path, count: int) -> None:
    for index in range(count):
        (tmp_path / f"f{index}").write_text(f"include : {tmp_path}/f{index + 1}\n")
    (tmp_path / f"f{count}").write_text("A = bottom\n")
    text = f"include : {tmp_path}/f0\n"
    (answer,) = htcondor([(text, ["A"])])
    config = _read(tmp_path / "c", text)
    assert (None if config is None else config.expanded("A")) == answer.get("A")
