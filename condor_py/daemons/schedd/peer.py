"""A connection that one daemon keeps to another: made as soon as the other side listens, and again after it broke."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.client.wire import WireError, connect
from condor_py.daemons.common.link import Link, OnMessage
from condor_py.daemons.common.loop import Loop
from condor_py.model.messages.codec import Message, Vocabulary

_FIRST_RETRY = 0.02
_LAST_RETRY = 0.5


class PeerLink:
    """``on_up`` is called with each new connection, ``on_down`` when one broke."""

    def __init__(
        self,
        loop: Loop,
        path: str,
        hears: Vocabulary,
        on_message: OnMessage,
        on_up: Callable[[], None],
        on_down: Callable[[], None],
    ) -> None:
        self._hears = hears
        self._loop = loop
        self._path = path
        self._on_message = on_message
        self._on_up = on_up
        self._on_down = on_down
        self._delay = _FIRST_RETRY
        self._closing = False
        self.link: Link | None = None
        loop.soon(self._try)

    @property
    def up(self) -> bool:
        """Whether there is a connection."""
        return self.link is not None

    def send(self, message: Message, body: bytes = b"") -> bool:
        """Sends if there is a connection; whether there was one."""
        if self.link is None:
            return False
        self.link.send(message, body)
        return True

    def _try(self) -> None:
        if self._closing:
            return
        try:
            sock = connect(self._path, 1.0)
        except WireError:
            self._loop.after(self._delay, self._try)
            self._delay = min(_LAST_RETRY, self._delay * 1.5)
            return
        self._delay = _FIRST_RETRY
        self.link = Link(self._loop, sock, self._on_message, self._closed, hears=self._hears)
        self._on_up()

    def _closed(self, link: Link) -> None:
        self.link = None
        self._loop.after(self._delay, self._try)
        self._on_down()

    def close(self) -> None:
        """No connection any more, and no new attempt."""
        self._closing = True
        if self.link is not None:
            link, self.link = self.link, None
            link.close()
