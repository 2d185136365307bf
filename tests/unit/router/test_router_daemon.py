"""condor_job_router: what it writes in one transaction for all users."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import MethodType, SimpleNamespace
from typing import Any

import pytest

from condor_py.core.routes.actions import Action
from condor_py.daemons.jobrouter import JobRouterDaemon
from condor_py.model.ids import JobId

ACTIONS = [Action((JobId(cluster, 0),), copy=SimpleNamespace(source=cluster)) for cluster in (1, 2)]  # type: ignore[arg-type]


class Daemon(SimpleNamespace):
    """As much of it as writing actions needs; the copy of job 1 cannot be made."""

    def __init__(self, transaction: AbstractContextManager[Any]) -> None:
        super().__init__(said=[], queued=[], again=[], done=[])
        self.log = SimpleNamespace(write=self.said.append)
        self.queue = SimpleNamespace(transaction=lambda: transaction)
        self.router = SimpleNamespace(refused=lambda action, why, now: why, again=self.again.extend)
        for name in ("_carry_out", "_write"):
            setattr(self, name, MethodType(getattr(JobRouterDaemon, name), self))

    def _notice(self, entries: Any) -> set[JobId]:
        return set()

    def _follow_soon(self) -> None:
        pass

    def _submit(self, transaction: Any, copy: Any) -> JobId:
        if copy.source == 1:
            raise ValueError("no number")
        self.queued.append(copy.source)
        return JobId(101, 0)

    def _written(self, written: list[tuple[Action, JobId | None]]) -> None:
        self.done += [action for action, _ in written]


def test_a_copy_that_cannot_be_made_keeps_no_others() -> None:
    """The transaction of all users failed, at each look."""
    daemon = Daemon(nullcontext(SimpleNamespace(caught_up=[])))
    daemon._carry_out(ACTIONS)
    assert daemon.queued == [2]
    assert daemon.done == ACTIONS[1:]
    assert daemon.said == ["JobRouter failure ValueError: no number"]


def test_what_could_not_be_written_is_looked_at_again_whatever_it_was() -> None:
    class Fails(nullcontext[Any]):
        def __exit__(self, *words: object) -> None:
            raise MemoryError

    daemon = Daemon(Fails(SimpleNamespace(caught_up=[])))
    with pytest.raises(MemoryError):
        daemon._carry_out(ACTIONS)
    assert daemon.again == ACTIONS
    assert daemon.done == []
