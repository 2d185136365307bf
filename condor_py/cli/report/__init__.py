"""condor_report (ours): a page about the use of the machine over a time, in one file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import Opt, ToolSpec, parse
from condor_py.cli.report.advice import advice
from condor_py.cli.report.figures import Amounts, Cut, Figures
from condor_py.cli.waiting.rows import Row

_JSON = """\
-json prints one object. Times are Unix seconds, wall, cores, cpu and memory_... are hours, core-hours and
gigabyte-hours, and what entitlement and quotas tell of are slot weight hours.

jobs, users, groups       sums over the jobs that left the queue, of all, by user, by accounting group
waiting                   jobs that had started, and the seconds that they had waited: median, most (9 of 10), worst
waiting_now               jobs that wait when the report is made: owner, batch, jobs, since and why
runs, run_core_hours      runs that ended, and what runs used in this time
cut_short, holds          reasons with code, count, core-hours and a job for example; every_hold: holds, not jobs
entitlement, quotas       by submitter and by group: used, asked, entitled, due, waiting seconds, slots lost
drains                    begin, end and slot weight hours
advice                    what users could ask for instead, what frees most first
over_time                 cores in use (mean) and jobs that ended, by user, in bins of seconds from begin on, which is
                          the first record where that is later than since
notes                     what is not on record"""

_SPEC = ToolSpec(
    name="condor_report",
    usage="[-last LENGTH | -since TIME -until TIME] [-user NAME] [-json] [-o FILE]",
    summary="Write a report about the use of the machine, as one HTML file.",
    description=(
        "Use against entitlement by user and group, waiting times, efficiency with advice, failures and hold reasons, "
        "cores in use over time, evictions and drains: charts with a table each, in one page that loads "
        "nothing. It reads the history, the records of runs and those of negotiation cycles, and needs no daemon. "
        "Without -last, -since and -until it is about the last week."
    ),
    options=(
        Opt("last", 1, "LENGTH", "the time up to now: day, week, month, or a length such as 12h or 3d"),
        Opt("since", 1, "TIME", "from then on: a day (2026-11-21), a time (2026-11-21T18:00), 3d, Unix seconds"),
        Opt("until", 3, "TIME", "up to then (not included); now without it"),
        Opt("user", 2, "NAME", "only the jobs of this user (me: your own)"),
        Opt("json", 1, help="the same figures, and all of them, as JSON"),
        Opt("o", 1, "FILE", "write into FILE, which is never seen half written", takes="file"),
        VERSION,
        HELP,
    ),
    examples=(
        ("condor_report -o week.html", "the last week, to be opened in any browser"),
        ("condor_report -last month -user me -o mine.html", "one's own jobs"),
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
    owner = args.text("user")
    figures = Figures(asked, pool.owner if owner == "me" else owner, first_record(pool))
    Gathering(pool, figures).everything()
    host = pool.settings.host
    if args.has("json"):
        shown = text(figures, host, now)
    else:
        from condor_py.cli.report.page import page

        shown = page(figures, host)
    path = args.text("o")
    if path is None:
        sys.stdout.write(shown)
    else:
        from condor_py.cli.output.files import replace

        replace("condor_report", path, shown)
    return 0


def text(figures: Figures, host: str, now: int) -> str:
    """One JSON object."""
    since, until = figures.period
    told = {
        "host": host, "made": now, "since": since, "until": until, "user": figures.owner,
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
        "over_time": _over_time(figures), "notes": figures.notes,
    }  # fmt: skip
    return json.dumps(told, indent=1) + "\n"


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


def _over_time(figures: Figures) -> dict[str, Any]:
    since, until = figures.shown
    width = figures.cores.width
    begin, end = since // width * width, -(-until // width) * width
    return {
        "begin": begin, "seconds": width,
        "cores": {n: [v / width for v in figures.cores.values(n, begin, end)] for n in figures.cores.names},
        "jobs": {n: list(figures.finished.values(n, begin, end)) for n in figures.finished.names},
    }  # fmt: skip
