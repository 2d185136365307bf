"""Parts of a file name: ``$F[pnxdqabfwu](FILE)``, ``$DIRNAME(FILE)`` and ``$BASENAME(FILE[,SUFFIX])``.

======  ==============================================================
p       the directory with its "/"
d       the last directory (``dd`` the last two ...)
n       the name without extension
x       the extension with its dot
b       bare: no "/" at the end of a directory, no dot of an extension
f       make it a full path first
q, a    put the result in double quotes; with ``a`` in single quotes
w, u    backslashes, or slashes, between directories
======  ==============================================================
"""

from __future__ import annotations

_NAME = 2
_EXTENSION = 1
_PATH = 4
_DIRECTORIES = 8


def filename_part(function: str, path: str, directory: str = "", suffix: str = "") -> str:
    """What ``$function()`` keeps of ``path``; ``directory`` completes relative paths for the letter ``f``."""
    letters = {"DIRNAME": "p", "BASENAME": "nx"}.get(function, function[1:].lower())
    parts = 0
    for letter, part in (("x", _EXTENSION), ("n", _NAME), ("p", _PATH), ("d", _DIRECTORIES)):
        if letter in letters:
            parts |= part
    path = _unquoted(path)
    if "f" in letters and directory and not path.startswith("/"):
        path = directory.rstrip("/") + "/" + (path[2:] if path.startswith("./") else path)
    if "w" in letters or "u" in letters:
        path = _with_separator(path, letters)
    # A backslash is no separator here, except for "d" (as in the original).
    result = _select(path, parts, letters.count("d"), "b" in letters, suffix)
    if "q" not in letters:
        return result
    quote = "'" if "a" in letters else '"'
    return quote + result + quote


def _with_separator(path: str, letters: str) -> str:
    last = [letter for letter in letters if letter in "wu"][-1]
    return path.replace("/", "\\") if last == "w" else path.replace("\\", "/")


def _unquoted(path: str) -> str:
    if len(path) > 1 and path[0] == path[-1] and path[0] in "\"'":
        path = path[1:-1]
    if path.startswith('"'):
        path = path[1:]
        if path.endswith('"'):
            path = path[:-1]
    return path


def _select(path: str, parts: int, depth: int, bare: bool, suffix: str) -> str:
    name_at = path.rfind("/") + 1
    # A dot at the very start of the name is no extension.
    dot = path.rfind(".", name_at + 1)
    extension_at = dot if dot >= 0 else len(path)
    if suffix and path[name_at:].lower().endswith(suffix.lower()):
        extension_at = len(path) - len(suffix)
        parts &= ~_EXTENSION
    if not name_at and parts & (_NAME | _EXTENSION):
        parts &= ~(_PATH | _DIRECTORIES)
    end = extension_at if parts & 3 == _NAME else len(path)
    if parts == _EXTENSION:
        return path[extension_at + bare :]
    if parts in (_NAME, _NAME | _EXTENSION):
        return path[name_at:end]
    if not parts & _DIRECTORIES:
        return path[: max(0, name_at - bare)] if parts == _PATH else path[:end]
    if not name_at:
        return ""
    start = _directories_start(path, depth)
    return path[start : name_at - bare] if parts & 3 == 0 else path[start:end]


def _directories_start(path: str, depth: int) -> int:
    """Where the last ``depth`` directories of ``path`` begin."""
    starts = [index + 1 for index, letter in enumerate(path) if letter in "/\\"]
    kept = starts[: max(0, len(starts) - depth)]
    return kept[-1] if kept else 0
