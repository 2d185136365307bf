"""The paths of a pool's files."""

from __future__ import annotations

#: JOB_SPOOL_PERMISSIONS -> mode of the spool directory of a job.
SPOOL_MODES = {"user": 0o700, "group": 0o750, "world": 0o755}


class PoolPaths:
    """Absolute paths. Field names are the knobs' names, except ``ads`` (published ads) and ``sockets``
    (DAEMON_SOCKET_DIR).
    """

    __slots__ = (
        "accountant_log",
        "ads",
        "bin",
        "execute",
        "history",
        "job_queue_log",
        "local_dir",
        "lock",
        "log",
        "sockets",
        "spool",
    )

    def __init__(
        self,
        local_dir: str,
        spool: str,
        log: str,
        lock: str,
        execute: str,
        bin: str,
        sockets: str,
        ads: str,
        history: str,
        job_queue_log: str,
        accountant_log: str,
    ) -> None:
        self.local_dir = local_dir
        self.spool = spool
        self.log = log
        self.lock = lock
        self.execute = execute
        self.bin = bin
        self.sockets = sockets
        self.ads = ads
        self.history = history
        self.job_queue_log = job_queue_log
        self.accountant_log = accountant_log

    def socket(self, daemon: str) -> str:
        """The socket of ``master``, ``schedd``, ``negotiator`` or ``startd``."""
        return f"{self.sockets}/{daemon}"

    def daemon_lock(self, subsystem: str) -> str:
        """The file whose lock a daemon holds: InstanceLock of the master, as HTCondor names it."""
        return f"{self.lock}/{'InstanceLock' if subsystem == 'MASTER' else f'{subsystem.lower()}.lock'}"
