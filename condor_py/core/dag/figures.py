"""The figures of a running DAG, as its job ad and its log show them."""

from __future__ import annotations

from condor_py.core.dag.progress import Progress


def job_ad(p: Progress) -> dict[str, int | bool]:
    """The DAG_* and DAGMan_* attributes of condor_dagman's job, without times, address and statistics."""
    counts, limits = p.counts, p.limits
    held = held_jobs(p)
    idle = sum(len(jobs.idle - jobs.held) for jobs in p.jobs.values())
    in_queue = sum(jobs.total - len(jobs.ended) for jobs in p.jobs.values())
    return {
        "DAG_Status": int(p.course.status),
        "DAG_InRecovery": int(p.course.is_recovering),
        "DAG_NodesTotal": p.total,
        "DAG_NodesDone": counts.done,
        "DAG_NodesPrerun": counts.prerun,
        "DAG_NodesQueued": counts.submitted,
        "DAG_NodesPostrun": counts.postrun,
        "DAG_NodesHoldrun": counts.holdrun,
        "DAG_NodesReady": p.ready.count,
        "DAG_NodesUnready": p.unready_count,
        "DAG_NodesFailed": counts.failed,
        "DAG_NodesFutile": counts.futile,
        "DAG_JobsSubmitted": counts.jobs_submitted,
        "DAG_JobsIdle": idle,
        "DAG_JobsHeld": held,
        "DAG_JobsRunning": max(in_queue - idle - held, 0),
        "DAG_JobsCompleted": counts.jobs_completed,
        "DAGMan_MaxJobs": limits.max_jobs,
        "DAGMan_MaxIdle": limits.max_idle,
        "DAGMan_MaxPreScripts": limits.max_pre,
        "DAGMan_MaxPostScripts": limits.max_post,
        "DAGMan_MaxHoldScripts": limits.max_hold,
        "DAGMan_MaxSubmitsPerInterval": limits.max_submits_per_interval,
    }


def held_jobs(p: Progress) -> int:
    """Number of held jobs."""
    return p.counts.held_jobs


def table(p: Progress) -> list[str]:
    """The table of nodes in .dagman.out, line by line, after the line with the DAG's status."""
    counts = p.counts
    return [
        f"DAG status: {int(p.course.status)} (DAG_STATUS_{p.course.status.name})",
        f"Of {p.total} nodes total:",
        " Done     Pre   Queued    Post   Ready   Un-Ready   Failed   Futile",
        "  ===     ===      ===     ===     ===        ===      ===      ===",
        f"{counts.done:5d}   {counts.prerun:5d}    {counts.submitted:5d}   {counts.postrun:5d}   {p.ready.count:5d}"
        f"      {p.unready_count:5d}    {counts.failed:5d}    {counts.futile:5d}",
        f"{held_jobs(p)} job proc(s) currently held",
    ]
