"""Settings of requests that the schedd finds from the history (``request_memory = auto``)."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, integer, real
from condor_py.model.settings.shared import (
    AUTO_REQUEST_DISK_MAX,
    JOB_DEFAULT_REQUESTDISK,
    JOB_DEFAULT_REQUESTMEMORY,
)


class AutoRequests(Settings, group="Schedd"):
    """The way in which such requests follow from what like jobs have used, and the requests until enough have ended."""

    quantile: float = real(
        "AUTO_REQUEST_QUANTILE",
        0.99,
        "Part of the like jobs that have ended that fits a request that is found from the history (auto).",
        least=0.01,
        most=1,
    )
    headroom: float = real(
        "AUTO_REQUEST_HEADROOM",
        1.2,
        "How many times what they have used a request is that is found from the history.",
        least=1,
        most=100,
    )
    jobs: int = integer(
        "AUTO_REQUEST_JOBS",
        3,
        "Like jobs that must have ended before a request is found from the history.",
        least=1,
        most=1000,
    )
    memory_max: int | None = None  # AUTO_REQUEST_MEMORY_MAX
    disk_max: int = AUTO_REQUEST_DISK_MAX
    memory_default: str = JOB_DEFAULT_REQUESTMEMORY
    disk_default: str = JOB_DEFAULT_REQUESTDISK
