"""A file system in memory that loses what was not synced, tears writes, and fails on demand.

``operation`` counts every call that changes something. ``crash_at=N`` raises Crash at the Nth: a write gets
a part of its bytes in, the rest never happens. ``after_crash(seed)`` is then what a machine finds when it
comes up again: synced content, plus a seeded part of what was not synced, in which whole blocks may be zero.
``fail_at={N: errno}`` makes the Nth call raise OSError; a write that fails may have put a part in.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from condor_py.store.fs import FileId

#: Sectors of this medium are small, so that a few transactions have many.
BLOCK = 64
Result = TypeVar("Result")


class Crash(BaseException):
    """The machine stopped."""


@dataclass
class Inode:
    number: int
    data: bytearray = field(default_factory=bytearray)
    synced: bytes = b""
    changed: int = 0
    pending: list[tuple[str, object]] = field(default_factory=list)


class FaultFs:
    def __init__(self, crash_at: int = -1, fail_at: dict[int, int] | None = None, seed: int = 0) -> None:
        self.names: dict[str, Inode] = {}
        self.durable: dict[str, Inode] = {}
        self.pending_names: list[tuple[str, str, Inode | None]] = []
        self.handles: dict[int, Inode] = {}
        self.operation = 0
        self.crash_at = crash_at
        self.fail_at = fail_at or {}
        self.random = random.Random(seed)
        self.log: list[str] = []
        self._next_inode = 100
        self._next_handle = 3

    # faults

    def _step(self, what: str, inode: Inode | None = None, data: bytes = b"") -> None:
        self.operation += 1
        self.log.append(what)
        if self.operation == self.crash_at:
            if inode is not None and data:
                self._put(inode, data[: self.random.randint(0, len(data))])
            raise Crash
        code = self.fail_at.get(self.operation)
        if code is not None:
            if inode is not None and data:
                self._put(inode, data[: self.random.randint(0, len(data))])
            raise OSError(code, os.strerror(code), what)

    def after_crash(self, seed: int) -> FaultFs:
        """The file system after the machine came up again."""
        chance = random.Random(seed)
        found = FaultFs(seed=seed)
        found.durable = dict(self.durable)
        for directory_entry in self.pending_names[: chance.randint(0, len(self.pending_names))]:
            _apply_name(found.durable, directory_entry)
        copies: dict[int, Inode] = {}
        for path, inode in found.durable.items():
            if inode.number not in copies:
                data = _survivor(inode, chance)
                copies[inode.number] = Inode(inode.number, bytearray(data), bytes(data))
            found.durable[path] = copies[inode.number]
        found.names = dict(found.durable)
        found._next_inode = self._next_inode
        return found

    def content(self) -> frozenset[tuple[str, int, bytes]]:
        """Path, inode number and bytes of all files."""
        return frozenset((path, inode.number, bytes(inode.data)) for path, inode in self.names.items())

    # the protocol

    def open_read(self, path: str) -> int:
        return self._handle(self._find(path))

    def open_append(self, path: str, mode: int) -> int:
        if path not in self.names:
            self._step(f"create {path}")
            self._name(path, self._inode())
        return self._handle(self.names[path])

    def create(self, path: str, mode: int) -> int:
        self._step(f"create {path}")
        self._name(path, self._inode())
        return self._handle(self.names[path])

    def close(self, handle: int) -> None:
        del self.handles[handle]

    def write(self, handle: int, data: bytes) -> None:
        inode = self.handles[handle]
        self._step("write", inode, data)
        self._put(inode, data)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        inode = self._find(path)
        self._step("write_at", None, b"")
        for copy in (inode.data, kept := bytearray(inode.synced)):
            if len(copy) >= offset + len(data):
                copy[offset : offset + len(data)] = data
        inode.synced = bytes(kept)
        inode.changed += 1

    def read_at(self, handle: int, offset: int, size: int) -> bytes:
        return bytes(self.handles[handle].data[offset : offset + size])

    def fstat(self, handle: int) -> FileId:
        return _identity(self.handles[handle])

    def stat(self, path: str) -> FileId:
        return _identity(self._find(path))

    def truncate(self, handle: int, size: int) -> None:
        self._step("truncate")
        inode = self.handles[handle]
        del inode.data[size:]
        inode.changed += 1
        inode.pending.append(("truncate", size))

    def sync(self, handle: int) -> None:
        self._step("sync")
        inode = self.handles[handle]
        inode.synced = bytes(inode.data)
        inode.pending.clear()

    def rename(self, old: str, new: str) -> None:
        self._step(f"rename {old} {new}")
        inode = self._find(old)
        self.names[new] = inode
        del self.names[old]
        self.pending_names.append(("rename", old + "\0" + new, inode))

    def link(self, old: str, new: str) -> None:
        self._step(f"link {old} {new}")
        if new in self.names:
            raise FileExistsError(errno.EEXIST, "File exists", new)
        self._name(new, self._find(old))

    def unlink(self, path: str) -> None:
        self._find(path)
        self._step(f"unlink {path}")
        del self.names[path]
        self.pending_names.append(("unlink", path, None))

    def sync_dir(self, path: str) -> None:
        self._step(f"sync_dir {path}")
        for entry in self.pending_names:
            _apply_name(self.durable, entry)
        self.pending_names.clear()

    def listdir(self, path: str) -> list[str]:
        prefix = path.rstrip("/") + "/"
        return [name[len(prefix) :] for name in self.names if name.startswith(prefix)]

    def lock(self, handle: int) -> bool:
        return True

    # inside

    def _find(self, path: str) -> Inode:
        inode = self.names.get(path)
        if inode is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return inode

    def _inode(self) -> Inode:
        self._next_inode += 1
        return Inode(self._next_inode)

    def _name(self, path: str, inode: Inode) -> None:
        self.names[path] = inode
        self.pending_names.append(("name", path, inode))

    def _handle(self, inode: Inode) -> int:
        self._next_handle += 1
        self.handles[self._next_handle] = inode
        return self._next_handle

    @staticmethod
    def _put(inode: Inode, data: bytes) -> None:
        inode.data += data
        inode.changed += 1
        inode.pending.append(("write", data))


def after_crashes(
    run: Callable[[FaultFs], Result], crash_at: int, seeds: range
) -> Iterator[tuple[int, Result, FaultFs]]:
    """Yield seed, what a run that crashes at an operation returned, and the file system after it. Seeds that leave the
    same files are one case: the first is yielded.

    The run is the same for all seeds, unless the crash tears a write.
    """
    known = set()
    fs = None
    for seed in seeds:
        if fs is None or fs.log[crash_at - 1] == "write":
            fs = FaultFs(crash_at=crash_at, seed=seed)
            result = run(fs)
        after = fs.after_crash(seed)
        content = after.content()
        if content not in known:
            known.add(content)
            yield seed, result, after


def _identity(inode: Inode) -> FileId:
    return FileId(1, inode.number, len(inode.data), 1_700_000_000_000_000_000 + inode.changed)


def _apply_name(names: dict[str, Inode], entry: tuple[str, str, Inode | None]) -> None:
    kind, path, inode = entry
    if kind == "unlink":
        names.pop(path, None)
        return
    assert inode is not None
    if kind == "rename":
        old, path = path.split("\0")
        names.pop(old, None)
    names[path] = inode


def _survivor(inode: Inode, chance: random.Random) -> bytes:
    """Synced bytes, some of the unsynced operations, the last of them torn, blocks of them perhaps zero."""
    data = bytearray(inode.synced)
    kept = inode.pending[: chance.randint(0, len(inode.pending))]
    for index, (kind, value) in enumerate(kept):
        if kind == "truncate":
            assert isinstance(value, int)
            del data[value:]
            continue
        assert isinstance(value, bytes)
        last = index == len(kept) - 1
        data += value[: chance.randint(0, len(value))] if last and chance.random() < 0.7 else value
    begin = min(len(inode.synced), len(data))
    if begin < len(data) and chance.random() < 0.4:  # blocks that never reached the medium
        for block in range(begin - begin % BLOCK, len(data), BLOCK):
            if chance.random() < 0.3:
                first, stop = max(block, begin), min(block + BLOCK, len(data))
                data[first:stop] = bytes(stop - first)
    return bytes(data)
