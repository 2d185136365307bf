"""Commands to daemons, and what a program may ask of the configuration and the log."""

from __future__ import annotations

import operator
import os
import sys
from typing import Any

from condor_py.bindings import session
from condor_py.bindings.enums import AdType, DaemonCommand, LogLevel, SubsystemType
from condor_py.bindings.errors import HTCondorException, HTCondorIOError
from condor_py.client.authorization import command_of, policy_ad
from condor_py.lang.classad import ClassAd
from condor_py.model.messages import common, master
from condor_py.model.messages.access import Ping
from condor_py.model.messages.codec import Request
from condor_py.model.messages.kinds import How

_DAEMONS = {
    AdType.Master: "master",
    AdType.Schedd: "schedd",
    AdType.Negotiator: "negotiator",
    AdType.Slot: "startd",
    AdType.StartDaemon: "startd",
    AdType.Collector: "master",  # which represents it
}
_HOW: dict[DaemonCommand, How] = {
    DaemonCommand.OffFast: "fast",
    DaemonCommand.OffForce: "fast",
    DaemonCommand.OffGraceful: "graceful",
    DaemonCommand.OffPeaceful: "peaceful",
    DaemonCommand.SetForceShutdown: "fast",
    DaemonCommand.SetPeacefulShutdown: "peaceful",
}
_debug = False


def send_command(ad: ClassAd, dc: DaemonCommand, target: str | None = None) -> None:
    """Send ``dc`` to the daemon whose location ``ad`` is; ``target`` names the daemon that a master is to act on.

    ValueError for an ad that is no location, HTCondorIOError for a daemon that cannot be reached.
    """
    if ad.get("MyAddress") is None:
        raise ValueError("Address not available in location ClassAd.")
    daemon = daemon_of(ad)
    request = _request(DaemonCommand(int(operator.index(dc))), target)
    pool = session.pool_for(ad)
    unreachable = "Unable to connect to the remote daemon."
    if not session.is_local(pool, str(ad["MyAddress"])):
        raise HTCondorIOError(unreachable)
    try:
        session.ask(pool, daemon, request)
    except HTCondorIOError:
        raise HTCondorIOError(unreachable) from None


def daemon_of(location: ClassAd) -> str:
    """The daemon that a location names (``schedd``). Raises ValueError."""
    my_type = location.get("MyType")
    if my_type is None:
        raise ValueError("Daemon type not available in location ClassAd.")
    kind = AdType.from_MyType(str(my_type))
    if kind is None:
        raise ValueError("Unknown daemon type.")
    daemon = _DAEMONS.get(kind)
    if daemon is None:
        raise ValueError("Failed to convert ad type to daemon type.")
    return daemon


def _request(dc: DaemonCommand, target: str | None) -> Request[Any]:
    name = None if target is None else target.upper()
    if dc in _HOW:
        return common.Shutdown(_HOW[dc])
    if dc is DaemonCommand.Reconfig:
        return common.Reconfig()
    if dc in (DaemonCommand.Restart, DaemonCommand.RestartPeaceful):
        return master.RestartMaster("peaceful" if dc is DaemonCommand.RestartPeaceful else "graceful")
    how: How = "fast" if dc in (DaemonCommand.DaemonOffFast, DaemonCommand.DaemonsOffFast) else "graceful"
    if dc is DaemonCommand.DaemonsOffPeaceful:
        how = "peaceful"
    if dc in (DaemonCommand.DaemonsOn, DaemonCommand.DaemonsOff, DaemonCommand.DaemonsOffFast) or how == "peaceful":
        return master.On() if dc is DaemonCommand.DaemonsOn else master.Off(how)
    if name is None:
        raise ValueError(f"{dc.name} needs the name of a daemon")
    return master.On(daemon=name) if dc is DaemonCommand.DaemonOn else master.Off(how, name)


def ping(location: str | ClassAd, authz: str | None = None, security: SecurityContext | None = None) -> ClassAd:
    """Whether a daemon (an address: the master) answers, and as whom it sees the caller: ``MyRemoteUserName``,
    ``AuthMethods``. ``authz`` is a level of authorization, or the name of a command; HTCondorException where the caller
    has not that right. ``security`` is accepted: identity comes from the kernel."""
    address = location if isinstance(location, str) else location.get("MyAddress")
    if address is None:
        raise ValueError("Address not available in location argument.")
    command = command_of("DC_NOP" if authz is None else authz)
    if command is None or (authz or "").isdigit():
        raise HTCondorException("Unable to determine DaemonCore command value.")
    pool = session.pool_for(location)
    my_type = "" if isinstance(location, str) else str(location.get("MyType", ""))
    unreachable = "Unable to connect to the remote daemon."
    if not session.is_local(pool, str(address)):
        raise HTCondorIOError(unreachable)
    kind = AdType.from_MyType(my_type) or AdType.Master
    daemon = _DAEMONS.get(kind, "master")
    try:
        pinged = session.ask(pool, daemon, Ping())
    except HTCondorIOError:
        raise HTCondorIOError(unreachable) from None
    asker = "collector" if kind is AdType.Collector else daemon if my_type else "any"
    if command.level(asker) not in pinged.levels:
        raise HTCondorException("Failed to start command.")
    ad = policy_ad(pinged, command, str(address))
    ad["AuthorizationSucceeded"] = True
    return ad


class SecurityContext:
    """The settings of a connection's authentication: accepted where HTCondor's bindings take it, and of no effect."""

    def __init__(self, token: str | None = None) -> None:
        self._preferred_token = token

    def _getPreferredToken(self) -> str | None:
        return self._preferred_token

    def _setPreferredToken(self, token: str | None = None) -> None:
        self._preferred_token = token

    def _delPreferredToken(self) -> None:
        del self._preferred_token

    preferred_token = property(
        _getPreferredToken, _setPreferredToken, _delPreferredToken, "The token that would be tried first."
    )


def send_alive(ad: ClassAd | None = None, pid: int | None = None, timeout: int | None = None) -> None:
    """Tell a parent daemon (of ``ad``, or of CONDOR_INHERIT) that ``pid`` is alive for ``timeout`` seconds more.

    HTCondorIOError: daemons of this pool see by a pipe whether their children live, and take no such message.
    """
    pid = os.getpid() if pid is None else pid
    if not isinstance(pid, int):
        raise TypeError("pid must be integer")
    timeout = 3600 if timeout is None else timeout
    if not isinstance(timeout, int):
        raise TypeError("timeout must be integer")
    if ad is not None:
        session.check_ad(ad, "ad")
        if ad.get("MyAddress") is None:
            raise ValueError("Address not available in location ClassAd.")
    else:
        inherited = os.environ.get("CONDOR_INHERIT")
        if inherited is None:
            raise ValueError("No location specified and CONDOR_INHERIT not in environment.")
        if len(inherited.split(" ")) < 2:
            raise ValueError("No location specified and CONDOR_INHERIT is malformed.")
    raise HTCondorIOError("Failed to deliver keepalive message.")


def set_ready_state(state: str = "Ready") -> None:
    """Tell the condor_master that started this process that it is ready. HTCondorIOError, as ``send_alive``."""
    inherited = os.environ.get("CONDOR_INHERIT")
    if inherited is None:
        raise HTCondorException("CONDOR_INHERIT not in environment.")
    if len(inherited.split(" ")) < 2:
        raise HTCondorException("CONDOR_INHERIT environment variable malformed.")
    raise HTCondorIOError("Failed to deliver ready message.")


def reload_config_usermaps() -> None:
    """Read the maps of CLASSAD_USER_MAP_NAMES again, for ``userMap()`` in expressions."""
    from condor_py.lang.config.builders import expressions

    expressions.install(session.pool().config, "TOOL")


def load_a_config_usermap_file(name: str, path: str, /) -> None:
    """Have ``userMap("NAME", …)`` look into a file. HTCondorException when it cannot be read."""
    from condor_py.lang.config.builders import usermaps

    session.pool()
    try:
        usermaps.add(name, path)
    except OSError:
        raise HTCondorException(f"Failed to load userMap file: {path}") from None


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
    """A line for the debug output, when that is on. TypeError for a level that is no number."""
    if not isinstance(level, int):
        raise TypeError("level must a LogLevel or a bitwise-or of such")
    line = message + "\n"
    if _debug:
        sys.stderr.write(line)


def set_subsystem(subsystem: str, daemon_type: SubsystemType = SubsystemType.Auto, /) -> None:
    """Read the configuration as this subsystem does."""
    if not isinstance(subsystem, str):
        raise TypeError(f"argument 1 must be str, not {type(subsystem).__name__}")
    if not isinstance(daemon_type, SubsystemType):
        raise TypeError("subsystem_type must be of type htcondor.SubsystemType")
    session.use_subsystem(subsystem.upper())


def version() -> str:
    """HTCondor's version line, of the release that this module follows."""
    return session.version()


def platform() -> str:
    """HTCondor's platform line."""
    return session.pool().config.string("CondorPlatform")
