"""The directories of spooled jobs: ``SPOOL/<cluster mod 10000>/<proc mod 10000>/cluster<C>.proc<P>.subproc0``.

While input arrives, a job's directory has the suffix ``.tmp``; it belongs to the job's owner, who fills it himself.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable

from condor_py.core.jobs.jobad import is_gang
from condor_py.lang.classad import ClassAd
from condor_py.machine.run import trees
from condor_py.machine.run.spool import ARRIVING, CHECKPOINT, LEAVING
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import HoldCode
from condor_py.store.fs import RealFs, describe

_ARRIVING = ".tmp"


def job_folder(spool: str, job: JobId) -> str:
    """Return the path of the directory with the files of a spooled job."""
    return f"{spool}/{job.cluster % 10_000}/{job.proc % 10_000}/cluster{job.cluster}.proc{job.proc}.subproc0"


def make_room(spool: str, job: JobId, owner: str, mode: int = 0o700) -> str:
    """An empty directory for the input of a job, for its owner to fill; of ``mode``, less the umask
    (JOB_SPOOL_PERMISSIONS). CondorError when it cannot be made."""
    path = job_folder(spool, job) + _ARRIVING
    try:
        os.makedirs(os.path.dirname(path), 0o755, exist_ok=True)
        trees.remove(path)
        os.mkdir(path, mode)
        if os.geteuid() == 0:
            account = pwd.getpwnam(owner)
            os.chown(path, account.pw_uid, account.pw_gid)
    except KeyError:
        raise CondorError(f"the owner {owner} of job {job} has no account on this machine") from None
    except OSError as error:
        raise CondorError(describe(error, "cannot make the directory of a spooled job", path)) from None
    return path


def close_room(spool: str, job: JobId) -> str:
    """The input of a job is complete (and on disk): its directory gets its name. CondorError when there is none."""
    path = job_folder(spool, job)
    if not os.path.lexists(path + _ARRIVING) and os.path.isdir(path):
        return path  # a schedd that died before it could tell of it has done this
    try:
        trees.remove(path)
        os.rename(path + _ARRIVING, path)
        for folder in (os.path.dirname(path), os.path.dirname(os.path.dirname(path)), spool):
            RealFs().sync_dir(folder)
    except OSError as error:
        raise CondorError(describe(error, "no input has arrived for a spooled job", path)) from None
    return path


def shared_room(spool: str, job: JobId, owner: str) -> str:
    """The directory that the nodes of a parallel job share, made when it is not there. CondorError when it cannot be
    made."""
    path = job_folder(spool, job)
    if not os.path.isdir(path):
        make_room(spool, job, owner)
        close_room(spool, job)
    return path


def has_room(ad: ClassAd) -> bool:
    """Whether a job was submitted with its files, or may have left some for its next run or its other nodes."""
    if is_gang(ad):
        return True
    if ad.text("WhenToTransferOutput") == '"ON_EXIT_OR_EVICT"':
        return True
    if any(ad.text(f"SuccessCheckpointExit{how}") is not None for how in ("Code", "Signal")):
        return True
    codes = (ad.eval_int("HoldReasonCode", 0), ad.eval_int("LastHoldReasonCode", 0))
    return ad.text("StageInStart") is not None or HoldCode.SPOOLING_INPUT in codes


def clear_room(spool: str, job: JobId, take_away: Callable[[str], None]) -> None:
    """The job has left the queue, and its files go."""
    path = job_folder(spool, job)
    above, name = os.path.split(path)
    left = name + CHECKPOINT
    try:
        there = os.listdir(above)  # the directory is ours; what is mounted on those in it may not answer
    except OSError:
        return
    for each in (name, name + _ARRIVING, name + LEAVING, left, left + ARRIVING, left + LEAVING):
        if each in there:
            take_away(f"{above}/{each}")
    for folder in (os.path.dirname(path), os.path.dirname(os.path.dirname(path))):
        try:
            os.rmdir(folder)
        except OSError:
            return  # others have files there
