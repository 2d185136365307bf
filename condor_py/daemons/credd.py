"""The condor_credd daemon: keeps credentials of users for their jobs.

It works in the two directories alone, which no user can write. Who asks is what the kernel says of the connection.
"""

from __future__ import annotations

import json
import os
import pwd
import signal
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from condor_py.client.credentials import LOCAL, PELICAN, UNKNOWN, VAULT, Services
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import monotonic, now
from condor_py.daemons.common.service import Service, describe
from condor_py.daemons.localtokens import CannotSign, make_key, token_for
from condor_py.lang.classad import quote_string
from condor_py.lang.config import Config
from condor_py.lang.config.build import build
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.lang.config.builders.credentials import all_local_tokens
from condor_py.model.errors import StoreError
from condor_py.model.messages import credentials as say
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.messages.credentials import Outcome, Stored
from condor_py.model.settings.credentials import CredentialSettings, LocalTokenSettings
from condor_py.model.settings.daemon import LogSettings
from condor_py.store.ad_store import AdStore
from condor_py.store.credentials import (
    MOST_BYTES,
    CredentialFiles,
    TicketFiles,
    TokenFiles,
    changed,
    file_name,
    is_name,
    read_private,
)

#: What makes a Kerberos credential a wish for a token that the pool signs itself.
_LOCAL_WISH = b"LOCAL:"
#: Requests for tokens in one message.
_MOST_REQUESTS = 1000
#: Most seconds between looks for tokens that the pool has to sign again.
_LONGEST = 60.0
#: Seconds between looks whether a credential monitor is done.
_LOOK = 0.5
#: The word of DAEMON_LIST whose work is done here where it names no program of the site.
_CREDMON = "CREDMON_OAUTH"
_WRONG_SIZE = "the credential is empty or too large"
_PASSWORDS = (
    "passwords are for jobs on Windows and for the PASSWORD authentication method, which this pool does not have"
)


class CreddDaemon(Service):
    """Stores, shows and removes credentials, and removes those of users who have no jobs any more."""

    subsystem = "CREDD"
    kinds = ("CREDD",)
    hears = say.BY_CREDD
    #: A credential, and the head of its message.
    longest_request = MOST_BYTES + (1 << 16)

    def __init__(self, local_name: str = "") -> None:
        super().__init__(local_name)
        self._credmon_log: DaemonLog | None = None
        self._take(self.config)
        self._make_directories()
        self._tidy()
        self.ads = AdStore(self.paths.ads)
        self._sweeping = self.loop.every(float(self.knobs.sweep_interval), self._sweep)
        self._updating = self.loop.every(float(self.settings.update_interval), self._publish)
        self._told: set[str] = set()
        self._renewing = self.loop.every(self._renewal, self._renew)
        self._publish()

    def _take(self, config: Config) -> None:
        self.knobs = build(CredentialSettings, config)
        self.services = Services(config)
        self.issued = all_local_tokens(config)
        self.tokens = TokenFiles(self.knobs.oauth) if self.knobs.oauth else None
        self.tickets = TicketFiles(self.knobs.krb) if self.knobs.krb else None
        if _CREDMON in daemon_knobs.listed(config) and _CREDMON not in daemon_knobs.programs(config):
            self._open_credmon_log(daemon_knobs.log(config, _CREDMON))
            self._make_key(build(LocalTokenSettings, config).key)

    def prepare(self, config: Config) -> Callable[[], None]:
        """Other directories, or other services."""
        build(CredentialSettings, config)
        all_local_tokens(config)

        def take() -> None:
            self._take(config)
            self._make_directories()
            self._sweeping.change(float(self.knobs.sweep_interval))
            self._updating.change(float(self.settings.update_interval))
            self._renewing.change(self._renewal)
            self._publish()

        return take

    def _open_credmon_log(self, settings: LogSettings) -> None:
        if self._credmon_log is not None:
            self._credmon_log.retune(settings)
            return
        try:
            self._credmon_log = DaemonLog(settings, "credmon_oauth")
        except StoreError as error:
            self.log.write(str(error))

    def _make_key(self, path: str) -> None:
        """Make the pool's key where there is none, as the credential monitor that comes with HTCondor does."""
        if os.path.lexists(path):
            return
        try:
            make_key(path, self.knobs.public_key)
        except CannotSign as error:
            self.log.write(f"Cannot make the key {path}: {error}")
        except OSError as error:
            self.log.write(f"Cannot make the key {path}: {describe(error)}")
        else:
            self.log.write(f"Made the key {path}, and its public part {self.knobs.public_key}")

    def _make_directories(self) -> None:
        for files in self._directories():
            try:
                files.make()
            except OSError as error:
                self.log.write(f"ERROR: cannot make the directory {files.top}: {error.strerror}")

    def _tidy(self) -> None:
        """Remove what an earlier condor_credd was storing when it was killed: credentials that nobody can name."""
        for files in self._directories():
            try:
                for path in files.tidy():
                    self.log.write(f"removing left-over {path}")
            except OSError as error:
                self.log.write(f"ERROR: cannot remove what was left in {files.top}: {error.strerror}")

    def _directories(self) -> list[CredentialFiles]:
        return [files for files in (self.tokens, self.tickets) if files is not None]

    def _publish(self) -> None:
        name = self.config.string("CREDD_HOST") or self.settings.host
        ad = self.own_ads.make("CredD", name, self.settings, int(now()))
        ad.set_str("CredDIpAddr", self.settings.address)
        try:
            self.ads.publish("CREDD", [ad])
        except StoreError as error:
            self.log.write(str(error))
        self.published([ad])

    def _sweep(self) -> None:
        for files in self._directories():
            try:
                users = files.due(now(), self.knobs.sweep_delay)
            except OSError as error:
                self.log.write(f"ERROR: cannot sweep {files.top}: {error.strerror}")
                continue
            for user in users:
                self._forget(files, user)

    def _forget(self, files: CredentialFiles, user: str) -> None:
        try:
            files.forget(user)
        except OSError as error:  # those of the other users go all the same
            self.log.write(f"ERROR: cannot remove the credentials of {user}: {describe(error)}")
        else:
            self.log.write(f"Removed the credentials of {user} in {files.top}: the user has no jobs")

    # -- tokens that the pool signs ----------------------------------------------------------------

    @property
    def _renewal(self) -> float:
        """Seconds between looks: a token is renewed when half of its time is over."""
        return min(_LONGEST, *(max(1.0, settings.lifetime / 4) for settings in self.issued.values()))

    def _renew(self) -> None:
        files = self.tokens
        if files is None:
            return
        for user in files.users():
            for service, settings in self.issued.items():
                top, use = (files.path(user, service, ending) for ending in ("top", "use"))
                if changed(top) and now() - changed(use) >= settings.lifetime / 2:
                    why = self._sign(files, user, service)
                    if why and why not in self._told:
                        self._told.add(why)
                        self.log.write(f"ERROR: no token of {service} for {user}: {why}")

    def _sign(self, files: TokenFiles, user: str, service: str) -> str:
        """Make a user's access token; why that failed, else ""."""
        try:
            files.put(user, service, "use", token_for(user, self.issued[service], int(now())))
        except CannotSign as error:
            return str(error)
        except OSError as error:
            return describe(error)
        if self._credmon_log is not None:
            self._credmon_log.write(f"Successfully renewed SciToken for user: {user}")
        return ""

    # -- requests ----------------------------------------------------------------------------------

    def message(self, link: Link, message: Message, body: bytes) -> None:
        """Handle a request about credentials."""
        try:
            user = pwd.getpwuid(link.peer.uid).pw_name
        except KeyError:
            link.send(Refused(f"no account has the user id {link.peer.uid}"))
            return
        if not is_name(user):
            link.send(Refused("credentials of an account of this name cannot be kept"))
            return
        match message:
            case say.StoreCredential():
                self._store(link, user, message, body)
            case say.CheckCredentials(requests):
                link.send(say.Checked(self._missing(user, requests)))
            case say.GetToken(service, handle):
                link.send(self._token(user, service, handle))

    def _store(self, link: Link, caller: str, request: say.StoreCredential, body: bytes) -> None:
        user = request.user.rpartition("@")[0] or request.user or caller
        wait: Callable[[], Stored | None] | None = None
        if not is_name(user):
            answer = Stored(Outcome.BAD_ARGS)
        elif user != caller and not any(fnmatchcase(caller, one) for one in self.knobs.super_users):
            self.log.write(f"WARNING: store_cred() for user {user} attempted by user {caller}, rejecting")
            answer = Stored(Outcome.NOT_ALLOWED)
        else:
            self.log.write(f"{caller}: {request.action} {request.kind} {request.service} for {user}".rstrip())
            try:
                answer = self._act(user, request, body)
            except OSError as error:
                self.log.write(f"ERROR: {describe(error)}")
                answer = Stored(Outcome.FAILURE, why=error.strerror or "")
            wait = self._waits(user, request, answer)
        domain = self.settings.uid_domain
        pairs = (("fully_qualified_user", quote_string(f"{caller}@{domain}")), *answer.pairs)
        if wait is None:
            link.send(answer.but(pairs=pairs))
        else:
            self._answer_later(link, wait, pairs, monotonic() + self.knobs.patience)

    def _act(self, user: str, request: say.StoreCredential, body: bytes) -> Stored:
        if request.kind == "password":
            return Stored(Outcome.NOT_ALLOWED, why=_PASSWORDS)
        if request.kind == "krb" and request.action == "add" and body.startswith(_LOCAL_WISH) and body != _LOCAL_WISH:
            service = body.removeprefix(_LOCAL_WISH).decode("ascii", "replace").strip()
            wish = say.StoreCredential("add", "oauth", service=service, refresh=True)
            return self._oauth(user, wish, user.encode())
        return self._krb(user, request, body) if request.kind == "krb" else self._oauth(user, request, body)

    def _oauth(self, user: str, request: say.StoreCredential, body: bytes) -> Stored:
        files, service, handle = self.tokens, request.service, request.handle
        if files is None:
            return Stored(Outcome.CONFIG_ERROR, why="SEC_CREDENTIAL_DIRECTORY_OAUTH is not set")
        if any(text and not is_name(text) for text in (service, handle)):
            return Stored(Outcome.BAD_ARGS, why="illegal character in the name of the service or its handle")
        files.clear_mark(user)
        name = file_name(service, handle)
        if request.action == "query":
            return self._query_service(files, user, name, request) if name else self._query_all(files, user)
        if request.action == "delete":
            if name:
                files.remove(user, name)
            else:
                files.remove_all(user)
            return Stored(Outcome.SUCCESS)
        if not service:
            return Stored(Outcome.BAD_ARGS, why="the name of the service is missing")
        return self._add_token(files, user, name, request, body)

    @staticmethod
    def _query_all(files: TokenFiles, user: str) -> Stored:
        found = files.of_user(user)
        pairs = [(name, str(when)) for name, when in found.items()]
        tops = {name[:-4] for name in found if name.endswith(".top")}
        pending = any(f"{name}.use" not in found for name in tops)
        return Stored(Outcome.PENDING if pending else Outcome.SUCCESS if found else Outcome.NOT_FOUND, pairs=pairs)

    @staticmethod
    def _query_service(files: TokenFiles, user: str, name: str, request: say.StoreCredential) -> Stored:
        pairs = []
        top, use = files.path(user, name, "top"), files.path(user, name, "use")
        if when := changed(top):
            pairs.append((f"Top{name}Time", str(when)))
            outcome = matches(top, request.scopes, request.audience)
            if outcome is not Outcome.SUCCESS:
                return Stored(outcome, pairs=pairs)
        if made := changed(use):
            return Stored(Outcome.SUCCESS, pairs=[*pairs, (name, str(made))])
        return Stored(Outcome.PENDING if when else Outcome.NOT_FOUND, pairs=pairs)

    def _add_token(self, files: TokenFiles, user: str, name: str, request: say.StoreCredential, body: bytes) -> Stored:
        if len(body) > MOST_BYTES or not body:
            return Stored(Outcome.BAD_ARGS, why=_WRONG_SIZE)
        if is_vault_token(body):
            return Stored(Outcome.UNSAFE_HOST, why="this pool does not work with Vault")
        kind = self.services.kind(request.service)
        refreshed = kind != UNKNOWN if request.refresh is None else request.refresh
        if not refreshed:
            files.put(user, name, "use", body)
            return Stored(Outcome.SUCCESS, changed(files.path(user, name, "use")))
        if kind == LOCAL and not request.handle:
            files.put(user, name, "top", body)
            why = self._sign(files, user, name)
            return Stored(Outcome.CONFIG_ERROR, why=why) if why else Stored(Outcome.SUCCESS, int(now()))
        if not files.monitor():
            return Stored(Outcome.CONFIG_ERROR, why=nothing_renews(request.service, files.top))
        if request.scopes or request.audience:
            body = with_scopes(body, request.scopes, request.audience)
            if not body:
                return Stored(Outcome.JSON_PARSE)
            if len(body) > MOST_BYTES:
                return Stored(Outcome.BAD_ARGS, why=_WRONG_SIZE)
        files.put(user, name, "top", body)
        made = changed(files.path(user, name, "use"))
        self._kick(files)
        return Stored(Outcome.SUCCESS if made else Outcome.PENDING, made)

    def _krb(self, user: str, request: say.StoreCredential, body: bytes) -> Stored:
        files = self.tickets
        if files is None:
            return Stored(Outcome.CONFIG_ERROR, why="SEC_CREDENTIAL_DIRECTORY_KRB is not set")
        files.clear_mark(user)
        cache = files.path(user, "cc")
        when, renewal = changed(cache), self.knobs.krb_renewal
        if request.action == "delete":
            files.remove_all(user)
            return Stored(Outcome.SUCCESS)
        if request.action == "query":
            if when:
                return Stored(Outcome.SUCCESS, when)
            stored = changed(files.path(user, "cred"))
            return Stored(Outcome.PENDING, pairs=(("CredTime", str(stored)),)) if stored else Stored(Outcome.NOT_FOUND)
        if when and (renewal < 0 or now() - when < renewal):
            return Stored(Outcome.SUCCESS, when)
        if len(body) > MOST_BYTES or not body:
            return Stored(Outcome.BAD_ARGS, why=_WRONG_SIZE)
        files.put(user, "cred", body)
        if files.monitor():
            self._kick(files)
        else:  # as the monitor that comes with HTCondor does
            files.put(user, "cc", body)
        when = changed(cache)
        return Stored(Outcome.SUCCESS if when else Outcome.PENDING, when)

    def _waits(self, user: str, request: say.StoreCredential, answer: Stored) -> Callable[[], Stored | None] | None:
        """Return what gives the answer once a credential monitor has made the cache of a ticket; None where nothing is
        to be waited for."""
        files = self.tickets
        if files is None or request.kind != "krb" or request.action != "add" or answer.outcome != Outcome.PENDING:
            return None
        return partial(_cached, files.path(user, "cc"))

    def _answer_later(self, link: Link, look: Callable[[], Stored | None], pairs: Any, until: float) -> None:
        answer = look()
        if answer is None and monotonic() >= until:
            answer = Stored(Outcome.CREDMON_TIMEOUT)
        if answer is not None:
            link.send(answer.but(pairs=pairs))
        elif link.open:
            self.loop.after(_LOOK, lambda: self._answer_later(link, look, pairs, until))

    def _kick(self, files: CredentialFiles) -> None:
        """Tell a site's credential monitor that there is something for it."""
        if pid := files.monitor():
            try:
                os.kill(pid, signal.SIGHUP)
            except OSError as error:
                self.log.write(f"failed to signal the credential monitor: pid={pid} {error.strerror}")

    # -- what jobs need ----------------------------------------------------------------------------

    def _missing(self, caller: str, requests: Any) -> str:
        """Why the tokens that jobs need are not all there, in HTCondor's words; "" when they are."""
        if self.tokens is None:
            return "ERROR - SEC_CREDENTIAL_DIRECTORY_OAUTH not configured in condor_credd"
        if len(requests) > _MOST_REQUESTS:
            return f"ERROR: more than {_MOST_REQUESTS} credentials are wanted"
        for request in requests:
            try:
                wish = Wish(request)
            except ValueError as error:
                return f"ERROR: {error}"
            user = wish.user.partition("@")[0] or caller
            if user != caller and not any(fnmatchcase(caller, one) for one in self.knobs.super_users):
                return (
                    f'ERROR: credentials for user "{wish.user}" cannot be requested by authenticated user "{caller}".'
                )
            self.tokens.clear_mark(user)
            if missing := self._lacks(self.tokens, user, wish):
                return missing
        return ""

    def _lacks(self, files: TokenFiles, user: str, wish: Wish) -> str:
        top, use = (changed(files.path(user, wish.name, ending)) for ending in ("top", "use"))
        kind = self.services.kind(wish.service)
        if kind == LOCAL:
            return self._lacks_local(files, user, wish, complete=bool(top and use))
        if kind == UNKNOWN:
            return "" if use else f"ERROR: Credential '{wish.service}' of unknown type is missing."
        if kind in (VAULT, PELICAN):
            missing = f"ERROR: {kind.capitalize()} credential '{wish.service}' is missing."
            return "" if use else f"{missing} This pool does not work with it."
        if not top and not use:
            return f"ERROR: {nothing_renews(wish.service, files.top)}"
        if top and matches(files.path(user, wish.name, "top"), wish.scopes, wish.audience) is Outcome.MISMATCH:
            return (
                "ERROR - credentials exist that do not match the request\n  They can be removed with"
                f"\n    condor_store_cred delete-oauth -s {wish.name}\n  but make sure no other job is using them."
            )
        return ""

    def _lacks_local(self, files: TokenFiles, user: str, wish: Wish, *, complete: bool) -> str:
        """Make the token of a service of the pool if it is not there; why that cannot be, else ""."""
        if wish.handle:
            return f"ERROR: Local Issuer credential '{wish.service}' can't have a handle."
        if complete:
            return ""
        if wish.scopes or wish.audience:
            return f"ERROR: Local Issuer/Client credential '{wish.service}' can't have user-provided scope or audience."
        why = self._sign(files, user, wish.service)
        if why and changed(files.path(user, wish.service, "use")):
            return ""  # the user's own
        if why:
            self.log.write(f"ERROR: no token of {wish.service} for {user}: {why}")
            return f"ERROR: Failed to generate credential '{wish.service}'. ({why})"
        files.put(user, wish.service, "top", user.encode())
        return ""

    def _token(self, user: str, service: str, handle: str) -> say.Token | Refused:
        """A user's own access token, or why there is none."""
        if self.tokens is None:
            return Refused("cred_get_token_handler(): SEC_CREDENTIAL_DIRECTORY_OAUTH not defined.")
        if not is_name(service) or (handle and not is_name(handle)):
            return Refused("cred_get_token_handler(): illegal character in service or handle name.")
        path = self.tokens.path(user, file_name(service, handle), "use")
        try:
            token = read_private(path, trusting=self.knobs.trusts)
        except FileNotFoundError:
            return Refused(f"cred_get_token_handler(): {path} not an existing regular file.")
        except OSError:
            return Refused(f"cred_get_token_handler(): read_secure_file({path}) failed.")
        return say.Token(token.decode("utf-8", "replace"))

    def shutdown(self, how: str) -> None:
        """Leave at once."""
        self.leave(0)


def _cached(path: str) -> Stored | None:
    when = changed(path)
    return Stored(Outcome.SUCCESS, when) if when else None


class Wish:
    """A request for a token. ValueError for one that is none."""

    def __init__(self, request: Any) -> None:
        if not isinstance(request, dict) or not all(isinstance(text, str) for text in request.values()):
            raise ValueError("a request for a credential must be an object of texts")
        known = {str(name).lower(): text for name, text in request.items()}
        self.service, self.handle = known.get("service", ""), known.get("handle", "")
        self.scopes, self.audience = known.get("scopes", ""), known.get("audience", "")
        self.user = known.get("username", "")
        for text in filter(None, (self.service, self.handle, self.user.partition("@")[0])):
            if not is_name(text):
                raise ValueError("illegal character in the name of a service, a handle or a user")
        if not self.service:
            raise ValueError("a request for a credential has no Service")
        self.name = file_name(self.service, self.handle)


def nothing_renews(service: str, top: str) -> str:
    """Why a refresh token of a service is of no use here."""
    return (
        f"no credential monitor makes access tokens of '{service}' here ({top}/pid names none); "
        f"store an access token with condor_store_cred add-oauth -s {service} -P -i FILE"
    )


def _object(data: bytes) -> Mapping[str, Any] | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def matches(path: str, scopes: str, audience: str) -> Outcome:
    """Compare what a stored refresh token is for with what is wanted; what is no JSON is for anything."""
    try:
        found = _object(read_private(path, trusting=True))
    except OSError:
        return Outcome.JSON_PARSE
    if found is None:
        return Outcome.JSON_PARSE if scopes or audience else Outcome.SUCCESS
    known = {name.lower(): text for name, text in found.items()}
    same = (known.get("scopes", ""), known.get("audience", "")) == (scopes, audience)
    return Outcome.SUCCESS if same else Outcome.MISMATCH


def with_scopes(body: bytes, scopes: str, audience: str) -> bytes:
    """Return a refresh token that says what it is for; b"" for one that is no JSON object. Without indents: they would
    make a thousand bytes of one that is nested deeply."""
    found = _object(body)
    if found is None:
        return b""
    added = {name: text for name, text in (("scopes", scopes), ("audience", audience)) if text}
    try:
        return json.dumps({**found, **added}).encode() + b"\n"
    except RecursionError:
        return b""


def is_vault_token(body: bytes) -> bool:
    """Whether a credential is one of Vault."""
    found = _object(body)
    return found is not None and isinstance(found.get("vault_url"), str)
