"""Which jobs a request means."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.classad.ad import ClassAd
from condor_py.classad.errors import ClassAdParseError
from condor_py.classad.exprtree import ExprTree, parse
from condor_py.model.errors import CondorError
from condor_py.tools.output.values import is_true
from condor_py.tools.q.request import Request


class BadConstraint(CondorError):
    """A constraint that does not parse."""


def job_key(ad: ClassAd) -> tuple[int, int]:
    """Cluster and proc, by which jobs are sorted; -1 for the proc of a cluster ad."""
    return (ad.eval_int("ClusterId", 0) or 0, ad.eval_int("ProcId", -1) or 0)


def select(jobs: Iterable[ClassAd], request: Request, extra: Iterable[str] = ()) -> list[ClassAd]:
    """The jobs that ids, users and constraints (``extra`` ones too) leave. Raises BadConstraint."""
    constraints = [_parse(text) for text in (*request.constraints, *extra)]
    found = []
    for ad in jobs:
        if (request.ids or request.users) and not (_named(ad, request) or _owned(ad, request.users)):
            continue
        if all(is_true(ad.raw(expression)) for expression in constraints):
            found.append(ad)
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
    return int(first) if first.isdigit() else None


def _owned(ad: ClassAd, users: tuple[str, ...]) -> bool:
    return any(ad.eval_str("User" if "@" in user else "Owner") == user for user in users)
