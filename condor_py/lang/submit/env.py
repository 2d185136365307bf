"""The environment of a job: ``environment`` in both syntaxes and ``getenv``.

V1: ``NAME=value`` separated by semicolons (or by the character the text starts with, if that is a legal
separator). V2: as arguments, in double quotes, words ``NAME=value``.
"""

from __future__ import annotations

from condor_py.model.arguments import ArgumentError, is_v2_quoted, join_v2, split_v2, unquote_v2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DELIMITER = ";"
#: What else than a space separates names of variables.
_SEPARATORS = str.maketrans(",;\t", "   ")

#: The value of an entry that is an unexpanded ``$$()`` and has no ``=``.
_VERBATIM = None

Table = dict[str, str | None]


def parse_environment(text: str) -> Table:
    """The variables of an ``environment`` command. Raises ArgumentError."""
    return parse_v2(text) if is_v2_quoted(text) else _parse_v1(text)


def parse_v2(text: str) -> Table:
    """The variables of a double-quoted environment. Raises ArgumentError."""
    if not is_v2_quoted(text):
        raise ArgumentError("Expecting a double-quoted environment string (V2 format).")
    table: Table = {}
    for word in split_v2(unquote_v2(text)):
        _add(table, word)
    return table


def _parse_v1(text: str) -> Table:
    table: Table = {}
    if not text:
        return table
    from condor_py.lang.classad.functions.condor import DELIMITERS

    delimiter = DELIMITER
    if text[0] in DELIMITERS:
        delimiter = text[0]
        text = text[1:]
    for part in text.replace(delimiter, "\n").split("\n"):
        entry = part.lstrip(" \t\n\r")
        if entry:
            _add(table, entry)
    return table


def _add(table: Table, entry: str) -> None:
    name, equals, value = entry.partition("=")
    if not equals:
        if "$$" in entry:
            table[entry] = _VERBATIM
            return
        raise ArgumentError(f"ERROR: Missing '=' after environment variable '{entry}'.")
    if not name:
        raise ArgumentError(f"ERROR: missing variable in '{entry}'.")
    table[name] = value


def import_environment(table: Table, names: str | None, env: Mapping[str, str], *, v1: bool) -> None:
    """Add the submitter's variables (getenv) that the job does not set itself.

    ``names`` is None for all of them, else a list of names and ``*`` patterns, ``!`` in front excludes; ``v1``
    leaves out values that the old syntax cannot hold.
    """
    allow, deny = _patterns(names or "")
    for name, value in env.items():
        if name in table or (v1 and not safe_v1(value)) or "\n" in value:
            continue
        if _listed(name, deny) or (allow and not _listed(name, allow)):
            continue
        table[name] = value


def _patterns(names: str) -> tuple[list[str], list[str]]:
    allow: list[str] = []
    deny: list[str] = []
    for name in names.translate(_SEPARATORS).split(" "):
        if name.startswith("!"):
            deny.append(name[1:])
        elif name:
            allow.append(name)
    return allow, deny


def _listed(name: str, patterns: list[str]) -> bool:
    from fnmatch import fnmatchcase

    lowered = name.lower()
    return any(fnmatchcase(lowered, pattern.lower().replace("[", "[[]")) for pattern in patterns)


def safe_v1(value: str) -> bool:
    """True when the old syntax can hold this name or value."""
    return DELIMITER not in value and "\n" not in value


def join_v1(table: Table) -> str:
    """The V1 text of a table, names sorted. Raises ArgumentError for what it cannot hold."""
    entries = []
    for name, value in sorted(table.items()):
        if not safe_v1(name) or not safe_v1(value or ""):
            raise ArgumentError(f"Environment entry is not compatible with V1 syntax: {name}={value}")
        entries.append(name if value is None else f"{name}={value}")
    return DELIMITER.join(entries)


def join_environment(table: Table) -> str:
    """The raw V2 text of a table, names sorted."""
    return join_v2([name if value is None else f"{name}={value}" for name, value in sorted(table.items())])
