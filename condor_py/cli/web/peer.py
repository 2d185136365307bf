"""The account at the other end of a connection of this machine, as the kernel knows it."""

from __future__ import annotations

import ipaddress
import socket
import struct
import sys

#: Netlink's protocol for questions about sockets, the type of such a question, and of an error (see sock_diag(7)).
_SOCK_DIAG, _BY_FAMILY, _ERROR = 4, 20, 2
_REQUEST, _ANY_COOKIE, _PATIENCE = 1, 0xFFFFFFFF, 1.0
_HEAD = struct.Struct("=IHHII")
#: Bytes of an answer before the user id and the inode.
_BEFORE_USER = _HEAD.size + 4 + 48 + 12


class Gone(ConnectionError):
    """The other end has closed its socket, which belongs to no account any more: the kernel says root of it."""


def local_peer(sock: socket.socket) -> int | None:
    """Return the user id at the other end of a TCP connection; None for one of another machine. Gone."""
    try:
        theirs, ours = sock.getpeername()[:2], sock.getsockname()[:2]
    except OSError:
        raise Gone from None
    try:
        found = _asked(theirs, ours)
    except OSError:
        found = _in_table(theirs, ours)
    if found is not None and found[1]:
        return found[0]
    if found is not None or _address(theirs[0]).is_loopback:
        raise Gone
    return None


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    found = ipaddress.ip_address(host.partition("%")[0])
    return getattr(found, "ipv4_mapped", None) or found


def _asked(theirs: tuple[str, int], ours: tuple[str, int]) -> tuple[int, int] | None:
    """Return user id and inode of the socket that has one connection; None for none of this machine. OSError where
    the kernel does not take the question. It costs the same however many connections the machine has."""
    their, our = _address(theirs[0]), _address(ours[0])
    family = socket.AF_INET6 if their.version == 6 else socket.AF_INET
    question = struct.pack("=BBBxI", family, socket.IPPROTO_TCP, 0, 0xFFFFFFFF)
    question += struct.pack("!HH16s16s", theirs[1], ours[1], their.packed, our.packed)
    question += struct.pack("=III", 0, _ANY_COOKIE, _ANY_COOKIE)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.settimeout(_PATIENCE)
        kernel.sendto(_HEAD.pack(_HEAD.size + len(question), _BY_FAMILY, _REQUEST, 1, 0) + question, (0, 0))
        answer = kernel.recv(4096)
    kind = _HEAD.unpack_from(answer)[1]
    if kind == _BY_FAMILY:
        user, inode = struct.unpack_from("=II", answer, _BEFORE_USER)
        return user, inode
    number = -struct.unpack_from("=i", answer, _HEAD.size)[0] if kind == _ERROR else 0
    if number == 2:  # ENOENT
        return None
    raise OSError(number, "the kernel does not say")


def _in_table(theirs: tuple[str, int], ours: tuple[str, int]) -> tuple[int, int] | None:
    """Return the same from the table of all connections."""
    their, our = _address(theirs[0]), _address(ours[0])
    wanted = [_as_in_table(their.packed, theirs[1]), _as_in_table(our.packed, ours[1])]
    try:
        with open("/proc/net/tcp6" if their.version == 6 else "/proc/net/tcp", encoding="ascii") as table:
            for line in table:
                words = line.split()
                if words[1:3] == wanted:
                    return int(words[7]), int(words[9])
    except OSError:
        pass
    return None


def _as_in_table(packed: bytes, port: int) -> str:
    """Return an address as the kernel's table writes it: words of 32 bits in the machine's order."""
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words) + f":{port:04X}"
