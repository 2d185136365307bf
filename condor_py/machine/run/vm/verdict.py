"""What is reported of a machine that did not end by itself."""

from __future__ import annotations

import re
from dataclasses import replace

from condor_py.machine.run.verdict import held
from condor_py.machine.run.vm.keeper import End
from condor_py.machine.run.vm.spec import BAD_IMAGE
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, VacateCode

#: What qemu and libvirt say when the fault is this machine's, not the job's.
_OURS = re.compile(
    r"kvm|cannot run |allocate memory|guest memory|does not answer|signal \d|ended with|bridge|libvirt|"
    r"Could not open '/dev|socket|Error: ",
    re.IGNORECASE,
)
_DISK = "a disk cannot be written"
_DISK_FULL = 104
_NOT_RESUMED = BAD_IMAGE + 1


def judged(report: ExitReport, end: End | None, said: str, *, ran: bool, slot: str) -> ExitReport:
    """``report`` of a machine that ended as ``end`` (None: nobody has told). ``ran``: it had been started."""
    if report.hold_code or report.error or report.vacated:
        return report
    if said == _DISK:
        reason = f"The virtual machine stopped because {_DISK}: is there room on its file system?"
        return held(report, HoldCode.JOB_OUT_OF_RESOURCES, _DISK_FULL, reason)
    if end is End.NOT_RESUMED:
        return _held(report, _NOT_RESUMED, f"VMGAHP_ERR_VM_INVALID_SUSPEND_FILE: {said}", slot)
    if end is End.FAILED and not ran and not _OURS.search(said):
        return _held(report, BAD_IMAGE, f"VMGAHP_ERR_BAD_IMAGE: {said}", slot)
    why = said or "its keeper was killed"
    error = f"An internal error ended the virtual machine, the job runs again ({why})."
    return replace(report, error=error, vacate_code=int(VacateCode.VM_ERROR))


def _held(report: ExitReport, subcode: int, text: str, slot: str) -> ExitReport:
    return held(report, HoldCode.FAILED_TO_CREATE_PROCESS, subcode, f"Error from {slot}: {text}")
