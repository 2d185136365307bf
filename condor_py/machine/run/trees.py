"""Removing, measuring and handing over directory trees that another user has made, and may still be changing.

Nothing is found by a path of more than one name: whatever a user puts in the place of a directory meanwhile, a link
above all, it is their tree that changes and nothing else. Depth is no limit: nothing recurses.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
#: How often a tree is gone through that does not become empty because a process fills it again.
_ROUNDS = 100
#: What is deeper is neither handed over nor counted.
_DEEPEST = 256
_FOR_EVER = float("inf")


def remove(path: str, seconds: float = _FOR_EVER, few: int = 0) -> None:
    """Takes a file or a whole directory away; nothing there is fine. OSError when something stays, TimeoutError when
    it is not done after so many seconds, and more than a ``few`` entries.
    """
    clock = _Clock(time.monotonic() + seconds, few)
    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            return
        top = _enter(path, None)
    except FileNotFoundError:
        return
    try:
        if os.geteuid() == 0:  # no user puts anything in any more
            os.fchown(top, 0, 0)
            os.fchmod(top, 0o700)
        for _ in range(_ROUNDS):
            _empty(top, clock)
            try:
                os.rmdir(path)
            except OSError:
                if not os.listdir(top):
                    raise
            else:
                return
        os.rmdir(path)
    finally:
        os.close(top)


class _Clock:
    """The time limit of a walk."""

    def __init__(self, until: float, few: int) -> None:
        self._until = until
        self._few = few

    def is_over(self) -> bool:
        """Whether there is no time for another entry."""
        self._few -= 1
        return self._few < 0 and time.monotonic() > self._until


def _empty(top: int, clock: _Clock) -> None:
    """Removes what is in a directory as far as it goes. Directories are first moved up to it: no path gets long."""
    number = 0
    while names := os.listdir(top):
        stuck = True
        for name in names:
            if clock.is_over():
                raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
            if _remove_file(name, top):
                stuck = False
                continue
            try:
                inner = _enter(name, top)
            except OSError:
                continue
            try:
                for below in os.listdir(inner):
                    if clock.is_over():
                        break
                    if not _remove_file(below, inner):
                        number += 1
                        os.close(_enter(below, inner))  # only who may write into a directory may move it
                        os.rename(below, _free_name(top, number), src_dir_fd=inner, dst_dir_fd=top)
                os.rmdir(name, dir_fd=top)
                stuck = False
            except OSError:
                continue
            finally:
                os.close(inner)
        if stuck:
            return


def _remove_file(name: str, directory: int) -> bool:
    """Whether it is gone; a directory is not, nor what cannot be removed."""
    try:
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _free_name(directory: int, number: int) -> str:
    name = f".{number}"
    while True:
        try:
            os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return name
        name += "_"


def _enter(name: str, directory: int | None) -> int:
    """Opens a directory, if need be after giving ourselves the right to. OSError for anything else."""
    try:
        entered = os.open(name, _DIRECTORY, dir_fd=directory)
        if os.geteuid() == 0 or os.fstat(entered).st_mode & 0o300 == 0o300:
            return entered
        os.close(entered)
    except PermissionError:
        pass
    found = os.open(name, _LOOK | os.O_DIRECTORY, dir_fd=directory)
    try:
        os.chmod(f"/proc/self/fd/{found}", 0o700)
    finally:
        os.close(found)
    return os.open(name, _DIRECTORY, dir_fd=directory)


def hand_over(path: str, giver: int, uid: int, gid: int, linked: bool = True) -> None:
    """Gives a directory, and what is in it and belongs to user id ``giver``, to another account. Links stay who they
    belong to, and unless ``linked`` files that have another name as well. OSError when the directory cannot be given.
    """
    top = os.open(path, _DIRECTORY)
    os.fchown(top, uid, gid)
    waiting = [(top, iter(os.listdir(top)))]
    while waiting:
        directory, names = waiting[-1]
        inner = _give_next(directory, names, giver, (uid, gid), len(waiting) < _DEEPEST, linked)
        if inner is None:
            os.close(directory)
            waiting.pop()
        else:
            waiting.append((inner, iter(os.listdir(inner))))


def _give_next(
    directory: int, names: Iterator[str], giver: int, to: tuple[int, int], deeper: bool, linked: bool
) -> int | None:
    """Gives what comes next in a directory, up to the next directory, which is returned; None at the end."""
    for name in names:
        try:
            found = os.open(name, _LOOK, dir_fd=directory)
        except OSError:
            continue
        try:
            status = os.fstat(found)
            if status.st_uid not in (giver, to[0]) or stat.S_ISLNK(status.st_mode):
                continue
            if stat.S_ISREG(status.st_mode) and status.st_nlink > 1 and not linked:
                continue
            os.chown(f"/proc/self/fd/{found}", *to)
            if stat.S_ISDIR(status.st_mode) and deeper:
                return os.open(f"/proc/self/fd/{found}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue
        finally:
            os.close(found)
    return None


def measure(path: str, linked: bool = False, most: float = _FOR_EVER) -> tuple[int, int]:
    """KB that the files below ``path`` occupy, and how many files and directories there are. A file that also has a
    name elsewhere counts there (common files), unless ``linked``.

    The walk ends early where there are more than ``most``.
    """
    blocks = count = 0
    links: dict[tuple[int, int], int] = {}
    waiting = _opened(path, None)
    while waiting:
        directory, names = waiting[-1]
        inner: list[tuple[int, Iterator[str]]] = []
        for name in names:
            try:
                status = os.stat(name, dir_fd=directory, follow_symlinks=False)
            except OSError:
                continue
            count += 1
            if count > most:
                break
            if not stat.S_ISDIR(status.st_mode):
                if status.st_nlink > 1 and not linked:
                    missing = links.setdefault((status.st_dev, status.st_ino), status.st_nlink) - 1
                    links[(status.st_dev, status.st_ino)] = missing
                    if missing:
                        continue
                blocks += status.st_blocks
            elif len(waiting) < _DEEPEST and (inner := _opened(name, directory)):
                break
        if inner:
            waiting += inner
        else:
            os.close(directory)
            waiting.pop()
    return (blocks + 1) // 2, count


def _opened(name: str, directory: int | None) -> list[tuple[int, Iterator[str]]]:
    """Enter a directory and yield it with the names in it; nothing if it does not exist or may not be entered."""
    try:
        entered = os.open(name, _DIRECTORY, dir_fd=directory)
    except OSError:
        return []
    try:
        return [(entered, iter(os.listdir(entered)))]
    except OSError:
        os.close(entered)
        return []
