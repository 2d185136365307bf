"""The engine of other pools, whose schedd goes away at the moment that nobody can choose in a real pool."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.core.grid.actions import Edit
from condor_py.daemons.gridmanager import condorengine
from condor_py.lang.classad import ClassAd
from condor_py.machine.batch import condorjobs
from condor_py.model.ids import JobId

Answer = Callable[[Any, str, bool], None]


class There:
    """The other schedd: questions as they come, each with who waits for its answer."""

    def __init__(self, *_: object) -> None:
        self.asked: list[tuple[str, Answer, dict[str, Any]]] = []

    def ask(self, what: str, then: Answer, **fields: Any) -> None:
        self.asked.append((what, then, fields))

    def next(self) -> tuple[str, Answer, dict[str, Any]]:
        return self.asked.pop(0)


class Loop:
    """Does what is due when the test says so, and knows what comes later."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []
        self.later: list[Callable[[], None]] = []

    def soon(self, do: Callable[[], None]) -> None:
        self.due.append(do)

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        self.later.append(do)

    def turn(self) -> None:
        due, self.due, self.later = self.due + self.later, [], []
        for do in due:
            do()


def test_an_edit_is_made_once_the_other_schedd_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condorengine, "Interpreter", There)
    loop, log = Loop(), list[str]()
    places = SimpleNamespace(condor_config="", call_timeout=1)
    host: Any = SimpleNamespace(
        loop=loop, log=log.append, places=places, environment={}, access_point="here", directory="/spool"
    )
    engine = condorengine.CondorEngine(host)
    resource = "condor there pool"
    talk: Any = engine._place(resource).talk
    here = ClassAd.from_text_items([("JobPrio", "7")])
    there = [{"ClusterId": "12", "ProcId": "0", condorjobs.NAME: '"mine"', condorjobs.HAS: '"JobPrio:0"'}]

    engine.carry_out(Edit(JobId(1, 0), resource, "mine", "12.0", here))
    for _ in range(2):
        loop.turn()
        what, then, _fields = talk.next()
        assert what == "jobs"
        then(there, "", False)
        what, then, fields = talk.next()
        assert (what, fields["job"], fields["assignments"]["JobPrio"]) == ("edit", "12.0", "7")
        then(None, "cannot connect", True)
    assert log == ["edits of mine cannot be made in the other pool yet: cannot connect"] * 2

    loop.turn()
    talk.next()[1](there, "", False)
    talk.next()[1](None, "no such attribute", False)
    loop.turn()
    assert talk.asked == []
    assert log[2:] == ["cannot edit a job of the other pool: no such attribute"]
