"""A process of the campaign load_clients: clients of a pool, one after the other.

It imports nothing of the tests, so that another account may run it. Its argument is an order in JSON: ``kinds`` of
clients, over how many ``seconds``, the directory of ``sockets``, ``seed`` and ``number``. The file ``results`` gets a
line of JSON for each client, and for each job that was submitted.
"""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import condor_py.htcondor as htcondor
from condor_py.client.wire import Client
from condor_py.model.messages.queue import Query, QueueCopy

#: Silent connections at a time, and seconds that a client waits for an answer.
_HELD, _PATIENCE = 60, 120.0
_DAEMONS = ("master", "schedd", "negotiator", "startd")


class Driver:
    """Clients, one after the other."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._schedd = htcondor.Schedd()
        self._choose = random.Random(order["seed"])
        self._held: list[socket.socket] = []
        self._clusters: list[int] = []

    def run(self) -> None:
        """Be all clients, at even distances as far as they are answered so quickly."""
        kinds_of: dict[str, Callable[[], str]] = {
            "query": self._query, "bindings": self._bindings, "submit": self._submit, "edit": self._edit,
            "tool": self._tool, "silent": self._silent, "garbage": self._garbage, "half": self._half,
        }  # fmt: skip
        begin, kinds, seconds = time.monotonic(), self._order["kinds"], self._order["seconds"]
        with open("results", "w") as results:
            for number, kind in enumerate(kinds):
                time.sleep(max(0.0, begin + seconds * number / len(kinds) - time.monotonic()))
                started = time.perf_counter()
                try:
                    wrong = kinds_of[kind]()
                except Exception as error:
                    wrong = f"{type(error).__name__}: {error}"
                took = time.perf_counter() - started
                results.write(json.dumps({"kind": kind, "took": took, "wrong": wrong}) + "\n")
            results.write("".join(json.dumps({"submitted": one}) + "\n" for one in self._clusters))
        for held in self._held:
            held.close()

    def _query(self) -> str:
        with Client(f"{self._order['sockets']}/schedd", _PATIENCE) as client:
            answer = client.ask(Query())
            return "" if isinstance(answer, QueueCopy) and client.files else f"answered {answer}"

    def _bindings(self) -> str:
        self._schedd.query(constraint="ProcId == 0", projection=["ClusterId"], limit=5)
        return ""

    def _submit(self) -> str:
        about = {"executable": "/bin/true", "hold": "true", "My.LoadClient": "1", "request_disk": "1"}
        self._clusters.append(self._schedd.submit(htcondor.Submit(about)).cluster())
        return ""

    def _edit(self) -> str:
        if not self._clusters:
            return self._submit()
        name = f"{self._choose.choice(self._clusters)}.0"
        self._schedd.edit([name], "LoadEdited", str(self._choose.randrange(1000)))
        return ""

    def _tool(self) -> str:
        command = [sys.executable, "-I", "-S", str(ROOT / "condor_py" / "__main__.py"), "condor_q", "-totals"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        return "" if done.returncode == 0 else f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"

    def _connected(self) -> socket.socket:
        """A connection to any daemon."""
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.settimeout(_PATIENCE)
        directory = os.open(self._order["sockets"], os.O_PATH)
        try:
            made.connect(f"/proc/self/fd/{directory}/{self._choose.choice(_DAEMONS)}")
        finally:
            os.close(directory)
        return made

    def _silent(self) -> str:
        self._held.append(self._connected())
        if len(self._held) > _HELD:
            self._held.pop(0).close()
        return ""

    def _garbage(self) -> str:
        """Nonsense is refused in a line, or its rest is waited for."""
        with self._connected() as sock:
            sock.settimeout(0.2)
            with suppress(TimeoutError, BrokenPipeError, ConnectionResetError):
                sock.sendall(self._choose.randbytes(self._choose.choice((1, 7, 8, 9, 100, 5000))))
                sock.recv(65536)
        return ""

    def _half(self) -> str:
        with self._connected() as sock:
            sock.sendall((60).to_bytes(4, "big") + (1000).to_bytes(4, "big") + b'{"op": "que')
        return ""


if __name__ == "__main__":
    Driver(json.loads(sys.argv[1])).run()
