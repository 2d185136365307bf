"""A port of a bridge for one machine: a tap device that is there as long as somebody holds its descriptor."""

from __future__ import annotations

import fcntl
import os
import socket
import struct

_TUN = "/dev/net/tun"
_TUNSETIFF, _SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x400454CA, 0x8913, 0x8914
_SIOCSIFHWADDR, _SIOCBRADDIF = 0x8924, 0x89A2
_IFF_UP, _IFF_TAP, _IFF_NO_PI, _IFF_VNET_HDR = 0x1, 0x2, 0x1000, 0x4000
_ETHER = 1
#: The kernel makes a number of %d. Characters of a name.
_NAME = b"condorvm%d"
_LONGEST = 15


def open_tap(bridge: str, mac: str) -> int:
    """The descriptor of a new port of ``bridge``, for a machine with the hardware address ``mac``; it needs root's
    rights. OSError says what is in the way."""
    if not bridge:
        raise OSError(19, "VMGAHP_ERR_JOBCLASSAD_MISMATCHED_NETWORKING_TYPE: VM_NETWORKING_BRIDGE_INTERFACE is not set")
    if len(bridge) > _LONGEST or not os.path.isdir(f"/sys/class/net/{bridge}/bridge"):
        raise OSError(19, f"VMGAHP_ERR_JOBCLASSAD_MISMATCHED_NETWORKING_TYPE: {bridge} is no bridge of this machine")
    tap = os.open(_TUN, os.O_RDWR | os.O_CLOEXEC)
    try:
        kind = _IFF_TAP | _IFF_NO_PI | _IFF_VNET_HDR
        made: bytes = fcntl.ioctl(tap, _TUNSETIFF, struct.pack("16sH22x", _NAME, kind))
        _join(made[:16].rstrip(b"\0"), bridge.encode(), bytes.fromhex(mac.replace(":", "")))
    except OSError:
        os.close(tap)
        raise
    return tap


def _join(name: bytes, bridge: bytes, mac: bytes) -> None:
    """The port's own address is a high one: a bridge takes the lowest of its ports, and is to keep its own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFHWADDR, struct.pack("16sHB5s16x", name, _ETHER, 0xFE, mac[1:]))
        index = socket.if_nametoindex(name.decode())
        fcntl.ioctl(control, _SIOCBRADDIF, struct.pack("16si20x", bridge, index))
        flags = struct.unpack("16sH22x", fcntl.ioctl(control, _SIOCGIFFLAGS, struct.pack("16s24x", name)))[1]
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH22x", name, flags | _IFF_UP))
