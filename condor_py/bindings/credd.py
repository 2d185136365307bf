"""``Credd`` and ``CredCheck``, clients of condor_credd; ``Placementd``, that of a daemon which this pool does not have:
it answers as HTCondor's bindings do in a pool without it."""

from __future__ import annotations

from typing import NoReturn

from condor_py.bindings import session
from condor_py.bindings.enums import CredType
from condor_py.bindings.errors import HTCondorException, HTCondorIOError, HTCondorLocateError
from condor_py.lang.classad import ClassAd
from condor_py.model.messages import credentials as say
from condor_py.model.messages.codec import A, Request
from condor_py.model.messages.kinds import CredentialAction, CredentialKind

_KINDS: dict[CredType, CredentialKind] = {
    CredType.Password: "password", CredType.Kerberos: "krb", CredType.OAuth: "oauth",
}  # fmt: skip
_FIELDS = ("Service", "Handle", "Scopes", "Audience", "Username")
_UNREACHABLE = "Communication error"


def _located(location: ClassAd | None) -> str:
    if location is None:
        raise HTCondorLocateError("Unable to locate local daemon.")
    return session.address_of(location, session.pool())


def _no_credd(words: str = _UNREACHABLE) -> NoReturn:
    raise HTCondorIOError(words)


class Credd:
    """The condor_credd of this pool. Passwords are refused: they are for Windows and the PASSWORD method."""

    _STORE_CRED_USER_KRB = 0x20
    _STORE_CRED_USER_PWD = 0x24
    _STORE_CRED_USER_OAUTH = 0x28
    _STORE_CRED_LEGACY = 0x40
    _STORE_CRED_WAIT_FOR_CREDMON = 0x80
    _STORE_CRED_LEGACY_PWD = 0x64
    _GENERIC_ADD = 0
    _GENERIC_DELETE = 1
    _GENERIC_QUERY = 2
    _GENERIC_CONFIG = 3
    _FAILURE = 0
    _SUCCESS = 1

    def __init__(self, location: ClassAd | None = None) -> None:
        """HTCondorLocateError without ``location`` where no condor_credd runs."""
        if location is None:
            from condor_py.bindings.collector import Collector
            from condor_py.bindings.enums import DaemonType

            location = Collector().locate(DaemonType.Credd)
        self._addr = _located(location)

    def add_password(self, password: str, user: str | None = None) -> None:
        """Store a password. ValueError for an empty one."""
        if not password:
            raise ValueError("password may not be empty")
        _no_credd()

    def delete_password(self, user: str | None = None) -> bool:
        """Delete a password."""
        _no_credd()

    def query_password(self, user: str | None = None) -> bool:
        """Whether a password is stored."""
        _no_credd()

    def add_user_cred(self, credtype: CredType, credential: bytes | str | None, user: str | None = None) -> None:
        """Store a Kerberos credential; None takes that of SEC_CREDENTIAL_PRODUCER."""
        if credtype not in (CredType.Password, CredType.Kerberos):
            raise ValueError("invalid credtype")
        if (data := _produced(credential)) is not None:
            self._store("add", credtype, user, data)

    def delete_user_cred(self, credtype: CredType, user: str | None = None) -> None:
        """Delete a credential."""
        self._store("delete", credtype, user)

    def query_user_cred(self, credtype: CredType, user: str | None = None) -> int | str | None:
        """Return when a credential was stored (Unix seconds); None for one that is not, or not ready. Of OAuth, the
        text of an ad with all that are stored."""
        if credtype not in tuple(CredType):
            raise ValueError("invalid credtype")
        answer = self._store("query", credtype, user)
        if credtype == CredType.OAuth:
            return _ad_text(answer)
        return answer.when or None

    def add_user_service_cred(
        self,
        credtype: CredType,
        credential: bytes | str | None,
        service: str,
        handle: str | None = None,
        user: str | None = None,
        refresh: bool | None = None,
    ) -> None:
        """Store an OAuth credential of a service; ``refresh`` says whether it is a refresh token."""
        _check_oauth(credtype)
        if (data := _produced(credential)) is not None:
            self._store("add", credtype, user, data, service, handle, refresh)

    def delete_user_service_cred(
        self, credtype: CredType, service: str | None, handle: str | None = None, user: str | None = None
    ) -> None:
        """Delete an OAuth credential; all of them without a service."""
        _check_oauth(credtype)
        self._store("delete", credtype, user, b"", service, handle)

    def query_user_service_cred(
        self, credtype: CredType, service: str | None, handle: str | None = None, user: str | None = None
    ) -> str:
        """Return the text of an ad with what is stored for a service, or for all."""
        _check_oauth(credtype)
        return _ad_text(self._store("query", credtype, user, b"", service, handle))

    def check_user_service_creds(
        self, credtype: CredType, serviceAds: list[ClassAd], user: str | None = None
    ) -> CredCheck:
        """Whether the credentials are there that ``serviceAds`` ask for."""
        _check_oauth(credtype)
        names, requests = [], []
        for ad in serviceAds:
            if not isinstance(ad, ClassAd):
                raise TypeError("service must be of type classad.ClassAd")
            if ad.get("Service") is None:
                raise ValueError("request has no 'Service' attribute")
            fields = {name: ad.eval_str(name, "") or "" for name in _FIELDS}
            names.append(fields["Service"] + (f"*{fields['Handle']}" if fields["Handle"] else ""))
            requests.append({name: text for name, text in fields.items() if text})
        missing = self._ask(say.CheckCredentials(requests), failed="startCommand failed").missing
        return CredCheck(",".join(names), missing or None)

    def get_oauth2_credential(self, service: str, handle: str | None, user: str | None = None) -> str:
        """Return one's own access token of a service."""
        return self._ask(say.GetToken(service or "", handle or ""), failed="failed to connect to credd").token

    def _store(
        self,
        action: CredentialAction,
        credtype: CredType,
        user: str | None,
        data: bytes = b"",
        service: str | None = None,
        handle: str | None = None,
        refresh: bool | None = None,
    ) -> say.Stored:
        """The answer to a request. ValueError for a handle without a service, HTCondorException for a failure."""
        if handle is not None and service is None:
            raise ValueError("invalid service argument")
        kind = _KINDS[credtype]
        request = say.StoreCredential(
            action, kind, user or "", service or "", handle or "", refresh=refresh if kind == "oauth" else None
        )
        answer = self._ask(request, data)
        outcome = say.Outcome(answer.outcome)
        if outcome not in (say.Outcome.SUCCESS, say.Outcome.PENDING):
            if outcome is say.Outcome.NOT_FOUND and action == "query":
                return answer
            text = _UNREACHABLE if outcome is say.Outcome.FAILURE else say.TEXTS[outcome]
            raise HTCondorException(f"{text}: {answer.why}" if answer.why else text)
        return answer

    def _ask(self, request: Request[A], data: bytes = b"", failed: str = _UNREACHABLE) -> A:
        from condor_py.client.credentials import NoCredd, ask_credd
        from condor_py.model.errors import CondorError

        where = session.pool_for(self._addr)
        if not session.is_local(where, self._addr):
            _no_credd(failed)
        try:
            return ask_credd(where, request, data)
        except NoCredd:
            _no_credd(failed)
        except CondorError as error:
            raise HTCondorException(str(error)) from None


def _check_oauth(credtype: CredType) -> None:
    if credtype != CredType.OAuth:
        raise ValueError("invalid credtype")


def _produced(credential: bytes | str | None) -> bytes | None:
    """Return what is to be stored; None where it is stored already. HTCondorException when SEC_CREDENTIAL_PRODUCER is
    to supply it and does not."""
    if credential is not None:
        return credential.encode("utf-8", "surrogateescape") if isinstance(credential, str) else credential
    producer = session.pool().config.string("SEC_CREDENTIAL_PRODUCER")
    if not producer:
        raise HTCondorException("No credential supplied but SEC_CREDENTIAL_PRODUCER not set.")
    from condor_py.client.credentials import STORED, produced

    if producer == STORED:
        return None
    try:
        printed = produced(producer)
    except OSError:
        raise HTCondorException("could not run credential producer") from None
    if not printed:
        raise HTCondorException("credential producer did not produce a credential")
    return printed


def _ad_text(answer: say.Stored) -> str:
    """The attributes of an answer in the old format."""
    return "".join(f"{name} = {text}\n" for name, text in answer.pairs)


class CredCheck:
    """Whether the credentials of services are there; if not, the URL at which to get them, or an error."""

    def __init__(self, services: str, url_or_error: str | None) -> None:
        is_url = _is_url(url_or_error)
        self._services = services
        self._url = url_or_error if is_url else None
        self._error = None if is_url else url_or_error

    def __str__(self) -> str:
        return next(text for text in (self._url, self._error, self._services) if text is not None)

    def __bool__(self) -> bool:
        return self._url is None and self._error is None

    @property
    def present(self) -> bool:
        """Whether the credentials are there."""
        return bool(self)

    @property
    def url(self) -> str | None:
        """The URL at which to get the credentials."""
        return self._url

    @property
    def error(self) -> str | None:
        """The reason why there are no credentials and none can be had."""
        return self._error

    @property
    def services(self) -> str:
        """The services asked for, with commas."""
        return self._services


def _is_url(text: str | None) -> bool:
    import re

    return text is not None and re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None


class Placementd:
    """Hands out tokens to place jobs where a condor_placementd runs. Here none does."""

    _FAILED = "Failed to contact PlacementD"

    def __init__(self, location: ClassAd | None = None) -> None:
        """HTCondorLocateError without ``location``: there is no local one."""
        self._addr = _located(location)

    def userLogin(
        self, username: str, authorizations: str, project: str | None = None, requester: str | None = None
    ) -> ClassAd:
        """Ask for a token."""
        _no_credd(self._FAILED)

    def queryUsers(self, username: str | None = None) -> list[ClassAd]:
        """Return the users who may place jobs. Without a daemon for that this raises HTCondorIOError."""
        _no_credd(self._FAILED)

    def queryTokens(
        self, username: str | None = None, valid_only: bool = False, token_id: str | None = None
    ) -> list[ClassAd]:
        """The tokens that were handed out."""
        _no_credd(self._FAILED)

    def queryAuthorizations(self, username: str | None = None) -> list[ClassAd]:
        """The authorizations that are defined."""
        _no_credd(self._FAILED)
