"""Virtual machines that cannot run here: the machine ad says why, and they are tried again (VM_RECHECK_INTERVAL)."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from condor_py.core.slots import events as on
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.startd.abilities import VirtualMachines
from condor_py.machine.run.vm import trial
from condor_py.machine.run.vm.qemu import qemu_words
from condor_py.machine.run.vm.spec import VmSpec
from condor_py.machine.run.vm.trial import try_machines
from condor_py.model.settings.virtual import VmSettings


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


#: A qemu that cannot pass the processor on, as where KVM is nested, and with another one runs until its monitor closes.
NESTED = r"""#!/usr/bin/env python3
import json, os, sys
if "-cpu" in sys.argv:
    sys.exit("kvm: error: failed to set MSR 0xd90")
monitor = os.fdopen(0, "r+b", buffering=0)
def say(what):
    monitor.write(json.dumps(what).encode() + b"\r\n")
say({"QMP": {"version": {"qemu": {"major": 7, "minor": 2, "micro": 0}, "package": ""}, "capabilities": []}})
for line in monitor:
    order = json.loads(line)
    answer = {"status": "running", "running": True, "singlestep": False} if "status" in order["execute"] else {}
    say({"return": answer, **({"id": order["id"]} if "id" in order else {})})
    if order["execute"] == "quit":
        break
"""


def test_where_the_processor_cannot_be_passed_on_machines_get_the_default_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "_nobody", lambda: None)  # who could not reach the directory of the test
    qemu = tmp_path / "qemu"
    qemu.write_text(NESTED.replace("#!/usr/bin/env python3", f"#!{sys.executable}"))
    qemu.chmod(0o755)
    settings = VmSettings("kvm", 100, qemu=str(qemu), patience=20)
    able, broken = try_machines(settings, None)
    assert (able.kind, broken) == ("kvm", "")
    assert "failed to set MSR" in able.plain_because
    assert try_machines(settings.changed(emulates=True), None)[0].kind == "", "what is imitated is not tried again"


def test_machines_with_the_default_processor() -> None:
    spec = VmSpec("x", 32, 1, ())
    words = [qemu_words(VmSettings("kvm", host_processor=passed), spec, "pc") for passed in (True, False)]
    assert ["host" in line for line in words] == [True, False]
    assert "-cpu" not in words[1]
