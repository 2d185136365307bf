"""Every view of condor_status of ads that have all of its attributes, and of one that has none of them.

The output is in views.txt: after a wanted change CONDOR_PY_RECORD=1 writes it again, and the difference is to be read.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
from pathlib import Path

import pytest

from condor_py.cli.entry import main

VIEWS = Path(__file__).with_name("views.txt")
NOW = 1795213560
COMMON = f"""Machine = "lab.example.net"
Arch = "X86_64"
OpSys = "LINUX"
OpSysAndVer = "Debian12"
OpSysShortName = "Debian"
CondorVersion = "$CondorVersion: 25.14.0 2026-11-20 BuildID: 700 $"
MyCurrentTime = {NOW}
LastHeardFrom = {NOW}
DaemonStartTime = {NOW - 90061}
MyAddress = "<10.1.2.3:9618?x>"
DetectedCpus = 12
DetectedMemory = 30000
"""
SLOT = f"""{COMMON}MyType = "Machine"
Name = "slot1@lab.example.net"
SlotID = 1
SlotType = "Partitionable"
PartitionableSlot = true
NumDynamicSlots = 2
SlotTypeID = 1
State = "Unclaimed"
Activity = "Idle"
OCU = true
Cpus = 3
Memory = 5000
Disk = 700000
GPUs = 1
TotalCpus = 12.0
TotalSlotCpus = 9
TotalSlotMemory = 20000
TotalSlotDisk = 900000
TotalSlotGPUs = 2
LoadAvg = 0.5
TotalLoadAvg = 6.0
CondorLoadAvg = 0.25
KeyboardIdle = 3661
EnteredCurrentState = {NOW - 200}
EnteredCurrentActivity = {NOW - 100}
Mips = 11111
KFlops = 2222222
RecentJobStarts = 30
ChildState = {{ "Claimed","Claimed" }}
ChildActivity = {{ "Busy","Suspended" }}
ChildMemory = {{ 1024,2048 }}
ChildCpus = {{ 4,2 }}
ChildRemoteUser = {{ "bob@x","ann@x" }}
AvailableGPUs = {{ GPUs_GPU_1 }}
AssignedGPUs = "GPU-1,GPU-2"
GPUs_GPU_1 = [ DeviceName = "A100"; GlobalMemoryMb = 40000; Capability = 8.0; Id = "GPU-1" ]
GPUs_GPU_2 = [ DeviceName = "H200"; GlobalMemoryMb = 140000; Capability = 9.0; Id = "GPU-2" ]
GPUs_DeviceName = "A100"
GPUs_GlobalMemoryMB = 40000
HealthFactor = 0.75
HealthExprs = {{ "b","a" }}
LvmIsThinProvisioning = true
IsEnforcingDiskUsage = true
"""
CLAIMED = f"""{COMMON}MyType = "Machine"
Name = "slot1_1@lab.example.net"
SlotID = 1
DSlotId = 1
SlotType = "Dynamic"
DynamicSlot = true
State = "Claimed"
Activity = "Busy"
RemoteUser = "bob@x"
RemoteOwner = "bob@x"
ClientMachine = "submit.example.net"
Cpus = 4
Memory = 1024
Disk = 1000000
DiskUsage = 250000
GPUs = 1
AssignedGPUs = "GPU-2"
GPUs_DeviceName = "H200"
GPUs_GlobalMemoryMB = 140000
TotalCpus = 12.0
TotalSlotCpus = 4
TotalSlotMemory = 1024
TotalSlotGPUs = 1
LoadAvg = 3.875
TotalLoadAvg = 6.0
CondorLoadAvg = 3.875
KeyboardIdle = 7
Mips = 11111
KFlops = 2222222
RecentJobStarts = 10
EnteredCurrentState = {NOW - 90061}
EnteredCurrentActivity = {NOW - 5}
LvmIsThinProvisioning = true
IsEnforcingDiskUsage = true
SlotBrokenCode = 7
SlotBrokenReason = "a broken disk"
"""
STATIC = f"""{COMMON}MyType = "Machine"
Name = "slot2@lab.example.net"
SlotID = 2
SlotType = "Static"
State = "Owner"
Activity = "Idle"
OCU = true
Cpus = 1
Memory = 100
Disk = 1000
TotalCpus = 12.0
TotalSlotCpus = 1
TotalSlotMemory = 100
LoadAvg = 1.0
EnteredCurrentState = {NOW - 9}
EnteredCurrentActivity = {NOW - 9}
IsEnforcingDiskUsage = true
"""
STARTD = f"""{COMMON}MyType = "StartD"
Name = "lab.example.net"
DetectedGPUs = {{ GPUs_GPU_1,GPUs_GPU_2 }}
TotalGPUs = 2
GPUs_GPU_1 = [ DeviceName = "A100"; GlobalMemoryMB = 40000 ]
GPUs_GPU_2 = [ DeviceName = "H200"; GlobalMemoryMB = 140000 ]
OfflineGPUs = "GPU-9"
BrokenReasons = {{ slot2BrokenReason,slot1_1BrokenReason }}
slot1_1BrokenReason = "a broken disk"
slot2BrokenReason = "a job that does not end"
SlotBrokenReason = "not this"
LvmBackingStore = "/dev/vg/pool"
LvmIsThinProvisioning = false
LvmDetectedDisk = 9000000000
LvmNonCondorDiskUsage = 1000000000
LvmUsingLoopback = true
IsEnforcingDiskUsage = true
HealthFactor = 0.333
HealthExprs = "z,y"
"""
NUMBERS = {
    "Scheduler": "TotalRunningJobs TotalIdleJobs TotalHeldJobs TotalJobAds ShadowsRunning TotalSchedulerJobsRunning "
    "TotalSchedulerJobsIdle RecentJobsCompleted RecentJobsStarted TransferQueueMaxUploading "
    "TransferQueueNumDownloading TransferQueueNumWaitingToDownload TransferQueueNumUploading "
    "TransferQueueNumWaitingToUpload",
    "Submitter": "RunningJobs IdleJobs HeldJobs",
    "Collector": "RunningJobs IdleJobs HostsTotal",
    "Negotiator": " ".join(
        f"LastNegotiationCycle{name}0" for name in
        ("Duration", "CandidateSlots", "ActiveSubmitterCount", "NumSchedulers", "NumIdleJobs", "Matches", "Rejections")
    ),
    "Accounting": "ResourcesUsed",
    "Grid": "NumJobs SubmitsAllowed SubmitsWanted RunningJobs IdleJobs",
    "Defrag": "MachinesDraining MachinesDrainingPeak DrainedMachines",
    "Storage": "Disk",
    "CkptServer": "Disk",
    "DaemonMaster": "",
    "Other": "",
}  # fmt: skip
MORE = {
    "Scheduler": "FileTransferDownloadBytesPerSecond_5m = 123456.7\nFileTransferMBWaitingToDownload = 12.345\n"
    "FileTransferUploadBytesPerSecond_5m = 654321.0\nFileTransferMBWaitingToUpload = 54.321\n",
    "Negotiator": f"LastNegotiationCycleEnd0 = {NOW - 30}\n",
    "Accounting": f"Priority = 512.125\nPriorityFactor = 1000.0\nWeightedAccumulatedUsage = 123456.789\n"
    f"LastUsageTime = {NOW - 3600}\n",
    "Storage": 'Subnet = "10.1.2"\n',
    "CkptServer": 'Subnet = "10.1.3"\n',
    "Grid": 'GridResource = "batch slurm"\nScheddName = "lab"\nOwner = "bob"\n',
}  # fmt: skip


SLOTS = ("", "-avail", "-claimed", "-server", "-state", "-gpus", "-lvm", "-broken", "-run", "-cod", "-wide",
         "-compact", "-compact -claimed", "-compact -server", "-compact -state", "-compact -gpus",
         "-subsystem machine")  # fmt: skip
#: The views of each kind of ads.
KINDS = {
    "Machine": SLOTS,
    "StartD": ("-startd", "-startd -gpus", "-gpus -startd", "-startd -broken", "-broken -startd", "-startd -lvm",
               "-health", "-startd -health"),
    "Scheduler": ("-schedd", "-schedd -data", "-schedd -run", "-data", "-run -schedd", "-subsystem SCHEDD"),
    "Submitter": ("-submitters",), "Collector": ("-collector",), "Negotiator": ("-negotiator",),
    "Accounting": ("-subsystem accounting",), "Grid": ("-grid",), "Defrag": ("-defrag",), "Storage": ("-storage",),
    "CkptServer": ("-ckptsrvr",), "DaemonMaster": ("-master",), "Other": ("-any", "-generic", "-subsystem other"),
}  # fmt: skip


def ads(kind: str) -> str:
    """Ads of a kind that have everything, and one that has a name alone."""
    if kind == "Machine":
        found = [SLOT, CLAIMED, STATIC]
    elif kind == "StartD":
        found = [STARTD]
    else:
        numbers = "".join(f"{name} = {7 * number}\n" for number, name in enumerate(NUMBERS[kind].split(), 1))
        found = [f'{COMMON}MyType = "{kind}"\nName = "{kind.lower()}"\n{numbers}{MORE.get(kind, "")}']
    return "\n".join([*found, f'MyType = "{kind}"\nName = "bare"\n'])


def shown(words: str, path: Path) -> str:
    """What a view prints."""
    said, complained = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        code = main("condor_status", ["-ads", str(path), *shlex.split(words)])
    return f"$ condor_status {words}\n{said.getvalue()}{complained.getvalue()}[{code}]\n"


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    return tmp_path


def test_each_view(directory: Path) -> None:
    text = ""
    for kind, views in KINDS.items():
        (directory / kind).write_text(ads(kind))
        text += "".join(shown(words, directory / kind) for words in views)
    if os.environ.get("CONDOR_PY_RECORD"):
        VIEWS.write_text(text)
    assert text == VIEWS.read_text()
