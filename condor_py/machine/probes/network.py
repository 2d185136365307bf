"""The machine's first real network interface."""

from __future__ import annotations

import array
import fcntl
import socket
import struct
from fnmatch import fnmatchcase
from typing import NamedTuple

from condor_py.model import packages
from condor_py.model.power import WakeFacts

_SIOCETHTOOL = 0x8946
_ETHTOOL_GWOL = 0x5


class Interface(NamedTuple):
    """IPv4 address and mask, the hardware address (the last two may be empty), and the name."""

    address: str
    netmask: str
    hardware: str
    name: str = "lo"


LOOPBACK = Interface("127.0.0.1", "255.0.0.0", "")


def interface(wanted: str = "*") -> Interface:
    """The interface that NETWORK_INTERFACE names by its address, its name, or a pattern of either; of several the
    first that is not the loopback. The loopback when there is none."""
    packages.make_known()
    import psutil

    fallback = LOOPBACK
    for name, addresses in psutil.net_if_addrs().items():
        found = {int(address.family): address for address in addresses}
        ipv4 = found.get(socket.AF_INET)
        if ipv4 is None or not (fnmatchcase(name, wanted) or fnmatchcase(ipv4.address, wanted)):
            continue
        link = found.get(psutil.AF_LINK)
        chosen = Interface(ipv4.address, ipv4.netmask or "", link.address if link else "", name)
        if not ipv4.address.startswith("127."):
            return chosen
        fallback = chosen
    return fallback


def wake_facts(name: str) -> WakeFacts:
    """Which packets wake the machine by this interface, as ethtool asks the kernel (root alone gets an answer);
    nothing where the driver does not say."""
    answer = array.array("B", struct.pack("=III6s2x", _ETHTOOL_GWOL, 0, 0, b""))
    request = struct.pack("16sP8x", name.encode()[:15], answer.buffer_info()[0])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            fcntl.ioctl(asking, _SIOCETHTOOL, request)
    except OSError:
        return WakeFacts()
    return wake_answer(answer.tobytes())


def wake_answer(data: bytes) -> WakeFacts:
    """What the kernel's ``struct ethtool_wolinfo`` says."""
    _, supported, enabled = struct.unpack_from("=III", data)
    return WakeFacts(supported, enabled)
