"""qemu's monitor protocol (QMP): one JSON object a line, an answer to each command, and events in between."""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Callable
from typing import Any

_CHUNK = 1 << 16
#: Bytes of one message, at most.
_MOST = 1 << 22


class Refusal(Exception):
    """qemu does not obey; the text is its own."""


class Hangup(Exception):
    """qemu has closed the connection, or sends what is no message."""


class Monitor:
    """One connection. ``happened`` receives events; ``check`` is called while we wait, and may raise."""

    def __init__(
        self, sock: socket.socket, happened: Callable[[str, dict[str, Any]], None], check: Callable[[], None]
    ) -> None:
        self._socket = sock
        self._happened = happened
        self._check = check
        self._data = b""

    def fileno(self) -> int:
        """The descriptor that is readable when something has happened."""
        return self._socket.fileno()

    def greet(self, patience: float) -> str:
        """Begins; which version of qemu it is ("7.2"). Hangup, TimeoutError."""
        deadline = time.monotonic() + patience
        hello = self._message(deadline)
        self._run("qmp_capabilities", {}, deadline)
        try:
            version = hello["QMP"]["version"]["qemu"]
            return f"{version['major']}.{version['minor']}"
        except (KeyError, TypeError):
            raise Hangup from None

    def run(self, command: str, patience: float, fds: tuple[int, ...] = (), **arguments: Any) -> Any:
        """The answer of a command. Refusal, Hangup, TimeoutError. Underscores in names of arguments are hyphens."""
        named = {name.replace("_", "-"): value for name, value in arguments.items()}
        return self._run(command, named, time.monotonic() + patience, fds)

    def _run(self, command: str, arguments: dict[str, Any], deadline: float, fds: tuple[int, ...] = ()) -> Any:
        line = json.dumps({"execute": command, **({"arguments": arguments} if arguments else {})}).encode() + b"\n"
        try:
            socket.send_fds(self._socket, [line], list(fds))
        except OSError:
            raise Hangup from None
        while True:
            message = self._message(deadline)
            if "error" in message:
                error = message["error"]
                raise Refusal(str(error.get("desc", error) if isinstance(error, dict) else error))
            if "return" in message:
                return message["return"]

    def look(self) -> None:
        """Takes what has come without being asked for. Hangup."""
        while select.select([self._socket], [], [], 0)[0] or b"\n" in self._data:
            self._message(time.monotonic())

    def _message(self, deadline: float) -> dict[str, Any]:
        """Return the next message; an event is handed to its callback."""
        while b"\n" not in self._data:
            self._check()
            left = deadline - time.monotonic()
            if not select.select([self._socket], [], [], max(0.0, min(left, 0.5)))[0]:
                if left <= 0:
                    raise TimeoutError("qemu does not answer")
                continue
            self._receive()
        line, _, self._data = self._data.partition(b"\n")
        message = _understood(line)
        if "event" in message:
            data = message.get("data")
            self._happened(str(message["event"]), data if isinstance(data, dict) else {})
        return message

    def _receive(self) -> None:
        try:
            data = self._socket.recv(_CHUNK)
        except OSError:
            data = b""
        if not data or len(self._data) > _MOST:
            raise Hangup
        self._data += data

    def close(self) -> None:
        """Lets go of it."""
        self._socket.close()


def _understood(line: bytes) -> dict[str, Any]:
    """Return a message. Hangup for what is none: nothing that follows could be understood."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise Hangup from None
    if not isinstance(message, dict):
        raise Hangup
    return message
