"""A finding of lint about one setting."""

from __future__ import annotations

from typing import Literal, NamedTuple

#: ``error``: what is written cannot work (no daemon can use the value, or one refuses to start on it). ``warning``: it
#: works, but probably not as meant. ``note``: it does nothing.
Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Finding(NamedTuple):
    """One thing that is probably wrong.

    ``knob`` as it was set; ``file`` and ``line`` where (line 0 for ``<Environment>`` and the like, which have none);
    ``message`` is one line that says what is wrong and what to do.
    """

    severity: Severity
    knob: str
    file: str
    line: int
    message: str

    @property
    def place(self) -> str:
        """``FILE, line N``, or only the source where it has no lines."""
        return f"{self.file}, line {self.line}" if self.line else self.file

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.knob}: {self.message}"
