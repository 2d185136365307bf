"""Sets of jobs (``JobSetName``, ``jobset`` in a submit description), as ads that are counted from the queue. Pure.

A set exists while jobs of it are in the queue. Its number is that of its first cluster there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from condor_py.core.jobs.jobad import status_of
from condor_py.lang.classad import ClassAd
from condor_py.model.states import JobStatus, Universe

#: JobUniverse of jobs that run next to the schedd; they are counted by themselves.
_STATES: dict[int, str] = {
    JobStatus.IDLE: "Idle",
    JobStatus.RUNNING: "Running",
    JobStatus.REMOVED: "Removed",
    JobStatus.COMPLETED: "Completed",
    JobStatus.HELD: "Held",
    JobStatus.SUSPENDED: "Suspended",
    JobStatus.TRANSFERRING_OUTPUT: "Running",
}


def job_sets(jobs: Iterable[ClassAd]) -> list[ClassAd]:
    """One ad for each set of each owner, by number: its name, its owner, and how many jobs are in which state."""
    found: dict[tuple[str, str], _Set] = {}
    for ad in jobs:
        name, owner = ad.eval_str("JobSetName", None), ad.eval_str("Owner", "")
        if name:
            key = (name.lower(), owner.lower())
            found.setdefault(key, _Set(name, owner, ad.eval_str("User", None) or owner)).count(ad)
    return [one.ad() for one in sorted(found.values(), key=lambda one: one.number)]


class _Set:
    """A set while it is counted."""

    def __init__(self, name: str, owner: str, user: str) -> None:
        self._texts = (("JobSetName", name), ("Owner", owner), ("User", user))
        self.number = 0
        self._counts: Counter[str] = Counter()

    def count(self, ad: ClassAd) -> None:
        """One more job of the set."""
        cluster = ad.eval_int("ClusterId", 0)
        self.number = min(self.number or cluster, cluster)
        state = _STATES.get(status_of(ad))
        if state is not None:
            kind = "Scheduler" if ad.eval_int("JobUniverse", 0) == Universe.SCHEDULER else ""
            self._counts[f"{kind}Jobs"] += 1
            self._counts[kind + state] += 1

    def ad(self) -> ClassAd:
        """Ad of the job set with the counts."""
        ad = ClassAd()
        ad.set_str("MyType", "JobSet")
        ad.set_int("JobSetId", self.number)
        for name, text in self._texts:
            ad.set_str(name, text)
        for kind in ("", "Scheduler"):
            for state in ("Jobs", *dict.fromkeys(_STATES.values())):
                ad.set_int(f"Num{kind}{state}", self._counts[kind + state])
        return ad
