"""Answers of every daemon to condor_ping and the condor_token tools: who the caller is, by the kernel, and tokens for
pools of HTCondor that share a key with this one."""

from __future__ import annotations

import pwd
import time
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from condor_py.client.tokens import TokenError, Wish, make_token, token_settings
from condor_py.daemons.common.strangers import levels_of
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.model.errors import CondorError
from condor_py.model.messages import access as say
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.version import CONDOR_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from condor_py.client.wire import Peer
    from condor_py.lang.config import Config
    from condor_py.model.settings.tokens import TokenSettings

#: Characters of the rights and names of one request.
_LONGEST = 4096


class _Denied(CondorError):
    """A request that is refused, with HTCondor's number."""

    def __init__(self, text: str, number: int) -> None:
        super().__init__(text)
        self.number = number


class Access:
    """The answers of one daemon. ``log`` gets a line for each token, without the token."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log

    def answer(self, config: Config, request: say.AccessRequest[Any], peer: Peer) -> Message:
        """Return the answer to one request of ``peer``."""
        try:
            user = f"{_name_of(peer.uid)}@{daemon_knobs.names(config).uid_domain}"
            match request:
                case say.Ping():
                    return say.Pinged(user, list(levels_of(peer)), CONDOR_VERSION)
                case say.FetchToken():
                    return self._fetch(token_settings(config), request, user)
        except _Denied as error:
            return Refused(str(error), error.number)
        except TokenError as error:
            return Refused(str(error), error.number)
        except CondorError as error:
            return Refused(str(error), 1)
        return Refused("unknown request")

    def _fetch(self, settings: TokenSettings, request: say.FetchToken, user: str) -> Message:
        if not settings.fetching:
            raise _Denied("Token fetch disabled.", 44)
        if len(request.key) + sum(map(len, request.rights)) > _LONGEST:
            raise _Denied("Failed to read the request.", 1)
        key = request.key or settings.default_key
        if request.key and not any(fnmatchcase(key, allowed) for allowed in settings.fetch_keys):
            raise _Denied("Server will not sign with requested key.", 3)
        return self._made(settings, Wish(user, request.rights, lifetime_of(settings, request.lifetime), key))

    def _made(self, settings: TokenSettings, wish: Wish) -> say.TokenMade:
        token = make_token(settings, wish, int(time.time()))
        rights = " ".join(wish.rights) or "all"
        self._log(f"Token issued: identity {wish.identity}, rights {rights}, key {wish.key}, lifetime {wish.lifetime}")
        return say.TokenMade(token)


def lifetime_of(settings: TokenSettings, asked: int) -> int:
    """Return the lifetime of a token for which ``asked`` seconds are asked (below 0: for ever)."""
    most = settings.longest
    return most if most > 0 and not 0 <= asked <= most else asked


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        raise _Denied("Server did not successfully authenticate session.", 2) from None
