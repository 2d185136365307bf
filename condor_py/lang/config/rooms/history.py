"""Knobs of the history and of the records of runs."""

from __future__ import annotations

from condor_py.lang.config.settings import Config
from condor_py.model.settings.history import (
    CycleHistorySettings,
    DaemonHistorySettings,
    HistorySettings,
    ReconnectSettings,
    RunHistorySettings,
)


def history(config: Config) -> HistorySettings:
    """Settings of the history files; ConfigError names the knob."""
    rotates = config.boolean("ENABLE_HISTORY_ROTATION")
    daily, monthly = (config.boolean(f"ROTATE_HISTORY_{word}", False) for word in ("DAILY", "MONTHLY"))
    return HistorySettings(
        max_size=config.size("MAX_HISTORY_LOG")[0] if rotates else 0,
        rotations=config.integer("MAX_HISTORY_ROTATIONS"),
        every=("day" if daily else "month" if monthly else "") if rotates else "",
        environment=config.boolean("HISTORY_CONTAINS_JOB_ENVIRONMENT"),
        per_job_directory=config.path("PER_JOB_HISTORY_DIR"),
        epoch_path=config.path("JOB_EPOCH_HISTORY"),
        epoch_max_size=config.size("MAX_EPOCH_HISTORY_LOG")[0] if rotates else 0,
        epoch_rotations=config.integer("MAX_EPOCH_HISTORY_ROTATIONS"),
        epoch_directory=config.path("JOB_EPOCH_HISTORY_DIR"),
    )


def reconnects(config: Config) -> ReconnectSettings:
    """Settings of the records of jobs that were found again or given up."""
    path = config.path("SHADOW_RECONNECT_LOG") or f"{config.path('LOG')}/ShadowReconnectLog"
    return ReconnectSettings(
        path=path if config.boolean("SHADOW_LOG_RECONNECT", True) else "",
        max_size=config.size("SHADOW_RECONNECT_LOG_MAX", 10 * 1024 * 1024)[0],
        rotations=max(1, config.integer("SHADOW_RECONNECT_LOG_MAX_NUM", 4)),
        version=config.string("SHADOW_RECONNECT_TIMEOUT_VERSION"),
    )


def run_history(config: Config) -> RunHistorySettings:
    """Settings of STARTD_HISTORY, which is rotated like the schedd's."""
    common = history(config)
    return RunHistorySettings(
        path=config.path("STARTD_HISTORY"),
        directory=config.path("STARTD_PER_JOB_HISTORY_DIR"),
        max_size=common.max_size,
        rotations=common.rotations,
        every=common.every,
        environment=common.environment,
    )


def daemon_history(config: Config, subsystem: str) -> DaemonHistorySettings:
    """Settings of <SUBSYS>_DAEMON_HISTORY."""
    return DaemonHistorySettings(
        path=config.path(f"{subsystem}_DAEMON_HISTORY"),
        max_size=config.size("MAX_DAEMON_HISTORY_LOG")[0],
        rotations=max(1, config.integer("MAX_DAEMON_HISTORY_ROTATIONS")),
        interval=config.integer("SCHEDD_HISTORY_RECORD_INTERVAL"),
    )


def cycle_history(config: Config) -> CycleHistorySettings:
    """Settings of NEGOTIATION_HISTORY."""
    return CycleHistorySettings(
        path=config.path("NEGOTIATION_HISTORY"),
        max_size=config.size("MAX_NEGOTIATION_HISTORY_LOG")[0],
        rotations=config.integer("MAX_NEGOTIATION_HISTORY_ROTATIONS"),
        interval=config.integer("NEGOTIATION_HISTORY_INTERVAL"),
    )
