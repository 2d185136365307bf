"""The forms in which a program names jobs: ids, lists of ids, cluster numbers, constraints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from condor_py.lang.classad import ClassAdParseError, ExprTree, parse
from condor_py.model.ids import JobId
from condor_py.model.selection import Selection

#: What the functions below accept.
JobSpec = list[str] | str | int | ExprTree

_ID = re.compile(r"(\d+)(?:\.(\d+))?\Z")
_PAIR = re.compile(r"\d+\.\d+\Z")
_T = TypeVar("_T")
_NO_SPEC = "The job_spec must be list of strings, a string, an int, or an ExprTree."
_NO_TEXT = "The job_spec string must be a clusterID[.procID] or the string form of an ExprTree."


def selection(job_spec: JobSpec) -> Selection:
    """The jobs that ``job_spec`` names. TypeError and ValueError as in HTCondor's bindings."""
    if isinstance(job_spec, list):
        return _listed(job_spec)
    if isinstance(job_spec, str) and (match := _ID.match(job_spec)) is not None and match[2] is not None:
        return _listed([job_spec])
    return Selection(constraint=constraint_text(job_spec))


def constraint_text(job_spec: JobSpec) -> str:
    """``job_spec`` as a constraint; the same errors."""
    if isinstance(job_spec, list):
        _check_words(job_spec)
        return " || ".join(f"({_of_id(word)})" for word in job_spec) or "false"
    if isinstance(job_spec, ExprTree):
        return str(job_spec)
    if isinstance(job_spec, int):
        return f"ClusterId == {job_spec}"
    if not isinstance(job_spec, str):
        raise TypeError(_NO_SPEC)
    return _of_id(job_spec) if _ID.match(job_spec) else _checked(job_spec)


def _of_id(word: str) -> str:
    cluster, dot, proc = word.partition(".")
    return f"ClusterId == {cluster}" + (f" && ProcId == {proc}" if dot else "")


def _checked(text: str) -> str:
    try:
        parse(text)
    except ClassAdParseError:
        raise ValueError(_NO_TEXT) from None
    return text


def _check_words(words: list[str]) -> None:
    for word in words:
        if not isinstance(word, str):
            raise TypeError("All elements of the job_spec list must be strings.")
        if _ID.match(word) is None:
            raise ValueError("All elements of the job_spec list must be strings of the form clusterID[.procID]")


def _listed(words: list[str]) -> Selection:
    _check_words(words)
    pairs = [word.split(".") for word in words]
    jobs = tuple(JobId(int(pair[0]), int(pair[1])) for pair in pairs if len(pair) == 2)
    clusters = " || ".join(f"ClusterId == {pair[0]}" for pair in pairs if len(pair) == 1)
    return Selection(jobs, clusters or None)


def until(since: int | str | ExprTree | None) -> str | None:
    """The constraint that ends a walk through a history; None to see all of it."""
    if since is None:
        return None
    if not isinstance(since, (int, str, ExprTree)):
        raise TypeError("since must be an int, string, or ExprTree")
    return constraint_text(since)


def job_spec_hack(
    addr: str,
    job_spec: JobSpec,
    f_job_ids: Callable[..., _T],
    f_constraint: Callable[..., _T],
    args: Iterable[Any],
) -> _T:
    """Calls ``f_job_ids`` with the jobs that ``job_spec`` names, else ``f_constraint`` with it as a constraint.

    Both get ``addr``, the text, and ``args``.
    """
    words = job_spec if isinstance(job_spec, list) else [job_spec]
    if isinstance(job_spec, (list, str)) and all(isinstance(word, str) and _PAIR.match(word) for word in words):
        return f_job_ids(addr, ", ".join(str(word) for word in words), *args)
    return f_constraint(addr, constraint_text(job_spec), *args)
