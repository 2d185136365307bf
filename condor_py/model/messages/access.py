"""Requests about identity and rights, of condor_ping and the condor_token tools to every daemon.

The identity of a caller is what the kernel says of the connection; no message changes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.model.messages.codec import A, Answer, Request


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
