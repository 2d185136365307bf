"""The schedd's policy at submit: transforms, requirements, warnings; with and without a running schedd."""

from __future__ import annotations

import getpass
import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for

SUBMIT = "executable = /bin/true\nlog = job.log\nrequest_memory = 600\n+Old = 1\nqueue 2\n"


def policy_pool(directory: Path, **knobs: str) -> PersonalPool:
    return PersonalPool(
        directory,
        JOB_TRANSFORM_NAMES="Site",
        JOB_TRANSFORM_Site='SET Site "$(where)"\nEVALSET Number ProcId + 1\nDELETE Old',
        where="north",
        SUBMIT_REQUIREMENT_NAMES="Big Mind",
        SUBMIT_REQUIREMENT_Big="RequestMemory > 512",
        SUBMIT_REQUIREMENT_Big_REASON='strcat("Only ", RequestMemory, " MB")',
        SUBMIT_REQUIREMENT_Mind="RequestMemory > 1024",
        SUBMIT_REQUIREMENT_Mind_REASON='"Soon 1024 MB"',
        SUBMIT_REQUIREMENT_Mind_IS_WARNING="true",
        **knobs,
    )


def test_jobs_are_transformed_and_warned_about(tmp_path: Path) -> None:
    pool = policy_pool(tmp_path)
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


@pytest.mark.parametrize("runs", [True, False])
def test_requirements_see_the_ad_of_the_schedd(tmp_path: Path, runs: bool) -> None:
    pool = PersonalPool(
        tmp_path, SUBMIT_REQUIREMENT_NAMES="Seen", SUBMIT_REQUIREMENT_Seen=SEEN, SCHEDD_ATTRS="Site", Site='"north"'
    )
    if runs:
        pool.start()
    try:
        if runs:
            ad = pool.spool / "ads" / "SCHEDD.ads"
            wait_for(lambda: time.time() - ad.stat().st_mtime > 2.0, "what came with the start is published")
        pool.submit("executable = /bin/true\nhold = true\nqueue\n")
        if runs:
            wait_for(lambda: pool.tool("condor_status", "-schedd", "-af", "TotalHeldJobs").stdout == "1\n", "published")
        (pool.work / "job.sub").write_text("executable = /bin/true\nqueue\n")
        done = pool.tool("condor_submit", "job.sub", check=False)
        assert "Submit requirement Seen not met" in done.stderr
    finally:
        if runs:
            pool.stop()


def test_local_jobs_start_where_the_whole_ad_of_the_schedd_lets_them(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path, START_LOCAL_UNIVERSE="TotalLocalJobsRunning < 200 && MaxJobsRunning > 0")
    pool.start()
    try:
        pool.submit("universe = local\nexecutable = /bin/true\nlog = job.log\nqueue\n")
        pool.wait("job.log")
        assert [number for number, _ in pool.events("job.log")] == [0, 1, 5]
    finally:
        pool.stop()


def test_a_refused_cluster_leaves_nothing(tmp_path: Path) -> None:
    pool = policy_pool(tmp_path)
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


def test_the_submit_event_carries_the_warning(tmp_path: Path) -> None:
    pool = policy_pool(tmp_path)
    pool.start()
    try:
        pool.submit(SUBMIT)
        pool.wait("job.log")
        text = (pool.work / "job.log").read_text()
        assert "WARNING: Committed job submission into the queue with the following warning(s): Soon 1024 MB" in text
        wait_for(lambda: sorted(row[1] for row in pool.history("Site", "Number")) == ["1", "2"], "both are recorded")
        done = pool.tool("condor_config_val", "-dump", "JOB_TRANSFORM", check=False)
        assert "JOB_TRANSFORM_NAMES = Site" in done.stdout
    finally:
        pool.stop()


def test_immutable_attributes(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path, IMMUTABLE_JOB_ATTRS="AcctGroup")
    pool.submit("executable = /bin/true\nhold = true\nqueue\n")
    done = pool.tool("condor_qedit", "1.0", "AcctGroup", '"x"', check=False)
    assert done.returncode == 1
    assert 'Update of immutable attribute "AcctGroup" is not allowed.' in done.stderr
    pool.tool("condor_qedit", "1.0", "Other", "5")
    assert pool.queue("AcctGroup", "Other") == [["undefined", "5"]]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be somebody else")
def test_the_policy_holds_for_other_users() -> None:
    from shared_pool import SharedPool, usable_python

    usable_python()
    top = Path(tempfile.mkdtemp(prefix="condor_py-policy-"))
    top.chmod(0o755)  # everybody may reach it, which is not so for the directories of pytest
    knobs = {"SUBMIT_REQUIREMENT_NAMES": "Mind No", "PROTECTED_JOB_ATTRS": "Shared"}
    for name, expression in {"Mind": "Urgent =!= true", "No": 'Word =!= "x"'}.items():
        knobs[f"SUBMIT_REQUIREMENT_{name}"] = expression
    pool = SharedPool(top / "pool", cpus=2, SUBMIT_REQUIREMENT_Mind_IS_WARNING="true", **knobs)
    pool.start()
    try:
        for name, line in {"warned": "+Urgent = true", "refused": '+Word = "x"', "late": "max_materialize = 2"}.items():
            text = f"executable = /bin/true\nhold = true\n{line}\nqueue 5\n"
            (pool.theirs / f"{name}.sub").write_text(text)
        done = pool.as_stranger("condor_submit", "warned.sub")
        assert "WARNING: Submit requirement Mind not met.\n" in done.stderr
        done = pool.as_stranger("condor_submit", "refused.sub")
        assert "ERROR: Failed to commit job submission into the queue.\nERROR: Submit requirement No" in done.stderr
        assert done.returncode == 1
        done = pool.as_stranger("condor_submit", "late.sub")
        assert "5 job(s) submitted to cluster" in done.stdout
        wait_for(lambda: len(pool.queue("ProcId")) == 7, "two jobs of the factory")
        assert 'protected attribute "Shared"' in pool.as_stranger("condor_qedit", "1.0", "Shared", "1").stderr
        pool.as_stranger("condor_rm", "-all")
        wait_for(lambda: not pool.queue("ProcId"), "an empty queue")
    finally:
        pool.stop()
        shutil.rmtree(top)


def test_a_map_of_users_assigns_accounting_groups(stopped_pool: PersonalPool) -> None:
    """use FEATURE : AssignAccountingGroup: the group that the administrator's map gives, or one of several."""
    pool = stopped_pool
    me = getpass.getuser()
    (pool.directory / "groups.map").write_text(f"* {me} physics,chemistry\n")
    (pool.directory / "cc").write_text(
        f"LOCAL_DIR = {pool.directory}/local\nuse FEATURE : AssignAccountingGroup({pool.directory}/groups.map)\n"
    )
    pool.environment["CONDOR_CONFIG"] = str(pool.directory / "cc")
    pool.start()
    job = "executable = /bin/sleep\narguments = 1000\nhold = true\n"
    pool.submit(f"{job}queue\n")
    pool.submit(f"{job}accounting_group = chemistry\nqueue\n")
    assert pool.queue("AccountingGroup") == [[f"physics.{me}"], [f"chemistry.{me}"]]
    (pool.work / "bad.sub").write_text(f"{job}accounting_group = biology\nqueue\n")
    done = pool.tool("condor_submit", "bad.sub", check=False)
    assert done.returncode == 1
    assert "Permission denied setting accounting_group to biology" in done.stderr
