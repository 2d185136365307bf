"""condor_history -plot (ours): jobs that left the queue, waiting times and use over time by owner; the life of one job;
the runs of the jobs of a cluster."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from shutil import get_terminal_size
from typing import NamedTuple

from condor_py.cli.history import lives
from condor_py.cli.history.lives import time_of
from condor_py.cli.options import Args
from condor_py.cli.output.files import replace
from condor_py.cli.plots import blocks, scale, svg
from condor_py.cli.plots.bins import Bins
from condor_py.cli.plots.svg import Series
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.states import SLOTLESS, Universe

#: So many owners have a line of their own; so many bins a chart has at most.
_MOST, _BINS = 20, 240
_REST = "(others)"
#: An axis of fewer seconds shows seconds.
_MINUTES = 3600
_NO_USE = "There is no record of its use over time: it ran too shortly, or JOB_USAGE_RECORD_INTERVAL is 0.\n"
_MOST_CORES = 1e6


class Collected:
    """Data of the charts, in bins: ended jobs (or runs), seconds waited and how many waited, core-seconds."""

    def __init__(self) -> None:
        self.ended, self.waited, self.started, self.used = (Bins(1, _BINS) for _ in range(4))
        self.count = 0

    def take(self, ad: ClassAd) -> None:
        """One job that left the queue, or one run of a job."""
        owner = ad.eval_str("Owner", "") or "?"
        run = time_of(ad, "EpochWriteDate")
        ended = run or time_of(ad, "CompletionDate") or time_of(ad, "EnteredCurrentStatus")
        if not ended:
            return
        self.count += 1
        self.ended.add(owner, ended)
        queued, first = time_of(ad, "QDate"), time_of(ad, "JobStartDate")
        if 0 < queued <= first:
            self.waited.add(owner, ended, first - queued)
            self.started.add(owner, ended)
        begin = (time_of(ad, "ShadowBday") if run else 0) or time_of(ad, "JobCurrentStartDate")
        if 0 < begin < ended and ad.eval_int("JobUniverse", Universe.VANILLA) not in SLOTLESS:
            cpus = ad.eval_real("CpusProvisioned", 0.0) or ad.eval_real("RequestCpus", 1.0)
            cpus = cpus if 0 < cpus < _MOST_CORES else 1.0
            self.used.spread(owner, begin, ended, cpus)

    def charts(self) -> Iterator[Chart]:
        """Yield the charts to draw."""
        everything = (self.ended, self.used, self.waited, self.started)
        for one in everything:
            one.widen(max(other.width for other in everything))
        filled = [one.bounds() for one in (self.ended, self.used) if one.names]
        begin, end, width = min(one[0] for one in filled), max(one[1] for one in filled), self.ended.width
        ended = self.ended.top(_MOST, _REST)
        used, waited, started = (one.top(_MOST, _REST, ended.kept) for one in (self.used, self.waited, self.started))
        per = scale.span(width)
        jobs = [Series(name, list(ended.values(name, begin, end))) for name in ended.kept]
        yield Chart(f"Jobs that left the queue, by {per}", "all", begin, width, jobs, sum, svg.stacked)
        cores = [Series(name, [value / width for value in used.values(name, begin, end)]) for name in used.kept]
        yield Chart("Cores in use", "mean", begin, width, cores, blocks.mean, svg.stacked)
        minutes = []
        for name in started.kept:
            pairs = zip(waited.values(name, begin, end), started.values(name, begin, end), strict=True)
            minutes.append(Series(name, [seconds / 60 / jobs if jobs else None for seconds, jobs in pairs]))
        title = "Minutes waited before the first start"
        yield Chart(title, "mean", begin, width, minutes, blocks.mean, svg.lines)


class Chart(NamedTuple):
    """A title, what the figure behind each row is (``of`` makes it), bins from ``begin`` on, and how to draw it."""

    title: str
    figure: str
    begin: int
    width: int
    series: list[Series]
    of: Callable[[Sequence[float]], float]
    drawn: Callable[[str, float, float, Sequence[Series]], str]


def draw(ads: Iterable[ClassAd], args: Args) -> None:
    """Draws what the records tell: on the terminal, or with -svg into a file. Raises CondorError."""
    found = Collected()
    for ad in ads:
        found.take(ad)
    if not found.count:
        raise CondorError("condor_history: there are no such jobs to draw")
    charts = list(found.charts())
    end = charts[0].begin + charts[0].width * max(len(one.values) for one in charts[0].series)
    path = args.text("svg")
    if path is not None:
        drawn = [(one.title, one.drawn(one.title, one.begin, one.width, one.series)) for one in charts]
        replace("condor_history", path, svg.document(drawn, f"{scale.moment(charts[0].begin)} to {scale.moment(end)}"))
        return
    columns, characters = get_terminal_size().columns, blocks.levels()
    for one in charts:
        top = max((value or 0.0 for series in one.series for value in series.values), default=0.0)
        sys.stdout.write(f"{one.title}, from 0 to {scale.number(top)}; right: {one.figure}\n")
        rows = blocks.rows(one.series, columns, characters, one.of)
        sys.stdout.write("".join(f"{line}\n" for line in rows) + "\n")
    sys.stdout.write(f"{blocks.axis(charts[0].begin, end, *blocks.width_for(charts[0].series, columns))}\n")


# -- jobs that were named --------------------------------------------------------------------------------------------


def draw_jobs(runs: Iterable[lives.Run], args: Args, *, one: bool) -> None:
    """Draw the life of ``one`` job, or the runs of several. Raises CondorError."""
    found = lives.without_doubles(runs)
    if not found:
        raise CondorError("condor_history: there are no runs of such jobs to draw")
    path = args.text("svg")
    if path is not None:
        replace("condor_history", path, life_as_svg(found) if one else batch_as_svg(found))
    else:
        sys.stdout.writelines(life_as_text(found) if one else batch_as_text(found))


def batch_as_svg(runs: Sequence[lives.Run]) -> str:
    """Return the runs of several jobs as an SVG document."""
    begin, end = lives.bounds(runs)
    lanes, count = lives.lanes_of_jobs(runs)
    title = batch_title(runs, len(lanes), count)
    chart = svg.gantt(title, lives.KINDS, lanes, begin, end)
    return svg.document([(title, chart)], f"{scale.moment(begin)} to {scale.moment(end)}")


def batch_as_text(runs: Sequence[lives.Run]) -> Iterator[str]:
    """Yield the lines of the runs of several jobs."""
    begin, end = lives.bounds(runs)
    lanes, count = lives.lanes_of_jobs(runs)
    columns = get_terminal_size().columns
    yield f"{batch_title(runs, len(lanes), count)}\n"
    yield from (f"{line}\n" for line in blocks.lanes(lanes, lives.LETTERS, begin, end, columns, _lengths(lanes)))
    yield f"{blocks.axis(begin, end, *blocks.lanes_width(lanes, columns), _moment_of(end - begin))}\n"
    yield _legend(lanes)


def batch_title(runs: Sequence[lives.Run], shown: int, count: int) -> str:
    """Return what is seen of runs of which so many jobs are ``shown``."""
    clusters = sorted({run.cluster for run in runs})
    what = f"cluster {clusters[0]}" if len(clusters) == 1 else f"{len(clusters)} clusters"
    kinds = [(name, sum(run.kind == kind for run in runs)) for kind, name in enumerate(lives.KINDS)]
    some = f"{shown} of {count:,} jobs" if shown < count else f"{count:,} jobs" if count > 1 else "1 job"
    return f"Runs of {what} ({some}): " + ", ".join(f"{number:,} {name}" for name, number in kinds if number)


def _lengths(lanes: Sequence[svg.Lane]) -> list[str]:
    return [scale.span(sum(bar.end - bar.begin for bar in lane.bars)) for lane in lanes]


def _legend(lanes: Sequence[svg.Lane]) -> str:
    kinds = sorted({bar.kind for lane in lanes for bar in lane.bars})
    return "".join(f"{lives.LETTERS[kind]} {lives.KINDS[kind]}   " for kind in kinds).rstrip() + "\n"


def bins(runs: Sequence[lives.Run]) -> tuple[int, int, int]:
    """Return where the charts of a life begin, the width of their bins in seconds and how many these are."""
    begin, end = lives.bounds(runs)
    width = scale.bin_width(begin, end, _BINS)
    return begin, width, -(-(end - begin) // width)


def life_as_svg(runs: Sequence[lives.Run]) -> str:
    """Return the life of one job as an SVG document."""
    begin, width, count = bins(runs)
    lanes, marks = lives.lanes_of_runs(runs), lives.events(runs)
    heading = f"Job {runs[0].job}, {scale.moment(begin)} to {scale.moment(runs[-1].end)}"
    drawn = [("Runs", svg.gantt("Runs", lives.KINDS, lanes, *lives.bounds(runs)))]
    inside = [svg.Mark(mark.when, mark.words) for mark in marks if mark.when >= begin]
    for one in lives.use(runs, begin, width, count):
        if any(value is not None for value in one.series.values):
            title = use_title(one)
            drawn.append((title, svg.lines(title, begin, width, [one.series], one.limit, inside)))
    return svg.document(drawn, heading)


def use_title(one: lives.Use) -> str:
    """Return the title of the chart of a figure."""
    asked = f" (asked for: {scale.number(one.limit)}, dashed)" if one.limit else ""
    return f"{_capital(one.series.name)}{asked}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _moment_of(length: float) -> Callable[[float], str]:
    """Return how to write the moments of an axis of so many seconds."""
    return second if length < _MINUTES else scale.moment


def second(when: float) -> str:
    """Return local time to the second."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(when))


def life_as_text(runs: Sequence[lives.Run]) -> Iterator[str]:
    """Yield the lines of the life of one job."""
    begin, width, count = bins(runs)
    columns, characters = get_terminal_size().columns, blocks.levels()
    used = [one for one in lives.use(runs, begin, width, count) if any(v is not None for v in one.series.values)]
    lanes = lives.lanes_of_runs(runs)
    size = max(len(label) for label in [*(lane.label for lane in lanes), *(one.series.name for one in used)])
    lanes = [lane._replace(label=lane.label.ljust(size)) for lane in lanes]
    bounds = begin, begin + width * count
    yield f"Job {runs[0].job}\n"
    yield from (f"{line}\n" for line in blocks.lanes(lanes, lives.LETTERS, *bounds, columns, _lengths(lanes)))
    for one in used:
        series = one.series._replace(name=one.series.name.ljust(size))
        figure = blocks.mean if one.is_mean else max
        yield from (f"{line}\n" for line in blocks.rows([series], columns, characters, figure))
    yield f"{blocks.axis(*bounds, *blocks.lanes_width(lanes, columns), _moment_of(width * count))}\n"
    yield _legend(lanes)
    yield "".join(map(_scale_of, used)) or _NO_USE
    yield "\n"
    yield from (f"{second(mark.when)}  {mark.words}\n" for mark in lives.events(runs))


def _scale_of(one: lives.Use) -> str:
    top = scale.number(max(value or 0.0 for value in one.series.values))
    asked = f", asked for {scale.number(one.limit)}" if one.limit else ""
    return f"{one.series.name}: from 0 to {top}{asked}; right: {'mean' if one.is_mean else 'most'}\n"
