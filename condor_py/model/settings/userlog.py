"""Settings of job event logs and of the global event log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EventLogSettings:
    """The global event log (EVENT_LOG_...): ``path`` empty for none, sizes in bytes (``max_size`` 0: never rotated).

    ``format_options`` is the text of EVENT_LOG_FORMAT_OPTIONS; ``attributes`` go into an event 028 after every event.
    """

    path: str = ""
    max_size: int = 1_000_000
    max_rotations: int = 1
    fsync: bool = False
    count_events: bool = False
    format_options: str = ""
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UserLogSettings:
    """``format_options`` is the text of DEFAULT_USERLOG_FORMAT_OPTIONS."""

    fsync: bool = False
    format_options: str = ""
    event_log: EventLogSettings = EventLogSettings()
