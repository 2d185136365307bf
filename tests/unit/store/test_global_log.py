"""The global event log: header, rotation, failures; read by HTCondor's reader."""

from __future__ import annotations

import errno
import re
import sys
from pathlib import Path

import pytest

from condor_py.lang.events import JobAborted
from condor_py.model.errors import StoreError
from condor_py.store.event_log import Form, format_event, split_events
from condor_py.store.global_log import GlobalLog

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "crash"))
from faultfs import FaultFs

NOW = 1_795_245_318.5


def texts(log: GlobalLog, first: int, count: int) -> list[str]:
    events = [JobAborted(cluster=number, proc=0, time=NOW, reason="gone") for number in range(first, first + count)]
    return [format_event(event, log.form, log.options) for event in events]


def header(path: Path) -> dict[str, int]:
    found = re.findall(r"(\w+)=(\d+) ", path.read_text()[:600])
    return {name: int(value) for name, value in found}


def test_it_begins_with_a_header_of_fixed_length(tmp_path: Path) -> None:
    path = tmp_path / "EventLog"
    log = GlobalLog(str(path), "LEGACY")
    log.append(texts(log, 1, 2), NOW)
    first = path.read_text().splitlines()[0]
    stamp = r"008 \(-01\.-01\.-01\) \d\d/\d\d \d\d:\d\d:\d\d "
    assert re.match(stamp + r"Global JobLog: ctime=1795245318 id=\S+ sequence=1 ", first)
    assert first.endswith(" " * 20)
    assert len(first) == len("008 (-01.-01.-01) 11/21 07:15:18 ") + 256
    assert "size=0 events=0 offset=0 event_off=0 max_rotation=1 creator_name=<>" in first
    log.append(texts(log, 3, 1), NOW)
    assert path.read_text().count("Global JobLog") == 1
    assert path.read_text().count("Job was aborted") == 3


@pytest.mark.parametrize(("rotations", "names"), [(1, ["EventLog.old"]), (2, ["EventLog.1", "EventLog.2"])])
def test_rotation_tells_what_went_before(tmp_path: Path, rotations: int, names: list[str]) -> None:
    path = tmp_path / "EventLog"
    log = GlobalLog(str(path), "LEGACY", max_size=600, rotations=rotations, count_events=True)
    for number in range(1, 31):
        log.append(texts(log, number, 1), NOW)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["EventLog", *names]
    old, new = header(tmp_path / names[0]), header(path)
    assert new["sequence"] == old["sequence"] + 1 > 3
    assert old["size"] == (tmp_path / names[0]).stat().st_size >= 600
    assert old["events"] == (tmp_path / names[0]).read_text().count("Job was aborted")
    assert new["offset"] == old["offset"] + old["size"]
    assert new["event_off"] == old["event_off"] + old["events"]
    assert new["size"] == 0


def test_without_a_limit_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "EventLog"
    log = GlobalLog(str(path), "LEGACY", max_size=0)
    log.append(texts(log, 1, 5000), NOW)
    log.append(texts(log, 1, 1), NOW)
    assert [file.name for file in tmp_path.iterdir()] == ["EventLog"]


@pytest.mark.parametrize("options", ["LEGACY", "ISO_DATE, UTC, SUB_SECOND", "XML", "JSON"])
def test_htcondor_reads_it(tmp_path: Path, options: str) -> None:
    htcondor2 = pytest.importorskip("htcondor2")
    path = tmp_path / "EventLog"
    log = GlobalLog(str(path), options, max_size=1000)
    for number in range(1, 25):
        log.append(texts(log, number, 1), NOW)
    for name in ("EventLog.old", "EventLog"):
        events = list(htcondor2.JobEventLog(str(tmp_path / name)).events(stop_after=0))
        assert [event.type.name for event in events[:2]] == ["GENERIC", "JOB_ABORTED"]
        assert len({event.cluster for event in events[1:]}) == len(events) - 1
    assert log.form is (Form.XML if options == "XML" else Form.JSON if options == "JSON" else Form.TEXT)


def test_failures_at_every_call_are_one_clear_line_and_lose_no_written_event() -> None:
    complaints: list[str] = []
    for operation in range(1, 60):
        fs = FaultFs(fail_at={operation: errno.EIO}, seed=operation)
        log = GlobalLog("/log/EventLog", "LEGACY", max_size=700, rotations=2, durable=True, fs=fs)
        told: list[int] = []
        for number in range(1, 9):
            try:
                log.append(texts(log, number, 1), NOW)
            except StoreError as error:
                complaints.append(str(error))
            else:
                told.append(number)
        kept: list[int] = []
        for name in ("/log/EventLog.2", "/log/EventLog.1", "/log/EventLog"):
            if name in fs.names:
                kept += [event.cluster for event in split_events(bytes(fs.names[name].data), name)[0]]
        jobs = [number for number in kept if number > 0]
        assert set(told[-4:]) <= set(jobs)
    assert len(complaints) > 20
    assert all("EventLog" in complaint and "\n" not in complaint for complaint in complaints)
