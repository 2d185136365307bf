"""Damage at any place and of any kind: no job is lost whose lines were not touched, and the rest is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.daemons.common.service import open_table
from condor_py.model.ids import JobId
from condor_py.store.accountant_log import AccountantLog
from condor_py.store.adlog import Damage
from condor_py.store.check import check_spool
from condor_py.store.job_queue import JobQueue
from condor_py.store.repair import repair_spool

JOBS = 30
JOB = (
    'Owner "alice"', 'User "alice@example.net"', 'Cmd "/bin/sleep"', 'Args "100"', "JobUniverse 5", "JobStatus 1",
    'Iwd "/home/alice/a rather long directory"', "RequestMemory 128", 'Requirements (TARGET.Arch == "X86_64")',
)  # fmt: skip


def job_lines(cluster: int) -> list[str]:
    head = [f"101 0{cluster}.-1 Job Machine", f"103 0{cluster}.-1 ClusterId {cluster}"]
    own = [f"101 {cluster}.0 Job Machine", *(f"103 {cluster}.0 {item}" for item in JOB), f"103 {cluster}.0 ProcId 0"]
    return [*head, *own]


def make_log(transactions: bool) -> bytes:
    first = ["107 1 CreationTimestamp 1700000000", "101 0.0 Job Machine", f"103 0.0 NextClusterNum {JOBS + 1}"]
    for cluster in range(1, JOBS + 1):
        lines = job_lines(cluster)
        first += ["105 ", *lines, "106 "] if transactions else lines
    return "".join(f"{line}\n" for line in first).encode()


def zeroed(data: bytes, at: int, size: int) -> bytes:
    return data[:at] + bytes(len(data[at : at + size])) + data[at + size :]


def duplicated(data: bytes, at: int, size: int) -> bytes:
    return data[: at + size] + data[at:]


def removed(data: bytes, at: int, size: int) -> bytes:
    return data[:at] + data[at + size :]


def flipped(data: bytes, at: int, size: int) -> bytes:
    return (
        data[:at] + bytes(byte ^ (1 << (at % 7)) for byte in data[at : at + min(size, 3)]) + data[at + min(size, 3) :]
    )


KINDS = {"zeroed": zeroed, "duplicated": duplicated, "removed": removed, "flipped": flipped}


@pytest.mark.parametrize("kind", ["zeroed", "duplicated", "flipped"])
@pytest.mark.promise("S74")
def test_damage_is_told_and_kept_aside_and_mended_once(tmp_path: Path, kind: str) -> None:
    log = make_log(False)
    path = tmp_path / "job_queue.log"
    damaged = KINDS[kind](log, log.index(b"103 15.0 Cmd") + (2 - 200 if kind == "duplicated" else 2), 200)
    path.write_bytes(damaged)
    with pytest.raises(Damage, match=f"{path} is damaged at byte"):
        JobQueue(str(path))
    problems = [str(problem) for problem in check_spool(str(tmp_path))]
    assert any(problem.startswith(f"{path}, byte ") and "it is no record" in problem for problem in problems)
    done = repair_spool(str(tmp_path))
    assert (tmp_path / "job_queue.log.damaged").read_bytes() == damaged
    assert any("was left out" in line for line in done)
    assert check_spool(str(tmp_path)) == []
    assert JobQueue(str(path)).count() >= JOBS - 2


@pytest.mark.promise("S75")
def test_a_job_that_lost_what_every_job_has_is_held_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_bytes(make_log(True).replace(b'103 7.0 Owner "alice"', b'103 7.0 Own\x01\x00\x02"alice"'))
    told: list[str] = []
    queue = open_table(lambda: JobQueue(str(path)), str(path), told.append)
    ad = queue.job(JobId(7, 0))
    assert ad is not None
    assert ad.text("JobStatus") == "5"
    assert (ad.text("HoldReasonCode"), ad.text("HoldReasonSubCode")) == ("0", "0")
    what = "it lacks Owner and line 98 was left out of the log"
    assert ad.text("HoldReason") == f'"The record of this job in the queue was damaged: {what}"'
    assert any("job 7.0 is held, it lacks Owner" in line for line in told)
    assert queue.count() == JOBS


def test_numbers_of_jobs_that_only_the_history_knows_are_not_given_again(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_bytes(make_log(True).replace(b"103 0.0 NextClusterNum 31\n", b"103 0.0\x00\x00\x00\n"))
    (tmp_path / "history").write_text(
        'ClusterId = 99\nProcId = 0\n*** Offset = 0 ClusterId = 99 ProcId = 0 Owner = "a" CompletionDate = 1 '
        "CurrentTime = 1\n"
    )
    queue = open_table(lambda: JobQueue(str(path)), str(path), lambda line: None)
    assert queue.next_cluster == 100


@pytest.mark.parametrize("kind", ["zeroed", "duplicated", "flipped"])
def test_the_accounting_of_others_survives(tmp_path: Path, kind: str) -> None:
    lines = ["107 1 CreationTimestamp 5"]
    for number in range(40):
        key = f"Customer.user{number}@example.net"
        lines += [f"101 {key} * *", f"103 {key} Priority 1{number}.5", f"103 {key} AccumulatedUsage 1{number}00.25"]
    data = "".join(f"{line}\n" for line in lines).encode()
    path = tmp_path / "Accountantnew.log"
    at = data.index(b"103 Customer.user20@example.net Accum") + (2 - 60 if kind == "duplicated" else 2)
    path.write_bytes(KINDS[kind](data, at, 60))
    told: list[str] = []
    table = open_table(lambda: AccountantLog(str(path)), str(path), told.append)
    assert told
    for number in set(range(40)) - {19, 20, 21}:
        ad = table.ads[f"Customer.user{number}@example.net"]
        assert (ad.text("Priority"), ad.text("AccumulatedUsage")) == (f"1{number}.5", f"1{number}00.25")


@pytest.mark.parametrize(
    "line", [b'103 0.0 \rype "Job"', b'103 0.0 My\x0bype "Job"', b"103 0.0\r A 1", b'113 7.0 A "x"']
)
def test_no_white_space_in_a_word_keeps_a_daemon_from_starting(tmp_path: Path, line: bytes) -> None:
    """Read as it is refused when it is written: in both it is no record."""
    path = tmp_path / "job_queue.log"
    path.write_bytes(make_log(True).replace(b"103 9.0 Args", line + b"\n103 9.0 Args"))
    assert check_spool(str(tmp_path)) != []
    told: list[str] = []
    queue = open_table(lambda: JobQueue(str(path)), str(path), told.append)
    queue.compact(0)
    assert any("was left out: it is no record" in text for text in told)
    assert check_spool(str(tmp_path)) == []
    assert queue.count() == JOBS


_SOUND = 'Owner "a"', 'User "a@x"', 'Cmd "/x"', "JobUniverse 5"
_HEAD = ["107 1 CreationTimestamp 5", "101 0.0 Job Machine", "103 0.0 NextClusterNum 2", "101 01.-1 Job Machine"]
_CLUSTER = [*_HEAD, "103 01.-1 ClusterId 1", *(f"103 01.-1 {item}" for item in _SOUND)]


def _statuses(tmp_path: Path, lines: list[str]) -> dict[str, str | None]:
    """JobStatus of each job of a log, after its daemon has opened it."""
    path = tmp_path / "job_queue.log"
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    queue = open_table(lambda: JobQueue(str(path), whole=True), str(path), list[str]().append)
    found = {str(job): ad.text("JobStatus") for job, ad in queue.jobs()}
    queue.close()
    return found


def test_jobs_are_held_of_which_a_line_without_a_name_may_have_been(tmp_path: Path) -> None:
    jobs = [["101 1.0 Job Machine", "103 1.0 ProcId 0", "103 1.0 JobStatus 1"],
            ["101 1.1 Job Machine", "103 1.1 ProcId 1", "103 1.1 JobStatus 1"]]  # fmt: skip
    garbage = "\x01\x02 a line of which nothing can be read"
    assert _statuses(tmp_path, [*_CLUSTER, *jobs[0], garbage, *jobs[1]]) == {"1.0": "5", "1.1": "1"}
    assert _statuses(tmp_path, [*_CLUSTER, *jobs[0], garbage, *jobs[1][1:]]) == {"1.0": "1", "1.1": "5"}
    change = ["105 ", garbage, "103 1.1 NumJobStarts 1", "106 "]
    assert _statuses(tmp_path, [*_CLUSTER, *jobs[0], *jobs[1], *change]) == {"1.0": "1", "1.1": "5"}
    for mark in ("10& ", "106 5105 ", "10\x1a"):
        assert _statuses(tmp_path, [*_CLUSTER, *jobs[0], mark, *jobs[1]]) == {"1.0": "1", "1.1": "1"}


def test_an_ad_that_more_than_one_record_names_begins_again(tmp_path: Path) -> None:
    priorities = ["103 Customer.a Priority 1.0", "103 Customer.a Priority 2.0", "103 Customer.b Priority 3.0"]
    log = ["107 1 CreationTimestamp 5", "101 Accountant. * *", "103 Accountant. LastUpdateTime 5", *priorities]
    path = tmp_path / "Accountantnew.log"
    path.write_text("".join(f"{line}\n" for line in log))
    table = open_table(lambda: AccountantLog(str(path)), str(path), list[str]().append)
    assert {name: ad.text("Priority") for name, ad in table.customers().items()} == {"a": "2.0"}
    table.close()


def test_the_last_record_of_a_job_behind_what_cannot_be_read_keeps_it(tmp_path: Path) -> None:
    lines = [*_CLUSTER, "\x01\x02 a line of which nothing can be read", "103 1.0 JobStatus 1"]
    assert _statuses(tmp_path, lines) == {"1.0": "5"}


def test_the_start_finds_an_end_of_no_transaction_as_the_check_does(tmp_path: Path) -> None:
    lines = [*_CLUSTER, "101 1.0 Job Machine", "103 1.0 ProcId 0", "103 1.0 JobStatus 1", "106 "]
    path = tmp_path / "job_queue.log"
    path.write_text("".join(f"{line}\n" for line in lines))
    assert len(check_spool(str(tmp_path))) == 1
    queue = JobQueue(str(path), whole=True)
    assert not queue.is_sound()
    queue.close()


def test_another_spelling_of_a_clusters_key_hides_no_cluster(tmp_path: Path) -> None:
    lines = [*_CLUSTER, "101 1.-1 Clu2terPvt (empty)", "101 1.0 Job Machine", "103 1.0 ProcId 0", "103 1.0 JobStatus 1"]
    assert _statuses(tmp_path, lines) == {"1.0": "1"}
    (tmp_path / "job_queue.log").write_text("".join(f"{line}\n" for line in lines))
    queue = JobQueue(str(tmp_path / "job_queue.log"), whole=True)
    assert not queue.is_sound()
    queue.close()
    assert [problem.text for problem in check_spool(str(tmp_path))] == [
        "line 10: '1.-1' is no key of a job queue: '101 1.-1 Clu2terPvt (empty)'"
    ]
