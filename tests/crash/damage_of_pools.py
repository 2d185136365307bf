"""What must be true of a pool whose spool was damaged while it was down: see ``damage``.

condor_master says that all daemons serve; the tools answer; no log has a traceback. The daemon that owns a log does
what condor_store_check said before, keeps a copy, and names the jobs that it holds. The jobs and customers are those
that ``damage_of_logs`` judges: what opening the log by itself leads to.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from damage import damaged
from damage_of_files import history_log
from damage_of_logs import accounting_log, queue_log

sys.path.append(str(Path(__file__).resolve().parents[1] / "e2e"))

from pool import PersonalPool

from condor_py.daemons.common.service import open_table
from condor_py.model.errors import StoreError
from condor_py.store.accountant_log import AccountantLog
from condor_py.store.history import records_newest_first
from condor_py.store.job_queue import JobQueue

_HELD = re.compile(r"ERROR: .*: job (\d+\.\d+) is held, ")
_DAMAGED = '"The record of this job in the queue was damaged'


def _served(name: str, data: bytes, place: Path, log: str) -> tuple[PersonalPool, list[str]]:
    """A pool that has started with such a file in its spool, and what is wrong about the start; ``log`` is that of the
    daemon that owns the file, "" where there is none."""
    pool = PersonalPool(place / "pool", DAEMON_LIST="MASTER, SCHEDD, NEGOTIATOR")
    pool.spool.mkdir(parents=True)
    path = pool.spool / name
    path.write_bytes(data)
    checked = pool.tool("condor_store_check", check=False)
    told = [line for line in checked.stdout.splitlines() if line.startswith(f"{path}")]
    begun = pool.tool("condor_master", check=False)
    wrong = [] if begun.returncode == 0 else [f"condor_master returns {begun.returncode}: {begun.stdout}{begun.stderr}"]
    wrong += [f"{one} does not serve" for one in ("master", "schedd", "negotiator") if not pool.serves(one)]
    for words in (["condor_q", "-allusers"], ["condor_userprio", "-allusers"], ["condor_history"]):
        done = pool.tool(*words, check=False)
        wrong += [] if done.returncode == 0 else [f"{words[0]} returns {done.returncode}: {done.stderr}"]
    for each in pool.log.iterdir():
        if each.is_file() and "Traceback" in each.read_text("latin-1"):
            wrong.append(f"{each.name} has a traceback")
    if log:
        said = [line for line in (pool.log / log).read_text("latin-1").splitlines() if "ERROR" in line]
        copies = list(pool.spool.glob(f"{name}.damaged*"))
        if not bool(told) is bool(said) is bool(copies):
            wrong.append(f"the check said {told[:2]}, the start {said[:2]}, and kept aside {copies}")
        again = pool.tool("condor_store_check", check=False)
        wrong += [] if again.returncode == 0 else [f"the check after the start: {again.stdout}"]
    return pool, wrong


def _judged(case: Callable[[PersonalPool, list[str]], None], pool: PersonalPool, wrong: list[str]) -> list[str]:
    """Stops the pool whatever comes."""
    try:
        case(pool, wrong)
    finally:
        pool.tool("condor_off", "-fast", "-master", check=False)
        pool.stop()
    return wrong


def schedd(rng: random.Random, place: Path) -> list[str]:
    """One damaged queue."""
    data = damaged(rng, queue_log(rng)).damaged
    alone = place / "job_queue.log"
    alone.write_bytes(data)
    table = open_table(lambda: JobQueue(str(alone), whole=True), str(alone), list[str]().append)
    expected = {str(job): ad.text("HoldReason") or "" for job, ad in table.jobs() if ad.text("JobStatus") not in "34"}
    table.close()
    pool, wrong = _served("job_queue.log", data, place, "SchedLog")

    def look(pool: PersonalPool, wrong: list[str]) -> None:
        rows = pool.queue("ClusterId", "ProcId", "JobStatus", "HoldReason")
        found = {f"{row[0]}.{row[1]}": row[2] for row in rows}
        wrong += [f"job {job} is not shown" for job in expected.keys() - found.keys()]
        wrong += [f"job {job} never was" for job in found.keys() - expected.keys()]
        named = set(_HELD.findall((pool.log / "SchedLog").read_text("latin-1")))
        for job, reason in expected.items():
            if reason.startswith(_DAMAGED) and job not in named:
                wrong.append(f"job {job} is held, and SchedLog does not name it")
            if reason.startswith(_DAMAGED) and found.get(job) != "5":
                wrong.append(f"job {job} is to be held: {found.get(job)}")

    return _judged(look, pool, wrong)


def negotiator(rng: random.Random, place: Path) -> list[str]:
    """One damaged accounting."""
    data = damaged(rng, accounting_log(rng)).damaged
    alone = place / "Accountantnew.log"
    alone.write_bytes(data)
    table = open_table(lambda: AccountantLog(str(alone)), str(alone), list[str]().append)
    expected = set(table.customers())
    table.close()
    pool, wrong = _served("Accountantnew.log", data, place, "NegotiatorLog")

    def look(pool: PersonalPool, wrong: list[str]) -> None:
        rows = pool.tool("condor_userprio", "-allusers", "-af", "Name").stdout.split()
        wrong += [f"{name} is not shown" for name in expected if "@" in name and name not in rows]

    return _judged(look, pool, wrong)


def histories(rng: random.Random, place: Path) -> list[str]:
    """One damaged history."""
    made = place / "made"
    history_log(rng, made)
    data = damaged(rng, made.read_bytes()).damaged
    made.write_bytes(data)
    expected = list(_banners(made))
    pool, wrong = _served("history", data, place, "")

    def look(pool: PersonalPool, wrong: list[str]) -> None:
        rows = [f"{row[0]}.{row[1]}" for row in pool.history("ClusterId", "ProcId")]
        wrong += [f"the record of {job} is not shown" for job in expected if job not in rows]

    return _judged(look, pool, wrong)


def _banners(path: Path) -> Iterator[str]:
    """The jobs of the records that can be read."""
    for record in records_newest_first(str(path)):
        if record.kind() not in ("JOB", "") or not record.text:
            continue  # of another kind by its banner, which is damaged, or nothing is in front of that
        try:
            ad = record.ad()
        except StoreError:
            continue
        yield ".".join(ad.text(name) or "undefined" for name in ("ClusterId", "ProcId"))
