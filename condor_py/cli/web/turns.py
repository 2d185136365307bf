"""Turns of users at one resource: each has one at a time, so that dear requests of one do not delay others for long."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from condor_py.model.errors import CondorError


class TooMany(CondorError):
    """A user has as many requests, or streams, as there may be; answered with status 429."""


class Turns:
    """The turns at one resource. A user has one at a time, and at most ``most`` with those that wait."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._asked: Counter[str] = Counter()
        self._locks: dict[str, asyncio.Lock] = {}

    @asynccontextmanager
    async def of(self, user: str) -> AsyncIterator[None]:
        """Wait until earlier requests of the user are done. TooMany."""
        if self._asked[user] >= self._most:
            raise TooMany("too many requests of yours wait: ask again when some of them are answered")
        self._asked[user] += 1
        try:
            async with self._locks.setdefault(user, asyncio.Lock()):
                yield
        finally:
            self._asked[user] -= 1
            if not self._asked[user]:
                del self._asked[user], self._locks[user]
