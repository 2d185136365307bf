"""Messages between daemons and tools over Unix sockets.

A message is one frame: two 32-bit big-endian lengths, a JSON object (the head) and opaque bytes (the body, may be
empty). The body lets a daemon pass a job on without parsing it. The accepting process learns the caller's pid,
uid and gid from the kernel (SO_PEERCRED); nothing in a message is ever taken as identity.
"""

from __future__ import annotations

import _socket
import errno
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from condor_py.model import jsontext
from condor_py.model.errors import CondorError
from condor_py.model.later import Later
from condor_py.model.messages.codec import (
    A,
    Answer,
    BadMessage,
    Head,
    Message,
    Refused,
    Request,
    Vocabulary,
    answer_of,
    head_of,
    read_answer,
    word_of,
)

if TYPE_CHECKING:
    import socket

    from condor_py.model.messages.wakeups import Change
else:
    socket = Later("socket")

#: Bytes of the two lengths, and of one of them; of pid, uid and gid.
_LENGTHS, _LENGTH = 8, 4
_CREDENTIALS = 12
#: No honest message is larger.
MAX_MESSAGE = 256 * 1024 * 1024
#: The longest head that an account may send that may not command a daemon: it is parsed at once.
MAX_HEAD_OF_STRANGERS = 8 * 1024 * 1024
#: What the head of such an account may become when it is parsed, in bytes.
MOST_PARSED_HEAD = 128 * 1024 * 1024
#: What open files travel as.
_RIGHTS = _socket.SOL_SOCKET, _socket.SCM_RIGHTS
_SUN_PATH_MAX = 100
#: Open files that may come with one message.
_MOST_FILES = 8
#: Connections that wait until they are accepted, and seconds between tries of one that finds no place among them.
_BACKLOG = 1024
_TRY_AGAIN = 0.01
#: Seconds between the moment at which a process that dies closes its sockets and that at which it is dead.
_DYING = 1.0


class WireError(CondorError):
    """The other side is not there, closed early, or answered with something that is not a message."""


class Closed(WireError):
    """The daemon has closed the connection before it had answered."""


class Peer(NamedTuple):
    """Identity of the process at the other end, from the kernel."""

    pid: int
    uid: int
    gid: int


def encode(message: Message | Head, body: bytes = b"") -> bytes:
    """One frame. A head instead of a message is sent as it is, for tests of what is wrong."""
    if isinstance(message, Message):
        text = message.head_text or jsontext.write(head_of(message)).encode()
    else:
        text = jsontext.write(message).encode()
    return len(text).to_bytes(_LENGTH, "big") + len(body).to_bytes(_LENGTH, "big") + text + body


def _lengths(buffer: bytearray) -> tuple[int, int]:
    """Of head and body of the frame that begins here."""
    return int.from_bytes(buffer[:_LENGTH], "big"), int.from_bytes(buffer[_LENGTH:_LENGTHS], "big")


def parse_cost(data: bytes) -> int:
    """About how many bytes of memory JSON takes once it is parsed: three characters may make a list of 56 bytes."""
    return 2 * len(data) + 64 * (data.count(b"[") + data.count(b"{")) + 56 * data.count(b",")


class Decoder:
    """Turns a byte stream back into messages of at most so many bytes. ``most_parsed``: see ``parse_cost``. With
    ``keeps_text``, ``head_text`` is the head of the last message as it came."""

    def __init__(
        self,
        most: int = MAX_MESSAGE,
        most_head: int = MAX_MESSAGE,
        most_parsed: int = 0,
        *,
        keeps_text: bool = False,
    ) -> None:
        self._buffer = bytearray()
        self._most = most
        self._most_head = most_head
        self._most_parsed = most_parsed
        self._keeps_text = keeps_text
        self.head_text = b""

    @property
    def waiting(self) -> int:
        """Bytes that are there and not yet taken out."""
        return len(self._buffer)

    @property
    def promised(self) -> int:
        """Bytes that the message takes which has begun, as it says itself; what is there, where that is more."""
        if len(self._buffer) < _LENGTHS:
            return len(self._buffer)
        head_size, body_size = _lengths(self._buffer)
        return max(len(self._buffer), int(min(head_size + body_size, self._most)))

    def clear(self) -> None:
        """Forgets what came, and its memory is free."""
        self._buffer = bytearray()

    def add(self, data: bytes | memoryview) -> None:
        """More of the stream."""
        self._buffer += data

    def next(self) -> tuple[Head, bytes] | None:
        """The next complete message. WireError for an absurd length or a head that is no JSON object."""
        buffer = self._buffer
        if len(buffer) < _LENGTHS:
            return None
        head_size, body_size = _lengths(buffer)
        if head_size > self._most_head or head_size + body_size > self._most:
            raise WireError(f"message of {head_size + body_size} bytes refused")
        middle = _LENGTHS + head_size
        end = middle + body_size
        if len(buffer) < end:
            return None
        with memoryview(buffer) as view:
            head, body = bytes(view[_LENGTHS:middle]), bytes(view[middle:end])
        if len(buffer) > end:
            del buffer[:end]
        else:
            self._buffer = bytearray()
        if self._most_parsed and parse_cost(head) > self._most_parsed:
            raise WireError(f"a head of {head_size} bytes that would take too much memory refused")
        if self._keeps_text:
            self.head_text = head
        return _parse_head(head), body

    def feed(self, data: bytes) -> Iterator[tuple[Head, bytes]]:
        """All messages that ``data`` completes."""
        self.add(data)
        while (message := self.next()) is not None:
            yield message


def _parse_head(data: bytes) -> Head:
    try:
        head = jsontext.read(data)
    except (ValueError, RecursionError):
        raise WireError("a message that is not JSON") from None
    if not isinstance(head, dict):
        raise WireError("a message that is not an object")
    return head


def _lost(path: str, error: OSError) -> WireError:
    kind = Closed if error.errno in (errno.EPIPE, errno.ECONNRESET) else WireError
    return kind(f"{path}: {error.strerror or error}")


def peer_of(sock: socket.socket | _socket.socket) -> Peer:
    """Return the peer of a connection, according to the kernel."""
    data = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS)
    return Peer(*memoryview(data).cast("i"))


class _ShortPath:
    """A name for a socket that fits sun_path, however long the directory's name is."""

    def __init__(self, path: str) -> None:
        self._directory = -1
        self.name = path
        if len(os.fsencode(path)) > _SUN_PATH_MAX:
            self._directory = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            self.name = f"/proc/self/fd/{self._directory}/{os.path.basename(path)}"

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *exc: object) -> None:
        if self._directory >= 0:
            os.close(self._directory)


def listen(path: str, mode: int) -> socket.socket:
    """Return a listening socket at ``path``; a stale one is replaced. Callers are identified by SO_PEERCRED.

    It gets its name when it listens: whoever finds it can connect.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
    unnamed = f"{path}.new"
    if os.path.lexists(unnamed):
        os.unlink(unnamed)
    with _ShortPath(unnamed) as name:
        before = os.umask(0o777 & ~mode)  # it never has more rights than it is to have
        try:
            sock.bind(name)
        finally:
            os.umask(before)
    sock.listen(_BACKLOG)
    os.rename(unnamed, path)
    return sock


def connect(path: str, timeout: float | None = None) -> socket.socket:
    """A connected socket. WireError names the path and the reason."""
    sock = socket.socket(fileno=_connected(path, timeout).detach())
    sock.settimeout(timeout)
    return sock


def _connected(path: str, timeout: float | None) -> _socket.socket:
    """The same for a ``Client``: the module ``socket``, which that needs for nothing else, would take tools 4 ms."""
    try:
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    except OSError as error:  # no descriptor is left
        raise WireError(f"cannot connect to {path}: {error.strerror}") from None
    sock.settimeout(timeout)
    deadline = None if timeout is None else time.monotonic() + timeout
    try:
        with _ShortPath(path) as name:
            while True:
                try:
                    sock.connect(name)
                    break
                except BlockingIOError:  # many others want to be accepted, too
                    if deadline is not None and time.monotonic() > deadline:
                        raise
                    time.sleep(_TRY_AGAIN)
    except OSError as error:
        sock.close()
        raise WireError(f"cannot connect to {path}: {error.strerror or error}") from None
    return sock


class Client:
    """A blocking conversation with a daemon. Open files that come with messages wait in ``files``; what is there at the
    end is closed."""

    def __init__(self, path: str, timeout: float | None = 60.0) -> None:
        self._path = path
        self._sock = _connected(path, timeout)
        self._decoder = Decoder()
        self._inbox: list[tuple[Head, bytes]] = []
        self.files: list[int] = []

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the conversation."""
        self._sock.close()
        for descriptor in self.files:
            os.close(descriptor)
        self.files.clear()

    def has_died(self) -> bool:
        """Whether the daemon that has closed the connection did so because it died."""
        from condor_py.client.lockfile import lives

        pid, deadline = str(peer_of(self._sock).pid), time.monotonic() + _DYING
        while lives(pid):
            if time.monotonic() > deadline:
                return False
            time.sleep(_TRY_AGAIN)
        return True

    def fileno(self) -> int:
        """The descriptor, to wait on."""
        return self._sock.fileno()

    @property
    def has_message(self) -> bool:
        """Whether ``receive`` has something to return without waiting."""
        return bool(self._inbox)

    def send(self, message: Message | Head, body: bytes = b"", descriptors: Sequence[int] = ()) -> None:
        """Sends one message, and with it open files, which the other side gets as its own."""
        data = encode(message, body)
        try:
            if descriptors:
                numbers = b"".join([number.to_bytes(4, sys.byteorder) for number in descriptors])
                data = data[self._sock.sendmsg([data], [(*_RIGHTS, numbers)]) :]
            self._sock.sendall(data)
        except OSError as error:
            if refusal := self._refusal():
                raise WireError(f"{self._path}: {refusal}") from None
            raise _lost(self._path, error) from None

    def _refusal(self) -> str:
        """Why the daemon closed while we were still sending, if it said so."""
        try:
            head, _ = self.receive()
            answer = read_answer(Answer, head)
        except (WireError, BadMessage):
            return ""
        return answer.error if isinstance(answer, Refused) else ""

    def receive(self) -> tuple[Head, bytes]:
        """The next message; WireError when the daemon closes or the time-out passes."""
        while not self._inbox:
            try:
                data, others, _, _ = self._sock.recvmsg(262144, _socket.CMSG_LEN(_MOST_FILES * 4))
            except TimeoutError:
                raise WireError(f"{self._path}: no answer in time") from None
            except OSError as error:
                raise _lost(self._path, error) from None
            for level, kind, numbers in others:
                if (level, kind) == _RIGHTS:
                    self.files += memoryview(numbers[: len(numbers) // 4 * 4]).cast("i")
            if not data:
                raise Closed(f"{self._path}: the daemon closed the connection")
            self._inbox.extend(self._decoder.feed(data))
        return self._inbox.pop(0)

    def hear(self, words: Vocabulary) -> Message:
        """The next message, one of those; WireError when there is none, or one that cannot be understood."""
        head, _ = self.receive()
        try:
            return words.read(head)
        except BadMessage as error:
            raise WireError(f"{self._path}: {error}") from None

    def ask(
        self,
        request: Request[A],
        body: bytes = b"",
        descriptors: Sequence[int] = (),
        *,
        listen: Callable[[Head], None] | None = None,
    ) -> A | Refused:
        """The answer to a request; WireError when there is none, or one that cannot be understood.

        ``listen`` gets the heads of messages that come before the answer.
        """
        self.send(request, body, descriptors)
        try:
            while True:
                head, _ = self.receive()
                if listen is None or word_of(head) is None:
                    return read_answer(answer_of(request), head)
                listen(head)
        except BadMessage as error:
            raise WireError(f"{self._path}: {error}") from None


def ask(path: str, message: Request[A], body: bytes = b"", timeout: float | None = 60.0) -> A | Refused:
    """Sends one request and returns the answer. WireError when there is none."""
    with Client(path, timeout) as client:
        return client.ask(message, body)


def ring(path: str, change: Change | None = None) -> bool:
    """Wake a daemon without waiting for an answer, with what was changed; return whether a process listens."""
    from condor_py.model.messages.wakeups import Ring

    try:
        with Client(path, 5.0) as client:
            client.send(Ring(change) if change else Ring())
    except WireError:
        return False
    return True
