"""The directories and the names of files that condor_preen checks."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, integer, path, words


class PreenSettings(Settings, group="General"):
    """Directories, and what may be in them. Times in seconds, sizes in bytes.

    ``valid_spool`` are names with wildcards, ``histories`` names that may have a suffix. ``admin`` gets the mails.
    """

    spool: str
    execute: tuple[str, ...]
    log: str = path("LOG", "$(LOCAL_DIR)/log", "Directory of the daemons' logs.")
    valid_spool: tuple[str, ...] = ()
    histories: tuple[str, ...] = ()
    invalid_log: tuple[str, ...] = words("INVALID_LOG_FILES", "", "Files of LOG that house keeping removes.")
    core_max_size: int = integer("PREEN_COREFILE_MAX_SIZE", 50000000, "Larger core files are removed.")
    core_stale_age: int = integer(
        "PREEN_COREFILE_STALE_AGE", 5184000, "Seconds after which condor_preen removes core files."
    )
    cores_kept: int = integer("PREEN_COREFILES_PER_PROCESS", 10, "Core files of one program that condor_preen keeps.")
    admin: str = ""
    lock: str = path("LOCK", "$(LOG)", "Directory of lock files.")
