"""A user whose first job runs is in condor_userprio at once, not with the next update of the negotiator."""

from __future__ import annotations

from pool import PersonalPool, wait_for


def test_a_new_user_is_seen_while_his_first_job_runs(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    for name in ("NEGOTIATOR_INTERVAL", "NEGOTIATOR_UPDATE_INTERVAL", "UPDATE_INTERVAL", "SCHEDD_INTERVAL"):
        pool.knob(name, "3600")
    pool.start()
    for user in ("carol", "dave"):
        cluster = pool.submit(f'executable = /bin/sleep\narguments = 600\n+AccountingGroup = "{user}"\nqueue\n')
        wait_for(lambda cluster=cluster: pool.status_of(f"{cluster}.0") == 2, "the job runs")
        wait_for(lambda user=user: f"{user}@" in pool.tool("condor_userprio").stdout, f"{user} is shown")
