"""A queue that is not unfolded answers as one that is, with an index of its log and without."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from random_logs import KEYS, ORDINARY, doing_something, line, log

from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store import folded, logreader
from condor_py.store.adlog import DESTROY_AD, NEW_AD, SET, Record
from condor_py.store.job_queue import JobQueue
from condor_py.store.table import raw_items

pytestmark = pytest.mark.skipif(not logreader.COMPILED, reason="the extension is not built")

HEAD = b"107 3 CreationTimestamp 5\n"
MADE = [f"101 {key} Job Machine" for key in ORDINARY if key != "1.22"]


#: What is asked of all clusters together: of most of it there are notes.
ASKED = (
    "args", "jobstatus", "jobuniverse", "owner", "qdate", "totalsubmitprocs", "dagmanjobid", "jobprio", "jobbatchname",
    "procid", "clusterid",
)  # fmt: skip


def kinds(queue: JobQueue) -> object:
    """How many jobs are of which kind, and those of each cluster in which state, where they are plain numbers."""
    groups = queue.groups()
    counts, others = queue.tally(groups)
    found = {(universe, status): count for universe, status, count in counts}
    for said in zip(*queue.texts(others, ("jobuniverse", "jobstatus")), strict=True):
        if all(text in SMALL for text in said):
            kind = SMALL.index(said[0]), SMALL.index(said[1])
            found[kind] = found.get(kind, 0) + 1
    states = []
    for group, told in zip(groups, queue.groups_states(groups), strict=True):
        texts = queue.texts([group], ("jobstatus",))[0]
        plain = all(text in SMALL for text in texts)
        one = {state: texts.count(SMALL[state]) for state in range(14) if SMALL[state] in texts}
        assert told in (None, one) if plain else told is None
        states.append(one)
    said = {name for name in ASKED if any(text is not None for text in queue.texts(groups, (name,))[0])}
    assert all(queue.may_say((name,)) for name in said)
    return found, states


#: The texts of small numbers, at their places; None is at that of 0.
SMALL: list[str | None] = [None, *map(str, range(1, 14))]


def answers(queue: JobQueue) -> object:
    """What a queue says, without any whole ad; the jobs that the log hides its cluster's words of say so too."""
    groups = [(cluster, list(procs)) for cluster, procs in queue.groups()]
    keys = ("args", "jobstatus", "mytype")
    texts = [(cluster, queue.own_texts(cluster, procs, keys)) for cluster, procs in groups]
    few = [queue.own_texts(cluster, procs[::-2], ("owner",)) for cluster, procs in groups]
    together = [
        queue.texts(groups, ASKED),
        queue.texts([(cluster, procs[1:]) for cluster, procs in groups], ASKED[::2]),
    ]
    fitting = [
        queue.where(groups, "owner", '"text"'),
        queue.where(groups, "args", "1"),
        queue.where(groups, "qdate", "1"),
    ]
    counts = [queue.count(), *(queue.count(cluster) for cluster in range(8))]
    numbers = queue.next_cluster, queue.last_cluster, queue.next_user
    users = {number: raw_items(ad) for number, ad in queue.user_records.items()}
    procs = [list(queue.procs(cluster)) for cluster in range(8)]
    return groups, texts, few, together, fitting, kinds(queue), counts, procs, queue.clusters(), numbers, users


def ads(queue: JobQueue) -> object:
    """All ads."""
    return {key: raw_items(ad) for key, ad in queue.ads.items()}, [job for job, _ in queue.jobs()]


def states(queue: JobQueue) -> dict[int, dict[str | None, int]]:
    """How many jobs of each cluster say what of JobStatus."""
    found: dict[int, dict[str | None, int]] = {}
    for cluster, procs in queue.groups():
        counts, rest = queue.states(cluster, "owner")
        said: dict[str | None, int] = {str(status) if status else None: count for status, count in counts.items()}
        for text in queue.own_texts(cluster, rest, ("jobstatus",))[0]:
            said[text] = said.get(text, 0) + 1
        found[cluster] = said
        assert sum(said.values()) == len(procs)
    return found


def test_folded_and_unfolded_say_the_same(tmp_path: Path) -> None:
    rng = random.Random(21)
    path = tmp_path / "job_queue.log"
    really_folded = 0
    for _ in range(400):
        path.write_bytes(log(rng, ORDINARY if rng.random() < 0.8 else KEYS))
        try:
            one, other = JobQueue(str(path), readonly=True), JobQueue(str(path), readonly=True)
        except StoreError:
            continue  # damaged
        really_folded += one._folded is not None
        assert len(other.ads) >= one.count()  # that unfolds it
        assert answers(one) == answers(other)
        assert states(one) == states(other)
        for cluster, procs in one.groups():
            for name in ("owner", "args", "jobprio"):
                if name not in one.mentioned(cluster, (name,)):
                    assert set(other.own_texts(cluster, procs, (name,))[0]) <= {None, "undefined"}
        assert ads(one) == ads(other)
        assert one._folded is None
    assert really_folded > 100


def test_an_ad_that_is_made_again_stays_as_it_is_and_the_log_is_not_sound(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    made = (
        b'101 0.0 Job Machine\n103 0.0 NextClusterNum 2\n101 0.2 Owner (empty)\n103 0.2 User "a@b"\n'
        b"101 01.-1 Job Machine\n101 1.0 Job Machine\n103 1.0 JobStatus 1\n"
    )
    path.write_bytes(HEAD + made + b"101 0.2 Owner (empty)\n101 1.0 Job (empty)\n101 01.-1 X Y\n103 1.0 Args 1\n")
    queue, whole = JobQueue(str(path), readonly=True), JobQueue(str(path), readonly=True, whole=True)
    assert queue._folded is not None
    assert whole._folded is not None
    assert whole._folded.repeated
    assert not whole.is_sound()
    assert raw_items(queue.job(JobId(1, 0))) == [("JobStatus", "1"), ("Args", "1")]  # type: ignore[arg-type]
    assert raw_items(queue.cluster(1)) == [("MyType", '"Job"'), ("TargetType", '"Machine"')]  # type: ignore[arg-type]
    assert queue.user_record_of("a@b") is not None


def test_an_ad_stays_the_same_object_when_the_queue_unfolds(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_bytes(HEAD + b"101 01.-1 Job Machine\n103 01.-1 A 1\n101 1.0 Job Machine\n101 1.1 Job Machine\n")
    queue = JobQueue(str(path), readonly=True)
    job, cluster = queue.job(JobId(1, 0)), queue.cluster(1)
    assert queue.job(JobId(1, 2)) is None
    assert JobId(1, 1) in queue
    assert JobId(-1, 1) not in queue
    assert JobId(1, 1 << 70) not in queue
    assert queue._folded is not None
    assert next(ad for _, ad in queue.jobs()) is job
    assert queue.cluster(1) is cluster is queue.job(JobId(1, 1)).parent  # type: ignore[union-attr]
    assert queue.ads["1.0"] is job


def test_who_adds_jobs_to_a_long_queue_reads_none_of_it(tmp_path: Path) -> None:
    path = str(tmp_path / "job_queue.log")
    _submit(JobQueue(path), 3)
    queue, other = JobQueue(path), JobQueue(path)
    assert (queue.next_cluster, queue.last_cluster, queue.next_user) == (2, 1, 2)
    _submit(queue, 2)
    assert queue._folded is not None
    _submit(other, 1)  # which finds what the first one has added, and looks at it
    assert other._folded is None
    assert [queue.count(), other.count(), queue.refresh() != []] == [5, 6, True]
    for one in (queue, other):
        assert answers(one) == answers(opened(path))
        assert ads(one) == ads(opened(path))
    assert queue.next_cluster == 4


def test_what_is_written_while_nobody_asks_is_there_when_somebody_does(tmp_path: Path) -> None:
    """Whatever is asked first, of whatever was written by oneself or by others."""
    rng = random.Random(77)
    path = tmp_path / "job_queue.log"
    questions = (
        lambda queue: queue.count(), lambda queue: queue.groups(), lambda queue: queue.next_cluster,
        lambda queue: sorted(queue.user_records), lambda queue: [queue.procs(number) for number in range(8)],
        lambda queue: [raw_items(ad) if (ad := queue.cluster(number)) else None for number in range(8)],
        lambda queue: [raw_items(ad) if (ad := queue.job(JobId(1, number))) else None for number in range(5)],
        lambda queue: [JobId(1, number) in queue for number in range(5)], lambda queue: queue.clusters(),
        lambda queue: queue.last_cluster, lambda queue: (queue.user_record_of("a@b") or (0,))[0],
        lambda queue: queue.next_user,
        ads, answers,
    )  # fmt: skip
    waited = 0
    for _ in range(300):
        path.write_bytes(HEAD + b'101 01.-1 Job Machine\n101 1.1 Job Machine\n101 0.2 User *\n103 0.2 User "a@b"\n')
        queue, other = JobQueue(str(path)), JobQueue(str(path))
        if rng.random() < 0.2:
            queue.job(JobId(1, 1))
        for writer in rng.choices((queue, other), k=rng.randrange(1, 4)):
            with writer.transaction() as transaction:
                for _ in range(rng.randrange(1, 6)):
                    transaction.extend(_change(rng))
            if rng.random() < 0.2:
                queue.refresh()
        queue.refresh()
        waited += queue._folded is not None
        question = rng.choice(questions)
        fresh = opened(str(path))
        assert question(queue) == question(fresh)
        assert (ads(queue), answers(queue)) == (ads(fresh), answers(fresh))
    assert waited > 100


def _change(rng: random.Random) -> list[Record]:
    key = rng.choice(("01.-1", "1.1", "1.2", "02.-1", "2.0", "0.2", "0.3", "0.0"))
    if rng.random() < 0.3:
        return [Record(DESTROY_AD, key)] if key != "0.0" else []
    if rng.random() < 0.4:
        return [Record(NEW_AD, key, "Job", "Machine")]
    name, text = rng.choice((("User", '"a@b"'), ("JobStatus", "2"), ("NextClusterNum", "7"), ("Args", '"x"')))
    return [Record(SET, key, name, text)]


def test_an_index_of_any_beginning_changes_nothing(tmp_path: Path) -> None:
    rng = random.Random(5)
    path, index = tmp_path / "job_queue.log", tmp_path / "job_queue.log.index"
    used = 0
    for _ in range(300):
        size = rng.randrange(30)
        some = [line(rng, ORDINARY) for _ in range(size + 5)]
        lines = list(doing_something([*MADE, *(text for text in some if text[:3] not in ("102", "105", "106"))]))
        first = HEAD + b"".join((text + "\n").encode("utf-8", "surrogateescape") for text in lines[:size])
        path.write_bytes(first)
        image = logreader.image(first, 0, True, None)
        if image is None:
            continue
        whole = first + b"".join((text + "\n").encode("utf-8", "surrogateescape") for text in lines[size:])
        path.write_bytes(whole)
        plain = JobQueue(str(path), readonly=True)
        index.write_bytes(image.index())
        quick = JobQueue(str(path), readonly=True)
        index.unlink()
        used += quick._folded is not None and quick._folded._image.indexed > 0
        assert answers(quick) == answers(plain)
        assert states(quick) == states(plain)
        assert (quick._file.offset, quick._file.tail) == (plain._file.offset, plain._file.tail)
        assert ads(quick) == ads(plain)
    assert used > 100


def test_an_index_of_another_log_or_a_damaged_one_is_not_believed(tmp_path: Path) -> None:
    rng = random.Random(8)
    data = (
        HEAD + b"101 01.-1 Job Machine\n" + b"".join(b"101 1.%d Job Machine\n103 1.%d A 1\n" % (n, n) for n in range(9))
    )
    good = logreader.image(data, 0, True, None).index()
    assert logreader.image(data, 0, True, good).indexed == len(data)
    others = [data.replace(b"107 3", b"107 4"), data.replace(b"A 1", b"A 2"), data[:-1], HEAD, b""]
    assert [logreader.image(other, 0, True, good).indexed for other in others] == [0] * len(others)
    assert logreader.image(data, 0, False, good).indexed == 0
    for _ in range(2000):
        at = rng.randrange(len(good))
        bad = good[:at] + bytes([good[at] ^ (1 << rng.randrange(8))]) + good[at + 1 :]
        cut = good[: rng.randrange(len(good))]
        for index in (bad, cut):
            assert logreader.image(data, 0, True, index).count() == 9


def test_a_long_log_gets_an_index_and_a_rewritten_one_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, index = str(tmp_path / "job_queue.log"), tmp_path / "job_queue.log.index"
    queue = JobQueue(path)
    _submit(queue, 3)
    opened(path).keep_index()
    assert not index.exists()  # it is not worth it
    monkeypatch.setattr(folded, "_UNINDEXED", 100)
    opened(path).keep_index()
    assert index.stat().st_mode & 0o777 == 0o600
    assert opened(path)._folded._image.indexed == queue.size  # type: ignore[union-attr]
    before = index.read_bytes()
    _submit(queue, 3)
    again = opened(path)
    assert again.count() == 6
    again.keep_index()
    assert index.read_bytes() != before
    queue.compact(0)
    compacted = opened(path)
    assert compacted._folded._image.indexed == 0  # type: ignore[union-attr]
    assert compacted.count() == 6
    index.unlink()
    index.mkdir()  # nobody can write or read it
    compacted.keep_index()
    assert opened(path).count() == 6


def test_a_log_that_is_emptied_below_a_reader_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_bytes(
        HEAD
        + b"101 01.-1 Job Machine\n"
        + b"".join(b"101 1.%d Job Machine\n103 1.%d A %s\n" % (n, n, b"1" * 400) for n in range(5000))
    )
    queue = JobQueue(str(path), readonly=True)
    whole = JobQueue(str(path), readonly=True, lasting=False)
    os.truncate(path, 0)
    with pytest.raises(StoreError, match="become shorter"):
        queue.own_texts(1, range(5000), ("a",))
    assert whole.own_texts(1, range(5000), ("a",)) == [["1" * 400] * 5000]


def opened(path: str) -> JobQueue:
    return JobQueue(path, readonly=True)


def _submit(queue: JobQueue, procs: int) -> None:
    with queue.transaction() as transaction:
        cluster = transaction.alloc_cluster()
        transaction.new_ad(f"0{cluster}.-1", "Job", "Machine")
        for proc in range(procs):
            transaction.new_ad(f"{cluster}.{proc}", "Job", "Machine")
            transaction.set(f"{cluster}.{proc}", "JobStatus", "1")


def test_an_end_that_a_writer_cuts_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    value = '"' + "x" * 4000 + '"'
    lines = [f"101 1.{proc} Job Machine\n103 1.{proc} Args {value}\n" for proc in range(2000)]
    path.write_text("107 1 CreationTimestamp 5\n101 01.-1 Job Machine\n" + "".join(lines) + "105 \n103 1.0 Args 1\n")
    queue = JobQueue(str(path), readonly=True)
    os.truncate(path, queue.size)
    assert {len(text or "") for text in queue.own_texts(1, range(2000), ("args",))[0]} == {4002}
    queue.close()


def test_ads_that_were_given_away_follow_changes_while_the_queue_stays_folded(tmp_path: Path) -> None:
    path = str(tmp_path / "job_queue.log")
    _submit(JobQueue(path), 2)
    queue, other = JobQueue(path), JobQueue(path)
    job, cluster, untouched = queue.job(JobId(1, 0)), queue.cluster(1), queue.job(JobId(1, 1))
    assert job is not None
    assert cluster is not None
    with other.transaction() as transaction:
        transaction.set("1.0", "JobPrio", "7")
        transaction.delete("1.0", "JobStatus")
        transaction.set("01.-1", "Args", '"x"')
        transaction.set("2.0", "JobPrio", "7")
    queue.refresh()
    assert queue._folded is not None
    assert (job.text("JobPrio"), job.text("JobStatus"), cluster.text("Args")) == ("7", None, '"x"')
    assert (queue.job(JobId(1, 0)), queue.cluster(1), queue.job(JobId(1, 1))) == (job, cluster, untouched)
    assert ads(queue) == ads(opened(path))
