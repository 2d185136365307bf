"""Tools run on a terminal, as people see them."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time

from pool import MAIN, PATIENCE, PersonalPool


def on_terminal(pool: PersonalPool, *words: str, typed: str = "", seconds: float = 60.0) -> tuple[int, str]:
    """The exit status of a tool and all that it writes to the terminal on which it runs, where ``typed`` waits.

    Fails if the tool takes longer than ``seconds``.
    """
    deadline = time.monotonic() + seconds * PATIENCE
    ours, theirs = os.openpty()
    os.write(ours, typed.encode())
    command = [sys.executable, "-I", "-S", str(MAIN), *words]
    with subprocess.Popen(
        command, env=pool.environment, cwd=pool.work, stdin=theirs, stdout=theirs, stderr=theirs
    ) as tool:
        os.close(theirs)
        shown = b""
        try:
            while select.select([ours], [], [], max(0.0, deadline - time.monotonic()))[0]:
                shown += os.read(ours, 65536)
            tool.kill()
            raise AssertionError(f"{words} has not ended: {shown.decode()}")
        except OSError:  # the tool has ended
            pass
        os.close(ours)
        return tool.wait(60), shown.decode().replace("\r\n", "\n")
