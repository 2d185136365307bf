"""A job event log of many events, and what reads it.

    tests/campaigns/run load_logs -n 10000000
    tests/campaigns/run load_logs -n 40000 -only condor_wait,JobEventLog

A log is made of jobs with three events each; its first quarter is a log of its own. Each reader takes both. Its CPU
time must grow as the log does, and its peak of memory by no more than its line allows: -slack MB for all, and some
bytes a job for readers that keep something of each. A peak is at least that of this program. Needs no pool; 10,000,000
events take 1.9 GB below the temporary directory, or -place. A reader takes 5 to 40 microseconds of CPU an event.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Campaign, CannotRun, main
from load_watch import MAIN, ROOT, command_cost, guarded, is_linear

_JOBS_A_CLUSTER = 1_000
_DAY = 86_400
#: Seconds of the first event; each event is a tenth of a second later.
_BEGIN = 1_780_000_000


class Reader(NamedTuple):
    """What reads a log: its words, to which the path is added, and the bytes of memory that it may keep for a job."""

    words: tuple[str, ...]
    a_job: int = 0


_BINDINGS = """
import sys
sys.path.insert(0, sys.argv[1])
import condor_py.htcondor as htcondor
count = sum(1 for _ in htcondor.JobEventLog(sys.argv[2]).events(0))
"""
_NODES_LOG = """
import sys
sys.path.insert(0, sys.argv[1])
from condor_py.daemons.dagman.nodeslog import NodesLog
count = sum(1 for _ in NodesLog(sys.argv[2]).read())
"""
_START_OF_SCHEDD = """
import sys
sys.path.insert(0, sys.argv[1])
from condor_py.store.event_log import last_states
last_states(sys.argv[2], [1])
"""


def _tool(*words: str, a_job: int = 0) -> Reader:
    return Reader((sys.executable, "-I", "-S", str(MAIN), *words), a_job)


def _program(text: str) -> Reader:
    return Reader((sys.executable, "-c", text, str(ROOT)))


READERS = {
    "condor_wait": _tool("condor_wait"),
    "condor_wait -status": _tool("condor_wait", "-status"),
    "condor_userlog": _tool("condor_userlog", a_job=500),
    "condor_userlog_job_counter": _tool("condor_userlog_job_counter"),
    "condor_check_userlogs": _tool("condor_check_userlogs", a_job=500),
    "condor_q -userlog": _tool("condor_q", "-userlog", a_job=2_000),
    "condor_history -userlog": _tool("condor_history", "-userlog", a_job=2_000),
    "condor_watch_q": _tool("condor_watch_q", "-exit", "all,done,0", "-exit", "any,done,0", "-files", a_job=300),
    "htcondor eventlog read": _tool("htcondor", "eventlog", "read", a_job=2_000),
    "JobEventLog": _program(_BINDINGS),
    "condor_dagman": _program(_NODES_LOG),
    "start of the schedd": _program(_START_OF_SCHEDD),
}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-only", default="", metavar="A,B", help="these readers (all): " + ", ".join(READERS))
    parser.add_argument("-place", type=Path, help="where the logs go (below the temporary directory)")
    parser.add_argument("-slack", type=float, default=30.0, help="MB that any reader may take more for more (30)")
    parser.add_argument("-limit", type=float, default=3600.0, help="seconds that a reader may take (3600)")


def body(campaign: Campaign) -> None:
    names = campaign.options.only.split(",") if campaign.options.only else list(READERS)
    for name in names:
        if name not in READERS:
            raise CannotRun(f"no reader is called {name}")
    with tempfile.TemporaryDirectory(prefix="load-", dir=campaign.options.place) as folder:
        place = Path(folder)
        jobs = max(4, campaign.size // 3)
        sizes = {jobs // 4: place / "quarter.log", jobs: place / "whole.log"}
        for count, path in sizes.items():
            write_log(path, count)
        campaign.figures["mb"] = round(sizes[jobs].stat().st_size / 1e6, 1)
        for name in names:
            _compare(campaign, name, sizes, place)
        campaign.step(3 * jobs)


def _compare(campaign: Campaign, name: str, sizes: dict[int, Path], place: Path) -> None:
    """Measure a reader with both logs."""
    reader = READERS[name]
    (few, small), (many, large) = sizes.items()
    costs = []
    for path in (small, large):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(place), "CONDOR_CONFIG": "ONLY_ENV"}
        environment |= {"_CONDOR_LOCAL_DIR": str(place / "local"), "COLUMNS": "80"}
        cost = command_cost((*reader.words, str(path)), environment, place, campaign.options.limit)
        if cost.status:
            campaign.found(f"{name}: exit status {cost.status} with {path.name}: {cost.complaint}")
            return
        costs.append(cost)
    before, after = costs
    found = {"cpu_s": [round(one.cpu, 2) for one in costs], "peak_mb": [round(one.peak, 1) for one in costs]}
    campaign.figures[name] = found
    is_linear(campaign, f"{name}: seconds of CPU", before.cpu, after.cpu, many / few)
    room = campaign.options.slack + (many - few) * reader.a_job / 1e6
    if after.peak - before.peak > room:
        campaign.found(f"{name}: {after.peak:.0f} MB at most, {before.peak:.0f} with a quarter of the log")


def write_log(path: Path, jobs: int) -> None:
    """Write an event log of jobs that are submitted, start, and end."""
    with path.open("w") as log:
        for part in _parts(jobs):
            log.write(part)


def _parts(jobs: int) -> Iterator[str]:
    for first in range(0, jobs, _JOBS_A_CLUSTER):
        cluster, count = first // _JOBS_A_CLUSTER + 1, min(_JOBS_A_CLUSTER, jobs - first)
        for kind in (_submit, _execute, _terminate):
            yield "".join(kind(f"({cluster}.{proc:03d}.000) {_stamp(cluster)}") for proc in range(count))


def _stamp(cluster: int) -> str:
    from time import gmtime, strftime

    return strftime("%Y-%m-%d %H:%M:%S", gmtime(_BEGIN + 300 * cluster))


def _submit(head: str) -> str:
    return f"000 {head} Job submitted from host: <127.0.0.1:9618?addrs=127.0.0.1-9618&alias=vm>\n...\n"


def _execute(head: str) -> str:
    host = "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=vm>"
    return f"001 {head} Job executing on host: {host}\n\tSlotName: slot1_1@vm\n...\n"


def _terminate(head: str) -> str:
    lines = ("Run Remote", "Run Local", "Total Remote", "Total Local")
    usage = "".join(f"\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  {line} Usage\n" for line in lines)
    return f"005 {head} Job terminated.\n\t(1) Normal termination (return value 0)\n{usage}...\n"


if __name__ == "__main__":
    sys.exit(main(guarded(body), name="load_logs", about=__doc__, unit="events", size=10_000_000, options=options))
