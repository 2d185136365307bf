"""Following event logs, and the fast look at them."""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "crash"))

from faultfs import FaultFs

from condor_py.lang.events import Generic, JobAborted, JobEvent, JobReleased, Submit
from condor_py.model.errors import NoSpace, StoreError
from condor_py.model.ids import JobId
from condor_py.store.event_log import EventReader, Form, append, event_text, format_event, last_states

pytestmark = pytest.mark.usefixtures("universal_time")  # formatted times of a second are remembered

WHEN = 1795214406.0


def sample() -> list[JobEvent]:
    return [
        Submit(cluster=1, proc=0, time=WHEN, host="<a>", log_notes="000 (009.000.000) no head"),
        Submit(cluster=1, proc=1, time=WHEN, host="<a>"),
        Generic(cluster=2, proc=0, time=WHEN, info="005 (001.000.000) not this"),
        JobReleased(cluster=1, proc=0, time=WHEN),
        JobAborted(cluster=1, proc=0, time=WHEN, reason="r"),
    ]


@pytest.mark.parametrize("form", list(Form))
def test_a_reader_waits_for_complete_events(form: Form, tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    reader = EventReader(str(path))
    assert reader.read() == []
    texts = [format_event(event, form) for event in sample()]
    whole = "".join(texts).encode()
    ends = [len("".join(texts[: i + 1]).encode()) for i in range(len(texts))]
    seen = []
    with path.open("ab", buffering=0) as file:
        for position in range(len(whole)):
            file.write(whole[position : position + 1])
            seen += reader.read()
            # the newline behind a closing brace may follow later
            assert len(seen) in {sum(end <= position + 1 for end in ends), sum(end <= position + 2 for end in ends)}
    assert [(event.number, event.job) for event in seen] == [
        (event.number, JobId(event.cluster, event.proc)) for event in sample()
    ]
    assert seen[0].time == WHEN
    if form is Form.TEXT:
        assert seen[-1].lines[1] == "\tr"


def test_a_log_that_begins_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    append(str(path), [event_text(event) for event in sample()])
    reader = EventReader(str(path))
    assert len(reader.read()) == 5
    assert reader.read() == []
    path.write_text(event_text(sample()[0]))
    assert [event.number for event in reader.read()] == [0]
    path.unlink()
    append(str(path), [event_text(sample()[4])])
    assert [event.number for event in reader.read()] == [9]
    path.write_text("".join(event_text(event) for event in sample()))  # longer than before
    assert [event.number for event in reader.read()] == [0, 0, 8, 13, 9]


def test_what_is_no_event_log_is_told(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text("hello\n...\n")
    with pytest.raises(StoreError, match=r"job\.log, from byte 0: not a job event: 'hello'"):
        EventReader(str(path)).read()


def test_other_time_stamps(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text(
        "008 (001.000.000) 2026-11-20 22:40:06Z a\n...\n"
        "008 (001.000.000) 2026-11-20 22:40:06.500Z b\n...\n"
        "008 (001.000.000) 2026-11-20T22:40:06Z c\n...\n"
        "008 (001.-01.-01) 11/20 22:40:06 d\n...\n"
    )
    events = EventReader(str(path)).read()
    assert [event.time for event in events[:3]] == [WHEN, WHEN + 0.5, WHEN]
    assert events[3].proc == events[3].subproc == -1


def test_stamps_without_a_zone_are_local_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XYZ-2")
    time.tzset()
    try:
        path = tmp_path / "job.log"
        path.write_text("008 (001.000.000) 2026-11-20 22:40:06Z a\n...\n008 (001.000.000) 2026-11-20 22:40:06 b\n...\n")
        assert [event.time for event in EventReader(str(path)).read()] == [WHEN, WHEN - 7200]
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("piece", [1, 5, 64, 4 << 20])
@pytest.mark.parametrize("form", list(Form))
def test_last_states(form: Form, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much of the log is read at once."""
    monkeypatch.setattr("condor_py.store.event_log._PIECE", piece)
    path = str(tmp_path / "job.log")
    assert last_states(path, {1}).events == {}
    append(path, [format_event(event, form) for event in sample()])
    with open(path, "a") as file:
        file.write(format_event(sample()[0], form)[:-5])
    assert last_states(path, {1}).events == {1: {0: (0, 13, 9), 1: (0,)}}
    assert last_states(path, {2, 7}).events == {2: {0: (8,)}}


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    path = str(tmp_path / "no" / "job.log")
    with pytest.raises(StoreError, match=r"cannot write the event log: no such file or directory: .*no/job\.log"):
        append(path, ["x"])
    append(path, [])


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("torn", [1, 9, 30, -1])
def test_what_a_crash_left_of_an_event_is_cut(form: Form, torn: int, tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    texts = [format_event(event, form) for event in sample()]
    append(str(path), texts[:2])
    left = b"\0" * 30 if torn < 0 else texts[2].encode()[:torn]
    with path.open("ab") as file:
        file.write(left)
    append(str(path), texts[3:])
    assert path.read_text() == "".join(texts[:2] + texts[3:])


def test_what_is_no_event_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my own notes")
    append(str(path), [event_text(sample()[0])])
    assert path.read_text() == "my own notes\n...\n" + event_text(sample()[0])


def test_a_pipe_as_log_holds_nobody_up(tmp_path: Path) -> None:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    with pytest.raises(StoreError, match="cannot read the event log"):
        last_states(path, {1})
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(StoreError, match="cannot write the event log"):
        append(path, ["x" * 1_000_000])
    os.close(reader)


def test_whoever_reads_a_pipe_or_sees_a_terminal_gets_the_events(tmp_path: Path) -> None:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    text = event_text(sample()[0])
    with os.fdopen(os.open(path, os.O_RDWR | os.O_NONBLOCK), "rb") as reader:
        append(path, [text])
        append(path, [text, text])
        assert reader.read().decode() == text * 3
    append("/dev/null", [text])


def test_of_a_huge_log_the_end_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "job.log")
    append(path, [event_text(event) for event in sample()])
    size = os.path.getsize(path)
    monkeypatch.setattr("condor_py.store.event_log._MOST_READ", size - 1)
    monkeypatch.setattr("condor_py.store.event_log._END_READ", size - 1)
    found = last_states(path, {1})
    assert not found.whole
    assert found.events == {1: {0: (13, 9), 1: (0,)}}
    os.truncate(path, 1 << 40)
    monkeypatch.setattr("condor_py.store.event_log._END_READ", 1 << 20)
    assert last_states(path, {1}) == ({}, False)
    with open(path, "r+b") as file:
        file.write(b"\0")
    with pytest.raises(StoreError, match="too large to be looked through"):
        last_states(path, {1})


@pytest.mark.parametrize("operation", [1, 2])
def test_of_events_that_find_no_room_whole_ones_stay(operation: int) -> None:
    """Somebody may have read them: of a write that the disk cut short, and of one that could not be synced."""
    texts = [event_text(event) for event in sample()]
    for seed in range(10):
        fs = FaultFs(seed=seed)
        append("/job.log", texts[:2], durable=True, fs=fs)
        fs.fail_at = {fs.operation + operation: errno.ENOSPC}
        with pytest.raises(NoSpace, match=r"no space left on the file system of /job\.log") as full:
            append("/job.log", texts[2:], durable=True, fs=fs)
        done = full.value.done
        there = len(texts) if operation == 2 else 2 + done
        assert bytes(fs.names["/job.log"].data).decode() == "".join(texts[:there])
        assert operation == 1 or not done, "they may be lost"
        append("/job.log", texts[2 + done :], durable=True, unsure=True, fs=fs)
        assert bytes(fs.names["/job.log"].data).decode() == "".join(texts)
