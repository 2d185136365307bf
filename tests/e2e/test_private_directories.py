"""MOUNT_UNDER_SCRATCH in a pool of root: a job, and who enters it, see their own directories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for

from condor_py.machine.run.namespaces import may_mount

pytestmark = pytest.mark.skipif(not may_mount(), reason="only root may mount")


def test_a_job_has_its_own_directories(pool: PersonalPool) -> None:
    pool.configure('MOUNT_UNDER_SCRATCH = "/var/tmp,/tmp,/no/such"\n')
    name = f"own.{os.getpid()}"
    touch = f"touch /var/tmp/{name} /dev/shm/{name} started"
    script = f"ls -A /var/tmp | wc -l; {touch}; while [ ! -e go ]; do sleep 0.1; done"
    job = pool.submit(f"executable = /bin/sh\narguments = \"-c '{script}'\"\noutput = o\nlog = log\nqueue\n")
    wait_for(lambda: (pool.work / "started").exists(), "the job runs")
    assert not Path(f"/var/tmp/{name}").exists()
    assert not Path(f"/dev/shm/{name}").exists()
    seen = pool.tool("condor_ssh_to_job", f"{job}.0", "ls", "/var/tmp", "/dev/shm").stdout
    assert seen.count(name) == 2
    (pool.work / "go").touch()
    pool.wait("log")
    assert (pool.work / "o").read_text().strip() == "0"
    log = pool.logged("StarterLog.*")
    in_tmp = Path("/tmp") in pool.directory.resolve().parents
    assert ("MOUNT_UNDER_SCRATCH: /tmp stays that of the machine" in log) is in_tmp, "the job works there"
    assert "MOUNT_UNDER_SCRATCH: /no/such stays that of the machine: there is no such directory" in log
    assert not list(pool.execute.glob("dir_*/scratch"))
