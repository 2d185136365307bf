"""Jobs leave through the history: after a crash anywhere each departed job has one record, in order."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from faultfs import Crash, FaultFs, after_crashes
from leaving import destroy_job_records, records_oldest_first
from queue_steps import SOUND

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.store.check import check_spool
from condor_py.store.history import (
    HistoryError,
    HistoryWriter,
    records_newest_first,
    tail_ids,
)
from condor_py.store.job_queue import JobQueue
from condor_py.store.records import NewProc, submit_records

QUEUE = "/spool/job_queue.log"
HISTORY = "/spool/history"
JOBS = 9
NOW = 1795214128


class NoLock:
    def acquire(self, timeout: float) -> None:
        pass

    def release(self) -> None:
        pass


def drain(fs: FaultFs, max_size: int) -> None:
    """What a schedd does from its start on: submit once, then let jobs leave two at a time."""
    queue = JobQueue(QUEUE, fs, lock=NoLock())
    if queue.next_cluster == 1:
        with queue.transaction() as tx:
            cluster = tx.alloc_cluster()
            procs = [NewProc(p, [], 4, f"vm#{cluster}.{p}#1") for p in range(JOBS)]
            items = [("ClusterId", str(cluster)), *SOUND, ("CompletionDate", str(NOW))]
            tx.extend(submit_records(cluster, items, procs))
    writer = HistoryWriter(HISTORY, fs, max_size=max_size, rotations=20)
    known = tail_ids(HISTORY, fs=fs)
    while queue.count():
        batch = list(queue.jobs())[:2]
        fresh = [ad for _, ad in batch if (ad.text("GlobalJobId") or "").strip('"') not in known]
        writer.append(fresh, NOW)
        with queue.transaction() as tx:
            left = queue.count()
            for job, _ in batch:
                left -= 1
                tx.extend(destroy_job_records(job, last_of_cluster=left == 0))


def operations(max_size: int) -> int:
    fs = FaultFs()
    drain(fs, max_size)
    return fs.operation


@pytest.mark.parametrize("max_size", [0, 700])
def test_one_record_a_job_wherever_it_crashes(max_size: int) -> None:
    def crashed(fs: FaultFs) -> None:
        with pytest.raises(Crash):
            drain(fs, max_size)

    for crash_at in range(1, operations(max_size) + 1):
        for seed, _, after in after_crashes(crashed, crash_at, range(12)):
            drain(after, max_size)
            procs = [record.job().proc for record in records_oldest_first(HISTORY, after)]  # type: ignore[union-attr]
            assert procs == list(range(JOBS)), (crash_at, seed)
            assert check_spool("/spool", after) == []
            assert [r.banner for r in records_newest_first(HISTORY, after)] == [
                r.banner for r in reversed(list(records_oldest_first(HISTORY, after)))
            ]


def job_ad(proc: int) -> ClassAd:
    return ClassAd.from_text_items(
        [("ClusterId", "1"), ("ProcId", str(proc)), ("Owner", '"alice"'), ("GlobalJobId", f'"vm#1.{proc}#1"')]
    )


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_failed_write_leaves_no_trace(code: int) -> None:
    fs = FaultFs()
    writer = HistoryWriter(HISTORY, fs)
    writer.append([job_ad(0)], NOW)
    for offset in (1, 2):  # the write, its sync
        size = len(fs.names[HISTORY].data)
        fs.fail_at = {fs.operation + offset: code}
        with pytest.raises(StoreError, match="history"):
            writer.append([job_ad(offset)], NOW)
        assert len(fs.names[HISTORY].data) == size
        writer.append([job_ad(offset)], NOW)
    assert tail_ids(HISTORY, fs=fs) == {"vm#1.0#1", "vm#1.1#1", "vm#1.2#1"}


def test_a_file_that_is_no_history_is_left_alone() -> None:
    fs = FaultFs()
    handle = fs.open_append(HISTORY, 0o644)
    fs.write(handle, b"root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/:/bin/false\n")
    with pytest.raises(StoreError, match="no history file"):
        HistoryWriter(HISTORY, fs).append([job_ad(0)], NOW)
    assert bytes(fs.names[HISTORY].data).startswith(b"root:")


def test_a_failure_after_a_rotation_tells_what_is_written() -> None:
    fs = FaultFs()
    HistoryWriter(HISTORY, fs).append([job_ad(0)], NOW)
    operations_before = fs.operation
    for fail in range(1, 9):
        fs = FaultFs()
        HistoryWriter(HISTORY, fs).append([job_ad(0)], NOW)
        fs.fail_at = {operations_before + fail: errno.EIO}
        writer = HistoryWriter(HISTORY, fs, max_size=500, rotations=9)
        ads = [job_ad(proc) for proc in range(1, 5)]
        with pytest.raises(HistoryError) as caught:
            writer.append(ads, NOW)
        writer.append(ads[caught.value.written :], NOW)
        assert [r.job().proc for r in records_oldest_first(HISTORY, fs)] == [0, 1, 2, 3, 4]  # type: ignore[union-attr]
