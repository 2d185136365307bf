"""kill -9 of whatever works in a pool, a thousand times: ``python tests/crash/kills.py [KILLS [SEED]]``.

While rounds of short jobs run, a daemon, a starter, a tool in the middle of a submit, or everything at once is killed
at random moments. Each program that runs says so itself, so that a run which no event tells of is found. Printed are
the kills and what they broke, which should be nothing: jobs lost (not in the history), jobs twice (in the history, or
run more often than their log tells), stories of logs that cannot be, and submits that were refused. The exit status is
1 when there was anything. Every round has a pool that goes on after the last, so that faults may add up.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1] / "e2e")]

from audit import finished, story_of
from pool import MAIN, PersonalPool, wait_for

from condor_py.store.check import check_spool

KILLS, SEED = 1000, 1
JOBS = 120
#: Seconds between two kills, at least and at most.
PAUSE = (0.05, 0.8)
#: How often each kind of kill comes.
WEIGHTS = {"schedd": 30, "startd": 20, "negotiator": 8, "starter": 25, "submit": 10, "master": 4, "everything": 3}
#: Events that end a run.
_ENDS = (4, 5, 7, 9, 12, 24)


class Kills:
    """One pool, and what is known of it. ``struck`` counts the kills of each kind; the others are findings, a line
    each."""

    def __init__(self, pool: PersonalPool, seed: int) -> None:
        self._pool, self._choose = pool, random.Random(seed)
        self.struck: Counter[str] = Counter()
        self.lost: list[str] = []
        self.twice: list[str] = []
        self.wrong: list[str] = []
        self.refused: list[str] = []
        self.jobs = 0

    def round(self, number: int, kills: int) -> None:
        """Jobs, kills until they are through or there were enough, and then the look at all that is left."""
        log = f"round{number}.log"
        jobs = self._submit(log, JOBS)
        while sum(self.struck.values()) < kills and finished(self._pool, log) < JOBS - 10:
            time.sleep(self._choose.uniform(*PAUSE))  # the moment is what is random
            kind = self._choose.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            jobs |= _STRIKES[kind](self, log)
        wait_for(lambda: finished(self._pool, log) >= len(jobs), f"the jobs of {log} are through", 300)
        wait_for(lambda: self._pool.queue("ClusterId") == [], "the queue is empty", 120)
        self.jobs += len(jobs)
        self._audit(jobs, log)

    # -- work

    def _description(self, log: str, count: int) -> Path:
        path = self._pool.work / f"{log}.sub"
        line = f"executable = /bin/sh\narguments = \"-c 'echo $(ClusterId).$(ProcId) >> {log}.ran; sleep 0.02'\"\n"
        path.write_text(f"{line}log = {log}\nqueue {count}\n")
        return path

    def _submit(self, log: str, count: int, patience: float | None = None) -> set[str]:
        """Submits jobs; those that condor_submit has told of. It is killed when it takes longer than ``patience``."""
        tool = subprocess.Popen(
            [sys.executable, "-I", "-S", str(MAIN), "condor_submit", "-terse", str(self._description(log, count))],
            env=self._pool.environment, cwd=self._pool.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            out, complaint = tool.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            self.struck["submit"] += 1
            tool.kill()
            out, complaint = tool.communicate()
        if tool.returncode > 0:
            self.refused.append(f"{log}: condor_submit exits with {tool.returncode}: {complaint.strip()[-300:]}")
        if not out.strip():
            return set()
        cluster = out.split(".")[0]
        return {f"{cluster}.{proc}" for proc in range(count)}

    # -- kills

    def strike_daemon(self, daemon: str) -> set[str]:
        """Kills a daemon; its master starts it again."""
        with contextlib.suppress(OSError, ValueError):
            old = self._pool.kill(daemon)
            self.struck[daemon] += 1
            if daemon == "master":
                wait_for(lambda: self._pool.processes() == [], "nothing is left of the pool", 60)
                self._pool.start()
            else:
                wait_for(lambda: _pid(self._pool, daemon) not in (0, old), f"the {daemon} is there again", 60)
        return set()

    def strike_starter(self) -> set[str]:
        """Kills the starter of one slot."""
        victims = self._pool.starters()
        with contextlib.suppress(ProcessLookupError):
            if victims:
                os.kill(self._choose.choice(victims), signal.SIGKILL)
                self.struck["starter"] += 1
        return set()

    def strike_submit(self, log: str) -> set[str]:
        """Kills a condor_submit somewhere in its work. What it has told of is to run."""
        return self._submit(log, 5, self._choose.uniform(0.02, 0.15))

    def strike_everything(self) -> set[str]:
        """Kills all processes of the pool, as a machine does that loses its power."""
        while found := self._pool.processes():
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self.struck["everything"] += 1
        self._pool.start()
        return set()

    # -- what is left

    def _audit(self, jobs: set[str], log: str) -> None:
        recorded = Counter(f"{cluster}.{proc}" for cluster, proc in self._pool.history("ClusterId", "ProcId"))
        self.lost += [f"{log}: {job} is not in the history" for job in sorted(jobs - set(recorded))]
        self.twice += [f"{log}: {job} is in the history {recorded[job]} times" for job in jobs if recorded[job] > 1]
        events: dict[str, list[int]] = {}
        for number, job in self._pool.events(log):
            if number not in (6, 21, 33):
                events.setdefault(job, []).append(number)
        for job in sorted(jobs):
            if fault := story_of(events.get(job, [])):
                self.wrong.append(f"{log}: {job} {fault}: {events.get(job)}")
        ran = Counter((self._pool.work / f"{log}.ran").read_text().split())
        for job, runs in ran.items():
            if runs > told_runs(events.get(job, [])):
                self.twice.append(f"{log}: {job} ran {runs} times, and its log tells only {events.get(job)}")
        self.wrong += [f"{log}: {problem}" for problem in check_spool(str(self._pool.spool))]

    @property
    def findings(self) -> list[str]:
        """Everything that should not be."""
        return [*self.lost, *self.twice, *self.wrong, *self.refused]


def told_runs(numbers: list[int]) -> int:
    """How often a program may have begun by what the log of its job tells: a start, or the end of a run whose start
    nobody heard of."""
    runs, running = 0, False
    for number in numbers:
        if number == 1 or (number in _ENDS and not running):
            runs += 1
        running = number == 1 or (running and number not in _ENDS)
    return runs


def _pid(pool: PersonalPool, daemon: str) -> int:
    try:
        return pool.pid(daemon)
    except (OSError, ValueError):
        return 0


_STRIKES: dict[str, Callable[[Kills, str], set[str]]] = {
    "schedd": lambda kills, log: kills.strike_daemon("schedd"),
    "startd": lambda kills, log: kills.strike_daemon("startd"),
    "negotiator": lambda kills, log: kills.strike_daemon("negotiator"),
    "master": lambda kills, log: kills.strike_daemon("master"),
    "starter": lambda kills, log: kills.strike_starter(),
    "submit": Kills.strike_submit,
    "everything": lambda kills, log: kills.strike_everything(),
}


def main() -> int:
    wanted, seed = (int(word) for word in [*sys.argv[1:], *map(str, (KILLS, SEED)[len(sys.argv) - 1 :])])
    with tempfile.TemporaryDirectory() as directory:
        pool = PersonalPool(Path(directory) / "pool", 4, MASTER_BACKOFF_CONSTANT="0", MASTER_BACKOFF_FACTOR="0.01")
        pool.start()
        kills, number = Kills(pool, seed), 0
        try:
            while (done := sum(kills.struck.values())) < wanted:
                number += 1
                kills.round(number, wanted)
                print(f"round {number}: {done} kills, {kills.jobs} jobs, {len(kills.findings)} findings", flush=True)
        finally:
            pool.stop()
    for finding in kills.findings:
        print(finding)
    print(f"{sum(kills.struck.values())} kills ({', '.join(f'{kind} {n}' for kind, n in kills.struck.items())})")
    print(f"{kills.jobs} jobs: {len(kills.lost)} lost, {len(kills.twice)} twice, {len(kills.wrong)} told wrongly")
    print(f"{len(kills.refused)} submits refused")
    return 1 if kills.findings else 0


if __name__ == "__main__":
    sys.exit(main())
