"""The life of a job, and the runs of a batch: figures and charts of ``condor_history -plot`` as parts of pages.

The records of runs (JOB_EPOCH_HISTORY) are read for a moment; where that is too short for all of them, a child reads
them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.cli.history import lives
from condor_py.cli.history.lives import Run, run_of
from condor_py.cli.history.plot import batch_title, bins, use_title
from condor_py.cli.history.query import epoch_records
from condor_py.cli.plots import chart
from condor_py.cli.plots.chart import Gantt, Lines
from condor_py.cli.plots.svg import Lane
from condor_py.cli.web import svg
from condor_py.cli.web.errand import CannotDo, as_owner
from condor_py.cli.web.page import NUMBER, TEXT, WHOLE, Data, NotHere, Viewer, array, maybe, record
from condor_py.cli.web.works import works_of
from condor_py.client.use_so_far import use_so_far
from condor_py.model import usagerecord
from condor_py.model.errors import StoreError

if TYPE_CHECKING:
    from markupsafe import Markup

    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.work import Steps
    from condor_py.client.pool import Pool
    from condor_py.model.ids import JobId
    from condor_py.store.history import HistoryRecord

#: Seconds in which a page reads the records of runs, and in which schedd and starter answer each.
_SOON, _ANSWERS = 0.05, 0.5
#: Records of which a child reads the newest, and runs of a batch that it finds.
_MOST_RECORDS, _MOST_RUNS = 500_000, 20_000
#: Bars of a chart, and events of a life.
_MOST_BARS, _MOST_EVENTS = 3000, 200
#: The name of the work of a child.
_WORK = "lives"
#: The charts of a life, by name; a batch has the first.
CHARTS = ("runs", "cores", "memory", "disk")


class Wanted(NamedTuple):
    """Selection of runs: those of the jobs of ``clusters``, or of the job ``proc`` of the one cluster. The oldest job
    was queued at ``since`` (Unix seconds)."""

    clusters: tuple[int, ...]
    proc: int | None
    since: int

    @property
    def most(self) -> int:
        """So many runs are enough."""
        return _MOST_RUNS if self.proc is None else lives.MOST_RUNS

    def has(self, job: JobId) -> bool:
        """Whether runs of this job are wanted."""
        return job.cluster in self.clusters and self.proc in (None, job.proc)


def shown(watch: Watch, wanted: Wanted, known: Sequence[Run]) -> Data:
    """Return the charts of recorded runs, and of those that are ``known`` by the ads of their jobs."""
    works, key = works_of(watch), repr(wanted)
    if not works.knows(_WORK, key):
        past, whole = recorded(watch.pool, wanted, deadline=time.monotonic() + _SOON)
        if whole:
            return drawn(wanted, [*past, *known])
    request = {**wanted._asdict(), "known": [run._asdict() for run in known]}
    state = works.ask(_WORK, key, request)
    if state.result is not None:
        return state.result
    note = state.failed or "The records of runs are being read."
    return {**drawn(wanted, known), "note": note, "again": 0.0 if state.failed else state.again}


def work(pool: Pool, request: Mapping[str, Any], steps: Steps) -> Data:
    """Return the charts that ``shown`` asks a child for."""
    wanted = Wanted(tuple(request["clusters"]), request["proc"], request["since"])
    past, whole = recorded(pool, wanted, most=_MOST_RECORDS, steps=steps)
    found = drawn(wanted, [*past, *map(_run, request["known"])])
    return found if whole else {**found, "note": f"Only the newest {_MOST_RECORDS:,} records of runs were read."}


def _run(data: Mapping[str, Any]) -> Run:
    """Return a run that was JSON."""
    points = [usagerecord.Point(*point) for point in data["points"]]
    return Run(**{**data, "points": points, "marks": [usagerecord.Mark(*mark) for mark in data["marks"]]})


def recorded(
    pool: Pool, wanted: Wanted, *, deadline: float | None = None, most: int | None = None, steps: Steps | None = None
) -> tuple[list[Run], bool]:
    """Return runs by their records, the newest first, and whether these are all that are wanted.

    Reading ends at ``deadline`` (monotonic seconds), and with the newest ``most`` records.
    """
    found: list[Run] = []
    try:
        for number, entry in enumerate(epoch_records(pool, wanted.since)):
            if number == most or (deadline is not None and time.monotonic() > deadline):
                return found, False
            if steps is not None:
                steps.at(number)
            job = entry.job()
            if job is None or entry.kind() != "EPOCH" or not wanted.has(job):
                continue
            run = _run_of_record(entry)
            if run is not None:
                found.append(run if wanted.proc is not None else run._replace(points=(), marks=()))
            if len(found) >= wanted.most:
                break
    except StoreError:
        pass  # what was read is shown
    return found, True


def _run_of_record(entry: HistoryRecord) -> Run | None:
    try:
        return run_of(entry.ad())
    except StoreError:
        return None


def with_use(watch: Watch, viewer: Viewer, job: JobId, run: Run) -> Run:
    """Return a run that is not over with its use so far, as its starter tells the viewer."""
    if run.kind != lives.RUNNING:
        return run
    try:
        record = as_owner(viewer.name, lambda: use_so_far(watch.pool, job, _ANSWERS))
    except CannotDo:
        return run
    if not (isinstance(record, str) and usagerecord.is_sound(record)):
        return run
    points, marks = usagerecord.read(record)
    return run._replace(points=points, marks=marks)


# ---- charts ---------------------------------------------------------------------------------------------------------


def drawn(wanted: Wanted, runs: Sequence[Run]) -> Data:
    """Return the charts of runs as data (see plots/chart.py), None for those without anything to draw, and what
    happened."""
    found: Data = {**dict.fromkeys(CHARTS), "events": [], "note": "", "again": 0.0}
    runs = lives.without_doubles(runs)
    if not runs:
        return found
    if wanted.proc is None:
        lanes, count = lives.lanes_of_jobs(runs)
        found["runs"] = _gantt(batch_title(runs, len(lanes), count), lanes, runs)
        return found
    marks = lives.events(runs)[-_MOST_EVENTS:]
    found["runs"] = _gantt("Runs", lives.lanes_of_runs(runs), runs)
    found["events"] = [{"time": int(mark.when), "text": mark.words} for mark in marks]
    begin, width, count = bins(runs)
    inside = [mark for mark in marks if mark.when >= begin]
    for name, one in zip(CHARTS[1:], lives.use(runs, begin, width, count), strict=True):
        if any(value is not None for value in one.series.values):
            found[name] = chart.data(Lines(use_title(one), begin, width, [one.series], one.limit, inside))
    return found


def _gantt(title: str, lanes: Sequence[Lane], runs: Sequence[Run]) -> Data:
    """Return lanes as a chart; of very many bars the newest of each lane."""
    newest = [lane._replace(bars=lane.bars[-(_MOST_BARS // len(lanes)) :]) for lane in lanes]
    return chart.data(Gantt(title, lives.KINDS, newest, *lives.bounds(runs)))


def _picture(name: str, data: Data) -> Markup:
    drawn_data = (data.get("life") or {}).get(name)
    if drawn_data is None:
        raise NotHere("No runs are recorded that this picture could show.")
    return svg.plot(chart.draw(chart.of_data(drawn_data)))


#: The pictures of a page whose data has ``shown`` as ``life``.
PICTURES: dict[str, Callable[[Data], Markup]] = {name: partial(_picture, name) for name in CHARTS}

_BAR = record(begin=NUMBER, end=NUMBER, kind=WHOLE, words=TEXT)
_RUNS = record(
    kind=TEXT, title=TEXT, kinds=array(TEXT), lanes=array(record(label=TEXT, bars=array(_BAR))), begin=NUMBER,
    end=NUMBER,
)  # fmt: skip
#: Values of bins of ``width`` seconds from ``begin`` (Unix seconds) on; null where nothing is known.
_USE = record(
    kind=TEXT, title=TEXT, begin=NUMBER, width=NUMBER, series=array(record(name=TEXT, values=array(maybe(NUMBER)))),
    limit=NUMBER, marks=array(record(when=NUMBER, words=TEXT)),
)  # fmt: skip
#: The schema of ``shown``.
LIFE = record(
    runs=maybe(_RUNS), cores=maybe(_USE), memory=maybe(_USE), disk=maybe(_USE),
    events=array(record(time=WHOLE, text=TEXT)), note=TEXT, again=NUMBER,
)  # fmt: skip
