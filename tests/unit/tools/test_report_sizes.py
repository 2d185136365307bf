"""condor_report -sizes: requests against use, and the requests that would have done."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli.report.records import SIZES, Values, values
from condor_py.cli.report.sizes import Sizes, lines, told
from condor_py.cli.times import Period
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.model.settings.sizing import AutoRequests
from condor_py.store.epochs import EPOCH, EpochWriter, RunRecord
from condor_py.store.history import HistoryRecord, HistoryWriter

PERIOD = Period(1000, 2000)
JOB = {
    "ClusterId": "1", "ProcId": "0", "Owner": '"alice"', "Cmd": '"/bin/sort"', "JobStatus": "4", "JobUniverse": "5",
    "ExitCode": "0", "CompletionDate": "1500", "JobStartDate": "1400", "QDate": "1300", "RemoteWallClockTime": "3600.0",
    "CumulativeRemoteUserCpu": "1800.0", "CumulativeRemoteSysCpu": "0.0", "CpusProvisioned": "4",
    "RequestMemory": "4096", "MemoryProvisioned": "4096", "ResidentSetSize_RAW": "1024000",
    "RequestDisk": "DiskUsage * 2", "DiskProvisioned": "1048576", "DiskUsage_RAW": "102400",
}  # fmt: skip


def _values(**more: str) -> Values:
    text = "".join(f"{name} = {value}\n" for name, value in (JOB | more).items())
    found = values(HistoryRecord(text, "*** Offset = 0", "h", 0), SIZES)
    assert found is not None
    return found


def _sizes(*jobs: Values, **more: Any) -> Sizes:
    sizes = Sizes(PERIOD, AutoRequests(), **more)
    for job in jobs:
        sizes.job(job)
    return sizes


def _hundred() -> list[Values]:
    return [_values(ResidentSetSize_RAW=str((800 + number) * 1024)) for number in range(99)] + [
        _values(ResidentSetSize_RAW=str(3000 * 1024))
    ]


def test_quantiles_and_what_was_not_used() -> None:
    (group,) = told(_sizes(*_hundred()))["groups"]
    assert (group["owner"], group["program"], group["batch"], group["jobs"], group["hours"]) == (
        "alice", "/bin/sort", "", 100, 100.0)  # fmt: skip
    assert group["memory"]["used"] == {"50": 849.0, "90": 889.0, "99": 898.0, "max": 3000.0}
    assert set(group["memory"]["asked"].values()) == {4096.0}
    used = sum(range(800, 899)) + 3000
    assert group["memory"]["not_used"] == pytest.approx((409_600 - used) / 1024)
    assert group["cpus"]["used"]["max"] == 0.5
    assert group["cpus"]["not_used"] == pytest.approx(350)
    assert group["disk"]["not_used"] == pytest.approx(100 * (1024 - 100) / 1024)
    assert group["time"]["used"]["50"] == 3600.0
    assert "gpus" not in group


def test_the_requests_that_would_have_done() -> None:
    text = "\n".join(lines(_sizes(*_hundred())))
    assert "request_memory = 1152M: 99 of 100 jobs fit, 3.6 times as many run at once" in text
    assert "request_disk = 120M: all 100 jobs fit, 8.5 times as many run at once" in text
    assert "request_cpus = 1: all 100 jobs fit, 4 times as many run at once" in text
    few = "\n".join(lines(_sizes(*_hundred()[:2])))
    assert "request_" not in few


def test_jobs_that_had_more_than_they_asked_for() -> None:
    sizes = _sizes(*[_values(RequestMemory="512") for _ in range(5)])
    assert "request_memory = 1280M: all 5 jobs fit, 5 had more than they asked for" in "\n".join(lines(sizes))


def test_a_request_that_would_do_is_not_proposed_again() -> None:
    job = _values(RequestMemory="1280", CpusProvisioned="1", DiskProvisioned="122880")
    assert told(_sizes(*[job] * 10))["groups"][0]["requests"] == []


def test_what_counts() -> None:
    sizes = _sizes(
        _values(), _values(CompletionDate="2500"), _values(JobStatus="3"), _values(JobUniverse="7"),
        _values(Owner='"bob"'), _values(JobBatchName='"night"'), _values(JobStartDate="undefined"),
    )  # fmt: skip
    assert sorted(sizes.groups) == [
        ("alice", "", "/bin/sort"),
        ("alice", "night", "/bin/sort"),
        ("bob", "", "/bin/sort"),
    ]
    assert list(_sizes(_values(), _values(Owner='"bob"'), owner="bob").groups) == [("bob", "", "/bin/sort")]
    assert list(_sizes(_values(), _values(JobBatchName='"n"'), batch="n").groups) == [("alice", "n", "/bin/sort")]
    assert list(lines(_sizes())) == ["No job completed in a slot in this time."]


def test_gpus_are_counted_where_they_are_measured() -> None:
    sizes = _sizes(_values(GPUsProvisioned="2", GPUsAverageUsage="0.5"), _values(GPUsProvisioned="2"))
    gpus = told(sizes)["groups"][0]["gpus"]
    assert (gpus["jobs"], gpus["used"]["max"], gpus["not_used"]) == (1, 0.5, 1.5)


@pytest.mark.parametrize("text", ["-1", "1e300", "nan", "error", '"x"', "true", "undefined", "10 ** 40", "0"])
@pytest.mark.parametrize("name", sorted(JOB))
def test_hostile_values(name: str, text: str) -> None:
    text_of = "".join(f"{key} = {value}\n" for key, value in (JOB | {name: text}).items())
    found = values(HistoryRecord(text_of, "*** Offset = 0", "h", 0), SIZES)
    if found is not None:
        sizes = _sizes(*[found] * 4)
        assert "\n".join(lines(sizes)).isprintable() or "\n" in "\n".join(lines(sizes))
        json.dumps(told(sizes))


def test_the_command(spool: Spool, tmp_path: Path) -> None:
    now = int(time.time())
    hostile = quote_string("/bin/a b\x07\x1b[2J\\n*** x")
    history, epochs = (
        HistoryWriter(str(spool.path.parent / "history")),
        EpochWriter(HistorySettings(epoch_path=str(spool.path.parent / "epoch_history"))),
    )
    for number in range(6):
        own = {"Cmd": hostile} if number > 3 else {}
        more = {"CompletionDate": str(now - 60), "JobStartDate": str(now - 90), **own}
        history.append([ClassAd.from_text_items((JOB | more).items())], now - 60)
    items = (("Owner", '"alice"'), ("Cmd", '"/bin/sort"'), ("VacateReasonSubCode", "102"))
    record = RunRecord(EPOCH, JobId(1, 0), 0, "alice", (*items, ("EpochWriteDate", str(now - 70))))
    epochs.append([record], now - 70)
    done = spool.run("condor_report", "-sizes", "-last", "day")
    assert done.code == 0
    assert "alice: /bin/sort: 4 jobs, 4 h" in done.out
    assert "1 run ended for want of memory." in done.out
    assert "\x1b" not in done.out
    assert "\x07" not in done.out
    found = json.loads(spool.run("condor_report", "-sizes", "-json", "-user", "bob").out)
    assert (found["groups"], found["user"]) == ([], "bob")
    path = tmp_path / "sizes.txt"
    assert spool.run("condor_report", "-sizes", "-o", str(path)).code == 0
    assert "request_memory = 1280M" in path.read_text()
    found = json.loads(spool.run("condor_report", "-sizes", "-json", "-batch", "sort").out)
    assert [group["program"] for group in found["groups"]] == ["/bin/sort"]
    assert json.loads(spool.run("condor_report", "-sizes", "-json", "-batch", "sor").out)["groups"] == []


def test_requests_are_told_from_the_number_of_jobs_on_that_the_rule_names() -> None:
    enough = AutoRequests().jobs
    for jobs, told_of in ((enough - 1, set()), (enough, {"request_memory", "request_disk", "request_cpus"})):
        sizes = _sizes(*[_values() for _ in range(jobs)])
        (group,) = sizes.ordered()
        assert {request.command for request in sizes.requests(group)} == told_of
