"""What condor_preen looks at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PreenSettings:
    """Directories, and what may lie in them. Times in seconds, sizes in bytes.

    ``valid_spool`` are names with wildcards, ``histories`` names that may have a suffix. ``admin`` gets the mails.
    """

    spool: str
    execute: tuple[str, ...]
    log: str
    valid_spool: tuple[str, ...] = ()
    histories: tuple[str, ...] = ()
    invalid_log: tuple[str, ...] = ()
    core_max_size: int = 50_000_000
    core_stale_age: int = 5_184_000
    cores_kept: int = 10
    admin: str = ""
    lock: str = ""
