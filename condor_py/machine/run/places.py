"""Paths of the files of a transfer: names of submit files as paths, and the files below a directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

STDOUT_NAME = "_condor_stdout"
STDERR_NAME = "_condor_stderr"
STREAMS = (STDOUT_NAME, STDERR_NAME)
#: What is left in the scratch directory first where a program is started in a container (SINGULARITY_USE_LAUNCHER).
LAUNCHED_NAME = ".condor_container_launched"
#: The copy of the starter's log that a job may ask for.
STARTER_LOG_NAME = ".starter.log"
#: The directory of a job's credentials.
CREDENTIALS_NAME = ".condor_creds"
#: What is in a scratch directory besides the files of the job.
OURS = frozenset((".job.ad", ".machine.ad", "tmp", "var", LAUNCHED_NAME, STARTER_LOG_NAME, CREDENTIALS_NAME, *STREAMS))


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


def make_above(path: str, top: str, *, private: bool) -> None:
    """Make the directories below ``top`` that a file is to be in; others have to be there. OSError."""
    above = os.path.dirname(path)
    ours = os.path.normpath(above).startswith(os.path.join(top, ""))
    if ours and os.path.isdir(top) and not os.path.isdir(above):
        with private_umask(private):
            os.makedirs(above, exist_ok=True)


def path_of(name: str) -> str:
    """The path of a ``file:`` URL; other names are paths."""
    return name.removeprefix("file://")


def inside(name: str) -> str:
    """A relative path that stays below the directory it is joined to."""
    clean = os.path.normpath("/" + name.removeprefix("./")).lstrip("/")
    return clean or "."
