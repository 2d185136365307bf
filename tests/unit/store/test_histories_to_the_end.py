"""Histories and other files that grow at their end: what lasts, what is given up, what is read and what is not."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from noting import At, Noting

from condor_py.lang.classad import ClassAd
from condor_py.model.cyclerecords import CycleRecord
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.store import cyclelog, history
from condor_py.store.check import check_spool
from condor_py.store.cyclelog import decode, encode, records
from condor_py.store.daemon_history import append_daemon_ad
from condor_py.store.drain_file import DrainFile
from condor_py.store.epochs import EpochWriter
from condor_py.store.fs import RealFs
from condor_py.store.history import (
    HistoryError,
    HistoryWriter,
    backwards,
    forwards,
    history_files,
    rotate,
    sound_records,
    tail_ids,
    write_per_job,
)
from condor_py.store.limited import append_limited

NOW = 1_795_245_119
ODD = os.fsdecode(b"vm\xff#1")


def job(number: int, identity: str = "") -> ClassAd:
    items = {
        "ClusterId": str(number),
        "ProcId": "0",
        "Owner": '"a"',
        "GlobalJobId": f'"{identity or f"vm#{number}.0"}"',
    }
    return ClassAd.from_text_items(list(items.items()))


def written(path: Path, *numbers: int) -> bytes:
    writer = HistoryWriter(str(path))
    writer.append([job(number) for number in numbers], NOW)
    writer.close()
    return path.read_bytes()


def jobs(path: Path) -> list[int]:
    return [found.cluster for found in (record.job() for record in forwards(str(path))) if found is not None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history"


class HalfFs(RealFs):
    """Writes the first half of what it is given, and then the disk is full."""

    def __init__(self, *, cut: bool = True) -> None:
        self.full = False
        self.cut = cut

    def write(self, handle: int, data: bytes) -> None:
        super().write(handle, data[: len(data) // 2] if self.full else data)
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")

    def truncate(self, handle: int, size: int) -> None:
        if not self.cut:
            raise OSError(errno.EIO, "Input/output error")
        super().truncate(handle, size)


# writing


def test_a_history_is_opened_once_and_its_name_lasts_with_the_first_record(path: Path) -> None:
    fs = Noting()
    writer = HistoryWriter(str(path), fs)
    writer.append([job(1)], NOW)
    assert fs.take("sync", "sync_dir") == [("sync", "history"), ("sync_dir", str(path.parent))]
    writer.append([job(2)], NOW)
    assert fs.take("open_append", "open_read", "read_at", "sync", "sync_dir") == [("sync", "history")]
    path.rename(path.with_name("aside"))
    writer.append([job(3)], NOW)
    assert fs.take("open_append", "sync", "sync_dir") == [
        ("open_append", "history"), ("sync", "history"), ("sync_dir", str(path.parent)),
    ]  # fmt: skip
    writer.close()
    assert jobs(path) == [3]


def test_a_history_of_the_present_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fs = Noting()
    writer = HistoryWriter("history", fs)
    writer.append([job(1)], NOW)
    writer.close()
    assert fs.take("sync_dir") == [("sync_dir", ".")]
    assert history_files("history") == ["history"]
    assert tail_ids("history") == {"vm#1.0"}


@pytest.mark.parametrize("cut", [True, False])
def test_half_a_record_on_a_full_disk_is_taken_back_at_once_or_by_the_next(path: Path, cut: bool) -> None:
    fs = HalfFs(cut=cut)
    writer = HistoryWriter(str(path), fs)
    writer.append([job(1)], NOW)
    before = path.read_bytes()
    fs.full = True
    with pytest.raises(HistoryError, match="cannot write the history: no space left on the file system of") as told:
        writer.append([job(2)], NOW)
    assert told.value.written == 0
    assert (path.read_bytes() == before) == cut
    fs.full, fs.cut = False, True
    writer.append([job(3)], NOW)
    writer.close()
    assert jobs(path) == [1, 3]
    assert check_spool(str(path.parent)) == []


def test_what_others_append_is_seen_before_the_next_record(path: Path) -> None:
    writer = HistoryWriter(str(path))
    writer.append([job(1)], NOW)
    written(path, 2)
    writer.append([job(3)], NOW)
    writer.close()
    assert jobs(path) == [1, 2, 3]
    assert check_spool(str(path.parent)) == [], "every banner tells where the one before it begins"


@pytest.mark.parametrize(("keep", "left"), [(-1, 0), (0, 0), (1, 1), (2, 2), (9, 3)])
def test_so_many_rotated_files_stay(path: Path, keep: int, left: int) -> None:
    for number in (1, 2, 3):
        path.write_text(f"A = {number}\n***\n")
        rotate(RealFs(), str(path), keep if number == 3 else 9, NOW)
    names = history_files(str(path))
    assert [next(forwards(name)).text for name in names] == [f"A = {number}\n" for number in (3, 2, 1)][:left]


def test_a_history_of_each_job_is_not_waited_for(tmp_path: Path) -> None:
    fs = Noting()
    write_per_job(str(tmp_path), job(1, ODD), fs)
    assert fs.take("sync", "sync_dir") == []
    assert (tmp_path / "history.1.0").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "history.1.0").read_bytes().splitlines()[1] == b'GlobalJobId = "vm\xff#1"'


# reading


def test_who_cannot_read_to_the_end_is_told(path: Path) -> None:
    written(path, 1)
    for read in (forwards, backwards):
        with pytest.raises(StoreError, match=f"^cannot read the history: input/output error of the disk at {path}$"):
            list(read(str(path), Noting(read_at=errno.EIO)))
    with pytest.raises(StoreError, match="cannot read the history: input/output error"):
        tail_ids(str(path), fs=Noting(read_at=errno.EIO))
    with pytest.raises(StoreError, match="cannot list the history files: input/output error"):
        history_files(str(path), Noting(listdir=errno.EIO))


@pytest.mark.parametrize(
    ("rest", "texts"),
    [(b"***", []), (b"** two stars\n", ["** two stars\n"]), (b"A = 1\n***", ["A = 1\n"]), (b"A", ["A"])],
)
def test_what_follows_the_last_banner_is_given_unless_it_is_a_torn_banner(
    path: Path, rest: bytes, texts: list[str]
) -> None:
    before = written(path, 1)
    path.write_bytes(before + rest)
    found = list(forwards(str(path), rest=True))[1:]
    assert [record.text for record in found] == texts
    assert len(list(forwards(str(path)))) == 1


def test_zeros_right_behind_a_banner_take_nothing_of_its_record(path: Path) -> None:
    first = len(written(path, 1))
    data = written(path, 2, 3)
    path.write_bytes(data[:first] + bytes(512) + b"\n" + data[first:])
    assert tail_ids(str(path)) == {"vm#1.0", "vm#3.0"}
    writer = HistoryWriter(str(path))
    writer.append([job(4)], NOW)
    writer.close()
    assert jobs(path) == [1, 3, 4]
    assert writer.notes == [
        f"{path}: zeros from byte {first} on; 1 records after them stay, all is kept in {path}.damaged"
    ]


def test_ids_of_any_bytes_are_found_before_and_behind_zeros(path: Path) -> None:
    for number in range(3):
        writer = HistoryWriter(str(path))
        writer.append([job(number, f"{ODD}.{number}")], NOW)
        writer.close()
    assert tail_ids(str(path)) == {f"{ODD}.{number}" for number in range(3)}
    data = path.read_bytes()
    at = data.index(b"ClusterId = 1")
    path.write_bytes(data[:at] + bytes(9) + data[at + 9 :])
    assert tail_ids(str(path)) == {f"{ODD}.0", f"{ODD}.2"}
    assert check_spool(str(path.parent))
    path.write_bytes(data.replace(b'Owner = "a"', b'Owner = "\xff"'))
    assert check_spool(str(path.parent)) == []


def test_zeros_at_the_very_beginning(path: Path) -> None:
    data = written(path, 1, 2, 3)
    path.write_bytes(bytes(9) + data[9:])
    assert tail_ids(str(path)) == {"vm#2.0", "vm#3.0"}
    writer = HistoryWriter(str(path))
    writer.append([job(4)], NOW)
    writer.close()
    assert jobs(path) == [2, 3, 4]
    assert check_spool(str(path.parent)) == []
    assert writer.notes[0].startswith(f"{path}: zeros from byte 0 on; 2 records after them stay")


def test_the_id_of_a_torn_record_is_not_in_the_history(path: Path) -> None:
    data = written(path, *range(1, 9))
    path.write_bytes(data + b'GlobalJobId = "vm#9.0"\nA = 1\n')
    for limit in (200, 300, len(data), 1 << 20):
        assert "vm#9.0" not in tail_ids(str(path), limit)
        assert "vm#8.0" in tail_ids(str(path), limit)


class LeavingFs(RealFs):
    """The present file is moved away after the directory was read."""

    def open_read(self, path: str) -> int:
        if path.endswith("history"):
            raise FileNotFoundError(path)
        return super().open_read(path)


def test_ids_are_found_although_the_newest_file_moves_away(path: Path) -> None:
    written(path, 2)
    written(path.with_name("history.20260101T000000"), 1)
    assert tail_ids(str(path), fs=LeavingFs()) == {"vm#1.0"}


def test_older_files_are_not_opened_for_ids_when_enough_was_read(path: Path) -> None:
    written(path, 2)
    written(path.with_name("history.20260101T000000"), 1)
    fs = Noting()
    assert tail_ids(str(path), 1, fs) == {"vm#2.0"}
    assert {name for _, name in fs.take("open_read")} == {"history"}
    assert tail_ids(str(path), 1000, fs) == {"vm#1.0", "vm#2.0"}
    assert tail_ids(str(path), 0, fs) == set()


def test_of_a_long_history_the_end_is_looked_through_for_zeros(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_LAST_WRITE", 200)
    data = bytearray(written(path, *range(1, 20)))
    data[10:20] = bytes(10)
    path.write_bytes(data)
    assert len(tail_ids(str(path))) == 19, "what is old and damaged is known all the same"
    data[-60:-50] = bytes(10)
    path.write_bytes(data)
    assert "vm#19.0" not in tail_ids(str(path))
    assert "vm#18.0" in tail_ids(str(path))


def test_of_what_is_behind_zeros_only_whole_records_count() -> None:
    sound = b'A = 1\nB = "x"\n*** Offset = 0 ClusterId = 1\n'
    odd = b"A = 1\nno attribute\n*** Offset = 0 ClusterId = 2\n"
    zero = b"A = 1\n*** Offset = 0 Cluster\0 = 3\n"
    found = sound_records(odd + sound + zero + sound + b"*** Offset = 0 ClusterId = 4\n" + b"A = 1\n")
    assert found == [(b'A = 1\nB = "x"\n', b"*** Offset = 0 ClusterId = 1\n")] * 2


# records of cycles, of runs, of daemons


def test_what_a_line_of_a_cycle_leaves_out_is_nothing() -> None:
    record = decode(b'{"v":1,"t":[1,2],"n":3,"k":4,"p":[1,0,0.5],"u":{"a@x":{}}}')
    assert record is not None
    part = record.submitters["a@x"]
    assert (part.real, part.factor, part.idle, part.reasons) == (0.0, 0.0, 0, {})
    assert (record.begin, record.end, record.cycles, record.known, record.drained) == (1, 2, 3, 4, 0.5)
    assert encode(record) == b'{"v":1,"t":[1,2],"n":3,"k":4,"p":[1,0,0.5],"u":{"a@x":{}}}\n'


def test_cycles_since_a_time_are_those_that_ended_later(tmp_path: Path) -> None:
    path = tmp_path / "cycles"
    lines = [encode(CycleRecord(begin, begin + 1)) for begin in range(4)]
    path.with_name("cycles.20260101T000000").write_bytes(lines[0] + lines[1])
    path.write_bytes(b"torn" + lines[0] + lines[2] + lines[3])
    assert [record.end for record in records(str(path))] == [1, 2, 3, 4]
    assert [record.end for record in records(str(path), 2)] == [3, 4]
    os.utime(path.with_name("cycles.20260101T000000"), (1, 1))
    fs = Noting()
    assert [record.end for record in records(str(path), 2, fs)] == [3, 4]
    assert {name for _, name in fs.take("read_at")} == {"cycles"}, "an old file is not read"


def test_old_records_of_cycles_are_not_even_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cycles"
    path.write_bytes(
        b"".join(encode(CycleRecord(begin, begin + 1)) for begin in range(9))
        + b'{"v": 1, "t": [3, 7], "n": 1, "k": 1, "p": [1, 0, 0]}\n'
        + b'{"v": 1, "t": [3, 8], "n": 1, "k": 1, "p": [1, 0, 0]}\n'
    )
    parsed = []

    def noted(line: bytes) -> CycleRecord | None:
        parsed.append(line)
        return decode(line)

    monkeypatch.setattr(cyclelog, "decode", noted)
    assert [record.end for record in records(str(path), 7)] == [8, 9, 8]
    assert len(parsed) == 4, "those that are not ours by the letter are"
    os.utime(path, (1, 1))
    assert [record.end for record in records(str(path), 8)] == [9], "whatever the clock said when it was written"


class RotatingFs(RealFs):
    """The oldest file goes away while somebody reads."""

    def open_read(self, path: str) -> int:
        if path.endswith("20260101T000000"):
            raise FileNotFoundError(path)
        return super().open_read(path)


def test_of_rotated_files_those_are_read_that_are_there_and_not_too_old(tmp_path: Path) -> None:
    path = tmp_path / "cycles"
    for name, end in (("cycles.20260101T000000", 1), ("cycles.20260102T000000", 2), ("cycles", 3)):
        path.with_name(name).write_bytes(encode(CycleRecord(NOW, NOW + end)))
        os.utime(path.with_name(name), (NOW + 1, NOW + 1))
    assert [record.end - NOW for record in records(str(path), NOW)] == [1, 2, 3]
    assert [record.end - NOW for record in records(str(path), NOW, RotatingFs())] == [2, 3]


@pytest.mark.parametrize("number", [b"1e18", b"-1e18", b"1e999", b"NaN", b'"x"', b"[]", b"null"])
def test_numbers_that_no_cycle_has(number: bytes) -> None:
    assert decode(b'{"v":1,"t":[1,%s],"n":1,"k":1,"p":[1,0,0]}' % number) is None
    assert decode(b'{"v":1,"t":[1,2],"n":1,"k":1,"p":[%s,0,0]}' % number) is None


def test_who_wants_records_of_runs(tmp_path: Path) -> None:
    assert not EpochWriter(HistorySettings()).wanted
    assert EpochWriter(HistorySettings(epoch_path=str(tmp_path / "epochs"))).wanted
    assert EpochWriter(HistorySettings(epoch_directory=str(tmp_path))).wanted


def test_a_line_behind_a_torn_one_begins_anew_and_a_full_file_moves_away(tmp_path: Path) -> None:
    path = tmp_path / "log"
    moved: list[int] = []

    def move(fs: object) -> None:
        moved.append(path.stat().st_size)
        path.unlink()

    for data, text in (
        (b"a\n", "a\n"),
        (b"b\n", "a\nb\n"),
        (b"c", "a\nb\nc"),
        (b"d\n", "a\nb\nc\nd\n"),
        (b"ef\n", "ef\n"),
    ):
        append_limited(str(path), data, 8, move)
        assert path.read_text() == text
    assert moved == [8]
    append_limited(str(path), b"x" * 99, 0, move)
    assert len(moved) == 1, "0: never"
    assert path.stat().st_mode & 0o777 == 0o644
    with pytest.raises(StoreError, match=f"^cannot write: .*: {tmp_path}$"):
        append_limited(str(tmp_path), b"x", 0, move)


def test_ads_of_daemons_are_kept_with_who_and_when(tmp_path: Path) -> None:
    path = tmp_path / "ads"
    ad = ClassAd.from_text_items([("Name", f'"{ODD}"')])
    for number in range(2):
        append_daemon_ad(str(path), "SCHEDD", ad, NOW + number, max_size=0, rotations=1)
    assert path.read_bytes() == b"".join(
        b'Name = "vm\xff#1"\nRecordWriteDate = %d\n*** SCHEDD CurrentTime=%d\n' % (when, when)
        for when in (NOW, NOW + 1)
    )
    append_daemon_ad(str(path), "SCHEDD", ad, NOW, max_size=10, rotations=1)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_remembered_of_draining_is_a_line_that_people_can_read(tmp_path: Path) -> None:
    file = DrainFile(str(tmp_path))
    assert file.read() == {}
    file.write({"b": 1, "a": [2]})
    assert (tmp_path / "startd_drain").read_text() == '{"a": [2], "b": 1}\n'
    assert file.read() == {"a": [2], "b": 1}
    for odd in ("[1]", "{", "\udcff"):
        (tmp_path / "startd_drain").write_text(odd, errors="surrogateescape")
        assert file.read() == {}


def test_the_number_of_a_job_is_that_of_its_banner(path: Path) -> None:
    path.write_text("A = 1\n*** ClusterId = x ProcId = 0\nA = 1\n*** ClusterId = 1\nA = 1\n*** ClusterId=2 ProcId=3\n")
    assert [record.job() for record in forwards(str(path))] == [None, None, JobId(2, 3)]


@pytest.mark.parametrize(("wide", "files"), [(-1, 2), (0, 1), (1, 1)])
def test_a_history_is_moved_away_when_the_next_record_would_not_fit(path: Path, wide: int, files: int) -> None:
    first, whole = len(written(path, 1)), written(path, 2)
    body = whole[first:].index(b"***")
    path.unlink()
    writer = HistoryWriter(str(path), max_size=first + body + wide)
    writer.append([job(1), job(2)], NOW)
    writer.close()
    assert len(history_files(str(path))) == files
    assert check_spool(str(path.parent)) == []
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o644}


def test_offsets_begin_anew_with_every_file_of_a_batch(path: Path) -> None:
    writer = HistoryWriter(str(path), max_size=len(written(path.with_name("x"), 1, 2)) + 9, rotations=9)
    writer.append([job(number) for number in range(1, 7)], NOW)
    writer.close()
    path.with_name("x").unlink()
    assert [jobs(Path(name)) for name in history_files(str(path))] == [[5, 6], [3, 4], [1, 2]]
    assert check_spool(str(path.parent)) == []
    for name in history_files(str(path)):
        first, second = forwards(name)
        assert [first.fields()["Offset"], second.fields()["Offset"]] == ["0", str(len(first.text))]


def test_a_record_that_is_too_large_by_itself_stands_alone(path: Path) -> None:
    writer = HistoryWriter(str(path), max_size=10, rotations=9)
    writer.append([job(1), job(2)], NOW)
    writer.close()
    assert [jobs(Path(name)) for name in history_files(str(path))] == [[2], [1]]
    assert path.read_bytes().count(b"*** Offset = 0 ") == 1


@pytest.mark.usefixtures("universal_time")
def test_a_history_of_days_begins_anew_at_midnight(path: Path) -> None:
    midnight = NOW // 86400 * 86400
    written(path, 1)
    for when, files in ((midnight, 1), (midnight - 1, 2)):
        writer = HistoryWriter(str(path), At(when))
        writer.every = "day"
        writer.append([job(2)], midnight + 86399)
        writer.close()
        assert len(history_files(str(path))) == files


def test_the_environment_of_jobs_stays_unless_it_is_switched_off(path: Path) -> None:
    ad = job(1)
    for name in ("Env", "Environment", "EnvDelim"):
        ad.set_text(name, '"A=1"')
    for environment, lines in ((True, 3), (False, 1)):
        writer = HistoryWriter(str(path))
        if not environment:
            writer.environment = False
        writer.append([ad], NOW)
        writer.close()
        assert f"\n{path.read_text()}".count("\nEnv") == lines
        path.unlink()


def test_what_is_no_history_is_left_alone(path: Path) -> None:
    for text in ("my notes\n", "A = 1\n***\nmy notes\nA = 1\n"):
        path.write_text(text)
        with pytest.raises(StoreError, match=r"is no history file \(see byte \d+\); HISTORY must name one"):
            HistoryWriter(str(path)).append([job(1)], NOW)
        assert path.read_text() == text
    path.with_name("another.20260101T000000").touch()
    path.with_name("xxxxxxx.20260101T000000").touch()
    assert history_files(str(path)) == [str(path)]
