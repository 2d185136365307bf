"""Writing what a tool made into a file that other processes read: whole, or not at all."""

from __future__ import annotations

import os

from condor_py.model.errors import CondorError


def replace(tool: str, path: str, shown: str) -> None:
    """The file (or that which a link names) at once with all of its new content, readable by all users. CondorError, in
    the name of ``tool``."""
    from condor_py.store.fs import RealFs, replace_file

    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise CondorError(f"{tool}: {path} is not a file that can be replaced")
    try:
        replace_file(RealFs(), path, shown.encode("utf-8", "replace"), 0o644, durable=False)
    except OSError as error:
        raise CondorError(f"{tool}: cannot write {path}: {error.strerror}") from None
