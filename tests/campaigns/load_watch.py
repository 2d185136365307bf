"""What the campaigns of load share: a pool, figures of its daemons over time, and a user who waits for tools.

The figures of a daemon are its memory (PSS, in MB of 1,000,000 bytes), open descriptors, threads and seconds of CPU, as
``/proc`` has them. A ``Watch`` takes them at each ``step`` of a campaign, so that they can be compared with the amount
of work done until then: what grows with the work and never stops is a leak.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
for _place in (ROOT / "tests" / "bench", ROOT / "tests" / "e2e", ROOT):
    if str(_place) not in sys.path:
        sys.path.insert(0, str(_place))

from box import memory_of
from campaign import Campaign
from pool import MAIN, Done, PersonalPool, wait_for
from shared_pool import STRANGER, SharedPool, usable_python

DAEMONS = ("master", "schedd", "negotiator", "startd")
#: MB of memory that a pool offers: jobs request what they do not use.
_MEMORY = 1_000_000
#: Knobs that are no limit here.
_MANY = dict.fromkeys(("MAX_JOBS_PER_SUBMISSION", "MAX_JOBS_PER_OWNER", "MAX_JOBS_SUBMITTED"), "100000000")
#: Figures of memory over time in a report.
_POINTS = 20
#: Jobs that warm a pool.
WARM = 50
#: Share of the work after which a daemon has grown to what it needs.
_WARM = 0.34


class LoadPool(SharedPool):
    """A pool with another user, whose tools start as those of a shell do: the time that they take is of interest."""

    def as_another(self, *words: str) -> Done:
        """Run a tool as the other account, where root runs the campaign, otherwise as the same."""
        if os.geteuid() == 0:
            return self._run_as_stranger(str(MAIN), *words)
        return self._by_itself(words, None, None)


@contextmanager
def load_pool(cpus: int, **knobs: str) -> Iterator[LoadPool]:
    """A running pool in a directory that every account may enter; it is down and gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="load-") as directory:
        os.chmod(directory, 0o755)
        own = {"MEMORY": str(_MEMORY), "MODIFY_REQUEST_EXPR_REQUESTDISK": "RequestDisk"}  # not a GB at least
        pool = LoadPool(Path(directory) / "pool", cpus=cpus, **_MANY, **own, **knobs)
        pool.start()
        try:
            yield pool
        finally:
            pool.stop()


def warm_up(pool: PersonalPool) -> None:
    """Run some jobs, so that daemons have opened and imported what they need for it; return when all is quiet again."""
    pool.submit(f"executable = /bin/true\nshould_transfer_files = no\nrequest_disk = 1\nlog = warm.log\nqueue {WARM}\n")
    pool.wait("warm.log")
    wait_for(lambda: is_quiet(pool), "the warm pool is quiet", 120)


def is_quiet(pool: PersonalPool) -> bool:
    """Whether no job is in the queue and no starter is there."""
    return not pool.queue("ClusterId") and not pool.starters()


# -- processes --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """A process at a moment."""

    pss: float
    descriptors: int
    threads: int
    cpu: float


def figures_of(pid: int) -> Figures:
    """Return the figures of a process. OSError where it has ended."""
    place = Path(f"/proc/{pid}")
    fields = (place / "stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return Figures(
        memory_of((place / "smaps_rollup").read_text()).pss,
        len(os.listdir(place / "fd")),
        int(fields[17]),
        ticks / os.sysconf("SC_CLK_TCK"),
    )


def pss_of(pids: Sequence[int]) -> float:
    """Return the memory of processes in MB, what they share counted once; those that have ended have none."""
    total = 0.0
    for pid in pids:
        with suppress(OSError):
            total += memory_of(Path(f"/proc/{pid}/smaps_rollup").read_text()).pss
    return total


def peak_mb(pid: int) -> float:
    """Return the most resident memory that a process ever had. OSError where it has ended."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def disk_mb(directory: Path) -> float:
    """Return the disk use of a directory, all below it included."""
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            with suppress(OSError):
                total += os.lstat(f"{folder}/{name}").st_blocks * 512
    return total / 1e6


@dataclass
class Watch:
    """Figures of the daemons of a pool, against the amount of work done."""

    pool: PersonalPool
    work: list[int] = field(default_factory=list)
    seen: dict[str, list[Figures]] = field(default_factory=dict)
    disk: list[dict[str, float]] = field(default_factory=list)

    def step(self, done: int) -> None:
        """Take all figures, after so much work."""
        now = {daemon: figures_of(self.pool.pid(daemon)) for daemon in DAEMONS}
        self.work.append(done)
        for daemon, figures in now.items():
            self.seen.setdefault(daemon, []).append(figures)
        places = {"spool": self.pool.spool, "log": self.pool.log, "execute": self.pool.execute}
        self.disk.append({name: round(disk_mb(place), 1) for name, place in places.items()})

    def growth(self, daemon: str) -> float | None:
        """Return the MB by which a daemon grows with each 100,000, once it is warm; None where that cannot be said."""
        warm = [index for index, done in enumerate(self.work) if done >= _WARM * self.work[-1]]
        if len(warm) < 3 or self.work[warm[0]] == self.work[-1]:
            return None
        line = statistics.linear_regression(
            [self.work[index] for index in warm], [self.seen[daemon][index].pss for index in warm]
        )
        return line.slope * 100_000

    def report(self) -> dict[str, object]:
        """Return the figures for the line of JSON: first, last and most of each, and the disk."""
        found: dict[str, object] = {}
        for daemon, figures in self.seen.items():
            pss = [one.pss for one in figures]
            every = max(1, math.ceil(len(pss) / _POINTS))
            found[daemon] = {
                "pss_mb": [round(one, 1) for one in (*pss[:-1:every], pss[-1])],
                "most_mb": round(max(pss), 1),
                "descriptors": [figures[0].descriptors, max(one.descriptors for one in figures)],
                "threads": [figures[0].threads, max(one.threads for one in figures)],
                "cpu_s": round(figures[-1].cpu - figures[0].cpu, 2),
            }
        found["disk_mb"] = {name: [one[name] for one in (self.disk[0], self.disk[-1])] for name in self.disk[0]}
        return found

    def judge(self, campaign: Campaign, most_mb: float = 0.0, least_work: float = math.inf) -> None:
        """Note descriptors and threads that stay, and each daemon that grows by more than ``most_mb`` with 100,000.
        Less than ``least_work`` says nothing of growth."""
        for daemon, figures in self.seen.items():
            growth = self.growth(daemon) if self.work[-1] >= least_work else None
            if growth is not None:
                campaign.figures[f"{daemon}_mb_per_100000"] = round(growth, 2)
                if growth > most_mb:
                    campaign.found(f"the {daemon} grows by {growth:.1f} MB with each 100,000")
            half = figures[: max(1, len(figures) // 2)]
            left = figures[-1].descriptors - max(one.descriptors for one in half)
            if left > _FEW:
                campaign.found(f"the {daemon} has {left} more descriptors open than at work before")
            more = figures[-1].threads - figures[0].threads
            if more > 0:
                campaign.found(f"the {daemon} has {more} more threads than before")


#: Descriptors that an idle daemon may have more than one at work: files that it opens on first use.
_FEW = 4


# -- users ------------------------------------------------------------------------------------------------------------


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that such a share of all does not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


class User(threading.Thread):
    """Another user, who runs ``condor_q``, ``condor_submit`` of one job and ``condor_status``, with a pause of
    ``every`` seconds between; another account where root runs the campaign, otherwise another process of the same."""

    COMMANDS = (("condor_q",), ("condor_status",), ("condor_submit", "-terse", "one.sub"))

    def __init__(self, pool: LoadPool, campaign: Campaign, every: float) -> None:
        super().__init__(daemon=True)
        self._pool, self._campaign, self._every = pool, campaign, every
        self._ended = threading.Event()
        self.took: dict[str, list[float]] = {words[0]: [] for words in self.COMMANDS}
        self.submitted = 0
        place = pool.theirs if os.geteuid() == 0 else pool.work
        text = "executable = /bin/true\nshould_transfer_files = no\nrequest_disk = 1\nqueue\n"
        (place / "one.sub").write_text(text)

    def run(self) -> None:
        while True:
            for words in self.COMMANDS:
                self._once(words)
            if self._ended.wait(self._every):
                return

    def _once(self, words: Sequence[str]) -> None:
        begin = time.perf_counter()
        done = self._pool.as_another(*words)
        self.took[words[0]].append(time.perf_counter() - begin)
        if done.returncode:
            self._campaign.found(f"{words[0]} of another user: {(done.stderr or done.stdout).strip()[:300]}")
        elif words[0] == "condor_submit":
            self.submitted += 1

    def end(self) -> None:
        """Return when the last command has ended."""
        self._ended.set()
        self.join(180)

    def report(self, goal: float) -> None:
        """Put the latencies among the figures; note those whose p99 is above ``goal`` seconds."""
        for name, took in self.took.items():
            p50, p99 = percentile(took, 0.5), percentile(took, 0.99)
            figures = {"times": len(took), "p50": p50, "p99": p99, "max": max(took, default=0.0)}
            self._campaign.figures[name] = {word: round(value, 3) for word, value in figures.items()}
            if p99 > goal:
                self._campaign.found(f"{name} of another user took {p99:.2f} s (p99), more than {goal:g}")


@contextmanager
def working_user(pool: LoadPool, campaign: Campaign) -> Iterator[User]:
    """Have another user work meanwhile."""
    user = User(pool, campaign, campaign.options.pause)
    user.start()
    try:
        yield user
    finally:
        user.end()
    user.report(campaign.options.goal)


# -- files ------------------------------------------------------------------------------------------------------------


class Follower:
    """Counts lines that begin with some bytes in a log that grows, and reads each byte once."""

    def __init__(self, path: Path, heads: Sequence[bytes]) -> None:
        self._path, self._place, self._rest = path, 0, b"\n"
        self.counts = dict.fromkeys(heads, 0)

    def look(self) -> dict[bytes, int]:
        """Return the numbers until now."""
        if self._path.exists():
            with self._path.open("rb") as log:
                log.seek(self._place)
                while block := log.read(1 << 20):
                    self._place += len(block)
                    text = self._rest + block
                    whole, newline, rest = text.rpartition(b"\n")
                    for head in self.counts:
                        self.counts[head] += (whole + newline).count(b"\n" + head)
                    self._rest = newline + rest
        return self.counts


class Cost(NamedTuple):
    """What a command took: seconds of CPU and from start to end, its peak of memory in MB, its exit status, and the end
    of what it complained about."""

    cpu: float
    wall: float
    peak: float
    status: int
    complaint: str


def command_cost(command: Sequence[str], environment: dict[str, str], cwd: Path, limit: float = 3600) -> Cost:
    """Run a command, whose output is thrown away. It is killed after ``limit`` seconds."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        it = subprocess.Popen(
            command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
        )
        timer = threading.Timer(limit, it.kill)
        timer.start()
        try:
            _, status, usage = os.wait4(it.pid, 0)
        except BaseException:
            it.kill()
            raise
        finally:
            timer.cancel()
        it.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        complaint = errors.read().decode(errors="replace").strip()[-500:]
    took = time.perf_counter() - begin
    return Cost(usage.ru_utime + usage.ru_stime, took, usage.ru_maxrss * 1024 / 1e6, it.returncode, complaint)


#: Seconds or MB below which a cost says nothing of its growth.
_CLEAR = 0.2


def is_linear(campaign: Campaign, what: str, small: float, large: float, times: float, most: float = 1.6) -> None:
    """Note a cost that grew by more than ``most`` times the growth of the work."""
    if small > _CLEAR and large > small * times * most:
        campaign.found(f"{what}: {large:.2f} where {small:.2f} times {times:g} is expected")


def guarded(body: Callable[[Campaign], None]) -> Callable[[Campaign], None]:
    """A body of a campaign in which a tool that fails, or a time that is over, is a finding and ends it."""

    def run(campaign: Campaign) -> None:
        try:
            body(campaign)
        except AssertionError as error:
            campaign.found(str(error)[:2000])

    return run


def user_options(parser: argparse.ArgumentParser) -> None:
    """Options of campaigns in which another user works."""
    parser.add_argument("-goal", type=float, default=1.0, help="seconds of p99 for tools of another user (1)")
    parser.add_argument("-pause", type=float, default=1.0, help="seconds between the tools of another user (1)")


__all__ = ["MAIN", "STRANGER", "PersonalPool", "SharedPool", "usable_python", "wait_for"]
