"""The queue: its batches, the jobs of one, and one job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from condor_py.cli.history.lives import MOST_LANES, run_of
from condor_py.cli.web.dag.jobs import is_dag
from condor_py.cli.web.page import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Data,
    NotHere,
    Page,
    Parameter,
    Place,
    array,
    maybe,
    record,
)  # fmt: skip
from condor_py.cli.web.pages import job as one_job
from condor_py.cli.web.pages import life
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.cli.top.look import LiveJobs
    from condor_py.cli.web.batches import Group
    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.page import Asked

#: Rows of a page.
ROWS = 100
STATES = {status.name.lower(): status for status in JobStatus if status.name.lower() in (
    "idle", "running", "held", "completed", "removed", "suspended", "transferring_output", "blocked",
)}  # fmt: skip
#: Jobs of a batch among which those that run are searched.
_MOST_SEARCHED = 10_000
_RUN = (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT)
_SHOWN = (JobStatus.RUNNING, JobStatus.IDLE, JobStatus.HELD)


def view(watch: Watch, asked: Asked) -> Data:
    """Return the batches; below /queue/CLUSTER the jobs of one, below /queue/CLUSTER.PROC a job. NotHere."""
    if not asked.path:
        return {"shows": "batches", **_batches(watch, asked)}
    cluster, dot, proc = asked.path[0].partition(".")
    number = _number(cluster)
    if not dot:
        here = watch.batches.group_of(number) is not None
        return (
            {"shows": "batch", **_batch(watch, asked, number)}
            if here
            else {"shows": "gone", **_gone(watch, asked, number)}
        )
    return {"shows": "job", **one_job.view(watch, asked, JobId(number, _number(proc)))}


def _number(word: str) -> int:
    if not (word.isascii() and word.isdecimal()) or len(word) > 9:
        raise NotHere("There is no such job.")
    return int(word)


# ---- batches --------------------------------------------------------------------------------------------------------


def _batches(watch: Watch, asked: Asked) -> Data:
    jobs, batches = watch.jobs, watch.batches
    owner, state, text = asked.text("owner"), asked.choice("state", tuple(STATES)), asked.text("text").strip()
    found = list(batches.groups.values())
    owners = sorted({group.owner for group in found})
    if owner:
        found = [group for group in found if group.owner == owner or _submits_as(jobs, group, owner)]
    if state:
        found = [group for group in found if group.states[STATES[state]]]
    if text:
        found = [group for group in found if _has_text(group, text.lower())]
    sort = asked.choice("sort", tuple(_SORTS), "job")
    key = _SORTS[sort]
    found.sort(key=lambda group: key(group, watch), reverse=(asked.text("order") == "down"))
    page, pages = _page(asked, len(found))
    rows = [_row(watch, group) for group in found[page * ROWS : (page + 1) * ROWS]]
    counts = jobs.counts()
    return {
        "counts": {name: counts.get(status, 0) for name, status in STATES.items()},
        "total": sum(counts.values()),
        "batches": rows,
        "found": len(found),
        "page": page + 1,
        "pages": pages,
        "owners": owners[:500],
        "sort": sort,
        "order": "down" if asked.text("order") == "down" else "up",
    }


def _submits_as(jobs: LiveJobs, group: Group, submitter: str) -> bool:
    return any(known.submitter == submitter for known in jobs.clusters.get(group.first, ()))


def _has_text(group: Group, text: str) -> bool:
    if text in group.name.lower() or text in group.owner.lower():
        return True
    number = text.partition(".")[0]
    return number.isascii() and number.isdecimal() and len(number) < 10 and int(number) in group.clusters


#: What batches are sorted by; done and total need the whole rows.
_SORTS: dict[str, Callable[[Group, Watch], Any]] = {
    "job": lambda group, watch: group.first,
    "owner": lambda group, watch: (group.owner, group.first),
    "name": lambda group, watch: (group.name.lower(), group.first),
    "running": lambda group, watch: group.count(JobStatus.RUNNING),
    "idle": lambda group, watch: group.count(JobStatus.IDLE),
    "held": lambda group, watch: group.count(JobStatus.HELD),
    "done": lambda group, watch: watch.batches.folded(group, watch.jobs).counters()[0],
    "total": lambda group, watch: watch.batches.folded(group, watch.jobs).counters()[4],
}


def _page(asked: Asked, rows: int) -> tuple[int, int]:
    """Return the number of the page that is asked for, from 0 on, and how many there are."""
    pages = max(1, -(-rows // ROWS))
    return min(asked.number("page", 1, least=1), pages) - 1, pages


def _row(watch: Watch, group: Group) -> Data:
    """Return a batch with the numbers of condor_q."""
    batch = watch.batches.folded(group, watch.jobs)
    done, running, idle, held, total = batch.counters()
    return {
        "cluster": group.first,
        "owner": group.owner,
        "name": batch.name,
        "submitted": batch.submitted,
        "done": max(0, done),
        "running": running,
        "idle": idle,
        "held": held,
        "total": total or sum(group.states.values()),
        "jobs": sum(group.states.values()),
        "ids": batch.job_ids(),
    }


# ---- the jobs of a batch --------------------------------------------------------------------------------------------


def _batch(watch: Watch, asked: Asked, cluster: int) -> Data:
    jobs, group = watch.jobs, watch.batches.group_of(cluster)
    assert group is not None
    state = asked.choice("state", tuple(STATES))
    states: Counter[str] = Counter()
    for status, count in group.states.items():
        states[one_job.state(status)] += count
    down = asked.text("order") == "down"
    found = group.states[STATES[state]] if state else group.states.total()
    page, pages = _page(asked, found)
    if state:
        fitting = (job for job in _members(jobs, group, down, 0) if jobs.status(job) == STATES[state])
        ids = islice(fitting, page * ROWS, (page + 1) * ROWS)
    else:
        ids = islice(_members(jobs, group, down, page * ROWS), ROWS)
    reasoned = watch.reasoned_jobs()
    shown = [one_job.row(reasoned, job, asked.viewer) for job in ids]
    return {
        "batch": _row(watch, group),
        "states": {name: count for name, count in states.items() if count},
        "jobs": [row for row in shown if row is not None],
        "found": found,
        "page": page + 1,
        "pages": pages,
        "order": "down" if down else "up",
        "mine": asked.viewer.may_see(group.owner),
        "clusters": sorted(group.clusters)[:ROWS],
        "dag": group.first if _is_dag(watch, group.first) else None,
        **_life(watch, asked, group),
    }


def _life(watch: Watch, asked: Asked, group: Group) -> Data:
    """Return the runs of a batch as a chart, of the jobs that run now some."""
    jobs, running = watch.jobs, min(MOST_LANES, group.count(JobStatus.RUNNING))
    members = islice(_members(jobs, group, down=False, start=0), _MOST_SEARCHED if running else 0)
    run_now = islice((job for job in members if jobs.status(job) in _RUN), running)
    ads = filter(None, map(jobs.view.job, run_now))
    clusters = sorted(group.clusters)[:ROWS]
    since = watch.batches.folded(group, jobs).submitted or 0
    known = [run for ad in ads if (run := run_of(ad, asked.now)) is not None]
    found = life.shown(watch, life.Wanted(tuple(clusters), None, since), known)
    return {"life": found, "again": found["again"]}


def _members(jobs: LiveJobs, group: Group, down: bool, start: int) -> Iterator[JobId]:
    """Yield the jobs of a batch in order from the one at place ``start`` on. Clusters before it are only counted."""
    for number in sorted(group.clusters, reverse=down):
        size = jobs.clusters[number].total()
        if start < size:
            procs = jobs.view.procs(number)
            yield from (JobId(number, proc) for proc in (procs[::-1] if down else procs)[start:])
        start = max(0, start - size)


def _is_dag(watch: Watch, cluster: int) -> bool:
    ad = watch.jobs.view.job(JobId(cluster, 0))
    return ad is not None and is_dag(ad)


def _gone(watch: Watch, asked: Asked, cluster: int) -> Data:
    """Return the jobs of a cluster that has left the queue, as the newest of the history tell. NotHere."""
    found = list(islice(one_job.left(watch, cluster), ROWS))
    if not found:
        raise NotHere(f"Cluster {cluster} is neither in the queue nor among the newest of the history.")
    known = [run for _, ad in found if (run := run_of(ad)) is not None]
    since = min(ad.eval_int("QDate", 0) for _, ad in found)
    shown = life.shown(watch, life.Wanted((cluster,), None, since), known)
    rows = [one_job.past_row(job, ad, asked.viewer) for job, ad in found]
    return {"cluster": cluster, "jobs": rows, "life": shown, "again": shown["again"]}


_BATCH = record(
    cluster=WHOLE, owner=TEXT, name=TEXT, submitted=maybe(WHOLE), done=WHOLE, running=WHOLE, idle=WHOLE, held=WHOLE,
    total=WHOLE, jobs=WHOLE, ids=TEXT,
)  # fmt: skip
_COUNTS: dict[str, object] = {"type": "object", "additionalProperties": WHOLE}
PAGE = Page(
    "queue",
    "Queue",
    view,
    schema=record(
        shows=TEXT, counts=_COUNTS, total=WHOLE, batches=array(_BATCH), found=WHOLE, page=WHOLE, pages=WHOLE,
        owners=array(TEXT), sort=TEXT, order=TEXT,
    ),
    parameters=(
        Parameter("owner", "Only batches of this owner or submitter."),
        Parameter("state", "Only what has jobs in this state.", {"type": "string", "enum": list(STATES)}),
        Parameter("text", "Only batches with this text in their name, owner or number."),
        Parameter("sort", "The column to sort by.", {"type": "string", "enum": list(_SORTS)}),
        Parameter("order", "The direction.", {"type": "string", "enum": ["up", "down"]}),
        Parameter("page", "The page, from 1 on; each has 100 rows.", WHOLE),
        Parameter("file", "Of a job: the file whose end is wanted (output, error, log ...)."),
    ),
    subjects=("queue", "slots", "history"),
    places=(
        Place(
            ("{cluster}",),
            "The jobs of a batch, or those of a cluster that has left the queue",
            {"anyOf": [
                record(
                    shows=TEXT, batch=_BATCH, states=_COUNTS, jobs=array(one_job.ROW), found=WHOLE, page=WHOLE,
                    pages=WHOLE, order=TEXT, mine=TRUTH, clusters=array(WHOLE), dag=maybe(WHOLE),
                    life=life.LIFE, again=NUMBER,
                ),
                record(shows=TEXT, cluster=WHOLE, jobs=array(one_job.PAST_ROW), life=life.LIFE, again=NUMBER),
            ]},
        ),
        Place(("{job}",), "A job", record(shows=TEXT, **one_job.FIELDS)),
    ),
    pictures={"memory": one_job.picture, **{name: life.PICTURES[name] for name in ("runs", "cores", "disk")}},
)  # fmt: skip
