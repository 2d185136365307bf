"""A large submit is taken in little by little: all of it is queued or nothing, and others are served meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from queue_clients import Batches, User, two_accounts

from condor_py.client.submission import SubmittedCluster, to_body
from condor_py.daemons.schedd import clients
from condor_py.daemons.schedd.batches import keys_of, split
from condor_py.model.ids import JobId
from condor_py.model.record import SET, Alike, Change, NewJobs
from condor_py.store.job_queue import JobQueue
from condor_py.store.records import NewProc, submit_records

JOBS = 1_000


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Batches, User, User]:
    """A daemon in whose inbox lies the submit of a thousand jobs, who sent it, and somebody else with a number. Each
    step is a turn of its own."""
    monkeypatch.setattr(clients, "_MOMENT", -1.0)
    daemon = Batches(tmp_path)
    users = [User(daemon, uid) for uid in two_accounts(monkeypatch)]
    for user in users:
        user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    number = users[0].answers[-1]["first"]
    ad = [("Cmd", '"/bin/true"'), ("JobStatus", "1")]
    cluster = SubmittedCluster(number, ad, [[("ProcId", str(n)), ("Args", f'"{n}"')] for n in range(JOBS)])
    users[0].sends({"op": "submit"}, to_body([cluster]))
    return daemon, users[0], users[1]


def read(folder: Path) -> JobQueue:
    """The queue as the next one who opens it finds it."""
    return JobQueue(str(folder / "job_queue.log"), readonly=True)


def test_others_are_served_meanwhile(tmp_path: Path, large: tuple[Batches, User, User]) -> None:
    daemon, mine, other = large
    daemon.one_turn()
    other.submits(other.answers[-1]["first"])
    while "first" in other.answers[-1]:
        daemon.one_turn()
    assert other.answers[-1] == {"ok": True, "warnings": []}
    assert "first" in mine.answers[-1]
    assert read(tmp_path).count() == 1
    daemon.turn()
    assert mine.answers[-1] == {"ok": True, "warnings": []}
    number = mine.answers[0]["first"]
    found = read(tmp_path)
    assert found.count(number) == JOBS
    for queue in (found, daemon.queue):
        last = queue.job(JobId(number, JOBS - 1))
        assert last is not None
        told = [last.text(name) for name in ("Args", "JobStatus", "Cmd", "ProcId", "JobPreparingTasks")]
        assert told == [f'"{JOBS - 1}"', "1", '"/bin/true"', str(JOBS - 1), None]
    assert {key: dict(ad.text_items()) for key, ad in found.ads.items()} == {
        key: dict(ad.text_items()) for key, ad in daemon.queue.ads.items()
    }


def test_whoever_dies_in_the_middle_leaves_nothing(tmp_path: Path, large: tuple[Batches, User, User]) -> None:
    daemon, _, _ = large
    steps = 0
    while True:
        child = os.fork()
        if not child:
            try:
                for _ in range(steps):
                    daemon.one_turn()
            finally:
                os._exit(0 if daemon.waits else 1)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status):
            break
        assert read(tmp_path).count() == 0, f"after {steps} turns"
        steps += 1
    assert steps > JOBS // 250
    assert read(tmp_path).count() == JOBS


def test_a_limit_that_was_reached_meanwhile(tmp_path: Path, large: tuple[Batches, User, User]) -> None:
    daemon, mine, other = large
    daemon.core.settings = daemon.core.settings.__class__(uid_domain="example.net", max_jobs_submitted=JOBS)
    daemon.one_turn()
    other.submits(other.answers[-1]["first"])
    daemon.turn()
    assert mine.answers[-1]["error"] == "Number of submitted jobs would exceed MAX_JOBS_SUBMITTED"
    assert read(tmp_path).count() == 1


@pytest.mark.parametrize(
    "body", [b"[]\n[[7, [[]]]]", b'[[7, [["Cmd", "1"]], [[]], null]]\n[[8, [[]]]]', b"[[7]]", b"[\n]"]
)
def test_bodies_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    daemon = Batches(tmp_path)
    user = User(daemon, two_accounts(monkeypatch)[0])
    user.sends({"op": "submit"}, body)
    daemon.turn()
    assert sorted(user.answers[-1]) == ["error", "ok"]
    assert read(tmp_path).count() == 0


def test_what_the_core_hears_of_at_once() -> None:
    """New jobs come piece by piece; what changes others does not wait, and small news is left as it is."""
    procs = [NewProc(n, [], 1, "x") for n in range(600)]
    few = submit_records(3, [("Cmd", "1")], procs[:5])
    assert split(few) == (few, ())
    edits = [Change(SET, "1.0", "JobPrio", "1"), Alike((JobId(1, 1),), (Change(SET, "", "JobStatus", "5"),))]
    others, pieces = split([*edits, *submit_records(3, [("Cmd", "1")], procs)])
    assert others == edits
    assert [key for piece in pieces for key in keys_of(piece)] == [f"3.{n}" for n in range(600)]
    assert max(map(len, pieces)) < 300
    packed = NewJobs(((4, tuple(range(300))),), b"lines")
    others, pieces = split([*edits, packed])
    assert others == edits
    assert [key for piece in pieces for key in keys_of(piece)] == [f"4.{n}" for n in range(300)]


def test_small_clusters_come_together() -> None:
    """The nodes of a DAG are a cluster each: pieces are as large as those of one cluster."""
    packed = NewJobs(tuple((cluster, tuple(range(100))) for cluster in range(1, 8)), b"lines")
    _, pieces = split([packed])
    assert [len(list(keys_of(piece))) for piece in pieces] == [250, 250, 200]
    assert [key for piece in pieces for key in keys_of(piece)] == [f"{c}.{n}" for c in range(1, 8) for n in range(100)]
