"""Jobs in containers beside the engine alone: how long until the first instruction, and many containers of /bin/true.

Run it through tests/bench/run, as root where podman, runc and a static busybox are installed; else it says why not.
What a pool adds is the start of a job in a container, less that of an ordinary job, less ``podman run`` alone. Most of
it is one process of the engine more: containers are made (``create``) and started (``start -a``), as in HTCondor,
so it is known which of them failed. Only a quiet machine tells: the engine works with both processors.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS.parent), str(_TESTS / "e2e"), str(_TESTS / "unit" / "starter")]

import containers
from pool import PersonalPool, wait_for

ROUNDS, MANY, SLOTS = 8, 200, 4
OPTIONS = (*containers.LIMITS.split(), "--network=none")


def recording(engine: str, top: Path) -> str:
    """An engine that keeps the command line with which it was last asked to make a container."""
    program = top / "recording"
    program.write_text(f'#!/bin/sh\n[ "$1" = create ] && printf \'%s\\0\' "$@" >{top}/words\nexec {engine} "$@"\n')
    program.chmod(0o755)
    return str(program)


def as_made(top: Path) -> list[str]:
    """The options of the last container, with directories that are still there."""
    words = (top / "words").read_text().split("\0")[1:-1]
    options = words[: next(place for place, word in enumerate(words) if word.startswith(containers.IMAGE))]
    found = []
    for option, value in zip(["", *options], [*options, ""], strict=True):
        if option == "--volume":
            place = top / "volumes" / value.partition(":")[0].strip("/")
            place.mkdir(parents=True, exist_ok=True)
            value = f"{place}:{value.partition(':')[2]}"
        if option in ("--name", "--workdir") or value in ("--name", "--workdir", ""):
            continue
        found.append(value)
    return found


def alone(engine: str, top: Path, options: list[str]) -> float:
    """Seconds from ``podman run`` to the first instruction of a container like that of a job."""
    mark = top / "alone"
    words = [engine, "run", "--rm", *options, "--volume", f"{top}:/bench", containers.IMAGE, "/bin/touch"]
    begin = time.time()
    subprocess.run([*words, "/bench/alone"], check=True, capture_output=True)
    seconds = mark.stat().st_mtime - begin
    mark.unlink()
    return seconds


def in_two_steps(engine: str, top: Path, options: list[str]) -> float:
    """Seconds to the first instruction when a container is made and started, as HTCondor's are, without a pool."""
    mark, name = top / "alone", "bench_in_two_steps"
    words = [engine, "create", "--name", name, *options, "--volume", f"{top}:/bench", containers.IMAGE, "/bin/touch"]
    begin = time.time()
    subprocess.run([*words, "/bench/alone"], check=True, capture_output=True)
    subprocess.run([engine, "start", "-a", name], check=True, capture_output=True)
    seconds = mark.stat().st_mtime - begin
    mark.unlink()
    subprocess.run([engine, "rm", "-f", name], check=True, capture_output=True)
    return seconds


def in_pool(pool: PersonalPool, universe: str) -> float:
    """Seconds from the end of condor_submit to the first instruction of a job."""
    mark = pool.work / "mark"
    more = f"universe = docker\ndocker_image = {containers.IMAGE}\n" if universe else ""
    text = (
        f"{more}executable = /bin/touch\narguments = {mark}\ntransfer_executable = false\nshould_transfer_files = no\n"
    )
    (pool.work / "one.sub").write_text(f"{text}log = one.log\nrequest_memory = 100\nqueue\n")
    pool.tool("condor_submit", "-terse", "one.sub")
    begin = time.time()
    wait_for(mark.exists, "the job has begun", 60)
    seconds = mark.stat().st_mtime - begin
    pool.wait("one.log")
    mark.unlink()
    return seconds


def many_alone(engine: str) -> float:
    """Seconds for MANY times ``podman run``, SLOTS at a time."""
    words = [engine, "run", "--rm", "--log-driver", "none", *OPTIONS, containers.IMAGE, "/bin/true"]
    begin = time.perf_counter()
    line = " ".join(words)
    subprocess.run(["xargs", "-P", str(SLOTS), "-I{}", "sh", "-c", line], input="x\n" * MANY, text=True, check=True)
    return time.perf_counter() - begin


def many_in_pool(pool: PersonalPool) -> float:
    """Seconds from condor_submit until MANY jobs have ended."""
    log = pool.work / "many.log"
    (pool.work / "many.sub").write_text(
        f"universe = docker\ndocker_image = {containers.IMAGE}\nexecutable = /bin/true\ntransfer_executable = false\n"
        f"log = many.log\nrequest_memory = 100\nqueue {MANY}\n"
    )
    begin = time.perf_counter()
    pool.tool("condor_submit", "-terse", "many.sub")
    wait_for(lambda: log.exists() and log.read_bytes().count(b"\n005 (") >= MANY, "all jobs ran", 600)
    return time.perf_counter() - begin


def main() -> int:
    if reason := containers.why_not():
        print(f"no engine: {reason}")
        return 0
    top = Path(tempfile.mkdtemp(prefix="bench."))
    engine = containers.make_engine(top)
    pool = PersonalPool(top / "pool", SLOTS)
    try:
        pool.knob("DOCKER", recording(engine, top))
        pool.knob("DOCKER_TRUST_LOCAL_IMAGES", "true")
        pool.knob("DOCKER_EXTRA_ARGUMENTS", " ".join(OPTIONS))
        pool.start()
        wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasDocker").stdout, "the engine was tried")
        measure(pool, engine, top)
    finally:
        pool.stop()
        containers.remove_engine(engine)
        shutil.rmtree(top, ignore_errors=True)
    return 0


def measure(pool: PersonalPool, engine: str, top: Path) -> None:
    in_pool(pool, "docker")
    options = as_made(top)
    shutil.copy(engine, top / "recording")  # which costs a shell more at every step
    rounds = [
        (alone(engine, top, options), in_two_steps(engine, top, options), in_pool(pool, ""), in_pool(pool, "docker"))
        for _ in range(ROUNDS)
    ]
    run, steps, plain, contained = (statistics.median(column) * 1000 for column in zip(*rounds, strict=True))
    print(f"first instruction: podman run {run:.0f} ms, create and start {steps:.0f} ms")
    print(f"submitted job {plain:.0f} ms, in a container {contained:.0f} ms")
    added = contained - plain - run
    print(f"a pool adds {added:.0f} ms to podman run, {steps - run:.0f} of them for the engine's second step")
    if "--short" in sys.argv:
        return
    loop, jobs = many_alone(engine), many_in_pool(pool)
    print(f"{MANY} containers of /bin/true, {SLOTS} at a time: podman run {loop:.1f} s, jobs {jobs:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
