"""Memory of one starter, and of many jobs that run: what processes share is counted once (PSS), or in each (RSS).

Jobs are ``sleep``; a running job's share is what the system has with them, less what it had before, by their number.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from box import Memory
from peers import PEERS, Ours, Peer, Work, boxes_missing, company_of, wait_for
from table import Row, Skipped

_OURS, _THEIRS, _QUICK = 500, 50, 5
_SLEEP = ("/bin/sleep", "1000")


def jobs_of(peer: Peer) -> set[int]:
    """Return the processes that are jobs."""
    return {pid for pid, line in peer.box.commands() if line == " ".join(_SLEEP)}


def run(peer: Peer, jobs: int, name: str) -> Memory:
    """Have so many more jobs run; the memory of all of the system then."""
    before = len(jobs_of(peer))
    peer.submit(Work(name, jobs, _SLEEP))
    wait_for(lambda: len(jobs_of(peer)) == before + jobs, f"{jobs} jobs run", 300)
    time.sleep(2)
    return peer.box.memory()


def parents(pids: set[int]) -> set[int]:
    """Return the parents of processes."""
    return {int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) for pid in pids}


def a_job(idle: Memory, busy: Memory, jobs: int) -> float:
    """Return the MB that a running job takes, what is shared counted once."""
    return (busy.pss - idle.pss) / jobs


def _ours(jobs: int) -> tuple[list[Row], float]:
    """Return rows of ours, and the MB that a running job takes."""
    with company_of(jobs + 1, [Ours]) as company:
        (peer,) = company.here
        peer.burst(Work("warm", 1))
        run(peer, 1, "one")
        starter = peer.box.memory(parents(jobs_of(peer)))
        idle = peer.box.memory()
        busy = run(peer, jobs, "many")
    found = [
        Row("memory of one starter, shared once and in full", starter.pss, "MB", None, starter.rss, "in full"),
        Row(f"memory of {jobs} running jobs and daemons, the same", busy.pss, "MB", None, busy.rss, "in full"),
    ]
    return found, a_job(idle, busy, jobs)


def rows(quick: bool) -> Iterator[Row]:
    if reason := boxes_missing():
        raise Skipped(reason)
    found, share = _ours(_QUICK if quick else _OURS)
    yield from found
    jobs = _QUICK if quick else _THEIRS
    kinds = [kind for kind in PEERS if kind.queues and kind is not Ours]
    with company_of(jobs, kinds) as company:
        theirs = company.at_once(lambda peer: _share(peer, peer.share(Work("", jobs)).jobs))
    for kind in kinds:
        what = f"memory a running job, and {kind.name} ({min(jobs, kind.most or jobs)} jobs)"
        if kind.name in theirs:
            yield Row(what, share, "MB", None, theirs[kind.name], kind.name)
        elif kind.name in company.absent:
            yield Row(what, share, "MB", missing=company.absent[kind.name])


def _share(peer: Peer, jobs: int) -> float:
    """Return the MB that a running job of a peer takes."""
    peer.burst(Work("warm", 1))
    time.sleep(2)
    idle = peer.box.memory()
    return a_job(idle, run(peer, jobs, "many"), jobs)
