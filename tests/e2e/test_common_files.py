"""Files that many jobs share: staged once in a data slot, linked into every job, and gone when nobody needs them."""

from __future__ import annotations

import os

import pytest
from pool import PersonalPool, wait_for

_JOB = """
universe = vanilla
shell = cat a d/x own.$(Process) > out; stat -c %i a >> out; until [ -e {gate} ]; do sleep 0.05; done
transfer_common_input = a, d{more}
transfer_input_files = own.$(Process)
transfer_output_files = out
transfer_output_remaps = "out = out.$(Process)"
should_transfer_files = YES
request_memory = 1
request_disk = 10
log = job.log
"""


@pytest.fixture
def sharing(stopped_pool: PersonalPool) -> PersonalPool:
    """A pool with files to share; its data slots stay for two seconds."""
    stopped_pool.knob("KEEP_DATA_CLAIM_IDLE", "2")
    work = stopped_pool.work
    (work / "a").write_text("common\n")
    (work / "d").mkdir()
    (work / "d" / "x").write_text("in a directory\n")
    for number in range(6):
        (work / f"own.{number}").write_text(f"own {number}\n")
    return stopped_pool


def _slots(pool: PersonalPool) -> dict[str, list[str]]:
    """Name, then state, memory and catalogs of all data slots."""
    names = ("Name", "State", "Cpus", "Memory", "Disk", "catalogs")
    answer = pool.tool("condor_status", "-const", "IsDataSlot", "-af", *names)
    return {line.split()[0]: line.split()[1:] for line in answer.stdout.splitlines()}


def _outputs(pool: PersonalPool, jobs: range) -> list[str]:
    """Checks what the jobs have read; the inodes of the file that they shared."""
    inodes = []
    for number in jobs:
        *lines, inode = (pool.work / f"out.{number}").read_text().splitlines()
        assert lines == ["common", "in a directory", f"own {number}"]
        inodes.append(inode)
    return inodes


def _common_events(pool: PersonalPool) -> list[str]:
    return [one.strip() for one in (pool.work / "job.log").read_text().split("...\n") if one.startswith("047")]


def test_files_are_staged_once_and_leave_with_the_last_job(sharing: PersonalPool) -> None:
    pool = sharing
    pool.start()
    gate = pool.work / "gate"
    cluster = pool.submit(_JOB.format(gate=gate, more="") + "queue 6\n")

    def four_run() -> bool:
        return sum(status == ["2"] for status in pool.queue("JobStatus")) == 4

    wait_for(four_run, "four jobs on four cpus, the data slot has none")
    wait_for(lambda: [slot[4:] for slot in _slots(pool).values()] == [["{", "catalog_1", "}"]], "a data slot is shown")
    assert [slot[:3] for slot in _slots(pool).values()] == [["Claimed", "0", "0"]]
    gate.touch()
    pool.wait("job.log")
    assert len(set(_outputs(pool, range(6)))) == 1
    started, finished = _common_events(pool)
    assert f"({cluster:03d}.-1000.000)" in started
    assert "Common files event: TransferStarted" in started
    assert "Common files event: TransferFinished" in finished
    wait_for(lambda: not _slots(pool), "the data slot goes when nobody has needed it for a while")
    wait_for(lambda: not os.listdir(pool.execute), "its files are gone")
    epochs = (pool.spool / "epoch_history").read_text()
    assert epochs.count("*** COMMON ClusterId=") == 1
    assert epochs.count("\nCommonFilesMappedTime = ") == 6
