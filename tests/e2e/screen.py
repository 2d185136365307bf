"""Tools run on a terminal, as people see them."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

from pool import PATIENCE, PersonalPool
from preloaded import preloaded_tools


def on_terminal(pool: PersonalPool, *words: str, typed: str = "", seconds: float = 60.0) -> tuple[int, str]:
    """The exit status of a tool and all that it writes to the terminal on which it runs, where ``typed`` waits.

    Fails if the tool takes longer than ``seconds``.
    """
    ours, theirs = os.openpty()
    os.write(ours, typed.encode())
    tool = preloaded_tools().begin(words, pool.environment, pool.work, [theirs] * 3, seconds * PATIENCE)
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # the tool has ended
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    try:
        return tool.wait(), shown.decode().replace("\r\n", "\n")
    except subprocess.TimeoutExpired as error:
        raise AssertionError(f"{words} has not ended: {shown.decode()}") from error
