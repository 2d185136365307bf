"""Settings of the machine: what is probed, how it sleeps, and condor_rooster, which wakes sleeping machines."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, expression, integer, path, string
from condor_py.model.settings.shared import EXECUTE

#: What UNHIBERNATE is unless it is set: the negotiator had a job for the machine.
UNHIBERNATE = "MY.MachineLastMatchTime =!= undefined"


class PowerSettings(Settings, group="Execution point"):
    """The settings for the sleep of the machine. HIBERNATE itself is a policy of the slots.

    ``interval`` is HIBERNATE_CHECK_INTERVAL in seconds, 0 for never; ``awake`` the seconds that it stays awake at least
    after it was woken. ``plugin`` "" is the built-in one, with ``method`` (LINUX_HIBERNATION_METHOD); ``sys`` is the
    kernel's /sys.
    """

    interval: int = integer(
        "HIBERNATE_CHECK_INTERVAL", None, "Seconds between looks whether the machine may sleep; 0 is never.", at_least=0
    )
    override_wol: bool = boolean(
        "HIBERNATION_OVERRIDE_WOL", None, "Sleep although the machine seems not to wake by the network."
    )
    awake: int = integer(
        "HIBERNATION_MINIMUM_UPTIME", 3600, "Seconds that the machine stays awake at least after it was woken.", least=0
    )
    unhibernate: str = expression(
        "UNHIBERNATE",
        None,
        "Expression for waking a sleeping machine.",
        empty="MY.MachineLastMatchTime =!= undefined",
        checked=True,
    )
    plugin: str = path("HIBERNATION_PLUGIN", None, "Program that puts the machine to sleep.")
    plugin_args: tuple[str, ...] = ()
    method: str = ""
    sys: str = path(
        "HIBERNATION_SYS_DIRECTORY", "/sys", "Where the kernel's power files are; another place is for trials."
    )
    wake_early: int = integer(
        "HIBERNATION_WAKE_EARLY",
        60,
        "How many seconds before the next job that waits for its time a sleeping machine wakes.",
        least=0,
    )


class RoosterSettings(Settings, group="Services of larger pools"):
    """``interval`` in seconds, less than 0 for never; ``most`` machines a time, 0 for any number; ``command`` is what
    ROOSTER_WAKEUP_CMD says."""

    interval: int = integer("ROOSTER_INTERVAL", 300, "Seconds between looks for machines to wake.", least=0)
    unhibernate: str = expression(
        "ROOSTER_UNHIBERNATE", "Offline && Unhibernate", "Which machines are woken.", needed=True, checked=True
    )
    rank: str = expression("ROOSTER_UNHIBERNATE_RANK", "", "Which of them first.", checked=True)
    command: str = ""
    most: int = integer("ROOSTER_MAX_UNHIBERNATE", 0, "Most machines woken at once.", least=0)


class ProbeSettings(Settings, group="Startd: the machine"):
    """``host`` is the machine's full name; ``execute`` is EXECUTE, ``slot_executes`` are (slot number, directory) of
    SLOT<N>_EXECUTE; ``console_devices`` are names below /dev; without ``count_hyperthreads`` a core with several
    threads is one cpu; ``network_interface`` is an address, the name of an interface, or a pattern."""

    host: str
    execute: str = EXECUTE
    console_devices: tuple[str, ...] = ("console", "mouse")
    count_hyperthreads: bool = boolean("COUNT_HYPERTHREAD_CPUS", True, "Whether the threads of a core count as cpus.")
    network_interface: str = string("NETWORK_INTERFACE", "*", "Address that the daemons would use.", needed=True)
    slot_executes: tuple[tuple[int, str], ...] = ()

    def execute_of(self, slot_id: int) -> str:
        """Return the folder of the scratch directories of a slot."""
        return dict(self.slot_executes).get(slot_id, self.execute)
