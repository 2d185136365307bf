"""One connection of a job to its Chirp server, from the cookie to the end: a process of its own with the identity of
the job's owner, so that a request that fails or waits affects no other.

What belongs to the starter (its copy of the job ad, updates that wait) is asked for over a line to it; what belongs to
the queue goes to the schedd, whose kernel tells it that we are the owner.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import stat
from collections.abc import Callable, Sequence
from typing import NamedTuple

from condor_py.client.chirpwire import (
    DOES_NOT_EXIST,
    INVALID_REQUEST,
    LINE_MAX,
    NOT_AUTHORIZED,
    TOO_BIG,
    TRY_AGAIN,
    UNKNOWN,
    VERSION,
    Answer,
    Refused,
    code_of,
    number,
    open_flags,
    path,
    stat_line,
    stat_numbers,
    text,
    words,
)
from condor_py.client.wire import WireError, ask
from condor_py.machine.run.transfer import DirectoryLimits
from condor_py.model.ids import JobId
from condor_py.model.messages import codec
from condor_py.model.messages.queue import Edit, WriteEvent
from condor_py.store.fs import RealFs

#: Seconds that the schedd has for an answer.
_PATIENCE = 60.0
_CHUNK = 1 << 16
_DONE = 1  # Result.SUCCESS of an edit


class Grants(NamedTuple):
    """The requests that a job may make: files at the access point, its ad in the queue, delayed updates."""

    files: bool = False
    updates: bool = False
    delayed: bool = True

    @property
    def any(self) -> bool:
        """Whether there is anything to serve."""
        return self.files or self.updates or self.delayed


class Wanted(NamedTuple):
    """The run whose connection it is. ``schedd`` is the schedd's socket."""

    job: JobId
    iwd: str
    schedd: str
    grants: Grants
    limits: tuple[str, ...] = ()


class Session:
    """Serves requests until the other side ends the connection. ``begun``: bytes that came after the cookie."""

    def __init__(self, sock: socket.socket, begun: bytes, line: socket.socket, wanted: Wanted) -> None:
        self._sock = sock
        self._buffer = bytearray(begun)
        self._line = line.makefile("rwb")
        self._wanted = wanted
        self._files = Files(DirectoryLimits(wanted.limits).check, self._receive, self._send)

    def serve(self) -> None:
        """OSError when the connection breaks."""
        if self._wanted.grants.files:
            os.chdir(self._wanted.iwd)
        while (line := self._next_line()) is not None:
            self._send(self._answer(line))

    def _next_line(self) -> bytes | None:
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > LINE_MAX:
                self._send(Answer(TOO_BIG))
                return None
            data = self._sock.recv(_CHUNK)
            if not data:
                return None
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        if len(line) <= LINE_MAX:
            return line
        self._send(Answer(TOO_BIG))
        return None

    def _receive(self, length: int) -> bytes:
        while len(self._buffer) < length:
            data = self._sock.recv(_CHUNK)
            if not data:
                raise ConnectionError("the end of the connection inside a request")
            self._buffer += data
        data = bytes(self._buffer[:length])
        del self._buffer[:length]
        return data

    def _send(self, answer: Answer) -> None:
        self._sock.sendall(answer.encoded())

    # -- requests ------------------------------------------------------------------------------------------------------

    def _answer(self, line: bytes) -> Answer:
        found = words(line)
        if not found:
            return Answer(INVALID_REQUEST)
        try:
            return self._dispatch(found[0].decode("ascii", "replace"), found[1:])
        except Refused as refused:
            return Answer(refused.code)
        except ConnectionError:
            raise
        except WireError:
            return Answer(TRY_AGAIN)
        except OSError as error:
            return Answer(code_of(error))
        except (ValueError, OverflowError):
            return Answer(INVALID_REQUEST)

    def _dispatch(self, name: str, given: list[bytes]) -> Answer:
        grants = self._wanted.grants
        served: dict[str, tuple[bool, int, Callable[..., Answer]]] = {
            "get_job_attr": (grants.updates, 1, self._get),
            "set_job_attr": (grants.updates, 2, self._set),
            "constrain": (grants.updates, 1, self._constrain),
            "ulog": (grants.updates, 1, self._ulog),
            "version": (grants.updates, 0, lambda: Answer(VERSION)),
            "get_job_attr_delayed": (grants.delayed, 1, self._get_delayed),
            "set_job_attr_delayed": (grants.delayed, 2, self._set_delayed),
        }
        allowed, count, handler = served.get(name, (False, 0, self._none))
        if allowed and len(given) >= count:
            return handler(*map(text, given[:count]))
        answer = self._files.handle(name, given) if grants.files else None
        return Answer(INVALID_REQUEST) if answer is None else answer

    def _none(self) -> Answer:
        return Answer(INVALID_REQUEST)

    def _get(self, name: str) -> Answer:
        answer = self._ask("get", name)
        return _text_answer(answer if isinstance(answer, str) else "UNDEFINED")

    def _get_delayed(self, name: str) -> Answer:
        answer = self._ask("get_delayed", name)
        return _text_answer(answer) if isinstance(answer, str) else Answer(DOES_NOT_EXIST)

    def _set_delayed(self, name: str, expression: str) -> Answer:
        answer = self._ask("delay", name, expression)
        return Answer(answer if isinstance(answer, int) else UNKNOWN)

    def _set(self, name: str, expression: str) -> Answer:
        """The answer follows the commit of the schedd."""
        asked = Edit(ids=[self._wanted.job], assignments=[[name, expression]])
        answer = ask(self._wanted.schedd, asked, timeout=_PATIENCE)
        if isinstance(answer, codec.Refused) or [result for *_, result in answer.spans] != [_DONE]:
            return Answer(NOT_AUTHORIZED)
        self._ask("set", name, expression)
        return Answer(0)

    def _constrain(self, expression: str) -> Answer:
        answer = self._set("AgentRequirements", expression)
        before = self._ask("get", "Requirements")
        before = before if isinstance(before, str) else "true"
        if answer.code or "agentrequirements" in before.lower():
            return answer
        return self._set("Requirements", f"({before}) && AgentRequirements")

    def _ulog(self, message: str) -> Answer:
        answer = ask(self._wanted.schedd, WriteEvent(self._wanted.job, message), timeout=_PATIENCE)
        return Answer(NOT_AUTHORIZED if isinstance(answer, codec.Refused) else 0)

    def _ask(self, *question: str) -> object:
        self._line.write(json.dumps(question).encode() + b"\n")
        self._line.flush()
        return json.loads(self._line.readline() or b"null")


def _text_answer(expression: str) -> Answer:
    data = expression.encode("utf-8", "surrogateescape")
    return Answer(len(data), data)


Receive = Callable[[int], bytes]
Words = Sequence[bytes]
#: Bytes that one request may bring or take.
MOST = 64 << 20
#: Files that one connection may have open.
_MOST_OPEN = 256
#: What a directory's names may take, in bytes.
_MOST_NAMES = 16 << 20
_WHOAMI, _WHOAREYOU = b"CONDOR", b"UNKNOWN"


class Files:
    """The open files of a connection. ``check`` raises PermissionError for a path that is out of bounds; ``receive``
    returns the bytes after a request, ``send`` sends an answer before that."""

    def __init__(self, check: Callable[[str], None], receive: Receive, send: Callable[[Answer], None]) -> None:
        self._check = check
        self._receive = receive
        self._send = send
        self._open: set[int] = set()

    def handle(self, name: str, words: Words) -> Answer | None:
        """Serve a request; None for an unknown name or a wrong number of words."""
        found = _REQUESTS.get(name)
        if found is None or len(words) < found[0]:
            return None
        return found[1](self, *words[: found[0]])

    # -- what requests are made of -------------------------------------------------------------------------------------

    def _path(self, word: bytes) -> str:
        name = path(word)
        self._check(name)
        return name

    def _link_path(self, word: bytes) -> str:
        """A path whose last part is not followed: the directory it is in must be allowed."""
        name = path(word)
        self._check(os.path.dirname(name.rstrip("/")) or ".")
        return name

    def _file(self, word: bytes) -> int:
        descriptor = number(word)
        if descriptor not in self._open:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return descriptor

    def _keep(self, name: str, flags: int, mode: int) -> int:
        if len(self._open) >= _MOST_OPEN:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return _open(name, flags, mode)

    # -- open files ----------------------------------------------------------------------------------------------------

    def open(self, name: bytes, letters: bytes, mode: bytes) -> Answer:
        descriptor = self._keep(self._path(name), open_flags(letters), number(mode) & 0o7777)
        self._open.add(descriptor)
        return Answer(descriptor, stat_line(stat_numbers(os.fstat(descriptor))))

    def close(self, file: bytes) -> Answer:
        descriptor = self._file(file)
        self._open.discard(descriptor)
        os.close(descriptor)
        return Answer(0)

    def lseek(self, file: bytes, offset: bytes, whence: bytes) -> Answer:
        base = number(whence)
        if base not in (os.SEEK_SET, os.SEEK_CUR, os.SEEK_END):
            return Answer(INVALID_REQUEST)
        return Answer(os.lseek(self._file(file), number(offset, -(2**63)), base))

    def fsync(self, file: bytes) -> Answer:
        RealFs().sync(self._file(file))
        return Answer(0)

    def read(self, file: bytes, length: bytes) -> Answer:
        return _data(os.read(self._file(file), number(length, 0, MOST)))

    def pread(self, file: bytes, length: bytes, offset: bytes) -> Answer:
        return _data(os.pread(self._file(file), number(length, 0, MOST), number(offset, 0)))

    def sread(self, file: bytes, length: bytes, offset: bytes, piece: bytes, skip: bytes) -> Answer:
        descriptor, left, where = self._file(file), number(length, 1, MOST), number(offset, 0)
        size, step = number(piece, 1, MOST), number(skip, 0)
        found = bytearray()
        while left:
            data = os.pread(descriptor, min(size, left), where)
            found += data
            left -= len(data)
            where += step
            if not data:
                break
        return _data(bytes(found))

    def write(self, file: bytes, length: bytes) -> Answer:
        data = self._payload(length)
        return Answer(os.write(self._file(file), data))

    def pwrite(self, file: bytes, length: bytes, offset: bytes) -> Answer:
        data = self._payload(length)
        return Answer(os.pwrite(self._file(file), data, number(offset, 0)))

    def swrite(self, file: bytes, length: bytes, offset: bytes, piece: bytes, skip: bytes) -> Answer:
        data = self._payload(length)
        descriptor, where = self._file(file), number(offset, 0)
        size, step, done = number(piece, 1, MOST), number(skip, 0), 0
        while done < len(data):
            done += os.pwrite(descriptor, data[done : done + size], where)
            where += step
        return Answer(done)

    def _payload(self, length: bytes) -> bytes:
        """The bytes after a request; they are read whether it can be served or not."""
        return self._receive(number(length, 0, MOST))

    def fstat(self, file: bytes) -> Answer:
        return Answer(0, stat_line(stat_numbers(os.fstat(self._file(file)))))

    def fstatfs(self, file: bytes) -> Answer:
        return Answer(0, _statfs(os.statvfs(self._file(file))))

    def fchown(self, file: bytes, uid: bytes, gid: bytes) -> Answer:
        os.fchown(self._file(file), number(uid), number(gid))
        return Answer(0)

    def fchmod(self, file: bytes, mode: bytes) -> Answer:
        os.fchmod(self._file(file), number(mode) & 0o7777)
        return Answer(0)

    def ftruncate(self, file: bytes, length: bytes) -> Answer:
        os.ftruncate(self._file(file), number(length, 0))
        return Answer(0)

    # -- whole files ---------------------------------------------------------------------------------------------------

    def getfile(self, name: bytes) -> Answer:
        descriptor = _open(self._path(name), os.O_RDONLY, 0)
        with open(descriptor, "rb") as file:
            data = file.read(MOST + 1)
        return Answer(TOO_BIG) if len(data) > MOST else _data(data)

    def putfile(self, name: bytes, mode: bytes, length: bytes) -> Answer:
        size = number(length, 0, MOST)
        flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
        descriptor = _open(self._path(name), flags, number(mode) & 0o7777)
        with open(descriptor, "wb") as file:
            if not size:
                return Answer(0)
            self._send(Answer(0))
            file.write(self._receive(size))
        return Answer(size)

    # -- names ---------------------------------------------------------------------------------------------------------

    def unlink(self, name: bytes) -> Answer:
        os.unlink(self._link_path(name))
        return Answer(0)

    def rename(self, old: bytes, new: bytes) -> Answer:
        os.rename(self._link_path(old), self._link_path(new))
        return Answer(0)

    def mkdir(self, name: bytes, mode: bytes) -> Answer:
        os.mkdir(self._path(name), number(mode) & 0o7777)
        return Answer(0)

    def rmdir(self, name: bytes) -> Answer:
        os.rmdir(self._link_path(name))
        return Answer(0)

    def rmall(self, name: bytes) -> Answer:
        shutil.rmtree(self._link_path(name))
        return Answer(0)

    def link(self, old: bytes, new: bytes) -> Answer:
        os.link(self._path(old), self._link_path(new))
        return Answer(0)

    def symlink(self, old: bytes, new: bytes) -> Answer:
        os.symlink(path(old), self._link_path(new))
        return Answer(0)

    def readlink(self, name: bytes, length: bytes) -> Answer:
        return _data(os.fsencode(os.readlink(self._link_path(name)))[: number(length, 1)])

    def lookup(self, name: bytes) -> Answer:
        return _data(os.fsencode(os.path.join(os.getcwd(), self._path(name))))

    def getdir(self, name: bytes) -> Answer:
        return _data(b"".join(os.fsencode(each) + b"\n" for each in _names(self._path(name))) + b"\n")

    def getlongdir(self, name: bytes) -> Answer:
        top = self._path(name)
        found = bytearray()
        for each in _names(top):
            found += os.fsencode(each) + b"\n" + stat_line(stat_numbers(_stat_of(os.path.join(top, each))))
        return _data(bytes(found) + b"\n")

    def stat(self, name: bytes) -> Answer:
        return Answer(0, stat_line(stat_numbers(os.stat(self._path(name)))))

    def lstat(self, name: bytes) -> Answer:
        return Answer(0, stat_line(stat_numbers(os.lstat(self._link_path(name)))))

    def statfs(self, name: bytes) -> Answer:
        return Answer(0, _statfs(os.statvfs(self._path(name))))

    def access(self, name: bytes, mode: bytes) -> Answer:
        found = self._path(name)
        os.stat(found)
        if not os.access(found, number(mode) & 7):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        return Answer(0)

    def chmod(self, name: bytes, mode: bytes) -> Answer:
        os.chmod(self._path(name), number(mode) & 0o7777)
        return Answer(0)

    def chown(self, name: bytes, uid: bytes, gid: bytes) -> Answer:
        os.chown(self._path(name), number(uid), number(gid))
        return Answer(0)

    def lchown(self, name: bytes, uid: bytes, gid: bytes) -> Answer:
        os.lchown(self._link_path(name), number(uid), number(gid))
        return Answer(0)

    def truncate(self, name: bytes, length: bytes) -> Answer:
        os.truncate(self._path(name), number(length, 0))
        return Answer(0)

    def utime(self, name: bytes, accessed: bytes, changed: bytes) -> Answer:
        os.utime(self._path(name), (number(accessed), number(changed)))
        return Answer(0)

    def whoami(self, length: bytes) -> Answer:
        return _name(_WHOAMI, length)

    def whoareyou(self, host: bytes, length: bytes) -> Answer:
        return _name(_WHOAREYOU, length)


#: Name -> the number of words that it needs, and the function that serves it.
_REQUESTS: dict[str, tuple[int, Callable[..., Answer]]] = {
    name: (method.__code__.co_argcount - 1, method)
    for name, method in vars(Files).items()
    if not name.startswith("_") and name != "handle"
}


def _open(name: str, flags: int, mode: int) -> int:
    """Opens a plain file, and nothing that would let us wait."""
    descriptor = os.open(name, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY, mode)
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind) or stat.S_ISCHR(kind):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EISDIR if stat.S_ISDIR(kind) else errno.EINVAL, name)


def _data(data: bytes) -> Answer:
    return Answer(len(data), data)


def _name(name: bytes, length: bytes) -> Answer:
    if number(length) < len(name):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return _data(name)


def _names(top: str) -> list[str]:
    found = os.listdir(top)
    if sum(map(len, found)) > _MOST_NAMES:
        raise Refused(TOO_BIG)
    return sorted(found)


def _stat_of(name: str) -> os.stat_result:
    """Return the status of a link's target; of a link without a target, that of the link itself."""
    try:
        return os.stat(name)
    except OSError:
        return os.lstat(name)


def _statfs(info: os.statvfs_result) -> bytes:
    """Type (not known here, so 0), block size, blocks, free, available, files, free."""
    return stat_line((0, info.f_bsize, info.f_blocks, info.f_bfree, info.f_bavail, info.f_files, info.f_ffree))
