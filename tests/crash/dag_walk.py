"""One walk: a random DAG on a real pool, condor_dagman, the daemons and the disk fail on the way; then its story is
checked.

What jobs and scripts return depends on the node and its retry alone, so that the same DAG in the world of the unit
tests, where nothing dies, tells how often each node has to run.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "unit" / "dagman"), str(HERE.parent / "e2e")]

from dag_faults import RUN_AGAIN, disturb, over, small_disk
from dag_world import World
from pool import PersonalPool, wait_for

from condor_py.core.dag.states import NodeState
from condor_py.model.states import JobStatus

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
_SECONDS = 120.0
_QUICK = "My.DisableCoolDown = true"


@dataclass(frozen=True)
class Plan:
    """A DAG, what its jobs and PRE scripts return (0 from this retry on), and where condor_dagman dies.

    ``faults`` are of ``dag_faults`` with the number of events in the nodes log that they wait for; ``killing_script``
    is the script, by its turn, that kills condor_dagman (0: none).
    """

    text: str
    bad: dict[str, int]
    bad_before: dict[str, int]
    strikes: list[str]
    faults: list[tuple[str, int]]
    killing_script: int

    @property
    def kinds(self) -> set[str]:
        """The kinds of its faults."""
        return {fault for fault, _ in self.faults}


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
    faults = [(fault, 0) for fault in rng.sample(("schedd", "dagman", "hold"), rng.choice((0, 0, 1, 2)))]
    bad, bad_before = ({name: rng.choice((0, 0, 0, 1, 9)) for name in names} for _ in range(2))
    rest = random.Random(f"more of {seed}")
    more = rest.sample(_MORE, rest.choice((0, 0, 1, 1, 2)))
    faults += [(fault, rest.randint(1, 3 * count)) for fault in more]
    rest.shuffle(faults)
    return Plan("\n".join(lines) + "\n", bad, bad_before, strikes, faults, rest.choice((0, 0, 1, 2, 3)))


#: Faults that are drawn apart, so that the DAGs of known seeds stay what they were.
_MORE = ("startd", "starter", "boot", "full", "remove")


def expected(walk: Plan) -> World:
    """The same DAG where nothing dies."""

    def retry(name: str) -> int:
        progress = world.run.progress
        return progress.tries.retries.get(progress.dag.numbers[name], 0)

    def scripts(name: str, kind: str, run: int) -> int:
        if kind == "PRE":
            return int(retry(name) < walk.bad_before.get(name, 0))
        progress = world.run.progress
        return int(progress.results.job_values.get(progress.dag.numbers[name], 0) != 0)

    world = World(walk.text, lambda name, run: int(retry(name) < walk.bad.get(name, 0)), scripts)
    world.go()
    return world


def run(pool: PersonalPool, seed: int) -> Check:
    """Walk, and check; what was checked."""
    walk, folder = plan(seed), pool.work / f"walk{seed}"
    with small_disk(folder, "full" in walk.kinds):
        _write(folder, walk)
        armed = str(_armed(pool))
        done = pool.tool("condor_submit_dag", "-dagman", armed, "-append", _QUICK, "t.dag", cwd=folder)
        cluster = int(done.stdout.partition("submitted to cluster ")[2].partition(".")[0])
        disturb(pool, walk.faults, folder, cluster)
        wait_for(lambda: over(pool, folder, cluster), lambda: f"seed {seed} {walk}: {_story(folder)}", _SECONDS)
        check = Check(pool, seed, walk, folder, cluster)
        check.all()
        return check


def _write(folder: Path, walk: Plan) -> None:
    """The files of the DAG; what is written while the disk may be full lies beside it."""
    beside = _beside(folder)
    beside.mkdir()
    (folder / "t.dag").write_text(walk.text)
    (folder / "node.sub").write_text(_SUB)
    (beside / "strikes").write_text("\n".join(walk.strikes))
    (folder / "strikes").symlink_to(beside / "strikes")
    bad = "".join(f"    {name}) bad={times};;\n" for name, times in walk.bad.items())
    before = "".join(f"    {name}) bad={times};;\n" for name, times in walk.bad_before.items())
    slow = "sleep 0.3" if walk.kinds & RUN_AGAIN else ":"
    (folder / "job.sh").write_text(
        f'bad=0\ncase $1 in\n{bad}esac\necho "$1 $2" >> {beside}/ran\n{slow}\n[ "$2" -ge $bad ]\n'
    )
    script = folder / "script.sh"
    script.write_text(
        f"#!/bin/sh\nbad=0\necho >> {beside}/scripts\n"
        f"[ `wc -l < {beside}/scripts` = {walk.killing_script} ] && kill -9 $PPID\n"
        f'[ "$1" = POST ] && {{ [ "$4" = 0 ]; exit; }}\ncase $2 in\n{before}esac\n[ "$3" -ge $bad ]\n'
    )
    script.chmod(0o755)


def _beside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.kept")


def _armed(pool: PersonalPool) -> Path:
    """The condor_dagman that dies."""
    path = pool.work / "condor_dagman"
    if not path.exists():
        path.write_text(f'#!/bin/sh\nexec {sys.executable} -I {HERE / "failing_dagman.py"} "$@"\n')
        path.chmod(0o755)
    return path


def _story(folder: Path) -> str:
    parts = []
    for name in ("t.dag", "t.dag.dagman.log", "t.dag.nodes.log", "t.dag.dagman.out"):
        path = folder / name
        parts.append(f"--- {name}\n{path.read_text()[-6000:] if path.exists() else 'none'}")
    return "\n".join(parts)


class Check:
    """What must hold after a walk."""

    def __init__(self, pool: PersonalPool, seed: int, walk: Plan, folder: Path, cluster: int) -> None:
        self.pool, self.walk, self.folder, self.cluster = pool, walk, folder, cluster
        self.world = expected(walk)
        self.story = f"seed {seed} {walk}\n{_story(folder)}"
        wait_for(lambda: self._outcome() is not None, f"the history has it: {self.story}")
        status, self.code = self._outcome() or ("", "")
        #: condor_rm came before the end; ``was_away``: while no condor_dagman ran that could have left a rescue file.
        self.is_removed = "remove" in walk.kinds and status == str(int(JobStatus.REMOVED))
        out = folder / "t.dag.dagman.out"
        last = out.read_text().rpartition("EXITING WITH STATUS ")[2].strip() if out.exists() else ""
        self.was_away = self.is_removed and last != "2"

    def _outcome(self) -> tuple[str, str] | None:
        """JobStatus and ExitCode of the DAG's job as it left the queue."""
        rows = self.pool.history("ClusterId", "JobStatus", "ExitCode")
        return next(((status, code) for number, status, code in rows if int(number) == self.cluster), None)

    def all(self) -> None:
        """All of it."""
        assert self.is_removed or self.code == str(self.world.code), f"{self.code}, not {self.world.code}: {self.story}"
        self._runs()
        if not self.was_away:
            self._left_behind()
        left = [str(self.cluster)]
        wait_for(lambda: left not in self.pool.queue("DAGManJobId"), f"its jobs have left the queue: {self.story}")

    def _left_behind(self) -> None:
        """What condor_dagman leaves when it ends by itself: no lock, a nodes log that tells a possible story."""
        found = self.pool.tool("condor_dag_checker", "-finished", "t.dag", cwd=self.folder, check=False)
        assert (found.stdout, found.stderr) == ("", ""), f"{found.stdout}{found.stderr}{self.story}"
        assert not (self.folder / "t.dag.lock").exists(), self.story
        assert not (self.folder / "t.dag.scripts").exists(), self.story
        self._rescue()

    def _runs(self) -> None:
        """Every node ran as often as its retries allow, once each time unless its run was killed."""
        path = _beside(self.folder) / "ran"
        ran = Counter(path.read_text().split("\n")[:-1]) if path.exists() else Counter()
        if not self.walk.kinds & RUN_AGAIN:
            assert not [line for line, times in ran.items() if times > 1], f"{ran} {self.story}"
        times: Counter[str] = Counter(line.split()[0] for line in ran)
        dag = self.world.run.progress.dag
        wanted = {name: count for name, count in self.world.runs.items() if not dag.flags[dag.numbers[name]] & 1}
        if self.is_removed:
            more = {name: count for name, count in times.items() if count > wanted.get(name, 0) and name != "F"}
            assert not more, f"nodes ran {dict(times)}, not {wanted}: {self.story}"
        else:
            assert dict(times) == wanted, f"nodes ran {dict(times)}, not {wanted}: {self.story}"

    def _rescue(self) -> None:
        """The rescue file has what is done, and is there only if it is needed."""
        rescues = sorted(self.folder.glob("t.dag.rescue[0-9][0-9][0-9]"))
        assert bool(rescues) == (self.is_removed or bool(self.world.rescues)), f"{rescues} {self.story}"
        if not rescues:
            return
        states = self.world.states()
        good = {name for name, state in states.items() if state == NodeState.DONE and name != "F"}
        done = {line[5:] for line in rescues[-1].read_text().split("\n") if line.startswith("DONE ")}
        assert done <= good if self.is_removed else done == good, self.story
