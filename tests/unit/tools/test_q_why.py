"""condor_q -why: what jobs wait for, who holds it, since when, what helps, and when they are expected to start."""

from __future__ import annotations

import json

import pytest
from tool_runner import Spool

from condor_py.cli.waiting import Around, alike, why_it_waits
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore
from condor_py.store.job_queue import JobQueue

NOW = 1795213560
WANTS = {
    "RequestCpus": "4", "RequestMemory": "10", "RequestDisk": "10", "QDate": str(NOW - 3600),
    "Requirements": "TARGET.Memory >= RequestMemory",
}  # fmt: skip
MACHINE = {"MyType": '"Machine"', "Machine": '"vm"', "SlotID": "1", "Requirements": "Start", "SlotWeight": "Cpus",
           "Start": "TARGET.Unwanted =!= true", "MyAddress": '"<127.0.0.1:1>"'}  # fmt: skip
WHOLE = MACHINE | {
    "Name": '"slot1@vm"', "State": '"Unclaimed"', "PartitionableSlot": "true", "Cpus": "0", "Memory": "900",
    "Disk": "99999", "TotalSlotCpus": "4", "TotalSlotMemory": "1000", "TotalSlotDisk": "100000",
    "MachineResources": '"Cpus Memory Disk"',
}  # fmt: skip
PART = MACHINE | {
    "Name": '"slot1_1@vm"', "State": '"Claimed"', "DynamicSlot": "true", "RemoteUser": '"bob@example.net"',
    "RemoteOwner": '"bob@example.net"', "JobId": '"1.0"', "JobStart": str(NOW - 600), "Cpus": "4", "Memory": "100",
    "Disk": "1",
}  # fmt: skip
FULL = "cpus: wants 4, 0 of 4 free on slot1@vm"


@pytest.fixture
def pool(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """A machine of four cores that bob has, and a job of alice's that wants four."""
    monkeypatch.setattr("time.time", lambda: float(NOW))
    ads = [ClassAd.from_text_items(list(slot.items())) for slot in (WHOLE, PART)]
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", ads)
    spool.add(1, owner="bob", JobStatus="2", RequestCpus="4")
    spool.add(2, owner="alice", **WANTS)
    return spool


def why(pool: Spool, *words: str) -> list[str]:
    """The lines below the title."""
    done = pool.run("condor_q", "-why", *words)
    assert (done.err, done.code) == ("", 0)
    return done.out.splitlines()[3:]


def test_the_holder_is_named_and_not_the_share(pool: Spool) -> None:
    heading, row = why(pool, "-all")
    assert heading.split() == ["OWNER", "BATCH_NAME", "JOBS", "ST", "SINCE", "START", "WHY"]
    assert row.split()[:7] == ["alice", "ID:", "2", "1", "I", "11/20", "21:26"]
    assert f"{FULL}; held by bob@example.net (4, the first until about 23:16)" in row


def test_everything_about_one_job_is_a_line_each(pool: Spool) -> None:
    assert why(pool, "2")[:5] == [
        "2.0 (alice, ID: 2): waiting",
        f"  waits for    {FULL}",
        "  held by      bob@example.net (4): job 1.0, since 22:16, until about 23:16",
        "  what helps   it starts when enough of that is free",
        "  since        11/20 21:26",
    ]
    assert why(pool, "2")[5].startswith("  starts       about ")


def test_programs_get_the_same_exactly(pool: Spool) -> None:
    done = pool.run("condor_q", "-why", "-all", "-json")
    (one,) = json.loads(done.out)
    assert (one["owner"], one["procs"], one["jobs"], one["since"]) == ("alice", [[0, 0]], 1, NOW - 3600)
    (reason,) = one["reasons"]
    assert (reason["what"], reason["final"]) == (FULL, False)
    assert reason["holders"] == [
        {"user": "bob@example.net", "share": "4", "jobs": ["1.0"], "since": NOW - 600, "until": NOW + 3000.0}
    ]
    assert one["starts"]["at"] > NOW


def test_jobs_of_a_batch_that_wait_for_the_same_share_a_row(pool: Spool) -> None:
    pool.add(3, 40, owner="alice", JobBatchName='"sweep"', **WANTS)
    pool.add(4, 2, owner="alice", JobBatchName='"sweep"', **WANTS)
    pool.set("3.7", "RequestCpus", "64")
    pool.set("3.8", "JobStatus", "5")
    pool.set("3.8", "HoldReason", '"no such file"')
    pool.set("3.9", "Unwanted", "true")
    rows = [line for line in why(pool, "-all") if "sweep" in line]
    assert [line.split()[2:4] for line in rows] == [["39", "I"], ["1", "I"], ["1", "H"], ["1", "I"]]
    whys = (f"{FULL}; held by bob", "never runs here: no slot is large enough: cpus: wants 64, there is 4",
            "it is held: no such file", "does not accept it: START = TARGET.Unwanted =!= true")  # fmt: skip
    for row, text in zip(rows, whys, strict=True):
        assert text in row


def test_what_helps_names_the_first_of_the_jobs(pool: Spool) -> None:
    pool.add(5, 2, owner="alice", **WANTS | {"RequestCpus": "8"})
    pool.add(6, 2, owner="alice", **WANTS | {"RequestCpus": "8"})
    helps = [line for line in why(pool, "5", "6") if "what helps" in line]
    assert [line.split("condor_qedit ")[1] for line in helps] == ["5.0 RequestCpus 4", "6.0 RequestCpus 4"]


def test_jobs_that_the_schedd_starts_itself(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_START_LOCAL_UNIVERSE", "Wanted && TotalLocalJobsRunning < 1")
    spool.add(1, JobUniverse="12", JobStatus="2")
    spool.add(2, 2, JobUniverse="12", Wanted="true")
    rows = why(spool, "-all")
    assert len(rows) == 2
    assert "START_LOCAL_UNIVERSE = Wanted && TotalLocalJobsRunning < 1 is not true" in rows[1]
    spool.set("1.0", "JobStatus", "5")
    spool.set("2.1", "Wanted", "false")
    free, refused = [row for row in why(spool, "-all") if " I " in row]
    assert free.endswith("nothing keeps it from starting")
    assert "START_LOCAL_UNIVERSE" in refused


def test_a_queue_without_waiting_jobs(spool: Spool) -> None:
    spool.add(1, JobStatus="2")
    assert why(spool, "-all") == ["No job waits, and none is held."]
    assert json.loads(spool.run("condor_q", "-why", "-all", "-json").out) == []


@pytest.mark.parametrize("option", ["-long", "-xml", "-forecast", "-totals", "-batch"])
def test_forms_that_it_does_not_have(spool: Spool, option: str) -> None:
    done = spool.run("condor_q", "-why", option)
    assert (done.err, done.code) == (f"Error: -why conflicts with {option}; its form for programs is -json\n", 1)


# ---- each kind of job is judged once ---------------------------------------------------------------------------

SLOTS = [ClassAd.from_text_items(list(slot.items())) for slot in (WHOLE, PART)]


def test_many_jobs_are_judged_as_one(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    for cluster in range(1, 21):
        spool.add(cluster, 200, owner="alice", Iwd=f'"/{cluster}"', **WANTS)
    judged = []
    monkeypatch.setattr(alike, "why_such_jobs_wait", lambda job, around: judged.append(job) or [])
    view = spool_view(spool)
    found = list(alike.alike(view, view.groups(), Around(SLOTS, NOW)))
    assert sum(len(one.procs) for one in found) == 4000
    assert len(judged) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("RequestCpus", "1"), ("RequestMemory", "Size * 2"), ("Unwanted", "true"), ("Requirements", "Wish"),
        ("JobStatus", "5"), ("DeferralTime", str(NOW + 999)), ("JobCoolDownExpiration", str(NOW + 9)),
        ("Requirements", '"odd \\" text" == X'), ("RequestCpus", "undefined"), ("RequestCpus", "nonsense("),
    ],
)  # fmt: skip
def test_jobs_of_a_kind_have_the_reasons_of_each(spool: Spool, name: str, text: str) -> None:
    """What decides is found through references: of slots to jobs, of requests to other attributes."""
    spool.add(1, 3, owner="alice", Size="600", **WANTS)
    spool.set("1.1", name, text)
    spool.set("1.2", "Size", "100")
    view = spool_view(spool)
    around = Around(SLOTS, NOW)
    for one in alike.alike(view, view.groups(), around):
        for proc in one.procs:
            job = view.job((1, proc))
            assert job is not None
            assert [reason.what for reason in one.reasons] == [reason.what for reason in why_it_waits(job, around)]


def spool_view(spool: Spool):  # type: ignore[no-untyped-def]
    from condor_py.client.queue_view import QueueView

    return QueueView(JobQueue(str(spool.path), readonly=True), NOW)
