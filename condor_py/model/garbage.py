"""When Python's collector of garbage in circles would only be in the way."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept() -> Iterator[None]:
    """For work of at most seconds that makes many objects, no circles among them, all of which are wanted at its end:
    the collector would look through what there is so far again and again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
