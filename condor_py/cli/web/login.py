"""Entry to the pages: one-time tokens, sessions, and the login of a proxy. All of it is in memory and bounded."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from condor_py.cli.web.page import Viewer
from condor_py.model.settings.web import WebSettings

COOKIE = "condor_web"
#: Seconds for which the address of a login counts.
TOKEN_LIFETIME = 60
#: Logins that wait to be used, sessions, and how many of each one user may have: the oldest go first.
_MOST_TOKENS, _MOST_SESSIONS, _MOST_OF_USER = 4096, 4096, 32
#: Characters of random texts that are looked at.
_LONGEST = 128


class Session(NamedTuple):
    """A person who is logged in. ``form`` is the text that a form has to send along, so that no other site can.

    ``account`` is the account of this machine whose browser has logged in, as the kernel says ("" where it cannot): a
    cookie that another account has got hold of is of no use to it.
    """

    user: str
    ends: float
    form: str
    account: str


class Doorkeeper:
    """Tokens and sessions. ``is_administrator`` says of an account whether it sees everything, ``only`` is the account
    that alone may enter ("" for all), ``clock`` gives seconds."""

    def __init__(
        self, settings: WebSettings, is_administrator: Callable[[str], bool], only: str, clock: Callable[[], float]
    ) -> None:
        self.settings = settings
        self._is_administrator = is_administrator
        self._only = only
        self._clock = clock
        self._tokens: dict[str, tuple[str, float]] = {}
        self._sessions: dict[str, Session] = {}

    def admits(self, user: str) -> bool:
        """Whether an account may enter at all."""
        return bool(user) and (not self._only or user in (self._only, "root"))

    def token(self, user: str) -> str:
        """Return a new one-time token of an account."""
        self._forget_old()
        mine = [token for token, (owner, _) in self._tokens.items() if owner == user]
        for token in mine[: max(0, len(mine) - _MOST_OF_USER + 1)]:
            del self._tokens[token]
        made = secrets.token_urlsafe(32)
        self._tokens[made] = (user, self._clock() + TOKEN_LIFETIME)
        _keep_newest(self._tokens, _MOST_TOKENS)
        return made

    def owner_of(self, token: str) -> str | None:
        """Return the account of a token, which stays as it is; None for a wrong or old one."""
        self._forget_old()
        found = _equal_key(self._tokens, token)
        return None if found is None else self._tokens[found][0]

    def enter(self, token: str, account: str = "") -> str | None:
        """Return the key of a new session for a token, which counts no more; None for a wrong or old one."""
        self._forget_old()
        found = _equal_key(self._tokens, token)
        if found is None:
            return None
        user, _ = self._tokens.pop(found)
        mine = [key for key, session in self._sessions.items() if session.user == user]
        for key in mine[: max(0, len(mine) - _MOST_OF_USER + 1)]:
            del self._sessions[key]
        key = secrets.token_urlsafe(32)
        ends = self._clock() + self.settings.session_lifetime
        self._sessions[key] = Session(user, ends, secrets.token_urlsafe(24), account)
        _keep_newest(self._sessions, _MOST_SESSIONS)
        return key

    def leave(self, key: str) -> None:
        """End a session."""
        found = _equal_key(self._sessions, key)
        if found is not None:
            del self._sessions[found]

    def session(self, key: str, account: str = "") -> Session | None:
        """Return the session of a cookie; None when there is none, it has ended, or is another account's."""
        found = _equal_key(self._sessions, key)
        if found is None:
            return None
        session = self._sessions[found]
        if session.ends <= self._clock():
            del self._sessions[found]
            return None
        return session if session.account in ("", account) else None

    def by_proxy(self, client: str, named: Sequence[str]) -> str | None:
        """Return the account that a proxy names; None where no proxy may, or this client is none that may.

        ``client`` is an IP address, or ``account:NAME`` on a Unix socket. ``named`` is what WEB_PROXY_USER_HEADER says:
        where it is there twice, one may be the browser's.
        """
        if len(named) != 1 or client.removeprefix("account:") not in self.settings.proxy_addresses:
            return None
        user = named[0].strip()
        return user if user and len(user) <= _LONGEST and self.admits(user) else None

    def viewer(self, user: str) -> Viewer:
        """Return a person who is in, with their rights."""
        return Viewer(user, self._is_administrator(user))

    def _forget_old(self) -> None:
        now = self._clock()
        for token in [token for token, (_, ends) in self._tokens.items() if ends <= now]:
            del self._tokens[token]
        for key in [key for key, session in self._sessions.items() if session.ends <= now]:
            del self._sessions[key]


def _equal_key(table: Mapping[str, object], given: str) -> str | None:
    """Return the key that equals a text, in a time that tells nothing of the keys."""
    if not given or len(given) > _LONGEST:
        return None
    wanted, found = given.encode("utf-8", "surrogateescape"), None
    for key in table:
        if hmac.compare_digest(key.encode(), wanted):
            found = key
    return found


def _keep_newest(table: dict[str, object] | dict[str, tuple[str, float]] | dict[str, Session], most: int) -> None:
    for key in list(table)[: max(0, len(table) - most)]:
        del table[key]
