"""condor_report: its figures against counts made from condor_history, and that names of users' making stay text."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import statistics
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report_world import HOSTILE, WEEK, World
from tool_runner import Spool

from condor_py.cli import entry, times
from condor_py.cli.report.figures import Figures, waits_of
from condor_py.cli.report.gather import Gathering, Histories
from condor_py.cli.report.records import Job, Values, job_of
from condor_py.cli.times import Period
from condor_py.client import progress
from condor_py.client.pool import Pool, open_pool
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import JobHeld
from condor_py.model.cyclerecords import CycleRecord
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.store.epochs import EpochWriter, RunRecord
from condor_py.store.event_log import Form, FormatOptions, append, format_event
from condor_py.store.history import HistoryWriter

_VOID = ("meta", "link", "img", "br", "hr", "line", "path")


@pytest.fixture
def now() -> int:
    return int(time.time())


@pytest.fixture
def world(spool: Spool, now: int) -> World:
    made = World(spool, now)
    made.cycles()
    return made


def report(spool: Spool, *words: str) -> dict[str, Any]:
    done = spool.run("condor_report", "-json", *words)
    assert (done.code, done.err) == (0, ""), done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def history(spool: Spool, constraint: str, *attributes: str) -> list[list[str]]:
    done = spool.run("condor_history", "-constraint", constraint, "-af", *attributes)
    return [line.split() for line in done.out.splitlines()]


def test_the_figures_are_those_of_condor_history(spool: Spool, world: World, now: int) -> None:
    since, until = now - WEEK, now - 3600
    told = report(spool, "-since", str(since), "-until", str(until))
    ended = "(JobStatus == 4 ? CompletionDate : EnteredCurrentStatus)"
    inside = f"{ended} >= {since} && {ended} < {until}"
    for user in ("alice", "bob", "carol", "dave"):
        mine = f'{inside} && Owner == "{user}"'
        rows = history(spool, mine, "JobStatus", "ExitCode ?: 0", "RemoteWallClockTime", "RequestCpus", "RequestMemory",
                       "(JobStartDate - QDate) ?: -1", "(CumulativeRemoteUserCpu + 1.0) ?: 0")  # fmt: skip
        one, waited = told["users"][user], sorted(int(row[5]) for row in rows if row[5] != "-1")
        assert one["jobs"] == len(rows) > 20
        assert one["removed"] == sum(row[0] == "3" for row in rows)
        assert one["failed"] == sum(row[1] == "1" for row in rows)
        assert one["wall"] == pytest.approx(sum(float(row[2]) for row in rows) / 3600)
        assert one["cores"] == pytest.approx(sum(float(row[2]) * int(row[3]) for row in rows) / 3600)
        assert one["memory_asked"] == pytest.approx(sum(float(row[2]) * int(row[4]) for row in rows) / 3600 / 1024)
        assert one["cpu"] == pytest.approx(sum(float(row[6]) for row in rows) / 3600)
        assert one["waiting"]["median"] in (statistics.median_low(waited), statistics.median_high(waited))
        assert one["waiting"]["worst"] == waited[-1]
        assert sum(value <= one["waiting"]["most"] for value in waited) >= 0.9 * len(waited)
        assert sum(value < one["waiting"]["most"] for value in waited) < 0.9 * len(waited)
        assert one["waiting"]["never_started"] == len(rows) - len(waited)
        assert sum(told["over_time"]["jobs"][user]) == len(rows)
    assert told["jobs"]["jobs"] == len(history(spool, inside, "ClusterId"))
    assert told["groups"]["physics"]["jobs"] == told["users"]["carol"]["jobs"]
    held = len(history(spool, f"{inside} && LastHoldReasonCode == 12", "ClusterId"))
    assert [(one["code"], one["count"]) for one in told["holds"]] == [(12, held)]


def test_runs_are_those_of_condor_history_epochs(spool: Spool, world: World, now: int) -> None:
    since = now - WEEK
    told = report(spool, "-since", str(since), "-until", str(now))
    done = spool.run("condor_history", "-epochs", "-af", "ShadowBday", "EpochWriteDate", "CpusProvisioned",
                     "VacateReasonCode ?: 0")  # fmt: skip
    rows = [[int(word) for word in line.split()] for line in done.out.splitlines()]
    inside = [(max(begin, since), min(end, now), cpus) for begin, end, cpus, _ in rows if end >= since]
    assert told["run_core_hours"] == pytest.approx(sum((end - begin) * cpus for begin, end, cpus in inside) / 3600)
    seconds = told["over_time"]["seconds"]
    hours = sum(sum(cores) * seconds / 3600 for cores in told["over_time"]["cores"].values())
    assert hours == pytest.approx(told["run_core_hours"])
    cut = [(end - begin) * cpus for begin, end, cpus, code in rows if code and since <= end < now]
    assert told["cut_short_core_hours"] == pytest.approx(sum(cut) / 3600)
    assert [one["count"] for one in told["cut_short"]] == [len(cut)]
    assert told["runs"] == sum(since <= end < now for _, end, _, _ in rows)


def test_entitlement_comes_from_the_cycles(spool: Spool, world: World, now: int) -> None:
    told = report(spool, "-since", str(now - WEEK), "-until", str(now))
    bob = told["entitlement"]["bob@example.net"]
    assert bob["used"] == pytest.approx(1.0 * WEEK / 2 / 3600, rel=0.01)
    assert bob["due"] == pytest.approx(1.2 * WEEK / 2 / 3600, rel=0.01)
    assert bob["waiting"] == pytest.approx(WEEK / 2, rel=0.01)
    assert bob["lost"] == pytest.approx(WEEK / 2 / 600, abs=1)
    assert told["quotas"]["physics"]["entitled"] == pytest.approx(2 * WEEK / 3600)
    assert told["drained_weight_hours"] == pytest.approx(0.25 * WEEK / 3600)
    (drain,) = told["drains"]
    assert (drain["end"] - drain["begin"], drain["hours"]) == (WEEK, told["drained_weight_hours"])


def test_drains_are_told_apart() -> None:
    figures = Figures(Period(0, 10**6))
    for begin in (100, 160, 220, 5000, 5060):
        figures.cycles(CycleRecord(begin, begin + 60, 1, 60, 480.0, 0.0, 120.0 if begin != 160 else 0.0))
    assert [(one.begin, one.end, round(one.hours * 3600)) for one in figures.drains] == [
        (100, 280, 240), (5000, 5120, 240)]  # fmt: skip


def test_one_user_only(spool: Spool, world: World) -> None:
    told = report(spool, "-last", "week", "-user", "carol")
    assert set(told["users"]) == {"carol"}
    assert set(told["entitlement"]) == {"physics.carol@example.net"}
    assert set(told["over_time"]["cores"]) == {"carol"}
    assert told["quotas"] == {}
    assert {one["owner"] for one in told["advice"]} == {"carol"}
    page = spool.run("condor_report", "-user", "carol").out
    assert "by carol" in page
    assert "alice" not in page


def test_one_batch_only(spool: Spool, world: World) -> None:
    told = report(spool, "-last", "week", "-batch", "simulate")
    everything = report(spool, "-last", "week")
    hostile = sum(1 for number in range(400) if number % 50 == 0)
    assert 0 < everything["jobs"]["jobs"] - told["jobs"]["jobs"] <= hostile
    assert 0 < told["run_core_hours"] < everything["run_core_hours"]
    assert (told["entitlement"], told["quotas"]) == ({}, {})
    one = report(spool, "-last", "month", "-batch", "123")
    assert one["jobs"]["jobs"] == len(history(spool, "ClusterId == 123", "ClusterId")) == 1
    assert report(spool, "-batch", "no such batch")["jobs"]["jobs"] == 0
    page = spool.run("condor_report", "-batch", HOSTILE).out
    assert "<script" not in page


def test_only_the_newest_records(spool: Spool, world: World, now: int) -> None:
    figures = Figures(Period(now - WEEK, now + 1))
    pool = open_pool()
    Gathering(pool, figures, Histories(pool, figures.period, figures.notes, most=100)).everything()
    assert 0 < figures.total.jobs <= 100
    jobs, runs = (next(note for note in figures.notes if note.startswith(what)) for what in ("Jobs:", "Runs of jobs:"))
    assert "only the newest 100 records were read, those since 20" in jobs
    assert "(JOB_EPOCH_HISTORY); condor_report reads all." in runs


def test_advice_says_what_would_do(spool: Spool, world: World) -> None:
    told = report(spool)
    mine = [one for one in told["advice"] if one["owner"] == "alice" and one["label"] == "simulate"]
    memory = next(one for one in mine if "memory" in one["instead"])
    assert "asked for 8 GB each, and the largest used 1.1" in memory["says"]
    assert memory["instead"] in ("request_memory = 1472", "request_memory = 1536", "request_memory = 1408")
    assert any(one["instead"] == "request_cpus = 2" for one in mine), "four cores, of which 1.6 are busy"
    carol = [one for one in told["advice"] if one["owner"] == "carol"]
    assert any("may be put on hold" in one["says"] for one in carol), "who has more than he asks for"


class Reader(HTMLParser):
    """Which elements a page has, and whether they are closed in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "data", "action")]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_what_users_write_stays_text(spool: Spool, world: World) -> None:
    page = spool.run("condor_report").out
    assert page.isascii()
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    assert not {"script", "img", "iframe", "object", "i"} & set(reader.tags)
    assert all(address.startswith("#") for address in reader.addresses)
    assert "&lt;script&gt;" in page
    assert not [char for char in page if ord(char) < 32 and char != "\n"], "no control characters either"
    assert reader.tags["table"] >= 8
    assert HOSTILE not in page


def test_a_file_is_replaced_as_a_whole(spool: Spool, world: World, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    assert spool.run("condor_report", "-o", str(path)).out == ""
    assert path.read_text().endswith("</html>\n")
    assert [one.name for one in tmp_path.glob("report*")] == ["report.html"]
    os.mkfifo(tmp_path / "pipe")
    done = spool.run("condor_report", "-o", str(tmp_path / "pipe"))
    assert (done.code, len(done.err.splitlines())) == (1, 1)


def test_an_empty_pool_has_a_report(spool: Spool) -> None:
    done = spool.run("condor_report")
    assert (done.code, done.err) == (0, "")
    assert "No job left the queue in this time." in done.out
    told = report(spool)
    assert told["jobs"]["jobs"] == 0
    assert any("NEGOTIATION_HISTORY" in note for note in told["notes"])


def test_damage_is_left_out_and_told_of(spool: Spool, world: World) -> None:
    whole = report(spool, "-last", "week")["jobs"]["jobs"]
    path = spool.path.parent / "history"
    data = path.read_bytes()
    at = data.index(b"\n", len(data) - 600)
    path.write_bytes(data[:at] + b"\nnonsense without an equals sign" + data[at:])
    told = report(spool, "-last", "week")
    assert told["jobs"]["jobs"] == whole - 1
    assert any("1 records of the histories cannot be read" in note for note in told["notes"])


def test_what_is_not_recorded_is_said(spool: Spool, world: World, now: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_JOB_EPOCH_HISTORY", "")
    monkeypatch.setenv("_CONDOR_NEGOTIATION_HISTORY", "")
    told = report(spool, "-last", "300d")
    assert told["runs"] > 100
    assert any("JOB_EPOCH_HISTORY" in note for note in told["notes"])
    assert any(note.startswith("Jobs are on record since") for note in told["notes"])


def test_jobs_that_run_and_are_held_now_count(spool: Spool, now: int) -> None:
    spool.add(5, JobStatus="2", ShadowBday=str(now - 7200), CpusProvisioned="2")
    spool.add(
        6, JobStatus="5", HoldReason='"no room (by user root)"', HoldReasonCode="3", EnteredCurrentStatus=str(now - 9)
    )
    told = report(spool, "-last", "1h")
    assert told["run_core_hours"] == pytest.approx(2.0, abs=0.01)
    assert told["runs"] == 0
    assert [(one["reason"], one["count"], one["example"]) for one in told["holds"]] == [("no room", 1, "6.0")]


@pytest.mark.usefixtures(
    "universal_time"
)  # local times of an event log are told apart when the clock goes back nowhere
def test_an_event_log_tells_of_every_hold(spool: Spool, now: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = spool.path.parent / "EventLog"
    monkeypatch.setenv("_CONDOR_EVENT_LOG", str(path))
    spool.add(6, JobStatus="5", HoldReason='"the last"', HoldReasonCode="3", EnteredCurrentStatus=str(now - 9))
    held = [JobHeld(cluster=6, proc=0, time=now - ago, reason=f"no {what}", code=3) for ago, what in (
        (9000, "sooner"), (500, "room"), (400, "room"), (300, "<b>"))]  # fmt: skip
    options = FormatOptions(iso_date=True)
    append(f"{path}.old", [format_event(held[0], Form.TEXT, options)])
    append(str(path), [format_event(event, Form.TEXT, options) for event in held[1:]])
    told = report(spool, "-last", "1h")
    assert told["every_hold"]
    assert {one["reason"]: one["count"] for one in told["holds"]} == {"no room": 2, "no <b>": 1}
    assert "no &lt;b&gt;" in spool.run("condor_report", "-last", "1h").out
    early = report(spool, "-last", "1d")
    assert not early["every_hold"], "it begins later, so the last hold of each job is told"
    assert [one["reason"] for one in early["holds"]] == ["the last"]
    path.write_text("no event\n...\n")
    assert not report(spool, "-last", "1h")["every_hold"]


def test_a_line_on_a_terminal_tells_how_far_it_is(
    spool: Spool, world: World, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True, raising=False)
    with contextlib.redirect_stderr(shown), contextlib.redirect_stdout(io.StringIO()):
        assert entry.main("condor_report", ["-json"]) == 0
    drawn = shown.getvalue().split("\r")
    assert "1,000 records read" in [line.strip() for line in drawn]
    assert drawn[-1].strip() == "", "nothing stays on the line"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-last", "soon"), "-last soon: write day"),
        (("-since", "2026-02-31"), "-since 2026-02-31: write a day"),
        (("-since", "1h", "-until", "2h"), "nothing lies between"),
        (("-last", "day", "-until", "now"), "-last cannot be used with"),
        (("-o", "/no/such/place/a.html"), "cannot write /no/such/place/a.html"),
        (("everything",), "unrecognized argument everything"),
    ],
)
def test_refusals(spool: Spool, words: tuple[str, ...], says: str) -> None:
    done = spool.run("condor_report", *words)
    assert done.code == 1
    assert says in done.err.splitlines()[0]


def test_moments_and_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    now = 1_795_348_800 + 7 * 3600 + 30  # 2026-11-22 12:00 UTC and more
    day = now // 86400 * 86400
    assert times.moment("today", now) == day
    assert times.moment("yesterday", now) == day - 86400
    assert times.moment("2026-11-20T06:30", now) == times.moment("2026-11-20 06:30:00", now)
    assert times.moment("06:30", now) == day + 6 * 3600 + 1800
    assert times.moment("23:00", now) == day - 3600, "that of last night"
    assert times.moment("90 min", now) == now - 5400
    assert times.moment("1795000000", now) == 1795000000
    assert [times.length(text) for text in ("week", "2 days", "1.5h", "30m", "x", "-3d", "0x3d")] == [
        604800, 172800, 5400, 1800, None, None, None]  # fmt: skip
    assert [times.length(text) for text in ("9" * 400 + "d", "1 month", "2 parsecs")] == [None, 30 * 86400, None]
    assert [times.moment(text, now) for text in ("9" * 5000, "9" * 400 + "d", "9999999999999")] == [None] * 3


@pytest.mark.parametrize(("universe", "slotless"), [(5, False), (7, True), (9, True), (12, True), (13, False)])
def test_only_jobs_without_a_slot_are_left_out_of_core_hours(universe: int, slotless: bool) -> None:
    assert job_of(Values({}, {"jobuniverse": universe})).slotless == slotless


def test_ranks() -> None:
    assert waits_of([]) == (0, 0, 0, 0)
    assert waits_of([5]) == (1, 5, 5, 5)
    assert waits_of(range(1, 11)) == (10, 5, 9, 10)


def test_a_million_jobs_take_little_memory() -> None:
    """Eight bytes a job: what is kept beside that is bounded, however many names jobs have."""
    figures = Figures(Period(0, 10**9))
    for number in range(30_000):
        name = f"job{number}"
        figures.job(Job(f"{number}.0", "alice", "", name, 4, "", 1, 2, 3 + number, 5.0, 1.0, 1.0, 10.0, 5.0, False,
                        (number, name)))  # fmt: skip
    assert len(figures.kinds) <= 5001
    assert len(figures.holds) <= 601
    assert figures.total.jobs == 30_000


_STRANGE = ("1e999", "-5", "9e18", "error", "undefined", '"text"', 'real("NaN")', 'real("INF")', "{ 1, 2 }", "true",
            "-1e999", "1/0", "RequestCpus", '"\\\\"\\n<b>"', "99999999999999999999", "[ a = 1 ]")  # fmt: skip
_NAMES = ("RequestCpus", "CpusProvisioned", "RequestMemory", "ResidentSetSize_RAW", "QDate", "JobStartDate", "Owner",
          "Cmd", "RemoteWallClockTime", "CumulativeRemoteUserCpu", "ExitCode", "AcctGroup", "JobUniverse",
          "JobBatchName", "LastHoldReason", "LastHoldReasonCode", "JobCurrentStartDate", "CompletionDate",
          "ShadowBday")  # fmt: skip


def no_number(text: str) -> float:
    raise AssertionError(f"{text} is no JSON")


def test_strange_values_break_nothing(spool: Spool, now: int) -> None:
    writer = HistoryWriter(str(spool.path.parent / "history"))
    epochs = EpochWriter(HistorySettings(epoch_path=str(spool.path.parent / "epoch_history")))
    number = 0
    for name in _NAMES:
        for text in _STRANGE:
            number += 1
            items = {
                "ClusterId": str(number), "ProcId": "0", "Owner": '"alice"', "JobStatus": "4", "ExitCode": "0",
                "QDate": str(now - 500), "JobStartDate": str(now - 400), "JobCurrentStartDate": str(now - 400),
                "CompletionDate": str(now - 100), "EnteredCurrentStatus": str(now - 100), "RequestCpus": "1",
                "RemoteWallClockTime": "300.0", "RequestMemory": "100", "ShadowBday": str(now - 400),
            }  # fmt: skip
            ad = ClassAd.from_text_items((items | {name: text}).items())
            writer.append([ad], now - 100)
            epochs.append([RunRecord("EPOCH", JobId(number, 0), 0, "alice", list(ad.text_items()))], now - 100)
    writer.close()
    done = spool.run("condor_report", "-json", "-last", "1d")
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out, parse_constant=no_number)
    assert number - 20 <= told["jobs"]["jobs"] <= number
    page = spool.run("condor_report", "-last", "1d")
    assert (page.code, page.err) == (0, "")
    for words in ("-plot",), ("-epochs", "-plot"):
        assert spool.run("condor_history", *words).code == 0


def test_the_report_of_a_young_pool_begins_with_its_first_record(spool: Spool, now: int) -> None:
    writer = HistoryWriter(str(spool.path.parent / "history"))
    began = now - 7200
    for number in range(3):
        ad = ClassAd({
            "ClusterId": 1, "ProcId": number, "Owner": "ann", "JobStatus": 4, "JobUniverse": 5, "ExitCode": 0,
            "QDate": began - 10, "JobStartDate": began, "JobCurrentStartDate": began, "CompletionDate": began + 300,
            "RemoteWallClockTime": 300.0, "RequestCpus": 1,
        })  # fmt: skip
        writer.append([ad], began + 300)
    writer.close()
    page = spool.run("condor_report").out
    rows = re.findall(r"<tr><th[^>]*>(\d{4}-\d\d-\d\d [^<]*)</th>(.*?)</tr>", page)
    assert rows
    assert not [row for row in rows if set(re.findall("<td>(.*?)</td>", row[1])) == {"0"}]
    assert page.count("<details>") == page.count("</details>") >= 3
    assert "Waiting times" in page
    over_time = json.loads(spool.run("condor_report", "-json").out)["over_time"]
    assert began - over_time["seconds"] < over_time["begin"] <= began


def test_jobs_that_wait_now_are_listed_with_the_reason(spool: Spool, now: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(1, 3, owner="ann", JobBatchName='"<b>sweep</b>"', EnteredCurrentStatus=str(now - 60))
    spool.add(2, 1, owner="bob", JobStatus="5")
    (one,) = json.loads(spool.run("condor_report", "-json").out)["waiting_now"]
    why = "the pool has no slots"
    assert one == {"owner": "ann", "batch": "<b>sweep</b>", "jobs": 3, "since": now - 60, "why": why}
    page = spool.run("condor_report").out
    assert f'<td class="text">{why}</td>' in page
    assert "<b>sweep" not in page
    assert not json.loads(spool.run("condor_report", "-json", "-user", "bob").out)["waiting_now"]
    old = ("condor_report", "-json", "-since", str(now - 900), "-until", str(now - 300))
    assert not json.loads(spool.run(*old).out)["waiting_now"]
    times = iter(range(now, now + 9000, 9))
    monkeypatch.setattr(Pool, "now", lambda pool: next(times))
    assert json.loads(spool.run("condor_report", "-json").out)["waiting_now"], "also if the reading takes long"
