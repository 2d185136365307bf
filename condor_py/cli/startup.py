"""The start and the exit of a tool's process."""

from __future__ import annotations

import atexit
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

#: New objects between two searches for garbage.
_OBJECTS = 50_000


def lighten() -> None:
    """Search for garbage seldom. Modules are no garbage: while they are imported, each search would go through all of
    them again."""
    gc.set_threshold(_OBJECTS)


def leave(code: int) -> NoReturn:
    """End the process of a tool that has written everything: to take all modules apart would be a tenth of its time.
    Where other threads still work, Python ends as it always does."""
    threads = sys.modules.get("threading")
    if threads is not None and threads.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            sys.exit(code)  # which knows what to say
    os._exit(code & 0xFF)
