"""Ads that nobody is expected to look at are lines again, and nobody can tell."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from random_logs import VALUES

from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.store.job_queue import JobQueue
from condor_py.store.stored_ad import StoredAd
from condor_py.store.table import raw_items


def ad_of(rng: random.Random) -> StoredAd:
    names = rng.sample(["A", "b", "JobStatus", "Args", "Owner", "X1", "Ü", "104"], rng.randrange(1, 6))
    return StoredAd.from_text_items([(name, rng.choice(VALUES)) for name in names])


def test_an_ad_is_the_same_after_a_rest() -> None:
    rng = random.Random(4)
    rested = 0
    for _ in range(800):
        ad = ad_of(rng)
        before, names = raw_items(ad), list(ad.attrs)
        ad.rest()
        rested += ad.lines is not None
        assert raw_items(ad) == before
        assert list(ad.attrs) == names
        assert ad.lines is None
    assert rested > 200


@pytest.mark.parametrize("look", [
    lambda ad, other: ad.eval_text("A + TARGET.A", other),
    lambda ad, other: other.eval_text("A + TARGET.A", ad),
    lambda ad, other: ad.eval_text("B + 1"),
    lambda ad, other: ad.eval_int("A"),
    lambda ad, other: ad.eval_text("Of"),
])  # fmt: skip
def test_expressions_see_an_ad_that_nobody_has_looked_at(look: object) -> None:
    cluster = ClassAd.from_text_items([("B", "10"), ("Of", "A * B")])
    found = []
    for tired in (False, True):
        ad, other = StoredAd.from_text_items([("A", "2")]), ClassAd.from_text_items([("A", "3")])
        ad.parent = cluster
        if tired:
            ad.rest()
            assert ad.lines is not None
        found.append(look(ad, other))  # type: ignore[operator]
    assert found[0] == found[1]


def test_jobs_that_rest_are_changed_and_written_as_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "job_queue.log")
    queue = JobQueue(path)
    with queue.transaction() as transaction:
        transaction.new_ad("01.-1", "Job", "Machine")
        transaction.set("01.-1", "Hidden", "1")
        for proc in range(3):
            transaction.new_ad(f"1.{proc}", "Job", "Machine")
            transaction.set(f"1.{proc}", "ProcId", str(proc))
            transaction.delete(f"1.{proc}", "Hidden")
    ad = queue.job(JobId(1, 1))
    queue.rest(1, [0, 1, 2, 7])
    queue.rest(8, [0])
    assert [other.lines is not None for _, other in queue.jobs() if isinstance(other, StoredAd)] == [True] * 3
    monkeypatch.setattr("condor_py.store.stored_ad.fill", None)
    queue.rest(1, [0, 1, 2])  # and nobody reads what rests already
    monkeypatch.undo()
    with queue.transaction() as transaction:
        transaction.set("1.1", "Args", '"x"')
    assert queue.job(JobId(1, 1)) is ad
    assert raw_items(ad)[-1] == ("Args", '"x"')  # type: ignore[arg-type]
    queue.compact(0)
    again = JobQueue(path, readonly=True)
    for job, other in again.jobs():
        assert raw_items(other) == raw_items(queue.job(job))  # type: ignore[arg-type]
        assert other.eval_text("Hidden =?= undefined") is True
