"""A terminal of a person: a program runs on it, keys are typed, and its screen is read back."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyte
from pool import PATIENCE


class LiveScreen:
    """A terminal of 80 columns and 24 lines, and the program on it. ``raw`` is every byte that it has written."""

    def __init__(self, process: subprocess.Popen[bytes], near: int, far: int) -> None:
        self.process = process
        self.raw = b""
        self._near = near
        self._far = far
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def lines(self) -> list[str]:
        """The lines of the screen as they are now."""
        self.read(0.0)
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def colored(self) -> bool:
        """Whether anything on the screen has a colour."""
        self.read(0.0)
        cells = (cell for line in self._screen.buffer.values() for cell in line.values())
        return any(cell.fg != "default" or cell.bg != "default" for cell in cells)

    def read(self, seconds: float) -> None:
        """Takes in what comes within that time."""
        deadline = time.monotonic() + seconds
        while select.select([self._near], [], [], max(0.0, deadline - time.monotonic()))[0]:
            try:
                piece = os.read(self._near, 65536)
            except OSError:
                return
            self.raw += piece
            self._stream.feed(piece)

    def wait_for(self, condition: Callable[[str], object], what: str, seconds: float = 60.0) -> None:
        """Returns as soon as the text of the screen fulfils the condition."""
        deadline = time.monotonic() + seconds * PATIENCE
        while not condition(self.text):
            assert time.monotonic() < deadline, f"timed out: {what}\n{self.text}"
            self.read(0.1)

    def shows(self, piece: str) -> None:
        """Waits for a piece of text on the screen."""
        self.wait_for(lambda text: piece in text, f"{piece!r} on the screen")

    def type(self, *keys: str) -> None:
        for key in keys:
            os.write(self._near, key.encode())

    def resize(self, columns: int, lines: int) -> None:
        """The terminal becomes another size, as a window does."""
        self._screen.resize(lines, columns)
        fcntl.ioctl(self._near, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def hang_up(self) -> None:
        """The connection is lost."""
        os.close(self._near)
        os.close(self._far)
        self._near = self._far = -1

    def settings(self) -> list[object]:
        """What stty shows: input, output, control and local flags, and the special characters."""
        found = termios.tcgetattr(self._far)
        return [*found[:4], found[6]]

    def end(self, seconds: float = 60.0) -> int:
        """Waits for the end of the program; its exit status."""
        deadline = time.monotonic() + seconds * PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            if self._near >= 0:
                self.read(0.05)
            else:
                time.sleep(0.02)
        status = self.process.wait(1)
        if self._near >= 0:
            self.read(0.0)  # what it wrote at last
        return status

    def close(self) -> None:
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
        if self._near >= 0:
            os.close(self._near)
            os.close(self._far)


@contextlib.contextmanager
def live_screen(
    command: list[str], environment: dict[str, str], directory: Path, user: str | None = None, term: str = "linux"
) -> Iterator[LiveScreen]:
    """Runs a command on a terminal of its own, in a session of its own."""
    near, far = os.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    if user is not None:
        import pwd

        os.fchown(far, pwd.getpwnam(user).pw_uid, -1)
    process = subprocess.Popen(
        ["setsid", "-c", *command],
        env=environment | {"TERM": term}, cwd=directory, stdin=far, stdout=far, stderr=far, user=user,
    )  # fmt: skip
    screen = LiveScreen(process, near, far)
    try:
        yield screen
    finally:
        screen.close()
