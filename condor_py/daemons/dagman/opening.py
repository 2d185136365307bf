"""The beginning of condor_dagman's log: settings, limits, the workflow and its files."""

from __future__ import annotations

import re
from collections import deque

from condor_py.core.dag.run import Run
from condor_py.core.dag.states import EXIT_ERROR
from condor_py.daemons.dagman.managerjob import ManagerJob
from condor_py.daemons.dagman.quitting import Quit, warn
from condor_py.daemons.dagman.reports import Reports
from condor_py.daemons.dagman.start import Start
from condor_py.lang.config.builders.dagman import told
from condor_py.lang.dag.graph import DONE, JOIN, Dag
from condor_py.lang.dag.messages import NORMAL, QUIET, VERBOSE
from condor_py.model.settings.dagman import NO_LIMITS
from condor_py.model.version import CONDOR_VERSION

#: The oldest condor_submit_dag whose submit files are taken.
_OLDEST = (7, 1, 2)
_VERSION = re.compile(r"\$CondorVersion: (\d+)\.(\d+)\.(\d+) .*\$\Z")


def tell_settings(start: Start) -> None:
    """The settings."""
    log = start.log
    if start.caps != NO_LIMITS:
        log.say("Administrator set throttle limits enabled", NORMAL)
    for line in told(start.pool.config):
        log.say(line, NORMAL)
    log.say("DAGMAN will adjust edges after parsing", NORMAL)


def tell_workflow(start: Start) -> None:
    """Log the batch id, the batch name and the accounting group of the workflow."""
    texts = start.options.texts
    for what, option in (("batch-id", "BatchId"), ("batch-name", "BatchName"), ("accounting_group", "AcctGroup"),
                         ("accounting_group_user", "AcctGroupUser")):  # fmt: skip
        start.log.say(f"Workflow {what}: <{texts[option]}>", VERBOSE)


def tell_limits(start: Start, job: ManagerJob) -> None:
    """The limits, in the log and in the job."""
    limits, log = start.settings.throttles, start.log
    log.say("Setting DAGMan throttles:", VERBOSE)
    values: dict[str, str] = {}
    for shown, name, value in (
        ("Idle Jobs-------------", "MaxIdle", limits.max_idle),
        ("Pre Scripts-----------", "MaxPreScripts", limits.max_pre),
        ("Hold Scripts----------", "MaxHoldScripts", limits.max_hold),
        ("Post Scripts----------", "MaxPostScripts", limits.max_post),
        ("Submitted Nodes-------", "MaxJobs", limits.max_jobs),
        ("Submits Per Interval--", "MaxSubmitsPerInterval", limits.max_submits_per_interval),
    ):
        log.say(f"\tMaximum {shown}: {value}", VERBOSE)
        values[f"DAGMan_{name}"] = str(value)
    job.write(values)


def tell_files(start: Start, lock: str) -> None:
    """The lock file and the .dag files."""
    files, log = start.options.dag_files, start.log
    log.say(f"DAG Lockfile will be written to {lock}", VERBOSE)
    if len(files) == 1:
        log.say(f"DAG Input file is {files[0]}", VERBOSE)
        return
    log.say("All DAG files:", QUIET)
    for number, file in enumerate(files):
        log.say(f"  {file} (DAG #{number})", QUIET)


def check_submit_version(start: Start) -> None:
    """Compare the version of -CsdVersion, if it was given, with ours. Raises Quit for one that does not fit, unless
    -AllowVersionMismatch was given."""
    given = start.options.texts["CsdVersion"]
    if not given or given == CONDOR_VERSION:
        return
    subject = f"the version ({given}) of this DAG's HTCondor submit file"
    found, ours = _VERSION.match(given), _VERSION.match(CONDOR_VERSION)
    version = tuple(map(int, found.groups())) if found else ()
    if version < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        wrong = f"is older than oldest permissible version ({oldest})" if found else "is invalid"
        if not start.options.on("AllowVersionMismatch"):
            start.log.loud(f"Error: {subject} {wrong}!")
            raise Quit(EXIT_ERROR)
        start.log.say(f"Warning: {subject} {wrong}; continuing because of -AllowVersionMismatch flag")
    elif ours and version > tuple(map(int, ours.groups())):
        newer = f"Warning: {subject} is newer than condor_dagman version ({CONDOR_VERSION})"
        warn(start.settings, start.log.say, newer, 3)
    else:
        start.log.say(
            f"Note: {subject} differs from condor_dagman version ({CONDOR_VERSION}), but the difference is permissible"
        )


def draw_only(start: Start, job: ManagerJob, dag: Dag) -> int:
    """Carry out -Dot: write the DOT file and run nothing; the exit code."""
    priority = start.options.numbers["Priority"] or start.settings.default_priority
    run = Run(dag, start.settings, job.cluster, priority, start.settings.always_run_post)
    name = Reports(start, job, run.progress).dot()
    start.log.say(f"Writing .dot file: {name}" if name else "Unable to write .dot file, no DOT filename specified")
    return 0


def rehearse(start: Start, dag: Dag) -> int:
    """Carry out -DryRun: name the nodes in an order in which they may run, and run nothing; the exit code."""
    left = [len(dag.parents_of(node)) for node in range(len(dag))]
    first = [*dag.services, *(node for node in (dag.provisioner,) if node >= 0)]
    last = [node for node in (dag.final,) if node >= 0]
    ready = deque([*first, *(node for node in dag.order if not left[node] and node not in {*first, *last})])
    seen = 0
    while ready or last:
        node = ready.popleft() if ready else last.pop()
        seen += 1
        if not dag.flags[node] & (DONE | JOIN):
            start.log.say(f"Processing node: {dag.names[node]}")
        for child in dag.children_of(node):
            left[child] -= 1
            if not left[child]:
                ready.append(child)
    if seen < len(dag):
        start.log.loud(f"ERROR: {len(dag) - seen} nodes are never reached: a cycle exists in the dag")
        return EXIT_ERROR
    start.log.say("All nodes processed (-DryRun): nothing was submitted and no script was run")
    return 0
