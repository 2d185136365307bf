"""condor_power: a packet that wakes a machine from a low power state (manual page)."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, parse
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd

_HOST = re.compile(r"<([^:>?]+)")

_SPEC = ToolSpec(
    name="condor_power",
    usage="[-d] [-i] [-m MAC] [-s MASK] [-p PORT] [FILE]",
    summary="Wake a machine from a low power state, by a packet on the network.",
    positional="[FILE]",
    positional_help="a file with the machine's ad; standard input when neither it nor -m is given",
    description=(
        "Sends one Wake on LAN packet to a machine, which its hardware address names, or its ad by "
        "HardwareAddress, SubnetMask and MyAddress of `condor_status -long`. The packet goes to the broadcast address "
        "of the machine's subnet. IsWakeAble in its ad tells whether it can be woken this way. condor_rooster runs "
        "this program for machines that sleep."
    ),
    options=(
        Opt("h", EXACT, same_as="help", help="this text"),
        Opt("help", EXACT, help="this text"),
        Opt("version", EXACT, help="the version and the platform"),
        Opt("d", EXACT, help="tell on stderr what is done"),
        Opt("i", EXACT, help="read the ad from standard input"),
        Opt("m", EXACT, "MAC", help="hardware address: six pairs of hexadecimal digits, with colons between them"),
        Opt("s", EXACT, "MASK", help="subnet mask; by default the packet goes to 255.255.255.255"),
        Opt("p", EXACT, "PORT", help="UDP port (9)", convert=int, invalid="-p needs a number, not {value}"),
    ),
    examples=(
        ("condor_power -m 00:1a:2b:3c:4d:5e", "a machine of this network"),
        ("condor_status -long slot1@host | condor_power -i", "the machine of an ad"),
    ),
    exit_status="0 when the packet was sent, 1 otherwise.",
    see_also=("condor_rooster", "condor_status"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_power."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    from condor_py.machine.probes import magicpacket

    if len(args.positional) > 1:
        raise CondorError("condor_power: wrong number of arguments.")
    hardware, address, mask, port = _target(args)
    try:
        data, target = magicpacket.packet(hardware), magicpacket.broadcast(address, mask)
        if args.has("d"):
            sys.stderr.write(f"Hardware address {hardware}, subnet {mask}, broadcast address {target}, port {port}\n")
        magicpacket.send(data, target, port)
    except (ValueError, OSError, OverflowError) as error:
        raise CondorError(f"condor_power: failed to send wake packet: {error}") from None
    sys.stderr.write("Packet sent.\n")
    return 0


def _target(args: Args) -> tuple[str, str, str, int]:
    """Hardware address, address, subnet mask and port."""
    from condor_py.machine.probes.magicpacket import PORT

    port = args.number("p")
    if args.has("m") and not args.has("i") and not args.positional:
        return args.text("m", ""), "255.255.255.255", args.text("s") or "0.0.0.0", PORT if port is None else port
    ad = _read(args.positional[0] if args.positional else "")
    hardware, mask = ad.eval_str("HardwareAddress", None), ad.eval_str("SubnetMask", None)
    address = _HOST.match(ad.eval_str("MyAddress", ""))
    for name, value in (("HardwareAddress", hardware), ("SubnetMask", mask), ("MyAddress", address)):
        if not value:
            raise CondorError(f"condor_power: failed to send wake packet: the ad has no {name}")
    known = ad.eval_int("WakePort", 0) or PORT
    return hardware or "", address[1] if address else "", mask or "", known if port is None else port


def _read(name: str) -> ClassAd:
    from condor_py.store.longform import ad_of_lines

    try:
        if not name:
            return ad_of_lines(_first(sys.stdin.read()), "<stdin>")
        with open(name, encoding="utf-8", errors="surrogateescape") as file:
            return ad_of_lines(_first(file.read()), name)
    except OSError as error:
        why = f"{error.strerror} (errno = {error.errno})"
        raise CondorError(f"condor_power: cannot open file {name} - {why}.") from None


def _first(text: str) -> list[str]:
    """The lines of the first of several ads."""
    return text.strip("\n").split("\n\n", 1)[0].splitlines()
