"""Commands to a running condor_dagman: halt, resume, new limits.

It listens on a socket without a file, whose name its job ad tells (DAG_Address); the kernel says who is calling, and
only its owner and root are heard. A request and its answer are one line of JSON each.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from typing import Any

from condor_py.client.wire import peer_of
from condor_py.model.errors import CondorError

Head = dict[str, Any]
#: Bytes of a request, and of an answer.
_MOST = 65_536
_PATIENCE = 20.0
_PREFIX = "unix-abstract:"


class RequestListener:
    """The side of condor_dagman."""

    def __init__(self) -> None:
        self.address = f"{_PREFIX}condor_dagman-{os.getpid()}-{os.urandom(8).hex()}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind("\0" + self.address.removeprefix(_PREFIX))
        self._socket.listen(16)
        self._socket.setblocking(False)

    def fileno(self) -> int:
        """A descriptor that can be read when a client connects."""
        return self._socket.fileno()

    def serve(self, answer: Callable[[Head], Head]) -> None:
        """Answer the clients that have connected. One that is slow, or not allowed, is ignored."""
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:
                return
            with caller:
                try:
                    self._one(caller, answer)
                except (OSError, ValueError, RecursionError):
                    continue

    def _one(self, caller: socket.socket, answer: Callable[[Head], Head]) -> None:
        caller.settimeout(1.0)
        if peer_of(caller).uid not in (0, os.geteuid()):
            reply: Head = {"Result": False, "ErrorString": "Not permitted to talk to this job"}
        else:
            request = json.loads(_line(caller))
            reply = answer(request if isinstance(request, dict) else {})
        caller.sendall(json.dumps(reply).encode() + b"\n")


def _line(stream: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        more = stream.recv(4096)
        if not more or len(data) > _MOST:
            raise ValueError("no whole line")
        data += more
    return data


def ask(address: str, request: Head) -> Head:
    """Give a command to the condor_dagman at ``address``; its answer. CondorError when it cannot be reached."""
    if not address.startswith(_PREFIX):
        raise CondorError(f"{address} is no address of a condor_dagman")
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
            stream.settimeout(_PATIENCE)
            stream.connect("\0" + address.removeprefix(_PREFIX))
            stream.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(_line(stream))
    except (OSError, ValueError) as error:
        raise CondorError(f"Failed to connect to DAGMan: {error}") from None
    return answer if isinstance(answer, dict) else {}
