"""A real starter whose startd is the test."""

from __future__ import annotations

import json
import os
import pwd
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from condor_py.client import wire
from condor_py.daemons.starter.launcher import be_starter
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.messages import runs
from condor_py.model.messages.codec import Message, refusal
from condor_py.model.report import ExitReport
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import HoldCode

CLAIM = "<here>#1#1#secret"
OWNER = pwd.getpwuid(os.geteuid()).pw_name
M = TypeVar("M", bound=Message)
Make = Callable[..., "Starter"]


class Starter:
    """A starter process of one claim; its scratch directories are below ``directory``. ``more`` are fields of its
    setup."""

    def __init__(
        self, directory: Path, queues_transfers: bool = False, slot: str = "", more: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:  # fmt: skip
        self.directory = directory
        self.log = directory / "StarterLog"
        setup = StarterSetup(
            CLAIM, "slot1@here", ClassAd(f"[{slot}]"), str(directory), "/usr/bin", "here", "here", (),
            LogSettings(str(self.log)), StarterSettings(str(directory), base_cgroup="", **settings),
            queues_transfers=queues_transfers,
        )  # fmt: skip
        setup = setup._replace(**more or {})
        self._sock, theirs = socket.socketpair()
        self.pid = os.fork()
        if not self.pid:
            self._sock.close()
            be_starter(setup, theirs)
        theirs.close()
        self._sock.settimeout(60)
        self._decoder = wire.Decoder()
        self._left: int | None = None

    def start(self, **fields: Any) -> None:
        """The order to start a job that sleeps, with these fields."""
        self._start({"Cmd": '"/bin/sleep"', "Arguments": '"100"', "TransferExecutable": "false"}, fields)

    def run(self, script: str, *, number: int = 1, schedd: str = "", **attributes: str) -> None:
        """The order to start a shell script of a job of a schedd; ``attributes`` are expressions."""
        path = self.directory / "job.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        self._start({"Cmd": quote_string(str(path)), **attributes}, {"run": number, "schedd": schedd})

    def _start(self, attributes: dict[str, str], fields: dict[str, Any]) -> None:
        items = {"Iwd": quote_string(str(self.directory)), "JobUniverse": "5", "ClusterId": "1", "ProcId": "0"}
        items |= {"Owner": quote_string(OWNER), "Out": '"out"', "ShouldTransferFiles": '"NO"', **attributes}
        head = {"op": "start", "claim": CLAIM, "job": "1.0", "run": 1, **fields}
        self._sock.sendall(wire.encode(head, json.dumps(items).encode()))

    def run_later(self, script: str) -> tuple[int, str, ExitReport]:
        """Runs a shell script at a time that has yet to come when the order does: another one, further ahead, where the
        machine stood still meanwhile. That time, what the log says of it, and how the run ended."""
        for number, seconds in enumerate((2, 20, 200), 1):
            before, due = len(self.log.read_text()), int(time.time()) + seconds
            self.run(script, number=number, DeferralTime=str(due))
            report, said = self.report(), self.log.read_text()[before:]
            if "is deferred for" in said and report.hold_code != HoldCode.MISSED_DEFERRAL_TIME:
                break
        return due, said, report

    def order(self, message: Message) -> None:
        """Any other."""
        self._sock.sendall(wire.encode(message))

    def refuse(self, head: dict[str, Any]) -> None:
        """What a startd says that cannot read that."""
        self._sock.sendall(wire.encode(refusal(head, ValueError("pid is too large a number"))))  # type: ignore[arg-type]

    def told(self, word: str) -> dict[str, Any]:
        """The next message with that word, or without one ("")."""
        while (head := self.told_any(word)).get("op", "") != word:
            pass
        return head

    def told_any(self, word: str = "a message") -> dict[str, Any]:
        """The next message, whatever it is."""
        while (message := self._decoder.next()) is None:
            data = self._sock.recv(65536)
            assert data, f"the starter has left without {word!r}"
            self._decoder.add(data)
        return message[0]

    def hears(self, kind: type[M]) -> M:
        """The next message of a kind."""
        message = runs.FROM_STARTER.read(self.told(kind.op))
        assert isinstance(message, kind)
        return message

    def hears_of(self, attribute: str) -> str:
        """The value of an attribute in the next update that has it."""
        while attribute not in (update := self.hears(runs.RunUpdate).attributes):
            pass
        return update[attribute]

    def report(self) -> ExitReport:
        """How the run ended."""
        return self.hears(runs.RunEnded).report

    def output(self) -> str:
        """What the last program wrote to its standard output."""
        return (self.directory / "out").read_text()

    def until_output(self, text: str) -> None:
        """Waits until the program has written so."""
        self.until(lambda: (self.directory / "out").exists() and text in self.output())

    def until(self, condition: Callable[[], bool]) -> None:
        """Waits until it holds."""
        limit = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < limit, self.log.read_text()
            time.sleep(0.01)

    def status(self) -> int:
        """Its exit status, when it has left."""
        if self._left is None:
            self._left = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._left

    def close(self) -> None:
        """The startd is gone."""
        self._sock.close()
