"""Non-blocking connections on the loop: framed messages, queued writes, one callback for the end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

from condor_py.daemon.loop import Loop
from condor_py.daemon.wire import Decoder, Head, Peer, WireError, encode, listen, peer_of

OnMessage = Callable[["Link", Head, bytes], None]
OnClose = Callable[["Link"], None]
_CHUNK = 262144
#: Open files that may come with one message.
_MAX_DESCRIPTORS = 8


class Link:
    """One connection. Messages sent while the other side is slow wait in memory, in order.

    With ``takes_files`` the other side may send open files along; they wait in ``files``, and whoever takes them out
    closes them.
    """

    def __init__(
        self,
        loop: Loop,
        sock: socket.socket,
        on_message: OnMessage,
        on_close: OnClose | None = None,
        *,
        takes_files: bool = False,
    ) -> None:
        sock.setblocking(False)
        self._loop = loop
        self._sock = sock
        self._decoder = Decoder()
        self._out = bytearray()
        self._corked = False
        self._on_message = on_message
        self._on_close = on_close
        self.open = True
        self.files: list[int] = []
        self._receive = self._receive_files if takes_files else self._receive_data
        self.peer: Peer = peer_of(sock)
        loop.read(sock.fileno(), self._readable)

    def fileno(self) -> int:
        """The descriptor, -1 once closed."""
        return self._sock.fileno()

    def send(self, head: Head, body: bytes = b"") -> None:
        """Queues one message; it leaves at the end of the turn. Nothing happens on a closed link."""
        if not self.open:
            return
        if not self._out and not self._corked:
            self._corked = True
            self._loop.at_turn_end(self._flush)
        self._out += encode(head, body)

    def flush(self) -> None:
        """Sends what can be sent now."""
        self._flush()

    def _flush(self) -> None:
        self._corked = False
        if not self.open or not self._out:
            return
        try:
            sent = self._sock.send(self._out)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.close()
            return
        del self._out[:sent]
        self._loop.write(self._sock.fileno(), self._flush if self._out else None)

    def _receive_data(self) -> bytes:
        return self._sock.recv(_CHUNK)

    def _receive_files(self) -> bytes:
        data, files, flags, _ = socket.recv_fds(self._sock, _CHUNK, _MAX_DESCRIPTORS)
        self.files += files
        for descriptor in files:
            os.set_inheritable(descriptor, False)
        if flags & socket.MSG_CTRUNC or len(self.files) > _MAX_DESCRIPTORS:
            raise WireError("too many open files with a message")
        return data

    def _readable(self) -> None:
        try:
            while self.open:
                data = self._receive()
                if not data:
                    self.close()
                    return
                for head, body in self._decoder.feed(data):
                    self._on_message(self, head, body)
                if len(data) < _CHUNK:
                    return
        except BlockingIOError:
            return
        except (OSError, WireError):
            self.close()

    def drain(self) -> None:
        """Reads what the other side sent before it died."""
        if self.open:
            self._readable()

    def close(self) -> None:
        """Closes and tells the owner, once."""
        if not self.open:
            return
        self.open = False
        self._loop.forget(self._sock.fileno())
        self._sock.close()
        for descriptor in self.files:
            os.close(descriptor)
        self.files.clear()
        if self._on_close is not None:
            self._on_close(self)


class Listener:
    """Accepts connections at a path and makes links of them."""

    def __init__(
        self,
        loop: Loop,
        path: str,
        on_message: OnMessage,
        on_close: OnClose | None = None,
        *,
        takes_files: bool = False,
    ) -> None:
        self.path = path
        self._takes_files = takes_files
        self._loop = loop
        self._sock = listen(path)
        self._on_message = on_message
        self._on_close = on_close
        self.links: set[Link] = set()
        loop.read(self._sock.fileno(), self._accept)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._sock.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            link = Link(self._loop, sock, self._on_message, self._closed, takes_files=self._takes_files)
            self.links.add(link)

    def _closed(self, link: Link) -> None:
        self.links.discard(link)
        if self._on_close is not None:
            self._on_close(link)

    def detach(self) -> list[int]:
        """Descriptors that a forked child must close."""
        return [self._sock.fileno(), *(link.fileno() for link in self.links)]

    def close(self) -> None:
        """Stops accepting and drops everyone."""
        self._loop.forget(self._sock.fileno())
        self._sock.close()
        for link in list(self.links):
            link.close()
