"""Files of ad logs as followers and writers meet them: what is read again and what is not, what lasts, what is cut."""

from __future__ import annotations

import errno
import gc
import os
from pathlib import Path

import pytest
from log_lines import HEAD, NEW, NOW, sets
from noting import At, Noting

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.record import DESTROY_AD, SET, Alike, Change
from condor_py.store import adlog_file, logreader
from condor_py.store.accountant_log import AccountantLog
from condor_py.store.adlog import (
    Damage,
    Tail,
    format_transaction,
)
from condor_py.store.adlog_file import LogFile, News
from condor_py.store.fs import RealFs
from condor_py.store.job_queue import JobQueue
from condor_py.store.lock import QueueLock
from condor_py.store.repair import examine
from condor_py.store.table import AdTable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "job_queue.log"


def opened(path: Path, fs: RealFs | None = None) -> LogFile:
    return LogFile(str(path), fs or RealFs())


# followers


def test_the_first_look_knows_what_the_log_ends_with(path: Path) -> None:
    if not logreader.COMPILED:
        pytest.skip("the compiled reader is not built")
    for number, end, tail in (
        (b"1", b"", Tail.COMPLETE),
        (b"0", b"105 \n103 1.0 A 1\n", Tail.OPEN),
        (b"3", b"10", Tail.TORN),
    ):
        sound = b"107 " + number + b" CreationTimestamp 5\n101 1.0 Job Machine\n"
        path.write_bytes(sound + end)
        log = opened(path)
        assert log.load(jobs=False) is not None
        assert (log.tail, log.offset, log.sequence, log.birthdate) == (tail, len(sound), int(number), 5)
        log.close()
    path.write_bytes(b"101 1.0 Job Machine\n103 1.0 Long " + b"x" * 5000 + b"\n105 \n103 1.0 A 1\n")
    log = opened(path)
    assert log.load(jobs=False) is not None
    assert (log.sequence, log.birthdate) == (0, 0)
    with path.open("ab") as file:
        file.write(b"106 \n")
    assert log.poll() == [News([sets("A")], False)], "the look goes on where the first one ended"
    log.close()


def test_a_log_without_its_first_record_loses_nothing_and_gets_one_with_the_next_rewrite(path: Path) -> None:
    path.write_bytes(b"101 1.0 Job Machine\n103 1.0 A 1\n")
    log = opened(path)
    assert log.poll() == [News([NEW, sets("A")], True)]
    assert log.prepare([]) == []
    log.compact([NEW], 0)
    assert path.read_bytes() == b"107 1 CreationTimestamp 0\n101 1.0 Job Machine\n105 \n106 \n"
    log.close()


@pytest.mark.parametrize("first", [b"107 x CreationTimestamp 5\n", b"107 3 CreationTimestamp y\n"])
def test_a_first_record_without_numbers_is_damage(path: Path, first: bytes) -> None:
    path.write_bytes(first + b"101 1.0 Job Machine\n101 2.0 Job Machine\n")
    log = opened(path)
    with pytest.raises(Damage, match="is damaged at byte 0"):
        log.poll()
    log.close()


def test_a_number_in_the_middle_of_a_log_is_not_that_of_the_log(path: Path) -> None:
    path.write_bytes(HEAD)
    log = opened(path)
    log.poll()
    with path.open("ab") as file:
        file.write(b"107 9 CreationTimestamp 7\n103 1.0 A 1\n")
    (news,) = log.poll()
    assert [record.op for record in news.records] == [107, SET]
    assert (log.sequence, log.birthdate) == (1, 5)
    log.close()


def test_what_a_follower_knows_it_does_not_read_again(path: Path) -> None:
    path.write_bytes(HEAD + b"101 1.0 Job Machine\n")
    fs = Noting()
    log = opened(path, fs)
    assert len(log.poll()) == 1
    fs.take()
    assert log.poll() == []
    assert fs.take() == [("stat", path.name)]
    with path.open("ab") as file:
        file.write(b"103 1.0 A 1\n")
    assert log.poll() == [News([sets("A")], False)]
    assert not fs.take("open_read")
    assert log.poll() == []
    assert fs.take() == [("stat", path.name)]
    log.close()


def test_a_file_that_was_empty_is_news_as_a_whole(path: Path) -> None:
    path.write_bytes(b"")
    log = opened(path)
    log.poll()
    path.write_bytes(HEAD + b"103 1.0 A 1\n")
    assert log.poll() == [News([sets("A")], True)]
    log.close()
    with path.open("ab") as file:
        file.write(b"103 1.0 B 1\n")
    assert log.poll() == [News([sets("A"), sets("B")], True)], "a closed log is read anew"
    log.close()


@pytest.mark.parametrize("at", [-1, -4090, 1500])
def test_a_log_that_was_written_over_is_noticed_by_the_last_page_before_the_position(path: Path, at: int) -> None:
    text = HEAD + b"103 1.0 A " + b"x" * 6000 + b"\n103 1.0 B " + b"x" * 6000 + b"\n"
    path.write_bytes(text)
    log = opened(path)
    log.poll()
    changed = bytearray(text + b"103 1.0 C 1\n")
    changed[len(text) + at - 1 if at < 0 else at] = ord("y")
    path.write_bytes(changed)
    (news,) = log.poll()
    assert news.reset == (at < 0)
    assert news.records[-1].name == "C"
    log.close()


def test_the_end_of_a_log_comes_before_the_log_that_took_its_place(path: Path, tmp_path: Path) -> None:
    path.write_bytes(HEAD)
    log = opened(path)
    log.poll()
    with path.open("ab") as file:
        file.write(b"103 1.0 A 1\n")
    (tmp_path / "new").write_bytes(b"107 2 CreationTimestamp 5\n103 1.0 B 1\n")
    os.replace(tmp_path / "new", path)
    assert log.poll() == [News([sets("A")], False), News([sets("B")], True)]
    log.close()


def test_a_log_that_was_taken_away_may_come_back(path: Path, tmp_path: Path) -> None:
    log = opened(path)
    log.prepare([])
    os.rename(path, tmp_path / "aside")
    assert log.poll() == []
    with pytest.raises(StoreError, match="was removed while it was in use"):
        log.prepare([])
    os.rename(tmp_path / "aside", path)
    assert log.prepare([]) == []
    log.append([sets("A")])
    assert path.read_bytes().endswith(b"105 \n103 1.0 A 1\n106 \n")
    log.close()


# writers


def test_a_new_log_begins_with_the_time_it_was_made(path: Path) -> None:
    log = opened(path, At(NOW))
    assert (log.tail, log.offset, log.sequence, log.poll()) == (Tail.COMPLETE, 0, 0, [])
    assert log.prepare([NEW]) == [News([], True), News([NEW], True)]
    assert path.read_bytes() == f"107 1 CreationTimestamp {NOW}\n".encode() + format_transaction([NEW])
    assert (log.sequence, log.birthdate, log.notes) == (1, NOW, [])
    log.close()


def test_a_writer_opens_a_file_once_syncs_what_it_writes_and_its_name_once(path: Path) -> None:
    fs = Noting()
    log = opened(path, fs)
    log.prepare([])
    assert fs.take("open_append", "sync", "sync_dir") == [
        ("open_append", path.name), ("sync", path.name), ("sync_dir", str(path.parent)),
    ]  # fmt: skip
    for name in ("A", "B"):
        log.append([sets(name)])
        assert fs.take() == [("write", path.name), ("sync", path.name), ("fstat", path.name)]
        assert log.poll() == []
        assert log.prepare([]) == []
        assert fs.take("open_append", "open_read", "read_at", "write", "truncate") == []
    log.close()
    log.prepare([])
    log.append([sets("C")])
    assert fs.take("open_append", "sync_dir") == [("open_append", path.name), ("sync_dir", str(path.parent))]
    log.close()


def test_two_writers_read_only_what_the_other_has_written(path: Path) -> None:
    one, other = opened(path), opened(path)
    one.prepare([])
    other.prepare([])
    for number in range(3):
        one.append([sets(f"A{number}")])
        assert other.prepare([]) == [News([sets(f"A{number}")], False)]
        other.append([sets(f"B{number}", "x" * 5000)])
        assert one.prepare([]) == [News([sets(f"B{number}", "x" * 5000)], False)]
    one.close()
    other.close()


@pytest.mark.parametrize(
    ("torn", "kept"), [(b"105 \n103 1.0 A", False), (b"105 \n103 1.0 A 1\n106 #", True), (b"10", False)]
)
def test_what_is_cut_is_told_and_kept_unless_it_is_plain(path: Path, torn: bytes, kept: bool) -> None:
    path.write_bytes(HEAD + torn)
    fs = Noting()
    log = opened(path, fs)
    log.poll()
    assert log.tail is not Tail.COMPLETE
    log.prepare([])
    assert path.read_bytes() == HEAD
    assert log.tail is Tail.COMPLETE
    told = f"{path}: cut {len(torn)} bytes at byte {len(HEAD)} that a crash left of a transaction"
    copy = Path(f"{path}.cut")
    assert log.notes == [told + (f"; they are kept in {copy}" if kept else "")]
    assert copy.exists() == kept
    if kept:
        assert copy.read_bytes() == torn
        assert ("sync", copy.name) in fs.calls
        assert fs.calls.index(("sync", copy.name)) < fs.calls.index(("truncate", path.name))
    log.close()


def test_a_write_that_failed_is_taken_back_on_the_medium_too(path: Path) -> None:
    fs = Noting()
    log = opened(path, fs)
    log.prepare([])
    before = path.read_bytes()
    fs.fails = {"sync_dir": errno.EIO, "write": errno.ENOSPC}
    fs.take()
    with pytest.raises(StoreError, match="cannot write the log: no space left on the file system of"):
        log.append([sets("A")])
    assert fs.take() == [("write", path.name), ("truncate", path.name), ("sync", path.name)]
    assert path.read_bytes() == before
    fs.fails = {"sync": errno.EIO, "truncate": errno.EIO}
    with pytest.raises(StoreError, match="input/output error"):
        log.append([sets("A")])
    fs.fails = {}
    assert log.poll() == [News([sets("A")], False)], "it is there although nobody was told so: then it counts"
    log.close()


def test_a_look_that_fails_after_a_write_that_counts_is_made_up_for(path: Path) -> None:
    fs = Noting()
    log = opened(path, fs)
    log.prepare([])
    fs.fails = {"fstat": errno.EIO}
    log.append([sets("A")])
    fs.fails = {}
    assert log.poll() == []
    with path.open("ab") as file:
        file.write(b"103 1.0 B 1\n")
    assert log.poll() == [News([sets("B")], False)]
    log.close()


# rewrites


def test_a_rewrite_is_written_in_large_pieces_and_read_by_nobody_who_made_it(path: Path) -> None:
    fs = Noting()
    log = opened(path, fs)
    log.prepare([])
    path.with_name(f"{path.name}.tmp").write_text("what a rewrite that was killed has left")
    fs.take()
    log.compact([sets(f"A{number}") for number in range(1000)], 0)
    assert fs.take("write", "sync", "unlink", "sync_dir") == [
        ("write", f"{path.name}.tmp"), ("write", f"{path.name}.tmp"), ("sync", f"{path.name}.tmp"),
        ("sync_dir", str(path.parent)),
    ]  # fmt: skip
    assert log.poll() == []
    assert fs.take() == [("stat", path.name)]
    log.prepare([])
    log.append([sets("B")])
    assert fs.take("open_append", "sync_dir") == []
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    with path.open("ab") as file:
        file.write(b"103 1.0 C 1\n")
    assert log.poll() == [News([sets("C")], False)]
    log.close()


def test_of_a_large_image_no_more_is_held_at_once_than_a_piece(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adlog_file, "_COPY_CHUNK_RECORDS", 100)
    fs = Noting()
    log = opened(path, fs)
    log.prepare([])
    fs.take()
    log.compact([sets(f"A{number}") for number in range(1000)], 0)
    assert len(fs.take("write")) == 10 + 1 + 1, "pieces, the rest, and the transaction that closes it"
    log.close()


def test_a_rewrite_whose_name_may_not_last_is_told_and_the_next_write_makes_it_last(path: Path) -> None:
    fs = Noting()
    log = opened(path, fs)
    log.prepare([])
    fs.fails = {"sync_dir": errno.EIO}
    with pytest.raises(
        StoreError, match=f"^cannot make the rewritten log durable: input/output error of the disk at {path}$"
    ):
        log.compact([sets("A")], 0)
    fs.fails = {}
    assert log.sequence == 2
    log.prepare([])
    fs.take()
    log.append([sets("B")])
    assert ("sync_dir", str(path.parent)) in fs.calls
    log.close()


def queue_of(path: Path, procs: int, fs: RealFs | None = None) -> JobQueue:
    queue = JobQueue(str(path), fs)
    with queue.transaction() as transaction:
        transaction.new_ad("01.-1", "Job", "Machine")
        for proc in range(procs):
            transaction.new_ad(f"1.{proc}", "Job", "Machine")
            transaction.set(f"1.{proc}", "A", str(proc))
    return queue


def test_steps_of_a_rewrite_pass_over_what_went(path: Path) -> None:
    queue = queue_of(path, 5)
    work = queue.compaction(0)
    with queue.transaction() as transaction:
        transaction.set("1.1", "JobStatus", "4")
    with queue.transaction() as transaction:
        transaction.destroy("1.1")
    while work.step(3):
        pass
    work.finish()
    assert JobQueue(str(path), whole=True).is_folded, "it is read line by line"
    assert not [note for note in examine(str(path), RealFs()).notes if "1.1" in note.wrong]
    assert path.read_bytes().count(b"103 1.3 A 3\n") == 1
    again = JobQueue(str(path))
    assert again.procs(1) == [0, 2, 3, 4]
    other = QueueLock(f"{path}.lock")
    other.acquire(0)
    other.release()
    for each in (queue, again):
        each.close()


@pytest.mark.parametrize(("most", "synced"), [(90, [0, 1, 0, 1, 0, 1, 0]), (1 << 20, [0] * 7), (1, [1] * 6 + [0])])
def test_steps_of_a_rewrite_reach_the_medium_as_they_go(
    path: Path, most: int, synced: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adlog_file, "_SYNC_BYTES", most)
    fs = Noting()
    table = AdTable(str(path), fs)
    with table.transaction() as transaction:
        for number in range(6):
            transaction.new_ad(f"{number}.0", "Job", "Machine")
            transaction.set(f"{number}.0", "A", "1")
    work = table.compaction(0)
    found = []
    for _ in range(7):
        fs.take()
        work.step(1)
        found.append(len(fs.take("sync")))
    assert found == synced
    work.drop()
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, f"{path.name}.lock"]
    table.close()


def test_a_rewrite_that_somebody_was_faster_with_leaves_nothing_behind(path: Path) -> None:
    queue = queue_of(path, 2)
    work = queue.compaction(0)
    other = JobQueue(str(path))
    other.compact(0)
    while work.step(9):
        pass
    work.finish()
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, f"{path.name}.lock"]
    assert (queue.sequence, queue.count()) == (2, 2)
    for each in (queue, other):
        each.close()


# tables


def test_what_is_alike_stands_behind_what_was_set_before_it(path: Path) -> None:
    queue = queue_of(path, 2)
    applied = Alike((JobId(1, 0), JobId(1, 1)), (Change(SET, "", "A", "9"),), applied=True)
    with queue.transaction() as transaction:
        transaction.extend([Change(SET, "1.0", "A", "8"), applied])
    texts = [ad.text("A") for _, ad in queue.jobs()]
    assert texts == ["9", "9"]
    with queue.transaction() as transaction:
        transaction.extend([Alike((JobId(1, 0),), (Change(SET, "", "A", "7"),)), applied])
    assert [ad.text("A") for _, ad in queue.jobs()] == ["9", "9"]
    queue.close()


def test_a_table_has_all_ads_of_a_queue_in_its_order(path: Path) -> None:
    queue_of(path, 2).close()
    table = AdTable(str(path), readonly=True)
    assert list(table.ads) == ["0.0", "01.-1", "1.0", "1.1"]
    assert [table.ads[key].text("A") for key in ("1.0", "1.1")] == ["0", "1"]
    table.close()


def test_closing_a_table_gives_its_file_back(path: Path) -> None:
    queue = queue_of(path, 1)
    gc.collect()  # garbage of other tests may hold open files
    before = len(os.listdir("/proc/self/fd"))
    queue.close()
    assert len(os.listdir("/proc/self/fd")) == before - 1
    assert queue.count() == 1


def test_who_could_not_begin_locks_nobody_out(path: Path) -> None:
    queue = queue_of(path, 1)
    with path.open("ab") as file:
        file.write(b"what\n105 \n106 \n")
    lock = QueueLock(f"{path}.lock")
    for begin in (queue.transaction().__enter__, lambda: queue.compaction(0), lambda: queue.compact(0)):
        with pytest.raises(Damage):
            begin()
        lock.acquire(0)
        lock.release()
    queue.close()


def test_types_that_are_no_plain_strings_are_no_types(path: Path) -> None:
    table = AdTable(str(path))
    with table.transaction() as transaction:
        for number, text in enumerate(('"Machine"', '""', "undefined", '"', "x + 1")):
            transaction.new_ad(f"k{number}", "T")
            transaction.set(f"k{number}", "MyType", text)
    table.compact(0)
    kinds = [line for line in path.read_text().splitlines() if line.startswith("101")]
    assert [line.split()[2] for line in kinds] == ["Machine", "(empty)", "(empty)", "(empty)", "(empty)"]
    table.close()


def test_clusters_and_procs_are_in_order_however_they_came(path: Path) -> None:
    queue = JobQueue(str(path))
    with queue.transaction() as transaction:
        for key in ("07.-1", "7.2", "7.0", "7.10", "02.-1", "2.0"):
            transaction.new_ad(key, "Job", "Machine")
    assert queue.clusters() == [2, 7]
    assert [job for job, _ in queue.jobs()] == [JobId(2, 0), JobId(7, 0), JobId(7, 2), JobId(7, 10)]
    queue.close()


def test_a_header_that_is_made_up_for_has_the_domain(path: Path) -> None:
    path.write_bytes(HEAD)
    queue = JobQueue(str(path), uid_domain="example.net")
    with queue.transaction() as transaction:
        assert transaction.alloc_cluster() == 1
    header = queue.ads["0.0"]
    assert (header.text("UidDomain"), header.text("NextClusterNum")) == ('"example.net"', "2")
    queue.close()


def test_a_new_accountant_log_has_never_been_updated(tmp_path: Path) -> None:
    log = AccountantLog(str(tmp_path / "log"), At(NOW))
    with log.transaction():
        pass
    assert (tmp_path / "log").read_text() == (
        f"107 1 CreationTimestamp {NOW}\n105 \n101 Accountant. * *\n103 Accountant. LastUpdateTime 0\n106 \n"
    )
    log.close()


def test_ads_of_tables_stay_the_same_objects(path: Path) -> None:
    queue = queue_of(path, 1)
    ad = queue.job(JobId(1, 0))
    queue.compact(0)
    queue.refresh()
    assert queue.job(JobId(1, 0)) is ad
    assert isinstance(ad, ClassAd)
    with queue.transaction() as transaction:
        transaction.extend([Change(DESTROY_AD, "1.0")])
    assert queue.job(JobId(1, 0)) is None
    queue.close()
