"""The packet that wakes a machine: six bytes of ones, its hardware address sixteen times, to a broadcast address."""

from __future__ import annotations

import ipaddress
import re
import socket

#: The port discard, on which no process listens.
PORT = 9
_ADDRESS = re.compile(r"[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(\1[0-9a-fA-F]{2}){4}\Z")


def packet(hardware_address: str) -> bytes:
    """The magic packet for an address like 00:1a:2b:3c:4d:5e. ValueError."""
    if not _ADDRESS.match(hardware_address):
        raise ValueError(f"malformed hardware address: {hardware_address}")
    return b"\xff" * 6 + bytes.fromhex(re.sub("[:-]", "", hardware_address)) * 16


def broadcast(address: str, mask: str) -> str:
    """Return the broadcast address of the subnet of ``address``; a mask of zeros means all reachable. ValueError."""
    try:
        bits = int(ipaddress.IPv4Address(mask))
    except ValueError:
        raise ValueError(f"malformed subnet: {mask}") from None
    try:
        own = int(ipaddress.IPv4Address(address))
    except ValueError:
        raise ValueError(f"malformed address: {address}") from None
    return str(ipaddress.IPv4Address(own | bits ^ 0xFFFFFFFF))


def send(data: bytes, address: str, port: int = PORT) -> None:
    """Sends one packet. OSError."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        sender.sendto(data, (address, port))
