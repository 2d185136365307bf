"""Pauses of Python's collector of cyclic garbage where it would only cost time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept() -> Iterator[None]:
    """For work of at most seconds that makes many objects, no circles among them, all of which are wanted at its end:
    the collector would look through what there is so far again and again. Afterwards they count as old."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.freeze()  # both together: everything becomes old without a look at any of it
            gc.unfreeze()
            gc.enable()


#: New objects, less those that are gone, after which long work without circles has its garbage looked for.
_SELDOM = 2_000_000


@contextmanager
def seldom_collected() -> Iterator[None]:
    """For long work whose objects hardly ever form circles: the collector looks for them now and then only."""
    was = gc.get_threshold()
    if was[0]:
        gc.set_threshold(_SELDOM, *was[1:])
    try:
        yield
    finally:
        gc.set_threshold(*was)
