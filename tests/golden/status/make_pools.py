"""The two recorded pools as ads: A has one partitionable slot with eight jobs, B one of four cpus and
four static slots.
"""

from __future__ import annotations

from pathlib import Path

from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

NOW = 1795213560
VERSION = '"$CondorVersion: 25.14.0 2026-11-20 PRE-RELEASE $"'
COMMON = {
    "Machine": '"vm"',
    "Arch": '"X86_64"',
    "OpSys": '"LINUX"',
    "OpSysAndVer": '"Debian12"',
    "MyCurrentTime": str(NOW),
    "LastHeardFrom": str(NOW),
    "TargetType": '"Job"',
    "MyType": '"Machine"',
    "CondorLoadAvg": "0.0",
    "TotalCpus": "8.0",
}


def _slot(name: str, state: str, activity: str, age: int, **more: str) -> dict[str, str]:
    return {
        **COMMON,
        "Name": f'"{name}@vm"',
        "State": f'"{state}"',
        "Activity": f'"{activity}"',
        "EnteredCurrentState": str(NOW - age),
        "EnteredCurrentActivity": str(NOW - age),
        **more,
    }


def pool_a() -> list[dict[str, str]]:
    """Eight jobs of one cpu and 128 MB."""
    users = {1: "alice@example.net", 4: "bob@example.net", 6: "bob@example.net"}
    count = 8

    def each(text: str) -> str:
        return "{ " + ",".join([text] * count) + " }"

    children = ",".join(f'"{users.get(n, "alice@example.net")}"' for n in range(1, count + 1))
    pslot = _slot(
        "slot1", "Unclaimed", "Idle", 1541,
        PartitionableSlot="true", SlotType='"Partitionable"', SlotTypeID="1", NumDynamicSlots=str(count),
        TotalSlotCpus="8", TotalSlotGPUs="0", TotalSlotMemory="16000", Cpus="0", Memory="14976", LoadAvg="0.0",
        TotalLoadAvg="0.24", RecentJobStarts="5", KeyboardIdle="2742", ChildState=each('"Claimed"'),
        ChildActivity=each('"Busy"'), ChildMemory=each("128"), ChildRemoteUser="{ " + children + " }",
    )  # fmt: skip
    busy = [
        _slot(
            f"slot1_{n}", "Claimed", "Busy", 1,
            DynamicSlot="true", SlotType='"Dynamic"', SlotTypeID="1", TotalSlotCpus="1", TotalSlotMemory="128",
            Cpus="1", Memory="128", LoadAvg="0.027", RemoteUser=f'"{users.get(n, "alice@example.net")}"',
            ClientMachine='"127.0.0.1"',
        )
        for n in range(1, count + 1)
    ]  # fmt: skip
    return [pslot, *busy]


def pool_b() -> list[dict[str, str]]:
    """A partitionable slot of four cpus, four static slots of which three run a job, and the daemon's ad."""
    sizes = {
        "Memory": "3200", "TotalSlotMemory": "3200", "TotalSlotGPUs": "0", "TotalLoadAvg": "1.6", "LoadAvg": "0.0",
        "RecentJobStarts": "8", "MyCustom": '"hello"', "Disk": "15578302", "KeyboardIdle": "36",
    }  # fmt: skip
    pslot = _slot(
        "slot1", "Unclaimed", "Idle", 36,
        PartitionableSlot="true", SlotType='"Partitionable"', SlotTypeID="1", NumDynamicSlots="0", TotalSlotCpus="4",
        Cpus="4", ChildState="{  }", ChildActivity="{  }", ChildMemory="{  }", **sizes,
    )  # fmt: skip
    static = [
        _slot(
            f"slot{n}", "Claimed" if n < 5 else "Unclaimed", "Busy" if n < 5 else "Idle", 36,
            SlotType='"Static"', SlotTypeID="2", TotalSlotCpus="1", Cpus="1", **sizes,
        )
        for n in range(2, 6)
    ]  # fmt: skip
    daemon = {
        **COMMON,
        "MyType": '"StartD"', "Name": '"vm"', "CondorVersion": VERSION,
        "DetectedCpus": "2", "DetectedMemory": "24105", "DetectedGPUs": "0", "DaemonStartTime": str(NOW - 60),
        "TotalSlots": "5", "TotalGPUs": "0", "TotalMemory": "16000", "TotalInUseCpus": "3", "TotalInUseMemory": "9600",
    }  # fmt: skip
    pslot["RecentJobStarts"] = "8"
    return [pslot, *static, daemon]


def other_daemons() -> list[dict[str, str]]:
    """Scheduler, submitters, master, negotiator and accounting ads."""
    base = {"Machine": '"vm"', "MyCurrentTime": str(NOW), "LastHeardFrom": str(NOW), "CondorVersion": VERSION}
    last = "LastNegotiationCycle"
    accounting = {"LastHeardFrom": str(NOW), "LastUsageTime": str(NOW), "MyType": '"Accounting"'}
    return [
        {
            **base, "MyType": '"Scheduler"', "Name": '"vm"', "TotalRunningJobs": "3", "TotalIdleJobs": "0",
            "TotalHeldJobs": "0", "TotalJobAds": "3", "ShadowsRunning": "3", "TotalSchedulerJobsRunning": "0",
            "TotalSchedulerJobsIdle": "0", "RecentJobsCompleted": "0", "RecentJobsStarted": "8",
        },
        {
            **base, "MyType": '"Submitter"', "Name": '"alice@example.net"', "RunningJobs": "3", "IdleJobs": "0",
            "HeldJobs": "0",
        },
        {
            **base, "MyType": '"Submitter"', "Name": '"group_phys.cms.alice@example.net"', "RunningJobs": "0",
            "IdleJobs": "0", "HeldJobs": "0",
        },
        {
            **base, "MyType": '"DaemonMaster"', "Name": '"vm"', "DetectedCpus": "2", "DetectedMemory": "24105",
            "DaemonStartTime": str(NOW - 5),
        },
        {
            **base, "MyType": '"Negotiator"', "Name": '"vm"', f"{last}End0": str(NOW), f"{last}Duration0": "0",
            f"{last}CandidateSlots0": "0", f"{last}ActiveSubmitterCount0": "0", f"{last}NumSchedulers0": "0",
            f"{last}NumIdleJobs0": "0", f"{last}Matches0": "0", f"{last}Rejections0": "0",
        },
        {
            **accounting, "Name": '"<none>"', "Priority": "509.61", "PriorityFactor": "1000.0", "ResourcesUsed": "55",
            "WeightedAccumulatedUsage": "121.0",
        },
        {
            **accounting, "Name": '"group_phys.cms.alice@example.net"', "Priority": "500.0", "PriorityFactor": "1000.0",
            "ResourcesUsed": "0", "WeightedAccumulatedUsage": "0.0",
        },
        {
            **accounting, "Name": '"alice@example.net"', "Priority": "500.5", "PriorityFactor": "1000.0",
            "ResourcesUsed": "33", "WeightedAccumulatedUsage": "75.0",
        },
    ]  # fmt: skip


def text(ads: list[dict[str, str]]) -> str:
    """The ads in long form."""
    return "\n".join("".join(f"{name} = {value}\n" for name, value in ad.items()) for ad in ads)


_KINDS = {
    '"Machine"': "STARTD",
    '"StartD"': "STARTD",
    '"Scheduler"': "SCHEDD",
    '"Submitter"': "SUBMITTERS",
    '"DaemonMaster"': "MASTER",
}


def publish(directory: Path, ads: list[dict[str, str]]) -> Path:
    """Makes ``ads`` what the daemons of a pool in ``directory`` have published; its configuration file."""
    config = directory / "condor_config"
    config.write_text(f"LOCAL_DIR = {directory}\nSPOOL = {directory}/spool\n")
    kinds: dict[str, list[ClassAd]] = {}
    for ad in ads:
        kind = _KINDS.get(ad["MyType"], ad["MyType"].strip('"').upper())
        kinds.setdefault(kind, []).append(ClassAd.from_text_items(ad.items()))
    for kind, found in kinds.items():
        AdStore(f"{directory}/spool/ads").publish(kind, found)
    return config
