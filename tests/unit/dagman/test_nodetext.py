"""The texts that condor_dagman puts before and behind the description of a node."""

from __future__ import annotations

import sys
from pathlib import Path

from condor_py.core.dag.run import Run
from condor_py.daemons.dagman.nodetext import NodeTexts
from condor_py.daemons.dagman.templates import NodeText
from condor_py.lang.dag.options import DagmanOptions
from condor_py.model.settings.dagman import DagmanSettings

sys.path.insert(0, str(Path(__file__).resolve().parent))

from dag_world import dag_of


def text_of(dag: str, settings: DagmanSettings) -> NodeText:
    """The text of the first node."""
    run = Run(dag_of(dag), settings, 7)
    return NodeTexts(run.progress, DagmanOptions(True, ""), "/n.log", {}).of(0)


def test_a_provisioner_may_have_one_job_only() -> None:
    assert text_of("PROVISIONER P x\n", DagmanSettings()).is_single
    assert not text_of("JOB A x\n", DagmanSettings()).is_single


def test_event_logs_have_the_name_of_the_node_next_to_attributes_of_machines() -> None:
    before = dict(text_of("JOB A x\n", DagmanSettings().changed(record_machine_attrs=("Arch", "Memory"))).before)
    assert before["job_ad_information_attrs"] == "MachineAttrArch0,MachineAttrMemory0,DAGNodeName"
    assert before["job_machine_attrs"] == "Arch,Memory"
