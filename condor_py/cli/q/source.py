"""Sources of condor_q's jobs: the queue of this machine, or a file."""

from __future__ import annotations

import sys
import time

from condor_py.cli.common import check_place
from condor_py.cli.options import Args
from condor_py.cli.output.values import is_true
from condor_py.cli.q.request import Request, referenced
from condor_py.cli.q.totals import Totals, is_plain
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId, grouped
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from condor_py.cli.options import Args


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeVar

    from condor_py.client.aggregates import Numbered
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import Groups, QueueView

    _T = TypeVar("_T")

#: Attributes of proc ads that a schedd keeps secret: who knows them may use the claim.
_PRIVATE = ("ClaimId", "ClaimIds", "Capability", "TransferKey", "PairedClaimId")
#: Keys that a proc ad does not show as its own: ServerTime is the schedd's.
NOT_OWN = frozenset(("servertime", *(name.lower() for name in _PRIVATE)))


class Source:
    """Jobs and what the title says of them.

    ``label`` is the title without its time; ``now`` the time of the query in Unix seconds. Offline sources have no
    ``user`` and no totals of all users. ``address`` is that of the schedd and its host, for error messages.
    """

    #: Keys that no job shows as its own.
    hidden = NOT_OWN

    def __init__(self, label: str, jobs: list[ClassAd] | None, now: int) -> None:
        self.label = label
        self._jobs = jobs
        self.view: QueueView | None = None
        self._groups: Groups | None = None
        self._shown: dict[int, ClassAd] = {}
        self._autoclusters: Numbered | None = None
        self.now = now
        self.online = False
        #: CONDOR_Q_SHOW_OLD_SUMMARY: totals of what is shown only.
        self.old_summary = False
        self.user = ""
        self.owner = ""
        self.superuser = False
        self.schedd_host = ""
        self.address = ""
        self.pool: Pool | None = None
        #: The schedd that a file of jobs names.
        self.saved_title = ""

    @property
    def jobs(self) -> list[ClassAd]:
        """All jobs."""
        if self._jobs is None:
            assert self.view is not None
            self._jobs = [self._as_sent(job.cluster, ad) for job, ad in self.view.jobs()]
        return self._jobs

    @property
    def clusters(self) -> list[ClassAd]:
        """Cluster ads."""
        if self.view is None:
            return []
        return [ad for number, _ in self.view.clusters() if (ad := self.cluster(number)) is not None]

    def cluster(self, number: int) -> ClassAd | None:
        """A cluster ad as a schedd would send it: with its clock, without its secrets."""
        assert self.view is not None
        shown = self._shown.get(number)
        if shown is None:
            ad = self.view.table.cluster(number)
            if ad is None:
                return None
            shown = self._shown[number] = ad.copy()
            shown.set_int("ServerTime", self.now)
            for name in _PRIVATE:
                shown.remove(name)
        return shown

    def chosen(self, groups: Groups) -> list[ClassAd]:
        """The ads of these jobs."""
        return list(self.each(groups))

    def each(self, groups: Groups) -> Iterator[ClassAd]:
        """The ads of these jobs, one by one."""
        assert self.view is not None
        for cluster, procs in groups:
            for proc in procs:
                ad = self.view.job(JobId(cluster, proc))
                if ad is not None:
                    yield self._as_sent(cluster, ad)

    def _as_sent(self, cluster: int, ad: ClassAd) -> ClassAd:
        """A job's ad as a schedd would send it. The image of the queue is ours alone: nothing is copied."""
        attrs = ad.attrs
        if not NOT_OWN.isdisjoint(attrs):
            for key in NOT_OWN:
                attrs.pop(key, None)
        ad.parent = self.cluster(cluster)
        if ad.parent is None:
            ad.set_int("ServerTime", self.now)
        if self._autoclusters is not None:
            self._autoclusters.mark(ad)
        return ad

    def number_autoclusters(self) -> None:
        """Let the jobs show AutoClusterId and AutoClusterAttrs, numbered in the order of the queue."""
        from condor_py.client.aggregates import Numbered

        self._autoclusters = Numbered()

    def groups(self, *, mine: bool) -> Groups:
        """All jobs of the queue, or those of the user."""
        assert self.view is not None
        if self._groups is None:
            self._groups = self.view.groups()
        return self.view.table.where(self._groups, "owner", f'"{self.owner}"') if mine else self._groups

    def states_of(self, groups: Groups) -> list[dict[int, int]]:
        """Return how many jobs of each group are in each state (0: none). Groups may share a dictionary."""
        assert self.view is not None
        found = self.view.table.groups_states(groups)
        return [self._states(*group) if states is None else states for group, states in zip(groups, found, strict=True)]

    def _states(self, cluster: int, procs: Sequence[int]) -> dict[int, int]:
        """The states of jobs some of which have an expression for JobStatus."""
        assert self.view is not None
        found: dict[int, int] = {}
        texts = self.view.texts("JobStatus", [(cluster, procs)])
        for text, count in _counts(texts).items():
            if is_plain(text):
                status = int(text or 0)
                found[status] = found.get(status, 0) + count
                continue
            for ad in self.chosen([(cluster, [proc for proc, own in zip(procs, texts, strict=True) if own == text])]):
                status = ad.eval_int("JobStatus", 0) or 0
                found[status] = found.get(status, 0) + 1
        return found

    def states(self, cluster: int, procs: Sequence[int]) -> dict[int, int]:
        """Return how many of these jobs are in each state (0: none)."""
        return self.states_of([(cluster, procs)])[0]

    def everyone(self) -> Totals:
        """All jobs."""
        if self.view is not None:
            return self.totals(self.groups(mine=False))
        return Totals().add_all(self.jobs)

    def mine(self) -> Totals:
        """The jobs of the user."""
        return self.totals(self.groups(mine=True))

    def totals(self, groups: Groups) -> Totals:
        """These jobs of the queue, counted without reading their ads."""
        assert self.view is not None
        table, found = self.view.table, Totals()
        counts, others = table.tally(groups)
        for universe, status, count in counts:
            found.add_kind(universe, status, count)
        kinds = list(zip(*table.texts(others, ("jobuniverse", "jobstatus")), strict=True))
        odd = {said for said, count in _counts(kinds).items() if not found.add_text(said[0], said[1], count)}
        if odd:
            jobs = ((cluster, proc) for cluster, procs in others for proc in procs)
            found.add_all(self.chosen(grouped(job for job, kind in zip(jobs, kinds, strict=True) if kind in odd)))
        return found

    def own_jobs(self) -> list[ClassAd]:
        """The user's jobs."""
        return [ad for ad in self.jobs if ad.eval_str("Owner") == self.owner]

    def factories(self) -> list[ClassAd]:
        """Cluster ads with the counts of their jobs: JobsPresent, JobsIdle, JobsRunning and JobsHeld."""
        states: dict[int, list[int]] = {}
        for ad in self.jobs:
            states.setdefault(ad.eval_int("ClusterId", 0), []).append(ad.eval_int("JobStatus", 0))
        clusters = self.clusters
        for cluster in clusters:
            found = states.get(cluster.eval_int("ClusterId", 0), [])
            cluster.set_int("JobsPresent", len(found))
            for name, status in (("JobsIdle", 1), ("JobsRunning", 2), ("JobsHeld", 5)):
                cluster.set_int(name, found.count(status))
            if cluster.has("JobMaterializeDigestFile") and not cluster.has("JobMaterializePaused"):
                cluster.set_int("JobFactoryPaused", 0)
        return clusters

    def title(self) -> str:
        """The two empty lines and the title line."""
        stamp = time.strftime("%m/%d/%y %H:%M:%S", time.localtime(self.now))
        return f"\n\n-- {self.label} @ {stamp}\n"


def is_offline(args: Args) -> bool:
    """True when the command line names a file to read jobs from."""
    return args.has("jobads") or args.has("userlog")


def open_source(args: Args, pool: Pool | None) -> Source:
    """The source that the command line names; ``pool`` is needed where that is no file. Raises CondorError."""
    if args.has("jobads"):
        return _ads_file(args.text("jobads", ""), args.colon("jobads") or "auto")
    if pool is None:
        return _user_log(args.text("userlog", ""))
    return _queue(args, pool)


def _elsewhere(args: Args, pool: Pool) -> Source:
    """The queue of a schedd of another pool."""
    from condor_py.client.elsewhere import OtherSchedd

    schedd = OtherSchedd(pool, args.text("name", ""), args.text("pool", ""))
    jobs = schedd.jobs()
    return Source(f"Schedd: {schedd.name} : {schedd.host}", jobs, server_time(jobs))


def _ads_file(path: str, form: str) -> Source:
    from condor_py.cli.adfile import read_jobs

    jobs, title = read_jobs(path, form)
    source = Source(f"Jobads: {path}", jobs, server_time(jobs))
    source.saved_title = title
    return source


def server_time(jobs: list[ClassAd]) -> int:
    """Return when the ads of a file were made (Unix seconds); now when they do not say."""
    return next((ad.eval_int("ServerTime", 0) for ad in jobs if ad.has("ServerTime")), 0) or int(time.time())


def _user_log(path: str) -> Source:
    from condor_py.cli.userlog import jobs_of_log

    return Source(f"Userlog: {path}", jobs_of_log(path), int(time.time()))


def _check_address(asked: str | None, address: str) -> None:
    """Refuses an ``-address`` that is not the schedd's (``<127.0.0.1:9618``)."""
    if asked is None:
        return
    import re

    if not re.fullmatch(r"<[^<>?]+:\d+(\?[^<>]*)?>", asked):
        raise CondorError('Address must be of the form: "<ip.address:port>"')
    if asked.rstrip(">").split("?", 1)[0] != address.rstrip(">"):
        raise CondorError("Error: Collector has no record of schedd/submitter")


def _check_constraint(asked: str | None, pool: Pool) -> None:
    """Refuses a ``-schedd-constraint`` that is not true of the schedd's ad."""
    if asked is not None and not any(ad.eval_text(asked) is True for ad in pool.ads("SCHEDD")):
        raise CondorError("Error: Collector has no record of schedd/submitter")


def _queue(args: Args, pool: Pool) -> Source:
    unknown = "Error: unknown host {name}"
    if not args.has("expert"):
        unknown += f"\nExtra Info: This machine has one condor_schedd, and its name is {pool.schedd_name}."
    try:
        check_place(args, pool, unknown)
    except CondorError:
        if args.has("name") and args.has("pool"):
            return _elsewhere(args, pool)
        sys.stdout.write("\n")
        raise
    address = pool.schedd_address.split("?", 1)[0]
    _check_address(args.text("address"), address)
    _check_constraint(args.text("schedd-constraint"), pool)
    now = int(pool.now())
    view = pool.read_queue()
    shown_address = f"{address}?..." if "?" in pool.schedd_address else address
    label = f"Schedd: {pool.schedd_name} : {shown_address}"
    asked = [name if "@" in name else f"{name}@{pool.user.rpartition('@')[2]}" for name in args.texts("submitter")]
    if asked:
        known = {submitter_of(ad).lower() for _, ad in view.jobs()}
        found = [name for name in dict.fromkeys(asked) if name.rpartition("@")[0].lower() in known]
        if not found:
            raise CondorError("Error: Collector has no record of schedd/submitter")
        label = f"Submitter: {', '.join(found)} : {shown_address} : {pool.settings.host}"
    source = Source(label, None, now)
    source.online = True
    source.old_summary = pool.config.boolean("CONDOR_Q_SHOW_OLD_SUMMARY")
    source.view = view
    source.pool = pool
    source.address = f"{pool.schedd_address} : {pool.settings.host}"
    source.user, source.owner, source.superuser = pool.user, pool.owner, pool.is_superuser
    source.schedd_host = "localhost" if address.startswith("<127.") else pool.settings.host
    return source


def _counts(values: Iterable[_T]) -> dict[_T, int]:
    """Return how often each value occurs. Importing ``Counter`` would load much that a tool does not need."""
    found: dict[_T, int] = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return found


class BadConstraint(CondorError):
    """A constraint that does not parse."""


def job_key(ad: ClassAd) -> tuple[int, int]:
    """Cluster and proc, by which jobs are sorted; -1 for the proc of a cluster ad."""
    return (ad.eval_int("ClusterId", 0), ad.eval_int("ProcId", -1) or 0)


def saved_key(ad: ClassAd) -> tuple[bool, int, int]:
    """Return the sort key of a job of a file: those without a cluster come last, in the order of the file."""
    return (ad.eval_int("ClusterId") is None, *job_key(ad))


def select(jobs: Iterable[ClassAd], request: Request, extra: Iterable[str] = ()) -> list[ClassAd]:
    """The jobs that ids, users and constraints (``extra`` ones too) leave. Raises BadConstraint."""
    constraints = [_parse(text) for text in (*request.constraints, *extra)]
    named = request.ids or request.users or request.submitters
    found = []
    for ad in jobs:
        if named and not (_named(ad, request) or _owned(ad, request.users) or _submitted(ad, request.submitters)):
            continue
        if all(is_true(ad.raw(expression)) for expression in constraints):
            found.append(ad)
    return found


def aggregated(request: Request, source: Source, extra: Iterable[str], names: list[str]) -> list[ClassAd]:
    """The ads of ``-autocluster`` and ``-group-by``, of the jobs of all users.

    A constraint on what only these ads have (JobCount, AutoClusterId) selects among them, any other selects jobs.
    """
    from condor_py.client.aggregates import COUNTED, autoclusters, groups_by

    counted = {name.lower() for name in COUNTED}
    constraints = (*request.constraints, *extra)
    of_groups = [text for text in constraints if not counted.isdisjoint(name.lower() for name in referenced([text]))]
    of_jobs = [text for text in constraints if text not in of_groups]
    jobs = sorted(select(source.jobs, changed(request, constraints=()), of_jobs), key=job_key)
    groups = autoclusters(jobs) if request.rows == "autocluster" else groups_by(jobs, names)
    of_everyone = changed(request, ids=(), users=(), submitters=(), constraints=())
    found = select(groups, of_everyone, of_groups)
    return found if request.limit is None else found[: request.limit]


def factory_constraints(args: Args) -> list[str]:
    """Return constraints for ``-factory:clusters_only`` and ``-factory:late_materialize``; both by default."""
    words = {word[:1].lower() for word in (args.colon("factory") or "").replace(",", " ").split()}
    found = []
    if "c" in words or not words:
        found.append("ProcId is undefined")
    if "l" in words or not words:
        found.append("JobMaterializeDigestFile isnt undefined")
    return found


def _parse(text: str) -> ExprTree:
    try:
        return parse(text)
    except ClassAdParseError as error:
        raise BadConstraint(f"Error: could not parse constraint ( {text} ): {error}") from error


def _named(ad: ClassAd, request: Request) -> bool:
    cluster, proc = job_key(ad)
    for wanted, wanted_proc in request.ids:
        if cluster == wanted and wanted_proc in (None, proc):
            return True
        if request.folds and not wanted_proc and wanted in (ad.eval_int("DAGManJobId"), _batch_of(ad)):
            return True
    return False


def _batch_of(ad: ClassAd) -> int | None:
    text = ad.eval_str("JobBatchId")
    first = text.split(".")[0] if text else ""
    return as_integer(first) if first.isdecimal() else None


def _owned(ad: ClassAd, users: tuple[str, ...]) -> bool:
    names = {(ad.eval_str("Owner") or "").lower(), (ad.eval_str("User") or "").lower()}  # an account may have an @, too
    return any(user.lower() in names for user in users)


def submitter_of(ad: ClassAd) -> str:
    """The name under which a job waits for its share, without its domain."""
    return ad.eval_str("AccountingGroup") or ad.eval_str("Owner", "")


def _submitted(ad: ClassAd, submitters: tuple[str, ...]) -> bool:
    return bool(submitters) and submitter_of(ad).lower() in (name.lower() for name in submitters)
