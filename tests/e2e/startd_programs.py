"""What tests of programs that a startd runs share."""

from __future__ import annotations

from pool import PersonalPool


def shows(pool: PersonalPool, *attributes: str) -> list[str]:
    """What condor_status -af prints for all slots."""
    return pool.tool("condor_status", "-af", *attributes).stdout.splitlines()


def startd_log(pool: PersonalPool) -> str:
    return (pool.log / "StartLog").read_text()
