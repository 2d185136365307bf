"""The machine that a job ad describes, and what is said of one that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd, quote_string
from condor_py.machine.run.process import StartError
from condor_py.machine.run.vm.executor import open_tap
from condor_py.machine.run.vm.libvirt import domain
from condor_py.machine.run.vm.qemu import qemu_words
from condor_py.machine.run.vm.spec import Boot, VmSpec, read_spec
from condor_py.model.settings.virtual import VmSettings

SETTINGS = VmSettings(
    "kvm", 1000, networks=("nat", "bridge"), network="nat", bridge="br0", mac_prefix="52:54:00", qemu="/q"
)


def ad(**attributes: object) -> ClassAd:
    found = {"ClusterId": 7, "ProcId": 1, "JobVMMemory": 100, "VMPARAM_vm_Disk": "a.img:vda:w", **attributes}
    made = ClassAd()
    for name, value in found.items():
        made.set_text(name, quote_string(value) if isinstance(value, str) else str(value).lower())
    return made


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("a.img", "b.iso", "kernel"):
        (tmp_path / name).touch()
    return tmp_path


def spec(place: Path, settings: VmSettings = SETTINGS, **attributes: object) -> VmSpec:
    return read_spec(ad(**attributes), str(place), settings)


def test_a_machine(place: Path) -> None:
    (place / "b.img").touch()
    found = spec(place, JobVM_VCPUS=2, VMPARAM_vm_Disk=f"a.img:vda:w:qcow2, {place}/b.img:sda:r", JobVMCheckpoint=True)
    assert (found.name, found.memory, found.cpus, found.network, found.checkpoints) == ("condor_7.1", 100, 2, "", True)
    assert [(disk.path, disk.device, disk.writable, disk.format) for disk in found.disks] == [
        (f"{place}/a.img", "vda", True, "qcow2"),
        (f"{place}/b.img", "sda", False, "raw"),
    ]


def test_blanks_around_and_in_the_names_of_disks(place: Path) -> None:
    (place / "b c.img").touch()
    found = spec(place, VMPARAM_vm_Disk=" a.img : vda : w , b c.img:vdb:r,, ")
    assert [(disk.path, disk.device) for disk in found.disks] == [
        (f"{place}/a.img", "vda"),
        (f"{place}/b c.img", "vdb"),
    ]


def test_processors_of_a_machine(place: Path) -> None:
    for more, cpus in (
        ({}, 1), ({"RequestCpus": 3}, 3), ({"RequestCpus": 3, "JobVM_VCPUS": 2}, 2), ({"JobVM_VCPUS": -1}, 1),
        ({"RequestCpus": 0}, 1),
    ):  # fmt: skip
        assert spec(place, **more).cpus == cpus


def test_what_a_machine_starts_from(place: Path) -> None:
    assert spec(place, VMPARAM_Initrd="a.img", VMPARAM_Kernel_Params="x").boot == Boot()
    found = spec(place, VMPARAM_Kernel="kernel", VMPARAM_Initrd="a.img", VMPARAM_Kernel_Params="x y").boot
    assert found == Boot(f"{place}/kernel", f"{place}/a.img", "x y")
    assert spec(place, VMPARAM_Kernel="kernel").boot == Boot(f"{place}/kernel", "", "")


def test_the_console_is_a_file_of_the_job(place: Path) -> None:
    assert spec(place).console == ""
    assert spec(place, VMConsole="../x/con").console == f"{place}/con"
    assert (spec(place).vnc, spec(place, JobVMVNCConsole=True).vnc) == (False, True)
    assert spec(place, JobVMMemory=1).memory > 1


def test_the_memory_of_the_request_will_do(place: Path) -> None:
    assert spec(place, JobVMMemory=0, RequestMemory=64, RequestCpus=3).memory == 64
    assert spec(place, JobVMMemory=1).memory == 32, "no system lives with less"


def test_addresses(place: Path) -> None:
    """The address that the job wants, or one that is made up; a saved machine has its own again."""
    made = {spec(place, JobVMNetworking=True).mac for _ in range(3)}
    assert len(made) == 3
    assert all(mac.startswith("52:54:00:") and len(mac) == 17 for mac in made)
    wanted = {"JobVMNetworking": True, "JobVM_MACADDR": "AA-bb:cc:00:00:01"}
    assert spec(place, **wanted).mac == "aa:bb:cc:00:00:01"
    assert spec(place, **wanted, VM_CkptMac="02:00:00:00:00:09").mac == "02:00:00:00:00:09"
    with pytest.raises(StartError, match="no hardware address"):
        spec(place, JobVMNetworking=True, JobVM_MACADDR="52:54,netdev=x")


@pytest.mark.parametrize(
    ("disks", "text"),
    [
        ("a.img:vda", "is not file:device:permission:format"),
        ("a.img:vda:w:raw:x", "is not file:device:permission:format"),
        (":vda:w", "is not file:device:permission:format"),
        (",", "there is no disk"),
        ("a.img:vda,x=y:w", "is not file"),
        ("a.img:v da:w", "no such device: v da"),
        ("a.img:fda:w", "no such device: fda"),
        ("a.img:vda:x", "no such permission: x"),
        ("a.img:vda:w:raw.file", "no such format"),
        ("missing.img:vda:w", "was not transferred and is no full path"),
        ("/nowhere/z.img:vda:w", "cannot be written"),
        ("/nowhere/z.img:vda:r", "cannot be read"),
        ("/proc:vda:r", "cannot be read"),
        ("a.img:vda:w,a.img:vda:r", "two disks have the same device"),
    ],
)
def test_disks_that_cannot_be(place: Path, disks: str, text: str) -> None:
    with pytest.raises(StartError, match=text) as error:
        spec(place, VMPARAM_vm_Disk=disks)
    assert (error.value.code, error.value.subcode) == (6, 10)
    assert str(error.value).startswith("VMGAHP_ERR_JOBCLASSAD_KVM_INVALID_DISK_PARAM")


def test_what_is_missing_or_elsewhere(place: Path) -> None:
    with pytest.raises(StartError, match="NO_VM_MEMORY_PARAM"):
        spec(place, JobVMMemory=0)
    with pytest.raises(StartError, match="XEN_INITRD_NOT_FOUND"):
        spec(place, VMPARAM_Kernel="kernel", VMPARAM_Initrd="/nowhere/initrd")
    with pytest.raises(StartError, match="XEN_KERNEL_NOT_FOUND"):
        spec(place, VMPARAM_Kernel="none", VMPARAM_Initrd="kernel")
    for more, text in (
        ({"JobVMMemory": 1001}, "TOO_MUCH_MEMORY"),
        ({"JobVMNetworking": True, "JobVMNetworkingType": "user"}, "MISMATCHED_NETWORKING_TYPE"),
    ):
        with pytest.raises(OSError, match=text):
            spec(place, **more)
    with pytest.raises(OSError, match="no network"):
        spec(place, VmSettings("kvm", 1000), JobVMNetworking=True)


def test_the_command_line(place: Path) -> None:
    """Whatever a job names, it is one word, or a text in JSON: it adds no options."""
    found = spec(
        place, JobVMNetworking=True, JobVMVNCConsole=True, JobVMNetworkingType="bridge", VMConsole="../con,sole",
        VMPARAM_vm_Disk="a.img:vda:w,b.iso:hdc:r", VMPARAM_Kernel="kernel", VMPARAM_Kernel_Params="a b",
    )  # fmt: skip
    words = qemu_words(SETTINGS, found, "pc", 5)
    assert words[words.index("-machine") + 1] == "pc,accel=kvm"
    assert f"file,id=console,path={place}/con,,sole,append=on" in words
    assert words[words.index("-kernel") + 1 : words.index("-kernel") + 4] == [f"{place}/kernel", "-append", "a b"]
    assert [word for word in words if "drive=" in word] == [
        "virtio-blk-pci,drive=disk0,bootindex=1",
        "ide-cd,drive=disk1,bootindex=2",
    ]
    assert "bridge,id=net,br=br0" in words
    assert words[words.index("-vnc") + 1].startswith("127.0.0.1:")
    assert words[-2:] == ["-incoming", "fd:5"]


def test_a_port_of_a_bridge(place: Path) -> None:
    """Which the starter makes as root needs no program with more rights; what is no bridge is said."""
    machine = spec(place, JobVMNetworking=True, JobVMNetworkingType="bridge", JobVM_MACADDR="52:54:00:12:34:56")
    words = qemu_words(SETTINGS, machine, "pc", port=4)
    assert "tap,id=net,fd=4" in words
    assert "spawn=deny" in words[words.index("-sandbox") + 1]
    for name in ("", "lo", "no-such-bridge", "../../etc"):
        with pytest.raises(OSError, match="MISMATCHED_NETWORKING_TYPE"):
            open_tap(name, machine.mac)


def test_the_description_for_libvirt(place: Path) -> None:
    found = spec(place, JobVMNetworking=True, VMConsole="a<b", VMPARAM_vm_Disk="a.img:vda:w,b.iso:hdc:r")
    text = domain(SETTINGS, found)
    assert "<domain type='kvm'><name>condor_7.1</name><memory unit='MiB'>100</memory>" in text
    assert f"<source path=\"{place}/a&lt;b\" append='on'/>" in text
    assert "<target dev='vda' bus='virtio'/></disk>" in text
    assert "device='cdrom'" in text
    assert "<target dev='hdc' bus='ide'/><readonly/>" in text
    assert f"<interface type='user'><mac address='{found.mac}'/>" in text
