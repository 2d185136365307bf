"""Where a pool keeps its files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PoolPaths:
    """Absolute paths. Field names are the knobs' names, except ``ads`` (published ads) and ``sockets``
    (DAEMON_SOCKET_DIR).
    """

    local_dir: str
    spool: str
    log: str
    lock: str
    execute: str
    bin: str
    sockets: str
    ads: str
    history: str
    job_queue_log: str
    accountant_log: str

    def socket(self, daemon: str) -> str:
        """The socket of ``master``, ``schedd``, ``negotiator`` or ``startd``."""
        return f"{self.sockets}/{daemon}"

    def daemon_lock(self, subsystem: str) -> str:
        """The file whose lock a daemon holds: InstanceLock of the master, as HTCondor names it."""
        return f"{self.lock}/{'InstanceLock' if subsystem == 'MASTER' else f'{subsystem.lower()}.lock'}"
