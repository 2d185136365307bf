"""Commands that check the pool in processes of their own: their results are kept, and no page waits for them."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from condor_py.daemons.common.ownprograms import COMMANDS

#: Bytes of an answer that are kept.
_LONGEST = 1 << 20


class Result(NamedTuple):
    """The last result of a check: its output, its exit code (None while it has not ended once) and when it ended (Unix
    seconds). ``running``: it runs now."""

    output: str = ""
    code: int | None = None
    when: float = 0.0
    running: bool = False


class Checks:
    """The checks of a pool, by name. ``changed`` is called, by any thread, when one has ended."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._results: dict[str, Result] = {}
        self._keys: dict[str, object] = {}
        self._begun: dict[str, float] = {}

    def last(self, name: str) -> Result:
        """Return the last result of a check."""
        return self._results.get(name, Result())

    def keep_fresh(self, name: str, command: Sequence[str], key: object, pause: float, patience: float) -> Result:
        """Return the last result; start the check where ``key`` differs from that of the last time, at most once in
        ``pause`` seconds."""
        if self._keys.get(name, self) != key and time.monotonic() - self._begun.get(name, -pause) >= pause:
            self._keys[name] = key
            return self.start(name, command, patience)
        return self.last(name)

    def start(self, name: str, command: Sequence[str], patience: float) -> Result:
        """Start a check that does not run already, for at most ``patience`` seconds; return the last result."""
        last = self.last(name)
        if not last.running:
            self._begun[name] = time.monotonic()
            self._results[name] = last._replace(running=True)
            threading.Thread(target=self._run, args=(name, list(command), patience), daemon=True).start()
        return self.last(name)

    def _run(self, name: str, command: list[str], patience: float) -> None:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-X", "utf8", COMMANDS, *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=patience,
                check=False,
            )
            output, code = done.stdout[:_LONGEST].decode("utf-8", "replace"), done.returncode
        except subprocess.TimeoutExpired:
            output, code = f"{command[0]} took longer than {patience:.0f} seconds", -1
        except OSError as error:
            output, code = f"{command[0]} cannot be started: {error.strerror}", -1
        self._results[name] = Result(output, code, time.time())
        self._changed()
