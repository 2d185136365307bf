"""A pool of many kinds of slots, users and jobs at one moment, for the tests of sessions."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool, empty_spool

from condor_py.bindings import session
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

SESSION = Path(__file__).resolve().parents[2] / "golden" / "session" / "session.txt"
NOW = 1795888800  # 2026-11-28 18:00 UTC
COMMON = {
    "RequestCpus": "1", "RequestMemory": "128", "RequestDisk": "10", "Requirements": "TARGET.Memory >= RequestMemory",
    "EnteredCurrentStatus": str(NOW - 3600), "QDate": str(NOW - 7200), "Iwd": '"/nowhere"', "Rank": "0.0",
}  # fmt: skip
SLOT = {
    "MyType": "Machine", "Machine": "lab", "SlotID": 1, "State": "Unclaimed", "Activity": "Idle", "Cpus": 3,
    "Memory": 1000, "Disk": 2000000, "GPUs": 0, "Requirements": True, "Start": True, "SlotWeight": 3.0,
    "OpSys": "LINUX", "Arch": "X86_64", "OpSysAndVer": "Debian12", "MyAddress": "<10.1.2.3:9618>", "LoadAvg": 0.25,
    "TotalCpus": 8.0, "TotalLoadAvg": 1.5, "TotalCondorLoadAvg": 1.25, "EnteredCurrentActivity": NOW - 100,
    "EnteredCurrentState": NOW - 200, "MyCurrentTime": NOW, "LastHeardFrom": NOW, "KeyboardIdle": 1000,
}  # fmt: skip
SLOTS = [
    SLOT | {"Name": "slot1@lab", "PartitionableSlot": True, "SlotType": "Partitionable", "NumDynamicSlots": 2},
    SLOT | {"Name": "slot1_1@lab", "DSlotId": 1, "DynamicSlot": True, "State": "Claimed", "Activity": "Busy", "Cpus": 4,
            "RemoteUser": "physics.ann@example.net", "RemoteOwner": "ann@example.net", "JobId": "1.0", "GPUs": 1,
            "AccountingGroup": "physics.ann@example.net", "JobStart": NOW - 700, "SlotWeight": 4.0,
            "SlotType": "Dynamic", "TotalJobRunTime": 700, "ClientMachine": "lab"},
    SLOT | {"Name": "slot1_2@lab", "DSlotId": 2, "DynamicSlot": True, "State": "Claimed", "Activity": "Suspended",
            "Cpus": 1, "RemoteUser": "bea@example.net", "RemoteOwner": "bea@example.net", "JobId": "4.0",
            "JobStart": NOW - 50, "SlotWeight": 1.0, "SlotType": "Dynamic", "TotalJobRunTime": 50,
            "ClientMachine": "lab"},
    SLOT | {"Name": "slot2@lab", "SlotID": 2, "State": "Owner", "Cpus": 1, "Memory": 100, "SlotType": "Static",
            "Start": False, "Requirements": False},
    SLOT | {"Name": "slot3@lab", "SlotID": 3, "State": "Drained", "Activity": "Retiring", "Draining": True,
            "DrainReason": "new kernel", "SlotType": "Static"},
    {"MyType": "StartD", "Name": "lab", "Machine": "lab", "DetectedCpus": 8, "DetectedMemory": 16000},
]  # fmt: skip


def fill(spool: Spool) -> None:
    """Queue jobs in all states."""
    spool.add(1, 3, "ann", **COMMON, JobBatchName='"night"', AccountingGroup='"physics.ann"', AcctGroup='"physics"',
              JobPrio="3")  # fmt: skip
    for name, text in (
        ("JobStatus", "2"), ("RemoteHost", '"slot1_1@lab"'), ("ShadowBday", str(NOW - 700)), ("NumJobStarts", "2"),
        ("JobCurrentStartDate", str(NOW - 700)), ("CpusProvisioned", "4"), ("MemoryProvisioned", "2000"),
        ("MemoryUsage", "777"), ("CpusUsage", "3.5"), ("DiskUsage", "5000"), ("RemoteUserCpu", "500.5"),
        ("RemoteWallClockTime", "90000.0"), ("BytesSent", "12345.0"), ("BytesRecvd", "9876543.0"),
        ("NumShadowStarts", "2"), ("NumJobMatches", "2"), ("StartdPrincipal", '"x"'),
    ):  # fmt: skip
        spool.set("1.0", name, text)
    spool.set("1.2", "RequestMemory", "50000")
    spool.add(2, 2, "ann", **COMMON, JobBatchName='"night"', AccountingGroup='"physics.ann"')
    spool.set("2.1", "JobStatus", "4")
    spool.set("2.1", "ExitCode", "3")
    held = {"JobStatus": "5", "HoldReason": '"no disk"', "HoldReasonCode": "12", "HoldReasonSubCode": "28",
            "NumHolds": "2", "NumJobStarts": "1"}  # fmt: skip
    spool.add(3, 2, "bea", **COMMON | held, JobDescription='"simulate"')
    spool.set("3.1", "HoldReason", '"memory"')
    spool.set("3.1", "HoldReasonCode", "34")
    spool.add(4, 1, "bea", **COMMON, Cmd='"/opt/run.sh"', Args='"-v secret"', ImageSize="2048")
    for name, text in (("JobStatus", "7"), ("RemoteHost", '"slot1_2@lab"'), ("ShadowBday", str(NOW - 50)),
                       ("TransferringInput", "true"), ("TransferQueued", "true")):  # fmt: skip
        spool.set("4.0", name, text)
    spool.add(5, 1, "cyd", **COMMON, JobUniverse="7", Cmd='"/usr/bin/condor_dagman"', JobBatchName='"d.dag+5"')
    for name, text in (
        ("JobStatus", "2"), ("DAG_NodesTotal", "7"), ("DAG_NodesDone", "3"), ("DAG_NodesFailed", "1"),
        ("DAG_JobsRunning", "1"), ("DAG_JobsIdle", "2"), ("DAG_Status", "0"), ("JobStartDate", str(NOW - 600)),
        ("Args", '"-f -l . -Dag d.dag"'), ("ShadowBday", str(NOW - 600)),
    ):  # fmt: skip
        spool.set("5.0", name, text)
    spool.add(6, 2, "cyd", **COMMON, DAGManJobId="5", DAGNodeName='"B"')
    spool.set("6.1", "JobStatus", "6")
    spool.add(7, 1, "dan", **COMMON | {"JobStatus": "3", "RemoveReason": '"via condor_rm"'})
    spool.add(8, 1, "dan", **COMMON | {"Requirements": 'TARGET.OpSys == "CPM" && TARGET.Memory > 10'})
    spool.add(9, 1, "dan", **COMMON, JobUniverse="9", GridResource='"batch slurm login.example.org"',
              GridJobId='"batch slurm 77"', GridJobStatus='"PENDING"')  # fmt: skip
    spool.add(11, 1, "dan", **COMMON, DeferralTime=str(NOW + 600))


def user(name: str, **more: object) -> ClassAd:
    return ClassAd({
        "Name": f"{name}@example.net", "Priority": 1500.0, "PriorityFactor": 1000.0, "WeightedResourcesUsed": 0.0,
        "ResourcesUsed": 0, "AccountingGroup": "<none>", "LastUsageTime": NOW - 60, "IsAccountingGroup": False,
        "BeginUsageTime": NOW - 10**6, "AccumulatedUsage": 3600.0, "WeightedAccumulatedUsage": 7200.0,
        "LastUpdate": NOW - 5, **more,
    })  # fmt: skip


def publish(spool: Spool) -> None:
    """Publish what the daemons know."""
    store = AdStore(f"{spool.path.parent}/ads")
    store.publish("STARTD", [ClassAd(slot) for slot in SLOTS])
    store.publish("ACCOUNTING", [
        user("physics.ann", WeightedResourcesUsed=4.0, ResourcesUsed=1, AccountingGroup="physics", SubmitterShare=0.5,
             SubmitterLimit=5.5, Ceiling=9, Floor=2.0),
        user("bea", Priority=500.0, WeightedResourcesUsed=1.0, ResourcesUsed=1, SubmitterShare=0.25),
        user("cyd", Priority=4000.0, PriorityFactor=2000.0, LastUsageTime=NOW - 10**7),
        ClassAd({"Name": "physics", "IsAccountingGroup": True, "EffectiveQuota": 5.5, "Requested": 4.0, "Priority": 0.5,
                 "PriorityFactor": 1.0, "WeightedResourcesUsed": 4.0, "ResourcesUsed": 1, "AccountingGroup": "<none>",
                 "LastUpdate": NOW - 5, "ConfigQuota": 5.5, "SubtreeQuota": 5.5, "GroupSortKey": 0.7,
                 "SurplusPolicy": "byquota", "AccumulatedUsage": 1.0, "WeightedAccumulatedUsage": 2.0}),
        ClassAd({"Name": "<none>", "IsAccountingGroup": True, "EffectiveQuota": 5.5, "Requested": 2.0,
                 "WeightedResourcesUsed": 1.0, "AccountingGroup": "<none>", "LastUpdate": NOW - 5}),
    ])  # fmt: skip
    store.publish("SUBMITTERS", [
        ClassAd({"MyType": "Submitter", "Name": f"{name}@example.net", "Machine": "lab", "IdleJobs": 2,
                 "RunningJobs": 1, "HeldJobs": 3}) for name in ("physics.ann", "bea")
    ])  # fmt: skip
    store.publish("SCHEDD", [ClassAd({
        "MyType": "Scheduler", "Name": "lab", "Machine": "lab", "TotalRunningJobs": 3, "TotalIdleJobs": 5,
        "TotalHeldJobs": 2, "JobsStarted": 17, "RecentDaemonCoreDutyCycle": 0.125, "MyAddress": "<10.1.2.3:9618>",
        "MonitorSelfAge": 90061, "RecentJobsCompleted": 4, "RecentJobsStarted": 5, "NumOwners": 4,
        "DetectedCpus": 8, "DetectedMemory": 4000,
    })])  # fmt: skip


def remember(spool: Spool) -> None:
    """Write a history of jobs that ended in several ways."""
    text = ""
    for cluster, proc, more in (
        (
            20,
            0,
            {
                "JobStatus": 4,
                "ExitCode": 0,
                "CompletionDate": NOW - 900,
                "RemoteWallClockTime": 60.5,
                "CumulativeRemoteUserCpu": 50.0,
                "RequestCpus": 1,
                "RequestMemory": 100,
                "MemoryUsage": 77,
            },
        ),
        (21, 0, {"JobStatus": 4, "ExitBySignal": True, "ExitSignal": 11, "CompletionDate": NOW - 800}),
        (21, 1, {"JobStatus": 3, "RemoveReason": '"too long"', "EnteredCurrentStatus": NOW - 700}),
    ):
        ad = {"ClusterId": cluster, "ProcId": proc, "Owner": '"ann"', "Cmd": '"/bin/sleep"', "Args": '"60"',
              "QDate": NOW - 5000, "JobStartDate": NOW - 1000, "JobCurrentStartDate": NOW - 1000, "NumJobStarts": 1,
              "NumShadowStarts": 1, "LastRemoteHost": '"slot1_3@lab"', "GlobalJobId": f'"lab#{cluster}.{proc}#1"',
              **more}  # fmt: skip
        begin = len(text)
        text += "".join(f"{name} = {str(value).lower() if value is True else value}\n" for name, value in ad.items())
        text += f'*** Offset = {begin} ClusterId = {cluster} ProcId = {proc} Owner = "ann" CompletionDate = {NOW}\n'
    (spool.path.parent / "history").write_text(text)


@pytest.fixture(scope="module")
def spool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spool]:
    """A pool at one moment."""
    with pytest.MonkeyPatch.context() as patch:
        for made in empty_spool(tmp_path_factory.mktemp("session"), patch):
            for knob, text in (("GROUP_NAMES", "physics"), ("GROUP_QUOTA_physics", "5.5"), ("DETECTED_CPUS", "11"),
                               ("SCHEDD_NAME", "lab@"), ("HISTORY_HELPER_MAX_CONCURRENCY", "0")):  # fmt: skip
                patch.setenv(f"_CONDOR_{knob}", text)
            patch.setattr(Pool, "now", lambda self: NOW)
            patch.setattr(time, "time", lambda: float(NOW))
            patch.setattr(os, "getloadavg", lambda: (1.234, 0.5, 0.25))
            patch.setattr(session, "_pool", None)
            fill(made)
            publish(made)
            remember(made)
            yield made


def normal(text: str) -> str:
    """A text without what differs from pool to pool."""
    return re.sub(r"/[^ \"'<]*/session0?[^/ \"'<]*/", "/POOL/", text).replace(os.uname().nodename, "HOST")


def of_session(command: str) -> str:
    """What the session has of a command."""
    text = SESSION.read_text()
    begin = text.index(f"$ {command}\n")
    end = text.find("\n$ condor_", begin), text.find("\n$ htcondor ", begin)
    ends = [at + 1 for at in end if at >= 0]
    return text[begin : min(ends, default=len(text))]
