"""New jobs that are taken in as their lines: the queue is the one that reading record by record gives."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from random_logs import ORDINARY, line, log

from condor_py.model.errors import StoreError
from condor_py.model.record import NEW_AD, SET, Change, NewJobs, one_by_one
from condor_py.store import adlog_file, logreader
from condor_py.store.adlog import format_entries
from condor_py.store.job_queue import JobQueue
from condor_py.store.stored_ad import StoredAd
from condor_py.store.table import raw_items

pytestmark = pytest.mark.skipif(not logreader.COMPILED, reason="the extension is not built")

NEW = [f"{cluster}.{proc}" for cluster in (1, 2, 9) for proc in (0, 1, 2, 30)]


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adlog_file, "_MANY_BYTES", 1)


def ads(queue: JobQueue) -> object:
    found = {key: sorted(raw_items(ad)) for key, ad in queue.ads.items()}
    parents = {key: ad.parent is queue.cluster(int(key.split(".")[0])) for key, ad in queue.ads.items() if key in NEW}
    jobs = [job for job, _ in queue.jobs()]
    return found, parents, jobs, queue.groups(), queue.clusters(), sorted(queue.user_records)


def tail(rng: random.Random) -> bytes:
    lines = ["105 "]
    lines += [f"101 {key} Job Machine" for key in ("09.-1", *NEW) if rng.random() < 0.5]
    lines += [line(rng, [*ORDINARY, *NEW]) for _ in range(rng.randrange(40))]
    # What a job that is there deletes is looked up in its cluster at that moment, which a reader of the file cannot.
    lines = [text for text in lines if not text.startswith("104") or text.split()[1] in ("9.0", "9.30")]
    if rng.random() < 0.9:
        lines.append("106 ")
    return "".join(text + "\n" for text in lines).encode("utf-8", "surrogateescape")


def test_what_arrives_is_what_a_reader_of_the_whole_log_finds(tmp_path: Path) -> None:
    rng, taken_in = random.Random(8), 0
    for number in range(1200):
        path = tmp_path / f"{number}.log"
        path.write_bytes(b"".join(text for text in log(rng, ORDINARY).splitlines(True) if not text.startswith(b"104")))
        try:
            queue = JobQueue(str(path), readonly=True, arrivals=True)
            assert queue.ads is not None
        except StoreError:
            continue
        whole = path.read_bytes()[: queue.size]
        path.write_bytes(whole + tail(rng))
        try:
            told = queue.refresh()
        except StoreError:
            with pytest.raises(StoreError):
                JobQueue(str(path), readonly=True)
            continue
        news = [entry for entry in told if isinstance(entry, NewJobs)]
        taken_in += bool(news)
        fresh = JobQueue(str(path), readonly=True)
        assert ads(queue) == ads(fresh)
        assert queue.size == fresh.size
        queue.close()
        fresh.close()
        assert all(job in {record.key for record in one_by_one(told)} for entry in news for job in entry_keys(entry))
    assert taken_in > 15


def entry_keys(entry: NewJobs) -> list[str]:
    return [f"{cluster}.{proc}" for cluster, procs in entry.jobs for proc in procs]


def test_new_jobs_are_not_read(tmp_path: Path) -> None:
    path = str(tmp_path / "job_queue.log")
    schedd, tool = JobQueue(path, arrivals=True), JobQueue(path)
    with schedd.transaction():
        pass
    with tool.transaction() as transaction:
        transaction.extend(cluster(1, 3))
    told = schedd.refresh()
    assert NewJobs(((1, (0, 1, 2)),)) in told
    assert next(record for record in one_by_one(told) if record.key == "01.-1").op == NEW_AD
    tool.close()
    schedd.close()
    jobs = [ad for _, ad in schedd.jobs()]
    assert [isinstance(ad, StoredAd) and ad.lines is not None for ad in jobs] == [True] * 3
    assert [ad.eval_str("Args") for ad in jobs] == ["0", "1", "2"]
    assert [ad.eval_str("Owner") for ad in jobs] == ["alice"] * 3


def test_lines_are_written_and_taken_in_as_they_are(tmp_path: Path) -> None:
    path = str(tmp_path / "job_queue.log")
    writer, reader = JobQueue(path), JobQueue(path)
    with writer.transaction() as transaction:
        transaction.set("0.0", "NextClusterNum", "2")
        transaction.extend([NewJobs(((1, (0, 1)),), format_entries(cluster(1, 2)))])
    reader.refresh()
    assert ads(writer) == ads(reader) == ads(JobQueue(path))
    with writer.transaction() as transaction:  # of a job that is there only what is new counts
        transaction.extend([NewJobs(((1, (1, 2)),), format_entries([Change(SET, "1.1", "Args", "5"), *cluster(1, 3)]))])
    assert ads(writer) == ads(JobQueue(path))
    writer.close()
    reader.close()


def cluster(number: int, procs: int) -> list[Change]:
    found = [Change(NEW_AD, f"0{number}.-1", "Job", "Machine"), Change(SET, f"0{number}.-1", "Owner", '"alice"')]
    for proc in range(procs):
        found.append(Change(NEW_AD, f"{number}.{proc}", "Job", "Machine"))
        found.append(Change(SET, f"{number}.{proc}", "Args", f'"{proc}"'))
    return found
