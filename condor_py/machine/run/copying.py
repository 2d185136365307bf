"""Copies of files and directories, made with the rights of the caller.

As in HTCondor a link counts as what it points to, except that a link to a directory cannot be transferred, and one to
nothing is left out; so are pipes, sockets and devices.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.machine.run.userfiles import user_file

#: Bytes that the kernel copies at once.
_AT_ONCE = 1 << 26
Failed = Callable[[OSError, str], None]


class LinkToDirectory(OSError):
    """A link to a directory, which is not transferred."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EISDIR, os.strerror(errno.EISDIR), path)


@dataclass(slots=True)
class Moved:
    """The amount copied so far; ``by_protocol`` is the part of it that had URLs: protocol -> (files, bytes).
    ``image_seconds`` is how long the image of the job's container took, -1 where none was copied."""

    bytes: int = 0
    files: int = 0
    by_protocol: dict[str, tuple[int, int]] = field(default_factory=dict)
    image_seconds: int = -1

    def add(self, size: int, files: int = 1, protocol: str = "") -> None:
        """Counts what was copied; ``protocol`` is the method of its URL, "" for what had none."""
        self.bytes += size
        self.files += files
        if protocol and files:
            before = self.by_protocol.get(protocol.upper(), (0, 0))
            self.by_protocol[protocol.upper()] = (before[0] + files, before[1] + size)


def _anything(source: str, destination: str) -> None:
    """Nothing is forbidden."""


def _nothing(handle: int, path: str) -> None:
    """Nothing has to be done with what was written."""


def _there(source: str, destination: str) -> str:
    return destination


class Copier(NamedTuple):
    """Copies files and directories: counts in ``moved``, and reports those that could not be copied to ``failed``.

    ``check`` raises OSError for a source or destination that is out of bounds; ``place`` says where a file or directory
    inside of a directory goes (as a rule its destination), "" for nowhere.
    """

    moved: Moved
    failed: Failed
    check: Callable[[str, str], None] = _anything
    place: Callable[[str, str], str] = _there
    #: Called with each file that was written, while it is open, and its path.
    written: Callable[[int, str], None] = _nothing
    #: The method of the URL that the files go to, "" where they go to a path.
    protocol: str = ""

    def copy(self, source: str, destination: str) -> None:
        """Copies a file (with its mode) or a directory, whose files may fail one by one. OSError for the file
        itself."""
        if not os.path.isdir(source):
            self._copy_file(source, destination)
        elif os.path.islink(source):
            raise LinkToDirectory(source)
        else:
            self._copy_tree(source, destination)

    def _copy_tree(self, source: str, destination: str) -> None:
        self.check(source, destination)
        os.makedirs(destination, exist_ok=True)
        with os.scandir(source) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        for entry in entries:
            try:
                self._copy_entry(entry, os.path.join(destination, entry.name))
            except OSError as error:
                self.failed(error, entry.path)
        _keep_mode(source, destination)

    def _copy_entry(self, entry: os.DirEntry[str], destination: str) -> None:
        target = self.place(entry.path, destination)
        if target and entry.is_dir(follow_symlinks=True):
            self.copy(entry.path, target)
        elif target and entry.is_file(follow_symlinks=True):
            self._copy_file(entry.path, target)

    def _copy_file(self, source: str, destination: str) -> None:
        if os.path.isdir(destination):
            destination = os.path.join(destination, os.path.basename(source))
        self.check(source, destination)
        copy_content(source, destination, self.written)
        _keep_mode(source, destination)
        self.moved.add(os.stat(source).st_size, protocol=self.protocol)


def copy_content(source: str, destination: str, done: Callable[[int, str], None] = _nothing) -> None:
    """Write what is in a regular file into another; ``done`` gets that while it is open. OSError for anything else: a
    device may never end, a pipe may wait for ever."""
    with user_file(source, "rb", links=True) as read:
        if os.path.exists(destination):
            there = os.stat(destination)
            if stat.S_ISFIFO(there.st_mode):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), destination)
            if os.path.samestat(os.fstat(read.fileno()), there):
                raise shutil.SameFileError(errno.EINVAL, "Is the same file", destination)
        with open(destination, "wb") as written:
            try:
                _copy_data(read.fileno(), written.fileno())
            except OSError as error:
                if error.errno not in (errno.EINVAL, errno.ENOSYS):
                    raise OSError(error.errno, error.strerror, source, None, destination) from None
                read.seek(0)
                written.seek(0)
                shutil.copyfileobj(read, written)  # a file system that cannot do it in the kernel
                written.flush()
            done(written.fileno(), destination)


def _copy_data(source: int, target: int) -> None:
    """Copy what is in a file, without the parts that are holes: a file of terabytes may occupy nothing, and its copy
    must not fill the disk."""
    status = os.fstat(source)
    if status.st_blocks * 512 >= status.st_size:
        while os.sendfile(target, source, None, _AT_ONCE):
            pass
        return
    place = 0
    while place < status.st_size:
        try:
            place = os.lseek(source, place, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                break  # nothing but a hole follows
            raise
        end = os.lseek(source, place, os.SEEK_HOLE)
        os.lseek(target, place, os.SEEK_SET)
        while place < end and (count := os.sendfile(target, source, place, min(_AT_ONCE, end - place))):
            place += count
    os.truncate(target, status.st_size)


def copy_file(source: str, destination: str) -> None:
    """Copy a regular file with its mode, as ``shutil.copy`` does, but leave its holes."""
    if os.path.isdir(destination):
        destination = os.path.join(destination, os.path.basename(source))
    copy_content(source, destination)
    shutil.copymode(source, destination)


def copy_tree(source: str, destination: str) -> Moved:
    """Copy a directory into one that may be there, links as links; pipes, sockets and devices are left out. OSError for
    the first that cannot be copied."""
    moved, folders = Moved(), [(source, destination)]
    for here, there in folders:
        os.makedirs(there, exist_ok=True)
        with os.scandir(here) as found:
            for entry in found:
                path = os.path.join(there, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, path))
                    continue
                if entry.is_symlink():
                    _copy_link(entry.path, path)
                elif entry.is_file(follow_symlinks=False):
                    copy_file(entry.path, path)
                else:
                    continue
                moved.add(entry.stat(follow_symlinks=False).st_size)
    for here, there in reversed(folders):  # a directory that forbids writes has its content by now
        shutil.copystat(here, there)
    return moved


def _copy_link(source: str, destination: str) -> None:
    """Copy a link, in the place of a file or link of that name."""
    if os.path.lexists(destination):
        os.unlink(destination)
    os.symlink(os.readlink(source), destination)


def _keep_mode(source: str, destination: str) -> None:
    mode, status = os.stat(source).st_mode & 0o777, os.stat(destination)
    if status.st_mode & 0o777 == mode or not (os.path.isfile(destination) or os.path.isdir(destination)):
        return
    try:
        os.chmod(destination, mode)
    except PermissionError:
        return  # another user's file that we may write: its mode is theirs
