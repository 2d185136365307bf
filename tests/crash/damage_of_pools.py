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
from typing import NamedTuple

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


class Damaged(NamedTuple):
    """A damaged file of a spool. ``log`` is that of the daemon that owns it, "" where there is none; ``look`` returns
    what is wrong with a pool that runs with it, a line each."""

    name: str
    data: bytes
    log: str
    look: Callable[[PersonalPool], list[str]]


def judged(files: list[Damaged], place: Path) -> list[str]:
    """Start a pool with such files in its spool; return what is wrong, a line each."""
    pool = PersonalPool(place / "pool", DAEMON_LIST="MASTER, SCHEDD, NEGOTIATOR")
    pool.spool.mkdir(parents=True)
    for file in files:
        (pool.spool / file.name).write_bytes(file.data)
    try:
        wrong = _started(pool, files)
        return wrong + [line for file in files for line in file.look(pool)]
    finally:
        pool.tool("condor_off", "-fast", "-master", check=False)
        pool.stop()


def _started(pool: PersonalPool, files: list[Damaged]) -> list[str]:
    """Start the pool; return what is wrong about the start."""
    checked = pool.tool("condor_store_check", check=False).stdout.splitlines()
    begun = pool.tool("condor_master", check=False)
    wrong = [] if begun.returncode == 0 else [f"condor_master returns {begun.returncode}: {begun.stdout}{begun.stderr}"]
    wrong += [f"{one} does not serve" for one in ("master", "schedd", "negotiator") if not pool.serves(one)]
    for words in (["condor_q", "-allusers"], ["condor_userprio", "-allusers"], ["condor_history"]):
        done = pool.tool(*words, check=False)
        wrong += [] if done.returncode == 0 else [f"{words[0]} returns {done.returncode}: {done.stderr}"]
    for each in pool.log.iterdir():
        if each.is_file() and "Traceback" in each.read_text("latin-1"):
            wrong.append(f"{each.name} has a traceback")
    owned = [file for file in files if file.log]
    for file in owned:
        told = [line for line in checked if line.startswith(f"{pool.spool / file.name}")]
        said = [line for line in (pool.log / file.log).read_text("latin-1").splitlines() if "ERROR" in line]
        copies = list(pool.spool.glob(f"{file.name}.damaged*"))
        if not bool(told) is bool(said) is bool(copies):
            wrong.append(f"the check said {told[:2]}, the start {said[:2]}, and kept aside {copies}")
    if owned:
        again = pool.tool("condor_store_check", check=False)
        wrong += [] if again.returncode == 0 else [f"the check after the start: {again.stdout}"]
    return wrong


def schedd(rng: random.Random, place: Path) -> Damaged:
    """One damaged queue."""
    data = damaged(rng, queue_log(rng)).damaged
    alone = place / "job_queue.log"
    alone.write_bytes(data)
    table = open_table(lambda: JobQueue(str(alone), whole=True), str(alone), list[str]().append)
    expected = {str(job): ad.text("HoldReason") or "" for job, ad in table.jobs() if ad.text("JobStatus") not in "34"}
    table.close()

    def look(pool: PersonalPool) -> list[str]:
        rows = pool.queue("ClusterId", "ProcId", "JobStatus", "HoldReason")
        found = {f"{row[0]}.{row[1]}": row[2] for row in rows}
        wrong = [f"job {job} is not shown" for job in expected.keys() - found.keys()]
        wrong += [f"job {job} never was" for job in found.keys() - expected.keys()]
        named = set(_HELD.findall((pool.log / "SchedLog").read_text("latin-1")))
        for job, reason in expected.items():
            if reason.startswith(_DAMAGED) and job not in named:
                wrong.append(f"job {job} is held, and SchedLog does not name it")
            if reason.startswith(_DAMAGED) and found.get(job) != "5":
                wrong.append(f"job {job} is to be held: {found.get(job)}")
        return wrong

    return Damaged("job_queue.log", data, "SchedLog", look)


def negotiator(rng: random.Random, place: Path) -> Damaged:
    """One damaged accounting."""
    data = damaged(rng, accounting_log(rng)).damaged
    alone = place / "Accountantnew.log"
    alone.write_bytes(data)
    table = open_table(lambda: AccountantLog(str(alone)), str(alone), list[str]().append)
    expected = set(table.customers())
    table.close()

    def look(pool: PersonalPool) -> list[str]:
        rows = pool.tool("condor_userprio", "-allusers", "-af", "Name").stdout.split()
        return [f"{name} is not shown" for name in expected if "@" in name and name not in rows]

    return Damaged("Accountantnew.log", data, "NegotiatorLog", look)


def histories(rng: random.Random, place: Path) -> Damaged:
    """One damaged history."""
    made = place / "made"
    history_log(rng, made)
    data = damaged(rng, made.read_bytes()).damaged
    made.write_bytes(data)
    expected = list(_banners(made))

    def look(pool: PersonalPool) -> list[str]:
        rows = [f"{row[0]}.{row[1]}" for row in pool.history("ClusterId", "ProcId")]
        return [f"the record of {job} is not shown" for job in expected if job not in rows]

    return Damaged("history", data, "", look)


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
