"""Published ads, address files, the version of the spool, the accountant's log, the lock, the check."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store.accountant_log import AccountantLog, new_record, real
from condor_py.store.ad_store import AdStore
from condor_py.store.address import (
    Address,
    ensure_spool_version,
    remove_address,
    write_ad_file,
    write_address,
)
from condor_py.store.check import check_spool
from condor_py.store.fs import RealFs, remove_temporaries
from condor_py.store.history import HistoryWriter
from condor_py.store.job_queue import JobQueue
from condor_py.store.lock import QueueLock
from condor_py.store.records import NewProc, submit_records


def ad(**items: str) -> ClassAd:
    return ClassAd.from_text_items(list(items.items()))


# files that a process was writing when it was killed


def test_only_files_of_dead_writers_are_removed(tmp_path: Path) -> None:
    dead = subprocess.Popen(["/bin/true"])
    dead.wait()
    kept = [f"a.tmp{os.getpid()}", "b.tmp", "b.tmpx", "4194305", "c.tmp1.ads", "d.tmp7x"]
    left = [f"SCHEDD.ads.tmp{dead.pid}", f"a.tmp.tmp{dead.pid}", f"odd \udcff.tmp{dead.pid}"]
    for name in [*kept, *left]:
        (tmp_path / name).touch()
    assert remove_temporaries(RealFs(), str(tmp_path)) == [f"{tmp_path}/{name}" for name in left]
    assert sorted(os.listdir(tmp_path)) == sorted(kept)
    assert remove_temporaries(RealFs(), f"{tmp_path}/none") == []


# published ads


def test_published_ads_are_what_was_published_last(tmp_path: Path) -> None:
    directory = tmp_path / "ads"
    mine, theirs = AdStore(str(directory)), AdStore(str(directory))
    assert mine.read("startd") == []
    assert mine.kinds() == []
    theirs.publish("startd", [ad(Name='"slot1@vm"', Cpus="8"), ad(Name='"slot2@vm"', Start='Owner == "a = b"')])
    assert (directory / "startd.ads").read_text() == (
        'Cpus = 8\nName = "slot1@vm"\n\nName = "slot2@vm"\nStart = Owner == "a = b"\n'
    )
    assert os.stat(directory / "startd.ads").st_mode & 0o777 == 0o644
    first = mine.read("startd")
    assert [a.text("Name") for a in first] == ['"slot1@vm"', '"slot2@vm"']
    assert first[1].text("Start") == 'Owner == "a = b"'
    assert mine.read("startd")[0] is first[0], "nothing new is not read again"
    stamp = mine.stamp("startd")
    theirs.publish("startd", [ad(Name='"slot1@vm"', Cpus="4")])
    assert mine.stamp("startd") != stamp
    assert [a.text("Cpus") for a in mine.read("startd")] == ["4"]
    theirs.publish("negotiator", [])
    assert mine.kinds() == ["negotiator", "startd"]
    assert mine.read("negotiator") == []
    theirs.remove("startd")
    theirs.remove("startd")
    assert mine.read("startd") == []
    assert mine.stamp("startd") is None
    assert os.listdir(directory) == ["negotiator.ads"]


def test_a_line_end_in_a_value_leaves_the_other_ads_readable(tmp_path: Path) -> None:
    """A job may give its slot such a value: ConcurrencyLimits = formatTime(0, "%n")."""
    store = AdStore(str(tmp_path))
    bad, good = ClassAd({"A": 1}), ClassAd({"Name": "b"})
    bad.set_str("Limits", "a\nb\n\nc = 1")
    bad.set_text("Sum", "1 +\n 2")
    store.publish("STARTD", [bad, good])
    read, other = AdStore(str(tmp_path)).read("STARTD")
    assert [read.eval_str("Limits"), read.eval_int("Sum"), read.eval_int("A")] == ["a b  c = 1", 3, 1]
    assert other.eval_str("Name") == "b"


def test_published_ads_that_make_no_sense(tmp_path: Path) -> None:
    (tmp_path / "startd.ads").write_text("Name\n")
    with pytest.raises(StoreError, match=r"startd\.ads: not an attribute: 'Name'"):
        AdStore(str(tmp_path)).read("startd")
    with pytest.raises(ValueError, match="not a kind"):
        AdStore(str(tmp_path)).publish("../x", [])


def test_ads_that_are_replaced_while_they_are_opened_are_read_again(tmp_path: Path) -> None:
    """A network's file system says so then; more often than once in a row it is in trouble."""
    failures = [0]

    class Stale(RealFs):
        def open_read(self, path: str) -> int:
            if failures[0]:
                failures[0] -= 1
                raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), path)
            return super().open_read(path)

    AdStore(str(tmp_path)).publish("STARTD", [ad(Name='"a"')])
    failures[0] = 1
    assert [a.text("Name") for a in AdStore(str(tmp_path), Stale()).read("STARTD")] == ['"a"']
    failures[0] = 2
    with pytest.raises(StoreError, match=r"cannot read published ads: .*STARTD\.ads"):
        AdStore(str(tmp_path), Stale()).read("STARTD")


# address files


def test_address_files(tmp_path: Path) -> None:
    path = str(tmp_path / ".schedd_address")
    address = Address("<127.0.0.1:9618>", "$CondorVersion: x $", "$CondorPlatform: y $", ('Machine = "vm"',))
    write_address(path, address)
    assert Path(path).read_text() == ('<127.0.0.1:9618>\n$CondorVersion: x $\n$CondorPlatform: y $\nMachine = "vm"\n')
    assert os.stat(path).st_mode & 0o777 == 0o644
    remove_address(path)
    remove_address(path)
    assert os.listdir(tmp_path) == []
    write_ad_file(str(tmp_path / ".schedd_classad"), ad(Name='"vm"'))
    assert (tmp_path / ".schedd_classad").read_text() == 'Name = "vm"\n'


def test_spool_version(tmp_path: Path) -> None:
    ensure_spool_version(str(tmp_path))
    path = tmp_path / "spool_version"
    assert path.read_text() == "minimum compatible spool version 1\ncurrent spool version 1\n"
    ensure_spool_version(str(tmp_path))
    path.write_text("minimum compatible spool version 1\ncurrent spool version 7\n")
    ensure_spool_version(str(tmp_path))
    path.write_text("minimum compatible spool version 2\ncurrent spool version 7\n")
    with pytest.raises(StoreError, match="knows spool version 2; this one knows 1"):
        ensure_spool_version(str(tmp_path))
    path.write_text("gibberish\n")
    with pytest.raises(StoreError, match="no line 'minimum compatible spool version'"):
        ensure_spool_version(str(tmp_path))


# the accountant's log


def test_accountant_log(tmp_path: Path) -> None:
    path = tmp_path / "Accountantnew.log"
    log = AccountantLog(str(path))
    alice, slot = "Customer.alice@example.net", "Resource.slot1@vm@<127.0.0.1:9618>"
    with log.transaction() as tx:
        tx.set("Accountant.", "LastUpdateTime", "1795213926")
        tx.extend([new_record(alice)])
        tx.set(alice, "Priority", real(0.501538))
        tx.extend([new_record(slot)])
        tx.set(slot, "RemoteUser", '"alice@example.net"')
    text = path.read_text()
    assert f"101 {alice} * *\n103 {alice} Priority 0.501538\n101 {slot} * *\n" in text
    reader = AccountantLog(str(path), readonly=True)
    assert reader.last_update == 1795213926
    assert reader.customers()["alice@example.net"].eval_real("Priority") == 0.501538
    assert list(reader.resources()) == ["slot1@vm@<127.0.0.1:9618>"]


def test_the_accountant_log_is_rewritten_when_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "Accountantnew.log"
    log = AccountantLog(str(path))
    reader = AccountantLog(str(path), readonly=True)
    key = "Customer.<none>"
    rewrites = 0
    for number in range(200):
        with log.transaction() as tx:
            tx.extend([] if key in log.ads else [new_record(key)])
            tx.set(key, "Priority", real(number))
        rewrites += log.compact_if_large(1000)
    assert 2 <= rewrites <= 15
    assert log.size < 2000
    assert sorted(os.listdir(tmp_path)) == ["Accountantnew.log", "Accountantnew.log.lock"]
    reader.refresh()
    assert reader.customers()["<none>"].eval_real("Priority") == 199.0
    log.compact(0)
    assert f'101 {key} * *\n103 {key} MyType "*"\n103 {key} Priority 199.000000\n' in path.read_text()


# the lock


def test_one_process_enters_again(tmp_path: Path) -> None:
    lock = QueueLock(str(tmp_path / "x.lock"))
    lock.acquire(1)
    lock.acquire(0)
    lock.release()
    assert lock.held
    lock.release()
    assert not lock.held
    with pytest.raises(RuntimeError, match="not held"):
        lock.release()
    assert f"pid {os.getpid()} " in lock.holder()


# the check


SOUND = (("Owner", '"alice"'), ("User", '"alice@x"'), ("Cmd", '"/bin/true"'), ("JobUniverse", "5"))


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    with queue.transaction() as tx:
        cluster = tx.alloc_cluster()
        procs = [NewProc(p, [], 1, f"vm#1.{p}#17") for p in range(2)]
        tx.extend(submit_records(cluster, [("ClusterId", "1"), *SOUND], procs))
    assert check_spool(str(tmp_path)) == []
    return tmp_path


ENDED = "103 1.0 JobStatus 4\n102 1.0\n103 1.1 JobStatus 3\n102 1.1\n"


def add(spool: Path, text: str) -> None:
    with (spool / "job_queue.log").open("a") as file:
        file.write(text)


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ("101 9.0 Job Machine\n103 9.0 JobStatus 1\n", "cluster 9 has jobs and no ad"),
        (ENDED, "cluster 1 has no jobs"),
        ("101 07.-1 Job Machine\n101 7.0 Job Machine\n103 7.0 JobStatus 1\n", "NextClusterNum is 2, but"),
        ("104 1.0 JobStatus\n", "job 1.0 has no JobStatus"),
        ("101 1.0 Job Machine\n", "ad 1.0 is made a second time"),
        ("103 5.5 A 1\n", "a record for ad 5.5, which is not there"),
        ("105 \nwhat\n106 \n", "it is no record"),
        ("107 2 CreationTimestamp 5\n", "a second 107"),
    ],
)
def test_problems_of_the_queue(spool: Path, records: str, words: str) -> None:
    add(spool, records)
    problems = check_spool(str(spool))
    assert any(words in str(problem) for problem in problems), problems


def test_a_log_without_its_first_record_is_told(spool: Path) -> None:
    log = spool / "job_queue.log"
    log.write_bytes(log.read_bytes().partition(b"\n")[2])
    assert [problem.text for problem in check_spool(str(spool))] == ["the first record is no 107"]


def test_a_torn_end_is_no_problem(spool: Path) -> None:
    add(spool, "105 \n103 1.0 A")
    assert check_spool(str(spool)) == []


def test_problems_of_the_history(spool: Path) -> None:
    queue = JobQueue(str(spool / "job_queue.log"))
    job = queue.job(JobId(1, 0))
    assert job is not None
    writer = HistoryWriter(str(spool / "history"))
    writer.append([job], 5)
    assert ["in the history and, not ended, in the queue" in p.text for p in check_spool(str(spool))] == [True]
    with queue.transaction() as tx:
        tx.set("1.0", "JobStatus", "4")
    assert check_spool(str(spool)) == [], "an ended job may have its record before it leaves"
    writer.append([job], 6)
    assert ["a second record of job 1.0" in p.text for p in check_spool(str(spool))] == [True]
    text = (spool / "history").read_text()
    (spool / "history").write_text(text.replace("Offset = 0 ", "Offset = 99999 "))
    assert any("the banner says Offset = 99999" in p.text for p in check_spool(str(spool)))


def test_the_program(spool: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "condor_py.store.check", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        )
        return done.returncode, done.stdout, done.stderr

    assert run(str(spool)) == (0, "", "")
    add(spool, ENDED)
    log = f"{spool}/job_queue.log"
    assert run(str(spool)) == (1, f"{log}: cluster 1 has no jobs\n{log}: private ad 1.-2 has no cluster ad\n", "")
    code, out, err = run(str(tmp_path / "nowhere"))
    assert (code, out) == (2, "")
    assert "is no directory" in err
