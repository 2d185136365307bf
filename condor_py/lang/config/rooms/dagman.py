"""Knobs of DAGMan."""

from __future__ import annotations

from condor_py.lang.config.settings import Config
from condor_py.model.settings.dagman import DagmanSettings, LanguageSettings, ThrottleSettings

ON_EXIT_REMOVE = "(ExitSignal =?= 11 || (ExitCode =!= UNDEFINED && ExitCode >=0 && ExitCode <= 2))"
_MOST = 2**31 - 1


def dagman(config: Config) -> DagmanSettings:
    """Settings of DAGMan; ConfigError names the knob."""
    return DagmanSettings(
        language=_language(config),
        throttles=_throttles(config),
        config_file=config.path("DAGMAN_CONFIG_FILE"),
        verbosity=_number(config, "VERBOSITY", 3, 0, 7),
        default_priority=_number(config, "DEFAULT_PRIORITY", 0),
        hold_claim_time=_number(config, "HOLD_CLAIM_TIME", 20, 0, 3600),
        inherit_attrs=tuple(config.list("DAGMAN_INHERIT_ATTRS")),
        inherit_attrs_prefix=config.string("DAGMAN_INHERIT_ATTRS_PREFIX"),
        max_submit_attempts=_number(config, "MAX_SUBMIT_ATTEMPTS", 6, 1, 16),
        record_machine_attrs=tuple(config.list("DAGMAN_RECORD_MACHINE_ATTRS")),
        record_retry="retry" in [word.lower() for word in config.list("DAGMAN_NODE_RECORD_INFO")],
        submit_delay=_number(config, "SUBMIT_DELAY", 0, 0),
        user_log_scan_interval=_number(config, "USER_LOG_SCAN_INTERVAL", 5, 1),
        max_job_holds=_number(config, "MAX_JOB_HOLDS", 100, 0, 1_000_000),
        node_failure_tolerance=_number(config, "NODE_JOB_FAILURE_TOLERANCE", 0, 0),
        max_rescue_num=_number(config, "MAX_RESCUE_NUM", 100, 0, 999),
        default_node_log=config.string("DAGMAN_DEFAULT_NODE_LOG"),
        metrics_file_version=_number(config, "METRICS_FILE_VERSION", 2, 1, 2),
        pending_report_interval=_number(config, "PENDING_REPORT_INTERVAL", 600),
        check_queue_interval=_number(config, "CHECK_QUEUE_INTERVAL", 28800),
        print_job_table_interval=_number(config, "PRINT_JOB_TABLE_INTERVAL", 900, 0),
        queue_update_interval=float(_number(config, "QUEUE_UPDATE_INTERVAL", 300, 1)),
        insert_sub_file=config.path("DAGMAN_INSERT_SUB_FILE"),
        append_getenv=config.string("DAGMAN_MANAGER_JOB_APPEND_GETENV"),
        on_exit_remove=config.string("DAGMAN_ON_EXIT_REMOVE") or ON_EXIT_REMOVE,
        schedd_address_file=config.path("SCHEDD_ADDRESS_FILE"),
        schedd_daemon_ad_file=config.path("SCHEDD_DAEMON_AD_FILE"),
        **{field: config.boolean(f"DAGMAN_{knob}", default) for field, knob, default in _SWITCHES},
    )


def caps(config: Config) -> ThrottleSettings:
    """The limits above which users may not go with options or with the configuration of a DAG, which is not part of
    ``config``; no limits with DAGMAN_DISABLE_ADMIN_THROTTLE_LIMITING."""
    if config.boolean("DAGMAN_DISABLE_ADMIN_THROTTLE_LIMITING", False):
        return ThrottleSettings(0, 0, 0, 0, 0, 0)
    return _throttles(config)


def told(config: Config) -> list[str]:
    """What condor_dagman says of its settings when it starts, in HTCondor's words and order."""
    lines = []
    for knob, default in _TOLD:
        name = f"DAGMAN_{knob}"
        value: object = config.string(name)
        if isinstance(default, bool):
            value = config.boolean(name, default)
        elif isinstance(default, float):
            value = f"{config.integer(name, int(default)):.6f}"
        elif isinstance(default, int):
            value = config.integer(name, default)
        lines.append(f"{name} setting: {value}")
    for name in ("DAGMAN_NODE_RECORD_INFO", "DAGMAN_RECORD_MACHINE_ATTRS"):
        if given := config.string(name):
            lines.append(f"{name}: {given}")
    return lines


#: Knobs without their DAGMAN_, and a value of their type.
_TOLD: tuple[tuple[str, bool | int | float | str], ...] = (
    ("USE_STRICT", 1), ("VERBOSITY", 3), ("SUBMIT_DELAY", 0), ("MAX_SUBMIT_ATTEMPTS", 6),
    ("STARTUP_CYCLE_DETECT", False),
    ("USE_JOIN_NODES", True), ("REPORT_GRAPH_METRICS", False), ("MAX_SUBMITS_PER_INTERVAL", 100),
    ("USER_LOG_SCAN_INTERVAL", 5), ("QUEUE_UPDATE_INTERVAL", 300.0), ("DEFAULT_PRIORITY", 0),
    ("SUPPRESS_NOTIFICATION", False), ("RETRY_SUBMIT_FIRST", True), ("RETRY_NODE_FIRST", False),
    ("MAX_JOBS_IDLE", 1000),
    ("MAX_JOBS_SUBMITTED", 0), ("MAX_PRE_SCRIPTS", 20), ("MAX_POST_SCRIPTS", 20), ("MAX_HOLD_SCRIPTS", 20),
    ("MUNGE_NODE_NAMES", True), ("ALLOW_ANY_NODE_NAME_CHARACTERS", False), ("PROHIBIT_MULTI_JOBS", False),
    ("SUBMIT_DEPTH_FIRST", False), ("ALWAYS_RUN_POST", False), ("USE_DIRECT_SUBMIT", True),
    ("DEFAULT_APPEND_VARS", False), ("INHERIT_ATTRS_PREFIX", ""), ("INHERIT_ATTRS", ""), ("ABORT_DUPLICATES", True),
    ("REMOVE_JOB_LIST_ON_FAILURE", True), ("PENDING_REPORT_INTERVAL", 600), ("CHECK_QUEUE_INTERVAL", 28800),
    ("PRINT_JOB_TABLE_INTERVAL", 900), ("AUTO_RESCUE", True), ("MAX_RESCUE_NUM", 100),
    ("RESET_RETRIES_UPON_RESCUE", True), ("METRICS_FILE_VERSION", 2), ("DEFAULT_NODE_LOG", ""),
    ("GENERATE_SUBDAG_SUBMITS", True), ("MAX_JOB_HOLDS", 100), ("NODE_JOB_FAILURE_TOLERANCE", 0),
    ("HOLD_CLAIM_TIME", 20), ("SUPPRESS_JOB_LOGS", False), ("REMOVE_NODE_JOBS", True),
    ("PUT_FAILED_JOBS_ON_HOLD", False), ("REMOVE_JOBS_AFTER_LIMIT_CHANGE", False),
)  # fmt: skip

#: Field, knob without its DAGMAN_, default.
_SWITCHES = (
    ("startup_cycle_detect", "STARTUP_CYCLE_DETECT", False),
    ("abort_duplicates", "ABORT_DUPLICATES", True),
    ("prohibit_multi_jobs", "PROHIBIT_MULTI_JOBS", False),
    ("remove_jobs_after_limit_change", "REMOVE_JOBS_AFTER_LIMIT_CHANGE", False),
    ("retry_node_first", "RETRY_NODE_FIRST", False),
    ("retry_submit_first", "RETRY_SUBMIT_FIRST", True),
    ("submit_depth_first", "SUBMIT_DEPTH_FIRST", False),
    ("suppress_job_logs", "SUPPRESS_JOB_LOGS", False),
    ("suppress_notification", "SUPPRESS_NOTIFICATION", False),
    ("always_run_post", "ALWAYS_RUN_POST", False),
    ("put_failed_jobs_on_hold", "PUT_FAILED_JOBS_ON_HOLD", False),
    ("remove_job_list_on_failure", "REMOVE_JOB_LIST_ON_FAILURE", True),
    ("remove_node_jobs", "REMOVE_NODE_JOBS", True),
    ("auto_rescue", "AUTO_RESCUE", True),
    ("reset_retries_upon_rescue", "RESET_RETRIES_UPON_RESCUE", True),
    ("report_graph_metrics", "REPORT_GRAPH_METRICS", False),
    ("generate_subdag_submits", "GENERATE_SUBDAG_SUBMITS", True),
    ("disable_port", "DISABLE_PORT", False),
    ("write_partial_rescue", "WRITE_PARTIAL_RESCUE", True),
)


def _number(config: Config, knob: str, default: int, least: int = -_MOST - 1, most: int = _MOST) -> int:
    """A number of DAGMan, brought between its limits."""
    return min(max(config.integer(f"DAGMAN_{knob}", default), least), most)


def _language(config: Config) -> LanguageSettings:
    return LanguageSettings(
        strict=_number(config, "USE_STRICT", 1, 0, 3),
        munge_names=config.boolean("DAGMAN_MUNGE_NODE_NAMES"),
        any_characters=config.boolean("DAGMAN_ALLOW_ANY_NODE_NAME_CHARACTERS"),
        use_join_nodes=config.boolean("DAGMAN_USE_JOIN_NODES"),
        append_vars=config.boolean("DAGMAN_DEFAULT_APPEND_VARS"),
    )


def _throttles(config: Config) -> ThrottleSettings:
    return ThrottleSettings(
        max_idle=_number(config, "MAX_JOBS_IDLE", 1000, 0),
        max_jobs=_number(config, "MAX_JOBS_SUBMITTED", 0, 0),
        max_pre=_number(config, "MAX_PRE_SCRIPTS", 20, 0),
        max_post=_number(config, "MAX_POST_SCRIPTS", 20, 0),
        max_hold=_number(config, "MAX_HOLD_SCRIPTS", 20, 0),
        max_submits_per_interval=_number(config, "MAX_SUBMITS_PER_INTERVAL", 100, 1),
    )
