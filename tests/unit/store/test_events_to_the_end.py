"""Event logs: what stands in them to the letter, what readers make of odd ones, what is cut and what is left alone."""

from __future__ import annotations

import errno
import json
import os
import tracemalloc
from calendar import timegm
from collections.abc import Callable
from pathlib import Path

import pytest
from noting import Noting

from condor_py.lang.events import (
    ClusterRemove,
    CommonFiles,
    CpuUsage,
    ExecutableError,
    Execute,
    Generic,
    GridSubmit,
    ImageSize,
    JobAborted,
    JobEvent,
    JobTerminated,
    PostScriptTerminated,
    RemoteError,
    Submit,
)
from condor_py.lang.events.base import resource_table
from condor_py.model.errors import NoSpace, StoreError
from condor_py.store import event_log
from condor_py.store.event_log import (
    EventReader,
    Form,
    FormatOptions,
    append,
    event_items,
    event_text,
    format_event,
    iso_time,
    last_states,
    parse,
    split_events,
    time_stamp,
    typed,
)
from condor_py.store.fs import RealFs
from condor_py.store.global_log import GlobalLog

NOW = 1_795_245_119
HEAD = "2026-11-21 07:11:59 "
EVENT = event_text(Generic(cluster=1, proc=0, time=0, info="x"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def _far_west(time_zone: Callable[[str], None]) -> None:
    time_zone("EST5")


def text_of(event: JobEvent) -> str:
    """What stands behind the time stamp."""
    return event_text(event).partition(" (")[2].partition(") ")[2].split(" ", 2)[2].removesuffix("...\n")


def read(number: int, text: str) -> JobEvent:
    ((event,), _) = split_events(f"{number:03d} (001.002.003) {HEAD}{text}\n...\n".encode(), "x")
    return typed(event, NOW)


# writing


def test_texts_of_events_that_are_rare() -> None:
    common = {"cluster": 1, "proc": 0, "time": NOW}
    assert [text_of(ExecutableError(**common, error_type=kind)) for kind in (0, 1, 2)] == [
        "(0) Job file not executable.\n",
        "(1) Job not properly linked for Condor.\n",
        "(2) [Bad error number.]\n",
    ]
    message = RemoteError(**common, daemon="starter", host="vm", message="one\n\ntwo\r\n", critical=True)
    assert text_of(message) == "Error from starter on vm:\n\tone\n\ttwo \n"
    assert text_of(GridSubmit(**common, resource="", job_id="j" * 9000)) == (
        "Job submitted to grid resource\n    GridResource: UNKNOWN\n    GridJobId: " + "j" * 8191 + "\n"
    )
    words = {
        "TransferQueued": "Entered queue to transfer common files",
        "TransferStarted": "Started transferring common files",
        "TransferFinished": "Finished transferring common files",
        "WaitStarted": "Started waiting for previous job to transfer common files",
        "WaitFinished": "Finished waitiing for previous job to transfer common files",
        "Other": "",
    }
    for kind, line in words.items():
        told = f"Common files event: {kind}\n" + (f"\t{line}\n" if line else "")
        assert text_of(CommonFiles(**common, type=kind)) == told


def test_an_event_of_no_job_names_none_in_its_ad() -> None:
    whole = [name for name, _ in event_items(Generic(cluster=0, proc=0, subproc=0, time=NOW, info="x"))]
    assert whole == ["EventTypeNumber", "MyType", "EventTime", "Cluster", "Proc", "Subproc", "Info"]
    none = [name for name, _ in event_items(Generic(cluster=-1, proc=-1, subproc=-1, time=NOW, info="x"))]
    assert none == ["EventTypeNumber", "MyType", "EventTime", "Info"]


def test_what_a_slot_has_is_in_the_order_of_an_ad_as_it_is_stored() -> None:
    props = (("Memory", "1"), ("CondorScratchDir", '"d"'), ("Cpus", "2"), ("Disk", "3"))
    event = Execute(cluster=1, proc=0, time=NOW, host="h", props=props)
    assert dict(event_items(event))["ExecuteProps"] == '[ Cpus = 2; Disk = 3; Memory = 1; CondorScratchDir = "d" ]'


def test_resources_are_named_with_their_units_and_in_the_order_of_their_names() -> None:
    names = ("TimeSlotBusy", "Cpus", "Memory", "GpusMemory", "Disk", "Gpus", "TimeExecute")
    rows = resource_table([("Usage", "5"), *((name, "1") for name in names)]).splitlines()[1:]
    assert [row.partition(" : ")[0].strip() for row in rows] == [
        "Cpus", "Disk (KB)", "Gpus (Average)", "GpusMemory (MB)", "Memory (MB)", "TimeExecute (s)", "TimeSlotBusy (s)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("-5", "-5"),
        ("-123456789012345678", "-123456789012345678"),
        ("xX", "xX"),
        ('"1.5e"', '"1.5e"'),
        ("1e18", "1e18"),
        ("-0.5", "0"),
    ],
)
def test_what_is_no_fraction_stands_as_it_is(text: str, cell: str) -> None:
    (row, whole) = resource_table([("Cpus", text), ("Disk", "3")]).splitlines()[1:]
    assert row.split(" : ")[1].rstrip().endswith(f" {cell}")
    assert whole.endswith(" 3 "), "no blanks that a fraction would ask for"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("LEGACY", FormatOptions(False, False, False)),
        ("!LEGACY", FormatOptions(True, True, True)),
        ("!UTC,!ISO_DATE", FormatOptions(False, False, True)),
        ("!SUB_SECOND XML", FormatOptions(True, True, False)),
        ("nonsense", FormatOptions(True, True, True)),
    ],
)
def test_words_of_the_format(text: str, options: FormatOptions) -> None:
    assert FormatOptions.parse(text, FormatOptions(True, True, True)) == options


@pytest.mark.usefixtures("_far_west")
def test_times_are_local_unless_they_are_asked_for_as_universal() -> None:
    when = NOW + 7
    assert time_stamp(when, FormatOptions()) == "2026-11-21 02:12:06"
    assert time_stamp(when, FormatOptions(utc=True)) == "2026-11-21 07:12:06Z"
    assert (iso_time(when + 0.5, False), iso_time(when, True)) == ("2026-11-21T02:12:06.500", "2026-11-21T07:12:06Z")


# appending


def test_a_sound_log_is_not_read_to_append_to_it(path: Path) -> None:
    path.write_text(EVENT * 2000)
    fs = Noting()
    append(str(path), [EVENT], fs=fs)
    assert fs.read == 5
    assert fs.take("sync") == []
    append(str(path), [], durable=True, fs=fs)
    assert fs.take("sync", "write") == [("sync", "log")]


def test_of_a_long_log_the_torn_end_is_cut_and_nothing_else(path: Path) -> None:
    path.write_text(EVENT * 2000 + EVENT[:20])
    append(str(path), [EVENT])
    assert path.read_text() == EVENT * 2001
    note = "y" * 100 + "008 (001.000.000) " + "z" * ((1 << 16) - 18)
    path.write_text(note)
    append(str(path), [EVENT])
    assert path.read_text() == f"{note}\n...\n{EVENT}", "where that begins nobody knows"
    path.write_text(EVENT + "\n\n")
    append(str(path), [EVENT])
    assert path.read_text() == f"{EVENT}\n\n{EVENT}"


class TakenFs(RealFs):
    """Somebody else keeps the lock of every file."""

    def lock(self, handle: int) -> bool:
        return False


def test_what_may_be_half_of_somebody_elses_write_is_not_cut(path: Path) -> None:
    path.write_text(EVENT + EVENT[:20])
    append(str(path), [EVENT], fs=TakenFs())
    assert path.read_text() == EVENT + EVENT[:20] + "\n...\n" + EVENT


class FullFs(RealFs):
    """Of what is written so many bytes arrive, and what somebody else writes at the same time; the disk is full."""

    def __init__(self, room: int, path: Path, other: str = "", *, empties: bool = False) -> None:
        self.room, self.path, self.other, self.empties = room, path, other, empties
        self.cuts = 0

    def write(self, handle: int, data: bytes) -> None:
        if self.empties:
            os.truncate(self.path, 0)
        with self.path.open("a") as file:
            file.write(self.other)
        os.write(handle, data[: self.room])
        raise OSError(errno.ENOSPC, "No space left on device")

    def truncate(self, handle: int, size: int) -> None:
        self.cuts += 1
        super().truncate(handle, size)


@pytest.mark.parametrize(("room", "done"), [(0, 0), (3, 0), (len(EVENT), 1), (len(EVENT) + 3, 1), (2 * len(EVENT), 2)])
def test_whole_events_that_found_room_are_counted_and_stay(path: Path, room: int, done: int) -> None:
    path.write_text(EVENT)
    fs = FullFs(room, path)
    with pytest.raises(NoSpace) as full:
        append(str(path), [EVENT, EVENT], fs=fs)
    assert full.value.done == done
    assert path.read_text() == EVENT * (1 + done)
    assert fs.cuts == (room % len(EVENT) != 0)


def test_what_somebody_else_wrote_on_a_full_disk_stays(path: Path) -> None:
    other = event_text(JobAborted(cluster=2, proc=0, time=NOW, reason="r"))
    for fs in (FullFs(0, path, other), FullFs(3, path, other), FullFs(len(EVENT), path, other)):
        path.write_text(EVENT)
        with pytest.raises(NoSpace) as full:
            append(str(path), [EVENT, EVENT], fs=fs)
        assert full.value.done == 0
        assert path.read_text().startswith(EVENT + other)
    with pytest.raises(NoSpace):
        append(str(path), [EVENT], fs=FullFs(0, path, empties=True))
    assert path.read_text() == ""


# following


def test_a_reader_that_finds_nothing_new_misses_nothing_of_what_comes(path: Path) -> None:
    path.write_text("")
    reader = EventReader(str(path))
    assert reader.offset == 0
    for _ in range(2):
        assert reader.read() == []
    for number in range(1, 4):
        with path.open("a") as file:
            file.write(EVENT)
        assert len(reader.read()) == 1
        assert reader.read() == []
        assert reader.offset == number * len(EVENT)


def test_a_reader_begins_anew_with_another_file_although_it_begins_alike(path: Path, tmp_path: Path) -> None:
    path.write_text(EVENT * 2)
    reader = EventReader(str(path))
    assert len(reader.read()) == 2
    (tmp_path / "other").write_text(EVENT * 3)
    os.replace(tmp_path / "other", path)
    assert len(reader.read()) == 3


def test_an_event_with_a_stamp_that_nobody_can_read_has_no_time() -> None:
    ((event,), _) = split_events(b"008 (001.000.000) yesterday noon x\n...\n", "x")
    assert event.time == 0.0
    assert split_events(b" \n\n", "x") == ([], 0)


@pytest.mark.parametrize(
    "stamp", ["2026-13-01 00:00:00", "0000-00-00 00:00:00", "2026-11-99 99:99:99", "99/99 00:00:00"]
)
@pytest.mark.parametrize("zone", ["Z", ""])
def test_a_day_that_no_calendar_has_is_no_reason_to_stop_reading(stamp: str, zone: str) -> None:
    texts = f"008 (001.000.000) {stamp}{zone} x\n...\n{EVENT}"
    (odd, sound), _ = split_events(texts.encode(), "x")
    assert (typed(odd, NOW).cluster, typed(sound, NOW).cluster) == (1, 1)
    if zone and "11-99" not in stamp:
        assert odd.time == 0.0
    assert sound.time >= 0.0


@pytest.mark.usefixtures("_far_west")
def test_a_stamp_without_a_year_is_of_the_first_there_is() -> None:
    ((short, long), _) = split_events(
        b"008 (001.000.000) 11/20 22:40:06.25 x\n...\n008 (001.000.000) 2026-11-20 22:40:06.25 x\n...\n", "x"
    )
    assert short.time == timegm((1970, 11, 21, 3, 40, 6)) + 0.25
    assert long.time == timegm((2026, 11, 21, 3, 40, 6)) + 0.25


def test_fields_of_json_events_that_are_missing_or_empty() -> None:
    ((event,), _) = split_events(b'{\n"EventTypeNumber": 8,\n"Cluster": 7,\n"EventTime": ""\n}\n', "x")
    assert event[:5] == (8, 7, -1, -1, 0.0)
    whole = format_event(Generic(cluster=7, proc=2, subproc=3, time=NOW, info="x"), Form.JSON, FormatOptions(utc=True))
    ((event,), _) = split_events(whole.encode(), "x")
    assert event[:5] == (8, 7, 2, 3, float(NOW))
    assert json.loads(whole)["Subproc"] == 3


def test_a_log_as_large_as_is_read_is_read_as_a_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(EVENT * 3)
    monkeypatch.setattr(event_log, "_MOST_READ", 3 * len(EVENT))
    assert last_states(str(path), {1}) == ({1: {0: (8, 8, 8)}}, True)


# what readers make of texts


def test_times_of_processors_are_days_hours_minutes_and_seconds() -> None:
    lines = "\n".join(f"\t\tUsr 1 02:03:04, Sys 5 06:07:08  -  {kind} Usage" for kind in ("Run Remote", "Total Local"))
    ended = read(5, f"Job terminated.\n\t(1) Normal termination (return value 3)\n{lines}")
    assert isinstance(ended, JobTerminated)
    wanted = CpuUsage(93784, 5 * 86400 + 6 * 3600 + 7 * 60 + 8)
    assert (ended.run_remote, ended.run_local, ended.total_local) == (wanted, CpuUsage(0, 0), wanted)
    assert (ended.return_value, ended.signal) == (3, None)
    assert (ended.cluster, ended.proc, ended.subproc) == (1, 2, 3)


def test_a_warning_of_a_submit_is_no_note() -> None:
    warned = read(0, "Job submitted from host: <h>\n    WARNING: odd\n    note\n    mine")
    assert isinstance(warned, Submit)
    assert (warned.host, warned.log_notes, warned.user_notes, warned.warnings) == (
        "<h>",
        "note",
        "mine",
        "WARNING: odd",
    )
    only = read(0, "Job submitted from host: <h>\n    WARNING: odd")
    assert isinstance(only, Submit)
    assert (only.log_notes, only.user_notes) == ("", "")


def test_sizes_that_an_event_does_not_tell_are_told_apart_from_nothing() -> None:
    size = read(6, "Image size of job updated: 7")
    assert isinstance(size, ImageSize)
    sizes = (size.size_kb, size.memory_usage_mb, size.resident_set_size_kb, size.proportional_set_size_kb)
    assert sizes == (7, -1, 0, -1)
    names = [
        name
        for name, _ in parse(split_events(f"006 (1.2.3) {HEAD}Image size of job updated: 7\n...\n".encode(), "x")[0][0])
    ]
    assert "MemoryUsage" not in names


@pytest.mark.parametrize(
    ("state", "completion"),
    [("Error -3", -3), ("Error", 0), ("Complete 7", 1), ("Paused", 2), ("Incomplete", 0), ("", 0)],
)
def test_how_far_a_factory_had_come(state: str, completion: int) -> None:
    removed = read(36, f"Cluster removed\n\tMaterialized 4 jobs from 5 items.\t{state}\n\tnotes")
    assert isinstance(removed, ClusterRemove)
    assert (removed.next_proc, removed.next_row, removed.completion, removed.notes) == (4, 5, completion, "notes")


def test_how_a_script_ended() -> None:
    killed = read(16, "POST Script terminated.\n\t(0) Abnormal termination (signal 9)\n    DAG Node: n")
    assert isinstance(killed, PostScriptTerminated)
    assert (killed.signal, killed.return_value, killed.node) == (9, None, "n")


# the global log


def test_a_file_that_somebody_else_began_is_counted_from_nothing(path: Path) -> None:
    log = GlobalLog(str(path), "", max_size=10, count_events=True)
    path.write_bytes(b"\n" * 20)
    log.append([EVENT], NOW)
    assert " sequence=1 size=0 events=0 offset=20 event_off=0 " in path.read_text()
    path.write_bytes(b"\xff" * 20 + b"\n")
    plain = GlobalLog(str(path), "", max_size=10)
    plain.append([EVENT], NOW)
    assert " sequence=1 size=0 events=0 offset=21 event_off=0 " in path.read_text()
    plain.append([EVENT], NOW)
    size = path.with_name("log.old").stat().st_size
    assert f" sequence=1 size={size} events=0 " in path.with_name("log.old").read_text()
    assert f" sequence=2 size=0 events=0 offset={21 + size} event_off=0 " in path.read_text()


def test_when_the_global_log_is_moved_away(path: Path) -> None:
    log = GlobalLog(str(path), "", max_size=0)
    log.append([EVENT], NOW)
    size = path.stat().st_size
    for limit, rotations, files in ((size + 1, 1, 1), (0, 1, 1), (size, 0, 1), (10, -1, 1), (size, 1, 2)):
        path.write_bytes(path.read_bytes()[:size])
        GlobalLog(str(path), "", max_size=limit, rotations=rotations).append([EVENT], NOW)
        assert len(list(path.parent.iterdir())) == files, (limit, rotations)
        assert path.read_text().endswith(EVENT)
        assert ("sequence=1 " in path.read_text()) == (files == 1), "it goes on"
    fs = Noting()
    path.write_text(path.read_text() + EVENT * 1000)
    GlobalLog(str(path), "", max_size=10, fs=fs).append([EVENT], NOW)
    assert fs.read < 5000, "the header tells what is needed"


def test_rotated_global_logs_make_room_for_each_other(path: Path) -> None:
    log = GlobalLog(str(path), "", max_size=10, rotations=3)
    for number in range(1, 6):
        log.append([EVENT.replace("001.", f"{number:03d}.")], NOW + 0.9999995)
    found = {file.name: file.read_text() for file in path.parent.iterdir()}
    assert sorted(found) == ["log", "log.1", "log.2", "log.3"]
    for number, name in enumerate(("log", "log.1", "log.2", "log.3")):
        assert f"({5 - number:03d}." in found[name]
    assert f"id={os.getuid()}.{os.getpid()}.{NOW}.999999." in found["log"]


# logs that are larger than what is read at once


def test_a_reader_takes_a_long_log_in_parts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "READ_AT_ONCE", 100)
    long = EVENT.replace("...\n", "\tx" + 500 * "y" + "\n...\n")
    path.write_text(EVENT * 5 + "...\n" * 40 + long + EVENT * 5)
    reader = EventReader(str(path))
    some = reader.read()
    assert 0 < len(some) < 5
    assert len(some) + len(reader.all()) == 11
    assert reader.offset == path.stat().st_size
    assert reader.read() == []


@pytest.mark.parametrize("form", list(Form))
def test_parts_make_the_same_events_wherever_they_end(path: Path, form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    events = [JobAborted(cluster=7, proc=proc, time=1e9, reason="r" * (proc * 7 % 50)) for proc in range(20)]
    path.write_text("".join(format_event(event, form) for event in events))
    for size in range(1, 300, 13):
        monkeypatch.setattr(event_log, "READ_AT_ONCE", size)
        assert [event.proc for event in EventReader(str(path)).events()] == list(range(20))


def test_damage_far_behind_is_met_after_all_that_is_sound(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "READ_AT_ONCE", 100)
    path.write_text(EVENT * 50 + "no event\n...\n" + EVENT)
    reader = EventReader(str(path))
    assert len(list(reader.sound_events())) == 50
    with pytest.raises(StoreError, match="not a job event"):
        next(reader.sound_events())
    with pytest.raises(StoreError, match="not a job event"):
        EventReader(str(path)).all()


def test_the_memory_of_a_reader_does_not_grow_with_the_log(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "READ_AT_ONCE", 1 << 16)
    path.write_text(EVENT * (8 * event_log.READ_AT_ONCE // len(EVENT)))
    tracemalloc.start()
    try:
        count = sum(1 for _ in EventReader(str(path)).events())
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == path.stat().st_size // len(EVENT)
    assert most < 20 * event_log.READ_AT_ONCE
