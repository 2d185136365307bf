"""Settings that every daemon needs."""

from __future__ import annotations


class LogSettings:
    """One daemon's log: path, bytes or seconds before rotation (0 never), old files kept.

    ``time_format`` is for strftime, "" for seconds since 1970; ``milliseconds`` and ``pid`` add these to each line.
    ``truncate`` empties the file when it is opened; ``syslog`` writes there and not into the file.
    """

    __slots__ = (
        "categories",
        "keep",
        "max_age",
        "max_bytes",
        "milliseconds",
        "path",
        "pid",
        "syslog",
        "tells_category",
        "time_format",
        "truncate",
    )

    def __init__(
        self,
        path: str,
        max_bytes: int = 10_485_760,
        keep: int = 1,
        max_age: int = 0,
        time_format: str = "%m/%d/%y %H:%M:%S",
        milliseconds: bool = False,
        pid: bool = False,
        truncate: bool = False,
        syslog: bool = False,
        categories: frozenset[str] = frozenset(),
        tells_category: bool = False,
    ) -> None:
        self.path = path
        self.max_bytes = max_bytes
        self.keep = keep
        self.max_age = max_age
        self.time_format = time_format
        self.milliseconds = milliseconds
        self.pid = pid
        self.truncate = truncate
        self.syslog = syslog
        #: Categories besides D_ALWAYS that are written (D_TEST), and whether each line tells its own (D_CATEGORY).
        self.categories = categories
        self.tells_category = tells_category


class Names:
    """The names of the pool, its daemons and its machine, and the number of the first cluster of a new queue: all that
    tools need of a daemon's settings. ``address`` is the sinful string under which the pool is known."""

    __slots__ = (
        "address", "file_system_domain", "first_cluster", "host", "master_name", "schedd_name", "startd_name",
        "uid_domain",
    )  # fmt: skip

    def __init__(
        self,
        host: str,
        uid_domain: str,
        file_system_domain: str,
        schedd_name: str,
        startd_name: str,
        master_name: str,
        address: str,
        first_cluster: int = 1,
    ) -> None:
        self.host = host
        self.uid_domain = uid_domain
        self.file_system_domain = file_system_domain
        self.schedd_name = schedd_name
        self.startd_name = startd_name
        self.master_name = master_name
        self.address = address
        self.first_cluster = first_cluster


class DaemonSettings(Names):
    """Times in seconds.

    ``attributes`` (<SUBSYS>_ATTRS) are names and expressions for the daemon's own ad, on which ``shutdown_when`` and
    ``shutdown_fast_when`` (DAEMON_SHUTDOWN, DAEMON_SHUTDOWN_FAST) are judged; ``ad_file`` (<SUBSYS>_DAEMON_AD_FILE) is
    where it is written to, "" for nowhere. ``is_public`` is PERSONAL_POOL_IS_PUBLIC: other accounts may look at a pool
    that root did not start.
    """

    __slots__ = (
        "ad_file", "attributes", "detected_cpus", "detected_memory", "is_public", "log", "platform",
        "shutdown_fast_when", "shutdown_when", "update_interval",
    )  # fmt: skip

    def __init__(
        self,
        *,
        host: str,
        uid_domain: str,
        file_system_domain: str,
        schedd_name: str,
        startd_name: str,
        master_name: str,
        address: str,
        log: LogSettings,
        platform: str = "",
        update_interval: int = 300,
        detected_cpus: int = 0,
        detected_memory: int = 0,
        attributes: tuple[tuple[str, str], ...] = (),
        shutdown_when: str = "",
        shutdown_fast_when: str = "",
        ad_file: str = "",
        is_public: bool = False,
        first_cluster: int = 1,
    ) -> None:
        super().__init__(
            host, uid_domain, file_system_domain, schedd_name, startd_name, master_name, address, first_cluster
        )
        self.log = log
        self.platform = platform
        self.update_interval = update_interval
        self.detected_cpus = detected_cpus
        self.detected_memory = detected_memory
        self.attributes = attributes
        self.shutdown_when = shutdown_when
        self.shutdown_fast_when = shutdown_fast_when
        self.ad_file = ad_file
        self.is_public = is_public
