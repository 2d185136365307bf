"""Requests about identity and rights, of condor_ping and the condor_token tools to every daemon.

The identity of a caller is what the kernel says of the connection; no message changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condor_py.model.messages.codec import A, Answer, Request
from condor_py.model.messages.wakeups import Done


class AccessRequest(Request[A]):
    """A request that ``daemons.common.access`` answers."""


class Pinged(Answer):
    """The user that the daemon sees, the levels of authorization that this user has, and the daemon's version."""

    user: str
    levels: Sequence[str]
    version: str


class Ping(AccessRequest[Pinged], op="ping"):
    """Ask a daemon for the caller's identity and rights."""


class TokenMade(Answer):
    """A token, "" while a request waits for its approval."""

    token: str


class FetchToken(AccessRequest[TokenMade], op="token-fetch"):
    """Ask for a token of the caller's own identity. ``key`` "" is the daemon's choice."""

    rights: Sequence[str] = ()
    lifetime: int = -1
    key: str = ""


class TokenRequested(Answer):
    """The number of a request, and its token where a rule has approved it at once."""

    request: str
    token: str = ""


class RequestToken(AccessRequest[TokenRequested], op="token-request"):
    """Ask for a token of any identity, which an administrator approves. ``client`` is a name that the caller chooses
    for itself."""

    identity: str
    client: str
    rights: Sequence[str] = ()
    lifetime: int = -1


class FinishToken(AccessRequest[TokenMade], op="token-finish"):
    """Ask for the token of an own request."""

    client: str
    request: str


class TokenRequests(Answer):
    """Requests that wait, each an object of HTCondor's attributes."""

    requests: Sequence[Any]


class ListTokenRequests(AccessRequest[TokenRequests], op="token-requests"):
    """Ask for the requests that the caller may approve, or for that one."""

    request: str = ""


class ApproveToken(AccessRequest[Done], op="token-approve"):
    """Approve a request."""

    client: str
    request: str


class AutoApproveTokens(AccessRequest[Done], op="token-auto-approve"):
    """Approve requests of the pool's own account from a network for some time."""

    netblock: str
    lifetime: int
