"""The lives of jobs as figures: runs by the records of runs, the history and the queue, and their use over time.

Everything is pure; the same figures are drawn on a terminal, as SVG, in the report and on a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from condor_py.cli.plots.svg import Bar, Lane, Mark, Series
from condor_py.cli.times import LAST
from condor_py.lang.classad.ad import ClassAd
from condor_py.model import usagerecord
from condor_py.model.states import JobStatus
from condor_py.model.texts import printable
from condor_py.model.usagerecord import Point

#: What became of a run, and what a bar shows. The index is the colour; the letters are those of a terminal.
KINDS = ("running", "failed", "completed", "held", "evicted", "transfer of files", "removed")
LETTERS = ">x#h~-r"
RUNNING, FAILED, COMPLETED, HELD, EVICTED, TRANSFER, REMOVED = range(7)
#: So many lanes a chart has at most, and runs of one job.
MOST_LANES, MOST_RUNS = 200, 200
#: Codes of reasons below this one are those of holds.
_FIRST_VACATE_CODE = 1000
_LONGEST, _LONGEST_HOST = 200, 60


class Run(NamedTuple):
    """One run of a job. Times are Unix seconds, 0 where something did not happen; ``cpus`` and ``memory`` (MB) are what
    it asked for."""

    cluster: int
    proc: int
    number: int
    queued: int
    begin: int
    executed: int
    left: int
    end: int
    kind: int
    why: str
    host: str
    cpus: float
    memory: float
    points: Sequence[Point] = ()
    marks: Sequence[usagerecord.Mark] = ()

    @property
    def job(self) -> str:
        """Return the job's id."""
        return f"{self.cluster}.{self.proc}"


def run_of(ad: ClassAd, now: int = 0) -> Run | None:
    """Return the run of a record: of a run that ended (EPOCH), of a job that left, or of one that runs ``now``.

    None where it does not say when it began, or of another kind.
    """
    if (ad.eval_str("EpochAdType", "") or "EPOCH") != "EPOCH":
        return None
    runs_now = bool(now) and ad.eval_int("JobStatus", 0) in (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT)
    begin = time_of(ad, "JobCurrentStartDate") or time_of(ad, "ShadowBday")
    end = now if runs_now else time_of(ad, "EpochWriteDate") or time_of(ad, "CompletionDate")
    end = end or time_of(ad, "EnteredCurrentStatus")
    if not begin or end < begin:
        return None
    kind, why = (RUNNING, "runs") if runs_now else _outcome(ad)
    points, marks = usagerecord.read(ad.eval_str(usagerecord.ATTRIBUTE, "") or "")
    return Run(
        ad.eval_int("ClusterId", 0),
        ad.eval_int("ProcId", 0),
        ad.eval_int("RunInstanceID", max(0, ad.eval_int("NumShadowStarts", 1) - 1)),
        time_of(ad, "QDate"),
        begin,
        _within(time_of(ad, "JobCurrentStartExecutingDate"), begin, end),
        _within(time_of(ad, "JobCurrentStartTransferOutputDate"), begin, end),
        end,
        kind,
        why,
        _first_text(ad, "RemoteHost", "LastRemoteHost")[:_LONGEST_HOST],
        _figure(ad, "RequestCpus"),
        _figure(ad, "RequestMemory"),
        points,
        marks,
    )


def _within(when: int, begin: int, end: int) -> int:
    return when if begin <= when <= end else 0


def time_of(ad: ClassAd, name: str) -> int:
    """Unix seconds; 0 for what is no time that a calendar knows."""
    value = ad.eval_int(name, 0)
    return value if 0 < value <= LAST else 0


def _figure(ad: ClassAd, name: str) -> float:
    value = ad.eval_real(name, 0.0)
    return value if 0.0 < value < 1e9 else 0.0


def kind_of(status: int, vacate_code: int, *, vacated: bool, failed: bool) -> int:
    """Return the kind of a run that is over: by the job's status, the code and whether there was a reason to end it."""
    if status == JobStatus.REMOVED:
        return REMOVED
    if status == JobStatus.HELD or 0 < vacate_code < _FIRST_VACATE_CODE:
        return HELD
    if vacate_code or vacated:
        return EVICTED
    return FAILED if failed else COMPLETED


def _outcome(ad: ClassAd) -> tuple[int, str]:
    """Return what became of a run, and why."""
    reason = _first_text(ad, "VacateReason", "HoldReason", "RemoveReason")
    by_signal, exit_code = bool(ad.eval_bool("ExitBySignal", False)), ad.eval_int("ExitCode", 0)
    kind = kind_of(
        ad.eval_int("JobStatus", 0),
        ad.eval_int("VacateReasonCode", 0),
        vacated=bool(ad.eval_str("VacateReason", "")),
        failed=by_signal or bool(exit_code),
    )
    if kind in (FAILED, COMPLETED):
        return kind, f"signal {ad.eval_int('ExitSignal', 0)}" if by_signal else f"exit status {exit_code}"
    return kind, reason or "no reason is given"


def _first_text(ad: ClassAd, *names: str) -> str:
    text = next((found for name in names if (found := ad.eval_str(name, ""))), "")
    return printable(text)[:_LONGEST]


def without_doubles(runs: Iterable[Run]) -> list[Run]:
    """Return runs in the order of jobs and time, each once: the first one given counts."""
    found: dict[tuple[int, int, int], Run] = {}
    for run in runs:
        found.setdefault((run.cluster, run.proc, run.begin), run)
    return sorted(found.values(), key=lambda run: (run.cluster, run.proc, run.begin))


# -- lanes of a batch ------------------------------------------------------------------------------------------------


def bars(run: Run) -> Iterator[Bar]:
    """Yield the bars of a run: input, program, output."""
    words = f"run {run.number} {KINDS[run.kind]}" + (f": {run.why}" if run.why else "")
    begin, end = run.executed or run.begin, run.left if run.left > (run.executed or run.begin) else run.end
    if begin > run.begin:
        yield Bar(run.begin, begin, TRANSFER, f"run {run.number}: input")
    yield Bar(begin, end, run.kind, words)
    if run.end > end:
        yield Bar(end, run.end, TRANSFER, f"run {run.number}: output")


def lanes_of_jobs(runs: Sequence[Run], most: int = MOST_LANES) -> tuple[list[Lane], int]:
    """Return a lane a job, those that began first at the top, and how many jobs there are.

    Of more than ``most`` jobs some are shown, evenly chosen.
    """
    jobs: dict[str, list[Run]] = {}
    for run in runs:
        jobs.setdefault(run.job, []).append(run)
    found = sorted(jobs.values(), key=lambda some: (some[0].begin, some[0].cluster, some[0].proc))
    count = len(found)
    if count > most:
        found = [found[number * count // most] for number in range(most)]
    return [Lane(some[0].job, [bar for run in some[-MOST_RUNS:] for bar in bars(run)]) for some in found], count


def lanes_of_runs(runs: Sequence[Run]) -> list[Lane]:
    """Return a lane a run of one job, the newest of very many."""
    return [Lane(f"run {run.number} {run.host}".rstrip(), list(bars(run))) for run in runs[-MOST_LANES:]]


def bounds(runs: Sequence[Run]) -> tuple[int, int]:
    """Return begin and end of all runs, which are at least a second apart."""
    begin, end = min(run.begin for run in runs), max(run.end for run in runs)
    return begin, max(end, begin + 1)


# -- the use of one job over time ------------------------------------------------------------------------------------


class Use(NamedTuple):
    """A figure of a job over time: its values, one a bin, and what the job had asked for (0: nothing).

    ``is_mean``: values are means of their bins, else the most.
    """

    series: Series
    limit: float
    is_mean: bool = False


def use(runs: Sequence[Run], begin: int, width: float, count: int) -> list[Use]:
    """Return cores (the mean of each bin), memory and disk in MB (the most), in ``count`` bins from ``begin`` on."""
    cores, seconds = [0.0] * count, [0.0] * count
    memory: list[float | None] = [None] * count
    disk: list[float | None] = [None] * count
    for run in runs:
        before = 0.0
        for point in run.points:
            since, until = _times(run, before, point.at, begin)
            before = point.at
            for index in range(max(0, int(since // width)), min(count, int(-(-until // width)))):
                overlap = min(until, (index + 1) * width) - max(since, index * width)
                cores[index] += point.cores * overlap
                seconds[index] += overlap
                memory[index] = max(memory[index] or 0.0, point.memory)
                if point.disk is not None:
                    disk[index] = max(disk[index] or 0.0, point.disk)
    means = [used / part if part > 0 else None for used, part in zip(cores, seconds, strict=True)]
    last = runs[-1]
    return [
        Use(Series("cores in use", means), last.cpus, is_mean=True),
        Use(Series("memory (MB)", memory), last.memory),
        Use(Series("disk (MB)", disk), 0.0),
    ]


def _times(run: Run, since: float, until: float, begin: int) -> tuple[float, float]:
    """Return two moments of a run's record in seconds after ``begin``; none is behind the end of the run."""
    start = (run.executed or run.begin) - begin
    return start + since, min(start + until, run.end - begin)


def events(runs: Sequence[Run]) -> list[Mark]:
    """Return what happened to a job, in the order of time."""
    found = [Mark(runs[0].queued, "submitted")] if runs and runs[0].queued else []
    for run in runs[-MOST_RUNS:]:
        found.append(Mark(run.begin, f"run {run.number} begins on {run.host}" if run.host else f"run {run.number}"))
        if run.executed:
            found.append(Mark(run.executed, "the program starts"))
        start = run.executed or run.begin
        found += [Mark(min(start + mark.at, run.end), mark.word) for mark in run.marks]
        if run.left:
            found.append(Mark(run.left, "output is transferred"))
        if run.kind != RUNNING:
            found.append(Mark(run.end, f"{KINDS[run.kind]}: {run.why}"))
    return sorted(found, key=lambda mark: mark.when)
