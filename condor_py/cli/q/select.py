"""Which jobs a request means."""

from __future__ import annotations

from condor_py.cli.output.values import is_true
from condor_py.cli.q.request import Request, referenced
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from condor_py.cli.options import Args
    from condor_py.cli.q.source import Source


class BadConstraint(CondorError):
    """A constraint that does not parse."""


def job_key(ad: ClassAd) -> tuple[int, int]:
    """Cluster and proc, by which jobs are sorted; -1 for the proc of a cluster ad."""
    return (ad.eval_int("ClusterId", 0) or 0, ad.eval_int("ProcId", -1) or 0)


def saved_key(ad: ClassAd) -> tuple[bool, int, int]:
    """What jobs of a file are sorted by: those without a cluster come last, as they are in the file."""
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
    nobody = changed(request, ids=(), users=(), submitters=(), constraints=())
    found = select(groups, nobody, of_groups)
    return found if request.limit is None else found[: request.limit]


def factory_constraints(args: Args) -> list[str]:
    """Which cluster ads ``-factory:clusters_only`` and ``-factory:late_materialize`` mean: both unless one is said."""
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
        if request.folds and not wanted_proc and wanted in (_dag_of(ad), _batch_of(ad)):
            return True
    return False


def _dag_of(ad: ClassAd) -> int | None:
    return ad.eval_int("DAGManJobId")


def _batch_of(ad: ClassAd) -> int | None:
    text = ad.eval_str("JobBatchId")
    first = text.split(".")[0] if text else ""
    return as_integer(first) if first.isdecimal() else None


def _owned(ad: ClassAd, users: tuple[str, ...]) -> bool:
    return any((ad.eval_str("User" if "@" in user else "Owner") or "").lower() == user.lower() for user in users)


def submitter_of(ad: ClassAd) -> str:
    """The name under which a job waits for its share, without its domain."""
    return ad.eval_str("AccountingGroup") or ad.eval_str("Owner") or ""


def _submitted(ad: ClassAd, submitters: tuple[str, ...]) -> bool:
    return bool(submitters) and submitter_of(ad).lower() in (name.lower() for name in submitters)
