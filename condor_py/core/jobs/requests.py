"""Requests about many jobs at once, with the rights of the requesting user. Used by the tools (direct) and the schedd
daemon (for others).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from condor_py.core.jobs.actions import Result, perform
from condor_py.core.jobs.grouping import alike, in_kinds
from condor_py.core.jobs.rights import Caller, RefusedEdit, allowed_assignments
from condor_py.lang.classad import ClassAd, ClassAdParseError, ExprTree, is_true, parse, quote_string
from condor_py.lang.classad.changes import apply as change
from condor_py.lang.classad.dependencies import plain_names
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.record import SET, Alike, Change, Entry, one_by_one
from condor_py.model.selection import Selection
from condor_py.model.settings.submit_policy import EditRules
from condor_py.model.states import JobStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.core.jobs.parts import JobTable

#: A constraint that looks at more attributes is tried on each job.
_MOST_NAMES = 50


class BadConstraint(CondorError):
    """A constraint that is no expression."""


def condition_of(constraint: str) -> ExprTree:
    """The expression of a constraint. BadConstraint when it does not parse."""
    try:
        return parse(constraint)
    except ClassAdParseError:
        raise BadConstraint(f"Can't parse constraint: {constraint}") from None


def select(jobs: JobTable, constraint: str, among: tuple[JobId, ...] | None = None) -> Iterator[tuple[JobId, ClassAd]]:
    """Jobs (``among`` some, or all) for which a constraint is true. BadConstraint when it does not parse."""
    condition = condition_of(constraint)
    chosen = list(jobs.jobs()) if among is None else [(job, jobs.job(job)) for job in among]
    if constraint.lower() == "true":
        yield from ((job, ad) for job, ad in chosen if ad is not None)
        return
    for job, ad in chosen:
        if ad is not None and is_true(ad.evaluate(condition)):
            yield job, ad


def act(
    jobs: JobTable,
    caller: Caller,
    action: str,
    selection: Selection,
    reason: str | None,
    subcode: int | None,
    now: int,
    max_releases: int = -1,
) -> tuple[dict[JobId, int], list[Entry]]:
    """Performs an action on the selected jobs: the result of each (see Result), and the records to commit. Jobs that
    were held more often than ``max_releases`` (SYSTEM_MAX_RELEASES) are not released; -1 for no such limit."""
    results: dict[JobId, int] = {}
    named = set(selection.ids)
    single: list[Entry] = []
    together: list[Entry] = []
    chosen = _chosen(jobs, selection)
    for group, is_kind in in_kinds(jobs, chosen):
        ad = jobs.job(group[0])
        if ad is None:
            results[group[0]] = int(Result.NOT_FOUND)
            continue
        code, records = Result.PERMISSION_DENIED, list[Change]()
        if caller.may_change(ad):
            first = group[0]
            code, records = perform(action, first, ad, actor=caller.owner, reason=reason, subcode=subcode, now=now)
            if action == "release" and code == Result.SUCCESS and 0 <= max_releases < ad.eval_int("NumHolds", 0):
                code, records = Result.LIMIT_EXCEEDED, []
        # One that has left the queue but for its history is met by its number only.
        told = group if code != Result.NOT_FOUND else named.intersection(group)
        results.update(dict.fromkeys(told, int(code)))
        if is_kind and records:
            together += alike(group, tuple([change.of("") for change in records]))
        else:
            single += records
    return _in_order(chosen, results), single + together


def _in_order(jobs: Iterable[JobId], results: dict[JobId, int]) -> dict[JobId, int]:
    """Results in the order of the jobs."""
    return {job: results[job] for job in jobs if job in results}


def _chosen(jobs: JobTable, selection: Selection) -> list[JobId]:
    """The jobs of a selection: those that are named, which need not be there, and those for which the constraint is
    true."""
    found = dict.fromkeys(selection.ids)
    if selection.constraint is not None:
        found.update(dict.fromkeys(_meeting(jobs, selection.constraint, selection.among)))
    return list(found)


def _meeting(jobs: JobTable, constraint: str, among: tuple[JobId, ...] | None) -> Iterable[JobId]:
    """Of jobs that say the same of what the constraint looks at one is asked."""
    condition = condition_of(constraint)
    names = plain_names(condition.node) if among is not None else None
    if among is None or names is None or len(names) > _MOST_NAMES:
        return [job for job, _ in select(jobs, constraint, among)]
    if not names:
        return jobs.among(among) if is_true(ClassAd().evaluate(condition)) else []
    found: set[JobId] = set()
    for group, _ in in_kinds(jobs, among, tuple(sorted(names)), ()):
        ad = jobs.job(group[0])
        if ad is not None and is_true(ad.evaluate(condition)):
            found.update(group)
    return [job for job in among if job in found]


def apply(jobs: JobTable, entries: Iterable[Entry]) -> list[Entry]:
    """Makes ``entries``, which change jobs and clusters but create none, hold in the image before they are written;
    the entries, with those marked that the image has."""
    found: list[Entry] = []
    for entry in entries:
        if isinstance(entry, Alike):
            jobs.change(entry.jobs, entry.changes)
            found.append(changed(entry, applied=True))
            continue
        for record in one_by_one((entry,)):
            _change(jobs, record)
        found.append(entry)
    return found


def _change(jobs: JobTable, record: Change) -> None:
    cluster, _, proc = record.key.partition(".")
    ad = jobs.cluster(int(cluster)) if proc == "-1" else jobs.job(JobId(int(cluster), int(proc)))
    if ad is not None:
        change(ad, (record,))


def edit(
    jobs: JobTable,
    caller: Caller,
    selection: Selection,
    assignments: list[tuple[str, str]],
    rules: EditRules | None = None,
    beyond: Callable[[Iterable[JobId]], Collection[JobId]] = lambda jobs: (),
) -> tuple[dict[JobId, int], list[Entry]]:
    """Sets attributes of the selected jobs: the result of each, and the records to commit.

    ``beyond`` returns those of some jobs that have left the queue but for their removal: their history would lack it.
    """
    assignments = allowed_assignments(assignments, caller, rules or EditRules())
    results: dict[JobId, int] = {}
    changes: list[Entry] = []
    for cluster in selection.clusters:
        whole = jobs.cluster(cluster)
        if whole is not None and caller.may_change(whole):
            results[JobId(cluster, -1)] = int(Result.SUCCESS)
            changes += _cluster_records(cluster, whole, assignments)
    chosen = _chosen(jobs, selection)
    if gone := beyond(chosen):
        results.update(dict.fromkeys(set(selection.ids).intersection(gone), int(Result.NOT_FOUND)))
        chosen = [job for job in chosen if job not in gone]
    order = list(results)
    for group, _ in in_kinds(jobs, chosen, ("owner",), ()):
        ad = jobs.job(group[0])
        if ad is None:
            result = Result.NOT_FOUND
        elif caller.may_change(ad):
            result = Result.SUCCESS
        else:
            result = Result.PERMISSION_DENIED
        results.update(dict.fromkeys(group, int(result)))
    if assignments:
        edited = [job for job in chosen if results[job] == Result.SUCCESS]
        changes += alike(edited, tuple(Change(SET, "", name, text) for name, text in assignments))
        status = next((text for name, text in reversed(assignments) if name.lower() == "jobstatus"), None)
        if status is not None:
            status_ad = ClassAd.from_text_items([("JobStatus", status)])
            changes += _with_status(jobs, edited, status_ad.eval_int("JobStatus", 0))
    return _in_order([*order, *chosen], results), changes


def _with_status(jobs: JobTable, edited: list[JobId], status: int) -> Iterator[Entry]:
    """Records that HTCondor's schedd adds to an edit of JobStatus. RefusedEdit if a removed job would come back."""
    for group, _ in in_kinds(jobs, edited, ("jobstatus", "lastjobstatus", "jobstatusonrelease"), ()):
        ad = jobs.job(group[0]) or ClassAd()
        before, *others = (ad.eval_int(name, 0) for name in ("JobStatus", "LastJobStatus", "JobStatusOnRelease"))
        if status not in (JobStatus.HELD, JobStatus.REMOVED) and JobStatus.REMOVED in (before, *others):
            raise RefusedEdit(f"Changing JobStatus of removed job {group[0]} to {status} is invalid")
        more = []
        if before == JobStatus.REMOVED and status == JobStatus.HELD:
            more.append(Change(SET, "", "JobStatusOnRelease", str(int(JobStatus.REMOVED))))
        if before not in (0, status):
            more.append(Change(SET, "", "LastJobStatus", str(before)))
        if more:
            yield from alike(group, tuple(more))


def _cluster_records(cluster: int, ad: ClassAd, assignments: list[tuple[str, str]]) -> Iterator[Change]:
    """Sets attributes of a cluster ad. One that makes its jobs late remembers which they are: those of later jobs do
    not come from the submit description any more."""
    key = f"0{cluster}.-1"
    yield from (Change(SET, key, name, text) for name, text in assignments)
    if is_factory(ad):
        edited = {name.lower(): name for name in edited_attributes(ad)}
        edited.update((name.lower(), name) for name, _ in assignments if name.lower() not in edited)
        names = ",".join(sorted(edited.values(), key=str.lower))
        yield Change(SET, key, "EditedClusterAttrs", quote_string(names))


def is_factory(ad: ClassAd | None) -> bool:
    """Whether a cluster ad makes its jobs late."""
    return ad is not None and ad.text("JobMaterializeDigestFile") is not None


def edited_attributes(ad: ClassAd) -> list[str]:
    """The attributes of a cluster ad that were edited."""
    return [name for name in ad.eval_str("EditedClusterAttrs", "").split(",") if name]
