"""Job ads as condor_submit shows them without a schedd: -dry-run, -dump, -verbose."""

from __future__ import annotations

from condor_py.lang.submit.build import storage_order
from condor_py.lang.submit.job import Attributes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def proc_listing(cluster_id: int, proc: int, cluster: Attributes, own: Attributes) -> str:
    """Return the lines of one job in a dry-run: the cluster's attributes before job 0, then the job's own."""
    lines = []
    if proc == 0:
        lines.append(f"ClusterId={cluster_id}")
        lines.extend(f"{name}={text}" for name, text in storage_order(cluster))
    lines.append(f"ProcId={proc}")
    status = own.get("jobstatus")
    lines.append(f"JobStatus={status[1] if status else 1}")
    own = {key: item for key, item in own.items() if key != "jobstatus"}
    lines.extend(f"{name}={text}" for name, text in storage_order(own))
    return "\n".join(lines) + "\n"


def cluster_listing(cluster_id: int, cluster: Attributes) -> str:
    """Return the lines in a dry-run of a cluster whose jobs the schedd makes: its attributes, except for the limit,
    which goes to the schedd separately."""
    shown = {key: item for key, item in cluster.items() if key != "jobmaterializelimit"}
    lines = [f"ClusterId={cluster_id}", *(f"{name}={text}" for name, text in storage_order(shown))]
    return "\n".join(lines) + "\n"


def full_ad(cluster_id: int, proc: int, cluster: Attributes, own: Attributes) -> str:
    """The whole ad of a job, ``Name = value`` lines sorted by name without case."""
    numbers = {"clusterid": ("ClusterId", str(cluster_id)), "procid": ("ProcId", str(proc))}
    merged: Mapping[str, tuple[str, str]] = {**cluster, **own, **numbers}
    return "".join(f"{merged[key][0]} = {merged[key][1]}\n" for key in sorted(merged))
