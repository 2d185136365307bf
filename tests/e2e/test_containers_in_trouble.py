"""What goes wrong with containers while jobs are in them, in one pool with podman as engine: each job is told what
happened, no container is left, and nothing is run twice unnoticed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from container_pool import container_of, left
from pool import PATIENCE, PersonalPool, of_processes, wait_for

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import containers

#: One worker runs all: the engine and its pools are made once.
pytestmark = pytest.mark.xdist_group("containers")

#: The engine, or one that is out of order while there is a file of that name; "busy": it makes no
#: container; "small": its store is a small disk.
_MOODY = """\
#!/bin/sh
[ -e {top}/small ] && set -- --root {top}/disk/store "$@"
case $1 in create) while [ -e {top}/busy ]; do echo >{top}/creating; sleep 0.1; done;; esac
[ -e {top}/stopped ] && {{ echo cannot connect to the engine >&2; exit 125; }}
while [ -e {top}/hangs ]; do sleep 0.1; done
exec {engine} "$@"
"""


class Troubled:
    """The pool and its engine."""

    def __init__(self, pool: PersonalPool, engine: str, top: Path) -> None:
        self.pool, self.engine, self.top = pool, engine, top

    def submit(self, name: str, script: str, more: str = "") -> int:
        """A job whose event log is ``name.log``."""
        self.pool.script(f"{name}.sh", f"{script}\n")
        return self.pool.submit(
            f"universe = docker\ndocker_image = {containers.IMAGE}\nexecutable = {name}.sh\noutput = {name}.out\n"
            f"log = {name}.log\nshould_transfer_files = yes\nrequest_memory = 100\nrequest_disk = 20MB\n"
            f"stream_output = true\n{more}\nqueue\n"
        )

    def runs(self, name: str, times: int = 1) -> None:
        """Waits until the job has said for the n-th time that it runs."""
        out = self.pool.work / f"{name}.out"
        wait_for(lambda: out.exists() and out.read_text().count("here") >= 1, f"{name} runs")
        wait_for(lambda: self.story(name).count(1) >= times, f"{name} was told to run")

    def story(self, name: str) -> list[int]:
        """When it began, and was sent away."""
        return [number for number, _ in self.pool.events(f"{name}.log") if number in (1, 4)]

    def held(self, job: int) -> list[str]:
        wait_for(lambda: self.pool.status_of(f"{job}.0") == 5, f"{job} is held")
        words = self.pool.tool("condor_q", str(job), "-af", "HoldReasonCode", "HoldReasonSubCode", "HoldReason").stdout
        return words.strip().split(" ", 2)

    def settled(self) -> None:
        """Waits until nobody tries the engine any more, and it is offered: what was found out before a test counts."""
        startd = psutil.Process(self.pool.pid("startd"))
        only_launcher = 1
        wait_for(
            lambda: not self.pool.starters() and len(startd.children()) == only_launcher,
            "the startd does nothing beside",
        )
        wait_for(
            lambda: self.pool.tool("condor_status", "-af", "HasDocker").stdout == "true\n", "the engine is offered"
        )

    def left(self) -> list[str]:
        """The names of all containers that there are."""
        return left(self.engine)

    def attendant(self, job: int) -> int:
        """podman's conmon, which keeps the container of a job."""
        words = [self.engine, "inspect", "--format", "{{.State.ConmonPid}}", container_of(self.engine, job)]
        return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)

    def client(self, job: int, verb: bytes = b"start") -> int:
        """The program of the engine's that attends the container of a job, or makes it."""
        found: list[int] = []

        def attends() -> bool:
            for pid, line in of_processes("cmdline"):
                words = line.split(b"\0")
                if verb in words and any(word.startswith(f"HTCJob{job}_0_".encode()) for word in words):
                    found.append(pid)
            return bool(found)

        wait_for(attends, "a client attends it")
        return found[0]


@pytest.fixture(scope="module")
def usual(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Troubled]:
    top = tmp_path_factory.mktemp("moody")
    moody = top / "moody"
    moody.write_text(_MOODY.format(top=top, engine=engine))
    moody.chmod(0o755)
    pool = PersonalPool(tmp_path_factory.mktemp("pool") / "pool", 8)
    pool.knob("DOCKER", str(moody))
    pool.knob("DOCKER_TRUST_LOCAL_IMAGES", "true")
    pool.knob("DOCKER_EXTRA_ARGUMENTS", f"{containers.LIMITS} --network=none")
    pool.knob("STARTD_ENFORCE_DISK_LIMITS", "true")
    pool.knob("CGROUP_POLLING_INTERVAL", "1")
    pool.knob("PID_SNAPSHOT_INTERVAL", "1")
    pool.start()
    try:
        wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasDocker").stdout, "the engine was tried")
        yield Troubled(pool, engine, top)
    finally:
        pool.stop()


@pytest.fixture
def troubled(usual: Troubled) -> Troubled:
    """Without jobs and containers, also those with which an engine is tried for what a test before has done."""
    usual.pool.tool("condor_rm", "-all", check=False)
    usual.settled()
    wait_for(lambda: not usual.left(), "no container is left")
    return usual


def fill(path: Path) -> None:
    """Takes all the room that there is for a file."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@pytest.fixture
def disk(troubled: Troubled) -> Iterator[Path]:
    """A file system of 24 MB."""
    if containers.DOCKER:
        pytest.skip("the store of a running docker stays where it is")
    image, place = troubled.top / "disk.img", troubled.top / "disk"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(24 << 20)
    words = ["mount", "-o", "loop", str(image), str(place)]
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)
    if (done := subprocess.run(words, capture_output=True, text=True, check=False)).returncode:
        pytest.skip(f"there are no loop devices here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        # Programs of the engine may be there for a moment more.
        wait_for(lambda: subprocess.run(["umount", str(place)], check=False).returncode == 0, "the disk is let go")


def test_what_ends_a_container(troubled: Troubled) -> None:
    """Too much memory, too much disk, an image that went while its job was queued, and killed attendants."""
    pool = troubled.pool
    big = troubled.submit("big", "x=0123456789abcdef; while true; do x=$x$x; done")
    full = troubled.submit("full", "dd if=/dev/zero of=much bs=1M count=60; sleep 1000")
    orphan = troubled.submit("orphan", "echo here; sleep 1000")
    subprocess.run([troubled.engine, "tag", containers.IMAGE, "localhost/gone:1"], check=True)
    queued = troubled.submit("queued", "true", "docker_image = localhost/gone:1\nhold = true")
    subprocess.run([troubled.engine, "rmi", "localhost/gone:1"], check=True, capture_output=True)
    pool.tool("condor_release", str(queued))
    troubled.runs("orphan")
    os.kill(troubled.client(orphan), signal.SIGKILL)
    code, subcode, reason = troubled.held(big)
    assert (code, subcode) == ("34", "102")
    assert reason.endswith("Docker job has gone over memory limit of 128 Mb")
    code, subcode, reason = troubled.held(full)
    assert (code, subcode) == ("34", "104")
    assert "exceeded allocated disk (20.00 MB). Last measured usage: 2" in reason
    code, _, reason = troubled.held(queued)
    assert code == "35"
    assert "Cannot pull image localhost/gone:1" in reason
    assert "\n" not in reason
    troubled.runs("orphan", 2)
    assert troubled.story("orphan") == [1, 4, 1], "nothing is run twice unnoticed"
    wait_for(lambda: len(troubled.left()) == 1, "the first container is gone")
    assert "Job was evicted. Code 1021 Subcode 0" in (pool.work / "orphan.log").read_text()
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not troubled.left(), "no container is left")


def test_the_keeper_of_a_container_is_killed(troubled: Troubled) -> None:
    """Nobody knows how the program ends any more: the container is removed, and the job runs again."""
    if containers.DOCKER:
        pytest.skip("docker's containers have no keeper of their own")
    job = troubled.submit("keeper", "echo here; sleep 1000")
    troubled.runs("keeper")
    (first,) = troubled.left()
    os.kill(troubled.attendant(job), signal.SIGKILL)
    troubled.runs("keeper", 2)
    assert troubled.story("keeper") == [1, 4, 1], "nothing is run twice unnoticed"
    wait_for(lambda: first not in troubled.left() and len(troubled.left()) == 1, "the first container is gone")
    troubled.pool.tool("condor_rm", "-all")
    wait_for(lambda: not troubled.left(), "no container is left")


@pytest.mark.parametrize("who", ["starter", "engine"])
def test_the_starter_or_the_engine_is_killed_while_a_container_is_being_made(troubled: Troubled, who: str) -> None:
    """The job is not held for what it cannot help: it is tried again."""
    pool, busy, creating = troubled.pool, troubled.top / "busy", troubled.top / "creating"
    busy.touch()
    job = troubled.submit(f"made{who}", "echo here; sleep 1000")
    wait_for(creating.exists, "the engine makes the container")
    (starter,) = pool.starters()
    making = troubled.client(job, b"create")
    os.kill(starter if who == "starter" else making, signal.SIGKILL)
    wait_for(lambda: not os.path.exists(f"/proc/{making}"), "it is made no more")
    creating.unlink()
    wait_for(creating.exists, "the job is tried again")
    busy.unlink()
    troubled.runs(f"made{who}")
    creating.unlink()
    assert pool.status_of(f"{job}.0") == 2
    wait_for(lambda: len(troubled.left()) == 1, "there is one container, when the engine is tried no more")
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not troubled.left(), "no container is left")


def test_an_engine_that_stops_while_a_job_runs(troubled: Troubled) -> None:
    """The job waits until the engine is back; the container that could not be removed meanwhile is removed then."""
    pool = troubled.pool
    job = troubled.submit("job", "echo here; sleep 1000")
    troubled.runs("job")
    (first,) = troubled.left()
    client = troubled.client(job)
    (troubled.top / "stopped").touch()
    os.kill(client, signal.SIGKILL)
    wait_for(lambda: "false" in pool.tool("condor_status", "-af", "HasDocker").stdout, "no slot offers containers")
    wait_for(lambda: pool.status_of(f"{job}.0") == 1, "the job waits")
    assert troubled.left() == [first]
    wait_for(lambda: not pool.starters(), "its slot is free")
    (troubled.top / "stopped").unlink()
    pool.tool("condor_reconfig", "-startd")
    troubled.runs("job", 2)
    wait_for(lambda: first not in troubled.left() and len(troubled.left()) == 1, "the first container is gone")
    assert troubled.story("job") == [1, 4, 1]
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not troubled.left(), "no container is left")


def test_the_store_of_the_engine_is_full(troubled: Troubled, disk: Path) -> None:
    """The job is held, and slots offer no containers until there is room."""
    pool = troubled.pool
    (troubled.top / "small").touch()
    try:
        image = troubled.top.parent / "small.tar"
        subprocess.run([troubled.engine, "save", "-o", str(image), containers.IMAGE], check=True, capture_output=True)
        subprocess.run([str(troubled.top / "moody"), "load", "-i", str(image)], check=True, capture_output=True)
        fill(disk / "much")
        job = troubled.submit("crowded", "true")
        code, _, reason = troubled.held(job)
        assert (code, reason[-23:]) == ("35", "no space left on device")
        assert "Error: creating container storage: " in reason
        assert "level=" not in reason
        wait_for(lambda: "false" in pool.tool("condor_status", "-af", "HasDocker").stdout, "no slot offers containers")
        assert "no space left" in pool.tool("condor_status", "-af", "DockerOfflineReason").stdout
        (disk / "much").unlink()
        pool.tool("condor_reconfig", "-startd")
        pool.tool("condor_release", str(job))
        pool.wait("crowded.log")
    finally:
        pool.tool("condor_rm", "-all", check=False)
        wait_for(lambda: not pool.starters(), "nobody uses the small store")
        (troubled.top / "small").unlink()


def test_an_engine_that_fails_is_not_offered_and_one_that_hangs_keeps_nobody_waiting(troubled: Troubled) -> None:
    pool = troubled.pool

    def told(*names: str) -> str:
        return pool.tool("condor_status", "-af", *names).stdout.strip()

    (troubled.top / "stopped").touch()
    job = troubled.submit("fails", "true")
    assert troubled.held(job)[0] == "35"
    wait_for(lambda: told("HasDocker") == "false", "slots do not offer containers")
    assert "cannot connect to the engine" in told("DockerOfflineReason")
    (troubled.top / "stopped").unlink()
    (troubled.top / "hangs").touch()
    begun = time.monotonic()
    pool.tool("condor_reconfig", "-startd")
    assert told("HasDocker") == "false"
    assert time.monotonic() - begun < 30 * PATIENCE, "the engine is given a minute"
    (troubled.top / "hangs").unlink()
