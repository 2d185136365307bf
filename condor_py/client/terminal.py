"""The state of a terminal: raw for the time of a session, and given back whatever happens."""

from __future__ import annotations

import termios
from typing import Any

#: What termios.tcgetattr returns: flags for input, output, control, local; two speeds; special characters.
Attributes = list[Any]


def raw(attributes: Attributes) -> Attributes:
    """The same terminal passing every byte on as it comes, both ways (cfmakeraw)."""
    iflag, oflag, cflag, lflag, ispeed, ospeed, characters = attributes
    iflag &= ~(
        termios.IGNBRK | termios.BRKINT | termios.PARMRK | termios.ISTRIP | termios.INLCR | termios.IGNCR
        | termios.ICRNL | termios.IXON
    )  # fmt: skip
    oflag &= ~termios.OPOST
    lflag &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
    cflag = cflag & ~(termios.CSIZE | termios.PARENB) | termios.CS8
    characters = list(characters)
    characters[termios.VMIN], characters[termios.VTIME] = b"\x01", b"\x00"
    return [iflag, oflag, cflag, lflag, ispeed, ospeed, characters]


class SavedTerminal:
    """The state of a terminal as it was. The descriptor stays the caller's."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.before: Attributes = termios.tcgetattr(descriptor)

    def make_raw(self) -> None:
        """Every byte passes."""
        termios.tcsetattr(self.descriptor, termios.TCSANOW, raw(self.before))

    def give_back(self) -> None:
        """As it was, if it is still there (the window may have been closed)."""
        try:
            termios.tcsetattr(self.descriptor, termios.TCSADRAIN, self.before)
        except termios.error:
            return

    def give_back_if_raw(self) -> None:
        """Restore the terminal, unless another process (a shell) has set it since.

        This is for a process that outlives the one that made the terminal raw.
        """
        try:
            if _comparable(termios.tcgetattr(self.descriptor)) == _comparable(raw(self.before)):
                termios.tcsetattr(self.descriptor, termios.TCSANOW, self.before)
        except termios.error:
            return  # the terminal itself is gone


def _comparable(attributes: Attributes) -> tuple[Any, ...]:
    """Return the settings by which a raw terminal differs from one in use.

    VMIN and VTIME come back as numbers when it is raw.
    """
    characters = attributes[6]
    return (*attributes[:4], *(ord(c) if isinstance(c, bytes) else c for c in characters[: termios.VMIN + 2]))
