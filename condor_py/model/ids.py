"""Job identifiers as HTCondor prints them: ``CLUSTER.PROC``."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence
    from typing import Any


@cache
def _job_id() -> re.Pattern[str]:
    import re

    return re.compile(r"(\d+)\.(\d+)\Z")


_new = tuple.__new__


class JobId(tuple[int, int]):
    """One job: cluster (from 1) and proc (from 0). Orders by cluster, then proc. A tuple, as jobs are looked up by it
    all the time."""

    __slots__ = ()

    def __new__(cls, cluster: int, proc: int) -> JobId:
        return _new(cls, (cluster, proc))

    @property
    def cluster(self) -> int:
        """The number of the cluster."""
        return self[0]

    @property
    def proc(self) -> int:
        """The number in the cluster."""
        return self[1]

    def __repr__(self) -> str:
        return f"JobId(cluster={self[0]}, proc={self[1]})"

    def __getnewargs__(self) -> tuple[int, int]:
        return self[0], self[1]

    def __str__(self) -> str:
        return f"{self[0]}.{self[1]}"

    @classmethod
    def parse(cls, text: str) -> JobId:
        """The id in ``text``, exactly ``C.P``; ValueError otherwise."""
        return _parsed(text)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> JobId:
    """The same jobs are named again and again while they begin and end."""
    match = _job_id().match(text)
    if match is None:
        raise ValueError(f"not a job id: {text!r}")
    return JobId(int(match[1]), int(match[2]))


def forget_texts() -> None:
    """Forget the ids that were read lately."""
    _parsed.cache_clear()


#: Represents, less the number of a node, the proc where that node of a parallel job requests its slot.
NODE_ASKER = -1_000_000


def is_asker(job: JobId) -> bool:
    """Whether a job id represents a node of a parallel job that requests a slot."""
    return job[1] <= NODE_ASKER


def request_name(job: JobId) -> str:
    """The job id of a request in words: ``5.0``, ``5.0 node 2``."""
    return f"{job[0]}.0 node {NODE_ASKER - job[1]}" if is_asker(job) else str(job)


def grouped(jobs: Iterable[tuple[int, int]]) -> list[tuple[int, Sequence[int]]]:
    """Return ids in order as clusters with their procs."""
    groups: dict[int, list[int]] = {}
    for cluster, proc in jobs:
        groups.setdefault(cluster, []).append(proc)
    return list(groups.items())


def jobs_of(cluster: int, procs: Iterable[int]) -> list[JobId]:
    """The ids of procs of a cluster, in their order; many at once cost a third of one after the other."""
    make: Any = tuple.__new__
    return list(map(make, repeat(JobId), zip(repeat(cluster), procs, strict=False)))
