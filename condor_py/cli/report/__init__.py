"""condor_report (ours): a page about the use of the machine over a time, in one file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import Opt, ToolSpec, parse
from condor_py.cli.report.advice import advice
from condor_py.cli.report.figures import Amounts, Cut, Figures
from condor_py.cli.waiting.rows import Row

if TYPE_CHECKING:
    from condor_py.cli.times import Period
    from condor_py.client.pool import Pool

_JSON = """\
-json prints one object. Times are Unix seconds, wall, cores, cpu and memory_... are hours, core-hours and
gigabyte-hours, and what entitlement and quotas tell of are slot weight hours.

jobs, users, groups       sums over the jobs that left the queue, of all, by user, by accounting group
waiting                   jobs that had started, and the seconds that they had waited: median, most (9 of 10), worst
waiting_now               jobs that wait when the report is made: owner, batch, jobs, since and why
runs, run_core_hours      runs that ended, and what runs used in this time
cut_short, holds          reasons with code, count, core-hours and a job for example; every_hold: holds, not jobs
entitlement, quotas       by submitter and by group: used, asked, entitled, due, waiting seconds, slots lost
batches                   the largest of the clusters of several jobs that ended last, and what became of their runs
drains                    begin, end and slot weight hours
advice                    what users could ask for instead, what frees most first
over_time                 cores in use (mean) and jobs that ended, by user, in bins of seconds from begin on, which is
                          the first record where that is later than since
notes                     what is not on record

With -sizes: groups by owner, batch and program; memory and disk in megabytes, cpus and gpus in units, time in seconds
(asked: what the job is allowed), each with what the parts 50, 90 and 99 of 100 jobs did not exceed and the most (max),
and not_used in gigabyte-, core- or GPU-hours; requests: command, value, per cent of jobs that fit, how many times as
many run at once, and how many jobs had more than they asked for (over)."""

_SPEC = ToolSpec(
    name="condor_report",
    usage="[-sizes] [-last LENGTH | -since TIME -until TIME] [-user NAME] [-batch NAME] [-json] [-o FILE]",
    summary="Write a report about the use of the machine, as one HTML file.",
    description=(
        "Use against entitlement by user and group, waiting times, efficiency with advice, failures and hold reasons, "
        "cores in use over time, evictions and drains: charts with a table each, in one page that loads "
        "nothing. It reads the history, the records of runs and those of negotiation cycles, and needs no daemon. "
        "Without -last, -since and -until it is about the last week. With -sizes it prints tables in place of the "
        "page: what the completed jobs of each owner, batch and program asked for and used, and the requests that "
        "would have done, found as for request_memory = auto (AUTO_REQUEST_QUANTILE, AUTO_REQUEST_HEADROOM)."
    ),
    options=(
        Opt("last", 1, "LENGTH", "the time up to now: day, week, month, or a length such as 12h or 3d"),
        Opt("since", 1, "TIME", "from then on: a day (2026-11-21), a time (2026-11-21T18:00), 3d, Unix seconds"),
        Opt("until", 3, "TIME", "up to then (not included); now without it"),
        Opt("user", 2, "NAME", "only the jobs of this user (me: your own)"),
        Opt("sizes", 3, help="requests against use, as text, and the requests that would have done"),
        Opt("batch", 1, "NAME", "only the jobs of this batch: a batch name, a program, or a cluster number"),
        Opt("json", 1, help="the same figures, and all of them, as JSON"),
        Opt("o", 1, "FILE", "write into FILE, which is never seen half written", takes="file"),
        VERSION,
        HELP,
    ),
    examples=(
        ("condor_report -o week.html", "the last week, to be opened in any browser"),
        ("condor_report -last month -user me -o mine.html", "one's own jobs"),
        ("condor_report -sizes -user me", "what one's own jobs could ask for"),
        ("condor_report -since 2026-11-01 -until 2026-12-01 -json", "the figures of November, for a program"),
    ),
    sections=(("JSON", _JSON),),
    exit_status="0, 1 when something cannot be read or the file not written.",
    see_also=("condor_history", "condor_userprio", "condor_metrics"),
)  # fmt: skip
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_report."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    from condor_py.cli.report.figures import Figures
    from condor_py.cli.report.gather import Gathering, first_record
    from condor_py.cli.times import period
    from condor_py.client.pool import open_pool

    pool = open_pool()
    now = pool.now()
    asked = period("condor_report", args.text("since"), args.text("until"), args.text("last"), now)
    owner, batch, path = args.text("user"), args.text("batch"), args.text("o")
    owner = pool.owner if owner == "me" else owner
    if args.has("sizes"):
        return _put(path, _sizes(pool, asked, owner, batch, args.has("json")))
    figures = Figures(asked, owner, batch, first_record(pool))
    Gathering(pool, figures, asked_at=now).everything()
    host = pool.settings.host
    if args.has("json"):
        shown = text(figures, host, now)
    else:
        from condor_py.cli.report.page import page

        shown = page(figures, host)
    return _put(path, shown)


def _put(path: str | None, shown: str) -> int:
    if path is None:
        sys.stdout.write(shown)
    else:
        from condor_py.cli.output.files import replace

        replace("condor_report", path, shown)
    return 0


def _sizes(pool: Pool, period: Period, owner: str | None, batch: str | None, as_json: bool) -> str:
    """Requests against use: a table, or one JSON object."""
    from condor_py.cli.report.gather import Histories
    from condor_py.cli.report.records import SIZES
    from condor_py.cli.report.sizes import Sizes, lines, told
    from condor_py.lang.config.build import build
    from condor_py.model.settings.sizing import AutoRequests

    sizes = Sizes(period, build(AutoRequests, pool.config), owner, batch)
    histories = Histories(pool, period, sizes.notes)
    histories.walk("HISTORY", "Jobs", sizes.job, numbers_of=SIZES)
    histories.walk("JOB_EPOCH_HISTORY", "Runs of jobs", sizes.run, numbers_of=SIZES)
    histories.done()
    if as_json:
        return json.dumps(told(sizes), indent=1) + "\n"
    return "".join(f"{line}\n" for line in lines(sizes))


def text(figures: Figures, host: str, now: int) -> str:
    """One JSON object."""
    return json.dumps(data(figures, host, now), indent=1) + "\n"


def data(figures: Figures, host: str, now: int) -> dict[str, Any]:
    """The figures as an object of JSON."""
    since, until = figures.period
    return {
        "host": host, "made": now, "since": since, "until": until, "user": figures.owner,
        "batch": figures.batch,
        "jobs": asdict(figures.total), "users": _users(figures), "groups": _amounts(figures.groups),
        "waiting": figures.waits()._asdict(), "waiting_now": list(map(_row, figures.waiting)),
        "run_core_hours": figures.run_hours, "runs": figures.runs,
        "cut_short_core_hours": figures.badput, "drained_weight_hours": figures.drained,
        "drains": [asdict(one) for one in figures.drains],
        "entitlement": {name: asdict(one) for name, one in figures.entitled.items()},
        "quotas": {name: asdict(one) for name, one in figures.quotas.items()},
        "failures": [{"user": user, "how": how, "jobs": count} for (user, how), count in figures.failures.items()],
        "holds": _cuts(figures.holds), "every_hold": figures.every_hold,
        "cut_short": _cuts(figures.cuts),
        "advice": [one._asdict() for one in advice(figures.kinds.values(), len(figures.kinds) * 2)],
        "batches": _batches(figures), "over_time": _over_time(figures), "notes": figures.notes,
    }  # fmt: skip


def _row(row: Row) -> dict[str, Any]:
    return {"owner": row.owner, "batch": row.batch, "jobs": row.jobs, "since": row.since, "why": row.text}


def _amounts(amounts: Mapping[str, Amounts]) -> dict[str, Any]:
    return {name: asdict(one) for name, one in amounts.items()}


def _users(figures: Figures) -> dict[str, Any]:
    users = _amounts(figures.users)
    for name, one in users.items():
        one["waiting"] = figures.waits(name)._asdict() | {"never_started": figures.never_started.get(name, 0)}
    return users


def _cuts(cuts: Mapping[tuple[int, str], Cut]) -> list[dict[str, Any]]:
    return [asdict(one) for one in cuts.values()]


def _batches(figures: Figures) -> list[dict[str, Any]]:
    return [
        {
            "cluster": one.cluster, "owner": one.owner, "name": one.name, "core_hours": one.hours, "jobs": one.jobs,
            "runs": one.outcomes(), "begin": min(run.begin for run in one.runs),
            "end": max(run.end for run in one.runs),
        }
        for one in figures.batches.largest()
    ]  # fmt: skip


def _over_time(figures: Figures) -> dict[str, Any]:
    since, until = figures.shown
    width = figures.cores.width
    begin, end = since // width * width, -(-until // width) * width
    return {
        "begin": begin, "seconds": width,
        "cores": {n: [v / width for v in figures.cores.values(n, begin, end)] for n in figures.cores.names},
        "jobs": {n: list(figures.finished.values(n, begin, end)) for n in figures.finished.names},
    }  # fmt: skip
