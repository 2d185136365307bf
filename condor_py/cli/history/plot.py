"""condor_history -plot (ours): jobs that left the queue, waiting times and use over time by owner."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from shutil import get_terminal_size
from typing import NamedTuple

from condor_py.cli.options import Args
from condor_py.cli.output.files import replace
from condor_py.cli.plots import blocks, scale, svg
from condor_py.cli.plots.bins import Bins
from condor_py.cli.plots.svg import Series
from condor_py.cli.times import LAST
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.states import SLOTLESS, Universe

#: So many owners have a line of their own; so many bins a chart has at most.
_MOST, _BINS = 20, 240
_REST = "(others)"
_MOST_CORES = 1e6


def _time(ad: ClassAd, name: str) -> int:
    """Unix seconds; 0 for what is no time that a calendar knows."""
    value = ad.eval_int(name, 0)
    return value if 0 < value <= LAST else 0


class Collected:
    """Data of the charts, in bins: ended jobs (or runs), seconds waited and how many waited, core-seconds."""

    def __init__(self) -> None:
        self.ended, self.waited, self.started, self.used = (Bins(1, _BINS) for _ in range(4))
        self.count = 0

    def take(self, ad: ClassAd) -> None:
        """One job that left the queue, or one run of a job."""
        owner = ad.eval_str("Owner", "") or "?"
        run = _time(ad, "EpochWriteDate")
        ended = run or _time(ad, "CompletionDate") or _time(ad, "EnteredCurrentStatus")
        if not ended:
            return
        self.count += 1
        self.ended.add(owner, ended)
        queued, first = _time(ad, "QDate"), _time(ad, "JobStartDate")
        if 0 < queued <= first:
            self.waited.add(owner, ended, first - queued)
            self.started.add(owner, ended)
        begin = (_time(ad, "ShadowBday") if run else 0) or _time(ad, "JobCurrentStartDate")
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
