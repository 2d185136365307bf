"""Where the files of a transfer lie: names of submit files as paths, and what is below a directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def private_umask(private: bool) -> Iterator[None]:
    """Directories made meanwhile are for their owner alone, if so wanted."""
    before = os.umask(0o077) if private else None
    try:
        yield
    finally:
        if before is not None:
            os.umask(before)


def files_of(url: str, path: str) -> Iterator[tuple[str, str]]:
    """A file with its URL, or the files of a directory with theirs."""
    if not os.path.isdir(path):
        yield url, path
        return
    for top, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            inner = os.path.join(top, name)
            yield f"{url.rstrip('/')}/{os.path.relpath(inner, path)}", inner


def path_of(name: str) -> str:
    """The path of a ``file:`` URL; other names are paths."""
    return name.removeprefix("file://")


def inside(name: str) -> str:
    """A relative path that stays below the directory it is joined to."""
    clean = os.path.normpath("/" + name.removeprefix("./")).lstrip("/")
    return clean or "."
