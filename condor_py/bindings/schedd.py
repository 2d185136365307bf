"""``Schedd``: submitting, asking, changing jobs, with the rights of the account that runs the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from condor_py.bindings import exporting, histories, session
from condor_py.bindings.enums import HistorySrc, JobAction, QueryOpt, TransactionFlag
from condor_py.bindings.errors import HTCondorException, HTCondorIOError
from condor_py.bindings.jobspec import JobSpec, constraint_text, selection
from condor_py.bindings.place import AtSchedd
from condor_py.bindings.submit import Submit, report
from condor_py.bindings.submitting import FROM_QUEUE, SubmitResult, statement_of, submit
from condor_py.bindings.userrecs import UserRecords
from condor_py.core.jobs.actions import Result
from condor_py.lang.classad import ClassAd, ExprTree
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.queue import Ocu, OcuUnits, Reschedule
from condor_py.model.states import JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.model.selection import Selection

# What ``Schedd`` offers to other managers of jobs: claims, exported jobs, slots that owners keep (OCU), proxies.


class ExternalJobs(AtSchedd):
    """The part of ``Schedd`` for programs that run its jobs elsewhere, or its slots for others."""

    def get_claims(
        self,
        constraint: str | ExprTree | None = None,
        projection: list[str] = [],  # noqa: B006  (never changed; the default that HTCondor's documentation names)
    ) -> list[ClassAd]:
        """The slots that run this schedd's jobs or are kept for them, as ads of slots."""
        names = session.projection_of(projection)
        wanted = session.constraint_of(constraint)
        claimed = (ad for ad in self._here("Cannot query schedd").ads("STARTD") if ad.get("State") == "Claimed")
        return [session.projected(ad, names) for ad in claimed if session.is_true(ad, wanted)]

    def refreshGSIProxy(self, cluster: int, proc: int, proxy_filename: str, lifetime: int = -1) -> int:
        """Replace the proxy of a job. HTCondorException: jobs here have no proxy that could be delegated."""
        words = "DCSchedd::delegateGSIcredential:6001:Failed to connect to schedd"
        job = f"{int(cluster)}.{int(proc)}"
        self._here(words)
        _unavailable(f"DCSchedd::delegateGSIcredential: job {job} has no proxy: jobs of this pool run on its machine")

    def export_jobs(self, job_spec: JobSpec, export_dir: str, new_spool_dir: str) -> ClassAd:
        """Hand the jobs of clusters to another program: their ads go to the file job_queue.log in ``export_dir``.

        The jobs stay here and wait until they are taken back. ``new_spool_dir`` is where their spool will be there.
        The answer says how many there are. HTCondorException when that is not allowed, or the file cannot be written.
        """
        return exporting.export(self._here(_failed("exportJobs")), job_spec, export_dir, new_spool_dir)

    def import_exported_job_results(self, import_dir: str) -> ClassAd:
        """Take back the exported jobs that job_queue.log in ``import_dir`` has, with what became of them.

        Jobs that were held or removed here meanwhile stay as they are. HTCondorException when the file cannot be read.
        """
        return exporting.take_back(self._here(_failed("importExportedJobResults")), import_dir)

    def unexport_jobs(self, job_spec: JobSpec) -> ClassAd:
        """Undo ``export_jobs``: the jobs are this schedd's again, as they were."""
        return exporting.unexport(self._here(_failed("unexportJobs")), job_spec)

    def create_ocu(self, request: ClassAd) -> ClassAd:
        """Ask for a slot that stays with its owner: an owner capacity unit. ``request`` has Owner and RequestCpus,
        RequestMemory (MiB), RequestDisk (KiB).

        The answer has Result (0: success), OCUId and OCUName, or ErrorString. HTCondorException: no schedd answers.
        """
        session.check_ad(request, "request")
        pool = self._here("Cannot send OCU creation request to schedd")
        answer = _ask(pool, Ocu("create", ClassAd(request).text_items()), "creation")
        if isinstance(answer, Refused):
            return _refused(answer)
        return ClassAd({"Result": 0, "OCUId": answer.id, "OCUName": answer.name})

    def remove_ocu(self, request: int) -> ClassAd:
        """Give such a slot back, by its OCUId; what runs there is vacated. The answer is as for ``create_ocu``."""
        number = int(request)
        pool = self._here("Cannot send OCU removal request to schedd")
        answer = _ask(pool, Ocu("remove", id=number), "removal")
        return _refused(answer) if isinstance(answer, Refused) else ClassAd({"Result": 0, "OCUId": number})

    def query_ocu(self, request: ClassAd) -> list[ClassAd]:
        """All such units, with OCUState: U (no slot yet), I (its slot waits for a job) or R (a job runs)."""
        session.check_ad(request, "request")
        pool = self._here("Cannot send OCU query request to schedd")
        answer = _ask(pool, Ocu("query"), "query")
        if isinstance(answer, Refused):
            raise HTCondorException(f"Cannot send OCU query request to schedd: {answer.error}")
        return [ClassAd.from_text_items((name, text) for name, text in items) for items in answer.ads]


def _ask(pool: Pool, question: Ocu, what: str) -> OcuUnits | Refused:
    try:
        return pool.ask("schedd", question)
    except CondorError as error:
        raise HTCondorException(f"Cannot send OCU {what} request to schedd: {error}") from None


def _refused(answer: Refused) -> ClassAd:
    return ClassAd({"Result": -1, "ErrorString": answer.error})


def _failed(call: str) -> str:
    return f"DCSchedd::{call}:6001:Failed to connect to schedd"


def _unavailable(reason: str) -> NoReturn:
    raise HTCondorException(reason)


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
#: The flag in ClusterAds and JobsetAds of the first version that leaves the ads of jobs out.
_NO_JOBS = 64
#: By the numbers of ``Result``.
_TOTALS = ("TotalError", "TotalSuccess", "TotalNotFound", "TotalBadStatus", "TotalAlreadyDone", "TotalPermissionDenied")
_T = TypeVar("_T")


class Schedd(UserRecords, ExternalJobs):
    """The schedd of this machine, or rather its queue: asking works without a running daemon too."""

    def __init__(self, location: ClassAd | None = None) -> None:
        """``location`` is the ad of a schedd, as ``Collector.locate`` returns it; None for the local one.

        A schedd of another machine can be named; whatever is asked of it then fails to connect.
        """
        self._pool = session.pool_for(location if isinstance(location, ClassAd) else None)
        if location is None:
            self._addr, self._version = self._pool.schedd_address, session.version()
            return
        session.check_ad(location, "location")
        self._addr = location["MyAddress"]
        self._version = location["CondorVersion"]

    # -- asking -------------------------------------------------------------------------------------------------------

    def query(
        self,
        constraint: str | ExprTree = "True",
        projection: list[str] = [],  # noqa: B006  (never changed; the default that HTCondor's documentation names)
        callback: Callable[[ClassAd], Any] | None = None,
        limit: int = -1,
        opts: QueryOpt = QueryOpt.Default,
    ) -> list[Any]:
        """The jobs for which ``constraint`` is true, as ads with the attributes of ``projection`` (none: all).

        ``callback`` replaces each ad by what it returns; None leaves the ad out. ``limit`` below 0 is no limit.
        """
        ads = self._ads(constraint, projection, int(limit), QueryOpt(opts))
        if callback is None:
            return list(ads)
        return [item for item in map(callback, ads) if item is not None]

    def _ads(
        self, constraint: str | bool | ExprTree | None, projection: object, limit: int, opts: QueryOpt
    ) -> Iterator[ClassAd]:
        failed = "Failed to fetch ads from schedd, errmsg="
        names = session.projection_of(projection)
        wanted = session.constraint_of(constraint, failed)
        pool = self._here(f"{failed}CEDAR:6001:Failed to connect to {self._addr}")
        view = _answered(pool.read_queue)
        if opts & QueryOpt.SummaryOnly:
            return iter([self._summary(view.jobs(), wanted, opts)])
        if opts & (QueryOpt.AutoCluster | QueryOpt.GroupBy):
            from condor_py.client import aggregates

            chosen = (ad for _, ad in view.jobs() if session.is_true(ad, wanted))
            found = aggregates.groups_by(chosen, names) if opts & QueryOpt.GroupBy else aggregates.autoclusters(chosen)
            return iter(found if limit < 0 else found[:limit])
        jobs: Iterable[tuple[Any, ClassAd]] = () if opts & _NO_JOBS else view.jobs()
        if opts & QueryOpt.IncludeClusterAd:
            clusters = ((number, view.table.cluster(number)) for number, _ in view.clusters())
            jobs = (*((number, ad) for number, ad in clusters if ad is not None), *jobs)
        if opts & QueryOpt.IncludeJobsetAds and pool.config.boolean("USE_JOBSETS"):
            from condor_py.core.jobs.jobsets import job_sets

            jobs = (*((None, ad) for ad in job_sets(ad for _, ad in view.jobs())), *jobs)
        return self._chosen(jobs, wanted, names, limit, opts)

    def _summary(self, jobs: Iterable[tuple[Any, ClassAd]], wanted: str | None, opts: QueryOpt) -> ClassAd:
        """The totals that a query with SummaryOnly answers with."""
        from condor_py.client.aggregates import summary

        everyone = [ad for _, ad in jobs]
        pool, query, mine = self._pool, everyone, None
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
        owner = self._pool.owner if opts & QueryOpt.DefaultMyJobsOnly else None
        now = int(self._pool.now())
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
        projection: list[str] = [],  # noqa: B006
        match: int = -1,
        since: int | str | ExprTree | None = None,
    ) -> list[ClassAd]:
        """Jobs that left the queue, newest first; ``since`` ends the walk at a job or where an expression is true."""
        return histories.walk(self._here(), HistorySrc.ScheddJob, constraint, projection, match, since)

    def jobEpochHistory(
        self,
        constraint: str | ExprTree | None = None,
        projection: list[str] = [],  # noqa: B006
        match: int = -1,
        since: int | str | ExprTree | None = None,
        **kwargs: Any,
    ) -> list[ClassAd]:
        """One ad for every execution attempt, the newest first.

        ``ad_type`` (a list of words or one text with commas) names other kinds of records: SPAWN, INPUT, OUTPUT,
        CHECKPOINT, TRANSFER for those three, ALL.
        """
        kinds = histories.kinds_of(kwargs.get("ad_type"))
        return histories.walk(self._here(), HistorySrc.JobEpoch, constraint, projection, match, since, kinds)

    def daemonHistory(
        self,
        constraint: str | ExprTree | None = None,
        projection: list[str] = [],  # noqa: B006
        match: int = -1,
        since: ExprTree | None = None,
    ) -> list[ClassAd]:
        """Return the ads in SCHEDD_DAEMON_HISTORY, the newest first."""
        if since is not None and not isinstance(since, ExprTree):
            raise TypeError("since must be an ExprTree")
        return histories.walk(self._here(), HistorySrc.Daemon, constraint, projection, match, since)

    # -- changing -----------------------------------------------------------------------------------------------------

    def act(self, action: JobAction, job_spec: JobSpec, reason: str | tuple[str, int] | None = None) -> ClassAd:
        """Hold, release, remove … the jobs of ``job_spec``; the totals. Durable on return.

        ``reason`` may carry a subcode: ``(text, number)``.
        """
        if not isinstance(action, JobAction):
            raise TypeError("action must be a JobAction")
        text, code = reason if isinstance(reason, tuple) else (reason or _REASON, None)
        chosen = selection(job_spec)
        pool = self._here("Error when performing action on the schedd.")
        result = _answered(lambda: pool.act(_ACTIONS[action], chosen, text, code))
        codes = list(result.results.values())
        totals = ClassAd()
        for number, name in enumerate(_TOTALS):
            totals[name] = codes.count(number)
        totals["TotalJobAds"] = sum(len(procs) for _, procs in _answered(pool.read_queue).groups())
        totals["TotalChangedAds"] = 1 if totals["TotalSuccess"] else 0
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
        text = repr(value) if isinstance(value, ExprTree) else str(value)
        return self._edit(selection(job_spec), [(attr, text)])

    def edit_multiple(self, job_spec: JobSpec, edits: Mapping[str, Any]) -> int:
        """As ``edit``, several attributes in one transaction."""
        return self._edit(selection(job_spec), [(name, str(value)) for name, value in edits.items()])

    def _edit(self, chosen: Selection, assignments: list[tuple[str, str]]) -> int:
        pool = self._here("Failed to connect to schedd.")
        results = _answered(lambda: pool.edit(chosen, assignments))
        done = sum(1 for code in results.values() if code == Result.SUCCESS)
        if not done or done < len(results):
            by_constraint = chosen.constraint is not None or chosen.clusters
            raise HTCondorException(f"Unable to edit job{'s matching constraint' if by_constraint else ''}")
        return done

    def reschedule(self) -> None:
        """Start a negotiation cycle now. Without a running schedd, or with one elsewhere, nothing happens."""
        try:
            session.ask(self._here(), "schedd", Reschedule())
        except HTCondorIOError:
            return

    # -- submitting ---------------------------------------------------------------------------------------------------

    def submit(
        self,
        description: Submit,
        count: int = 0,
        spool: bool = False,
        itemdata: Any = FROM_QUEUE,
        queue: str | None = None,
    ) -> SubmitResult:
        """Queue jobs, all or none; durable on return.

        ``count`` replaces the number of the queue statement (jobs an item), ``itemdata`` its items (an iterator over
        lines or mappings; None: no items), ``queue`` the whole statement. With ``spool`` the jobs are held until
        ``Schedd.spool`` has brought their input files. HTCondorException says what is wrong with the description.
        """
        if not isinstance(description, Submit):
            raise TypeError("description must be an htcondor2.Submit object")
        if queue is not None and (count or itemdata is not FROM_QUEUE):
            raise ValueError("queue and count/itemdata are mutually exclusive")
        if itemdata is not FROM_QUEUE and itemdata is not None and not isinstance(itemdata, Iterator):
            raise TypeError(f"itemdata must be an iterator, not {type(itemdata).__name__}")
        statement = statement_of(itemdata, queue)
        pool = self._here(f"Failed to connect to schedd, errmsg=CEDAR:6001:Failed to connect to {self._addr}")
        return submit(pool, description, statement, int(count), spool)

    def spool(self, result: SubmitResult) -> None:
        """Copy the input files of a ``submit(…, spool=True)`` into the spool: its jobs may run then."""
        if result._spooledProcAds is None:
            raise ValueError("result must have come from submit() with spool set")
        from condor_py.client.progress import Meter
        from condor_py.client.spool_files import bring_files

        pool = self._here("DCSchedd::spoolJobFiles:6001:Failed to connect to schedd")
        quiet = Meter(None, "")
        quiet.is_shown = False
        _answered(lambda: bring_files(pool, [result.cluster()], quiet))

    def retrieve(self, job_spec: JobSpec) -> None:
        """Copy the output of spooled jobs to where they were submitted; those that are finished leave the queue."""
        from condor_py.client.output import fetch_output

        constraint = constraint_text(job_spec)
        pool = self._here("DCSchedd::receiveJobSandbox:6001:Failed to connect to schedd")
        _answered(lambda: fetch_output(pool, constraint))

    def _get_dag_contact_info(self, cluster: int) -> ClassAd:
        """Return an ad with the address and secret of the DAGMan job of a cluster, or the reason why there is none."""
        if not isinstance(cluster, int):
            raise TypeError("cluster must be an integer")
        pool = self._here("DCSchedd::getDAGManContact:6001:Failed to connect to schedd")
        ad = _answered(pool.read_queue).job(JobId(cluster, 0))
        permitted = ad is not None and pool.caller().may_change(ad)
        why = _no_contact(ad, permitted)
        if why or ad is None:
            return ClassAd({"Result": False, "Permitted": permitted, "ErrorString": why})
        address = ad.eval_str("DAG_Address", "") or ""
        return ClassAd({"Result": True, "Permitted": True, "Address": address, "Secret": ""})


def _no_contact(ad: ClassAd | None, permitted: bool) -> str:
    """Return why no process listens for a job's DAGMan commands; "" when one does."""
    if ad is None:
        return "Job not in queue"
    if not permitted:
        return "Not permitted to talk to this job"
    if ad.eval_int("JobStatus", 0) != JobStatus.RUNNING:
        return "Job is not currently running"
    if ad.eval_int("JobUniverse", 0) != Universe.SCHEDULER:
        return "Specified job is not scheduler universe"
    return "" if ad.eval_str("DAG_Address", "") else "Job does not have a contact address"


def _answered(ask: Callable[[], _T]) -> _T:
    """Return the result of ``ask``; raise the pool's errors as the bindings' own."""
    from condor_py.client.pool import NoSchedd

    try:
        return ask()
    except NoSchedd as error:
        raise HTCondorIOError(f"Failed to connect to schedd: {error}") from None
    except CondorError as error:
        raise HTCondorException(report(error)) from None
