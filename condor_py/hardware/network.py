"""The machine's name and its first real network interface."""

from __future__ import annotations

import os
import socket
from typing import NamedTuple


class Interface(NamedTuple):
    """IPv4 address and mask, and the hardware address; the last two may be empty."""

    address: str
    netmask: str
    hardware: str


LOOPBACK = Interface("127.0.0.1", "255.0.0.0", "")


def host_name() -> str:
    """The host name, fully qualified only when the system's own name is (no name service is asked)."""
    return os.uname().nodename or socket.gethostname()


def interface() -> Interface:
    """The first interface with an IPv4 address that is not the loopback, else the loopback."""
    import psutil

    for addresses in psutil.net_if_addrs().values():
        found = {int(address.family): address for address in addresses}
        ipv4 = found.get(socket.AF_INET)
        if ipv4 is None or ipv4.address.startswith("127."):
            continue
        link = found.get(psutil.AF_LINK)
        return Interface(ipv4.address, ipv4.netmask or "", link.address if link else "")
    return LOOPBACK
