"""Knobs of the schedd."""

from __future__ import annotations

import re

from condor_py.lang.config.rooms.daemon import daemon
from condor_py.lang.config.rooms.statistics import schedd_statistics
from condor_py.lang.config.rooms.submit import edit_rules
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.schedd import PolicyRule, Rounding, ScheddSettings, SystemPolicy


def schedd(config: Config) -> ScheddSettings:
    """Settings of the schedd core; ConfigError names the knob."""
    common = daemon(config, "SCHEDD")
    return ScheddSettings(
        uid_domain=common.uid_domain,
        schedd_name=common.schedd_name,
        schedd_address=common.address,
        direct_attach_interval=_direct_attach_interval(config, common.schedd_name),
        direct_attach_submitter=config.string("STARTD_DIRECT_ATTACH_SCHEDD_SUBMITTER"),
        claim_worklife=config.integer("CLAIM_WORKLIFE"),
        remote_usage_weight=config.real("REMOTE_USAGE_WEIGHT"),
        periodic_expr_interval=config.integer("PERIODIC_EXPR_INTERVAL"),
        system_periodic=_system_policy(config),
        spawn_attributes=_spawn_attributes(config),
        transfer_attributes=(
            ("INPUT", _transfer_attributes(config, "INPUT_JOB_ATTRS")),
            ("OUTPUT", _transfer_attributes(config, "OUTPUT_JOB_ATTRS")),
            ("CHECKPOINT", _transfer_attributes(config, "CHECKPOINT_JOB_ATTRS")),
        ),
        max_jobs_running=config.integer("MAX_JOBS_RUNNING"),
        max_uploads=config.integer("MAX_CONCURRENT_UPLOADS"),
        max_downloads=config.integer("MAX_CONCURRENT_DOWNLOADS"),
        transfer_user=config.expression("TRANSFER_QUEUE_USER_EXPR"),
        accounting_domain=config.string("ACCOUNTING_DOMAIN"),
        max_jobs_submitted=config.integer("MAX_JOBS_SUBMITTED"),
        max_jobs_per_owner=config.integer("MAX_JOBS_PER_OWNER"),
        max_jobs_per_submission=config.integer("MAX_JOBS_PER_SUBMISSION"),
        significant_attributes=tuple(config.list("SIGNIFICANT_ATTRIBUTES")),
        claim_recycling_consider_limits=config.boolean("CLAIM_RECYCLING_CONSIDER_LIMITS"),
        add_significant_attributes=tuple(config.list("ADD_SIGNIFICANT_ATTRIBUTES")),
        remove_significant_attributes=tuple(config.list("REMOVE_SIGNIFICANT_ATTRIBUTES")),
        remove_significant_pattern=_pattern(config, "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX"),
        queue_super_users=tuple(config.list("QUEUE_SUPER_USERS")) or ("root", "condor"),
        enable_ssh_to_job=config.expression("SCHEDD_ENABLE_SSH_TO_JOB") or "true",
        queue_clean_interval=config.integer("QUEUE_CLEAN_INTERVAL"),
        max_job_queue_log_rotations=config.integer("MAX_JOB_QUEUE_LOG_ROTATIONS"),
        start_local_universe=config.expression("START_LOCAL_UNIVERSE"),
        start_scheduler_universe=config.expression("START_SCHEDULER_UNIVERSE"),
        scheduler_cool_down=config.integer("SCHEDULER_UNIVERSE_COOL_DOWN_DURATION"),
        max_running_scheduler_jobs_per_owner=config.integer("MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER"),
        job_start_count=max(1, config.integer("JOB_START_COUNT")),
        job_start_delay=config.integer("JOB_START_DELAY"),
        max_next_job_start_delay=config.integer("MAX_NEXT_JOB_START_DELAY", 600),
        gracefully_remove_jobs=config.boolean("GRACEFULLY_REMOVE_JOBS"),
        rounding=Rounding(
            resident=config.string("SCHEDD_ROUND_ATTR_ResidentSetSize", "25%"),
            image=config.string("SCHEDD_ROUND_ATTR_ImageSize", "25%"),
            disk=config.string("SCHEDD_ROUND_ATTR_DiskUsage", "25%"),
        ),
        job_machine_attrs=tuple(config.list("SYSTEM_JOB_MACHINE_ATTRS")),
        job_machine_attrs_history_length=config.integer("SYSTEM_JOB_MACHINE_ATTRS_HISTORY_LENGTH"),
        email_domain=config.string("EMAIL_DOMAIN"),
        forbid_common_files=config.boolean("FORBID_COMMON_FILE_TRANSFER"),
        keep_data_claim_idle=config.integer("KEEP_DATA_CLAIM_IDLE"),
        job_lease_duration=config.expression("JOB_DEFAULT_LEASE_DURATION"),
        statistics=schedd_statistics(config),
        preempted_pause=config.integer("NEGOTIATOR_CYCLE_DELAY"),
        on_vacate_cool_down=config.expression("SYSTEM_ON_VACATE_COOL_DOWN"),
        edit_rules=edit_rules(config),
    )


def _system_policy(config: Config) -> SystemPolicy:
    return SystemPolicy(
        hold=_rules(config, "SYSTEM_PERIODIC_HOLD"),
        release=_rules(config, "SYSTEM_PERIODIC_RELEASE"),
        remove=_rules(config, "SYSTEM_PERIODIC_REMOVE"),
        vacate=_rules(config, "SYSTEM_PERIODIC_VACATE"),
        max_releases=config.integer("SYSTEM_MAX_RELEASES"),
    )


def _rules(config: Config, base: str) -> tuple[PolicyRule, ...]:
    """The expressions of ``base``_NAMES, then ``base`` itself; reasons and subcodes by name, too."""
    rules = []
    for knob in (*(f"{base}_{name}" for name in config.list(f"{base}_NAMES") if name.upper() != "NAMES"), base):
        expression = config.expression(knob)
        if expression and expression.strip().lower() not in ("false", "0"):
            reason, subcode = config.expression(f"{knob}_REASON"), config.expression(f"{knob}_SUBCODE")
            rules.append(PolicyRule(base, expression, reason, subcode))
    return tuple(rules)


def _spawn_attributes(config: Config) -> tuple[str, ...]:
    names = tuple(config.list("SPAWN_JOB_ATTRS"))
    return ("all",) if [name.lower() for name in names] == ["all"] else names


def _transfer_attributes(config: Config, own: str) -> tuple[str, ...]:
    """An empty list of one kind counts; only where there is none at all, the common one does."""
    given = any(macro.name.upper() == own for macro in config.macros)
    return tuple(config.list(own if given else "TRANSFER_JOB_ATTRS"))


def _direct_attach_interval(config: Config, own: str) -> int:
    """0 unless the startd is to offer its slots to the schedd of this name."""
    wanted = config.string("STARTD_DIRECT_ATTACH_SCHEDD_NAME").lower()
    if not wanted or wanted not in (own.lower(), own.lower().partition("@")[0]):
        return 0
    return max(1, config.integer("STARTD_DIRECT_ATTACH_INTERVAL"))


def _pattern(config: Config, name: str) -> str:
    """The text of a regular expression; ConfigError for one that cannot be read."""
    text = config.string(name)
    try:
        re.compile(text)
    except re.error as error:
        raise ConfigError(f"{name} is not a regular expression: {error} in {text}", name) from None
    return text
