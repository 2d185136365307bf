"""Settings of job event logs and of the global event log."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, integer, path, string, words
from condor_py.model.settings.shared import EVENT_LOGS_IN_SPOOL


class EventLogSettings(Settings, group="Files about jobs"):
    """The global event log: sizes in bytes (``max_size`` 0: never rotated). ``attributes`` go into an event 028 after
    every event."""

    path: str = path("EVENT_LOG", "", "A log of all events of all jobs.")
    max_size: int = 1_000_000  # EVENT_LOG_MAX_SIZE
    max_rotations: int = integer("EVENT_LOG_MAX_ROTATIONS", 1, "Old ones to keep.")
    fsync: bool = boolean("EVENT_LOG_FSYNC", False, "Whether every event is forced to disk.")
    count_events: bool = boolean(
        "EVENT_LOG_COUNT_EVENTS", False, "Count the events of a global event log when it is rotated."
    )
    format_options: str = ""  # EVENT_LOG_FORMAT_OPTIONS
    attributes: tuple[str, ...] = words(
        "EVENT_LOG_JOB_AD_INFORMATION_ATTRS", "", "Attributes that follow each event of it."
    )


class UserLogSettings(Settings, group="Files about jobs"):
    """The settings for writing events into the logs of users, and the global log."""

    fsync: bool = boolean("ENABLE_USERLOG_FSYNC", False, "Whether every event of a user's log is forced to disk.")
    format_options: str = string(
        "DEFAULT_USERLOG_FORMAT_OPTIONS", None, "Form of user logs: ISO_DATE, UTC, SUB_SECOND, XML, JSON."
    )
    #: Whether a job tells nothing before its files are in the spool, where its log will be.
    in_spool: bool = EVENT_LOGS_IN_SPOOL
    event_log: EventLogSettings = EventLogSettings()
