"""Small print of the store's files: what is written to the letter, and what is read from letters that are odd."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
import time
from pathlib import Path

import pytest
from mending import mend

from condor_py.lang.classad import ClassAd
from condor_py.lang.events import Execute, Generic, ImageSize, JobAborted, JobEvicted, JobSuspended
from condor_py.lang.events.base import resource_table
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Change
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.store import check, event_log, history
from condor_py.store.ad_store import AdStore
from condor_py.store.adlog import Damage, format_records, header_record, is_writable, parse_line, scan
from condor_py.store.advertised import Advertised
from condor_py.store.check import Problem, check_spool
from condor_py.store.event_log import (
    EventReader,
    Form,
    FormatOptions,
    append,
    event_text,
    format_event,
    last_states,
    split_events,
    time_stamp,
    typed,
)
from condor_py.store.fs import FileId, RealFs, describe
from condor_py.store.global_log import GlobalLog
from condor_py.store.history import HistoryError, HistoryWriter, forwards, history_files, tail_ids, write_per_job
from condor_py.store.job_queue import JobQueue
from condor_py.store.keys import cluster_of, proc_of, split_key, user_of
from condor_py.store.longform import checked_ad

NOW = 1_795_245_119
SUBMIT = event_text(Generic(cluster=1, proc=0, time=NOW, info="x"))


pytestmark = pytest.mark.usefixtures("universal_time")


def job(number: int, **more: str) -> ClassAd:
    items = {"ClusterId": str(number), "ProcId": "0", "Owner": '"a"', "GlobalJobId": f'"vm#{number}.0#1"', **more}
    return ClassAd.from_text_items(list(items.items()))


# logs of ads

LINES = [
    "103 1.0 A 1",
    "103  A 1",
    "103 1.0  1",
    "103 1.0 A ",
    "103 1.0 A",
    "103 1.0 A b c",
    "104 1.0 A",
    "104  A",
    "104 1.0 ",
    "104 1.0 A B",
    "104 1.0",
    "101 1.0 Job Machine",
    "101 1.0 Job ",
    "101  Job Machine",
    "101 1.0  Machine",
    "101 1.0 (empty) (empty)",
    "101 1.0 Job",
    "102 1.0",
    "102 ",
    "102",
    "102 1.0 x",
    "107 2 CreationTimestamp 5",
    "107 2 C",
    "150 what ever",
    "100 x",
    "200 x",
    "99 x",
    "x",
    "",
    " 103 1.0 A 1",
    "１03 1.0 A 1",
    "103 1.0 A 1\0",
    "103 0.0 \ryType 1",
    "103 0.0\r A 1",
    "103 0.0 A.B 1",
    "103 0.0 A \r1",
    "103 0.0 A \u00a0",
    "103\u00a00.0 A 1",
    "103 0.0\x7f A 1",
    "101 0.0 J\x0bob Machine",
    "102 0.0\r",
    "104 0.0 A\r",
    "0103 1.0 A 1",
    "105 x",
    "106 x",
]


@pytest.mark.parametrize("line", LINES)
def test_the_quick_reader_takes_a_line_as_the_exact_one_does(line: str) -> None:
    data = f"105 \n{line}\n106 \n103 9.9 B 2\n".encode()
    want = parse_line(line)
    if want is None:
        with pytest.raises(Damage, match=r"x is damaged at byte 5: "):
            scan(data, "x")
        return
    found = scan(data, "x").records
    assert found == [want, Change(SET, "9.9", "B", "2")]


@pytest.mark.parametrize(
    ("record", "sound"),
    [
        (Change(SET, "1.0", "A", "1"), True),
        (Change(SET, "1.0", "A", "a b"), True),
        (Change(SET, "1.0", "A", "a\nb"), False),
        (Change(SET, "1.0", "A b", "1"), False),
        (Change(SET, "", "A", "1"), False),
        (Change(SET, "1.0", "", "1"), False),
        (Change(SET, "1.0", "A", "a\0"), False),
        (Change(NEW_AD, "1.0", "", ""), True),
        (Change(NEW_AD, "1.0", "a b"), False),
        (Change(NEW_AD, "1.0", "Job", "a b"), False),
        (Change(DELETE, "1.0", "A"), True),
        (Change(DELETE, "1.0", ""), False),
        (Change(DESTROY_AD, "1.0"), True),
        (Change(DESTROY_AD, "1 0"), False),
        (Change(105, ""), False),
        (Change(106, ""), False),
        (header_record(1, 5), True),
        (Change(150, "", "", "x"), False),
    ],
)
def test_what_a_log_can_hold(record: Change, sound: bool) -> None:
    assert is_writable(record) is sound
    if sound:
        assert scan(format_records([record]), "x").records == [record]


@pytest.mark.parametrize(
    ("key", "numbers", "proc", "cluster", "user"),
    [
        ("1.0", (1, 0), JobId(1, 0), None, None),
        ("01.-1", (1, -1), None, 1, None),
        ("1.-2", (1, -2), None, None, None),
        ("0.0", (0, 0), None, None, None),
        ("0.2", (0, 2), None, None, 2),
        ("0.-1", (0, -1), None, None, None),
        ("x", None, None, None, None),
        ("1.5", (1, 5), JobId(1, 5), None, None),
        ("x.1", None, None, None, None),
        ("1", None, None, None, None),
        ("-1.0", (-1, 0), None, None, None),
    ],
)
def test_whose_key_it_is(
    key: str, numbers: tuple[int, int] | None, proc: JobId | None, cluster: int | None, user: int | None
) -> None:
    assert (split_key(key), proc_of(key), cluster_of(key), user_of(key)) == (numbers, proc, cluster, user)


def test_the_last_transaction_counts_when_its_own_end_is_damaged() -> None:
    begin = b"107 1 CreationTimestamp 5\n105 \n101 01.-1 Job Machine\n"
    mended = mend(begin + b"106x")
    assert mended.data == begin + b"106 \n105 \n106 \n"
    assert mended.notes == ["the last transaction, whose end is damaged, counts"]
    assert mend(begin) == (begin, []), "a transaction that was not ended never counted"
    hurt = begin + b"106 \n105 \n101 1.0 Job Machine\n"
    assert b"101 1.0" not in mend(begin + b"what\n106 \n105 \n101 1.0 Job Machine\n").data
    assert mend(hurt) == (hurt, [])
    assert mend(hurt + b"what\n").data.endswith(b"101 1.0 Job Machine\n106 \n105 \n106 \n")
    twice = mend(begin + b"106 \n101 01.-1 Job Machine\n107 2 CreationTimestamp 6\n102 9.9\n104 8.8 A\n")
    assert [note.partition(": ")[2].partition(": '")[0] for note in twice.notes] == [
        "ad 01.-1 is made a second time",
        "a second 107",
        "a record for ad 9.9, which is not there",
        "a record for ad 8.8, which is not there",
    ]
    assert [int(note.split()[1]) for note in twice.notes] == [5, 6, 7, 8]


@pytest.mark.parametrize(("op", "known"), [(99, False), (100, False), (101, True), (108, False), (150, False)])
def test_operations_that_there_are_not_are_no_records(op: int, known: bool) -> None:
    """One flipped bit makes 113 of 103."""
    assert (parse_line(f"{op} a b c") is not None) is known


def test_users_are_numbered_on(tmp_path: Path) -> None:
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    assert queue.next_user == 2
    with queue.transaction() as transaction:
        for number in (2, 5):
            transaction.new_ad(f"0.{number}", "Owner")
            transaction.set(f"0.{number}", "User", f'"u{number}@x"')
    assert queue.next_user == 6
    assert [number for number, _ in filter(None, map(queue.user_record_of, ("u2@x", "u5@x", "u9@x")))] == [2, 5]


# the check


def test_what_the_check_says_of_a_queue(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text(
        "107 1 CreationTimestamp 5\n101 0.0 Job Machine\n103 0.0 NextClusterNum 3\n101 odd Job Machine\n"
        '101 01.-1 Job Machine\n101 1.0 Job Machine\n103 1.0 JobStatus 1\n103 1.0 GlobalJobId "vm#1.0#1"\n'
        "101 02.-1 Job Machine\n101 3.-2 Pvt Job\n101 4.7 Job Machine\n101 05.-1 Job Machine\n"
        '103 05.-1 JobMaterializeDigestFile "d"\n101 1.1 Job Machine\n101 0.-1 x y\n'
    )
    writer = HistoryWriter(str(tmp_path / "history"))
    writer.append([job(1), job(1)], NOW)
    history = str(tmp_path / "history")
    second = next(iter(list(forwards(history))[1:])).offset
    found = check_spool(str(tmp_path))
    assert [problem.text for problem in found if problem.offset >= 0] == [
        "line 4: 'odd' is no key of a job queue: '101 odd Job Machine'",
        "line 15: '0.-1' is no key of a job queue: '101 0.-1 x y'",
        "a second record of job 1.0 (vm#1.0#1)",
    ]
    assert found[-1] == Problem(history, second, "a second record of job 1.0 (vm#1.0#1)")
    assert [problem.text for problem in found if problem.offset < 0] == [
        "of job 4.7 there is no more than a number",
        "of job 1.1 there is no more than a number",
        "cluster 2 has no jobs",
        "private ad 3.-2 has no cluster ad",
        "job 1.0 has no ClusterId, or a wrong one",
        "job 1.0 has no ProcId, or a wrong one",
        "job 1.0 has no Owner, User, Cmd, JobUniverse",
        "NextClusterNum is 3, but there is a cluster 5",
    ]
    assert str(Problem("f", 0, "wrong")) == "f, byte 0: wrong"
    assert str(Problem("f", -1, "wrong")) == "f: wrong"
    path.write_text("101 0.0 Job Machine\n")
    assert check_spool(str(tmp_path))[0] == Problem(str(path), 0, "the first record is no 107")
    path.write_text("107 1 CreationTimestamp 5\n101 01.-1 Job Machine\n101 1.0 Job Machine\n103 1.0 JobStatus 1\n")
    assert "there is no header ad 0.0" in [problem.text for problem in check_spool(str(tmp_path))]
    path.write_text("107 1 CreationTimestamp 5\nwhat\n")
    (damage, *_) = check_spool(str(tmp_path))
    assert (damage.file, damage.offset) == (str(path), 26)
    assert damage.text == "line 2: it is no record: 'what'"


def test_what_the_check_says_of_a_history(tmp_path: Path) -> None:
    writer = HistoryWriter(str(tmp_path / "history"))
    writer.append([job(1), job(2)], NOW)
    history = tmp_path / "history"
    text = history.read_text()
    assert check_spool(str(tmp_path)) == []
    first = text.index("***", 9)
    length = len(text[: text.index("\n", first) + 1])
    history.write_text(text.replace("Offset = 0", "Offset = 7", 1))
    assert check_spool(str(tmp_path)) == [Problem(str(history), 0, "the banner says Offset = 7")]
    history.write_text(text.replace("*** Offset = 0 ClusterId = 1", "*** Offset = 0 ClusterId = 9", 1))
    assert check_spool(str(tmp_path)) == [Problem(str(history), 0, "banner and ad name different jobs")]
    history.write_text(text.replace("*** Offset = 0 ClusterId = 1", "*** Offset = 0 Cluster = 1", 1))
    assert check_spool(str(tmp_path)) == [Problem(str(history), 0, "banner and ad name different jobs")]
    history.write_text(text[:length] + "ClusterId = (\n" + text[length:])
    problems = check_spool(str(tmp_path))
    assert [(problem.offset, problem.text.partition(": ")[2][:20]) for problem in problems] == [
        (length, "not an attribute: 'C")
    ]


def test_the_check_as_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main([]) == 2
    assert check.main(["-x"]) == 2
    assert capsys.readouterr().err == "Usage: python -m condor_py.store.check SPOOL\n" * 2
    assert check.main([str(tmp_path / "no")]) == 2
    assert capsys.readouterr().err == f"{tmp_path}/no is no directory; name the SPOOL directory\n"
    assert check.main([str(tmp_path)]) == 0
    (tmp_path / "job_queue.log").write_text("101 0.0 Job Machine\n")
    assert check.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"{tmp_path}/job_queue.log, byte 0: the first record is no 107\n"


# events


def test_resources_of_a_slot_are_sorted_as_an_ad_is_stored() -> None:
    props = (("Memory", "1"), ("Cpus", "2"), ("CondorScratchDir", '"d"'))
    event = Execute(cluster=1, proc=0, time=NOW, host="h", props=props)
    told = json.loads(format_event(event, Form.JSON))
    assert list(told["ExecuteProps"]) == ["Cpus", "Memory", "CondorScratchDir"]
    assert [line.split()[0] for line in event_text(event).splitlines()[1:-1]] == ["CondorScratchDir", "Cpus", "Memory"]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("1.25", "1.25"),
        ("1.0", "1"),
        ("0.0", "0"),
        ("-1.5", "-1"),
        ("2e3", "2000"),
        ("1e19", "1e19"),
        ('"e"', '"e"'),
        ("7", "7"),
    ],
)
def test_cells_of_the_table(text: str, cell: str) -> None:
    row = resource_table([("Cpus", text)]).splitlines()[1]
    assert row.split(" : ")[1].split() == [cell]


def test_the_table_in_full() -> None:
    items = [("Cpus", "1"), ("CpusUsage", "0.5"), ("RequestCpus", "1"), ("GPUs", "2"), ("AssignedGPUs", '"a,b"')]
    assert resource_table([*items, ("MemoryUsage", "3")]).splitlines() == [
        "\tPartitionable Resources :    Usage  Request Allocated Assigned",
        "\t   Cpus                 :     0.50        1         1 ",
        '\t   GPUs                 :                           2 "a,b"',
        "\t   Memory (MB)          :     3                       ",
    ]
    assert resource_table([("Usage", "1")]) == ""


def test_a_log_is_looked_through_up_to_its_last_whole_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    other = event_text(JobAborted(cluster=2, proc=1, time=NOW, reason=""))
    path.write_text(SUBMIT + other + SUBMIT[:-4])
    assert last_states(str(path), {1, 2}) == event_log.LastStates({1: {0: (8,)}, 2: {1: (9,)}}, True)
    assert last_states(str(path), {2}).events == {2: {1: (9,)}}
    path.write_text(SUBMIT + other)
    assert last_states(str(path), {1, 2}).events == {1: {0: (8,)}, 2: {1: (9,)}}
    monkeypatch.setattr(event_log, "_MOST_READ", len(SUBMIT + other) - 1)
    monkeypatch.setattr(event_log, "_END_READ", len(other) + 5)
    assert last_states(str(path), {1, 2}) == event_log.LastStates({2: {1: (9,)}}, False)
    path.write_text(format_event(Generic(cluster=1, proc=0, time=NOW, info="x" * 200), Form.JSON))
    with pytest.raises(StoreError, match=rf"{path}: too large to be looked through \(\d+ bytes\)"):
        last_states(str(path), {1})
    assert last_states(str(tmp_path / "no"), {1}) == event_log.LastStates({})


@pytest.mark.parametrize("form", list(Form))
def test_a_torn_event_is_cut_and_what_is_no_event_is_ended(tmp_path: Path, form: Form) -> None:
    path = tmp_path / "log"
    whole = format_event(Generic(cluster=1, proc=0, time=NOW, info="x"), form)
    for torn in (whole[:-1], whole[:-3], whole[: len(whole) // 2], whole[:1]):
        for before in ("", whole, whole * 2):
            path.write_text(before + torn)
            append(str(path), [whole])
            assert path.read_text() == before + whole, repr(torn)
            path.unlink()
    path.write_text("a note\n")
    append(str(path), [whole])
    assert path.read_text() == ("a note\n...\n" + whole if form is Form.TEXT else "a note\n" + whole)
    append(str(path), [])
    assert path.stat().st_mode & 0o777 == 0o644


def test_options_of_the_form() -> None:
    assert [Form.of_options(text) for text in ("", "xml", "UTC, JSON", "ISO_DATE,XML,JSON")] == [
        Form.TEXT,
        Form.XML,
        Form.JSON,
        Form.XML,
    ]


def test_a_reader_begins_anew_when_the_log_does(tmp_path: Path) -> None:
    path = tmp_path / "log"
    reader = EventReader(str(path))
    assert reader.read() == []
    path.write_text(SUBMIT)
    assert [event.number for event in reader.read()] == [8]
    assert reader.read() == []
    path.write_text(event_text(JobAborted(cluster=2, proc=1, time=NOW, reason="")) + SUBMIT)
    assert [event.number for event in reader.all()] == [9, 8]
    path.write_text("no event\n...\n")
    with pytest.raises(StoreError, match=rf"^{path}, from byte 0: not a job event: 'no event'$"):
        reader.read()


def test_times_of_events(monkeypatch: pytest.MonkeyPatch) -> None:
    assert time_stamp(NOW + 0.9, FormatOptions(sub_second=True)) == "2026-11-21 07:11:59.900"
    assert time_stamp(NOW + 0.9999, FormatOptions(False, True, True)) == "11/21 07:11:59.999Z"
    monkeypatch.setenv("TZ", "EST5")
    time.tzset()
    for stamp, when in (("2026-11-21 07:11:59Z", NOW), ("2026-11-21 02:11:59.25", NOW + 0.25), ("11/21 02:11:59", NOW)):
        ((event,), _) = split_events(f"009 (001.000.000) {stamp} Job was aborted.\n...\n".encode(), "x")
        assert typed(event, NOW).time == when
    ((event,), _) = split_events(b"009 (001.000.000) 2026-11-21 07:11:59Z Job was aborted.\n...\n", "x")
    assert event.time == NOW


def test_events_with_odd_words_are_read() -> None:
    def read(text: str) -> object:
        ((event,), _) = split_events(text.encode(), "x")
        return typed(event, NOW)

    head = "006 (001.000.000) 2026-11-21 07:12:00 "
    size = read(f"{head}Image size of job updated: many\n\t7  -  MemoryUsage of job (MB)\n...\n")
    assert isinstance(size, ImageSize)
    assert (size.size_kb, size.memory_usage_mb, size.resident_set_size_kb) == (0, 7, 0)
    stopped = read("010 (001.000.000) 2026-11-21 07:12:00 Job was suspended.\n...\n")
    assert isinstance(stopped, JobSuspended)
    assert stopped.processes == 0
    gone = read(
        "004 (001.000.000) 11/21 07:12:00 Job was evicted. Code 5 Subcode 6\n\t(1) Job was checkpointed.\n...\n"
    )
    assert isinstance(gone, JobEvicted)
    assert (gone.code, gone.subcode, gone.checkpointed, gone.reason) == (5, 6, True, "")
    assert gone.time == 1_795_245_120


# other files


def test_two_who_append_at_once_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = RealFs()
    one, other = (fs.open_append(str(tmp_path / "log"), 0o644) for _ in range(2))
    waited: list[int] = []
    monkeypatch.setattr(os, "sched_yield", lambda: waited.append(1))
    assert fs.lock(one)
    assert not fs.lock(other)
    assert len(waited) == 1000
    fcntl.flock(one, fcntl.LOCK_UN)
    assert fs.lock(other)
    fs.close(one)
    fs.close(other)
    assert FileId(1, 2, 3, 4).same_file(FileId(1, 2, 9, 9))
    assert not FileId(1, 2, 3, 4).same_file(FileId(2, 2, 3, 4))
    assert not FileId(1, 2, 3, 4).same_file(FileId(1, 3, 3, 4))
    assert describe(OSError(0, ""), "cannot do it", "f").startswith("cannot do it: ")
    assert describe(OSError(9, "Bad file descriptor"), "cannot", "f") == "cannot: Bad file descriptor: f"


def test_the_header_of_the_global_log(tmp_path: Path) -> None:
    log = GlobalLog(str(tmp_path / "all"), "UTC,ISO_DATE", max_size=1200, rotations=1, count_events=True)
    log.append([], NOW)
    assert not list(tmp_path.iterdir())
    events = [event_text(Generic(cluster=1, proc=0, time=NOW, info="y" * 500), log.options)] * 2
    log.append(events, NOW + 0.25)
    log.append(events[:1], NOW + 60)
    GlobalLog(str(tmp_path / "legacy"), "").append(events[:1], NOW)
    assert (tmp_path / "legacy").read_text().startswith("008 (-01.-01.-01) 11/21 07:11:59 Global JobLog: ctime=")
    (tmp_path / "legacy").unlink()
    who = f"{os.getuid()}.{os.getpid()}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all", "all.old"]
    heads = [re.search(r"Global JobLog: (.*?) +\n", (tmp_path / name).read_text()) for name in ("all.old", "all")]
    size = (tmp_path / "all.old").stat().st_size
    begun = NOW + 60
    end = "max_rotation=1 creator_name=<>"
    born = f"{NOW}.250000"
    assert [head and head[1] for head in heads] == [
        f"ctime={NOW} id={who}.{born}.1.{born} sequence=1 size={size} events=2 offset=0 event_off=0 {end}",
        f"ctime={begun} id={who}.{begun}.0.2.{begun}.0 sequence=2 size=0 events=0 offset={size} event_off=2 {end}",
    ]


class FullFs(RealFs):
    """No write above a limit of bytes; syncs are counted."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.syncs: list[str] = []

    def write(self, handle: int, data: bytes) -> None:
        self.room -= len(data)
        if self.room < 0:
            raise OSError(28, "No space left on device")
        super().write(handle, data)

    def sync(self, handle: int) -> None:
        self.syncs.append("file")
        super().sync(handle)

    def sync_dir(self, path: str) -> None:
        self.syncs.append("directory")
        super().sync_dir(path)


def test_a_history_says_how_many_records_it_has_got(tmp_path: Path) -> None:
    path = str(tmp_path / "history")
    fs = FullFs(10**9)
    writer = HistoryWriter(path, fs, max_size=200)
    writer.append([], NOW)
    assert fs.syncs == []
    writer.append([job(1)], NOW)
    assert fs.syncs == ["file", "directory"]
    one = len(Path(path).read_bytes())
    writer.append([job(2), job(3)], NOW)
    assert fs.syncs == ["file", "directory"] * 3
    names = history_files(path)
    assert [name[len(path) :] for name in names] == ["", ".20261121T071200", ".20261121T071159"]
    fs.room = 2 * one + 5
    with pytest.raises(
        HistoryError, match=f"cannot write the history: no space left on the file system of {path}"
    ) as told:
        writer.append([job(number) for number in (4, 5, 6)], NOW + 60)
    assert told.value.written == 2
    assert tail_ids(path) >= {"vm#4.0#1", "vm#5.0#1"}
    assert "vm#6.0#1" not in tail_ids(path)
    fs.room = 10**9
    writer.append([job(6)], NOW + 120)
    assert "vm#6.0#1" in tail_ids(path)
    writer.close()


def test_the_last_records_are_known_however_long_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "history")
    writer = HistoryWriter(path, max_size=60_000, rotations=99)
    ids = [f"vm#{number}.0#1" for number in range(1, 101)]
    for number in range(1, 101):
        ad = job(number)
        ad["Args"] = "x" * (number * 37 % 3000)
        writer.append([ad], NOW + number)
    writer.close()
    assert len(history_files(path)) > 2
    for block in (700, 4096, 1 << 20):
        monkeypatch.setattr(history, "_TAIL_BLOCK", block)
        for count in (1, 7, 60, 99):
            found = tail_ids(path, count)
            assert found >= set(ids[-count:])
            assert block > 4096 or len(found) <= count + block // 100
        assert tail_ids(path) == set(ids)


def test_a_file_for_each_job(tmp_path: Path) -> None:
    write_per_job(str(tmp_path), job(7, Zeta="1", alpha="2"))
    write_per_job(str(tmp_path), job(7), name="vm#7/0")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history.7.0", "history.vm#7_0"]
    names = [line.split(" = ")[0] for line in (tmp_path / "history.7.0").read_text().splitlines()]
    assert names == ["alpha", "ClusterId", "GlobalJobId", "Owner", "ProcId", "Zeta"]


def test_what_follows_the_last_banner(tmp_path: Path) -> None:
    path = tmp_path / "history"
    writer = HistoryWriter(str(path))
    writer.append([job(1)], NOW)
    writer.close()
    whole = path.read_text()
    assert [record.job() for record in forwards(str(path), rest=True)] == [JobId(1, 0)]
    path.write_text(whole + "A = 1\n")
    last = list(forwards(str(path), rest=True))[-1]
    assert (last.text, last.banner, last.offset) == ("A = 1\n", "", len(whole))
    path.write_text(whole + "A = 1\n*** Offset = 7 Clus")
    last = list(forwards(str(path), rest=True))[-1]
    assert (last.text, last.banner, last.kind()) == ("A = 1\n", "*** Offset = 7 Clus", "JOB")
    path.write_text(whole + "*** Off")
    assert len(list(forwards(str(path), rest=True))) == 1
    assert [record.job() for record in forwards(str(path))] == [JobId(1, 0)]


def test_ads_of_programs(tmp_path: Path) -> None:
    log = tmp_path / "offline.log"
    store = Advertised(AdStore(str(tmp_path / "ads")), RememberedSettings(log=str(log)))
    machine, other = (ClassAd({"MyType": "Machine", "Name": name, "Offline": True}) for name in ("m 1", "m2"))
    store.update("GENERIC", [ClassAd({"MyType": "Generic", "Name": "x"})], NOW - 60, 60)
    assert not log.exists(), "only machines are remembered"
    store.update("STARTD", [machine, other], NOW, 60)
    store.update(
        "GENERIC", [ClassAd({"MyType": "Generic", "Name": "g"}), ClassAd({"MyType": "Generic", "Name": "h"})], NOW, 60
    )
    assert [(ad.get("Name"), ad.get("LastHeardFrom")) for ad in store.read("STARTD", NOW)] == [
        ("m 1", NOW),
        ("m2", NOW),
    ]
    assert [ad.get("Name") for ad in store.read("GENERIC", NOW + 59)] == ["g", "h"]
    store.update("GENERIC", [ClassAd({"MyType": "Generic", "Name": "g"})], NOW, 60)
    assert [ad.get("Name") for ad in store.read("GENERIC", NOW + 59)] == ["h", "g"]
    assert store.read("GENERIC", NOW + 60) == []
    assert [line.split()[1] for line in log.read_text().splitlines() if line.startswith("101")] == ["<m1>", "<m2>"]
    before = log.stat()
    store.remove("GENERIC", lambda ad: ad.get("Name") == "h", NOW)
    assert [ad.get("Name") for ad in store.read("GENERIC", NOW)] == ["g"]
    assert len(store.read("STARTD", NOW)) == 2
    assert log.stat() == before, "what is remembered already is not written again"
    store.remove("STARTD", lambda ad: ad.get("Name") == "m2", NOW)
    assert [ad.get("Name") for ad in store.read("STARTD", NOW)] == ["m 1"]
    assert log.read_text().count("102 <m2>") == 1


@pytest.mark.parametrize("line", ["A", "= 1", "A = (", " = 1", "A = 1 +"])
def test_lines_that_are_no_attributes(line: str) -> None:
    with pytest.raises(StoreError, match=r"^here: not an attribute: '"):
        checked_ad([line], "here")
    ad = checked_ad(["A = -1.5", 'B="x"', "C = A + 1", " D = true "], "here")
    assert ad.text_items() == [("A", "-1.5"), ("B", '"x"'), ("C", "A + 1"), ("D", "true")]


def test_bytes_that_are_no_text_survive(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff\xfe")
    ad = job(1, Odd=f'"{odd}"')
    store = AdStore(str(tmp_path))
    store.publish("x", [ad])
    assert store.read("x")[0].text("Odd") == f'"{odd}"'
    writer = HistoryWriter(str(tmp_path / "history"))
    writer.append([ad], NOW)
    writer.close()
    assert [record.ad().text("Odd") for record in forwards(str(tmp_path / "history"))] == [f'"{odd}"']
    append(str(tmp_path / "log"), [event_text(Generic(cluster=1, proc=0, time=NOW, info=odd))])
    assert odd in EventReader(str(tmp_path / "log")).read()[0].text
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    with queue.transaction() as transaction:
        transaction.new_ad("01.-1", "Job", "Machine")
        transaction.set("01.-1", "Odd", f'"{odd}"')
    found = JobQueue(str(tmp_path / "job_queue.log")).cluster(1)
    assert found is not None
    assert found.text("Odd") == f'"{odd}"'
    assert sys.getfilesystemencoding() == "utf-8"
