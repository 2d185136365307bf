"""The record of a run's use over time: bounded, thinned out, read again, and sound whatever it is given."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.daemons.starter import usagerecorder
from condor_py.daemons.starter.usagerecorder import UsageRecorder
from condor_py.machine.probes.mounts import Mounts
from condor_py.machine.run import trees
from condor_py.model.report import ExitReport, Usage
from condor_py.model.usagerecord import (
    MOST_MARKS,
    MOST_POINTS,
    MOST_TEXT,
    Mark,
    Point,
    UsageRecord,
    is_sound,
    read,
)


def test_points_and_marks_are_read_as_they_were_noted() -> None:
    record = UsageRecord(15.0)
    assert record.text() == ""
    record.add(15.0, 30.0, 102400, 12 << 10)
    record.mark(20.0, "suspended")
    record.add(30.0, 33.0, 1 << 20, None)
    record.mark(30.0, "checkpoint")
    text = record.text()
    assert text == "15 2.00 100 12.0; 20 suspended; 30 0.20 1024 -; 30 checkpoint"
    points = [Point(15.0, 2.0, 100.0, 12.0), Point(30.0, 0.2, 1024.0, None)]
    assert read(text) == (points, [Mark(20.0, "suspended"), Mark(30.0, "checkpoint")])


@pytest.mark.parametrize("cores", [0.0, 1.0, 3.5, 1024.0])
def test_a_run_of_any_length_has_few_points_and_its_means_stay(cores: float) -> None:
    record = UsageRecord(15.0)
    at = 0.0
    for _ in range(2_000):
        at += record.interval
        record.add(at, cores * at, 12345678, 87654321)
    points, _ = read(record.text())
    assert MOST_POINTS // 2 <= len(points) < MOST_POINTS
    assert {point.cores for point in points} == {cores}
    assert points[-1].at >= at - record.interval
    assert is_sound(record.text())
    assert len(record.text()) < 9_000


def test_halving_keeps_peaks_of_memory_and_all_seconds_of_cpu() -> None:
    record, dice = UsageRecord(1.0), random.Random(7)
    cpu = 0.0
    for second in range(1, MOST_POINTS + 1):
        cpu += dice.uniform(0.0, 4.0)
        record.add(float(second), cpu, (900 if second == 77 else 5) << 10, second << 10)
    points, _ = read(record.text())
    assert len(points) == MOST_POINTS // 2
    assert record.interval == 2.0
    assert max(point.memory for point in points) == 900.0
    assert sum(2.0 * point.cores for point in points) == pytest.approx(cpu, rel=0.01)
    assert points[-1].disk == MOST_POINTS


def test_clocks_and_counters_that_go_back_are_no_use() -> None:
    record = UsageRecord(5.0)
    record.add(5.0, 4.0, 100, 0)
    record.add(5.0, 9.0, 100, 0)
    record.add(3.0, 9.0, 100, 0)
    record.add(10.0, 2.0, 100, 0)
    record.add(15.0, 5.0, 100, 0)
    assert [point.cores for point in read(record.text())[0]] == [0.8, 0.0, 0.2]


def test_marks_are_bounded() -> None:
    record = UsageRecord(5.0)
    record.add(5.0, 4.0, 100, 0)
    for second in range(1000):
        record.mark(float(second), "suspended")
    assert len(read(record.text())[1]) == MOST_MARKS


@pytest.mark.parametrize(
    "text",
    [
        "", ";", "; ;;", "1", "1 2", "1 2 3", "1 2 3 4 5", "-1 2 3 4", "x 2 3 4", "1 x 3 4", "1 2 nan 4", "1 inf 3 4",
        "1 2 1e999 4", "1 <b>", "1 a\0b", "é 2 3 4", "1 2 3 4" * 9,
    ],
)  # fmt: skip
def test_what_is_no_record_has_no_points(text: str) -> None:
    assert read(text) == ([], [])


def test_a_hostile_text_is_refused_or_bounded() -> None:
    for text in ('a"b', "a\nb", "A", "1 2 3 4; <script>", "", "1" * (MOST_TEXT + 1), "\\", "\0"):
        assert not is_sound(text)
    points, marks = read("1 2 3 4;" * 1_000_000)
    assert len(points) <= MOST_POINTS + MOST_MARKS
    assert not marks
    assert read("5 1 1 -;5 1 1 2") == ([Point(5.0, 1.0, 1.0, None), Point(5.0, 1.0, 1.0, 2.0)], [])


# the starter


class _Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(usagerecorder, "monotonic", lambda: self.now)


def _run(scratch: Path) -> Any:
    return SimpleNamespace(place=SimpleNamespace(sandbox=SimpleNamespace(scratch=str(scratch))))


def _sample(cpu: float, rss_kb: int) -> dict[str, str]:
    return {"RemoteUserCpu": repr(cpu * 0.75), "RemoteSysCpu": repr(cpu * 0.25), "ResidentSetSize_RAW": str(rss_kb)}


def _report(**usage: Any) -> ExitReport:
    return ExitReport("claim", "7.0", 1, usage=Usage(**usage))


def test_the_report_of_a_run_has_its_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, recorder = _Clock(monkeypatch), UsageRecorder(10)
    (tmp_path / "file").write_bytes(b"x" * (3 << 20))
    run = _run(tmp_path)
    recorder.mark("suspended")  # of no run
    recorder.begin()
    for seconds, cpu in ((5.0, 1.0), (5.0, 5.0), (5.0, 6.0), (6.0, 6.0)):
        clock.now += seconds
        recorder.look(run, _sample(cpu, 2048))
    recorder.mark("suspended")
    clock.now += 4.0
    recorder.end()
    clock.now += 100.0  # the output goes back
    report = recorder.completed(_report(user_cpu=16.0, disk_kb=1024))
    assert report.usage.record == "10 0.50 2.0 3.0; 21 0.09 2.0 3.0; 21 suspended; 25 2.50 2.0 1.0"
    assert recorder.completed(_report()).usage.record == "", "the next run begins without a record"


def test_a_short_job_has_no_record_and_costs_no_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = _Clock(monkeypatch)
    monkeypatch.setattr(trees, "measure", lambda *words, **more: pytest.fail("the disk was measured"))
    for interval, seconds in ((10, 9.0), (0, 100_000.0)):
        recorder = UsageRecorder(interval)
        recorder.begin()
        clock.now += seconds
        recorder.look(_run(tmp_path), {})
        recorder.end()
        assert recorder.completed(_report()) == _report()


def test_many_files_are_counted_once_and_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, recorder = _Clock(monkeypatch), UsageRecorder(1)
    monkeypatch.setattr(usagerecorder, "_MOST_FILES", 3)
    for number in range(5):
        (tmp_path / f"file{number}").touch()
    looked: list[object] = []
    measure = trees.measure
    monkeypatch.setattr(trees, "measure", lambda *words, **more: looked.append(1) or measure(*words, **more))
    recorder.begin()
    for _ in range(3):
        clock.now += 1.0
        recorder.look(_run(tmp_path), _sample(0.0, 0))
    recorder.end()
    assert len(looked) == 1
    assert recorder.completed(_report()).usage.record.startswith("1 0.00 0.0 -; 2 0.00 0.0 -; ")


def test_a_measurement_of_a_tree_ends_at_its_limit(tmp_path: Path) -> None:
    for folder in range(3):
        (tmp_path / f"folder{folder}").mkdir()
        for number in range(5):
            (tmp_path / f"folder{folder}" / f"file{number}").touch()
    assert trees.measure(str(tmp_path))[1] == 18
    assert trees.measure(str(tmp_path), most=18)[1] == 18
    assert 4 < trees.measure(str(tmp_path), most=4)[1] < 9


def test_what_a_job_has_mounted_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, recorder = _Clock(monkeypatch), UsageRecorder(1)
    monkeypatch.setattr(Mounts, "_look", lambda self: setattr(self, "_points", {f"{tmp_path}/remote": False}))
    monkeypatch.setattr(trees, "measure", lambda *words, **more: pytest.fail("the disk was measured"))
    recorder.begin()
    clock.now += 1.0
    recorder.look(_run(tmp_path), _sample(0.0, 0))
    assert recorder.text == "1 0.00 0.0 -"
    mounts = Mounts()
    assert mounts.any_inside(str(tmp_path))
    assert not mounts.any_inside(f"{tmp_path}/remote")
    assert not mounts.any_inside(f"{tmp_path}/rem")
