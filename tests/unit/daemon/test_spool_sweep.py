"""A schedd that starts removes the files of jobs that have left the queue, and no others."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from condor_py.client.spooling import job_folder
from condor_py.client.submission import SubmittedCluster, submission
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.schedd.spoolsweep import SpoolSweep
from condor_py.model.ids import JobId
from condor_py.store.job_queue import JobQueue


def test_files_of_jobs_that_have_left_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.daemons.common.remover._PATIENCE", 60.0)  # none of the trees is large
    spool = str(tmp_path)
    queue = JobQueue(f"{spool}/job_queue.log")
    ad = [("Iwd", '"/"'), ("Owner", '"me"')]
    with queue.transaction() as transaction:
        transaction.extend(submission(queue, [SubmittedCluster(3, ad, [[]] * 2)], "me", "me@x", "s", 1000))
    there, left, of_left_cluster, coming = JobId(3, 1), JobId(3, 7), JobId(2, 0), JobId(4, 0)
    for job in (there, left, of_left_cluster, coming):
        for ending in ("", ".checkpoint"):
            Path(job_folder(spool, job) + ending).mkdir(parents=True)
            Path(job_folder(spool, job) + ending, "file").touch()
    for cluster in (1, 3, 4):
        Path(spool, str(cluster)).mkdir(exist_ok=True)
        Path(spool, str(cluster), f"condor_submit.{cluster}.digest").touch()
    for pid in (os.getpid(), 4_194_305):
        Path(spool, "1", f"condor_submit.1.items.tmp{pid}").touch()
    for gone in (tmp_path / ".gone-1", tmp_path / "2" / "0" / ".gone-2"):
        (gone / "large").mkdir(parents=True)
    log: list[str] = []
    loop = Loop()
    SpoolSweep(loop, queue, spool, log.append).begin()
    for _ in range(20):
        loop.turn(0.0)
    kept = {path.name for path in tmp_path.rglob("*") if path.is_dir()}
    assert kept == {"3", "1", "4", "0", *(Path(job_folder("", job)).name + more for job in (there, coming)
                                          for more in ("", ".checkpoint"))}  # fmt: skip
    assert sorted(path.name for path in tmp_path.rglob("*.digest")) == [
        "condor_submit.3.digest",
        "condor_submit.4.digest",
    ]
    assert [path.name for path in tmp_path.rglob("*.tmp*")] == [f"condor_submit.1.items.tmp{os.getpid()}"]
    assert len(log) == 8
    assert all(line.startswith("removing left-over ") for line in log)
    queue.close()
    loop.close()


def test_a_file_that_cannot_be_removed_keeps_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything in the directories behind it stayed until the schedd was started again."""
    queue = JobQueue(f"{tmp_path}/job_queue.log")
    with queue.transaction() as transaction:
        transaction.alloc_cluster()
        transaction.alloc_cluster()
    stays, goes = (tmp_path / number / f"condor_submit.{number}.digest" for number in "12")
    for path in (stays, goes):
        path.parent.mkdir()
        path.touch()
    unlink = os.unlink

    def fails(path: str, **how: int) -> None:
        if path == str(stays):
            raise OSError(errno.EIO, "Input/output error")
        unlink(path, **how)

    monkeypatch.setattr(os, "unlink", fails)
    monkeypatch.setattr(os, "listdir", lambda path, listdir=os.listdir: sorted(listdir(path)))
    log: list[str] = []
    loop = Loop()
    SpoolSweep(loop, queue, str(tmp_path), log.append).begin()
    for _ in range(5):
        loop.turn(0.0)
    assert stays.exists()
    assert not goes.exists()
    assert f"cannot remove {stays}: Input/output error" in log
    queue.close()
    loop.close()
