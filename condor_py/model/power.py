"""States of low power (ACPI's S1 to S5), and what a machine can do to reach them and to wake up again."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple


class SleepState(IntEnum):
    """The numbers are those of HibernationLevel, the names those of HibernationState."""

    NONE = 0
    S1 = 1
    S2 = 2
    S3 = 3
    S4 = 4
    S5 = 5


_NAMES = {
    SleepState.NONE: ("none", "0"),
    SleepState.S1: ("s1", "1", "standby", "sleep"),
    SleepState.S2: ("s2", "2"),
    SleepState.S3: ("s3", "3", "ram", "mem", "suspend"),
    SleepState.S4: ("s4", "4", "disk", "hibernate"),
    SleepState.S5: ("s5", "5", "shutdown", "off"),
}
_BY_NAME = {name: state for state, names in _NAMES.items() for name in names}
#: Kinds of packets that wake a machine: the kernel's bits (ethtool.h) and HTCondor's words.
_PACKETS = (
    (1 << 0, "Physical Packet"),
    (1 << 1, "UniCast Packet"),
    (1 << 2, "MultiCast Packet"),
    (1 << 3, "BroadCast Packet"),
    (1 << 4, "ARP Packet"),
    (1 << 5, "Magic Packet"),
    (1 << 6, "Secure Magic Packet"),
)
_MAGIC = 1 << 5


def sleep_state(text: str) -> SleepState:
    """The state that a value of HIBERNATE names, in any case; NONE for what names none."""
    return _BY_NAME.get(text.strip().lower(), SleepState.NONE)


def is_sleep_state(text: str) -> bool:
    """Whether a text names a state, NONE included."""
    return text.strip().lower() in _BY_NAME


def states_text(states: Iterable[SleepState]) -> str:
    """HibernationSupportedStates."""
    return ",".join(state.name for state in sorted(set(states) - {SleepState.NONE}))


def states_mask(states: Iterable[SleepState]) -> int:
    """HibernationRawMask: a bit for each state, S1 the lowest."""
    return sum(1 << (state - 1) for state in set(states) - {SleepState.NONE})


class PowerAbilities(NamedTuple):
    """The method that puts this machine to sleep (HibernationMethod), and the states that it reaches."""

    method: str = "NONE"
    states: tuple[SleepState, ...] = ()


class WakeFacts(NamedTuple):
    """By which packets the network interface can wake the machine, and by which it will: the kernel's bits."""

    supported: int = 0
    enabled: int = 0

    @property
    def is_supported(self) -> bool:
        """IsWakeOnLanSupported: a magic packet could wake it."""
        return bool(self.supported & _MAGIC)

    @property
    def is_enabled(self) -> bool:
        """IsWakeOnLanEnabled: a magic packet will wake it."""
        return bool(self.enabled & _MAGIC)

    @property
    def is_wakeable(self) -> bool:
        """IsWakeAble: some packet will."""
        return bool(self.supported & self.enabled)


def packets_text(bits: int) -> str:
    """WakeOnLanSupportedFlags and WakeOnLanEnabledFlags."""
    return ",".join(word for bit, word in _PACKETS if bits & bit) or "NONE"
