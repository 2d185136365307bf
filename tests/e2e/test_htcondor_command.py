"""htcondor NOUN VERB on a pool: one job, a set of jobs, and the state of the daemons."""

from __future__ import annotations

import re

from pool import PersonalPool, wait_for

JOB = """executable = job.sh
arguments = hello
output = job.out
error = job.err
log = job.log
queue
"""
SET = """name = Trips
iterator = table A,B {
    wisconsin,iowa
    iowa,illinois
}
job {
    executable = /bin/sleep
    arguments = 600
    hold = true
}
job C=B {
    executable = /bin/echo
    arguments = $(A) to $(C)
    output = trip.$(Process)
}
"""


def test_one_job_from_its_submit_to_its_output(pool: PersonalPool) -> None:
    cluster, job, script = pool.first_cluster, f"{pool.first_cluster}.0", pool.work / "job.sh"
    script.write_text(f"#!/bin/sh\necho $1\necho oops >&2\nuntil [ -e {pool.work}/gate ]; do sleep 0.05; done\n")
    script.chmod(0o755)
    (pool.work / "job.sub").write_text(JOB)
    assert pool.tool("htcondor", "job", "submit", "job.sub").stderr == f"Job {cluster} was submitted.\n"
    wait_for(lambda: pool.status_of(job) == 2, "it runs")
    said = pool.tool("htcondor", "job", "status", job).stderr
    assert said.startswith(f"Job {job} is currently running.\nIt started running ")
    assert pool.tool("htcondor", "job", "resources", str(cluster)).stderr.startswith("Job is using resource slot1_1@")
    assert pool.queue("JobSubmitMethod") == [["3"]]

    def claim() -> list[str]:
        return pool.tool("htcondor", "ap", "claims").stderr.splitlines()[1].split()[1:3]

    wait_for(lambda: claim() == ["Busy", "Negotiator"], "the slot shows its claim at work")
    (pool.work / "gate").touch()
    wait_for(lambda: not pool.queue("ClusterId"), "it is done")
    said = pool.tool("htcondor", "job", "status", str(cluster)).stderr
    assert f"Job {cluster} was not found in the active queue, checking history..." in said
    assert f"Job {cluster} has completed." in said
    assert pool.tool("htcondor", "-q", "job", "out", job).stdout == "hello\n"
    assert pool.tool("htcondor", "-q", "job", "err", job).stdout == "oops\n"
    assert "Job terminated" in pool.tool("htcondor", "-q", "job", "log", job).stdout
    gone = pool.tool("htcondor", "job", "status", "--skip-history", job, check=False)
    assert (gone.returncode, gone.stderr.splitlines()[-1]) == (1, f"No job found for ID {job}.")


def test_a_set_of_jobs_and_the_daemons(pool: PersonalPool) -> None:
    first = pool.first_cluster
    (pool.work / "trips.set").write_text(SET)
    refused = pool.tool("htcondor", "jobset", "submit", "trips.set", check=False)
    assert (refused.returncode, "USE_JOBSETS is false" in refused.stderr) == (1, True)
    pool.knob("USE_JOBSETS", "true")
    assert pool.tool("htcondor", "jobset", "list").stderr == "No active job sets found.\n"
    said = pool.tool("htcondor", "jobset", "submit", "trips.set").stderr
    assert said == "Submitted job set Trips containing 2 job clusters.\n"
    assert pool.tool("htcondor", "jobset", "list").stdout == "JOB_SET_NAME\nTrips\n"
    wait_for(lambda: len(pool.history("ClusterId")) == 2, "the second cluster has run")
    wait_for(lambda: pool.queue("ClusterId") == [[str(first)]] * 2, "and has left the queue")
    assert (pool.work / "trip.1").read_text() == "iowa to illinois\n"
    status = pool.tool("htcondor", "jobset", "status", "Trips").stderr
    assert "Trips currently has 0 jobs idle, 0 jobs running, 2 jobs held, and 2 jobs completed." in status
    assert f"\tJob cluster {first + 1} with 2 total jobs\n" in status
    rows = pool.tool("condor_q", "-jobset", "-af", "JobSetId", "JobSetName", "NumHeld").stdout
    assert re.fullmatch(r"\d+ Trips 2\n", rows)
    removed = pool.tool("htcondor", "jobset", "remove", "Trips").stderr.splitlines()[0]
    assert removed.startswith("Removed 2 jobs matching job set Trips for user ")
    wait_for(lambda: not pool.queue("ClusterId"), "the set is gone")
    assert pool.tool("htcondor", "jobset", "list").stdout == ""
    wait_for(lambda: "UNKNOWN" not in pool.tool("htcondor", "server", "status").stderr, "all daemons have told")
    rows = pool.tool("htcondor", "server", "status").stderr.splitlines()
    daemons = {row.split()[0]: row.split()[2] for row in rows[1:] if row and not row.startswith("Overall")}
    assert daemons == dict.fromkeys(pool.tool("condor_config_val", "DAEMON_LIST").stdout.upper().split(), "Alive")
    assert any(row.startswith("Overall HTCondor Health: ") for row in rows)
    assert pool.tool("htcondor", "cm", "status").stderr.split()[:3] == ["Central", "Manager", "Health"]
    assert (
        "Failed to locate specified Access Point(s)" in pool.tool("htcondor", "ap", "status", "x", check=False).stderr
    )
