"""Credentials of users on disk, in the files and with the names that HTCondor's credential monitors know.

``OAUTH/USER/SERVICE[_HANDLE].top`` is what a user stored to make access tokens of, ``.use`` the access token that jobs
get. ``KRB/USER.cred`` is what a user stored, ``KRB/USER.cc`` the cache that jobs get. ``USER.mark`` in either directory
says since when its user has had no jobs. The files are 0600 and the directories of users 0700, of the daemon's account.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from abc import ABC, abstractmethod

from condor_py.store.fs import FileSystem, RealFs, remove_if_there, remove_temporaries, replace_file

_NAME = re.compile(r"[A-Za-z0-9+=_.-]{1,200}")
_MARK = ".mark"
#: Bytes of a credential, and files that a user may have.
MOST_BYTES = 1 << 20
MOST_FILES = 1000


def is_name(text: str) -> bool:
    """Whether a text may be part of the name of a file here: of a user, a service or a handle."""
    return _NAME.fullmatch(text) is not None and text not in (".", "..")


def file_name(service: str, handle: str = "") -> str:
    """The name of a service's files, without their endings."""
    return f"{service}_{handle}" if service and handle else service


def read_private(path: str, *, trusting: bool = False) -> bytes:
    """Return the content of a credential. OSError, also for a file of another account than root and ours, or one that
    others may open, unless ``trusting`` (TRUST_CREDENTIAL_DIRECTORY)."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        private = found.st_uid in (0, os.geteuid()) and not stat.S_IMODE(found.st_mode) & 0o077
        if not stat.S_ISREG(found.st_mode) or not (private or trusting):
            raise OSError(errno.EPERM, os.strerror(errno.EPERM), path)
        if found.st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
        return RealFs().read_at(handle, 0, MOST_BYTES)
    finally:
        os.close(handle)


def changed(path: str) -> int:
    """The time of a file's last change in whole seconds; 0 where it is not there."""
    try:
        return int(os.stat(path, follow_symlinks=False).st_mtime)
    except OSError:
        return 0


class CredentialFiles(ABC):
    """The files below one of the two directories. Methods that change something are durable, and may raise OSError."""

    def __init__(self, top: str, fs: FileSystem | None = None) -> None:
        self.top = top
        self._fs: FileSystem = fs if fs is not None else RealFs()

    def make(self) -> None:
        """Make the directory, for our account alone, where it is not there."""
        if not os.path.isdir(self.top):
            os.makedirs(self.top, 0o700, exist_ok=True)
            self._fs.sync_dir(os.path.dirname(self.top) or ".")

    @abstractmethod
    def has_any(self, user: str) -> bool:
        """Whether a user has stored anything."""

    @abstractmethod
    def remove_all(self, user: str) -> None:
        """Remove all that a user has stored."""

    def mark(self, user: str) -> None:
        """Note that a user has no jobs any more, if they have stored anything and that is not noted."""
        path = f"{self.top}/{user}{_MARK}"
        if self.has_any(user) and not os.path.lexists(path):
            self._fs.close(self._fs.open_append(path, 0o600))

    def clear_mark(self, user: str) -> None:
        """Note that a user has jobs, or has just asked for their credentials."""
        path = f"{self.top}/{user}{_MARK}"
        if os.path.lexists(path) and not os.path.isdir(path):  # the directory of a user of such a name
            remove_if_there(self._fs, path)

    def due(self, now: float, delay: int) -> list[str]:
        """Return the users who have had no jobs for ``delay`` seconds."""
        found = []
        for name in sorted(self._fs.listdir(self.top)):
            user, path = name.removesuffix(_MARK), f"{self.top}/{name}"
            if user and user != name and not os.path.isdir(path) and now - changed(path) >= delay:
                found.append(user)
        return found

    def forget(self, user: str) -> None:
        """Remove what a user has stored, and then the mark."""
        self.remove_all(user)
        self._fs.unlink(f"{self.top}/{user}{_MARK}")

    def tidy(self) -> list[str]:
        """Remove what was being stored when its daemon was killed; return the paths."""
        return remove_temporaries(self._fs, self.top)

    def monitor(self) -> int:
        """Return the process of the site's credential monitor, which has left its number in ``pid``; 0 for none."""
        try:
            pid = int(read_private(f"{self.top}/pid", trusting=True)[:20])
            os.kill(pid, 0)
        except (OSError, ValueError, OverflowError):
            return 0
        return pid if pid > 1 else 0


class TokenFiles(CredentialFiles):
    """OAuth: a directory a user. ``name`` is what ``file_name`` returns."""

    def path(self, user: str, name: str, ending: str) -> str:
        """The path of a file of a service."""
        return f"{self.top}/{user}/{name}.{ending}"

    def users(self) -> list[str]:
        """The users who have stored anything."""
        try:
            return [name for name in sorted(self._fs.listdir(self.top)) if os.path.isdir(f"{self.top}/{name}")]
        except OSError:
            return []

    def of_user(self, user: str) -> dict[str, int]:
        """The files of a user (``NAME.top`` and ``NAME.use``) with the times of their last changes."""
        try:
            names = sorted(self._fs.listdir(f"{self.top}/{user}"))
        except OSError:
            return {}
        return {name: changed(f"{self.top}/{user}/{name}") for name in names if name.endswith((".top", ".use"))}

    def put(self, user: str, name: str, ending: str, data: bytes) -> None:
        """Store a file of a service."""
        directory = f"{self.top}/{user}"
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:
            pass
        else:
            self._fs.sync_dir(self.top)
        if len(self.of_user(user)) >= MOST_FILES and not changed(self.path(user, name, ending)):
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), directory)
        replace_file(self._fs, self.path(user, name, ending), data, 0o600, durable=True)

    def remove(self, user: str, name: str) -> None:
        """Remove the files of a service."""
        for ending in ("top", "use", "meta"):
            remove_if_there(self._fs, self.path(user, name, ending))
        if os.path.isdir(f"{self.top}/{user}"):
            self._fs.sync_dir(f"{self.top}/{user}")

    def tidy(self) -> list[str]:
        return [path for user in self.users() for path in remove_temporaries(self._fs, f"{self.top}/{user}")]

    def has_any(self, user: str) -> bool:
        return os.path.lexists(f"{self.top}/{user}")

    def remove_all(self, user: str) -> None:
        directory = f"{self.top}/{user}"
        if not os.path.isdir(directory):
            return
        for name in self._fs.listdir(directory):
            self._fs.unlink(f"{directory}/{name}")
        os.rmdir(directory)
        self._fs.sync_dir(self.top)


class TicketFiles(CredentialFiles):
    """Kerberos: files of all users in one directory."""

    def path(self, user: str, ending: str) -> str:
        """The path of ``USER.cred`` or ``USER.cc``."""
        return f"{self.top}/{user}.{ending}"

    def put(self, user: str, ending: str, data: bytes) -> None:
        """Store one of them."""
        replace_file(self._fs, self.path(user, ending), data, 0o600, durable=True)

    def has_any(self, user: str) -> bool:
        return any(os.path.lexists(self.path(user, ending)) for ending in ("cred", "cc"))

    def remove_all(self, user: str) -> None:
        for ending in ("cred", "cc"):
            remove_if_there(self._fs, self.path(user, ending))
        self._fs.sync_dir(self.top)
