"""The streams of a session and the terminal of its user.

Where the user has a terminal the bytes pass through here, between it and a pseudo-terminal (or pipes for a command
without one). Everything waits in one poll: nothing is done while nothing happens.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import signal
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from condor_py.client.terminal import SavedTerminal
from condor_py.client.wire import Client, WireError
from condor_py.model.messages.sessions import BY_VISITOR, SessionEnded, SessionLost

# The escapes of ssh in a session on a terminal: ``~`` at the start of a line.

_TILDE, _DOT, _CTRL_Z = b"~"[0], b"."[0], 0x1A
_LINE_ENDS = frozenset(b"\r\n")


class Escape:
    """Reads typed bytes: ``~.`` leaves, ``~^Z`` suspends the program, ``~~`` is one ``~``; all else passes."""

    def __init__(self) -> None:
        self._at_start = True
        self._tilde = False

    def feed(self, data: bytes) -> tuple[bytes, str, bytes]:
        """(what the session gets, "leave" or "suspend" or "", what follows that and was not read yet)."""
        out = bytearray()
        for at, byte in enumerate(data):
            if self._tilde:
                self._tilde = False
                if byte in (_DOT, _CTRL_Z):
                    return bytes(out), "leave" if byte == _DOT else "suspend", data[at + 1 :]
                if byte != _TILDE:
                    out.append(_TILDE)
            elif byte == _TILDE and self._at_start:
                self._tilde = True
                continue
            out.append(byte)
            self._at_start = byte in _LINE_ENDS
        return bytes(out), "", b""


_CHUNK = 65536
#: Typed bytes that may wait for a session that does not read.
_MAX_PENDING = 262144
#: Milliseconds to wait for the last output of a session that has ended.
_LAST_OUTPUT = 1000
_END_OF_FILE = b"\x04"
#: Exit code of a session that its user left by ``~.``.
_LEFT = 255
_SIZE = b"\0" * 8


@contextmanager
def streams_for(terminal: bool | None, is_command: bool) -> Iterator[Streams]:
    """The streams for a session. ``terminal``: wanted, not wanted, or (None) as ssh decides."""
    wanted = (not is_command and os.isatty(0)) if terminal is None else terminal
    streams = Streams(wanted)
    try:
        yield streams
    finally:
        streams.close()


class Streams:
    """``theirs`` are the open files for the starter: three streams, or a pseudo-terminal and the user's terminal."""

    def __init__(self, has_terminal: bool) -> None:
        self.has_terminal = has_terminal
        self.theirs: list[int] = []
        self._ours: list[int] = []
        self._lent: list[int] = []
        self._source: int | None = None
        self._sink = -1
        self._outputs: dict[int, int] = {}
        self._pending = bytearray()
        self._escape: Escape | None = None
        self._saved: SavedTerminal | None = None
        self._source_ended = False
        if has_terminal:
            self._make_terminal()
        else:
            self._make_pipes()

    def _make_terminal(self) -> None:
        ours, theirs = os.openpty()
        os.set_blocking(ours, False)
        self._ours, self._lent = [ours], [theirs]
        self._source, self._sink, self._outputs = 0, ours, {ours: 1}
        mine = next((number for number in (0, 1, 2) if os.isatty(number)), theirs)
        self.theirs = [theirs, mine]
        if os.isatty(0):
            self._saved = SavedTerminal(0)
            self._escape = Escape()
            termios.tcsetattr(theirs, termios.TCSANOW, self._saved.before)
        self._resize()

    def _make_pipes(self) -> None:
        """Make pipes where the user has a terminal; their pipe or file goes to the session unchanged."""
        for number in (0, 1, 2):
            if not os.isatty(number):
                self.theirs.append(number)
                continue
            reading, writing = os.pipe2(os.O_CLOEXEC)
            mine, lent = (writing, reading) if number == 0 else (reading, writing)
            os.set_blocking(mine, False)
            self._ours.append(mine)
            self._lent.append(lent)
            self.theirs.append(lent)
            if number == 0:
                self._source, self._sink = 0, mine
            else:
                self._outputs[mine] = number

    def close_theirs(self, owner: int | None = None) -> None:
        """The starter has its own copies now. A pseudo-terminal that root made becomes the session's ``owner``'s, whose
        programs may want to open it by name.
        """
        if self.has_terminal and owner and os.geteuid() == 0:
            os.fchown(self._lent[0], owner, -1)
        for descriptor in self._lent:
            os.close(descriptor)
        self._lent.clear()

    def close(self) -> None:
        """Lets go of everything; the terminal is as it was."""
        if self._saved is not None:
            self._saved.give_back()
        self.close_theirs()
        for descriptor in self._ours:
            os.close(descriptor)
        self._ours.clear()

    def _resize(self, number: int = 0, frame: FrameType | None = None) -> None:
        """The pseudo-terminal gets the size of the user's; the kernel tells its programs."""
        if self._saved is not None:
            size = fcntl.ioctl(0, termios.TIOCGWINSZ, _SIZE)
            fcntl.ioctl(self._ours[0], termios.TIOCSWINSZ, size)

    # -- serving -------------------------------------------------------------------------------------------------------

    def serve(self, client: Client, wakeup: int) -> int | None:
        """Passes bytes on until the session ends; its exit code, None when it was lost.

        ``wakeup`` becomes readable with a signal.
        """
        before = signal.signal(signal.SIGWINCH, self._resize)
        try:
            self._resize()
            if self._saved is not None:
                self._saved.make_raw()
            code = self._pass_on(client, wakeup)
            self._drain()
            return code
        finally:
            signal.signal(signal.SIGWINCH, before)

    def _pass_on(self, client: Client, wakeup: int) -> int | None:
        while not client.has_message:  # a short command's end may have come with its beginning
            for descriptor, _ in self._poll(client.fileno(), wakeup):
                if descriptor == wakeup:
                    os.read(wakeup, 512)
                if descriptor == client.fileno():
                    return _ending(client)
                if descriptor in self._outputs:
                    self._copy_out(descriptor)
                if descriptor == self._source and self._source is not None and self._take_input(self._source):
                    return _LEFT
            self._send_input()
        return _ending(client)

    def _poll(self, link: int, wakeup: int) -> list[tuple[int, int]]:
        poller = select.poll()
        poller.register(link, select.POLLIN)
        poller.register(wakeup, select.POLLIN)
        for descriptor in self._outputs:
            poller.register(descriptor, select.POLLIN)
        if self._source is not None and len(self._pending) < _MAX_PENDING:
            poller.register(self._source, select.POLLIN)
        if self._pending:
            both = select.POLLIN | select.POLLOUT if self._sink in self._outputs else select.POLLOUT
            poller.register(self._sink, both)
        return poller.poll()

    def _copy_out(self, descriptor: int) -> bool:
        """Copies what there is; False when nothing is left to come."""
        data, is_open = _read_all(descriptor)
        _write_all(self._outputs[descriptor], data)
        if not is_open:
            del self._outputs[descriptor]
        return is_open

    def _take_input(self, source: int) -> bool:
        """Reads what was typed; True when the user leaves."""
        data = os.read(source, _CHUNK)
        if not data:
            self._source, self._source_ended = None, True
            if self.has_terminal:
                self._pending += _END_OF_FILE
            return False
        while data and self._escape is not None:
            passed, wish, data = self._escape.feed(data)
            self._pending += passed
            if wish == "leave":
                return True
            if wish == "suspend":
                self._suspend()
        self._pending += data
        return False

    def _suspend(self) -> None:
        """Stop this program as a terminal's Ctrl-Z would; the session continues."""
        if self._saved is not None:
            self._saved.give_back()
            os.kill(os.getpid(), signal.SIGTSTP)
            self._saved.make_raw()
            self._resize()

    def _send_input(self) -> None:
        if self._pending:
            try:
                del self._pending[: os.write(self._sink, self._pending)]
            except BlockingIOError:
                return
            except OSError:  # no process reads any more
                self._pending.clear()
                self._source = None
        if self._source_ended and not self._pending and not self.has_terminal and self._sink in self._ours:
            os.close(self._sink)
            self._ours.remove(self._sink)

    def _drain(self) -> None:
        """Copy the last output of the session.

        A pseudo-terminal signals its end; a pipe may be kept open by processes left behind.
        """
        poller = select.poll()
        patience = _LAST_OUTPUT if self.has_terminal else 0
        while self._outputs:
            for descriptor in list(self._outputs):
                poller.register(descriptor, select.POLLIN)
            ready = poller.poll(patience)
            if not ready:
                return
            for descriptor, _ in ready:
                if not self._copy_out(descriptor):
                    poller.unregister(descriptor)


def _ending(client: Client) -> int | None:
    try:
        news = client.hear(BY_VISITOR)
    except WireError:
        news = SessionLost()
    match news:
        case SessionEnded(code):
            return code
        case SessionLost():
            return None
    return None


def _read_all(descriptor: int) -> tuple[bytes, bool]:
    """(what there is now, up to a chunk; whether more may come). A pseudo-terminal gives a few KB at a time."""
    pieces: list[bytes] = []
    size = 0
    try:
        while size < _CHUNK:
            data = os.read(descriptor, _CHUNK)
            if not data:
                return b"".join(pieces), False
            pieces.append(data)
            size += len(data)
    except BlockingIOError:
        pass
    except OSError as error:
        if error.errno != errno.EIO:  # how a pseudo-terminal says end of file
            raise
        return b"".join(pieces), False
    return b"".join(pieces), True


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:  # another process made the terminal non-blocking
            poller = select.poll()
            poller.register(descriptor, select.POLLOUT)
            poller.poll()
