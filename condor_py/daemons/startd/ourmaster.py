"""The startd's word to the master that started it."""

from __future__ import annotations

import os
import signal


def shut_down_machine(lock: str) -> None:
    """Asks our master, if we have one, to take everything down; ``lock`` is the file with its process id."""
    master = os.getppid()
    try:
        with open(lock, encoding="ascii") as file:
            holder = int(file.read())
    except (OSError, ValueError):
        holder = 0
    if holder == master:
        os.kill(master, signal.SIGTERM)
