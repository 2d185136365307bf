"""Tools run on a terminal, as people see them."""

from __future__ import annotations

import os
import subprocess
import sys

from pool import MAIN, PersonalPool


def on_terminal(pool: PersonalPool, *words: str, typed: str = "") -> tuple[int, str]:
    """The exit status of a tool and all that it writes to the terminal on which it runs, where ``typed`` waits."""
    ours, theirs = os.openpty()
    os.write(ours, typed.encode())
    command = [sys.executable, "-I", str(MAIN), *words]
    with subprocess.Popen(
        command, env=pool.environment, cwd=pool.work, stdin=theirs, stdout=theirs, stderr=theirs
    ) as tool:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the tool has ended
            pass
        os.close(ours)
        return tool.wait(60), shown.decode().replace("\r\n", "\n")
