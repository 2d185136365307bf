"""One walk: a random DAG on a real pool, condor_dagman and the schedd killed on the way; then its story is checked.

What jobs and scripts return depends on the node and its retry alone, so that the same DAG in the world of the unit
tests, where nothing dies, tells how often each node has to run.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "unit" / "dagman"), str(HERE.parent / "e2e")]

from dag_world import World
from pool import PersonalPool, wait_for

from condor_py.dagman.core.states import NodeState

POINTS = (
    "before:write:queue", "after:write:queue", "after:sync:queue", "before:write:nodes", "after:write:nodes",
    "after:sync:nodes", "before:write:scripts", "after:write:scripts", "after:sync:scripts", "before:rename:rescue",
    "after:create:rescue", "after:rename:rescue",
)  # fmt: skip
_SUB = """executable = /bin/sh
arguments = "job.sh $(JOB) $(RETRY)"
should_transfer_files = no
request_disk = 1
queue
"""
_SECONDS = 90.0
_QUICK = "My.DisableCoolDown = true"


@dataclass(frozen=True)
class Plan:
    """A DAG, what its jobs and PRE scripts return (0 from this retry on), and where condor_dagman dies."""

    text: str
    bad: dict[str, int]
    bad_before: dict[str, int]
    strikes: list[str]
    others: list[str]


def plan(seed: int) -> Plan:
    """The walk of a seed."""
    rng = random.Random(seed)
    count = rng.randint(2, 7)
    names = [f"n{number}" for number in range(count)]
    lines = [f"JOB {name} node.sub{' NOOP' if rng.random() < 0.1 else ''}" for name in names]
    for child in range(1, count):
        parents = rng.sample(range(child), min(child, rng.randint(0, 2)))
        lines += [f"PARENT n{parent} CHILD n{child}" for parent in parents]
    for name in names:
        if rng.random() < 0.5:
            lines.append(f"RETRY {name} {rng.randint(1, 2)}")
        for kind in ("PRE", "POST"):
            if rng.random() < 0.3:
                more = " $RETURN" if kind == "POST" else ""
                lines.append(f"SCRIPT {kind} {name} script.sh {kind} $NODE $RETRY{more}")
    if rng.random() < 0.2:
        lines.append("FINAL F node.sub")
    strikes = [f"{rng.choice(POINTS)} {rng.randint(1, 4)}" for _ in range(rng.randint(1, 3))]
    others = rng.sample(("schedd", "dagman", "hold"), rng.choice((0, 0, 1, 2)))
    bad, bad_before = ({name: rng.choice((0, 0, 0, 1, 9)) for name in names} for _ in range(2))
    return Plan("\n".join(lines) + "\n", bad, bad_before, strikes, others)


def expected(walk: Plan) -> World:
    """The same DAG where nothing dies."""

    def retry(name: str) -> int:
        progress = world.run.progress
        return progress.retries.get(progress.dag.numbers[name], 0)

    def scripts(name: str, kind: str, run: int) -> int:
        if kind == "PRE":
            return int(retry(name) < walk.bad_before.get(name, 0))
        progress = world.run.progress
        return int(progress.job_value.get(progress.dag.numbers[name], 0) != 0)

    world = World(walk.text, lambda name, run: int(retry(name) < walk.bad.get(name, 0)), scripts)
    world.go()
    return world


def run(pool: PersonalPool, seed: int) -> None:
    """Walk, and check."""
    walk, folder = plan(seed), pool.work / f"walk{seed}"
    folder.mkdir()
    _write(folder, walk)
    armed = str(_armed(pool))
    done = pool.tool("condor_submit_dag", "-dagman", armed, "-append", _QUICK, "t.dag", cwd=folder)
    cluster = int(done.stdout.partition("submitted to cluster ")[2].partition(".")[0])
    _disturb(pool, walk, folder, cluster)
    ended = re.compile(rf"^00[59] \({cluster:03d}\.", re.M)
    log = folder / "t.dag.dagman.log"
    wait_for(lambda: ended.search(log.read_text()), f"seed {seed}: {_story(folder)}", _SECONDS)
    _check(pool, seed, walk, folder)


def _write(folder: Path, walk: Plan) -> None:
    (folder / "t.dag").write_text(walk.text)
    (folder / "node.sub").write_text(_SUB)
    (folder / "strikes").write_text("\n".join(walk.strikes))
    bad = "".join(f"    {name}) bad={times};;\n" for name, times in walk.bad.items())
    before = "".join(f"    {name}) bad={times};;\n" for name, times in walk.bad_before.items())
    (folder / "job.sh").write_text(f'bad=0\ncase $1 in\n{bad}esac\necho "$1 $2" >> ran\n[ "$2" -ge $bad ]\n')
    script = folder / "script.sh"
    script.write_text(
        f'#!/bin/sh\nbad=0\n[ "$1" = POST ] && {{ [ "$4" = 0 ]; exit; }}\ncase $2 in\n{before}esac\n[ "$3" -ge $bad ]\n'
    )
    script.chmod(0o755)


def _armed(pool: PersonalPool) -> Path:
    """The condor_dagman that dies."""
    path = pool.work / "condor_dagman"
    if not path.exists():
        path.write_text(f'#!/bin/sh\nexec {sys.executable} -I {HERE / "failing_dagman.py"} "$@"\n')
        path.chmod(0o755)
    return path


def _disturb(pool: PersonalPool, walk: Plan, folder: Path, cluster: int) -> None:
    for other in walk.others:
        wait_for(lambda: (folder / "t.dag.nodes.log").exists(), _story(folder))
        if other == "schedd":
            pool.kill("schedd")
        elif other == "dagman":
            _kill_manager(folder)
        else:
            pool.tool("condor_hold", str(cluster), check=False)
            pool.tool("condor_release", str(cluster), check=False)


def _kill_manager(folder: Path) -> None:
    for entry in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if entry.readlink() == folder and b"failing_dagman.py" in (entry.parent / "cmdline").read_bytes():
                os.kill(int(entry.parent.name), signal.SIGKILL)
        except OSError:
            continue


def _story(folder: Path) -> str:
    parts = []
    for name in ("t.dag", "t.dag.dagman.log", "t.dag.nodes.log", "t.dag.dagman.out"):
        path = folder / name
        parts.append(f"--- {name}\n{path.read_text()[-6000:] if path.exists() else 'none'}")
    return "\n".join(parts)


def _check(pool: PersonalPool, seed: int, walk: Plan, folder: Path) -> None:
    world = expected(walk)
    story = f"seed {seed} {walk}\n{_story(folder)}"
    found = pool.tool("condor_dag_checker", "-finished", "t.dag", cwd=folder, check=False)
    assert (found.stdout, found.stderr) == ("", ""), f"{found.stdout}{found.stderr}{story}"
    codes = re.findall(r"EXITING WITH STATUS (\d+)", (folder / "t.dag.dagman.out").read_text())
    assert int(codes[-1]) == world.code, f"ended with {codes[-1]}, not {world.code}: {story}"
    ran = Counter((folder / "ran").read_text().split("\n")[:-1]) if (folder / "ran").exists() else Counter()
    assert not [line for line, times in ran.items() if times > 1], f"{ran} {story}"
    times: Counter[str] = Counter(line.split()[0] for line in ran)
    dag = world.run.progress.dag
    wanted = {name: count for name, count in world.runs.items() if not dag.flags[dag.numbers[name]] & 1}
    assert dict(times) == wanted, f"nodes ran {dict(times)}, not {wanted}: {story}"
    rescues = sorted(folder.glob("t.dag.rescue[0-9][0-9][0-9]"))
    assert bool(rescues) == bool(world.rescues), f"{rescues} {story}"
    if rescues:
        lines = rescues[-1].read_text().split("\n")
        states = world.states()
        good = {name for name, state in states.items() if state == NodeState.DONE and name != "F"}
        assert {line[5:] for line in lines if line.startswith("DONE ")} == good, story
    assert not (folder / "t.dag.lock").exists(), story
    assert not (folder / "t.dag.scripts").exists(), story
