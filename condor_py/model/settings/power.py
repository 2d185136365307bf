"""Settings of a machine that sleeps while nobody needs it, and of condor_rooster, which wakes such machines."""

from __future__ import annotations

from dataclasses import dataclass

#: What UNHIBERNATE is unless it is set: the negotiator had a job for the machine.
UNHIBERNATE = "MY.MachineLastMatchTime =!= undefined"


@dataclass(frozen=True, slots=True)
class PowerSettings:
    """How the machine sleeps. HIBERNATE itself is a policy of the slots.

    ``interval`` is HIBERNATE_CHECK_INTERVAL in seconds, 0 for never; ``awake`` the seconds that it stays awake at least
    after it was woken. ``plugin`` "" is ours, with ``method`` (LINUX_HIBERNATION_METHOD); ``sys`` is the kernel's /sys.
    """

    interval: int = 0
    override_wol: bool = False
    awake: int = 3600
    unhibernate: str = UNHIBERNATE
    plugin: str = ""
    plugin_args: tuple[str, ...] = ()
    method: str = ""
    sys: str = "/sys"
    wake_early: int = 60


@dataclass(frozen=True, slots=True)
class RoosterSettings:
    """``interval`` in seconds, less than 0 for never; ``most`` machines a time, 0 for any number; ``command`` is what
    ROOSTER_WAKEUP_CMD says."""

    interval: int
    unhibernate: str
    rank: str
    command: str
    most: int = 0
