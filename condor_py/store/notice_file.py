"""Notices that could not be posted yet, in one file of the spool: a JSON list a line, the oldest first."""

from __future__ import annotations

import json
from collections.abc import Sequence

from condor_py.model.errors import StoreError
from condor_py.model.notices import Notice
from condor_py.store.fs import RealFs, close_quietly, describe, remove_if_there, replace_file, store_error

#: Bytes of a file that are read.
_MOST = 64_000_000


def read(path: str) -> list[Notice]:
    """Return the notices of a file; lines that are damaged are left out. Raises StoreError."""
    fs = RealFs()
    try:
        handle = fs.open_read(path)
        try:
            data = fs.read_at(handle, 0, min(fs.fstat(handle).size, _MOST))
        finally:
            close_quietly(fs, handle)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(describe(error, "cannot read notices", path)) from None
    return [notice for line in data.split(b"\n") if (notice := _notice(line)) is not None]


def write(path: str, notices: Sequence[Notice]) -> None:
    """Let a file have these notices and no others; on the medium on return. Raises StoreError."""
    data = "".join(f"{json.dumps(notice)}\n" for notice in notices).encode("ascii")
    try:
        if data:
            replace_file(RealFs(), path, data, 0o600, durable=True)
        else:
            remove_if_there(RealFs(), path)
    except OSError as error:
        raise store_error(error, "cannot keep notices", path) from None


def _notice(line: bytes) -> Notice | None:
    try:
        match json.loads(line):
            case [str(owner), str(job), str(url), str(text), str(document)]:
                return Notice(owner, job, url, text, document)
    except (ValueError, RecursionError):
        pass
    return None
