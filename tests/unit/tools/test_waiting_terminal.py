"""What condor_submit and condor_q tell on a terminal: jobs that nothing here will run, and drained machines."""

from __future__ import annotations

import io

import pytest
from tool_runner import Spool

from condor_py.cli import entry
from condor_py.cli.waiting import terminal
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

SLOT = (
    '[ MyType = "Machine"; Name = "slot1@vm"; Machine = "vm"; SlotID = 1; State = "Unclaimed"; Cpus = 4; '
    "Memory = 1000; Disk = 1000000; Start = true; Requirements = true; {more} ]"
)
FITS = {
    "RequestCpus": "1",
    "RequestMemory": "10",
    "RequestDisk": "10",
    "Requirements": "TARGET.Memory >= RequestMemory",
}
TOO_LARGE = FITS | {"RequestMemory": "5000"}
WHY = "no slot meets its Requirements: TARGET.Memory >= RequestMemory"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def pool(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    publish(spool)
    return spool


def publish(spool: Spool, *more: str) -> None:
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [ClassAd(SLOT.format(more=text)) for text in more or ("",)])


def submitted(monkeypatch: pytest.MonkeyPatch, *clusters: int) -> str:
    """What condor_submit says of new clusters on a terminal."""
    said = Terminal()
    monkeypatch.setattr("sys.stderr", said)
    terminal.say_what_cannot_run(Pool(), clusters)
    return said.getvalue()


def listed(monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    """What condor_q says on a terminal below its table."""
    said = Terminal()
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setattr("sys.stderr", said)
    assert entry.main("condor_q", list(words)) == 0
    first, _, rest = said.getvalue().partition("\n")
    assert first == "No condor_master is running on this machine: start it with condor_master"
    return rest


def test_jobs_that_fit_or_do_not_wait(pool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.add(1, 3, **FITS)
    pool.add(2, 1, **TOO_LARGE, JobStatus="5")
    assert submitted(monkeypatch, 1, 2, 77) == ""
    assert listed(monkeypatch) == ""
    monkeypatch.setattr("sys.stderr", io.StringIO())
    pool.add(3, 1, **TOO_LARGE)
    terminal.say_what_cannot_run(Pool(), [3])


def test_what_nothing_here_will_run(pool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.add(1, 3, **TOO_LARGE)
    assert submitted(monkeypatch, 1) == f"WARNING: nothing here will run this: {WHY}\n"
    assert listed(monkeypatch) == f"Will never run: 1 ({WHY})\n"
    pool.add(2, 3, **FITS)
    assert submitted(monkeypatch, 1, 2) == f"WARNING: nothing here will run 1: {WHY}\n"
    for cluster in range(3, 9):
        pool.add(cluster, 1, **TOO_LARGE)
    assert submitted(monkeypatch, *range(1, 9)) == f"WARNING: nothing here will run 1, 3, 4, 5, 6 and 2 more: {WHY}\n"
    assert listed(monkeypatch) == f"Will never run: 1, 3, 4, 5, 6 and 2 more ({WHY})\n"


def test_reasons_are_told_apart(pool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.add(1, 1, **TOO_LARGE)
    pool.add(2, 1, **FITS | {"JobUniverse": "8"})
    assert submitted(monkeypatch, 1, 2) == (
        f"WARNING: nothing here will run 1: {WHY}\n"
        "WARNING: nothing here will run 2: this pool runs no jobs of the MPI universe\n"
    )


def test_a_part_of_a_cluster(pool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.add(1, 4, **FITS)
    for job in ("1.1", "1.3"):
        pool.set(job, "RequestMemory", "5000")
    assert submitted(monkeypatch, 1) == f"WARNING: nothing here will run 1.1, 1.3: {WHY}\n"
    pool.add(2, 3, **TOO_LARGE)
    pool.set("2.1", "JobStatus", "5")
    assert submitted(monkeypatch, 2) == f"WARNING: nothing here will run 2.0, 2.2: {WHY}\n"
    pool.add(3, 1, **TOO_LARGE)
    pool.set("3.0", "RequestCpus", "2")
    assert submitted(monkeypatch, 3) == f"WARNING: nothing here will run this: {WHY}\n"
    pool.add(4, 1, **TOO_LARGE, JobMaterializeDigestFile='"d"')
    assert submitted(monkeypatch, 4) == f"WARNING: nothing here will run 4.0: {WHY}\n"


def test_jobs_that_differ_in_what_their_request_refers_to(pool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.add(1, 3, **FITS | {"RequestMemory": "Size * 10", "Size": "Part", "Part": "1"})
    pool.set("1.2", "PART", "1000")
    assert submitted(monkeypatch, 1) == f"WARNING: nothing here will run 1.2: {WHY}\n"


def test_so_many_jobs_of_a_cluster_are_judged(pool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.add(1, 60, **FITS)
    for proc in range(48, 60):
        pool.set(f"1.{proc}", "RequestMemory", "5000")
    assert submitted(monkeypatch, 1) == f"WARNING: nothing here will run 1.48, 1.49: {WHY}\n"


def test_drained_machines(pool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(pool, "Draining = true", 'Draining = true; DrainReason = "new disk"; Machine = "other"')
    assert submitted(monkeypatch, 1) == ""
    assert listed(monkeypatch) == ""
    pool.add(1, 1, **FITS)
    assert submitted(monkeypatch, 1).splitlines()[-2:] == [
        "WARNING: machine vm is being drained; condor_drain -cancel vm ends that",
        "WARNING: machine other is being drained (new disk); condor_drain -cancel other ends that",
    ]
    assert listed(monkeypatch).splitlines()[-2:] == [
        "Machine vm is being drained: condor_drain -cancel vm ends that",
        "Machine other is being drained (new disk): condor_drain -cancel other ends that",
    ]


def test_without_slots_nothing_is_said_of_them(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(1, 1, **TOO_LARGE)
    assert submitted(monkeypatch, 1) == ""
    assert "Will never run" not in listed(monkeypatch)


def test_old_clusters_are_judged_by_what_slots_may_lack(pool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "_MOST_EVALUATED", 2)
    monkeypatch.setattr(terminal, "_MOST_CLUSTERS", 4)
    mpi = FITS | {"JobUniverse": "8"}
    for cluster, request in ((1, mpi), (2, mpi), (3, TOO_LARGE), (4, TOO_LARGE), (5, TOO_LARGE)):
        pool.add(cluster, 1, **request)
    assert listed(monkeypatch) == (
        f"Will never run: 2 (this pool runs no jobs of the MPI universe)\nWill never run: 4, 5 ({WHY})\n"
    )
