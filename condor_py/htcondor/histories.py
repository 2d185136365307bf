"""Reading back what was: the histories of jobs, of their runs, and of daemons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from condor_py.classad import ClassAd, ExprTree
from condor_py.htcondor import session
from condor_py.htcondor.enums import HistorySrc
from condor_py.htcondor.errors import HTCondorException, HTCondorIOError, HTCondorValueError
from condor_py.htcondor.jobspec import until
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.store.history import HistoryRecord
    from condor_py.tools.access import Pool

Constraint = str | ExprTree | None
_KNOBS = {
    HistorySrc.ScheddJob: "HISTORY",
    HistorySrc.StartdJob: "STARTD_HISTORY",
    HistorySrc.JobEpoch: "JOB_EPOCH_HISTORY",
    HistorySrc.Daemon: "SCHEDD_DAEMON_HISTORY",
}
_TRANSFERS = frozenset({"INPUT", "OUTPUT", "CHECKPOINT"})


class AdList(list[ClassAd]):
    """The ads of a history: a list that is its own iterator too, as the answer of the older bindings is."""

    def __init__(self, ads: Iterable[ClassAd] = ()) -> None:
        super().__init__(ads)
        self._next = 0

    def __next__(self) -> ClassAd:
        if self._next >= len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]


def kinds_of(ad_type: object) -> frozenset[str]:
    """The kinds of records that ``ad_type`` names; empty for the records of runs. TypeError for what is no text."""
    if isinstance(ad_type, list):
        ad_type = ",".join(ad_type)
    if ad_type is None:
        return frozenset()
    if not isinstance(ad_type, str):
        raise TypeError("ad_type must be a list of strings or a string")
    kinds = {word.upper() for word in re.split(r"[\s,]+", ad_type) if word}
    return frozenset(kinds | _TRANSFERS if "TRANSFER" in kinds else kinds)


def walk(
    pool: Pool,
    source: HistorySrc,
    constraint: Constraint,
    projection: list[str],
    match: int,
    since: int | str | ExprTree | None,
    kinds: frozenset[str] = frozenset(),
) -> AdList:
    """The ads of a history, newest first; ``since`` ends the walk at a job or where an expression is true.

    ``kinds`` are the words in the banners of the records that count. Nothing without a file.
    """
    try:
        wanted = session.constraint_of(constraint)
    except HTCondorException:
        raise HTCondorValueError("invalid constraint") from None
    names, stop = session.projection_of(projection), until(since)
    if source is HistorySrc.JobEpoch and not kinds:
        kinds = frozenset({"EPOCH"})
    found = AdList()
    try:
        for record in _records(pool, _KNOBS[source], kinds):
            if len(found) == match:
                break
            ad = record.ad()
            if stop is not None and session.is_true(ad, stop):
                break
            if session.is_true(ad, wanted):
                found.append(session.projected(ad, names))
    except CondorError as error:
        raise HTCondorIOError(str(error)) from None
    return found


def _records(pool: Pool, knob: str, kinds: frozenset[str]) -> Iterator[HistoryRecord]:
    from condor_py.store.history import records_newest_first

    path = pool.config.path(knob)
    if not path:
        return
    for record in records_newest_first(path):
        if not kinds or "ALL" in kinds or record.banner.split(" ", 2)[1] in kinds:
            yield record
