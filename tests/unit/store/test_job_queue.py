"""The job queue: the order of a submit, lookups, catching up, transactions, rewrites."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store.adlog import DESTROY_AD, NEW_AD, SET, Record
from condor_py.store.check import check_spool
from condor_py.store.job_queue import JobQueue
from condor_py.store.records import NewProc, submit_records, user_record
from condor_py.store.table import raw_items

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "crash"))
from leaving import destroy_job_records


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "job_queue.log")


def submit(queue: JobQueue, count: int) -> int:
    with queue.transaction() as tx:
        cluster = tx.alloc_cluster()
        items = [("ClusterId", str(cluster)), ("Cmd", '"/bin/sleep"'), ("Args", '"200"'), ("MyType", '"Job"')]
        items += [("Owner", '"alice"'), ("User", '"alice@x"'), ("JobUniverse", "5")]
        procs = [NewProc(p, [("Args", f'"{200 + p}"')] if p else [], 1, f"vm#{cluster}.{p}#17") for p in range(count)]
        tx.extend(submit_records(cluster, items, procs, "$CondorVersion: 25.14.0 $"))
    return cluster


def test_a_submit_is_written_in_htcondors_order(path: str) -> None:
    queue = JobQueue(path, uid_domain="example.net")
    with queue.transaction() as tx:
        tx.extend(user_record(2, "alice@example.net", "alice"))
        cluster = tx.alloc_cluster()
        procs = [
            NewProc(0, [], 5, "vm#1.0#1795213926"),
            NewProc(1, [("Out", '"a.1.out"')], 5, "vm#1.1#1795213926"),
        ]
        tx.extend(submit_records(cluster, [("ClusterId", "1"), ("JobPrio", "0")], procs, "$CondorVersion: x $"))
    lines = Path(path).read_text().split("\n")
    birth = lines[0].rsplit(" ", 1)[1]
    assert lines == [
        f"107 1 CreationTimestamp {birth}",
        "105 ",
        "101 0.0 Job Machine",
        '103 0.0 MyType "Job"',
        '103 0.0 TargetType "Machine"',
        '103 0.0 UidDomain "example.net"',
        "103 0.0 NextClusterNum 1",
        "106 ",
        "105 ",
        "101 0.2 Owner (empty)",
        '103 0.2 User "alice@example.net"',
        '103 0.2 Owner "alice"',
        '103 0.2 OsUser "alice"',
        "103 0.2 Enabled 1",
        "103 0.0 NextClusterNum 2",
        "101 01.-1 Job Machine",
        "101 1.-2 ClusterPvt (empty)",
        "103 01.-1 ClusterId 1",
        "103 01.-1 JobPrio 0",
        "101 1.0 Job Machine",
        '103 1.0 GlobalJobId "vm#1.0#1795213926"',
        "103 1.0 ProcId 0",
        "103 1.0 InitialJobStatus 5",
        "101 1.1 Job Machine",
        '103 1.1 GlobalJobId "vm#1.1#1795213926"',
        "103 1.1 ProcId 1",
        "103 1.1 InitialJobStatus 5",
        '103 1.1 Out "a.1.out"',
        "103 01.-1 TotalSubmitProcs 2",
        '103 01.-1 CondorVersion "$CondorVersion: x $"',
        "104 01.-1 JobPreparingTasks",
        "104 1.0 JobPreparingTasks",
        "103 1.0 JobStatus 5",
        "104 1.1 JobPreparingTasks",
        "103 1.1 JobStatus 5",
        "106 ",
        "",
    ]
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert abs(int(birth) - os.stat(path).st_mtime) < 100


def test_lookups(path: str) -> None:
    queue = JobQueue(path)
    assert list(queue.jobs()) == []
    assert queue.next_cluster == 1
    assert queue.job(JobId(1, 0)) is None
    first, second = submit(queue, 12), submit(queue, 1)
    assert (first, second, queue.next_cluster) == (1, 2, 3)
    assert [str(job) for job, _ in queue.jobs()] == [f"1.{p}" for p in range(12)] + ["2.0"]
    assert [job for job, _ in queue.procs_of(2)] == [JobId(2, 0)]
    assert queue.procs_of(7) == []
    ad = queue.job(JobId(1, 3))
    assert ad is not None
    assert (ad.text("args"), ad.text("cmd"), ad.text("JobStatus")) == ('"203"', '"/bin/sleep"', "1")
    assert ad.text("MyType") == '"Job"'
    assert ad.text("TargetType") == '"Machine"'
    assert queue.clusters() == [1, 2]
    assert JobId(1, 11) in queue
    assert JobId(1, 12) not in queue
    assert (queue.count(), queue.count(1), queue.count(9)) == (13, 12, 0)


def test_user_records(path: str) -> None:
    queue = JobQueue(path)
    assert queue.next_user == 2
    with queue.transaction() as tx:
        tx.extend(user_record(queue.next_user, "alice@example.net", "alice"))
    assert list(queue.user_records) == [2]
    found = queue.user_record_of("alice@example.net")
    assert found is not None
    assert (found[0], found[1].text("OsUser"), queue.next_user) == (2, '"alice"', 3)
    assert queue.user_record_of("bob@example.net") is None


def test_the_last_job_takes_its_cluster_along(path: str) -> None:
    queue = JobQueue(path)
    submit(queue, 2)
    with queue.transaction() as tx:
        tx.extend(destroy_job_records(JobId(1, 0), last_of_cluster=False))
    assert queue.cluster(1) is not None
    with queue.transaction() as tx:
        tx.extend(destroy_job_records(JobId(1, 1), last_of_cluster=True))
    assert sorted(queue.ads) == ["0.0"]
    assert queue.clusters() == []


def test_a_job_whose_key_is_written_in_another_way_is_one_of_its_own(path: str) -> None:
    """Only damage, or whoever edits the log, makes such keys: each is the name of an ad, before and after a rewrite."""
    queue = JobQueue(path)
    submit(queue, 2)
    with queue.transaction() as tx:
        tx.set("1.0", "A", "1")
        tx.new_ad("01.1", "Job")
        tx.set("01.1", "A", "2")
        tx.set("1.1", "A", "3")
        tx.new_ad("1.5", "Job")
        tx.set("1.5", "A", "4")
    told = {"1.0": "1", "1.1": "3", "01.1": "2", "1.5": "4"}

    def said(table: JobQueue) -> dict[str, str | None]:
        return {key: ad.text("A") for key, ad in table.ads.items() if key in told}

    assert said(queue) == told
    queue.compact(0)
    again = JobQueue(path)
    assert said(again) == told
    with again.transaction() as tx:
        tx.destroy("01.1")
        tx.set("1.1", "A", "5")
    assert said(again) == {"1.0": "1", "1.1": "5", "1.5": "4"} == said(JobQueue(path))
    queue.refresh()
    assert said(queue) == said(again)


def test_a_transaction_that_raises_writes_nothing(path: str) -> None:
    queue = JobQueue(path)
    submit(queue, 1)
    before = Path(path).read_bytes()

    def change_ones_mind() -> None:
        with queue.transaction() as tx:
            tx.set("1.0", "JobPrio", "5")
            raise KeyError("changed my mind")

    with pytest.raises(KeyError):
        change_ones_mind()
    assert Path(path).read_bytes() == before
    assert queue.job(JobId(1, 0)).text("JobPrio") is None  # type: ignore[union-attr]
    with queue.transaction():
        pass
    assert Path(path).read_bytes() == before


def test_a_value_that_the_log_cannot_hold_is_refused(path: str) -> None:
    queue = JobQueue(path)
    submit(queue, 1)
    before = Path(path).read_bytes()
    with pytest.raises(ValueError, match=r"JobDescription of 1\.0"), queue.transaction() as tx:
        tx.set("1.0", "JobDescription", '"two\nlines"')
    assert Path(path).read_bytes() == before
    assert submit(queue, 1) == 2


def test_a_writer_learns_what_others_wrote(path: str) -> None:
    mine, other = JobQueue(path), JobQueue(path)
    submit(mine, 1)
    with other.transaction() as tx:
        assert Record(NEW_AD, "1.0", "Job", "Machine") in tx.caught_up
        assert other.next_cluster == 2
        tx.set("1.0", "JobPrio", "7")
    assert mine.refresh() == [Record(SET, "1.0", "JobPrio", "7")]
    assert mine.refresh() == []
    assert submit(other, 1) == 2
    with mine.transaction() as tx:
        assert tx.alloc_cluster() == 3


def test_a_reader_follows_through_a_rewrite(path: str) -> None:
    writer, reader = JobQueue(path), JobQueue(path, readonly=True)
    submit(writer, 2)
    reader.refresh()
    job = reader.job(JobId(1, 0))
    with writer.transaction() as tx:
        tx.set("1.0", "JobPrio", "3")
    writer.compact(1)
    with writer.transaction() as tx:
        tx.set("1.1", "JobPrio", "4")
        tx.destroy("1.0")
    assert reader.refresh() == [
        Record(SET, "1.0", "JobPrio", "3"),
        Record(DESTROY_AD, "1.0"),
        Record(SET, "1.1", "JobPrio", "4"),
    ]
    assert job is not None
    assert job.text("JobPrio") == "3", "the object stayed the same until it went"
    assert reader.sequence == writer.sequence == 2
    assert sorted(os.listdir(os.path.dirname(path))) == [
        "job_queue.log",
        "job_queue.log.1",
        "job_queue.log.lock",
    ]
    writer.compact(1)
    writer.compact(1)
    assert sorted(os.listdir(os.path.dirname(path))) == [
        "job_queue.log",
        "job_queue.log.3",
        "job_queue.log.lock",
    ]
    assert reader.refresh() == []
    assert reader.sequence == 4


def test_a_rewritten_log_is_htcondors(path: str) -> None:
    queue = JobQueue(path)
    submit(queue, 1)
    before = {key: dict(raw_items(ad)) for key, ad in queue.ads.items()}
    with queue.transaction() as tx:
        tx.set("1.0", "Big", "1.50e+300")
        tx.set("1.0", "Odd", "MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024")
    queue.compact(0)
    lines = Path(path).read_text().splitlines()
    assert lines[0].startswith("107 2 CreationTimestamp ")
    assert lines[1] == "101 0.0 Job Machine"
    assert "101 1.-2 ClusterPvt (empty)" in lines
    assert '103 1.-2 MyType "ClusterPvt"' in lines
    assert "103 1.0 Odd MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024" in lines
    assert "103 1.0 Big 1.50e+300" in lines
    assert "101 1.0 Job Machine" in lines
    assert lines[-2:] == ["105 ", "106 "], "the image is complete: what is bad before this is damage"
    assert not any(line.startswith(("105", "106")) for line in lines[:-2])
    again = JobQueue(path)
    with again.transaction() as tx:
        tx.delete("1.0", "Big")
        tx.delete("1.0", "Odd")
    assert {key: dict(raw_items(ad)) for key, ad in again.ads.items()} == before


def test_procs_before_their_cluster_are_chained(path: str) -> None:
    Path(path).write_text(
        "107 1 CreationTimestamp 5\n101 3.0 Job Machine\n103 3.0 JobStatus 1\n101 03.-1 Job Machine\n103 03.-1 Cmd 1\n"
    )
    queue = JobQueue(path, readonly=True)
    assert queue.job(JobId(3, 0)).text("Cmd") == "1"  # type: ignore[union-attr]


def test_a_queue_that_lost_its_header_gives_no_number_twice(path: str) -> None:
    Path(path).write_text(
        "107 1 CreationTimestamp 5\n101 07.-1 Job Machine\n101 7.0 Job Machine\n103 7.0 JobStatus 1\n"
    )
    assert submit(JobQueue(path), 1) == 8
    assert submit(JobQueue(path), 1) == 9


def test_a_torn_end_is_cut_by_the_next_writer(path: str) -> None:
    queue = JobQueue(path)
    submit(queue, 1)
    sound = Path(path).read_bytes()
    Path(path).write_bytes(sound + b"105 \n103 1.0 JobPrio 9\n103 1.0")
    reader = JobQueue(path, readonly=True)
    assert reader.job(JobId(1, 0)).text("JobPrio") is None  # type: ignore[union-attr]
    with queue.transaction() as tx:
        tx.set("1.0", "JobPrio", "2")
    assert Path(path).read_bytes() == sound + b"105 \n103 1.0 JobPrio 2\n106 \n"
    assert reader.refresh() == [Record(SET, "1.0", "JobPrio", "2")]


def test_damage_is_told_and_nothing_is_written(path: str) -> None:
    submit(JobQueue(path), 1)
    sound = Path(path).read_bytes()
    broken = sound.replace(b"103 1.0 ProcId 0", b"!03 1.0 ProcId 0")
    Path(path).write_bytes(broken)
    with pytest.raises(StoreError, match=rf"job_queue.log is damaged at byte {broken.index(b'!03')}"):
        JobQueue(path)
    assert Path(path).read_bytes() == broken


def test_permissions_and_missing_directories_are_one_clear_line(tmp_path: Path) -> None:
    nowhere = JobQueue(str(tmp_path / "no" / "job_queue.log"))
    assert list(nowhere.jobs()) == []
    with pytest.raises(StoreError, match=r"no such file or directory: .*no/job_queue\.log"):
        submit(nowhere, 1)
    reader = JobQueue(str(tmp_path / "job_queue.log"), readonly=True)
    with pytest.raises(StoreError, match="for reading only"):
        submit(reader, 1)


def test_a_queue_that_was_removed_is_not_written_to(path: str) -> None:
    queue = JobQueue(path)
    submit(queue, 1)
    os.unlink(path)
    assert queue.refresh() == []
    with pytest.raises(StoreError, match="was removed while it was in use"):
        submit(queue, 1)
    assert not os.path.exists(path)


def test_a_mended_queue_is_read_by_those_who_saw_the_damage(path: str) -> None:
    submit(JobQueue(path), 1)
    reader = JobQueue(path, readonly=True)
    sound = Path(path).read_bytes()
    with open(path, "ab") as file:
        file.write(b"105 \nwhat\n106 \n")
    with pytest.raises(StoreError, match="damaged"):
        reader.refresh()
    Path(path + ".new").write_bytes(sound + b"103 1.0 JobPrio 4\n")
    os.rename(path + ".new", path)
    assert reader.refresh() == [Record(SET, "1.0", "JobPrio", "4")]


def test_a_closed_queue_can_be_used_again(path: str) -> None:
    queue = JobQueue(path)
    submit(queue, 1)
    queue.close()
    submit(queue, 1)
    queue.close()
    assert queue.refresh() == []
    assert JobQueue(path, readonly=True).clusters() == [1, 2]


def test_a_nested_transaction_is_a_mistake_of_the_program(path: str) -> None:
    queue = JobQueue(path)
    with queue.transaction() as tx:
        with pytest.raises(RuntimeError, match="open already"), queue.transaction():
            pass
        tx.set("0.0", "A", "1")
    assert queue.ads["0.0"].text("A") == "1"


class ManyWriters(RuleBasedStateMachine):
    """Writers, rewrites and readers in any order agree with a plain dictionary."""

    @initialize(directory=st.just(None))
    def begin(self, directory: None) -> None:
        import tempfile

        self.directory = tempfile.TemporaryDirectory()
        path = os.path.join(self.directory.name, "job_queue.log")
        self.queues = [JobQueue(path) for _ in range(3)]
        self.reader = JobQueue(path, readonly=True)
        self.jobs: dict[str, dict[str, str]] = {}
        self.next = 1

    @rule(who=st.integers(0, 2), count=st.integers(1, 3))
    def submit(self, who: int, count: int) -> None:
        cluster = submit(self.queues[who], count)
        assert cluster == self.next
        self.next += 1
        for proc in range(count):
            self.jobs[f"{cluster}.{proc}"] = {"Args": f'"{200 + proc}"', "JobStatus": "1"}

    @precondition(lambda self: self.jobs)
    @rule(who=st.integers(0, 2), data=st.data(), value=st.integers(1, 7))
    def edit(self, who: int, data: st.DataObject, value: int) -> None:
        key = data.draw(st.sampled_from(sorted(self.jobs)))
        with self.queues[who].transaction() as tx:
            tx.set(key, "JobStatus", str(value))
        self.jobs[key]["JobStatus"] = str(value)

    @precondition(lambda self: self.jobs)
    @rule(who=st.integers(0, 2), data=st.data())
    def leave(self, who: int, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.jobs)))
        job = JobId.parse(key)
        with self.queues[who].transaction() as tx:
            tx.extend(destroy_job_records(job, last_of_cluster=self.queues[who].count(job.cluster) == 1))
        del self.jobs[key]

    @rule(who=st.integers(0, 2), keep=st.integers(0, 2))
    def rewrite(self, who: int, keep: int) -> None:
        self.queues[who].compact(keep)

    @rule(who=st.integers(0, 3))
    def look(self, who: int) -> None:
        queue = [*self.queues, self.reader][who]
        queue.refresh()
        seen = {str(job): {"Args": ad.text("Args"), "JobStatus": ad.text("JobStatus")} for job, ad in queue.jobs()}
        assert seen == self.jobs
        assert queue.next_cluster == self.next

    def teardown(self) -> None:
        if hasattr(self, "directory"):
            assert check_spool(self.directory.name) == []
            for queue in [*self.queues, self.reader]:
                queue.close()
            self.directory.cleanup()


ManyWriters.TestCase.settings = settings(derandomize=True, max_examples=60, stateful_step_count=25, deadline=None)
TestManyWriters = ManyWriters.TestCase


def test_a_deleted_attribute_of_the_cluster_is_undefined_for_the_proc(path: str) -> None:
    """As in HTCondor: a job submitted on hold and released has no HoldReason, whatever its cluster ad says."""
    queue = JobQueue(path)
    with queue.transaction() as tx:
        cluster = tx.alloc_cluster()
        items = [("ClusterId", str(cluster)), ("HoldReason", '"at submit"'), ("Own", "1")]
        tx.extend(submit_records(cluster, items, [NewProc(p, [], 5, f"vm#{cluster}.{p}#1") for p in range(2)]))
    with queue.transaction() as tx:
        tx.delete(f"{cluster}.0", "HoldReason")
        tx.delete(f"{cluster}.0", "NobodyHasIt")
        tx.delete(f"{cluster}.1", "HoldReason")
        tx.set(f"{cluster}.1", "HoldReason", '"again"')

    def check(seen: JobQueue) -> None:
        texts = seen.own_texts(cluster, [0, 1], ("holdreason", "own", "nobodyhasit"))
        assert texts == [["undefined", '"again"'], [None, None], [None, None]]
        first, second = seen.job(JobId(cluster, 0)), seen.job(JobId(cluster, 1))
        assert first is not None
        assert second is not None
        assert (first.text("HoldReason"), second.text("HoldReason")) == ("undefined", '"again"')
        assert not first.has("NobodyHasIt")

    check(queue)
    check(JobQueue(path, readonly=True))
    queue.compact(0)
    check(JobQueue(path, readonly=True))
