"""The file system as the store sees it: a narrow protocol, and the real one.

Everything durable goes through this protocol, so that crash tests can put a double in its place which loses
what was not synced. Failures are plain ``OSError``; the layers above turn them into one clear line (see
``describe``).
"""

from __future__ import annotations

import errno
import fcntl
import os
from functools import cache

from condor_py.model.errors import NoSpace, StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LOCK_TRIES = 1000
#: Stands for a handle where nothing is open.
CLOSED = -1
#: A user may name a pipe or a terminal as a log: neither holds us up, nor becomes ours.
_NEVER_WAIT = os.O_NONBLOCK | os.O_NOCTTY


class FileId:
    """Identity and extent of a file: device, inode, size in bytes, time of last change in nanoseconds."""

    __slots__ = ("dev", "ino", "mtime_ns", "size")

    def __init__(self, dev: int, ino: int, size: int, mtime_ns: int) -> None:
        self.dev = dev
        self.ino = ino
        self.size = size
        self.mtime_ns = mtime_ns

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileId) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.dev, self.ino))

    def same_file(self, other: FileId) -> bool:
        """Whether both are one inode (the size may differ)."""
        return self.ino == other.ino and self.dev == other.dev


class FileSystem:
    """The file system operations of the store. Handles are small integers; every method may raise OSError."""

    def open_read(self, path: str) -> int:
        """A handle to read an existing file."""
        raise NotImplementedError

    def open_append(self, path: str, mode: int) -> int:
        """A handle to read and append, the file created with exactly ``mode`` when it is not there."""
        raise NotImplementedError

    def create(self, path: str, mode: int) -> int:
        """A handle to a new, empty file of exactly ``mode``; whatever had the name is unlinked, not written
        through."""
        raise NotImplementedError

    def close(self, handle: int) -> None:
        """Give the handle back."""
        raise NotImplementedError

    def write(self, handle: int, data: bytes) -> None:
        """Append all of ``data``, in one system call where the kernel takes it; on an error a part may be
        there."""
        raise NotImplementedError

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        """Write over bytes that an existing file has."""
        raise NotImplementedError

    def read_at(self, handle: int, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes from ``offset``; fewer only at the end of the file."""
        raise NotImplementedError

    def fstat(self, handle: int) -> FileId:
        """The identity of an open file."""
        raise NotImplementedError

    def stat(self, path: str) -> FileId:
        """The identity of the file that has this name now."""
        raise NotImplementedError

    def truncate(self, handle: int, size: int) -> None:
        """Cut the file to ``size`` bytes."""
        raise NotImplementedError

    def sync(self, handle: int) -> None:
        """Return when the content and the size of the file are on the medium (fdatasync)."""
        raise NotImplementedError

    def rename(self, old: str, new: str) -> None:
        """Atomically give ``old`` the name ``new``."""
        raise NotImplementedError

    def link(self, old: str, new: str) -> None:
        """A second name for a file."""
        raise NotImplementedError

    def unlink(self, path: str) -> None:
        """Take a name away."""
        raise NotImplementedError

    def sync_dir(self, path: str) -> None:
        """Return when the names in the directory are on the medium."""
        raise NotImplementedError

    def listdir(self, path: str) -> list[str]:
        """The names in a directory."""
        raise NotImplementedError

    def lock(self, handle: int) -> bool:
        """Lock the open file against other handles until it is closed; False when it stays taken for long."""
        raise NotImplementedError


class RealFs(FileSystem):
    """The kernel's file system."""

    def _open(self, path: str, flags: int, mode: int = 0) -> int:
        return os.open(path, flags, mode)

    def open_read(self, path: str) -> int:
        return self._open(path, os.O_RDONLY | _NEVER_WAIT)

    def open_append(self, path: str, mode: int) -> int:
        flags = os.O_RDWR | os.O_APPEND | _NEVER_WAIT
        try:
            return self._open(path, flags)
        except FileNotFoundError:
            pass
        try:
            handle = self._open(path, flags | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:  # another process was faster
            return self._open(path, flags)
        os.fchmod(handle, mode)  # the umask must not decide who may read
        return handle

    def create(self, path: str, mode: int) -> int:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, mode)
        os.fchmod(handle, mode)
        return handle

    def close(self, handle: int) -> None:
        os.close(handle)

    def write(self, handle: int, data: bytes) -> None:
        done = os.write(handle, data)
        while done < len(data):  # a nearly full disk or 2 GiB at once
            done += os.write(handle, data[done:])

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        handle = os.open(path, os.O_WRONLY)
        try:
            os.pwrite(handle, data, offset)
        finally:
            os.close(handle)

    def read_at(self, handle: int, offset: int, size: int) -> bytes:
        parts = []
        have = 0
        while have < size:
            data = os.pread(handle, size - have, offset + have)
            if not data:
                break
            parts.append(data)
            have += len(data)
        return b"".join(parts)

    def fstat(self, handle: int) -> FileId:
        st = os.fstat(handle)
        return FileId(st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns)

    def stat(self, path: str) -> FileId:
        st = os.stat(path)
        return FileId(st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns)

    def truncate(self, handle: int, size: int) -> None:
        os.ftruncate(handle, size)

    def sync(self, handle: int) -> None:
        os.fdatasync(handle)

    def rename(self, old: str, new: str) -> None:
        os.rename(old, new)

    def link(self, old: str, new: str) -> None:
        os.link(old, new)

    def unlink(self, path: str) -> None:
        os.unlink(path)

    def sync_dir(self, path: str) -> None:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def listdir(self, path: str) -> list[str]:
        return os.listdir(path)

    def lock(self, handle: int) -> bool:
        for _ in range(_LOCK_TRIES):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.sched_yield()  # held for the time of one write
            else:
                return True
        return False


class BoundFs(RealFs):
    """The kernel's file system without what is mounted in other places than ``root``. A file that turns out to be
    elsewhere, by a link or by something that was mounted this moment, is not opened (EXDEV), and its file system does
    not hear of it: it might never answer."""

    def __init__(self, root: str) -> None:
        self._root = root

    def _open(self, path: str, flags: int, mode: int = 0) -> int:
        base = os.open(self._root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return _open_within(base, path.removeprefix(self._root).lstrip("/") or ".", flags, mode)
        finally:
            os.close(base)


#: openat2(2), which Python does not have: its number on all machines, and what it must not do on the way.
_OPENAT2 = 437
_RESOLVE_NO_XDEV, _RESOLVE_NO_MAGICLINKS = 0x01, 0x02


@cache
def _libc() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _open_within(base: int, path: str, flags: int, mode: int) -> int:
    import ctypes

    how = (ctypes.c_uint64 * 3)(flags | os.O_CLOEXEC, mode, _RESOLVE_NO_XDEV | _RESOLVE_NO_MAGICLINKS)
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("embedded null byte")
    handle: int = _libc().syscall(_OPENAT2, base, name, how, ctypes.c_size_t(ctypes.sizeof(how)))
    if handle < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return handle


def can_bind() -> bool:
    """Whether ``BoundFs`` works here: it needs Linux 5.6, and a container that lets the call through."""
    base = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(_open_within(base, ".", os.O_PATH, 0))
    except OSError:
        return False
    finally:
        os.close(base)
    return True


_TEXTS: dict[int | None, str] = {
    errno.ENOSPC: "no space left on the file system of {path}",
    errno.EDQUOT: "disk quota exceeded on the file system of {path}",
    errno.EROFS: "the file system of {path} is read-only",
    errno.EACCES: "permission denied: {path}",
    errno.EPERM: "operation not permitted: {path}",
    errno.ENOENT: "no such file or directory: {path}",
    errno.EMFILE: "too many open files, at {path}",
    errno.EIO: "input/output error of the disk at {path}",
}


def describe(error: OSError, doing: str, path: str) -> str:
    """One line for a person: what could not be done, why, and on which file."""
    text = _TEXTS.get(error.errno)
    if text is None:
        return f"{doing}: {error.strerror or error}: {path}"
    return f"{doing}: {text.format(path=path)}"


def store_error(error: OSError, doing: str, path: str) -> StoreError:
    """The error for ``describe``'s line; NoSpace for what may work when there is room again."""
    kind = NoSpace if is_full(error) else StoreError
    made = kind(describe(error, doing, path))
    made.number = error.errno or 0
    return made


def is_full(error: OSError) -> bool:
    """Whether the file system, or a quota, is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def remove_if_there(fs: FileSystem, path: str) -> None:
    """Unlink ``path``; a name that is not there is fine."""
    try:
        fs.unlink(path)
    except FileNotFoundError:
        pass


def temporary_name(path: str) -> str:
    """Return where this process writes what is to become ``path``."""
    return f"{path}.tmp{os.getpid()}"


def remove_temporaries(fs: FileSystem, directory: str) -> list[str]:
    """Remove what ``replace_file`` was writing in a directory when its process was killed; return the paths. Raises
    OSError, but not for a directory that is not there."""
    try:
        names = fs.listdir(directory)
    except FileNotFoundError:
        return []
    left = [f"{directory}/{name}" for name in sorted(names) if _is_left(name)]
    for path in left:
        remove_if_there(fs, path)
    return left


def _is_left(name: str) -> bool:
    """Whether it is the name of a temporary file whose process is gone."""
    _, mark, pid = name.rpartition(".tmp")
    return mark != "" and pid.isdecimal() and not os.path.exists(f"/proc/{pid}")


def replace_file(fs: FileSystem, path: str, data: bytes, mode: int, *, durable: bool) -> None:
    """Give ``path`` a new content atomically; with ``durable`` it is on the medium on return. Raises
    OSError."""
    temporary = temporary_name(path)
    handle = fs.create(temporary, mode)
    try:
        try:
            fs.write(handle, data)
            if durable:
                fs.sync(handle)
        finally:
            fs.close(handle)
        fs.rename(temporary, path)
    except OSError:
        remove_if_there(fs, temporary)
        raise
    if durable:
        fs.sync_dir(os.path.dirname(path) or ".")


def close_quietly(fs: FileSystem, handle: int) -> None:
    """Close a file of which nothing can be lost, as it was only read, or what was written is on the medium: an error of
    close(2) means nothing then."""
    try:
        fs.close(handle)
    except OSError:
        pass


def sync_file(fs: FileSystem, path: str) -> None:
    """Return when the content of a file that was just written is on the medium. Raises OSError."""
    handle = fs.open_read(path)
    try:
        fs.sync(handle)
    finally:
        close_quietly(fs, handle)


def make_pool_directory(path: str) -> None:
    """Make a directory of a pool: everybody may look into root's, nobody else into that of an ordinary account.
    Raises OSError."""
    make_durable_directory(path, 0o700 if os.geteuid() else 0o755)


def make_durable_directory(path: str, mode: int) -> None:
    """Make a directory and those above it, if they are missing. What is written below is on the medium only when these
    names are, which they are on return. Raises OSError."""
    above, missing = os.path.abspath(path), []
    while not os.path.isdir(above):
        above = os.path.dirname(above)
        missing.append(above)
    os.makedirs(path, mode, exist_ok=True)
    for folder in missing:
        RealFs().sync_dir(folder)
