"""Requests for tokens that wait for an approval, in the memory of one daemon.

The account that asks is the one that gets the token: a request is finished by the account that has made it. There are
at most 1000, and a hundred of one account, so that no account keeps the others from asking.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from condor_py.model.errors import CondorError

#: Seconds for which a request waits, and those after which it is forgotten.
_WAITS, _FORGOTTEN = 3600, 7200
#: Requests of all accounts, and of one.
_MOST, _MOST_OF_ONE = 1000, 100
#: Characters of a request.
_LONGEST = 4096
#: Request numbers are below this.
_NUMBERS = 10_000_000
#: Seconds for which a rule approves, and those that a request may be older than it.
_RULE, _OLDER = 3600, 60
_MOST_RULES = 100
#: Where requests come from: this machine.
_PLACE = "127.0.0.1"
#: The rights that a rule approves: those of daemons that join a pool.
_OF_DAEMONS = frozenset(("ADVERTISE_SCHEDD", "ADVERTISE_STARTD", "ADVERTISE_MASTER"))

#: Signs a token of an identity, with rights and a lifetime. CondorError.
Sign = Callable[[str, Sequence[str], int], str]


class Denied(CondorError):
    """A request that is refused, with HTCondor's number."""

    def __init__(self, text: str, number: int) -> None:
        super().__init__(text)
        self.number = number


class Caller:
    """The account that asks: its number, its name (``user@domain``), and whether it may command the daemon."""

    __slots__ = ("is_admin", "uid", "user")

    def __init__(self, uid: int, user: str, is_admin: bool) -> None:
        self.uid, self.user, self.is_admin = uid, user, is_admin


class _Request:
    """One request: who made it when, and what the token is to hold. ``token`` is there once it is approved."""

    def __init__(
        self, caller: Caller, client: str, identity: str, rights: Sequence[str], lifetime: int, number: str, made: int
    ) -> None:
        self.uid, self.user = caller.uid, caller.user
        self.client, self.identity, self.rights, self.lifetime = client, identity, tuple(rights), lifetime
        self.number, self.made = number, made
        self.token = ""
        self.failed = False

    def is_pending(self, now: int) -> bool:
        """Return whether it waits for an approval."""
        return not self.token and not self.failed and now <= self.made + _WAITS

    def ad(self) -> dict[str, Any]:
        """Return it in HTCondor's attributes."""
        found: dict[str, Any] = {
            "RequestId": self.number,
            "ClientId": self.client,
            "AuthenticatedIdentity": self.user,
            "RequestedIdentity": self.identity,
            "PeerLocation": _PLACE,
        }
        if self.rights:
            found["LimitAuthorization"] = ",".join(self.rights)
        if self.lifetime >= 0:
            found["TokenLifetime"] = self.lifetime
        return found

    def fits_rules(self) -> bool:
        """Return whether a rule may approve it: it is for the account of a pool, with the rights of daemons alone."""
        return self.identity.startswith("condor@") and bool(self.rights) and _OF_DAEMONS.issuperset(self.rights)


class TokenRequests:
    """The requests of one daemon, and the rules that approve some. ``log`` gets a line for each token."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._requests: dict[str, _Request] = {}
        #: From when and until when a rule approves, and its network.
        self._rules: list[tuple[int, int, str]] = []

    def add(
        self, caller: Caller, client: str, identity: str, rights: Sequence[str], lifetime: int, now: int, sign: Sign
    ) -> tuple[str, str]:
        """Take a request; return its number, and the token where a rule approves it at once. Denied, CondorError."""
        self._clean(now)
        if not client:
            raise Denied("No client ID provided.", 2)
        if not identity:
            raise Denied("No identity request.", 2)
        check_words(client, identity, *rights)
        own = sum(request.uid == caller.uid for request in self._requests.values())
        if len(self._requests) >= _MOST or (own >= _MOST_OF_ONE and not caller.is_admin):
            raise Denied("Too many requests in the system.", 3)
        request = _Request(caller, client, identity, rights, lifetime, self._free_number(), now)
        if self._rule_for(request):
            return request.number, self._approved(request, sign, "a rule for auto-approval")
        self._requests[request.number] = request
        return request.number, ""

    def _free_number(self) -> str:
        while (number := f"{secrets.randbelow(_NUMBERS):07d}") in self._requests:
            pass
        return number

    def _clean(self, now: int) -> None:
        for number, request in list(self._requests.items()):
            if now > request.made + _FORGOTTEN:
                del self._requests[number]
        self._rules = [rule for rule in self._rules if now <= rule[1]]

    def take(self, caller: Caller, client: str, number: str, now: int) -> str:
        """Return the token of a request, "" while it waits; then the request is forgotten. Denied."""
        self._clean(now)
        _check_number(number)
        request = self._requests.get(number)
        if request is None or request.uid != caller.uid:
            raise Denied("Request ID is not known.", 3)
        if request.client != client:
            raise Denied("Client ID is incorrect.", 3)
        if request.is_pending(now):
            return ""
        del self._requests[number]
        if request.token:
            return request.token
        raise Denied("Request failed.", 4) if request.failed else Denied("Request has expired.", 5)

    def listed(self, caller: Caller, number: str, now: int) -> list[dict[str, Any]]:
        """Return the requests that wait and that the caller may approve; with ``number`` only that one. Denied."""
        self._clean(now)
        if number:
            _check_number(number)
        return [request.ad() for request in self._pending(caller, now) if number in ("", request.number)]

    def _pending(self, caller: Caller, now: int) -> Iterator[_Request]:
        for request in self._requests.values():
            if request.is_pending(now) and (caller.is_admin or request.identity == caller.user):
                yield request

    def approve(self, caller: Caller, client: str, number: str, now: int, sign: Sign) -> None:
        """Sign the token of a request. Users approve requests for themselves, administrators all. Denied,
        CondorError."""
        self._clean(now)
        if not number:
            raise Denied("Request ID not provided.", 1)
        _check_number(number)
        request = self._requests.get(number)
        if request is None or request.client != client:
            raise Denied("Request unknown.", 5)
        if not request.is_pending(now):
            raise Denied("Request in incorrect state.", 5)
        if not caller.is_admin and request.identity != caller.user:
            raise Denied("Insufficient privilege to approve request.", 6)
        self._approved(request, sign, caller.user)

    def _approved(self, request: _Request, sign: Sign, who: str) -> str:
        try:
            request.token = sign(request.identity, request.rights, request.lifetime)
        except CondorError:
            request.failed = True
            raise
        self._log(f"Token request {request.number} of {request.user} for {request.identity} approved by {who}")
        return request.token

    def approve_from(self, netblock: str, lifetime: int, now: int, sign: Sign) -> None:
        """Approve requests from a network, also those of the last minute, for ``lifetime`` seconds. Denied,
        CondorError."""
        self._clean(now)
        if lifetime <= 0:
            raise Denied("Auto-approval rule lifetimes must be greater than zero.", 2)
        if _network(netblock) is None:
            raise Denied("Auto-approval rule netblock invalid.", 2)
        if len(self._rules) >= _MOST_RULES:
            raise Denied("Too many rules for auto-approval.", 3)
        self._rules.append((now, now + min(lifetime, _RULE), netblock))
        for request in self._requests.values():
            if request.is_pending(now) and self._rule_for(request):
                self._approved(request, sign, "a rule for auto-approval")

    def _rule_for(self, request: _Request) -> bool:
        """Return whether a rule approves a request."""
        import ipaddress

        here = ipaddress.ip_address(_PLACE)
        return request.fits_rules() and any(
            begin - _OLDER <= request.made <= end and here in _network(netblock) for begin, end, netblock in self._rules
        )

    def forget(self) -> None:
        """Drop all rules, and let the requests that wait fail (a reconfiguration)."""
        self._rules.clear()
        for request in self._requests.values():
            request.failed = request.failed or not request.token


def check_words(*words: str) -> None:
    """Refuse words that are too long together, or that cannot be printed. Denied."""
    if sum(map(len, words)) > _LONGEST:
        raise Denied("The request is too long.", 1)
    if not all(map(str.isprintable, words)):
        raise Denied("The request has characters that cannot be printed.", 1)


def _check_number(number: str) -> None:
    if not (number.isascii() and number.isdigit() and len(number) <= len(str(_NUMBERS))):
        raise Denied("Unable to convert request ID to integer.", 2)


def _network(text: str) -> Any:
    """Return the network that a text names (``10.0.0.0/8``, ``192.168.*``, an address); None where it is none."""
    import ipaddress

    if text.endswith(".*"):
        parts = text.removesuffix(".*").split(".")
        text = f"{'.'.join([*parts, *('0' for _ in range(4 - len(parts)))])}/{8 * len(parts)}"
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None
