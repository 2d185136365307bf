"""Attributes as lines in the order of their names without case, where the same names come again and again: the order of
names is worked out once, and nothing is done for each attribute in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

Pair = tuple[str, str]
#: So many lists of names are remembered.
_MOST_LISTS = 200


def lines(pairs: Sequence[Pair]) -> str:
    """``name = text`` lines of (name, text) pairs with different names."""
    if len(pairs) < 2:
        return "".join([f"{name} = {text}\n" for name, text in pairs])
    names = next(zip(*pairs, strict=True))
    return "\n".join(map(" = ".join, _arrange(names)(pairs))) + "\n"


@lru_cache(maxsize=_MOST_LISTS)
def _arrange(names: tuple[str, ...]) -> Callable[[Sequence[Pair]], Any]:
    return itemgetter(*sorted(range(len(names)), key=lambda place: names[place].lower()))
