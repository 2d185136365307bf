"""A schedd's answers to queries for sums of jobs: autoclusters, groups of jobs with equal values, totals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.references import attribute_references
from condor_py.model.states import Universe

#: What every job is compared by where the schedd has not numbered its autoclusters.
_COMPARED = (
    "ConcurrencyLimits", "FileSystemDomain", "FlockTo", "JobUniverse", "Rank", "RequestCpus", "RequestDisk",
    "RequestGPUs", "RequestMemory", "RequireGPUs", "Requirements",
)  # fmt: skip
#: The attributes of a group that tell of its jobs together.
COUNTED = ("AutoClusterId", "Id", "JobCount", "JobIds")
Key = tuple[str | None, ...]
_STATES = {1: "Idle", 2: "Running", 3: "Removed", 4: "Completed", 5: "Held", 6: "Running", 7: "Suspended"}
_NAMES = ("Completed", "Held", "Idle", "Jobs", "Removed", "Running", "Suspended")
_SCHEDULER_NAMES = tuple(f"Scheduler{name}" for name in _NAMES if name != "Suspended")


def job_number(ad: ClassAd) -> tuple[int, int]:
    """Cluster and proc."""
    return (ad.eval_int("ClusterId", 0) or 0, ad.eval_int("ProcId", 0) or 0)


def autoclusters(jobs: Iterable[ClassAd]) -> list[ClassAd]:
    """Return one ad for all jobs that no slot can distinguish.

    It has their common values of the attributes that slots read, AutoClusterId, JobCount and JobIds.
    """
    likeness = Likeness()
    groups: dict[Key, list[ClassAd]] = {}
    for ad in jobs:
        groups.setdefault(likeness.key(ad), []).append(ad)
    found = []
    for index, members in enumerate(groups.values(), 1):
        first = members[0]
        group = ClassAd()
        group.set_int("AutoClusterId", first.eval_int("AutoClusterId") or index)
        named = first.eval_str("AutoClusterAttrs")
        names = likeness.names(first) if named is None else tuple(named.split(","))
        _take(group, first, [name for name in names if name != "JobUniverse"])
        found.append(_counted(group, members))
    return sorted(found, key=lambda ad: ad.eval_int("AutoClusterId", 0) or 0)


def groups_by(jobs: Iterable[ClassAd], names: Sequence[str]) -> list[ClassAd]:
    """One ad for the jobs that agree in ``names``: those, Id, JobCount and JobIds; in the order of the first jobs."""
    groups: dict[Key, list[ClassAd]] = {}
    for ad in jobs:
        groups.setdefault(tuple(ad.text(name) for name in names), []).append(ad)
    found = []
    for index, members in enumerate(groups.values(), 1):
        group = ClassAd()
        group.set_int("Id", index)
        _take(group, members[0], names)
        found.append(_counted(group, members))
    return found


def _take(group: ClassAd, ad: ClassAd, names: Iterable[str]) -> None:
    for name in names:
        text = ad.text(name)
        if text is not None:
            group.set_text(name, text)


def _counted(group: ClassAd, members: list[ClassAd]) -> ClassAd:
    ids = ["{}.{}".format(*job_number(ad)) for ad in (members[0], members[-1])]
    group.set_int("JobCount", len(members))
    group.set_str("JobIds", ids[0] if len(members) == 1 else (" " if len(members) == 2 else " ... ").join(ids))
    return group


class Likeness:
    """Distinguish jobs as slots do: by the attributes that slots read, and those of the job that they refer to."""

    def __init__(self) -> None:
        self._known: dict[Key, tuple[str, ...]] = {}

    def key(self, ad: ClassAd) -> Key:
        """Equal for jobs of one autocluster."""
        number = ad.text("AutoClusterId")
        return (number,) if number is not None else tuple(ad.text(name) for name in self.names(ad))

    def names(self, ad: ClassAd) -> tuple[str, ...]:
        """Sorted names."""
        texts = tuple(ad.text(name) for name in _COMPARED)
        names = self._known.get(texts)
        if names is None:
            found = {name.lower(): name for name in _COMPARED}
            for text in texts:
                if text is not None:
                    for name in attribute_references(text, ad).my:
                        found.setdefault(name.lower(), name)
            names = self._known[texts] = tuple(sorted(found.values(), key=str.lower))
        return names


class Numbered:
    """Gives jobs the number of their autocluster and the attributes that make it, in the order in which they come."""

    def __init__(self) -> None:
        self._likeness = Likeness()
        self._numbers: dict[Key, int] = {}

    def mark(self, ad: ClassAd) -> None:
        """Put AutoClusterId and AutoClusterAttrs into an ad."""
        names = self._likeness.names(ad)
        listed = ",".join(names)
        key = (listed, *(ad.text(name) for name in names))
        ad.set_int("AutoClusterId", self._numbers.setdefault(key, len(self._numbers) + 1))
        ad.set_str("AutoClusterAttrs", listed)


def summary(
    query: Iterable[ClassAd], everyone: Iterable[ClassAd], mine: tuple[str, Iterable[ClassAd]] | None, now: int
) -> ClassAd:
    """The ad of totals: of the query, of all users, and of the user (``mine``: name and jobs) when only their jobs are
    asked for."""
    ad = ClassAd()
    parts: list[tuple[str, Iterable[ClassAd]]] = [("", query), ("Allusers", everyone)]
    if mine is not None:
        ad.set_str("MyName", mine[0])
        parts.append(("My", mine[1]))
    for prefix, jobs in parts:
        for name, count in _counts(jobs).items():
            ad.set_int(prefix + name, count)
    ad.set_int("ErrorCode", 0)
    ad.set_str("MyType", "Summary")
    ad.set_int("ServerTime", now)
    return ad


def _counts(jobs: Iterable[ClassAd]) -> dict[str, int]:
    """Jobs by state; those of the scheduler universe apart."""
    counts = dict.fromkeys((*_NAMES, *_SCHEDULER_NAMES), 0)
    for ad in jobs:
        state = _STATES.get(ad.eval_int("JobStatus", 0) or 0)
        kind = "Scheduler" if ad.eval_int("JobUniverse") == Universe.SCHEDULER else ""
        for name in (state, "Jobs"):
            if name is not None and kind + name in counts:
                counts[kind + name] += 1
    return counts
