"""Settings of what the machine computes while no job needs its slots (ENABLE_BACKFILL)."""

from __future__ import annotations

from typing import NamedTuple


class BoincSettings(NamedTuple):
    """BACKFILL_SYSTEM = BOINC: one client for all slots (BOINC_*). ``arguments`` and ``environment`` are raw texts."""

    executable: str
    directory: str = ""
    arguments: str = ""
    environment: str = ""
    output: str = ""
    error: str = ""
    owner: str = ""


class CommandSettings(NamedTuple):
    """BACKFILL_SYSTEM = COMMAND: a command line for each slot (BACKFILL_COMMAND...), as it stands in the configuration;
    ``of_slots`` are those of slots that have their own, by number.

    ``owner`` is the account (only root can choose one), ``directory`` where it works ("" : in a scratch directory of
    its own), ``output`` the file to which everything that it prints is appended ("" : thrown away). ``wait`` is how
    many seconds after its end it is started again; doubled after each bad end, up to ``longest_wait``.
    """

    command: str
    of_slots: tuple[tuple[int, str], ...] = ()
    environment: str = ""
    owner: str = "nobody"
    directory: str = ""
    output: str = ""
    niceness: int = 19
    wait: float = 10.0
    longest_wait: float = 3600.0

    def line(self, slot_id: int) -> str:
        """The command line of a slot number; "" for none."""
        return dict(self.of_slots).get(slot_id, self.command)
