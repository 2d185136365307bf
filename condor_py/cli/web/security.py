"""Requests that are refused whatever they ask for, and the headers of every answer."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from condor_py.model.settings.web import WebSettings

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
#: Bytes of the head of a request.
LONGEST_HEAD = 16384
_METHODS = ("GET", "HEAD", "POST")
_LOCAL = ("localhost", "127.0.0.1", "::1")


class Guarded:
    """The site behind its checks: methods, the Host header (no other name leads here, so that no page of another site
    is taken for ours), and where forms come from."""

    def __init__(self, site: ASGIApp, settings: WebSettings) -> None:
        self._site = site
        self._names = {name.lower() for name in (*_LOCAL, settings.interface, *settings.host_names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._site(scope, receive, send)
            return
        status = self._refused(scope)

        async def answer(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_headers(message.get("headers", []))
            await send(message)

        if status:
            await _plain(status, answer)
        else:
            await self._site(scope, receive, answer)

    def _refused(self, scope: Scope) -> int:
        """Return the status of a refusal; 0 for a request that is looked at."""
        if scope["method"] not in _METHODS:
            return 405
        if _head_length(scope) > LONGEST_HEAD:  # the server itself refuses those that do not come at once
            return 431
        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1 or not (self._is_ours(named[0]) or _by_unix_socket(scope)):
            return 421
        if scope["method"] == "POST":
            return 0 if _is_own_form(scope["headers"], named[0]) else 403
        return 0

    def _is_ours(self, host: str) -> bool:
        try:
            return (urlsplit(f"//{host}").hostname or "") in self._names
        except ValueError:
            return False


def _head_length(scope: Scope) -> int:
    address = len(scope["path"]) + len(scope["query_string"])
    return address + sum(len(name) + len(value) + 4 for name, value in scope["headers"])


def _is_own_form(headers: list[tuple[bytes, bytes]], host: str) -> bool:
    """Whether a form comes from a page of ours, as far as the browser says. It says that the origin is null where a
    page sends no referrer, as ours do."""
    for name, value in headers:
        if name == b"sec-fetch-site" and value != b"same-origin":
            return False
        if name == b"origin" and value != b"null" and urlsplit(value.decode("latin-1")).netloc != host:
            return False
    return True


def _by_unix_socket(scope: Scope) -> bool:
    client = scope.get("client")
    return client is not None and str(client[0]).startswith("account:")


def _with_headers(given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    names = {name.lower() for name, _ in given}
    more = dict(HEADERS) if b"cache-control" in names else {**HEADERS, "Cache-Control": "no-store"}
    return [*given, *((name.lower().encode(), value.encode()) for name, value in more.items())]


async def _plain(status: int, send: Send) -> None:
    texts = {405: "This method is not served.", 421: "This server does not answer for that host name.",
             403: "This form comes from another site.", 431: "The head of this request is too long."}  # fmt: skip
    body = f"{texts[status]}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
