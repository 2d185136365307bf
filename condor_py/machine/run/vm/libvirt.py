"""A virtual machine run by libvirt: by a daemon of libvirt's that the owner has for this job alone ("session"), so that
all its processes are the job's, and nothing of it outlives the job."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from xml.sax.saxutils import escape, quoteattr

from condor_py.machine.run.vm.machine import Failure, Outcome
from condor_py.machine.run.vm.spec import Disk, VmSpec
from condor_py.model.settings.virtual import VmSettings

# Short commands of libvirt's virsh.

SESSION = "qemu:///session"


class Virsh:
    """``program`` with an environment in which the user's own libvirt daemon lives in ``directory``."""

    def __init__(self, program: str, environment: Mapping[str, str], directory: str) -> None:
        self._program, self._directory = program, directory
        self._environment = dict(environment)

    def ask(self, *words: str, patience: float, stdin: str = "") -> str:
        """Run virsh and return its output. Failure with its error message."""
        argv: Sequence[str] = (self._program, "--quiet", "--connect", SESSION, *words)
        given = stdin.encode("utf-8", "surrogateescape")
        try:
            done = subprocess.run(
                argv, input=given, capture_output=True, timeout=patience, check=False,
                cwd=self._directory, env=self._environment,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Failure(f"libvirt does not answer: virsh {words[0]}") from None
        except OSError as error:
            raise Failure(f"cannot run {self._program}: {error.strerror}") from None
        if done.returncode:
            said = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
            raise Failure(said[-1].removeprefix("error: ").strip() if said else f"virsh {words[0]} failed")
        return done.stdout.decode(errors="replace").strip()


#: Seconds for short answers.
_SHORT = 30.0
#: Where libvirt keeps what it needs, unless that is too long for the names of its sockets.
_HOME = ".libvirt"
_LONGEST = 40
_PARTS = ("run", "con", "cac")
_TAIL = 4000
_FIRST_PORT = 5900


class LibvirtMachine:
    """See Machine. ``job_ad`` gives the text of the job's ad, for the administrator's script; ``home`` is a directory
    of the job's alone (see ``make_home``)."""

    def __init__(
        self,
        settings: VmSettings,
        spec: VmSpec,
        environment: Mapping[str, str],
        directory: str,
        check: Callable[[], None],
        job_ad: Callable[[], str],
        home: str,
    ) -> None:
        self.outcome: Outcome | None = None
        self.board = "libvirt"
        self.port = 0
        self._settings, self._spec = settings, spec
        self._directory, self._job_ad, self._check = directory, job_ad, check
        self._home = home
        own = {
            f"XDG_{name}": f"{self._home}/{name[:3].lower()}" for name in ("RUNTIME_DIR", "CONFIG_HOME", "CACHE_HOME")
        }
        self._environment = {**environment, "HOME": self._home, **own}
        self._run_directory, self._cache = own["XDG_RUNTIME_DIR"], own["XDG_CACHE_HOME"]
        self._virsh = Virsh(settings.virsh, self._environment, directory)
        self._name = spec.name
        self._pidfd = -1

    def start(self, saved: str = "") -> None:
        """See Machine."""
        for name in _PARTS:
            os.makedirs(f"{self._home}/{name}", 0o700, exist_ok=True)
        if saved:
            self._virsh.ask("restore", saved, patience=self._settings.patience)
        else:
            self._virsh.ask("create", self._described(), patience=self._settings.patience)
        self._follow()
        if self._spec.vnc:
            shown = self._virsh.ask("vncdisplay", self._name, patience=_SHORT).rpartition(":")[2]
            self.port = _FIRST_PORT + int(shown) if shown.isdigit() else 0

    def _described(self) -> str:
        """The file with its description."""
        xml = domain(self._settings, self._spec)
        if self._settings.xml_script:
            ad = self._job_ad()
            xml, self._name = scripted(self._settings, self._spec, self._directory, ad, self._environment)
        path = f"{self._home}/machine.xml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(xml)
        return path

    def _follow(self) -> None:
        """Its process notices when it has ended."""
        try:
            with open(f"{self._run_directory}/libvirt/qemu/run/{self._name}.pid", "rb") as file:
                self._pidfd = os.pidfd_open(int(file.read()))
        except (OSError, ValueError):
            self._pidfd = -1

    def fileno(self) -> int:
        """See Machine."""
        return self._pidfd

    def look(self) -> None:
        """See Machine."""
        if self.outcome is not None:
            return
        try:
            state = self._virsh.ask("domstate", self._name, patience=_SHORT)
        except Failure:
            if self._lives():
                return  # it is libvirt that does not answer, or the machine has no process for virsh now
            state = ""
        if state in ("", "shut off", "crashed"):
            why = self._reason()
            self.outcome = Outcome(by_itself=why == "shutdown", said="" if why == "shutdown" else f"libvirt: {why}")
            self._leave()

    def _lives(self) -> bool:
        """Whether its process is known and has not ended."""
        return self._pidfd >= 0 and not select.select([self._pidfd], [], [], 0)[0]

    def _reason(self) -> str:
        """The last word of its log."""
        try:
            with open(f"{self._cache}/libvirt/qemu/log/{self._name}.log", "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
                text = file.read().decode(errors="replace")
        except OSError:
            return "it is gone"
        return text.rpartition("reason=")[2].split()[0] if "reason=" in text else "it is gone"

    def pause(self) -> None:
        """See Machine."""
        self._virsh.ask("suspend", self._name, patience=_SHORT)

    def go_on(self) -> None:
        """See Machine."""
        self._virsh.ask("resume", self._name, patience=_SHORT)

    def press(self) -> None:
        """See Machine."""
        self._virsh.ask("shutdown", self._name, "--mode", "acpi", patience=_SHORT)

    def save(self, path: str) -> None:
        """See Machine. When it fails the machine continues."""
        try:
            self._virsh.ask("save", self._name, path, patience=self._settings.patience)
        except Failure:
            with suppress(OSError):
                os.unlink(path)
            with suppress(Failure):
                self.go_on()
            raise
        self._leave()

    def off(self) -> None:
        """See Machine."""
        if self.outcome is None:
            with suppress(Failure):
                self._virsh.ask("destroy", self._name, patience=_SHORT)
        self._leave()

    def _forget(self) -> None:
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1

    def _leave(self) -> None:
        """libvirt's daemons of this job end, and what they have left goes."""
        self._forget()
        if self.outcome is None:
            self.outcome = Outcome(by_itself=False, said="it was ended")
        for name in ("libvirtd", "virtqemud", "virtlogd"):
            with (
                suppress(OSError, ValueError),
                open(f"{self._run_directory}/libvirt/{name}.pid", "rb") as file,
            ):
                os.kill(int(file.read()), signal.SIGTERM)
        for name in _PARTS:
            shutil.rmtree(f"{self._home}/{name}", ignore_errors=True)


def make_home(directory: str) -> str:
    """A directory for what libvirt needs, in that of the job or in /tmp; to be called with the rights of its owner, and
    to be removed when nothing of the job lives any more. OSError."""
    if len(directory) > _LONGEST:
        return tempfile.mkdtemp(prefix="condor_vm.", dir="/tmp")
    home = f"{directory}/{_HOME}"
    os.makedirs(home, 0o700, exist_ok=True)
    return home


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
    given = text.encode("utf-8", "surrogateescape")
    try:
        done = subprocess.run(
            argv, input=given, capture_output=True, timeout=settings.patience, check=False, cwd=directory,
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
