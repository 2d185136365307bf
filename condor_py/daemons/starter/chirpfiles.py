"""The files that a job reaches by Chirp, at the access point. The process is the job's owner's, in the job's Iwd.

Every request is a method that takes the words behind the name and returns an answer; errors of the system are told.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Sequence

from condor_py.client.chirpwire import (
    INVALID_REQUEST,
    TOO_BIG,
    Answer,
    Refused,
    number,
    open_flags,
    path,
    stat_line,
    stat_numbers,
)
from condor_py.store.fs import RealFs

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
    brings the bytes behind a request, ``send`` an answer before that."""

    def __init__(self, check: Callable[[str], None], receive: Receive, send: Callable[[Answer], None]) -> None:
        self._check = check
        self._receive = receive
        self._send = send
        self._open: set[int] = set()

    def handle(self, name: str, words: Words) -> Answer | None:
        """Serves a request; None when there is none of that name with so many words."""
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
        """The bytes behind a request; they are taken whether it can be served or not."""
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


#: Name -> how many words it needs, and who serves it.
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
    """What a link points to; of one that points nowhere the link itself."""
    try:
        return os.stat(name)
    except OSError:
        return os.lstat(name)


def _statfs(info: os.statvfs_result) -> bytes:
    """Type (not known here, so 0), block size, blocks, free, available, files, free."""
    return stat_line((0, info.f_bsize, info.f_blocks, info.f_bfree, info.f_bavail, info.f_files, info.f_ffree))
