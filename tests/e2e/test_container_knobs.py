"""Knobs of containers in one real run each, with apptainer and podman in a pool whose jobs have no network."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import containers

#: One worker runs all: the engine and its pools are made once.
pytestmark = pytest.mark.xdist_group("containers")

#: A job of no container, unless the pool puts it into one.
JOB = (
    "executable = {name}.sh\noutput = {name}.out\nerror = {name}.err\nlog = {name}.log\nshould_transfer_files = yes\n"
    "request_memory = 100\nwant_job_networking = false\n{more}\nqueue\n"
)


@pytest.fixture
def pool(containing: PersonalPool, tree: Path) -> PersonalPool:  # only where there is apptainer, too
    return containing


def submit(pool: PersonalPool, name: str, script: str, more: str = "") -> int:
    path = pool.work / f"{name}.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return pool.submit(JOB.format(name=name, more=more))


def said(pool: PersonalPool, name: str) -> list[str]:
    wait_for(
        lambda: "005 (" in (pool.work / f"{name}.log").read_text(), lambda: (pool.work / f"{name}.log").read_text()
    )
    return (pool.work / f"{name}.out").read_text().split()


def states(name: bytes) -> set[str]:
    """Those of the processes that execute a script."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if any(word.endswith(b"/" + name) for word in (path / "cmdline").read_bytes().split(b"\0")):
                found.add((path / "stat").read_text().rpartition(")")[2].split()[0])
        except OSError:
            continue
    return found


def test_jobs_that_ask_for_no_container(pool: PersonalPool, tree: Path) -> None:
    """Each sees what is its own: where it is, and that there is no network but the loopback."""
    script = "[ -e /boot ] && echo outside; cat /proc/net/dev | grep -c :; ls -a"
    for name, more in (
        ("plain", ""),
        ("docker", f'My.WantsImage = "docker:{containers.IMAGE}"'),
        ("tree", f'My.WantsImage = "{tree}"'),
    ):
        submit(pool, name, script, more)
    submit(pool, "asks", script, f"universe = docker\ndocker_image = {containers.IMAGE}\ndocker_network_type = host")
    assert said(pool, "plain")[:2] == ["outside", "1"]
    assert said(pool, "docker")[0] == "1"
    assert said(pool, "asks")[0] == "1"
    inside = said(pool, "tree")
    assert inside[0] == "1"
    assert ".condor_container_launched" in inside, "by the launcher"
    assert not (pool.work / ".condor_container_launched").exists(), "which is no output"


def test_a_job_in_apptainer_stands_still_and_makes_checkpoints(pool: PersonalPool, tree: Path) -> None:
    steps = "n=$(cat state 2>/dev/null || echo 0); n=$((n+1)); echo $n >state; echo step $n; [ $n -ge 2 ] || exit 85"
    more = f'My.WantsImage = "{tree}"\ncheckpoint_exit_code = 85\ntransfer_checkpoint_files = state'
    submit(pool, "steps", steps, more)
    wait = "echo here; while [ ! -e go ]; do sleep 0.1; done"
    job = submit(pool, "still", wait, f'My.WantsImage = "{tree}"\nstream_output = true')
    out = pool.work / "still.out"
    wait_for(lambda: out.exists() and "here" in out.read_text(), "it runs")
    pool.tool("condor_suspend", f"{job}.0")
    log = pool.work / "still.log"
    wait_for(lambda: "010 (" in log.read_text(), "the job stands still")
    wait_for(lambda: states(b"still.sh") == {"T"}, "all its processes took the signal")
    pool.tool("condor_continue", f"{job}.0")
    wait_for(lambda: "011 (" in log.read_text(), "the job goes on")
    pool.tool("condor_ssh_to_job", f"{job}.0", "touch go")
    pool.wait("still.log")
    assert said(pool, "steps") == ["step", "1", "step", "2"]
    assert [number for number, _ in pool.events("steps.log") if number in (1, 4, 5)] == [1, 5]


def test_a_repository_that_nobody_reaches(pool: PersonalPool) -> None:
    more = "container_image = docker://nowhere.example.invalid/x\nMy.WantDockerImage = false\nMy.WantSIF = true"
    job = submit(pool, "far", "true", more)
    wait_for(lambda: pool.status_of(f"{job}.0") == 5, "the job is held")
    told = pool.tool("condor_q", str(job), "-af", "HoldReasonCode", "HoldReasonSubCode", "HoldReason").stdout
    assert told.startswith("45 -1000 ")
    assert "Singularity test failed:FATAL" in told
    assert "nowhere.example.invalid" in told
