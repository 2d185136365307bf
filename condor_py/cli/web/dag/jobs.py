"""The DAGs of a queue: the jobs of condor_dagman, and the figures that they publish of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from condor_py.cli.web.dag.reader import Order
from condor_py.lang.classad import ClassAd
from condor_py.model.arguments import ArgumentError, split_v2
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.cli.top.look import LiveJobs
    from condor_py.client.queue_view import QueueView

_SCHEDULER = str(int(Universe.SCHEDULER))
_CONFIG = "_CONDOR_DAGMAN_CONFIG_FILE="
#: DAG_Status of the job ad.
_STATUS = ("running", "error", "a node failed", "aborted", "removed", "cycle", "halted")
_FIGURES = ("Total", "Done", "Prerun", "Queued", "Postrun", "Ready", "Unready", "Failed", "Futile")


class Dags:
    """The clusters of a queue that are DAGs. Only clusters that are new are read."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._dags: set[int] = set()

    def jobs(self, live: LiveJobs) -> list[tuple[JobId, ClassAd]]:
        """Return the jobs of condor_dagman in the queue, the newest first."""
        now = live.clusters.keys()
        self._dags.difference_update(self._known - now)
        self._dags.update(cluster for cluster in now - self._known if _is_dag(live.view, cluster))
        self._known = set(now)
        found = [(JobId(cluster, 0), live.view.job(JobId(cluster, 0))) for cluster in sorted(self._dags, reverse=True)]
        return [(job, ad) for job, ad in found if ad is not None]


def _is_dag(view: QueueView, cluster: int) -> bool:
    """Whether a cluster is a DAG: few are, so only the universe is read of the others."""
    if view.cluster_text(cluster, "jobuniverse") not in (_SCHEDULER, None):
        return False
    ad = view.job(JobId(cluster, 0))
    return ad is not None and is_dag(ad)


def is_dag(ad: ClassAd) -> bool:
    """Whether a job is a condor_dagman."""
    program = ad.eval_str("Cmd", "").rpartition("/")[2]
    return ad.eval_int("JobUniverse") == Universe.SCHEDULER and (program == "condor_dagman" or ad.has("DAG_NodesTotal"))


def row(job: JobId, ad: ClassAd) -> dict[str, Any]:
    """Return the figures of a DAG that condor_q shows everybody."""
    nodes = {name.lower(): max(0, ad.eval_int(f"DAG_Nodes{name}", 0)) for name in _FIGURES}
    return {
        "id": job.cluster,
        "owner": ad.eval_str("Owner", ""),
        "name": ad.eval_str("JobBatchName") or f"DAG {job.cluster}",
        "status": _status(ad),
        "since": ad.eval_int("JobStartDate") or None,
        "submitted": ad.eval_int("QDate") or None,
        "parent": ad.eval_int("DAGManJobId") or None,
        "nodes": nodes,
        "jobs": {name.lower(): max(0, ad.eval_int(f"DAG_Jobs{name}", 0)) for name in ("Idle", "Held", "Running")},
    }


def _status(ad: ClassAd) -> str:
    status = ad.eval_int("JobStatus")
    if status == JobStatus.HELD:
        return "held"
    if status != JobStatus.RUNNING:
        return "waits to start" if status == JobStatus.IDLE else "ended"
    number = ad.eval_int("DAG_Status", 0)
    return _STATUS[number] if 0 <= number < len(_STATUS) else _STATUS[0]


def failed_nodes(ad: ClassAd) -> dict[str, str]:
    """Return why nodes failed, by name: the last ones, which condor_dagman tells in its ad."""
    stories = ad.eval("DAG_FailedNodes") if ad.has("DAG_FailedNodes") else ()
    found = [story for story in stories if isinstance(story, ClassAd)] if isinstance(stories, list) else []
    return {story.eval_str("Node", ""): story.eval_str("Reason", "") for story in found}


def order_of(job: JobId, ad: ClassAd) -> Order:
    """Return the order to read a DAG. ArgumentError when the arguments of its job cannot be read."""
    arguments = ad.eval_str("Arguments")
    words = split_v2(arguments) if arguments is not None else ad.eval_str("Args", "").split()
    return Order(
        words,
        ad.eval_str("Iwd") or "/",
        job.cluster,
        ad.eval_str("Owner", ""),
        ad.eval_str("DAGNodeName", ""),
        _configuration(ad),
    )


def _configuration(ad: ClassAd) -> str:
    """Return the configuration file of a DAG, which its job gets by its environment; "" without one."""
    try:
        words = split_v2(ad.eval_str("Environment", ""))
    except ArgumentError:
        return ""
    return next((word[len(_CONFIG) :] for word in words if word.startswith(_CONFIG)), "")
