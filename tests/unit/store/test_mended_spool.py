"""A damaged spool to the letter: what is said and kept, and what is made of it; young logs; followers; left-overs."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.record import Binding
from condor_py.lang.events import JobHeld
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.model.settings.preen import PreenSettings
from condor_py.store import logreader_py
from condor_py.store.accountant_log import AccountantLog
from condor_py.store.adlog import Damage, Tail, scan
from condor_py.store.adlog_file import LogFile
from condor_py.store.check import check_spool
from condor_py.store.epochs import EpochWriter
from condor_py.store.event_log import split_events, typed
from condor_py.store.fs import RealFs
from condor_py.store.history import HistoryWriter, forwards, history_files
from condor_py.store.job_queue import JobQueue
from condor_py.store.lock import QueueLock
from condor_py.store.preen import Entry, expired_leases, look, remove
from condor_py.store.repair import mend_log, repair_spool
from condor_py.store.runtime_config import PersistentSettings
from condor_py.store.table import AdTable

NOW = 1_795_245_119
HEAD = "107 1 CreationTimestamp 5\n101 0.0 Job Machine\n103 0.0 NextClusterNum 2\n"
SOUND = {"Owner": '"a"', "User": '"a@x"', "Cmd": '"/x"', "JobUniverse": "5", "JobStatus": "1"}


def lines(key: str, **items: str) -> str:
    return f"101 {key} Job Machine\n" + "".join(f"103 {key} {name} {text}\n" for name, text in items.items())


def image(path: Path) -> dict[str, dict[str, str]]:
    queue = JobQueue(str(path), readonly=True)
    found = {key: {binding.name: binding.text for binding in ad.attrs.values()} for key, ad in queue.ads.items()}
    queue.close()
    return found


def test_a_queue_that_lacks_this_and_that(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    text = (
        HEAD
        + lines("01.-1", ClusterId="1")
        + lines("1.0", ClusterId="1", ProcId="0", **SOUND)
        + lines("02.-1", ClusterId="2")
        + lines("3.-2")
        + lines("4.0", ProcId="0", **{**SOUND, "Owner": '"b"'})
        + lines("5.1", ClusterId="5", JobStatus="2")
        + lines("6.0", ProcId="0")
        + "what is this\n103 9.9 A 1\n103 9.9 B 1\n"
        + lines("07.-1", ClusterId="7", JobMaterializeDigestFile='"d"')
        + "105 \n106 \n"
    )
    path.write_text(text)
    HistoryWriter(str(tmp_path / "history")).append([ClassAd({"ClusterId": 12, "ProcId": 0})], NOW)
    number = text[: text.index("what")].count("\n") + 1
    done = repair_spool(str(tmp_path))
    assert done == [
        f"{path}: kept as it was in {path}.damaged",
        f"{path}: line {number} was left out: it is no record: 'what is this'",
        f"{path}: line {number + 1}: the beginning of ad 9.9 is not in front of it, it begins here now",
        f"{path}: ad 6.0 belonged to no job and was removed",
        f"{path}: ad 9.9 belonged to no job and was removed",
        f"{path}: ad 02.-1 belonged to no job and was removed",
        f"{path}: ad 3.-2 belonged to no job and was removed",
        f"{path}: cluster 4 has an ad again",
        f"{path}: cluster 5 has an ad again",
        f"{path}: job 5.1 has its ProcId again",
        f"{path}: job 5.1 is held, it lacks Owner, User, Cmd, JobUniverse",
        f"{path}: NextClusterNum is 13 now",
    ]
    assert Path(f"{path}.damaged").read_text() == text
    assert Path(f"{path}.damaged").stat().st_mode & 0o777 == 0o600
    reason = '"The record of this job in the queue was damaged: it lacks Owner, User, Cmd, JobUniverse"'
    found = image(path)
    assert sorted(found) == ["0.0", "01.-1", "04.-1", "05.-1", "07.-1", "1.0", "4.0", "5.1"]
    assert found["4.0"] == {"ProcId": "0", **SOUND, "Owner": '"b"'}
    assert found["5.1"] == {
        "ClusterId": "5",
        "JobStatus": "5",
        "ProcId": "1",
        "HoldReason": reason,
        "HoldReasonCode": "0",
        "HoldReasonSubCode": "0",
    }
    assert found["04.-1"]["ClusterId"] == "4"
    assert found["0.0"]["NextClusterNum"] == "13"
    assert found["1.0"] == {"ClusterId": "1", "ProcId": "0", **SOUND}
    assert check_spool(str(tmp_path)) == []
    assert repair_spool(str(tmp_path)) == []
    path.write_bytes(path.read_bytes() + b"what\n105 \n106 \n")
    assert mend_log(str(path))[0] == f"{path}: kept as it was in {path}.damaged.1"


def test_other_logs_of_a_spool_are_mended_too_and_sound_ones_left(tmp_path: Path) -> None:
    log = tmp_path / "Accountantnew.log"
    log.write_text(
        "107 1 CreationTimestamp 5\n101 Accountant. * *\nwhat\n"
        "103 Customer.a@x Priority 1\n103 Customer.a@x AccumulatedUsage 1\n105 \n106 \n"
    )
    done = repair_spool(str(tmp_path))
    assert [text.partition(": ")[2] for text in done] == [
        f"kept as it was in {log}.damaged",
        "line 3 was left out: it is no record: 'what'",
        "line 4: the beginning of ad Customer.a@x is not in front of it, it begins here now",
    ]
    assert sorted(AdTable(str(log), readonly=True).ads) == ["Accountant.", "Customer.a@x"]
    assert repair_spool(str(tmp_path)) == []
    assert mend_log(str(log)) == []
    assert sorted(path.name for path in tmp_path.iterdir() if ".lock" not in path.name) == [
        "Accountantnew.log",
        "Accountantnew.log.damaged",
    ]


ZEROS = b"\0" * 512
ONE = b"101 0.0 Job Machine\n103 0.0 A 1\n106 \n"


@pytest.mark.parametrize(
    ("data", "torn"),
    [
        (ZEROS + ONE, True),
        (ZEROS + ONE.replace(b"106", b"101 1.0 Job Machine\n106"), False),
        (ZEROS + b"103 0.0 B " + b"x" * 600 + b"\n" + ONE, False),
        (ZEROS + ONE + b"103 0.0 C 1\n", False),
        (ZEROS[:-1] + ONE, False),
        (b"107 1 CreationTimestamp 5\n" + b"\0" * (512 - 26) + ONE, True),
        (b"107 1 CreationTimestamp 5\n105 \n106 \n" + b"\0" * 7, True),
        (b"107 1 CreationTimestamp 5\n105 \n106 \n105 \n103 0.0 A 1\n" + b"\0" * 7, True),
        (b"107 1 CreationTimestamp 5\n105 \n106 \n105 \n103 0.0 A 1\n\0\0\n106 \n", False),
        (b"107 1 CreationTimestamp 5\n105 \n106 \n1\0", True),
        (b"107 1 CreationTimestamp 5\n105 \n106 \n2\0\n", False),
        (b"107 1 CreationTimestamp 5\n105 \n106x", False),
        (b"107 1 CreationTimestamp 5\n105 \n106", True),
        (b"107 1 CreationTimestamp 5\n105 \n106 #a comment", True),
        (b"107 1 CreationTimestamp 5\n105 \n1x", True),
    ],
)
def test_what_a_crash_may_leave_of_a_young_log(data: bytes, torn: bool) -> None:
    if torn:
        found = scan(data, "x")
        assert found.tail is not Tail.COMPLETE
        assert [record.op for record in found.records] in ([], [107])
    else:
        with pytest.raises(Damage, match="x is damaged at byte"):
            scan(data, "x")


def padded(length: int) -> bytes:
    """A log with a closed transaction that is so long."""
    text = b"107 1 CreationTimestamp 5\n105 \n103 0.0 A \n106 \n"
    return text.replace(b"A ", b"A " + b"x" * (length - len(text)))


def test_a_transaction_that_lost_a_sector_never_counted(tmp_path: Path) -> None:
    torn = padded(508) + b"105 " + ZEROS + b"103 0.0 A 1\n106 \n"
    assert scan(torn, "x").length == 508
    path = tmp_path / "log"
    path.write_bytes(padded(512))
    log = LogFile(str(path), RealFs())
    assert len(log.poll()) == 1
    with path.open("ab") as file:
        file.write(ZEROS + b"103 0.0 B " + b"y" * 1100 + b"\n106 \n")
    assert log.poll() == []
    assert (log.tail, log.offset) == (Tail.TORN, 512)
    log.close()


def test_a_follower_sees_another_file_of_the_same_length(tmp_path: Path) -> None:
    path, other = tmp_path / "log", tmp_path / "other"
    path.write_text(HEAD + "101 1.0 Job Machine\n")
    log = LogFile(str(path), RealFs())
    (first,) = log.poll()
    assert (first.reset, len(first.records), log.sequence, log.birthdate) == (True, 3, 1, 5)
    assert log.poll() == []
    other.write_text((HEAD + "101 2.0 Job Machine\n").replace("107 1", "107 2"))
    times = path.stat()
    os.replace(other, path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    (second,) = log.poll()
    assert (second.reset, second.records[-1].key, log.sequence) == (True, "2.0", 2)
    with path.open("a") as file:
        file.write("105 \n103 2.0 A 1\n")
    assert log.poll() == []
    assert log.tail is Tail.OPEN
    with path.open("a") as file:
        file.write("106 \n")
    (third,) = log.poll()
    assert (third.reset, [record.name for record in third.records], log.tail) == (False, ["A"], Tail.COMPLETE)
    path.write_text(HEAD + "101 3.0 Job Machine\n103 3.0 LongerThanBefore 1\n103 3.0 A 1\n")
    (fourth,) = log.poll()
    assert (fourth.reset, fourth.records[-1].key) == (True, "3.0")
    path.write_text(HEAD)
    (fifth,) = log.poll()
    assert (fifth.reset, len(fifth.records)) == (True, 2)
    path.unlink()
    assert log.poll() == []
    with pytest.raises(StoreError, match="was removed while it was in use; restore it, or restart the daemon"):
        log.prepare([])
    log.close()


def test_a_loaded_queue_hands_out_its_ads(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text(HEAD + lines("01.-1", ClusterId="1") + lines("1.0", **SOUND) + lines("1.1", **SOUND))
    queue = JobQueue(str(path))
    assert queue.job(JobId(1, 0)) == ClassAd.from_text_items(SOUND.items())
    assert [ad.eval_str("Owner") for _, ad in queue.procs_of(1)] == ["a", "a"]
    assert (queue.count(), queue.count(1), queue.count(2), queue.procs(1), queue.groups()) == (
        2,
        2,
        0,
        [0, 1],
        [(1, [0, 1])],
    )
    assert JobId(1, 1) in queue
    assert JobId(1, 2) not in queue
    assert queue.job(JobId(2, 0)) is None
    with JobQueue(str(path)).transaction() as transaction:
        transaction.destroy("1.0")
        transaction.destroy("1.1")
        transaction.new_ad("02.-1", "Job", "Machine")
    queue.refresh()
    assert (queue.groups(), queue.count(), queue.clusters()) == ([], 0, [1, 2])
    made = queue.cluster(2)
    assert made is not None
    assert (made.text("MyType"), made.text("TargetType")) == ('"Job"', '"Machine"')
    queue.close()


# left-overs


def test_every_name_in_a_spool(tmp_path: Path) -> None:
    stays = [
        "job_queue.log",
        "job_queue.log.7",
        "Accountantnew.log",
        "Accountant.log.old",
        "spool_version",
        "local_univ_execute",
        "xOfflineLog",
        "OfflineAds.1",
        "SCHEDD.lock",
        "lost+found",
        "ads",
        ".hidden",
        "any.lock",
        "any.damaged",
        "checkpoint-cleanup",
        "mine.1",
        "history",
        "history.old",
        "cluster1.proc0.subproc0",
        "cluster1.proc0.subproc0.tmp",
        "cluster1.proc0.subproc0.swap",
        "cluster1.proc0.subproc0.old",
        "cluster1.proc0.subproc0.checkpoint",
        "cluster1.proc0.subproc0.checkpoint.tmp",
        "cluster1.proc0.subproc0.checkpoint.old",
        "condor_submit.1.items",
        "cluster1.ickpt.subproc0",
    ]
    goes = [
        "job_queue",
        "Accountant",
        "spool_version2",
        "lock",
        "damaged",
        "historx",
        "cluster2.proc0.subproc0",
        "cluster1.proc1.subproc0",
        "cluster1.proc0.subproc0.bak",
        "condor_submit.2.items",
        "condor_submit.x.items",
        "cluster2.ickpt.subproc0",
        "min.1",
    ]
    for name in stays + goes:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (NOW - 1800, NOW - 1800))
    (tmp_path / "young").touch()
    os.utime(tmp_path / "young", (NOW - 1799, NOW - 1799))
    settings = PreenSettings(str(tmp_path), (), "", valid_spool=("mine.*",), histories=("history",))
    found = {Path(entry.path).name: entry.bad for entry in look(settings, lambda: [JobId(1, 0)], NOW)}
    assert found == {**dict.fromkeys([*stays, "young"], False), **dict.fromkeys(goes, True)}


def test_core_files_and_leases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    ages = {
        "core": 10,
        "core.1": 20,
        "core.SCHEDD": 30,
        "x.core.2": 40,
        "core.old": 101,
        "core.big": 5,
        "score": 500,
        "bad.log": 1,
    }
    for name, age in ages.items():
        (tmp_path / name).write_text("x" * (12 if name == "core.big" else 10))
        os.utime(tmp_path / name, (NOW - age, NOW - age))
    (tmp_path / "core.folder").mkdir()
    settings = PreenSettings(
        "",
        (),
        str(tmp_path),
        invalid_log=("bad.log",),
        core_max_size=10,
        core_stale_age=100,
        cores_kept=3,
        lock=str(tmp_path),
    )
    found = {Path(entry.path).name: entry for entry in look(settings, list, NOW)}
    assert {name for name, entry in found.items() if entry.bad} == {"core.old", "core.big", "bad.log", "x.core.2"}
    assert found["core.old"].note == "modify time: 2026-11-21 07:10, size: 10"
    assert found["x.core.2"].note == "too many core files"
    assert found["core"].note == found["bad.log"].note == ""
    assert expired_leases(settings, NOW) == []
    leases = tmp_path / "syndicate" / "a"
    leases.mkdir(parents=True)
    for name, age in (("new", 300), ("old", 301)):
        (leases / name).touch()
        os.utime(leases / name, (NOW - age, NOW - age))
    (leases / "link").symlink_to("old")
    (leases / "folder").mkdir()
    assert expired_leases(settings, NOW) == [str(leases / "old")]
    assert expired_leases(PreenSettings("", (), ""), NOW) == []
    monkeypatch.undo()
    time.tzset()


def test_what_is_taken_away(tmp_path: Path) -> None:
    (tmp_path / "folder" / "in").mkdir(parents=True)
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    for name, works in (("link", True), ("file", True), ("folder", True), ("gone", True), ("file/below", False)):
        if name == "file/below":
            (tmp_path / "file").touch()
        assert remove(Entry(str(tmp_path / name), True)) is works, name
        assert not (tmp_path / "link").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_settings_that_last(tmp_path: Path) -> None:
    path = tmp_path / ".config"
    settings = PersistentSettings(str(path))
    settings.set("b", "B = 1\n")
    settings.set("A", "A = 1\n")
    settings.set("A", "A = 2\n")
    assert path.read_text().split(" = ")[1] == "A, b\n"
    assert (tmp_path / ".config.A").read_text() == "A = 2\n"
    settings.unset("none")
    settings.unset("b")
    assert sorted(one.name for one in tmp_path.iterdir()) == [".config", ".config.A"]
    assert path.read_text().split(" = ")[1] == "A\n"
    settings.unset("A")
    assert list(tmp_path.iterdir()) == []


class OddFs(RealFs):
    """Names in the worst order, and links that cannot be made."""

    def __init__(self, error: int) -> None:
        self.error = error

    def listdir(self, path: str) -> list[str]:
        return sorted(super().listdir(path))

    def link(self, old: str, new: str) -> None:
        raise OSError(self.error, os.strerror(self.error))


@pytest.mark.parametrize("error", [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EIO])
def test_a_file_system_without_links_keeps_copies(tmp_path: Path, error: int) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text(HEAD + lines("01.-1", ClusterId="1"))
    before = path.read_text()
    queue = JobQueue(str(path), OddFs(error))
    if error == errno.EIO:
        with pytest.raises(StoreError, match="cannot rewrite the log: input/output error"):
            queue.compact(1)
        assert path.read_text() == before
    else:
        queue.compact(1)
        assert (tmp_path / "job_queue.log.1").read_text() == before
        assert queue.sequence == 2
    queue.close()


def test_who_rewrote_a_log_sees_that_somebody_else_wrote_over_it(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text(HEAD + lines("01.-1", ClusterId="1"))
    queue = JobQueue(str(path))
    queue.compact(0)
    with path.open("r+") as file:
        file.write("107 9 CreationTimestamp 5\n" + lines("07.-1", ClusterId="7") + "103 07.-1 Long " + "x" * 500 + "\n")
    queue.refresh()
    assert (queue.clusters(), queue.sequence) == ([7], 9)
    queue.close()


def test_files_of_a_history_come_newest_first_whatever_their_order(tmp_path: Path) -> None:
    for name in ("history", "history.20260101T000000", "history.20270101T000000", "history.old", "history.2026"):
        (tmp_path / name).touch()
    names = [Path(name).name for name in history_files(str(tmp_path / "history"), OddFs(0))]
    assert names == ["history", "history.20270101T000000", "history.20260101T000000"]


def test_what_was_kept_aside_stays(tmp_path: Path) -> None:
    history = tmp_path / "history"
    writer = HistoryWriter(str(history))
    writer.append([ClassAd({"ClusterId": 1, "ProcId": 0})], NOW)
    writer.close()
    sound = history.read_bytes()
    for name in ("history.damaged", "history.damaged.1"):
        (tmp_path / name).write_text("before")
    history.write_bytes(sound + b"\0" * 512 + b"\n" + sound)
    HistoryWriter(str(history)).append([ClassAd({"ClusterId": 2, "ProcId": 0})], NOW)
    assert (tmp_path / "history.damaged.2").read_bytes().startswith(sound + b"\0")
    assert (tmp_path / "history.damaged.1").read_text() == "before"
    assert [record.job() for record in forwards(str(history))][-1] == JobId(2, 0)


def test_small_files_say_nothing_that_is_not_there(tmp_path: Path) -> None:
    log = tmp_path / "Accountantnew.log"
    log.write_text("107 1 CreationTimestamp 5\n101 Accountant. * *\n")
    assert AccountantLog(str(log), readonly=True).last_update == 0
    log.write_text("107 1 CreationTimestamp 5\n101 Accountant. * *\n103 Accountant. LastUpdateTime soon\n")
    assert AccountantLog(str(log), readonly=True).last_update == 0
    EpochWriter(HistorySettings(epoch_path=f"{tmp_path}/epochs")).append([], NOW)
    assert not (tmp_path / "epochs").exists()
    lock = QueueLock(str(tmp_path / "lock"))
    lock.acquire(1)
    assert (tmp_path / "lock").stat().st_size == 160
    assert lock.holder().startswith(f"pid {os.getpid()} (")
    lock.release()
    text = b"012 (001.000.000) 2026-11-21 07:12:00 Job was held.\n\tReason unspecified\n...\n"
    ((event,), _) = split_events(text, "x")
    held = typed(event, NOW)
    assert isinstance(held, JobHeld)
    assert (held.reason, held.code, held.subcode) == ("", 0, 0)
    attrs: dict[str, Binding] = {}
    logreader_py.fill(attrs, b"")
    logreader_py.fill(attrs, b"103 1.0 A 1\n103 1.0 a 2\n103 1.0 B 3\n104 1.0 B\n")
    assert [(binding.name, binding.text) for binding in attrs.values()] == [("A", "2")]
    for wrong in (b"103 1.0 A 1", b"103 1.0 A\n", b"104 1.0\n"):
        with pytest.raises(ValueError, match="not the lines of an ad"):
            logreader_py.fill(attrs, wrong)
