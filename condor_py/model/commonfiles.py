"""Common files: input that the jobs of a cluster, or of a DAG, share. A catalog is a named list of them.

A job names catalogs in CommonInputCatalogs, the files of each in ``_x_catalog_NAME``; CommonInputFiles is one more
catalog, which is named after the cluster or the DAG. The files of a catalog are staged once for a machine, in a data
slot; a job number of its own, below that of all jobs, represents the work on it.
"""

from __future__ import annotations

from condor_py.model.ids import JobId

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    #: The text of a string attribute, None for one that is not there or is no string.
    Strings: TypeAlias = Callable[[str], str | None]

COMMON_FILES = "CommonInputFiles"
#: Jobs with this have encrypted scratch directories.
ENCRYPTED = "EncryptExecuteDirectory"
QUEUED = "TransferQueueInputList"
CATALOGS = "CommonInputCatalogs"
DAG = "DAGManJobId"
#: What the attribute with the files of a catalog begins with.
FILES_OF = "_x_catalog_"
#: Characters of a catalog's name that its identity keeps.
_NAME_LENGTH = 64

#: The proc that represents the staging that proc 0 asked for; proc N has the one N below it.
_FIRST_STAGING = -1000
#: What the two words of an event COMMON_FILES are.
STARTED, FINISHED = "TransferStarted", "TransferFinished"


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
    import re

    names = re.findall(r"\w+", queues or "")
    return tuple(file for name in names for file in split_files(strings(name)))


def list_attributes(strings: Strings) -> Iterator[str]:
    """The attributes that hold the lists of a job's common files, named catalogs first."""
    for name in named(strings):
        yield FILES_OF + name
    yield COMMON_FILES


def common_files(strings: Strings) -> tuple[str, ...]:
    """All common files of a job, each once."""
    found = (name for attribute in list_attributes(strings) for name in split_list(strings(attribute)))
    return tuple(dict.fromkeys(found))


def requested(strings: Strings, cluster: int, dag: int | None) -> tuple[str, ...]:
    """The names of the catalogs that a job asks for (RequestedCatalogs). ``dag`` is the cluster of its DAGMan job."""
    own = () if strings(COMMON_FILES) is None else (f"ClusterId_{cluster}" if dag is None else f"{DAG}_{dag}",)
    return own + named(strings)


def catalog_id(name: str, schedd: str, cluster: int, dag: int | None) -> str:
    """Return the ID that distinguishes a catalog from all others, as in RequestedCatalogIDs: 64 hexadecimal digits."""
    import hashlib

    nothing = hashlib.sha256(b"").hexdigest()
    scope = cluster if dag is None else dag
    whole = f"{name[:_NAME_LENGTH]}@{schedd}#{scope}_{nothing}={nothing}"
    return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


def staging_id(job: JobId) -> JobId:
    """The number under which the staging that a job asked for is reported."""
    return JobId(job.cluster, _FIRST_STAGING - job.proc)


def asked_by(staging: JobId) -> JobId:
    """The job that asked for a staging."""
    return JobId(staging.cluster, _FIRST_STAGING - staging.proc)


def named(strings: Strings) -> tuple[str, ...]:
    """The names of the catalogs that a job names, each once."""
    return tuple(dict.fromkeys((strings(CATALOGS) or "").replace(",", " ").split()))
