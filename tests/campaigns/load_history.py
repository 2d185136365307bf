"""A history of many jobs, and what reads it.

    tests/campaigns/run load_history -n 10000000
    tests/campaigns/run load_history -n 20000 -only limit,since

Records are those of a pool: of 8 jobs that it runs, copied with numbers and times of their own. The first quarter is a
history of its own. Each question is asked of both. One that can stop early must take no longer where there is more, and
give its first line soon (-soon); one that reads everything must take time as the records are more, and the memory of no
more than -slack MB. A record takes 3 to 4 kB below the temporary directory, or -place: 10,000,000 take 35 GB.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Campaign, CannotRun, main
from load_watch import MAIN, command_cost, guarded, is_linear, load_pool, wait_for

_KINDS = 8
_JOBS_A_CLUSTER = 1_000
_BEGIN = 1_700_000_000
_ROTATED = 20_000_000


class Question(NamedTuple):
    """The words of a question; whether it may stop before the end of the history."""

    words: tuple[str, ...]
    stops: bool = False


def questions(jobs: int) -> dict[str, Question]:
    """Return the questions about a history of so many jobs."""
    first, last = (f"{cluster}.0" for cluster in (1, (jobs - 1) // _JOBS_A_CLUSTER + 1))
    asked = {
        "limit": Question(("-limit", "5"), True),
        "limit -forwards": Question(("-forwards", "-limit", "5"), True),
        "since": Question(("-since", last, "-af", "ClusterId"), True),
        "since a date": Question(("-since", f"CompletionDate < {_BEGIN + jobs - 50}", "-af", "ClusterId"), True),
        "the last job": Question((last,), True),
        "the first job": Question((first,)),
        "constraint": Question(("-constraint", "ProcId == 7", "-af", "ClusterId")),
        "backwards": Question(("-af", "ClusterId", "ProcId")),
        "forwards": Question(("-forwards", "-af", "ClusterId", "ProcId")),
        "completedsince": Question(("-completedsince", str(_BEGIN + jobs - 50), "-af", "ClusterId")),
        "constraint of none": Question(("-constraint", "ExitCode =!= 0", "-limit", "1")),
    }
    return {name: question._replace(words=("condor_history", *question.words)) for name, question in asked.items()}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-only", default="", metavar="A,B", help="these questions (all): " + ", ".join(questions(1)))
    parser.add_argument("-place", type=Path, help="where the histories go (below the temporary directory)")
    parser.add_argument("-slack", type=float, default=30.0, help="MB that a question may take more for more (30)")
    parser.add_argument("-soon", type=float, default=1.0, help="seconds of CPU of a question that may stop (1)")
    parser.add_argument("-limit", type=float, default=7200.0, help="seconds that a question may take (7200)")


def body(campaign: Campaign) -> None:
    wanted = campaign.options.only.split(",") if campaign.options.only else list(questions(1))
    for name in wanted:
        if name not in questions(1):
            raise CannotRun(f"no question is called {name}")
    with tempfile.TemporaryDirectory(prefix="load-", dir=campaign.options.place) as folder:
        jobs = max(4 * _KINDS, campaign.size)
        places = {count: Path(folder) / str(count) for count in (jobs // 4, jobs)}
        samples = _samples()
        for count, place in places.items():
            write_history(place, samples, count)
        campaign.figures["gb"] = round(sum(path.stat().st_size for path in places[jobs].iterdir()) / 1e9, 2)
        for name in wanted:
            _compare(campaign, name, places)
        campaign.step(jobs)


def _samples() -> list[str]:
    """Return records of jobs that a pool has run, banner included."""
    with load_pool(2) as pool:
        text = "executable = /bin/true\narguments = $(Process)\nshould_transfer_files = no\nrequest_disk = 1\n"
        pool.submit(f"{text}output = out.$(Process)\nerror = err.$(Process)\nlog = log\nqueue {_KINDS}\n")
        pool.wait("log")
        wait_for(lambda: len(pool.history("ProcId")) == _KINDS, "the jobs are in the history")
        return re.findall(r".*?^\*\*\* [^\n]*\n", (pool.spool / "history").read_text(), re.MULTILINE | re.DOTALL)


def write_history(place: Path, samples: list[str], jobs: int) -> None:
    """Write a history with rotated files into a directory."""
    place.mkdir()
    forms = [_form(sample) for sample in samples]
    size = before = 0
    file = (place / "history").open("w")
    for job in range(jobs):
        cluster, proc, when = job // _JOBS_A_CLUSTER + 1, job % _JOBS_A_CLUSTER, _BEGIN + job
        text, banner = forms[job % len(forms)]
        ad = text % {"cluster": cluster, "proc": proc, "when": when}
        last = f"*** Offset = {before} ClusterId = {cluster} ProcId = {proc} {banner % {'when': when}}"
        file.write(ad + last)
        before, size = size + len(ad), size + len(ad) + len(last)
        if size > _ROTATED and job < jobs - 1:
            file.close()
            stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(when))
            (place / "history").rename(place / f"history.{stamp}")
            size = before = 0
            file = (place / "history").open("w")
    file.close()


def _form(sample: str) -> tuple[str, str]:
    """Return the record with places for what differs, and what its banner has behind the numbers."""
    head, _, banner = sample.rpartition("*** Offset = ")
    ad = head.replace("%", "%%")
    for name, place in (("ClusterId", "cluster"), ("ProcId", "proc"), ("CompletionDate", "when"), ("QDate", "when")):
        ad = re.sub(rf"^{name} = .*$", f"{name} = %({place})d", ad, flags=re.MULTILINE)
    rest = banner.partition(" ProcId = ")[2].partition(" ")[2].replace("%", "%%")
    return ad, re.sub(r"(CompletionDate|CurrentTime) = \d+", r"\1 = %(when)d", rest)


def _compare(campaign: Campaign, name: str, places: dict[int, Path]) -> None:
    """Ask a question of both histories."""
    costs = []
    (few, _), (many, _) = places.items()
    for jobs, place in places.items():
        question = questions(jobs)[name]
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(place.parent), "CONDOR_CONFIG": "ONLY_ENV"}
        environment |= {"_CONDOR_LOCAL_DIR": str(place.parent / "local"), "_CONDOR_HISTORY": str(place / "history")}
        command = (sys.executable, "-I", "-S", str(MAIN), *question.words)
        cost = command_cost(command, environment, place, campaign.options.limit)
        if cost.status:
            campaign.found(f"{name}: exit status {cost.status} with {jobs} jobs: {cost.complaint}")
            return
        costs.append(cost)
    before, after = costs
    campaign.figures[name] = {"cpu_s": [round(one.cpu, 2) for one in costs],
                              "peak_mb": [round(one.peak, 1) for one in costs]}  # fmt: skip
    if question.stops:
        if after.cpu > campaign.options.soon:
            campaign.found(f"{name}: {after.cpu:.2f} seconds of CPU, although it may stop early")
    else:
        is_linear(campaign, f"{name}: seconds of CPU", before.cpu, after.cpu, many / few)
    if after.peak - before.peak > campaign.options.slack:
        campaign.found(f"{name}: {after.peak:.0f} MB at most, {before.peak:.0f} with a quarter of the history")


if __name__ == "__main__":
    sys.exit(main(guarded(body), name="load_history", about=__doc__, unit="jobs", size=10_000_000, options=options))
