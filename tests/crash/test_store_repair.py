"""condor_store_check -repair: an error or a stop at any of its operations loses nothing and can be taken up again."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store.check import check_spool
from condor_py.store.fs import RealFs
from condor_py.store.job_queue import JobQueue
from condor_py.store.repair import repair_spool

DAMAGED = (
    '107 1 CreationTimestamp 1700000000\n105 \n101 0.0 Job Machine\n103 0.0 NextClusterNum 1\n106 \n'
    '105 \n101 01.-1 Job Machine\n103 01.-1 ClusterId 1\n103 01.-1 Cmd "/bin/true"\nthis is no record\n'
    '101 1.0 Job Machine\n103 1.0 ProcId 0\n103 1.0 JobStatus 1\n103 7.7 Lost 1\n106 \n'
    '105 \n101 03.-1 Job Machine\n106 \n'
)  # fmt: skip


class Stop(BaseException):
    """The machine stopped."""


class FailingFs(RealFs):
    """The kernel's file system, in which the Nth change fails, or is the last."""

    def __init__(self, at: int, code: int) -> None:
        self.at = at
        self.code = code
        self.operation = 0

    def _count(self) -> None:
        self.operation += 1
        if self.operation == self.at:
            raise OSError(self.code, os.strerror(self.code), "the medium") if self.code else Stop()
        if self.code == 0 and self.operation > self.at:
            raise Stop

    def create(self, path: str, mode: int) -> int:
        self._count()
        return super().create(path, mode)

    def write(self, handle: int, data: bytes) -> None:
        self.operation += 1
        if self.operation == self.at:
            super().write(handle, data[: len(data) // 2])
            raise OSError(self.code, os.strerror(self.code), "the medium") if self.code else Stop()
        super().write(handle, data)

    def sync(self, handle: int) -> None:
        self._count()
        super().sync(handle)

    def truncate(self, handle: int, size: int) -> None:
        self._count()
        super().truncate(handle, size)

    def rename(self, old: str, new: str) -> None:
        self._count()
        super().rename(old, new)

    def sync_dir(self, path: str) -> None:
        self._count()
        super().sync_dir(path)


def spool_of(tmp_path: Path, name: str) -> Path:
    spool = tmp_path / name
    spool.mkdir()
    (spool / "job_queue.log").write_text(DAMAGED)
    return spool


def operations(tmp_path: Path) -> int:
    fs = FailingFs(-1, errno.EIO)
    assert len(repair_spool(str(spool_of(tmp_path, "count")), fs)) >= 4
    return fs.operation


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, 0], ids=["ENOSPC", "EIO", "stop"])
def test_a_fault_at_every_operation(tmp_path: Path, code: int) -> None:
    total = operations(tmp_path)
    assert total >= 8
    for at in range(1, total + 1):
        spool = spool_of(tmp_path, f"spool{at}")
        with pytest.raises((OSError, StoreError, Stop)):
            repair_spool(str(spool), FailingFs(at, code))
        log = (spool / "job_queue.log").read_text()
        if log != DAMAGED:
            copies = [path.read_text() for path in spool.glob("job_queue.log.damaged*")]
            assert DAMAGED in copies, f"operation {at}: the log was changed, and no copy of it is whole"
            assert '103 01.-1 Cmd "/bin/true"\n' in log
        repair_spool(str(spool))
        assert check_spool(str(spool)) == []
        queue = JobQueue(str(spool / "job_queue.log"), readonly=True)
        assert [job for job, _ in queue.jobs()] == [JobId(1, 0)]
        assert queue.clusters() == [1]
        assert queue.next_cluster > 1
