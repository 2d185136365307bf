"""JobVMCpuUtilization: the share of its processors that a virtual machine has used."""

from __future__ import annotations

import os
import pwd
import shutil
import time
from pathlib import Path

import pytest
import small_machine

from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.identity import account_for
from condor_py.machine.run.job import read_job
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.machine.run.vm.executor import Busy, VmExecutor
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.settings.virtual import VmSettings

OWNER = pwd.getpwuid(os.geteuid()).pw_name


def never() -> float:
    raise AssertionError("nobody is to look before it is time")


def test_the_share_of_all_processors_since_the_last_look() -> None:
    busy = Busy(60, cpus=2, since=1000.0)
    assert busy.share(1059.9, never) is None
    assert busy.share(1060.0, lambda: 90.0) == 0.75
    assert busy.share(1119.0, never) is None
    assert busy.share(1160.0, lambda: 90.0) == 0.0, "it stood still"
    assert busy.share(1220.0, lambda: 210.0) == 1.0


@pytest.mark.parametrize(("used", "share"), [(15.0, 0.25), (0.0, 0.0)])
def test_a_machine_that_was_a_file_begins_anew(used: float, share: float) -> None:
    busy = Busy(60, cpus=1, since=0.0)
    assert busy.share(60.0, lambda: 30.0) == 0.5
    assert busy.share(120.0, lambda: used) == share


def test_a_clock_that_stands_still_divides_nothing() -> None:
    assert Busy(0, cpus=1, since=5.0).share(5.0, never) is None


def test_a_real_machine_tells_its_share(tmp_path: Path) -> None:
    """The executor asks the machine's processes, and tells the job ad."""
    if reason := small_machine.why_not():
        pytest.skip(reason)
    place = Place("slot1@here", "there", Sandbox(str(tmp_path)), "", {"PATH": os.environ["PATH"]})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    small_machine.make_disk(scratch / "disk.img", 100_000)
    ad = ClassAd({"ClusterId": 7, "ProcId": 3, "Cmd": "counter", "JobUniverse": 13, "JobVMMemory": 32})
    ad["Owner"], ad["Iwd"], ad["VMPARAM_vm_Disk"] = OWNER, str(scratch), "disk.img:vda:w"
    qemu = shutil.which("qemu-system-x86_64") or ""
    settings = VmSettings("kvm", 100, emulates=True, qemu=qemu, status_interval=0)
    family = JobFamily(StarterSettings("/nowhere", base_cgroup=""), "slot1@here", ClassAd())
    executor = VmExecutor(settings, family, ad, print)
    execution = Execution(read_job(ad, "here"), place, str(scratch), account_for(OWNER))
    executor.prepare(execution)
    executor.start(execution, place.base_environment)
    shares: list[float] = []
    try:
        until = time.monotonic() + 60
        while not any(0 < share < 20 for share in shares) and time.monotonic() < until:  # it is busy as it boots
            if told := executor.news().get("JobVMCpuUtilization"):
                shares.append(float(told))
            time.sleep(0.02)
    finally:
        executor.kill()
        executor.collect()
        executor.end()
        executor.close()
    assert any(0 < share < 20 for share in shares), shares
