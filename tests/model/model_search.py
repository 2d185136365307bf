"""Visits every state that a world can reach, and says how to get to one that is wrong.

A state is what everything in it says (``state_of``); two ways that lead to the same are one from there on. Worlds
cannot be copied, so each branch begins with doing the actions before it again.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from model_world import Action, Scope, World

from condor_py.lang.classad import ClassAd

#: Parts that no decision depends on, or that never change.
_LEFT_OUT = frozenset(
    {"settings", "facts", "policy", "counters", "statistics", "layout", "by_parent", "machine", "writer", "weakref"}
)
_UNCHANGING = "condor_py.lang", "condor_py.model.settings"
_AS_IT_IS = frozenset({int, str, float, bool, bytes})
#: The slots of each class that say something.
_slots: dict[type, list[str]] = {}


@dataclass
class Found:
    """What a search has seen. ``wrong`` is the way to the first state that is wrong, and why it is."""

    states: int = 0
    steps: int = 0
    #: States in which nothing is left to do.
    ends: int = 0
    is_complete: bool = True
    wrong: tuple[tuple[Action, ...], str] | None = None
    #: The way to a state from which no end can be reached.
    stuck: tuple[Action, ...] | None = None


@dataclass
class _Graph:
    """Which states follow which without a fault, and a way to each."""

    after: dict[bytes, list[bytes]] = field(default_factory=dict)
    ways: dict[bytes, tuple[Action, ...]] = field(default_factory=dict)
    good: set[bytes] = field(default_factory=set)


def search(
    scope: Scope,
    most: int = 10**9,
    progress: Callable[[Found], object] = lambda found: None,
    begin: tuple[Action, ...] = (),
) -> Found:
    """Looks at all states of a scope, or those that follow ``begin``; ``most`` of them at most."""
    found, graph = Found(), _Graph()
    open_ways = [begin]
    graph.ways[state_of(_after(scope, begin))] = begin
    while open_ways:
        if found.states >= most:
            found.is_complete = False
            graph.good.update(key for key in graph.ways if key not in graph.after)
            break
        way = open_ways.pop()
        if not _follow(_after(scope, way), way, found, graph, open_ways):
            return found
        progress(found)
    found.stuck = _stuck(graph)
    return found


def _after(scope: Scope, way: tuple[Action, ...]) -> World:
    world = World(scope)
    world.follow(way)
    return world


def _follow(
    world: World, way: tuple[Action, ...], found: Found, graph: _Graph, open_ways: list[tuple[Action, ...]]
) -> bool:
    """Looks at one state and at all that may follow it; False when something is wrong there."""
    key = state_of(world)
    found.states += 1
    following: list[bytes] = []
    graph.after[key] = following
    if world.is_over():
        graph.good.add(key)
    steps = world.steps()
    if not steps:
        found.ends += 1
        try:
            world.check_end()
        except AssertionError as error:
            found.wrong = way, str(error)
            return False
    for number, action in enumerate(world.actions()):
        if number:
            world = _after(world.scope, way)
        found.steps += 1
        try:
            world.do(action)
        except Exception as error:
            found.wrong = (*way, action), f"{type(error).__name__}: {error}"
            return False
        new = state_of(world)
        if action in steps:
            following.append(new)
        if new not in graph.ways:
            graph.ways[new] = (*way, action)
            open_ways.append(graph.ways[new])
    return True


def _stuck(graph: _Graph) -> tuple[Action, ...] | None:
    """A shortest way to a state from which no good one can be reached without a fault."""
    before: dict[bytes, list[bytes]] = {}
    for key, following in graph.after.items():
        for one in following:
            before.setdefault(one, []).append(key)
    reached, todo = set(graph.good), list(graph.good)
    while todo:
        for key in before.get(todo.pop(), ()):
            if key not in reached:
                reached.add(key)
                todo.append(key)
    lost = [graph.ways[key] for key in graph.after if key not in reached]
    return min(lost, key=len, default=None)


# -- what a state says -------------------------------------------------------------------------------------------------


def state_of(world: World) -> bytes:
    """A short name for what everything in a world says."""
    schedd, startd = world.schedd, world.startd
    parts = (
        [(job, ad) for job, ad in world.disk.queue.jobs()], [world.disk.queue.cluster(1)],
        world.disk.log, world.disk.history, world.truth, world.left, world.now, world.linked, world.unnoticed,
        world.orders, None if schedd is None else (schedd.core.state, schedd.inbox, schedd.leaving),
        None if startd is None else vars(startd),
    )  # fmt: skip
    return hashlib.blake2b(repr(_plain(parts, {})).encode(), digest_size=12).digest()


def _plain(value: Any, seen: dict[int, int]) -> Any:
    """The same as texts, numbers and tuples; an object that was seen before is its number."""
    kind = type(value)
    if value is None or kind in _AS_IT_IS:
        return value
    if kind is ClassAd:
        return sorted([(binding.name, binding.text) for binding in value.attrs.values()])
    if kind is tuple:
        return tuple([_plain(one, seen) for one in value])
    if id(value) in seen:
        return seen[id(value)]
    seen[id(value)] = len(seen)
    if isinstance(value, dict):
        return sorted([(repr(_plain(key, seen)), _plain(one, seen)) for key, one in value.items()], key=_first)
    if isinstance(value, set | frozenset):
        return sorted([repr(_plain(one, seen)) for one in value])
    if isinstance(value, list | deque):
        return [_plain(one, seen) for one in value]
    return kind.__name__, [(name, _plain(getattr(value, name), seen)) for name in _fields(value)]


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]


def _fields(value: Any) -> list[str]:
    """The attributes that say something, of an object with slots or without; none of what never changes."""
    kind = type(value)
    if isinstance(value, Enum):
        return ["name"]
    if callable(value) or kind.__module__.startswith(_UNCHANGING):
        return []
    if kind not in _slots:
        _slots[kind] = [name for one in kind.__mro__ for name in _slots_of(one) if _says_something(name)]
    own = [name for name in getattr(value, "__dict__", ()) if _says_something(name)]
    return sorted(own) + [name for name in _slots[kind] if hasattr(value, name)]


def _slots_of(kind: type) -> list[str]:
    names = kind.__dict__.get("__slots__", ())
    return [names] if isinstance(names, str) else list(names)


def _says_something(name: str) -> bool:
    return name.strip("_") not in _LEFT_OUT
