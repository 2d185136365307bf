"""Knobs of DAGMan."""

from __future__ import annotations

from condor_py.lang.config.build import build, read
from condor_py.lang.config.settings import Config
from condor_py.model.settings.dagman import NO_LIMITS, DagmanSettings, LanguageSettings, ThrottleSettings

ON_EXIT_REMOVE = "(ExitSignal =?= 11 || (ExitCode =!= UNDEFINED && ExitCode >=0 && ExitCode <= 2))"


def dagman(config: Config) -> DagmanSettings:
    """Settings of DAGMan; ConfigError names the knob."""
    return build(
        DagmanSettings,
        config,
        language=build(LanguageSettings, config),
        throttles=build(ThrottleSettings, config),
        record_retry="retry" in [word.lower() for word in config.list("DAGMAN_NODE_RECORD_INFO")],
    )


def caps(config: Config) -> ThrottleSettings:
    """The limits above which users may not go with options or with the configuration of a DAG, which is not part of
    ``config``; no limits with DAGMAN_DISABLE_ADMIN_THROTTLE_LIMITING."""
    if config.boolean("DAGMAN_DISABLE_ADMIN_THROTTLE_LIMITING", False):
        return NO_LIMITS
    return build(ThrottleSettings, config)


def told(config: Config) -> list[str]:
    """Return what condor_dagman says of its settings when it starts, in HTCondor's words and order."""
    lines = []
    knobs = {knob.name: knob for kind in (DagmanSettings, LanguageSettings, ThrottleSettings) for knob in kind.knobs()}
    for word in _LOGGED.split():
        name = f"DAGMAN_{word}"
        knob = knobs.get(name)
        value = config.string(name) if knob is None or knob.form == "list" else read(config, knob)
        lines.append(f"{name} setting: {value:.6f}" if word == "QUEUE_UPDATE_INTERVAL" else f"{name} setting: {value}")
    for name in ("DAGMAN_NODE_RECORD_INFO", "DAGMAN_RECORD_MACHINE_ATTRS"):
        if given := config.string(name):
            lines.append(f"{name}: {given}")
    return lines


#: Knobs without their DAGMAN_.
_LOGGED = """
    USE_STRICT VERBOSITY SUBMIT_DELAY MAX_SUBMIT_ATTEMPTS STARTUP_CYCLE_DETECT USE_JOIN_NODES
    REPORT_GRAPH_METRICS MAX_SUBMITS_PER_INTERVAL USER_LOG_SCAN_INTERVAL QUEUE_UPDATE_INTERVAL
    DEFAULT_PRIORITY SUPPRESS_NOTIFICATION RETRY_SUBMIT_FIRST RETRY_NODE_FIRST MAX_JOBS_IDLE
    MAX_JOBS_SUBMITTED MAX_PRE_SCRIPTS MAX_POST_SCRIPTS MAX_HOLD_SCRIPTS MUNGE_NODE_NAMES
    ALLOW_ANY_NODE_NAME_CHARACTERS PROHIBIT_MULTI_JOBS SUBMIT_DEPTH_FIRST ALWAYS_RUN_POST USE_DIRECT_SUBMIT
    DEFAULT_APPEND_VARS INHERIT_ATTRS_PREFIX INHERIT_ATTRS ABORT_DUPLICATES REMOVE_JOB_LIST_ON_FAILURE
    PENDING_REPORT_INTERVAL CHECK_QUEUE_INTERVAL PRINT_JOB_TABLE_INTERVAL AUTO_RESCUE MAX_RESCUE_NUM
    RESET_RETRIES_UPON_RESCUE METRICS_FILE_VERSION DEFAULT_NODE_LOG GENERATE_SUBDAG_SUBMITS MAX_JOB_HOLDS
    NODE_JOB_FAILURE_TOLERANCE HOLD_CLAIM_TIME SUPPRESS_JOB_LOGS REMOVE_NODE_JOBS PUT_FAILED_JOBS_ON_HOLD
    REMOVE_JOBS_AFTER_LIMIT_CHANGE
"""
