"""Clusters that were submitted in a loop share what their ads have in common, and nobody notices."""

from __future__ import annotations

import random
from pathlib import Path

from condor_py.lang.classad import ClassAd, parse, requirements_match
from condor_py.model.ids import JobId
from condor_py.model.record import SET, Change
from condor_py.store.cluster_ads import ClusterAd
from condor_py.store.job_queue import JobQueue
from condor_py.store.table import raw_items

_SAID = [(f"A{number}", str(number)) for number in range(20)]


def _queue(path: Path, clusters: int, said: list[tuple[str, str]] = _SAID) -> JobQueue:
    queue = JobQueue(str(path / "job_queue.log"))
    with queue.transaction() as transaction:
        for cluster in range(1, clusters + 1):
            transaction.new_ad(f"0{cluster}.-1", "Job", "Machine")
            for name, text in [*said, ("ClusterId", str(cluster)), ("Args", f'"run {cluster % 3}"')]:
                transaction.set(f"0{cluster}.-1", name, text)
            transaction.new_ad(f"{cluster}.0", "Job", "Machine")
            transaction.set(f"{cluster}.0", "JobStatus", "1")
    return queue


def _cluster(queue: JobQueue, cluster: int) -> ClusterAd:
    ad = queue.cluster(cluster)
    assert isinstance(ad, ClusterAd)
    return ad


def test_an_ad_that_rests_keeps_only_what_sets_it_apart_and_says_the_same_as_before(tmp_path: Path) -> None:
    queue = _queue(tmp_path, 50)
    before = {cluster: raw_items(_cluster(queue, cluster)) for cluster in queue.clusters()}
    for cluster in before:
        queue.rest(cluster, (0,))
    assert _cluster(queue, 8).lines == b'ClusterId 8\nArgs "run 2"\n'
    assert len({id(_cluster(queue, cluster).family) for cluster in before}) == 1
    assert {cluster: raw_items(_cluster(queue, cluster)) for cluster in before} == before
    job = queue.job(JobId(7, 0))
    assert job is not None
    assert (job.text("ClusterId"), job.text("A3")) == ("7", "3")
    again = JobQueue(str(tmp_path / "job_queue.log"), readonly=True)
    assert {key: sorted(raw_items(ad)) for key, ad in again.ads.items()} == {
        key: sorted(raw_items(ad)) for key, ad in queue.ads.items()
    }


def test_expressions_see_what_the_cluster_of_a_job_says_while_its_ad_rests(tmp_path: Path) -> None:
    queue = _queue(tmp_path, 3)
    condition = parse("ClusterId == 2 && A3 == 3")
    job, machine = queue.job(JobId(2, 0)), ClassAd.from_text_items([("Requirements", "TARGET.A3 == 3")])
    assert job is not None
    for ask in (lambda: job.evaluate(condition), lambda: requirements_match(machine, job)):
        for cluster in (1, 2, 3):
            queue.rest(cluster, (0,))
        assert _cluster(queue, 2).lines is not None
        assert ask() is True


def test_a_change_of_an_ad_that_rests_is_its_own(tmp_path: Path) -> None:
    queue = _queue(tmp_path, 3)
    for cluster in (1, 2, 3):
        queue.rest(cluster, (0,))
    with queue.transaction() as transaction:
        transaction.set("02.-1", "A3", '"other"')
        transaction.delete("03.-1", "A4")
    for cluster in (1, 2, 3):
        queue.rest(cluster, (0,))
    assert [_cluster(queue, cluster).text("A3") for cluster in (1, 2, 3)] == ["3", '"other"', "3"]
    assert [_cluster(queue, cluster).text("A4") for cluster in (1, 2, 3)] == ["4", "4", None]


def test_odd_attributes_stay_as_they_are(tmp_path: Path) -> None:
    odd = [("Umlaut", '"ä"'), ("Quoted", r'"a \"b\" c"'), ("Spaces", "1  +   2"), ("Case", "TRUE")]
    queue = _queue(tmp_path, 2, [*_SAID, *odd])
    before = [raw_items(_cluster(queue, cluster)) for cluster in (1, 2)]
    queue.change([JobId(1, 0)], [Change(SET, "", "Own", "1")])
    for _ in range(2):
        for cluster in (1, 2):
            queue.rest(cluster, (0,))
        assert [raw_items(_cluster(queue, cluster)) for cluster in (1, 2)] == before


def test_jobs_are_like_others_whose_clusters_say_the_same_of_what_is_asked(tmp_path: Path) -> None:
    queue = _queue(tmp_path, 9)
    jobs = [JobId(cluster, 0) for cluster in range(1, 10)]
    assert list(queue.like(jobs, ("a3", "jobstatus"))) == [jobs]
    assert sorted(map(len, queue.like(jobs, ("args",)))) == [3, 3, 3]
    assert len(list(queue.like(jobs, ("a3", "clusterid")))) == 9
    _cluster(queue, 4).set_text("A3", "7")
    assert sorted(map(len, queue.like(jobs, ("a3",)))) == [1, 8]
    assert [[jobs[0]], [JobId(99, 0)]] == list(queue.like([jobs[0], JobId(99, 0)], ("a3",)))


def test_a_name_stays_as_each_cluster_spells_it(tmp_path: Path) -> None:
    queue = _queue(tmp_path, 3)
    for cluster, name in ((1, "Colour"), (2, "colour"), (3, "Colour")):
        _cluster(queue, cluster).set_text(name, "1")
    before = [raw_items(_cluster(queue, cluster)) for cluster in (1, 2, 3)]
    for cluster in (1, 2, 3):
        queue.rest(cluster, (0,))
    assert [raw_items(_cluster(queue, cluster)) for cluster in (1, 2, 3)] == before
    queue.close()


def test_many_different_families_do_not_add_up(tmp_path: Path) -> None:
    rng = random.Random(3)
    queue = _queue(tmp_path, 60)
    for cluster in range(1, 61):
        ad = _cluster(queue, cluster)
        for number in range(20):
            ad.set_text(f"A{number}", str(rng.randrange(1000)))
        kept = ClassAd.from_text_items(ad.local_items())
        queue.rest(cluster, (0,))
        assert ad == kept
    assert sum(map(len, queue._families._families.values())) <= 4
