"""Ganglia's side: where gmond listens, as its configuration says, the hosts that it knows, and its packets.

A packet is XDR (RFC 4506): first what a metric is, then its value. They are those of Ganglia 3.1 and newer.
"""

from __future__ import annotations

import glob
import os
import re
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from condor_py.daemons.gangliad.metrics import Metric, spoofed
from condor_py.model.errors import ConfigError

#: Numbers of packets, and of slopes.
_METADATA, _STRING = 128, 133
_BOTH, _DERIVATIVE, _ZERO = 3, 5, 0
_PORT = 8649
#: Seconds that a program of Ganglia may take.
_PATIENCE = 20.0
_BLOCK = re.compile(r"^[^\S\n]*udp_send_channel\s*\{(.*?)\}", re.DOTALL | re.MULTILINE)
_SETTING = re.compile(r"""(\w+)\s*=\s*("[^"]*"|'[^']*'|[^\s{}]+)""")
_INCLUDE = re.compile(r"""^[^\S\n]*include\s*\(\s*["']([^"']+)["']\s*\)""", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/|^[^\S\n]*(?:#|//).*?$", re.DOTALL | re.MULTILINE)


class Channel(NamedTuple):
    """An address that packets go to; ``hops`` is for groups of hosts."""

    host: str
    port: int = _PORT
    hops: int = 1


def channels(path: str, depth: int = 3) -> list[Channel]:
    """Return the udp_send_channels of gmond's configuration. ConfigError."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = _COMMENT.sub("", file.read())
    except OSError as error:
        raise ConfigError(f"GANGLIA_CONFIG: cannot read {path}: {error.strerror}", "GANGLIA_CONFIG") from None
    found = []
    for block in _BLOCK.findall(text):
        settings = {name: value.strip("\"'") for name, value in _SETTING.findall(block)}
        host = settings.get("host") or settings.get("mcast_join")
        port, hops = settings.get("port", str(_PORT)), settings.get("ttl", "1")
        if not host or not port.isdecimal() or not hops.isdecimal():
            raise ConfigError(f"GANGLIA_CONFIG: {path} has a udp_send_channel without a host or port", "GANGLIA_CONFIG")
        found.append(Channel(host, int(port), int(hops)))
    for pattern in _INCLUDE.findall(text) if depth else ():
        for name in sorted(glob.glob(os.path.join(os.path.dirname(path), pattern))):
            found += channels(name, depth - 1)
    return found


def known_hosts(command: Sequence[str], tell: Callable[[str], None]) -> frozenset[str]:
    """Return the hosts that Ganglia monitors: those that gstat shows with processors."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False, text=True,
            errors="replace",
        )  # fmt: skip
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        tell(f"Failed to execute {' '.join(command)}: {getattr(error, 'strerror', None) or error}")
        return frozenset()
    pairs = (line.partition(":") for line in done.stdout.splitlines())
    found = frozenset(host for host, _, cpus in pairs if cpus.strip().isdecimal() and int(cpus) > 0)
    tell(f"Ganglia is monitoring {len(found)} hosts")
    return found


class Times(NamedTuple):
    """Seconds until a metric is late, and until it is forgotten."""

    late: int
    forgotten: int


def _string(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return struct.pack(">I", len(data)) + data + b"\0" * (-len(data) % 4)


def _begin(number: int, host: str, name: str) -> bytes:
    return struct.pack(">I", number) + _string(host) + _string(name) + struct.pack(">I", 1)


def packets(metric: Metric, times: Times) -> Iterator[bytes]:
    """Yield the packets of a metric: what it is, and its value."""
    host = spoofed(metric)
    lifetime = metric.lifetime if metric.lifetime >= 0 else times.forgotten
    slope = _DERIVATIVE if metric.derivative else _BOTH
    more = {
        "CLUSTER": metric.cluster,
        "SPOOF_HOST": host,
        "DESC": metric.description,
        "TITLE": metric.title,
        "GROUP": metric.group,
    }
    extra = [(name, text) for name, text in more.items() if text]
    yield b"".join(
        (
            _begin(_METADATA, host, metric.name),
            _string(metric.kind),
            _string(metric.name),
            _string(metric.units),
            struct.pack(">IIII", slope, times.late, lifetime, len(extra)),
            *(_string(name) + _string(text) for name, text in extra),
        )
    )
    yield _begin(_STRING, host, metric.name) + _string("%s") + _string(metric.value)


def heartbeat(host: str) -> Iterator[bytes]:
    """Yield the packets by which a host is alive that has no gmond of its own."""
    yield b"".join(
        (
            _begin(_METADATA, host, "heartbeat"),
            _string("uint32"),
            _string("heartbeat"),
            _string(""),
            struct.pack(">IIII", _ZERO, 0, 0, 1),
            _string("SPOOF_HOST") + _string(host),
        )
    )
    yield _begin(_STRING, host, "heartbeat") + _string("%s") + _string("")


class Sender:
    """Sends packets to every channel."""

    def __init__(self, places: Sequence[Channel]) -> None:
        self._places = places
        self._sockets: dict[Channel, socket.socket] = {}

    def send(self, data: bytes) -> None:
        """Send one packet. OSError."""
        for place in self._places:
            self._socket(place).send(data)

    def _socket(self, place: Channel) -> socket.socket:
        if place not in self._sockets:
            family, kind, protocol, _, address = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_DGRAM)[0]
            made = socket.socket(family, kind, protocol)
            made.setblocking(False)
            made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, place.hops)
            made.connect(address)
            self._sockets[place] = made
        return self._sockets[place]

    def close(self) -> None:
        """Close the sockets."""
        for each in self._sockets.values():
            each.close()
        self._sockets.clear()


def gmetric(program: str, config: str, metric: Metric, times: Times) -> list[str]:
    """Return the command that sends a metric by Ganglia's own program."""
    options = {
        "conf": config, "group": metric.group.replace(" ", "."), "name": metric.name, "value": metric.value,
        "type": metric.kind, "units": metric.units, "slope": "derivative" if metric.derivative else "both",
        "title": metric.title, "desc": metric.description, "spoof": spoofed(metric), "cluster": metric.cluster,
        "tmax": str(times.late), "dmax": str(metric.lifetime if metric.lifetime >= 0 else times.forgotten),
    }  # fmt: skip
    return [program, *(f"--{name}={text}" for name, text in options.items() if text)]


def run(command: Sequence[str]) -> str:
    """Run a program of Ganglia's; return what is wrong, "" for nothing."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return str(getattr(error, "strerror", None) or error)
    return "" if done.returncode == 0 else (done.stdout + done.stderr).decode("utf-8", "replace").strip()
