"""Output of jobs gets onto the medium before their end is reported: else a machine that loses its power has jobs that
have completed, and nothing of what they made."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import NamedTuple

from condor_py.machine.run.userfiles import open_user_file

#: Errors of files that are on no medium (devices, special file systems), and of directories that may not be read.
_HAS_NONE = frozenset((errno.EINVAL, errno.ENOTSUP, errno.EROFS, errno.EACCES))


class Medium(NamedTuple):
    """Ways to wait until something is on the medium: the content of an open file, the names in a directory. OSError."""

    file: Callable[[int], None]
    folder: Callable[[str], None]


class Flusher:
    """Files below ``top`` and elsewhere that are to be on the medium. Without a medium nothing is waited for, nor for
    files without content."""

    def __init__(self, medium: Medium | None, top: str) -> None:
        self._medium, self._top = medium, os.path.join(top, "")
        self._folders: set[str] = set()

    def written(self, handle: int, path: str) -> None:
        """An open file has its content. OSError when it cannot be flushed."""
        if self._medium is None or not os.fstat(handle).st_size:
            return
        _try(lambda medium: medium.file(handle), self._medium, path)
        folder = os.path.dirname(path)
        self._folders.add(folder)
        while folder.startswith(self._top):  # directories may have been made for it
            folder = os.path.dirname(folder)
            self._folders.add(folder)

    def named(self, path: str) -> None:
        """A file, if there is one, has its content. OSError when it cannot be flushed."""
        if self._medium is None:
            return
        try:
            handle = open_user_file(path, links=True)
        except OSError:  # it is gone, or no file
            return
        try:
            self.written(handle, path)
        finally:
            os.close(handle)

    def finish(self) -> None:
        """Flush the names of all that was written. OSError."""
        folders, self._folders = self._folders, set()
        if self._medium is not None:
            for folder in sorted(folders):
                _flush_names(self._medium, folder)


def _flush_names(medium: Medium, folder: str) -> None:
    _try(lambda medium: medium.folder(folder or "."), medium, folder)


def _try(flush: Callable[[Medium], None], medium: Medium, path: str) -> None:
    try:
        flush(medium)
    except OSError as error:
        if error.errno not in _HAS_NONE:
            raise OSError(error.errno, error.strerror, path) from None


def flush_tree(medium: Medium | None, top: str) -> None:
    """Wait until all files and names below a directory are on the medium, and its own name. OSError."""
    if medium is None:
        return
    flusher = Flusher(medium, top)
    for folder, _, names in os.walk(top):
        for name in names:
            flusher.named(os.path.join(folder, name))
        _flush_names(medium, folder)
    _flush_names(medium, os.path.dirname(top))
