"""The job ads of the vm universe."""

from __future__ import annotations

from condor_py.lang.submit import units
from condor_py.lang.submit.job import JobMaker, strip_quotes
from condor_py.model.states import Universe
from condor_py.model.texts import leading_number

_MB = 1024 * 1024
#: MB of which 64 bits do not hold the bytes.
_TOO_MUCH = 2**63 // _MB
_FLAGS = (("vm_checkpoint", "JobVMCheckpoint"), ("vm_networking", "JobVMNetworking"), ("vm_vnc", "JobVMVNCConsole"))
_XEN_WITHOUT_FILE = ("included", "vmx")
CHECKPOINT_AND_NETWORK = (
    "You explicitly requested both VM checkpoint and VM networking. However, VM networking is currently conflict with "
    "VM checkpoint. If you still want to use both VM networking and VM checkpoint, you explicitly must define "
    '"when_to_transfer_output = ON_EXIT_OR_EVICT"'
)


def set_vm(job: JobMaker) -> None:
    """JobVMType, JobVMMemory and what else describes the machine. Fails the job when something is missing."""
    if job.universe != Universe.VM:
        return
    kind = job.param("vm_type", "JobVMType")
    if kind is not None:
        job.assign_string("JobVMType", kind.lower())
    elif not job.has("JobVMType"):
        job.warn(
            "vm_type is not set: no machine offers a virtual machine without a type, such as kvm\n", once="vm_type"
        )
    for command, attribute in _FLAGS:
        if job.param(command, attribute) is not None:
            job.assign_bool(attribute, job.param_bool(command, attribute))
        elif not job.has(attribute):
            job.assign_bool(attribute, False)
    if job.boolean("JobVMNetworking", False):
        job.string_command("vm_networking_type", "JobVMNetworkingType")
    _set_memory(job)
    cpus = job.param("vm_vcpus")
    if cpus is not None:
        job.assign_int("JobVM_VCPUS", max(1, leading_number(cpus)))
    elif not job.has("JobVM_VCPUS"):
        job.assign_int("JobVM_VCPUS", 1)
    job.string_command("vm_macaddr", "JobVM_MACADDR")
    if job.param("vm_no_output_vm") is not None:
        job.assign_bool("VMPARAM_No_Output_VM", job.param_bool("vm_no_output_vm"))
    kind = job.string("JobVMType") or ""
    if kind == "xen":
        _set_xen(job)
    if kind in ("xen", "kvm"):
        _set_disk(job)
    elif kind == "vmware":
        raise job.fail("A vm_type of 'vmware' is no longer supported\n")


def _set_memory(job: JobMaker) -> None:
    value = job.param("vm_memory")
    if value is not None:
        size = units.parse_size(value, _MB)
        if size is None or not 0 < size[0] < _TOO_MUCH:
            raise job.fail(
                "vm_memory is incorrectly specified\nFor example, for vm memroy of 128 Megabytes,\n"
                "you need to use 128 in your submit description file.\n"
            )
        job.assign_int("JobVMMemory", size[0])
    elif not job.has("JobVMMemory"):
        raise job.fail(
            "vm_memory cannot be found.\nPlease specify vm_memory for vm universe in your submit description file.\n"
        )
    job.assign_int("ExecutableSize", job.integer("JobVMMemory", 0) * 1024)


def _set_xen(job: JobMaker) -> None:
    kernel = job.param("xen_kernel", "VMPARAM_Xen_Kernel")
    if kernel is not None:
        job.assign_string("VMPARAM_Xen_Kernel", kernel)
    elif (kernel := job.string("VMPARAM_Xen_Kernel")) is None:
        raise job.fail(
            "'xen_kernel' cannot be found.\nPlease specify 'xen_kernel' for the xen virtual machine in your submit "
            'description file.\nxen_kernel must be one of "included", "vmx", <file-name>.\n'
        )
    is_file = kernel.lower() not in _XEN_WITHOUT_FILE
    if kernel.lower() == "vmx":
        job.assign_bool("JobVMHardwareVT", True)
    initrd = job.param("xen_initrd")
    if initrd is not None:
        if not is_file:
            raise job.fail("To use xen_initrd, xen_kernel should be a real kernel file.\n")
        job.assign_string("VMPARAM_Xen_Initrd", initrd)
    if is_file:
        root = job.param("xen_root")
        if root is None:
            raise _missing(job, "xen_root", "xen virtual machine")
        job.assign_string("VMPARAM_Xen_Root", root)
    parameters = job.param("xen_kernel_params", "VMPARAM_Xen_Kernel_Params")
    if parameters:
        job.assign_string("VMPARAM_Xen_Kernel_Params", _bare(parameters))


def _bare(text: str) -> str:
    """Without the quotes of either kind around it."""
    quoted = len(text) > 1 and text[0] == text[-1] == "'"
    return text[1:-1] if quoted else strip_quotes(text)


def _set_disk(job: JobMaker) -> None:
    disk = job.param("vm_disk")
    if disk is None:
        if not job.has("VMPARAM_vm_Disk"):
            raise _missing(job, "<vm>_disk", "virtual machine")
        return
    parts = [part for part in disk.split(",") if part.strip()]  # spaces are part of a name
    if not parts or not all(part.count(":") in (2, 3) for part in parts):
        raise job.fail(
            "'vm_disk' has incorrect format.\nThe format shoud be like \"<filename>:<devicename>:<permission>\"\n"
            "e.g.> For single disk: <vm>_disk = filename1:hda1:w\n"
            "      For multiple disks: <vm>_disk = filename1:hda1:w,filename2:hda2:w\n"
        )
    job.assign_string("VMPARAM_vm_Disk", disk)


def _missing(job: JobMaker, command: str, machine: str) -> Exception:
    return job.fail(
        f"'{command}' cannot be found.\nPlease specify '{command}' for the {machine} in your submit description file.\n"
    )


def when_to_transfer(job: JobMaker) -> str | None:
    """WhenToTransferOutput, which follows from the checkpoint; None where that and the network exclude each other."""
    if not job.boolean("JobVMCheckpoint", False):
        return "ON_EXIT"
    if job.boolean("JobVMNetworking", False):
        given = job.param("WhenToTransferOutput", "when_to_transfer_output") or ""
        if given.upper() != "ON_EXIT_OR_EVICT":
            return None
    return "ON_EXIT_OR_EVICT"


#: (clause, machine attribute that the user's expression may read instead)
_PLATFORM = (
    ("(TARGET.HasVM =?= true)", "hasvm"),
    ("(TARGET.VM_Type == MY.JobVMType)", "vm_type"),
    ("(TARGET.VM_AvailNum > 0)", "vm_availnum"),
)
_SAME_ADDRESS = (
    "((MY.VM_CkptMac =?= UNDEFINED) || (TARGET.VM_All_Guest_Macs =?= UNDEFINED) || "
    '(stringListIMember(MY.VM_CkptMac, TARGET.VM_All_Guest_Macs, ",") == FALSE))'
)


def platform_clauses(job: JobMaker, machine: frozenset[str]) -> list[str]:
    """Return clauses of Requirements on the machine's software; ``machine`` are the names that the user's expression
    reads."""
    clauses = [clause for clause, name in _PLATFORM if name not in machine]
    if job.boolean("JobVMCheckpoint", False):
        clauses.append(_SAME_ADDRESS)
    return clauses


def size_clauses(job: JobMaker, machine: frozenset[str]) -> list[str]:
    """Return clauses of Requirements on the machine's memory and network."""
    clauses = []
    if job.string("JobVMType") != "xen":
        clauses.append("(TARGET.TotalMemory >= MY.JobVMMemory)")
    if "vm_memory" not in machine:
        clauses.append("(TARGET.VM_Memory >= MY.JobVMMemory)")
    if job.boolean("JobVMHardwareVT", False) and "vm_hardwarevt" not in machine:
        clauses.append("TARGET.VM_HardwareVT")
    if job.boolean("JobVMNetworking", False):
        if "vm_networking" not in machine:
            clauses.append("TARGET.VM_Networking")
        if job.has("JobVMNetworkingType"):
            clauses.append('stringListIMember(JobVMNetworkingType,TARGET.VM_Networking_Types,",")')
    return clauses
