"""Describing DAGs in Python: layers of jobs, edges between them, and the files that condor_dagman reads."""

from __future__ import annotations

from condor_py.bindings.dags import exceptions
from condor_py.bindings.dags.dag import (
    DAG,
    BaseNode,
    DAGAbortCondition,
    DotConfig,
    FinalNode,
    NodeLayer,
    Nodes,
    NodeStatusFile,
    Script,
    SubDAG,
)
from condor_py.bindings.dags.edges import BaseEdge, Grouper, JoinFactory, JoinNode, ManyToMany, OneToOne, Slicer
from condor_py.bindings.dags.formatter import DEFAULT_SEPARATOR, NodeNameFormatter, SimpleFormatter
from condor_py.bindings.dags.rescue import find_rescue_file, rescue
from condor_py.bindings.dags.walk_order import WalkOrder
from condor_py.bindings.dags.writer import CONFIG_FILE_NAME, DEFAULT_DAG_FILE_NAME, write_dag

__all__ = [
    "CONFIG_FILE_NAME", "DAG", "DEFAULT_DAG_FILE_NAME", "DEFAULT_SEPARATOR", "BaseEdge", "BaseNode",
    "DAGAbortCondition", "DotConfig", "FinalNode", "Grouper", "JoinFactory", "JoinNode", "ManyToMany", "NodeLayer",
    "NodeNameFormatter", "NodeStatusFile", "Nodes", "OneToOne", "Script", "SimpleFormatter", "Slicer", "SubDAG",
    "WalkOrder", "exceptions", "find_rescue_file", "rescue", "write_dag",
]  # fmt: skip
