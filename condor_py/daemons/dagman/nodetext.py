"""Texts that a node's jobs are submitted with besides their description: names, parents, variables, the nodes log."""

from __future__ import annotations

import os

from condor_py.core.dag.progress import Progress
from condor_py.daemons.dagman.templates import NodeText
from condor_py.lang.dag.graph import Kind
from condor_py.lang.dag.options import DagmanOptions

#: The events that the nodes log wants of a job.
_MASK = "0,1,2,4,5,7,8,9,10,11,12,13,16,17,24,27,35,36"
#: JobSubmitMethod of what condor_dagman submits, and of what it does with ``-SubmitMethod 0``.
_BY_DAGMAN, _BY_CONDOR_SUBMIT = "1", "0"
#: Characters of the list of parents.
_MOST_PARENTS = 2000

Pairs = list[tuple[str, str]]


class NodeTexts:
    """Makes the texts of the nodes of one DAG. ``inherited`` are attributes that come from condor_dagman's job."""

    def __init__(self, p: Progress, options: DagmanOptions, nodes_log: str, inherited: dict[str, str]) -> None:
        self._p = p
        self._options = options
        self._nodes_log = nodes_log
        self._inherited = inherited

    def of(self, node: int) -> NodeText:
        """The text of one node, as it is to be submitted now."""
        dag = self._p.dag
        file = dag.submits[node]
        before, behind = self._before(node), self._behind(node)
        for variable in dag.variables.get(node, ()):
            (before if variable.prepend else behind).append((variable.name, variable.value))
        lines = tuple(f"{name} = {value}" for name, value in behind)
        directory = dag.directories[node]
        is_single = dag.kinds[node] == Kind.PROVISIONER
        return NodeText(dag.names[node], file, dag.descriptions.get(file), directory, tuple(before), lines, is_single)

    def _before(self, node: int) -> Pairs:
        p, texts = self._p, self._options.texts
        parents, retry = self._parents(node), p.tries.retries.get(node, 0)
        found: Pairs = [
            ("JOB", p.dag.names[node]),
            ("RETRY", str(retry)),
            ("DAG_STATUS", str(int(p.course.status))),
            ("FAILED_COUNT", str(p.counts.failed)),
        ]
        if parents:
            found.append(("DAG_PARENT_NAMES", parents))
        found.append(("MY.DAGParentNodeNames", '"$(DAG_PARENT_NAMES)"'))
        found += [(name, texts[option]) for name, option in _FROM_OPTIONS if texts[option].strip()]
        if p.settings.record_retry and retry > 0:
            found.append(("MY.DAGManNodeRetry", str(retry)))
        priority = p.ready.priority(node)
        if priority:
            found.append(("priority", str(priority)))
        if node in p.tries.held:
            found.append(("hold", "true"))
        if len(p.dag.children_of(node)) and p.settings.hold_claim_time > 0:
            found.append(("keep_claim_idle", str(p.settings.hold_claim_time)))
        if p.settings.record_machine_attrs:
            names = ",".join(p.settings.record_machine_attrs)
            found.append(("job_ad_information_attrs", _of_log(p.settings.record_machine_attrs)))
            found.append(("job_machine_attrs", names))
        return found + [(f"MY.{name}", value) for name, value in self._inherited.items()]

    def _parents(self, node: int) -> str:
        names = self._p.dag.names
        found = ""
        for parent in self._p.dag.parents_of(node):
            found += ("," if found else "") + names[parent]
            if len(found) > _MOST_PARENTS:
                return found[:_MOST_PARENTS] + "..."
        return found

    def _behind(self, node: int) -> Pairs:
        p = self._p
        name = p.dag.names[node]
        found: Pairs = [
            ("dag_node_name", name),
            ("submit_event_notes", f"DAG Node: {name}"),
            ("dagman_log", self._nodes_log),
            ("MY.DAGManNodesMask", f'"{_MASK}"'),
            ("MY.JobSubmitMethod", _BY_CONDOR_SUBMIT if self._options.numbers["SubmitMethod"] == 0 else _BY_DAGMAN),
        ]
        if p.dagman_id > 0:
            found += [("MY.DAGManJobId", str(p.dagman_id)), ("DAGManJobId", str(p.dagman_id))]
        if p.settings.suppress_job_logs:
            found.append(("log", ""))
        if self._options.switches.get("SuppressNotification", p.settings.suppress_notification):
            found.append(("notification", "NEVER"))
        if p.dag.kinds[node] == Kind.SERVICE:
            found.append(("MY.DAGLifetimeJob", "true"))
        return found


_FROM_OPTIONS = (
    ("batch_name", "BatchName"),
    ("batch_id", "BatchId"),
    ("accounting_group", "AcctGroup"),
    ("accounting_group_user", "AcctGroupUser"),
)


def _of_log(names: tuple[str, ...]) -> str:
    """The attributes of the last machine and the name of the node, as the event log is asked for them."""
    return ",".join([*(f"MachineAttr{name}0" for name in names), "DAGNodeName"])


def directory_of(p: Progress, node: int) -> str:
    """The directory of a node, absolute."""
    return os.path.join(os.getcwd(), p.dag.directories[node])
