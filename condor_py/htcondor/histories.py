"""Reading back what was: the histories of jobs, of their runs, and of daemons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from condor_py.classad import ClassAd, ExprTree
from condor_py.htcondor import session
from condor_py.htcondor.errors import HTCondorException, HTCondorIOError, HTCondorValueError
from condor_py.htcondor.jobspec import until
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.store.history import HistoryRecord

Constraint = str | ExprTree | None


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


def walk(
    knob: str,
    constraint: Constraint,
    projection: list[str] | None,
    match: int,
    since: int | str | ExprTree | None,
    kind: str = "",
) -> AdList:
    """The ads of the file that ``knob`` names, newest first; ``since`` ends the walk at a job or where an expression
    is true. ``kind`` is the word in the banners of the records that count ("" for all). Nothing without a file.
    """
    try:
        wanted = session.constraint_of(constraint)
    except HTCondorException:
        raise HTCondorValueError("invalid constraint") from None
    names, stop = session.projection_of(projection), until(since)
    found = AdList()
    try:
        for record in _records(knob, kind):
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


def _records(knob: str, kind: str) -> Iterator[HistoryRecord]:
    from condor_py.store.history import records_newest_first

    path = session.pool().config.path(knob)
    if not path:
        return
    for record in records_newest_first(path):
        if not kind or record.banner.split(" ", 2)[1] == kind:
            yield record
