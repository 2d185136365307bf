"""``htcondor dag``: one DAG, from its submit to the resources that its jobs use."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

from condor_py.bindings.dagman import DAGMan
from condor_py.bindings.enums import SubmitMethod
from condor_py.bindings.schedd import Schedd
from condor_py.bindings.submit import Submit
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say
    from condor_py.lang.classad import ClassAd

#: What the limits are called, in the order of the answer of condor_dagman.
_LIMITS = {
    "DAGMan_MaxJobs": "Maximum Submitted Nodes",
    "DAGMan_MaxIdle": "Maximum Idle Jobs",
    "DAGMan_MaxPreScripts": "Maximum Pre Scripts",
    "DAGMan_MaxHoldScripts": "Maximum Hold Scripts",
    "DAGMan_MaxPostScripts": "Maximum Post Scripts",
    "DAGMan_MaxSubmitsPerInterval": "Maximum Submits Per Interval",
}
_MOVES = (("queued", "TransferQueued"), ("input", "TransferringInput"), ("output", "TransferringOutput"))
_STATES = {1: "Idle", 2: "Running", 3: "Removed", 4: "Completed", 5: "Held", 6: "Transferring", 7: "Suspended"}
_ROW = "{:<20s}  {:<10s}  {:<13s}  {:>9s}  {:>7s}  {:>6s}  {}"
_NAME = 20


def submit(say: Say, dag_filename: str) -> None:
    """Give a DAG to condor_dagman. Raises CondorError, HTCondorException and OSError."""
    if not os.path.exists(dag_filename):
        raise CondorError(f"Could not find file: {dag_filename}")
    if not os.access(dag_filename, os.R_OK):
        raise CondorError(f"Could not access file: {dag_filename}")
    description = Submit.from_dag(dag_filename)
    description.setSubmitMethod(SubmitMethod.HTCondorDagSubmit, True)
    say(f"DAG {Schedd().submit(description).cluster()} was submitted.")


def _find(dag_id: str, from_history: bool = False) -> ClassAd:
    """Return the ad of a DAG's job. CondorError when it does not exist."""
    number = dag_id.partition(".")[0]
    where = " in history" if from_history else ""
    if not number.isdigit():
        raise CondorError(f"{dag_id} is not the number of a DAG")
    constraint, schedd = f"ClusterId == {number}", Schedd()
    found = schedd.history(constraint, match=1) if from_history else schedd.query(constraint, limit=1)
    if not found:
        raise CondorError(f"No DAG found for ID {dag_id}{where}.")
    ad: ClassAd = found[0]
    if not ad.has("DAG_NodesTotal"):
        raise CondorError(f"Job {dag_id} is not a DAG")
    return ad


def status(say: Say, dag_id: str) -> None:
    """Tell in words how a DAG is doing."""
    from condor_py.cli.nouns.dagstatus import status_lines

    ad = _find(dag_id)
    any_move = " || ".join(f"{name} =?= true" for _, name in _MOVES)
    moving = Schedd().query(f"DAGManJobId == {ad.eval_int('ClusterId', 0)} && ({any_move})")
    moves = {what: sum(bool(job.eval_bool(name)) for job in moving) for what, name in _MOVES}
    colors = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    for line in status_lines(dag_id, ad, moves, time.time(), shutil.get_terminal_size().columns, colors=colors):
        say.draw(line)


def halt(say: Say, dag_id: int, reason: str | None, pause: bool) -> None:
    """Let what runs end and start nothing more."""
    say(_done(DAGMan(dag_id).halt(reason, pause)))


def resume(say: Say, dag_id: int) -> None:
    """Continue after ``halt``."""
    say(_done(DAGMan(dag_id).resume()))


def _done(answer: tuple[bool, str]) -> str:
    if not answer[0]:
        raise CondorError(answer[1])
    return answer[1]


def throttle(say: Say, dag_id: int, **limits: int | None) -> None:
    """Set limits, and show all that hold then."""
    answer = DAGMan(dag_id).throttle(**limits)
    if isinstance(answer, str):
        raise CondorError(f"ERROR: {answer}")
    print(f"DAGMan {dag_id} set throttles:")
    for name, shown in _LIMITS.items():
        print(f"\t{shown.ljust(30, '-')}: {answer.eval_int(name, 0)}")


def histogram(say: Say, dag_id: int, instant: bool) -> None:
    """Draw the states of the jobs of a DAG over time, from its event log."""
    from condor_py.cli.nouns.histogram import show

    found = Schedd().query(f"ClusterId == {dag_id}", limit=1) or Schedd().history(f"ClusterId == {dag_id}", match=1)
    if not found:
        raise CondorError(f"No DAG found for ID {dag_id}.")
    log = found[0].eval_str("UserLog", "")
    if not log.endswith(".dagman.log"):
        raise CondorError(f"Job {dag_id} is no DAG.")
    name = log.removesuffix(".dagman.log") + ".nodes.log"
    show(os.path.join(found[0].eval_str("Iwd", ""), name), instant)


def resources(say: Say, dag_id: str, history: bool) -> None:
    """A row for each job of a DAG: where it runs and how much memory it uses of what it asked for."""
    dag = _find(dag_id, history)
    number = dag.eval_int("ClusterId", 0)
    constraint = f"DAGManJobId == {number} && DAG_NodesTotal is undefined"
    jobs = Schedd().history(constraint) if history else Schedd().query(constraint)
    if not jobs:
        say(f"DAG {dag_id} has no jobs in the {'history' if history else 'queue'}.")
        return
    say(_ROW.format("NODE_NAME", "JOB_ID", "STATUS", "MEM_USAGE", "REQ_MEM", "STARTS", "REMOTE_HOST"))
    jobs = sorted(jobs, key=lambda job: (job.eval_int("ClusterId", 0), job.eval_int("ProcId", 0)))
    for job in jobs:
        say(_resources_of(job))
    say(f"\n{_summary(jobs)}")


def _memory(job: ClassAd) -> tuple[int | None, int | None]:
    """Return a job's memory use and memory request, in MB."""
    return job.eval_int("MemoryUsage", None), job.eval_int("RequestMemory", None)


def _resources_of(job: ClassAd) -> str:
    used, asked = ("-" if value is None else str(value) for value in _memory(job))
    name = (job.eval_str("DAGNodeName") or "?")[:_NAME]
    number = f"{job.eval_int('ClusterId', 0)}.{job.eval_int('ProcId', 0)}"
    state = _STATES.get(job.eval_int("JobStatus", 0), "Unknown")
    starts = str(job.eval_int("NumJobStarts", 0))
    return _ROW.format(name, number, state, used, asked, starts, job.eval_str("RemoteHost") or "-")


def _summary(jobs: list[ClassAd]) -> str:
    states = [job.eval_int("JobStatus", 0) for job in jobs]
    text = f"Total {len(jobs)} jobs; {states.count(2) + states.count(6)} running, {states.count(1)} idle"
    shares = [used / asked for used, asked in map(_memory, jobs) if used is not None and asked]
    return f"{text}; avg memory utilization: {100 * sum(shares) / len(shares):.1f}%" if shares else text
