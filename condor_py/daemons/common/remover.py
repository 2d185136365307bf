"""Taking trees away that may be so large that a daemon must not wait until they are gone."""

from __future__ import annotations

import os
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


class Remover:
    """Removes small trees at once, and leaves large ones to a process of its own: many small ones are large, too."""

    def __init__(self, loop: Loop, complain: Callable[[str], None]) -> None:
        self._loop = loop
        self._complain = complain
        self._mounts = Mounts()
        #: Since when the seconds are counted that trees took, and how many it were.
        self._since, self._took = monotonic(), 0.0

    def take_away(self, path: str) -> None:
        """Nothing has this name any more, unless the log says why."""
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
            self._complain(f"cannot remove {path}: {error.strerror}")
        finally:
            self._took += monotonic() - begun

    def _leave_to_another(self, path: str) -> None:
        gone = f"{os.path.dirname(path)}/{GONE}{os.urandom(8).hex()}"
        try:
            os.rename(path, gone)
        except OSError as error:
            self._complain(f"cannot remove {path}: {error.strerror}")
            return
        pid = self._fork(gone)
        if pid:
            self._complain(f"{path} is large: process {pid} removes it")

    def _fork(self, path: str) -> int:
        """Lets a process of its own remove a tree, whatever is mounted there; 0 where there can be none."""
        try:
            pid = os.fork()
        except OSError as error:
            self._complain(f"cannot remove {path}: {error.strerror}")
            return 0
        if pid == 0:
            _remove_and_exit(path)
        self._loop.on_exit(pid, lambda status: self._ended(path, status))
        return pid

    def _ended(self, path: str, status: int) -> None:
        if status:
            self._complain(f"cannot remove {path}")


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
