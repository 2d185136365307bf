"""The Chirp server of a starter: it listens on the loopback interface (for a container of docker's on the interface
DOCKER_NETWORK_NAME) while its job runs, asks for the cookie, and
hands every connection that knows it to a process with the identity of the job's owner (``chirpsession``).

What jobs find: a file with host, port and cookie that only they can read, named by _CONDOR_CHIRP_CONFIG.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING

from condor_py.client.chirpwire import (
    INVALID_REQUEST,
    LINE_MAX,
    NOT_AUTHENTICATED,
    NOT_AUTHORIZED,
    TOO_BIG,
    Answer,
    words,
)
from condor_py.core.jobs.rights import Caller, RefusedEdit, allowed_assignments
from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.loop import Loop, Timer
from condor_py.daemons.starter.chirpsession import Grants, Session, Wanted
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import is_storable
from condor_py.machine.run.identity import Account
from condor_py.machine.run.sandbox import remove_tree
from condor_py.machine.run.spawning import become
from condor_py.model.ids import JobId
from condor_py.model.settings.starter import ChirpSettings

if TYPE_CHECKING:
    from condor_py.machine.run.run import Run

# Changes of the job ad that a job asks for and that go to the queue with the next update.

#: Bytes of the longest expression.
_LONGEST = 993


class Delayed:
    """Those of one run. Names are limited to CHIRP_DELAYED_UPDATE_PREFIX, and never what users may not change."""

    def __init__(self, settings: ChirpSettings, ad: ClassAd) -> None:
        self._settings = settings
        self._ad = ad
        self._names: set[str] = set()
        self._waiting: dict[str, tuple[str, str]] = {}

    def set(self, name: str, expression: str) -> int:
        """Takes a change; 0, or the code of what is wrong with it."""
        key = name.lower()
        if len(expression.encode("utf-8", "surrogateescape")) > _LONGEST:
            return TOO_BIG
        if not is_storable(expression):
            return INVALID_REQUEST
        if not any(fnmatchcase(key, pattern.lower()) for pattern in self._settings.delayed_names):
            return NOT_AUTHORIZED
        try:
            allowed_assignments([(name, expression)], Caller("", False), self._settings.rules)
        except RefusedEdit:
            return NOT_AUTHORIZED
        if key not in self._names and len(self._names) >= self._settings.most_delayed:
            return NOT_AUTHORIZED
        self._names.add(key)
        self._waiting[key] = name, expression
        self._ad.set_text(name, expression)
        return 0

    def get(self, name: str) -> str | None:
        """The expression of a change, or of the starter's copy of the job ad."""
        return self._ad.text(name)

    @property
    def waits(self) -> bool:
        """Whether there are changes for the next update."""
        return bool(self._waiting)

    def take(self) -> dict[str, str]:
        """Return and clear the attributes that wait for the next update."""
        waiting, self._waiting = self._waiting, {}
        return dict(waiting.values())


#: Connections that have not shown the cookie, and those that have.
_MOST_STRANGERS, _MOST_SESSIONS = 16, 32
#: Seconds to show the cookie, and for what a job that has ended has still sent.
_PATIENCE, _REST = 10.0, 2.0
_TOO_MANY = -9
#: Address at which jobs reach the server, but for containers with a network of their own.
_LOOPBACK = "127.0.0.1"


def grants_of(settings: ChirpSettings, ad: ClassAd) -> Grants:
    """Return what a job wants (WantIOProxy, WantRemoteUpdates, WantDelayedUpdates) and the pool grants."""
    files = settings.files and ad.eval_bool("WantIOProxy", False) is True
    wanted = ad.eval_bool("WantRemoteUpdates", None)
    updates = settings.updates and (files if wanted is None else wanted is True)
    delayed = settings.delayed and ad.eval_bool("WantDelayedUpdates", None) is not False
    return Grants(files, updates, delayed)


class ChirpServer:
    """The server of a starter, for one run after the other. ``helpers`` gets the pids of our processes, which are not
    the job's."""

    def __init__(
        self, loop: Loop, settings: ChirpSettings, root: str, helpers: set[int], log: Callable[[str], None]
    ) -> None:
        self._loop = loop
        self._settings = settings
        self._directory = f"{root}/user"
        self._helpers = helpers
        self._log = log
        self._listener: socket.socket | None = None
        self._address = "", 0
        self._cookie = b""
        #: The account that may read the file for the job, and its state as we left it; None without a file.
        self._reader: Account | None = None
        self._seen: tuple[int, ...] | None = None
        self._strangers: dict[socket.socket, tuple[bytearray, Timer]] = {}
        self._waiting: dict[socket.socket, tuple[bytes, Timer]] = {}
        self._sessions: dict[Errand, socket.socket] = {}
        self._wanted: Callable[[], Wanted] | None = None
        self._owner: Account | None = None
        self._ad = ClassAd()
        #: Made for the first connection of the job: most have none.
        self._delayed: Delayed | None = None
        self._drained: Callable[[], None] | None = None

    # -- a run ---------------------------------------------------------------------------------------------------------

    def open(
        self, run: Run, ad: ClassAd, schedd: str, limits: tuple[str, ...], host: str = _LOOPBACK
    ) -> dict[str, str]:
        """Serve a run that is about to start, and return the variables of its environment for that. ``schedd`` is the
        socket of its schedd; without one there is no server. A server that cannot be made is no reason not to run.
        ``host`` is the address of this machine at which the job reaches it."""
        self.close()
        self._ad = ad
        self._delayed = None
        granted = grants_of(self._settings, ad)
        if not granted.any or not schedd:
            return {}
        self._wanted = lambda: Wanted(JobId.parse(run.job.job_id), run.job.iwd, schedd, granted, limits)
        self._owner = run.submitter
        self._cookie = os.urandom(20).hex().encode()
        try:
            return {"_CONDOR_CHIRP_CONFIG": self._listen(run.owner, host)}
        except OSError as error:
            self._log(f"Cannot serve Chirp: {error}")
            self.close()
            return {}

    def _listen(self, reader: Account | None, address: str) -> str:
        """Write the address for the job and return the path of that file. No other account can write into its
        directory. OSError."""
        if self._listener is not None and self._address[0] != address:
            self._loop.forget(self._listener.fileno())
            self._listener.close()
            self._listener = None
        if self._listener is None:
            self._listener = self._begin(address)
            self._address = self._listener.getsockname()
        host, port = self._address
        path = f"{self._directory}/.chirp.config"
        text = f"{host} {port} ".encode() + self._cookie + b"\n"
        if (reader is not self._reader and reader != self._reader) or not self._rewrite(path, text):
            remove_tree(path)
            self._seen = None
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o700)
            try:
                os.write(descriptor, text)
                if reader is not None and os.geteuid() == 0:
                    os.fchown(descriptor, reader.uid, reader.gid)
                self._seen, self._reader = _look(descriptor), reader
            finally:
                os.close(descriptor)
        return path

    def _rewrite(self, path: str, text: bytes) -> bool:
        """Write into the file of the run before, which spares the file system much; False if that is gone or was
        changed."""
        if self._seen is None:
            return False
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            if _look(descriptor) != self._seen or os.fstat(descriptor).st_size != len(text):
                return False
            return os.pwrite(descriptor, text, 0) == len(text)
        finally:
            os.close(descriptor)

    def _begin(self, address: str) -> socket.socket:
        """The directory and the socket, which stay for all runs at this address. OSError."""
        os.makedirs(self._directory, exist_ok=True)
        os.chmod(self._directory, 0o711)
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            listener.bind((address, 0))
            listener.listen(_MOST_SESSIONS)
        except OSError:
            listener.close()
            raise
        self._loop.read(listener.fileno(), self._accept)
        return listener

    @property
    def in_use(self) -> bool:
        """Whether the job has a connection, or changes of its ad wait."""
        return bool(self._sessions) or (self._delayed is not None and self._delayed.waits)

    def take_delayed(self) -> dict[str, str]:
        """Return and clear the attributes that wait for the next update."""
        return {} if self._delayed is None else self._delayed.take()

    def drain(self, then: Callable[[], None]) -> None:
        """Calls back when what the job has sent is done, a moment from now at the latest: a program may end before its
        last request is served."""
        if not self._sessions:
            then()
            return
        self._drained = then
        self._loop.after(_REST, partial(self._give_up, then))

    def _give_up(self, then: Callable[[], None]) -> None:
        if self._drained is then:
            self._drained = None
            self._stop_sessions()
            then()

    def close(self) -> None:
        """Serve no run any more: the cookie in its file is no longer valid. The socket stays open for the next run."""
        self._drained = None
        self._cookie = b""
        for sock in list(self._strangers):
            self._dismiss(sock)
        self._stop_sessions()

    def _stop_sessions(self) -> None:
        for sock in list(self._waiting):
            self._turn_away(sock)
        for errand in list(self._sessions):
            errand.stop()
            self._forget(errand)

    # -- connections ---------------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        assert self._listener is not None
        try:
            sock, _ = self._listener.accept()
        except OSError:
            return
        if not self._cookie:  # between two runs
            sock.close()
            return
        sock.setblocking(False)
        if len(self._strangers) >= _MOST_STRANGERS:
            self._dismiss(next(iter(self._strangers)))
        timer = self._loop.after(_PATIENCE, partial(self._dismiss, sock))
        self._strangers[sock] = bytearray(), timer
        self._loop.read(sock.fileno(), partial(self._hear, sock))

    def _dismiss(self, sock: socket.socket) -> None:
        if self._release(sock):
            sock.close()

    def _release(self, sock: socket.socket) -> bool:
        """Stops listening to a connection without a cookie; whether it was one."""
        known = self._strangers.pop(sock, None)
        if known is None:
            return False
        known[1].cancel()
        self._loop.forget(sock.fileno())
        return True

    def _hear(self, sock: socket.socket) -> None:
        """The cookie, or the end."""
        buffer, _ = self._strangers[sock]
        try:
            data = sock.recv(LINE_MAX)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        buffer += data
        line, found, rest = bytes(buffer).partition(b"\n")
        if not data or len(buffer) > LINE_MAX + 1:
            self._dismiss(sock)
        elif found:
            import hmac  # brings the library of OpenSSL, which most jobs do not need

            said = words(line)
            if len(said) == 2 and said[0] == b"cookie" and hmac.compare_digest(said[1], self._cookie):
                self._release(sock)
                self._admit(sock, rest)
            else:
                self._log("A Chirp client without the cookie")
                _say(sock, NOT_AUTHENTICATED)
                self._dismiss(sock)

    def _admit(self, sock: socket.socket, rest: bytes) -> None:
        """A connection with the cookie gets a process; where there are many, when another has ended."""
        if len(self._sessions) < _MOST_SESSIONS:
            self._begin_session(sock, rest)
        else:
            self._waiting[sock] = rest, self._loop.after(_PATIENCE, partial(self._turn_away, sock))

    def _turn_away(self, sock: socket.socket) -> None:
        self._waiting.pop(sock)[1].cancel()
        _say(sock, _TOO_MANY)
        sock.close()

    def _begin_session(self, sock: socket.socket, rest: bytes) -> None:
        wanted, owner = self._wanted, self._owner
        assert wanted is not None
        wants = wanted()
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:  # no descriptor is left: the job finds its connection closed
            self._log(f"Cannot serve a Chirp connection: {error.strerror}")
            sock.close()
            return
        _say(sock, 0)

        def work() -> None:
            for other in (ours, *self._strangers, *self._waiting, *self._sessions.values()):
                other.close()
            if self._listener is not None:
                self._listener.close()
            sock.setblocking(True)
            if owner is not None and os.geteuid() == 0:
                become(owner)
            Session(sock, rest, theirs, wants).serve()

        def ended(result: object, why: str) -> None:
            if why:
                self._log(f"A Chirp connection ended: {why}")
            self._forget(errand)

        errand = Errand(self._loop, work, ended)
        sock.close()
        theirs.close()
        ours.setblocking(False)
        self._helpers.add(errand.pid)
        self._sessions[errand] = ours
        buffer = bytearray()
        self._loop.read(ours.fileno(), partial(self._asked, ours, buffer))

    def _forget(self, errand: Errand) -> None:
        line = self._sessions.pop(errand)
        self._helpers.discard(errand.pid)
        self._loop.forget(line.fileno())
        line.close()
        if self._waiting:
            sock = next(iter(self._waiting))
            rest, timer = self._waiting.pop(sock)
            timer.cancel()
            self._begin_session(sock, rest)
        if not self._sessions and self._drained is not None:
            then, self._drained = self._drained, None
            then()

    # -- what our processes ask us -------------------------------------------------------------------------------------

    def _asked(self, line: socket.socket, buffer: bytearray) -> None:
        try:
            data = line.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.forget(line.fileno())
            return
        buffer += data
        while (end := buffer.find(b"\n")) >= 0:
            question = json.loads(bytes(buffer[:end]))
            del buffer[: end + 1]
            _send_all(line, json.dumps(self._reply(*question)).encode() + b"\n")

    def _changes(self) -> Delayed:
        if self._delayed is None:
            self._delayed = Delayed(self._settings, self._ad)
        return self._delayed

    def _reply(self, kind: str, name: str, expression: str = "") -> str | int | None:
        match kind:
            case "get":
                return self._ad.text(name)
            case "get_delayed":
                return self._changes().get(name)
            case "delay":
                return self._changes().set(name, expression)
            case "set":
                self._ad.set_text(name, expression)
        return None


def _look(descriptor: int) -> tuple[int, ...]:
    """Return the facts of our file that must not change: inode, device, owner, group, mode, and number of names."""
    found = os.fstat(descriptor)
    return found.st_ino, found.st_dev, found.st_uid, found.st_gid, found.st_mode, found.st_nlink


def _send_all(line: socket.socket, data: bytes) -> None:
    """An answer that our process waits for, however long it is; a process that is gone misses nothing. One that does
    not read it for long has a part of it, and finds its line closed."""
    line.settimeout(_REST)
    try:
        line.sendall(data)
    except OSError:
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
    line.setblocking(False)


def _say(sock: socket.socket, code: int) -> None:
    try:
        sock.send(Answer(code).encoded())
    except OSError:
        return  # it is gone
