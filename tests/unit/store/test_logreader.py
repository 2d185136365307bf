"""The compiled reader and its twin see the same queue in every log, whole, torn or damaged."""

from __future__ import annotations

import random
import resource

import pytest
from random_logs import VALUES, line, log

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.record import lower
from condor_py.model.errors import StoreError
from condor_py.store import logreader, logreader_py, table
from condor_py.store.adlog_file import LogFile
from condor_py.store.job_queue import JobQueue
from condor_py.store.stored_ad import StoredAd
from condor_py.store.table import raw_items

compiled = pytest.mark.skipif(not logreader.COMPILED, reason="the extension is not built")


def items(ad: ClassAd) -> list[tuple[str, str]]:
    """Own attributes.

    What a deletion hides of the cluster's, and spelling and place of what is set after it, depend on when the cluster
    got it: only here the two differ.
    """
    return sorted((lower(name), text) for name, text in raw_items(ad) if text != "undefined")


def seen(queue: JobQueue) -> object:
    """Everything that a queue shows of a log."""
    jobs = [(job, ad.parent is not None, items(ad)) for job, ad in queue.jobs()]
    for _, ad in queue.jobs():
        for binding in ad.attrs.values():
            assert (binding.key, ad.attrs[binding.key]) == (lower(binding.name), binding)
    values = {key: sorted((name, repr(ad.raw(name))) for name, _ in items(ad)) for key, ad in queue.ads.items()}
    file = queue._file
    rest = (file.tail, file.offset, file._witness, queue.sequence, file.birthdate)
    others = {key: items(ad) for key, ad in queue.ads.items()}
    return sorted(queue.ads), others, values, jobs, queue.clusters(), sorted(queue.user_records), rest


def opened(path: str, reader: object, monkeypatch: pytest.MonkeyPatch) -> object:
    with monkeypatch.context() as patch:
        patch.setattr("condor_py.store.adlog_file.image", reader.image)  # type: ignore[attr-defined]
        try:
            return seen(JobQueue(path, readonly=True))
        except StoreError as error:
            return str(error)


@compiled
@pytest.mark.parametrize("part", range(4))
def test_both_readers_see_the_same_queue(tmp_path, monkeypatch, part):
    rng = random.Random(part)
    path = tmp_path / "job_queue.log"
    fast = 0
    for _ in range(1000):
        data = log(rng)
        path.write_bytes(data)
        expected = opened(str(path), logreader_py, monkeypatch)
        assert opened(str(path), logreader, monkeypatch) == expected, data
        fast += logreader.load(data, True) is not None
    assert fast > 300  # the compiled reader was at work, not always Python


@compiled
def test_every_cut_of_a_log_reads_alike(tmp_path, monkeypatch):
    rng = random.Random(7)
    whole = b"107 1 CreationTimestamp 5\n" + b"".join(
        b"105 \n" + (line(rng) + "\n").encode("utf-8", "surrogateescape") * 2 + b"106 \n" for _ in range(12)
    )
    path = tmp_path / "job_queue.log"
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        assert opened(str(path), logreader, monkeypatch) == opened(str(path), logreader_py, monkeypatch), size


@compiled
def test_any_bytes_are_safe():
    rng = random.Random(3)
    for _ in range(5000):
        data = rng.randbytes(rng.randrange(60)) if rng.random() < 0.5 else bytes(rng.choices(b"1034567 .\nA-", k=60))
        logreader.load(data, True)
        try:
            logreader.fill({}, data)
            columns = logreader.own_texts([StoredAd(data)], ("a", "b"), "gone")
        except ValueError:
            continue
        assert [len(column) for column in columns] == [1, 1]


@compiled
def test_lines_become_the_attributes_that_python_makes():
    for value in VALUES:
        lines = f"103 1.0 A {value}\n103 1.0 a 2\n103 1.0 B {value}\n104 1.0 a\n103 1.0 C {value}\n".encode(
            "utf-8", "surrogateescape"
        )
        made, expected = ClassAd(), ClassAd()
        logreader.fill(made.attrs, lines)
        logreader_py.fill(expected.attrs, lines)
        assert list(made.attrs) == list(expected.attrs)
        for key, binding in expected.attrs.items():
            other = made.attrs[key]
            assert (other.name, other.key, other.raw) == (binding.name, binding.key, binding.raw)
            assert (type(other.value), repr(other.value)) == (type(binding.value), repr(binding.value))
            assert (other.text, type(other.node)) == (binding.text, type(binding.node))


@compiled
def test_an_unread_ad_answers_like_any_other_and_becomes_one():
    lines = b'103 1.0 Owner "alice"\n103 1.0 JobStatus 1\n103 1.0 JobStatus 2\n'
    plain = ClassAd.from_text_items([("Owner", '"alice"'), ("JobStatus", "2")])
    for look in (
        lambda ad: ad.eval_int("JobStatus") == 2,
        lambda ad: ad == plain,
        lambda ad: plain == ad,
        lambda ad: ad.eval_text("JobStatus + 1") == 3,
        lambda ad: dict(ad.copy().local_items()) == {"Owner": '"alice"', "JobStatus": "2"},
        lambda ad: len(ad) == 2 and "owner" in ad and ad.scope is None,
        lambda ad: ad.eval_text('Owner == "alice"') is True,
    ):
        ad = StoredAd(lines)
        assert look(ad)
        assert ad.lines is None
    ad = StoredAd(lines)
    ad.set_text("JobStatus", "5")
    assert ad.eval_int("JobStatus") == 5
    assert ad.eval_str("Owner") == "alice"


@compiled
def test_own_texts_read_nothing():
    ads = [StoredAd(b"103 1.0 JobStatus 1\n103 1.0 X 1\n104 1.0 x\n"), ClassAd.from_text_items([("JOBSTATUS", "7")])]
    assert logreader.own_texts(ads, ("jobstatus", "x"), "gone") == [["1", "7"], ["gone", None]]
    assert isinstance(ads[0], StoredAd)
    assert ads[0].lines is not None
    assert logreader_py.own_texts(ads, ("jobstatus", "x"), "gone") == [["1", "7"], [None, None]]
    with pytest.raises(ValueError):
        logreader.own_texts(ads, tuple(f"a{number}" for number in range(129)), "gone")
    with pytest.raises((TypeError, AttributeError)):
        logreader.own_texts([object()], ("a",), "gone")  # type: ignore[list-item]


@compiled
def test_reading_again_and_again_takes_no_memory(tmp_path):
    rng = random.Random(11)
    path = tmp_path / "job_queue.log"
    path.write_bytes(
        b"107 1 CreationTimestamp 5\n"
        + b"".join(f'101 1.{proc} Job Machine\n103 1.{proc} A "{rng.random()}"\n'.encode() for proc in range(3000))
    )

    def once() -> None:
        for _, ad in JobQueue(str(path), readonly=True).jobs():
            assert ad.attrs

    def held() -> int:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    for _ in range(30):  # the caches of shared attributes fill up
        once()
    before = held()
    for _ in range(60):
        once()
    assert held() - before < 4 << 20


def test_the_compiled_reader_is_told_of_another_layout(monkeypatch):
    if not logreader.COMPILED:
        pytest.skip("the extension is not built")
    from condor_py.store import _logreader  # type: ignore[attr-defined]

    class Binding:
        __slots__ = ("name",)

    with pytest.raises(TypeError):
        _logreader.setup(Binding, StoredAd, None, None)
    assert _logreader.load(b"", True) is not None  # what was set up before stays


def test_a_torn_end_after_the_first_look_is_found(tmp_path):
    path = tmp_path / "job_queue.log"
    path.write_bytes(b"107 1 CreationTimestamp 5\n105 \n101 01.-1 Job Machine\n106 \n105 \n103 01.-1 A 1\n")
    queue = JobQueue(str(path))
    assert queue.cluster(1) is not None
    with queue.transaction() as tx:
        tx.set("01.-1", "B", "2")
    assert path.read_bytes().endswith(b"106 \n105 \n103 01.-1 B 2\n106 \n")
    assert table.raw_items(JobQueue(str(path), readonly=True).ads["01.-1"])[-1] == ("B", "2")
    assert LogFile(str(path), queue.fs).load(jobs=True) is not None or not logreader.COMPILED
