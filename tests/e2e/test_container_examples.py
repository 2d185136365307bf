"""The examples of jobs in containers do what they say, with a small image in the place of theirs."""

from __future__ import annotations

import json
import re
import shutil
import sys
from base64 import b64encode
from pathlib import Path

import pytest
from container_pool import codes
from pool import ROOT, PersonalPool, wait_for

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import apptainers
import containers
from registry import Registry

#: One worker runs all: the engine and its pools are made once.
pytestmark = pytest.mark.xdist_group("containers")

EXAMPLES = ROOT / "etc" / "examples" / "containers"
TABLE = re.findall(r"^\| (\w+\.sub) \| ([^|]*) \|", (EXAMPLES / "README.md").read_text(), re.MULTILINE)


def test_every_example_is_in_the_table() -> None:
    assert {name for name, _ in TABLE} == {path.name for path in EXAMPLES.glob("*.sub")}


def run(pool: PersonalPool, *submits: tuple[str, ...]) -> None:
    """Submits and waits for all."""
    shutil.copytree(EXAMPLES, pool.work, dirs_exist_ok=True)
    jobs = [submit_example(pool, *words) for words in submits]
    wait_for(lambda: codes(pool, *jobs) == ["0"] * len(jobs), "all are in the history", 120)


def submit_example(pool: PersonalPool, *words: str) -> int:
    return int(pool.tool("condor_submit", "-terse", *words).stdout.split(".")[0])


def said(pool: PersonalPool, name: str) -> str:
    return (pool.work / name).read_text()


def test_those_of_docker(containing: PersonalPool) -> None:
    pool = containing
    image = f"image={containers.IMAGE}"
    names = "network.sub", "scratch.sub", "vanilla.sub", "transfer.sub", "checkpoint.sub"
    run(pool, *((image, name) for name in names), (image, "sort=/bin/sort", "input.sub"))
    assert said(pool, "total.txt").strip() == "5"
    assert "counted in" in said(pool, "transfer.out")
    assert said(pool, "checkpoint.out") == "step 1\nstep 2\nstep 3\n"
    assert said(pool, "input.out") == "four five\none two three\n"
    assert len(said(pool, "network.out").splitlines()) == 3, "two lines of titles and lo"
    assert (said(pool, "scratch.out"), said(pool, "vanilla.out")) == ("kept\n", "inside\n")


def test_an_image_that_is_not_for_everybody(containing: PersonalPool, engine: str) -> None:
    """It is pulled with what the site's program tells of the owner: his real home is not for tests."""
    registry = Registry()
    registry.secret = "ann:a good password"
    busybox = Path(str(shutil.which("busybox"))).read_bytes()
    image = registry.add("group/image", {"bin/busybox": busybox, "bin/hostname": b"#!/bin/busybox echo\n"})
    kept = containing.home / ".docker" / "config.json"
    kept.parent.mkdir()
    kept.write_text(json.dumps({"auths": {registry.address: {"auth": b64encode(registry.secret.encode()).decode()}}}))
    producer = containing.directory / "credentials"
    producer.write_text(f"#!/bin/sh\nexec cat {kept}\n")
    producer.chmod(0o755)
    containers.allow_registry(engine, registry.address)
    try:
        run(containing, (f"image={image}", "private.sub"))
    finally:
        shutil.rmtree(kept.parent)
        registry.close()
    assert said(containing, "private.out") == "/bin/hostname\n"


def test_those_of_apptainer(containing: PersonalPool, tree: Path) -> None:
    pool = containing
    run(pool, (f"sif={apptainers.make_sif(pool.work, tree)}", "sif.sub"), (f"tree={tree}", "directory.sub"))
    assert said(pool, "total.txt").strip() == "5"
    assert said(pool, "directory.out") == "/job/scratch\n/job/scratch\n"
