"""Jobs of the docker universe in a real pool, with podman as engine."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from container_pool import codes, container_of, left
from pool import PersonalPool, wait_for

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import containers

#: One worker runs all: the engine and its pools are made once.
pytestmark = pytest.mark.xdist_group("containers")


@pytest.fixture
def docker(containing: PersonalPool) -> PersonalPool:
    return containing


def submit(pool: PersonalPool, script: str, more: str = "", image: str = containers.IMAGE) -> int:
    path = pool.work / "job.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return pool.submit(
        f"universe = docker\ndocker_image = {image}\nexecutable = job.sh\noutput = out\nerror = err\nlog = job.log\n"
        f"should_transfer_files = yes\nrequest_memory = 100\n{more}\nqueue\n"
    )


def test_the_life_of_jobs_in_containers(docker: PersonalPool, engine: str) -> None:
    """Output and exit code, a signal, an image that is nowhere; removed, held and entered while they run."""
    told = docker.tool("condor_status", "-af", "HasDocker", "HasDockerURL", "HasContainer", "DockerVersion").stdout
    assert told.lower().startswith(f"true true true {'docker' if containers.DOCKER else 'podman'} version "), told
    (docker.work / "words").write_text("from the user\n")
    first = submit(docker, "cat words; ls /; echo made > new; exit 3", "transfer_input_files = words")
    docker.wait("job.log")
    out = (docker.work / "out").read_text().split("\n")
    assert out[0] == "from the user"
    assert set(out[1:]) >= {"bin", "proc", "tmp"}
    assert not {"usr", "home"} & set(out[1:]), "it is not this machine"
    assert (docker.work / "new").read_text() == "made\n"
    wait_for(lambda: codes(docker, first) == ["3"], "it is recorded")
    missing = submit(docker, "", image="nowhere.example.invalid/nothing")
    wait_for(lambda: docker.status_of(f"{missing}.0") == 5, "the job without an image is held")
    assert docker.queue("HoldReasonCode") == [["35"]]
    assert (
        "Cannot pull image nowhere.example.invalid/nothing:latest"
        in docker.tool("condor_q", "-af", "HoldReason").stdout
    )
    docker.tool("condor_rm", str(missing))
    inside = submit(docker, "trap 'echo asked; exit 4' TERM; echo there; sleep 1000 & wait", "stream_output = true")
    wait_for(lambda: "there" in (docker.work / "out").read_text(), "it runs")
    assert docker.tool("condor_ssh_to_job", f"{inside}.0", "cat words 2>&1; ls /bin/busybox").stdout.endswith(
        "/bin/busybox\n"
    )
    docker.tool("condor_hold", str(inside))
    wait_for(lambda: docker.status_of(f"{inside}.0") == 5, "held")
    wait_for(lambda: not left(engine), "no container is left")
    wait_for(lambda: "asked" in (docker.work / "out").read_text(), "it was asked to end")
    docker.tool("condor_rm", "-all")


def test_a_container_does_not_outlive_its_starter(docker: PersonalPool, engine: str) -> None:
    job = submit(docker, "echo there; exec sleep 1000", "stream_output = true")
    wait_for(lambda: (docker.work / "out").exists() and (docker.work / "out").read_text(), "it runs")
    docker.started("job.log", f"{job}.0")
    first = container_of(engine, job)
    (starter,) = docker.starters()
    os.kill(starter, signal.SIGKILL)
    wait_for(lambda: first not in left(engine), "the container is removed")
    wait_for(lambda: docker.status_of(f"{job}.0") == 2 and left(engine), "the job runs again")
    docker.started("job.log", f"{job}.0", 2)
    second = container_of(engine, job)
    docker.kill("startd")
    wait_for(lambda: second not in left(engine), "the next startd has removed it")
    docker.tool("condor_rm", str(job))
    wait_for(lambda: not docker.queue("ClusterId") and not left(engine), "no container is left")
    told = [number for number, _ in docker.events("job.log") if number in (1, 5, 9)]
    assert told[:2] == [1, 1], "it was told that the job ran again"
    assert told[-1] == 9
    assert 5 not in told, "nobody takes what was killed for an end of the job"


def test_what_containers_share_with_the_machine_and_what_they_use(docker: PersonalPool) -> None:
    """Volumes for those who ask, standard input, usage figures, a session of condor_submit -interactive."""
    told = "HasDockerVolumeDATA", "DockerCachedImageSizeMb >= 0"
    wait_for(lambda: docker.tool("condor_status", "-af", *told).stdout == "true true\n", "the engine was tried")
    (docker.work / "words").write_text("from the user\n")
    burn = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; until [ -e go ]; do sleep 0.1; done"
    job = submit(docker, f"cat; cat /data/x; {burn}", "My.WantsData = true\ninput = words")
    measured = ("condor_q", str(job), "-af", "RemoteUserCpu + RemoteSysCpu > 0", "ResidentSetSize_RAW > 0")
    wait_for(lambda: docker.tool(*measured).stdout == "true true\n", "what it uses is measured")
    docker.tool("condor_ssh_to_job", f"{job}.0", "touch go")
    docker.wait("job.log")
    assert (docker.work / "out").read_text() == "from the user\nof the machine\n"
    used = "RemoteUserCpu + RemoteSysCpu > 0", "ResidentSetSize_RAW > 0", "NetworkInputMb", "MemoryUsage > 0"
    recorded = ("condor_history", str(job), "-af", *used)
    wait_for(lambda: docker.tool(*recorded).stdout == "true true 0.0 true\n", "what it used is recorded")
    submit(docker, "cat /data/x", "log = other.log")
    docker.wait("other.log")
    assert "No such file" in (docker.work / "err").read_text(), "it did not ask"
    (docker.work / "session.sub").write_text(
        f"universe = docker\ndocker_image = {containers.IMAGE}\nrequest_memory = 100\nlog = session.log\nqueue\n"
    )
    said = docker.tool("condor_submit", "-interactive", "session.sub", stdin="ls /; exit 3\n", check=False)
    assert "data" not in said.stdout.split()
    assert {"bin", "proc"} <= set(said.stdout.split()), said.stderr
