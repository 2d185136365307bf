"""The queue as the tools see it at one moment: read from the file, or received from the schedd.

Looking at one job, or at a few attributes of all jobs, does not read every ad: a queue of 100,000 jobs stays quick.
"""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.lang.classad.ad import ClassAd
from condor_py.model.ids import JobId

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from condor_py.store.job_queue import JobQueue

#: Jobs as (cluster, procs), both ascending.
Groups = list[tuple[int, Sequence[int]]]


class QueueView:
    """The queue at one moment. Proc ads are chained to their cluster ads. ``now`` is the time of the answer."""

    def __init__(self, table: JobQueue, now: int) -> None:
        self.table = table
        self.now = now

    def groups(self) -> Groups:
        """All jobs by cluster and proc, without their ads."""
        return self.table.groups()

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        """All jobs by cluster and proc, with their ads."""
        return self.table.jobs()

    def job(self, job: JobId) -> ClassAd | None:
        """The ad of a job; None when it is not in the queue."""
        return self.table.job(job)

    def procs(self, cluster: int) -> Sequence[int]:
        """The procs of a cluster, ascending, without their ads."""
        return self.table.procs(cluster)

    def clusters(self) -> Iterator[tuple[int, ClassAd]]:
        """Cluster ads by number."""
        for number in self.table.clusters():
            ad = self.table.cluster(number)
            if ad is not None:
                yield number, ad

    def texts(self, name: str, groups: Groups | None = None) -> list[str | None]:
        """Return each job's, or else its cluster's, expression text of an attribute, in the order of ``groups``."""
        return self.table.texts(self.groups() if groups is None else groups, (name.lower(),))[0]

    def cluster_text(self, cluster: int, key: str) -> str | None:
        """Return a cluster ad's value of an attribute, as expression text; None without one."""
        return self.cluster_texts(cluster, (key,))[0]

    def cluster_texts(self, cluster: int, keys: Sequence[str]) -> list[str | None]:
        """Return ``cluster_text`` of several attributes."""
        ad = self.table.cluster(cluster)
        if ad is None:
            return [None] * len(keys)
        found = map(ad.attrs.get, keys)
        return [None if one is None else one.raw if one.raw is not None else one.text for one in found]
