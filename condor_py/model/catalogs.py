"""Catalogs of common files as machines tell them apart; see ``commonfiles``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from condor_py.model.commonfiles import COMMON_FILES, DAG, ENCRYPTED, FILES_OF, catalog_id, named, split_list

if TYPE_CHECKING:
    from condor_py.model.commonfiles import Strings


class Catalog(NamedTuple):
    """A catalog of a job. ``files`` is its list as the job has it; ``identity`` what machines publish (CatalogID).

    ``key`` tells it from all that could be something else: other owners, other lists, and where names are relative,
    other submit directories too; those of encrypted jobs from those that lie open. Only catalogs with one key are ever
    shared.
    """

    name: str
    files: str
    identity: str
    key: str
    scope: str
    scope_type: str
    access_point: str


def catalogs_of(strings: Strings, cluster: int, dag: int | None, encrypted: bool = False) -> tuple[Catalog, ...]:
    """The catalogs that a queued job names, each once; its ad has GlobalJobId, Owner and Iwd, and says whether it is to
    be ``encrypted``."""
    schedd = (strings("GlobalJobId") or "").partition("#")[0]
    scope, scope_type = (str(cluster), "ClusterId") if dag is None else (str(dag), DAG)
    lists = [(name, strings(FILES_OF + name) or "") for name in named(strings)]
    if (own := strings(COMMON_FILES)) is not None:
        lists.append((f"{scope_type}_{scope}", own))
    found: dict[str, Catalog] = {}
    for name, files in lists:
        key = _key(strings, name, files, f"{schedd}#{scope_type}{scope}", encrypted)
        identity = catalog_id(name, schedd, cluster, dag)
        found.setdefault(key, Catalog(name, files, identity, key, scope, scope_type, schedd))
    return tuple(found.values())


def _key(strings: Strings, name: str, files: str, scope: str, encrypted: bool) -> str:
    import hashlib

    relative = any("://" not in one and not one.startswith("/") for one in split_list(files))
    place = (strings("Iwd") or "") if relative else ""
    kind = (ENCRYPTED,) if encrypted else ()
    whole = "\0".join((name, files, scope, strings("User") or "", strings("Owner") or "", place, *kind))
    return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()
