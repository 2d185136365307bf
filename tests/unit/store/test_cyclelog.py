"""Records of negotiation cycles, as they lie on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.model.cyclerecords import CycleRecord, GroupRecord, Reason, SubmitterRecord
from condor_py.model.errors import StoreError
from condor_py.model.settings.history import CycleHistorySettings
from condor_py.store import cyclelog
from condor_py.store.cyclelog import CycleLog, decode, encode, records
from condor_py.store.fs import FileId, RealFs

NOW = 1_795_245_119


def record(begin: int = NOW, **more: object) -> CycleRecord:
    made = CycleRecord(begin, begin + 60, 3, 4, 8.0, 2.5, 0.0)
    for name, value in more.items():
        setattr(made, name, value)
    return made


def full() -> CycleRecord:
    alice = SubmitterRecord(real=0.5, factor=1000.0)
    for at, name in enumerate(cyclelog._KEYS):
        if name not in ("real", "factor", "lost"):
            setattr(alice, name, type(getattr(alice, name))(at + 1))
    alice.lost = {"bob@example.net": 2}
    alice.reasons = {"no match found": Reason(61, 7)}
    bob = SubmitterRecord(real=0.123456789, factor=0.0, used=1.23456, ceiling=0.0)
    return record(
        submitters={"alice@example.net": alice, "bob@example.net": bob},
        groups={"physics": GroupRecord(1.0, 2.5, 3.0005, 4.0)},
    )


def test_a_record_is_one_line_of_json() -> None:
    assert encode(record()) == b'{"v":1,"t":[1795245119,1795245179],"n":3,"k":4,"p":[8,2.5,0]}\n'
    line = encode(full()).decode()
    assert line == (
        '{"v":1,"t":[1795245119,1795245179],"n":3,"k":4,"p":[8,2.5,0],"u":{"alice@example.net":{"r":0.5,"f":1000.0,'
        '"s":3.0,"g":"4","c":5.0,"n":6,"i":7,"w":8,"p":9,"u":10,"a":11,"e":12,"d":13,"m":14,"l":{"bob@example.net":2},'
        '"x":{"no match found":[61,7]}},"bob@example.net":{"r":0.123457,"c":0.0,"u":1.235}},'
        '"g":{"physics":[1,2.5,3.001,4]}}\n'
    )


def test_what_is_written_reads_back() -> None:
    for one in (record(), full()):
        found = decode(encode(one))
        assert found is not None
        assert encode(found) == encode(one)
    found = decode(encode(full()))
    assert found is not None
    assert found.submitters["alice@example.net"].reasons == {"no match found": Reason(61, 7)}
    assert found.groups["physics"].quota == 1.0


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"7", b'{"v":2,"t":[1,2],"n":1,"k":1,"p":[1,1,1]}', b'{"v":1,"t":[1],"n":1,"k":1,"p":[1,1,1]}',
     b'{"v":1,"t":[1,2],"n":1,"k":1,"p":[1,1]}', b'{"v":1,"t":[1,2],"n":1,"k":1,"p":[1,1,1],"u":[]}',
     b'{"v":1,"t":[1,2],"n":1,"k":1,"p":[1,1,1],"g":{"a":["x"]}}'],
)  # fmt: skip
def test_what_is_no_record_is_none(line: bytes) -> None:
    assert decode(line) is None


def test_records_of_a_time_come_oldest_first_rotated_files_included(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cyclelog, "_BLOCK", 16)  # lines that are longer than what is read at once
    path = tmp_path / "cycles"
    size = len(encode(record()))
    log = CycleLog(CycleHistorySettings(path=str(path), max_size=2 * size, rotations=2))
    begins = [NOW + 60 * at for at in range(5)]
    for begin in begins:
        log.append(record(begin), begin)
    assert len(list(tmp_path.iterdir())) == 3
    assert path.stat().st_mode & 0o777 == 0o644
    assert path.stat().st_size == size, "a full file was moved away"
    assert [one.begin for one in records(str(path))] == begins
    assert [one.begin for one in records(str(path), begins[3])] == begins[3:]
    assert [one.begin for one in records(str(path), begins[3] + 60)] == begins[4:]


class _Rotating(RealFs):
    """Files of which one is rotated, and then written again, before a certain call."""

    def __init__(self, path: Path, when: int) -> None:
        self._path, self._left = path, when

    def _before(self) -> None:
        self._left -= 1
        if self._left == 0:
            full = CycleHistorySettings(path=str(self._path), max_size=1, rotations=9)
            CycleLog(full).append(record(NOW + 6000), NOW + 6000)

    def open_read(self, path: str) -> int:
        self._before()
        return super().open_read(path)

    def listdir(self, path: str) -> list[str]:
        self._before()
        return super().listdir(path)

    def stat(self, path: str) -> FileId:
        self._before()
        return super().stat(path)

    def fstat(self, handle: int) -> FileId:
        self._before()
        return super().fstat(handle)


@pytest.mark.parametrize("when", range(1, 12))
def test_a_rotation_hides_nothing_from_a_reader_and_shows_nothing_twice(tmp_path: Path, when: int) -> None:
    path = tmp_path / "cycles"
    log = CycleLog(CycleHistorySettings(path=str(path), max_size=2 * len(encode(record())), rotations=9))
    begins = [NOW + 60 * at for at in range(6)]
    for begin in begins:
        log.append(record(begin), begin)
    found = [one.begin for one in records(str(path), fs=_Rotating(path, when))]
    assert [begin for begin in found if begin != NOW + 6000] == begins


def test_a_torn_line_is_passed_over_and_the_next_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "cycles"
    settings = CycleHistorySettings(path=str(path))
    CycleLog(settings).append(record(), NOW)
    with path.open("ab") as file:
        file.write(b'{"v":1,"t":[')
    CycleLog(settings).append(record(NOW + 60), NOW)
    CycleLog(settings).append(record(NOW + 120), NOW)
    assert len(path.read_bytes().splitlines()) == 4
    assert [one.begin for one in records(str(path))] == [NOW, NOW + 60, NOW + 120]


def test_without_a_path_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    CycleLog(CycleHistorySettings(path="")).append(record(), NOW)
    assert not list(tmp_path.iterdir())
    assert list(records(str(tmp_path / "cycles"))) == []


def test_what_cannot_be_written_or_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot write the records of cycles: no such file or directory"):
        CycleLog(CycleHistorySettings(path=f"{tmp_path}/no/cycles", max_size=9)).append(record(), NOW)
    (tmp_path / "cycles").mkdir()
    with pytest.raises(StoreError, match="cannot read the records of cycles"):
        list(records(str(tmp_path / "cycles")))


def test_a_time_of_thousands_of_digits_is_no_time(tmp_path: Path) -> None:
    path = tmp_path / "cycles"
    path.write_text(f'{{"v":1,"t":[1,{"9" * 5000}],"n":1,"k":1,"p":[1,2,3]}}\n')
    assert [*records(str(path))] == []
