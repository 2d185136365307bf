"""The client of a job's Chirp server, with the interface of HTCondor's module ``htchirp``.

A job that has _CONDOR_CHIRP_CONFIG in its environment (or .chirp.config in its directory) needs no arguments::

    with HTChirp() as chirp:
        chirp.set_job_attr("Progress", "0.5")

Paths are those of the access point, relative ones are relative to the job's Iwd. Every method may raise a subclass of
``HTChirp.ChirpError``, and RuntimeError when there is no connection.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from typing import Any, Self

from condor_py.client.chirpwire import LINE_MAX, VERSION, quoted

_STAT = (
    "device", "inode", "mode", "nlink", "uid", "gid", "rdevice", "size", "blksize", "blocks", "atime", "mtime", "ctime",
)  # fmt: skip
_STATFS = ("f_type", "f_bsize", "f_blocks", "f_bfree", "f_bavail", "f_files", "f_free")
_ACCESS = {"f": 0, "r": 4, "w": 2, "x": 1}
_CHUNK = 1 << 16
_AUTH = ("cookie",)


class ChirpError(Exception):
    """Whatever the server refuses."""


def _error(name: str, text: str) -> type[ChirpError]:
    return type(name, (ChirpError,), {"__doc__": text, "__module__": __name__, "__qualname__": f"HTChirp.{name}"})


_ERRORS = {
    -1: _error("NotAuthenticated", "The client has not authenticated its identity."),
    -2: _error("NotAuthorized", "The client is not authorized to perform that action."),
    -3: _error("DoesntExist", "There is no object by that name."),
    -4: _error("AlreadyExists", "There is already an object by that name."),
    -5: _error("TooBig", "That request is too big to execute."),
    -6: _error("NoSpace", "There is not enough space to store that."),
    -7: _error("NoMemory", "The server is out of memory."),
    -8: _error("InvalidRequest", "The form of the request is invalid."),
    -9: _error("TooManyOpen", "There are too many resources in use."),
    -10: _error("Busy", "That object is in use by someone else."),
    -11: _error("TryAgain", "A temporary condition prevented the request."),
    -12: _error("BadFD", "The file descriptor requested is invalid."),
    -13: _error("IsDir", "A file-only operation was attempted on a directory."),
    -14: _error("NotDir", "A directory operation was attempted on a file."),
    -15: _error("NotEmpty", "A directory cannot be removed because it is not empty."),
    -16: _error("CrossDeviceLink", "A hard link was attempted across devices."),
    -17: _error("Offline", "The requested resource is temporarily not available."),
    -127: _error("UnknownError", "An unknown error occurred."),
}


def _line(*words: str | int) -> bytes:
    return b" ".join(quoted(str(word)) for word in words) + b"\n"


class HTChirp:
    """A connection to a Chirp server; a context manager. ValueError without the address of the server,
    ``HTChirp.NotAuthenticated`` when that does not know the cookie."""

    CHIRP_LINE_MAX = LINE_MAX
    CHIRP_VERSION = VERSION
    CHIRP_AUTH_METHODS = _AUTH
    DEFAULT_MODE = 0o777

    ChirpError = ChirpError

    def __init__(
        self,
        host: str | None = None,
        port: int | str | None = None,
        auth: Iterable[str] = _AUTH,
        cookie: str | None = None,
        timeout: float | None = 10,
    ) -> None:
        self._sock: socket.socket | None = None
        self._buffer = bytearray()
        place = os.environ.get("_CONDOR_CHIRP_CONFIG", ".chirp.config")
        if not (host and port):
            if "cookie" not in auth or cookie or not os.path.isfile(place):
                raise ValueError(".chirp.config must be present or you must provide a host and port")
            with open(place, encoding="utf-8") as file:
                host, port, cookie = file.read().split()
        self.host, self.port = str(host), int(port or 0)
        self.cookie, self.timeout = cookie, timeout
        self.authentication: str | None = None
        for method in auth:
            try:
                self.connect(method)
            except _ERRORS[-1]:
                continue
            finally:
                self.disconnect()
            self.authentication = method
            return
        raise _ERRORS[-1](f"Could not authenticate with methods {list(auth)}")

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(self, *exc: object) -> None:
        self.disconnect()

    def __del__(self) -> None:
        if getattr(self, "_sock", None) is not None:
            self.disconnect()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.host}, {self.port}) using {self.authentication} authentication"

    # -- the connection ------------------------------------------------------------------------------------------------

    def is_connected(self) -> bool:
        """Whether there is a connection."""
        return self._sock is not None

    def connect(self, auth_method: str | None = None) -> None:
        """Connects (again) and shows the cookie."""
        self.disconnect()
        method = auth_method or self.authentication
        if method not in _AUTH:
            raise ValueError(f"Unknown authentication method '{method}'")
        self._sock = socket.create_connection((self.host, self.port), self.timeout)
        self._simple("cookie", self.cookie or "")

    def disconnect(self) -> None:
        """Ends the connection."""
        sock, self._sock = self._sock, None
        self._buffer.clear()
        if sock is not None:
            sock.close()

    def _socket(self) -> socket.socket:
        if self._sock is None:
            raise RuntimeError("The Chirp client is not connected to a Chirp server.")
        return self._sock

    def _more(self) -> None:
        data = self._socket().recv(_CHUNK)
        if not data:
            raise RuntimeError("Connection to the Chirp server is broken.")
        self._buffer += data

    def _data(self, length: int) -> bytes:
        while len(self._buffer) < length:
            self._more()
        data = bytes(self._buffer[:length])
        del self._buffer[:length]
        return data

    def _text_line(self) -> str:
        while (end := self._buffer.find(b"\n")) < 0:
            self._more()
        return self._data(end + 1).decode().rstrip()

    def _result(self) -> int:
        code = int(self._text_line())
        if code < 0:
            kind = _ERRORS.get(code, _ERRORS[-127])
            raise kind(kind.__doc__)
        return code

    def _simple(self, *words: str | int, data: bytes = b"") -> int:
        """Sends a request; the number of the answer."""
        line = _line(*words)
        if len(line) > LINE_MAX:
            raise _ERRORS[-5](_ERRORS[-5].__doc__)
        self._socket().sendall(line + data)
        return self._result()

    def _text_of(self, *words: str | int) -> str:
        return self._data(self._simple(*words)).decode("utf-8", "surrogateescape")

    def _numbers(self, names: tuple[str, ...], *words: str | int) -> dict[str, int]:
        self._simple(*words)
        return dict(zip(names, map(int, self._text_line().split()), strict=False))

    # -- open files ----------------------------------------------------------------------------------------------------

    def _open(self, name: str, flags: Iterable[str], mode: int | None = None) -> int:
        letters = "".join(sorted(set(flags)))
        if not letters or not set(letters) <= set("rwatcx"):
            raise ValueError("Flags must be one or more of 'rwatcx'")
        descriptor = self._simple("open", name, letters, self.DEFAULT_MODE if mode is None else mode)
        self._text_line()
        return descriptor

    def _close(self, fd: int) -> None:
        self._simple("close", fd)

    def _lseek(self, fd: int, offset: int, whence: int) -> int:
        return self._simple("lseek", fd, offset, whence)

    def _where(
        self, letter: str, fd: int, length: int, offset: int | None, stride: tuple[int | None, int | None]
    ) -> list[str | int]:
        """The request that reads or writes: plain, at an offset, or in strides."""
        name = "read" if letter == "r" else "write"
        if stride == (None, None):
            return [name, fd, length] if offset is None else ["p" + name, fd, length, int(offset)]
        if None in stride:
            raise _ERRORS[-8]("Both stride_length and stride_skip must be specified")
        return ["s" + name, fd, length, int(offset or 0), *(int(each or 0) for each in stride)]

    def read(
        self,
        remote_path: str,
        length: int,
        offset: int | None = None,
        stride_length: int | None = None,
        stride_skip: int | None = None,
    ) -> bytes:
        """Up to ``length`` bytes of a file, from ``offset``; ``stride_length`` bytes every ``stride_skip``."""
        fd = self._open(remote_path, "r")
        request = self._where("r", fd, int(length), offset, (stride_length, stride_skip))
        data = self._data(self._simple(*request))
        self._close(fd)
        return data

    def write(
        self,
        data: bytes | str,
        remote_path: str,
        flags: Iterable[str] | None = "w",
        mode: int | None = None,
        length: int | None = None,
        offset: int | None = None,
        stride_length: int | None = None,
        stride_skip: int | None = None,
    ) -> int:
        """Writes bytes into a file, as ``read`` reads them; how many were written."""
        letters = set("w" if flags is None else flags)
        if "w" not in letters:
            raise ValueError(f"'w' is not included in flags '{''.join(sorted(letters))}'")
        given = data.encode() if isinstance(data, str) else data
        given = given if length is None else given[:length]
        fd = self._open(remote_path, letters, mode)
        request = self._where("w", fd, len(given), offset, (stride_length, stride_skip))
        written = self._simple(*request, data=given)
        self._simple("fsync", fd)
        self._close(fd)
        return written

    # -- files ---------------------------------------------------------------------------------------------------------

    def fetch(self, remote_file: str, local_file: str) -> int:
        """Copies a file from the access point; its bytes."""
        return self.getfile(remote_file, local_file)

    def put(
        self, local_file: str, remote_file: str, flags: Iterable[str] | None = "wct", mode: int | None = None
    ) -> int:
        """Copies a file to the access point; its bytes. Other ``flags``: "a" appends, "x" must be new."""
        letters = set("wct" if flags is None else flags)
        if letters == set("wct"):
            return self.putfile(local_file, remote_file, mode)
        with open(local_file, "rb") as file:
            return self.write(file.read(), remote_file, letters, mode)

    def getfile(self, remote_file: str, local_file: str) -> int:
        """Copies a file from the access point; its bytes."""
        data = self.contents(remote_file)
        with open(local_file, "wb") as file:
            return file.write(data)

    def contents(self, remote_file: str) -> bytes:
        """Return the content of a file at the access point (ours, not of htchirp)."""
        return self._data(self._simple("getfile", remote_file))

    def putfile(self, local_file: str, remote_file: str, mode: int | None = None) -> int:
        """Makes or replaces a file at the access point; its bytes."""
        with open(local_file, "rb") as file:
            data = file.read()
        self._simple("putfile", remote_file, self.DEFAULT_MODE if mode is None else mode, len(data))
        if not data:
            return 0
        self._socket().sendall(data)
        return self._result()

    def remove(self, remote_file: str) -> None:
        """Removes a file."""
        self.unlink(remote_file)

    def unlink(self, remote_file: str) -> None:
        """Removes a file."""
        self._simple("unlink", remote_file)

    def rename(self, old_path: str, new_path: str) -> None:
        """Gives a file another name."""
        self._simple("rename", old_path, new_path)

    def truncate(self, remote_path: str, length: int) -> None:
        """Cuts a file to ``length`` bytes."""
        self._simple("truncate", remote_path, int(length))

    def utime(self, remote_path: str, actime: int, mtime: int) -> None:
        """Sets the times of access and of change (Unix seconds)."""
        self._simple("utime", remote_path, int(actime), int(mtime))

    def link(self, old_path: str, new_path: str, symbolic: bool = False) -> None:
        """Another name for a file, or a symbolic link to it."""
        self._simple("symlink" if symbolic else "link", old_path, new_path)

    def symlink(self, old_path: str, new_path: str) -> None:
        """A symbolic link."""
        self.link(old_path, new_path, True)

    def readlink(self, remote_path: str) -> bytes:
        """Return the target of a symbolic link."""
        return self._data(self._simple("readlink", remote_path, LINE_MAX))

    def stat(self, remote_path: str) -> dict[str, int]:
        """Return the system's data on a file, links followed."""
        return self._numbers(_STAT, "stat", remote_path)

    def lstat(self, remote_path: str) -> dict[str, int]:
        """Return the system's data on a file or link."""
        return self._numbers(_STAT, "lstat", remote_path)

    def statfs(self, remote_path: str) -> dict[str, int]:
        """Return the system's data on a file system."""
        return self._numbers(_STATFS, "statfs", remote_path)

    def access(self, remote_path: str, mode_str: str) -> None:
        """NotAuthorized unless the job's owner may do all of ``mode_str``: r, w, x; f is that it exists."""
        unknown = [letter for letter in mode_str if letter not in _ACCESS]
        if unknown:
            raise ValueError(f"mode '{unknown[0]}' not in (fxwr)")
        self._simple("access", remote_path, sum({_ACCESS[letter] for letter in mode_str}))

    def chmod(self, remote_path: str, mode: int) -> None:
        """Sets permissions."""
        self._simple("chmod", remote_path, int(mode))

    def chown(self, remote_path: str, uid: int, gid: int) -> None:
        """Gives a file to others."""
        self._simple("chown", remote_path, int(uid), int(gid))

    def lchown(self, remote_path: str, uid: int, gid: int) -> None:
        """Gives a file or link to others."""
        self._simple("lchown", remote_path, int(uid), int(gid))

    # -- directories ---------------------------------------------------------------------------------------------------

    def mkdir(self, remote_path: str, mode: int | None = None) -> None:
        """Makes a directory."""
        self._simple("mkdir", remote_path, self.DEFAULT_MODE if mode is None else mode)

    def rmdir(self, remote_path: str, recursive: bool = False) -> None:
        """Removes a directory, and when ``recursive`` all that is in it."""
        self._simple("rmall" if recursive else "rmdir", remote_path)

    def rmall(self, remote_path: str) -> None:
        """Removes a directory and all that is in it."""
        self.rmdir(remote_path, True)

    def getdir(self, remote_path: str, stat_dict: bool = False) -> list[str] | dict[str, dict[str, int]]:
        """The names in a directory; with ``stat_dict`` a dictionary of what ``stat`` tells of each."""
        return self.getlongdir(remote_path) if stat_dict else self._text_of("getdir", remote_path).splitlines()[:-1]

    def getlongdir(self, remote_path: str) -> dict[str, dict[str, int]]:
        """Return the ``stat`` data of every file in a directory."""
        lines = self._text_of("getlongdir", remote_path).rstrip().split("\n")
        pairs = zip(lines[::2], lines[1::2], strict=False)
        return {name: dict(zip(_STAT, map(int, numbers.split()), strict=False)) for name, numbers in pairs}

    # -- the job -------------------------------------------------------------------------------------------------------

    def get_job_attr(self, job_attribute: str) -> str:
        """The expression of an attribute of the job; "UNDEFINED" when it has none."""
        return self._text_of("get_job_attr", job_attribute)

    def get_job_attr_delayed(self, job_attribute: str) -> str:
        """The same as the starter knows it, with changes that are on their way."""
        return self._text_of("get_job_attr_delayed", job_attribute)

    def set_job_attr(self, job_attribute: str, attribute_value: Any) -> None:
        """Changes an attribute of the job in the queue, now."""
        self._simple("set_job_attr", job_attribute, str(attribute_value))

    def set_job_attr_delayed(self, job_attribute: str, attribute_value: Any) -> None:
        """Changes an attribute of the job (its name begins with Chirp) with the next update."""
        self._simple("set_job_attr_delayed", job_attribute, str(attribute_value))

    def ulog(self, text: str) -> None:
        """Writes a line into the event log of the job."""
        self._simple("ulog", text)

    def whoami(self) -> str:
        """Return the server's name for the caller."""
        return self._text_of("whoami", LINE_MAX)

    def whoareyou(self, remote_host: str) -> str:
        """Return the server's name for itself."""
        return self._text_of("whoareyou", remote_host, LINE_MAX)


for _kind in _ERRORS.values():
    setattr(HTChirp, _kind.__name__, _kind)
