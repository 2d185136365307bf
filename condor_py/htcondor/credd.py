"""``Credd``: a pool of one machine stores no credentials; every call says so."""

from __future__ import annotations

from typing import NoReturn

from condor_py.classad import ClassAd
from condor_py.htcondor.enums import CredType
from condor_py.htcondor.errors import HTCondorException


def _refuse() -> NoReturn:
    raise HTCondorException("there is no condor_credd here: jobs run as their owner, with his own files")


class Credd:
    """Refuses everything, with the reason."""

    def __init__(self, location: ClassAd | None = None) -> None:
        self._location = location

    def add_password(self, password: str, user: str | None = None) -> NoReturn:
        """Raises HTCondorException."""
        _refuse()

    def delete_password(self, user: str | None = None) -> NoReturn:
        """Raises HTCondorException."""
        _refuse()

    def query_password(self, user: str | None = None) -> NoReturn:
        """Raises HTCondorException."""
        _refuse()

    def add_user_cred(self, credtype: CredType, credential: bytes | None, user: str | None = None) -> NoReturn:
        """Raises HTCondorException."""
        _refuse()

    def delete_user_cred(self, credtype: CredType, user: str | None = None) -> NoReturn:
        """Raises HTCondorException."""
        _refuse()

    def query_user_cred(self, credtype: CredType, user: str | None = None) -> NoReturn:
        """Raises HTCondorException."""
        _refuse()

    def add_user_service_cred(
        self,
        credtype: CredType,
        credential: bytes | None,
        service: str,
        handle: str | None = None,
        user: str | None = None,
        refresh: bool | None = None,
    ) -> NoReturn:
        """Raises HTCondorException."""
        _refuse()

    def delete_user_service_cred(
        self, credtype: CredType, service: str, handle: str | None = None, user: str | None = None
    ) -> NoReturn:
        """Raises HTCondorException."""
        _refuse()

    def query_user_service_cred(
        self, credtype: CredType, service: str, handle: str | None = None, user: str | None = None
    ) -> NoReturn:
        """Raises HTCondorException."""
        _refuse()
