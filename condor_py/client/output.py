"""Retrieval of the output of spooled jobs to the place of their submission."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

# All of it before the rights of an owner are taken, who may not be allowed to read it.
from condor_py.client.disk import DISK
from condor_py.core.jobs.spooled import input_files
from condor_py.lang.classad import ClassAd, ClassAdParseError, is_true
from condor_py.lang.classad import parse as parse_expression
from condor_py.machine.run.copying import copy_file
from condor_py.machine.run.identity import Account, UnknownAccount, account, as_user
from condor_py.machine.run.job import parse_remaps
from condor_py.machine.run.medium import Flusher
from condor_py.machine.run.transfer import find
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.selection import Selection
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.client.pool import Pool


def fetch_output(pool: Pool, constraint: str) -> None:
    """Copies what the spooled jobs among the chosen ones left to where they were submitted. CondorError when one is
    another user's, or a file cannot be copied."""
    jobs = [(job, ad) for job, ad in _selected(pool, constraint) if ad.text("SUBMIT_Iwd") is not None]
    begun = pool.now()
    for job, ad in jobs:
        if not pool.caller().may_change(ad):
            raise CondorError(f"ERROR: job {job} belongs to {ad.eval_str('Owner', 'somebody else')}")
        with as_user(_owner(ad)):  # root writes what the owner may write, and no more
            _fetch(ad)
    # One that runs, or may run again, has not left its last output yet, whatever it does meanwhile.
    if finished := [job for job, ad in jobs if ad.eval_int("JobStatus", 0) == JobStatus.COMPLETED]:
        _note(pool, finished, begun)


def _selected(pool: Pool, constraint: str) -> Iterator[tuple[JobId, ClassAd]]:
    try:
        condition = parse_expression(constraint)
    except ClassAdParseError:
        raise CondorError(f"ERROR: cannot parse the constraint {constraint}") from None
    for job, ad in pool.read_queue().jobs():
        if is_true(ad.evaluate(condition)):
            yield job, ad


def _owner(ad: ClassAd) -> Account | None:

    try:
        return account(ad.eval_str("OsUser", None) or ad.eval_str("Owner", "") or "")
    except UnknownAccount as error:
        raise CondorError(f"ERROR: {error}") from None


def _fetch(ad: ClassAd) -> None:
    """Copies what a job made from its directory in the spool."""
    spool, home = ad.eval_str("Iwd", "") or "", ad.eval_str("SUBMIT_Iwd", "") or ""
    begun = ad.eval_int("StageInFinish", 0) or 0
    brought = {place.partition("/")[0] for _, place in input_files(ad)}
    written: list[str] = []
    remaps = parse_remaps(ad.eval_str("SUBMIT_TransferOutputRemaps", None))
    if log := ad.eval_str("SUBMIT_UserLog", None):
        remaps[ad.eval_str("UserLog", "") or ""] = log
    for name in _files(spool):
        path = os.path.join(spool, name)
        try:
            if name.partition("/")[0] in brought and os.stat(path).st_mtime <= begun + 1:
                continue
            target = os.path.join(home, find(remaps, name) or name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            _copy(path, target)
            written.append(target)
        except OSError as error:
            if not os.path.lexists(path):
                gone = path if os.path.isdir(spool) else spool
                raise CondorError(f"ERROR: {gone} is gone: its files were fetched, or the job removed") from None
            raise CondorError(f"ERROR: cannot fetch {path}: {error.filename}: {error.strerror}") from None
    _keep(written, home)


#: What speaks against a second file beside the first, and not against writing the first.
_NO_SECOND = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG)


def _copy(path: str, target: str) -> None:
    """Copy a file of the spool. What was fetched before stays whole until the new copy is: the schedd may just be
    removing the file."""
    if os.path.isfile(target) and not os.path.islink(target) and os.stat(target).st_nlink == 1:
        try:
            _replace(path, target)
        except OSError as error:
            if error.errno not in _NO_SECOND:
                raise
        else:
            return
    copy_file(path, target)


def _replace(path: str, target: str) -> None:
    handle, fresh = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".fetched.")
    os.close(handle)
    try:
        copy_file(path, fresh)
        os.replace(fresh, target)
    except BaseException:  # ^C leaves nothing either
        with suppress(OSError):
            os.unlink(fresh)
        raise


def _keep(paths: list[str], home: str) -> None:
    """Wait until files are on the disk: what is in the spool is removed then."""
    flusher = Flusher(DISK, home)
    try:
        for path in paths:
            flusher.named(path)
        flusher.finish()
    except OSError as error:
        raise CondorError(f"ERROR: cannot write {error.filename}: {error.strerror}") from None


def _files(folder: str) -> Iterator[str]:
    """The files below a directory, by their names relative to it; links are what they are and not followed."""
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            if not os.path.islink(full):
                yield os.path.relpath(full, folder)


def _note(pool: Pool, jobs: list[JobId], begun: int) -> None:
    """Writes down when the output was fetched: finished jobs leave the queue for it."""
    times = [("StageOutStart", str(begun)), ("StageOutFinish", str(pool.now()))]
    pool.edit(Selection(ids=tuple(jobs)), times)
