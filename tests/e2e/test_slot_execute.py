"""SLOT<N>_EXECUTE: a slot with scratch directories on a file system of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for

SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """A directory on another file system than the pool's."""
    if not os.access(SHARED_MEMORY, os.W_OK) or SHARED_MEMORY.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system")
    made = Path(tempfile.mkdtemp(dir=SHARED_MEMORY))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def test_a_slot_on_a_file_system_of_its_own(stopped_pool: PersonalPool, scratch: Path) -> None:
    pool = stopped_pool
    pool.knob("NUM_SLOTS_TYPE_1", "2")
    pool.knob("SLOT_TYPE_1", "cpus=2")
    pool.knob("SLOT2_EXECUTE", str(scratch / "execute"))
    pool.start()
    rows = pool.tool("condor_status", "-af", "SlotID", "Disk", "ExecuteVolume").stdout.split()
    disks, volumes = {rows[0]: int(rows[1]), rows[3]: int(rows[4])}, {rows[0]: rows[2], rows[3]: rows[5]}
    assert volumes["2"] == str(scratch.stat().st_dev)
    assert volumes["1"] == str(pool.execute.stat().st_dev)
    free = os.statvfs(scratch)
    assert disks["2"] == pytest.approx(free.f_bavail * free.f_frsize / 1024, rel=0.05)
    pool.submit(
        "executable = /bin/pwd\noutput = o\nlog = job.log\nshould_transfer_files = yes\nrequest_disk = 1M\n"
        "requirements = SlotID == 2\nqueue\n"
    )
    pool.wait("job.log")
    assert (pool.work / "o").read_text().startswith(f"{scratch}/execute/dir_")
    pool.tool("condor_off", "-fast", "-daemon", "master")
    wait_for(lambda: not list((scratch / "execute").iterdir()), "the scratch directory is gone")
