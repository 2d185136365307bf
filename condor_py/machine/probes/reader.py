"""Access of probes to the file system, which tests can replace by another machine's."""

from __future__ import annotations

from collections.abc import Callable

#: The text of a file, or None when it is missing or may not be read.
Read = Callable[[str], str | None]


def read_file(path: str) -> str | None:
    """The text of ``path`` (bytes that are not UTF-8 are kept as surrogates); None when it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return None
