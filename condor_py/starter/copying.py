"""Copies of files and directories, made with the rights of whoever calls.

As in HTCondor a link counts as what it points to, except that a link to a directory cannot be transferred, and one to
nothing is left out; so are pipes, sockets and devices.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass

Failed = Callable[[OSError, str], None]


class LinkToDirectory(OSError):
    """A link to a directory, which is not transferred."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EISDIR, os.strerror(errno.EISDIR), path)


@dataclass(slots=True)
class Moved:
    """How much was copied so far."""

    bytes: int = 0
    files: int = 0

    def add(self, size: int, files: int = 1) -> None:
        """Counts what was copied."""
        self.bytes += size
        self.files += files


def copy(source: str, destination: str, moved: Moved, failed: Failed) -> None:
    """Copies a file (with its mode) or a directory, whose files may fail one by one. OSError for the file itself."""
    if not os.path.isdir(source):
        _copy_file(source, destination, moved)
    elif os.path.islink(source):
        raise LinkToDirectory(source)
    else:
        _copy_tree(source, destination, moved, failed)


def _copy_tree(source: str, destination: str, moved: Moved, failed: Failed) -> None:
    os.makedirs(destination, exist_ok=True)
    with os.scandir(source) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        target = os.path.join(destination, entry.name)
        try:
            if entry.is_dir(follow_symlinks=True):
                copy(entry.path, target, moved, failed)
            elif entry.is_file(follow_symlinks=True):
                _copy_file(entry.path, target, moved)
        except OSError as error:
            failed(error, entry.path)
    _keep_mode(source, destination)


def _copy_file(source: str, destination: str, moved: Moved) -> None:
    if os.path.isdir(destination):
        destination = os.path.join(destination, os.path.basename(source))
    try:
        shutil.copyfile(source, destination)
    except shutil.SpecialFileError:  # it has no errno
        path = destination if os.path.isfile(source) else source
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path) from None
    _keep_mode(source, destination)
    moved.add(os.stat(source).st_size)


def _keep_mode(source: str, destination: str) -> None:
    mode, status = os.stat(source).st_mode & 0o777, os.stat(destination)
    if status.st_mode & 0o777 == mode or not (os.path.isfile(destination) or os.path.isdir(destination)):
        return
    try:
        os.chmod(destination, mode)
    except PermissionError:
        return  # somebody else's file that we may write: its mode is theirs
