"""Knobs of history, records of runs and event logs."""

from __future__ import annotations

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import DEFAULT, Config
from condor_py.lang.config.values import to_size
from condor_py.model.settings.history import (
    CycleHistorySettings,
    DaemonHistorySettings,
    HistorySettings,
    PoolHistorySettings,
    ReconnectSettings,
    RunHistorySettings,
)
from condor_py.model.settings.userlog import EventLogSettings, UserLogSettings


def history(config: Config) -> HistorySettings:
    """Settings of the history files; ConfigError names the knob."""
    rotates = config.boolean("ENABLE_HISTORY_ROTATION")
    daily, monthly = (config.boolean(f"ROTATE_HISTORY_{word}", False) for word in ("DAILY", "MONTHLY"))
    return build(
        HistorySettings,
        config,
        max_size=_bytes(config, "MAX_HISTORY_LOG") if rotates else 0,
        every=("day" if daily else "month" if monthly else "") if rotates else "",
        epoch_max_size=_bytes(config, "MAX_EPOCH_HISTORY_LOG") if rotates else 0,
    )


def pool_history(config: Config) -> PoolHistorySettings:
    """Settings of the history of slots and submitters."""
    return build(
        PoolHistorySettings,
        config,
        kept=config.boolean("KEEP_POOL_HISTORY", False),
        directory=config.path("POOL_HISTORY_DIR") or f"{config.path('LOCAL_DIR')}/ViewHist",
    )


def reconnects(config: Config) -> ReconnectSettings:
    """Settings of the records of jobs that were found again or given up."""
    path = config.path("SHADOW_RECONNECT_LOG") or f"{config.path('LOG')}/ShadowReconnectLog"
    return build(
        ReconnectSettings,
        config,
        path=path if config.boolean("SHADOW_LOG_RECONNECT", True) else "",
        max_size=_bytes(config, "SHADOW_RECONNECT_LOG_MAX", 10 * 1024 * 1024),
    )


def run_history(config: Config) -> RunHistorySettings:
    """Settings of STARTD_HISTORY, which is rotated like the schedd's."""
    common = history(config)
    return build(
        RunHistorySettings,
        config,
        directory=config.path("STARTD_PER_JOB_HISTORY_DIR"),
        max_size=common.max_size,
        rotations=common.rotations,
        every=common.every,
        environment=common.environment,
    )


def daemon_history(config: Config, subsystem: str) -> DaemonHistorySettings:
    """Settings of <SUBSYS>_DAEMON_HISTORY."""
    return build(
        DaemonHistorySettings,
        config,
        path=config.path(f"{subsystem}_DAEMON_HISTORY"),
        max_size=_bytes(config, "MAX_DAEMON_HISTORY_LOG"),
    )


def cycle_history(config: Config) -> CycleHistorySettings:
    """Settings of NEGOTIATION_HISTORY."""
    return build(
        CycleHistorySettings,
        config,
        max_size=_bytes(config, "MAX_NEGOTIATION_HISTORY_LOG"),
    )


def userlog(config: Config) -> UserLogSettings:
    """Settings of job event logs and the global one; ConfigError names the knob."""
    options = config.string("EVENT_LOG_FORMAT_OPTIONS", "LEGACY")
    if config.boolean("EVENT_LOG_USE_XML"):
        options += " XML"
    max_size = _bytes(config, _name_of_size(config))
    event_log = build(EventLogSettings, config, max_size=max_size, format_options=options)
    return build(UserLogSettings, config, event_log=event_log)


def _bytes(config: Config, name: str, default: int | None = None) -> int:
    """The bytes of a knob: an integer or an expression that evaluates to one, or a size such as ``20 Mb``."""
    size, is_time = to_size(config.string(name)) or (0, True)
    return config.integer(name, default) if is_time else size


def _name_of_size(config: Config) -> str:
    """MAX_EVENT_LOG, the older name, where only that is set."""
    older, name = "MAX_EVENT_LOG", "EVENT_LOG_MAX_SIZE"
    return older if config.source(name) == DEFAULT and config.raw(older) else name
