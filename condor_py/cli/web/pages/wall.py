"""One page for a screen on the wall: large figures, the slots, who computes, what runs, what waits and why.

Without a login (WEB_WALL) it shows no names: the totals of condor_q, and the slots as condor_status shows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from markupsafe import Markup

from condor_py.cli.web.dag import jobs as dag_jobs
from condor_py.cli.web.page import NUMBER, TEXT, TRUTH, WHOLE, Page, array, record
from condor_py.cli.web.pages import pool
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.cli.web.batches import Group
    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.page import Asked, Data

#: Rows of each list, and jobs of a cluster among which one that waits is looked for.
_ROWS, _LOOKED_AT = 6, 200
#: Fields of a slot that name a user or a job.
_NAMES = ("user", "owner", "job", "note")

_dags: WeakKeyDictionary[Watch, dag_jobs.Dags] = WeakKeyDictionary()


def view(watch: Watch, asked: Asked) -> Data:
    """Return the figures of the pool; the lists with names only for a viewer who is logged in."""
    whole = pool.view(watch, asked)
    data = {name: whole[name] for name in ("host", "runs", "load", "totals", "jobs", "groups")}
    if not asked.viewer.name:
        drawn = [_nameless(group) for group in data["groups"]]
        return {**data, "groups": drawn, "names": False, "users": [], "running": [], "waiting": [], "dags": []}
    groups = list(watch.batches.groups.values())
    return {
        **data,
        "names": True,
        "users": whole["users"][:_ROWS],
        "running": _running(watch, groups),
        "waiting": _waiting(watch, groups),
        "dags": _running_dags(watch),
    }


def _nameless(group: Data) -> Data:
    return {**group, "note": "", "slots": [{**slot, **dict.fromkeys(_NAMES, "")} for slot in group["slots"]]}


def _running(watch: Watch, groups: list[Group]) -> list[Data]:
    """Return the batches with most jobs that run."""
    found = sorted((group for group in groups if group.count(JobStatus.RUNNING)),
                   key=lambda group: (-group.count(JobStatus.RUNNING), group.first))  # fmt: skip
    rows = []
    for group in found[:_ROWS]:
        done, _, _, _, total = watch.batches.folded(group, watch.jobs).counters()[:5]
        rows.append({**_batch(group), "done": max(0, done), "total": max(0, total)})
    return rows


def _batch(group: Group) -> Data:
    return {
        "owner": group.owner,
        "name": group.name,
        "cluster": group.first,
        "running": group.count(JobStatus.RUNNING),
        "idle": group.count(JobStatus.IDLE),
        "held": group.count(JobStatus.HELD),
    }


def _waiting(watch: Watch, groups: list[Group]) -> list[Data]:
    """Return the batches with most jobs that wait or are held while none of them runs, and why."""
    found = sorted((group for group in groups if not group.count(JobStatus.RUNNING) and _stopped(group)),
                   key=lambda group: (-_stopped(group), group.first))  # fmt: skip
    if not found:
        return []
    jobs, rows = watch.reasoned_jobs(), []
    for group in found[:_ROWS]:
        job = _stopped_job(watch, group)
        row = jobs.row(job) if job is not None else None
        rows.append({**_batch(group), "why": row.note if row is not None else ""})
    return rows


def _stopped(group: Group) -> int:
    return group.count(JobStatus.IDLE) + group.count(JobStatus.HELD)


def _stopped_job(watch: Watch, group: Group) -> JobId | None:
    """Return a job of a batch that waits, one that is held if there is none: among those that were submitted last."""
    view = watch.jobs.view
    for wanted in ((JobStatus.IDLE,) if group.count(JobStatus.IDLE) else ()) + (JobStatus.HELD,):
        for cluster in sorted(group.clusters, reverse=True)[:_LOOKED_AT]:
            procs = view.procs(cluster)[-_LOOKED_AT:]
            statuses = view.texts("JobStatus", [(cluster, procs)])
            for proc, status in zip(reversed(procs), reversed(statuses), strict=True):
                if status == str(int(wanted)):
                    return JobId(cluster, proc)
    return None


def _running_dags(watch: Watch) -> list[Data]:
    known = _dags.setdefault(watch, dag_jobs.Dags())
    return [dag_jobs.row(job, ad) for job, ad in known.jobs(watch.jobs)[:_ROWS]]


def picture(data: Data) -> Markup:
    """Return the slots, as the page of the pool draws them."""
    return pool.picture(data)


_BATCH = {"owner": TEXT, "name": TEXT, "cluster": WHOLE, "running": WHOLE, "idle": WHOLE, "held": WHOLE}
PAGE = Page(
    "wall",
    "Wall",
    view,
    record(
        host=TEXT,
        runs=TRUTH,
        load=NUMBER,
        names=TRUTH,
        jobs=record(running=WHOLE, idle=WHOLE, held=WHOLE),
        running=array(record(**_BATCH, done=WHOLE, total=WHOLE)),
        waiting=array(record(**_BATCH, why=TEXT)),
    ),
    subjects=("slots", "queue", "daemons"),
    pictures={"slots": picture},
    in_menu=False,
    bare=True,
)
