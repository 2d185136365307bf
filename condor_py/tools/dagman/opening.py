"""What the log of condor_dagman begins with: settings, limits, the workflow and its files."""

from __future__ import annotations

from condor_py.config.rooms.dagman import told
from condor_py.dagman.language.messages import NORMAL, QUIET, VERBOSE
from condor_py.model.settings.dagman import ThrottleSettings
from condor_py.tools.dagman.managerjob import ManagerJob
from condor_py.tools.dagman.start import Start


def tell_settings(start: Start) -> None:
    """The settings."""
    log = start.log
    if start.caps != ThrottleSettings(0, 0, 0, 0, 0, 0):
        log.say("Administrator set throttle limits enabled", NORMAL)
    for line in told(start.pool.config):
        log.say(line, NORMAL)
    log.say("DAGMAN will adjust edges after parsing", NORMAL)


def tell_workflow(start: Start) -> None:
    """Who the workflow is."""
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
