"""What reaches the medium, who may read it, and what locks and half-finished files look like to others."""

from __future__ import annotations

import fcntl
import gc
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import LockTimeout, StoreError
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.model.settings.preen import PreenSettings
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.store.accountant_log import AccountantLog, new_record, real
from condor_py.store.ad_store import AdStore
from condor_py.store.address import Address, ensure_spool_version, write_address
from condor_py.store.advertised import Advertised
from condor_py.store.check import Problem
from condor_py.store.drain_file import DrainFile
from condor_py.store.epochs import SPAWN, EpochWriter, RunRecord
from condor_py.store.fs import RealFs, replace_file
from condor_py.store.global_log import GlobalLog
from condor_py.store.history import HistoryRecord, HistoryWriter
from condor_py.store.job_queue import JobQueue
from condor_py.store.lock import QueueLock
from condor_py.store.preen import expired_leases
from condor_py.store.records import NewProc, submit_records
from condor_py.store.repair import mend_log
from condor_py.store.runtime_config import PersistentSettings

NOW = 1_795_245_119


class Watched(RealFs):
    """Notes the order in which files and directories are made durable."""

    def __init__(self) -> None:
        self.deeds: list[tuple[str, str]] = []
        self._paths: dict[int, str] = {}

    def create(self, path: str, mode: int) -> int:
        handle = super().create(path, mode)
        self._paths[handle] = path
        return handle

    def sync(self, handle: int) -> None:
        super().sync(handle)
        self.deeds.append(("file", self._paths.get(handle, "")))

    def rename(self, old: str, new: str) -> None:
        super().rename(old, new)
        self.deeds.append(("rename", new))

    def sync_dir(self, path: str) -> None:
        super().sync_dir(path)
        self.deeds.append(("directory", path))


def submitted(queue: JobQueue) -> None:
    with queue.transaction() as tx:
        cluster = tx.alloc_cluster()
        tx.extend(submit_records(cluster, [("Owner", '"a"')], [NewProc(0, [], 1, f"vm#{cluster}.0#17")]))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# durability


def test_a_durable_file_is_complete_before_it_has_its_name_and_its_name_lasts(tmp_path: Path) -> None:
    fs, path = Watched(), str(tmp_path / "x")
    replace_file(fs, path, b"new", 0o600, durable=True)
    assert fs.deeds == [("file", f"{path}.tmp{os.getpid()}"), ("rename", path), ("directory", str(tmp_path))]
    fs.deeds.clear()
    replace_file(fs, path, b"newer", 0o600, durable=False)
    assert fs.deeds == [("rename", path)]


def test_a_file_of_the_present_directory_lasts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fs = Watched()
    replace_file(fs, "x", b"new", 0o600, durable=True)
    queue = JobQueue("job_queue.log", fs)
    submitted(queue)
    queue.compact(0)
    assert {path for kind, path in fs.deeds if kind == "directory"} == {"."}


def test_the_name_of_a_rewritten_log_lasts(tmp_path: Path) -> None:
    fs = Watched()
    queue = JobQueue(str(tmp_path / "job_queue.log"), fs)
    submitted(queue)
    fs.deeds.clear()
    queue.compact(0)
    assert fs.deeds[-1] == ("directory", str(tmp_path))
    assert ("rename", str(tmp_path / "job_queue.log")) in fs.deeds


def test_the_name_of_a_mended_log_lasts(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_bytes(b"107 1 CreationTimestamp 5\nwhat\n101 01.-1 Job Machine\n")
    fs = Watched()
    assert mend_log(str(path), fs)
    renamed = fs.deeds.index(("rename", str(path)))
    assert ("directory", str(tmp_path)) in fs.deeds[renamed:]


@pytest.mark.parametrize("kind", ["settings", "drain", "version"])
def test_what_daemons_remember_lasts(tmp_path: Path, kind: str) -> None:
    fs = Watched()
    if kind == "settings":
        PersistentSettings(str(tmp_path / ".config"), fs).set("A", "A = 1\n")
    elif kind == "drain":
        DrainFile(str(tmp_path), fs).write({"a": 1})
    else:
        ensure_spool_version(str(tmp_path), fs)
    assert [deed for deed, _ in fs.deeds[:3]] == ["file", "rename", "directory"]


def test_directories_are_closed_again(tmp_path: Path) -> None:
    gc.collect()  # garbage of other tests may hold open files
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(30):
        RealFs().sync_dir(str(tmp_path))
    assert len(os.listdir("/proc/self/fd")) == before


# files of others, files half made


def test_what_a_writer_that_died_left_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "x"
    (tmp_path / f"x.tmp{os.getpid()}").write_text("half of")
    replace_file(RealFs(), str(path), b"whole", 0o644, durable=False)
    assert [file.name for file in tmp_path.iterdir()] == ["x"]
    assert path.read_text() == "whole"


def test_a_read_that_the_kernel_cuts_short_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, pread = tmp_path / "x", os.pread
    path.write_bytes(bytes(range(200)))
    monkeypatch.setattr(os, "pread", lambda handle, size, offset: pread(handle, min(size, 7), offset))
    handle = RealFs().open_read(str(path))
    assert RealFs().read_at(handle, 3, 150) == bytes(range(3, 153))
    assert RealFs().read_at(handle, 100, 150) == bytes(range(100, 200))
    os.close(handle)


def test_the_umask_does_not_decide_who_may_read(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_address(str(tmp_path / "address"), Address("<>", "v", "p"))
        HistoryWriter(str(tmp_path / "history")).append([ClassAd({"ClusterId": 1, "ProcId": 0})], NOW)
        PersistentSettings(str(tmp_path / ".config")).set("A", "A = 1\n")
        lock = QueueLock(str(tmp_path / "lock"))
        lock.acquire(1)
    finally:
        os.umask(before)
    assert mode(tmp_path / "address") == mode(tmp_path / "history") == mode(tmp_path / ".config.A") == 0o644
    assert mode(tmp_path / "lock") == 0o600
    lock.release()


def test_what_programs_advertise_may_be_read_by_all(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        Advertised(AdStore(str(tmp_path / "ads"))).update("GENERIC", [ClassAd({"Name": "x"})], NOW, 900)
    finally:
        os.umask(before)
    assert mode(tmp_path / "ads") == 0o755
    assert mode(tmp_path / "ads" / ".advertised.lock") == 0o644


def test_the_log_of_machines_forgets_only_what_it_has_had(tmp_path: Path) -> None:
    remembered = RememberedSettings(log=str(tmp_path / "offline.ads"))
    ads = Advertised(AdStore(str(tmp_path / "ads")), remembered)
    far = ClassAd({"MyType": "Machine", "Name": "far", "Offline": True})
    ads.update("STARTD", [far], NOW, 900)
    assert "102 <far>" not in (tmp_path / "offline.ads").read_text()
    ads.update("STARTD", [far], NOW + 1, 900)
    assert "102 <far>" in (tmp_path / "offline.ads").read_text()


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "no")
    with pytest.raises(StoreError, match="no such file or directory"):
        write_address(f"{nowhere}/x", Address("<>", "v", "p"))
    with pytest.raises(StoreError, match="no such file or directory"):
        DrainFile(nowhere).write({})


@pytest.mark.parametrize("line", ["minimum compatible spool version x", "minimum compatible spool version ", "7"])
def test_a_version_that_is_no_number_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "spool_version").write_text(f"{line}\n")
    with pytest.raises(StoreError, match="restore the file or remove it"):
        ensure_spool_version(str(tmp_path))


def test_a_problem_of_a_whole_file_names_no_byte() -> None:
    assert str(Problem("x", -1, "is odd")) == "x: is odd"
    assert str(Problem("x", 0, "is odd")) == "x, byte 0: is odd"


# logs that grow


def test_a_log_that_is_large_by_itself_is_not_rewritten_every_time(tmp_path: Path) -> None:
    log = AccountantLog(str(tmp_path / "Accountantnew.log"))
    with log.transaction() as tx:
        for number in range(20):
            tx.extend([new_record(f"Customer.u{number}")])
            tx.set(f"Customer.u{number}", "Priority", real(0.5))
    assert log.compact_if_large(100)
    assert not log.compact_if_large(100)
    while not log.compact_if_large(100):
        with log.transaction() as tx:
            tx.set("Customer.u1", "Priority", real(1.5))
        assert log.size < 10_000
    assert log.size < 3000


def test_one_large_record_does_not_rotate_an_empty_file(tmp_path: Path) -> None:
    settings = HistorySettings(epoch_path=str(tmp_path / "epochs"), epoch_max_size=10, epoch_rotations=9)
    EpochWriter(settings).append([RunRecord(SPAWN, JobId(1, 0), 0, "a", [])], NOW)
    assert [file.name for file in tmp_path.iterdir()] == ["epochs"]


def test_fewer_rotations_of_the_global_log_take_effect(tmp_path: Path) -> None:
    path = tmp_path / "EventLog"
    for rotations in (3, 2):
        log = GlobalLog(str(path), "LEGACY", max_size=10, rotations=rotations)
        for _ in range(6):
            log.append(["000 (001.000.000) 11/21 07:15:18 x\n...\n"], NOW)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["EventLog", "EventLog.1", "EventLog.2"]


def test_the_owner_of_a_banner_is_without_its_quotes() -> None:
    banner = '*** Offset = 0 ClusterId = 7 ProcId = 1 Owner = "Max" CompletionDate = 5 CurrentTime = 6'
    fields = HistoryRecord("", banner, "history", 0).fields()
    assert (fields["Owner"], fields["ProcId"], fields["CurrentTime"]) == ("Max", "1", "6")


def test_procs_of_a_queue_are_in_order(tmp_path: Path) -> None:
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    with queue.transaction() as tx:
        for cluster in (tx.alloc_cluster(), tx.alloc_cluster()):
            tx.extend(submit_records(cluster, [], [NewProc(p, [], 1, f"vm#{p}") for p in (2, 0, 1)]))
    assert queue.groups() == [(1, [0, 1, 2]), (2, [0, 1, 2])]
    assert queue.procs(1) == [0, 1, 2]


# locks


def test_whoever_waits_is_told_for_whom(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    program = (
        "import sys; from condor_py.store.lock import QueueLock; lock = QueueLock(sys.argv[1]); lock.acquire(5); "
        "print(flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(path), "a  b"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    try:
        holder.stdout.readline()
        with pytest.raises(LockTimeout, match=rf"still locked by pid {holder.pid} \(\S*python.*"):
            QueueLock(str(path)).acquire(0.01)
        assert QueueLock(str(path)).holder().startswith(f"pid {holder.pid} (")
        path.write_bytes(b"")  # who could not sign, as on a full disk
        assert QueueLock(str(path)).holder().startswith(f"pid {holder.pid} (")
    finally:
        holder.stdin.close()
        holder.wait()
    assert QueueLock(str(path)).holder() == ""


def test_a_lock_of_another_kind_is_nobody_we_wait_for(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    path.write_bytes(b"")
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        assert QueueLock(str(path)).holder() == ""
        with (tmp_path / "other").open("wb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            assert QueueLock(str(path)).holder() == ""


def test_the_holder_is_told_by_the_words_of_its_command(tmp_path: Path) -> None:
    lock = QueueLock(str(tmp_path / "x.lock"))
    lock.acquire(1)
    with open("/proc/self/cmdline", "rb") as file:
        words = " ".join(word.decode() for word in file.read().split(b"\0") if word)
    told = f"{os.getpid()} {words}"[:159].split(" ", 1)[1].strip()  # a line of 160 bytes
    assert lock.holder() == f"pid {os.getpid()} ({told})"
    lock.release()


def test_only_files_are_leases(tmp_path: Path) -> None:
    folder = tmp_path / "lock" / "syndicate"
    folder.mkdir(parents=True)
    os.symlink("/nonexistent", folder / "link")
    os.utime(folder / "link", (NOW - 9999, NOW - 9999), follow_symlinks=False)
    (folder / "old").write_text("")
    os.utime(folder / "old", (NOW - 9999, NOW - 9999))
    settings = PreenSettings(str(tmp_path), (), str(tmp_path), lock=str(tmp_path / "lock"))
    assert expired_leases(settings, NOW) == [str(folder / "old")]
