"""The queue read again and again: only what has changed since the last time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.client.queue_view import QueueView
from condor_py.model.ids import JobId
from condor_py.model.record import one_by_one
from condor_py.store.keys import cluster_of, proc_of

if TYPE_CHECKING:
    from condor_py.client.pool import Pool


class QueueFollower:
    """Follows the queue of a pool. ``view`` is the queue as it was at the last look; the first look comes with it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._direct = pool.reads_queue_file
        self.view: QueueView = pool.read_queue()

    def look(self) -> set[JobId] | None:
        """Looks again: the jobs that are new, gone or not what they were; None when that may be any. CondorError.

        Where the schedd has to be asked, the changes are unknown.
        """
        if not self._direct or not self._pool.reads_queue_file:
            self._direct = self._pool.reads_queue_file
            self.view = self._pool.read_queue()
            return None
        table = self.view.table
        changed: set[JobId] = set()
        for key in {record.key for record in one_by_one(table.refresh())}:
            job, cluster = proc_of(key), cluster_of(key)
            if job is not None:
                changed.add(job)
            elif cluster is not None:
                changed.update(JobId(cluster, proc) for proc in table.procs(cluster))
        self.view = QueueView(table, self._pool.now())
        return changed
