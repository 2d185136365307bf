"""Virtual machines that cannot run here: the machine ad says why, and they are tried again (VM_RECHECK_INTERVAL)."""

from __future__ import annotations

import time
from pathlib import Path

from condor_py.daemon.common.loop import Loop
from condor_py.daemon.startd.virtualmachines import VirtualMachines
from condor_py.model.settings.virtual import VmSettings
from condor_py.startd import events as on


def test_what_does_not_work_is_told_and_tried_again(tmp_path: Path) -> None:
    loop, told, happened = Loop(), [], []
    machines = VirtualMachines(loop, told.append, happened.append)
    machines.use(VmSettings("kvm", 100, qemu=str(tmp_path / "no-qemu"), recheck_interval=0), None)
    deadline = time.monotonic() + 30
    while len(told) < 2 and time.monotonic() < deadline:
        loop.turn(1.0)
    machines.stop()
    loop.close()
    assert told[0] == told[1]
    assert "no-qemu" in told[0]
    found = [event for event in happened if isinstance(event, on.MachinesFound)]
    assert [event.abilities.kind for event in found[:2]] == ["", ""]
    shown = dict(pair for event in happened if isinstance(event, on.UpdateAd) for pair in event.pairs)
    assert shown["HasVM"] == "false"
    assert "no-qemu" in shown["VMOfflineReason"]
