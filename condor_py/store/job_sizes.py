"""The file of the sizes that jobs had, in the spool: one JSON object that is replaced whole.

It only saves time: whatever is missing in it, or all of it, is read from the history again. So it is written now and
then, without a sync, and one that cannot be read counts as none::

    {"version": 1, "until": 1795214128, "kinds": [["alice", "/bin/sort", "", [[160, 3]], [[134, 3]]]]}

Jobs that left before ``until`` (Unix seconds) are in it. ``model/sizes.py`` knows what the kinds say.
"""

from __future__ import annotations

import json
from typing import Any

from condor_py.model.errors import StoreError
from condor_py.store.fs import FileSystem, RealFs, replace_file, store_error

#: The name of the file in the spool.
JOB_SIZES = "job_sizes.json"
_VERSION = 1
#: A larger file is none of ours.
_LARGEST = 64 << 20


def save(path: str, kinds: list[Any], until: int, fs: FileSystem | None = None) -> None:
    """Write the file again. Raises StoreError."""
    text = json.dumps({"version": _VERSION, "until": until, "kinds": kinds}, separators=(",", ":"))
    data = text.encode("utf-8", "surrogateescape") + b"\n"
    try:
        replace_file(fs if fs is not None else RealFs(), path, data, 0o600, durable=False)
    except OSError as error:
        raise store_error(error, "cannot write the sizes of jobs", path)


def read(path: str, fs: FileSystem | None = None) -> tuple[list[Any], int]:
    """Return the kinds and ``until``; none, and 0, where there is no such file. Raises StoreError for one that cannot
    be read."""
    system: FileSystem = fs if fs is not None else RealFs()
    try:
        handle = system.open_read(path)
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise store_error(error, "cannot read the sizes of jobs", path)
    try:
        size = system.fstat(handle).size
        if size > _LARGEST:
            raise StoreError(f"{path} is too large to be the sizes of jobs")
        return _understood(system.read_at(handle, 0, size))
    except OSError as error:
        raise store_error(error, "cannot read the sizes of jobs", path)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path} cannot be understood: {error}") from None
    finally:
        system.close(handle)


def _understood(data: bytes) -> tuple[list[Any], int]:
    found = json.loads(data)
    if not isinstance(found, dict) or found.get("version") != _VERSION:
        raise ValueError("it is of another version")
    kinds, until = found.get("kinds"), found.get("until")
    if not isinstance(kinds, list) or type(until) is not int:
        raise ValueError("it lacks its kinds or its time")
    return kinds, until
