"""The part of the schedd daemon that takes requests of tools, and tools that ask it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.core.jobs import requests
from condor_py.core.jobs.state import Departing
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.schedd.audit import AuditLog
from condor_py.daemons.schedd.clients import ClientRequests
from condor_py.daemons.schedd.daemon import ScheddDaemon
from condor_py.daemons.schedd.shared import SubmitRules
from condor_py.model.messages.codec import BadMessage, Message, Refused, head_of
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.submit_policy import SubmitPolicy
from condor_py.store.job_queue import JobQueue


class Batches:
    """An inbox for requests: what comes in between two batches shares a transaction."""

    def __init__(self, folder: Path, loop: Loop | None = None, **settings: Any) -> None:
        self.queue = JobQueue(str(folder / "job_queue.log"), uid_domain="example.net")
        settings_of_core = ScheddSettings(uid_domain="example.net", **settings)
        self.core = SimpleNamespace(settings=settings_of_core, state=SimpleNamespace(departing=Departing()))
        #: Lines of the schedd's log.
        self.logged: list[str] = []
        self._endings: list[Callable[[], None]] = []
        shared: Any = SimpleNamespace(
            loop=loop or SimpleNamespace(at_turn_end=self._endings.append),
            log=self.logged.append,
            paths=SimpleNamespace(spool=str(folder)),
            queue=self.queue,
            core=self.core,
            inbox=self,
        )
        rules = SubmitRules(SubmitPolicy(), self.logged.append)
        self.clients = ClientRequests(shared, rules, AuditLog(None, complain=print), self.send_when_told)
        self._inbox: list[Callable[[int], None]] = []
        self._records: list[Any] = []
        self._answers: list[Callable[[], None]] = []
        #: Unix seconds, and how many a batch takes.
        self.now, self.pace = 1000, 0
        #: Why the queue cannot be written; "" when it can.
        self.full = ""

    def later(self, job: Callable[[int], None]) -> None:
        self._inbox.append(job)

    def when_idle(self, job: Callable[[int], None]) -> None:
        self._inbox.append(job)

    def commit_for_client(
        self, records: list[Any], answer: Callable[[], None], *, hold_now: bool = False, refuse: Any = None
    ) -> None:
        if hold_now:
            requests.apply(self.queue, records)
        self._records += records
        self._answers.append(partial(refuse, self.full) if self.full and refuse else answer)

    def send_when_told(self, link: Any, message: Message) -> None:
        """There are no event logs to wait for."""
        link.send(message)

    @property
    def waits(self) -> bool:
        """Whether there is something to do."""
        return bool(self._inbox)

    def turn(self) -> None:
        """Batches until nothing is left to do."""
        while self._inbox:
            self.one_turn()

    def one_turn(self) -> None:
        """One batch."""
        inbox, self._inbox = self._inbox, []
        with self.queue.transaction() as transaction:
            for handle in inbox:
                handle(self.now)
            transaction.extend(self._records)
        self._records = []
        self.clients.settled()
        answers, self._answers = self._answers, []
        for answer in answers:
            answer()
        for ending in self._endings:
            ending()
        self._endings.clear()
        self.now += self.pace


class User:
    """A connection of a tool, and the answers it got."""

    def __init__(self, daemon: Batches, uid: int) -> None:
        self.daemon = daemon
        self.peer = SimpleNamespace(uid=uid)
        self.answers: list[dict[str, Any]] = []

    def charge(self, seconds: float) -> None:
        """Time is not counted here."""

    def send(self, message: Message, body: bytes = b"") -> None:
        self.answers.append(head_of(message))

    def ask(self, head: dict[str, Any], body: object = None) -> None:
        self.sends(head, json.dumps(body).encode())

    def sends(self, head: dict[str, Any], body: bytes) -> None:
        """As a link takes it."""
        try:
            self.daemon.clients.message(self, ScheddDaemon.hears.read(head), body)  # type: ignore[arg-type]
        except BadMessage as error:
            self.send(Refused(str(error)))

    def submits(self, cluster: int, procs: int = 1) -> None:
        ad = [("Cmd", f'"job {cluster}"'), ("JobStatus", "1")]
        self.ask({"op": "submit"}, [[cluster, ad, [[("ProcId", str(n))] for n in range(procs)], None]])


def two_accounts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Their numbers; they exist, and the schedd serves them as one of root's does, whoever runs the test."""
    for judge in ("may_change", "may_run_jobs"):
        monkeypatch.setattr(f"condor_py.daemons.schedd.clients.{judge}", lambda peer: True)
    monkeypatch.setattr("pwd.getpwuid", lambda uid: SimpleNamespace(pw_name=f"user{uid}"))
    return [os.getuid() + 1001, os.getuid() + 1002]
