"""The forms in which a program names jobs: ids, lists of ids, cluster numbers, constraints."""

from __future__ import annotations

import re

from condor_py.classad import ClassAdParseError, ExprTree, parse
from condor_py.model.ids import JobId
from condor_py.schedd.requests import Selection

#: What the functions below accept.
JobSpec = list[str] | str | int | ExprTree

_ID = re.compile(r"(\d+)(?:\.(\d+))?\Z")


def selection(job_spec: JobSpec) -> Selection:
    """The jobs that ``job_spec`` names. TypeError and ValueError as in HTCondor's bindings."""
    if isinstance(job_spec, list):
        return _listed(job_spec)
    if isinstance(job_spec, ExprTree):
        return Selection(constraint=str(job_spec))
    if isinstance(job_spec, int):
        return Selection(constraint=f"ClusterId == {job_spec}")
    if not isinstance(job_spec, str):
        raise TypeError("The job_spec must be list of strings, a string, an int, or an ExprTree.")
    match = _ID.match(job_spec.strip())
    if match is not None:
        return _listed([job_spec.strip()])
    try:
        parse(job_spec)
    except ClassAdParseError:
        raise ValueError(
            "The job_spec string must be a clusterID[.procID] or the string form of an ExprTree."
        ) from None
    return Selection(constraint=job_spec)


def _listed(words: list[str]) -> Selection:
    jobs: list[JobId] = []
    clusters: list[str] = []
    for word in words:
        if not isinstance(word, str):
            raise TypeError("All elements of the job_spec list must be strings.")
        match = _ID.match(word)
        if match is None:
            raise ValueError("All elements of the job_spec list must be strings of the form clusterID[.procID]")
        if match[2] is None:
            clusters.append(f"ClusterId == {match[1]}")
        else:
            jobs.append(JobId(int(match[1]), int(match[2])))
    return Selection(tuple(jobs), " || ".join(clusters) or None)


def until(since: int | str | ExprTree | None) -> str | None:
    """The constraint that ends a walk through a history; None to see all of it."""
    if since is None:
        return None
    if isinstance(since, int):
        return f"ClusterId == {since}"
    if isinstance(since, ExprTree):
        return str(since)
    if not isinstance(since, str):
        raise TypeError("since must be an int, string, or ExprTree")
    match = _ID.match(since.strip())
    if match is None:
        try:
            parse(since)
        except ClassAdParseError:
            raise ValueError(
                "The job_spec string must be a clusterID[.procID] or the string form of an ExprTree."
            ) from None
        return since
    proc = "" if match[2] is None else f" && ProcId == {match[2]}"
    return f"ClusterId == {match[1]}{proc}"
