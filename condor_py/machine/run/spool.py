"""Files that a job keeps for its next run: its checkpoint, or the files of an evicted run (when_to_transfer_output).

They are in ``SPOOL/<cluster mod 10000>/<proc mod 10000>/cluster<C>.proc<P>.subproc0`` and belong to the owner. If the
job was submitted with its files, which are there, the name has ``.checkpoint`` at its end. A new set replaces the old
one by renaming: whatever happens, one complete set is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from condor_py.machine.run import trees
from condor_py.machine.run.identity import Account
from condor_py.machine.run.medium import Medium


class JobSpool:
    """The set of one job, whose submit directory is ``iwd``. ``owner`` None: it is simply ours. ``mode`` is that of its
    directory, less the umask (JOB_SPOOL_PERMISSIONS)."""

    def __init__(self, spool: str, job_id: str, owner: Account | None, iwd: str, mode: int = 0o700) -> None:
        cluster, proc = (int(word) for word in job_id.split("."))
        room = f"{spool}/{cluster % 10_000}/{proc % 10_000}/cluster{cluster}.proc{proc}.subproc0"
        self.directory = room + CHECKPOINT if os.path.normpath(iwd) == room else room
        self._owner = owner
        self._mode = mode

    def prepare(self) -> str:
        """An empty directory for a new set, which its owner may fill; called with our own rights."""
        path = self.directory + ARRIVING
        os.makedirs(os.path.dirname(path), 0o755, exist_ok=True)
        trees.remove(path)
        os.mkdir(path, self._mode)
        if self._owner is not None and os.geteuid() == 0:
            os.chown(path, self._owner.uid, self._owner.gid)
        return path

    def open(self) -> None:
        """Makes the directory, if it is not there, for its owner to fill; called with our own rights."""
        os.makedirs(os.path.dirname(self.directory), 0o755, exist_ok=True)
        if os.path.isdir(self.directory):
            return
        os.mkdir(self.directory, self._mode)
        if self._owner is not None and os.geteuid() == 0:
            os.chown(self.directory, self._owner.uid, self._owner.gid)

    def commit(self, medium: Medium | None = None) -> None:
        """The new set is complete, and on the medium: it takes the place of the old one. OSError."""
        above = os.path.dirname(self.directory)
        if os.path.lexists(self.directory):
            trees.remove(self.directory + LEAVING)
            os.rename(self.directory, self.directory + LEAVING)
        os.rename(self.directory + ARRIVING, self.directory)
        if medium is not None:
            for folder in (above, os.path.dirname(above), os.path.dirname(os.path.dirname(above))):
                medium.folder(folder)
        trees.remove(self.directory + LEAVING)

    def found(self) -> str | None:
        """The directory with the last complete set; None when there is none."""
        for path in (self.directory, self.directory + LEAVING):
            if os.path.isdir(path):
                return path
        return None


def copy_names(source: str, target: str, names: Iterable[str]) -> tuple[int, int]:
    """Copies files and directories of one directory to another, keeping their relative paths; the bytes and the files
    copied."""
    from condor_py.machine.run.copying import copy_file, copy_tree  # a schedd only knows where the files are

    total = count = 0
    for name in names:
        there = os.path.join(target, name)
        os.makedirs(os.path.dirname(there) or target, exist_ok=True)
        here = os.path.join(source, name)
        if os.path.isdir(here):
            moved = copy_tree(here, there)
            total, count = total + moved.bytes, count + moved.files
        else:
            copy_file(here, there)
            total, count = total + os.stat(here).st_size, count + 1
    return total, count


#: The suffix of a directory that the job was submitted with: its runs leave their files there.
CHECKPOINT = ".checkpoint"
#: Suffixes of a set that is being made, and of the one that it replaces.
ARRIVING, LEAVING = ".tmp", ".old"
