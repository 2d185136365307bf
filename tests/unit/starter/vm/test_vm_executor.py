"""The starter's side of a virtual machine: the orders that its keeper gets, and what is made of its reports."""

from __future__ import annotations

import fcntl
import json
import signal
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.vm import executor
from condor_py.machine.run.vm.executor import MACHINE_EVICT, VmExecutor
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
