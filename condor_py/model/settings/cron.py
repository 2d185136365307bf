"""Settings of the programs that a daemon runs for attributes of its ads (STARTD_CRON, SCHEDD_CRON, BENCHMARKS)."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class CronMode(Enum):
    """The rule for the next run of a program: every period, a period after its exit, never again, or when asked."""

    PERIODIC = "Periodic"
    WAIT_FOR_EXIT = "WaitForExit"
    ONE_SHOT = "OneShot"
    ON_DEMAND = "OnDemand"


class CronJobSettings(NamedTuple):
    """One program of the list. ``period`` in seconds; ``slots`` are slot numbers, () for all; ``arguments`` and
    ``environment`` are the raw texts; ``condition`` is an expression about the daemon's ad, "" for none. With
    ``metrics``, which are (SUM or PEAK, resource), it is a monitor of devices."""

    name: str
    executable: str
    mode: CronMode = CronMode.PERIODIC
    period: int = 0
    prefix: str = ""
    arguments: str = ""
    environment: str = ""
    directory: str = ""
    kill: bool = False
    reconfig: bool = False
    reconfig_rerun: bool = False
    load: float = 0.01
    condition: str = ""
    metrics: tuple[tuple[str, str], ...] = ()
    slots: tuple[int, ...] = ()


class CronSettings(NamedTuple):
    """All programs of one list. ``name`` is the knobs' prefix; ``problems`` are lines about programs that were left
    out; ``autopublish`` is NEVER, ALWAYS or IF_CHANGED."""

    name: str
    jobs: tuple[CronJobSettings, ...]
    max_load: float
    autopublish: str = "NEVER"
    log_non_zero_exit: bool = False
    config_val: str = ""
    problems: tuple[str, ...] = ()
