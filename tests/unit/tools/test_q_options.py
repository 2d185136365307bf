"""Options of condor_q that few users know: raw results, jobs of others, slots by a constraint, jobs from a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

SLOT = {"MyType": "Machine", "Machine": "vm", "State": "Unclaimed", "Activity": "Idle", "Cpus": 1, "Memory": 1000,
        "Requirements": True, "Start": True}  # fmt: skip


def publish(spool: Spool, *slots: dict[str, object]) -> None:
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [ClassAd({**SLOT, **slot}) for slot in slots])


def test_raw_results(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ads that were found, before the table: to standard output, to a file, or behind what a file has."""
    monkeypatch.setattr("time.time", lambda: 1795300000.0)  # which all the answers tell
    spool.add(1)
    spool.add(2, owner="zoe")
    table = spool.run("condor_q", "-totals", "1").out
    done = spool.run("condor_q", "-totals", "-capture-raw-results", "1")
    assert done.out.endswith(table)
    assert "ClusterId = 1\n" in done.out
    assert "ClusterId = 2\n" not in done.out
    raw = done.out.removesuffix(table)
    for path, expected in ((f"{tmp_path}/raw", raw), (f"+{tmp_path}/raw", raw + raw), (f"{tmp_path}/raw", raw)):
        assert spool.run("condor_q", "-totals", f"-capture-raw-results:{path}", "1").out == table
        assert (tmp_path / "raw").read_text() == expected
    done = spool.run("condor_q", "-capture-raw-results:/no/such/file")
    assert done == ("", "Error: cannot write /no/such/file: No such file or directory\n", 1)


def test_jobs_of_all_users_where_the_site_says_so(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(1)
    spool.add(2, owner="zoe")
    monkeypatch.setenv("_CONDOR_CONDOR_Q_SHOW_OLD_SUMMARY", "false")
    jobs = {True: "1\n", False: "1\n2\n"}
    for only_mine, expected in jobs.items():
        monkeypatch.setenv("_CONDOR_CONDOR_Q_ONLY_MY_JOBS", str(only_mine))
        monkeypatch.setattr("condor_py.client.pool.Pool.is_superuser", False)
        assert spool.run("condor_q", "-af", "ClusterId").out == expected


def test_sets_of_jobs(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(1, 2, JobSetName='"Trips"')
    spool.add(2, owner="zoe", JobSetName='"Rides"')
    monkeypatch.setenv("_CONDOR_USE_JOBSETS", "true")
    rows = spool.run("condor_q", "-all", "-jobset").out.splitlines()
    assert [row.split() for row in rows if "Trips" in row or "Rides" in row] == [
        ["1", "Trips", spool.me, "0", "0", "2", "0", "0"],
        ["2", "Rides", "zoe", "0", "0", "1", "0", "0"],
    ]
    assert "Rides" not in spool.run("condor_q", "-jobset", "-submitter", spool.me).out
    monkeypatch.setenv("_CONDOR_USE_JOBSETS", "false")
    assert "Trips" not in spool.run("condor_q", "-all", "-jobset").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-nobatch -aaf (", "Error: -aaf: ( is not a list of expressions"),
        ("-forecast -jobads jobs", "Error: -forecast needs the pool; it cannot be used with jobs from a file"),
    ],
)
def test_what_is_refused(spool: Spool, tmp_path: Path, words: str, told: str) -> None:
    spool.add(1)
    (tmp_path / "jobs").write_text('ClusterId = 1\nProcId = 0\nOwner = "zoe"\nJobStatus = 1\n')
    done = spool.run("condor_q", *words.split())
    assert (done.err.splitlines()[-1], done.code) == (told, 1)


def test_a_forecast_of_jobs_that_no_slot_is_there_for(spool: Spool) -> None:
    """A job that could run, on a machine that is asleep, is told with the reason."""
    spool.add(1, RequestMemory="1", Requirements="true", RequestCpus="1")
    publish(spool, {"Name": "slot1@vm", "SlotID": 1, "Start": False, "Requirements": False})
    row = spool.run("condor_q", "-forecast:60").out.splitlines()[-1]
    assert row.split()[:2] == ["1.0", spool.me]
    assert "not foreseen" in row or "never" in row


MACHINE = {
    "Name": "slot1@vm", "SlotID": 1, "PartitionableSlot": True, "SlotType": "Partitionable", "TotalSlotCpus": 8,
    "TotalSlotMemory": 9000, "TotalSlotDisk": 1000, "TotalSlotGPUs": 3, "GPUs": 1,
    "MachineResources": "Cpus Memory Disk GPUs",
    "AssignedGPUs": "GPU-a,GPU-b, GPU-c", "OfflineGPUs": "GPU-c",
}  # fmt: skip


def matched(spool: Spool, *words: str) -> str:
    """Return the number of slots that the analysis finds for job 1.0."""
    told = spool.run("condor_q", "-better-analyze", *words, "1.0").out
    return next(line.split()[1] for line in told.splitlines() if line.startswith("[0] "))


@pytest.mark.parametrize(
    ("requirements", "slots"),
    [
        ("TARGET.Memory >= 5000", ["0", "1"]),
        ("TARGET.GPUs >= 3", ["0", "1"]),
        ("TARGET.GPUs >= 4", ["0", "0"]),
        ('TARGET.AvailableGPUs[0].Name == "a"', ["1", "1"]),
        ('TARGET.AvailableGPUs[1].Name == "b"', ["0", "1"]),
        ("size(TARGET.AvailableGPUs) == 3", ["0", "0"]),
    ],
)
def test_what_a_partitionable_slot_would_have_without_its_jobs(
    spool: Spool, requirements: str, slots: list[str]
) -> None:
    """How many slots meet the condition, and how many would if drained, with all GPUs but those that are offline."""
    spool.add(1, Requirements=requirements, RequestMemory="5000", RequestCpus="1")
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [_with_gpus()])
    told = spool.run("condor_q", "-better-analyze", "1.0").out.splitlines()
    assert next(line.split()[1:3] for line in told if line.startswith("[0]  ") and "    [0]" not in line) == slots


def _with_gpus() -> ClassAd:
    ad = ClassAd({**SLOT, **MACHINE})
    for letter in "abc":
        ad.set_text(f"GPUs_GPU_{letter}", f'[ Name = "{letter}" ]')
    ad.set_text("AvailableGPUs", "{ GPUs_GPU_a }")
    ad.set_text("WithinResourceLimits", "MY.Memory >= TARGET.RequestMemory")
    return ad


def test_slots_by_a_constraint(spool: Spool) -> None:
    spool.add(1, Requirements="TARGET.Memory > 0", RequestMemory="1")
    publish(
        spool,
        {"Name": "slot1@vm", "SlotID": 1},
        {"Name": "slot2@vm", "SlotID": 2, "Cpus": 4},
        {"Name": "slot2_1@vm", "SlotID": 2, "DynamicSlot": True, "Cpus": 4},
    )
    assert matched(spool) == "2"
    assert matched(spool, "-slotconstraint", "Cpus > 3") == "1"
    assert matched(spool, "-slotconstraint", "Cpus > 3 && DynamicSlot") == "1"
    assert matched(spool, "-machine", "slot2_1@vm") == "1"
    assert matched(spool, "-machine", "vm") == "2"
    done = spool.run("condor_q", "-better-analyze", "-slotconstraint", "(", "1.0")
    assert done.err.splitlines()[0] == "Warning: ( is not a valid constraint: all slots are analyzed"
