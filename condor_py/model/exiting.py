"""The end of a process that has done all its work."""

from __future__ import annotations

import atexit
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End a process that has written everything. To take all its modules apart would be a tenth of the time of a tool
    and longer than all else at the end of a daemon. Where other threads still work, Python ends as it always does."""
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
