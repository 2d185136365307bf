"""A starter and whoever forked it refuse what the other tells: the job ends with a report, and nobody waits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name) for name in ("schedd", "starter")]

from starter_process import CLAIM, Starter
from world import World

from condor_py.core.jobs import events as on
from condor_py.core.slots.state import ClaimInfo
from condor_py.daemons.schedd.links import Acknowledgements
from condor_py.daemons.schedd.local import LocalStarters
from condor_py.daemons.startd.refusals import Refusals, Reports
from condor_py.daemons.startd.starters import Starters
from condor_py.model.ids import JobId
from condor_py.model.messages import claims as say
from condor_py.model.messages import runs
from condor_py.model.messages.claims import ReleaseClaim
from condor_py.model.messages.codec import Refused, refusal
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode

HELD = HoldCode.STARTD_HELD_JOB


@pytest.fixture
def starter(tmp_path: Path) -> Iterator[Starter]:
    made = Starter(tmp_path)
    yield made
    made.close()


def test_a_starter_names_the_start_that_it_refuses_and_takes_the_next(starter: Starter) -> None:
    starter.told("ready")
    starter.start(run=1 << 70)
    told = starter.told("")
    assert (told["word"], told["claim"], told["job"]) == ("start", CLAIM, "1.0")
    assert told["error"] == "start: run is too large a number"
    starter.start()
    assert starter.told("started")["job"] == "1.0"
    starter.close()
    assert starter.status() == 0


def test_a_starter_whose_news_of_the_start_is_refused_has_the_job_held_and_leaves(starter: Starter) -> None:
    starter.start()
    starter.refuse(starter.told("started"))
    report = starter.told("ended")["report"]
    assert (report["claim_id"], report["job"], report["run"], report["hold_code"]) == (CLAIM, "1.0", 1, HELD)
    assert report["hold_reason"] == "The message 'started' of the starter was refused: pid is too large a number"
    assert starter.status() == 1


def test_a_starter_whose_report_is_refused_sends_one_that_only_holds(starter: Starter) -> None:
    starter.start()
    starter.told("started")
    starter.order(runs.HardKill(CLAIM))
    report = starter.told("ended")
    assert "hold_code" not in report["report"]
    starter.refuse(report)
    assert starter.told("ended")["report"]["hold_code"] == HELD
    assert starter.status() == 1


def test_news_that_nobody_waits_for_may_be_refused(starter: Starter) -> None:
    starter.start()
    starter.told("started")
    starter.refuse({"op": "update", "job": "1.0", "run": 1})
    starter.order(runs.HardKill(CLAIM))
    assert "hold_code" not in starter.told("ended")["report"]
    starter.order(runs.StopStarter(CLAIM))
    assert starter.status() == 0


class Startd:
    """What refusals lead to in one."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.reports = Reports(self.done.append)
        desk: Any = SimpleNamespace(release=lambda claim_id: self.done.append(("release", claim_id)))
        claims = [ClaimInfo(CLAIM, "slot1@here", "alice@here", "Claimed", "Busy", "1.0", 3)]
        self.refusals = Refusals(
            self.reports,
            desk,
            lambda: claims,
            self.done.append,
            lambda claim_id, report: self.done.append(report),
            lambda text: None,
        )


def test_a_startd_reports_a_job_whose_start_was_refused_as_held() -> None:
    startd = Startd()
    startd.refusals.by_starter(CLAIM, Refused("start: run is too large a number", word="start"))
    (ended,) = startd.done
    assert isinstance(ended, runs.RunEnded)
    report = ended.report
    assert (report.job, report.run, report.hold_code) == ("1.0", 3, HELD)
    startd.refusals.by_starter(CLAIM, Refused("soft: code is too large a number", word="soft"))
    assert len(startd.done) == 1, "the startd kills a job that does not end"


def test_claims_that_cannot_be_told_are_given_up_once() -> None:
    startd = Startd()
    for _ in range(2):
        startd.refusals.by_schedd(Refused("claims: claims has a wrong part", word="claims"))
    assert startd.done == [("release", CLAIM), say.Claims(())]


def test_a_refusal_tells_only_what_is_a_name() -> None:
    head = {"op": ["x"], "claim": "c" * 5000, "job": {}, "run": True, "report": {"job": "3.1", "run": 4, "claim_id": 7}}
    assert refusal(head, ValueError("no")) == Refused("no", job="3.1", run=4)  # type: ignore[arg-type]


class Schedd:
    """What the schedd's own starters need of it."""

    def __init__(self, spool: Path) -> None:
        self.heard: list[Any] = []
        shared: Any = SimpleNamespace(
            loop=None,
            log=lambda text: None,
            paths=SimpleNamespace(spool=str(spool)),
            core=None,
            queue=None,
            inbox=SimpleNamespace(news=self.heard.append),
        )
        configuration: Any = SimpleNamespace(config=SimpleNamespace(path=lambda name: ""))
        nothing: Any = None
        self.local = LocalStarters(shared, nothing, configuration, nothing, 0)


def test_the_schedds_own_starters_are_heard_as_those_of_slots_are(tmp_path: Path) -> None:
    schedd = Schedd(tmp_path)
    job = JobId(1, 0)
    news = (
        runs.RunUpdate("local1", job, 1, {"A": "1"}),
        runs.RunDelayed("local1", job, 1, {"B": "2"}),
        runs.RunNotice("local1", job, 1, "a word", False),
        runs.RunSuspended("local1", job, 1, 3),
    )
    for message in (
        *news,
        Refused("start: run is too large a number", word="start", claim="local1", job="1.0"),
        Refused("soft: code is too large a number", word="soft"),
    ):
        schedd.local._from_starter("local1", message)
    assert schedd.heard == [
        *news,
        on.OrderRefused("local1", "start: run is too large a number", "1.0"),
    ]


@pytest.mark.parametrize("job", ["1.0", ""])
def test_the_schedd_holds_a_job_whose_order_was_refused_and_gives_the_claim_back(job: str) -> None:
    world = World()
    world.connect()
    (mine,) = world.submit(1)
    world.match(mine)
    claim = world.core.runs[mine].claim_id
    world.handle(on.OrderRefused(claim, "about another", "7.0"))
    assert mine in world.core.runs
    effects = world.handle(on.OrderRefused(claim, "run is too large a number", job))
    ad = world.queue.job(mine)
    assert ad is not None
    assert (ad.eval_int("JobStatus", 0), ad.eval_int("HoldReasonCode", 0)) == (5, HELD)
    assert ad.eval_str("HoldReason", "") == "The execution point refused this job: run is too large a number"
    assert ReleaseClaim(claim) in effects
    assert not world.handle(on.OrderRefused(claim, "again"))


def test_a_starter_speaks_of_its_own_claim_alone() -> None:
    heard: list[object] = []
    starters: Any = SimpleNamespace(
        _complain=heard.append, _on_message=lambda claim_id, message: heard.append((claim_id, message))
    )
    for own in (runs.Ready("c#1", 7), runs.RunEnded(ExitReport("c#1", "1.0", 1)), Refused("no", claim="c#2")):
        Starters._heard(starters, "c#1", own)
        assert heard.pop() == ("c#1", own)
    for other in (runs.Ready("c#2", 7), runs.RunEnded(ExitReport("c#2", "1.0", 1))):
        Starters._heard(starters, "c#1", other)
        assert heard.pop() == f"ERROR the starter of c#... sent {other.op!r} of another claim"


def test_each_end_is_acknowledged_once_with_the_next_order_on_its_claim_or_alone() -> None:
    sent: list[Any] = []
    acknowledgements = Acknowledgements(sent.append)
    for claim, job, run in (("a", "1.0", 1), ("b", "1.1", 1), ("a", "1.2", 2)):
        acknowledgements.add(say.Acknowledge(claim, job, run))
    assert sent == [say.Acknowledge("a", "1.0", 1)], "an order names one"
    order = say.Activate("a", JobId(1, 3), 1)
    assert acknowledgements.joined(order) == order.but(ended_job="1.2", ended_run=2)
    assert acknowledgements.joined(order) is order
    acknowledgements.send_rest()
    acknowledgements.send_rest()
    assert sent[1:] == [say.Acknowledge("b", "1.1", 1)]
