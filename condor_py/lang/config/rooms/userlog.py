"""Knobs of event logs."""

from __future__ import annotations

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import DEFAULT, Config
from condor_py.model.settings.userlog import EventLogSettings, UserLogSettings


def userlog(config: Config) -> UserLogSettings:
    """Settings of job event logs and the global one; ConfigError names the knob."""
    options = config.string("EVENT_LOG_FORMAT_OPTIONS", "LEGACY")
    if config.boolean("EVENT_LOG_USE_XML"):
        options += " XML"
    size = config.size(_name_of_size(config))
    event_log = build(EventLogSettings, config, max_size=0 if size[1] else size[0], format_options=options)
    return build(UserLogSettings, config, event_log=event_log)


def _name_of_size(config: Config) -> str:
    """MAX_EVENT_LOG, the older name, where only that is set."""
    older, name = "MAX_EVENT_LOG", "EVENT_LOG_MAX_SIZE"
    return older if config.source(name) == DEFAULT and config.raw(older) else name
