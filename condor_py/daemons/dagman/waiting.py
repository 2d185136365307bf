"""Waiting for what happens next: the nodes log grows, a child ends, a signal comes, or it is time."""

from __future__ import annotations

import select
import signal
import socket
import time
from types import FrameType

from condor_py.client.watch import FileWatch


class Waiter:
    """Ends its wait as soon as the file of ``follow`` changes or a signal comes. ``received`` are the signals that have
    come."""

    def __init__(self) -> None:
        self.received: list[int] = []
        self._others: list[int] = []
        self._watch: FileWatch | None = None
        self._ear, self._mouth = socket.socketpair()
        self._ear.setblocking(False)
        self._mouth.setblocking(False)
        signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, self._signalled)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        self.received.append(number)

    def take_signals(self) -> list[int]:
        """Take out the signals that have come. One that comes meanwhile is left for the next call."""
        taken = list(self.received)
        del self.received[: len(taken)]
        return taken

    def listen(self, descriptor: int) -> None:
        """End waits when this can be read; its owner reads."""
        self._others.append(descriptor)

    def wake(self) -> None:
        """The next wait ends at once."""
        try:
            self._mouth.send(b"\0")
        except BlockingIOError:
            return  # it is awake already

    def follow(self, path: str) -> None:
        """Notice from now on that this file changes."""
        self._watch = FileWatch(path)

    def wait(self, seconds: float) -> None:
        """Return when something may have happened, or after ``seconds``."""
        deadline = time.monotonic() + max(0.0, seconds)
        poller = select.poll()
        poller.register(self._ear, select.POLLIN)
        if self._watch is not None and self._watch.handle >= 0:
            poller.register(self._watch.handle, select.POLLIN)
        for other in self._others:
            poller.register(other, select.POLLIN)
        if self.received:
            return
        poller.poll(max(0.0, deadline - time.monotonic()) * 1000)
        self._drain()

    def _drain(self) -> None:
        try:
            while self._ear.recv(4096):
                pass
        except BlockingIOError:
            pass
        if self._watch is not None:
            self._watch.drain()
