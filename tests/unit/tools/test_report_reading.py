"""How condor_report reads: how far it goes back in each history, what it says is missing, and what the queue adds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli.report import gather
from condor_py.cli.report.figures import Figures
from condor_py.cli.report.gather import Gathering, Histories, first_record, holds_on_record
from condor_py.cli.report.records import Values
from condor_py.cli.times import Period
from condor_py.client.pool import Pool, open_pool
from condor_py.model.cyclerecords import CycleRecord
from condor_py.model.errors import CondorError

NOW = 1_795_888_800  # 2026-11-28 18:00 UTC
PERIOD = Period(NOW - 3600, NOW)


class Meter:
    """Notes how many records are read."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.ended = False

    def at(self, count: int) -> None:
        self.counts.append(count)

    def done(self) -> None:
        self.ended = True


def record(written: int | str, name: str = "ann", kind: str = "", **more: Any) -> str:
    """A record; before its time of writing stands its kind."""
    lines = "".join(f"{key} = {value}\n" for key, value in {"Owner": f'"{name}"', **more}.items())
    return f"{lines}*** {kind}Offset = 0 ClusterId = 1 ProcId = 0 CurrentTime = {written}\n"


class Walk:
    """One history that is read."""

    def __init__(self, spool: Spool, text: str, most: int | None = None) -> None:
        (spool.path.parent / "history").write_text(text)
        self.notes: list[str] = []
        self.names: list[str] = []
        self.meter = Meter()
        self.histories = Histories(open_pool(), PERIOD, self.notes, self.meter, most)
        self.found = self.histories.walk("HISTORY", "Jobs", self._take)
        self.histories.done()

    def _take(self, found: Values) -> None:
        self.names.append(found.text("owner"))


def test_reading_ends_five_minutes_before_the_period(spool: Spool) -> None:
    since = PERIOD.since
    walk = Walk(spool, record(since) + record(since - 301, "end") + record(since - 300, "b") + record(NOW + 900, "a"))
    assert (walk.names, walk.notes, walk.found) == (["a", "b"], [], True)
    assert (walk.meter.counts, walk.meter.ended) == ([1, 2, 3], True)


@pytest.mark.parametrize(
    ("first", "note"), [(300, []), (301, ["Jobs are on record since 2026-11-28 17:05 (HISTORY)."])]
)
def test_a_history_that_begins_later_is_noted(spool: Spool, first: int, note: list[str]) -> None:
    assert Walk(spool, record(PERIOD.since + first) + record(NOW)).notes == note
    assert Walk(spool, "").notes == []


@pytest.mark.parametrize("written", ["x", "²", "1" * 5000, "1" * 16])
def test_a_banner_without_a_time_ends_nothing(spool: Spool, written: str) -> None:
    walk = Walk(spool, record(PERIOD.since, "a") + record(written, "b") + record(NOW, "c"))
    assert (walk.names, walk.notes) == (["c", "b", "a"], [])
    (spool.path.parent / "history").write_text(record(written))
    assert first_record(open_pool()) == 0


def test_only_the_newest_records_of_a_long_history(spool: Spool) -> None:
    text = "".join(record(NOW - 60 * number, str(number)) for number in (3, 2, 1, 0))
    walk = Walk(spool, text, 2)
    assert walk.names == ["0", "1"]
    assert walk.notes == [
        "Jobs: only the newest 2 records were read, those since 2026-11-28 17:59 (HISTORY); condor_report reads all."
    ]
    assert Walk(spool, text, 0).notes == [
        "Jobs: only the newest 0 records were read (HISTORY); condor_report reads all."
    ]
    assert len(Walk(spool, text, 4).names) == 4


def test_records_that_cannot_be_read_are_counted_and_other_kinds_passed_over(spool: Spool) -> None:
    walk = Walk(
        spool, record(PERIOD.since, "a", "JOB ") + record(NOW, "b", "EPOCH ") + record(NOW, "c", "SPAWN ") + "damaged\n"
        + record(NOW, "d") + record(NOW, "e"),
    )  # fmt: skip
    assert walk.names == ["e", "b", "a"]
    assert walk.notes == ["1 records of the histories cannot be read and are left out."]


def test_histories_that_are_not_kept(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_HISTORY", "")
    monkeypatch.setenv("_CONDOR_JOB_EPOCH_HISTORY", "")
    notes: list[str] = []
    histories = Histories(open_pool(), PERIOD, notes, Meter())
    assert not histories.walk("JOB_EPOCH_HISTORY", "Runs", lambda found: None)
    assert notes == []
    assert not histories.walk("HISTORY", "Jobs", lambda found: None)
    assert notes == ["No history is kept (HISTORY): nothing is known of jobs that have left."]
    assert first_record(open_pool()) == 0


def test_a_history_that_may_not_be_read(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather.os, "access", lambda path, how: False)
    with pytest.raises(CondorError, match=r"^condor_report: cannot read .*/history \(HISTORY\): Permission denied$"):
        Walk(spool, record(NOW))


@pytest.mark.parametrize(
    ("history", "epochs", "first"),
    [
        (record(500), "", 500), (record(500), record(400), 400), (record(500, ShadowBday=300), record(400), 300),
        (record(500, JobCurrentStartDate=450), "", 450), (record(500, ShadowBday=900), "", 500), ("", "", 0),
        (record("x"), "", 0), (record(500) + record(300), "", 500),
    ],
)  # fmt: skip
def test_when_the_records_begin(spool: Spool, history: str, epochs: str, first: int) -> None:
    (spool.path.parent / "history").write_text(history)
    (spool.path.parent / "epoch_history").write_text(epochs)
    assert first_record(open_pool()) == first


# ---- cycles ----------------------------------------------------------------------------------------------------------

NO_CYCLES = (
    "No negotiation cycles are on record for this time (NEGOTIATION_HISTORY): nothing is known of what users were "
    "entitled to."
)


@pytest.mark.parametrize(
    ("begins", "known", "notes"),
    [
        ([], 0, [NO_CYCLES]),
        ([NOW], 0, [NO_CYCLES]),
        ([NOW - 3600], 60, []),
        ([NOW - 3300], 60, []),
        ([NOW - 3299], 60, ["Negotiation cycles are on record since 2026-11-28 17:05."]),
        ([NOW - 3600, NOW - 60], 120, []),
        ([NOW - 60, NOW, NOW + 60], 60, ["Negotiation cycles are on record since 2026-11-28 17:59."]),
    ],
)
def test_cycles_of_the_period(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, begins: list[int], known: int, notes: list[str]
) -> None:
    monkeypatch.setattr(
        "condor_py.store.cyclelog.records", lambda path, since: (CycleRecord(at, at + 60, known=60) for at in begins)
    )
    figures = Figures(PERIOD)
    Gathering(open_pool(), figures)._cycles()
    assert (figures.known, figures.notes) == (known, notes)


# ---- the queue -------------------------------------------------------------------------------------------------------


@pytest.fixture
def queue(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    monkeypatch.setattr(Pool, "now", lambda self: NOW)
    return spool


@pytest.mark.parametrize(
    ("more", "hours"),
    [
        ({"ShadowBday": NOW - 360}, 0.1), ({"ShadowBday": NOW - 360, "CpusProvisioned": 4, "RequestCpus": 2}, 0.4),
        ({"ShadowBday": NOW - 360, "RequestCpus": 2}, 0.2), ({"JobCurrentStartDate": NOW - 720}, 0.2),
        ({"ShadowBday": NOW - 360, "JobCurrentStartDate": NOW - 720}, 0.1), ({}, 0.0),
        ({"ShadowBday": NOW - 360, "JobUniverse": 7}, 0.0), ({"ShadowBday": NOW + 50}, 0.0),
        ({"ShadowBday": NOW - 7200}, 1.0), ({"ShadowBday": NOW - 360, "JobStatus": 1}, 0.0),
    ],
)  # fmt: skip
def test_jobs_that_run_now(queue: Spool, more: dict[str, int], hours: float) -> None:
    queue.add(1, 1, "ann", **{"JobStatus": "2", **{name: str(value) for name, value in more.items()}})
    figures = Figures(PERIOD)
    Gathering(open_pool(), figures)._queue()
    assert (figures.run_hours, figures.runs) == (pytest.approx(hours), 0)


@pytest.mark.parametrize(
    ("owner", "since", "counts"),
    [(None, NOW - 3600, True), (None, NOW - 3601, False), (None, NOW - 1, True), (None, NOW, False),
     ("ann", NOW - 5, True), ("bea", NOW - 5, False)],
)  # fmt: skip
def test_jobs_that_were_put_on_hold_in_the_period(queue: Spool, owner: str | None, since: int, counts: bool) -> None:
    queue.add(1, 1, "ann", JobStatus="5", HoldReasonCode="12", HoldReason='"no disk"', EnteredCurrentStatus=str(since))
    figures = Figures(PERIOD, owner)
    Gathering(open_pool(), figures)._queue()
    held = [(cut.code, cut.reason, cut.count, cut.example) for cut in figures.holds.values()]
    assert held == ([(12, "no disk", 1, "1.0")] if counts else [])


@pytest.mark.parametrize(("until", "listed"), [(NOW + 1, True), (NOW, False)])
def test_jobs_that_wait_are_listed_in_a_report_up_to_now(queue: Spool, until: int, listed: bool) -> None:
    queue.add(1, 2, "ann")
    figures = Figures(Period(NOW - 3600, until))
    Gathering(open_pool(), figures)._queue()
    assert [(row.owner, row.jobs) for row in figures.waiting] == ([("ann", 2)] if listed else [])


# ---- the log of all events -------------------------------------------------------------------------------------------


def event(number: int, when: str, job: str = "007.001", reason: str = "no disk") -> str:
    text = f"{number:03} ({job}.000) 2026-11-28 {when} Job was held.\n"
    return text + (f"\t{reason}\n\tCode 12 Subcode 28\n" if number == 12 else "") + "...\n"


def test_holds_of_the_log_of_all_events(spool: Spool, tmp_path: Path) -> None:
    path = str(tmp_path / "events")
    (tmp_path / "events").write_text(
        event(12, "17:00:00")
        + event(12, "17:59:59", "008.000", "memory")
        + event(12, "18:00:00")
        + event(13, "17:30:00")
    )
    assert holds_on_record(path, PERIOD) == [((12, "no disk"), "7.1"), ((12, "memory"), "8.0")]
    assert holds_on_record(path, Period(PERIOD.since - 1, NOW)) is None, "it begins later"
    (tmp_path / "events.old").write_text(event(0, "16:00:00"))
    (tmp_path / "events.1").write_text(event(12, "16:59:59") + event(12, "17:10:00", "009.000"))
    (tmp_path / "events.txt").write_text(event(12, "17:10:00"))
    found = holds_on_record(path, PERIOD)
    assert found is not None
    assert sorted(hold.job for hold in found) == ["7.1", "8.0", "9.0"]
    assert holds_on_record(str(tmp_path / "none"), PERIOD) is None
    assert holds_on_record(f"{tmp_path}/no/folder", PERIOD) is None


def test_a_log_of_all_events_that_is_too_large_is_not_read(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "events").write_text(event(12, "17:00:00"))
    size = (tmp_path / "events").stat().st_size
    monkeypatch.setattr(gather, "_LARGEST", size)
    assert holds_on_record(str(tmp_path / "events"), PERIOD) is not None
    monkeypatch.setattr(gather, "_LARGEST", size - 1)
    assert holds_on_record(str(tmp_path / "events"), PERIOD) is None
