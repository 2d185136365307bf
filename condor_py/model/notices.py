"""Notices about jobs that are posted to a URL: the notice itself, and the URLs that NOTIFY_URLS allows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

#: Characters of a URL, and of one text of a notice.
MOST_OF_URL, MOST_OF_TEXT = 2_000, 500
_PARTS = re.compile(
    r"(https?)://(\*|\[[0-9a-f:.]{2,45}\]|[a-z0-9]([a-z0-9._-]{0,252}[a-z0-9])?)(?::(\d{1,5}))?(/[!-~]*)?",
    re.ASCII | re.IGNORECASE,
)
#: The ports of URLs without one.
PORTS = {"http": 80, "https": 443}
_DOTS = re.compile(r"(?:\.|%2e){1,2}", re.IGNORECASE)
_ADDRESS = re.compile(r"[0-9.]+|\[.*\]", re.ASCII)


class Place(NamedTuple):
    """The parts of a URL. ``host`` is in lower case, and "*" in a prefix for any host and port."""

    scheme: str
    host: str
    port: int
    path: str


class Notice(NamedTuple):
    """A notice about a job of ``owner``: a JSON text for ``url`` ("": for none), and one line for people."""

    owner: str
    job: str
    url: str
    line: str
    document: str


def place_of(url: str, *, is_prefix: bool = False) -> Place | None:
    """Return the parts of a URL, or of a prefix of URLs; None for what is none, or could be read in two ways: with a
    user name, a fragment, or a step up in its path."""
    match = _PARTS.fullmatch(url) if len(url) <= MOST_OF_URL else None
    if match is None:
        return None
    scheme, host, path = match[1].lower(), match[2].lower(), match[5] or ""
    port = int(match[4]) if match[4] else PORTS[scheme]
    steps = path.partition("?")[0].split("/")
    if not 0 < port < 65536 or "#" in path or "\\" in path or any(map(_DOTS.fullmatch, steps)):
        return None
    if host == "*" and not (is_prefix and match[4] is None and path in ("", "/")):
        return None
    return Place(scheme, host, port, path)


def prefix_for(url: str, prefixes: Sequence[str]) -> Place | None:
    """Return the first of the prefixes that allows a URL; None when none does."""
    place = place_of(url)
    if place is None:
        return None
    return next((each for text in prefixes if (each := place_of(text, is_prefix=True)) and _allows(each, place)), None)


def _allows(prefix: Place, url: Place) -> bool:
    if prefix.scheme != url.scheme:
        return False
    if prefix.host == "*":
        return True
    if (prefix.host, prefix.port) != (url.host, url.port) or not url.path.startswith(prefix.path):
        return False
    return not prefix.path or prefix.path.endswith("/") or url.path[len(prefix.path) :][:1] in ("", "/", "?")


def names_address(place: Place) -> bool:
    """Return whether a prefix has the address of a host, not its name."""
    return _ADDRESS.fullmatch(place.host) is not None
