"""Memory of the schedd after many jobs have left: what it keeps of them."""

from __future__ import annotations

import time
from collections.abc import Iterator

from peers import HTCondor, boxes_missing, company_of
from table import Row

from rows.common import lines_in, memory_mb, pool_of, submit, wait_for

_JOBS, _QUICK_JOBS = 100_000, 1_000


def ours(jobs: int) -> tuple[float, float, float]:
    """Return the MB of our schedd before the jobs, with them, and after they have left."""
    with pool_of() as pool:
        empty = memory_mb(pool.pid("schedd"))
        submit(pool, jobs, 10, "requirements = false")
        wait_for(lambda: lines_in(pool.work / "many.log", b"000 (") >= jobs, "the schedd has seen them", 300)
        held = memory_mb(pool.pid("schedd"))
        pool.tool("condor_rm", "-all")
        wait_for(lambda: lines_in(pool.work / "many.log", b"009 (") >= jobs, "they have left", 600)
        wait_for(lambda: not pool.queue("ClusterId"), "the queue is empty", 600)
        time.sleep(2)
        return empty, held, memory_mb(pool.pid("schedd"))


def theirs(peer: HTCondor, jobs: int) -> tuple[float, float]:
    """Return the MB of HTCondor's schedd with the jobs, and after they have left."""
    log = peer.box.work / "many.log"
    text = f"executable = /bin/true\nlog = many.log\nrequirements = false\nqueue {jobs}\n"
    (peer.box.work / "many.sub").write_text(text)
    peer.submit_file("many.sub")
    wait_for(lambda: lines_in(log, b"000 (") >= jobs, "it has seen them", 300)
    held = memory_mb(_schedd(peer))
    peer.tool("condor_rm -all >said")
    wait_for(lambda: lines_in(log, b"009 (") >= jobs, "they have left", 600)
    time.sleep(2)
    return held, memory_mb(_schedd(peer))


def _schedd(peer: HTCondor) -> int:
    return next(pid for pid, line in peer.box.commands() if line.startswith("condor_schedd"))


def rows(quick: bool) -> Iterator[Row]:
    jobs = _QUICK_JOBS if quick else _JOBS
    empty, held, left = ours(jobs)
    work = f"memory of the schedd after {jobs:,} jobs have left"
    yield Row(work, left, "MB", None, empty, "before them")
    if reason := boxes_missing():
        yield Row(f"{work}, and HTCondor", left, "MB", missing=reason)
        return
    found = None
    with company_of(8, [HTCondor]) as company:
        for peer in company.here:
            assert isinstance(peer, HTCondor)
            found = company.attempt(peer, lambda peer=peer: theirs(peer, jobs))
    if found is not None:
        yield Row(f"memory of the schedd with {jobs:,} jobs, and HTCondor", held, "MB", None, found[0], "HTCondor")
        yield Row(f"{work}, and HTCondor", left, "MB", None, found[1], "HTCondor")
    for name, reason in company.absent.items():
        yield Row(f"{work}, and {name}", left, "MB", missing=reason)
