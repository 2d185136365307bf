"""The work of ``Schedd.submit``: a description becomes clusters, and those go to the queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from condor_py.bindings.errors import HTCondorException
from condor_py.bindings.submit import Submit, report
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.client.submission import SubmittedCluster
    from condor_py.lang.submit.build import BuildOptions, ClusterDraft
    from condor_py.lang.submit.submit_file import SubmitFile

#: The default of ``itemdata``: the description's own items.
FROM_QUEUE = object()
_SEPARATOR = "\x1f"


class SubmitResult:
    """The result of a submit."""

    def __init__(
        self, clusterID: int, procID: int, num_procs: int, clusterAd: ClassAd, spooled_proc_ads: object = None
    ) -> None:
        self._cluster = clusterID
        self._first_proc = procID
        self._num_procs = num_procs
        self._clusterad = clusterAd
        self._spooledProcAds = spooled_proc_ads

    def cluster(self) -> int:
        """The cluster's number."""
        return self._cluster

    def clusterad(self) -> ClassAd:
        """Return the attributes common to all jobs of the cluster."""
        return self._clusterad

    def first_proc(self) -> int:
        """The number of the first job."""
        return self._first_proc

    def num_procs(self) -> int:
        """Return how many jobs there are, or will be."""
        return self._num_procs

    def __int__(self) -> int:
        return self.cluster()

    def __str__(self) -> str:
        head = f"Submitted {self._num_procs} jobs into cluster {self._cluster},{self._first_proc} :"
        return f"{head}\n{self._clusterad}"

    def __repr__(self) -> str:
        return (
            f"SubmitResult(cluster={self._cluster}, first_proc={self._first_proc}, num_procs={self._num_procs}, "
            f"clusterad={self._clusterad})"
        )


def submit(pool: Pool, description: Submit, statement: str | None, count: int, spool: bool) -> SubmitResult:
    """Queue the jobs of a description, all or none; durable on return.

    ``statement`` replaces the queue statement, ``count`` its number. HTCondorException says what is wrong.
    """
    from condor_py.client import submitting
    from condor_py.lang.submit.build import BuildOptions

    file = description.parsed(statement, pool)
    if count:
        for queued in file.statements:
            queued.args.count = count
    if file.job_count <= 0:
        raise ValueError("invalid Queue statement")
    made: list[SubmittedCluster] = []

    def build(first: int, user: str, owner: str, _now: int) -> list[SubmittedCluster]:
        # Whether a program is there shows when the job starts, as with HTCondor's bindings.
        options = BuildOptions(user=owner, remote=spool, check_executable=False)
        made[:] = clusters_for_queue(pool, file, first, user, owner, description.getSubmitMethod(), options)
        return made

    try:
        submitting.submit(pool, build)
    except CondorError as error:
        raise _failure(error) from None
    _warn([*pool.warnings, *file.messages.warnings().splitlines()])
    cluster = made[0]
    return SubmitResult(cluster.cluster, 0, file.job_count, ClassAd.from_text_items(cluster.ad), [] if spool else None)


def _failure(error: CondorError) -> HTCondorException:
    from condor_py.bindings.errors import HTCondorIOError
    from condor_py.client.pool import NoSchedd
    from condor_py.lang.submit.errors import SubmitError

    if isinstance(error, NoSchedd):
        return HTCondorIOError(f"Failed to connect to schedd, errmsg={error}")
    if isinstance(error, SubmitError):
        return HTCondorException(f"Failed to create job ad, errmsg={report(error)}")
    return HTCondorException(f"Unable to commit transaction, {report(error)}")


def clusters_for_queue(
    pool: Pool, file: SubmitFile, first: int, user: str, owner: str, method: int, options: BuildOptions
) -> list[SubmittedCluster]:
    """Return the clusters of a description, numbered from ``first``, as the queue takes them. ``method`` is
    JobSubmitMethod, left out below 0. SubmitError."""
    from condor_py.client.submission import SubmittedCluster
    from condor_py.lang.submit.build import clusters_of

    drafts = clusters_of(file)
    if not drafts:
        raise HTCondorException("the queue statement makes no jobs")
    if _is_factory(file, drafts):
        return [_factory(pool, drafts[0], first, user, owner, method, options)]
    made = []
    for number, draft in enumerate(drafts, first):
        built = draft.build(number, user, owner, options)
        made.append(SubmittedCluster(built.cluster_id, _with_method(built.ad_items, method), built.procs))
    return made


def _is_factory(file: SubmitFile, drafts: list[ClusterDraft]) -> bool:
    from condor_py.lang.submit.build import wants_factory

    if not file.settings.late_materialize or len(drafts) > 1 or len(drafts[0].statements) > 1:
        return False
    return wants_factory(drafts[0])


def _factory(
    pool: Pool, draft: ClusterDraft, number: int, user: str, owner: str, method: int, options: BuildOptions
) -> SubmittedCluster:
    """A cluster whose jobs the schedd makes as limits permit."""
    from condor_py.client.submission import factory_cluster, factory_folder
    from condor_py.lang.submit.factory import make_text

    if options.remote:
        raise HTCondorException(
            "jobs that the schedd makes later cannot be spooled: leave out spool or the commands max_idle and "
            "max_materialize"
        )
    text = make_text(draft, number, factory_folder(pool.paths.spool, number))
    built = draft.build_factory(number, user, owner, options)
    return factory_cluster(pool.paths.spool, number, _with_method(built.ad_items, method), text)


def _with_method(items: Iterable[tuple[str, str]], method: int) -> list[tuple[str, str]]:
    kept = [item for item in items if item[0].lower() != "jobsubmitmethod"]
    return [*kept, ("JobSubmitMethod", str(method))] if method >= 0 else kept


def _warn(texts: Iterable[str]) -> None:
    import warnings

    for text in texts:
        if text.strip():
            warnings.warn(text.removeprefix("WARNING: ").strip(), stacklevel=4)


# -- the queue statement ----------------------------------------------------------------------------------------------


def statement_of(itemdata: Any, queue: str | None) -> str | None:
    """The queue statement that the arguments of ``submit`` make; None to use the description's."""
    if queue is not None:
        first, _, rest = queue.strip().partition(" ")
        return rest if first.lower() == "queue" else queue
    if itemdata is FROM_QUEUE:
        return None
    return "" if itemdata is None else items_statement(itemdata)


def items_statement(itemdata: Iterable[str | Mapping[str, str]]) -> str:
    """The queue statement for items that a program supplies: lines, or mappings with the first one's names.

    TypeError and ValueError as in HTCondor's bindings.
    """
    lines: list[str] = []
    names: list[str] | None = None
    head = ""
    for item in itemdata:
        if not head:
            if isinstance(item, Mapping):
                if any(not isinstance(name, str) for name in item):
                    raise TypeError("itemdata dictionaries must have string keys")
                names = list(item)
                head = f"{','.join(names)} from ("
            elif isinstance(item, str):
                head = "item from ("
            else:
                raise TypeError("itemdata must be a list of strings or dictionaries")
        lines.append(_item_line(item, names))
    if not head:
        raise ValueError("itemdata has no items")
    return "\n".join([head, *lines, ")"])


def _item_line(item: str | Mapping[str, str], names: list[str] | None) -> str:
    if names is None or isinstance(item, str):
        if "\n" in str(item):
            raise ValueError("itemdata strings must not contain newlines")
        return str(item).strip()
    if not isinstance(item, Mapping):
        raise TypeError("itemdata must be a list of strings or dictionaries")
    if any("\n" in name for name in item):
        raise ValueError("itemdata keys must not contain newlines")
    parts = [str(item.get(name, "")) for name in names]
    if any("\n" in part for part in parts):
        raise ValueError("itemdata values must not contain newlines")
    return _SEPARATOR.join(part.strip() for part in parts)
