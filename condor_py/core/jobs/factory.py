"""Clusters of late materialization in the queue: what their ads say, and what holding or removing them changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from condor_py.core.jobs.actions import Result, reason_text
from condor_py.core.jobs.requests import condition_of, is_factory
from condor_py.core.jobs.rights import Caller
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.ids import JobId
from condor_py.model.later import Later
from condor_py.model.record import DELETE, SET, Change
from condor_py.model.selection import Selection
from condor_py.model.texts import one_line

if TYPE_CHECKING:
    from condor_py.lang import events
else:  # tools that hold and release jobs write no events
    events = Later("condor_py.lang.events")

#: JobMaterializePaused.
RUNNING, HELD, NO_MORE, REMOVED = 0, 1, 2, 3
#: Most jobs that one commit makes, so that a schedd with a large factory still listens.
AT_ONCE = 1000


class ClusterTable(Protocol):
    """The clusters of the queue."""

    def cluster(self, cluster: int) -> ClassAd | None:
        """A cluster ad."""

    def clusters(self) -> list[int]:
        """All cluster numbers."""


def has_more(ad: ClassAd | None) -> bool:
    """Whether a cluster ad still has jobs to make, now or when it is released; its last job does not take it along."""
    if ad is None or not is_factory(ad) or ad.eval_int("JobMaterializePaused", RUNNING) in (NO_MORE, REMOVED):
        return False
    return next_proc(ad) < ad.eval_int("TotalSubmitProcs", 0)


def next_proc(ad: ClassAd) -> int:
    """The number of the job to be made next."""
    return ad.eval_int("JobMaterializeNextProcId", 0)


def to_come(ad: ClassAd) -> int:
    """Number of jobs a cluster ad still has to make, as JobsUnmaterialized counts them: those of a running factory."""
    if not has_more(ad) or ad.eval_int("JobMaterializePaused", RUNNING) != RUNNING:
        return 0
    return ad.eval_int("TotalSubmitProcs", 0) - next_proc(ad)


def room(ad: ClassAd, present: int, running: int) -> int:
    """Number of jobs that may be made now: ``present`` are in the queue, ``running`` of them run."""
    left = to_come(ad)
    if not left:
        return 0
    free = [left, AT_ONCE]
    limit, idle = ad.eval_int("JobMaterializeLimit"), ad.eval_int("JobMaterializeMaxIdle")
    if limit is not None:
        free.append(limit - present)
    if idle is not None and idle >= 0:
        free.append(idle - (present - running))
    return max(0, min(free))


def pause_records(cluster: int, mode: int, reason: str) -> list[Change]:
    """Stops a factory; ``mode`` HELD until it is released, NO_MORE and REMOVED for ever."""
    key = f"0{cluster}.-1"
    changes = [Change(SET, key, "JobMaterializePaused", str(mode))]
    if reason:
        changes.append(Change(SET, key, "JobMaterializePauseReason", quote_string(one_line(reason))))
    return changes


def act(
    clusters: ClusterTable, caller: Caller, action: str, selection: Selection, reason: str | None = None
) -> tuple[list[int], list[Change]]:
    """Apply an action on whole clusters to their factories: removed, paused or resumed; return which, and the records.

    Where the jobs are acted on in pieces, this comes with the first: otherwise a factory makes jobs to replace those
    that have left already, which the action does not reach. BadConstraint as in ``requests.act``.
    """
    if selection.constraint is None or not (action.startswith("remove") or action in ("hold", "release")):
        return [], []
    found: list[int] = []
    changes: list[Change] = []
    for cluster, ad in _chosen(clusters, selection.constraint):
        if caller.may_change(ad):
            found.append(cluster)
            changes += _action_records(cluster, ad, action, reason_text(action, caller.owner, reason))
    return found, changes


def add_results(results: dict[JobId, int], clusters: Iterable[int]) -> None:
    """A factory that was acted on and none of whose jobs is in ``results`` gets a result of its own, for proc -1."""
    acted = {job.cluster for job in results}
    results.update({JobId(cluster, -1): int(Result.SUCCESS) for cluster in clusters if cluster not in acted})


def _chosen(clusters: ClusterTable, constraint: str) -> Iterator[tuple[int, ClassAd]]:
    condition = condition_of(constraint)
    for cluster in clusters.clusters():
        ad = clusters.cluster(cluster)
        if ad is not None and has_more(ad):
            value = ad.raw(condition)
            if type(value) in (bool, int, float) and value:
                yield cluster, ad


def _action_records(cluster: int, ad: ClassAd, action: str, reason: str) -> list[Change]:
    if action.startswith("remove"):
        return pause_records(cluster, REMOVED, "")
    if action == "hold":
        return pause_records(cluster, HELD, reason)
    if ad.eval_int("JobMaterializePaused", RUNNING) == RUNNING:
        return []
    # The reason is gone again at once: it is for the event log.
    return [*pause_records(cluster, RUNNING, reason), Change(DELETE, f"0{cluster}.-1", "JobMaterializePauseReason")]


def pause_events(cluster: int, records: Iterable[Change], was: int, now: float) -> Iterator[events.JobEvent]:
    """The events (037, 038) for what ``records`` of one cluster ad do to its factory; ``was`` is the
    JobMaterializePaused before, ``now`` Unix seconds."""
    reason = ""
    for record in records:
        if record.name == "JobMaterializePauseReason" and record.op == SET:
            text = ClassAd.from_text_items([("Reason", record.value)]).eval_str("Reason", None)
            reason = text or ""
    for record in records:
        if record.name != "JobMaterializePaused" or record.op != SET:
            continue
        mode = ClassAd.from_text_items([("Mode", record.value)]).eval_int("Mode", RUNNING)
        if mode == HELD and was != HELD:
            yield events.FactoryPaused(cluster=cluster, proc=-1, time=now, reason=reason, pause_code=HELD, hold_code=1)
        elif mode == RUNNING and was == HELD:
            yield events.FactoryResumed(cluster=cluster, proc=-1, time=now, reason=reason)
        was = mode


def present_records(ad: ClassAd) -> list[Change]:
    """The records that would make a factory what its cluster ad says."""
    names = ("JobMaterializePauseReason", "JobMaterializePaused")
    texts = ((name, ad.text(name)) for name in names)
    found = [Change(SET, "", name, text) for name, text in texts if text is not None]
    return found if ad.has("JobMaterializePaused") else [*found, Change(SET, "", "JobMaterializePaused", str(RUNNING))]


def removed_event(cluster: int, ad: ClassAd, now: float) -> events.ClusterRemove:
    """The event 036: jobs made, items used, and whether that was all, or it was stopped. ``now`` is Unix seconds."""
    made, total = next_proc(ad), ad.eval_int("TotalSubmitProcs", 0)
    row = ad.eval_int("JobMaterializeNextRow", 0)
    items = ad.eval_int("JobMaterializeItemCount", 0)
    paused = ad.eval_int("JobMaterializePaused", RUNNING) == HELD
    stopped = events.Completion.PAUSED if paused else events.Completion.INCOMPLETE
    return events.ClusterRemove(
        cluster=cluster,
        proc=-1,
        time=now,
        next_proc=made,
        next_row=items if row < 0 else min(row, items),
        completion=events.Completion.COMPLETE if made >= total else stopped,
    )
