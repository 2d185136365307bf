"""Settings that every daemon needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogSettings:
    """One daemon's log: path, bytes or seconds before rotation (0 never), old files kept.

    ``time_format`` is for strftime, "" for seconds since 1970; ``milliseconds`` and ``pid`` add these to each line.
    ``truncate`` begins the file anew when it is opened; ``syslog`` writes there and not into the file.
    """

    path: str
    max_bytes: int = 10_485_760
    keep: int = 1
    max_age: int = 0
    time_format: str = "%m/%d/%y %H:%M:%S"
    milliseconds: bool = False
    pid: bool = False
    truncate: bool = False
    syslog: bool = False
    #: Categories besides D_ALWAYS that are written (D_TEST), and whether each line tells its own (D_CATEGORY).
    categories: frozenset[str] = frozenset()
    tells_category: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """What the pool, its daemons and its machine are called: all that tools want of a daemon's settings. ``address`` is
    the sinful string under which the pool is known."""

    host: str
    uid_domain: str
    file_system_domain: str
    schedd_name: str
    startd_name: str
    master_name: str
    address: str


@dataclass(frozen=True, slots=True)
class DaemonSettings(Names):
    """Times in seconds.

    ``attributes`` (<SUBSYS>_ATTRS) are names and expressions for the daemon's own ad, on which ``shutdown_when`` and
    ``shutdown_fast_when`` (DAEMON_SHUTDOWN, DAEMON_SHUTDOWN_FAST) are judged; ``ad_file`` (<SUBSYS>_DAEMON_AD_FILE) is
    where it is written to, "" for nowhere.
    """

    log: LogSettings
    platform: str = ""
    update_interval: int = 300
    detected_cpus: int = 0
    detected_memory: int = 0
    attributes: tuple[tuple[str, str], ...] = ()
    shutdown_when: str = ""
    shutdown_fast_when: str = ""
    ad_file: str = ""
    #: PERSONAL_POOL_IS_PUBLIC: other accounts may look at a pool that root did not start.
    is_public: bool = False
