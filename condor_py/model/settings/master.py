"""Settings of the master, and of mail to the administrator."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.model.settings.knob import Settings, boolean, integer

OWN_PREEN = "condor_preen"


class Backoff(NamedTuple):
    """The delay before a daemon that fails repeatedly is started again: ``constant + factor ** restarts`` seconds, at
    most ``ceiling``; one that ran for ``recover`` seconds has not failed before."""

    constant: int = 9
    factor: float = 2.0
    ceiling: int = 3600
    recover: int = 300

    def delay(self, failures: int) -> float:
        """Return the seconds until the next start after so many failures in a row: 0 after the first."""
        if failures <= 1:
            return 0.0
        try:
            return float(min(self.ceiling, self.constant + math.ceil(self.factor ** (failures - 1))))
        except (OverflowError, ValueError):  # a power beyond all numbers
            return float(self.ceiling)


@dataclass(frozen=True, slots=True)
class ObituarySettings:
    """Mail about daemons that died: to whom by subsystem, "" for the administrator, and how many lines of the log."""

    send: bool = True
    lines: int = 200
    addresses: Mapping[str, str] = field(default_factory=dict)


class MasterSettings(Settings, group="Master"):
    """The daemons that run, and the restart of a failing one."""

    daemons: tuple[str, ...] = ("SCHEDD", "NEGOTIATOR", "STARTD")
    backoffs: Mapping[str, Backoff] = {}
    shutdown_graceful_timeout: int = integer(
        "SHUTDOWN_GRACEFUL_TIMEOUT", 1800, "Seconds for a graceful shutdown before it becomes fast."
    )
    shutdown_fast_timeout: int = integer(
        "SHUTDOWN_FAST_TIMEOUT", 300, "Seconds for a fast shutdown before processes are killed."
    )
    preen_interval: int = integer(
        "PREEN_INTERVAL", 86400, "Seconds between two runs of the house keeping of SPOOL, LOG and EXECUTE."
    )
    #: START_MASTER: whether it stays, and START_DAEMONS: whether the daemons start before condor_on.
    is_wanted: bool = True
    starts_daemons: bool = True
    #: PREEN: its program, "" for none; one called condor_preen is our own.
    preen: str = OWN_PREEN
    preen_arguments: tuple[str, ...] = ("-m", "-r")
    update_interval: int = integer("MASTER_UPDATE_INTERVAL", 300, "Seconds between two ads of the master.", at_least=1)
    groups_daemons: bool = boolean(
        "CGROUP_ALL_DAEMONS", False, "Whether each daemon of a pool of root has a control group of its own."
    )
    #: Control group below which these are (BASE_CGROUP).
    base_cgroup: str = "htcondor"
    disable_setuid: bool = boolean(
        "DISABLE_SETUID", False, "Whether daemons and jobs get no rights from programs with the setuid bit."
    )
    obituaries: ObituarySettings = ObituarySettings()
    #: <NAME>_ENVIRONMENT by daemon: raw text in either syntax of environments.
    environments: Mapping[str, str] = {}
    #: <NAME>_ARGS by daemon: raw text in either syntax of arguments.
    arguments: Mapping[str, str] = {}
    #: Paths of the daemons that are other programs: <NAME>.
    programs: Mapping[str, str] = {}
    #: Accounts that such programs run as: <NAME>_USERID.
    users: Mapping[str, str] = {}


class MailSettings(NamedTuple):
    """The settings of e-mail: SENDMAIL and MAIL are programs, ``sender`` is MAIL_FROM, ``admin`` CONDOR_ADMIN.

    ``signature`` (EMAIL_SIGNATURE) replaces the usual end, which names ``support`` (CONDOR_SUPPORT_EMAIL).
    """

    host: str = "localhost"
    sendmail: str = ""
    mail: str = ""
    sender: str = ""
    admin: str = ""
    support: str = ""
    signature: str = ""
