"""The one exception family that tools turn into a line on stderr and an exit code."""

from __future__ import annotations

import errno
import os

#: Errors of a system that has no descriptor, process or memory left.
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)


class CondorError(Exception):
    """A failure that a user can act on. ``str()`` is the text to show; ``exit_code`` what a tool returns."""

    exit_code = 1


class ConfigError(CondorError):
    """Configuration that cannot be read or understood; the text names file and line or the knob.

    ``knob`` is the name of the one setting that is at fault, as it was set; "" where it is not one alone.
    """

    def __init__(self, text: str, knob: str = "") -> None:
        super().__init__(text)
        self.knob = knob


class StoreError(CondorError):
    """A spool file that cannot be read or written; the text names the file (and the offset of damage).

    ``number`` is the errno where the system has refused it, else 0.
    """

    number = 0

    @property
    def lasts(self) -> bool:
        """Whether trying again cannot help: the path is that of a directory, leads through a file or in a circle, or is
        too long."""
        return self.number in (errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)


class NoSpace(StoreError):
    """The file system, or a quota, is full: what failed may work later. ``done`` is how many of several things are
    done."""

    done = 0


class LockTimeout(StoreError):
    """The queue lock stayed taken; the text names the holder where it is known."""


class PermissionDenied(CondorError):
    """The caller does not own what it tried to change."""


def shortage(error: BaseException) -> str:
    """Return what the machine lacks (descriptors, processes, memory) when that is the cause of an error; else ""."""
    if isinstance(error, MemoryError):
        return os.strerror(errno.ENOMEM)
    if isinstance(error, OSError) and error.errno in _SHORTAGES:
        return os.strerror(error.errno)
    if isinstance(error, ImportError):  # the text is of the loader of shared objects
        return next((text for text in map(os.strerror, _SHORTAGES) if text in str(error)), "")
    return ""


def described(error: BaseException) -> str:
    """Return the text of a fault for a log: the traceback, or one line about what the machine lacks."""
    lacking = shortage(error)
    if lacking:
        return lacking
    import traceback  # nothing fails in most processes

    return "".join(traceback.format_exception(error)).rstrip()
