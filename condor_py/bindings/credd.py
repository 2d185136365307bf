"""``Credd``, ``CredCheck`` and ``Placementd``: clients of daemons that a pool of one machine does not have.

They check their arguments and answer as HTCondor's bindings do in a pool without these daemons.
"""

from __future__ import annotations

from typing import NoReturn

from condor_py.bindings import session
from condor_py.bindings.enums import CredType
from condor_py.bindings.errors import HTCondorException, HTCondorIOError, HTCondorLocateError
from condor_py.lang.classad import ClassAd

_UNREACHABLE = "Communication error"


def _located(location: ClassAd | None) -> str:
    if location is None:
        raise HTCondorLocateError("Unable to locate local daemon.")
    return session.address_of(location, session.pool())


def _no_credd(words: str = _UNREACHABLE) -> NoReturn:
    raise HTCondorIOError(words)


class Credd:
    """Stores credentials where a condor_credd runs. Here none does: jobs run as their owner, with their own files."""

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
        """HTCondorLocateError without ``location``: there is no local one."""
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

    def add_user_cred(self, credtype: CredType, credential: bytes | None, user: str | None = None) -> None:
        """Store a password or a Kerberos credential; None takes that of SEC_CREDENTIAL_PRODUCER."""
        if credtype not in (CredType.Password, CredType.Kerberos):
            raise ValueError("invalid credtype")
        if _produced(credential):
            _no_credd()

    def delete_user_cred(self, credtype: CredType, user: str | None = None) -> None:
        """Delete a credential."""
        _no_credd()

    def query_user_cred(self, credtype: CredType, user: str | None = None) -> str | None:
        """Return when a credential was stored. ValueError for a wrong type, else HTCondorIOError: no condor_credd."""
        if credtype not in tuple(CredType):
            raise ValueError("invalid credtype")
        _no_credd()

    def add_user_service_cred(
        self,
        credtype: CredType,
        credential: bytes | None,
        service: str,
        handle: str | None = None,
        user: str | None = None,
        refresh: bool | None = None,
    ) -> None:
        """Store an OAuth credential of a service."""
        _check_oauth(credtype)
        if _produced(credential):
            _no_credd()

    def delete_user_service_cred(
        self, credtype: CredType, service: str, handle: str | None = None, user: str | None = None
    ) -> None:
        """Delete an OAuth credential."""
        _check_oauth(credtype)
        _no_credd()

    def query_user_service_cred(
        self, credtype: CredType, service: str, handle: str | None = None, user: str | None = None
    ) -> str:
        """Return the credential stored for a service. Without a condor_credd this raises HTCondorIOError."""
        _check_oauth(credtype)
        _no_credd()

    def check_user_service_creds(
        self, credtype: CredType, serviceAds: list[ClassAd], user: str | None = None
    ) -> CredCheck:
        """Whether the credentials are there that ``serviceAds`` ask for."""
        _check_oauth(credtype)
        for ad in serviceAds:
            if not isinstance(ad, ClassAd):
                raise TypeError("service must be of type classad.ClassAd")
            if ad.get("Service") is None:
                raise ValueError("request has no 'Service' attribute")
        _no_credd("startCommand failed")

    def get_oauth2_credential(self, service: str, handle: str, user: str | None = None) -> str:
        """An OAuth credential."""
        _no_credd("failed to connect to credd")


def _check_oauth(credtype: CredType) -> None:
    if credtype != CredType.OAuth:
        raise ValueError("invalid credtype")


def _produced(credential: bytes | None) -> bool:
    """Whether there is something to store. HTCondorException where SEC_CREDENTIAL_PRODUCER is to supply it and does
    not exist."""
    if credential is not None:
        return True
    producer = session.pool().config.string("SEC_CREDENTIAL_PRODUCER")
    if not producer:
        raise HTCondorException("No credential supplied but SEC_CREDENTIAL_PRODUCER not set.")
    return producer != "CREDENTIAL_ALREADY_STORED"


class CredCheck:
    """Whether the credentials of services are there: true with the URL to get them, else with an error."""

    def __init__(self, services: str, url_or_error: str | None) -> None:
        is_url = _is_url(url_or_error)
        self._services = services
        self._url = url_or_error if is_url else None
        self._error = None if is_url else url_or_error

    def __str__(self) -> str:
        return next(text for text in (self._url, self._error, self._services) if text is not None)

    def __bool__(self) -> bool:
        return self._url is not None

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
