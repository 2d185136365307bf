"""Directories of spooled jobs are made and closed by a child: who has filled one keeps nobody else waiting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from queue_clients import Batches, User, two_accounts

from condor_py.client import spooling
from condor_py.client.spooling import close_room, job_folder
from condor_py.daemons.common.loop import Loop
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import HoldCode
from condor_py.store.records import NewProc, submit_records

JOB = JobId(1, 0)


class Spool(Batches):
    """Requests, and the loop in which children end. Job 1.0 waits for its files."""

    def __init__(self, folder: Path, uid: int) -> None:
        self.loop = Loop()
        super().__init__(folder, self.loop)
        self.loop.watch_children()
        ad = {"Owner": f'"user{uid}"', "User": f'"user{uid}@example.net"', "JobStatus": "5"}
        ad |= {"HoldReasonCode": str(int(HoldCode.SPOOLING_INPUT)), "Iwd": '"/tmp"'}
        with self.queue.transaction() as transaction:
            transaction.extend(submit_records(1, list(ad.items()), [NewProc(0, [], 5, "x")]))

    def wait(self, user: User, answers: int) -> None:
        for _ in range(1_000):
            self.turn()
            if len(user.answers) >= answers:
                return
            self.loop.turn(0.1)
        raise AssertionError(user.answers)


@pytest.fixture
def uids(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    monkeypatch.setattr("os.geteuid", lambda: 1)  # nothing is given away
    return two_accounts(monkeypatch)


def test_others_are_served_while_a_directory_is_emptied(
    tmp_path: Path, uids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = Spool(tmp_path, uids[0])
    bob, alice = (User(daemon, uid) for uid in uids)
    os.mkfifo(tmp_path / "pipe")

    def takes_long(path: str) -> None:
        (tmp_path / "pipe").read_bytes()

    monkeypatch.setattr(spooling.trees, "remove", takes_long)
    bob.ask({"op": "spool-begin", "ids": [[1, 0]]})
    bob.ask({"op": "spool-begin", "ids": [[1, 0]]})
    daemon.turn()
    alice.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    assert alice.answers, "she does not wait"
    assert not bob.answers
    for answers in (1, 2):  # one after the other
        (tmp_path / "pipe").write_bytes(b"x")
        daemon.wait(bob, answers)
    assert bob.answers[0]["folders"] == [[1, 0, job_folder(str(tmp_path), JOB) + ".tmp"]]
    assert "error" in bob.answers[1], "and this one found the directory of the first"


def test_input_that_has_arrived_lets_the_job_run(tmp_path: Path, uids: list[int]) -> None:
    daemon = Spool(tmp_path, uids[0])
    bob = User(daemon, uids[0])
    bob.ask({"op": "spool-begin", "ids": [[1, 0]]})
    daemon.wait(bob, 1)
    (folder,) = (path for *_, path in bob.answers[0]["folders"])
    (Path(folder) / "in").write_text("x")
    bob.ask({"op": "spool-end", "begun": 5, "ids": [[1, 0]]})
    daemon.wait(bob, 2)
    ad = daemon.queue.job(JOB)
    assert ad is not None
    assert ad.eval_int("JobStatus", 0) == 1
    assert (Path(ad.eval_str("Iwd", "") or "") / "in").read_text() == "x"


def test_who_may_read_a_spool_directory(tmp_path: Path, uids: list[int]) -> None:
    daemon = Spool(tmp_path, uids[0])
    daemon.core.settings = daemon.core.settings.changed(spool_mode=0o750)
    bob = User(daemon, uids[0])
    bob.ask({"op": "spool-begin", "ids": [[1, 0]]})
    daemon.wait(bob, 1)
    assert os.stat(bob.answers[0]["folders"][0][2]).st_mode & 0o777 == 0o750


def test_input_that_is_missing_is_told(tmp_path: Path, uids: list[int]) -> None:
    daemon = Spool(tmp_path, uids[0])
    bob = User(daemon, uids[0])
    bob.ask({"op": "spool-end", "begun": 5, "ids": [[1, 0]]})
    daemon.wait(bob, 1)
    assert "no input has arrived" in bob.answers[0]["error"]


def test_a_directory_that_was_closed_before_a_crash_stays(tmp_path: Path) -> None:
    """The schedd may have died between the renaming and the queue."""
    folder = Path(job_folder(str(tmp_path), JOB))
    folder.mkdir(parents=True)
    (folder / "in").write_text("x")
    assert close_room(str(tmp_path), JOB) == str(folder)
    assert (folder / "in").exists()
    with pytest.raises(CondorError):
        close_room(str(tmp_path), JobId(1, 1))
