"""What a daemon has put off until it serves: constructors of classes and patterns of modules that it has not needed yet
(``tools.laterclasses``, ``tools.lightpatterns``). A daemon whose forked children would each make them anew makes them
when nobody wants anything."""

from __future__ import annotations

from collections.abc import Callable

#: Each makes one thing, or puts what is to be made in here.
waiting: list[Callable[[], object]] = []


def make(most: int) -> bool:
    """Makes so many things at most; whether there are more."""
    for _ in range(min(most, len(waiting))):
        waiting.pop()()
    return bool(waiting)
