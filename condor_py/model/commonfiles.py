"""Common files: input that the jobs of a cluster, or of a DAG, share. A catalog is a named list of them.

A job names catalogs in CommonInputCatalogs, the files of each in ``_x_catalog_NAME``; CommonInputFiles is one more
catalog, which is named after the cluster or the DAG. The files of a catalog are staged once for a machine, in a data
slot; a job number of its own, below that of all jobs, represents the work on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from condor_py.model.ids import JobId

COMMON_FILES = "CommonInputFiles"
#: Jobs with this have encrypted scratch directories.
ENCRYPTED = "EncryptExecuteDirectory"
QUEUED = "TransferQueueInputList"
CATALOGS = "CommonInputCatalogs"
DAG = "DAGManJobId"
_FILES_OF = "_x_catalog_"
#: Characters of a catalog's name that its identity keeps.
_NAME_LENGTH = 64

#: The proc that represents the staging that proc 0 asked for; proc N has the one N below it.
_FIRST_STAGING = -1000
#: What the two words of an event COMMON_FILES are.
STARTED, FINISHED = "TransferStarted", "TransferFinished"

#: The text of a string attribute, None for one that is not there or is no string.
Strings = Callable[[str], str | None]


def split_list(text: str | None) -> tuple[str, ...]:
    """A comma- or space-separated list of file names; commas win when there are any."""
    if not text:
        return ()
    parts = text.split(",") if "," in text else text.split()
    return tuple(part.strip() for part in parts if part.strip())


def split_files(text: str | None) -> tuple[str, ...]:
    """A comma-separated list of names of files, in which there may be spaces."""
    if not text:
        return ()
    return tuple(part.strip() for part in text.split(",") if part.strip())


def queued_files(queues: str | None, strings: Strings) -> tuple[str, ...]:
    """Input files of a job that have transfer queues of their own; ``queues`` is the text of TransferQueueInputList,
    the names of their lists."""
    names = re.findall(r"\w+", queues or "")
    return tuple(file for name in names for file in split_files(strings(name)))


def list_attributes(strings: Strings) -> Iterator[str]:
    """The attributes that hold the lists of a job's common files, named catalogs first."""
    for name in _named(strings):
        yield _FILES_OF + name
    yield COMMON_FILES


def common_files(strings: Strings) -> tuple[str, ...]:
    """All common files of a job, each once."""
    found = (name for attribute in list_attributes(strings) for name in split_list(strings(attribute)))
    return tuple(dict.fromkeys(found))


def requested(strings: Strings, cluster: int, dag: int | None) -> tuple[str, ...]:
    """The names of the catalogs that a job asks for (RequestedCatalogs). ``dag`` is the cluster of its DAGMan job."""
    own = () if strings(COMMON_FILES) is None else (f"ClusterId_{cluster}" if dag is None else f"{DAG}_{dag}",)
    return own + _named(strings)


def catalog_id(name: str, schedd: str, cluster: int, dag: int | None) -> str:
    """Return the ID that distinguishes a catalog from all others, as in RequestedCatalogIDs: 64 hexadecimal digits."""
    import hashlib

    nothing = hashlib.sha256(b"").hexdigest()
    scope = cluster if dag is None else dag
    whole = f"{name[:_NAME_LENGTH]}@{schedd}#{scope}_{nothing}={nothing}"
    return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(frozen=True, slots=True)
class Catalog:
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
    lists = [(name, strings(_FILES_OF + name) or "") for name in _named(strings)]
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


def staging_id(job: JobId) -> JobId:
    """The number under which the staging that a job asked for is reported."""
    return JobId(job.cluster, _FIRST_STAGING - job.proc)


def asked_by(staging: JobId) -> JobId:
    """The job that asked for a staging."""
    return JobId(staging.cluster, _FIRST_STAGING - staging.proc)


def _named(strings: Strings) -> tuple[str, ...]:
    return tuple(dict.fromkeys((strings(CATALOGS) or "").replace(",", " ").split()))
