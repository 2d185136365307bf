"""What accounts that may not read the queue's file get to see of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from condor_py.model.ids import JobId
from condor_py.store import folded, logreader, public_copy
from condor_py.store.fs import CLOSED
from condor_py.store.job_queue import JobQueue
from condor_py.store.public_copy import OLD_KEPT_FOR, PublicCopy

NOW = 1_000.0
SECRET = '"<127.0.0.1:9618>#1#1#secret"'


@pytest.fixture
def queue(tmp_path: Path) -> JobQueue:
    made = JobQueue(str(tmp_path / "job_queue.log"), uid_domain="example.net")
    submit(made, 3)
    return made


def submit(queue: JobQueue, procs: int) -> int:
    """A cluster of jobs, each with a claim."""
    with queue.transaction() as transaction:
        cluster = transaction.alloc_cluster()
        transaction.new_ad(f"0{cluster}.-1", "Job")
        transaction.set(f"0{cluster}.-1", "Cmd", '"/bin/true"')
        for proc in range(procs):
            transaction.new_ad(f"{cluster}.{proc}", "Job")
            transaction.set(f"{cluster}.{proc}", "ProcId", str(proc))
            transaction.set(f"{cluster}.{proc}", "ClaimId", SECRET)
            transaction.set(f"{cluster}.{proc}", "PublicClaimId", '"shown"')
    return cluster


@contextmanager
def shown(copy: PublicCopy) -> Iterator[JobQueue]:
    descriptor = copy.descriptor(NOW)
    try:
        yield JobQueue(f"/proc/self/fd/{descriptor}", readonly=True)
    finally:
        os.close(descriptor)


def ids(queue: JobQueue) -> list[str]:
    return [str(job) for job, _ in queue.jobs()]


def numbers(queue: JobQueue) -> list[tuple[int, list[int]]]:
    return [(cluster, list(procs)) for cluster, procs in queue.groups()]


def test_all_of_it_but_what_only_daemons_may_know(queue: JobQueue) -> None:
    with shown(PublicCopy(queue)) as seen:
        assert ids(seen) == ids(queue) == ["1.0", "1.1", "1.2"]
        ad = seen.job(JobId(1, 1))
        assert ad is not None
        assert (ad.eval_int("ProcId"), ad.eval_str("Cmd"), ad.eval_str("PublicClaimId")) == (1, "/bin/true", "shown")
        assert not ad.has("ClaimId")


def test_later_looks_see_what_came_in_between(queue: JobQueue) -> None:
    copy = PublicCopy(queue)
    with shown(copy) as first:
        submit(queue, 2)
        with shown(copy) as second:
            assert ids(second) == ["1.0", "1.1", "1.2", "2.0", "2.1"]
        assert ids(first) == ["1.0", "1.1", "1.2"]


def test_a_log_that_was_rewritten_is_copied_anew(queue: JobQueue) -> None:
    copy = PublicCopy(queue)
    with shown(copy) as before:
        with queue.transaction() as transaction:
            transaction.destroy("1.1")
        queue.compact(0)
        with shown(copy) as after:
            assert ids(after) == ["1.0", "1.2"]
        assert ids(before) == ["1.0", "1.1", "1.2"]


def test_the_log_is_read_in_pieces_of_any_size(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_copy, "_CHUNK", 7)  # less than a line
    descriptor = PublicCopy(queue).descriptor(NOW)
    with os.fdopen(descriptor, "rb") as file:
        text = file.read()
    log = Path(queue.path).read_bytes()
    assert text == b"".join(line for line in log.splitlines(keepends=True) if b"secret" not in line)
    assert log.count(b"secret") == 3


def test_nobody_writes_into_it(queue: JobQueue) -> None:
    descriptor = PublicCopy(queue).descriptor(NOW)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.write(descriptor, b"x")
    assert os.fstat(descriptor).st_mode & 0o777 == 0o444
    os.close(descriptor)


def test_its_memory_comes_back_whoever_still_holds_it(queue: JobQueue) -> None:
    copy = PublicCopy(queue)
    held = copy.descriptor(NOW)
    queue.compact(0)
    second = copy.descriptor(NOW)
    copy.forget()
    assert copy.descriptors() == []
    assert [os.fstat(descriptor).st_size for descriptor in (held, second)] == [0, 0]
    for descriptor in (held, second):
        os.close(descriptor)
    with shown(copy) as again:
        assert len(ids(again)) == 3


def test_copies_of_rewritten_logs_do_not_add_up_while_users_ask(queue: JobQueue) -> None:
    copy = PublicCopy(queue)
    held = [copy.descriptor(NOW)]
    for second in range(1, 200):  # a queue that is rewritten and asked for once a second
        queue.compact(0)
        held.append(copy.descriptor(NOW + second))
    assert len(copy.descriptors()) <= OLD_KEPT_FOR + 2
    sizes = [os.fstat(descriptor).st_size for descriptor in held]
    assert not any(sizes[:100])
    assert all(sizes[-int(OLD_KEPT_FOR) :])
    for descriptor in held:
        os.close(descriptor)


def test_a_copy_is_made_once_and_in_small_pieces(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = PublicCopy(queue)
    assert copy.descriptors() == []
    monkeypatch.setattr(public_copy, "_CHUNK", 200)
    read, log_bytes = [], queue.log_bytes

    def noted(offset: int, size: int) -> bytes:
        read.append((offset, size))
        return log_bytes(offset, size)

    monkeypatch.setattr(queue, "log_bytes", noted)
    for _ in range(3):
        os.close(copy.descriptor(NOW))
        assert len(copy.descriptors()) == 1
    assert max(size for _, size in read) == 200
    read.clear()
    submit(queue, 1)
    os.close(copy.descriptor(NOW))
    assert read[0][0] > 200, "what was copied is not copied again"
    queue.compact(0)
    for _ in range(3):
        os.close(copy.descriptor(NOW))
        assert len(copy.descriptors()) == 2, "the old one, which somebody may read, and the new one"
    copy.forget()
    queue.close()


def test_a_log_that_is_another_and_shorter_is_copied_anew(queue: JobQueue) -> None:
    copy = PublicCopy(queue)
    os.close(copy.descriptor(NOW))
    path = Path(queue.path)
    text = b"107 1 CreationTimestamp 5\n103 0.0 claimIDS 1\n103 0.0 ClaimIds 1\n103 0.0 Capability 2\n103 0.0 Claim 3\n"
    path.write_bytes(text)
    queue.refresh()
    descriptor = copy.descriptor(NOW)
    with os.fdopen(descriptor, "rb") as file:
        assert file.read() == b"107 1 CreationTimestamp 5\n103 0.0 Claim 3\n"
    os.truncate(path, 30)
    fresh = PublicCopy(queue)
    with pytest.raises(OSError, match="the log has become shorter"):
        fresh.descriptor(NOW)
    for each in (copy, fresh):
        each.forget()
    queue.close()


@pytest.mark.skipif(not logreader.COMPILED, reason="the extension is not built")
def test_an_index_comes_with_a_long_copy(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folded, "_UNINDEXED", 100)
    copy = PublicCopy(queue)
    copy.keep_index()
    assert copy.index() == CLOSED, "there is no copy yet"
    made: list[int] = []
    for procs in (3, 0, 20, 400):
        if procs:
            submit(queue, procs)
        with shown(copy) as plain:
            copy.keep_index()
            descriptor = copy.index()
            size = os.fstat(descriptor).st_size
            index = os.pread(descriptor, size, 0)
            os.close(descriptor)
            path = f"/proc/self/fd/{copy.descriptors()[0]}"
            quick = JobQueue(path, readonly=True, lasting=False, index=index)
            assert quick._folded is not None
            assert quick._folded._image.indexed == os.stat(path).st_size
            assert numbers(quick) == numbers(plain) == numbers(queue)
            assert quick.own_texts(1, [0, 1], ("procid",)) == [["0", "1"]]
            made.append(size)
            damaged = JobQueue(path, readonly=True, lasting=False, index=index[:-1] + b"x")
            assert numbers(damaged) == numbers(queue)
    assert made[0] == made[1] < made[2] < made[3]
    assert len(copy.descriptors()) == 2
    queue.compact(0)
    with shown(copy) as seen:
        assert ids(seen) == ids(queue)
        assert copy.index() == CLOSED, "the index of the copy before is of no use"
    copy.forget()
    assert copy.descriptors() == []
