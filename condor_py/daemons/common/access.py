"""Answers of every daemon to condor_ping and the condor_token tools: who the caller is, by the kernel, and tokens for
pools of HTCondor that share a key with this one."""

from __future__ import annotations

import pwd
import time
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from condor_py.client.tokens import TokenError, Wish, has_key, make_token, token_settings
from condor_py.daemons.common.strangers import levels_of, may_command
from condor_py.daemons.common.tokenrequests import Caller, Denied, TokenRequests, check_words
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.lang.config.values import to_list
from condor_py.model.errors import CondorError
from condor_py.model.messages import access as say
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.messages.wakeups import Done
from condor_py.model.version import CONDOR_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from condor_py.client.wire import Peer
    from condor_py.lang.config import Config
    from condor_py.model.settings.tokens import TokenSettings

#: HTCondor's number of a request for which the caller has not the right.
_NO_ADMIN = 2010


class Access:
    """The answers of one daemon. ``log`` gets a line for each token, without the token."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._requests = TokenRequests(log)

    def forget_requests(self) -> None:
        """Let the requests that wait fail, and drop the rules that approve some: the configuration is another one."""
        self._requests.forget()

    def answer(self, config: Config, request: say.AccessRequest[Any], peer: Peer) -> Message:
        """Return the answer to one request of ``peer``."""
        try:
            user = f"{_name_of(peer.uid)}@{daemon_knobs.names(config).uid_domain}"
            if isinstance(request, say.Ping):
                return say.Pinged(user, list(levels_of(peer)), CONDOR_VERSION)
            settings = token_settings(config)
            if isinstance(request, say.FetchToken):
                return say.TokenMade(self._fetch(settings, request, user))
            return self._about_requests(settings, request, Caller(peer.uid, user, may_command(peer)))
        except (Denied, TokenError) as error:
            return Refused(str(error), error.number)
        except CondorError as error:
            return Refused(str(error), 1)

    def _fetch(self, settings: TokenSettings, request: say.FetchToken, user: str) -> str:
        if not settings.fetching:
            raise Denied("Token fetch disabled.", 44)
        check_words(request.key, *request.rights)
        if request.key and not any(fnmatchcase(request.key, allowed) for allowed in settings.fetch_keys):
            raise Denied("Server will not sign with requested key.", 3)
        lifetime = _lifetime(settings, request.lifetime)
        return self._sign(settings, user, _words(request.rights), lifetime, request.key)

    def _sign(self, settings: TokenSettings, identity: str, rights: Sequence[str], lifetime: int, key: str = "") -> str:
        wish = Wish(identity, rights, lifetime, key or settings.default_key)
        token = make_token(settings, wish, int(time.time()))
        words = " ".join(rights) or "all"
        self._log(f"Token issued: identity {identity}, rights {words}, key {wish.key}, lifetime {lifetime}")
        return token

    def _about_requests(self, settings: TokenSettings, request: say.AccessRequest[Any], caller: Caller) -> Message:
        if not settings.requesting:
            raise Denied("Token request disabled.", 44)
        requests, now = self._requests, int(time.time())

        def sign(identity: str, rights: Sequence[str], lifetime: int) -> str:
            return self._sign(settings, identity, rights, lifetime)

        match request:
            case say.RequestToken():
                rights = _limited(settings, _words(request.rights))
                if not has_key(settings, settings.default_key):
                    raise TokenError("TOKEN_UTILS", "Server does not have a signing key configured.", 4)
                words = request.client, request.identity, rights, _lifetime(settings, request.lifetime)
                return say.TokenRequested(*requests.add(caller, *words, now, sign))
            case say.FinishToken():
                return say.TokenMade(requests.take(caller, request.client, request.request, now))
            case say.ListTokenRequests():
                return say.TokenRequests(requests.listed(caller, request.request, now))
            case say.ApproveToken():
                requests.approve(caller, request.client, request.request, now, sign)
                return Done()
            case say.AutoApproveTokens():
                if not caller.is_admin:
                    raise Denied(f'Received "DENIED" from server for user {caller.user} using method FS.', _NO_ADMIN)
                requests.approve_from(request.netblock, request.lifetime, now, sign)
                return Done()
        return Refused("unknown request")


def _words(rights: Sequence[str]) -> list[str]:
    """Return the single rights: each text may be a list of them (``READ,WRITE``)."""
    return [word for text in rights for word in to_list(text)]


def _lifetime(settings: TokenSettings, asked: int) -> int:
    """Return the lifetime that a token may have (SEC_ISSUED_TOKEN_EXPIRATION)."""
    most = settings.longest
    return asked if most <= 0 or 0 <= asked <= most else most


def _limited(settings: TokenSettings, rights: Sequence[str]) -> Sequence[str]:
    """Return the rights that a requested token may have (SEC_TOKEN_REQUEST_LIMITS). Denied where none is left."""
    if not settings.limits:
        return rights
    left = [right for right in rights if right in settings.limits] if rights else list(settings.limits)
    if not left:
        raise Denied("All requested authorizations were eliminated by the SEC_TOKEN_REQUEST_LIMITS setting", 3)
    return left


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        raise Denied("Server did not successfully authenticate session.", 2) from None
