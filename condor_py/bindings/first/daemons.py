"""``Collector``, ``Negotiator``, ``Startd``, ``Credd``, ``param`` and ``RemoteParam`` of the first version."""

from __future__ import annotations

import os
import secrets
import time
from typing import Any, NoReturn

from condor_py.bindings import collector, commands, credd, enums, negotiator, params, session, startd
from condor_py.bindings.errors import HTCondorException, HTCondorIOError, HTCondorValueError
from condor_py.bindings.first.ads import ClassAd, of
from condor_py.bindings.first.enums import DaemonTypes
from condor_py.bindings.first.listed import Listed
from condor_py.bindings.first.places import DaemonLocation, location_of
from condor_py.bindings.first.raising import raises_first, with_first_exceptions
from condor_py.bindings.first.schedds import HistoryIterator
from condor_py.client.authorization import by_number
from condor_py.model.errors import CondorError
from condor_py.model.messages import access
from condor_py.model.messages.codec import A, Request


def _ad_type(number: Any) -> enums.AdType:
    return enums.AdType(int(number))


@with_first_exceptions
class Collector(collector.Collector):
    """The ads of this machine's pool."""

    def __init__(self, pool: Any = None) -> None:
        super().__init__([pool.address] if isinstance(pool, DaemonLocation) else pool)

    @property
    def location(self) -> DaemonLocation | None:
        """The location given to the constructor; None without one."""
        return DaemonLocation(DaemonTypes.Collector, self._hosts[0], "") if self._hosts else None

    def query(  # type: ignore[override]
        self,
        ad_type: Any = 10,
        constraint: Any = "",
        projection: list[str] = [],  # noqa: B006
        statistics: str = "",
        *,
        attrs: list[str] | None = None,
    ) -> list[ClassAd]:
        """The ads of a kind."""
        names = list(projection if attrs is None else attrs)
        return [of(ad) for ad in super().query(_ad_type(ad_type), str(constraint), names, statistics)]

    def locate(self, daemon_type: Any, name: str | None = None) -> ClassAd | None:
        """Return the ad with a daemon's address; None without one."""
        found = super().locate(enums.DaemonType(int(daemon_type)), name)
        return None if found is None else of(found)

    def locateAll(self, daemon_type: Any) -> Any:
        """Return the ads with the addresses of all daemons of a kind."""
        return [of(ad) for ad in super().locateAll(enums.DaemonType(int(daemon_type)))]

    def directQuery(  # type: ignore[override]
        self,
        daemon_type: Any,
        name: str = "",
        projection: list[str] = [],  # noqa: B006
        statistics: str = "",
    ) -> ClassAd:
        """The ad of one daemon."""
        kind = collector._ad_type(enums.DaemonType(int(daemon_type)))
        constraint = collector._named(name) if name else ""
        found = self.query(kind, constraint, projection, statistics)
        if not found:
            raise HTCondorIOError("Unable to locate daemon.")
        return found[0]


@with_first_exceptions
class Negotiator(negotiator.Negotiator):
    """The accountant of this machine's pool."""

    def __init__(self, ad: Any = None) -> None:
        super().__init__(location_of(ad))

    @property
    def location(self) -> DaemonLocation:
        """The address of this negotiator."""
        return DaemonLocation(DaemonTypes.Negotiator, self._addr, session.version())

    def setPriority(self, user: str, prio: float) -> None:
        """Set the real priority, at least 0."""
        super().setPriority(user, prio)

    def setBeginUsage(self, user: str, value: int) -> None:
        """Set when usage began, in Unix seconds."""
        super().setBeginUsage(user, value)

    def setLastUsage(self, user: str, value: int) -> None:
        """Set when usage ended, in Unix seconds."""
        super().setLastUsage(user, value)

    def getPriorities(self, rollup: bool = False) -> Any:
        """One ad a submitter."""
        return [of(ad) for ad in super().getPriorities(rollup)]

    def getResourceUsage(self, user: str) -> Any:
        """The slots charged to a submitter."""
        return [of(ad) for ad in super().getResourceUsage(user)]


@with_first_exceptions
class Startd(startd.Startd):
    """The startd of this machine."""

    def __init__(self, ad: Any = None) -> None:
        super().__init__(location_of(ad))

    @property
    def location(self) -> DaemonLocation:
        """The address of this startd."""
        return DaemonLocation(DaemonTypes.Startd, self._addr, session.version())

    def drainJobs(
        self,
        drain_type: Any = 0,
        on_completion: Any = 0,
        check_expr: Any = "true",
        start_expr: Any = "false",
        reason: str | None = "by command",
    ) -> str:
        """Take no more jobs and let go of those that run; the id of the request."""
        how, then = enums.DrainType(int(drain_type)), enums.CompletionType(int(on_completion))
        return super().drainJobs(how, then, str(check_expr), str(start_expr), reason)

    def cancelDrainJobs(self, request_id: Any = "") -> None:
        """End a draining."""
        super().cancelDrainJobs(request_id or None)

    def history(  # type: ignore[override]
        self,
        requirements: Any = None,
        projection: list[str] = [],  # noqa: B006
        match: int = -1,
        since: Any = None,
    ) -> HistoryIterator:
        """The runs that STARTD_HISTORY holds."""
        return HistoryIterator(super().history(requirements, list(projection), match, since))


class CredStatus:
    """The status of a credential."""

    def __init__(self) -> None:
        raise RuntimeError("This class cannot be instantiated from Python")

    def __str__(self) -> str:
        return ""


@with_first_exceptions
class Credd(credd.Credd):
    """The condor_credd of this pool."""

    def __init__(self, ad: Any = None) -> None:
        self._named = ad is not None
        place = location_of(ad)
        self._addr = session.pool().schedd_address if place is None else str(place["MyAddress"])

    @property
    def location(self) -> DaemonLocation | None:
        """The location given to the constructor; None without one."""
        return DaemonLocation(DaemonTypes.Credd, self._addr, "") if self._named else None

    def check_user_service_creds(self, credtype: Any, services: list[Any], user: str | None = None) -> credd.CredCheck:
        """Whether the credentials are there that ``services`` ask for."""
        return super().check_user_service_creds(credtype, services, user)


@with_first_exceptions
class Param(Listed, params.Param):
    """The configuration of this process."""


@with_first_exceptions
class RemoteParam(Listed, params.RemoteParam):
    """The configuration of a daemon of this machine."""

    def __init__(self, ad: Any) -> None:
        super().__init__(ad)


class Token:
    """The text of a token."""

    def __init__(self, contents: str) -> None:
        self._contents = contents

    def write(self, tokenfile: str | None = None) -> None:
        """Write the token into SEC_TOKEN_DIRECTORY, under the name ``tokenfile``."""
        from condor_py.client.tokens import token_settings, write_token

        name = os.path.basename(tokenfile or "python_generated_tokens")
        try:
            write_token(token_settings(session.pool().config), self._contents, name, in_directory=True)
        except CondorError as error:
            raise HTCondorIOError(f"Failed to write token: {error}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return (Token, (self._contents,))


#: Seconds between two questions of a TokenRequest whether it is approved.
_POLL = 2.0


class TokenRequest:
    """A request for a token, which an administrator approves (condor_token_request_approve)."""

    def __init__(self, identity: str = "", bounding_set: Any = None, lifetime: int = -1) -> None:
        self._identity, self._rights, self._lifetime = identity, list(bounding_set or ()), lifetime
        self._client = self._number = self._token = ""
        self._ad: Any = None

    def submit(self, ad: Any = None) -> None:
        """Send the request, to the daemon of a location or to the pool's own. HTCondorIOError."""
        where = session.pool_for(ad)
        identity = self._identity or "condor"
        identity = identity if "@" in identity else f"{identity}@{where.settings.uid_domain}"
        client = f"{where.settings.host}-{secrets.randbelow(100_000)}"
        self._ad = ad
        begun = self._ask(access.RequestToken(identity, client, self._rights, self._lifetime))
        self._client, self._number, self._token = client, begun.request, begun.token

    def _ask(self, request: Request[A]) -> A:
        location = self._ad
        where = session.pool_for(location)
        address = "" if location is None else str(location.get("MyAddress", ""))
        if location is not None and not session.is_local(where, address):
            raise HTCondorIOError(f"DAEMON:1:Failed to connect to remote daemon at '{address}'")
        try:
            return session.ask(where, "master" if location is None else commands.daemon_of(location), request)
        except HTCondorIOError:
            raise HTCondorIOError(f"DAEMON:1:Failed to connect to remote daemon at '{address}'") from None
        except HTCondorException as error:
            raise HTCondorIOError(f"DAEMON:1:{error}") from None

    @property
    def request_id(self) -> str:
        """The number of the request. HTCondorIOError before it is sent."""
        if not self._number:
            raise HTCondorIOError("Request ID requested prior to submitting request!")
        return self._number

    def done(self) -> bool:
        """Whether the token is there. HTCondorIOError for a request that is not sent, or that has failed."""
        if not self._client:
            raise HTCondorIOError("DAEMON:1:Unable to set client ID.")
        if not self._token:
            self._token = self._ask(access.FinishToken(self._client, self._number)).token
        return bool(self._token)

    def result(self, timeout: int = 0) -> Token:
        """Wait for the token, ``timeout`` seconds at most (0: as long as it takes). HTCondorIOError."""
        deadline = time.monotonic() + timeout
        while not self.done():
            left = deadline - time.monotonic() if timeout else _POLL
            if left <= 0:
                raise HTCondorIOError("Timed out waiting for token approval")
            time.sleep(min(left, _POLL))
        return Token(self._token)


@with_first_exceptions
class SecMan:
    """Settings of connections: accepted, and of no effect where the kernel tells who calls."""

    def __enter__(self) -> SecMan:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def ping(self, ad: Any, command: str = "DC_NOP") -> ClassAd:
        """Whether a daemon answers, and as whom it sees the caller."""
        try:
            return of(commands.ping(ad.address if isinstance(ad, DaemonLocation) else ad, command))
        except HTCondorIOError:
            raise HTCondorIOError("Unable to connect to daemon.") from None

    def getCommandString(self, command_int: int) -> str:
        """The name of a command."""
        return by_number(int(command_int)).name

    def invalidateAllSessions(self) -> None:
        """Forget connections: there are none."""

    def setConfig(self, key: str, value: str) -> None:
        """A knob for connections."""

    def setGSICredential(self, filename: str) -> None:
        """A proxy for connections."""

    def setPoolPassword(self, new_pass: str) -> None:
        """A password for connections."""

    def setTag(self, tag: str) -> None:
        """A name under which sessions are kept."""

    def setToken(self, token: Token) -> None:
        """A token for connections."""


class Claim:
    """A claim of computing on demand. None can be made: slots are given to jobs of the queue only."""

    def __init__(self, ad: Any = None) -> None:
        self._addr = "" if ad is None else str(ad.get("MyAddress", ""))

    def __str__(self) -> str:
        return f"Unclaimed startd at {self._addr}"

    __repr__ = __str__

    def requestCOD(self, constraint: Any = None, lease_duration: int = -1) -> NoReturn:
        """Claim a slot. HTCondorIOError."""
        raise HTCondorIOError("Failed to request claim from startd.")

    def _no_claim(self, *_: Any) -> NoReturn:
        raise HTCondorValueError("No claim set for object.")

    def activate(self, ad: Any) -> NoReturn:
        """Start a job on the claim. HTCondorValueError, as there is none."""
        self._no_claim()

    def deactivate(self, vacate_type: Any = 1) -> NoReturn:
        """End the job of the claim. HTCondorValueError, as there is none."""
        self._no_claim()

    def delegateGSIProxy(self, filename: Any = None) -> NoReturn:
        """Give the job a proxy. HTCondorValueError, as there is none."""
        self._no_claim()

    def release(self, vacate_type: Any = 1) -> NoReturn:
        """Give the claim back. HTCondorValueError, as there is none."""
        self._no_claim()

    def renew(self) -> NoReturn:
        """Keep the claim longer. HTCondorValueError, as there is none."""
        self._no_claim()

    def resume(self) -> NoReturn:
        """Let the job continue. HTCondorValueError, as there is none."""
        self._no_claim()

    def suspend(self) -> NoReturn:
        """Stop the job for a while. HTCondorValueError, as there is none."""
        self._no_claim()


@raises_first
def send_command(ad: Any, dc: Any, target: str | None = None) -> None:
    """Send a command to a daemon."""
    by_name = enums.DaemonCommand.__members__.get(getattr(dc, "name", None) or "", None)
    name = {"RestartPeacful": "RestartPeaceful"}.get(str(getattr(dc, "name", "")), "")
    commands.send_command(ad, enums.DaemonCommand[name] if name else by_name or enums.DaemonCommand(int(dc)), target)


@raises_first
def set_subsystem(subsystem: str, type: Any = 15) -> None:
    """Read the configuration as this subsystem does."""
    commands.set_subsystem(subsystem, enums.SubsystemType(int(type)))
