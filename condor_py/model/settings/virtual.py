"""What the configuration says about virtual machines, and what was found out about them."""

from __future__ import annotations

from dataclasses import dataclass

#: VM_AvailNum where VM_MAX_NUMBER is not set.
UNLIMITED = 10_000
QEMU, LIBVIRT = "qemu", "libvirt"


@dataclass(frozen=True, slots=True)
class VmSettings:
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
    memory: int = 0
    most: int = 0
    networks: tuple[str, ...] = ()
    network: str = ""
    bridge: str = ""
    mac_prefix: str = ""
    hardware_vt: bool = False
    soft_suspend: bool = False
    patience: int = 300
    status_interval: int = 60
    recheck_interval: int = 600
    driver: str = QEMU
    emulates: bool = False
    #: Whether machines get the processor of this machine, or qemu's default one (where KVM is nested).
    host_processor: bool = True
    qemu: str = ""
    virsh: str = ""
    xml_script: str = ""
    xml_arguments: tuple[str, ...] = ()
    #: MB beyond that of the machine which its program needs; the job may have them on top of the slot's memory.
    overhead: int = 256

    @property
    def accelerator(self) -> str:
        """What qemu calls it."""
        return "tcg" if self.emulates else "kvm"


@dataclass(frozen=True, slots=True)
class VmAbilities:
    """What the startd has found out about virtual machines here. ``kind`` is "" where none can run.

    ``plain_because`` says why machines cannot have the processor of this machine and get qemu's default one; "" where
    they can.
    """

    kind: str = ""
    memory: int = 0
    most: int = 0
    networks: tuple[str, ...] = ()
    hardware_vt: bool = False
    plain_because: str = ""
