"""The history page: long work is done by children, of which the page shows how far they are; bad times are refused."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hostile_pages import wrong
from report_world import HOSTILE, WEEK, World
from tool_runner import Spool
from visits import Visited, misfits

from condor_py.cli.plots.chart import Areas, Bars, Chart, Gantt, Lines, data, draw, of_data
from condor_py.cli.plots.svg import Bar, Lane, Row, Series
from condor_py.cli.web import work
from condor_py.cli.web.live import Watch
from condor_py.cli.web.page import Asked, BadRequest, Viewer
from condor_py.cli.web.pages import history
from condor_py.cli.web.works import State, Works, works_of
from condor_py.client.pool import open_pool
from condor_py.model.errors import CondorError

RESULT = {"summary": [], "sections": [], "notes": [], "report": {"since": 1, "until": 2}, "sizes": {}}


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class FakeChild:
    """A child that says what a test lets it say."""

    def __init__(self, name: str, request: dict[str, Any]) -> None:
        self.name, self.request = name, request
        self.lines: list[dict[str, Any]] | None = []
        self.ended = False

    def news(self, patience: float) -> list[dict[str, Any]] | None:
        lines, self.lines = self.lines, self.lines and []
        return lines

    def end(self) -> None:
        self.ended = True


class Bench:
    """Works with such children."""

    def __init__(self) -> None:
        self.clock, self.children = Clock(), list[FakeChild]()
        self.works = Works(self._start, self.clock)

    def _start(self, name: str, request: dict[str, Any]) -> FakeChild:
        self.children.append(FakeChild(name, request))
        return self.children[-1]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_work_is_shown_while_it_is_done_and_kept_afterwards(bench: Bench) -> None:
    state = bench.works.ask("history", "a", {"since": 1})
    assert (state.result, state.works, state.steps, state.again) == (None, 1000.0, 0, 1.0)
    (child,) = bench.children
    assert (child.name, child.request) == ("history", {"since": 1})
    child.lines = [{"steps": 256}, {"steps": 512}]
    assert bench.works.ask("history", "a", {}).steps == 512
    bench.clock.now += 5
    child.lines = [{"result": {"found": 7}}]
    state = bench.works.ask("history", "a", {})
    assert (state.result, state.works, state.made, state.again) == ({"found": 7}, None, 1005.0, 500.0)
    assert child.ended
    bench.clock.now += 499
    assert bench.works.ask("history", "a", {}).works is None, "a work of 5 seconds is done each 500 seconds at most"
    bench.clock.now += 2
    state = bench.works.ask("history", "a", {"since": 9})
    assert (state.result, state.works) == ({"found": 7}, 1506.0), "the old result is shown meanwhile"
    assert bench.children[1].request == {"since": 9}
    bench.children[1].lines = [{"result": {"found": 8}, "seconds": 0.5}]
    assert bench.works.ask("history", "a", {}).again == 50.0, "CPU time counts"


def test_a_person_may_have_a_result_made_again(bench: Bench) -> None:
    def ask(newer_than: float) -> State:
        return bench.works.ask("history", "a", {}, newer_than=newer_than)

    ask(0)
    bench.children[0].lines = [{"result": {"found": 7}, "seconds": 60.0}]
    assert ask(0).made == 1000.0
    bench.clock.now += 5
    assert ask(1000).works is None, "not so soon"
    bench.clock.now += 5
    assert ask(1000).works == 1010.0
    bench.children[1].lines = [{"result": {"found": 8}, "seconds": 60.0}]
    bench.clock.now += 30
    assert ask(1000).result == {"found": 8}
    bench.clock.now += 30
    assert ask(1000).works is None, "the same address asks for no third one"
    assert len(bench.children) == 2


def test_few_children_work_at_a_time_and_the_forgotten_are_ended(bench: Bench) -> None:
    for key in "abcd":
        assert bench.works.ask("history", key, {}).works == 1000.0
    assert len(bench.children) == 2
    bench.clock.now += 20
    bench.works.ask("history", "b", {})
    bench.clock.now += 20
    bench.works.ask("history", "c", {})
    assert [child.ended for child in bench.children] == [True, False, False]
    for child in bench.children:
        child.lines = [{"result": {}}]
    assert bench.works.ask("history", "b", {}).result == {}
    bench.works.close()
    assert all(child.ended for child in bench.children)


def test_results_are_kept_for_few_requests(bench: Bench) -> None:
    for number in range(100):
        bench.works.ask("history", str(number), {})
        bench.children[-1].lines = [{"result": {}}]
        bench.works.ask("history", str(number), {})
    assert len(bench.works._works) <= 25
    assert len(bench.children) == 100


def test_one_user_leaves_children_and_results_to_others(bench: Bench) -> None:
    bench.works.ask("history", "hers", {}, user="bea")
    bench.children[0].lines = [{"result": {"found": 1}}]
    assert bench.works.ask("history", "hers", {}, user="bea").result
    for number in range(100):
        bench.works.ask("history", str(number), {}, user="ann")
    assert len(bench.children) == 2
    assert bench.works.ask("history", "hers", {}, user="bea").result == {"found": 1}
    bench.works.ask("history", "new", {}, user="bea")
    assert len(bench.children) == 3


@pytest.mark.parametrize(
    ("lines", "reason"),
    [(None, "the work ended without a result"), ([{"failed": "cannot read the history"}], "cannot read the history")],
)
def test_a_work_that_fails_says_why(bench: Bench, lines: list[dict[str, Any]] | None, reason: str) -> None:
    bench.works.ask("history", "a", {})
    bench.children[0].lines = lines
    state = bench.works.ask("history", "a", {})
    assert (state.result, state.works, state.failed) == (None, None, reason)
    assert bench.children[0].ended


@pytest.mark.parametrize("told", [
    Areas("title", 0, 60, [Series("alice", [1.0, 2.0]), Series("bob", [0.5, 0.0])], 4.0),
    Lines("title", 0, 60, [Series("alice", [1.0, None, 2.0])]),
    Bars("title", ("median", "worst"), [Row("alice", (1.0, 20.0))], seconds=True),
    Gantt("title", ("completed", "failed"), [Lane("1.0", [Bar(5, 9, 0, "words"), Bar(10, 12, 1)])], 0, 20),
])  # fmt: skip
def test_charts_survive_the_way_through_json(told: Chart) -> None:
    again = of_data(json.loads(json.dumps(data(told))))
    assert draw(again) == draw(told)
    assert draw(told).startswith('<svg class="plot"')


def test_the_child_makes_the_whole_report(spool: Spool) -> None:
    now = int(time.time())
    World(spool, now, jobs=40).cycles(every=86400)
    request = {"since": now - WEEK, "until": now + 1, "user": None, "batch": None, "now": now}
    found = history.work(open_pool(), request, work.Steps())
    printed = json.loads(spool.run("condor_report", "-since", str(now - WEEK), "-until", str(now + 1), "-json").out)
    made = printed.pop("made"), found["report"].pop("made")
    assert 0 <= made[0] - made[1] <= time.time() - now
    assert json.loads(json.dumps(found["report"])) == printed
    assert [section["name"] for section in found["sections"]] == [
        "use", "slots", "waiting", "batches", "efficiency", "failures", "evictions", "sizes"]  # fmt: skip
    kinds = {part["kind"] for section in found["sections"] for part in section["parts"]}
    assert kinds <= {"text", "table", "figure", "advices"}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (CondorError("cannot read the history\n"), "cannot read the history"),
        (TimeoutError(), "it takes longer than 300 seconds: ask for a shorter time"),
        (MemoryError(), "there is not enough memory for it: ask for a shorter time"),
        (KeyError("x"), "a fault of condor_web: KeyError: 'x'"),
    ],
)
def test_a_child_that_fails_says_why(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(history, "work", fail)
    assert work.answer("history", {}) == {"failed": reason}


def ask(watch: Watch, **parameters: str) -> dict[str, Any]:
    return history.view(watch, Asked(Viewer("alice", False), parameters, (), 1_800_000_000))


def test_the_view(spool: Spool, monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    monkeypatch.setattr(history, "works_of", lambda watch: bench.works)
    watch = Watch()
    reading = ask(watch, last="day", user="me", batch=" my batch ")
    assert (reading["since"], reading["until"]) == (1_800_000_001 - 86_400, 1_800_000_001)
    assert reading["reading"]["records"] == 0
    assert (reading["report"], reading["again"]) == (None, 1.0)
    assert reading["asked"] == {"last": "day", "since": None, "until": None, "user": "alice", "batch": "my batch"}
    assert bench.children[0].request == {
        "since": reading["since"], "until": reading["until"], "user": "alice", "batch": "my batch",
        "now": 1_800_000_000}  # fmt: skip
    bench.children[0].lines = [{"result": RESULT}]
    done = ask(watch, last="day", user="alice", batch="my batch")
    assert (done["reading"], done["report"], done["since"]) == (None, RESULT["report"], 1)
    assert len(bench.children) == 1
    assert json.dumps(done, allow_nan=False)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"last": "5 parsecs"}, "the time: last 5 parsecs: write day, week, month, or a length such as 12h or 3d"),
        ({"since": "2026-13-01"}, "the time: since 2026-13-01: write a day"),
        ({"since": "2026-11-21", "until": "2026-11-20"}, "the time: nothing lies between since and until"),
        ({"until": "9" * 300}, "until is a printable word of at most 200 characters"),
        ({"user": "a\nb"}, "user is a printable word"),
        ({"batch": HOSTILE}, "batch is a printable word"),
        ({"last": "\udcff"}, "last is a printable word"),
    ],
)
def test_bad_parameters_get_one_line(spool: Spool, parameters: dict[str, str], reason: str) -> None:
    with pytest.raises(BadRequest) as refused:
        ask(Watch(), **parameters)
    assert str(refused.value).startswith(reason)
    assert "\n" not in str(refused.value)


def test_a_real_child(spool: Spool) -> None:
    now = int(time.time()) - 60  # the child comes later, and reads for a while
    World(spool, now, jobs=3)
    spool.add(1)
    watch = Watch()
    works = works_of(watch)
    assert works_of(watch) is works
    request = {"since": 0, "until": now + 1, "user": None, "batch": None, "now": now}
    state = works.ask("history", "a", request, patience=300.0)
    assert state.failed == ""
    assert state.result is not None
    assert state.result["report"]["jobs"]["jobs"] == 3
    assert [one["jobs"] for one in state.result["report"]["waiting_now"]] == [1]
    child = work_child(works, request)
    del watch
    gc.collect()
    assert child.poll() is not None, "it ends with the watch"


def work_child(works: Works, request: dict[str, Any]) -> subprocess.Popen[bytes]:
    """A child that works."""
    works.ask("history", "b", request, patience=0.0)
    (found,) = (one.child for one in works._works.values() if one.child is not None)
    process: subprocess.Popen[bytes] = found._process  # type: ignore[attr-defined]
    return process


def test_the_page_with_a_whole_report_has_no_markup_of_jobs(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, bench: Bench
) -> None:
    now = int(time.time())
    World(spool, now, jobs=60).cycles(every=86400)
    request = {"since": now - WEEK, "until": now + 1, "user": None, "batch": None, "now": now}
    report = history.work(open_pool(), request, work.Steps())
    monkeypatch.setattr(history, "works_of", lambda watch: bench.works)
    browser = Visited().visitor()
    begun = browser.get("/history").text
    assert "Reading the history" in begun
    assert '<meta http-equiv="refresh" content="1">' in begun, "without a script it is fetched again"
    bench.children[0].lines = [{"result": json.loads(json.dumps(report))}]
    shown = browser.get("/history").text
    assert wrong(shown) == []
    assert "onerror=alert(1)" in shown, "names of programs are shown as they are"
    assert shown.count("<svg") >= 6
    assert "<style" not in shown
    assert 'http-equiv="refresh"' not in shown
    told = browser.get("/history", headers={"Accept": "application/json"}).json()
    assert misfits(told, history.PAGE.schema) == []
    refused = browser.get("/history?since=yesteryear")
    assert refused.status_code == 400
    assert "the time: since yesteryear: write a day" in refused.text
