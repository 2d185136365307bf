"""The rules of the transform language: what a job transform or a rules file says, read but not yet applied.

::

    NAME text                          UNIVERSE word
    REQUIREMENTS expr                  the ads that are transformed
    VAR = value                        a macro, as in submit files; also VAR @=tag ... @tag, if/elif/else/endif
    SET attr expr                      DEFAULT attr expr             EVALSET attr expr
    EVALMACRO var expr                 COPY attr new                 RENAME attr new              DELETE attr
    COPY /regex/ new\\1                 RENAME /regex/ new\\1         DELETE /regex/
    TRANSFORM [N] [vars] [in|from|matching items]        last; like a queue statement, one ad for each item

``NAME``, ``REQUIREMENTS``, ``UNIVERSE`` and ``TRANSFORM`` hold wherever they stand, also inside ``if``: they are taken
out before anything runs (manual: "ClassAd Transforms"). A word followed by ``=`` is always a macro.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from condor_py.lang.macro.lines import Line, LineReader
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer

#: The statements that change an ad (or a macro), with the number of their arguments.
STATEMENTS = {
    "COPY": 2,
    "DEFAULT": 2,
    "DELETE": 1,
    "EVALMACRO": 2,
    "EVALSET": 2,
    "RENAME": 2,
    "SET": 2,
}
ENVELOPE = ("NAME", "REQUIREMENTS", "TRANSFORM", "UNIVERSE")
_KEYWORD = re.compile(r"(name|requirements|transform|universe)\s+(?![=:])", re.IGNORECASE)
_STATEMENT = re.compile(rf"(?:{'|'.join(STATEMENTS)})\s+(?!=)", re.IGNORECASE)
_BLOCK = re.compile(r"[^\s=]*\s*@=(\S+)")


class TransformError(CondorError):
    """Rules that cannot be read, or a statement that cannot be carried out; the text names the rules and the line."""


@dataclass(frozen=True, slots=True)
class Transform:
    """One set of rules. ``body`` keeps the lines where they stood, so that messages can number them.

    ``requirements`` is a ClassAd expression (empty: every ad). ``iterate`` are the arguments of a TRANSFORM statement
    that makes more than one ad of each, unexpanded; ``rest`` is the text after that statement, which may hold items.
    ``macros`` are settings that the rules can refer to in addition to those of the configuration.
    """

    name: str
    body: str
    source: str = ""
    requirements: str = ""
    universe: str = ""
    iterate: str = ""
    rest: str = ""

    @property
    def has_statements(self) -> bool:
        """False for a text of nothing but settings (a configuration file)."""
        return any(_STATEMENT.match(line.text) for line in statement_lines(self.body)) or bool(self.iterate)


def statement_lines(text: str) -> list[Line]:
    """The logical lines of rules that may be statements: no blank ones, no comments, nothing inside ``@=`` blocks."""
    reader = LineReader(text, "")
    found: list[Line] = []
    end = ""
    while (line := reader.next_statement()) is not None:
        if end:
            end = "" if line.text == end else end
            continue
        block = _BLOCK.match(line.text)
        if block is not None:
            end = "@" + block[1]
        found.append(line)
    return found


def read_rules(text: str, name: str, source: str = "", *, keep_name: bool = False) -> Transform:
    """The rules in ``text``. ``keep_name`` ignores their NAME. TransformError for REQUIREMENTS that do not parse."""
    lines = text.split("\n")
    found: dict[str, str] = {"name": name}
    rest = ""
    for line in statement_lines(text):
        match = _KEYWORD.match(line.text)
        if match is None:
            continue
        first = _first_line(lines, line)
        lines[first : line.number] = [""] * (line.number - first)
        keyword, value = match[1].lower(), line.text[match.end() :].strip()
        if keyword == "transform":
            rest = "\n".join(lines[line.number :])
            del lines[line.number :]
            found["iterate"] = value if _makes_several(value) else ""
            break
        if keyword != "name" or not keep_name:
            found[keyword] = value
    requirements = found.get("requirements", "")
    _check_requirements(requirements)
    return Transform(
        name=found["name"],
        body="\n".join(lines),
        source=source or name,
        requirements=requirements,
        universe=found.get("universe", ""),
        iterate=found.get("iterate", ""),
        rest=rest if found.get("iterate") else "",
    )


def _first_line(lines: list[str], line: Line) -> int:
    """The index of the physical line on which a logical one begins."""
    first = line.number - 1
    while first > 0 and lines[first - 1].rstrip().endswith("\\"):
        first -= 1
    return first


def _makes_several(arguments: str) -> bool:
    """Whether TRANSFORM has more to do than transform the ad once."""
    match = re.match(r"[+-]?\d+", arguments, re.ASCII)
    if match is None:
        return True
    return as_integer(match[0]) not in (0, 1) or bool(arguments[match.end() :].strip())


def _check_requirements(text: str) -> None:
    from condor_py.lang.submit.text import canonical

    if text and canonical(text) is None:
        raise TransformError(f"invalid REQUIREMENTS : {text}")


def check_statements(transform: Transform) -> str:
    """Return the mistake in the first line that is no statement, "" without one."""
    for line in statement_lines(transform.body):
        word = (line.text.split(None, 1) or [line.text])[0]  # some characters are spaces to Python alone
        if word.upper() in STATEMENTS or word.upper() in ENVELOPE or "=" in line.text or ":" in line.text:
            continue
        if word.lower() not in ("if", "elif", "else", "endif"):
            return f"line {line.number}: {word} is not a valid transform keyword"
    return ""
