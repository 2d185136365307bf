"""States of nodes and DAGs, and the numbers that are used where there is no exit code."""

from __future__ import annotations

import enum


class NodeState(enum.IntEnum):
    """The state of a node, as the node status file numbers it."""

    NOT_READY = 0
    READY = 1
    PRERUN = 2
    SUBMITTED = 3
    POSTRUN = 4
    DONE = 5
    ERROR = 6
    FUTILE = 7


class DagStatus(enum.IntEnum):
    """DAG_Status of the job ad."""

    OK = 0
    ERROR = 1
    NODE_FAILED = 2
    ABORT = 3
    RM = 4
    CYCLE = 5
    HALTED = 6


#: Exit codes of condor_dagman.
EXIT_OKAY, EXIT_ERROR, EXIT_ABORT, EXIT_RESTART = 0, 1, 2, 3

#: Return values of nodes whose jobs returned nothing.
SUBMIT_FAILED, JOB_ABORTED, JOB_SKIPPED = -1001, -1002, -1004
