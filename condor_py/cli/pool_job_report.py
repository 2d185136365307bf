"""condor_pool_job_report: a report on the run times of the jobs that ended here yesterday, mailed to CONDOR_ADMIN."""

from __future__ import annotations

import csv
import io
import sys
import time
from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import ToolSpec, parse
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from condor_py.client.pool import Pool
    from condor_py.lang.classad.ad import ClassAd

_SPEC = ToolSpec(
    name="condor_pool_job_report",
    usage="[-help | -version]",
    summary="Mail a report on the run times of the jobs that ended on this machine yesterday.",
    description=(
        "It reads STARTD_HISTORY, is best run each night by cron, and mails the report to CONDOR_ADMIN. The report is "
        "also in the files JobReport and JobReport.csv of the working directory. Run times are those of completed "
        "runs: the columns are starts, jobs that were started again, hours in all, runs of less than a minute, hours "
        "of jobs with WantGlidein, hours of runs that did not complete, and quartiles, maximum, mean and deviation of "
        "the run times, as hours and minutes (in the csv file as seconds)."
    ),
    options=(HELP, VERSION),
    examples=(("cd /var/lib/condor && condor_pool_job_report", "the report of yesterday"),),
    exit_status="0, or 1 when the history cannot be read or the report cannot be written or mailed.",
    see_also=("condor_report", "condor_history", "condor_fetchlog"),
)
SPECS = (_SPEC,)

#: Seconds beyond which a run counts as cut by MaxJobRetirementTime, and below which it counts at all.
_CUT, _WHOLE = 252_000, 251_000
_SHORT = 60
_HOUR = 3600
_DAY = 86_400
_NAMES = (
    "User", "Schedd", "Starts", "Restarted", "Total", "Short", "OSGable", "Removed", "1st", "Median", "3rd", "Max",
    "Mean", "SD",
)  # fmt: skip
_UNITS = (
    "", "", "", "Jobs", "Hours", "Jobs", "Hours", "Hours", "Quartile", "Runtime", "Quartile", "Runtime", "Runtime", "",
)  # fmt: skip


class _Run(NamedTuple):
    """One run as the history tells it; ``seconds`` is how long it took."""

    user: str
    job: tuple[int, int]
    seconds: int
    completed: bool
    vanilla: bool
    glidein: bool


class _Row(NamedTuple):
    """The line of a user: counts, hours, and run times in seconds."""

    user: str
    domain: str
    starts: int
    restarted: int
    hours: int
    short: int
    glidein: int
    removed: int
    times: tuple[int, int, int, int, int, int]

    def cells(self, shown: bool) -> list[str]:
        """The cells; run times as hours and minutes where they are ``shown`` to people."""
        times = [_clock(seconds) if shown else str(seconds) for seconds in self.times]
        return [*map(str, self[:8]), *times]


def _clock(seconds: int) -> str:
    """Hours and minutes."""
    return f"{seconds // _HOUR:02d}:{seconds % _HOUR // 60:02d}"


def main(argv: list[str]) -> int:
    """Run condor_pool_job_report."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    from condor_py.client.pool import open_pool

    pool = open_pool()
    now = time.time()
    runs = list(_runs(pool, date.fromtimestamp(now) - timedelta(days=1), int(now)))
    rows = _rows(runs)
    text = _text(rows, runs, time.ctime(now))
    _write("JobReport", text)
    _write("JobReport.csv", _table(rows))
    return _mail(pool, text)


def _runs(pool: Pool, day: date, now: int) -> Iterator[_Run]:
    """The runs that ended on a day. CondorError when the history cannot be read."""
    from condor_py.model.errors import StoreError
    from condor_py.store.history import records_newest_first

    path = pool.config.path("STARTD_HISTORY")
    if not path:
        raise CondorError("condor_pool_job_report: no history of runs is kept (STARTD_HISTORY)")
    for record in records_newest_first(path):
        written = record.written()
        if written is not None and written < now - 3 * _DAY:
            return
        try:
            ad = record.ad()
        except StoreError:
            continue  # a damaged record
        if _day(ad.eval_int("CompletionDate", 0)) == day:
            yield _run(ad)


def _day(moment: int) -> date | None:
    try:
        return date.fromtimestamp(moment)
    except (OverflowError, ValueError, OSError):
        return None


def _run(ad: ClassAd) -> _Run:
    return _Run(
        ad.eval_str("User", "") or "?",
        (ad.eval_int("ClusterId", 0), ad.eval_int("ProcId", 0)),
        max(0, int(ad.eval_real("RemoteWallClockTime", 0.0))),
        ad.eval_int("JobStatus", 0) == 4 and not ad.eval_bool("ExitBySignal", True),
        ad.eval_int("JobUniverse", 0) == 5,
        ad.eval_bool("WantGlidein", False),
    )


def _rows(runs: Iterable[_Run]) -> list[_Row]:
    """The lines of all users with completed runs, by name."""
    whole = [run for run in runs if run.seconds < _WHOLE]
    completed: dict[str, list[_Run]] = {}
    removed: Counter[str] = Counter()
    for run in whole:
        if run.completed:
            completed.setdefault(run.user, []).append(run)
        else:
            removed[run.user] += run.seconds
    return [_row(user, mine, removed[user]) for user, mine in sorted(completed.items())]


def _row(user: str, runs: list[_Run], removed: int) -> _Row:
    times = sorted(run.seconds for run in runs)
    count, total = len(times), sum(times)
    mean = total / count
    deviation = max(0.0, sum(seconds * seconds for seconds in times) / count - mean * mean) ** 0.5
    first, median, third = (times[max(1, place) - 1] for place in (count // 4, count // 2, 3 * count // 4))
    name, _, domain = user.partition("@")
    return _Row(
        name,
        domain,
        count,
        count - len({run.job for run in runs}),
        total // _HOUR,
        sum(seconds < _SHORT for seconds in times),
        sum(run.seconds for run in runs if run.glidein) // _HOUR,
        removed // _HOUR,
        (first, median, third, times[-1], int(mean), int(deviation)),
    )


def _text(rows: list[_Row], runs: list[_Run], when: str) -> str:
    """The report for people."""
    done = [run.seconds for run in runs if run.completed and run.seconds < _WHOLE]
    cut = Counter(run.user for run in runs if run.vanilla and run.seconds > _CUT and run.user.split("@")[0] != "boinc")
    lines = [f"HTCondor Job Durations report running at {when}", "Got data from 1 hosts", "", ""]
    lines += [_line(_NAMES), _line(_UNITS), ""]
    lines += [_line(row.cells(True)) for row in sorted(rows, key=lambda row: row.hours)]
    lines += ["", f"Total completed jobs yesterday: {len(done)}", f"Using a total of {sum(done) // _HOUR} hours", ""]
    lines += [
        "Users whose vanilla jobs reached the limit of MaxJobRetirementTime yesterday:",
        "",
        "# of    User",
        "Jobs",
    ]
    lines += ["----    ----", *(f"{count:7d} {user}" for user, count in sorted(cut.items(), key=lambda item: item[1]))]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    user, domain, *rest = cells
    return " ".join([f"{user:<12}", f"{domain:>30}", *(f"{cell:>8}" for cell in rest)]).rstrip()


def _table(rows: list[_Row]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_NAMES, *(row.cells(False) for row in rows)])
    return text.getvalue()


def _write(path: str, text: str) -> None:
    """Replace a file of the working directory. CondorError."""
    from condor_py.store.fs import RealFs, replace_file

    try:
        replace_file(RealFs(), path, text.encode("utf-8", "surrogateescape"), 0o644, durable=False)
    except OSError as error:
        raise CondorError(f"condor_pool_job_report: cannot write {path}: {error.strerror}") from None


def _mail(pool: Pool, text: str) -> int:
    """Mail the report; the exit code."""
    from condor_py.client.mail import Mailer
    from condor_py.lang.config.builders.daemon import mail

    settings = mail(pool.config)
    mailer = Mailer(settings, lambda complaint: print(complaint, file=sys.stderr))
    sent = mailer.send(settings.admin, "HTCondor Job Durations Report", text)
    mailer.wait()
    if not sent:
        raise CondorError(
            f"condor_pool_job_report: the report in JobReport cannot be mailed to {settings.admin}: is there a mailer "
            "(SENDMAIL, MAIL), and an address in CONDOR_ADMIN?"
        )
    return 0
