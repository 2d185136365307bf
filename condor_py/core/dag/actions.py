"""The actions that a `Run` requests, and the events of the nodes log that it receives."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.core.dag.states import DagStatus
from condor_py.lang.dag.messages import NORMAL


class JobEvent(NamedTuple):
    """One event of the nodes log. ``name`` is the node that the event itself names (000, 016, 034, 035)."""

    number: int
    cluster: int
    proc: int
    subproc: int = 0
    name: str = ""
    code: int | None = None
    signal: int | None = None
    reason: str = ""


class Submit(NamedTuple):
    """Submit these nodes, in this order, in as few transactions as possible. The first that cannot be submitted ends
    it; the result of each is handed to the `Run`."""

    nodes: tuple[int, ...]


class RunScript(NamedTuple):
    """Start a script of a node in the node's directory. ``words`` are program and arguments."""

    node: int
    kind: str
    words: tuple[str, ...]


class WriteEvent(NamedTuple):
    """Append an event to the nodes log: 016 with the exit code or the signal of a POST script, or 034 (PRE_SKIP)."""

    node: int
    number: int
    code: int | None = None
    signal: int | None = None


class RemoveJobs(NamedTuple):
    """condor_rm of the jobs of one node."""

    node: int
    cluster: int
    reason: str


class RemoveAll(NamedTuple):
    """condor_rm of all jobs of the DAG; with ``keep_lifetime`` not of those of service nodes."""

    reason: str
    keep_lifetime: bool


class KillScripts(NamedTuple):
    """Kill the scripts that are at work."""


class WriteRescue(NamedTuple):
    """Write the rescue file (once a run; a second time it is overwritten)."""


class WriteSavePoint(NamedTuple):
    """Write the save point file of a node that is about to start."""

    node: int


class NodeEnded(NamedTuple):
    """A node has come to its end, for the metrics."""

    node: int
    success: bool


class Noted(NamedTuple):
    """A line of the jobstate log that corresponds to no event of the nodes log. ``retry`` is the try that it is about,
    ``job`` the id of the try's first job, if there is one."""

    node: int
    what: str
    code: int | None = None
    retry: int = 0
    job: tuple[int, int] | None = None


class Say(NamedTuple):
    """A line of .dagman.out; ``level`` is the DAGMAN_VERBOSITY from which on it is written."""

    text: str
    level: int = NORMAL


class ShowStatus(NamedTuple):
    """Write the table of nodes to the log; ``publish``: and the job ad now."""

    publish: bool


class Finish(NamedTuple):
    """The DAG is over: write what has to be written at the end, and exit."""

    code: int
    status: DagStatus


Action = (
    Submit
    | RunScript
    | WriteEvent
    | RemoveJobs
    | RemoveAll
    | KillScripts
    | WriteRescue
    | WriteSavePoint
    | NodeEnded
    | Noted
    | Say
    | ShowStatus
    | Finish
)
