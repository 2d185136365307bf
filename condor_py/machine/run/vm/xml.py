"""The description of a machine for libvirt: what HTCondor's own script writes, and what only our machines have."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from condor_py.machine.run.vm.machine import Failure
from condor_py.machine.run.vm.spec import Disk, VmSpec
from condor_py.model.settings.virtual import VmSettings

_NAME = re.compile(r"<name>\s*([^<]+?)\s*</name>")


def domain(settings: VmSettings, spec: VmSpec) -> str:
    """The description that is ours."""
    kind = "qemu" if settings.emulates else "kvm"
    passed_on = settings.host_processor and not settings.emulates
    cpu = "<cpu mode='host-passthrough'/>" if passed_on else ""
    return (
        f"<domain type='{kind}'><name>{escape(spec.name)}</name><memory unit='MiB'>{spec.memory}</memory>"
        f"<vcpu>{spec.cpus}</vcpu>{cpu}<os><type machine='pc'>hvm</type>{_boot(spec)}</os>"
        "<features><acpi/><apic/><pae/></features>"
        "<on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot><on_crash>restart</on_crash>"
        f"<devices>{_console(spec)}{_screen(spec)}{_network(spec)}{''.join(map(_disk, spec.disks))}</devices></domain>"
    )


def _boot(spec: VmSpec) -> str:
    parts = {"kernel": spec.boot.kernel, "initrd": spec.boot.initrd, "cmdline": spec.boot.parameters}
    return "".join(f"<{name}>{escape(text)}</{name}>" for name, text in parts.items() if text)


def _console(spec: VmSpec) -> str:
    if not spec.console:
        return "<console type='null'/>"
    return f"<console type='file'><source path={quoteattr(spec.console)} append='on'/></console>"


def _screen(spec: VmSpec) -> str:
    return "<graphics type='vnc' port='-1' autoport='yes' listen='127.0.0.1'/>" if spec.vnc else ""


def _network(spec: VmSpec) -> str:
    """libvirt's network "default" belongs to root's daemon; that of a user has qemu's own."""
    if not spec.network:
        return ""
    bridged = spec.network == "bridge"
    source = f"<source bridge={quoteattr(spec.bridge)}/>" if bridged else ""
    return (
        f"<interface type='{'bridge' if bridged else 'user'}'>{source}<mac address='{spec.mac}'/>"
        "<model type='virtio'/></interface>"
    )


def _disk(disk: Disk) -> str:
    device = " device='cdrom'" if disk.is_cdrom else ""
    bus = {"v": "virtio", "s": "scsi", "h": "ide", "x": "virtio"}[disk.device[0]]
    bus = "ide" if disk.is_cdrom and bus == "virtio" else bus
    return (
        f"<disk type='file'{device}><driver name='qemu' type='{disk.format}'/><source file={quoteattr(disk.path)}/>"
        f"<target dev='{disk.device.rstrip('0123456789')}' bus='{bus}'/>{'' if disk.writable else '<readonly/>'}</disk>"
    )


def scripted(
    settings: VmSettings, spec: VmSpec, directory: str, job_ad: str, environment: Mapping[str, str]
) -> tuple[str, str]:
    """The description that the administrator's script writes (LIBVIRT_XML_SCRIPT), and the name in it. It reads the
    ad of the job, with the attributes that HTCondor adds. Failure."""
    more = {
        "VMPARAM_VM_NAME": spec.name, "VM_WORKING_DIR": directory, "VMPARAM_Bridge_Interface": spec.bridge,
        "JobVMNetworkingType": spec.network, "JobVM_MACADDR": spec.mac,
    }  # fmt: skip
    text = job_ad + "".join(f'{name} = "{value}"\n' for name, value in more.items() if value)
    argv = (settings.xml_script, *settings.xml_arguments)
    try:
        done = subprocess.run(
            argv, input=text.encode(), capture_output=True, timeout=settings.patience, check=False, cwd=directory,
            env=dict(environment),
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure(f"cannot run {settings.xml_script} (LIBVIRT_XML_SCRIPT): {error}") from None
    xml = done.stdout.decode(errors="replace")
    named = _NAME.search(xml)
    if done.returncode or named is None:
        said = done.stderr.decode(errors="replace").strip() or f"it ended with {done.returncode}"
        raise Failure(f"LIBVIRT_XML_SCRIPT wrote no description of a machine: {said}")
    return xml, named[1]
