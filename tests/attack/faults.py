"""The machine turns against the daemons: a spool that is full for a while, no memory left, a clock that jumps.

They tell, refuse and go on; no job that was accepted is lost. (Errors of single operations, EIO and a full disk at each
of them, and a spool that is read-only are tried by tests/crash.)
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
for _folder in (_TESTS / "e2e", _TESTS / "unit" / "schedd", _TESTS / "unit" / "startd"):
    sys.path.insert(0, str(_folder))
sys.path.insert(0, str(_TESTS.parent))

from pool import PersonalPool, wait_for
from startd_bench import Bench
from world import World

from condor_py.client.wire import Client, WireError
from condor_py.core.jobs.effects import Note
from condor_py.core.jobs.events import PoliciesDue, Tick

_JUMPS = (-(10**9), -100_000, -3601, -1, 0, 1, 3601, 100_000, 10**9)


def clocks(seed: int) -> None:
    """A life of jobs and slots while the clock jumps. Whatever is raised; AssertionError for a job that is stuck."""
    chance = random.Random(seed)
    world, bench = World(), Bench()
    world.connect()
    for cluster in range(1, 6):
        world.now = max(1, world.now + chance.choice(_JUMPS))
        (job,) = world.submit(
            cluster, PeriodicHold="CurrentTime < 0", CronMinute='"*"' if chance.random() < 0.2 else "undefined"
        )
        world.now = max(1, world.now + chance.choice(_JUMPS))
        world.core.handle(Tick(), world.now)
        world.core.handle(PoliciesDue(), world.now)
        world.match(job)
        if job in world.core.runs:
            world.started(job)
            world.now = max(1, world.now + chance.choice(_JUMPS))
            world.ended(job, exit_code=0)
        bench.now = max(1.0, bench.now + chance.choice(_JUMPS))
        claim_id = bench.running()
        bench.wait(max(1.0 - bench.now, chance.choice(_JUMPS)))
        bench.ads()
        if claim_id in bench.claim_ids():
            bench.end(claim_id, exit_code=0)
        bench.wait(1)
    told = [effect.text for effect in world.seen if isinstance(effect, Note) and effect.text.startswith("ERROR")]
    assert not told, told[0]
    assert not [line for line in bench.log if "ERROR" in line]
    assert not world.core.runs


def _mount(path: Path, *words: str) -> None:
    subprocess.run(["mount", *words, str(path)], check=True)


def _submit_some(pool: PersonalPool) -> None:
    pool.submit("executable = /bin/true\nlog = load.log\nqueue 10\n")


def full_for_a_while(pool: PersonalPool) -> None:
    """Jobs that run while nothing can be written are told of when it can; a submit meanwhile is refused."""
    _submit_some(pool)
    filler = pool.spool / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            for size in (1 << 20, 4096):
                while file.write(b"x" * size) == size:
                    pass
        except OSError:
            pass
    (pool.work / "refused.sub").write_text("executable = /bin/true\nhold = true\nqueue 5000\n")
    try:
        begun = time.monotonic()
        done = pool.tool("condor_submit", "refused.sub", check=False)
        assert done.returncode == 1, "a submit that is nowhere"
        assert "Traceback" not in done.stderr
        assert time.monotonic() - begun < 30
    finally:
        filler.unlink()


def no_memory_for_a_while(pool: PersonalPool) -> None:
    """Requests that are too much for the memory are refused, or end their connection."""
    pid = pool.pid("schedd")
    before = resource.prlimit(pid, resource.RLIMIT_AS)
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.prlimit(pid, resource.RLIMIT_AS, (size + (30 << 20), before[1]))
    try:
        with Client(str(pool.log / "daemon_sock" / "schedd"), 20.0) as client:
            client.send({"op": "act", "action": "hold", "ids": [[9, n] for n in range(49_000)]})
            client.receive()
            client.send({"op": "submit"}, json.dumps([[1, [], [[["A", "1"]]] * 1_000_000, None]]).encode())
            client.receive()
    except WireError:
        pass
    finally:
        resource.prlimit(pid, resource.RLIMIT_AS, before)


def attack(until: float, seed: int) -> int:
    """Faults until a monotonic time; how many."""
    clocks(seed)
    if os.geteuid() != 0:
        print("faults of a real pool need root: only clocks jumped")
        return 1
    chance, count = random.Random(seed), 1
    folder = Path(tempfile.mkdtemp(prefix="faulty-", dir="/tmp"))
    pool = PersonalPool(folder / "pool", cpus=2)
    pool.spool.mkdir(parents=True)
    _mount(pool.spool, "-t", "tmpfs", "-o", "size=64m,mode=755", "tmpfs")
    try:
        pool.start()
        pids = {name: pool.pid(name) for name in ("master", "schedd", "startd", "negotiator")}
        submitted = 0
        while time.monotonic() < until:
            for fault in chance.sample((full_for_a_while, no_memory_for_a_while), 2):
                fault(pool)
                submitted += 10 if fault is full_for_a_while else 0
                wait_for(lambda: not pool.queue("ClusterId"), f"the jobs end after {fault.__name__}", 60)
                ended = sum(number == 5 for number, _ in pool.events("load.log"))
                assert ended == submitted, f"{ended} of {submitted} jobs ended after {fault.__name__}"
                for name, pid in pids.items():
                    assert pool.pid(name) == pid, f"the {name} ended after {fault.__name__}"
            clocks(seed + count)
            count += 3
        return count
    finally:
        pool.stop()
        subprocess.run(["umount", "--lazy", str(pool.spool)], check=False)
        shutil.rmtree(folder, ignore_errors=True)
