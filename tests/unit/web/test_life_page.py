"""The life of a job and the runs of a batch on the pages of the queue."""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parent))

import pytest
from hostile_pages import ODD, TAGS, text, wrong
from life_world import epoch, write
from tool_runner import Spool
from visits import Visited, misfits

from condor_py.cli.web.live import Watch
from condor_py.cli.web.pages import life
from condor_py.cli.web.pages.life import Wanted
from condor_py.cli.web.work import answer
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.store.epochs import EPOCH, EpochWriter, RunRecord


@pytest.fixture
def visited(spool: Spool) -> Visited:
    """The pages of a pool where 7.0 ran twice, 7.1 once, and 7.2 runs."""
    write(spool)
    return Visited()


def told(visited: Visited, address: str, user: str = "boss") -> dict[str, object]:
    """The life on a page as JSON, which is as the schema says."""
    found = visited.visitor(user).get(f"{address}?format=json").json()["life"]
    assert misfits(found, life.LIFE) == []
    return found  # type: ignore[no-any-return]


def kinds(lane: dict[str, object]) -> list[str]:
    """What the bars of a lane are."""
    return [life.lives.KINDS[bar["kind"]] for bar in lane["bars"]]  # type: ignore[attr-defined]


def test_the_life_of_a_job_that_left(visited: Visited) -> None:
    found = told(visited, "/queue/7.0", "somebody")
    lanes = found["runs"]["lanes"]  # type: ignore[index]
    assert [lane["label"] for lane in lanes] == ["run 0 slot1_1@lab", "run 1 slot1_1@lab"]
    assert [kinds(lane) for lane in lanes] == [["evicted"], ["completed"]]
    memory = found["memory"]
    assert memory["limit"] == 512  # type: ignore[index]
    values = memory["series"][0]["values"]  # type: ignore[index]
    assert max(value or 0 for value in values) == 400
    assert None in values
    assert "evicted: preempted" in [event["text"] for event in found["events"]]  # type: ignore[attr-defined]
    page = visited.visitor("somebody").get("/queue/7.0").text
    assert page.count('class="plot"') == 4
    assert "Memory (MB) (asked for: 512, dashed)" in page


@pytest.mark.parametrize("name", ["runs", "cores", "memory", "disk"])
def test_each_chart_is_a_picture_of_its_own(visited: Visited, name: str) -> None:
    answered = visited.visitor().get(f"/queue/7.0?format=svg&picture={name}")
    assert answered.status_code == 200
    assert 'href="/static/plots.css"' in answered.text
    root = ElementTree.fromstring(answered.text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert visited.visitor().get(f"/queue/8.0?format=svg&picture={name}").status_code == (
        200 if name == "runs" else 404
    )


def test_a_job_that_runs_has_its_run(visited: Visited) -> None:
    found = told(visited, "/queue/7.2")
    assert [kinds(lane) for lane in found["runs"]["lanes"]] == [["running"]]  # type: ignore[index]


def test_the_use_so_far_is_asked_for_by_the_viewer(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"

    def use(pool: object, job: JobId, patience: float) -> str:
        asked.write_text(str(job))
        return "30 1.50 100 5.0; 90 0.50 300 6.0"

    monkeypatch.setattr(life, "use_so_far", use)
    spool.add(1, owner=spool.me, JobStatus="2", JobCurrentStartDate=str(int(time.time()) - 120))
    visited = Visited()
    assert told(visited, "/queue/1.0", "somebody")["cores"] is None
    assert not asked.exists()
    cores = told(visited, "/queue/1.0", spool.me)["cores"]
    assert max(value or 0 for value in cores["series"][0]["values"]) == 1.5  # type: ignore[index]
    assert asked.read_text() == "1.0"
    for record in ("x" * 20_000, '"; <x-evil>', ""):
        monkeypatch.setattr(life, "use_so_far", lambda *_, record=record: record)
        assert told(visited, "/queue/1.0", spool.me)["cores"] is None


def test_the_runs_of_a_batch(visited: Visited) -> None:
    found = told(visited, "/queue/7", "somebody")
    assert found["runs"]["title"] == "Runs of cluster 7 (3 jobs): 1 running, 2 completed, 1 evicted"  # type: ignore[index]
    assert [lane["label"] for lane in found["runs"]["lanes"]] == ["7.0", "7.1", "7.2"]  # type: ignore[index]
    assert 'class="plot"' in visited.visitor().get("/queue/7").text
    gone = told(visited, "/queue/8")
    assert gone["runs"]["title"] == "Runs of cluster 8 (1 job): 1 completed"  # type: ignore[index]


def test_many_runs_are_read_by_a_child(visited: Visited, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = [told(visited, address) for address in ("/queue/7.0", "/queue/7")]
    monkeypatch.setattr(life, "_SOON", -1.0)
    for address, whole in zip(("/queue/7.0", "/queue/7"), at_once, strict=True):
        deadline = time.monotonic() + 60
        found = told(visited, address)
        while found["note"] and time.monotonic() < deadline:
            assert (found["note"], found["again"]) == ("The records of runs are being read.", 1.0)
            found = told(visited, address)
        assert found["memory"] == whole["memory"]
        assert found["runs"]["title"] == whole["runs"]["title"]  # type: ignore[index]
        assert list(map(kinds, found["runs"]["lanes"])) == list(map(kinds, whole["runs"]["lanes"]))  # type: ignore[index]


def test_reading_is_bounded(visited: Visited, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Watch().pool
    assert [len(life.recorded(pool, Wanted((7,), None, 0), most=most)[0]) for most in (0, 1, 3, 99)] == [0, 1, 2, 3]
    monkeypatch.setattr(life, "_MOST_RECORDS", 3)
    request = {"clusters": [7], "proc": None, "since": 0, "known": []}
    assert answer("lives", request)["result"]["note"] == "Only the newest 3 records of runs were read."
    monkeypatch.setattr(life, "_MOST_RUNS", 2)
    assert len(life.recorded(pool, Wanted((7,), None, 0))[0]) == 2
    os.chmod(pool.config.path("JOB_EPOCH_HISTORY") or "", 0)
    assert told(visited, "/queue/7.0")["runs"] is not None, "the history knows one of its runs"


def test_charts_have_bounded_sizes() -> None:
    run = life.lives.run_of(epoch())
    assert run is not None
    runs = [
        run._replace(proc=proc, begin=begin, end=begin + 5)
        for proc in range(250)
        for begin in range(1_795_000_000, 1_795_000_900, 50)
    ]
    found = life.drawn(Wanted((7,), None, 0), runs)
    lanes = found["runs"]["lanes"]
    assert (len(lanes), sum(len(lane["bars"]) for lane in lanes)) == (200, 3000)


def hostile_run(chance: random.Random) -> ClassAd:
    """A record of a run with values of any kind."""
    now = int(time.time())
    ad = epoch(0, now - chance.randint(1, 10 ** chance.randint(1, 9)), now, QDate=now - 10**9)
    use = chance.choice(("15 1e300 9e11 1; ", "nan inf 1 1; ", "1 1 1 1; 2 x-evil; 3 suspended;", text(chance)))
    ad["UsageRecord"] = use * chance.choice((1, 1000))
    for name in chance.sample([name for name in ad if name not in ("ClusterId", "ProcId", "EpochWriteDate")], 4):
        if chance.random() < 0.5:
            ad[name] = text(chance).replace("\n", " ")
        else:
            ad.set_text(name, chance.choice(ODD))
    return ad


def test_hostile_records_do_no_harm(spool: Spool) -> None:
    chance = random.Random(7)
    writer = EpochWriter(HistorySettings(epoch_path=str(spool.path.parent / "epoch_history")))
    for cluster in range(1, 17):
        spool.add(cluster, owner="ann", QDate="1")
        for number in range(3):
            items = [item for item in hostile_run(chance).pairs() if item[0] not in ("EpochAdType", "RunInstanceID")]
            writer.append([RunRecord(EPOCH, JobId(cluster, 0), number, "ann", items)], int(time.time()))
    browser = Visited().visitor()
    drawn = 0
    for cluster in range(1, 17):
        for address in (f"/queue/{cluster}.0", f"/queue/{cluster}"):
            answered = browser.get(address)
            assert answered.status_code == 200
            assert wrong(answered.text) == []
            assert len(answered.text) < 500_000
            assert misfits(browser.get(f"{address}?format=json").json()["life"], life.LIFE) == []
            picture = browser.get(f"{address}?format=svg&picture=runs")
            if picture.status_code == 200:
                drawn += 1
                tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(picture.text).iter()}
                assert tags <= TAGS
    assert drawn > 8
