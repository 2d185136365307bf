"""A .dag file as a sequence of commands."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator
from typing import Protocol

from condor_py.lang.dag.commands import ParseError, Place, Statement
from condor_py.lang.dag.keywords import KEYWORDS, NODE_COMMANDS, Command, normal
from condor_py.lang.dag.parse import Context, parse_command
from condor_py.lang.dag.statements import Statements
from condor_py.lang.dag.words import Bad, Words
from condor_py.model.errors import CondorError

#: Letters of a word that is no command which an error shows.
_SHOWN = 200


class FileProblem(CondorError):
    """A .dag file cannot be read, or a directory not entered: why, in HTCondor's words."""


class Files(Protocol):
    """Access to .dag files: the only input and output of this package."""

    def read(self, path: str) -> str:
        """The text of a file; ``path`` is absolute. Raises FileProblem."""

    def enter(self, path: str) -> None:
        """FileProblem when ``path`` is no directory that can be entered; its text is the system's."""


def joined(directory: str, name: str) -> str:
    """The path of ``name`` as seen from ``directory``. Raises FileProblem for an empty name."""
    if not name:
        raise FileProblem("No file path provided")
    return posixpath.join(directory, name)


def keyword_of(line: str) -> Command | None:
    """The command whose keyword a line begins with."""
    return KEYWORDS.get(normal(Words(line).next()))


class Reader:
    """The commands of the text of ``source``, as seen from ``directory``."""

    def __init__(self, text: str, source: str, directory: str, any_characters: bool = False) -> None:
        self.lines = Statements(text)
        self._source = source
        self._file = posixpath.basename(source)
        self._directory = directory
        self._any_characters = any_characters

    def understand(self, number: int, line: str) -> Statement | ParseError:
        """The command of a line."""
        place = Place(self._source, number)
        words = Words(line)
        keyword = words.next().replace("-", "_")
        command = KEYWORDS.get(keyword.upper())
        if command is None:
            return ParseError(
                place, f"'{keyword if len(keyword) <= _SHOWN else keyword[:_SHOWN] + '...'}' is not a valid DAG command"
            )
        context = Context(place, self._file, self._directory, self._any_characters, self.lines)
        try:
            return parse_command(command, keyword.upper(), words, context)
        except Bad as error:
            return ParseError(place, str(error), command)

    def commands(self, only: Collection[Command] | None = None) -> Iterator[Statement | ParseError]:
        """All commands, and what could not be understood. With ``only``, other commands are passed over whether they
        are right or not; unknown keywords are not."""
        for number, line in self.lines:
            if only is not None:
                command = keyword_of(line)
                if command is not None and command not in only:
                    self._pass_over(command, number, line)
                    continue
            yield self.understand(number, line)

    def _pass_over(self, command: Command, number: int, line: str) -> None:
        if command in NODE_COMMANDS or command is Command.SUBMIT_DESCRIPTION:
            self.understand(number, line)
