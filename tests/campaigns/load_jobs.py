"""Many jobs through one pool, in waves, while another user works with the tools.

    tests/campaigns/run load_jobs -n 1000000

Jobs are /bin/true, submitted in clusters of -wave jobs, of which -ahead wait at most. Looked for: a daemon that grows
with the number of jobs that it has run (-leak), descriptors and threads that stay, files left in EXECUTE and SPOOL, a
history (with its rotated files) that lacks a job or has one twice, an event log that does, and a user whose tools are
slow meanwhile (-goal; of meaning on a machine with nothing else to do). Root has the other user be the account nobody.
A job takes 2 to 5 ms of CPU; 1,000,000 of them 3 GB of history, below the temporary directory.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Campaign, main
from load_watch import (
    WARM,
    Follower,
    SharedPool,
    Watch,
    guarded,
    is_quiet,
    load_pool,
    user_options,
    wait_for,
    warm_up,
    working_user,
)

_BANNER = re.compile(rb"^\*\*\* Offset = \d+ ClusterId = (\d+) ProcId = (\d+) ", re.MULTILINE)
_ENDED, _OTHER_ENDS = b"005 (", (b"009 (", b"012 (")
#: Seconds that a wave may take.
_PATIENCE = 3600
#: Jobs below which growth says nothing: daemons are not warm yet, and remember what they may.
_LEAST = 300_000


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-wave", type=int, default=5_000, help="jobs of a cluster (5000)")
    parser.add_argument("-ahead", type=int, default=2, help="clusters in the queue at a time (2)")
    parser.add_argument("-cpus", type=int, default=8, help="slots of the pool (8)")
    user_options(parser)
    parser.add_argument("-leak", type=float, default=5.0, help="MB by which a daemon may grow with 100,000 jobs (5)")


def body(campaign: Campaign) -> None:
    asked = campaign.options
    with load_pool(asked.cpus, MAX_HISTORY_ROTATIONS="1000000") as pool:
        warm_up(pool)
        watch = Watch(pool)
        watch.step(0)
        with working_user(pool, campaign) as user:
            jobs = Waves(pool, campaign, watch).run()
        wait_for(lambda: is_quiet(pool), "the queue is empty, and all claims have gone", 300)
        watch.step(campaign.done)
        campaign.figures |= watch.report()
        watch.judge(campaign, asked.leak, _LEAST)
        _check_history(pool, campaign, jobs, user.submitted + WARM)
        _check_left(pool, campaign)


class Waves:
    """Clusters of jobs, one after the other."""

    def __init__(self, pool: SharedPool, campaign: Campaign, watch: Watch) -> None:
        self._pool, self._campaign, self._watch = pool, campaign, watch
        self._open: dict[int, tuple[int, Follower]] = {}
        self._ended: dict[int, int] = {}

    def run(self) -> dict[int, int]:
        """Return cluster -> number of its jobs, when all of them have ended."""
        left = self._campaign.size
        while left or self._open:
            while left and len(self._open) < self._campaign.options.ahead:
                left -= self._submit(min(left, self._campaign.options.wave))
            wait_for(self._has_ended, lambda: f"a wave ends; {self._state()}", _PATIENCE)
            self._watch.step(self._campaign.done)
        return self._ended

    def _submit(self, jobs: int) -> int:
        text = "executable = /bin/true\nshould_transfer_files = no\nrequest_disk = 1\nlog = wave.$(ClusterId).log\n"
        cluster = self._pool.submit(f"{text}queue {jobs}\n")
        log = self._pool.work / f"wave.{cluster}.log"
        self._open[cluster] = jobs, Follower(log, (_ENDED, *_OTHER_ENDS))
        return jobs

    def _has_ended(self) -> bool:
        """Whether a cluster has; it is checked then, and its log removed."""
        for cluster, (jobs, log) in tuple(self._open.items()):
            if log.look()[_ENDED] < jobs:
                continue
            if log.counts != {_ENDED: jobs, _OTHER_ENDS[0]: 0, _OTHER_ENDS[1]: 0}:
                self._campaign.found(f"cluster {cluster} of {jobs} jobs has events {log.counts}")
            del self._open[cluster]
            self._ended[cluster] = jobs
            (self._pool.work / f"wave.{cluster}.log").unlink()
            self._campaign.step(jobs)
            return True
        return False

    def _state(self) -> str:
        return ", ".join(f"cluster {cluster}: {log.counts}" for cluster, (_, log) in self._open.items())


def histories(pool: SharedPool) -> list[Path]:
    """Return the history and its rotated files."""
    return sorted(pool.spool.glob("history*"))


def recorded(paths: list[Path]) -> Iterator[tuple[int, int]]:
    """Yield the job of each record of some histories."""
    for path in paths:
        with path.open("rb") as lines:
            for line in lines:
                if line.startswith(b"*** Offset") and (found := _BANNER.match(line)):
                    yield int(found[1]), int(found[2])


def _check_history(pool: SharedPool, campaign: Campaign, jobs: dict[int, int], others: int) -> None:
    """Every job is recorded once, and those of the other user are."""
    paths = histories(pool)
    campaign.figures["histories"] = len(paths)

    def counts() -> Counter[tuple[int, int]]:
        return Counter(recorded(paths))

    wait_for(lambda: counts().total() >= sum(jobs.values()) + others, lambda: f"{counts().total()} are recorded", 60)
    found = counts()
    twice = [job for job, count in found.items() if count > 1]
    lost = [f"{cluster}.{proc}" for cluster, many in jobs.items() for proc in range(many) if not found[cluster, proc]]
    if twice:
        campaign.found(f"{len(twice)} jobs are recorded twice, the first {twice[0]}")
    if lost:
        campaign.found(f"{len(lost)} jobs are not recorded, the first {lost[0]}")
    strange = found.total() - sum(jobs.values()) - others
    if strange:
        campaign.found(f"{strange} more records than jobs")


def _check_left(pool: SharedPool, campaign: Campaign) -> None:
    """Nothing of a job is left in EXECUTE and SPOOL once its claims have gone."""

    def left() -> list[str]:
        found = [path for path in pool.execute.iterdir() if path.name.startswith("dir_")]
        found += [path for path in pool.spool.iterdir() if path.name.isdecimal() or path.name.startswith("cluster")]
        return [str(path) for path in found]

    try:
        wait_for(lambda: not left(), "nothing is left of jobs", 120)
    except AssertionError:
        campaign.found(f"left of jobs: {left()[:20]}")


if __name__ == "__main__":
    sys.exit(main(guarded(body), name="load_jobs", about=__doc__, unit="jobs", size=1_000_000, options=options))
