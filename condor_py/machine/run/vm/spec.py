"""The virtual machine that a job ad describes."""

from __future__ import annotations

import os
import random
import re
from dataclasses import dataclass

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.process import StartError
from condor_py.model.settings.virtual import VmSettings
from condor_py.model.states import HoldCode

#: Least memory of a machine in MB.
_LEAST = 32
_FORMAT = re.compile(r"[a-z0-9-]{1,20}\Z")
_DEVICE = re.compile(r"(vd|sd|hd|xvd)[a-z]\d*\Z")
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}\Z")
#: What HTCondor says, in the order of its hold subcodes.
_COMPLAINTS = (
    "NO_VM_MEMORY_PARAM", "XEN_NO_KERNEL_PARAM", "MISMATCHED_HARDWARE_VT", "XEN_KERNEL_NOT_FOUND",
    "XEN_INITRD_NOT_FOUND", "XEN_NO_ROOT_DEVICE_PARAM", "XEN_NO_DISK_PARAM", "XEN_INVALID_DISK_PARAM",
    "XEN_MISMATCHED_CHECKPOINT", "KVM_NO_DISK_PARAM", "KVM_INVALID_DISK_PARAM", "KVM_MISMATCHED_CHECKPOINT",
)  # fmt: skip
BAD_IMAGE = len(_COMPLAINTS)


@dataclass(frozen=True, slots=True)
class Disk:
    """A file that is a disk. ``device`` is what it is called inside (vda), ``format`` how it is written (raw, qcow2).
    ``ours``: it is in the scratch directory."""

    path: str
    device: str
    writable: bool
    format: str = "raw"
    ours: bool = True

    @property
    def is_cdrom(self) -> bool:
        """A file with .iso in its name is one, as HTCondor has it."""
        return ".iso" in self.path


@dataclass(frozen=True, slots=True)
class Boot:
    """A kernel that is started without a boot loader: paths, "" for those that are not given."""

    kernel: str = ""
    initrd: str = ""
    parameters: str = ""


@dataclass(frozen=True, slots=True)
class VmSpec:
    """``memory`` in MB; ``network`` is a kind of network or "" for none, ``mac`` its hardware address; ``console`` is
    the file that gets what the machine writes to its serial line, "" for none. ``checkpoints``: it is saved when it
    has to go."""

    name: str
    memory: int
    cpus: int
    disks: tuple[Disk, ...]
    boot: Boot = Boot()
    network: str = ""
    bridge: str = ""
    mac: str = ""
    vnc: bool = False
    checkpoints: bool = False
    console: str = ""


def complaint(index: int, detail: str) -> StartError:
    """Return the error with which a job with an invalid description is held."""
    name = f"VMGAHP_ERR_JOBCLASSAD_{_COMPLAINTS[index]}" if index < BAD_IMAGE else "VMGAHP_ERR_BAD_IMAGE"
    return StartError(HoldCode.FAILED_TO_CREATE_PROCESS, index, f"{name}: {detail}" if detail else name)


def read_spec(ad: ClassAd, directory: str, settings: VmSettings) -> VmSpec:
    """The machine of a job whose files are in ``directory``; to be called with the rights of its owner.

    StartError for what is the job's fault, OSError where it is on the wrong machine.
    """
    memory = ad.eval_int("JobVMMemory", None) or ad.eval_int("RequestMemory", None)
    if not memory or memory <= 0:
        raise complaint(_COMPLAINTS.index("NO_VM_MEMORY_PARAM"), "")
    if memory > settings.memory:
        raise OSError(12, f"VMGAHP_ERR_JOBCLASSAD_TOO_MUCH_MEMORY_REQUEST: {memory} MB, VM_MEMORY is {settings.memory}")
    cpus = ad.eval_int("JobVM_VCPUS", None) or ad.eval_int("RequestCpus", None) or 1
    network = _network(ad, settings)
    console = os.path.basename(ad.eval_str("VMConsole", None) or "")
    return VmSpec(
        name=f"condor_{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}",
        memory=max(_LEAST, memory),
        cpus=max(1, cpus),
        disks=_disks(ad, directory),
        boot=_boot(ad, directory),
        network=network,
        bridge=settings.bridge,
        mac=_mac(ad, settings) if network else "",
        vnc=ad.eval_bool("JobVMVNCConsole", False) is True,
        checkpoints=ad.eval_bool("JobVMCheckpoint", False) is True,
        console=os.path.join(directory, console) if console else "",
    )


def _network(ad: ClassAd, settings: VmSettings) -> str:
    if ad.eval_bool("JobVMNetworking", False) is not True:
        return ""
    if not settings.networks:
        raise OSError(95, "VMGAHP_ERR_JOBCLASSAD_MISMATCHED_NETWORKING: no network for virtual machines here")
    kind = (ad.eval_str("JobVMNetworkingType", None) or "").strip().lower() or settings.network
    if kind not in settings.networks:
        raise OSError(95, f"VMGAHP_ERR_JOBCLASSAD_MISMATCHED_NETWORKING_TYPE: {kind}")
    return kind


def _mac(ad: ClassAd, settings: VmSettings) -> str:
    """The address that the job wants, or that its saved machine has, or one that is made up."""
    for name in ("VM_CkptMac", "JobVM_MACADDR"):
        given = (ad.eval_str(name, None) or "").strip().lower().replace("-", ":")
        if given and not _MAC.match(given):
            raise StartError(HoldCode.FAILED_TO_CREATE_PROCESS, 22, f"{name} is no hardware address: {given}")
        if given:
            return given
    missing = 6 - len(settings.mac_prefix.split(":"))
    made = (f"{random.SystemRandom().randrange(256):02x}" for _ in range(missing))
    return ":".join((settings.mac_prefix, *made))


def _boot(ad: ClassAd, directory: str) -> Boot:
    """VMPARAM_Kernel, _Initrd and _Kernel_Params, which are ours."""
    kernel = ad.eval_str("VMPARAM_Kernel", None) or ""
    if not kernel:
        return Boot()
    initrd = ad.eval_str("VMPARAM_Initrd", None) or ""
    parameters = ad.eval_str("VMPARAM_Kernel_Params", None) or ""
    found = []
    for what, name in (("KERNEL", kernel), ("INITRD", initrd)):
        path, _ = _place(name, directory) if name else ("", False)
        if path and not _may(path, os.R_OK):
            raise complaint(_COMPLAINTS.index(f"XEN_{what}_NOT_FOUND"), f"{name} cannot be read")
        found.append(path)
    return Boot(found[0], found[1], parameters)


def _disks(ad: ClassAd, directory: str) -> tuple[Disk, ...]:
    text = ad.eval_str("VMPARAM_vm_Disk", None)
    if text is None:
        raise complaint(_COMPLAINTS.index("KVM_NO_DISK_PARAM"), "")
    found = tuple(_disk(part, directory) for part in text.split(",") if part.strip())
    if not found:
        raise _invalid("there is no disk")
    if len({disk.device for disk in found}) < len(found):
        raise _invalid("two disks have the same device")
    return found


def _invalid(detail: str) -> StartError:
    return complaint(_COMPLAINTS.index("KVM_INVALID_DISK_PARAM"), detail)


def _disk(text: str, directory: str) -> Disk:
    """One part of vm_disk: file:device:permission, or file:device:permission:format."""
    words = [word.strip() for word in text.split(":")]
    if not 3 <= len(words) <= 4 or not words[0]:
        raise _invalid(f"{text} is not file:device:permission:format")
    path, ours = _place(words[0], directory)
    device, permission, form = words[1].lower(), words[2].lower(), (words[3:] or ["raw"])[0].lower()
    if not _DEVICE.match(device):
        raise _invalid(f"no such device: {words[1]}")
    if not _FORMAT.match(form):
        raise _invalid(f"no such format: {words[3]}")
    writable = permission in ("w", "rw")
    if not writable and permission != "r":
        raise _invalid(f"no such permission: {words[2]}")
    if not ours and not os.path.isabs(words[0]):
        raise _invalid(f"{words[0]} was not transferred and is no full path")
    if not _may(path, os.R_OK | (os.W_OK if writable else 0)):
        raise _invalid(f"{words[0]} cannot be {'written' if writable else 'read'}")
    return Disk(path, device, writable, form or "raw", ours)


def _place(name: str, directory: str) -> tuple[str, bool]:
    """Find a file: in the directory of the job if an entry with its name is there."""
    inside = os.path.join(directory, os.path.basename(name))
    return (inside, True) if os.path.lexists(inside) else (name, False)


def _may(path: str, how: int) -> bool:
    """Whether we may, with the rights that we have at the moment."""
    return os.path.isfile(path) and os.access(path, how, effective_ids=os.access in os.supports_effective_ids)
