"""A pool without a negotiator: the startd offers its slots to the schedd."""

from __future__ import annotations

from pool import PersonalPool


def test_jobs_run_without_a_negotiator(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("DAEMON_LIST", "MASTER, SCHEDD, STARTD")
    pool.knob("SCHEDD_NAME", "here@$(FULL_HOSTNAME)")
    pool.knob("STARTD_DIRECT_ATTACH_SCHEDD_NAME", "$(SCHEDD_NAME)")
    pool.knob("STARTD_DIRECT_ATTACH_INTERVAL", "1")
    pool.tool("condor_master")
    pool.submit(
        "executable = /bin/sh\narguments = \"-c 'echo $(Process)'\"\noutput = o.$(Process)\nlog = job.log\nqueue 6\n"
    )
    pool.wait("job.log")
    assert sorted((pool.work / f"o.{number}").read_text() for number in range(6)) == [f"{n}\n" for n in range(6)]
