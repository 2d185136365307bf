"""Daemons serve before their classes and patterns are compiled; nobody can tell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[3]
_OTHERS = ("3.11", "3.12", "3.13", "3.14")
_START = "import sys; sys.path.insert(0, sys.argv[1]); "
_LIGHT = "from condor_py.tools.startup import lighten; lighten('condor_schedd'); "
_CLASSES = '''
from dataclasses import InitVar, dataclass, field, replace
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
@dataclass
class Own:
    a: int
    def __eq__(self, other): return True
    def __repr__(self): return "mine"
    def __hash__(self): return 7
@dataclass(frozen=True)
class Whole:
    """All of it."""
    a: int
@dataclass
class Deep:
    inner: object
@dataclass
class Given:
    a: InitVar[int]
    twice: int = field(init=False)
    def __post_init__(self, a): self.twice = 2 * a
'''


def _pythons() -> list[str]:
    """Ours, and other versions that the machine has: dataclasses are made differently inside each."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    found = {sys.version.split()[0]: sys.executable}
    for version in _OTHERS:
        places = [shutil.which(f"python{version}"), *map(str, pyenv.glob(f"versions/{version}.*/bin/python3"))]
        for place in filter(None, places):
            asked = [place, "-I", "-S", "-c", "import sys; print(sys.version.split()[0])"]
            said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
            if said.startswith(version):
                found.setdefault(said, place)
    return list(found.values())


@pytest.fixture(params=_pythons())
def python(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _run(text: str, start: str = _START + _LIGHT, python: str = sys.executable) -> list[str]:
    words = [python, "-I", "-S", "-c", f"{start}\nexec({_CLASSES!r})\n{text}", str(_ROOT)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()


def test_classes_whose_methods_wait_are_like_all_others(python: str) -> None:
    asked = (
        "p = Point(1); print(p, replace(p, y=3), p == Point(1), p == Point(2), p.rest is Point(1).rest)",
        "print(Point.__init__.__name__, Point.__init__.__qualname__, repr(p) == repr(p), Point.__slots__)",
        "try: p.x = 3\nexcept AttributeError as error: print(type(error).__name__, error)",
        "try: Point()\nexcept TypeError as error: print(error)",
        "try: Point(1, z=1)\nexcept TypeError as error: print(error)",
        "try: hash(p)\nexcept TypeError as error: print(error)",
        "print(More(1) < More(2), More(1), More(a=2) >= More(1), Tall(1) == More(1), Named(a=1))",
        "print(Own(1), Own(2) == Own(3), hash(Own(4)) == hash(Own(4)), {Whole(1), Whole(1)}, Whole.__doc__)",
        "print(Deep([]), Given(3).twice, [Point(1)].count(Point(1)), Point.__hash__.__qualname__)",
        "d = Deep(None); d.inner = d; print(d)",
        "try: dataclass(order=True)(type('Wrong', (), {'__lt__': len, '__annotations__': {}}))\n"
        "except TypeError as error: print(error)",
        "try: del Whole(1).a\nexcept AttributeError as error: print(error)",
    )
    said = _run("\n".join(asked), python=python)
    assert said == _run("\n".join(asked), _START, python)
    assert "FrozenInstanceError cannot assign to field 'x'" in said
    assert len(said) == len(asked)


def test_a_daemon_makes_what_waits_before_its_children_need_it(python: str) -> None:
    """Constructors and patterns; children that are forked afterwards have them."""
    text = """
import gc, re
class Words: pattern = re.compile("a(b)")
from condor_py.model import unmade
print(type(Words.pattern).__name__, "real" in Words.pattern.__dict__, Point.__init__.__code__.co_filename[-15:])
while unmade.make(1): pass
print("real" in Words.pattern.__dict__, Point.__init__.__code__.co_filename, Point.__init__.__qualname__)
print(Point(1), Tall(1), Words.pattern.sub("x", "ab"), gc.get_threshold()[0])
"""
    said = _run(text, python=python)
    usual = _run("import gc; print(gc.get_threshold()[0])", _START, python)
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


def test_a_class_without_a_text_needs_no_inspect(python: str) -> None:
    text = "class Bare:\n    a: int = 1\nprint(dataclass(Bare)(), 'dis' in sys.modules)"
    assert _run(text, python=python) == ["Bare(a=1) False"]
