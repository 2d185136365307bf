"""Requests of tools to condor_credd."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from condor_py.model.messages.codec import Answer, Request, Vocabulary
from condor_py.model.messages.common import BY_EVERYBODY
from condor_py.model.messages.kinds import CredentialAction, CredentialKind, Pairs


class Outcome(IntEnum):
    """Result of a request, by HTCondor's numbers (store_cred.h)."""

    FAILURE = 0
    SUCCESS = 1
    BAD_PASSWORD = 2
    NO_IMPERSONATE = 3
    NOT_SECURE = 4
    NOT_FOUND = 5
    PENDING = 6
    NOT_ALLOWED = 7
    BAD_ARGS = 8
    PROTOCOL_MISMATCH = 9
    CREDMON_TIMEOUT = 10
    CONFIG_ERROR = 11
    JSON_PARSE = 12
    MISMATCH = 13
    UNSAFE_HOST = 14


#: What HTCondor's tools and bindings call them.
TEXTS = {
    Outcome.FAILURE: "Operation failed",
    Outcome.BAD_PASSWORD: "A credential is stored, but it is invalid",
    Outcome.NO_IMPERSONATE: "Operation failed because the target daemon is not running as SYSTEM",
    Outcome.NOT_SECURE: "Operation aborted because communiction was not secure",
    Outcome.NOT_FOUND: "No credential is stored",
    Outcome.NOT_ALLOWED: "Operation failed because it is not allowed",
    Outcome.BAD_ARGS: "Operation aborted due to missing or bad arguments",
    Outcome.PROTOCOL_MISMATCH: "Arguments are missing, client and server my be mismatched",
    Outcome.CREDMON_TIMEOUT: "The credmon did not process credentials within the timeout period",
    Outcome.CONFIG_ERROR: "Operation failed because of a configuration error",
    Outcome.JSON_PARSE: "Failure parsing credential as JSON",
    Outcome.MISMATCH: "Credential was found but it did not match requested scopes or audience",
    Outcome.UNSAFE_HOST: "Credential requires interacting with an untrusted host",
}


class Stored(Answer):
    """``when`` is the time of the credential (Unix seconds), 0 where that is not known; ``pairs`` are attributes as
    ClassAd texts, ``why`` a line about a failure that its number does not say."""

    outcome: int
    when: int = 0
    pairs: Pairs = ()
    why: str = ""


class StoreCredential(Request[Stored], op="store-credential"):
    """Add (the body is the credential), delete or query. ``user`` "" is the caller; ``refresh`` says whether the
    credential is a refresh token, None that the daemon knows by the service."""

    action: CredentialAction
    kind: CredentialKind
    user: str = ""
    service: str = ""
    handle: str = ""
    scopes: str = ""
    audience: str = ""
    refresh: bool | None = None


class Checked(Answer):
    """``missing`` is "" where all credentials are there, else HTCondor's line about it."""

    missing: str = ""


class CheckCredentials(Request[Checked], op="check-credentials"):
    """Ask for the tokens that jobs need; each request is an object of texts: Service, Handle, Scopes, Audience."""

    requests: Sequence[Any]


class Token(Answer):
    """An access token."""

    token: str


class GetToken(Request[Token], op="get-token"):
    """Ask for one's own access token of a service."""

    service: str
    handle: str = ""


BY_CREDD = Vocabulary(*BY_EVERYBODY, StoreCredential, CheckCredentials, GetToken)
