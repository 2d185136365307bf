"""From built clusters to queue records: used by condor_submit for the owner of the spool and by the schedd daemon
for others.
"""

from __future__ import annotations

import os

from condor_py.lang.classad import ClassAd, quote_string
from condor_py.lang.classad.changes import is_storable
from condor_py.lang.submit.bounds import check_bounds
from condor_py.model.bounds import BOUNDED
from condor_py.model.commonfiles import CATALOGS, COMMON_FILES, DAG, catalog_id, requested
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.later import Later
from condor_py.model.record import Change, Entry, is_attribute_name, is_one_line
from condor_py.model.settings.submit_policy import SubmitPolicy
from condor_py.model.states import JobStatus, Universe
from condor_py.store.adlog import DELETE, SET, Record
from condor_py.store.fs import RealFs, describe, replace_file
from condor_py.store.job_queue import JobQueue
from condor_py.store.records import (
    Making,
    NewProc,
    cluster_records,
    packed_end,
    packed_group,
    packed_jobs,
    packed_records,
    proc_records,
    project_record,
    submit_records,
    user_record,
)

TYPE_CHECKING = False
if not TYPE_CHECKING:
    json = Later("json")
    admission = Later("condor_py.lang.submit.admission")
else:
    import json
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, Protocol, TypeAlias

    from condor_py.lang.submit import admission
    from condor_py.lang.submit.factory import FactoryText, Materialized

    class Limits(Protocol):
        """Limits on submits, common to the schedd's settings and those of a tool."""

        @property
        def known_users_only(self) -> bool: ...

        @property
        def user_defaults(self) -> str: ...

        @property
        def project_defaults(self) -> str: ...

        @property
        def max_jobs_submitted(self) -> int: ...

        @property
        def max_jobs_per_owner(self) -> int: ...

        @property
        def max_jobs_per_submission(self) -> int: ...

    Items: TypeAlias = Sequence[tuple[str, str]]

_GRID_UNIVERSE = ("JobUniverse", str(int(Universe.GRID)))
#: Lower-case names of what makes a job ask for catalogs.
_ASKING = frozenset(name.lower() for name in (CATALOGS, COMMON_FILES))
#: Written by ``submit_records`` itself, or decided by the owner of the queue.
_OURS = frozenset({"procid", "jobstatus", "globaljobid", "initialjobstatus"})
_IDENTITY = frozenset({"owner", "user", "osuser"})
#: Jobs of a submit that are worked at together.
_TOGETHER = 250
#: Items of what has a cluster, and of what has more jobs of it.
_ALL, _MORE = 4, 2
#: Characters of a refused value that are shown.
_SHOWN = 60
#: What a job never brings along.
_FORBIDDEN = frozenset({"claimid", "publicclaimid", "remotehost", "clusterid"})
_HIDDEN = _IDENTITY | _FORBIDDEN | _OURS
#: Attributes that are checked before they enter the queue.
_SPECIAL = BOUNDED | _ASKING


class SubmittedCluster:
    """A cluster to be queued: the cluster ad and what each proc has in addition, proc 0 first.

    With a ``factory`` there are no procs yet: they are made as limits permit.
    """

    __slots__ = ("ad", "cluster", "factory", "procs")

    def __init__(self, cluster: int, ad: Items, procs: Sequence[Items], factory: FactoryText | None = None) -> None:
        self.cluster = cluster
        self.ad = ad
        self.procs = procs
        self.factory = factory

    def to_wire(self) -> list[Any]:
        """JSON-ready."""
        factory = self.factory
        late = None if factory is None else [factory.digest, factory.items, factory.total]
        return [self.cluster, list(self.ad), [list(items) for items in self.procs], late]

    @classmethod
    def from_wire(cls, item: list[Any], names: set[str]) -> SubmittedCluster:
        """The cluster of ``to_wire``; ValueError or TypeError for anything else. ``names`` of attributes that have been
        checked need not be checked again."""
        cluster, ad, procs, late = item
        factory = None
        if late is not None:
            from condor_py.lang.submit.factory import FactoryText

            factory = FactoryText(str(late[0]), str(late[1]), int(late[2]))
        return cls(int(cluster), _pairs(ad, names), [_pairs(items, names) for items in procs], factory)


def to_body(clusters: Iterable[SubmittedCluster]) -> bytes:
    """The body of a Submit: lines of JSON. Each is a list of clusters; what has a number and jobs alone has more jobs
    of the cluster before it, so that no line is long."""
    lines: list[list[Any]] = [[]]
    for cluster in clusters:
        number, ad, procs, late = cluster.to_wire()
        lines[-1].append([number, ad, procs[:_TOGETHER], late])
        for first in range(_TOGETHER, len(procs), _TOGETHER):
            lines.append([[number, procs[first : first + _TOGETHER]]])
    return b"\n".join([json.dumps(line).encode() for line in lines])


def from_body(body: bytes, most: int, clusters: list[SubmittedCluster]) -> Iterator[None]:
    """Adds what ``to_body`` was given to ``clusters``, a step a line. CondorError for more than ``most`` jobs,
    ValueError or TypeError for anything that is no such body."""
    count = 0
    names: set[str] = set()
    for line in body.split(b"\n"):
        for item in json.loads(line):
            if len(item) not in (_ALL, _MORE):
                raise ValueError("not a cluster")
            count += len(item[1 if len(item) == _MORE else 2])
            if count > most:
                raise CondorError("Number of submitted jobs would exceed MAX_JOBS_PER_SUBMISSION")
            if len(item) != _MORE:
                clusters.append(SubmittedCluster.from_wire(item, names))
                continue
            number, more = item
            if not clusters or clusters[-1].cluster != number or clusters[-1].factory is not None:
                raise ValueError("more jobs of a cluster that is not there")
            jobs = clusters[-1].procs
            assert isinstance(jobs, list)
            jobs += [_pairs(items, names) for items in more]
        yield


def _pairs(items: Iterable[Any], names: set[str]) -> list[tuple[str, str]]:
    """The attributes of an ad from an untrusted client. ValueError for what the queue cannot hold. ``names`` are known
    to be good, and more are added."""
    pairs = []
    for name, text in items:
        if not isinstance(name, str) or not isinstance(text, str):
            raise ValueError(f"not an attribute: {name!r}")
        if name not in names:
            if not is_attribute_name(name):
                raise ValueError(f"not an attribute: {name!r}")
            names.add(name)
        if not is_storable(text):
            raise ValueError(f"illegal value for {name}: {text[:_SHOWN]!r}")
        pairs.append((name, text))
    return pairs


def first_records(
    queue: JobQueue, user: str, owner: str, clusters: Sequence[SubmittedCluster], settings: Limits
) -> list[Entry]:
    """Return the entries with which a submit begins: records of a new user and of new projects. CondorError for jobs
    that may not be submitted."""
    check_limits(queue, user, clusters, settings)
    records = submitter(queue, user, owner, settings)
    first = queue.next_user + bool(records)
    return [*records, *_project_records(queue, clusters, first, settings.project_defaults)]


def _project_records(queue: JobQueue, clusters: Sequence[SubmittedCluster], number: int, defaults: str) -> list[Entry]:
    """Return the records of projects that the clusters are the first to name, if projects have records here.
    CondorError for a disabled project."""
    known = {
        ad.eval_str("Name", "").lower(): ad for ad in queue.user_records.values() if ad.text("MyType") == '"Project"'
    }
    if not known:
        return []
    from condor_py.core.jobs.userrecs import project_refusal, with_defaults

    records: list[Entry] = []
    for name in _projects(clusters):
        record = known.get(name.lower())
        if record is None:
            records += with_defaults(project_record(number, name), defaults)
            known[name.lower()] = ClassAd()
            number += 1
        elif refused := project_refusal(record):
            raise CondorError(refused)
    return records


def _projects(clusters: Sequence[SubmittedCluster]) -> list[str]:
    """The projects that jobs name, in order."""
    texts: dict[str, None] = {}
    for cluster in clusters:
        for items in (cluster.ad, *cluster.procs):
            texts.update(dict.fromkeys(text for name, text in items if name.lower() == "projectname"))
    ads = [ClassAd.from_text_items([("ProjectName", text)]) for text in texts]
    return [name for name in (ad.eval_str("ProjectName", "") for ad in ads) if name]


def check_limits(queue: JobQueue, user: str, clusters: Sequence[SubmittedCluster], settings: Limits) -> None:
    """MAX_JOBS_PER_SUBMISSION, MAX_JOBS_SUBMITTED and MAX_JOBS_PER_OWNER; CondorError with HTCondor's words."""
    count = sum(len(cluster.procs) for cluster in clusters)
    if count > settings.max_jobs_per_submission:
        raise CondorError("Number of submitted jobs would exceed MAX_JOBS_PER_SUBMISSION")
    if queue.count() + count > settings.max_jobs_submitted:
        raise CondorError("Number of submitted jobs would exceed MAX_JOBS_SUBMITTED")
    if queue.count() + count > settings.max_jobs_per_owner:
        quoted = quote_string(user)
        owned = sum(ad.text("User") == quoted for _, ad in queue.jobs())
        if owned + count > settings.max_jobs_per_owner:
            raise CondorError("Number of submitted jobs would exceed MAX_JOBS_PER_OWNER")


def submission(
    queue: JobQueue,
    clusters: Sequence[SubmittedCluster],
    owner: str,
    user: str,
    schedd_name: str,
    now: int,
    policy: SubmitPolicy | None = None,
    warnings: list[str] | None = None,
) -> list[Entry]:
    """The records of a submit, in HTCondor's order; the first submit of a user makes their user record.

    Whatever the ads say, the jobs belong to ``owner``. ``policy`` may change or refuse them (CondorError);
    ``warnings`` receives what it has to say to the submitter.
    """
    records = submitter(queue, user, owner)
    for some in submission_steps(clusters, owner, user, schedd_name, now, policy, warnings):
        records += some
    return records


def submitter(queue: JobQueue, user: str, owner: str, settings: Limits | None = None) -> list[Entry]:
    """Return the entries with which the first submit of a user begins. CondorError for one who may not submit, such as
    one without a record where only known users may."""
    known = queue.user_record_of(user)
    if known is None and settings is not None and settings.known_users_only:
        from condor_py.core.jobs.userrecs import unknown_user

        raise CondorError(unknown_user(user))
    if known is None:
        made = user_record(queue.next_user, user, owner)
        if settings is None or not settings.user_defaults:
            return [*made]
        from condor_py.core.jobs.userrecs import with_defaults

        return [*with_defaults(made, settings.user_defaults)]
    if known[1].eval_bool("Enabled", True):
        return []
    from condor_py.core.jobs.userrecs import refusal

    if refused := refusal(known[1]):
        raise CondorError(refused)
    return []


def submission_steps(
    clusters: Iterable[SubmittedCluster],
    owner: str,
    user: str,
    schedd_name: str,
    now: int,
    policy: SubmitPolicy | None = None,
    warnings: list[str] | None = None,
) -> Iterator[list[Entry]]:
    """The records of the clusters, in pieces none of which takes long: other requests can be served between
    them. Nothing of them counts before the last."""
    id_end = f"#{now}" if policy is None else policy.id_end(now)
    for cluster in clusters:
        if cluster.factory is None and len(cluster.procs) > _TOGETHER and (policy is None or policy.is_empty):
            yield from _many_steps(cluster, owner, user, schedd_name, id_end)
            continue
        for group in ([cluster.ad], *_groups(cluster.procs)):
            yield []
            _check_items(cluster, group)
        ad = _cluster_ad(cluster, owner, user)
        status = _status(cluster.ad, JobStatus.IDLE)
        jobs: Sequence[Items] = cluster.procs
        is_factory = cluster.factory is not None
        if policy is not None and not policy.is_empty:
            ad, jobs = _admitted(ad, [[]] if is_factory else jobs, status, policy, warnings, is_factory)
        ad, jobs = with_catalogs(cluster.cluster, ad, jobs, schedd_name)
        if cluster.factory is not None:
            yield [*_factory_records(cluster.cluster, ad, cluster.factory.total)]
            continue
        procs = _new_procs(cluster.cluster, jobs, status, schedd_name, id_end)
        if len(jobs) > _TOGETHER:
            yield from packed_records(cluster.cluster, ad, procs)
        else:
            yield [*submit_records(cluster.cluster, ad, [proc for group in procs for proc in group])]


def _cluster_ad(cluster: SubmittedCluster, owner: str, user: str) -> list[tuple[str, str]]:
    identity = [("User", quote_string(user)), ("Owner", quote_string(owner)), ("ClusterId", str(cluster.cluster))]
    return [*identity, *((name, text) for name, text in cluster.ad if name.lower() not in _HIDDEN)]


def _many_steps(
    cluster: SubmittedCluster, owner: str, user: str, schedd_name: str, id_end: str
) -> Iterator[list[Entry]]:
    """The records of very many jobs that no policy changes; only of those that are special each is checked."""
    number = cluster.cluster
    _check_items(cluster, [cluster.ad])
    ad, _ = with_catalogs(number, _cluster_ad(cluster, owner, user), [], schedd_name)
    yield [*cluster_records(number, ad)]
    status = _status(cluster.ad, JobStatus.IDLE)
    special = () if _GRID_UNIVERSE in cluster.ad else _SPECIAL
    how = Making(int(status), f"{schedd_name}#{number}.", id_end, tuple(_HIDDEN), tuple(special))
    first = 0
    for group in _groups(cluster.procs):
        made = packed_jobs(number, first, [*map(list, group)], how) if special else None
        if made is None:
            _check_items(cluster, group)
            jobs = procs_with_catalogs(number, ad, group, schedd_name)
            procs = [_new_proc(number, at, items, status, schedd_name, id_end) for at, items in enumerate(jobs, first)]
            made = packed_group(number, procs)
        first += len(group)
        yield [made]
    yield packed_end(number, first)


def _groups(jobs: Sequence[Items]) -> Iterator[Sequence[Items]]:
    """As many jobs as are worked at together."""
    for first in range(0, len(jobs), _TOGETHER):
        yield jobs[first : first + _TOGETHER]


def _check_items(cluster: SubmittedCluster, ads: Sequence[Items]) -> None:
    """Raise Refused for what the queue cannot hold or must not accept."""
    is_grid = _GRID_UNIVERSE in cluster.ad
    for items in ads:
        check_bounds(items)
        _check_lines(cluster.cluster, items)
        if is_grid:
            check_grid(items)


def _check_lines(cluster: int, items: Items) -> None:
    """Refused when the log of the queue cannot hold a value."""
    if not is_one_line("".join([text for _, text in items])):
        text = next(text for _, text in items if not is_one_line(text))
        raise admission.Refused(f"Received invalid attribute value '{text}' for job {cluster}.-1; ignoring")


def _admitted(
    ad: list[tuple[str, str]],
    procs: Sequence[Items],
    status: int,
    policy: SubmitPolicy,
    warnings: list[str] | None,
    is_factory: bool,
) -> tuple[list[tuple[str, str]], Sequence[Items]]:
    """The cluster and its jobs as the policy leaves them."""
    complete = [
        items if any(n.lower() == "jobstatus" for n, _ in items) else [*items, ("JobStatus", str(status))]
        for items in procs
    ]
    admitted = admission.apply_submit_policy(ad, complete, policy, is_factory=is_factory)
    if admitted.warnings:
        if warnings is not None:
            warnings += admitted.warnings
        admitted.ad.append(("SubmitEventWarnings", quote_string("; ".join(text.strip() for text in admitted.warnings))))
    return admitted.ad, admitted.procs


def _factory_records(cluster: int, ad: Items, total: int) -> list[Record]:
    """A cluster whose jobs come later."""
    key = f"0{cluster}.-1"
    records = cluster_records(cluster, ad)
    return [*records, Record(SET, key, "TotalSubmitProcs", str(total)), Record(DELETE, key, "JobPreparingTasks")]


def factory_folder(spool: str, cluster: int) -> str:
    """Return the path of the directory with the files of a factory."""
    return f"{spool}/{cluster % 10_000}"


def factory_cluster(spool: str, cluster: int, ad: Items, text: FactoryText) -> SubmittedCluster:
    """A cluster to be queued whose jobs the schedd makes: ``ad`` is what the first of them shows of the cluster."""
    from condor_py.lang.submit.factory import cluster_items

    late = cluster_items(text, cluster, factory_folder(spool, cluster), ad)
    hidden = {name for name, _ in late}
    return SubmittedCluster(cluster, [*(item for item in ad if item[0] not in hidden), *late], [], text)


def _make_folder(path: str) -> None:
    """Make a directory and those above it with mode 0755, whatever the umask is."""
    if os.path.isdir(path):
        return
    _make_folder(os.path.dirname(path))
    os.mkdir(path, 0o755)
    os.chmod(path, 0o755)


def save_factories(spool: str, clusters: Sequence[SubmittedCluster]) -> None:
    """Write digests and items to the spool, for their owner only; they are on the medium, with the names of their
    directories, before their clusters are committed. CondorError."""
    if all(cluster.factory is None for cluster in clusters):
        return
    from condor_py.lang.submit.factory import digest_name, items_name

    for cluster in clusters:
        if cluster.factory is None:
            continue
        folder = factory_folder(spool, cluster.cluster)
        number, text = cluster.cluster, cluster.factory
        path = folder
        try:
            _make_folder(folder)
            for name, content in ((digest_name(number), text.digest), (items_name(number), text.items)):
                path = f"{folder}/{name}"
                if content:
                    replace_file(RealFs(), path, content.encode("utf-8", "surrogateescape"), 0o600, durable=True)
            RealFs().sync_dir(spool)
        except OSError as error:
            raise CondorError(describe(error, "cannot write a factory's file", path)) from None


def materialized_records(
    cluster: int, ad: ClassAd, first: int, made: Materialized, schedd_name: str, now: int, policy: SubmitPolicy
) -> list[Record | Change]:
    """The records of jobs that a factory has made, from ``first`` on. Refused where the policy does not take one."""
    jobs: list[Items] = [items for _, items in made.procs]
    if not policy.is_empty:
        jobs = [*admission.apply_submit_policy(ad.text_items(), jobs, policy, is_factory=True, first=first).procs]
    for items in jobs:
        check_bounds(items)
    jobs = [*procs_with_catalogs(cluster, ad.text_items(), jobs, schedd_name)]
    key = f"0{cluster}.-1"
    records: list[Record | Change] = [
        Record(SET, key, "JobMaterializeNextProcId", str(made.next_proc)),
        Record(SET, key, "JobMaterializeNextRow", str(made.next_row)),
    ]
    for number, items in enumerate(jobs, first):
        proc = _new_proc(cluster, number, items, JobStatus.IDLE, schedd_name, policy.id_end(now))
        name = f"{cluster}.{number}"
        records += proc_records(cluster, proc)
        records.append(Record(SET, name, "JobMaterializeDate", str(now)))
        records.append(Record(DELETE, name, "JobPreparingTasks"))
        records.append(Record(SET, name, "JobStatus", str(proc.status)))
    return records


def _new_procs(
    cluster: int, jobs: Sequence[Items], status: int, schedd_name: str, id_end: str
) -> Iterator[list[NewProc]]:
    number = 0
    for group in _groups(jobs):
        yield [_new_proc(cluster, proc, items, status, schedd_name, id_end) for proc, items in enumerate(group, number)]
        number += len(group)


def _new_proc(cluster: int, number: int, items: Items, status: int, schedd_name: str, id_end: str) -> NewProc:
    kept = [(name, text) for name, text in items if name.lower() not in _HIDDEN]
    return NewProc(number, kept, _status(items, status), f"{schedd_name}#{JobId(cluster, number)}{id_end}")


def _status(items: Items, default: int) -> int:
    """A new job is idle or held, nothing else."""
    text = next((text for name, text in items if name.lower() == "jobstatus"), str(int(default)))
    return int(JobStatus.HELD if text == "5" else JobStatus.IDLE)


#: As in ``grid_resource = batch SYSTEM``.
BATCH_SYSTEMS = ("slurm", "sge", "pbs", "lsf")
#: Types whose engine is there.
TYPES = ("batch", "condor", "arc")
_SHORT = ("sge", "pbs", "lsf")


def refusal(resource: str) -> str:
    """Why jobs cannot go to a resource, in a line; "" where they can."""
    words = resource.lower().split()
    if not words:
        return "grid_resource is empty"
    if "$$" in resource:
        return f"grid_resource = {resource}: nothing here matches grid jobs with resources, so that $$ stays open"
    if words[0] in _SHORT:
        words.insert(0, "batch")
    if words[0] not in TYPES:
        return f"grid type {words[0]} is not supported here; there are: {', '.join(map(_example, TYPES))}"
    if words[0] == "condor" and len(words) != 3:
        return f"grid_resource = {resource}: it should be condor SCHEDD POOL"
    if words[0] == "arc" and (len(words) != 2 or words[1].startswith("http:")):
        return f"grid_resource = {resource}: it should be arc https://HOST[:PORT][/arex]"
    if words[0] != "batch":
        return ""
    if len(words) < 2 or words[1] not in BATCH_SYSTEMS:
        named = words[1] if len(words) > 1 else ""
        known = ", ".join(BATCH_SYSTEMS)
        return f"batch system {named!r} is not known (grid_resource = {resource}); there are: {known}"
    if len(words) > 2:
        there = " ".join(words[2:])
        return f"grid_resource = {resource}: batch systems are used from this machine only, not from {there}"
    return ""


def _example(kind: str) -> str:
    return {"batch": f"batch {'|'.join(BATCH_SYSTEMS)}", "condor": "condor SCHEDD POOL", "arc": "arc URL"}[kind]


def check_grid(items: Iterable[tuple[str, str]]) -> None:
    """CondorError for a new ad whose GridResource is unsupported."""
    for name, text in items:
        if name.lower() == "gridresource" and (why := refusal(text.strip().strip('"'))):
            raise CondorError(why)


# catalogs of common files that new jobs ask for


def with_catalogs(
    cluster: int, ad: list[tuple[str, str]], procs: Sequence[Items], schedd: str
) -> tuple[list[tuple[str, str]], Sequence[Items]]:
    """A new cluster and its procs with RequestedCatalogs and RequestedCatalogIDs for those that have common files."""
    procs = procs_with_catalogs(cluster, ad, procs, schedd)
    return ([*ad, *_wanted_catalogs(cluster, ad, schedd)] if _wants_catalogs(ad) else ad), procs


def procs_with_catalogs(cluster: int, ad: Items, procs: Sequence[Items], schedd: str) -> Sequence[Items]:
    """New procs of the cluster of ``ad``; only those with common files of their own have catalogs of their own."""
    return [
        [*items, *_wanted_catalogs(cluster, [*ad, *items], schedd)] if _wants_catalogs(items) else items
        for items in procs
    ]


def _wants_catalogs(items: Items) -> bool:
    return any(name.lower() in _ASKING for name, _ in items)


def _wanted_catalogs(cluster: int, items: Items, schedd: str) -> Items:
    """Return the items to add to the ad of ``items``; written last, they replace what a submitter set."""
    job = ClassAd()
    job.set_texts(items)
    dag = job.eval_int(DAG)
    names = requested(job.eval_str, cluster, dag)
    if not names:
        return []
    ids = [catalog_id(name, schedd, cluster, dag) for name in names]
    return [("RequestedCatalogs", _list_text(names)), ("RequestedCatalogIDs", _list_text(ids))]


def _list_text(texts: Sequence[str]) -> str:
    return f"{{ {','.join(map(quote_string, texts))} }}"
