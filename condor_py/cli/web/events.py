"""Streams of server-sent events: the names of the subjects that changed, while a page is open."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from condor_py.cli.web.turns import TooMany

if TYPE_CHECKING:
    from condor_py.cli.web.live import Watch

#: Seconds between two looks.
PAUSE = 0.5
#: Looks without a change after which a stream shows that it is alive.
_QUIET_LOOKS = 30
_MOST_OF_USER, _MOST = 12, 128


class Streams:
    """All open streams. Looks happen only while there is one."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._users: Counter[str] = Counter()
        self._waiting: set[_Stream] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    def open(self, user: str) -> AsyncIterator[str]:
        """Return the text of a new stream. TooMany."""
        if self._users[user] >= _MOST_OF_USER or self._users.total() >= _MOST:
            raise TooMany("too many pages are open: close some of them")
        return self._lines(user)

    def close(self) -> None:
        """End all streams: the server stops."""
        self._closed = True
        for stream in self._waiting:
            stream.event.set()
        if self._looking is not None:
            self._looking.cancel()

    async def _lines(self, user: str) -> AsyncIterator[str]:
        stream = _Stream()
        self._users[user] += 1
        self._waiting.add(stream)
        if self._looking is None or self._looking.done():
            self._watch.changed()  # what changed while no page was open is on the page that opens the stream
            self._looking = asyncio.create_task(self._look())
        try:
            yield "retry: 2000\n\n"
            while not self._closed:
                yield await stream.next()
        finally:
            self._waiting.discard(stream)
            self._users[user] -= 1
            self._users += Counter()  # forget users without streams

    async def _look(self) -> None:
        while self._waiting:
            await asyncio.sleep(PAUSE)
            found = self._watch.changed()
            for stream in self._waiting:
                stream.tell(found)


class _Stream:
    def __init__(self) -> None:
        self.event = asyncio.Event()
        self._subjects: set[str] = set()
        self._quiet = 0

    def tell(self, subjects: set[str]) -> None:
        """Note what has changed."""
        self._subjects |= subjects
        self._quiet += 1
        if self._subjects or self._quiet >= _QUIET_LOOKS:
            self.event.set()

    async def next(self) -> str:
        """Return the next event, or a comment after a while without any."""
        await self.event.wait()
        self.event.clear()
        self._quiet = 0
        subjects, self._subjects = self._subjects, set()
        return f"event: changed\ndata: {' '.join(sorted(subjects))}\n\n" if subjects else ": quiet\n\n"
