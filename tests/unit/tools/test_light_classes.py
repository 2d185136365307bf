"""Classes, enumerations and functions of modules of ours are in tools what they are everywhere, made in less time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]


def _python(*words: str) -> str:
    done = subprocess.run([sys.executable, "-I", *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _both(folder: Path, text: str) -> tuple[str, str]:
    """What a module prints as one of an ordinary package, and as one of ours in a tool."""
    program = folder / "condor_py" / "shapes.py"
    program.parent.mkdir()
    (program.parent / "__init__.py").touch()
    program.write_text(text)
    plain = _python("-c", f"import sys; sys.path.insert(0, {str(folder)!r}); import condor_py.shapes")
    ours = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from condor_py.tools.startup import lighten; "
    ours += "lighten('condor_q'); "
    ours += f"import condor_py; condor_py.__path__.append({str(program.parent)!r}); import condor_py.shapes; "
    ours += "kinds = ('dataclasses', 'enum', 'functools', 'contextlib'); "
    ours += "print({type(sys.modules[name]).__name__ for name in kinds} - {'module'} != set())"
    return plain + "True\n", _python("-S", "-c", ours)


_CLASSES = """
from __future__ import annotations
import copy, pickle
from dataclasses import asdict, dataclass, field, fields, replace
from typing import ClassVar, NamedTuple

@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    rest: list[int] = field(default_factory=list)
    far: ClassVar[int] = 7
    note: str = field(default="n", compare=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "y", self.y * 2)

@dataclass
class Tall:
    a: int
    b: str = "b"
    made: list[int] = field(init=False, default_factory=lambda: [1])
    later: int = field(init=False)
    sure: bool = field(default=False, init=False)

@dataclass(slots=True, kw_only=True)
class More(Tall):
    a: int = 5
    c: float

class Plain(More):
    pass

@dataclass(frozen=True, kw_only=True)
class Named:
    one: int
    two: tuple[int, ...] = ()

@dataclass(frozen=True)
class Both(Named):
    three: Point | None = field(default=None, kw_only=False)

@dataclass(eq=False, slots=True)
class Self:
    a: int = 1

@dataclass(frozen=True)
class Own:
    a: int
    def __eq__(self, other): return True
    def __repr__(self): return "own"

@dataclass
class Hashed:
    a: int
    def __hash__(self): return 3

@dataclass(frozen=True)
class Nothing:
    pass

@dataclass(order=True)
class Ordered:
    a: int

class Pair(NamedTuple):
    left: Point
    right: list[object]
"""
_ASKED = """
def show(*values):
    for value in values:
        try:
            print(value() if callable(value) else value)
        except Exception as error:
            print(type(error).__name__, error)

def look():
    p, t = Point(1), Tall(1)
    show(p, p.y, p.far, p.note, Point(1, 2, [3]).rest, p.rest is Point(1).rest, Point(x=4, note="z").note)
    show(p == Point(1, note="other"), p == Point(2), p == 1, p != Point(1), Self() == Self(), Own(1) == 5, repr(Own(1)))
    show(lambda: hash(p), lambda: hash(Point(1, 2, ())) == hash((1, 4, ())), lambda: hash(t), hash(Hashed(1)))
    show(hash(Own(4)) == hash((4,)), hash(Nothing()) == hash(()), hash(Named(one=1, two=(2,))) == hash((1, (2,))))
    show(lambda: setattr(p, "x", 3), lambda: delattr(p, "x"))
    show(Point, lambda: Point(), lambda: Point(1, z=1), lambda: Point(1, 2, [], "", 5), lambda: Point(1, x=1))
    show(lambda: Named(1), lambda: Named(), lambda: Both(1, 2), Both(p, one=3), lambda: Both(one=1) == Both(one=1))
    show(t.made, t.sure, lambda: t.later, lambda: Tall(1, sure=True), lambda: Tall(), lambda: Nothing(1), Nothing())
    t.later = 9
    t.a = 4
    show(t, lambda: More(), More(c=1.5).c, lambda: More(1, c=1).a, Plain(c=2).made, type(Plain(c=2)).__name__)
    show(replace(p, x=8), replace(Named(one=1), two=(1,)), lambda: replace(p, z=1))
    show([each.name for each in fields(More)], [each.name for each in fields(p)], fields(Tall)[1].default)
    show(asdict(Both(Point(1, rest=[(1, {2: p})]), one=5)), asdict(Named(one=Pair(p, [1]))), Ordered(1) < Ordered(2))
    show(Point.__match_args__, More.__match_args__, Named.__match_args__, Point.__init__.__qualname__)
    show(pickle.loads(pickle.dumps(p)) == p, copy.deepcopy(p) == p, copy.copy(t) == t)
    match p:
        case Point(x, y, note=note): print("matched", x, y, note)

look()
for number in range(50):
    Point(number), Tall(number), More(c=number), Named(one=number), Both(one=number), Self(number), Nothing()
look()
"""


def test_classes(tmp_path: Path) -> None:
    """What a dataclass needs is worked out when it is used, and compiled when it is used much."""
    plain, ours = _both(tmp_path, _CLASSES + _ASKED)
    assert ours == plain
    assert plain.count("FrozenInstanceError") == 4
    assert plain.count("TypeError") > 20


_ENUMERATIONS = """
from __future__ import annotations
import copy, enum, json, pickle
from enum import Enum, IntEnum, StrEnum, auto

class Number(IntEnum):
    'Doc.'
    ONE = 1
    UNO = 1
    TWO = 1 << 1
    NEXT = auto()
    @property
    def double(self): return self * 2
    @classmethod
    def first(cls): return cls.ONE

class Word(StrEnum):
    IDLE = 'Idle'
    BUSY = auto()

class Thing(Enum):
    A = auto()
    B = auto()
    C = ('x', 1)
    __hash__ = object.__hash__

class Dotted(enum.IntEnum):
    X = 4

for kind in (Number, Word, Thing, Dotted):
    print(kind, list(kind), len(kind), list(reversed(kind)), list(kind.__members__), bool(kind))
    for each in kind:
        print(repr(each), str(each), f'{each}', f'{each:>9}', each.name, each.value, '%s' % (each,))
        print(kind(each.value) is each, kind(each) is each, kind[each.name] is each, each in kind)
        print(copy.deepcopy([each])[0] is each, pickle.loads(pickle.dumps(each)) is each, {each: 1}[each])
        print(isinstance(each, kind), isinstance(each, Enum), each == each.value, type(each).__name__)
print(Number.UNO is Number.ONE, Number.TWO.double, Number.first(), Number.ONE + 1, Number.TWO > Number.ONE)
print(json.dumps([Number.TWO, Word.BUSY]), Word.IDLE.lower(), Number.__doc__, Word.BUSY == 'busy')
print(enum.IntFlag('F', {'A': 1, 'B': 2}).A, IntEnum('Made', {'Y': 1}).Y)
for wrong in (
    lambda: Number(9), lambda: Number['NO'], lambda: Thing([]), lambda: setattr(Number, 'ONE', 2), lambda: Number.NO
):
    try: wrong()
    except Exception as error: print(type(error).__name__, str(error).partition('valid')[2])
match 2:
    case Number.TWO: print('matched')
"""


def test_enumerations(tmp_path: Path) -> None:
    plain, ours = _both(tmp_path, _ENUMERATIONS)
    assert ours == plain
    assert plain.count("Error") == 5
    assert "matched" in plain


_FUNCTIONS = """
import functools
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, cached_property, lru_cache, partial, total_ordering

@cache
def square(number):
    'Doc.'
    print('works')
    return number * number

@lru_cache(maxsize=1)
def few(number):
    print('works')
    return number

@lru_cache
def bare(number): return number

class Lazy:
    @cached_property
    def value(self):
        print('works')
        return 4

@contextmanager
def around(kind=None):
    print('in')
    try:
        yield 'it'
    except ValueError as error:
        print('saw', error)
        if kind: raise kind('other') from error
        if kind is None: raise
    finally:
        print('out')

@contextmanager
def twice():
    yield 1
    yield 2

@contextmanager
def never():
    return
    yield

def inside(manager, error=None):
    try:
        with manager as given:
            print(given)
            if error: raise error
        print('goes on')
    except Exception as error:
        print(type(error).__name__, error, type(error.__cause__).__name__)

print(square(2), square(2), square.__name__, square.__doc__, few(1), few(2), few(1), bare(1), bare.__wrapped__(3))
one = Lazy()
print(one.value, one.value, vars(one), partial(print, 'a')('b'), functools.reduce(max, [1, 3, 2]))
square.cache_clear()
print(square(2), few.cache_info()[0], around.__name__)
value = ValueError('v')
inside(around())
inside(around(), value)
inside(around(False), value)
inside(around(KeyError), value)
inside(around(), StopIteration('s'))
inside(twice())
inside(never())
inside(twice(), value)
inside(around(), RuntimeError('r'))
inside(suppress(OSError), FileNotFoundError('f'))
inside(suppress(OSError), value)
inside(nullcontext(1))
"""


def test_functions_and_contexts(tmp_path: Path) -> None:
    plain, ours = _both(tmp_path, _FUNCTIONS)
    assert ours == plain
    assert plain.count("Error") == 8
