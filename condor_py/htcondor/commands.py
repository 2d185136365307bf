"""Commands to daemons, and what a program may ask of the configuration and the log."""

from __future__ import annotations

import sys
from typing import Any

from condor_py.classad import ClassAd
from condor_py.htcondor import session
from condor_py.htcondor.enums import AdType, DaemonCommand, LogLevel, SubsystemType
from condor_py.htcondor.errors import HTCondorException

_DAEMONS = {
    AdType.Master: "master",
    AdType.Schedd: "schedd",
    AdType.Negotiator: "negotiator",
    AdType.Slot: "startd",
    AdType.StartDaemon: "startd",
}
_HOW = {
    DaemonCommand.OffFast: "fast",
    DaemonCommand.OffForce: "fast",
    DaemonCommand.OffGraceful: "graceful",
    DaemonCommand.OffPeaceful: "peaceful",
    DaemonCommand.SetForceShutdown: "fast",
    DaemonCommand.SetPeacefulShutdown: "peaceful",
}
_debug = False


def send_command(ad: ClassAd, dc: DaemonCommand, target: str | None = None) -> None:
    """Send ``dc`` to the daemon whose location ``ad`` is; ``target`` names the daemon that a master is to act on."""
    if not isinstance(dc, DaemonCommand):
        raise TypeError("dc must be a DaemonCommand")
    session.check_location(ad, "daemon")
    session.ask(daemon_of(ad), _request(dc, target))


def daemon_of(location: ClassAd) -> str:
    """The daemon that a location names (``schedd``). Raises ValueError."""
    my_type = location.get("MyType")
    if not isinstance(my_type, str):
        raise ValueError("Daemon type not available in location ClassAd.")
    kind = AdType.from_MyType(my_type)
    daemon = None if kind is None else _DAEMONS.get(kind)
    if daemon is None:
        raise ValueError("Unknown daemon type.")
    return daemon


def _request(dc: DaemonCommand, target: str | None) -> dict[str, Any]:
    name = None if target is None else target.upper()
    if dc in _HOW:
        return {"op": "shutdown", "how": _HOW[dc]}
    if dc is DaemonCommand.Reconfig:
        return {"op": "reconfig"}
    if dc in (DaemonCommand.Restart, DaemonCommand.RestartPeaceful):
        return {"op": "restart-master", "how": "peaceful" if dc is DaemonCommand.RestartPeaceful else "graceful"}
    how = {DaemonCommand.DaemonOffFast: "fast", DaemonCommand.DaemonsOffFast: "fast"}.get(dc, "graceful")
    if dc is DaemonCommand.DaemonsOffPeaceful:
        how = "peaceful"
    if dc in (DaemonCommand.DaemonsOn, DaemonCommand.DaemonsOff, DaemonCommand.DaemonsOffFast) or how == "peaceful":
        return {"op": "on"} if dc is DaemonCommand.DaemonsOn else {"op": "off", "how": how}
    if name is None:
        raise ValueError(f"{dc.name} needs the name of a daemon")
    return {"op": "on", "daemon": name} if dc is DaemonCommand.DaemonOn else {"op": "off", "daemon": name, "how": how}


def ping(location: str | ClassAd, authz: str | None = None, security: SecurityContext | None = None) -> ClassAd:
    """Whether a daemon (an address: the master) answers, and as whom it sees the caller: ``MyRemoteUserName``,
    ``AuthMethods``. ``authz`` and ``security`` are accepted: identity comes from the kernel."""
    ad = ClassAd({"MyAddress": location}) if isinstance(location, str) else location
    session.check_location(ad, "daemon")
    kind = AdType.from_MyType(str(ad.get("MyType", "")))
    session.reach(_DAEMONS.get(kind or AdType.Master, "master"))
    return ClassAd(
        {
            "MyRemoteUserName": session.pool().user,
            "User": session.pool().user,
            "AuthMethods": "FS",
            "Authentication": True,
            "AuthorizationSucceeded": True,
            "Command": 60040,
            "RemoteVersion": version(),
        }
    )


class SecurityContext:
    """How a connection would authenticate: accepted where HTCondor's bindings take it, and of no effect."""

    def __init__(self, token: str | None = None) -> None:
        self.preferred_token = token


def enable_debug(flags: str | None = None) -> None:
    """Write what ``log`` is given to stderr from now on."""
    global _debug
    _debug = True


def disable_debug() -> None:
    """Undo ``enable_debug``."""
    global _debug
    _debug = False


def enable_log() -> None:
    """Accepted: this process has no log file of its own."""


def log(level: LogLevel | int, message: str) -> None:
    """A line for the debug output, when that is on. HTCondorException for a level that is no LogLevel."""
    if not isinstance(level, int):
        raise HTCondorException("level must be a LogLevel")
    if _debug:
        sys.stderr.write(message if message.endswith("\n") else message + "\n")


def set_subsystem(subsystem: str, daemon_type: SubsystemType = SubsystemType.Auto) -> None:
    """Read the configuration as this subsystem does."""
    session.use_subsystem(subsystem.upper())


def version() -> str:
    """HTCondor's version line, of the release that this module follows."""
    from condor_py.model.version import CONDOR_VERSION

    return CONDOR_VERSION


def platform() -> str:
    """HTCondor's platform line."""
    return session.pool().settings.platform
