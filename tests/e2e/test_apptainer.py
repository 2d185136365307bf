"""Jobs in containers of a real apptainer, in a real pool."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from event_logs import check_event_logs
from lending import LendingPool, lending
from pool import PersonalPool, wait_for

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import apptainers

#: One worker runs all tests: the images are made once.
pytestmark = pytest.mark.xdist_group("apptainer")


@dataclass(frozen=True)
class Images:
    tree: Path
    sif: Path


@pytest.fixture(scope="module")
def images() -> Iterator[Images]:
    if reason := apptainers.why_not():
        pytest.skip(reason)
    if not shutil.which("busybox"):
        pytest.skip("busybox is not installed")
    top = Path(tempfile.mkdtemp(prefix="images."))
    top.chmod(0o755)
    tree = apptainers.make_tree(top)
    yield Images(tree, apptainers.make_sif(top, tree))
    shutil.rmtree(top, ignore_errors=True)


@pytest.fixture(scope="module")
def _machines(images: Images, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LendingPool[PersonalPool]]:
    def make() -> PersonalPool:
        made = PersonalPool(tmp_path_factory.mktemp("machine") / "pool", cpus=4)
        made.knob("DOCKER", "")
        made.knob("SINGULARITY", apptainers.command())
        made.environment["PATH"] += f":{Path(apptainers.command()).parent}"
        return made

    with lending(make) as lender:
        yield lender


@pytest.fixture
def machine(_machines: LendingPool[PersonalPool]) -> Iterator[PersonalPool]:
    """A pool that has apptainer and no docker: one for all tests."""
    with _machines.lent() as machine:
        offers_containers(machine)
        yield machine
    check_event_logs(machine.work)


def offers_containers(pool: PersonalPool) -> None:
    wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasSingularity").stdout, "apptainer was tried")


def submit(pool: PersonalPool, script: str, more: str) -> int:
    path = pool.work / "job.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return pool.submit(
        "executable = job.sh\noutput = out\nerror = err\nlog = job.log\nshould_transfer_files = yes\n"
        f"request_memory = 100\n{more}\nqueue\n"
    )


def run(pool: PersonalPool, script: str, more: str) -> list[str]:
    """What a job writes."""
    job = submit(pool, script, more)
    pool.tool("condor_wait", "-wait", "60", "job.log", f"{job}.0")
    return (pool.work / "out").read_text().split("\n")


def test_the_life_of_jobs(machine: PersonalPool, images: Images) -> None:
    """What the machine tells, a file, a directory and a target directory as images, an image that is none, a session
    and a hold."""
    names = "HasSIF", "HasSandboxImage", "HasContainer", "HasDockerURL", "SingularityVersion"
    assert machine.tool("condor_status", "-af", *names).stdout.startswith("true true true true apptainer version 1.")
    (machine.work / "words").write_text("from the user\n")
    sif = f"universe = container\ncontainer_image = {images.sif}\ntransfer_input_files = words"
    out = run(machine, 'cat words; echo "$1"; ls /; echo "$APPTAINER_NAME $TMPDIR"; echo made > new; exit 3',
              f"{sif}\narguments = \"'a b'\"")  # fmt: skip
    assert out[:2] == ["from the user", "a b"]
    assert any(line.startswith("small.sif ") for line in out)
    assert not {"usr", "boot"} & set(out), "it is not this machine"
    assert (machine.work / "new").read_text() == "made\n"
    machine.recorded([["3"]], "ExitCode")
    tree = f"universe = container\ncontainer_image = {images.tree}\ntransfer_container = false"
    target = run(machine, "pwd; echo $_CONDOR_SCRATCH_DIR", f"{tree}\ncontainer_target_dir = /there")
    assert target[:2] == ["/there/scratch", "/there/scratch"]
    assert run(machine, "", f"{tree}\nexecutable = /bin/echo\narguments = inside\ntransfer_executable = false") \
        == ["inside", ""]  # fmt: skip
    (machine.work / "no.sif").write_text("no image\n")
    bad = submit(machine, "", "universe = container\ncontainer_image = no.sif")
    wait_for(lambda: machine.status_of(f"{bad}.0") == 5, "the job is held")
    assert machine.queue("HoldReasonCode", "HoldReasonSubCode") == [["45", "-1000"]]
    assert "Singularity test failed:FATAL" in machine.tool("condor_q", "-af", "HoldReason").stdout
    machine.tool("condor_rm", str(bad))
    inside = submit(
        machine, "trap 'echo asked; exit 4' TERM; echo there; sleep 1000 & wait", f"{tree}\nstream_output = true"
    )
    wait_for(lambda: "there" in (machine.work / "out").read_text(), "it runs")
    said = machine.tool("condor_ssh_to_job", f"{inside}.0", "ls /; pwd; echo $_CONDOR_SLOT").stdout.split()
    assert ".singularity.d" not in said
    assert "usr" not in said
    assert said[-1] == "slot1_1"
    assert said[-2].endswith("/scratch")
    machine.tool("condor_hold", str(inside))
    wait_for(lambda: machine.status_of(f"{inside}.0") == 5, "held")
    wait_for(lambda: "asked" in (machine.work / "out").read_text(), "it was asked to end")
    machine.tool("condor_rm", "-all")


def test_jobs_are_put_into_containers_that_do_not_ask_for_one(machine: PersonalPool, images: Images) -> None:
    """SINGULARITY_JOB and USE_DEFAULT_CONTAINER, expressions about the job; SINGULARITY_BIND_EXPR."""
    (machine.directory / "data").mkdir()
    (machine.directory / "data" / "x").write_text("of the machine\n")
    machine.configure(
        "SINGULARITY_JOB = TARGET.Wants =?= 1\n"
        f'SINGULARITY_IMAGE_EXPR = "{images.tree}"\n'
        f'SINGULARITY_BIND_EXPR = "{machine.directory}/data:/data"\n'
        "USE_DEFAULT_CONTAINER = TARGET.Wants =?= 2\n"
        f'DEFAULT_CONTAINER_IMAGE = "{images.sif}"\n'
    )
    offers_containers(machine)
    show = "echo ${APPTAINER_NAME:-none}; cat /data/x 2>/dev/null"
    assert run(machine, show, "")[0] == "none"
    assert run(machine, show, "My.Wants = 1")[:2] == ["tree", "of the machine"]
    assert run(machine, show, "My.Wants = 2")[0] == "tree", "SINGULARITY_IMAGE_EXPR is first"


def test_a_container_does_not_outlive_its_starter(machine: PersonalPool, images: Images) -> None:
    before = set(machine.processes())
    tree = f"universe = container\ncontainer_image = {images.tree}\ntransfer_container = false"
    submit(machine, "echo there; exec sleep 1000", f"{tree}\nstream_output = true")
    wait_for(lambda: (machine.work / "out").exists() and (machine.work / "out").read_text(), "it runs")
    (starter,) = machine.starters()
    of_job = set(machine.processes()) - before
    assert len(of_job) > 1, "the container's are seen"
    os.kill(starter, 9)
    wait_for(lambda: not of_job & set(machine.processes()), "everything of the job is gone")
    machine.tool("condor_rm", "-all")
