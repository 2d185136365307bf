"""libvirt's virsh for a virtual machine, with a script in its place that notes its command lines."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from condor_py.machine.run.vm.libvirt import LibvirtMachine, domain, make_home, scripted
from condor_py.machine.run.vm.machine import Failure, Outcome
from condor_py.machine.run.vm.spec import Boot, Disk, VmSpec
from condor_py.model.settings.virtual import VmSettings

SETTINGS = VmSettings("kvm", 1000, driver="libvirt", patience=20)
SPEC = VmSpec("condor_7.1", 64, 2, ())
#: Answers with the file that is called like the command; fails with "COMMAND.fails" where that is there.
FAKE = """#!/bin/sh
echo "$*" >>calls
shift 3
if [ -e "$1.fails" ]; then
    cat "$1.fails" >&2
    exit 1
fi
[ ! -e "$1.says" ] || cat "$1.says"
"""


class Place:
    """The directory of a job; ``home`` is what libvirt needs."""

    def __init__(self, path: Path) -> None:
        self.path, self.home = path, path / "home"
        self.virsh = path / "virsh"
        self.virsh.write_text(FAKE)
        self.virsh.chmod(0o755)

    def machine(self, spec: VmSpec = SPEC, ad: str = "", **settings: object) -> LibvirtMachine:
        chosen = SETTINGS.changed(virsh=str(self.virsh), **settings)
        environment = {"PATH": "/usr/bin:/bin"}
        return LibvirtMachine(chosen, spec, environment, str(self.path), lambda: None, lambda: ad, str(self.home))

    def calls(self) -> list[str]:
        begin = "--quiet --connect qemu:///session "
        lines = (self.path / "calls").read_text().splitlines()
        assert all(line.startswith(begin) for line in lines)
        return [line.removeprefix(begin) for line in lines]

    def say(self, command: str, text: str) -> None:
        (self.path / f"{command}.says").write_text(text)

    def fail(self, command: str, text: str) -> None:
        (self.path / f"{command}.fails").write_text(text)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_machine_and_its_orders(place: Place) -> None:
    place.say("vncdisplay", "127.0.0.1:3\n")
    machine = place.machine(replace(SPEC, vnc=True))
    machine.start()
    assert (machine.board, machine.port, machine.outcome, machine.fileno()) == ("libvirt", 5903, None, -1)
    assert sorted(os.listdir(place.home)) == ["cac", "con", "machine.xml", "run"]
    assert (place.home / "machine.xml").read_text() == domain(SETTINGS, replace(SPEC, vnc=True))
    place.say("domstate", "running\n")
    machine.look()
    assert machine.outcome is None
    machine.pause()
    machine.go_on()
    machine.press()
    machine.off()
    assert machine.outcome == Outcome(False, "it was ended")
    assert place.calls() == [
        f"create {place.home}/machine.xml", "vncdisplay condor_7.1", "domstate condor_7.1", "suspend condor_7.1",
        "resume condor_7.1", "shutdown condor_7.1 --mode acpi", "destroy condor_7.1",
    ]  # fmt: skip
    assert os.listdir(place.home) == ["machine.xml"]
    machine.off()
    machine.look()
    assert len(place.calls()) == 7


@pytest.mark.parametrize(
    ("state", "log", "outcome"),
    [
        ("shut off", "x reason=crashed\nshutting down, reason=shutdown\n", Outcome(True)),
        ("shut off", "shutting down, reason=destroyed\n", Outcome(False, "libvirt: destroyed")),
        ("crashed", "nothing\n", Outcome(False, "libvirt: it is gone")),
        ("", None, Outcome(False, "libvirt: it is gone")),
        ("paused", None, None),
    ],
)
def test_how_it_has_ended(place: Place, state: str, log: str | None, outcome: Outcome | None) -> None:
    machine = place.machine()
    machine.start()
    if state:
        place.say("domstate", state)
    else:
        place.fail("domstate", "error: failed to get domain\n")
    if log is not None:
        logs = place.home / "cac" / "libvirt" / "qemu" / "log"
        logs.mkdir(parents=True)
        (logs / "condor_7.1.log").write_text(log)
    machine.look()
    assert machine.outcome == outcome


def test_it_is_saved_or_continues(place: Place) -> None:
    machine = place.machine()
    machine.start()
    place.fail("save", "\nerror: first\nerror: no room\n\n")
    state = place.path / "state"
    state.write_text("half")
    with pytest.raises(Failure, match=r"\Ano room\Z"):
        machine.save(str(state))
    assert not state.exists()
    assert machine.outcome is None
    (place.path / "save.fails").unlink()
    machine.save(str(state))
    assert machine.outcome is not None
    again = place.machine()
    again.start(str(state))
    assert place.calls()[1:] == [
        f"save condor_7.1 {state}", "resume condor_7.1", f"save condor_7.1 {state}", f"restore {state}",
    ]  # fmt: skip


def test_what_goes_wrong_is_told(place: Place) -> None:
    place.fail("create", "")
    with pytest.raises(Failure, match=r"\Avirsh create failed\Z"):
        place.machine().start()
    with pytest.raises(Failure, match=r"\Acannot run /not/there: No such file or directory\Z"):
        LibvirtMachine(
            SETTINGS.changed(virsh="/not/there"), SPEC, {}, str(place.path), lambda: None, str, str(place.home)
        ).start()
    place.virsh.write_text("#!/bin/sh\nexec sleep 20\n")
    with pytest.raises(Failure, match=r"\Alibvirt does not answer: virsh create\Z"):
        place.machine(patience=0.05).start()


def test_its_end_is_noticed_by_its_process(place: Place) -> None:
    runs = place.home / "run" / "libvirt" / "qemu" / "run"
    runs.mkdir(parents=True)
    (runs / "condor_7.1.pid").write_text(f"{os.getpid()}\n")
    machine = place.machine()
    machine.start()
    assert machine.fileno() >= 0
    machine.off()
    assert machine.fileno() == -1


def test_a_machine_that_lives_has_not_ended_because_libvirt_does_not_answer(place: Place) -> None:
    runs = place.home / "run" / "libvirt" / "qemu" / "run"
    runs.mkdir(parents=True)
    child = subprocess.Popen(["sleep", "600"])
    (runs / "condor_7.1.pid").write_text(f"{child.pid}\n")
    machine = place.machine()
    machine.start()
    place.fail("domstate", "error: failed to connect to the hypervisor\n")
    machine.look()
    assert machine.outcome is None
    child.kill()
    child.wait()
    machine.look()
    assert machine.outcome == Outcome(False, "libvirt: it is gone")


def test_what_libvirt_needs_has_a_short_path(tmp_path: Path) -> None:
    short = f"/tmp/condor_home.{os.getpid()}"
    os.mkdir(short)
    try:
        home = make_home(short)
        assert home == f"{short}/.libvirt"
        assert os.stat(home).st_mode & 0o777 == 0o700
        assert make_home(short) == home
        os.rmdir(home)
    finally:
        os.rmdir(short)
    other = make_home(f"/{'x' * 40}")
    assert other.startswith("/tmp/condor_vm.")
    os.rmdir(other)


def test_a_script_writes_the_description(place: Place) -> None:
    script = place.path / "script"
    script.write_text('#!/bin/sh\n[ ! -e broken ] || { echo bad >&2; exit 3; }\necho "$*" >words\ncat >ad\n'
                      'echo "<domain><name> other </name></domain>"\n')  # fmt: skip
    script.chmod(0o755)
    spec = replace(SPEC, network="bridge", bridge="br0", mac="52:54:00:00:00:01")
    settings = {"xml_script": str(script), "xml_arguments": ("-a", "b c")}
    place.machine(spec, 'Owner = "me"\n', **settings).start()
    assert (place.home / "machine.xml").read_text() == "<domain><name> other </name></domain>\n"
    assert (place.path / "words").read_text() == "-a b c\n"
    assert (place.path / "ad").read_text() == (
        f'Owner = "me"\nVMPARAM_VM_NAME = "condor_7.1"\nVM_WORKING_DIR = "{place.path}"\n'
        'VMPARAM_Bridge_Interface = "br0"\nJobVMNetworkingType = "bridge"\nJobVM_MACADDR = "52:54:00:00:00:01"\n'
    )
    chosen = SETTINGS.changed(xml_script=str(script))
    scripted(chosen, SPEC, str(place.path), 'A = "\udcff"\n', {"PATH": "/bin"})
    assert (place.path / "ad").read_bytes().startswith(b'A = "\xff"\n')
    assert scripted(chosen, SPEC, str(place.path), "", {"PATH": "/bin"})[1] == "other"
    (place.path / "broken").touch()
    with pytest.raises(Failure, match=r"\ALIBVIRT_XML_SCRIPT wrote no description of a machine: bad\Z"):
        scripted(chosen, SPEC, str(place.path), "", {"PATH": "/bin"})
    with pytest.raises(Failure, match=r"\Acannot run /not/there \(LIBVIRT_XML_SCRIPT\): "):
        scripted(SETTINGS.changed(xml_script="/not/there"), SPEC, str(place.path), "", {})
    with pytest.raises(Failure, match=r"machine: it ended with 0\Z"):
        scripted(SETTINGS.changed(xml_script="/bin/true"), SPEC, str(place.path), "", {})


def test_the_whole_description() -> None:
    begin = (
        "<domain type='{}'><name>condor_7.1</name><memory unit='MiB'>64</memory><vcpu>2</vcpu>{}"
        "<os><type machine='pc'>hvm</type>{}</os><features><acpi/><apic/><pae/></features>"
        "<on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot><on_crash>restart</on_crash><devices>"
    )
    host, none = "<cpu mode='host-passthrough'/>", "<console type='null'/>"
    end = "</devices></domain>"
    assert domain(SETTINGS, SPEC) == f"{begin.format('kvm', host, '')}{none}{end}"
    assert domain(SETTINGS.changed(emulates=True), SPEC) == f"{begin.format('qemu', '', '')}{none}{end}"
    assert domain(SETTINGS.changed(host_processor=False), SPEC) == f"{begin.format('kvm', '', '')}{none}{end}"
    boot = "<kernel>/k</kernel><initrd>/i</initrd><cmdline>a &lt; b</cmdline>"
    spec = replace(
        SPEC, boot=Boot("/k", "/i", "a < b"), vnc=True, console="/c", network="bridge", bridge="br0", mac="52:54"
    )
    assert domain(SETTINGS, spec) == (
        f"{begin.format('kvm', host, boot)}<console type='file'><source path=\"/c\" append='on'/></console>"
        "<graphics type='vnc' port='-1' autoport='yes' listen='127.0.0.1'/>"
        "<interface type='bridge'><source bridge=\"br0\"/><mac address='52:54'/><model type='virtio'/></interface>"
        f"{end}"
    )


@pytest.mark.parametrize(
    ("disk", "text"),
    [
        (Disk("/a", "vda", True, "qcow2"), "<disk type='file'><driver name='qemu' type='qcow2'/><source file=\"/a\"/>"
         "<target dev='vda' bus='virtio'/></disk>"),
        (Disk("/a", "sda1", False), "<disk type='file'><driver name='qemu' type='raw'/><source file=\"/a\"/>"
         "<target dev='sda' bus='scsi'/><readonly/></disk>"),
        (Disk("/a", "xvda", True), "<disk type='file'><driver name='qemu' type='raw'/><source file=\"/a\"/>"
         "<target dev='xvda' bus='virtio'/></disk>"),
        (Disk("/a.iso", "vda", False), "<disk type='file' device='cdrom'><driver name='qemu' type='raw'/>"
         "<source file=\"/a.iso\"/><target dev='vda' bus='ide'/><readonly/></disk>"),
        (Disk("/a.iso", "sda", False), "<disk type='file' device='cdrom'><driver name='qemu' type='raw'/>"
         "<source file=\"/a.iso\"/><target dev='sda' bus='scsi'/><readonly/></disk>"),
    ],
)  # fmt: skip
def test_disks(disk: Disk, text: str) -> None:
    assert text in domain(SETTINGS, replace(SPEC, disks=(disk,)))
