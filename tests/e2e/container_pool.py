"""One engine of containers and one pool with all of them, made once for all tests of a worker."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from event_logs import check_event_logs
from lending import LendingPool, lending
from pool import PersonalPool, wait_for

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import apptainers
import containers


def left(engine: str) -> list[str]:
    """The names of all containers that there are."""
    words = [engine, "ps", "--all", "--format", "{{.Names}}"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


def container_of(engine: str, job: int) -> str:
    """The name of the container of a job; a startd may try the engine with another one."""
    (name,) = [name for name in left(engine) if name.startswith(f"HTCJob{job}_0_")]
    return name


@pytest.fixture(scope="session")
def engine() -> Iterator[str]:
    """podman with a store of its own, in which there is the small image; no container is in it between tests."""
    if reason := containers.why_not():
        pytest.skip(reason)
    top = Path(tempfile.mkdtemp(prefix="engine."))
    top.chmod(0o755)
    made = containers.make_engine(top)
    try:
        yield made
    finally:
        containers.remove_engine(made)
        shutil.rmtree(top, ignore_errors=True)


@pytest.fixture(scope="session")
def tree() -> Iterator[Path]:
    """An image for apptainer, as a directory."""
    if reason := apptainers.why_not():
        pytest.skip(reason)
    top = Path(tempfile.mkdtemp(prefix="images."))
    top.chmod(0o755)
    yield apptainers.make_tree(top)
    shutil.rmtree(top, ignore_errors=True)


class ContainingPool(PersonalPool):
    """A pool whose jobs may be in containers of both kinds, and have no network."""

    def __init__(self, directory: Path, engine: str) -> None:
        super().__init__(directory, 8)
        (directory / "data").mkdir()
        (directory / "data" / "x").write_text("of the machine\n")
        for name, value in {
            "DOCKER": engine,
            "DOCKER_TRUST_LOCAL_IMAGES": "true",
            "DOCKER_PAT_PRODUCER": f"{directory}/credentials",
            "DOCKER_EXTRA_ARGUMENTS": containers.LIMITS,
            "CGROUP_POLLING_INTERVAL": "1",
            "PID_SNAPSHOT_INTERVAL": "1",
            "STARTER_INITIAL_UPDATE_INTERVAL": "1",
            "DOCKER_VOLUMES": "DATA",
            "DOCKER_MOUNT_VOLUMES": "DATA, GONE",
            "DOCKER_VOLUME_DIR_DATA": f"{directory}/data:/data:ro",
            "DOCKER_VOLUME_DIR_DATA_MOUNT_IF": "TARGET.WantsData",
            "SINGULARITY": "" if apptainers.why_not() else apptainers.command(),
            "SINGULARITY_USE_LAUNCHER": "true",
            "NO_JOB_NETWORKING": "true",
            "SUBMIT_ATTRS": "WantJobNetworking",  # no other jobs are taken there
            "WantJobNetworking": "false",
            "USE_DEFAULT_CONTAINER": "TARGET.WantsImage isnt undefined",
            "DEFAULT_CONTAINER_IMAGE": "TARGET.WantsImage",
        }.items():
            self.knob(name, value)
        if not apptainers.why_not():
            self.environment["PATH"] += f":{Path(apptainers.command()).parent}"

    def start(self) -> None:
        super().start()
        wait_for(lambda: "true" in self.tool("condor_status", "-af", "HasDocker").stdout, "the engine was tried")


@pytest.fixture(scope="session")
def _containing(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LendingPool[ContainingPool]]:
    def make() -> ContainingPool:
        return ContainingPool(tmp_path_factory.mktemp("containing") / "pool", engine)

    with lending(make, lasting=("master", "schedd", "negotiator")) as lender:
        yield lender


@pytest.fixture
def containing(_containing: LendingPool[ContainingPool], engine: str) -> Iterator[PersonalPool]:
    """One such pool for one test after the other, which may kill its startd. After each there is no container."""
    with _containing.lent() as pool:
        yield pool
    wait_for(lambda: not left(engine), "no container is left")
    check_event_logs(pool.work)


def codes(pool: PersonalPool, *clusters: int) -> list[str]:
    """The exit codes of ended jobs, as far as they have one; sorted."""
    words = [str(cluster) for cluster in sorted(clusters)]
    return sorted(pool.tool("condor_history", *words, "-af", "ExitCode").stdout.split())
