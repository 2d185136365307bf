"""Settings of the history and of the records of runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """Sizes in bytes. ``max_size`` 0: never rotated by size. Empty paths: no such files.

    ``every`` is "day" or "month" where the history begins anew with each (ROTATE_HISTORY_DAILY, _MONTHLY), else empty.
    ``environment`` is HISTORY_CONTAINS_JOB_ENVIRONMENT. The epoch files have one record for every start and every end
    of a run.
    """

    max_size: int = 20 * 1024 * 1024
    rotations: int = 2
    every: str = ""
    environment: bool = True
    per_job_directory: str = ""
    epoch_path: str = ""
    epoch_max_size: int = 20 * 1024 * 1024
    epoch_rotations: int = 2
    epoch_directory: str = ""


@dataclass(frozen=True, slots=True)
class ReconnectSettings:
    """SHADOW_RECONNECT_LOG (empty: none), its size in bytes, how many old ones are kept, the mark of its records."""

    path: str = ""
    max_size: int = 10 * 1024 * 1024
    rotations: int = 4
    version: str = ""


@dataclass(frozen=True, slots=True)
class RunHistorySettings:
    """The startd's history of runs; fields as those of HistorySettings."""

    path: str = ""
    directory: str = ""
    max_size: int = 20 * 1024 * 1024
    rotations: int = 2
    every: str = ""
    environment: bool = True


@dataclass(frozen=True, slots=True)
class CycleHistorySettings:
    """NEGOTIATION_HISTORY, what is kept of negotiation cycles. Empty path: nothing is. ``interval``: seconds that one
    record tells of."""

    path: str = ""
    max_size: int = 20 * 1024 * 1024
    rotations: int = 1
    interval: int = 60


@dataclass(frozen=True, slots=True)
class DaemonHistorySettings:
    """The history of a daemon's own ads. Empty path: none is kept. ``interval``: seconds between two records."""

    path: str = ""
    max_size: int = 20 * 1024 * 1024
    rotations: int = 1
    interval: int = 900
