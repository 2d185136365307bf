"""Settings of isolation that are not as usual: what real jobs get of them, in one pool that reads them anew.

There are two GPUs for the pool: it lives in a namespace of mounts where /proc and /dev tell of them. No driver answers
for them, but the kernel knows who may ask.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import PATIENCE, Done, PersonalPool, wait_for

from condor_py.machine.probes import jobgroup
from condor_py.machine.run import trial as testimage
from condor_py.machine.run.machinetools import run
from condor_py.machine.run.namespaces import may_mount

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import containers

#: One worker runs all: the engine and its pools are made once.
pytestmark = [
    pytest.mark.xdist_group("containers"),
    pytest.mark.skipif(not may_mount(), reason="only root may mount"),
]

#: What is there besides in the pool's namespace: {top} is a directory.
_MACHINE = """\
set -e
mount --make-rprivate /
mount -t tmpfs driver /proc/driver
for n in 0 1; do
    mkdir -p /proc/driver/nvidia/gpus/$n
    printf 'GPU UUID: GPU-%s\\nDevice Minor: %s\\n' $n$n$n$n$n$n$n$n-0 $n >/proc/driver/nvidia/gpus/$n/information
done
mkdir {top}/dev
mount --rbind /dev {top}/dev
mount -t tmpfs -o mode=755 dev /dev
for path in {top}/dev/*; do
    name=/dev/${{path##*/}}
    [ ! -L "$path" ] || {{ cp -P "$path" $name; continue; }}
    [ ! -d "$path" ] && touch $name || mkdir $name
    mount --rbind "$path" $name
done
mknod -m 666 /dev/nvidiactl c 195 255
mknod -m 666 /dev/nvidia-uvm c 195 254
for n in 0 1; do mknod -m 666 /dev/nvidia$n c 195 $n; done
exec "$@"
"""
_DISCOVERY = """\
#!/bin/sh
echo 'DetectedGPUs="GPU-00000000, GPU-11111111"'
for n in 0 1; do
    id=$n$n$n$n$n$n$n$n
    echo "GPU_$id=[ Id = \\"GPU-$id\\"; DeviceUuid = \\"$id-0\\"; ]"
done
"""
USUAL = {
    "CLAIM_WORKLIFE": "0",  # settings count for starters that begin
    "MOUNT_UNDER_SCRATCH": "/var/tmp",
    "NOBODY_SLOT_USER": "uucp",
    "STARTER_ALLOW_RUNAS_OWNER": "TARGET.WantsOther isnt true",
    "CGROUP_POLLING_INTERVAL": "1000",
}
#: Two times all settings, and what a job asks for.
FIRST = {
    "CGROUP_MEMORY_LIMIT_POLICY": "custom",
    "CGROUP_HARD_MEMORY_LIMIT_EXPR": "MY.Memory / 2",
    "CGROUP_SOFT_MEMORY_LIMIT_EXPR": "TARGET.RequestMemory / 4",
    "CGROUP_LOW_MEMORY_LIMIT": "16",
    "DISABLE_SWAP_FOR_JOB": "true",
    "CGROUP_IGNORE_CACHE_MEMORY": "false",
    "MOUNT_PRIVATE_DEV_SHM": "false",
    "STARTER_HIDE_GPU_DEVICES": "true",
    "DOCKER_MAP_ALL_GPUS": "true",
    "DEDICATED_EXECUTE_ACCOUNT_REGEXP": "u.cp",
}
SECOND = {
    "CGROUP_MEMORY_LIMIT_POLICY": "soft",
    "DISABLE_SWAP_FOR_JOB": "false",
    "CGROUP_USE_PEAK_MEMORY": "true",
    "PER_JOB_NAMESPACES": "false",
    "STARTER_HIDE_GPU_DEVICES": "false",
    "DOCKER_MAP_ALL_GPUS": "false",
    "DEDICATED_EXECUTE_ACCOUNT_REGEXP": "somebody",
}
#: What a group may use: hard and soft limit, and with swap.
_LIMITS = """\
old=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
new=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
for name in $old/memory.limit_in_bytes $old/memory.soft_limit_in_bytes $old/memory.memsw.limit_in_bytes \\
    $new/memory.max $new/memory.high $new/memory.swap.max \\
    $new/memory.low; do
    [ ! -e $name ] || echo ${name##*/} $(cat $name)
done
"""
_BIG = f"#!{sys.executable} -I\nx = bytearray(90 << 20)\n"
JOBS = {
    "limits": (_LIMITS, ""),
    "big": (_BIG, ""),
    "cached": ("dd if=/dev/zero of=big bs=1M count=40 2>/dev/null", "transfer_output_files ="),
    "mounts": ("touch /var/tmp/$MARK /dev/shm/$MARK", ""),
    "other": ("id -un", "My.WantsOther = true"),
    "gpu": (
        "for n in 0 1; do head -c1 /dev/nvidia$n 2>&1 | sed 's/.*: //'; done",
        "request_gpus = 1\nMy.WantsOther = false",
    ),
    "docker": (
        "ls /dev/nvidia0 /dev/nvidia1",
        f"universe = docker\ndocker_image = {containers.IMAGE}",
    ),
}


class ChangingPool(PersonalPool):
    """Lives in a namespace of its own, and reads its settings from a file."""

    machine: tuple[str, ...] = ()
    #: Why there are no containers, if there are none.
    no_engine = ""

    def tool(self, *words: str, check: bool = True, stdin: str | None = None, cwd: Path | None = None) -> Done:
        if words[0] != "condor_master":
            return super().tool(*words, check=check, stdin=stdin, cwd=cwd)
        python = [sys.executable, "-I", str(Path(__file__).parents[2] / "condor_py" / "__main__.py")]
        return subprocess.run([*self.machine, *python, *words], env=self.environment, check=True, text=True)

    def use(self, settings: dict[str, str], step: int) -> None:
        """Takes these, and no earlier ones."""
        told = {**USUAL, **settings, "STEP": str(step)}
        lines = "".join(f"{name} = {value}\n" for name, value in told.items())
        Path(self.environment["CONDOR_CONFIG"]).write_text(lines)
        if step:
            self.tool("condor_reconfig")
            wait_for(lambda: self.tool("condor_config_val", "-startd", "STEP").stdout.strip() == str(step), "read")


class Outcome:
    """What came of all jobs with one of the two settings."""

    def __init__(self, pool: ChangingPool, name: str) -> None:
        self.pool, self.name, self.mark = pool, name, f"{name}.{os.getpid()}"
        pool.work = pool.directory / name
        pool.work.mkdir(mode=0o777)
        pool.work.chmod(0o777)
        self.stranger = subprocess.Popen(["/bin/sleep", "1000"], user="uucp", cwd="/")
        jobs = {name: what for name, what in JOBS.items() if name != "docker" or not pool.no_engine}
        pool.submit("\n".join(self._described(name, *what) for name, what in jobs.items()))
        shown = "Cmd", "JobStatus", "HoldReason"
        wait_for(lambda: pool.queue("JobStatus") in ([], [["5"]]), lambda: str(pool.queue(*shown)), 60)
        self.held = pool.tool("condor_q", "-af", "HoldReasonCode", "HoldReason").stdout
        pool.tool("condor_rm", "-all", check=False)
        self.killed = self.stranger.poll() is not None
        self.stranger.kill()
        self.stranger.wait()
        self.outside = {place for place in ("/var/tmp", "/dev/shm") if Path(place, self.mark).exists()}
        for place in self.outside:
            os.unlink(f"{place}/{self.mark}")
        self.calls = (pool.directory / "calls").read_text().splitlines()

    def _described(self, name: str, script: str, more: str) -> str:
        text = script if script.startswith("#!") else f"#!/bin/sh\n{script}\n"
        path = self.pool.work / name
        path.write_text(text)
        path.chmod(0o755)
        return (
            f"executable = {name}\noutput = {name}.out\nerror = {name}.err\nlog = {name}.log\nrequest_memory = 128\n"
            f'should_transfer_files = yes\nenvironment = "MARK={self.mark} LC_ALL=C"\n{more}\nqueue\n'
        )

    def said(self, job: str) -> list[str]:
        return (self.pool.directory / self.name / f"{job}.out").read_text().splitlines()

    def used_mb(self, job: str) -> float:
        """What a job used of memory at most."""
        where = f'Cmd == "{self.pool.directory}/{self.name}/{job}"'
        told = self.pool.tool("condor_history", "-constraint", where, "-af", "ResidentSetSize_RAW").stdout
        return int(told) / 1024


def tried(pool: ChangingPool) -> str:
    """Waits until the engine has been tried; why it does not work. Only a machine that is emulated may be too slow."""

    def told() -> list[str]:
        first, *_ = pool.tool("condor_status", "-af:,", "HasDocker", "DockerOfflineReason").stdout.split("\n")
        return first.split(",", 1)

    wait_for(lambda: told()[0] in (("true", "false") if PATIENCE > 1 else ("true",)), "the engine was tried")
    works, reason = told()
    return "" if works == "true" else reason.strip()


@pytest.fixture(scope="module")
def changing(engine: str) -> Iterator[ChangingPool]:
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        made = ChangingPool(Path(top) / "pool", 8)
        for name, text in (("machine", _MACHINE), ("discovery", _DISCOVERY), ("docker", containers.NOTING)):
            words = {} if name == "discovery" else {"top": made.directory, "program": engine}
            path = made.directory / name
            path.write_text(text.format(**words) if words else text)
            path.chmod(0o755)
        testimage.make_image(str(made.directory / "trial.tar"), "localhost/of_the_site")
        made.machine = "unshare", "--mount", "/bin/sh", str(made.directory / "machine")
        made.environment["CONDOR_CONFIG"] = str(made.directory / "condor_config")
        for name, value in {
            "DOCKER": made.directory / "docker",
            "DOCKER_EXTRA_ARGUMENTS": f"{containers.LIMITS} --network=none",
            "DOCKER_TRUST_LOCAL_IMAGES": "true",
            "DOCKER_TEST_IMAGE_PATH": made.directory / "trial.tar",
            "DOCKER_TEST_IMAGE_NAME": "localhost/of_the_site",
            "MACHINE_RESOURCE_INVENTORY_GPUs": made.directory / "discovery",
        }.items():
            made.knob(name, value)
        made.use(FIRST, 0)
        made.start()
        try:
            made.no_engine = tried(made)
            yield made
        finally:
            made.stop()


@pytest.fixture(scope="module")
def first(changing: ChangingPool) -> Outcome:
    return Outcome(changing, "first")


@pytest.fixture(scope="module")
def second(changing: ChangingPool, first: Outcome) -> Outcome:
    changing.use(SECOND, 1)
    return Outcome(changing, "second")


def limits(outcome: Outcome) -> dict[str, str]:
    """The limits in the names of version 2; skips where no group limits memory."""
    names = {
        "memory.limit_in_bytes": "memory.max", "memory.soft_limit_in_bytes": "memory.high",
        "memory.memsw.limit_in_bytes": "memory.swap.max",
    }  # fmt: skip
    found = dict(line.split() for line in outcome.said("limits"))
    if not found:
        pytest.skip("no controller of memory may be used here")
    return {names.get(name, name): value for name, value in found.items()}


def test_memory_is_limited_by_expressions(first: Outcome) -> None:
    told = limits(first)
    assert (told["memory.max"], told["memory.high"]) == (str(64 << 20), str(32 << 20))
    assert told.get("memory.low", str(16 << 20)) == str(16 << 20), "version 1 has none"
    assert first.held.startswith("34 Error from slot1")
    assert "Job has gone over cgroup memory limit of 64 megabytes" in first.held


def test_memory_is_limited_softly(second: Outcome) -> None:
    told = limits(second)
    assert told["memory.max"] == "max" or int(told["memory.max"]) > 1 << 60
    assert told["memory.high"] == str(128 << 20)
    assert second.held == "", "nothing was too big"


def test_swap(first: Outcome, second: Outcome) -> None:
    without, some = (limits(outcome).get("memory.swap.max") for outcome in (first, second))
    if without is None:
        pytest.skip("this kernel does not account for swap")
    assert int(without) == (64 << 20 if "unified" not in jobgroup.hierarchies() or
                            "memory" in jobgroup.hierarchies() else 0)  # fmt: skip
    assert some == "max" or int(some) > 1 << 60


def in_memory(path: Path) -> bool:
    """Whether a directory is on a file system that has no disk."""
    return run("stat", "--file-system", "--format=%T", str(path)).strip() == "tmpfs"


def test_what_counts_as_memory(first: Outcome, second: Outcome) -> None:
    """Page cache where it is not ignored; a peak between two looks where the kernel knows it."""
    limits(first)
    assert first.used_mb("cached") >= 40
    assert second.used_mb("big") >= 90
    if in_memory(first.pool.directory):
        pytest.skip("files that lie in memory are memory")
    assert second.used_mb("cached") < 30


def test_what_jobs_see_of_directories_of_the_machine(first: Outcome, second: Outcome) -> None:
    assert first.outside == {"/dev/shm"}, "MOUNT_PRIVATE_DEV_SHM"
    assert second.outside == {"/dev/shm", "/var/tmp"}, "PER_JOB_NAMESPACES"


def test_gpus_of_others(first: Outcome, second: Outcome) -> None:
    logs = "".join(path.read_text() for path in first.pool.log.glob("StarterLog.*"))
    if "there is no control of devices here" in logs:
        pytest.skip("no group may control devices here")
    hidden, there = "Operation not permitted", "No such device or address"
    assert sorted(first.said("gpu")) == [there, hidden]
    assert second.said("gpu") == [there, there]


def test_gpus_in_containers(first: Outcome, second: Outcome) -> None:
    if first.pool.no_engine:
        pytest.skip(first.pool.no_engine)
    assert first.said("docker") == ["/dev/nvidia0", "/dev/nvidia1"]
    assert len(second.said("docker")) == 1, "DOCKER_MAP_ALL_GPUS"


def test_the_image_of_the_site_tries_the_engine(first: Outcome) -> None:
    if first.pool.no_engine:
        pytest.skip(first.pool.no_engine)
    load, *runs = (call for call in first.calls if call.startswith("load") or "of_the_site" in call)
    assert load == f"load -i {first.pool.directory}/trial.tar"
    assert runs[0].endswith(f"localhost/of_the_site {testimage.PROGRAM}")


def test_what_an_account_of_jobs_leaves(first: Outcome, second: Outcome) -> None:
    assert first.said("other") == second.said("other") == ["uucp"]
    assert (first.killed, second.killed) == (True, False), "DEDICATED_EXECUTE_ACCOUNT_REGEXP"
