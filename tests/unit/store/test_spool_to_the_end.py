"""What lies in a spool and beside it: ads that are published, what the check says, what is mended, left-overs."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from mending import mend
from noting import Noting

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import LockTimeout, StoreError
from condor_py.model.ids import JobId
from condor_py.model.settings.preen import PreenSettings
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.store import check, lock
from condor_py.store.ad_store import AdStore
from condor_py.store.address import Address, ensure_spool_version, write_address
from condor_py.store.advertised import Advertised
from condor_py.store.check import Problem, check_spool
from condor_py.store.fs import FileSystem, RealFs
from condor_py.store.history import HistoryWriter, forwards
from condor_py.store.job_queue import JobQueue
from condor_py.store.lock import QueueLock
from condor_py.store.preen import Entry, look
from condor_py.store.repair import mend_log, repair_spool
from condor_py.store.runtime_config import PersistentSettings

NOW = 1_795_245_119
HEAD = "107 1 CreationTimestamp 5\n101 0.0 Job Machine\n"
ODD = os.fsdecode(b"a\xffb")
SOUND = '103 {0} Owner "a"\n103 {0} User "a@x"\n103 {0} Cmd "/x"\n103 {0} JobUniverse 5\n103 {0} JobStatus 1\n'


def named(name: str, **more: object) -> ClassAd:
    return ClassAd({"Name": name, **more})


# published ads


class LateFs(RealFs):
    """The directory is made by somebody else just when it was found missing."""

    def create(self, path: str, mode: int) -> int:
        try:
            return super().create(path, mode)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path))
            raise


def test_two_who_publish_first_do_not_hinder_each_other(tmp_path: Path) -> None:
    store = AdStore(str(tmp_path / "ads"), LateFs())
    store.publish("startd", [named("x")])
    assert [ad.eval_str("Name") for ad in store.read("startd")] == ["x"]


def test_what_was_taken_away_is_forgotten(tmp_path: Path) -> None:
    store = AdStore(str(tmp_path))
    store.publish("startd", [named("one")])
    file = tmp_path / "startd.ads"
    before, aside = file.stat(), tmp_path / "aside"
    assert len(store.read("startd")) == 1
    file.rename(aside)
    assert store.read("startd") == []
    aside.write_text(aside.read_text().replace("one", "two"))
    os.utime(aside, ns=(before.st_atime_ns, before.st_mtime_ns))
    aside.rename(file)
    assert [ad.eval_str("Name") for ad in store.read("startd")] == ["two"]


@pytest.mark.parametrize("kind", ["", "a/b", ".a", "/"])
def test_what_is_no_kind_of_ads(tmp_path: Path, kind: str) -> None:
    store = AdStore(str(tmp_path))
    deeds: tuple[Callable[[], object], ...] = (
        lambda: store.read(kind), lambda: store.publish(kind, []), lambda: store.remove(kind),
    )  # fmt: skip
    for deed in deeds:
        with pytest.raises(ValueError, match="not a kind of ads"):
            deed()


def test_address_files_may_hold_any_bytes_and_are_not_waited_for(tmp_path: Path) -> None:
    fs = Noting()
    write_address(str(tmp_path / "address"), Address("<s>", "v", "p", (f'Log = "{ODD}"',)), fs)
    assert (tmp_path / "address").read_bytes() == b'<s>\nv\np\nLog = "a\xffb"\n'
    assert fs.take("sync", "sync_dir") == []


def test_a_version_of_the_spool_that_nobody_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "spool_version"
    file.write_bytes(b"\xff\n")
    with pytest.raises(StoreError, match="no line 'minimum compatible spool version'; restore the file or remove it"):
        ensure_spool_version(str(tmp_path))
    file.write_bytes(b"\xff\nminimum compatible spool version 1\n")
    ensure_spool_version(str(tmp_path))
    file.unlink()
    file.mkdir()
    with pytest.raises(StoreError, match=f"^cannot read the spool version: .*: {file}$"):
        ensure_spool_version(str(tmp_path))


def test_settings_of_any_bytes_last_and_so_does_their_end(tmp_path: Path) -> None:
    fs = Noting()
    settings = PersistentSettings(str(tmp_path / "config"), fs)
    settings.set("A", f"A = {ODD}\n")
    settings.set("B", "B = 1\n")
    assert (tmp_path / "config.A").read_bytes() == b"A = a\xffb\n"
    fs.take()
    for key in ("A", "B"):
        settings.unset(key)
        assert fs.take("unlink", "sync_dir")[-1] == ("sync_dir", str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match=r"^cannot write the persistent setting: no such file or directory"):
        PersistentSettings(str(tmp_path / "no" / "config")).set("A", "A = 1\n")


# ads of programs


def test_whether_there_may_be_any(tmp_path: Path) -> None:
    ads = Advertised(AdStore(str(tmp_path / "ads")))
    assert not ads.any
    assert Advertised(AdStore(str(tmp_path / "ads")), RememberedSettings(log=str(tmp_path / "log"))).any
    ads.update("GENERIC", [named("x")], NOW, 0)
    assert ads.any
    assert ([ad.get("Name") for ad in ads.read("GENERIC", NOW)], ads.read("GENERIC", NOW + 1)) == (["x"], [])


def test_ads_get_attributes_by_kind_and_name(tmp_path: Path) -> None:
    ads = Advertised(AdStore(str(tmp_path / "ads")))
    ads.update("GENERIC", [named("a", N=1), named("b", N=2), ClassAd({"N": 3})], NOW, 60)
    ads.update("OTHER", [named("a", N=4)], NOW, 60)
    ads.merge("GENERIC", {"a": {"N": 9, "M": 8}, "c": {"N": 7}}, NOW)
    told = {(ad.get("Name"), ad.get("N"), ad.get("M")) for ad in ads.read("GENERIC", NOW)}
    assert {name_and_number[:2] for name_and_number in told if name_and_number[0] == "b"} == {("b", 2)}
    assert {entry for entry in told if entry[0] == "a"} == {("a", 9, 8)}
    assert [ad.get("N") for ad in ads.read("OTHER", NOW)] == [4]
    before = (tmp_path / "ads" / "ADVERTISED.ads").stat().st_ino
    ads.merge("GENERIC", {"c": {"N": 7}}, NOW)
    ads.merge("GENERIC", {"a": {"N": 5}}, NOW + 60)
    assert (tmp_path / "ads" / "ADVERTISED.ads").stat().st_ino == before, "nobody of that name is there any more"


def test_who_gives_way_to_whom(tmp_path: Path) -> None:
    """Ads of one name are one only when they are of one type and of one machine."""
    ads = Advertised(AdStore(str(tmp_path / "ads")))
    for number, more in enumerate(({}, {"MyType": "T"}, {"Machine": "m"}, {"MyType": "T"}, {})):
        ads.update("GENERIC", [named("a", N=number, **more)], NOW, 60)
    ads.update("OTHER", [named("a", N=9)], NOW, 60)
    assert sorted(int(str(ad.get("N"))) for ad in ads.read("GENERIC", NOW)) == [2, 3, 4]
    ads.remove("GENERIC", lambda ad: True, NOW)
    assert ads.read("GENERIC", NOW) == []
    assert [ad.get("N") for ad in ads.read("OTHER", NOW)] == [9]


def test_ads_are_replaced_under_a_lock(tmp_path: Path) -> None:
    ads = Advertised(AdStore(str(tmp_path / "ads")))
    ads.update("GENERIC", [named("a")], NOW, 60)

    def is_locked(ad: ClassAd) -> bool:
        with (tmp_path / "ads" / ".advertised.lock").open() as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True

    ads.remove("GENERIC", is_locked, NOW)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"^cannot publish ads: "):
        Advertised(AdStore(str(tmp_path / "file"))).update("GENERIC", [named("a")], NOW, 60)


@pytest.mark.parametrize(("seconds", "until"), [(0, 2**31 - 1), (1, NOW + 1), (50, NOW + 50)])
def test_how_long_a_machine_that_is_offline_is_remembered(tmp_path: Path, seconds: int, until: int) -> None:
    log = tmp_path / "offline.log"
    settings = RememberedSettings(log=str(log), offline_seconds=seconds)
    ads = Advertised(AdStore(str(tmp_path / "ads")), settings)
    ads.update("STARTD", [named("m", MyType="Machine", Offline=True)], NOW, 9)
    text = (tmp_path / "ads" / "ADVERTISED.ads").read_text()
    assert f"CondorPyAdvertisedUntil = {until}\n" in text
    assert 'CondorPyAdvertisedAs = "STARTD"\n' in text
    assert "103 <m> CondorPyAdvertisedUntil" in log.read_text()
    written = Path(f"{log}.lock")
    written.unlink()
    ads.update("GENERIC", [named("x")], NOW, 9)
    assert not written.exists(), "what is written already is not written again"


def test_a_machine_that_is_not_heard_of_is_absent_and_shown_only_to_who_asks(tmp_path: Path) -> None:
    settings = RememberedSettings(log=str(tmp_path / "log"), absent="true", absent_seconds=100)
    ads = Advertised(AdStore(str(tmp_path / "ads")), settings)
    ads.update("STARTD", [named("m", MyType="Machine")], NOW, 9)
    assert [ad.get("Name") for ad in ads.read("STARTD", NOW + 8)] == ["m"]
    assert ads.read("STARTD", NOW + 20) == []
    (absent,) = ads.read("STARTD", NOW + 30, absent=True)
    told = [absent.get(name) for name in ("Absent", "LastHeardFrom", "MyCurrentTime", "ClassAdLifetime")]
    assert told == [True, NOW + 20, NOW + 20, 100]
    assert ads.read("STARTD", NOW + 120, absent=True) == []


# the check


def test_what_does_nothing_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    text = HEAD + '103 0.0 NextClusterNum 9\n101 01.-1 Job M\n103 01.-1 JobMaterializeDigestFile "d"\n'
    bad = (
        ("102 9.9\n", "a record for ad 9.9, which is not there"),
        (f'103 8.8 A "{ODD}"\n', "a record for ad 8.8, which is not there"),
        ("107 2 CreationTimestamp 5\n", "a second 107"),
        ("101 01.-1 Job M\n", "ad 01.-1 is made a second time"),
    )
    wanted = []
    for line, words in bad:
        number = text.count("\n") + 1
        wanted.append(Problem(str(path), len(os.fsencode(text)), f"line {number}: {words}: {line.rstrip()!r}"))
        text += line
    text += "102 01.-1\n"
    gone = len(os.fsencode(text))
    text += "104 01.-1 A\n"
    path.write_bytes(os.fsencode(text))
    assert check_spool(str(tmp_path)) == [
        *wanted,
        Problem(str(path), gone, "line 11: a record for ad 01.-1, which is not there: '104 01.-1 A'"),
    ]


def test_private_ads_belong_to_clusters(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text(HEAD + "103 0.0 NextClusterNum 9\n101 1.-2 x y\n101 2.-3 x y\n")
    assert check_spool(str(tmp_path)) == [Problem(str(path), -1, "private ad 1.-2 has no cluster ad")]


@pytest.mark.parametrize(("status", "there"), [("1", True), ("3", False), ("4", False), ("5", True)])
def test_only_a_job_that_has_ended_may_be_in_queue_and_history(tmp_path: Path, status: str, there: bool) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text(
        HEAD
        + '103 0.0 NextClusterNum 2\n101 01.-1 Job M\n101 1.0 Job M\n103 1.0 GlobalJobId "Xvm#1.0X"\n'
        + SOUND.format("1.0")
        + f"103 1.0 JobStatus {status}\n"
    )
    job = ClassAd({"ClusterId": 1, "ProcId": 0, "GlobalJobId": "Xvm#1.0X"})
    HistoryWriter(str(tmp_path / "history")).append([job], NOW)
    wanted = [
        Problem(str(tmp_path / "history"), -1, "job 1.0 (Xvm#1.0X) is in the history and, not ended, in the queue")
    ]
    assert check_spool(str(tmp_path)) == wanted * there


def test_a_second_record_is_the_newer_one(tmp_path: Path) -> None:
    job = ClassAd({"ClusterId": 1, "ProcId": 0, "GlobalJobId": f"vm#{ODD}"})
    for name in ("history", "history.20260101T000000"):
        HistoryWriter(str(tmp_path / name)).append([job], NOW)
    assert [problem.file for problem in check_spool(str(tmp_path))] == [str(tmp_path / "history")]


def test_a_log_whose_making_was_cut_short_is_no_problem_and_one_that_cannot_be_read_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "Accountantnew.log"
    for data in (b"", b"10", b"105 \n101 x y z\n"):
        log.write_bytes(data)
        assert check_spool(str(tmp_path)) == []
    log.unlink()
    log.mkdir()
    assert check_spool(str(tmp_path)) == [Problem(str(log), -1, "Is a directory")]
    log.rmdir()
    (tmp_path / "history").mkdir()
    assert check.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"cannot read the history: Is a directory: {tmp_path}/history\n"


def test_the_highest_cluster_is_that_of_any_ad(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    for number, wrong in ((7, True), (8, False)):
        path.write_text(
            HEAD + f'103 0.0 NextClusterNum {number}\n101 07.-1 J M\n103 07.-1 JobMaterializeDigestFile "d"\n'
        )
        assert (
            check_spool(str(tmp_path))
            == [Problem(str(path), -1, "NextClusterNum is 7, but there is a cluster 7")] * wrong
        )
    path.write_text('107 1 CreationTimestamp 5\n101 07.-1 J M\n103 07.-1 JobMaterializeDigestFile "d"\n')
    assert [problem.text for problem in check_spool(str(tmp_path))] == [
        "there is no header ad 0.0", "NextClusterNum is None, but there is a cluster 7",
    ]  # fmt: skip


# mending


def test_what_zeros_have_swallowed_comes_back_only_as_what_we_know() -> None:
    first = "107 1 CreationTimestamp 5\n"
    for swallowed, kept in (("101 Customer.a@x * *", True), ("107 2 C 5", False), ("", False)):
        mended = mend(f"{first}103 \0\0{swallowed}\n".encode())
        assert mended.data == (first + (f"{swallowed}\n" if kept else "") + "105 \n106 \n").encode()
        assert mended.notes[0] == f"line 2 was left out: it is no record: '103  ... {swallowed}'"
    again = mend(f"{first}what\n103 03.-1 ClusterId 3\n103 03.-1 A 3\n103 3.-2 A 1\n103 0.5 A 1\n".encode())
    assert b"101 03.-1 Job Machine\n103 03.-1 ClusterId 3\n" in again.data
    assert (b"3.-2" in again.data, b"101 0.5 Owner (empty)\n103 0.5 A 1\n" in again.data) == (False, True)
    whole = mend(b"105 \n101 01.-1 Job Machine\nwhat\n")
    assert b"101 01.-1 Job Machine\n106 \n" in whole.data
    assert sorted(whole.notes)[1:] == [
        "the last transaction, whose end is damaged, counts",
        "the missing 107 was put at its beginning",
    ]


def mended(path: Path, text: str, fs: FileSystem | None = None) -> list[str]:
    """What mending says that it did, but for what was kept and left out."""
    path.write_text(text + "what\n105 \n106 \n")
    return [line.removeprefix(f"{path}: ") for line in mend_log(str(path), fs)][2:]


@pytest.mark.parametrize(("clusters", "number"), [((), 0), ((4,), 5), ((3, 12, 5), 13), ((5, 12, 3), 13), ((1,), 2)])
def test_the_next_number_is_above_all_in_queue_and_history(
    tmp_path: Path, clusters: tuple[int, ...], number: int
) -> None:
    ads = [ClassAd({"ClusterId": cluster, "ProcId": 0}) for cluster in clusters]
    HistoryWriter(str(tmp_path / "history")).append(ads, NOW)
    with (tmp_path / "history").open("a") as file:
        file.write("*** no job\n")
    done = mended(tmp_path / "job_queue.log", HEAD + "103 0.0 NextClusterNum 1\n")
    assert done == ([f"NextClusterNum is {number} now"] if number else [])


def test_a_queue_without_a_history_keeps_its_number(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    assert mended(path, HEAD + "103 0.0 NextClusterNum 1\n101 7.-3 x y\n") == ["NextClusterNum is 8 now"]
    sound = "101 01.-1 Job M\n101 1.0 Job M\n" + SOUND.format("1.0") + "103 1.0 ClusterId 1\n103 1.0 ProcId 0\n"
    assert mended(path, HEAD + "103 0.0 NextClusterNum 1\n" + sound) == ["NextClusterNum is 2 now"]
    assert mended(path, HEAD + "103 0.0 NextClusterNum 2\n" + sound) == []
    assert mended(path, HEAD + "103 0.0 NextClusterNum 2\n101 01.-1 Job M\n101 2.-2 x y\n") == [
        "ad 01.-1 belonged to no job and was removed", "ad 2.-2 belonged to no job and was removed",
    ]  # fmt: skip


def test_jobs_that_lost_their_cluster_get_one(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    jobs = "".join(
        f"101 3.{proc} Job Machine\n103 3.{proc} ClusterId 3\n103 3.{proc} ProcId {proc}\n" + SOUND.format(f"3.{proc}")
        for proc in range(2)
    )
    assert mended(path, HEAD + "103 0.0 NextClusterNum 4\n" + jobs) == ["cluster 3 has an ad again"]
    assert check_spool(str(tmp_path)) == []
    queue = JobQueue(str(path), readonly=True)
    cluster = queue.cluster(3)
    assert cluster is not None
    assert [cluster.text(name) for name in ("ClusterId", "MyType", "TargetType")] == ["3", '"Job"', '"Machine"']
    assert path.read_text().count("101 03.-1 Job Machine\n") == 1
    queue.close()


def test_a_mended_log_lasts_and_belongs_to_whom_it_belonged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "Accountantnew.log"
    log.write_text("107 1 CreationTimestamp 5\nwhat\n105 \n106 \n")
    owner = 65534 if os.geteuid() == 0 else os.geteuid()
    os.chown(log, owner, -1)
    fs = Noting()
    assert len(mend_log("Accountantnew.log", fs)) == 2
    assert fs.take("sync", "sync_dir") == [
        ("sync", "Accountantnew.log.damaged"), ("sync", "Accountantnew.log.tmp"), ("sync_dir", "."),
    ]  # fmt: skip
    assert {file.stat().st_uid for file in (log, tmp_path / "Accountantnew.log.damaged")} == {owner}
    log.write_text("107 1 CreationTimestamp 5\nwhat\n105 \n106 \n")
    mend_log(str(log), fs)
    assert ("sync_dir", str(tmp_path)) in fs.take()


def test_nothing_is_mended_while_somebody_writes(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text(HEAD + "what\n105 \n106 \n")
    writer = QueueLock(f"{path}.lock")
    writer.acquire(0)
    for deed in (lambda: mend_log(str(path), timeout=0), lambda: repair_spool(str(tmp_path), timeout=0)):
        with pytest.raises(LockTimeout):
            deed()
    writer.release()
    assert len(repair_spool(str(tmp_path), timeout=0)) == 2


# left-overs


def test_links_and_odd_names_in_folders_of_clusters(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    job = "cluster12.proc0.subproc0"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").touch()
    for folder in ("12/0", "12/name"):
        (spool / folder).mkdir(parents=True)
        (spool / folder / job).touch()
    (spool / "12" / "7").touch()
    (spool / "13").symlink_to(tmp_path / "elsewhere")
    for entry in (*spool.rglob("*"),):
        os.utime(entry, (NOW - 9999, NOW - 9999), follow_symlinks=False)
    settings = PreenSettings(str(spool), (), str(tmp_path / "log"))
    assert sorted(look(settings, lambda: {JobId(12, 0)}, NOW)) == [
        Entry(f"{spool}/12", False),
        Entry(f"{spool}/12/0/{job}", False),
        Entry(f"{spool}/12/7", True),
        Entry(f"{spool}/12/name", True),
        Entry(f"{spool}/13", True),
    ]


# locks


def test_who_holds_a_lock_as_far_as_its_file_tells(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    known = QueueLock(str(path))
    for text, holder in (
        (b"", ""), (b"somebody else\n", ""), (b"5 a  b \n", "pid 5 (a  b)"), (b"7\n", "pid 7"),
        (b"7  \n", "pid 7"), (b"8 a\xff\n", "pid 8 (a\N{REPLACEMENT CHARACTER})"),
    ):  # fmt: skip
        path.write_bytes(text)
        assert known.holder() == holder
    path.unlink()
    assert known.holder() == ""


class Clock:
    """Stands in for the module ``time``: whoever sleeps makes something happen, and a second pass."""

    def __init__(self, happens: Callable[[], None]) -> None:
        self._happens = happens
        self._now = 0.0

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._happens()
        self._now += 1.0


def test_a_lock_whose_file_goes_away_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lock"
    first, second, third = (QueueLock(str(path)) for _ in range(3))
    first.acquire(0)
    monkeypatch.setattr(lock, "time", Clock(lambda: path.unlink(missing_ok=True)))
    with pytest.raises(LockTimeout, match="is still locked by an unknown process after 1 seconds; try again later"):
        second.acquire(1)
    first.release()
    first.acquire(0)

    def leave() -> None:
        path.unlink()
        first.release()

    monkeypatch.setattr(lock, "time", Clock(leave))
    second.acquire(60)
    with pytest.raises(LockTimeout):
        third.acquire(0)
    second.release()


# the history once more


def test_small_print_of_banners(tmp_path: Path) -> None:
    path = tmp_path / "history"
    ads = [
        ClassAd.from_text_items([("ClusterId", "1 + 1"), ("Owner", 'strcat("a", "b")')]),
        ClassAd.from_text_items([("ProcId", "3"), ("Owner", f'"{ODD}"')]),
        ClassAd.from_text_items([("Owner", '"Xerxes X"')]),
    ]
    writer = HistoryWriter(str(path))
    writer.append(ads, NOW)
    writer.close()
    banners = [line for line in path.read_bytes().splitlines() if line.startswith(b"***")]
    end = b" CompletionDate = -1 CurrentTime = %d" % NOW
    assert [banner.split(b" ClusterId = ")[1] for banner in banners] == [
        b'-1 ProcId = -1 Owner = "?"' + end, b'-1 ProcId = 3 Owner = "a\xffb"' + end,
        b'-1 ProcId = -1 Owner = "Xerxes X"' + end,
    ]  # fmt: skip
    assert [record.fields()["Owner"] for record in forwards(str(path))] == ["?", ODD, "Xerxes X"]
    path.write_text("A = 1\n***XFER A=1\nA = 1\n*** XFER A=1\n")
    assert [record.kind() for record in forwards(str(path))] == ["XFER", "XFER"]
