"""A schedd that kills itself at a named point: ``failing_schedd.py POINT COUNT`` in the environment of a pool.

A point is ``before`` or ``after``, an operation on a file, and which file: ``after:write:queue`` is the moment when a
transaction is written and not yet synced. It strikes at the COUNTth time. ``never`` never does.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from condor_py.store.fs import RealFs

_NAMES = ("rename", "link", "unlink")


def kind_of(path: str) -> str:
    """Which of the schedd's files a path is."""
    name = os.path.basename(path)
    if name.startswith("job_queue.log"):
        return "queue" if name == "job_queue.log" else "rewrite"
    if name.startswith(("history", "epoch_history")):
        return "history" if name.startswith("history") else "epochs"
    return "userlog" if name.endswith(".log") else "other"


class Striker:
    """Counts the moments that a point names."""

    def __init__(self, point: str, count: int) -> None:
        self.point = point
        self.left = count

    def at(self, point: str) -> None:
        """Strikes when it is the moment."""
        if point == self.point:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def install(striker: Striker) -> None:
    """Puts the striker around every change that the real file system makes."""
    paths: dict[int, str] = {}

    def opened(name: str) -> None:
        original = getattr(RealFs, name)

        def wrapper(self: RealFs, path: str, mode: int) -> int:
            striker.at(f"before:{name}:{kind_of(path)}")
            handle: int = original(self, path, mode)
            paths[handle] = path
            striker.at(f"after:{name}:{kind_of(path)}")
            return handle

        setattr(RealFs, name, wrapper)

    def on_file(name: str) -> None:
        original = getattr(RealFs, name)

        def wrapper(self: RealFs, handle: int, *rest: object) -> None:
            kind = kind_of(paths.get(handle, ""))
            striker.at(f"before:{name}:{kind}")
            original(self, handle, *rest)
            striker.at(f"after:{name}:{kind}")

        setattr(RealFs, name, wrapper)

    def on_name(name: str) -> None:
        original = getattr(RealFs, name)

        def wrapper(self: RealFs, path: str, *rest: object) -> None:
            striker.at(f"before:{name}:{kind_of(path)}")
            original(self, path, *rest)
            if name == "rename":
                for handle in [handle for handle, known in paths.items() if known == path]:
                    paths[handle] = str(rest[0])
            striker.at(f"after:{name}:{kind_of(path)}")

        setattr(RealFs, name, wrapper)

    for name in ("create", "open_append"):
        opened(name)
    for name in ("write", "sync", "truncate"):
        on_file(name)
    for name in (*_NAMES, "sync_dir"):
        on_name(name)


def main() -> int:
    install(Striker(sys.argv[1], int(sys.argv[2])))
    from condor_py.daemons.main import main as daemon

    return daemon("SCHEDD")


if __name__ == "__main__":
    sys.exit(main())
