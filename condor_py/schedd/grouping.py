"""Jobs that say the same of what an action looks at get the same changes: decided once, written as one record."""

from __future__ import annotations

from typing import Any

from condor_py.classad import ClassAd
from condor_py.classad.kinds import Kinds
from condor_py.model.ids import JobId
from condor_py.model.record import Alike, Change, Entry

#: What decides about an action (``actions.perform``) and must not be computed from anything else,
_LITERAL = ("owner", "jobstatus", "numholds", "holdreasoncode", "leavejobinqueue")
#: and what goes into its records as it stands.
_TEXTS = ("numholdsbyreason", "holdreason", "holdreasonsubcode", "releasereason")
#: Fewer jobs than these are written one by one.
_FEW = 8


class Groups:
    """Outcomes of an action by what the ads say, and the jobs of each."""

    def __init__(self) -> None:
        self._outcomes: dict[Any, tuple[int, tuple[Change, ...], list[JobId]]] = {}
        self._single: list[Change] = []
        self._kinds = Kinds(_LITERAL, _TEXTS)

    def kind(self, ad: ClassAd) -> Any:
        """What is the same for ads of one outcome; None for an ad that has to be looked at by itself."""
        return self._kinds.of(ad)

    def known(self, kind: Any, job: JobId) -> int | None:
        """The result for a job of a kind that is known already; the job is added."""
        found = self._outcomes.get(kind)
        if found is None:
            return None
        found[2].append(job)
        return found[0]

    def add(self, kind: Any, job: JobId, ad: ClassAd, result: int, changes: list[Change]) -> None:
        """What came out for the first job of a kind."""
        if kind is None:
            self._single += changes
            return
        self._outcomes[kind] = result, tuple(change._replace(key="") for change in changes), [job]

    def entries(self) -> list[Entry]:
        """The records to commit."""
        found: list[Entry] = list(self._single)
        for _, changes, jobs in self._outcomes.values():
            if changes:
                found += alike(jobs, changes)
        return found


def alike(jobs: list[JobId], changes: tuple[Change, ...]) -> list[Entry]:
    """The same changes (with empty keys) of several jobs."""
    entry = Alike(tuple([f"{cluster}.{proc}" for cluster, proc in jobs]), changes)
    return list(entry.each()) if len(jobs) < _FEW else [entry]
