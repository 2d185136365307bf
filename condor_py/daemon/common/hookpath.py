"""Whether a hook may be executed: nobody else may be able to change what the daemon runs."""

from __future__ import annotations

import os
import stat


def unusable(path: str) -> str:
    """What is wrong with the program ``path``; empty when it can be used."""
    try:
        found, directory = os.stat(path), os.stat(os.path.dirname(path) or ".")
    except OSError as error:
        return f"cannot be looked at ({error.strerror})"
    if found.st_mode & stat.S_IWOTH:
        return "is writable by everybody"
    if not found.st_mode & stat.S_IXUSR:
        return "is not executable"
    if directory.st_mode & stat.S_IWOTH:
        return "lies in a directory that is writable by everybody"
    return ""
