"""Staged common files: made fit for being shared, and mapped into the scratch directories of jobs.

A directory of staged files is complete when no account may write into it: its own mode is the last thing that is set.
To be called with the rights of the jobs' owner, who can only map what they own.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator

from condor_py.machine.run import trees
from condor_py.machine.run.failures import TransferError
from condor_py.machine.run.job import Job
from condor_py.model.settings.starter import TransferSettings
from condor_py.model.states import VacateCode

#: Modes: of directories with staged files, and what files have besides the right to execute them.
_DIRECTORY, _FILE = 0o500, 0o444
#: VacateReasonSubCode.
_MAPPING_FAILED = 3


def freeze(top: str) -> None:
    """Makes everything below a directory read-only, and then the directory itself. OSError."""
    for folder, folders, names in os.walk(top, topdown=False):
        for name in names:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode):
                os.chmod(path, _FILE | (mode & 0o111))
        for name in folders:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, _DIRECTORY)
    os.chmod(top, _DIRECTORY)


def map_staged(job: Job, scratch: str, settings: TransferSettings, log: Callable[..., None]) -> None:
    """Maps staged common files into a scratch directory. TransferError, which does not hold the job."""
    for directory in job.staged:
        log("Mapping common files into job's initial working directory...")
        try:
            map_into(directory, scratch, settings.hard_links)
        except OSError as error:
            text = f"Failed to map files. ({error})"
            raise TransferError(VacateCode.JOB_NOT_STARTED, _MAPPING_FAILED, text) from None
        if settings.tests:
            log(f"cxfer: sizeOnDisk (mapping) = {trees.measure(scratch)[0]} (KiB)", "D_TEST")


def map_into(staged: str, scratch: str, link: bool) -> None:
    """Links (or copies) staged files into a scratch directory. What a job has of that name already is its own, and
    stays. OSError, also when the staged files are not complete."""
    _check(staged)
    for source, inside, is_directory in _entries(staged):
        target = os.path.join(scratch, inside)
        if is_directory:
            if not os.path.isdir(target):
                os.mkdir(target, 0o755)
        elif not os.path.lexists(target):
            _map_file(source, target, link)
    _check(staged)  # a process that removes the files meanwhile begins with this directory


def _check(staged: str) -> None:
    """OSError unless all files are there."""
    if stat.S_IMODE(os.lstat(staged).st_mode) != _DIRECTORY:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), staged)


def _map_file(source: str, target: str, link: bool) -> None:
    if link:
        try:
            os.link(source, target, follow_symlinks=False)
            return
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EMLINK, errno.EPERM, errno.ENOTSUP):
                raise
    shutil.copy(source, target)


def _entries(top: str) -> Iterator[tuple[str, str, bool]]:
    """Files and directories below ``top``, these before what is in them: path, path inside, whether a directory."""
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        with os.scandir(os.path.join(top, inside)) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        for entry in entries:
            path = os.path.join(inside, entry.name)
            if entry.is_dir(follow_symlinks=False):
                yield entry.path, path, True
                waiting.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.path, path, False
