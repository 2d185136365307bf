"""Common files: input that the jobs of a cluster, or of a DAG, share. A catalog is a named list of them.

A job names catalogs in CommonInputCatalogs, the files of each in ``_x_catalog_NAME``; CommonInputFiles is one more
catalog, which is named after the cluster or the DAG.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

COMMON_FILES = "CommonInputFiles"
CATALOGS = "CommonInputCatalogs"
DAG = "DAGManJobId"
_FILES_OF = "_x_catalog_"
#: Characters of a catalog's name that its identity keeps.
_NAME_LENGTH = 64

#: The text of a string attribute, None for one that is not there or is no string.
Strings = Callable[[str], str | None]


def split_list(text: str | None) -> tuple[str, ...]:
    """A comma- or blank-separated list of file names; commas win when there are any."""
    if not text:
        return ()
    parts = text.split(",") if "," in text else text.split()
    return tuple(part.strip() for part in parts if part.strip())


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
    """What tells a catalog from all others, as in RequestedCatalogIDs: 64 hexadecimal digits."""
    import hashlib

    nothing = hashlib.sha256(b"").hexdigest()
    scope = cluster if dag is None else dag
    whole = f"{name[:_NAME_LENGTH]}@{schedd}#{scope}_{nothing}={nothing}"
    return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


def _named(strings: Strings) -> tuple[str, ...]:
    return tuple(dict.fromkeys((strings(CATALOGS) or "").replace(",", " ").split()))
