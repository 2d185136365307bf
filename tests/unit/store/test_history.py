"""History files: records, offsets, rotation, reading both ways."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store import history, longform
from condor_py.store.check import check_spool
from condor_py.store.fs import FileId, RealFs
from condor_py.store.history import (
    HistoryWriter,
    all_records,
    backwards,
    forwards,
    history_files,
    records_newest_first,
    rotate,
    tail_ids,
    write_per_job,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "crash"))
from leaving import records_oldest_first

NOW = 1795214128


def job_ad(proc: int, **more: str) -> ClassAd:
    cluster = ClassAd.from_text_items(
        [("ClusterId", "7"), ("Owner", '"alice"'), ("Cmd", '"/bin/sleep"'), ("In", '"/dev/null"')]
    )
    ad = ClassAd.from_text_items([("ProcId", str(proc)), ("GlobalJobId", f'"vm#7.{proc}#17"'), *more.items()])
    ad.chain(cluster)
    return ad


def test_the_form_of_records(tmp_path: Path) -> None:
    path = tmp_path / "history"
    writer = HistoryWriter(str(path))
    writer.append([job_ad(0, CompletionDate=str(NOW)), job_ad(1)], NOW)
    first = (
        'In = "/dev/null"\n'
        'Cmd = "/bin/sleep"\n'
        'Owner = "alice"\n'
        "ProcId = 0\n"
        "ClusterId = 7\n"
        'GlobalJobId = "vm#7.0#17"\n'
        f"CompletionDate = {NOW}\n"
        f'*** Offset = 0 ClusterId = 7 ProcId = 0 Owner = "alice" CompletionDate = {NOW} CurrentTime = {NOW}\n'
    )
    second = (
        first.replace("ProcId = 0", "ProcId = 1")
        .replace("vm#7.0", "vm#7.1")
        .replace(f"CompletionDate = {NOW}\n***", "***")
        .replace("Offset = 0", f"Offset = {first.index('***')}")
        .replace(f"CompletionDate = {NOW} C", "CompletionDate = -1 C")
    )
    assert path.read_text() == first + second
    assert path.stat().st_mode & 0o777 == 0o644


def test_reading_both_ways(tmp_path: Path) -> None:
    path = str(tmp_path / "history")
    writer = HistoryWriter(path)
    for proc in range(30):
        writer.append([job_ad(proc, Args='"' + "x" * (proc * 400) + '"')], NOW)
    there = list(forwards(path))
    assert [record.job() for record in there] == [JobId(7, proc) for proc in range(30)]
    assert list(backwards(path)) == there[::-1]
    assert there[3].ad().eval_str("Args") == "x" * 1200
    assert there[3].fields() == {
        "Offset": str(there[2].offset + len(there[2].text)), "ClusterId": "7", "ProcId": "3", "Owner": "alice",
        "CompletionDate": "-1", "CurrentTime": str(NOW),
    }  # fmt: skip


def test_a_torn_record_is_passed_over_and_cut(tmp_path: Path) -> None:
    path = tmp_path / "history"
    HistoryWriter(str(path)).append([job_ad(0), job_ad(1)], NOW)
    sound = path.read_bytes()
    for torn in (b"In = ", b'Cmd = "/bin/sh"\n*** Offset = 3', b"ClusterId = 7\nProcId = 9\n"):
        path.write_bytes(sound + torn)
        assert [r.job() for r in backwards(str(path))] == [JobId(7, 1), JobId(7, 0)]
        assert [r.job() for r in forwards(str(path))] == [JobId(7, 0), JobId(7, 1)]
        assert tail_ids(str(path)) == {"vm#7.0#17", "vm#7.1#17"}
        HistoryWriter(str(path)).append([job_ad(2)], NOW)
        assert path.read_bytes().startswith(sound + b"In = ")
        assert [r.job() for r in forwards(str(path))][2:] == [JobId(7, 2)]


def test_a_torn_record_that_somebody_wrote_behind(tmp_path: Path) -> None:
    """What stands between two banners is one record: it cannot be told what of it is whole."""
    path = tmp_path / "history"
    HistoryWriter(str(path)).append([job_ad(0)], NOW)
    with path.open("a") as file:
        file.write("Left = 1\nOver =\nClusterId = 8\nProcId = 1\n*** Offset = 7 ClusterId = 8 ProcId = 1\n")
    record = next(backwards(str(path)))
    assert list(forwards(str(path)))[1] == record
    with pytest.raises(StoreError, match="record at byte"):
        record.ad()


def test_what_follows_the_last_banner(tmp_path: Path) -> None:
    path = tmp_path / "history"
    for end, rest in (("", []), ("A = 1\n", ["A = 1\n"]), ("A = 1\n*** tor", ["A = 1\n"]), ("***", [])):
        for begin in ("", "*** x\n"):
            path.write_text(begin + end)
            assert [r.text for r in forwards(str(path), rest=True)][bool(begin) :] == rest, end


@pytest.mark.parametrize("offset", ["1", "7", "999999", "-3", "x", "0"])
def test_a_wrong_offset_does_not_matter(tmp_path: Path, offset: str) -> None:
    path = tmp_path / "history"
    record = f"ClusterId = 8\nProcId = 1\n*** Offset = {offset} ClusterId = 8 ProcId = 1 CompletionDate = 1\n"
    path.write_text(record * 3)
    assert [r.ad().text("ProcId") for r in backwards(str(path))] == ["1"] * 3
    assert [r.ad().text("ProcId") for r in forwards(str(path))] == ["1"] * 3


def test_kinds_of_banners(tmp_path: Path) -> None:
    path = tmp_path / "history"
    banners = ("***", "*** EPOCH", "***Offset = 0 ClusterId = 1", "*** ClusterId = 1", "*** input ClusterId=1",
               "***  SPAWN Offset=0")  # fmt: skip
    path.write_text("\n# a comment\n" + "".join(f"A = 1\n{banner}\n" for banner in banners))
    assert [r.kind() for r in forwards(str(path))] == ["", "", "JOB", "JOB", "INPUT", "SPAWN"]
    assert [r.kind() for r in backwards(str(path))] == ["SPAWN", "INPUT", "JOB", "JOB", "", ""]
    assert [r.ad().text("A") for r in backwards(str(path))] == ["1"] * 6


@pytest.mark.parametrize("line", ["A = ((", "A", "A =", "= 3", 'A = "x', "A = 1 2", "\0\0"])
def test_a_damaged_line_is_no_attribute(tmp_path: Path, line: str) -> None:
    path = tmp_path / "history"
    path.write_text(f"B = 1\n{line}\n*** Offset = 0 ClusterId = 1\n")
    with pytest.raises(StoreError, match="not an attribute"):
        next(backwards(str(path))).ad()


def test_rotation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    path = str(tmp_path / "history")
    writer = HistoryWriter(path, max_size=500, rotations=2)
    for proc in range(10):
        writer.append([job_ad(proc)], NOW + proc)
    names = [os.path.basename(name) for name in history_files(path)]
    assert names == ["history", "history.20261120T223536", "history.20261120T223534"]
    assert [r.job().proc for r in records_oldest_first(path)] == [4, 5, 6, 7, 8, 9]  # type: ignore[union-attr]
    assert [r.job().proc for r in records_newest_first(path)] == [9, 8, 7, 6, 5, 4]  # type: ignore[union-attr]
    assert next(forwards(path)).offset == 0
    assert tail_ids(path, 1 << 20) == {f"vm#7.{proc}#17" for proc in range(4, 10)}
    assert tail_ids(path, 300) >= {"vm#7.9#17"}
    # a batch that fills several files in one second loses nothing
    HistoryWriter(path, max_size=500, rotations=9).append([job_ad(proc) for proc in range(10, 20)], NOW + 100)
    assert [r.job().proc for r in records_oldest_first(path)] == list(range(4, 20))  # type: ignore[union-attr]


class _Rotating(RealFs):
    """Files of which one is rotated, and then written again, before a certain call."""

    def __init__(self, path: Path, when: int) -> None:
        self._path, self._left = path, when

    def _before(self) -> None:
        self._left -= 1
        if self._left == 0:
            rotate(RealFs(), str(self._path), 9, NOW + 100)
            writer = HistoryWriter(str(self._path))
            writer.append([job_ad(99)], NOW + 100)
            writer.close()

    def open_read(self, path: str) -> int:
        self._before()
        return super().open_read(path)

    def listdir(self, path: str) -> list[str]:
        self._before()
        return super().listdir(path)

    def stat(self, path: str) -> FileId:
        self._before()
        return super().stat(path)


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize("when", range(1, 10))
def test_a_rotation_hides_nothing_from_a_reader_and_shows_nothing_twice(
    tmp_path: Path, when: int, newest_first: bool
) -> None:
    path = tmp_path / "history"
    for proc in range(6):
        writer = HistoryWriter(str(path))
        writer.append([job_ad(proc)], NOW)
        writer.close()
        if proc in (1, 3):
            rotate(RealFs(), str(path), 9, NOW + proc)
    read = all_records(str(path), _Rotating(path, when), newest_first=newest_first)
    procs = [job.proc for record in read if (job := record.job()) is not None]
    expected = list(range(6))
    assert [proc for proc in procs if proc != 99] == (expected[::-1] if newest_first else expected)


def test_no_rotation_when_it_is_switched_off(tmp_path: Path) -> None:
    path = str(tmp_path / "history")
    writer = HistoryWriter(path, max_size=0)
    for proc in range(10):
        writer.append([job_ad(proc)], NOW)
    assert os.listdir(tmp_path) == ["history"]


def test_no_history_yet(tmp_path: Path) -> None:
    path = str(tmp_path / "history")
    assert list(records_newest_first(path)) == []
    assert tail_ids(path) == set()
    HistoryWriter(path).append([], NOW)
    assert tail_ids(str(tmp_path / "no" / "history")) == set()


def test_a_file_that_is_taken_away_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "history"
    writer = HistoryWriter(str(path))
    writer.append([job_ad(0)], NOW)
    path.unlink()
    writer.append([job_ad(1)], NOW)
    assert [(r.job(), r.offset) for r in forwards(str(path))] == [(JobId(7, 1), 0)]


def test_epoch_style_banners_end_records_too(tmp_path: Path) -> None:
    path = tmp_path / "epoch_history"
    text = 'A = 1\n*** SPAWN ClusterId=1 ProcId=0 RunInstanceId=0 Owner="alice" CurrentTime=5\n'
    path.write_text("*** FIRST\n" + text * 2)
    assert [r.text for r in forwards(str(path))] == ["", "A = 1\n", "A = 1\n"]
    assert [r.text for r in backwards(str(path))] == ["A = 1\n", "A = 1\n", ""]
    assert next(backwards(str(path))).job() == JobId(1, 0)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.lists(st.integers(0, 60), max_size=5), st.integers(4, 40)), max_size=8),
    st.integers(1, 40),
    st.integers(0, 30),
)
def test_seams_between_blocks_do_not_matter(
    tmp_path_factory: pytest.TempPathFactory, records: list[tuple[list[int], int]], block: int, torn: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "seams"
    bodies = ["".join(f"A{i} = {'x' * n}\n" for i, n in enumerate(lines)) for lines, _ in records]
    banners = ["*** " + "y" * (width - 4) for _, width in records]
    whole = "".join(body + banner + "\n" for body, banner in zip(bodies, banners, strict=True))
    path.write_text(whole + ("B = 1\n*** torn" * 3)[:torn].split("\n*** torn")[0])
    before, history._BLOCK = history._BLOCK, block
    try:
        found = list(forwards(str(path)))
        assert [(r.text, r.banner) for r in found] == list(zip(bodies, banners, strict=True))
        assert list(backwards(str(path))) == found[::-1]
    finally:
        history._BLOCK = before


def test_per_job_files(tmp_path: Path) -> None:
    write_per_job(str(tmp_path), job_ad(3, Zeta="1", alpha="2"))
    lines = (tmp_path / "history.7.3").read_text().splitlines()
    assert lines == sorted(lines, key=str.lower)
    assert lines[0] == "alpha = 2"
    assert os.listdir(tmp_path) == ["history.7.3"]


def test_the_first_record_after_a_rotation_has_no_banner_before_it(tmp_path: Path) -> None:
    """Whether the file was full, or another day began."""
    path = tmp_path / "history"
    for every, size, seconds in (("", 200, 1), ("day", 0, 86400), ("month", 0, 32 * 86400)):
        writer = HistoryWriter(str(path), max_size=size)
        writer.every = every
        writer.append([job_ad(0), job_ad(1)] if every else [job_ad(0)], NOW)
        os.utime(path, (NOW, NOW))
        writer.append([job_ad(2), job_ad(3)] if every else [job_ad(2)], NOW + seconds)
        offsets = [line.split()[3] for line in path.read_text().splitlines() if line.startswith("***")]
        assert offsets[0] == "0"
        assert len(offsets) == (2 if every else 1)
        assert not check_spool(str(tmp_path))
        for file in tmp_path.iterdir():
            file.unlink()


def test_a_torn_end_of_zeros_is_cut(tmp_path: Path) -> None:
    """What a file system may leave of a write at a power cut: blocks that were never filled."""
    path = tmp_path / "history"
    writer = HistoryWriter(str(path))
    writer.append([job_ad(0)], NOW)
    sound = path.read_bytes()
    path.write_bytes(sound + b"\0" * 700 + b"\nOwn")
    HistoryWriter(str(path)).append([job_ad(1)], NOW)
    assert path.read_bytes().startswith(sound + b"In = ")
    assert not check_spool(str(tmp_path))


def test_offset_is_where_the_banner_before_begins(tmp_path: Path) -> None:
    """As in a history of HTCondor 25.14 of several records; a writer that starts again goes on with it."""
    path = tmp_path / "history"
    HistoryWriter(str(path)).append([job_ad(0), job_ad(1)], NOW)
    with path.open("a") as file:
        file.write("In = ")  # torn
    HistoryWriter(str(path)).append([job_ad(2)], NOW)
    lines = path.read_text().splitlines(keepends=True)
    at, before = 0, 0
    for line in lines:
        if line.startswith("*** "):
            assert line.startswith(f"*** Offset = {before} ")
            before = at
        at += len(line)
    assert not check_spool(str(tmp_path))


def test_records_behind_zeros_stay(tmp_path: Path) -> None:
    """512 bytes of zeros in the middle: one or two records are hit, the others are there before and after an append."""
    path = tmp_path / "history"
    HistoryWriter(str(path)).append([job_ad(number) for number in range(30)], NOW)
    data = bytearray(path.read_bytes())
    at = data.index(b"ProcId = 14 ")
    data[at : at + 512] = bytes(512)
    path.write_bytes(data)
    known = tail_ids(str(path))
    writer = HistoryWriter(str(path))
    writer.append([job_ad(99)], NOW)
    found = [record.job() for record in forwards(str(path))]
    procs = [job.proc for job in found if job is not None]
    assert procs == sorted(procs)
    assert {*range(14), *range(20, 30), 99} <= set(procs)
    assert known == {f"vm#7.{proc}#17" for proc in procs if proc != 99}, "a schedd that starts sees the same"
    assert (tmp_path / "history.damaged").read_bytes() == bytes(data)
    assert "zeros from byte" in writer.notes[0]
    assert check_spool(str(tmp_path)) == []
    assert list(backwards(str(path))) == list(forwards(str(path)))[::-1]


@pytest.mark.parametrize(
    ("text", "written"),
    [("1795888800", 1795888800), ("9" * 15, 10**15 - 1), ("1" * 16, None), ("1" * 5000, None), ("\u00b2", None),
     ("\u0663", None), ("-5", None), ("x", None)],
)  # fmt: skip
def test_when_a_record_was_written(text: str, written: int | None) -> None:
    banner = f"*** Offset = 0 ClusterId = 1 ProcId = 0 CurrentTime = {text}"
    assert history.HistoryRecord("", banner, "h", 0).written() == written
    assert history.HistoryRecord("", "*** Offset = 0", "h", 0).written() is None


ODD_LINES = (
    *("A = 1", "a = 2", "B = -1.5", "C=x", " D = true ", "E = A +", "F", "= 1", "# none", "", "\r", "\t", "G = 1\r"),
    *(
        'S = "x\\"y"',
        'T = "' + "\\\\" * 3000 + '"',
        "U = 007",
        "V = 08",
        "W = { A, [ b = 1; ] }",
        "X = 1 2",
        "'q x' = 1",
    ),
    *("Y\v = 1", "Z = 1\v", "N\x1f = 1", "O = 1\x1f", "P = \x851", 'Q = "\udcff\0"', "\u00c4 = 1", "R = error"),
)
LINES = st.one_of(st.sampled_from(ODD_LINES), st.text("AB=1 \"'\\#\r\t\v\x1f\x85\u2028\udcff", max_size=9))


@settings(max_examples=400)
@given(st.lists(LINES, max_size=6), st.sampled_from(["", "\n"]))
def test_records_that_are_read_soon_say_what_their_lines_do(lines: list[str], end: str) -> None:
    def ad() -> list[tuple[str, str]] | str:
        try:
            return [(one.name, one.text) for one in record.ad().attrs.values()]
        except StoreError as error:
            return str(error)

    record = history.HistoryRecord("\n".join(lines) + end, "*** ", "FILE", 7)
    found = ad()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(longform, "native", None)
        assert found == ad()


def test_a_long_word_in_a_banner_costs_no_more_than_its_letters() -> None:
    """Half an hour, if each letter were the beginning of a name."""
    banner = f"*** Offset = 5 {'x' * 300_000} ClusterId = 3"
    assert history.HistoryRecord("A = 1\n", banner, "FILE", 7).fields() == {"Offset": "5", "ClusterId": "3"}
