"""The machine's first real network interface."""

from __future__ import annotations

import socket
from fnmatch import fnmatchcase
from typing import NamedTuple


class Interface(NamedTuple):
    """IPv4 address and mask, and the hardware address; the last two may be empty."""

    address: str
    netmask: str
    hardware: str


LOOPBACK = Interface("127.0.0.1", "255.0.0.0", "")


def interface(wanted: str = "*") -> Interface:
    """The interface that NETWORK_INTERFACE names by its address, its name, or a pattern of either; of several the
    first that is not the loopback. The loopback when there is none."""
    import psutil

    fallback = LOOPBACK
    for name, addresses in psutil.net_if_addrs().items():
        found = {int(address.family): address for address in addresses}
        ipv4 = found.get(socket.AF_INET)
        if ipv4 is None or not (fnmatchcase(name, wanted) or fnmatchcase(ipv4.address, wanted)):
            continue
        link = found.get(psutil.AF_LINK)
        chosen = Interface(ipv4.address, ipv4.netmask or "", link.address if link else "")
        if not ipv4.address.startswith("127."):
            return chosen
        fallback = chosen
    return fallback
