"""Job identifiers as HTCondor prints them: ``CLUSTER.PROC``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

_JOB_ID = re.compile(r"(\d+)\.(\d+)\Z")


class JobId(NamedTuple):
    """One job: cluster (from 1) and proc (from 0). Orders by cluster, then proc."""

    cluster: int
    proc: int

    def __str__(self) -> str:
        return f"{self.cluster}.{self.proc}"

    @classmethod
    def parse(cls, text: str) -> JobId:
        """The id in ``text``, exactly ``C.P``; ValueError otherwise."""
        return _parsed(text)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> JobId:
    """The same jobs are named again and again while they begin and end."""
    match = _JOB_ID.match(text)
    if match is None:
        raise ValueError(f"not a job id: {text!r}")
    return JobId(int(match[1]), int(match[2]))


def jobs_of(cluster: int, procs: Iterable[int]) -> list[JobId]:
    """The ids of procs of a cluster, in their order; many at once cost a third of one after the other."""
    make: Any = tuple.__new__
    return list(map(make, repeat(JobId), zip(repeat(cluster), procs, strict=False)))
