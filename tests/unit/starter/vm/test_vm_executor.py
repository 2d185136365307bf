"""The starter's side of a virtual machine: the orders that its keeper gets, and what is made of its reports."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import signal
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.identity import Account
from condor_py.machine.run.process import Ending, Within
from condor_py.machine.run.processes import ProcessExecutor
from condor_py.machine.run.vm import executor
from condor_py.machine.run.vm.executor import MACHINE_EVICT, VmExecutor
from condor_py.model.report import ExitReport
from condor_py.model.settings.virtual import VmSettings

MAC = "52:54:00:00:00:01"
SETTINGS = VmSettings("kvm", 1000, networks=("nat",), network="nat", mac_prefix="52:54:00", qemu="/q")


class Started:
    """An executor whose keeper is a socket: ``tell`` sends a report, ``orders`` are those that have come."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch, settings: VmSettings, **more: object) -> None:
        (place / "a.img").touch()
        ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        self._theirs.setblocking(False)
        monkeypatch.setattr(executor, "start_keeper", lambda _work, _enter: (1 << 30, ours))
        monkeypatch.setattr(executor, "Started", lambda pid: pid)
        ad = ClassAd({"JobVMMemory": 100, "VMPARAM_vm_Disk": "a.img:vda:w", "JobVMNetworking": True, **more})
        ad.set_str("JobVM_MACADDR", MAC)
        self.log: list[str] = []
        self.made = VmExecutor(settings, cast(Any, SimpleNamespace(close=lambda: None)), ad, self.log.append)
        execution = SimpleNamespace(directory=str(place), owner=None, place=SimpleNamespace(slot="slot1@here"))
        self.made.start(cast(Any, execution), {})

    def tell(self, **facts: object) -> None:
        self._theirs.send(json.dumps(facts).encode())

    def orders(self) -> list[str]:
        found = []
        while True:
            try:
                found.append(self._theirs.recv(100).decode())
            except BlockingIOError:
                return found


Begin = Callable[..., Started]


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    def begin(settings: VmSettings = SETTINGS, **more: object) -> Started:
        return Started(tmp_path, monkeypatch, settings, **more)

    return begin


def test_orders_to_the_keeper(begin: Begin) -> None:
    started = begin()
    made = started.made
    assert (made.suspend(), made.resume()) == (1, 1)
    for number in (MACHINE_EVICT, signal.SIGTERM, signal.SIGINT, 0):
        made.signal(number)
    assert started.orders() == ["suspend", "continue", "evict", "power", "power"]
    soft = begin(SETTINGS.changed(soft_suspend=True))
    soft.made.suspend()
    assert soft.orders() == ["pause"]
    assert made.ready
    with pytest.raises(OSError, match=r"there are no sessions in virtual machines: use its network or its screen"):
        made.enter(cast(Any, None), cast(Any, None), cast(Any, None), None)


def test_reports_become_attributes_of_the_job(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    started = begin(JobVMCheckpoint=True)
    monkeypatch.setattr(VmExecutor, "_cpu_seconds", lambda _self: 0.0)
    assert started.made.news() == {}
    started.tell(log="The saved machine continues")
    started.tell(running=True, port=5907)
    assert started.made.news() == {"VM_MACAddr": f'"{MAC}"', "VM_CkptMac": f'"{MAC}"', "JobVMVNCPort": "5907"}
    assert started.made.news() == {}
    assert started.log == ["The saved machine continues"]
    plain = begin()
    plain.tell(running=True, port=0)
    assert plain.made.news() == {"VM_MACAddr": f'"{MAC}"'}
    without = begin(JobVMNetworking=False)
    without.tell(running=True)
    assert without.made.news() == {}


def test_a_port_joins_its_bridge_with_a_high_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers are those of the kernel's if.h, if_arp.h and sockios.h."""
    asked: list[tuple[int, bytes]] = []

    def ioctl(_file: object, request: int, text: bytes) -> bytes:
        asked.append((request, text))
        return struct.pack("16sH22x", b"condorvm0", 0x1002)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    monkeypatch.setattr(socket, "if_nametoindex", lambda name: {"condorvm0": 7}[name])
    executor._join(b"condorvm0", b"br0", bytes.fromhex("525400000001"))
    assert asked == [
        (0x8924, struct.pack("16sHB5s16x", b"condorvm0", 1, 0xFE, bytes.fromhex("5400000001"))),
        (0x89A2, struct.pack("16si20x", b"br0", 7)),
        (0x8913, struct.pack("16s24x", b"condorvm0")),
        (0x8914, struct.pack("16sH22x", b"condorvm0", 0x1003)),
    ]


class Family:
    """The processes of a machine: what they use, and what was done."""

    def __init__(self) -> None:
        self.used = SimpleNamespace(user_cpu=1.0, sys_cpu=2.0, rss_kb=3, image_kb=4, processes=5)
        self.calls: list[str] = []

    def close(self) -> None:
        """Do nothing."""

    def descendants(self, pid: int) -> set[int]:
        return set()

    def usage(self, pids: object) -> Any:
        return self.used

    def kill_family(self, find: object) -> set[int]:
        self.calls.append("kill")
        return set()

    def join(self) -> None:
        self.calls.append("join")

    def judge(self, report: ExitReport) -> ExitReport:
        return report


def test_the_use_of_a_machine_has_the_memory_that_it_is_given(begin: Begin) -> None:
    made = begin().made
    made._family = cast(Any, Family())
    used = made.usage()
    assert (used.user_cpu, used.sys_cpu, used.rss_kb, used.image_kb, used.processes) == (1.0, 2.0, 3, 102400, 5)
    assert made._cpu_seconds() == 3.0
    made._spec = None
    assert made.usage().image_kb == 4


def test_how_busy_it_is_is_told_while_it_runs(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(executor.time, "monotonic", lambda: now[0])
    made = begin(SETTINGS.changed(status_interval=60)).made
    made._family = cast(Any, Family())
    assert made.news() == {}, "too early"
    now[0] += 60.0
    assert made.news() == {"JobVMCpuUtilization": "0.05"}
    now[0] += 60.0
    made._running = False
    assert made.news() == {}


def test_the_plug_is_pulled_by_a_kill(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    family = Family()
    for kill in (lambda made: made.kill(), lambda made: made.signal(signal.SIGKILL)):
        started = begin()
        started.made._family = cast(Any, family)
        kill(started.made)
        assert started.orders() == []
        ended(started.made, monkeypatch)
        assert started.log == ["The virtual machine ended: off"]
    assert family.calls == ["kill"] * 2
    over = begin()
    over.made._running = False
    over.made.signal(signal.SIGTERM)
    assert over.orders() == []
    over.made.dismiss()
    over.made.close()
    over.made.resume()  # nobody is there


def ended(made: VmExecutor, monkeypatch: pytest.MonkeyPatch) -> Ending:
    ending = Ending(0, None, False, 0.0, 0.0, 0)
    monkeypatch.setattr(ProcessExecutor, "collect", lambda _self: ending)
    assert made.collect() is ending
    return ending


@pytest.mark.parametrize(
    ("end", "said", "refused", "line"),
    [
        ("done", "", False, "done"), ("saved", "", False, "saved"), ("failed", "it broke", True, "failed (it broke)"),
        (None, "", True, "its keeper died"),
    ],
)  # fmt: skip
def test_the_end_of_a_machine_is_what_its_keeper_tells(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, end: str | None, said: str, refused: bool, line: str
) -> None:
    started = begin(JobVMVNCConsole=True)
    started.made._family = cast(Any, Family())
    assert not started.made.refused
    if end is not None:
        started.tell(running=True, port=5900)
        started.tell(end=end, said=said)
    ended(started.made, monkeypatch)
    assert started.made.refused == refused
    assert started.log == [f"The virtual machine ended: {line}"]
    started.made._running = False
    assert started.made.news()["JobVMVNCPort"] == "undefined"
    report = started.made.judge(ExitReport("claim", "7.3", 1))
    assert (report.vacate_code != 0) == refused
    if refused:
        assert (said or "its keeper was killed") in report.error


def test_a_machine_that_never_ran_may_be_the_fault_of_its_job(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    for runs, held in ((False, 6), (True, 0)):
        started = begin()
        started.made._family = cast(Any, Family())
        if runs:
            started.tell(running=True)
        started.tell(end="failed", said="odd image")
        ended(started.made, monkeypatch)
        report = started.made.judge(ExitReport("claim", "7.3", 1))
        assert report.hold_code == held
        assert ("Error from slot1@here: " in report.hold_reason) == bool(held)
        started.made._running = False
        assert "JobVMVNCPort" not in started.made.news()


def test_what_libvirt_needs_is_removed_with_the_run(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "deep").mkdir(parents=True)
    monkeypatch.setattr(executor, "home_maker", lambda settings: lambda directory: str(home))
    made = begin().made
    made.close()
    assert not home.exists()
    made.close()
    assert (made._line, made._home) == (None, "")
    made._home = str(home)
    made.close()  # it is gone


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("driver", ["qemu", "libvirt"])
@pytest.mark.parametrize("network", ["bridge", "nat", ""])
def test_root_makes_the_port_of_a_bridge_for_qemu(
    monkeypatch: pytest.MonkeyPatch, root: bool, driver: str, network: str
) -> None:
    monkeypatch.setattr(executor, "open_tap", lambda bridge, mac: {("br0", MAC): 9}[bridge, mac])
    monkeypatch.setattr(executor.os, "geteuid", lambda: 0 if root else 5)
    spec = cast(Any, SimpleNamespace(network=network, bridge="br0", mac=MAC))
    settings = cast(Any, SimpleNamespace(driver=driver))
    assert executor._port(settings, spec) == (9 if root and driver == "qemu" and network == "bridge" else -1)


def test_the_keeper_gets_a_port_of_its_own(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    port = os.open(os.devnull, os.O_RDONLY)
    ports: list[int] = []
    monkeypatch.setattr(executor, "_port", lambda settings, spec: port)
    monkeypatch.setattr(executor, "work_of", lambda *words: ports.append(words[5]))
    begin()
    assert ports == [port]
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(port)


@pytest.mark.parametrize("bridge", ["", "no/bridge", "lo", "x" * 16])
def test_what_is_no_bridge_is_told(bridge: str) -> None:
    with pytest.raises(OSError, match="VMGAHP_ERR_JOBCLASSAD_MISMATCHED_NETWORKING_TYPE: ") as caught:
        executor.open_tap(bridge, MAC)
    assert caught.value.errno == 19
    assert (bridge or "VM_NETWORKING_BRIDGE_INTERFACE is not set") in str(caught.value)


@pytest.mark.parametrize("joins", [True, False])
def test_a_tap_device_is_made_for_a_bridge(monkeypatch: pytest.MonkeyPatch, joins: bool) -> None:
    asked: list[tuple[int, bytes]] = []
    joined: list[tuple[bytes, bytes, bytes]] = []

    def ioctl(_file: object, request: int, text: bytes) -> bytes:
        asked.append((request, text))
        return struct.pack("16sH22x", b"condorvm3", 0)

    def join(*words: bytes) -> None:
        joined.append(cast(Any, words))
        if not joins:
            raise OSError(1, "no")

    monkeypatch.setattr(executor, "_TUN", os.devnull)
    monkeypatch.setattr(executor.os.path, "isdir", lambda path: path == "/sys/class/net/br0/bridge")
    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    monkeypatch.setattr(executor, "_join", join)
    gc.collect()  # it closes what tests before this one have forgotten
    before = os.listdir("/proc/self/fd")
    if joins:
        tap = executor.open_tap("br0", MAC)
        assert os.readlink(f"/proc/self/fd/{tap}") == os.devnull
        assert not os.get_inheritable(tap)
        os.close(tap)
    else:
        with pytest.raises(OSError, match="no"):
            executor.open_tap("br0", MAC)
    assert asked == [(0x400454CA, struct.pack("16sH22x", b"condorvm%d", 0x5002))]
    assert joined == [(b"condorvm3", b"br0", bytes.fromhex("525400000001"))]
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize(("gid", "mode", "groups"), [(7, 0o660, (7,)), (7, 0o640, ()), (7, 0o620, ()), (0, 0o660, ())])
def test_the_group_that_may_use_the_processor(
    monkeypatch: pytest.MonkeyPatch, gid: int, mode: int, groups: tuple[int, ...]
) -> None:
    monkeypatch.setattr(executor.os, "stat", lambda path: SimpleNamespace(st_gid=gid, st_mode=0o20000 | mode))
    assert executor.kvm_groups() == groups


def test_a_machine_without_virtualization_has_no_such_group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(executor, "KVM", str(tmp_path / "kvm"))
    assert executor.kvm_groups() == ()


@pytest.mark.parametrize(("uid", "ours", "becomes"), [(5, 0, True), (0, 0, False), (5, 5, False), (None, 0, False)])
def test_the_keeper_becomes_the_owner_of_the_job(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, uid: int | None, ours: int, becomes: bool
) -> None:
    became: list[Account] = []
    limited: list[tuple[int, int]] = []
    family = Family()
    monkeypatch.setattr(executor, "become", became.append)
    monkeypatch.setattr(executor, "limit_process", lambda *words: limited.append(words))
    monkeypatch.setattr(executor, "kvm_groups", lambda: (7,))
    monkeypatch.setattr(executor.os, "geteuid", lambda: ours)
    places: list[str] = []
    masks: list[int] = []
    monkeypatch.setattr(executor.os, "chdir", places.append)
    monkeypatch.setattr(executor.os, "umask", masks.append)
    owner = None if uid is None else Account("ann", uid, 6, "/home/ann", (6, 50))
    executor._enter(cast(Any, family), Within(niceness=3, address_space=4), owner, str(tmp_path))
    assert [each.groups for each in became] == ([(6, 50, 7)] if becomes else [])
    assert (places, masks, limited, family.calls) == ([str(tmp_path)], [0o022], [(3, 4)], ["join"])
