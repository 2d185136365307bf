"""The schedd's policy at submit: transforms, requirements, warnings; with and without a running schedd."""

from __future__ import annotations

import getpass
import time
from collections.abc import Mapping
from pathlib import Path

from pool import PersonalPool, wait_for
from shared_pool import SharedPool

SUBMIT = "executable = /bin/true\nlog = job.log\nrequest_memory = 600\n+Old = 1\nqueue 2\n"


POLICY = {
    "JOB_TRANSFORM_NAMES": "Site",
    "JOB_TRANSFORM_Site": 'SET Site "$(where)"\nEVALSET Number ProcId + 1\nDELETE Old',
    "where": "north",
    "SUBMIT_REQUIREMENT_NAMES": "Big Mind",
    "SUBMIT_REQUIREMENT_Big": "RequestMemory > 512",
    "SUBMIT_REQUIREMENT_Big_REASON": 'strcat("Only ", RequestMemory, " MB")',
    "SUBMIT_REQUIREMENT_Mind": "RequestMemory > 1024",
    "SUBMIT_REQUIREMENT_Mind_REASON": '"Soon 1024 MB"',
    "SUBMIT_REQUIREMENT_Mind_IS_WARNING": "true",
}


def configure(pool: PersonalPool, knobs: Mapping[str, str]) -> None:
    """Gives a pool that runs knobs, whose values may have several lines."""
    pool.configure("".join(f"{name} @=end\n{value}\n@end\n" for name, value in knobs.items()))


def test_jobs_are_transformed_and_warned_about(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path, **POLICY)
    (pool.work / "job.sub").write_text(SUBMIT)
    done = pool.tool("condor_submit", "job.sub")
    assert done.stdout == "Submitting job(s)..\n2 job(s) submitted to cluster 1.\n"
    assert done.stderr == (
        "\nWARNING: Committed job submission into the queue with the following warning(s):\n"
        "WARNING: Soon 1024 MB\n"
        "To monitor your job(s), run: condor_watch_q -clusters 1\n"
    )
    assert pool.queue("Site", "Number", "Old") == [["north", "1", "undefined"], ["north", "2", "undefined"]]


SEEN = (
    "MY.TotalIdleJobs =!= undefined && MaxJobsRunning > 0 && MY.DetectedCpus > 0 && SCHEDD.CondorVersion =!= undefined"
    ' && MY.MyType == "Scheduler" && MY.StartLocalUniverse && MY.Site == "north" && MY.TotalHeldJobs == 0'
)


SEEING = {
    "SUBMIT_REQUIREMENT_NAMES": "Seen",
    "SUBMIT_REQUIREMENT_Seen": SEEN,
    "SCHEDD_ATTRS": "Site",
    "Site": '"north"',
}


def test_requirements_see_the_ad_of_the_schedd(pool: PersonalPool) -> None:
    configure(pool, SEEING)
    wait_for(lambda: pool.tool("condor_status", "-schedd", "-af", "Site").stdout == "north\n", "the ad has it")
    ad = pool.spool / "ads" / "SCHEDD.ads"
    wait_for(lambda: time.time() - ad.stat().st_mtime > 2.0, "what came with the change is published")
    pool.submit("executable = /bin/true\nhold = true\nqueue\n")
    wait_for(lambda: pool.tool("condor_status", "-schedd", "-af", "TotalHeldJobs").stdout == "1\n", "published")
    _is_refused(pool)


def test_requirements_see_the_ad_of_a_schedd_that_does_not_run(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path, **SEEING)
    pool.submit("executable = /bin/true\nhold = true\nqueue\n")
    _is_refused(pool)


def _is_refused(pool: PersonalPool) -> None:
    (pool.work / "job.sub").write_text("executable = /bin/true\nqueue\n")
    done = pool.tool("condor_submit", "job.sub", check=False)
    assert "Submit requirement Seen not met" in done.stderr


def test_local_jobs_start_where_the_whole_ad_of_the_schedd_lets_them(pool: PersonalPool) -> None:
    pool.configure("START_LOCAL_UNIVERSE = TotalLocalJobsRunning < 200 && MaxJobsRunning > 0\n")
    pool.submit("universe = local\nexecutable = /bin/true\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    assert [number for number, _ in pool.events("job.log")] == [0, 1, 5]


def test_a_refused_cluster_leaves_nothing(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path, **POLICY)
    (pool.work / "job.sub").write_text(SUBMIT.replace("600", "500"))
    done = pool.tool("condor_submit", "job.sub", check=False)
    assert done.returncode == 1
    assert done.stdout == "Submitting job(s).."
    assert done.stderr == ("\nERROR: Failed to commit job submission into the queue.\nERROR: Only 500 MB\n")
    assert pool.queue("ClusterId") == []


def test_a_value_of_two_lines_is_refused_as_a_whole(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path)
    (pool.work / "job.sub").write_text("executable = /bin/true\ndescription @=end\na\nb\n@end\nqueue\n")
    done = pool.tool("condor_submit", "job.sub", check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "\nERROR: Failed to commit job submission into the queue.\n"
        "ERROR: Received invalid attribute value '\"a\nb\"' for job 1.-1; ignoring\n"
    )
    assert pool.queue("ClusterId") == []


def test_the_submit_event_carries_the_warning(pool: PersonalPool) -> None:
    configure(pool, POLICY)
    pool.submit(SUBMIT)
    pool.wait("job.log")
    text = (pool.work / "job.log").read_text()
    assert "WARNING: Committed job submission into the queue with the following warning(s): Soon 1024 MB" in text
    wait_for(lambda: sorted(row[1] for row in pool.history("Site", "Number")) == ["1", "2"], "both are recorded")
    done = pool.tool("condor_config_val", "-dump", "JOB_TRANSFORM", check=False)
    assert "JOB_TRANSFORM_NAMES = Site" in done.stdout


def test_immutable_attributes(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path, IMMUTABLE_JOB_ATTRS="AcctGroup")
    pool.submit("executable = /bin/true\nhold = true\nqueue\n")
    done = pool.tool("condor_qedit", "1.0", "AcctGroup", '"x"', check=False)
    assert done.returncode == 1
    assert 'Update of immutable attribute "AcctGroup" is not allowed.' in done.stderr
    pool.tool("condor_qedit", "1.0", "Other", "5")
    assert pool.queue("AcctGroup", "Other") == [["undefined", "5"]]


def test_the_policy_holds_for_other_users(shared: SharedPool) -> None:
    knobs = {"SUBMIT_REQUIREMENT_NAMES": "Mind No", "PROTECTED_JOB_ATTRS": "Shared"}
    for name, expression in {"Mind": "Urgent =!= true", "No": 'Word =!= "x"'}.items():
        knobs[f"SUBMIT_REQUIREMENT_{name}"] = expression
    configure(shared, {**knobs, "SUBMIT_REQUIREMENT_Mind_IS_WARNING": "true"})
    cluster = shared.first_cluster
    for name, line in {"warned": "+Urgent = true", "refused": '+Word = "x"', "late": "max_materialize = 2"}.items():
        text = f"executable = /bin/true\nhold = true\n{line}\nqueue 5\n"
        (shared.theirs / f"{name}.sub").write_text(text)
    done = shared.as_stranger("condor_submit", "warned.sub")
    assert "WARNING: Submit requirement Mind not met.\n" in done.stderr
    done = shared.as_stranger("condor_submit", "refused.sub")
    assert "ERROR: Failed to commit job submission into the queue.\nERROR: Submit requirement No" in done.stderr
    assert done.returncode == 1
    done = shared.as_stranger("condor_submit", "late.sub")
    assert "5 job(s) submitted to cluster" in done.stdout
    wait_for(lambda: len(shared.queue("ProcId")) == 7, "two jobs of the factory")
    edited = shared.as_stranger("condor_qedit", f"{cluster}.0", "Shared", "1")
    assert 'protected attribute "Shared"' in edited.stderr
    shared.as_stranger("condor_rm", "-all")
    wait_for(lambda: not shared.queue("ProcId"), "an empty queue")


def test_a_map_of_users_assigns_accounting_groups(pool: PersonalPool) -> None:
    """use FEATURE : AssignAccountingGroup: the group that the administrator's map gives, or one of several."""
    me = getpass.getuser()
    (pool.work / "groups.map").write_text(f"* {me} physics,chemistry\n")
    pool.configure(f"use FEATURE : AssignAccountingGroup({pool.work}/groups.map)\n")
    job = "executable = /bin/sleep\narguments = 1000\nhold = true\n"
    pool.submit(f"{job}queue\n")
    pool.submit(f"{job}accounting_group = chemistry\nqueue\n")
    assert pool.queue("AccountingGroup") == [[f"physics.{me}"], [f"chemistry.{me}"]]
    (pool.work / "bad.sub").write_text(f"{job}accounting_group = biology\nqueue\n")
    done = pool.tool("condor_submit", "bad.sub", check=False)
    assert done.returncode == 1
    assert "Permission denied setting accounting_group to biology" in done.stderr
