"""What the probes of the machine take from the configuration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """``host`` is the machine's full name; ``execute`` is EXECUTE, ``slot_executes`` are (slot number, directory) of
    SLOT<N>_EXECUTE; ``console_devices`` are names below /dev; without ``count_hyperthreads`` a core with several
    threads is one cpu; ``network_interface`` is an address, the name of an interface, or a pattern."""

    host: str
    execute: str
    console_devices: tuple[str, ...] = ("console", "mouse")
    count_hyperthreads: bool = True
    network_interface: str = "*"
    slot_executes: tuple[tuple[int, str], ...] = ()

    def execute_of(self, slot_id: int) -> str:
        """Where the scratch directories of a slot are."""
        return dict(self.slot_executes).get(slot_id, self.execute)
