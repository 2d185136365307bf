"""``htcondor jobset``: jobs that were submitted as one set."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from condor_py.bindings import session
from condor_py.bindings.enums import JobAction, QueryOpt, SubmitMethod
from condor_py.bindings.errors import HTCondorException
from condor_py.bindings.schedd import Schedd
from condor_py.bindings.submit import Submit
from condor_py.cli.nouns.jobsetfile import read_set
from condor_py.cli.nouns.words import ending
from condor_py.lang.classad import quote_string
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.nouns.jobsetfile import JobSetFile
    from condor_py.cli.nouns.words import Say
    from condor_py.lang.classad import ClassAd

_STATES = ("Idle", "Running", "Held", "Completed", "Suspended", "Removed")
_ALWAYS = frozenset(("Idle", "Running", "Completed"))


def submit(say: Say, job_set_file: str) -> None:
    """Queue the jobs of a set, all or none. Raises CondorError, HTCondorException and OSError."""
    described = read_set(job_set_file)
    if not session.pool().config.boolean("USE_JOBSETS"):
        raise CondorError(
            "Job sets not enabled on this schedd by an administrator, because USE_JOBSETS is false in the "
            "configuration.  Skipping submit."
        )
    if not described.jobs:
        say.warning(f"Warning: No jobs found in {job_set_file}")
    schedd = Schedd()
    clusters: list[int] = []
    for text in described.jobs:
        try:
            clusters.append(schedd.submit(_description(described, text), itemdata=iter(described.items)).cluster())
        except HTCondorException:
            _take_back(schedd, clusters, described.name)
            raise
    say(f"Submitted job set {described.name} containing {len(clusters)} job clusters.")


def _description(described: JobSetFile, text: str) -> Submit:
    description = Submit(text)
    description.setSubmitMethod(SubmitMethod.HTCondorJobSetSubmit, True)
    description["MY.JobSetName"] = quote_string(described.name)
    description["MY.InJobSet"] = "True"
    return description


def _take_back(schedd: Schedd, clusters: list[int], name: str) -> None:
    """The jobs that were queued before one could not be."""
    for cluster in clusters:
        with contextlib.suppress(HTCondorException):
            schedd.act(JobAction.Remove, f"ClusterId == {cluster}", f"Aborted job set {name} submission.")


def list_sets(say: Say, allusers: bool) -> None:
    """Print the names of the sets that have jobs in the queue."""
    found = sorted({(ad["Owner"], ad["JobSetName"]) for ad in _sets(None if allusers else _me())})
    if not found:
        say.error("No active job sets found.")
        return
    width = max(len(owner) for owner, _ in found) if allusers else 0
    rows = [("OWNER", "JOB_SET_NAME"), *found]
    for owner, name in rows:
        sys.stdout.write(f"{owner:<{width}}  {name}\n" if allusers else f"{name}\n")


def _me() -> str:
    return session.pool().owner


def _sets(owner: str | None, name: str | None = None) -> list[ClassAd]:
    wanted = ['MyType == "JobSet"']
    if owner is not None:
        wanted.append(f"Owner == {quote_string(owner)}")
    if name is not None:
        wanted.append(f"JobSetName == {quote_string(name)}")
    return Schedd().query(" && ".join(wanted), opts=QueryOpt.IncludeJobsetAds)


def status(say: Say, job_set_name: str, owner: str | None, nobatch: bool, skip_history: bool) -> None:
    """Tell how many jobs of a set are in which state, and what clusters it has."""
    owner = owner or _me()
    ads = _sets(owner, job_set_name)
    if not ads:
        raise CondorError(f'No active job sets found matching "{job_set_name}" for user {owner}.')
    name = ads[0]["JobSetName"]
    jobs = Schedd().query(_members(name, owner), ["ClusterId", "ProcId", "JobStatus"])
    gone: list[ClassAd] = []
    if not skip_history:
        gone = Schedd().history(_members(name, owner), ["ClusterId", "ProcId", "JobStatus"])
    counts = _counts(ads[0], gone)
    told = [f"{counts[state]} job{ending(counts[state])} {state.lower()}" for state in counts]
    say(f"{name} currently has {', '.join(told[:-1])}, and {told[-1]}.")
    say(f"{name} contains:")
    for line in _rows([*jobs, *gone]) if nobatch else _clusters([*jobs, *gone]):
        say(line)


def _members(name: str, owner: str) -> str:
    return f"JobSetName == {quote_string(name)} && Owner == {quote_string(owner)}"


def _counts(ad: ClassAd, gone: list[ClassAd]) -> dict[str, int]:
    """State -> jobs in it; those that left the queue count as what they were then."""
    counts = {state: ad.eval_int(f"Num{state}", 0) + ad.eval_int(f"NumScheduler{state}", 0) for state in _STATES}
    for job in gone:
        counts["Completed" if job.eval_int("JobStatus", 0) == 4 else "Removed"] += 1
    return {state: count for state, count in counts.items() if count or state in _ALWAYS}


def _clusters(jobs: list[ClassAd]) -> list[str]:
    counts: dict[int, int] = {}
    for job in jobs:
        counts[job["ClusterId"]] = counts.get(job["ClusterId"], 0) + 1
    return [f"\tJob cluster {cluster} with {n} total job{ending(n)}" for cluster, n in sorted(counts.items())]


def _rows(jobs: list[ClassAd]) -> list[str]:
    from condor_py.model.states import JobStatus

    found = sorted((job["ClusterId"], job["ProcId"], job["JobStatus"]) for job in jobs)
    return [f"\tJob {cluster}.{proc} {JobStatus(state).name.lower()}" for cluster, proc, state in found]


def remove(say: Say, job_set_name: str, owner: str | None) -> None:
    """Remove the jobs of a set."""
    owner = owner or _me()
    reason = f"via htcondor jobset remove (by user {_me()})"
    totals = Schedd().act(JobAction.Remove, _members(job_set_name, owner), reason)
    say(f"Removed {totals['TotalSuccess']} jobs matching job set {job_set_name} for user {owner}.")
    if totals["TotalPermissionDenied"] or totals["TotalError"]:
        refused = totals["TotalPermissionDenied"] + totals["TotalError"]
        say.warning(f"Warning: Could not remove {refused} matching jobs.")
