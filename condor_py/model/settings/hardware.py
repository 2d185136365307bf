"""What the probes of the machine take from the configuration."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, string
from condor_py.model.settings.shared import EXECUTE


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
        """Where the scratch directories of a slot are."""
        return dict(self.slot_executes).get(slot_id, self.execute)
