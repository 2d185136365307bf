"""Interface of virtual machines, common to all drivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Failure(Exception):
    """The machine does not obey; the text is that of the program which runs it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a machine. ``by_itself``: it was shut down from within; else ``said`` is the reason why it is gone."""

    by_itself: bool
    said: str = ""


class Machine(Protocol):
    """One machine, from its start to its end; a saved one continues in a new Machine. Failure where something fails."""

    #: How it ended; None while it is there.
    outcome: Outcome | None
    #: The version of the program and the board, which a saved machine has to find again.
    board: str
    #: Where its screen is shown (VNC): a port of the loopback interface, 0 where it is not.
    port: int

    def start(self, saved: str = "") -> None:
        """Starts it, or lets it continue from the file ``saved``."""

    def fileno(self) -> int:
        """A descriptor that is readable when ``look`` has something to look at; -1 for one that wants to be looked at
        again and again."""

    def look(self) -> None:
        """Finds out whether it has ended."""

    def pause(self) -> None:
        """Pause it; it keeps its memory."""

    def go_on(self) -> None:
        """Let it continue after a pause."""

    def press(self) -> None:
        """Presses its power button (ACPI): a well-behaved system shuts itself down."""

    def save(self, path: str) -> None:
        """Writes all that it remembers to a file, and ends it."""

    def off(self) -> None:
        """Pulls its plug; at once."""
