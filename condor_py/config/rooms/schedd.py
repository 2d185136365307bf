"""Knobs of the schedd."""

from __future__ import annotations

from condor_py.config.rooms.daemon import daemon
from condor_py.config.settings import Config
from condor_py.model.settings.schedd import ScheddSettings


def schedd(config: Config) -> ScheddSettings:
    """Settings of the schedd core; ConfigError names the knob."""
    common = daemon(config, "SCHEDD")
    return ScheddSettings(
        uid_domain=common.uid_domain,
        schedd_name=common.schedd_name,
        schedd_address=common.address,
        claim_worklife=config.integer("CLAIM_WORKLIFE", 1200),
        periodic_expr_interval=config.integer("PERIODIC_EXPR_INTERVAL", 60),
        system_periodic_hold=config.expression("SYSTEM_PERIODIC_HOLD"),
        system_periodic_hold_reason=config.expression("SYSTEM_PERIODIC_HOLD_REASON"),
        system_periodic_hold_subcode=config.expression("SYSTEM_PERIODIC_HOLD_SUBCODE"),
        system_periodic_release=config.expression("SYSTEM_PERIODIC_RELEASE"),
        system_periodic_remove=config.expression("SYSTEM_PERIODIC_REMOVE"),
        system_periodic_vacate=config.expression("SYSTEM_PERIODIC_VACATE"),
        max_jobs_running=config.integer("MAX_JOBS_RUNNING", 10000),
        max_jobs_per_owner=config.integer("MAX_JOBS_PER_OWNER", 100000),
        max_jobs_per_submission=config.integer("MAX_JOBS_PER_SUBMISSION", 20000),
        significant_attributes=tuple(config.list("SIGNIFICANT_ATTRIBUTES")),
        add_significant_attributes=tuple(config.list("ADD_SIGNIFICANT_ATTRIBUTES")),
        remove_significant_attributes=tuple(config.list("REMOVE_SIGNIFICANT_ATTRIBUTES")),
        resource_request_list_size=config.integer("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE", 200),
        queue_super_users=tuple(config.list("QUEUE_SUPER_USERS")) or ("root", "condor"),
        queue_clean_interval=config.integer("QUEUE_CLEAN_INTERVAL", 28800),
        max_job_queue_log_rotations=config.integer("MAX_JOB_QUEUE_LOG_ROTATIONS", 1),
        start_local_universe=config.expression("START_LOCAL_UNIVERSE"),
        start_scheduler_universe=config.expression("START_SCHEDULER_UNIVERSE"),
        enable_userlog_fsync=config.boolean("ENABLE_USERLOG_FSYNC", True),
    )
