"""LIMIT_DIRECTORY_ACCESS: the directories of the access point that file transfer may read from and write to."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence


class Limits:
    """``prefixes`` are directories, or beginnings of paths that end with ``*``; without any, everything is allowed."""

    def __init__(self, prefixes: Sequence[str]) -> None:
        self._prefixes = [_canonical(prefix) for prefix in prefixes]

    def check(self, path: str) -> None:
        """PermissionError for a path that is not in any of the directories, links resolved."""
        if not self._prefixes or path == os.devnull:
            return
        real = os.path.realpath(path)
        if not any(real.startswith(prefix) or real + "/" == prefix for prefix in self._prefixes):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def _canonical(prefix: str) -> str:
    if prefix.endswith("*"):
        return prefix[:-1]
    return os.path.join(os.path.realpath(prefix), "")
