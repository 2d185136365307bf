"""Submitting nodes: many in one transaction, made by the same library as condor_submit's jobs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from condor_py.client import submitting
from condor_py.client.credentials import prepare, wanted_services
from condor_py.client.pool import NoSchedd, Pool
from condor_py.client.submission import SubmittedCluster, factory_cluster, factory_folder
from condor_py.client.surroundings import surroundings
from condor_py.client.wire import WireError
from condor_py.core.jobs.jobad import is_gang
from condor_py.daemons.dagman.templates import Items, NodeText, Templates
from condor_py.lang.classad import ClassAd
from condor_py.lang.config.loader import read_text
from condor_py.lang.submit.build import BuildOptions, ClusterDraft, clusters_of, wants_factory
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.factory import make_text
from condor_py.lang.submit.submit_file import SubmitFile, parse
from condor_py.model.errors import CondorError, StoreError
from condor_py.model.settings.submit import SubmitSettings

_COMMON = "commoninputfiles"
_MANY = "Submit generated multiple job procs; disallowed by DAGMAN_PROHIBIT_MULTI_JOBS setting"


class Submitted(NamedTuple):
    """Jobs in the queue."""

    cluster: int
    jobs: int
    #: Lines for the log.
    warning: str = ""


class Failure(NamedTuple):
    """Why the node after those that were submitted was not. ``for_good``: it never can be; ``lines`` are for the log;
    ``is_unsure``: the jobs may be in the queue all the same, since an answer is missing; ``ends_dag``: the DAG cannot
    run without the node."""

    reason: str
    for_good: bool
    lines: tuple[str, ...] = ()
    is_unsure: bool = False
    ends_dag: bool = False


class _Nothing(CondorError):
    """No node of the batch can be submitted."""


class _Refused(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class _Factory(Exception):
    """The jobs of a node are made later, when there is room for them."""

    def __init__(self, draft: ClusterDraft) -> None:
        super().__init__()
        self.draft = draft


class Submitter:
    """Submits for one DAG. ``prohibits_many``: nodes of several jobs are refused; ``has_credentials``: what jobs need
    is made ready."""

    def __init__(
        self, pool: Pool, settings: SubmitSettings, prohibits_many: bool, has_credentials: bool = True
    ) -> None:
        self._pool = pool
        self._settings = settings.changed(skip_filechecks=True)
        self._prohibits_many = prohibits_many
        self._has_credentials = has_credentials
        self._texts: dict[tuple[str, str], str] = {}
        self._templates = Templates()
        #: The lines that nothing has used, by what a description was made with.
        self._unused: dict[tuple[object, ...], str] = {}
        #: CommonInputFiles of the DAG: all nodes that have any have the same.
        self._common: str | None = None
        self.warnings: list[str] = []

    def submit(self, nodes: Sequence[NodeText], newest: int = 0) -> tuple[list[Submitted], Failure | None]:
        """Submit nodes in order up to the first that cannot be. Those before it are in the queue. ``newest`` is the
        last cluster that is known."""
        self._texts.clear()
        self._templates.clear()
        self._unused.clear()
        done, failure = self._together(nodes, newest)
        if failure is None or done or len(nodes) == 1 or failure.for_good or failure.is_unsure:
            return done, failure
        for node in nodes:  # the batch was refused: only the nodes before the one at fault are submitted
            one, failure = self._together([node], newest)
            done += one
            newest = max([newest, *(jobs.cluster for jobs in one)])
            if failure is not None:
                return done, failure
        return done, None

    def _together(self, nodes: Sequence[NodeText], newest: int) -> tuple[list[Submitted], Failure | None]:
        failure: list[Failure] = []
        counts: list[int] = []

        def build(first: int, user: str, owner: str, _now: int) -> list[SubmittedCluster]:
            """The clusters of the nodes, numbered from ``first``; what one cannot be made of ends it."""
            failure.clear()
            counts.clear()
            built: list[SubmittedCluster] = []
            for node in nodes:
                try:
                    made, count = self._make(node, first + len(built), user, owner)
                except _Refused as refused:
                    failure.append(refused.failure)
                    break
                built.append(made)
                counts.append(count)
            if not built:
                raise _Nothing("nothing to submit")
            return built

        try:
            clusters = submitting.submit(self._pool, build, expected=newest + 1)
        except _Nothing:
            return [], failure[0]
        except NoSchedd as error:
            return [], Failure(f"Failed to connect to local queue manager: {error}", for_good=False)
        except (WireError, StoreError, OSError) as error:
            return [], Failure(str(error), for_good=False, is_unsure=True)
        except CondorError as error:
            return [], Failure(str(error), for_good=False)
        self.warnings = list(self._pool.warnings)
        done = [
            Submitted(cluster, count, self._unused.get(_made_with(node), ""))
            for cluster, count, node in zip(clusters, counts, nodes, strict=False)
        ]
        return done, failure[0] if failure else None

    def _make(self, node: NodeText, cluster: int, user: str, owner: str) -> tuple[SubmittedCluster, int]:
        """The cluster of a node and how many jobs it has: 0 for a factory, 1 for a parallel job. Raises _Refused."""
        text = node.description or ""
        try:
            with _inside(node.directory):
                if node.description is None:
                    text = self._read(node)
                try:
                    ad, procs = self._templates.make(node, text, cluster, partial(self._build, text, user, owner))
                except _Factory as factory:
                    return self._make_factory(factory.draft, cluster, user, owner), 0
                self._check_common(ad)
        except _NoFile as error:
            raise _Refused(_unopened(node.file, error.number, str(error))) from None
        except _Moved as error:
            raise _Refused(Failure("", False, (str(error),))) from None
        except SubmitError as error:
            raise _Refused(_undescribed(error, text)) from None
        except (CondorError, OSError) as error:
            raise _Refused(Failure(str(error), for_good=True)) from None
        return SubmittedCluster(cluster, ad, procs), 1 if _is_parallel(ad) else len(procs)

    def _build(self, text: str, user: str, owner: str, node: NodeText, cluster: int) -> tuple[Items, Sequence[Items]]:
        """The jobs of one node. Raises SubmitError, _Refused, and _Factory when there are to be none yet."""
        draft = self._draft(node, text)
        if draft.job_count > 1 and node.is_single:
            raise _Refused(
                Failure(f"ERROR: Provisioner node {node.name} submitted more than one job", True, ends_dag=True)
            )
        if draft.job_count > 1 and self._prohibits_many:
            raise Refusal(_MANY)
        if self._settings.late_materialize and wants_factory(draft):
            raise _Factory(draft)
        built = draft.build(cluster, user, owner, _options(owner))
        self._unused[_made_with(node)] = _unused_lines(draft.file)
        return built.ad_items, built.procs

    def _make_factory(self, draft: ClusterDraft, cluster: int, user: str, owner: str) -> SubmittedCluster:
        spool = self._pool.paths.spool
        made = draft.build_factory(cluster, user, owner, _options(owner))
        text_of = make_text(draft, cluster, factory_folder(spool, cluster))
        return factory_cluster(spool, cluster, made.ad_items, text_of)

    def _check_common(self, items: Sequence[tuple[str, str]]) -> None:
        """Refuse a list of common files that is not that of the nodes before."""
        mine = next((text for name, text in items if name.lower() == _COMMON), None)
        if mine is None:
            return
        if self._common is None:
            self._common = mine
        elif self._common != mine:
            raise Refusal("Multiple differing common input transfer lists declared in DAG")

    def _draft(self, node: NodeText, text: str) -> ClusterDraft:
        file: SubmitFile = parse(
            text,
            node.file,
            settings=self._settings,
            surroundings=surroundings(),
            defines=node.before,
            appends=node.behind,
        )
        del file.statements[1:]  # what follows the first queue statement is ignored, as in HTCondor
        args = file.statements[0].args
        if args.mode and not args.items:
            args.forget_items()  # nothing found: one job, without a value
        self._make_credentials(file)
        drafts = clusters_of(file)
        if not drafts:
            raise file.failure or SubmitError("no jobs queued")
        return drafts[0]

    def _make_credentials(self, file: SubmitFile) -> None:
        """Have ready what the jobs of a node need. Refusal."""
        if not self._has_credentials or (services := wanted_services(file, self._pool.config)) is None:
            return
        try:
            prepare(self._pool, file, services)
        except CondorError as error:
            raise Refusal(f"Failed to produce job credentials: {error}") from None

    def _read(self, node: NodeText) -> str:
        key = (node.directory, node.file)
        if key not in self._texts:
            try:
                self._texts[key] = read_text(node.file)
            except OSError as error:
                raise _NoFile(error.strerror or "", error.errno or 0) from None
        return self._texts[key]


def _options(owner: str) -> BuildOptions:
    """Return the options for a node's jobs: condor_dagman shows no warnings about what is doubtful in them."""
    return BuildOptions(user=owner, check_executable=False, warn=False)


def _is_parallel(items: Items) -> bool:
    """Whether the procs of a cluster are one parallel job, whose log has one submit and one end."""
    names = ("jobuniverse", "wantparallelscheduling")
    return is_gang(ClassAd.from_text_items([item for item in items if item[0].lower() in names]))


def _made_with(node: NodeText) -> tuple[object, ...]:
    """Return the parts of a description that distinguish it from others, apart from the names of nodes."""
    before = tuple(pair for pair in node.before if pair[0] not in _GIVEN)
    behind = tuple(line for line in node.behind if not line.startswith(_OF_NAME))
    return (node.directory, node.file, node.description, before, behind)


def _unused_lines(file: SubmitFile) -> str:
    """Warnings about what no job has asked for, newest name first, in HTCondor's words."""
    lines = [
        f"Submit:0:{text.replace('by condor_submit', 'by DAGMAN').rstrip()}"
        for name, text in reversed(file.unused().items())
        if name not in _NEVER_TOLD
    ]
    return "Submit warning: " + "\n|".join(lines) if lines else ""


#: What condor_dagman gives to every description, used or not.
_GIVEN = ("JOB", "DAG_PARENT_NAMES")
_NEVER_TOLD = frozenset(("job", "retry", "dag_status", "failed_count", "dag_parent_names", "dagmanjobid"))
#: Lines with the name of the node.
_OF_NAME = ("dag_node_name = ", "submit_event_notes = ")


class _NoFile(CondorError):
    """A submit file that cannot be read."""

    def __init__(self, text: str, number: int) -> None:
        super().__init__(text)
        self.number = number


class _Moved(OSError):
    """The directory of a node cannot be entered."""


def _unopened(file: str, number: int, why: str) -> Failure:
    detail = f"can't open file {file}: {why}"
    lines = (
        f"ERROR: submit attempt failed, errno={number} {why}",
        f"could not open submit file : {file} - {detail}",
    )
    return Failure(f"Failed to open submit file: {detail}", True, lines)


def _undescribed(error: SubmitError, text: str) -> Failure:
    """A description that makes no job, in HTCondor's words; the line is that of its queue statement."""
    begun = text.lower().split("\n")
    line = next((number for number, one in enumerate(begun, 1) if one.strip().startswith("queue")), len(begun))
    where = f"ERROR: on Line {line} of submit file:"
    if isinstance(error, Refusal):
        return Failure(str(error), True, (f"{where} {error}",))
    why = "\n".join(one.strip().removeprefix("ERROR: ") for one in error.report.splitlines() if one.strip())
    return Failure(
        f"failed to create job classad: Submit:-1:{why}\n",
        True,
        (f"{where} failed to create job classad", *f"submit error: Submit:-1:{why}".split("\n")),
    )


class Refusal(SubmitError):
    """A submit that DAGMan itself refuses."""


@contextlib.contextmanager
def _inside(directory: str) -> Iterator[None]:
    if not directory:
        yield
        return
    here = os.getcwd()
    try:
        os.chdir(directory)
    except OSError as error:
        detail = f"Unable to chdir to {directory}: {error.strerror}"
        raise _Moved(f"Could not change to node directory {directory}: {detail}") from None
    try:
        yield
    finally:
        os.chdir(here)


inside: Callable[[str], contextlib.AbstractContextManager[None]] = _inside
