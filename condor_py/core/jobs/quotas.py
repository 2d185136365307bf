"""Limits of users and projects on their running jobs: MaxJobsRunning of their records (condor_qusers). Pure.

While a limit exists, jobs of different users and projects have different autoclusters, so that one representative
decides for all jobs of its autocluster. Jobs that run already are not stopped by a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from condor_py.core.jobs.claims import Claims
from condor_py.core.jobs.jobad import universe_of
from condor_py.core.jobs.parts import JobTable
from condor_py.lang.classad import ClassAd
from condor_py.model.states import Universe

#: A user or a project: its kind (MyType of its record), and its name.
Holder = tuple[str, str]
#: The attribute of a record that has its limit.
LIMIT = "MaxJobsRunning"
#: Attributes by which jobs belong to users and projects.
ATTRIBUTES = ("User", "ProjectName")


def project_of(ad: ClassAd) -> str:
    """Return the project of a job, whose case does not matter; "" for none."""
    return ad.eval_str("ProjectName", "").lower()


def holders_of(ad: ClassAd) -> tuple[Holder, ...]:
    """Return the user and the project that the run of a job counts for; none in the scheduler universe."""
    if universe_of(ad) == Universe.SCHEDULER:
        return ()
    user, project = ("Owner", ad.eval_str("User", "")), project_of(ad)
    return (user, ("Project", project)) if project else (user,)


class Quotas:
    """The limits that records of users and projects set. Only ``read`` changes them."""

    def __init__(self) -> None:
        self._limits: dict[Holder, int] = {}
        #: Most running jobs of a user or project.
        self.limits: Mapping[Holder, int] = self._limits

    def __bool__(self) -> bool:
        return bool(self._limits)

    def read(self, records: Iterable[ClassAd]) -> bool:
        """Take the limits of all records; return whether any differs from before."""
        found: dict[Holder, int] = {}
        for ad in records:
            limit = ad.eval_int(LIMIT, None) if ad.has(LIMIT) else None
            if limit is None:
                continue
            if ad.eval_str("MyType", "Owner") == "Project":
                found["Project", ad.eval_str("Name", "").lower()] = limit
            else:
                found["Owner", ad.eval_str("User", "")] = limit
        if found == self._limits:
            return False
        self._limits.clear()
        self._limits.update(found)
        return True


class Room:
    """Number of jobs that limited users and projects may still start, in one round of decisions."""

    def __init__(self, quotas: Quotas, claims: Claims, jobs: JobTable) -> None:
        self._left = {holder: limit - claims.busy.get(holder, 0) for holder, limit in quotas.limits.items()}
        for job in claims.asked.values() if self._left else ():
            if (ad := jobs.job(job)) is not None:
                self.take(ad, 1)

    def take(self, ad: ClassAd, wanted: int) -> int:
        """Reserve starts of up to ``wanted`` jobs like this one; return how many are possible."""
        if not self._left:
            return wanted
        holders = [holder for holder in holders_of(ad) if holder in self._left]
        count = max(0, min([wanted, *(self._left[holder] for holder in holders)]))
        for holder in holders:
            self._left[holder] -= count
        return count


def may_start(quotas: Quotas, claims: Claims, ad: ClassAd) -> bool:
    """Whether the limits of a job's user and project let one more of their jobs start now."""
    limits, busy = quotas.limits, claims.busy
    return not limits or all(busy.get(holder, 0) < limits.get(holder, 1 << 62) for holder in holders_of(ad))


def limits_reached(quotas: Quotas, claims: Claims, ad: ClassAd) -> list[str]:
    """Return why the limits of a job's user and project let no more of their jobs start now; none where they do."""
    limits, busy = quotas.limits, claims.busy
    full = [holder for holder in holders_of(ad) if busy.get(holder, 0) >= limits.get(holder, 1 << 62)]
    return [limit_reached(*holder, busy.get(holder, 0), limits[holder]) for holder in full]


def limit_reached(kind: str, name: str, running: int, limit: int) -> str:
    """Return the words for a limit that is reached, in LastRejMatchReason and in condor_q -why."""
    whose = f"project {name}" if kind == "Project" else name
    return f"{whose} has {running} running jobs, and the limit is {limit} ({LIMIT})"
