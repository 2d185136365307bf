"""``Schedd``: submitting, asking, changing jobs, with the rights of the account that runs the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from condor_py.classad import ClassAd, ExprTree
from condor_py.htcondor import histories, session
from condor_py.htcondor.enums import JobAction, QueryOpt, TransactionFlag
from condor_py.htcondor.errors import HTCondorException, HTCondorIOError
from condor_py.htcondor.jobspec import JobSpec, selection
from condor_py.htcondor.submit import Submit, items_statement, report
from condor_py.model.errors import CondorError
from condor_py.schedd.actions import Result

if TYPE_CHECKING:
    from condor_py.daemon.submission import SubmittedCluster
    from condor_py.schedd.requests import Selection
    from condor_py.submit.submit_file import SubmitFile

_ACTIONS = {
    JobAction.Hold: "hold",
    JobAction.Release: "release",
    JobAction.Remove: "remove",
    JobAction.RemoveX: "removex",
    JobAction.Vacate: "vacate",
    JobAction.VacateFast: "vacate-fast",
    JobAction.Suspend: "suspend",
    JobAction.Continue: "continue",
}
_REASON = "Python-initiated action"
#: By the numbers of ``Result``.
_TOTALS = ("TotalError", "TotalSuccess", "TotalNotFound", "TotalBadStatus", "TotalAlreadyDone", "TotalPermissionDenied")
_FROM_QUEUE = object()
_T = TypeVar("_T")


class SubmitResult:
    """What a submit made."""

    def __init__(self, cluster: int, num_procs: int, clusterad: ClassAd) -> None:
        self._cluster = cluster
        self._num_procs = num_procs
        self._clusterad = clusterad

    def cluster(self) -> int:
        """The cluster's number."""
        return self._cluster

    def clusterad(self) -> ClassAd:
        """What all jobs of the cluster have in common."""
        return self._clusterad

    def first_proc(self) -> int:
        """The number of the first job."""
        return 0

    def num_procs(self) -> int:
        """How many jobs there are."""
        return self._num_procs

    def __int__(self) -> int:
        return self._cluster

    def __str__(self) -> str:
        return f"Submitted {self._num_procs} jobs into cluster {self._cluster},0 :\n{self._clusterad}"

    def __repr__(self) -> str:
        return (
            f"SubmitResult(cluster={self._cluster}, first_proc=0, num_procs={self._num_procs}, "
            f"clusterad={self._clusterad})"
        )


class Schedd:
    """The schedd of this machine, or rather its queue: asking works without a running daemon too."""

    def __init__(self, location: ClassAd | None = None) -> None:
        """``location`` may be the ad of the local schedd; HTCondorLocateError for another one."""
        self._address = session.check_location(location, "schedd")

    # -- asking -------------------------------------------------------------------------------------------------------

    def query(
        self,
        constraint: str | ExprTree = "True",
        projection: list[str] | None = None,
        callback: Callable[[ClassAd], Any] | None = None,
        limit: int = -1,
        opts: QueryOpt = QueryOpt.Default,
    ) -> list[Any]:
        """The jobs for which ``constraint`` is true, as ads with the attributes of ``projection`` (none: all).

        ``callback`` replaces each ad by what it returns; None leaves the ad out. ``limit`` below 0 is no limit.
        """
        found = (callback(ad) for ad in self.xquery(constraint, projection, limit, opts)) if callback else None
        if found is None:
            return list(self.xquery(constraint, projection, limit, opts))
        return [item for item in found if item is not None]

    def xquery(
        self,
        constraint: str | ExprTree = "True",
        projection: list[str] | None = None,
        limit: int = -1,
        opts: QueryOpt = QueryOpt.Default,
        name: str | None = None,
        requirements: str | ExprTree | None = None,
    ) -> Iterator[ClassAd]:
        """As ``query``, one ad after the other. ``requirements`` is what ``constraint`` was called before 8.9."""
        wanted = session.constraint_of(constraint if requirements is None else requirements)
        names = session.projection_of(projection)
        view = _answered(session.pool().read_queue)
        if opts & QueryOpt.SummaryOnly:
            return iter([self._summary(view.jobs(), wanted, opts)])
        if opts & (QueryOpt.AutoCluster | QueryOpt.GroupBy):
            from condor_py.tools import aggregates

            chosen = (ad for _, ad in view.jobs() if session.is_true(ad, wanted))
            found = aggregates.groups_by(chosen, names) if opts & QueryOpt.GroupBy else aggregates.autoclusters(chosen)
            return iter(found if limit < 0 else found[:limit])
        jobs: Iterable[tuple[Any, ClassAd]] = view.jobs()
        if opts & QueryOpt.IncludeClusterAd:
            clusters = ((number, view.table.cluster(number)) for number, _ in view.clusters())
            jobs = (*((number, ad) for number, ad in clusters if ad is not None), *jobs)
        return self._chosen(jobs, wanted, names, limit, opts)

    def _summary(self, jobs: Iterable[tuple[Any, ClassAd]], wanted: str | None, opts: QueryOpt) -> ClassAd:
        """The totals that a query with SummaryOnly answers with."""
        from condor_py.tools.aggregates import summary

        everyone = [ad for _, ad in jobs]
        pool, query, mine = session.pool(), everyone, None
        if opts & QueryOpt.DefaultMyJobsOnly:
            query = [ad for ad in everyone if ad.eval_str("Owner", None) == pool.owner]
            mine = (pool.user, query)
        return summary([ad for ad in query if session.is_true(ad, wanted)], everyone, mine, int(pool.now()))

    def _chosen(
        self,
        jobs: Iterable[tuple[Any, ClassAd]],
        wanted: str | None,
        names: list[str],
        limit: int,
        opts: QueryOpt,
    ) -> Iterator[ClassAd]:
        owner = session.pool().owner if opts & QueryOpt.DefaultMyJobsOnly else None
        now = int(session.pool().now())
        count = 0
        for _, ad in jobs:
            if count == limit:
                return
            if (owner is None or ad.eval_str("Owner", None) == owner) and session.is_true(ad, wanted):
                count += 1
                found = session.projected(ad, names)
                found["ServerTime"] = now
                yield found

    def history(
        self,
        constraint: str | ExprTree | None = None,
        projection: list[str] | None = None,
        match: int = -1,
        since: int | str | ExprTree | None = None,
    ) -> list[ClassAd]:
        """Jobs that left the queue, newest first; ``since`` ends the walk at a job or where an expression is true."""
        return histories.walk("HISTORY", constraint, projection, match, since)

    def jobEpochHistory(
        self,
        constraint: str | ExprTree | None = None,
        projection: list[str] | None = None,
        match: int = -1,
        since: int | str | ExprTree | None = None,
        **kwargs: object,
    ) -> list[ClassAd]:
        """One ad for every execution attempt, the newest first."""
        return histories.walk("JOB_EPOCH_HISTORY", constraint, projection, match, since, "EPOCH")

    def daemonHistory(
        self,
        constraint: str | ExprTree | None = None,
        projection: list[str] | None = None,
        match: int = -1,
        since: ExprTree | None = None,
    ) -> list[ClassAd]:
        """What SCHEDD_DAEMON_HISTORY holds, the newest first."""
        if since is not None and not isinstance(since, ExprTree):
            raise TypeError("since must be an ExprTree")
        return histories.walk("SCHEDD_DAEMON_HISTORY", constraint, projection, match, since)

    # -- changing -----------------------------------------------------------------------------------------------------

    def act(self, action: JobAction, job_spec: JobSpec, reason: str | tuple[str, int] | None = None) -> ClassAd:
        """Hold, release, remove … the jobs of ``job_spec``; the totals. Durable on return.

        ``reason`` may carry a subcode: ``(text, number)``.
        """
        if not isinstance(action, JobAction):
            raise TypeError("action must be a JobAction")
        text, code = reason if isinstance(reason, tuple) else (reason or _REASON, None)
        chosen = selection(job_spec)
        result = _answered(lambda: session.pool().act(_ACTIONS[action], chosen, text, code))
        codes = list(result.results.values())
        totals = ClassAd()
        for number, name in enumerate(_TOTALS):
            totals[name] = codes.count(number)
        totals["TotalJobAds"] = sum(len(procs) for _, procs in _answered(session.pool().read_queue).groups())
        totals["TotalChangedAds"] = 1 if totals["TotalSuccess"] or not codes else 0
        return totals

    def edit(
        self,
        job_spec: JobSpec,
        attr: str,
        value: str | ExprTree,
        flags: TransactionFlag = TransactionFlag.Default,
    ) -> int:
        """Set an attribute of the jobs of ``job_spec`` to an expression; how many were changed. Durable on return."""
        if not isinstance(flags, TransactionFlag):
            raise TypeError("flags must be a TransactionFlag")
        return self._edit(selection(job_spec), [(attr, str(value))])

    def edit_multiple(self, job_spec: JobSpec, edits: Mapping[str, Any]) -> int:
        """As ``edit``, several attributes in one transaction."""
        return self._edit(selection(job_spec), [(name, str(value)) for name, value in edits.items()])

    def _edit(self, chosen: Selection, assignments: list[tuple[str, str]]) -> int:
        results = _answered(lambda: session.pool().edit(chosen, assignments))
        done = sum(1 for code in results.values() if code == Result.SUCCESS)
        if not done:
            raise HTCondorException("Unable to edit jobs: none of them is yours, or there is none")
        return done

    def reschedule(self) -> None:
        """Start a negotiation cycle now."""
        session.ask("schedd", {"op": "reschedule"})

    # -- submitting ---------------------------------------------------------------------------------------------------

    def submit(
        self,
        description: Submit,
        count: int = 0,
        spool: bool = False,
        itemdata: Any = _FROM_QUEUE,
        queue: str | None = None,
    ) -> SubmitResult:
        """Queue jobs, all or none; durable on return.

        ``count`` replaces the number of the queue statement (jobs an item), ``itemdata`` its items (lines or mappings;
        None: no items), ``queue`` the whole statement. HTCondorException says what is wrong with the description.
        """
        if not isinstance(description, Submit):
            raise TypeError("description must be an htcondor2.Submit object")
        if queue is not None and (count or itemdata is not _FROM_QUEUE):
            raise ValueError("queue and count/itemdata are mutually exclusive")
        if spool:
            raise HTCondorException("spool: there is no other machine to send files to; submit without it")
        return self._submit(description, _statement(itemdata, queue), count)

    def _submit(self, description: Submit, statement: str | None, count: int) -> SubmitResult:
        from condor_py.submit.build import BuildOptions

        file = description.parsed(statement)
        if count:
            for queued in file.statements:
                queued.args.count = count
        made: list[SubmittedCluster] = []

        def build(first: int, user: str, owner: str, _now: int) -> list[SubmittedCluster]:
            made[:] = _clusters(file, first, user, owner, description.getSubmitMethod(), BuildOptions(user=owner))
            return made

        pool = session.pool()
        _answered(lambda: pool.submit(build))
        for text in [*pool.warnings, *(line for line in file.messages.warnings().splitlines() if line)]:
            _warn(text)
        cluster = made[0]
        return SubmitResult(cluster.cluster, file.job_count, ClassAd.from_text_items(cluster.ad))

    @contextmanager
    def transaction(
        self, flags: TransactionFlag = TransactionFlag.Default, continue_txn: bool = False
    ) -> Iterator[Transaction]:
        """The older bindings' way to submit: ``with schedd.transaction() as txn: submit.queue(txn)``."""
        yield Transaction(self)

    # -- what one machine has not -------------------------------------------------------------------------------------

    def spool(self, result: SubmitResult) -> None:
        """Not available: jobs run with the submitter's own files. Raises HTCondorException."""
        raise HTCondorException("spool: there is no other machine to send files to")

    def retrieve(self, job_spec: JobSpec) -> None:
        """Not available, as ``spool``. Raises HTCondorException."""
        raise HTCondorException("retrieve: output is where the job's description put it")


class Transaction:
    """Submits of one ``Schedd.transaction``; each is durable when it returns."""

    def __init__(self, schedd: Schedd) -> None:
        self._schedd = schedd

    def submit(self, description: Submit, count: int, ad_results: list[ClassAd] | None) -> int:
        """Queue ``count`` jobs (0: what the description says); the cluster number. Their ads go to ``ad_results``."""
        result = self._schedd.submit(description, count)
        if ad_results is not None:
            ad_results += self._schedd.query(f"ClusterId == {result.cluster()}")
        return result.cluster()


def _statement(itemdata: Any, queue: str | None) -> str | None:
    """The queue statement that the arguments of ``submit`` make; None to use the description's."""
    if queue is not None:
        first, _, rest = queue.strip().partition(" ")
        return rest if first.lower() == "queue" else queue
    if itemdata is _FROM_QUEUE:
        return None
    return "" if itemdata is None else items_statement(itemdata)


def _clusters(file: SubmitFile, first: int, user: str, owner: str, method: int, options: Any) -> list[SubmittedCluster]:
    from condor_py.daemon.submission import SubmittedCluster

    made = []
    for number, draft in enumerate(file.clusters(), first):
        built = draft.build(number, user, owner, options)
        items = [item for item in built.ad_items if item[0].lower() != "jobsubmitmethod"]
        if method >= 0:
            items.append(("JobSubmitMethod", str(method)))
        made.append(SubmittedCluster(built.cluster_id, items, built.procs))
    if not made:
        raise HTCondorException("the queue statement makes no jobs")
    return made


def _answered(ask: Callable[[], _T]) -> _T:
    """What ``ask`` returns; the pool's errors as the bindings' own."""
    from condor_py.tools.access import NoSchedd

    try:
        return ask()
    except NoSchedd as error:
        raise HTCondorIOError(f"Failed to connect to schedd: {error}") from None
    except CondorError as error:
        raise HTCondorException(report(error)) from None


def _warn(text: str) -> None:
    import warnings

    warnings.warn(text.removeprefix("WARNING: ").strip(), stacklevel=4)
