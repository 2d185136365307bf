"""The messages of building a DAG, in the order in which DAGMan writes them to its log."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.model.errors import CondorError

#: DAGMAN_VERBOSITY from which on a line is written.
QUIET, NORMAL, VERBOSE = 1, 2, 3

_FATAL = "ERROR: Warning is fatal error because of DAGMAN_USE_STRICT setting"


class Note(NamedTuple):
    """A line for the log; ``level`` is the DAGMAN_VERBOSITY from which on it is written."""

    text: str
    level: int = QUIET


class DagError(CondorError):
    """A DAG that cannot be built: ``notes`` is everything that was said, the errors last.

    ``is_warning``: it is a warning that DAGMAN_USE_STRICT makes an error. DAGMan writes a rescue file then.
    """

    def __init__(self, notes: list[Note], is_warning: bool = False) -> None:
        super().__init__("\n".join(note.text for note in notes if note.level <= NORMAL))
        self.notes = notes
        self.is_warning = is_warning


class Failed(Exception):
    """A command that cannot be carried out; why has been said."""


class Log:
    """Collects notes. ``strict`` is DAGMAN_USE_STRICT: warnings of that level and below it are errors."""

    def __init__(self, strict: int) -> None:
        self.notes: list[Note] = []
        self._strict = strict

    def error(self, text: str) -> Failed:
        """Say why a command cannot be carried out: ``raise log.error(...)``."""
        self.notes.append(Note(text))
        return Failed()

    def say(self, text: str, level: int = NORMAL) -> None:
        """Say something."""
        self.notes.append(Note(text, level))

    def warning(self, text: str, strict: int, behind: str = "") -> None:
        """Say a warning, and ``behind`` after it unless it is an error. DagError when it is one."""
        self.say(text)
        if self.is_fatal(strict):
            raise DagError(self.notes, is_warning=True)
        if behind:
            self.say(behind)

    def is_fatal(self, strict: int) -> bool:
        """Whether a warning of level ``strict`` is an error, which is said then."""
        if self._strict < strict:
            return False
        self.notes.append(Note(_FATAL))
        return True
