"""The volume group that the startd makes on LVM_BACKING_FILE where the configuration names none."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import PersonalPool, kill, wait_for

from condor_py.machine.run import encryption
from condor_py.machine.run.logicalvolume import cannot_make
from condor_py.machine.run.machinetools import run
from condor_py.machine.run.namespaces import may_mount
from condor_py.machine.run.volume import may_make_volumes

pytestmark = pytest.mark.skipif(
    not (may_mount() and may_make_volumes()), reason="only root may mount, with loop devices and mkfs.ext4"
)
_GROUP = f"condor_py_test_{os.getpid()}"
_JOB = (
    "executable = /bin/sh\narguments = \"-c '{}'\"\noutput = {name}.out\nlog = {name}\nrequest_disk = 18MB\n"
    "should_transfer_files = YES\n{more}\nqueue\n"
)
_LOOK = "df -k . | tail -1; touch started; while [ ! -e go ]; do sleep 0.05; done"


def limited(pool: PersonalPool, thin: bool) -> Path:
    """Sets the knobs; the file."""
    file = pool.directory / "disk.img"
    for name, value in {
        "STARTD_ENFORCE_DISK_LIMITS": "true",
        "LVM_BACKING_FILE": file,
        "LVM_BACKING_FILE_SIZE_MB": "200",
        "LVM_AUTO_VG_NAME": _GROUP,
        "LVM_USE_THIN_PROVISIONING": str(thin),
        "LVM_THIN_LV_EXTRA_SIZE_MB": "16",
    }.items():
        pool.knob(name, value)
    return file


def told(pool: PersonalPool) -> str:
    return (pool.log / "StartLog").read_text()


@pytest.mark.skipif(not cannot_make(), reason="logical volumes can be made here")
def test_where_there_are_no_groups_each_job_has_a_file(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    file = limited(pool, False)
    pool.start()
    pool.submit(_JOB.format("df . | tail -1", name="plain", more=""))
    pool.wait("plain")
    assert (pool.work / "plain.out").read_text().startswith("/dev/loop")
    pool.tool("condor_reconfig")
    wait_for(lambda: "Reconfig" in told(pool) or "reconfig" in told(pool).lower(), "the startd has read it again")
    assert told(pool).count(f"there is no volume group on LVM_BACKING_FILE {file} ({cannot_make()})") == 1
    shown = pool.tool("condor_status", "-af", "IsEnforcingDiskUsage", "LvmBackingStore").stdout.split()
    assert shown[:2] == ["true", "undefined"]
    assert not file.exists()


@pytest.fixture
def machine() -> Iterator[None]:
    if reason := cannot_make():
        pytest.skip(reason)
    if not shutil.which("losetup"):
        pytest.skip("there is no losetup")
    yield
    subprocess.run(["vgremove", "--force", "--yes", _GROUP], check=False, capture_output=True)


def groups() -> list[str]:
    return run("vgs", "--noheadings", "-o", "vg_name").split()


def running(pool: PersonalPool, name: str, more: str = "") -> str:
    """Starts a job; the device of its scratch directory."""
    pool.submit(_JOB.format(_LOOK, name=name, more=more))
    wait_for(lambda: list(pool.execute.glob("dir_*/scratch/started")), "the job runs")
    (started,) = pool.execute.glob("dir_*/scratch/started")
    for line in Path("/proc/self/mounts").read_text().splitlines():
        device, place, *_ = line.split()
        if place == str(started.parent):
            return device
    raise AssertionError("nothing is mounted")


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.usefixtures("machine")
def test_the_startd_makes_a_group_and_takes_it_away(stopped_pool: PersonalPool, thin: bool) -> None:
    pool = stopped_pool
    file = limited(pool, thin)
    pool.start()
    assert file.stat().st_blocks * 512 >= 200 << 20, "its room is set aside"
    (group,) = set(groups()) & {_GROUP}
    store = f"{group}/{group}_THINPOOL" if thin else group
    names = "LvmBackingStore", "LvmUsingLoopback", "LvmIsThinProvisioning", "DiskQuantum", "IsEnforcingDiskUsage"
    shown = pool.tool("condor_status", "-af", *names).stdout.split()
    assert shown[:5] == [store, "true", "true" if thin else "undefined", "4096", "true"]
    found = pool.tool("condor_status", "-startd", "-af", "LvmDetectedDisk", "LvmNonCondorDiskUsage", "TotalDisk").stdout
    detected, foreign, disk = map(int, found.split())
    assert 150 << 20 < detected <= 204 << 20
    assert foreign == 0
    assert 120 << 10 < disk <= detected >> 10
    table = pool.tool("condor_status", "-startd", "-lvm").stdout.split()
    assert table[table.index(store) + 1 :][:1] == ["thin" if thin else "thick"]

    device = running(pool, "first")
    assert device.startswith("/dev/mapper/condor")
    assert len(run("lvs", "--noheadings", "-o", "lv_name", "@htcondor_lv").split()) == 1
    for pid in (pool.pid("startd"), *pool.starters()):
        kill(pid)
    wait_for(lambda: told(pool).count(f"volume group {store} on {file}") == 2, "the next startd makes it anew")
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not run("lvs", "--noheadings", "-o", "lv_name", "@htcondor_lv").split(), "no volume is left")
    pool.stop()
    assert _GROUP not in groups()
    assert not file.exists()
    assert str(file) not in run("losetup", "--list", "--output", "BACK-FILE")


@pytest.mark.skipif(bool(encryption.why_not()), reason=encryption.why_not())
@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.usefixtures("machine")
def test_a_volume_is_encrypted(stopped_pool: PersonalPool, thin: bool) -> None:
    pool = stopped_pool
    file = limited(pool, thin)
    pool.start()
    words = "echo secret.words.of.mine > out; sync; " + _LOOK
    pool.submit(_JOB.format(words, name="secret", more="encrypt_execute_directory = true"))
    wait_for(lambda: list(pool.execute.glob("dir_*/scratch/started")), "the job runs")
    (started,) = pool.execute.glob("dir_*/scratch/started")
    mounted = next(line for line in Path("/proc/self/mounts").read_text().splitlines() if f" {started.parent} " in line)
    assert mounted.split()[0].endswith("-enc")
    assert len(run("lvs", "--noheadings", "-o", "lv_name", "@lv_is_encrypted").split()) == 1
    assert b"secret.words" not in file.read_bytes()
    (started.parent / "go").touch()
    pool.wait("secret")
    wait_for(lambda: not (started.parent / "out").exists(), "what it wrote is gone")
    wait_for(lambda: not list(Path("/dev/mapper").glob("condor_*-enc")), "nothing is encrypted any more")
    wait_for(lambda: not run("lvs", "--noheadings", "-o", "lv_name", "@htcondor_lv").split(), "no volume is left")
