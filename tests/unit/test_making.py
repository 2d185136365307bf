"""Constructors in C do what those of dataclasses do."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import random
import sys
from dataclasses import FrozenInstanceError, InitVar, dataclass, field, replace
from typing import Any

import pytest

from condor_py.model import making

pytestmark = pytest.mark.skipif(making._native is None, reason="the C module is not built")


@dataclass(frozen=True, slots=True)
class Plain:
    one: int
    two: str
    three: object = None
    four: tuple[int, ...] = (4, 5)


@dataclass(frozen=True, slots=True)
class Below(Plain):
    """Inherits slots, says another preset, and has more."""

    three: object = "other"
    made: list[int] = field(default_factory=list)
    five: float = field(default=1.5, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    one: int
    two: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Ends:
    one: int
    path: str = field(init=False)
    count: int = field(init=False, default=7)
    seen: set[int] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        if self.one < 0:
            raise ValueError("below 0")
        self.path = f"/{self.one}"


@dataclass(frozen=True, slots=True)
class Packed:
    one: int
    two: str = ""


KINDS: tuple[Any, ...] = (Plain, Below, Named, Ends)


def twins(kind: Any) -> tuple[Any, Any]:
    """A class as it is, and one like it with the constructor in C."""
    quick: Any = type(kind.__name__, (kind,), {"__slots__": (), "__init__": kind.__init__})
    quick.__dataclass_fields__ = kind.__dataclass_fields__
    quick.__qualname__, quick.__module__ = kind.__qualname__, kind.__module__
    making.quicken([quick])
    assert type(quick.__init__) is not type(kind.__init__)
    return kind, quick


def outcome(kind: Any, words: tuple[Any, ...], named: dict[str, Any]) -> str:
    try:
        return repr(kind(*words, **named))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("kind", KINDS)
def test_any_arguments_make_the_same_or_are_refused_in_the_same_words(kind: Any) -> None:
    slow, quick = twins(kind)
    chance = random.Random(7)
    names = [*kind.__dataclass_fields__, "unknown"]
    good = 0
    for _ in range(2000):
        words = tuple(chance.randrange(-1, 9) for _ in range(chance.randrange(6)))
        named = {chance.choice(names): chance.randrange(-1, 9) for _ in range(chance.randrange(4))}
        expected = outcome(slow, words, named)
        assert outcome(quick, words, named) == expected
        good += "Error" not in expected
    assert good > 50


def test_presets_that_are_made_are_made_anew() -> None:
    _, quick = twins(Below)
    first, second = quick(1, "2"), quick(1, "2")
    first.made.append(3)
    assert second.made == []
    with pytest.raises(FrozenInstanceError):
        first.one = 5
    other = replace(first, two="x")
    assert (other.two, other.made, other.five) == ("x", [3], 1.5)


def test_what_is_made_can_be_copied_pickled_and_asked_for_its_parameters() -> None:
    making.quicken([Packed])
    made = Packed(1, two="2")
    assert pickle.loads(pickle.dumps(made)) == copy.copy(made) == made
    assert list(inspect.signature(Packed).parameters) == ["one", "two"]
    assert hash(made) == hash(Packed(1, "2"))


def test_an_object_of_another_class_is_not_written_into() -> None:
    _, quick = twins(Plain)
    for other in (object(), 5, Named(one=1)):
        with pytest.raises((AttributeError, TypeError)):
            quick.__init__(other, 1, "2")
    with pytest.raises(TypeError, match="missing"):
        quick.__init__()


def test_nothing_is_kept_and_nothing_is_given_back_twice() -> None:
    _, ends = twins(Ends)
    _, plain = twins(Plain)
    value, preset = object(), Plain.__dataclass_fields__["four"].default
    gc.collect()
    before = sys.getrefcount(value), sys.getrefcount(preset)
    for _ in range(1000):
        made = plain(1, "2", value)
        plain.__init__(made, 3, "4", value)  # once more into the same
        with pytest.raises(ValueError, match="below"):
            ends(-1)
    del made
    gc.collect()
    assert (sys.getrefcount(value), sys.getrefcount(preset)) == before


def test_a_class_that_is_gone_takes_its_constructor_along() -> None:
    def one() -> None:
        kind = dataclass(slots=True)(type("Gone", (), {"__annotations__": {"one": "int"}, "__module__": __name__}))
        making.quicken([kind])
        assert kind(3).one == 3

    one()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(20):
        one()
    gc.collect()
    assert len(gc.get_objects()) < before + 20


def test_other_classes_stay_as_they_are() -> None:
    @dataclass(slots=True)
    class WithWord:
        one: int
        word: InitVar[str] = ""

        def __post_init__(self, word: str) -> None:
            assert word == "w"

    @dataclass
    class NoSlots:
        one: int

    @dataclass(slots=True)
    class Own:
        one: int

        def __init__(self) -> None:
            self.one = 4

    annotations = {f"a{number}": "int" for number in range(70)}
    many = dataclass(slots=True)(type("Many", (), {"__annotations__": annotations, "__module__": __name__}))
    kinds: tuple[Any, ...] = (WithWord, NoSlots, Own, many, int, Exception)
    before = [kind.__init__ for kind in kinds]
    making.quicken(kinds)
    assert [kind.__init__ for kind in kinds] == before
    assert WithWord(1, "w").one == 1
    assert Own().one == 4


def test_the_classes_of_a_room_are_found_but_not_settings() -> None:
    from condor_py.model.messages.runs import Start
    from condor_py.model.settings.starter import StarterSettings

    found = set(making._classes(["model"]))
    assert Start in found
    assert StarterSettings not in found
    assert not any(kind.__module__.startswith("condor_py.starter") for kind in found)


def test_a_copy_with_other_values_is_as_dataclasses_make_it() -> None:
    chance = random.Random(3)
    for kind in (Plain, Below, Named, Ends):
        _, quick = twins(kind)
        names = [*kind.__dataclass_fields__, "unknown"]
        first = quick(one=3) if kind in (Named, Ends) else quick(3, "x")
        for _ in range(200):
            changes = {chance.choice(names): chance.randrange(9) for _ in range(chance.randrange(4))}
            assert outcome(making.but, (first,), changes) == outcome(replace, (first,), changes)
