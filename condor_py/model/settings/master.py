"""Settings of the master."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Backoff:
    """When a daemon that fails again and again is started again: after ``constant + factor ** failures`` seconds, at
    most ``ceiling``; one that ran for ``recover`` seconds has not failed before."""

    constant: int = 9
    factor: float = 2.0
    ceiling: int = 3600
    recover: int = 300


@dataclass(frozen=True, slots=True)
class ObituarySettings:
    """Mail about daemons that died: to whom by subsystem, "" for the administrator, and how many lines of the log."""

    send: bool = True
    lines: int = 200
    addresses: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MasterSettings:
    """Which daemons run, and how a failing one is restarted."""

    daemons: tuple[str, ...] = ("SCHEDD", "NEGOTIATOR", "STARTD")
    backoffs: Mapping[str, Backoff] = field(default_factory=dict)
    shutdown_graceful_timeout: int = 1800
    shutdown_fast_timeout: int = 300
    preen_interval: int = 86400
    preen_arguments: tuple[str, ...] = ("-m", "-r")
    update_interval: int = 300
    obituaries: ObituarySettings = ObituarySettings()
    #: <NAME>_ENVIRONMENT by daemon: raw text in either syntax of environments.
    environments: Mapping[str, str] = field(default_factory=dict)
    #: Words of <NAME>_ARGS by daemon.
    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
