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
    """The nodes of a DAG are a cluster each: a piece has the jobs of several."""
    packed = NewJobs(tuple((cluster, tuple(range(100))) for cluster in range(1, 8)), b"lines")
    _, pieces = split([packed])
    assert [len(list(keys_of(piece))) for piece in pieces] == [200, 200, 200, 100]
    assert [key for piece in pieces for key in keys_of(piece)] == [f"{c}.{n}" for c in range(1, 8) for n in range(100)]


def _guesses(daemon: Batches, user: User, number: int) -> dict[str, object]:
    """The answer to a submit of a job with a number that was not asked for."""
    cluster = SubmittedCluster(number, [("Cmd", '"/bin/true"'), ("JobStatus", "1")], [[("ProcId", "0")]])
    user.sends({"op": "submit", "expected": number, "count": 1}, to_body([cluster]))
    daemon.turn()
    return user.answers[-1]


def test_a_number_that_was_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken where it is the next one; else the sender hears which it is."""
    daemon = Batches(tmp_path)
    mine, other = (User(daemon, uid) for uid in two_accounts(monkeypatch))
    assert _guesses(daemon, mine, 1) == {"ok": True, "warnings": []}
    assert _guesses(daemon, other, 1) == {"ok": True, "first": 2}
    assert read(tmp_path).clusters() == [1]
    assert _guesses(daemon, mine, 3) == {"ok": True, "warnings": []}
    other.submits(2)
    daemon.turn()
    assert read(tmp_path).clusters() == [1, 2, 3]
    assert read(tmp_path).next_cluster == 4


def test_a_guess_of_a_number_that_another_connection_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    daemon = Batches(tmp_path)
    mine, other = (User(daemon, uid) for uid in two_accounts(monkeypatch))
    other.ask({"op": "new-clusters", "count": 1})
    answer = _guesses(daemon, mine, 1)
    assert (answer["first"], other.answers[-1]["first"]) == (2, 1)
    assert read(tmp_path).count() == 0
    assert read(tmp_path).next_cluster == 3


def _allocates(folder: Path) -> int:
    """The cluster that a process makes that writes the log itself, as condor_submit does."""
    queue = JobQueue(str(folder / "job_queue.log"), uid_domain="example.net")
    with queue.transaction() as transaction:
        number = transaction.alloc_cluster()
        transaction.extend(submit_records(number, [("Cmd", '"/bin/sleep"')], [NewProc(0, [], 1, "x")]))
    return number


def _sends_guess(user: User, number: int) -> None:
    cluster = SubmittedCluster(number, [("Cmd", '"/bin/true"'), ("JobStatus", "1")], [[("ProcId", "0")]])
    user.sends({"op": "submit", "expected": number, "count": 1}, to_body([cluster]))


def test_a_guessed_number_is_given_to_no_other_process_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two submits in a batch the second waits for the next one: in between others may write the log."""
    daemon = Batches(tmp_path)
    mine, other = (User(daemon, uid) for uid in two_accounts(monkeypatch))
    _sends_guess(mine, 1)
    _sends_guess(other, 2)
    daemon.one_turn()
    assert _allocates(tmp_path) == 3
    daemon.turn()
    assert mine.answers[-1] == other.answers[-1] == {"ok": True, "warnings": []}
    found = read(tmp_path)
    assert found.clusters() == [1, 2, 3]
    third = found.cluster(3)
    assert third is not None
    assert third.text("Cmd") == '"/bin/sleep"'


def test_a_guessed_number_cannot_be_kept_to_take_the_place_of_anothers_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = Batches(tmp_path)
    user = User(daemon, two_accounts(monkeypatch)[0])
    user.sends({"op": "submit", "expected": 1, "count": 1}, b"[[7]]")
    daemon.turn()
    assert user.answers[-1]["ok"] is False
    number = _allocates(tmp_path)
    assert number == 2
    for wanted in (1, 2):
        user.submits(wanted)
        daemon.turn()
    assert user.answers[-1] == {"ok": False, "error": "Failed to create cluster"}
    theirs = read(tmp_path).cluster(number)
    assert theirs is not None
    assert theirs.text("Cmd") == '"/bin/sleep"'
