"""Levels of authorization and commands of HTCondor, and what a daemon has said about the caller, as an ad.

``commands.tsv`` has a line for each command: its number, its name, and the level that each kind of daemon asks for
(``schedd:WRITE``; ``any`` is every daemon). A command that no daemon of this pool knows has none.
"""

from __future__ import annotations

import os
from functools import cache
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.model.messages.access import Pinged

#: The command that stands for a level in HTCondor's pings. OWNER is what ADMINISTRATOR was called before.
LEVELS = {
    "ALLOW": "DC_NOP", "READ": "DC_NOP_READ", "WRITE": "DC_NOP_WRITE", "NEGOTIATOR": "DC_NOP_NEGOTIATOR",
    "ADMINISTRATOR": "DC_NOP_ADMINISTRATOR", "OWNER": "DC_NOP_OWNER", "CONFIG": "DC_NOP_CONFIG",
    "DAEMON": "DC_NOP_DAEMON", "ADVERTISE_STARTD": "DC_NOP_ADVERTISE_STARTD",
    "ADVERTISE_SCHEDD": "DC_NOP_ADVERTISE_SCHEDD", "ADVERTISE_MASTER": "DC_NOP_ADVERTISE_MASTER",
}  # fmt: skip
#: The command by which HTCondor asks a daemon.
_QUERY = 60040
_ANY = "any"


class Command(NamedTuple):
    """A command: its number, its name, and the level that each kind of daemon asks for."""

    number: int
    name: str
    levels: dict[str, str]

    def level(self, kind: str) -> str:
        """Return the level that a kind of daemon (``schedd``, ``any`` ...) asks for; "" where it is unknown to it."""
        if kind == _ANY and self.levels:
            return next(iter(self.levels.values()))
        return self.levels.get(kind) or self.levels.get(_ANY, "")


@cache
def commands() -> dict[str, Command]:
    """Return HTCondor's commands by name."""
    found = {}
    with open(os.path.join(os.path.dirname(__file__), "commands.tsv"), encoding="ascii") as file:
        for line in file:
            number, name, levels = line.rstrip("\n").split("\t")
            pairs = [item.split(":") for item in levels.split()]
            found[name] = Command(int(number), name, dict(pairs))
    return found


def command_of(word: str) -> Command | None:
    """Return the command that a level, a name or a number of condor_ping means; None for any other word."""
    name = word.upper()
    found = commands().get(LEVELS.get(name, name))
    if found is not None:
        return found
    if word.isascii() and word.isdigit() and word == str(number := int(word[:_DIGITS])):
        return by_number(number)
    return None


#: Digits of a number of a command, at most.
_DIGITS = 9


def by_number(number: int) -> Command:
    """Return the command of a number; an unknown one is named by it."""
    known = (command for command in commands().values() if command.number == number)
    return next(known, Command(number, f"command {number}", {}))


def policy_ad(pinged: Pinged, command: Command, address: str) -> ClassAd:
    """Return what a daemon has agreed on with the caller, in HTCondor's attributes. Connections are sockets of this
    machine: the kernel says who calls (as in the method FS), and nothing is encrypted."""
    return ClassAd(
        {
            "AuthCommand": command.number,
            "Authentication": "YES",
            "AuthMethods": "FS",
            "AuthMethodsList": "FS",
            "Command": _QUERY,
            "ConnectSinful": address,
            "Enact": "YES",
            "Encryption": "NO",
            "Integrity": "NO",
            "MyRemoteUserName": pinged.user,
            "RemoteVersion": pinged.version,
            "Subsystem": "TOOL",
            "TriedAuthentication": True,
            "User": pinged.user,
        }
    )
