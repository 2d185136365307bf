"""STARTD_ENFORCE_DISK_LIMITS in a pool of root: a job has the disk it asked for, and no more."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import PersonalPool, kill, wait_for

from condor_py.machine.run import encryption
from condor_py.machine.run.machinetools import run
from condor_py.machine.run.namespaces import may_mount
from condor_py.machine.run.volume import may_make_volumes

pytestmark = pytest.mark.skipif(
    not (may_mount() and may_make_volumes()), reason="only root may mount, with loop devices and mkfs.ext4"
)

_SHELL = (
    "executable = /bin/sh\narguments = \"-c '{}'\"\noutput = o\nerror = e\nlog = {}\nrequest_disk = 20MB\n"
    "should_transfer_files = YES\n"
)


def mounts(pool: PersonalPool) -> list[str]:
    """What is mounted below EXECUTE."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return [words[1] for line in lines if (words := line.split())[1].startswith(str(pool.execute))]


def test_the_disk_of_a_job_is_its_own(pool: PersonalPool) -> None:
    pool.configure("STARTD_ENFORCE_DISK_LIMITS = true\n")
    fills = "dd if=/dev/zero of=big bs=1M count={}; echo $?; touch wrote; while [ ! -e go ]; do sleep 0.05; done"
    greedy = pool.submit(_SHELL.format(fills.format(60), "greedy") + "queue\n")
    modest = "dd if=/dev/zero of=big bs=1M count=18 && df -k . | tail -1 && id -u && stat -c %u:%a . && ls -A"
    pool.submit(_SHELL.format(modest, "modest").replace("output = o", "output = o2") + "queue\n")
    pool.wait("modest")
    said = (pool.work / "o2").read_text().split()
    assert 20 * 1024 <= int(said[1]) <= 26 * 1024  # KB of the file system
    assert "lost+found" not in said
    assert (pool.work / "big").stat().st_size == 18 << 20  # came back
    wait_for(lambda: "012 (" in (pool.work / "greedy").read_text(), "the job is held")
    reason = pool.tool("condor_q", str(greedy), "-af:,", "HoldReasonCode", "HoldReasonSubCode", "HoldReason").stdout
    assert reason.startswith("34, 104, Error from slot1_")
    assert "Job has exceeded allocated disk (20.00 MB). Last measured usage: 2" in reason
    pool.tool("condor_rm", str(greedy))
    wait_for(lambda: not mounts(pool) and not list(pool.execute.glob("dir_*/.volume")), "nothing is left")


def test_a_job_that_fails_on_a_full_disk_is_told_why(pool: PersonalPool) -> None:
    pool.configure("STARTD_ENFORCE_DISK_LIMITS = true\nLVM_HIDE_MOUNT = true\nLVM_USE_THIN_PROVISIONING = true\n")
    job = pool.submit(_SHELL.format("exec dd if=/dev/zero of=big bs=1M", "log") + "queue\n")
    wait_for(lambda: "012 (" in (pool.work / "log").read_text(), "the job is held")
    assert mounts(pool) == []
    assert pool.tool("condor_q", str(job), "-af", "HoldReasonCode", "HoldReasonSubCode").stdout.split() == ["34", "104"]


def test_what_a_killed_starter_leaves_is_unmounted(restarted: PersonalPool) -> None:
    pool = restarted
    pool.configure("STARTD_ENFORCE_DISK_LIMITS = true\n")
    for killed in ("starter", "all"):
        pool.submit(_SHELL.format("touch started; sleep 1000", f"log.{killed}") + "queue\n")
        wait_for(lambda: list(pool.execute.glob("dir_*/scratch/started")), "the job runs")
        (place,) = mounts(pool)
        starter = int(Path(place).parent.name.removeprefix("dir_"))
        if killed == "all":
            kill(pool.pid("startd"))
        kill(starter)
        wait_for(lambda gone=place: gone not in mounts(pool), "it is unmounted")  # type: ignore[misc]
        pool.tool("condor_rm", "-all")
        wait_for(lambda: not pool.queue("ClusterId"), "the job, which may have been tried again, has left")
        wait_for(lambda: not pool.starters(), "nothing lies there")
        assert mounts(pool) == []


@pytest.fixture
def group(tmp_path: Path) -> Iterator[str]:
    """A volume group of 300 MB on a file, and in it a thin pool of 120 MB."""
    if not shutil.which("lvcreate"):
        pytest.skip("lvm2 is not installed")
    told = subprocess.run(["dmsetup", "version"], capture_output=True, text=True, check=False)
    if told.returncode:
        pytest.skip(f"the kernel has no device mapper: {told.stderr.splitlines()[0]}")
    name, image = f"condor_py_test_{os.getpid()}", tmp_path / "disk"
    with image.open("wb") as file:
        file.truncate(300 << 20)
    device = run("losetup", "--find", "--show", str(image)).strip()
    try:
        run("vgcreate", name, device)
        run("lvcreate", "--yes", "--type", "thin-pool", "--size", "120m", "--name", "pool", name)
        yield name
        run("vgremove", "--force", "--yes", name)
    finally:
        run("losetup", "--detach", device)


def volumes(group: str) -> set[str]:
    return set(run("lvs", "--noheadings", "-o", "lv_name", group).split()) - {"pool"}


@pytest.mark.parametrize("thin", ["true", "false"])
def test_the_disk_of_a_job_is_a_logical_volume(stopped_pool: PersonalPool, group: str, thin: str) -> None:
    pool = stopped_pool
    for name, value in {
        "STARTD_ENFORCE_DISK_LIMITS": "true",
        "LVM_VOLUME_GROUP_NAME": group,
        "LVM_THINPOOL_NAME": "pool",
        "LVM_USE_THIN_PROVISIONING": thin,
        "LVM_THIN_LV_EXTRA_SIZE_MB": "16",
    }.items():
        pool.knob(name, value)
    pool.start()
    (disk,) = pool.tool("condor_status", "-af", "TotalDisk").stdout.split()
    assert 100 << 10 < int(disk) <= (120 if thin == "true" else 200) << 10
    fills = "dd if=/dev/zero of=big bs=1M count={}; echo $?; touch wrote; while [ ! -e go ]; do sleep 0.05; done"
    greedy = pool.submit(_SHELL.format(fills.format(60), "greedy") + "queue\n")
    wait_for(lambda: "012 (" in (pool.work / "greedy").read_text(), "the job is held")
    codes = pool.tool("condor_q", str(greedy), "-af", "HoldReasonCode", "HoldReasonSubCode").stdout
    assert codes.split() == ["34", "104"]
    wait_for(lambda: not volumes(group), "its volume is gone")
    pool.submit(_SHELL.format("touch started; sleep 1000", "left") + "queue\n")
    wait_for(lambda: list(pool.execute.glob("dir_*/scratch/started")), "the job runs")
    (place,) = mounts(pool)
    assert len(volumes(group)) == 1
    first = volumes(group)
    for pid in (pool.pid("startd"), int(Path(place).parent.name.removeprefix("dir_"))):
        kill(pid)
    wait_for(lambda: not first & volumes(group), "what a killed starter leaves is removed")
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not volumes(group) and not mounts(pool), "nothing is left")


def encrypting() -> set[str]:
    """The devices that encrypt for jobs."""
    return {path.name for path in Path("/dev/mapper").glob("condor_*")}


@pytest.mark.skipif(bool(encryption.why_not()), reason=encryption.why_not())
def test_what_a_job_writes_is_encrypted(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.start()
    assert pool.tool("condor_status", "-af", "HasEncryptExecuteDirectory").stdout.split()[0] == "true"
    words = "for i in 1 2 3 4 5 6 7 8 9; do echo secret.words.of.mine; done > out; cp out {0}/other; sync; "
    words += "df . | tail -1 > seen; ls {0} >> seen; touch started; sleep 1000"
    for wish, more in (("false", "."), ("true", "/var/tmp")):
        text = _SHELL.format(words.format(more), f"log.{wish}") + f"encrypt_execute_directory = {wish}\nqueue\n"
        pool.submit(text)
        wait_for(lambda: list(pool.execute.glob("dir_*/scratch/started")), "the job runs")
        (started,) = pool.execute.glob("dir_*/scratch/started")
        root, device = started.parent.parent, (started.parent / "seen").read_text().split()[0]
        if wish == "false":
            assert not encrypting()
            assert not (root / ".volume").exists()
            pool.tool("condor_rm", "-all")
            wait_for(lambda gone=started: not gone.exists(), "it is removed")  # type: ignore[misc]
    assert {device.removeprefix("/dev/mapper/")} == encrypting()
    assert (started.parent / "seen").read_text().split()[-1] == "other"
    assert b"secret.words" not in (root / ".volume").read_bytes()
    for pid in (pool.pid("startd"), int(root.name.removeprefix("dir_"))):
        kill(pid)
    wait_for(lambda: device.removeprefix("/dev/mapper/") not in encrypting(), "what a killed starter leaves is removed")
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not encrypting() and not mounts(pool), "nothing is left")
