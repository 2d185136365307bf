"""Work that takes long: a child does it, and the pages show how far it is and then what it found.

No page waits for such work for longer than a moment. At most two children work at a time, and one for each user, each
for a few minutes at most; results are kept, and made again when a page asks for one that is old.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary, finalize

from condor_py.cli.web import work

#: Children at once, results that are kept, and those of them that one user asked for.
_MOST_CHILDREN, _MOST_KEPT, _MOST_OF_USER = 2, 24, 8
#: Seconds after which a work that no page asks for any more is ended.
_FORGOTTEN = 30.0
#: Seconds that a page waits for a quick result.
PATIENCE = 0.15
#: At most this part of the time is spent on the same work, and it is done again after so many seconds at the earliest.
_PART, _EARLIEST = 0.01, 10.0
#: Bytes of an answer.
_LARGEST = 32 << 20


class Child(Protocol):
    """A process that works."""

    def news(self, patience: float) -> list[dict[str, Any]] | None:
        """Return the lines that came within ``patience`` seconds; None when the process has ended."""

    def end(self) -> None:
        """End it, whatever it does."""


class State(NamedTuple):
    """The state of a work as a page shows it: the last ``result`` (None before the first), made at ``made`` (Unix
    seconds); ``steps`` that were done since, and since when the child ``works`` (None: it does not); and why it
    failed."""

    result: dict[str, Any] | None
    made: float
    works: float | None
    steps: int
    failed: str
    #: Seconds after which it is worth while to ask again.
    again: float


@dataclass(slots=True)
class _Work:
    name: str
    request: dict[str, Any]
    #: The user who asked last while no child worked; "" for a work that is the same for all.
    user: str = ""
    child: Child | None = None
    begun: float = 0.0
    asked: float = 0.0
    steps: int = 0
    result: dict[str, Any] | None = None
    made: float = 0.0
    took: float = 0.0
    failed: str = ""
    waits: bool = True

    @property
    def lasts(self) -> float:
        """Seconds for which a result is shown before the work is done again."""
        return max(_EARLIEST, self.took / _PART)


class Works:
    """The works of one watch. ``start`` makes a child of the name of a work and a request; ``clock`` tells the time."""

    def __init__(
        self, start: Callable[[str, dict[str, Any]], Child] | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._start = start or _Process
        self._clock = clock
        self._works: dict[str, _Work] = {}

    def ask(
        self,
        name: str,
        key: str,
        request: dict[str, Any],
        patience: float = PATIENCE,
        newer_than: float = 0.0,
        user: str = "",
    ) -> State:
        """Return what is known of a work, which is started where there is no result or an old one. ``key`` names the
        request: two with the same key have the same result. A result made at ``newer_than`` (Unix seconds) or before
        counts as old. ``user`` asks ("" for a work that is the same for all)."""
        place = _place(name, key)
        now = self._clock()
        found = self._works.pop(place, None) or _Work(name, request)
        self._works[place] = found  # the last one asked for is kept longest
        found.asked = now
        self._look(now)
        if found.child is None and self._is_old(found, now, newer_than):
            found.request, found.user, found.waits = request, user, True
            self._begin(found, now)
        if found.child is not None and found.result is None:
            self._hear(found, patience)
        self._forget(user)
        works = found.begun if found.child is not None else now if found.waits else None
        again = 1.0 if works is not None else max(1.0, found.made + found.lasts - now)
        return State(found.result, found.made, works, found.steps, found.failed, again)

    def knows(self, name: str, key: str) -> bool:
        """Whether a work has been asked for, and is not forgotten yet."""
        return _place(name, key) in self._works

    def close(self) -> None:
        """End all children."""
        for found in self._works.values():
            if found.child is not None:
                found.child.end()
        self._works.clear()

    def _is_old(self, found: _Work, now: float, newer_than: float) -> bool:
        age = now - found.made
        return found.waits or age >= found.lasts or (int(found.made) <= newer_than and age >= _EARLIEST)

    def _begin(self, found: _Work, now: float) -> None:
        """Start a child, unless enough of them work, or one for the same user."""
        users = [one.user for one in self._works.values() if one.child is not None]
        if len(users) >= _MOST_CHILDREN or (found.user and found.user in users):
            return
        found.waits, found.steps, found.begun = False, 0, now
        try:
            found.child = self._start(found.name, found.request)
        except OSError as error:
            self._done(found, f"the work cannot be started: {error.strerror}")

    def _look(self, now: float) -> None:
        """Hear all children, and end those whose result no page waits for."""
        for found in self._works.values():
            if found.child is not None:
                self._hear(found, 0.0)
            if found.child is not None and now - found.asked > _FORGOTTEN:
                found.child.end()
                found.child, found.waits = None, True

    def _hear(self, found: _Work, patience: float) -> None:
        assert found.child is not None
        lines = found.child.news(patience)
        if lines is None:
            self._done(found, "the work ended without a result")
            return
        for line in lines:
            if "steps" in line:
                found.steps = int(line["steps"])
            elif "failed" in line:
                self._done(found, str(line["failed"]), line.get("seconds"))
                return
            elif "result" in line:
                found.result = line["result"]
                self._done(found, "", line.get("seconds"))
                return

    def _done(self, found: _Work, failed: str, seconds: float | None = None) -> None:
        """Note the end of a work, which took ``seconds`` of CPU time (None: not known)."""
        if found.child is not None:
            found.child.end()
        found.child = None
        found.failed = failed
        found.made = self._clock()
        found.took = found.made - found.begun if seconds is None else seconds

    def _forget(self, user: str) -> None:
        """Drop the results that were asked for longest ago, where a user or all together have too many."""
        resting = [place for place, found in self._works.items() if found.child is None]
        own = [place for place in resting if user and self._works[place].user == user]
        for place in own[: max(0, len(own) - _MOST_OF_USER)]:
            del self._works[place]
        kept = [place for place in resting if place in self._works]
        for place in kept[: max(0, len(self._works) - _MOST_KEPT)]:
            del self._works[place]


def _place(name: str, key: str) -> str:
    return f"{name}\0{key}"


class _Process:
    """A child that runs ``work.py``: it gets the request on its standard input, and prints lines of JSON."""

    def __init__(self, name: str, request: dict[str, Any]) -> None:
        command = [sys.executable, "-I", "-X", "utf8", work.__file__, name]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._out = self._process.stdout.fileno()
        os.set_blocking(self._out, False)
        self._rest = b""
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.close()
        except OSError:
            pass  # it has ended, which is seen when its output is read

    def news(self, patience: float) -> list[dict[str, Any]] | None:
        """Return the lines that came within ``patience`` seconds; None when the process has ended."""
        deadline = time.monotonic() + patience
        found: list[dict[str, Any]] = []
        while True:
            block = self._read()
            if block == b"":
                return found or None
            if block is not None:
                *lines, self._rest = (self._rest + block).split(b"\n")
                found += [json.loads(line) for line in lines]
                if any("steps" not in line for line in found):
                    return found
                if len(self._rest) > _LARGEST:
                    return None
                continue
            left = deadline - time.monotonic()
            if left <= 0:
                return found
            poller = select.poll()
            poller.register(self._out, select.POLLIN)
            poller.poll(left * 1000)

    def _read(self) -> bytes | None:
        """Return what is there; None for nothing yet, b"" at the end."""
        try:
            return os.read(self._out, 1 << 20)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


_WORKS: WeakKeyDictionary[object, Works] = WeakKeyDictionary()


def works_of(watch: object) -> Works:
    """Return the works of a watch, whose children end with it, and with this process."""
    found = _WORKS.get(watch)
    if found is None:
        found = _WORKS[watch] = Works()
        finalize(watch, found.close)
    return found
