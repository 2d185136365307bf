"""Job ads of a submit file once the cluster number is known, in the shape in which the queue stores them."""

from __future__ import annotations

from condor_py.lang.macro.errors import MacroError
from condor_py.lang.submit.base import round_value
from condor_py.lang.submit.errors import JobFailure
from condor_py.lang.submit.items import split_item
from condor_py.lang.submit.job import Attributes, JobMaker
from condor_py.lang.submit.macros import STEP_VARIABLES
from condor_py.lang.submit.pipeline import Pipeline
from condor_py.lang.submit.text import evaluate, quote
from condor_py.lang.submit.units import parse_int

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from condor_py.lang.submit.submit_file import QueueStatement, SubmitFile

#: What asks for late materialization.
_FOR_FACTORIES = (
    ("max_materialize", "JobMaterializeLimit"),
    ("max_idle", "JobMaterializeMaxIdle"),
    ("materialize_max_idle", "JobMaterializeMaxIdle"),
)
#: (attribute, ClassAd text).
Item = tuple[str, str]


class BuiltCluster:
    """A cluster ready for the queue.

    ``ad_items`` are the attributes of the cluster ad; ``procs`` those of each job that differ from it, job 0 first,
    JobStatus included.
    """

    __slots__ = ("ad_items", "cluster_id", "procs")

    def __init__(self, cluster_id: int, ad_items: list[Item], procs: list[list[Item]]) -> None:
        self.cluster_id = cluster_id
        self.ad_items = ad_items
        self.procs = procs


class BuildOptions:
    """Options for making jobs: ``user`` is the submitter's login name ("" leaves Owner undefined).

    ``remote`` makes spooled jobs (held until their input has arrived). ``interactive`` makes one job for a terminal
    session, whatever the queue statements say. ``check_executable`` refuses missing executables. ``warn`` looks for
    what does something else than it seems to say. ``first_proc`` is the number of the first job. ``before_job`` is
    called before each job and may raise SubmitError (limits); ``after_job`` gets cluster and proc number, the cluster's
    attributes and those of the job that differ.
    """

    __slots__ = (
        "after_job", "allow_crlf_script", "before_job", "check_executable", "first_proc", "interactive", "remote",
        "user", "warn",
    )  # fmt: skip

    def __init__(
        self,
        user: str = "",
        remote: bool = False,
        interactive: bool = False,
        check_executable: bool = True,
        allow_crlf_script: bool = False,
        warn: bool = True,
        before_job: Callable[[], None] = lambda: None,
        after_job: Callable[[int, int, Attributes, Attributes], None] = lambda _cluster, _proc, _ad, _own: None,
        first_proc: int = 0,
    ) -> None:
        self.user = user
        self.remote = remote
        self.interactive = interactive
        self.check_executable = check_executable
        self.allow_crlf_script = allow_crlf_script
        self.warn = warn
        self.before_job = before_job
        self.after_job = after_job
        self.first_proc = first_proc


class MadeCluster:
    """A cluster as condor_submit sends it: start values, no schedd attributes. Texts by lower-case name."""

    __slots__ = ("attributes", "own")

    def __init__(self, attributes: Attributes, own: Iterator[Attributes]) -> None:
        self.attributes = attributes
        self.own = own


def clusters_of(file: SubmitFile) -> list[ClusterDraft]:
    """The clusters of a description in order: a statement with another universe begins a new one."""
    drafts: list[ClusterDraft] = []
    for statement in file.statements:
        if not statement.job_count:
            continue
        if drafts and drafts[-1].statements[-1].universe() == statement.universe():
            drafts[-1].statements.append(statement)
        else:
            drafts.append(ClusterDraft(file, [statement]))
    return drafts


class ClusterDraft:
    """The queue statements of one cluster."""

    def __init__(self, file: SubmitFile, statements: list[QueueStatement]) -> None:
        self.file = file
        self.statements = statements
        self._special = {name.lower() for name, _ in file.settings.rounding} | {"holdreasoncode"}

    @property
    def job_count(self) -> int:
        """The number of jobs of the cluster."""
        return sum(statement.job_count for statement in self.statements)

    @property
    def is_parallel(self) -> bool:
        """Whether the jobs are the nodes of one parallel job."""
        table = self.statements[0].table
        wanted = table.text("wantparallelscheduling") or table.text("my.wantparallelscheduling") or ""
        return self.statements[0].universe() in ("parallel", "11") or wanted.strip().lower() == "true"

    def make(self, cluster_id: int, options: BuildOptions) -> MadeCluster:
        """The ads that condor_submit makes. ``own`` yields what each job adds to the cluster's, JobStatus included.

        Job 0 is made here, the others while ``own`` is read. Raises SubmitError.
        """
        jobs = self._jobs(cluster_id, options)
        job = next(jobs)
        first = job.own

        def own() -> Iterator[Attributes]:
            yield first
            for later in jobs:
                yield later.own

        return MadeCluster(job.cluster, own())

    def _jobs(self, cluster_id: int, options: BuildOptions) -> Iterator[JobMaker]:
        file = self.file
        maker: JobMaker | None = None
        proc = options.first_proc
        for statement in self.statements:
            macros = file.macros(statement.table)
            if maker is None:
                maker = JobMaker(
                    file.settings,
                    macros,
                    file.messages,
                    file.surroundings.env,
                    file.surroundings.now,
                    options.user,
                )
                maker.is_remote = options.remote
                maker.is_interactive = options.interactive
                maker.checks_executable = options.check_executable
                maker.allow_crlf_script = options.allow_crlf_script
                maker.looks_for_doubtful = options.warn
            else:
                maker.use(macros)
            macros.counters.update(cluster=str(cluster_id), clusterid=str(cluster_id))
            pipeline = Pipeline(maker, varying(statement))
            is_first = True
            for row, step in _variables(statement, macros.items, file.used):
                options.before_job()
                macros.count(row, step, proc)
                maker.proc = proc
                try:
                    if is_first:
                        pipeline.first()
                    else:
                        pipeline.next()
                except MacroError as error:
                    raise JobFailure(f"ERROR: {error}\n" + _which_item(statement, row)) from None
                except JobFailure as failure:
                    raise JobFailure(failure.report + _which_item(statement, row)) from None
                options.after_job(cluster_id, proc, maker.cluster, maker.own)
                proc += 1
                is_first = False
                yield maker
                if options.interactive:
                    return

    def build(self, cluster_id: int, user: str, owner: str, options: BuildOptions) -> BuiltCluster:
        """The cluster as the queue takes it: what condor_submit makes and start values that the schedd adds.

        ``user`` is ``owner@UID_DOMAIN``. Raises SubmitError.
        """
        made = self.make(cluster_id, options)
        procs = [self.queue_items(own) for own in made.own]
        return BuiltCluster(cluster_id, self._cluster_items(made, cluster_id, user, owner), procs)

    def build_factory(self, cluster_id: int, user: str, owner: str, options: BuildOptions) -> BuiltCluster:
        """The cluster without its jobs, for late materialization: the first is made, to see that it can be. JobFailure
        for a parallel job, which needs all its procs at once."""
        made = self.make(cluster_id, options)
        if self.is_parallel:
            raise self.file.messages.fail(
                "The nodes of a parallel job cannot be made later: leave out max_materialize, max_idle and -factory\n"
            )
        return BuiltCluster(cluster_id, self._cluster_items(made, cluster_id, user, owner), [])

    def queue_items(self, own: Attributes) -> list[Item]:
        """Return the attributes of a job that are not its cluster's, as the queue holds them."""
        if not self._special.isdisjoint(own):
            own = self._as_in_queue(own)
        return list(own.values())

    def _cluster_items(self, made: MadeCluster, cluster_id: int, user: str, owner: str) -> list[Item]:
        attributes = dict(made.attributes)
        attributes["clusterid"] = ("ClusterId", str(cluster_id))
        attributes["owner"] = ("Owner", quote(owner))
        attributes["user"] = ("User", quote(user))
        return storage_order(self._as_in_queue(attributes))

    def _as_in_queue(self, attributes: Attributes) -> Attributes:
        """The attributes with what the schedd makes of them: rounded values, the count of holds."""
        found = _rounded(dict(attributes), self.file.settings.rounding)
        if "holdreasoncode" in found:
            found["numholds"] = ("NumHolds", "1")
            reason = "SpoolingInput" if found["holdreasoncode"][1] == "16" else "SubmittedOnHold"
            found["numholdsbyreason"] = ("NumHoldsByReason", f"[ {reason} = 1 ]")
        return found


def _rounded(attributes: Attributes, rules: tuple[tuple[str, str], ...]) -> Attributes:
    """The attributes with each rounded one next to its measured value ``<name>_RAW``."""
    for name, rule in rules:
        found = attributes.get(name.lower())
        rounded = None if found is None else round_value(found[1], rule)
        if found is not None and rounded is not None:
            attributes[f"{name.lower()}_raw"] = (f"{found[0]}_RAW", found[1])
            attributes[name.lower()] = (found[0], rounded)
    return attributes


def storage_order(attributes: Attributes) -> list[Item]:
    """The attributes as HTCondor lists them unsorted: by length of the name, then without case."""
    return [attributes[key] for key in sorted(attributes, key=lambda key: (len(key), key))]


def varying(statement: QueueStatement) -> frozenset[str]:
    """The variables that change from job to job of the statement."""
    names = set(STEP_VARIABLES)
    if len(statement.rows) > 1:
        names.update(name.lower() for name in statement.args.variables)
    return frozenset(names)


def _which_item(statement: QueueStatement, row: int) -> str:
    """A line that names the item at fault, when there are several."""
    if len(statement.rows) < 2:
        return ""
    place = f" of the queue statement on line {statement.line}" if statement.line else ""
    return f"ERROR: in item {row + 1}{place}: {statement.args.items[row]}\n"


def _variables(statement: QueueStatement, items: dict[str, str], used: set[str]) -> Iterator[tuple[int, int]]:
    """Put the variables of each item into ``items``; yields row and step of each job."""
    args = statement.args
    names = [name.lower() for name in args.variables] or ["item"]
    if not args.variables:
        used.add("item")
    items.update(dict.fromkeys(names, ""))
    for row in statement.rows:
        if args.mode:
            # A blank item leaves the variables as the item before set them.
            items.update(zip(names, split_item(args.items[row], len(names), args.table), strict=False))
        for step in range(statement.step_count):
            yield row, step


def wants_factory(draft: ClusterDraft) -> bool:
    """Whether the description asks for late materialization: it sets max_materialize or max_idle, or has several jobs
    where that is the default. JobFailure when one of these is no number."""
    for statement in draft.statements:
        macros = draft.file.macros(statement.table)
        for names in _FOR_FACTORIES:
            value = macros.param(*names)
            if value is None:
                continue
            number = parse_int(value, evaluate)
            if number is None or not -(2**31) <= number < 2**31 - 1:
                raise draft.file.messages.fail(f"{names[0]}={value} is invalid, must eval to an integer.\n")
            return True
    return draft.file.settings.factory_by_default and draft.job_count > 1 and not draft.is_parallel
