"""Limits for accounts that may connect to a daemon but not command it.

Every account of the machine may connect. The memory that a stranger can make the daemon use, the number of connections
and of waiting requests, and the work of the loop for one stranger in a turn are limited, over all connections of the
account: the others must not feel it.
"""

from __future__ import annotations

import os
import resource
from collections import deque
from typing import Protocol

from condor_py.client.wire import Peer, WireError
from condor_py.daemons.common.loop import Loop, monotonic

#: Connections: a quarter of the descriptors that we may have, and never more than this.
_MAX_CONNECTIONS = 512
#: Requests that are not answered yet.
_MAX_UNANSWERED = 4
#: Unfinished messages of less bytes do not count.
_SHORT = 1 << 16
#: Seconds of one turn of the loop; the last request is finished.
_SLICE = 0.005
#: Requests that take longer count, in seconds; then the account rests for so many times as long.
_SOON_DONE = 0.02
_REST = 3.0


class Conversation(Protocol):
    """The part of another account's connection that is needed to serve it."""

    @property
    def waiting(self) -> int:
        """Bytes that have come, or are announced, or wait for an answer."""

    def handle_one(self) -> bool:
        """Handles the next message, if it is there and may be handled now; whether there was one."""


class Stranger:
    """One account. Its connections take turns. ``longest`` is the longest message that it may send, in bytes; all that
    it has begun may be twice as long."""

    def __init__(self, loop: Loop, longest: int) -> None:
        self._loop = loop
        self.longest = longest
        self.links: set[Conversation] = set()
        self._ready: deque[Conversation] = deque()
        self._unanswered = 0
        self._scheduled = False
        self._rests_until = 0.0

    def admit(self, link: Conversation) -> None:
        """A new connection. WireError for one too many."""
        self.links.add(link)
        if len(self.links) > _connections_allowed():
            raise WireError("too many connections of this user")

    def received(self, link: Conversation) -> None:
        """Something came over a connection. WireError when all that waits is too much."""
        if link.waiting > _SHORT:
            waiting = sum(other.waiting for other in self.links)
            if waiting > 2 * self.longest + _SHORT:
                raise WireError(f"unfinished messages of {waiting} bytes refused")
        self.wake(link)

    def wake(self, link: Conversation) -> None:
        """A connection may have a message that can be handled."""
        if link not in self._ready:
            self._ready.append(link)
        self._schedule()

    def begun(self) -> None:
        """A request waits for its answer now."""
        self._unanswered += 1

    def answered(self) -> None:
        """One does not wait any more."""
        self._unanswered -= 1
        self._schedule()

    def charge(self, seconds: float) -> None:
        """A request took so long: the others have their turn before the next."""
        if seconds > _SOON_DONE:
            self._rests_until = max(self._rests_until, monotonic()) + _REST * seconds

    def _schedule(self) -> None:
        if self._ready and not self._scheduled and self._unanswered < _MAX_UNANSWERED:
            self._scheduled = True
            rest = self._rests_until - monotonic()
            if rest > 0:
                self._loop.after(rest, self._serve)
            else:
                self._loop.soon(self._serve)

    def _serve(self) -> None:
        self._scheduled = False
        until = monotonic() + _SLICE
        while self._ready and self._unanswered < _MAX_UNANSWERED and monotonic() < until:
            link = self._ready.popleft()
            if link.handle_one():
                self._ready.append(link)
        self._schedule()


def may_command(peer: Peer) -> bool:
    """Return whether this is root or the account that the daemon runs as."""
    return peer.uid in (0, os.geteuid())


def may_change(peer: Peer) -> bool:
    """Return whether an account may ask for changes; in the pool of an ordinary account only one that may command
    it."""
    return os.geteuid() == 0 or may_command(peer)


#: Levels of authorization of those who may connect, who may ask for changes, and who may command the daemon.
_READERS, _WRITERS = ("ALLOW", "READ"), ("WRITE",)
_ADMINS = (
    "NEGOTIATOR", "ADMINISTRATOR", "OWNER", "CONFIG", "DAEMON",
    "ADVERTISE_STARTD", "ADVERTISE_SCHEDD", "ADVERTISE_MASTER",
)  # fmt: skip


def levels_of(peer: Peer) -> tuple[str, ...]:
    """Return HTCondor's levels of authorization that an account has. One that may connect may read."""
    return (*_READERS, *(_WRITERS if may_change(peer) else ()), *(_ADMINS if may_command(peer) else ()))


def may_run_jobs(peer: Peer) -> bool:
    """Return whether jobs of an account can run: the pool of an ordinary account can only run its own."""
    return os.geteuid() in (0, peer.uid)


def is_stranger(peer: Peer) -> bool:
    """Any other account."""
    return not may_command(peer)


def serves_others(is_public: bool) -> bool:
    """Return whether other accounts may connect: always to the pool of root, to any other where it is public."""
    return os.geteuid() == 0 or is_public


def _connections_allowed() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_CONNECTIONS if soft < 0 else max(8, min(_MAX_CONNECTIONS, soft // 4))
