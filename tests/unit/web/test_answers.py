"""Whole answers of the pages about one pool of many kinds of slots, users and jobs, and the pictures drawn of them.

The answers are in tests/golden/web, a file an address: after a wanted change CONDOR_PY_RECORD=1 writes them again, and
the difference is to be read.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool, empty_spool
from visits import Visited

from condor_py.cli.web.pages import life, shares, why
from condor_py.cli.web.works import State
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "web"
NOW = 1795888800  # 2026-11-28 18:00 UTC
SLOTS = [
    {"Name": "slot1@lab", "SlotID": 1, "PartitionableSlot": True, "State": "Unclaimed", "Activity": "Idle", "Cpus": 3,
     "Memory": 1000, "Disk": 2000000, "GPUs": 1, "TotalCondorLoadAvg": 2.345, "EnteredCurrentActivity": NOW - 100,
     "LoadAvg": 0.126, "OpSysLongName": "Debian 12", "SlotWeight": 3.0},
    {"Name": "slot1_1@lab", "SlotID": 1, "DynamicSlot": True, "State": "Claimed", "Activity": "Busy", "Cpus": 4,
     "Memory": 2000, "Disk": 1000000, "GPUs": 1, "RemoteUser": "ann@example.net", "RemoteOwner": "ann@example.net",
     "AccountingGroup": "physics.ann@example.net", "JobId": "1.0", "EnteredCurrentActivity": NOW - 700,
     "LoadAvg": 1.5, "SlotWeight": 4.0},
    {"Name": "slot1_2@lab", "SlotID": 1, "DynamicSlot": True, "State": "Claimed", "Activity": "Suspended", "Cpus": 1,
     "Memory": 500, "Disk": 1000, "RemoteOwner": "bea@example.net", "JobId": "4.0", "EnteredCurrentActivity": NOW + 9,
     "SlotWeight": 1.0},
    {"Name": "slot2@lab", "SlotID": 2, "State": "Owner", "Activity": "Idle", "Cpus": 1, "Memory": 100, "Disk": 100,
     "Draining": True, "DrainReason": "new kernel", "SlotWeight": 1.0},
    {"Name": "slot3@lab", "SlotID": 3, "State": "Drained", "Activity": "Retiring", "Cpus": 1, "SlotWeight": 1.0},
    {"Name": "slot4@lab", "SlotID": 4, "State": "Unclaimed", "Offline": True, "Cpus": 1, "SlotWeight": 1.0},
    {"MyType": "StartD", "Name": "lab"},
]  # fmt: skip
COMMON = {
    "RequestCpus": "1", "RequestMemory": "128", "RequestDisk": "10", "Requirements": "TARGET.Memory >= RequestMemory",
    "EnteredCurrentStatus": str(NOW - 3600), "QDate": str(NOW - 7200), "Iwd": '"/nowhere"',
}  # fmt: skip
HELD = {"JobStatus": "5", "HoldReason": '"no disk"', "HoldReasonCode": "12", "HoldReasonSubCode": "28"}


def fill(spool: Spool) -> None:
    """Queue jobs in all states."""
    spool.add(1, 3, "ann", **COMMON, JobBatchName='"night"', AccountingGroup='"physics.ann"', JobPrio="3")
    for name, text in (
        ("JobStatus", "2"), ("RemoteHost", '"slot1_1@lab"'), ("ShadowBday", str(NOW - 700)), ("NumJobStarts", "2"),
        ("JobCurrentStartDate", str(NOW - 700)), ("CpusProvisioned", "4"), ("MemoryProvisioned", "2000"),
        ("MemoryUsage", "777"), ("CpusUsage", "3.5"), ("DiskUsage", "5000"),
    ):  # fmt: skip
        spool.set("1.0", name, text)
    spool.set("1.2", "RequestMemory", "50000")
    spool.add(2, 2, "ann", **COMMON, JobBatchName='"night"', AccountingGroup='"physics.ann"')
    spool.set("2.1", "JobStatus", "4")
    spool.set("2.1", "ExitCode", "3")
    spool.add(3, 2, "bea", **COMMON | HELD, JobDescription='"simulate"')
    spool.set("3.1", "HoldReason", '"memory"')
    spool.set("3.1", "HoldReasonCode", "34")
    spool.add(4, 1, "bea", **COMMON, Cmd='"/opt/run.sh"', Arguments='"-v secret"')
    for name, text in (("JobStatus", "7"), ("RemoteHost", '"slot1_2@lab"'), ("ShadowBday", str(NOW - 50))):
        spool.set("4.0", name, text)
    spool.add(5, 1, "cyd", **COMMON, JobUniverse="7", Cmd='"/usr/bin/condor_dagman"', JobBatchName='"d.dag+5"')
    for name, text in (
        ("JobStatus", "2"), ("DAG_NodesTotal", "7"), ("DAG_NodesDone", "3"), ("DAG_NodesFailed", "1"),
        ("DAG_JobsRunning", "1"), ("DAG_JobsIdle", "2"), ("DAG_Status", "0"), ("JobStartDate", str(NOW - 600)),
        ("Args", '"-f -l . -Dag d.dag"'),
    ):  # fmt: skip
        spool.set("5.0", name, text)
    spool.add(6, 2, "cyd", **COMMON, DAGManJobId="5", DAGNodeName='"B"')
    spool.set("6.1", "JobStatus", "6")
    spool.add(7, 1, "dan", **COMMON | {"JobStatus": "3", "RemoveReason": '"via condor_rm"'})
    spool.add(8, 1, "dan", **COMMON | {"Requirements": 'TARGET.OpSys == "CPM"'})


def user(name: str, **more: object) -> ClassAd:
    return ClassAd({
        "Name": f"{name}@example.net", "Priority": 1500.0, "PriorityFactor": 1000.0, "WeightedResourcesUsed": 0.0,
        "ResourcesUsed": 0, "AccountingGroup": "<none>", "LastUsageTime": NOW - 60, "IsAccountingGroup": False,
        "WeightedAccumulatedUsage": 7200.0, "LastUpdate": NOW - 5, **more,
    })  # fmt: skip


def publish(spool: Spool) -> None:
    """Publish what the daemons know."""
    store = AdStore(f"{spool.path.parent}/ads")
    store.publish("STARTD", [ClassAd({"Requirements": True, "Start": True, **slot}) for slot in SLOTS])
    store.publish("ACCOUNTING", [
        user("physics.ann", WeightedResourcesUsed=4.0, ResourcesUsed=1, AccountingGroup="physics", SubmitterShare=0.5,
             SubmitterLimit=5.5, Ceiling=9, Floor=2.0),
        user("bea", Priority=500.0, WeightedResourcesUsed=1.0, ResourcesUsed=1, SubmitterShare=0.25),
        user("cyd", Priority=4000.0, PriorityFactor=2000.0, LastUsageTime=NOW - 10**7),
        ClassAd({"Name": "physics", "IsAccountingGroup": True, "EffectiveQuota": 5.5, "Requested": 4.0,
                 "WeightedResourcesUsed": 4.0, "AccountingGroup": "<none>", "LastUpdate": NOW - 5}),
        ClassAd({"Name": "<none>", "IsAccountingGroup": True, "EffectiveQuota": 5.5, "Requested": 2.0,
                 "WeightedResourcesUsed": 1.0, "AccountingGroup": "<none>", "LastUpdate": NOW - 5}),
    ])  # fmt: skip
    store.publish("SUBMITTERS", [
        ClassAd({"Name": f"{name}@example.net", "IdleJobs": 2, "RunningJobs": 1}) for name in ("physics.ann", "bea")
    ])  # fmt: skip


def remember(spool: Spool) -> None:
    """Write a history of jobs that ended in several ways."""
    text = ""
    for cluster, proc, more in (
        (9, 0, {"JobStatus": 4, "ExitCode": 0, "CompletionDate": NOW - 900, "RemoteWallClockTime": 60.5}),
        (10, 0, {"JobStatus": 4, "ExitBySignal": True, "ExitSignal": 11, "CompletionDate": NOW - 800}),
        (10, 1, {"JobStatus": 3, "RemoveReason": '"too long"', "EnteredCurrentStatus": NOW - 700}),
        (10, 2, {"JobStatus": 3, "EnteredCurrentStatus": NOW - 650}),
    ):
        ad = {"ClusterId": cluster, "ProcId": proc, "Owner": '"ann"', "Cmd": '"/bin/sleep"', "Args": '"60"',
              "QDate": NOW - 5000, "JobCurrentStartDate": NOW - 1000, "NumJobStarts": 1,
              "LastRemoteHost": '"slot1_3@lab"', **more}  # fmt: skip
        begin = len(text)
        text += "".join(f"{name} = {str(value).lower() if value is True else value}\n" for name, value in ad.items())
        text += f'*** Offset = {begin} ClusterId = {cluster} ProcId = {proc} Owner = "ann" CompletionDate = {NOW}\n'
    (spool.path.parent / "history").write_text(text)


class NoChildren:
    """No child reads anything."""

    def knows(self, *_: object) -> bool:
        return False

    def ask(self, *_: object, **__: object) -> State:
        return State(None, 0.0, float(NOW), 0, "", 1.0)


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visited]:
    """The pages of the pool at one moment."""
    with pytest.MonkeyPatch.context() as patch:
        for spool in empty_spool(tmp_path_factory.mktemp("pool"), patch):
            for knob, text in (
                ("GROUP_NAMES", "physics"), ("GROUP_QUOTA_physics", "5.5"),
                ("GROUP_ACCEPT_SURPLUS", "true"), ("DETECTED_CPUS", "11"),
            ):  # fmt: skip
                patch.setenv(f"_CONDOR_{knob}", text)
            patch.setattr(Pool, "now", lambda self: NOW)
            patch.setattr(os, "getloadavg", lambda: (1.234, 0.5, 0.25))
            for page in (shares, why, life):
                patch.setattr(page, "works_of", lambda watch: NoChildren())
            fill(spool)
            publish(spool)
            remember(spool)
            yield Visited()


def normal(text: str) -> str:
    """A text without what differs from pool to pool."""
    text = re.sub(r"/[^ \"<]*/pool0?[^/ \"<]*/", "/POOL/", text)
    text = re.sub(r'"host": "[^"]*"', '"host": "HOST"', text)
    return re.sub(r'name="token" value="[^"]*"', 'name="token" value="TOKEN"', text)


def check(name: str, text: str) -> None:
    """Compare a text with that which is kept, or keep it."""
    path = GOLDEN / name
    if os.environ.get("CONDOR_PY_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


ADDRESSES = (
    "/pool", "/queue", "/queue?owner=ann&sort=idle&order=down", "/queue?state=held", "/queue?text=NIGHT",
    "/queue?text=6.1", "/queue?sort=done", "/queue?sort=total&order=down", "/queue?sort=name",
    "/queue?owner=physics.ann",
    "/queue/1", "/queue/1?state=idle&order=down", "/queue/3", "/queue/5", "/queue/10", "/queue/1.0", "/queue/1.2",
    "/queue/2.1", "/queue/3.0", "/queue/4.0", "/queue/7.0", "/queue/8.0", "/queue/9.0", "/queue/10.0", "/queue/10.1",
    "/shares", "/shares?users=all&last=month&user=bea@example.net&factor=5", "/shares?group=physics&quota=2", "/why",
    "/why?user=bea", "/dag", "/wall", "/queue/77", "/queue/77.1", "/queue/x", "/queue?sort=odd", "/shares?user=nobody",
)  # fmt: skip


def file_of(address: str) -> str:
    return re.sub(r"\W+", "-", address.replace(".example.net", "")).strip("-")


@pytest.mark.parametrize("address", ADDRESSES)
def test_answers_for_programs(visited: Visited, address: str) -> None:
    for user in ("boss", "ann"):
        answer = visited.visitor(user).get(address, headers={"Accept": "application/json"})
        text = json.dumps({"status": answer.status_code, **answer.json()}, indent=1, sort_keys=True) + "\n"
        if user == "boss":
            told = text
        elif text != told:
            told += f"{user}:\n{text}"
    check(f"{file_of(address)}.json", normal(told))


@pytest.mark.parametrize("address", [
    "/pool?picture=slots", "/wall?picture=slots", "/queue/1.0?picture=memory", "/queue/1?picture=cores",
])  # fmt: skip
def test_pictures(visited: Visited, address: str) -> None:
    answer = visited.visitor().get(f"{address}&format=svg")
    check(f"{file_of(address)}.svg", normal(f"{answer.status_code}\n{answer.text}".replace("><", ">\n<")) + "\n")
