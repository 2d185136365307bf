"""Reading back what was: the histories of jobs, of their runs, and of daemons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from condor_py.bindings import session
from condor_py.bindings.enums import HistorySrc
from condor_py.bindings.errors import HTCondorException, HTCondorIOError, HTCondorValueError
from condor_py.bindings.jobspec import until
from condor_py.lang.classad import ClassAd, ExprTree
from condor_py.model.errors import CondorError, StoreError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool

Constraint = str | ExprTree | None
#: The daemon whose configuration names a history, the knob, and what counts there unless it is said.
_KNOBS = {
    HistorySrc.ScheddJob: ("SCHEDD", "HISTORY", "JOB"),
    HistorySrc.StartdJob: ("STARTD", "STARTD_HISTORY", "JOB"),
    HistorySrc.JobEpoch: ("SCHEDD", "JOB_EPOCH_HISTORY", "EPOCH"),
    HistorySrc.Daemon: ("SCHEDD", "SCHEDD_DAEMON_HISTORY", "SCHEDD"),
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

    ``kinds`` are the words in the banners of the records that count. Nothing without a file, which the daemon's own
    configuration names (SCHEDD.HISTORY).
    """
    try:
        wanted = session.constraint_of(constraint)
    except HTCondorException:
        raise HTCondorValueError("invalid constraint") from None
    names, stop = session.projection_of(projection), until(since)
    daemon, knob, kind = _KNOBS[source]
    path = pool.config.path(f"{daemon}.{knob}") or pool.config.path(knob)
    found = AdList()
    try:
        for ad in _ads(path, kinds or frozenset({kind})):
            if len(found) == match:
                break
            if stop is not None and session.is_true(ad, stop):
                break
            if session.is_true(ad, wanted):
                found.append(session.projected(ad, names))
    except CondorError as error:
        raise HTCondorIOError(str(error)) from None
    return found


def _ads(path: str, kinds: frozenset[str]) -> Iterator[ClassAd]:
    """The ads of the records of these kinds; damaged records are passed over, and banners that say nothing are not."""
    from condor_py.store.history import records_newest_first

    if not path:
        return
    for record in records_newest_first(path):
        kind = record.kind()
        if not record.text or (kind and "ALL" not in kinds and kind not in kinds):
            continue
        try:
            ad = record.ad()
        except StoreError:
            continue
        yield ad
