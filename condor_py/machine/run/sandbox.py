"""The execute directory of a starter: ``dir_PID/`` with a new ``scratch/`` for every job."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from condor_py.machine.run import encryption, trees
from condor_py.machine.run.filesystem import FileSystem
from condor_py.machine.run.identity import Account, account_of
from condor_py.machine.run.logicalvolume import LogicalVolume, VolumeGroup
from condor_py.machine.run.medium import Medium
from condor_py.machine.run.namespaces import may_mount
from condor_py.machine.run.projectquota import ProjectQuota, has_quotas
from condor_py.machine.run.userfiles import open_user_file
from condor_py.machine.run.volume import Volume, may_make_volumes
from condor_py.machine.run.volume import remove as remove_volume
from condor_py.model.settings.starter import ScratchVolume, StarterSettings, TransferSettings

#: Names of the files with the ads, and their permissions.
_JOB_AD, _MACHINE_AD = ".job.ad", ".machine.ad"
_OURS = frozenset((_JOB_AD, _MACHINE_AD))
_AD_MODE = 0o644


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Paths of one starter. ``scratch`` belongs to the job's owner and is private to them."""

    root: str
    #: Permissions of the scratch directory.
    mode: int = 0o700
    #: What limits the scratch directory: a file system of its own, or a quota; None for nothing.
    volume: FileSystem | ProjectQuota | None = None
    #: The job's scratch directory.
    scratch: str = field(init=False)
    #: Paths of the job's own ad and of the slot's ad for the job.
    job_ad: str = field(init=False)
    machine_ad: str = field(init=False)

    def __post_init__(self) -> None:
        scratch = f"{self.root}/scratch"
        for name, path in (("scratch", ""), ("job_ad", f"/{_JOB_AD}"), ("machine_ad", f"/{_MACHINE_AD}")):
            object.__setattr__(self, name, scratch + path)

    @property
    def encrypted(self) -> bool:
        """Whether what is written into the scratch directory is encrypted."""
        return self.volume is not None and isinstance(self.volume, FileSystem) and self.volume.encrypted

    def over_disk(self) -> bool:
        """Whether the job has written more than the file system of its scratch directory is for."""
        return self.volume is not None and self.volume.look(self.scratch)

    @property
    def disk_kb(self) -> int:
        """KB that a job may write; 0 where nothing sees to that."""
        return 0 if self.volume is None else self.volume.size_kb

    def spare(self, uid: int) -> str:
        """A directory for the next job of an account, which no other account can enter; only the ads of the job before
        are in it. Another account's job gets a new one: a process that had it open before sees the names of what is
        put into it."""
        return f"{self.root}/.spare{uid}"

    def account(self) -> Account | None:
        """The account that owns the scratch directory and that the job runs as; None for an id without an account.
        OSError when the directory is gone."""
        return account_of(os.stat(self.scratch, follow_symlinks=False).st_uid)


@dataclass(frozen=True, slots=True)
class Place:
    """The surroundings in which a starter runs jobs. ``base_environment`` is that of environment.base_environment.

    ``wrapper`` is USER_JOB_WRAPPER, empty for none.
    """

    slot: str
    access_point: str
    sandbox: Sandbox
    machine_ad: str
    base_environment: dict[str, str]
    wrapper: str = ""
    transfer: TransferSettings = field(default_factory=TransferSettings)
    #: Takes lines for the starter's log.
    log: Callable[..., None] = print
    #: Seconds since 1970, for what has to show the time to others.
    clock: Callable[[], float] = lambda: 0.0
    #: What output is written to before the end of its job is reported; None where that is not waited for.
    medium: Medium | None = None


def create_root(
    execute: str, pid: int, mode: int = 0o700, disk: ScratchVolume | None = None, disk_kb: int = 0
) -> Sandbox:
    """Makes ``EXECUTE/dir_PID``; a left-over of a former process with this pid is removed first. With ``disk`` the
    scratch directory can take ``disk_kb`` (FileSystem, ProjectQuota)."""
    root = f"{execute}/dir_{pid}"
    remove_volume(root, f"{root}/scratch")
    trees.remove(root)
    os.mkdir(root, 0o755)
    return Sandbox(root, mode, _limited(root, pid, disk, disk_kb) if disk is not None else None)


def _limited(root: str, pid: int, disk: ScratchVolume, size_kb: int) -> FileSystem | ProjectQuota | None:
    """A logical volume where there is a group for them. Else what is to be set aside for the job takes a file, and for
    the rest a quota does, where the file system has them. None where neither can be had."""
    if disk.group and not (group := group_of(disk)).why_not():
        return LogicalVolume(root, size_kb, group)
    if disk.thin and has_quotas(root):
        return ProjectQuota(pid, size_kb)
    return Volume(root, size_kb, disk.thin) if may_make_volumes() else None


def why_not_encrypted(settings: StarterSettings) -> str:
    """Why scratch directories cannot be encrypted; "" when they can."""
    if settings.disable_execute_directory_encryption:
        return "DISABLE_EXECUTE_DIRECTORY_ENCRYPTION is true"
    if reason := encryption.why_not():
        return reason
    return "" if may_mount() and may_make_volumes() else "scratch directories cannot be file systems of their own"


def encrypted(sandbox: Sandbox, disk: ScratchVolume | None, size_kb: int, refused: str) -> Sandbox:
    """The same with an encrypted file system for the scratch directory of a job, in the group for logical volumes or a
    file. With ``refused``, the reason, none is made, and no scratch directory either."""
    disk = disk or ScratchVolume(thin=True)  # nothing is to be set aside
    volume: FileSystem
    if disk.group and not (group := group_of(disk)).why_not():
        volume = LogicalVolume(sandbox.root, size_kb, group, encrypted=True, refused=refused)
    else:
        volume = Volume(sandbox.root, size_kb, disk.thin, encrypted=True, refused=refused)
    return replace(sandbox, volume=volume)


def group_of(disk: ScratchVolume) -> VolumeGroup:
    """Return the group in which logical volumes are made."""
    return VolumeGroup(disk.group, disk.pool, disk.extra_mb)


def create_scratch(sandbox: Sandbox, owner: Account | None, job_ad: str, machine_ad: str) -> None:
    """A fresh scratch directory with the two ads in it. It becomes the owner's when it is complete, not before: then
    they may put a link where a file was.
    """
    to = owner if owner is not None and os.geteuid() == 0 else None
    if sandbox.volume is not None:
        sandbox.volume.make(sandbox.scratch)
    else:
        _make_scratch(sandbox, os.geteuid() if to is None else to.uid)
    _write(sandbox.job_ad, job_ad, to)
    _write(sandbox.machine_ad, machine_ad, to)
    if sandbox.mode != 0o700:  # mkdir obeys the umask
        os.chmod(sandbox.scratch, sandbox.mode)
    if to is not None:
        os.chown(sandbox.scratch, to.uid, to.gid)


def _make_scratch(sandbox: Sandbox, uid: int) -> None:
    try:
        os.rename(sandbox.spare(uid), sandbox.scratch)
    except FileNotFoundError:
        os.mkdir(sandbox.scratch, 0o700)


def hand_over(sandbox: Sandbox, giver: Account, to: Account, linked: bool = True) -> None:
    """Gives the scratch directory and what is in it of one account to another; unless ``linked`` without files that
    are there for others as well (common files)."""
    trees.hand_over(sandbox.scratch, giver.uid, to.uid, to.gid, linked)


def replace_job_ad(sandbox: Sandbox, job_ad: str) -> None:
    """Another file for the job's own ad; to be called with the rights of its owner."""
    trees.remove(sandbox.job_ad)
    _write(sandbox.job_ad, job_ad)


def append_job_ad(sandbox: Sandbox, attributes: Mapping[str, str]) -> None:
    """Adds attributes to the job's own ad; to be called with the rights of its owner. OSError."""
    descriptor = open_user_file(sandbox.job_ad, os.O_WRONLY | os.O_APPEND)
    try:
        lines = "".join(f"{name} = {text}\n" for name, text in attributes.items())
        os.write(descriptor, lines.encode("utf-8", "surrogateescape"))
    finally:
        os.close(descriptor)


def _write(path: str, text: str, to: Account | None = None) -> None:
    data = text.encode("utf-8", "surrogateescape")
    if _rewrite(path, data, to):
        return
    trees.remove(path)
    with open(open_user_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _AD_MODE), "wb") as file:
        file.write(data)
        if to is not None:
            os.fchown(file.fileno(), to.uid, to.gid)


def _rewrite(path: str, data: bytes, to: Account | None) -> bool:
    """Writes into the file of the account's job before, which spares the file system much; False where there is none,
    or it is not as we made it (another account could read or write it, or it has another name)."""
    try:
        descriptor = open_user_file(path, os.O_WRONLY)
    except OSError:
        return False
    try:
        found = os.fstat(descriptor)
        owner = (os.geteuid(), os.getegid()) if to is None else (to.uid, to.gid)
        plain = found.st_mode == stat.S_IFREG | _AD_MODE and found.st_nlink == 1
        if not plain or (found.st_uid, found.st_gid) != owner or _more_than_new(descriptor):
            return False
        if os.pwrite(descriptor, data, 0) != len(data):
            return False
        if found.st_size > len(data):
            os.ftruncate(descriptor, len(data))
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def remove_scratch(sandbox: Sandbox) -> None:
    """Removes the scratch directory and everything in it, also what the job made unreadable."""
    if sandbox.volume is not None:
        sandbox.volume.remove(sandbox.scratch)
        return
    try:
        _put_by(sandbox)
    except OSError:
        remove_tree(sandbox.scratch)


def clear_scratch(place: Place) -> None:
    """Remove the scratch directory of a run. What cannot be removed now, as a volume that is busy, goes when the
    starter has left: the run is what it is."""
    try:
        remove_scratch(place.sandbox)
    except OSError as error:
        place.log(f"cannot remove {place.sandbox.scratch}: {' '.join(str(error).split())}")


def _put_by(sandbox: Sandbox) -> None:
    """Keeps an empty scratch directory for the next job, as if it were new: while other files are synced, to remove one
    makes us wait for many milliseconds. The two ads stay, and are written again. OSError when there is more in it, or
    it cannot be like a new one."""
    uid = os.stat(sandbox.scratch, follow_symlinks=False).st_uid
    if os.geteuid() == 0:
        os.chown(sandbox.scratch, 0, 0)
    os.chmod(sandbox.scratch, 0o700)
    if not _OURS.issuperset(os.listdir(sandbox.scratch)) or _more_than_new(sandbox.scratch):
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), sandbox.scratch)
    os.rename(sandbox.scratch, sandbox.spare(uid))


def _more_than_new(path: str | int) -> bool:
    """Whether a file or directory has access lists or other attributes that users may set."""
    try:
        names = os.listxattr(path)
        return bool(names) and any(not name.startswith("security.") for name in names)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return False
        raise


def remove_tree(path: str) -> None:
    """Takes a tree away as far as that is possible, also what a job locked."""
    try:
        trees.remove(path)
    except OSError:
        return
