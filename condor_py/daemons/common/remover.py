"""Taking trees away that may be so large that a daemon must not wait until they are gone."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable

from condor_py.daemons.common.loop import Loop, monotonic
from condor_py.machine.probes.mounts import Mounts
from condor_py.machine.run import trees

#: A tree that is being removed by a process of its own; what a crash leaves of it is removed by the next daemon.
GONE = ".gone-"
#: Seconds of a second that a daemon works at trees itself, and entries that it removes however long that takes: a fork
#: costs more.
_PATIENCE = 0.1
_WHILE = 1.0
_FEW = 30
_NICENESS = 10
#: Seconds until what could not be removed is tried again, the first time and at most; how many trees are kept for that.
_PAUSE, _LONGEST_PAUSE = 2.0, 300.0
_MOST = 1000
_OF_PROCESS = re.compile(r"/dir_(\d+)\Z")


class Remover:
    """Removes small trees at once, and leaves large ones to a process of its own: many small ones are large, too.

    What cannot be removed now (a disk in trouble) is tried again from time to time.

    Large ones wait in ``aside``, a directory of the same file system, or where they are.
    """

    def __init__(self, loop: Loop, complain: Callable[[str], None], aside: str = "") -> None:
        self._loop = loop
        self._complain = complain
        self._aside = aside
        self._mounts = Mounts()
        #: Since when the seconds are counted that trees took, and how many it were.
        self._since, self._took = monotonic(), 0.0
        #: What could not be removed, what of that is in the log, and seconds until it is tried again.
        self._left: list[str] = []
        self._logged: set[str] = set()
        self._pause = _PAUSE

    def take_away(self, path: str) -> None:
        """Nothing has this name any more, unless the log says why: then it is tried again later."""
        from condor_py.machine.run import volume  # many modules, which a schedd hardly ever needs

        if self._mounts.any_below(path):  # an unmount may take as long as a large tree
            self._fork(path)
            return
        begun = monotonic()
        if begun - self._since > _WHILE:
            self._since, self._took = begun, 0.0
        try:
            volume.remove(path, f"{path}/scratch")
            trees.remove(path, _PATIENCE - self._took, _FEW if self._took < _PATIENCE else 0)
        except TimeoutError:
            self._leave_to_another(path)
        except OSError as error:
            self._try_later(path, f": {error.strerror}")
        finally:
            self._took += monotonic() - begun

    def _leave_to_another(self, path: str) -> None:
        gone = f"{self._aside or os.path.dirname(path)}/{GONE}{os.urandom(8).hex()}"
        try:
            os.rename(path, gone)
        except OSError as error:
            self._try_later(path, f": {error.strerror}")
            return
        pid = self._fork(gone)
        if pid:
            self._complain(f"{path} is large: process {pid} removes it")

    def _fork(self, path: str) -> int:
        """Lets a process of its own remove a tree, whatever is mounted there; 0 where there can be none."""
        try:
            pid = os.fork()
        except OSError as error:
            self._try_later(path, f": {error.strerror}")
            return 0
        if pid == 0:
            _remove_and_exit(path)
        self._loop.on_exit(pid, lambda status: self._ended(path, status))
        return pid

    def _ended(self, path: str, status: int) -> None:
        if status:
            self._try_later(path)

    def _try_later(self, path: str, why: str = "") -> None:
        if path not in self._logged:
            self._complain(f"cannot remove {path}{why}")
        if len(self._left) >= _MOST:
            return
        if not self._left:
            self._loop.after(self._pause, self._try_again)
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        self._left.append(path)

    def _try_again(self) -> None:
        left, self._left = self._left, []
        self._logged = set(left)
        for path in left:
            if _is_in_use(path):
                self._try_later(path)
            else:
                self.take_away(path)
        if not self._left:
            self._pause = _PAUSE


def _is_in_use(path: str) -> bool:
    """Whether it may be the directory of a new starter, whose process has the same number."""
    found = _OF_PROCESS.search(path)
    return found is not None and os.path.exists(f"/proc/{found[1]}")


def _remove_and_exit(path: str) -> None:
    """In the new process, which must not hold anything of the daemon's: its lock would outlive it."""
    from condor_py.machine.run import volume

    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.closerange(0, max(map(int, os.listdir("/proc/self/fd"))) + 1)
        os.nice(_NICENESS)
        volume.remove(path, f"{path}/scratch")
        trees.remove(path)
        status = 0
    finally:
        os._exit(status)
