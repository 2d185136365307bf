"""Non-blocking connections on the loop: framed messages, queued writes, one callback for the end.

A user who may not command a daemon is a stranger (see ``strangers``), and a request that the daemon cannot bear ends
the connection it came over, not the daemon.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Callable

from condor_py.client.wire import (
    MAX_HEAD_OF_STRANGERS,
    MOST_PARSED_HEAD,
    Decoder,
    Peer,
    WireError,
    encode,
    listen,
    peer_of,
)
from condor_py.daemons.common.loop import Loop, monotonic
from condor_py.daemons.common.strangers import Stranger, is_stranger, may_command, serves_others
from condor_py.model.errors import described, shortage
from condor_py.model.messages.codec import BadMessage, Head, Message, Refused, Vocabulary, refusal, word_of
from condor_py.model.messages.wakeups import Ring

OnMessage = Callable[["Link", Message, bytes], None]
OnClose = Callable[["Link"], None]
_CHUNK = 262144
#: Where what comes is put first. One for all links: to make room for so much each time takes three calls of the kernel.
_ROOM = memoryview(bytearray(_CHUNK))
_MEGABYTE = 1 << 20
#: Open files that may come with one message.
_MAX_DESCRIPTORS = 8
#: Bytes of answers that wait for a stranger who does not read them; then there are no more.
_MAX_UNREAD = 1 << 20
_ACCEPTED_AT_ONCE = 128
#: Seconds until connections are accepted again when there are no descriptors for them.
_ACCEPT_AGAIN = 0.2


class Link:
    """One connection. Messages sent while the other side is slow wait in memory, in order.

    With ``takes_files`` the other side may send open files along; ``take_files`` returns them, and its caller closes
    them. A stranger's next message (except wakeups) is handled when the one before is answered. With ``passes_on`` a
    message keeps its ``head_text``: it is not written again where it is sent on.
    """

    def __init__(
        self,
        loop: Loop,
        sock: socket.socket,
        on_message: OnMessage,
        on_close: OnClose | None = None,
        *,
        takes_files: bool = False,
        passes_on: bool = False,
        stranger: Stranger | None = None,
        hears: Vocabulary,
    ) -> None:
        """``stranger`` is the account of the other side if it is one; ``hears`` are the messages that it may send."""
        sock.setblocking(False)
        self._loop = loop
        self._sock = sock
        self._stranger = stranger
        self._decoder = (
            Decoder(keeps_text=passes_on)
            if stranger is None
            else Decoder(stranger.longest, MAX_HEAD_OF_STRANGERS, MOST_PARSED_HEAD)
        )
        self._answer_due = False
        #: Bytes of the request that waits for its answer.
        self._asked = 0
        self._out = bytearray()
        self._corked = False
        self._writing = False
        #: Where in what waits a descriptor goes along, and which.
        self._enclosed: list[tuple[int, int]] = []
        self._on_message = on_message
        self._hears = hears
        self._on_close = on_close
        self.open = True
        self._files: list[int] = []
        self._takes_files = takes_files
        self.peer: Peer = peer_of(sock)
        loop.read(sock.fileno(), self._readable)

    def fileno(self) -> int:
        """The descriptor, -1 once closed."""
        return self._sock.fileno()

    def take_files(self) -> list[int]:
        """Return the open files that have come; the caller closes them."""
        files, self._files = self._files, []
        return files

    def send(self, message: Message, body: bytes = b"", descriptor: int = -1) -> None:
        """Queues one message; it leaves at the end of the turn. Nothing happens on a closed link.

        ``descriptor`` is sent along, so that the other side has the open file; here it is closed.
        """
        if not self.open:
            if descriptor >= 0:
                _close_file(descriptor)
            return
        if descriptor >= 0:
            self._enclosed.append((len(self._out), descriptor))
        if not self._out and not self._corked:
            self._corked = True
            self._loop.at_turn_end(self._flush)
        self._out += encode(message, body)
        self._answered()

    @property
    def waiting(self) -> int:
        """Bytes that wait here: those that have come or are announced, and those of a request without its answer."""
        return self._decoder.promised + self._asked

    def charge(self, seconds: float) -> None:
        """Handling the request of a stranger took so long."""
        if self._stranger is not None:
            self._stranger.charge(seconds)

    def _answered(self) -> None:
        if self._answer_due and self._stranger is not None:
            self._answer_due = False
            self._asked = 0
            self._stranger.answered()
            self._stranger.wake(self)

    def flush(self) -> None:
        """Sends what can be sent now."""
        self._flush()

    def _flush(self) -> None:
        self._corked = False
        if not self.open or not self._out:
            return
        try:
            sent = self._send_some()
        except BlockingIOError:
            sent = 0
        except OSError:
            self.close()
            return
        was_unread = len(self._out) > _MAX_UNREAD
        del self._out[:sent]
        if self._out or self._writing:
            self._writing = bool(self._out)
            self._loop.write(self._sock.fileno(), self._flush if self._out else None)
        if was_unread and len(self._out) <= _MAX_UNREAD and self._stranger is not None:
            self._stranger.wake(self)

    def _send_some(self) -> int:
        """Sends what waits, a descriptor with the first byte of its message; how many bytes left."""
        if not self._enclosed:
            return self._sock.send(self._out)
        (place, descriptor), *others = self._enclosed
        if place:
            sent = self._sock.send(self._out[:place])
        else:
            sent = socket.send_fds(self._sock, [self._out[: others[0][0] if others else None]], [descriptor])
            self._enclosed = others
            _close_file(descriptor)
        self._enclosed = [(place - sent, descriptor) for place, descriptor in self._enclosed]
        return sent

    def _receive(self) -> bytes | memoryview:
        if not self._takes_files:
            return _ROOM[: self._sock.recv_into(_ROOM)]
        data, files, flags, _ = socket.recv_fds(self._sock, _CHUNK, _MAX_DESCRIPTORS)
        self._files += files
        for descriptor in files:
            os.set_inheritable(descriptor, False)
        if flags & socket.MSG_CTRUNC or len(self._files) > _MAX_DESCRIPTORS:
            raise WireError("too many open files with a message")
        return data

    def _readable(self) -> None:
        try:
            while self.open:
                data = self._receive()
                if not data:
                    if self._stranger is not None:
                        self.handle_one()  # a wakeup from a client that did not stay
                    self.close()
                    return
                self._decoder.add(data)
                if self._stranger is not None:
                    self._stranger.received(self)
                    return  # no client keeps us from the others
                while self.open and (message := self._decoder.next()) is not None:
                    self._hand_over(*message)
                if len(data) < _CHUNK:
                    return
        except BlockingIOError:
            return
        except WireError as error:
            self.refuse(error)
        except OSError:
            self.close()

    def _hand_over(self, head: Head, body: bytes) -> None:
        """A message that cannot be handled affects no other: those after it are handled."""
        try:
            self._take(head, body)
        except WireError:
            raise
        except Exception as error:
            self._loop.fault(error)

    def _take(self, head: Head, body: bytes) -> None:
        """A message that is not understood here is refused, and the connection stays open."""
        try:
            self._on_message(self, self._heard(head), body)
        except BadMessage as error:
            self.send(refusal(head, error))

    def _heard(self, head: Head) -> Message:
        """The message of a head; the time that it takes counts, as that of handling it does."""
        if self._stranger is None:
            message = self._hears.read(head)
            message.head_text = self._decoder.head_text
            return message
        begun = monotonic()
        try:
            return self._hears.read(head)
        finally:
            self.charge(monotonic() - begun)

    def handle_one(self) -> bool:
        """A stranger's next message, if it is there and the one before is answered, and read; whether there was one."""
        if not self.open or self._answer_due or len(self._out) > _MAX_UNREAD:
            return False
        try:
            message = self._decoder.next()
            if message is None:
                return False
            if self._stranger is not None and word_of(message[0]) != Ring.op:
                self._answer_due = True
                self._asked = len(message[1])
                self._stranger.begun()
            self._take(*message)
        except WireError as error:
            self.refuse(error)
        return True

    def refuse(self, error: WireError) -> None:
        """Says why, as far as the other side listens, and closes."""
        self.send(Refused(str(error)))
        self.flush()
        self.close()

    def drain(self) -> None:
        """Reads what the other side sent before it died."""
        if self.open:
            self._readable()

    def close(self) -> None:
        """Close the connection and inform the owner, once."""
        if not self.open:
            return
        self.open = False
        self._answered()
        self._loop.forget(self._sock.fileno())
        self._sock.close()
        self._decoder.clear()  # at once, and not when the garbage is looked through
        self._out = bytearray()
        for descriptor in (*self._files, *(descriptor for _, descriptor in self._enclosed)):
            _close_file(descriptor)
        self._files.clear()
        self._enclosed.clear()
        if self._on_close is not None:
            self._on_close(self)


def _close_file(descriptor: int) -> None:
    """Close an open file that came or went with a message. An error of close(2) (a full disk) is its writer's, and must
    not keep the connection from its end."""
    with contextlib.suppress(OSError):
        os.close(descriptor)


def _turn_away(sock: socket.socket) -> None:
    """Close a connection of an account that the pool does not serve; nothing is read from it."""
    sock.setblocking(False)
    with contextlib.suppress(OSError):
        sock.send(encode(Refused("this pool serves only the account that it belongs to")))
    sock.close()


class Listener:
    """Accepts connections at a path and makes links of them. ``complain`` takes lines for the log, ``longest`` is the
    longest message of a stranger."""

    def __init__(
        self,
        loop: Loop,
        path: str,
        on_message: OnMessage,
        on_close: OnClose | None = None,
        *,
        takes_files: bool = False,
        complain: Callable[[str], None],
        longest: int = _MEGABYTE,
        is_stranger: Callable[[Peer], bool] = is_stranger,
        hears: Vocabulary,
        is_public: bool = False,
    ) -> None:
        """``is_public``: strangers may connect although the pool is not root's."""
        self._hears = hears
        self._longest = longest
        self._is_stranger = is_stranger
        self.path = path
        self._takes_files = takes_files
        self._loop = loop
        self._serves_others = serves_others(is_public)
        self._sock = listen(path, 0o666 if self._serves_others else 0o600)
        self._on_message = on_message
        self._on_close = on_close
        self._complain = complain
        self.links: set[Link] = set()
        self._strangers: dict[int, Stranger] = {}
        loop.read(self._sock.fileno(), self._accept)

    def _accept(self) -> None:
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                sock, _ = self._sock.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as error:
                self._pause(error)
                return
            self._take(sock)

    def _pause(self, error: OSError) -> None:
        """No descriptors are left, or no memory: waiting connections are accepted when there are some again."""
        if error.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
            raise error
        self._complain(f"cannot accept connections: {error.strerror}")
        descriptor = self._sock.fileno()
        self._loop.forget(descriptor)
        self._loop.after(_ACCEPT_AGAIN, lambda: self._resume(descriptor))

    def _resume(self, descriptor: int) -> None:
        if self._sock.fileno() == descriptor:
            self._loop.read(descriptor, self._accept)

    def _take(self, sock: socket.socket) -> None:
        peer = peer_of(sock)
        stranger = None
        if not self._serves_others and not may_command(peer):
            _turn_away(sock)
            return
        if self._is_stranger(peer):
            stranger = self._strangers.setdefault(peer.uid, Stranger(self._loop, self._longest))
        link = Link(
            self._loop, sock, self._guarded, self._closed,
            takes_files=self._takes_files, stranger=stranger, hears=self._hears,
        )  # fmt: skip
        self.links.add(link)
        if stranger is not None:
            try:
                stranger.admit(link)
            except WireError as error:
                link.refuse(error)

    def _guarded(self, link: Link, message: Message, body: bytes) -> None:
        """Whatever is wrong with a message is between its sender and us: the others must not suffer."""
        try:
            self._on_message(link, message, body)
        except (WireError, BadMessage):
            raise
        except Exception as error:
            self._complain(f"ERROR request {message.op!r} of uid {link.peer.uid} failed: {described(error)}")
            raise WireError(f"the request failed: {shortage(error) or type(error).__name__}") from None

    def _closed(self, link: Link) -> None:
        self.links.discard(link)
        stranger = self._strangers.get(link.peer.uid)
        if stranger is not None:
            stranger.links.discard(link)
            if not stranger.links:
                del self._strangers[link.peer.uid]
        if self._on_close is not None:
            self._on_close(link)

    def close(self) -> None:
        """Stops accepting and drops everyone."""
        self._loop.forget(self._sock.fileno())
        self._sock.close()
        for link in list(self.links):
            link.close()
