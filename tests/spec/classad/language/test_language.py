"""The language by example: the ``.txt`` files here, read by condor_py and, if installed, by HTCondor's own classad2.

``expression --> value`` gives the value as ``repr`` prints it, ``expression --> parse error at N`` the offset at which
reading stops (condor_py only). ``MY = [ … ]`` and ``TARGET = [ … ]`` set the two ads for the lines that follow, an
empty line takes them away. Lines that start with ``#`` explain. ``[HTCondor: value]`` after a value is what HTCondor
gives where condor_py differs on purpose; the reason stands above the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from condor_py.lang import classad

_HERE = Path(__file__).parent
_LINE = re.compile(r"(?P<expression>.*?) +--> (?P<value>.*?)(?: +\[HTCondor: (?P<theirs>.*)\])?$")
_REFUSED = re.compile(r"parse error at (\d+)$")


class Example(NamedTuple):
    """One line of a file, with the ads that hold for it."""

    place: str
    expression: str
    value: str
    theirs: str
    my: str
    target: str


def examples() -> Iterator[Example]:
    """Every example of every file."""
    for path in sorted(_HERE.glob("*.txt")):
        ads = {"MY": "", "TARGET": ""}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("#"):
                continue
            if not line.strip():
                ads = {"MY": "", "TARGET": ""}
                continue
            found = _LINE.match(line)
            if found is None:
                name, _, text = line.partition(" = ")
                assert name in ads, f"{path.name}:{number}: {line}"
                ads[name] = text
                continue
            value, theirs = found["value"], found["theirs"] or found["value"]
            yield Example(f"{path.name}:{number}", found["expression"], value, theirs, ads["MY"], ads["TARGET"])


def value_of(module: Any, example: Example) -> str:
    """What ``module`` makes of the expression."""
    try:
        tree = module.ExprTree(example.expression)
    except module.ClassAdException:
        return "parse error"
    my = module.ClassAd(example.my) if example.my or example.target else None
    target = module.ClassAd(example.target) if example.target else None
    try:
        return repr(tree.simplify(my, target) if my is not None else tree.simplify())
    except module.ClassAdException:
        return "no value"


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: f"{example.place} {example.expression}")
def test_examples(example: Example) -> None:
    refused = _REFUSED.match(example.value)
    if refused is None:
        assert value_of(classad, example) == example.value
        return
    with pytest.raises(classad.ClassAdParseError) as caught:
        classad.parse(example.expression)
    assert caught.value.offset == int(refused[1])


def test_the_reference_agrees(reference: ModuleType) -> None:
    different = {}
    for example in examples():
        expected = "parse error" if _REFUSED.match(example.theirs) else example.theirs
        actual = value_of(reference, example)
        if actual != expected:
            different[example.place, example.expression] = (expected, actual)
    assert not different
