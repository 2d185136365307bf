"""condor_defrag drains the machine of a pool, and lets it continue when it is whole."""

from __future__ import annotations

from pool import PersonalPool, wait_for


def test_the_machine_is_emptied_for_a_whole_one(pool: PersonalPool) -> None:
    pool.configure(
        "DAEMON_LIST = MASTER, COLLECTOR, SCHEDD, NEGOTIATOR, STARTD, DEFRAG\nDEFRAG_INTERVAL = 1\n"
        "DEFRAG_DRAINING_MACHINES_PER_HOUR = 3600\nDEFRAG_DRAINING_SCHEDULE = fast\n"
        "DEFRAG_REQUIREMENTS = NumDynamicSlots > 0\n"
    )
    log = pool.written("DefragLog")
    cluster = pool.submit(
        "executable = /bin/sleep\narguments = 600\nlog = job.log\nrequirements = NumJobStarts < 1\nqueue\n"
    )
    wait_for(lambda: (4, f"{cluster}.0") in pool.events("job.log"), "the job is evicted")
    assert "Initiating fast draining of slot1@" in log()

    def successes() -> int:
        shown = pool.tool("condor_status", "-defrag", "-af", "DrainSuccesses", "MyType").stdout.split()
        return int(shown[0]) if shown[1:] == ["Defrag"] else 0

    wait_for(lambda: successes() > 0, "the daemon's ad tells it")
    wait_for(
        lambda: pool.tool("condor_status", "-af", "Cpus", "State").stdout.split() == ["4", "Unclaimed"],
        "the machine is whole again",
    )
