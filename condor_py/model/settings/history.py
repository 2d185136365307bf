"""Settings of the history and of the records of runs."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, integer, path, string


class HistorySettings(Settings, group="Files about jobs"):
    """Sizes in bytes. ``max_size`` 0: never rotated by size. Empty paths: no such files.

    ``every`` is "day" or "month" where a new history begins with each (ROTATE_HISTORY_DAILY, _MONTHLY), else empty.
    ``environment`` is HISTORY_CONTAINS_JOB_ENVIRONMENT. The epoch files have one record for every start and every end
    of a run.
    """

    max_size: int = 20 * 1024 * 1024
    rotations: int = integer("MAX_HISTORY_ROTATIONS", 2, "Old history files to keep.", least=1)
    every: str = ""
    environment: bool = boolean(
        "HISTORY_CONTAINS_JOB_ENVIRONMENT", True, "Whether the history keeps the jobs' environment."
    )
    per_job_directory: str = path(
        "PER_JOB_HISTORY_DIR", "", "Directory that gets one file for each job that left the queue."
    )
    epoch_path: str = path("JOB_EPOCH_HISTORY", "$(SPOOL)/epoch_history", "File of the runs of jobs; empty for none.")
    epoch_max_size: int = 20 * 1024 * 1024
    epoch_rotations: int = integer("MAX_EPOCH_HISTORY_ROTATIONS", 2, "Old files of runs to keep.", least=1)
    epoch_directory: str = path("JOB_EPOCH_HISTORY_DIR", None, "Directory for one file a job with the ads of its runs.")


class ReconnectSettings(Settings, group="Access point, negotiator and maintenance"):
    """SHADOW_RECONNECT_LOG (empty: none), its size in bytes, how many old ones are kept, the mark of its records."""

    path: str = ""
    max_size: int = 10 * 1024 * 1024
    rotations: int = integer(
        "SHADOW_RECONNECT_LOG_MAX_NUM", None, "How many rotated ones are kept.", at_least=1, without=4
    )
    version: str = string("SHADOW_RECONNECT_TIMEOUT_VERSION", None, "A word to mark these records with.")


class RunHistorySettings(Settings, group="Files about jobs"):
    """The startd's history of runs; fields as those of HistorySettings."""

    path: str = path("STARTD_HISTORY", "$(LOG)/startd_history", "File of the jobs that ran here; empty for none.")
    directory: str = ""
    max_size: int = 20 * 1024 * 1024
    rotations: int = 2
    every: str = ""
    environment: bool = True


class CycleHistorySettings(Settings, group="Negotiator"):
    """NEGOTIATION_HISTORY, what is kept of negotiation cycles. Empty path: nothing is. ``interval``: seconds that one
    record tells of."""

    path: str = path(
        "NEGOTIATION_HISTORY",
        "$(SPOOL)/negotiation_history",
        "File of shares, demand, use and reasons by submitter, cycle by cycle summed up; empty for none.",
    )
    max_size: int = 20 * 1024 * 1024
    rotations: int = integer("MAX_NEGOTIATION_HISTORY_ROTATIONS", 1, "Old files of it to keep.", least=1)
    interval: int = integer(
        "NEGOTIATION_HISTORY_INTERVAL", 60, "Seconds that one record of it sums up.", least=1, most=86400
    )


class PoolHistorySettings(Settings, group="Files about jobs"):
    """The history of slots and submitters for condor_stats. ``kept`` is KEEP_POOL_HISTORY, ``directory``
    POOL_HISTORY_DIR."""

    kept: bool = False
    directory: str = ""
    max_storage: int = integer("POOL_HISTORY_MAX_STORAGE", 10_000_000, "Bytes that the history may take.", at_least=0)
    interval: int = integer(
        "POOL_HISTORY_SAMPLING_INTERVAL", 60, "Seconds between two samples for the history of the pool.", at_least=1
    )


class DaemonHistorySettings(Settings, group="Access point, negotiator and maintenance"):
    """The history of a daemon's own ads. Empty path: none is kept. ``interval``: seconds between two records."""

    path: str = ""
    max_size: int = 20 * 1024 * 1024
    rotations: int = integer(
        "MAX_DAEMON_HISTORY_ROTATIONS", 1, "How many rotated histories of daemon ads are kept.", at_least=1
    )
    interval: int = integer(
        "SCHEDD_HISTORY_RECORD_INTERVAL", 900, "Time between records of the schedd's ad in its history."
    )
