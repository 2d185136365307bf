"""Catalogs of common files that new jobs ask for, written into their ads when they are submitted."""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.commonfiles import CATALOGS, COMMON_FILES, DAG, catalog_id, requested

Items = Sequence[tuple[str, str]]
#: Lower-case names of what makes a job ask for catalogs.
ASKING = frozenset(name.lower() for name in (CATALOGS, COMMON_FILES))


def with_catalogs(
    cluster: int, ad: list[tuple[str, str]], procs: Sequence[Items], schedd: str
) -> tuple[list[tuple[str, str]], Sequence[Items]]:
    """A new cluster and its procs with RequestedCatalogs and RequestedCatalogIDs for those that have common files."""
    procs = procs_with_catalogs(cluster, ad, procs, schedd)
    return ([*ad, *_wanted(cluster, ad, schedd)] if _asks(ad) else ad), procs


def procs_with_catalogs(cluster: int, ad: Items, procs: Sequence[Items], schedd: str) -> Sequence[Items]:
    """New procs of the cluster of ``ad``; only those with common files of their own have catalogs of their own."""
    return [[*items, *_wanted(cluster, [*ad, *items], schedd)] if _asks(items) else items for items in procs]


def _asks(items: Items) -> bool:
    return any(name.lower() in ASKING for name, _ in items)


def _wanted(cluster: int, items: Items, schedd: str) -> Items:
    """Return the items to add to the ad of ``items``; written last, they replace what a submitter set."""
    job = ClassAd()
    job.set_texts(items)
    dag = job.eval_int(DAG)
    names = requested(job.eval_str, cluster, dag)
    if not names:
        return []
    ids = [catalog_id(name, schedd, cluster, dag) for name in names]
    return [("RequestedCatalogs", _list(names)), ("RequestedCatalogIDs", _list(ids))]


def _list(texts: Sequence[str]) -> str:
    return f"{{ {','.join(map(quote_string, texts))} }}"
