"""Knobs of event logs."""

from __future__ import annotations

from condor_py.lang.config.settings import DEFAULT, Config
from condor_py.model.settings.userlog import EventLogSettings, UserLogSettings


def userlog(config: Config) -> UserLogSettings:
    """Settings of job event logs and the global one; ConfigError names the knob."""
    options = config.string("EVENT_LOG_FORMAT_OPTIONS", "LEGACY")
    if config.boolean("EVENT_LOG_USE_XML"):
        options += " XML"
    size = config.size(_name_of_size(config))
    event_log = EventLogSettings(
        path=config.path("EVENT_LOG"),
        max_size=0 if size[1] else size[0],
        max_rotations=config.integer("EVENT_LOG_MAX_ROTATIONS"),
        fsync=config.boolean("EVENT_LOG_FSYNC"),
        count_events=config.boolean("EVENT_LOG_COUNT_EVENTS"),
        format_options=options,
        attributes=tuple(config.list("EVENT_LOG_JOB_AD_INFORMATION_ATTRS")),
    )
    return UserLogSettings(
        fsync=config.boolean("ENABLE_USERLOG_FSYNC"),
        format_options=config.string("DEFAULT_USERLOG_FORMAT_OPTIONS"),
        event_log=event_log,
    )


def _name_of_size(config: Config) -> str:
    """MAX_EVENT_LOG, the older name, where only that is set."""
    older, name = "MAX_EVENT_LOG", "EVENT_LOG_MAX_SIZE"
    return older if config.source(name) == DEFAULT and config.raw(older) else name
