"""Jobs from a file, as the router sees the queue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from condor_py.model.ids import JobId

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd


class Jobs:
    """Some jobs, which do not change."""

    def __init__(self, ads: Mapping[JobId, ClassAd]) -> None:
        self._ads = ads

    def job(self, job: JobId) -> ClassAd | None:
        """The ad of a job."""
        return self._ads.get(job)

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        """All of them."""
        return iter(self._ads.items())
