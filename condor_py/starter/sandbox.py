"""The execute directory of a starter: ``dir_PID/`` with ``scratch/`` anew for every job."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass

from condor_py.starter.identity import Account


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Paths of one starter. ``scratch`` belongs to the job's owner and is private to him."""

    root: str
    #: Permissions of the scratch directory.
    mode: int = 0o700

    @property
    def scratch(self) -> str:
        """The job's scratch directory."""
        return self.root + "/scratch"

    @property
    def job_ad(self) -> str:
        """Where the job finds its own ad."""
        return self.root + "/scratch/.job.ad"

    @property
    def machine_ad(self) -> str:
        """Where the job finds the ad of its slot."""
        return self.root + "/scratch/.machine.ad"


def create_root(execute: str, pid: int, mode: int = 0o700) -> Sandbox:
    """Makes ``EXECUTE/dir_PID``; a left-over of a former process with this pid is removed first."""
    root = f"{execute}/dir_{pid}"
    if os.path.lexists(root):
        shutil.rmtree(root)
    os.mkdir(root, 0o755)
    return Sandbox(root, mode)


def create_scratch(sandbox: Sandbox, owner: Account | None, job_ad: str, machine_ad: str) -> None:
    """A fresh scratch directory with the two ads in it."""
    os.mkdir(sandbox.scratch, 0o700)
    if sandbox.mode != 0o700:  # mkdir obeys the umask
        os.chmod(sandbox.scratch, sandbox.mode)
    _write(sandbox.job_ad, job_ad)
    _write(sandbox.machine_ad, machine_ad)
    if owner is not None and os.geteuid() == 0:
        for path in (sandbox.scratch, sandbox.job_ad, sandbox.machine_ad):
            os.chown(path, owner.uid, owner.gid)


def hand_over(sandbox: Sandbox, to: Account) -> None:
    """Gives the scratch directory and all that is in it to another account. Links are not followed."""
    os.lchown(sandbox.scratch, to.uid, to.gid)
    for directory, directories, files in os.walk(sandbox.scratch):
        for name in (*directories, *files):
            os.lchown(os.path.join(directory, name), to.uid, to.gid)


def replace_job_ad(sandbox: Sandbox, job_ad: str) -> None:
    """Another text for the job's own ad; the file stays who it belongs to."""
    with open(sandbox.job_ad, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(job_ad)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        os.write(descriptor, text.encode("utf-8", "surrogateescape"))
    finally:
        os.close(descriptor)


def remove_scratch(sandbox: Sandbox) -> None:
    """Removes the scratch directory and everything in it, also what the job made unreadable."""
    try:
        for name in (sandbox.job_ad, sandbox.machine_ad):
            os.unlink(name)
        os.rmdir(sandbox.scratch)
    except OSError:
        remove_tree(sandbox.scratch)


def remove_tree(path: str) -> None:
    """rmtree that first gives itself the right to enter directories a job locked."""

    def unlock(function: object, name: str, error: object) -> None:
        parent = os.path.dirname(name)
        try:
            os.chmod(parent, 0o700)
            if os.path.isdir(name) and not os.path.islink(name):
                os.chmod(name, 0o700)
                shutil.rmtree(name, ignore_errors=True)
            else:
                os.unlink(name)
        except OSError:
            return

    if os.path.lexists(path):
        shutil.rmtree(path, onerror=unlock)


def disk_usage(path: str) -> tuple[int, int]:
    """KB that the files below ``path`` occupy, and how many files and directories there are; links are not followed."""
    total = count = 0
    waiting = [path]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks
        except OSError:
            continue
    return (total + 1) // 2, count
