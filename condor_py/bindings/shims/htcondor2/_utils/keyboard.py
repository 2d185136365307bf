"""Keys as they are pressed, under the name that the command line program ``htcondor`` uses."""

from __future__ import annotations

import atexit
import select
import sys
import termios
from typing import Any


class KBHit:
    """The keyboard of a terminal, read key by key without waiting: a context manager, or ``listen_term`` and
    ``reset_term``. The terminal is as before when the program ends."""

    def __init__(self, listen: bool = False) -> None:
        """termios.error when standard input is no terminal."""
        self.is_listening = False
        self.fd = sys.stdin.fileno()
        self.old_term = termios.tcgetattr(self.fd)
        self.new_term = termios.tcgetattr(self.fd)
        self.new_term[3] &= ~(termios.ICANON | termios.ECHO)
        if listen:
            self.listen_term()
        atexit.register(self.reset_term)

    def __enter__(self) -> KBHit:
        self.listen_term()
        return self

    def __exit__(self, *error: object) -> None:
        self.reset_term()

    def listening(self) -> bool:
        """Whether keys are read one by one now."""
        return self.is_listening

    def listen_term(self) -> None:
        """Read keys one by one, and do not show them."""
        self._set(self.new_term, listening=True)

    def reset_term(self) -> None:
        """Make the terminal what it was."""
        self._set(self.old_term, listening=False)

    def _set(self, attributes: list[Any], *, listening: bool) -> None:
        if self.is_listening is not listening:
            termios.tcsetattr(self.fd, termios.TCSAFLUSH, attributes)
            self.is_listening = listening

    def getch(self) -> str | None:
        """The key that was pressed; None for none."""
        return sys.stdin.read(1) if self.anyKeyPressed() else None

    def anyKeyPressed(self) -> bool:
        """Whether a key was pressed that was not read yet; False while not listening."""
        return self.is_listening and bool(select.select([sys.stdin], [], [], 0)[0])
