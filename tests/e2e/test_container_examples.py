"""The examples of jobs in containers do what they say, with a small image in the place of theirs."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import ROOT, PersonalPool, wait_for

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import apptainers
import containers

EXAMPLES = ROOT / "etc" / "examples" / "containers"
TABLE = re.findall(r"^\| (\w+\.sub) \| ([^|]*) \|", (EXAMPLES / "README.md").read_text(), re.MULTILINE)


def test_every_example_is_in_the_table() -> None:
    assert {name for name, _ in TABLE} == {path.name for path in EXAMPLES.glob("*.sub")}


@pytest.fixture
def top() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="examples."))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


def run(pool: PersonalPool, *submits: tuple[str, ...]) -> None:
    """Submits and waits for all."""
    shutil.copytree(EXAMPLES, pool.work, dirs_exist_ok=True)
    for words in submits:
        pool.tool("condor_submit", *words)
    wait_for(lambda: pool.history("ExitCode") == [["0"]] * len(submits), "all are in the history", 120)


def said(pool: PersonalPool, name: str) -> str:
    return (pool.work / name).read_text()


def test_those_of_docker(stopped_pool: PersonalPool, top: Path) -> None:
    if reason := containers.why_not():
        pytest.skip(reason)
    engine = containers.make_engine(top)
    pool = stopped_pool
    try:
        pool.knob("DOCKER", engine)
        pool.knob("SINGULARITY", "")
        pool.knob("DOCKER_TRUST_LOCAL_IMAGES", "true")
        pool.knob("DOCKER_EXTRA_ARGUMENTS", containers.LIMITS)
        pool.start()
        wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasDocker").stdout, "the engine was tried")
        image = f"image={containers.IMAGE}"
        names = "network.sub", "scratch.sub", "vanilla.sub", "transfer.sub", "checkpoint.sub"
        run(pool, *((image, name) for name in names), (image, "sort=/bin/sort", "input.sub"))
    finally:
        pool.stop()
        containers.remove_engine(engine)
    assert said(pool, "total.txt").strip() == "5"
    assert "counted in" in said(pool, "transfer.out")
    assert said(pool, "checkpoint.out") == "step 1\nstep 2\nstep 3\n"
    assert said(pool, "input.out") == "four five\none two three\n"
    assert len(said(pool, "network.out").splitlines()) == 3, "two lines of titles and lo"
    assert (said(pool, "scratch.out"), said(pool, "vanilla.out")) == ("kept\n", "inside\n")


def test_those_of_apptainer(stopped_pool: PersonalPool, top: Path) -> None:
    if reason := apptainers.why_not():
        pytest.skip(reason)
    tree = apptainers.make_tree(top)
    pool = stopped_pool
    pool.knob("DOCKER", "")
    pool.knob("SINGULARITY", apptainers.command())
    pool.environment["PATH"] += f":{Path(apptainers.command()).parent}"
    pool.start()
    wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasSIF").stdout, "apptainer was tried")
    run(pool, (f"sif={apptainers.make_sif(top, tree)}", "sif.sub"), (f"tree={tree}", "directory.sub"))
    assert said(pool, "total.txt").strip() == "5"
    assert said(pool, "directory.out") == "/job/scratch\n/job/scratch\n"
