"""A file system for the scratch directory of a job: a file of the size of the slot's disk, on a loop device.

What the job writes cannot take more than that from others. HTCondor makes logical volumes for it, for which the kernel
needs a device mapper; a file does the same without. It lies beside the scratch directory that is mounted from it, so
that whoever removes a left-over finds both. Only root can mount.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from dataclasses import dataclass, field

from condor_py.starter.namespaces import unmount

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_MAKER = "mkfs.ext4"
_CONTROL = "/dev/loop-control"
#: Beside the scratch directory.
_IMAGE = ".volume"
#: No journal, as nothing of it outlives the machine's next start; nothing set aside for root.
_FORMAT = ("-q", "-F", "-m", "0", "-b", "4096", "-O", "^has_journal", "-E", "lazy_itable_init=1,nodiscard")
_MOUNT = ("-t", "ext4", "-o", "loop,nosuid,nodev,noatime")
#: What the file system itself needs on top of what the job may use: KB, and a part of that.
_OWN_KB, _OWN_PART = 4096, 0.03
#: With less left than this, in KB, a file system is full.
_FULL_KB = 64
_PATIENCE = 60


def may_make_volumes() -> bool:
    """Whether this machine can: root, with loop devices and mkfs.ext4."""
    return os.geteuid() == 0 and os.path.exists(_CONTROL) and shutil.which(_MAKER, path=_PATH) is not None


@dataclass(slots=True)
class Volume:
    """The file system of a starter's scratch directory, made anew for every job of at most ``size_kb``. ``thin``: its
    blocks are taken from the machine's file system when they are written, not at once.

    ``exceeded`` tells that the job has written more.
    """

    root: str
    size_kb: int
    thin: bool = False
    exceeded: bool = field(default=False, init=False)

    def make(self, place: str) -> None:
        """Makes and mounts it at ``place``, a new directory. OSError, with what failed, when that cannot be done."""
        self.exceeded = False
        image = f"{self.root}/{_IMAGE}"
        try:
            self._allocate(image)
            _run(_MAKER, *_FORMAT, image)
            os.mkdir(place, 0o700)
            _run("mount", *_MOUNT, image, place)
            os.rmdir(f"{place}/lost+found")
            os.chmod(place, 0o700)
        except OSError as error:
            remove(self.root, place)
            text = f"Failed to create a volume for the scratch directory: {error}"
            raise OSError(error.errno or errno.EIO, text) from None

    def _allocate(self, image: str) -> None:
        size = 1024 * (self.size_kb + _OWN_KB + int(self.size_kb * _OWN_PART))
        descriptor = os.open(image, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            if self.thin:
                os.ftruncate(descriptor, size)
            else:
                os.posix_fallocate(descriptor, 0, size)
        finally:
            os.close(descriptor)

    def remove(self, place: str) -> None:
        """Takes it away."""
        remove(self.root, place)

    def look(self, place: str) -> bool:
        """Whether the job has written more than it may, now or before."""
        try:
            status = os.statvfs(place)
        except OSError:
            return self.exceeded
        used = (status.f_blocks - status.f_bfree) * status.f_frsize // 1024
        left = status.f_bavail * status.f_frsize // 1024
        self.exceeded = self.exceeded or used > self.size_kb or left < _FULL_KB
        return self.exceeded


def remove(root: str, place: str) -> bool:
    """Takes the volume of a starter's directory ``root`` away from ``place``; False when there is none."""
    image = f"{root}/{_IMAGE}"
    if not os.path.lexists(image):
        return False
    while os.path.ismount(place):
        unmount(place)
    if os.path.isdir(place):
        os.rmdir(place)
    os.unlink(image)
    return True


def _run(*words: str) -> None:
    """OSError when it fails, or takes too long."""
    try:
        done = subprocess.run(
            words,
            executable=shutil.which(words[0], path=_PATH),
            env={"PATH": _PATH, "LC_ALL": "C"},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OSError(errno.ETIMEDOUT, f"{words[0]} took more than {_PATIENCE} seconds") from None
    if done.returncode:
        raise OSError(f"{words[0]}: {done.stderr.strip() or f'exit status {done.returncode}'}")
