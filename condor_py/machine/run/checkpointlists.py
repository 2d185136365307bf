"""MANIFEST files: ``CHECKSUM *NAME`` a file, as ``sha256sum --binary`` prints it, and a last line for all before it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from condor_py.machine.run.userfiles import user_file
from condor_py.model.errors import CondorError

_NUMBERED = re.compile(r"_condor_checkpoint_MANIFEST\.(\d+)", re.ASCII)


def _hashlib() -> Any:
    """It brings the library of OpenSSL, which daemons do not need otherwise."""
    return import_module("hashlib")


def checkpoint_number(name: str) -> int:
    """N of ``_condor_checkpoint_MANIFEST.N``; -1 for other names."""
    match = _NUMBERED.fullmatch(name)
    return -1 if match is None else int(match[1])


def file_of(line: str) -> str:
    """The name in a line; "" when it has no space."""
    return line.partition(" ")[2].removeprefix("*")


def checksum_of(line: str) -> str:
    """Return the text before the first space of a line."""
    return line.partition(" ")[0]


def checksum(path: str) -> str:
    """SHA-256 of a file, in hexadecimal. Raises OSError."""
    with user_file(path, "rb", links=True) as file:
        found: str = _hashlib().file_digest(file, "sha256").hexdigest()
    return found


def line_for(path: str) -> str:
    """The line of a file, without its newline. Raises OSError."""
    return f"{checksum(path)} *{path}"


def is_whole(path: str) -> bool:
    """Whether the last line of a MANIFEST names it and has the checksum of the lines before it."""
    lines = _lines(path)
    if not lines:
        return False
    last = lines[-1].decode("utf-8", "surrogateescape").strip()
    return path.endswith(file_of(last)) and checksum_of(last) == _hashlib().sha256(b"".join(lines[:-1])).hexdigest()


def check_files(path: str, directory: str = "") -> None:
    """Every file of a MANIFEST, below ``directory``, has its checksum; the last line is not looked at. Raises
    CondorError that says which has not."""
    lines = _lines(path)
    if lines is None:
        raise CondorError("Failed to open MANIFEST, aborting.")
    if not lines:
        raise CondorError("Failed to read first line of MANIFEST, aborting.")
    for name, listed in entries(lines[:-1]):
        try:
            computed = checksum(os.path.join(directory, name))
        except (OSError, ValueError):  # or a name with a zero byte
            raise CondorError(f"Failed to open checkpoint file ('{name}') to compute checksum.") from None
        if computed != listed:
            raise CondorError(f"Checkpoint file '{name}' did not have expected checksum ({computed} vs {listed}).")
    if len(lines) == 1:
        raise CondorError("")


def entries(lines: list[bytes]) -> Iterator[tuple[str, str]]:
    """Names and checksums."""
    for line in lines:
        text = line.decode("utf-8", "surrogateescape").strip()
        yield file_of(text), checksum_of(text)


def listed(path: str) -> list[str]:
    """The names in a MANIFEST but its own. Raises CondorError."""
    lines = _lines(path)
    if lines is None:
        raise CondorError("Failed to open MANIFEST, aborting.")
    return [name for name, _ in entries(lines) if name != os.path.basename(path)]


def whole(lines: str, name: str) -> bytes:
    """A MANIFEST that is called ``name``: the lines of its files, and its own."""
    text = lines.encode("utf-8", "surrogateescape")
    return text + f"{_hashlib().sha256(text).hexdigest()} *{name}\n".encode("utf-8", "surrogateescape")


def create(directory: str, path: str) -> None:
    """Writes a MANIFEST of every file below a directory, by name; sockets and links to directories are left out.
    Raises CondorError."""
    text = whole("".join(f"{_line(name)}\n" for name in _files_below(directory)), path)
    try:
        with open(path, "wb") as file:
            file.write(text)
    except OSError as error:
        raise CondorError(f"Failed write manifest file ({path}), aborting.\n({error.strerror})") from error


def _files_below(directory: str) -> Iterator[str]:
    def fail(error: OSError) -> None:
        raise CondorError(f"Unable to compute file checksums ({error.errno}: {error.strerror}), aborting.\n")

    for parent, directories, names in os.walk(directory, onerror=fail):
        directories.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            if not stat.S_ISSOCK(os.lstat(path).st_mode):
                yield path


def _line(path: str) -> str:
    try:
        return line_for(path)
    except OSError as error:
        raise CondorError(f"Failed to compute file ({path}) checksum, aborting.\n") from error


def _lines(path: str) -> list[bytes] | None:
    """With their newlines; None when the file cannot be read."""
    try:
        with user_file(path, "rb", links=True) as file:
            return file.readlines()
    except OSError:
        return None
