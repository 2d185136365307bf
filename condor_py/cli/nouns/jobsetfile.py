"""The description of a set of jobs: a name, a table of items, and submit descriptions that are queued for each item.

::

    name = Trips
    iterator = table From,To {
        wisconsin,iowa
        iowa,illinois
    }
    job {
        executable = /bin/echo
        arguments = $(From) $(To)
    }
    job A=To other.sub
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.model.errors import CondorError


class JobSetFile(NamedTuple):
    """What a description says: ``items`` as column -> value, ``jobs`` as submit descriptions without queue."""

    name: str
    items: list[dict[str, str]]
    jobs: list[str]


def read_set(path: str) -> JobSetFile:
    """The set that a file describes. Raises CondorError naming file and line, and OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return _Reader(path, file.read().split("\n")).read()


class _Reader:
    def __init__(self, path: str, lines: list[str]) -> None:
        self._path = path
        self._lines: Iterator[tuple[int, str]] = enumerate(lines, 1)
        self._number = 0
        self._name: str | None = None
        self._items: list[dict[str, str]] | None = None
        self._jobs: list[str] = []

    def read(self) -> JobSetFile:
        for number, line in self._lines:
            self._number = number
            text = line.partition("#")[0].strip()
            if text:
                self._statement(text)
        if self._name is None:
            raise CondorError(f"Required name not found in {self._path}")
        if self._items is None:
            raise CondorError(f"Required iterator not found in {self._path}")
        return JobSetFile(self._name, self._items, self._jobs)

    def _statement(self, text: str) -> None:
        command = re.split(r"[\s={]", text, maxsplit=1)[0].casefold()
        if command == "name":
            self._set_name(self._value(command, text))
        elif command == "iterator":
            self._set_items(self._value(command, text))
        elif command == "job":
            self._add_job(text[len(command) :].strip())
        else:
            raise self._fail(f'Unrecognized command "{command}" in {{place}}.')

    def _fail(self, words: str) -> CondorError:
        return CondorError(words.replace("{place}", f"{self._path} at line {self._number}"))

    def _value(self, command: str, text: str) -> str:
        _, equals, value = text.partition("=")
        if not equals:
            raise self._fail(f"Malformed {command} command in {{place}}.")
        return value.strip()

    def _set_name(self, value: str) -> None:
        if self._name is not None:
            raise self._fail("Job set name can only be set once, second name found in {place}.")
        if not value:
            raise self._fail("Blank job set name found in {place}.")
        self._name = value

    def _set_items(self, value: str) -> None:
        if self._items is not None:
            raise self._fail("Job set iterator can only be set once, second iterator found in {place}.")
        words = value.replace(",", " ").split()
        if len(words) < 3:
            raise self._fail(f'Unparseable iterator "{value}" in {{place}}.')
        if words[0] != "table":
            raise self._fail(f'Unknown iterator type "{words[0]}" in {{place}}.')
        start, source = self._number, self._path
        if words[-1] == "{":
            lines = self._block()
        else:
            start, source = 0, words[-1]
            lines = self._file("table file", source)
        self._items = _items(words[1:-1], lines, source, start)

    def _add_job(self, text: str) -> None:
        words = text.split()
        if not words:
            raise self._fail("Malformed job command in {place}.")
        names = self._mappings(",".join(words[:-1]))
        lines = self._block() if words[-1] == "{" else self._file("submit description file", words[-1])
        description = "\n".join(line.lstrip() for line in lines)
        for name, column in names.items():
            description = re.sub(rf"\$\({re.escape(name)}\)", f"$({column})", description, flags=re.IGNORECASE)
        self._jobs.append(description)

    def _mappings(self, text: str) -> dict[str, str]:
        """Names that a description uses for columns of the table: ``A=To``."""
        pairs = [part.split("=") for part in text.split(",") if part]
        for pair in pairs:
            if len(pair) != 2:
                raise self._fail(f'Unsupported mapping "{text}" in {{place}}.')
        return {name.strip(): column.strip() for name, column in pairs}

    def _block(self) -> list[str]:
        """The lines up to the bracket that closes."""
        start = self._number
        lines: list[str] = []
        for number, line in self._lines:
            text = line.partition("#")[0].strip()
            if text == "}":
                self._number = number
                return lines
            if text.endswith(" {") or text == "{":
                break
            lines.append(line)
        self._number = start
        raise CondorError(f"Unclosed bracket in {self._path} starting at line {start}.")

    def _file(self, what: str, name: str) -> list[str]:
        try:
            with open(name, encoding="utf-8", errors="surrogateescape") as file:
                return file.read().split("\n")
        except OSError as error:
            raise CondorError(
                f"Error opening {what} {name} in {self._path} at line {self._number}:\n{error.strerror}"
            ) from None


def _items(names: list[str], lines: list[str], source: str, start: int) -> list[dict[str, str]]:
    items = []
    for number, line in enumerate(lines, start + 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        values = [value.strip() for value in text.split(",")]
        if len(values) != len(names):
            raise CondorError(
                f"Mismatch between number of iterator names ({len(names)}) and values ({len(values)}) in {source} "
                f"at line {number}."
            )
        items.append(dict(zip(names, values, strict=True)))
    return items
