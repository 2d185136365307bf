"""The settings of virtual machines, and the results of testing them."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.model.settings.knob import Settings, boolean, integer

#: VM_AvailNum where VM_MAX_NUMBER is not set.
UNLIMITED = 10_000
QEMU, LIBVIRT = "qemu", "libvirt"


class VmSettings(Settings, group="Starter"):
    """``kind`` is VM_TYPE in lower case, "" where there are to be no virtual machines.

    ``memory`` (MB) is what all of them may have together, ``most`` how many there may be (0: any number).
    ``networks`` are the kinds of networks that jobs may have, ``network`` the one for jobs that do not choose,
    ``bridge`` the interface of bridged ones. ``mac_prefix`` is what made-up hardware addresses begin with.
    ``soft_suspend``: a suspended machine keeps its memory. ``patience`` (seconds) is for what is asked of a machine,
    ``recheck_interval`` (seconds) for trying again what did not work.
    ``driver`` is QEMU or LIBVIRT; ``emulates``: the processor is imitated by software, where there is no /dev/kvm.
    ``xml_script`` writes the description of a machine for libvirt, with the words ``xml_arguments``; "" for ours.
    """

    kind: str = ""
    memory: int = integer(
        "VM_MEMORY", None, "MB for all virtual machines together; needed where there are to be any.", least=0
    )
    most: int = integer("VM_MAX_NUMBER", None, "Most virtual machines at a time; 0 or nothing for any number.", least=0)
    networks: tuple[str, ...] = ()
    network: str = ""
    bridge: str = ""
    mac_prefix: str = ""
    hardware_vt: bool = boolean("VM_HARDWARE_VT", False, "Whether the machine ad has VM_HardwareVT.")
    soft_suspend: bool = boolean(
        "VM_SOFT_SUSPEND",
        False,
        "A suspended virtual machine keeps its memory; else it is saved to the job's directory.",
    )
    patience: int = integer(
        "VM_GAHP_REQ_TIMEOUT",
        300,
        "Seconds that a virtual machine may take to start, to be saved or to continue.",
        least=1,
    )
    status_interval: int = integer(
        "VM_STATUS_INTERVAL", 60, "Seconds between two measurements of what a virtual machine uses.", least=30
    )
    recheck_interval: int = integer(
        "VM_RECHECK_INTERVAL", 600, "Seconds until virtual machines are tried again after a failure.", least=1
    )
    driver: str = QEMU
    emulates: bool = boolean(
        "VM_EMULATE", False, "Imitate the processor of virtual machines by software (slow), where there is no /dev/kvm."
    )
    #: Whether machines get the processor of this machine, or qemu's default one (where KVM is nested).
    host_processor: bool = True
    qemu: str = ""
    virsh: str = ""
    xml_script: str = ""
    xml_arguments: tuple[str, ...] = ()
    #: MB beyond that of the machine which its program needs; the job may have them on top of the slot's memory.
    overhead: int = integer(
        "VM_MEMORY_OVERHEAD",
        256,
        "MB that a virtual machine may use in addition to its own memory; its job may have them beyond the slot's.",
        least=0,
    )

    @property
    def accelerator(self) -> str:
        """The accelerator by qemu's name."""
        return "tcg" if self.emulates else "kvm"


class VmAbilities(NamedTuple):
    """The results of the startd's tests of virtual machines. ``kind`` is "" where none can run.

    ``plain_because`` says why machines cannot have the processor of this machine and get qemu's default one; "" where
    they can.
    """

    kind: str = ""
    memory: int = 0
    most: int = 0
    networks: tuple[str, ...] = ()
    hardware_vt: bool = False
    plain_because: str = ""
