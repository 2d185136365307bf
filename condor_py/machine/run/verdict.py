"""Reports about a run when a step of it fails."""

from __future__ import annotations

import errno
from dataclasses import replace

from condor_py.machine.run.destination import InvalidCheckpoint
from condor_py.machine.run.failures import TransferError
from condor_py.machine.run.identity import NotInGroup, UnknownAccount
from condor_py.machine.run.process import StartError
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode

TOO_DEEP = "Directories are nested too deeply"
#: What a step of the start may raise when the job, its files or the machine are not as they should be.
FAILURES = (StartError, TransferError, InvalidCheckpoint, UnknownAccount, NotInGroup, RecursionError, OSError)


def held(report: ExitReport, code: int, subcode: int, reason: str) -> ExitReport:
    """The job is to be held."""
    return replace(report, hold_code=int(code), hold_subcode=subcode, hold_reason=reason)


#: Hold subcode of disk.
_DISK = 104
_UNITS = ("KB", "MB", "GB", "TB")


def out_of_disk(report: ExitReport, allowed_kb: int) -> ExitReport:
    """The job has written more than it may."""
    allowed, used = byte_units(allowed_kb), byte_units(report.usage.disk_kb)
    reason = (
        f"Job has exceeded allocated disk ({allowed}). Last measured usage: {used}. "
        "Consider increasing the value of request_disk."
    )
    return held(report, HoldCode.JOB_OUT_OF_RESOURCES, _DISK, reason)


def byte_units(kb: float) -> str:
    """A size as HTCondor writes it: "1.50 GB"."""
    unit = 0
    while kb >= 1024 and unit < len(_UNITS) - 1:
        kb, unit = kb / 1024, unit + 1
    return f"{kb:.2f} {_UNITS[unit]}"


def transfer_failed(report: ExitReport, error: TransferError, why: str = "") -> ExitReport:
    """The job is held, or the run given up where another try may do better. ``why`` is added to the hold reason."""
    if error.holds:
        return held(report, error.code, error.subcode, f"{error}{why}")
    return replace(report, error=str(error), vacate_code=int(error.code), vacate_subcode=error.subcode)


def start_failed(report: ExitReport, error: Exception, slot: str) -> ExitReport:
    """One of FAILURES ended the start of a run: whether that is the job's fault, and the message for it."""
    match error:
        case StartError():
            failed = error.code == HoldCode.FAILED_TO_CREATE_PROCESS
            return held(report, error.code, error.subcode, f"Error from {slot}: {error}" if failed else str(error))
        case TransferError():
            return transfer_failed(report, error)
        case InvalidCheckpoint():  # the next run takes the one before
            return replace(report, error=aborting(error))
        case UnknownAccount():
            return held(report, HoldCode.FAILED_TO_ACCESS_USER_ACCOUNT, 0, str(error))
        case NotInGroup():
            return held(report, HoldCode.CANNOT_SWITCH_PRIMARY_GROUP, 0, str(error))
        case RecursionError():
            return held(report, HoldCode.UPLOAD_FILE_ERROR, errno.ELOOP, TOO_DEEP)
        case _:
            return replace(report, error=f"starter on {slot}: {error}")


def restart_failed(report: ExitReport, error: StartError | OSError, slot: str) -> ExitReport:
    """A program that paused for its checkpoint could not be started again."""
    if isinstance(error, StartError):
        return held(report, error.code, error.subcode, str(error))
    return replace(report, error=f"starter on {slot}: {error}")


def output_failed(report: ExitReport, error: OSError | RecursionError) -> ExitReport:
    """Output could not be brought back, for a reason that the transfer has no words for."""
    if isinstance(error, RecursionError):
        return held(report, HoldCode.DOWNLOAD_FILE_ERROR, errno.ELOOP, TOO_DEEP)
    return held(report, HoldCode.DOWNLOAD_FILE_ERROR, error.errno or 0, f"{error.strerror}: {error.filename}")


def aborting(error: InvalidCheckpoint) -> str:
    """Return the message about a checkpoint that is not what it was."""
    return f"{str(error).rstrip('.')}, aborting."
