"""Settings of the schedd core. Field names are the knobs' names; times in seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScheddSettings:
    """Defaults are HTCondor's."""

    uid_domain: str = "localdomain"
    schedd_name: str = "localhost"
    schedd_address: str = "<127.0.0.1:9618>"
    claim_worklife: int = 1200
    periodic_expr_interval: int = 60
    system_periodic_hold: str = ""
    system_periodic_hold_reason: str = ""
    system_periodic_hold_subcode: str = ""
    system_periodic_release: str = ""
    system_periodic_remove: str = ""
    system_periodic_vacate: str = ""
    max_jobs_running: int = 10000
    max_jobs_per_owner: int = 100000
    max_jobs_per_submission: int = 20000
    significant_attributes: tuple[str, ...] = ()
    add_significant_attributes: tuple[str, ...] = ()
    remove_significant_attributes: tuple[str, ...] = ()
    resource_request_list_size: int = 200
    queue_super_users: tuple[str, ...] = ("root", "condor")
    queue_clean_interval: int = 28800
    max_job_queue_log_rotations: int = 1
    enable_userlog_fsync: bool = True
    job_lease_duration: int = 2400
    start_local_universe: str = "TotalLocalJobsRunning < 200"
    start_scheduler_universe: str = "TotalSchedulerJobsRunning < 500"
