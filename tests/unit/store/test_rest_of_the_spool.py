"""What is left of the store: mending line by line at its edges, left-overs, small readers and writers of lines."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from mending import mend
from noting import Noting

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.record import Binding
from condor_py.lang.events import (
    ClusterRemove,
    Completion,
    ExecutableError,
    Execute,
    FactoryPaused,
    ImageSize,
    JobAdInformation,
    JobEvicted,
    RemoteError,
)
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.model.settings.preen import PreenSettings
from condor_py.store import logreader_py, longform, stored_ad
from condor_py.store.ad_store import AdStore
from condor_py.store.address import remove_address
from condor_py.store.adlog import parse_line
from condor_py.store.check import check_spool
from condor_py.store.epochs import EPOCH, EpochWriter, RunRecord
from condor_py.store.event_log import event_text, split_events, typed
from condor_py.store.history import HistoryWriter
from condor_py.store.job_queue import JobQueue
from condor_py.store.longform import ad_text, ads_of_text
from condor_py.store.preen import look
from condor_py.store.runtime_config import PersistentSettings

NOW = 1_795_245_119
HEAD = b"107 1 CreationTimestamp 5\n"
MARK = b"105 \n106 \n"


# mending


def test_bytes_that_are_no_text_survive_the_mending() -> None:
    assert (
        mend(HEAD + b'101 1.0 Job M\n103 1.0 A "\xff"\nwhat\n').data
        == HEAD + b'101 1.0 Job M\n103 1.0 A "\xff"\n' + MARK
    )
    assert mend(HEAD + b"105 \n101 1.0 Job M\n106\xff").data == HEAD + b"105 \n101 1.0 Job M\n106 \n" + MARK


def test_an_ad_begins_again_once_and_only_if_it_is_one() -> None:
    found = mend(HEAD + b"what\n103 9.9 A 1\n103 9.9 B 2\n103 odd A 1\n")
    assert found.data == HEAD + b"101 9.9 Job Machine\n103 9.9 A 1\n103 9.9 B 2\n" + MARK
    assert [note.split(":")[0] for note in found.notes] == ["line 2 was left out", "line 3", "line 5 was left out"]
    assert "a record for ad odd, which is not there" in found.notes[2]


@pytest.mark.parametrize("data", [b"", b"105 \n101 1.0 Job M\n"])
def test_what_never_counted_is_no_damage(data: bytes) -> None:
    assert mend(data) == (data, [])


def test_a_history_is_mended_for_good_and_covers_nothing_that_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "history"
    for _ in range(2):
        HistoryWriter(str(path)).append([ClassAd({"ClusterId": 1, "ProcId": 0})] * 2, NOW)
        data = bytearray(path.read_bytes())
        data[3:6] = bytes(3)
        path.write_bytes(data)
        fs = Noting()
        HistoryWriter(str(path), fs).append([ClassAd({"ClusterId": 2, "ProcId": 0})], NOW)
        assert len(fs.take("sync")) == 3, "what is kept, what is mended, and the record"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["history", "history.damaged", "history.damaged.1"]
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o644}
    assert check_spool(str(tmp_path)) == []


def test_a_number_that_is_none_is_the_first(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    for text, number in (("undefined", 1), ("7", 7), ('"7"', 1)):
        path.write_bytes(HEAD + b"101 0.0 Job Machine\n103 0.0 NextClusterNum %s\n" % text.encode())
        queue = JobQueue(str(path), readonly=True)
        assert queue.next_cluster == number
        queue.close()


@pytest.mark.parametrize(("told", "wanted"), [(3, 8), (8, 8), (9, 9)])
def test_a_number_is_above_what_is_told_and_what_is_there(tmp_path: Path, told: int, wanted: int) -> None:
    path = tmp_path / "job_queue.log"
    path.write_bytes(HEAD + b"101 0.0 Job Machine\n103 0.0 NextClusterNum %d\n101 07.-1 Job Machine\n" % told)
    queue = JobQueue(str(path))
    with queue.transaction() as transaction:
        assert [transaction.alloc_cluster(), transaction.alloc_cluster()] == [wanted, wanted + 1]
    assert queue.next_cluster == wanted + 2
    queue.close()


def test_what_is_destroyed_is_in_no_book_of_the_queue(tmp_path: Path) -> None:
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    with queue.transaction() as transaction:
        for key in ("0.2", "07.-1", "7.1", "7.0", "02.-1", "2.0"):
            transaction.new_ad(key, "Job", "Machine")
        transaction.set("0.2", "User", '"a@x"')
        transaction.set("07.-1", "Cmd", '"/x"')
    assert queue.groups() == [(2, [0]), (7, [0, 1])]
    assert queue.user_record_of("a@x") is not None
    ad = queue.job(JobId(7, 0))
    assert ad is not None
    assert ad.eval_str("Cmd") == "/x"
    with queue.transaction() as transaction:
        for key in ("0.2", "07.-1", "2.0"):
            transaction.destroy(key)
    assert (queue.groups(), queue.clusters(), queue.user_records) == ([(7, [0, 1])], [2], {})
    assert not ad.has("Cmd"), "what only its cluster said is gone with it"
    queue.close()


# left-overs


def test_links_young_and_hidden_ones_are_no_left_overs_of_starters(tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("spool", "execute", "log")}
    for place in places.values():
        place.mkdir()
    gone = "dir_4194399"
    for name in (gone, "dir_4194398", ".hidden", "other"):
        (places["execute"] / name).mkdir()
    folder = places["spool"] / "12"
    folder.mkdir()
    (folder / "0").symlink_to(tmp_path)
    (places["log"] / "core.1").symlink_to("/etc/passwd")
    for path in (*places["execute"].iterdir(), *folder.iterdir(), *places["log"].iterdir(), folder):
        age = 10 if path.name == gone else 9999
        os.utime(path, (NOW - age, NOW - age), follow_symlinks=False)
    settings = PreenSettings(str(places["spool"]), (str(places["execute"]),), str(places["log"]), core_stale_age=5)
    found = {os.path.relpath(entry.path, tmp_path): entry.bad for entry in look(settings, set, NOW)}
    assert found == {
        "execute/.hidden": False, f"execute/{gone}": False, "execute/dir_4194398": True, "execute/other": True,
        "spool/12": False, "spool/12/0": True, "log/core.1": False,
    }  # fmt: skip


# small files


def umask() -> int:
    before = os.umask(0o022)
    os.umask(before)
    return before


class Backwards(Noting):
    """Names come in the worst order."""

    def listdir(self, path: str) -> list[str]:
        return sorted(super().listdir(path), reverse=True)


def test_published_again_it_may_still_be_read_by_all(tmp_path: Path) -> None:
    fs = Backwards()
    store = AdStore(str(tmp_path / "ads"), fs)
    for kind in ("startd", "schedd", "startd"):
        store.publish(kind, [ClassAd({"A": 1})])
    assert fs.take("sync", "sync_dir") == [], "nothing of it has to survive a crash"
    assert (tmp_path / "ads").stat().st_mode & 0o777 == 0o755 & ~umask()
    (tmp_path / "ads" / "startd.old").touch(0o644)
    assert store.kinds() == ["schedd", "startd"]
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "ads").iterdir()} == {0o644}


def test_settings_of_the_present_directory_and_those_that_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PersistentSettings("config").set("A", "A = 1\n")
    with pytest.raises(StoreError, match=r"^cannot remove the persistent setting: input/output error .* config$"):
        PersistentSettings("config", Noting(unlink=errno.EIO)).unset("A")
    PersistentSettings("config").unset("A")
    assert list(tmp_path.iterdir()) == []


def test_an_address_that_cannot_be_taken_away_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"^cannot remove the address file: "):
        remove_address(str(tmp_path))


def test_records_of_runs_go_where_they_are_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs").mkdir()
    writer = EpochWriter(HistorySettings(epoch_directory=str(tmp_path / "jobs")))
    writer.append([RunRecord(EPOCH, JobId(1, 0), 0, "a", [("A", "1")])], NOW)
    assert [file.name for file in tmp_path.iterdir()] == ["jobs"]
    assert len(list((tmp_path / "jobs").iterdir())) == 1


@pytest.mark.parametrize("line", ["102 1.0 x", "104 1.0 A B", "102", "104 1.0", "107 2 C"])
def test_records_with_too_many_or_too_few_words_are_none(line: str) -> None:
    assert parse_line(line) is None


def test_records_of_runs_hold_any_bytes(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff")
    writer = EpochWriter(HistorySettings(epoch_path=str(tmp_path / "epochs")))
    writer.append([RunRecord(EPOCH, JobId(1, 0), 0, odd, [("A", f'"{odd}"')])], NOW)
    data = (tmp_path / "epochs").read_bytes()
    assert b'A = "\xff"\n' in data
    assert b'Owner="\xff"' in data


def test_without_the_compiled_printer_ads_look_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    ad = ClassAd.from_text_items([("B", "1"), ("A", '"x"'), ("LongerName", "a + 1")])
    ad.chain(ClassAd({"Z": 1}))
    text = ad_text(ad)
    monkeypatch.setattr(longform, "native", None)
    assert ad_text(ad) == text == 'A = "x"\nB = 1\nZ = 1\nLongerName = a + 1\n'


@pytest.mark.parametrize("line", ["A", " = 1", "=1"])
def test_lines_of_published_ads_that_are_none(line: str) -> None:
    with pytest.raises(StoreError, match=rf"^here: not an attribute: '{line}'$"):
        list(ads_of_text(f"B = 1\n{line}\n", "here"))


def test_lines_of_an_ad_to_the_letter() -> None:
    assert stored_ad.deleted(b"104 1.0 Foo\n104 1.0 B\xff\n") == [("foo", "Foo"), ("b\udcff", "B\udcff")]
    ad = ClassAd()
    attrs: dict[str, Binding] = {}
    logreader_py.fill(attrs, b"103 1.0 A 1   +  1\n103 1.0 B 2\n")
    ad.attrs.update(attrs)
    assert logreader_py.own_texts([ad, ClassAd()], ("a", "b", "c"), "") == [
        ["1   +  1", None],
        ["2", None],
        [None, None],
    ]


# events


def test_small_print_of_events() -> None:
    common = {"cluster": 1, "proc": 0, "time": NOW}
    items = (("b", "1"), ("A", "2"), ("C", "3"))
    assert event_text(JobAdInformation(**common, items=items)).splitlines()[1:-1] == ["A = 2", "b = 1", "C = 3"]
    props = (("b", "1"), ("A", "2"), ("C", "3"))
    assert event_text(Execute(**common, host="h", props=props)).splitlines()[1:-1] == ["\tA = 2", "\tb = 1", "\tC = 3"]
    paused = event_text(FactoryPaused(**common, reason="why"))
    assert paused.splitlines()[1:-1] == ["\twhy"]
    failed = event_text(ClusterRemove(**common, next_proc=4, next_row=5, completion=Completion.ERROR))
    assert failed.splitlines()[1] == f"\tMaterialized 4 jobs from 5 items.\tError {int(Completion.ERROR)}"
    removed = event_text(ClusterRemove(**common, next_proc=4, next_row=5, completion=0))
    assert removed.splitlines()[1] == "\tMaterialized 4 jobs from 5 items.\tIncomplete"
    size = event_text(
        ImageSize(**common, size_kb=0, memory_usage_mb=0, resident_set_size_kb=0, proportional_set_size_kb=0)
    )
    assert [line.split()[0] for line in size.splitlines()[1:-1]] == ["0", "0", "0"]


def test_what_events_do_not_tell_is_nothing() -> None:
    def read(text: str) -> object:
        ((event,), _) = split_events(f"{text}\n...\n".encode(), "x")
        return typed(event, NOW)

    error = read("002 (1.0.0) 2026-11-21 07:12:00 odd")
    assert isinstance(error, ExecutableError)
    assert error.error_type == -1
    remote = read("021 (1.0.0) 2026-11-21 07:12:00 Error from starter on vm:\n\todd")
    assert isinstance(remote, RemoteError)
    assert (remote.daemon, remote.host, remote.message, remote.hold_code, remote.hold_subcode) == (
        "starter",
        "vm",
        "odd",
        0,
        0,
    )
    cluster = read("036 (1.0.0) 2026-11-21 07:12:00 Cluster removed\n\todd")
    assert isinstance(cluster, ClusterRemove)
    assert (cluster.next_proc, cluster.next_row) == (0, 0)
    told = read("028 (1.0.0) 2026-11-21 07:12:00 Job ad information event triggered.\nA = 1\nodd\nB = 2")
    assert isinstance(told, JobAdInformation)
    assert told.items == (("A", "1"), ("B", "2"))
    gone = read("004 (1.0.0) 2026-11-21 07:12:00 Job was evicted.")
    assert isinstance(gone, JobEvicted)
    assert (gone.code, gone.subcode, gone.sent_bytes, gone.received_bytes, gone.reason) == (0, 0, 0.0, 0.0, "")
