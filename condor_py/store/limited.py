"""Files of lines that only grow at their end, up to a size: then they are moved away and begun again. Nothing waits for
what is written to them, so that nothing is synced; behind a line that a crash or a full disk tore a new one begins."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.model.errors import StoreError
from condor_py.store.fs import FileSystem, RealFs, describe


def append_limited(
    path: str,
    data: bytes,
    max_size: int,
    move: Callable[[FileSystem], None],
    fs: FileSystem | None = None,
    doing: str = "cannot write",
) -> None:
    """Appends ``data``; first ``move`` takes a file away that would grow above ``max_size`` bytes (0: never).
    StoreError, which begins with ``doing``."""
    file_system: FileSystem = fs if fs is not None else RealFs()
    try:
        size = _size(file_system, path) if max_size else 0
        if size and size + len(data) > max_size:
            move(file_system)
        handle = file_system.open_append(path, 0o644)
        try:
            size = file_system.fstat(handle).size
            is_torn = size > 0 and file_system.read_at(handle, size - 1, 1) != b"\n"
            file_system.write(handle, b"\n" + data if is_torn else data)
        finally:
            file_system.close(handle)
    except OSError as error:
        raise StoreError(describe(error, doing, path)) from None


def _size(fs: FileSystem, path: str) -> int:
    try:
        return fs.stat(path).size
    except FileNotFoundError:
        return 0
