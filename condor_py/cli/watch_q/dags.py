"""DAGs, as condor_watch_q shows them: one row for all nodes, counted from the event log of the nodes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable

from condor_py.client.pool import open_pool
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError

#: Seconds between two looks for the number of nodes of a DAG that has not told it yet.
_PAUSE = 2.0
_MANAGER_LOG, _NODES_LOG = ".dagman.log", ".nodes.log"


def log_of(ad: ClassAd) -> str:
    """The event log that tells of a job, absolute: for a node that of its DAG; "" without one."""
    log = ad.eval_str("DAGManNodesLog") or ad.eval_str("UserLog") or ""
    return os.path.normpath(os.path.join(ad.eval_str("Iwd") or "/", log)) if log else ""


def _queue() -> Iterable[tuple[int, ClassAd]]:
    return open_pool().read_queue().clusters()


class Dags:
    """The DAGs among the clusters that are watched. ``queue`` gives all clusters with their ads."""

    def __init__(self, queue: Callable[[], Iterable[tuple[int, ClassAd]]] = _queue) -> None:
        #: The batch name of each DAG by the event log of its nodes.
        self.logs: dict[str, str] = {}
        self._queue = queue
        self._nodes: dict[int, int] = {}
        self._batches: dict[int, str] = {}
        self._next = 0.0

    def found(self, number: int, ad: ClassAd) -> str:
        """A cluster of the queue. If it is the condor_dagman of a DAG, the event log of its nodes, else ""."""
        log = ad.eval_str("UserLog") or ""
        if not ad.has("OtherJobRemoveRequirements") or not log.endswith(_MANAGER_LOG):
            return ""
        path = os.path.normpath(os.path.join(ad.eval_str("Iwd") or "/", log.removesuffix(_MANAGER_LOG) + _NODES_LOG))
        self._batches[number] = ad.eval_str("JobBatchName") or f"DAG: {number}"
        self._nodes[number] = ad.eval_int("DAG_NodesTotal", 0) or 0
        self.logs[path] = self._batches[number]
        return path

    def batch_of(self, log: str) -> str | None:
        """The batch name of the DAG whose nodes a log tells of."""
        return self.logs.get(log)

    def total(self, batch: str) -> int:
        """How many nodes the DAGs of a batch have, as far as they have told."""
        return sum(self._nodes[number] for number, name in self._batches.items() if name == batch)

    def look_again(self) -> None:
        """Ask the queue for the names and numbers of nodes of DAGs that had not begun when it was asked before."""
        if all(self._nodes.values()) or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _PAUSE
        waiting = [number for number, nodes in self._nodes.items() if not nodes]
        try:
            for number, ad in self._queue():
                if number in waiting:
                    self.found(number, ad)
                    waiting.remove(number)
        except CondorError:
            return
        for number in waiting:  # it has left the queue
            del self._nodes[number], self._batches[number]
