"""The metrics file: figures of the DAG, written when it ends."""

from __future__ import annotations

from condor_py.core.dag.progress import Progress
from condor_py.core.dag.states import DagStatus
from condor_py.lang.dag.cycles import walk
from condor_py.lang.dag.graph import NONE, Kind
from condor_py.model.version import HTCONDOR_VERSION

_NODE, _SUB_DAG, _SERVICE = range(3)


class Metrics:
    """Counts the ends of nodes."""

    def __init__(self, p: Progress, begun: float) -> None:
        self._p = p
        self._begun = begun
        self._ends = {(kind, success): 0 for kind in (_NODE, _SUB_DAG, _SERVICE) for success in (True, False)}

    def ended(self, node: int, success: bool) -> None:
        """A node came to its end."""
        self._ends[self._kind(node), success] += 1

    def _kind(self, node: int) -> int:
        dag = self._p.dag
        if dag.kinds[node] == Kind.SERVICE:
            return _SERVICE
        return _SUB_DAG if node in dag.sub_dags else _NODE

    def text(self, code: int, now: float, dagman: int, parent: int, rescue: int) -> str:
        """The file, as DAGMAN_METRICS_FILE_VERSION asks for it."""
        p = self._p
        totals = [0, 0, 0]
        for node in range(len(p.dag)):
            totals[self._kind(node)] += 1
        version = p.settings.metrics_file_version
        lines: list[tuple[str, object]] = [
            ("client", "condor_dagman"),
            ("version", HTCONDOR_VERSION),
            ("type", "metrics"),
            *([("metrics_version", 2)] if version == 2 else []),
            ("start_time", self._begun),
            ("end_time", now),
            ("duration", now - self._begun),
            ("exitcode", code),
            ("dagman_id", str(dagman) if dagman >= 0 else ""),
            ("parent_dagman_id", str(parent) if parent > 0 else ""),
            ("rescue_dag_number", rescue),
            *(self._second(totals) if version == 2 else self._first(totals)),
        ]
        if p.settings.report_graph_metrics:
            lines += self._graph()
        lines.append(("DagStatus", int(p.status)))
        return "{\n" + ",\n".join(f'    "{name}":{_shown(value)}' for name, value in lines) + "\n}\n"

    def _counts(self, kind: int, name: str, total: int) -> list[tuple[str, object]]:
        good, bad = self._ends[kind, True], self._ends[kind, False]
        return [(name, total), (f"{name}_failed", bad), (f"{name}_succeeded", good)]

    def _first(self, totals: list[int]) -> list[tuple[str, object]]:
        return [
            *self._counts(_NODE, "jobs", totals[_NODE]),
            *self._counts(_SUB_DAG, "dag_jobs", totals[_SUB_DAG]),
            ("total_jobs", sum(totals)),
            ("total_jobs_run", sum(self._ends.values())),
        ]

    def _second(self, totals: list[int]) -> list[tuple[str, object]]:
        p = self._p
        counts = p.counts
        return [
            ("has_final_node", p.dag.final != NONE),
            *self._counts(_NODE, "nodes", totals[_NODE]),
            *self._counts(_SUB_DAG, "dag_nodes", totals[_SUB_DAG]),
            ("provisioner_nodes", int(p.dag.provisioner != NONE)),
            *self._counts(_SERVICE, "service_nodes", totals[_SERVICE]),
            ("total_nodes", sum(totals)),
            ("total_nodes_run", sum(self._ends.values())),
            ("jobs_submitted", counts.jobs_submitted),
            ("jobs_succeeded", counts.jobs_completed),
            ("jobs_failed", counts.jobs_submitted - counts.jobs_completed),
        ]

    def _graph(self) -> list[tuple[str, object]]:
        dag = self._p.dag
        found = walk(dag)
        cyclic = self._p.status == DagStatus.CYCLE
        return [
            ("graph_height", 0 if cyclic else found.height),
            ("graph_width", 0 if cyclic else found.width),
            ("graph_num_edges", len(dag.children)),
            ("graph_num_vertices", len(dag.order)),
        ]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f'"{value}"' if isinstance(value, str) else str(value)
