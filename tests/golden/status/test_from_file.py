"""condor_status on files of ads: everything in the file counts, and the displays of GPUs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import make_pools

from condor_py.cli.status import main

GPU = '[ Id = "{0}"; Capability = 8.0; DeviceName = "A100-SXM4-40GB"; GlobalMemoryMb = 47661; DeviceUuid = "{0}" ]'
SLOT = {
    **make_pools.COMMON,
    "GPUs_DeviceName": '"A100-SXM4-40GB"',
    "GPUs_GlobalMemoryMb": "47661",
    "GPUs_GPU_a0223334": GPU.format("GPU-a0223334"),
    "SlotTypeID": "1",
    "GPUs": "1",
}
SLOTS = [
    {
        **SLOT, "Name": '"slot1@vm"', "State": '"Unclaimed"', "Activity": '"Idle"', "PartitionableSlot": "true",
        "SlotType": '"Partitionable"', "NumDynamicSlots": "1", "AssignedGPUs": '"GPU-a0223334,GPU-b1223334"',
        "AvailableGPUs": "{ GPUs_GPU_b1223334 }", "GPUs_GPU_b1223334": GPU.format("GPU-b1223334"),
        "TotalSlotGPUs": "2",
    },
    {
        **SLOT, "Name": '"slot1_1@vm"', "State": '"Claimed"', "Activity": '"Busy"', "DynamicSlot": "true",
        "SlotType": '"Dynamic"', "AssignedGPUs": '"GPU-a0223334"', "AvailableGPUs": "{ GPUs_GPU_a0223334 }",
        "RemoteUser": '"tester@vm"', "TotalSlotGPUs": "1",
    },
    {
        **make_pools.COMMON, "Name": '"slot2@vm"', "State": '"Claimed"', "Activity": '"Busy"', "SlotTypeID": "2",
        "SlotType": '"Static"', "GPUs": "0", "AvailableGPUs": "{  }",
    },
]  # fmt: skip
TABLE = """\
Name       ST User      GPUs GPU-Memory GPU-Name

slot1@vm   Ui _            1 46.5 GB    A100-SXM4-40GB
slot1_1@vm Cb tester@vm    1 46.5 GB    A100-SXM4-40GB

               Total Owner Unclaimed Claimed Preempting Matched  Drain Backfill BkIdle

          Busy     0     0         0       1          0       0      0        0      0
          Idle     0     0         1       0          0       0      0        0      0

         Total     0     0         1       1          0       0      0        0      0

"""
COMPACT = """\
Machine Platform     Slots FreGPU TotGPUs Capability GPUsMemory DeviceNames

vm      x64/Debian12    2       1    2           8.0    46.5 GB A100-SXM4-40GB

                                   Total Owner Unclaimed Claimed Preempting Matched  Drain Backfill BkIdle

Capability 8.0, 46.5 GB, A100-SXM4     0     0         1       1          0       0      0        0      0

                             Total     0     0         1       1          0       0      0        0      0

"""


def shown(capsys: pytest.CaptureFixture[str], tmp_path: Path, ads: list[dict[str, str]], *words: str) -> str:
    """What condor_status prints of a file of ads."""
    path = tmp_path / "ads"
    path.write_text(make_pools.text(ads))
    assert main(["-ads", str(path), *words]) == 0
    return capsys.readouterr().out


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def test_slots_with_gpus(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _stripped(shown(capsys, tmp_path, SLOTS, "-gpus")) == TABLE


def test_machines_with_gpus(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _stripped(shown(capsys, tmp_path, SLOTS, "-gpus", "-compact")) == COMPACT


def test_startds_with_gpus(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    daemon = {
        **SLOTS[0], "MyType": '"StartD"', "Name": '"vm"', "TotalGPUs": "2", "DetectedCpus": "2",
        "DetectedMemory": "24105", "DetectedGPUs": "{ GPUs_GPU_a0223334,GPUs_GPU_b1223334 }",
    }  # fmt: skip
    lines = shown(capsys, tmp_path, [daemon], "-startd", "-gpus").splitlines()
    assert lines[:3] == [
        "Name Cores   Memory   GPUs GPU-Memory GPU-Name       Offline-GPUs",
        "",
        "vm   2        23.5 GB    2 47661      A100-SXM4-40GB             ",
    ]


def test_a_file_is_taken_as_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    everything = [*make_pools.pool_b(), *make_pools.other_daemons()]
    assert len(shown(capsys, tmp_path, everything, "-schedd", "-af", "Name").split()) == len(everything)
    assert shown(capsys, tmp_path, SLOTS, "-gpus", "-long").count("\nName = ") == 3
    assert shown(capsys, tmp_path, SLOTS, "-gpus", "-af", "Name").split() == ["slot1@vm", "slot1_1@vm"]
    assert shown(capsys, tmp_path, [], "-af:h", "Name") == "Name\n"


def test_compact_leaves_out_what_is_folded_in_every_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert shown(capsys, tmp_path, make_pools.pool_b()[:5], "-compact", "-af", "Name").split() == [
        "slot1@vm",
        "slot2@vm",
    ]


def test_comparing_with_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text(make_pools.text([SLOTS[1], {**SLOTS[2], "Name": '"slot9@vm"'}]))
    assert shown(capsys, tmp_path, SLOTS, "-merge", str(there), "-af", "Name") == (
        "The following ads were found only in the query:\nslot1@vm\nslot2@vm\n\n"
        f"The following ads were found in both the query and in '{there}':\nslot1_1@vm\n\n"
        f"The following ads were found only in '{there}':\nslot9@vm\n"
    )
    there.write_text("")
    assert shown(capsys, tmp_path, SLOTS[:1], "-merge", str(there), "-af", "Name") == (
        "The following ads were found only in the query:\nslot1@vm\n"
    )


def test_undefined_cells(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    row = shown(capsys, tmp_path, [{"Name": '"x"', "MyCurrentTime": "5", "EnteredCurrentActivity": "5"}])
    assert (
        row.splitlines()[2]
        == "x                                                      undefined ??       [????] [????]  0+00:00:00"
    )


def test_columns_cannot_be_appended_to_whole_ads(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from condor_py.cli.entry import main as run_program

    path = tmp_path / "ads"
    path.write_text(make_pools.text(SLOTS))
    assert run_program("condor_status", ["-ads", str(path), "-long", "-aaf", "Cpus"]) == 1
    assert capsys.readouterr() == ("", "Error: output formatting options conflict with -aaf options\n")


def test_disks_of_jobs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    limited = {"IsEnforcingDiskUsage": "true", "LvmIsThinProvisioning": "true"}
    job = {**SLOTS[1], **limited, "Disk": "20480", "DiskUsage": "5120"}
    lines = shown(capsys, tmp_path, [{**SLOTS[0], **limited}, job, SLOTS[2]], "-lvm").splitlines()
    assert lines == [
        "NAME       PROVISION ALLOCATED   USAGE",
        "",
        "slot1_1@vm thin        20.0 MB  25.00%",
    ]
    daemon = {
        **make_pools.COMMON, "MyType": '"StartD"', "Name": '"vm"', "LvmBackingStore": '"condor_STARTD"',
        "LvmDetectedDisk": "209715200", "LvmNonCondorDiskUsage": "8388608", "LvmUsingLoopback": "true",
        "IsEnforcingDiskUsage": "true",
    }  # fmt: skip
    table = [
        "HOST DEVICE        PROVISION     DISK  LOOPBACK",
        "",
        "vm   condor_STARTD thick      192.0 MB     true",
    ]
    for words in (("-startd", "-lvm"), ("-lvm", "-startd")):
        assert shown(capsys, tmp_path, [daemon], *words).splitlines() == table
