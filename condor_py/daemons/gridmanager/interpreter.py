"""A child that talks to the schedd of another pool with HTCondor's own Python module (``machine/batch/remotepool.py``).

Requests go to it one after the other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from condor_py.daemons.common.loop import Loop, Timer
from condor_py.machine.batch import remotepool

#: The result of a request: its value, or the error and whether the other side did not answer.
Answer = Callable[[Any, str, bool], None]
_CHUNK = 1 << 16


class Interpreter:
    """One child for one schedd. It is started with the first request, and again after it has died or was too slow."""

    def __init__(
        self, loop: Loop, words: list[str], environment: Mapping[str, str], log: Callable[[str], None], patience: float
    ) -> None:
        self._loop = loop
        self._words = words
        self._environment = environment
        self._log = log
        #: Seconds that an answer may take.
        self.patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: deque[Answer] = deque()
        self._queue: deque[tuple[bytes, Answer]] = deque()
        self._heard = b""
        self._number = 0
        self._timer: Timer | None = None

    def ask(self, op: str, then: Answer, **fields: Any) -> None:
        """``then`` is called with what comes of it, never at once."""
        self._number += 1
        line = json.dumps({"id": self._number, "do": op, **fields}).encode() + b"\n"
        self._queue.append((line, then))
        self._loop.soon(self._send)

    def _send(self) -> None:
        """One request at a time is with the child: what it has not got yet survives its end."""
        if self._waiting or not self._queue:
            return
        line, then = self._queue.popleft()
        self._waiting.append(then)
        try:
            process = self._process or self._start()
            assert process.stdin is not None
            process.stdin.write(line)
            process.stdin.flush()
        except (PermissionError, FileNotFoundError) as error:  # of this user: it will not do later either
            self._end(f"cannot be run: {sys.executable}: {error.strerror}", away=False)
            return
        except OSError as error:
            self._end(f"cannot be run: {error.strerror or error}")
            return
        self._timer = self._loop.after(self.patience, self._too_slow)

    def _start(self) -> subprocess.Popen[bytes]:
        self._heard = b""
        self._process = subprocess.Popen(
            [sys.executable, "-I", remotepool.__file__, *self._words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(self._environment),
            cwd="/",
        )
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        os.set_blocking(descriptor, False)
        self._loop.read(descriptor, lambda: self._read(descriptor))
        self._loop.on_exit(self._process.pid, lambda status: None)
        return self._process

    def _read(self, descriptor: int) -> None:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._end("died")
            return
        self._heard += data
        while b"\n" in self._heard:
            line, _, self._heard = self._heard.partition(b"\n")
            self._answered(json.loads(line))

    def _answered(self, answer: dict[str, Any]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        then = self._waiting.popleft()
        then(answer.get("value"), str(answer.get("error", "")), bool(answer.get("away", False)))
        self._loop.soon(self._send)

    def _too_slow(self) -> None:
        self._end(f"gave no answer within {self.patience:g} seconds")

    def _end(self, why: str, away: bool = True) -> None:
        """End the child and fail the request that waits for its answer. ``away``: the same request may work later."""
        self.close()
        self._log(f"the interpreter for {' '.join(self._words)} {why}")
        waiting, self._waiting = self._waiting, deque()
        for then in waiting:
            then(None, f"the interpreter for HTCondor's Python module {why}", away)
        self._loop.soon(self._send)

    def close(self) -> None:
        """Ends the child."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdout is not None:
            self._loop.forget(process.stdout.fileno())
            process.stdout.close()
        try:
            if process.stdin is not None:
                process.stdin.close()
        except OSError:
            pass  # what it did not read it does not need
        process.kill()
