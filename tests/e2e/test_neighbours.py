"""A job of another account cannot see, kill or write into what belongs to its neighbour: container, scratch directory,
/tmp, /dev/shm and processes. Ordinary jobs and jobs in containers of both kinds try it, each with all neighbours."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from container_pool import left
from pool import wait_for
from shared_pool import SharedPool, usable_python

from condor_py.machine.run.namespaces import may_mount
from condor_py.machine.run.spawning import quick

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import apptainers
import containers

pytestmark = [
    pytest.mark.skipif(not (may_mount() and quick()), reason="only root, with the C module, makes namespaces"),
    #: One worker runs all tests with containers: the engine is made once.
    pytest.mark.xdist_group("containers"),
]

#: Who does not say so runs as the account of the slots.
KNOBS = {
    "USE_PID_NAMESPACES": "true",
    "MOUNT_UNDER_SCRATCH": "/tmp,/var/tmp",
    "STARTER_ALLOW_RUNAS_OWNER": "TARGET.Own =?= true",
    "NOBODY_SLOT_USER": "daemon",
    "DOCKER_TRUST_LOCAL_IMAGES": "true",
    "DOCKER_EXTRA_ARGUMENTS": f"{containers.LIMITS} --network=none",
}
VICTIM = """#!/bin/sh
echo secret >secret; chmod 644 secret
echo secret >/tmp/secret; echo secret >/dev/shm/secret
echo there >there; while :; do sleep 1; done
"""
#: $1: the scratch directory of a neighbour, the others are its processes. What succeeds is told.
THIEF = """#!/bin/sh
scratch=$1; shift
cat /tmp/secret /dev/shm/secret /var/tmp/secret "$scratch/secret" 2>/dev/null && echo READ
(echo mine >"$scratch/mine" || echo mine >"$scratch/there" || rm "$scratch/there") 2>/dev/null && echo WROTE
for pid in "$@"; do
    kill -9 $pid 2>/dev/null && echo KILLED $pid
    [ -e /proc/$pid/environ ] && cat /proc/$pid/environ >/dev/null 2>&1 && echo SAW $pid
    ls /proc/$pid/root/tmp/ 2>/dev/null | grep secret && echo ENTERED $pid
done
for file in /proc/[0-9]*/cmdline; do
    tr '\\0' ' ' <$file 2>/dev/null | grep victim.sh && echo LISTED
done
id -u; echo tried
"""


@pytest.fixture
def pool(engine: str) -> Iterator[SharedPool]:
    usable_python()
    top = Path(tempfile.mkdtemp(dir="/var/lib", prefix="neighbours."))  # /tmp is to be another one
    top.chmod(0o755)
    made = SharedPool(top / "pool", 12)
    made.work.chmod(0o755)
    for name, value in {**KNOBS, "DOCKER": engine}.items():
        made.knob(name, value)
    if not apptainers.why_not():
        made.knob("SINGULARITY", apptainers.command())
        made.environment["PATH"] += f":{Path(apptainers.command()).parent}"
    try:
        made.start()
        wait_for(lambda: "true" in made.tool("condor_status", "-af", "HasDocker").stdout, "the engine was tried")
        if not apptainers.why_not():
            wait_for(
                lambda: "true" in made.tool("condor_status", "-af", "HasSingularity").stdout, "apptainer was tried"
            )
        yield made
    finally:
        made.stop()
        shutil.rmtree(top, ignore_errors=True)


@pytest.fixture
def kinds(pool: SharedPool) -> dict[str, str]:
    """What makes jobs of each kind."""
    found = {"plain": "", "docker": f"universe = docker\ndocker_image = {containers.IMAGE}\n"}
    if not apptainers.why_not():
        tree = apptainers.make_tree(pool.work)
        found["apptainer"] = f"universe = container\ncontainer_image = {tree}\ntransfer_container = false\n"
    return found


def text(name: str, arguments: str, kind: str, more: str = "") -> str:
    return (
        f"{kind}executable = {name}.sh\narguments = {arguments}\n"
        f"should_transfer_files = yes\nrequest_memory = 100\n{more}queue\n"
    )


def of_job(scratch: Path) -> list[str]:
    """The processes whose program lies or works in a scratch directory, the oldest first."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        path = Path("/proc", pid)
        try:
            if (
                os.path.realpath(path / "cwd") == str(scratch)
                or str(scratch).encode() in (path / "environ").read_bytes()
            ):
                begun = int((path / "stat").read_text().rpartition(")")[2].split()[19])
                found.append((begun, pid))  # numbers of processes begin again at the bottom
        except OSError:
            continue
    return [pid for _, pid in sorted(found)]


def test_neighbours_are_left_alone(pool: SharedPool, engine: str, kinds: dict[str, str]) -> None:
    (pool.theirs / "victim.sh").write_text(VICTIM)
    (pool.theirs / "victim.sh").chmod(0o755)
    for kind in kinds.values():
        pool.submit_as_stranger(text("victim", "", kind, "My.Own = true\n"))
    there = "dir_*/scratch/there"
    wait_for(lambda: len(list(pool.execute.glob(there))) == len(kinds), "all victims are there")
    victims = [path.parent for path in pool.execute.glob(there)]
    for scratch in victims:  # whose sleep ends each second, and another one begins
        wait_for(lambda scratch=scratch: len(of_job(scratch)) >= 2, "a shell and its sleep")  # type: ignore[misc]
    pids = {scratch: of_job(scratch) for scratch in victims}
    (pool.work / "thief.sh").write_text(THIEF)
    (pool.work / "thief.sh").chmod(0o755)
    thieves = [f"{name}{number}" for name in kinds for number in range(len(pids))]
    for thief in thieves:
        scratch, found = list(pids.items())[int(thief[-1])]
        places = f"output = {thief}.out\nlog = {thief}.log\n"
        pool.submit(text("thief", f"{scratch} {' '.join(found)}", kinds[thief[:-1]], places))
    for thief in thieves:
        pool.wait(f"{thief}.log")
        assert (pool.work / f"{thief}.out").read_text().split() == ["1", "tried"], thief
    for scratch, found in pids.items():
        assert (scratch / "there").read_text() == "there\n"
        assert not (scratch / "mine").exists()
        assert all(os.path.exists(f"/proc/{pid}") for pid in found[:1])
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not left(engine), "no container is left")
