"""The one exception family that tools turn into a line on stderr and an exit code."""

from __future__ import annotations


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


class NoSpace(StoreError):
    """The file system, or a quota, is full: what failed may work later. ``done`` is how many of several things are
    done."""

    done = 0


class LockTimeout(StoreError):
    """The queue lock stayed taken; the text names the holder where it is known."""


class PermissionDenied(CondorError):
    """The caller does not own what it tried to change."""
