"""Knobs of directories and files."""

from __future__ import annotations

from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.paths import SPOOL_MODES, PoolPaths


def paths(config: Config) -> PoolPaths:
    """Return the paths of this pool's files."""
    lock = config.path("LOCK")
    sockets = config.path("DAEMON_SOCKET_DIR")
    spool = config.path("SPOOL")
    return PoolPaths(
        local_dir=config.path("LOCAL_DIR"),
        spool=spool,
        log=config.path("LOG"),
        lock=lock,
        execute=config.path("EXECUTE"),
        bin=config.path("BIN"),
        sockets=f"{lock}/daemon_sock" if sockets in ("", "auto") else sockets,
        ads=f"{spool}/ads",
        history=config.path("HISTORY") or f"{spool}/history",
        job_queue_log=config.path("JOB_QUEUE_LOG") or f"{spool}/job_queue.log",
        accountant_log=config.path("ACCOUNTANT_DATABASE_FILE") or f"{spool}/Accountantnew.log",
    )


def spool_mode(config: Config) -> int:
    """Return the mode of the spool directory of a job, before the umask (JOB_SPOOL_PERMISSIONS). ConfigError."""
    word = config.string("JOB_SPOOL_PERMISSIONS", "user").lower()
    if word not in SPOOL_MODES:
        text = f"JOB_SPOOL_PERMISSIONS: {word!r} is not one of {', '.join(SPOOL_MODES)}"
        raise ConfigError(text, "JOB_SPOOL_PERMISSIONS")
    return SPOOL_MODES[word]
