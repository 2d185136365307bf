"""Answers of the pages about one pool of many kinds of slots, users and jobs, and the picture of its slots."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool, empty_spool
from visits import Markup, Visited, misfits

from condor_py.cli.web.app import PAGES
from condor_py.cli.web.page import Asked, Viewer
from condor_py.cli.web.pages import life, shares, why
from condor_py.cli.web.works import State
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

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


NOT_OF_OTHERS = {"ad", "files", "file", "tail", "command", "mine", "problem"}


def rows(found: list[dict[str, Any]], names: str) -> list[str]:
    """Return some fields of each row of a table."""
    return ["|".join(str(row[name]) for name in names.split()) for row in found]


def answer(visited: Visited, address: str, user: str = "boss") -> Any:
    """Return what a program is answered."""
    found = visited.visitor(user).get(address, headers={"Accept": "application/json"})
    return {"status": found.status_code, **found.json()}


BATCHES = [
    "1|ann|night|1.0 ... 2.1|5|3|1|0|0|5",
    "3|bea|ID: 3|3.0-1|2|0|0|2|0|2",
    "4|bea|ID: 4|4.0|1|1|0|0|0|1",
    "5|cyd|d.dag+5|6.0-1|3|1|1|0|3|7",
    "7|dan|ID: 7|7.0|1|0|0|0|0|1",
    "8|dan|ID: 8|8.0|1|1|0|0|0|1",
]


def test_the_queue_in_batches(visited: Visited) -> None:
    found = answer(visited, "/queue")
    assert rows(found["batches"], "cluster owner name ids jobs idle running held done total") == BATCHES
    assert {batch["submitted"] for batch in found["batches"]} == {NOW - 7200}
    assert found["counts"] == {
        "blocked": 0, "completed": 1, "held": 2, "idle": 5, "removed": 1, "running": 2, "suspended": 1,
        "transferring_output": 1,
    }  # fmt: skip
    assert found["owners"] == ["ann", "bea", "cyd", "dan"]
    assert rows([found], "shows found total page pages sort order") == ["batches|6|13|1|1|job|up"]
    assert found == answer(visited, "/queue", "ann")


@pytest.mark.parametrize(
    ("words", "clusters"),
    [
        ("owner=ann&sort=idle&order=down", [1]), ("owner=physics.ann", [1]), ("state=held", [3]), ("text=NIGHT", [1]),
        ("text=6.1", [5]), ("sort=done", [1, 3, 4, 7, 8, 5]), ("sort=total&order=down", [5, 1, 3, 4, 7, 8]),
        ("sort=name", [5, 3, 4, 7, 8, 1]),
    ],
)  # fmt: skip
def test_batches_found_and_sorted(visited: Visited, words: str, clusters: list[int]) -> None:
    found = answer(visited, f"/queue?{words}")
    assert [batch["cluster"] for batch in found["batches"]] == clusters
    assert (found["found"], found["total"], found["counts"]["idle"]) == (len(clusters), 13, 5)


DRAINED = "waits: machine slot2@lab is being drained (new kernel)"
JOBS = {
    "/queue/1": [
        "1.0|ann|running|sleep 60|slot1_1|4|777|700|",
        f"1.1|ann|idle|sleep 60||1|128|7200|{DRAINED}",
        f"1.2|ann|idle|sleep 60||1|50000|7200|{DRAINED}",
        f"2.0|ann|idle|sleep 60||1|128|7200|{DRAINED}",
        "2.1|ann|completed|sleep 60||1|128|7200|",
    ],
    "/queue/1?state=idle&order=down": [
        f"2.0|ann|idle|sleep 60||1|128|7200|{DRAINED}",
        f"1.2|ann|idle|sleep 60||1|50000|7200|{DRAINED}",
        f"1.1|ann|idle|sleep 60||1|128|7200|{DRAINED}",
    ],
    "/queue/3": [
        "3.0|bea|held|(simulate)||1|128|7200|held: no disk",
        "3.1|bea|held|(simulate)||1|128|7200|held: memory",
    ],
    "/queue/5": [
        "5.0|cyd|running|condor_dagman 60||1|0|7200|",
        f"6.0|cyd|idle|sleep 60||1|128|7200|{DRAINED}",
        "6.1|cyd|transferring_output|sleep 60||1|0|7200|",
    ],
}


@pytest.mark.parametrize("address", JOBS)
def test_the_jobs_of_a_batch(visited: Visited, address: str) -> None:
    found = answer(visited, address)
    assert rows(found["jobs"], "id owner state command slot cpus memory seconds note") == JOBS[address]
    cluster = int(address.removeprefix("/queue/").partition("?")[0])
    (batch,) = (each for each in answer(visited, "/queue")["batches"] if each["cluster"] == cluster)
    assert (found["batch"], found["mine"], found["found"]) == (batch, True, len(JOBS[address]))
    assert (found["dag"], found["clusters"]) == {1: (None, [1, 2]), 3: (None, [3]), 5: (5, [5, 6])}[cluster]
    assert found["states"] == {
        1: {"running": 1, "idle": 3, "completed": 1}, 3: {"held": 2},
        5: {"running": 1, "idle": 1, "transferring_output": 1},
    }[cluster]  # fmt: skip


def lanes(runs: Any) -> list[str]:
    """Return the lanes of a chart of runs, with times since an hour ago."""
    bars = [(lane["label"], bar) for lane in runs["lanes"] for bar in lane["bars"]]
    since = NOW - 3600
    return [
        f"{label}|{bar['begin'] - since}-{bar['end'] - since}|{runs['kinds'][bar['kind']]}|{bar['words']}"
        for label, bar in bars
    ]


def test_a_batch_that_has_left(visited: Visited) -> None:
    found = answer(visited, "/queue/10")
    assert rows(found["jobs"], "id owner state command ended seconds ending") == [
        f"10.2|ann|removed|sleep 60|{NOW - 650}|0|removed: no reason is given",
        f"10.1|ann|removed|sleep 60|{NOW - 700}|0|removed: too long",
        f"10.0|ann|completed|sleep 60|{NOW - 800}|0|ended by signal 11",
    ]
    assert found["life"]["runs"]["title"] == "Runs of cluster 10 (3 jobs): 1 failed, 2 removed"
    assert lanes(found["life"]["runs"]) == [
        "10.0|2600-2800|failed|run 0 failed: signal 11",
        "10.1|2600-2900|removed|run 0 removed: too long",
        "10.2|2600-2950|removed|run 0 removed: no reason is given",
    ]


JOB = "owner batch state command priority slot submitted started ended seconds starts ending from_history"
#: A job -> its fields, the reasons why it waits, and the lane of its run.
FACTS: dict[str, tuple[str, list[str], list[str]]] = {
    "1.0": (f"ann|night|running|sleep 60|3|slot1_1|{NOW - 7200}|{NOW - 700}|None|700|2||False", [],
            ["run 0 slot1_1@lab|2900-3600|running|run 0 running: runs"]),
    "1.2": (f"ann|night|idle|sleep 60|3||{NOW - 7200}|None|None|None|0||False",
            ["machine slot2@lab is being drained (new kernel)",
             "no slot is large enough: memory: wants 48.8 GB, there is 1000 MB on slot1@lab"], []),
    "2.1": (f"ann|night|completed|sleep 60|0||{NOW - 7200}|None|None|None|0|ended with exit code 3|False", [], []),
    "3.0": (f"bea|ID: 3|held|(simulate)|0||{NOW - 7200}|None|None|None|0|on hold: no disk|False",
            ["it is held: no disk"], []),
    "4.0": (f"bea|ID: 4|suspended|run.sh -v secret|0|slot1_2|{NOW - 7200}|None|None|50|0||False", [], []),
    "7.0": (f"dan|ID: 7|removed|sleep 60|0||{NOW - 7200}|None|None|None|0|removed: via condor_rm|False", [], []),
    "8.0": (f"dan|ID: 8|idle|sleep 60|0||{NOW - 7200}|None|None|None|0||False",
            ["machine slot2@lab is being drained (new kernel)",
             'no slot meets its Requirements: TARGET.OpSys == "CPM"'], []),
    "9.0": (f"ann|ID: 9|completed|sleep 60|0|slot1_3|{NOW - 5000}|{NOW - 1000}|{NOW - 900}|60|1|"
            "ended with exit code 0|True", [],
            ["run 0 slot1_3@lab|2600-2700|completed|run 0 completed: exit status 0"]),
    "10.0": (f"ann|ID: 10|completed|sleep 60|0|slot1_3|{NOW - 5000}|{NOW - 1000}|{NOW - 800}|None|1|"
             "ended by signal 11|True", [], ["run 0 slot1_3@lab|2600-2800|failed|run 0 failed: signal 11"]),
    "10.1": (f"ann|ID: 10|removed|sleep 60|0|slot1_3|{NOW - 5000}|{NOW - 1000}|{NOW - 700}|None|1|"
             "removed: too long|True", [], ["run 0 slot1_3@lab|2600-2900|removed|run 0 removed: too long"]),
}  # fmt: skip


@pytest.mark.parametrize("job", FACTS)
def test_a_job(visited: Visited, job: str) -> None:
    found = answer(visited, f"/queue/{job}")
    runs = found["life"]["runs"]
    assert (rows([found], JOB)[0], found["reasons"], [] if runs is None else lanes(runs)) == FACTS[job]
    assert (f"{found['cluster']}", found["id"]) == (job.partition(".")[0], job)
    assert found["problem"] == f"no account named {found['owner']!r} on this machine"
    named = dict(found["ad"])
    assert (named["ClusterId"], named["Cmd"]) == (
        str(found["cluster"]),
        '"/opt/run.sh"' if job == "4.0" else '"/bin/sleep"',
    )
    assert list(named) == sorted(named, key=str.lower)


def test_what_a_job_asked_for_got_and_uses(visited: Visited) -> None:
    names = "name asked given used"
    assert rows(answer(visited, "/queue/1.0")["resources"], names) == [
        "cores|1.0|4.0|3.5", "memory|128.0|2000.0|777.0", "disk|10.0|None|5000.0",
    ]  # fmt: skip
    assert rows(answer(visited, "/queue/1.2")["resources"], names) == [
        "cores|1.0|None|None", "memory|50000.0|None|None", "disk|10.0|None|None",
    ]  # fmt: skip
    assert answer(visited, "/queue/9.0")["resources"] == []


def test_events_of_a_life(visited: Visited) -> None:
    for job, last in (("9.0", "completed: exit status 0"), ("10.1", "removed: too long")):
        found = answer(visited, f"/queue/{job}")
        assert rows(found["life"]["events"], "time text") == [
            f"{NOW - 5000}|submitted", f"{NOW - 1000}|run 0 begins on slot1_3@lab", f"{found['ended']}|{last}",
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("job", "command"), [("3.0", "simulate"), ("4.0", "run.sh"), ("7.0", "sleep"), ("8.0", "sleep")]
)
def test_what_is_not_shown_of_jobs_of_others(visited: Visited, job: str, command: str) -> None:
    mine, theirs = (answer(visited, f"/queue/{job}", user) for user in ("boss", "ann"))
    assert {name for name in mine if mine[name] != theirs[name]} <= NOT_OF_OTHERS
    assert rows([theirs], "command mine ad problem") == [f"{command}|False|None|"]
    row = answer(visited, f"/queue/{job.partition('.')[0]}", "ann")["jobs"][0]
    assert row["command"] == command


def test_shares(visited: Visited) -> None:
    found = answer(visited, "/shares")
    users = "name group priority factor real_priority in_use share entitled ceiling floor used_hours last_use"
    people = [
        f"bea@example.net|None|500.0|1000.0|0.5|1.0|0.25|None|None|None|2.0|{NOW - 60}",
        f"physics.ann@example.net|physics|1500.0|1000.0|1.5|4.0|0.5|5.5|9.0|2.0|2.0|{NOW - 60}",
    ]
    assert rows(found["users"], users) == people
    assert rows(found["groups"], "name depth configured quota subtree surplus in_use requested given") == [
        "physics|0|5.5|5.5|5.5|True|4.0|4.0|4.0", "<none>|0|0.0|0.0|0.0|True|1.0|2.0|1.5",
    ]  # fmt: skip
    assert rows([found], "everyone last left_out updated weight") == [f"False|week|0|{NOW - 5}|4.0"]
    everyone = answer(visited, "/shares?users=all&last=month")
    cyd = f"cyd@example.net|None|4000.0|2000.0|2.0|0.0|None|None|None|None|2.0|{NOW - 10**7}"
    assert (rows(everyone["users"], users), everyone["last"]) == ([*people, cyd], "month")


OUTCOMES, QUOTAS = "name factor new_factor now then steady", "name quota new_quota requested given new_given"
ANN, BEA = "physics.ann@example.net", "bea@example.net"


def test_what_another_factor_would_change(visited: Visited) -> None:
    found = answer(visited, "/shares?user=bea@example.net&factor=5")["what_if"]
    assert rows([found], "user factor_now factor command alone") == [
        f"{BEA}|1000.0|5.0|condor_userprio -setfactor {BEA} 5|True"
    ]
    assert rows(found["outcomes"], OUTCOMES) == [
        f"{ANN}|1000.0|1000.0|1.0|1.0|1.0", f"{BEA}|1000.0|5.0|0.0|0.0|0.0",
    ]  # fmt: skip
    assert found["choices"] == [BEA, ANN]


def test_what_another_quota_would_change(visited: Visited) -> None:
    found = answer(visited, "/shares?group=physics&quota=2")["what_if"]
    assert rows([found], "group quota_now quota quota_most command") == ["physics|5.5|2.0|4.0|None"]
    assert rows(found["groups"], QUOTAS) == ["physics|5.5|2.0|4.0|4.0|2.0", "<none>|0.0|2.0|2.0|1.5|2.0"]
    assert rows(found["outcomes"], OUTCOMES) == [
        f"{BEA}|1000.0|1000.0|0.0|0.5|0.5", f"{ANN}|1000.0|1000.0|1.0|0.5|0.5",
    ]  # fmt: skip


def test_why_jobs_wait(visited: Visited) -> None:
    found = answer(visited, "/why")
    drained = ("machine slot2@lab is being drained (new kernel)", "condor_drain -cancel slot2@lab", False)
    assert rows(found["waiting"], "batch owner first_cluster example jobs never since starts") == [
        f"night|ann|1|1.1|2|False|{NOW - 3600}|None", f"d.dag+5|cyd|5|6.0|1|False|{NOW - 3600}|None",
        f"night|ann|1|1.2|1|True|{NOW - 3600}|None", f"ID: 8|dan|8|8.0|1|True|{NOW - 3600}|None",
    ]  # fmt: skip
    reasons = [[(why["text"], why["help"], why["final"]) for why in row["reasons"]] for row in found["waiting"]]
    assert all(first == drained for first, *_ in reasons)
    assert [rest for _, *rest in reasons] == [
        [(f"{ANN} uses 4 of the 5 in use, and its share is 50%",
          f"it has its share while others wait; condor_userprio -explain {ANN} says why", False)],
        [],
        [("no slot is large enough: memory: wants 48.8 GB, there is 1000 MB on slot1@lab",
          "let it ask for less: condor_qedit 1.2 RequestMemory 1000", True)],
        [('no slot meets its Requirements: TARGET.OpSys == "CPM"',
          "condor_qedit 8.0 Requirements changes them; condor_q -better-analyze 8.0 counts the slots of each", True)],
    ]  # fmt: skip
    assert rows(found["held"], "what example jobs since owners help") == [
        f"it is held: memory|3.1|1|{NOW - 3600}|['bea']|let it ask for more first, e.g. condor_qedit 3.1 RequestMemory "
        "2048; then condor_release 3.1",
        f"it is held: no disk|3.0|1|{NOW - 3600}|['bea']|make the files that it transfers available; then "
        "condor_release 3.0",
    ]
    assert rows([found], "idle held_jobs users clusters_not_judged") == ["5|2|['ann', 'bea', 'cyd', 'dan']|0"]
    of_bea = answer(visited, "/why?user=bea")
    assert (of_bea["waiting"], of_bea["held"]) == ([], found["held"])


SLOT = "name kind state activity owner user job free cpus memory disk gpus load seconds note"
USER = "name running idle held slots cpus memory disk gpus"


def test_the_pool(visited: Visited) -> None:
    found = answer(visited, "/pool")
    (partitionable, static) = found["groups"]
    assert rows(partitionable["slots"], SLOT) == [
        "slot1|partitionable|Unclaimed|Idle||||True|3.0|1000.0|2000000.0|1.0|0.13|100|",
        "slot1_1|dynamic|Claimed|Busy|ann|physics.ann|1.0|False|4.0|2000.0|1000000.0|1.0|1.5|700|",
        "slot1_2|dynamic|Claimed|Suspended|bea|bea|4.0|False|1.0|500.0|1000.0|0.0|0.0|0|",
    ]
    assert rows(static["slots"], SLOT) == [
        "slot2|static|Owner|Idle||||True|1.0|100.0|100.0|0.0|0.0|0|drains: new kernel",
        "slot3|static|Drained|Retiring||||True|1.0|0.0|0.0|0.0|0.0|0|drains",
        "slot4|static|Unclaimed|||||True|1.0|0.0|0.0|0.0|0.0|0|asleep",
    ]
    assert rows(found["groups"], "name note partitionable") == ["slot1||True", "slots|drains: new kernel|False"]
    totals = {name: (each["used"], each["total"]) for name, each in found["totals"].items()}
    assert totals == {"cpus": (5, 11), "memory": (2500, 3600), "disk": (1001000, 3001100), "gpus": (1, 2)}
    assert {name: (each["used"], each["total"]) for name, each in static["totals"].items()} == {
        "cpus": (0, 3), "memory": (0, 100), "disk": (0, 100), "gpus": (0, 0),
    }  # fmt: skip
    assert rows(found["users"], USER) == [
        "physics.ann|1|3|0|1|4.0|2000.0|1000000.0|1.0", "bea|0|0|2|1|1.0|500.0|1000.0|0.0", "cyd|2|1|0|0|0|0|0|0",
        "dan|0|1|0|0|0|0|0|0",
    ]  # fmt: skip
    assert found["jobs"] == {"held": 2, "idle": 5, "running": 3}
    assert rows([found], "load job_load runs left_out") == ["1.23|2.35|False|0"]


def test_the_wall(visited: Visited) -> None:
    found, pool = answer(visited, "/wall"), answer(visited, "/pool")
    same = ("groups", "totals", "users", "jobs", "load", "host")
    assert {name: found[name] for name in same} == {name: pool[name] for name in same}
    assert rows(found["running"], "cluster name owner running idle held done total") == [
        "5|d.dag+5|cyd|2|1|0|3|7", "1|night|ann|1|3|0|0|5",
    ]  # fmt: skip
    assert rows(found["waiting"], "cluster name owner idle held why") == [
        "3|ID: 3|bea|0|2|held: memory", f"8|ID: 8|dan|1|0|{DRAINED}",
    ]  # fmt: skip
    assert [dag["id"] for dag in found["dags"]] == [5]


def test_dags(visited: Visited) -> None:
    for user, may_open in (("boss", True), ("ann", False)):
        (dag,) = answer(visited, "/dag", user)["dags"]
        assert rows([dag], "id name owner status since submitted open") == [
            f"5|d.dag+5|cyd|running|{NOW - 600}|{NOW - 7200}|{may_open}"
        ]
        assert (dag["jobs"], dag["nodes"]["total"]) == ({"idle": 2, "running": 1, "held": 0}, 7)
        assert {name: count for name, count in dag["nodes"].items() if count} == {"total": 7, "done": 3, "failed": 1}


@pytest.mark.parametrize(
    ("address", "status", "error"),
    [
        ("/queue/77", 404, "Cluster 77 is neither in the queue nor among the newest of the history."),
        ("/queue/77.1", 404, "Job 77.1 is neither in the queue nor among the newest of the history."),
        ("/queue/x", 404, "There is no such job."),
        ("/queue?sort=odd", 400, "sort is one of job, owner, name, running, idle, held, done, total, not odd"),
        ("/shares?user=nobody", 400, "user: nobody has never submitted a job here"),
        ("/queue/1.0?picture=memory&format=svg", 404,
         "The events of this job tell too little of its memory for a picture."),
        ("/queue/1?picture=cores&format=svg", 404, "No runs are recorded that this picture could show."),
    ],
)  # fmt: skip
def test_what_is_not_here(visited: Visited, address: str, status: int, error: str) -> None:
    assert answer(visited, address) == {"status": status, "error": error}


def test_the_picture_of_the_slots(visited: Visited) -> None:
    """Each resource is a strip: what is in use of it, and a part for each job, which leads to it."""
    drawn = visited.visitor().get("/pool?picture=slots&format=svg").text
    words = [word for word in Markup(drawn).words if word.strip()]
    assert [word for word in words if word.endswith("in use")] == [
        "5 of 8 in use", "2.4 GB of 3.4 GB in use", "977.5 MB of 2.9 GB in use", "1 of 2 in use", "0 of 3 in use",
        "0 MB of 100 MB in use", "0 KB of 100 KB in use",
    ]  # fmt: skip
    assert [word for word in words if word in ("Owner", "Drained", "Unclaimed")][:3] == [
        "Owner",
        "Drained",
        "Unclaimed",
    ]
    assert "slot1_2: bea, job 4.0, suspended\nCores: 1, Memory: 500 MB, Disk: 1 MB" in words
    places = re.findall(r'<text x="0" y="(\d+)" class="strong">([^<]*)', drawn)
    assert [f"{y} {word}" for y, word in places] == [
        "15 slot1", "34 Cores", "96 Memory", "158 Disk", "220 GPUs", "295 slots", "314 Cores", "376 Memory", "438 Disk",
    ]  # fmt: skip
    bars = re.findall(r'<rect x="0" y="(\d+)" width="100%" height="30"', drawn)
    assert bars == [str(int(y) + 6) for y, word in places if not word.startswith("slot")]
    parts = re.findall(r'<a href="(/queue/[\d.]+)"><svg x="([\d.]+)%" y="(\d+)" width="([\d.]+)%" height="30">', drawn)
    assert ["|".join(part) for part in parts[:4]] == [
        "/queue/4.0|0.0000|40|12.5000", "/queue/1.0|12.5000|40|50.0000",  # of 8 cores
        "/queue/4.0|0.0000|102|14.2857", "/queue/1.0|14.2857|102|57.1429",  # of 3,500 MB
    ]  # fmt: skip
    assert 'width="100%" height="474"' in drawn
    assert drawn.count('class="mark"') == 7 + 1 + 2
    assert drawn == visited.visitor().get("/wall?picture=slots&format=svg").text


PLACES = {"/queue/1": "/queue/{cluster}", "/queue/10": "/queue/{cluster}", "/queue/1.0": "/queue/{job}",
          "/queue/9.0": "/queue/{job}"}  # fmt: skip


@pytest.mark.parametrize("address", [*(f"/{page.name}" for page in PAGES), *PLACES])
def test_answers_are_as_the_description_says(visited: Visited, address: str) -> None:
    paths = visited.visitor().get("/openapi.json").json()["paths"]
    answers = paths[PLACES.get(address, address)]["get"]["responses"]
    schema = answers["200"]["content"]["application/json"]["schema"]
    found = answer(visited, address)
    assert found.pop("status") == 200
    assert misfits(found, schema) == []


class Read(dict[str, str]):
    """Parameters of an address that note which of them are looked at."""

    def __init__(self, given: dict[str, str]) -> None:
        super().__init__(given)
        self.names: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)


GIVEN = {"user": BEA, "power": "2", "group": "physics"}


@pytest.mark.parametrize(
    ("name", "paths", "given"),
    [
        ("pool", [()], {}), ("queue", [(), ("1",), ("1.0",)], {}), ("why", [()], {}), ("shares", [()], GIVEN),
        ("history", [()], {}), ("wall", [()], {}),
    ],
)  # fmt: skip
def test_the_parameters_that_count_are_those_that_are_described(
    visited: Visited, monkeypatch: pytest.MonkeyPatch, name: str, paths: list[tuple[str, ...]], given: dict[str, str]
) -> None:
    monkeypatch.setattr("condor_py.cli.web.pages.history.works_of", lambda watch: NoChildren())
    (page,) = (page for page in PAGES if page.name == name)
    read: set[str] = set()
    for path in paths:
        parameters = Read(given)
        page.view(visited.site.watch, Asked(Viewer("boss", True), parameters, path, NOW))
        read |= parameters.names
    assert read == {parameter.name for parameter in page.parameters}
