"""Requests of several users that arrive at the same moment, in one batch of the schedd."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from queue_clients import Batches, User, two_accounts

from condor_py.cli.act import told
from condor_py.model.ids import JobId
from condor_py.model.settings.schedd import SystemPolicy


@pytest.fixture
def accounts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of two users."""
    return two_accounts(monkeypatch)


def test_submits_of_the_same_moment_get_clusters_and_user_records_of_their_own(
    tmp_path: Path, accounts: list[int]
) -> None:
    daemon = Batches(tmp_path)
    users = [User(daemon, uid) for uid in accounts]
    for user in users:
        user.ask({"op": "new-clusters", "count": 2})
    daemon.turn()
    firsts = [user.answers[-1]["first"] for user in users]
    assert abs(firsts[0] - firsts[1]) == 2
    for user, first in zip(users, firsts, strict=True):
        user.submits(first)
    daemon.turn()
    for user, first in zip(users, firsts, strict=True):
        assert user.answers[-1] == {"ok": True, "warnings": []}
        ad = daemon.queue.job(JobId(first, 0))
        assert ad is not None
        assert ad.eval_str("Cmd", "") == f"job {first}"
        record = daemon.queue.user_record_of(f"user{user.peer.uid}@example.net")
        assert record is not None
        assert record[1].eval_str("Owner", "") == ad.eval_str("Owner", None)


def test_the_submits_of_an_account_do_not_wait_for_all_of_another_one(tmp_path: Path, accounts: list[int]) -> None:
    """A hundred DAGs of one, and a submit of the other."""
    daemon = Batches(tmp_path)
    many, other = [User(daemon, accounts[0]) for _ in range(9)], User(daemon, accounts[1])
    for user in (*many, other):
        user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    for user in (*many, other):
        user.submits(user.answers[-1]["first"])
    done: list[int] = []
    while daemon.waits:
        daemon.one_turn()
        done.append(sum("warnings" in user.answers[-1] for user in many))
        if "warnings" in other.answers[-1]:
            break
    assert done[-1] <= 2
    daemon.turn()
    assert [user.answers[-1] for user in (*many, other)] == [{"ok": True, "warnings": []}] * 10
    assert daemon.queue.count() == 10


@pytest.mark.promise("S29")
def test_submits_of_the_same_moment_share_a_limit(tmp_path: Path, accounts: list[int]) -> None:
    daemon = Batches(tmp_path, max_jobs_submitted=3)
    users = [User(daemon, uid) for uid in accounts]
    for user in users:
        user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    for user in users:
        user.submits(user.answers[-1]["first"], procs=2)
    daemon.turn()
    assert users[0].answers[-1]["ok"]
    assert users[1].answers[-1]["error"] == "Number of submitted jobs would exceed MAX_JOBS_SUBMITTED"
    assert daemon.queue.count() == 2


LINES = '1 /*\n103 1.0 Owner "root"\n*/'


@pytest.mark.parametrize(
    "head",
    [
        {"op": "edit", "assignments": [["Foo", LINES]]},
        {"op": "edit", "assignments": [['Foo 1\n103 1.0 Owner "root"\n103 1.0 Bar', "1"]]},
        {"op": "edit", "assignments": [["Foo Bar", "1"]]},
        {"op": "edit", "assignments": [['Owner="root"//', "1"]]},
        {"op": "edit", "assignments": [["", "1"]]},
        {"op": "edit", "assignments": [["Foo", '"a\0b"']]},
        {"op": "edit", "assignments": [["Foo", '"\ud800"']]},
        {"op": "edit", "assignments": [["F\ud800", "1"]]},
        {"op": "edit", "assignments": [["Foo", "(" * 100_000]]},
        {"op": "act", "action": "hold", "reason": ["a"]},
        {"op": "act", "action": "hold", "subcode": '1\n103 1.0 Owner "root"'},
        {"op": "act", "action": "hold", "constraint": 5},
        {"op": "act", "action": "explode"},
        {"op": "act", "action": "hold", "ids": [[float("inf"), 0]]},
        {"op": "act", "action": "hold", "ids": 7},
        {"op": "new-clusters", "count": float("inf")},
    ],
)
def test_what_the_queue_cannot_hold_is_refused(tmp_path: Path, accounts: list[int], head: dict[str, Any]) -> None:
    daemon = Batches(tmp_path)
    users = [User(daemon, uid) for uid in accounts]
    users[0].ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    first = users[0].answers[-1]["first"]
    users[0].submits(first)
    daemon.turn()
    before = (tmp_path / "job_queue.log").read_bytes()
    users[0].ask({"ids": [[first, 0]], **head})
    users[1].ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    assert sorted(users[0].answers[-1]) == ["error", "ok"]
    assert users[1].answers[-1]["first"], "others get their answers from the same batch"
    after = (tmp_path / "job_queue.log").read_bytes()
    assert after.startswith(before)
    assert after[len(before) :].count(b"\n") == 3, "nothing but the new number and the marks around it"


@pytest.mark.parametrize("item", [["Foo Bar", "1"], ["Foo", LINES], ["Foo", "(("], ["Foo", '"\ud800"'], ["Foo", 1], []])
def test_a_submit_with_what_is_no_attribute_is_refused(tmp_path: Path, accounts: list[int], item: list[Any]) -> None:
    daemon = Batches(tmp_path)
    user = User(daemon, accounts[0])
    user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    user.ask({"op": "submit"}, [[user.answers[-1]["first"], [["Cmd", '"x"'], item], [[]], None]])
    daemon.turn()
    assert sorted(user.answers[-1]) == ["error", "ok"]
    assert daemon.queue.count() == 0


@pytest.mark.promise("S27")
def test_an_account_that_takes_cluster_numbers_without_submitting_has_to_wait(
    tmp_path: Path, accounts: list[int]
) -> None:
    daemon = Batches(tmp_path)
    greedy, other = (User(daemon, uid) for uid in accounts)
    for _ in range(400):
        greedy.ask({"op": "new-clusters", "count": 10_000})
    daemon.turn()
    refused = [answer["error"] for answer in greedy.answers if "error" in answer]
    assert len(refused) == 398
    assert "Failed to create cluster: too many in a short time" in refused[0]
    assert daemon.queue.next_cluster < 21_000
    other.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    other.submits(other.answers[-1]["first"])
    daemon.turn()
    assert other.answers[-1]["ok"]


@pytest.mark.promise("S24")
def test_a_submit_that_would_take_the_memory_is_refused_before_it_is_parsed(
    tmp_path: Path, accounts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon, user = Batches(tmp_path), None
    user = User(daemon, accounts[0])
    user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    first = user.answers[-1]["first"]
    body = b'[[%d,[["Cmd","x"]],[' % first + b"[]," * 5_000_000 + b"[]],null]]"
    monkeypatch.setattr("json.loads", lambda text: pytest.fail("it was parsed"))
    user.sends({"op": "submit"}, body)
    daemon.turn()
    assert "memory" in user.answers[-1]["error"]


@pytest.mark.promise("S28")
def test_a_request_about_many_jobs_is_done_in_pieces(
    tmp_path: Path, accounts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_JOBS", "_FEWEST", "_MOST"):
        monkeypatch.setattr(f"condor_py.daemons.schedd.slices.{name}", 2)
    daemon = Batches(tmp_path)
    user = User(daemon, accounts[0])
    user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    cluster = user.answers[-1]["first"]
    user.submits(cluster, procs=7)
    daemon.turn()
    batches: list[int] = []
    commit = daemon.commit_for_client

    def counted(records: list[Any], answer: Callable[[], None], *, hold_now: bool = False, refuse: Any = None) -> None:
        batches.append(len({record.key for record in records}))
        commit(records, answer, hold_now=hold_now)

    monkeypatch.setattr(daemon, "commit_for_client", counted)
    user.ask({"op": "act", "action": "hold", "constraint": f"ClusterId == {cluster}"})
    daemon.turn()
    assert user.answers[-1]["spans"] == [[cluster, 0, 7, 1]]
    assert len(batches) >= 4
    assert max(batches) <= 2
    assert not any(answer.get("op") for answer in user.answers), "progress is told to those who ask for it"
    assert all(ad.eval_int("JobStatus") == 5 for _, ad in daemon.queue.jobs())
    ids = [[cluster, 0], [cluster, 99], [cluster, 1]]
    user.ask({"op": "edit", "assignments": [["Foo", "7"]], "ids": ids, "constraint": "ProcId < 3"})
    daemon.turn()
    assert sorted(user.answers[-1]["spans"]) == [[cluster, 0, 1, 1], [cluster, 1, 2, 1], [cluster, 99, 1, 2]]
    user.ask({"op": "act", "action": "hold", "constraint": "1 +"})
    daemon.turn()
    batches.clear()
    user.ask({"op": "act", "action": "release", "ids": [[cluster, n] for n in range(6)], "constraint": "1 +"})
    daemon.turn()
    assert (batches, user.answers[-1]["error"]) == ([], "Can't parse constraint: 1 +")
    user.answers.pop()
    user.ask({"op": "act", "action": "hold", "ids": [[1, n] for n in range(60_000)]})
    daemon.turn()
    assert "constraint" in user.answers[-2]["error"]
    assert "at most 50000" in user.answers[-1]["error"]


def test_a_client_hears_how_far_its_request_is(
    tmp_path: Path, accounts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_JOBS", "_FEWEST", "_MOST"):
        monkeypatch.setattr(f"condor_py.daemons.schedd.slices.{name}", 2)
    monkeypatch.setattr("condor_py.daemons.schedd.clients._TELL_EVERY", 0.0)
    daemon = Batches(tmp_path)
    user = User(daemon, accounts[0])
    user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    cluster = user.answers[-1]["first"]
    user.submits(cluster, procs=5)
    daemon.turn()
    user.answers.clear()
    user.ask({"op": "act", "action": "hold", "constraint": "ProcId == 3", "progress": True})
    daemon.turn()
    heard = [(answer["done"], answer["total"]) for answer in user.answers[:-1]]
    assert heard == [(2, 5), (4, 5)]
    assert user.answers[-1]["spans"] == [[cluster, 3, 1, 1]]
    user.answers.clear()
    ids = [[cluster, 0], [cluster, 1], [cluster, 99]]
    user.ask({"op": "edit", "assignments": [["Foo", "7"]], "ids": ids, "progress": True})
    daemon.turn()
    assert [(answer["done"], answer["total"]) for answer in user.answers[:-1]] == [(2, 3)]


def test_each_piece_of_a_long_request_has_its_own_time(
    tmp_path: Path, accounts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_JOBS", "_FEWEST", "_MOST"):
        monkeypatch.setattr(f"condor_py.daemons.schedd.slices.{name}", 1)
    daemon = Batches(tmp_path)
    user = User(daemon, accounts[0])
    user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    user.submits(user.answers[-1]["first"], procs=6)
    daemon.turn()
    daemon.pace = 10
    user.ask({"op": "act", "action": "hold", "constraint": "true"})
    daemon.turn()
    times = [ad.eval_int("EnteredCurrentStatus") for _, ad in daemon.queue.jobs()]
    assert times == sorted(times)
    assert times[0] == 1000
    assert times[-1] >= 1020


def test_pieces_are_as_long_as_they_may_take(
    tmp_path: Path, accounts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn of the loop in which much came of a piece makes the next ones shorter, a quick one longer."""
    daemon = Batches(tmp_path)
    user = User(daemon, accounts[0])
    user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    user.submits(user.answers[-1]["first"], procs=2000)
    daemon.turn()
    pieces: dict[float, list[int]] = {}
    for seconds in (1.0, 0.001):
        moment, step = [0.0], seconds

        def passing(moment: list[float] = moment, step: float = step) -> float:
            moment[0] += step
            return moment[0]

        monkeypatch.setattr("condor_py.daemons.schedd.clients.thread_time", passing)
        done = 0
        user.ask({"op": "act", "action": "hold" if seconds == 1.0 else "release", "constraint": "true"})
        while daemon.waits:
            daemon.one_turn()
            held = sum(ad.eval_int("JobStatus") == 5 for _, ad in daemon.queue.jobs())
            pieces.setdefault(seconds, []).append(abs(held - done))
            done = held
    assert pieces[1.0][2:4] == [100, 100]
    assert max(pieces[0.001][1:]) > 500


@pytest.mark.parametrize(("action", "paused"), [("remove", 3), ("hold", 1)])
def test_a_factory_stops_with_the_first_piece_of_its_jobs(
    tmp_path: Path, accounts: list[int], monkeypatch: pytest.MonkeyPatch, action: str, paused: int
) -> None:
    """Else it makes jobs in place of those that have left already, and nobody asks for those to go."""
    monkeypatch.setattr("condor_py.daemons.schedd.slices._JOBS", 2)
    daemon = Batches(tmp_path)
    user = User(daemon, accounts[0])
    with daemon.queue.transaction() as tx:
        for cluster, procs in ((1, 7), (2, 0)):
            tx.new_ad(f"0{cluster}.-1", "Job", "Machine")
            for name, text in (("Owner", f'"user{accounts[0]}"'), ("JobMaterializeDigestFile", '"digest"')):
                tx.set(f"0{cluster}.-1", name, text)
            tx.set(f"0{cluster}.-1", "TotalSubmitProcs", "100")
            for proc in range(procs):
                tx.new_ad(f"{cluster}.{proc}", "Job", "Machine")
                tx.set(f"{cluster}.{proc}", "JobStatus", "1")
    seen: list[tuple[int, int]] = []
    commit = daemon.commit_for_client

    def looked(records: list[Any], answer: Callable[[], None], **words: Any) -> None:
        commit(records, answer, **words)
        factory = daemon.queue.cluster(1)
        assert factory is not None
        left = sum(ad.eval_int("JobStatus") == 1 for _, ad in daemon.queue.jobs())
        seen.append((left, factory.eval_int("JobMaterializePaused", 0)))

    monkeypatch.setattr(daemon, "commit_for_client", looked)
    user.ask({"op": "act", "action": action, "constraint": "true"})
    daemon.turn()
    assert len(seen) > 1
    assert seen[0][0] > 0
    assert {mode for _, mode in seen} == {paused}
    assert user.answers[-1]["spans"] == [[1, 0, 7, 1], [2, -1, 1, 1]]


def test_only_what_has_changed_already_is_done_when_the_disk_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What concerns jobs that are not there needs no disk."""
    daemon = Batches(tmp_path)
    user = User(daemon, two_accounts(monkeypatch)[0])
    user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    cluster = user.answers[-1]["first"]
    user.submits(cluster)
    daemon.turn()
    daemon.full = "no space left"
    user.answers.clear()
    user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    user.ask({"op": "edit", "constraint": "true", "assignments": [["Foo", "1"]]})
    daemon.turn()
    said = [answer["error"] for answer in user.answers]
    assert said == ["no space left", "no space left; it is done when the queue can be written again"]
    user.answers.clear()
    for request in ({"op": "edit", "assignments": [["Foo", "1"]]}, {"op": "act", "action": "remove"}):
        user.ask({**request, "ids": [[cluster, 7]]})
        daemon.turn()
    assert [answer["spans"] for answer in user.answers] == [[[cluster, 7, 1, 2]]] * 2


def test_users_release_no_job_that_was_held_too_often(tmp_path: Path, accounts: list[int]) -> None:
    policy, helper = SystemPolicy(max_releases=1), f"user{accounts[1]}"
    daemon = Batches(tmp_path, system_periodic=policy, queue_super_users=(helper,))
    owner, super_user = (User(daemon, uid) for uid in accounts)
    owner.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    cluster = owner.answers[-1]["first"]
    owner.submits(cluster)
    daemon.turn()

    def asks(user: User, action: str) -> int:
        user.ask({"op": "act", "action": action, "ids": [[cluster, 0]]})
        daemon.turn()
        ((_, _, _, code),) = user.answers[-1]["spans"]
        return int(code)

    assert [asks(owner, action) for action in ("hold", "release", "hold", "release")] == [1, 1, 1, 6]
    assert (asks(super_user, "release"), asks(owner, "release")) == (1, 3)
    text = f"Job {cluster}.0 cannot be released again, has reached SYSTEM_MAX_RELEASES limit"
    assert told("release", JobId(cluster, 0), 6) == (text, False)
