"""Daemons serve before their classes and patterns are compiled; nobody can tell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
_START = "import sys; sys.path.insert(0, sys.argv[1]); "
_LIGHT = "from condor_py.tools.startup import lighten; lighten('condor_schedd'); "
_CLASSES = """
from dataclasses import dataclass, field, replace
from typing import ClassVar
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: "int" = 2
    rest: list = field(default_factory=list)
@dataclass(order=True)
class Tall:
    count: "ClassVar[int]" = 3
    a: int
class More(Tall): pass
@dataclass(kw_only=True)
class Named:
    a: int
"""


def _run(text: str, start: str = _START + _LIGHT) -> list[str]:
    words = [sys.executable, "-I", "-S", "-c", f"{start}\nexec({_CLASSES!r})\n{text}", str(_ROOT)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()


def test_classes_whose_methods_wait_are_like_all_others() -> None:
    asked = (
        "p = Point(1); print(p, replace(p, y=3), p == Point(1), p == Point(2), p.rest is Point(1).rest)",
        "print(Point.__init__.__name__, Point.__init__.__qualname__, repr(p) == repr(p), Point.__slots__)",
        "try: p.x = 3\nexcept AttributeError as error: print(type(error).__name__, error)",
        "try: Point()\nexcept TypeError as error: print(error)",
        "try: Point(1, z=1)\nexcept TypeError as error: print(error)",
        "try: hash(p)\nexcept TypeError as error: print(error)",
        "print(More(1) < More(2), More(1), More(a=2) >= More(1), Tall(1) == More(1), Named(a=1))",
    )
    said = _run("\n".join(asked))
    assert said == _run("\n".join(asked), _START)
    assert "FrozenInstanceError cannot assign to field 'x'" in said
    assert len(said) == len(asked)


def test_a_daemon_makes_what_waits_before_its_children_need_it() -> None:
    """Constructors and patterns; children that are forked afterwards have them."""
    said = _run("""
import gc, re
class Words: pattern = re.compile("a(b)")
from condor_py.model import unmade
print(type(Words.pattern).__name__, "real" in Words.pattern.__dict__, Point.__init__.__code__.co_filename[-15:])
while unmade.make(1): pass
print("real" in Words.pattern.__dict__, Point.__init__.__code__.co_filename, Point.__init__.__qualname__)
print(Point(1), Tall(1), Words.pattern.sub("x", "ab"), gc.get_threshold()[0])
""")
    usual = _run("import gc; print(gc.get_threshold()[0])", _START)
    assert said[:2] == ["_Pattern False laterclasses.py", "True <string> Point.__init__"]
    assert said[2:] == [f"Point(x=1, y=2, rest=[]) Tall(a=1) x {usual[0]}"]


def test_a_constructor_in_c_does_not_compile_the_one_that_waits() -> None:
    """Until somebody calls it with what it does not take, and is told the same words."""
    said = _run("""
from condor_py.model import making, unmade
later = Point.__init__
making.quicken([Point, Named])
print(Point(1), Point(y=4, x=3), Point.__init__ is later, later.__code__.co_filename.endswith("laterclasses.py"))
for wrong in (lambda: Point(), lambda: Point(1, z=2)):
    try: wrong()
    except TypeError as error: print(error)
while unmade.make(1): pass
print(type(Point.__init__).__name__, Named(a=1))
""")
    assert said == [
        "Point(x=1, y=2, rest=[]) Point(x=3, y=4, rest=[]) False True",
        "Point.__init__() missing 1 required positional argument: 'x'",
        "Point.__init__() got an unexpected keyword argument 'z'",
        "Maker Named(a=1)",
    ]


def test_a_class_without_a_text_needs_no_inspect() -> None:
    assert _run("class Bare:\n    a: int = 1\nprint(dataclass(Bare)(), 'dis' in sys.modules)") == ["Bare(a=1) False"]
