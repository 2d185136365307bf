"""The engine of ARC computing elements after the death of a gridmanager: what a look finds then, nobody can choose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.core.grid.actions import Look, StageIn
from condor_py.core.grid.events import Ended, Event, Looked, StageFailed
from condor_py.daemons.gridmanager import archttp
from condor_py.daemons.gridmanager.arcengine import ArcEngine
from condor_py.daemons.gridmanager.archttp import Credential, Found
from condor_py.lang.classad import ClassAd
from condor_py.model.gridjobs import Ending, Stand
from condor_py.model.ids import JobId

RESOURCE = "arc https://here"
OURS = {"half": JobId(1, 0), "whole": JobId(2, 0), "done": JobId(3, 0), "failed": JobId(4, 0)}


@pytest.fixture
def told() -> list[Event]:
    return []


@pytest.fixture
def engine(tmp_path: Path, told: list[Event], monkeypatch: pytest.MonkeyPatch) -> ArcEngine:
    host: Any = SimpleNamespace(
        directory=str(tmp_path), places=SimpleNamespace(call_timeout=1), access_point="here", transfer=None, loop=None,
        log=lambda text: None, tell=told.append, names=lambda: list(OURS), job_named=OURS.get, remote_id=lambda job: "",
    )  # fmt: skip
    made = ArcEngine(host)

    def at_once(work: Callable[[], Any], then: Callable[[Any, str, bool], None]) -> None:
        then(work(), "", False)

    monkeypatch.setattr(made, "_run", at_once)
    for name in OURS:
        (tmp_path / "jobs" / name).mkdir()
        made._records.make(name, RESOURCE, Credential("", "/proxy"))
    made._records.sent("whole")
    return made


def test_what_did_not_come_whole_and_what_nobody_waits_for_goes_before_the_look_is_over(
    engine: ArcEngine, told: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[tuple[str, list[str], int]] = []
    found = [
        Found("half", "a", "PREPARING"), Found("whole", "b", "PREPARING"), Found("stranger", "c", "RUNNING"),
        Found("done", "d", "FAILED", Ending(100)), Found("failed", "e", "FAILED", None, "ARC job failed: why"),
        Found("", "f", ""),
    ]  # fmt: skip
    monkeypatch.setattr(archttp, "look", lambda *_: found)

    def tell(service: object, action: str, ids: list[str]) -> list[str]:
        gone.append((action, ids, sum(isinstance(event, Looked) for event in told)))
        return []

    monkeypatch.setattr(archttp, "tell", tell)
    engine.carry_out(Look(RESOURCE))
    assert gone == [("kill", ["a", "c"], 0), ("clean", ["a", "c"], 0)]
    ended, looked = told
    assert ended == Ended(OURS["done"], Ending(100))
    assert isinstance(looked, Looked)
    stands = {name: (one.remote_id, one.stand, one.reason, one.word) for name, (one,) in looked.jobs.items()}
    assert stands == {
        "whole": ("b", Stand.WAITS, "", "PREPARING"),
        "done": ("d", Stand.OVER, "", "FAILED"),
        "failed": ("e", Stand.STOPPED, "ARC job failed: why", "FAILED"),
    }


def test_a_job_that_shows_nothing_is_held(engine: ArcEngine, told: list[Event]) -> None:
    engine.carry_out(StageIn(JobId(1, 0), RESOURCE, "half", ClassAd('[ Iwd = "/"; Cmd = "/bin/true" ]')))
    (event,) = told
    assert isinstance(event, StageFailed)
    assert event.reason == "ARC job has no credentials"
