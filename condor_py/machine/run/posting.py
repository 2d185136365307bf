"""Posting a notice to a URL, and showing it on a desktop; with the rights of the calling process."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING

from condor_py.model.notices import PORTS, Place

if TYPE_CHECKING:
    import http.client

#: Seconds that one step may take, and all of them.
_STEP, _WHOLE = 10.0, 30.0
#: Answers after which another attempt may succeed.
_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
#: Bytes that are read of an answer.
_MOST = 65536


class Refused(Exception):
    """It cannot be posted, now or later."""


class Failed(Exception):
    """It could not be posted now."""


def load() -> None:
    """Import what posting takes, with our own rights: the owner of a job may not be allowed to read it."""
    for name in ("email.parser", "encodings.idna", "http.client", "ssl", "subprocess"):
        import_module(name)


def post(place: Place, document: str, *, everywhere: bool) -> None:
    """Post a JSON document to a URL, given by its parts. Raises Failed and Refused.

    No redirect is followed and no proxy used. A link-local address, at which machines of a cloud find their secrets,
    is refused unless ``everywhere``. In the main thread only.
    """

    def late(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"no answer within {_WHOLE:.0f} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, _WHOLE)
    try:
        status = _answer(place, document.encode("ascii"), everywhere)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if status in _PASSING:
        raise Failed(f"the answer is {status}")
    if not 200 <= status < 300:
        raise Refused(f"the answer is {status}")


def _answer(place: Place, body: bytes, everywhere: bool) -> int:
    import http.client

    connection: http.client.HTTPConnection | None = None
    try:
        connection = _connected(place, everywhere)
        # urllib is not asked: it follows redirects and uses the proxies of the environment.
        named = place.host if place.port == PORTS[place.scheme] else f"{place.host}:{place.port}"
        headers = {"Host": named, "Content-Type": "application/json", "User-Agent": "condor_py"}
        connection.request("POST", place.path or "/", body, headers)
        answer = connection.getresponse()
        answer.read(_MOST)
        return answer.status
    except (OSError, http.client.HTTPException) as error:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise Failed(why) from None
    finally:
        if connection is not None:
            connection.close()


def _connected(place: Place, everywhere: bool) -> http.client.HTTPConnection:
    """Return a connection to the first address of a host that answers. OSError, Refused."""
    import http.client

    host = place.host.strip("[]")
    addresses = [found[4][0] for found in socket.getaddrinfo(host, place.port, type=socket.SOCK_STREAM)]
    allowed = [str(each) for each in addresses if everywhere or not _is_local_link(str(each))]
    if not allowed:
        raise Refused(f"{host} is a link-local address, which no prefix in NOTIFY_URLS names")
    error: OSError | None = None
    for address in allowed:
        try:
            link = socket.create_connection((address, place.port), _STEP)
        except OSError as failure:
            error = failure
            continue
        connection = http.client.HTTPConnection(place.host, place.port, timeout=_STEP)
        try:
            connection.sock = _secured(link, host) if place.scheme == "https" else link
        except OSError:
            link.close()
            raise
        return connection
    raise error or OSError("no address")


def _secured(link: socket.socket, host: str) -> socket.socket:
    import ssl

    return ssl.create_default_context().wrap_socket(link, server_hostname=host)


def _is_local_link(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None) or found
    return bool(mapped.is_link_local or mapped.is_multicast or mapped.is_unspecified)


def show(program: str, line: str) -> None:
    """Show a line on the desktop of this process' account with notify-send, if it has one."""
    import subprocess

    bus = f"/run/user/{os.getuid()}/bus"
    if not os.path.exists(bus):
        return
    # As the summary: in the body desktops look for markup.
    environment = {"PATH": os.defpath, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={bus}"}
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            [program, "--app-name=condor_py", "--", line],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_STEP,
            check=False,
        )
