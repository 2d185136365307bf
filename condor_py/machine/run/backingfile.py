"""A volume group on a file (LVM_BACKING_FILE) for the disks of jobs, on machines where no administrator has made one
for them.

    file -- loop device -- physical volume -- volume group [-- thin pool] -- volumes of jobs

The startd makes all that when it starts, and takes it away with the file when it ends. What one that was killed has
left is known by the file, and goes before it is made again. A file with anything else on it is left alone.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic, sleep

from condor_py.machine.run.logicalvolume import VolumeGroup, cannot_make
from condor_py.machine.run.machinetools import run
from condor_py.model.settings.starter import BackingFile

#: What LVM takes for itself: the file is that much larger.
_MORE = 1.02
#: What the machine's tools call a file that LVM uses.
_OF_LVM = "LVM2_member"
#: Bytes: as much as LVM takes for itself at the start of a file.
_HEAD = 1 << 20
_QUIET = ("--quiet", "--yes")
_NO_BACKUP = ("--autobackup", "n")
#: Seconds that volumes of jobs which were killed may be busy.
_PATIENCE = 5.0


def set_up(file: BackingFile, thin: bool) -> VolumeGroup:
    """The group, new and empty. OSError with the reason when it cannot be made; nothing of it is left then."""
    if reason := cannot_make():
        raise OSError(reason)
    _check(file)
    there = _loop_device(file.path)
    device = there or run("losetup", "--find", "--show", file.path).strip()
    try:
        _clear(file, device)
        if file.group in run("vgs", "--noheadings", "-o", "vg_name").split():
            raise OSError(f"there is another volume group {file.group} on this machine (LVM_AUTO_VG_NAME)")
        run("pvcreate", *_QUIET, device)
        run("vgcreate", *_QUIET, *_NO_BACKUP, file.group, device)
        if thin:
            how = "--type", "thin-pool", "--extents", "100%FREE", "--name", pool_of(file)
            run("lvcreate", *_QUIET, *_NO_BACKUP, *how, file.group)
    except OSError:
        if any(take_down(file)) and not there:
            run("losetup", "--detach", device)
        raise
    return VolumeGroup(file.group, pool_of(file) if thin else "")


def pool_of(file: BackingFile) -> str:
    """Return the name of the thin pool of a backing file."""
    return f"{file.group}_THINPOOL"


def take_down(file: BackingFile) -> Iterator[str]:
    """Remove the group with all that is in it, and the file. If it stays, the log says why; the next ``set_up`` clears
    it."""
    try:
        device = _loop_device(file.path)
        if device:
            _clear(file, device)
            run("losetup", "--detach", device)
        os.unlink(file.path)
    except OSError as error:
        yield " ".join(str(error).split())


def _check(file: BackingFile) -> None:
    """Makes the file, or sees that it may be used. OSError."""
    size = int(file.size_mb * 1024 * _MORE) * 1024
    how = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        descriptor = os.open(file.path, how, 0o600)
    except FileExistsError:
        _judge(file.path, size)
        return
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError:
        os.unlink(file.path)
        raise
    finally:
        os.close(descriptor)


def _judge(path: str, size: int) -> None:
    found = os.stat(path, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no plain file", path)
    if found.st_size < size:
        raise OSError(errno.ENOSPC, f"it has {found.st_size >> 20} MB, and {size >> 20} are needed", path)
    if (kind := _kind(path)) not in ("", _OF_LVM):
        raise OSError(errno.EEXIST, f"there is something else on it ({kind})", path)
    if not kind and not _is_blank(path):
        raise OSError(errno.EEXIST, "there is something else on it; remove it if it may go", path)


def _is_blank(path: str) -> bool:
    """Whether nothing has been written where anything begins that the machine may have no name for."""
    with open(path, "rb") as file:
        return not any(file.read(_HEAD))


def _kind(path: str) -> str:
    """Return the kind of contents of a file, as wipefs names it; "" for none that is known."""
    return " ".join(run("wipefs", "--noheadings", "--output", "TYPE", path).split())


def _loop_device(path: str) -> str:
    """The device that is on a file; "" for none."""
    with suppress(FileNotFoundError):
        os.stat(path)
        return run("losetup", "--noheadings", "--output", "NAME", "--associated", path).partition("\n")[0].strip()
    return ""


def _clear(file: BackingFile, device: str) -> None:
    """Takes everything of LVM's from the file. OSError when that is not ours, or in use."""
    if _kind(device):
        group = run("pvs", "--noheadings", "-o", "vg_name", device).strip()
        if group not in ("", file.group):
            raise OSError(errno.EEXIST, f"there is the volume group {group} on it", file.path)
        if group:
            _patiently(lambda: run("vgremove", *_QUIET, "--force", group))
        run("pvremove", *_QUIET, device)


def _patiently(work: Callable[[], object]) -> None:
    deadline = monotonic() + _PATIENCE
    while True:
        try:
            work()
        except OSError:
            if monotonic() > deadline:
                raise
            sleep(0.2)
        else:
            return
