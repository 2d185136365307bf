"""The search finds nothing in small scopes, and finds what is broken on purpose."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import model_parts as parts
from model_search import search
from model_world import Action, Scope

from condor_py.core.jobs import recovery
from condor_py.model.messages import claims
from condor_py.simulate.queue import MemoryQueue

CALM = Scope(schedd_deaths=0)
#: The startd has granted a claim, and the schedd dies when it has written that the job runs there.
DIES_EARLY: tuple[Action, ...] = (
    ("to schedd",), ("batch",), ("plan", 0), ("batch",), ("to startd",), ("to schedd",), ("batch and die", 0),
)  # fmt: skip
#: The schedd dies while the program runs.
DIES_LATE: tuple[Action, ...] = (
    *DIES_EARLY[:-1], ("batch",), ("to startd",), ("from starter", 0), ("to starter", 0), ("from starter", 0),
    ("to schedd",), ("batch",), ("exit", 0), ("kill schedd",), ("start schedd",), ("notice",),
)  # fmt: skip


def test_nothing_goes_wrong_in_quiet_times() -> None:
    found = search(CALM)
    assert found.is_complete
    assert (found.wrong, found.stuck) == (None, None)
    assert found.ends == 1, "whatever comes first, it ends in the same way"
    assert found.states > 50


@pytest.mark.parametrize("begin", [(*DIES_EARLY, ("start schedd",), ("notice",), ("connect",)), DIES_LATE])
def test_a_schedd_may_die(begin: tuple[Action, ...]) -> None:
    found = search(Scope(), begin=begin)
    assert found.is_complete
    assert (found.wrong, found.stuck) == (None, None)
    assert found.ends >= 1


def test_a_lost_job_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def forget(schedd: parts.ScheddProcess, now: int) -> None:
        schedd.inbox.append(parts.told.JobsRecorded(schedd.leaving))
        schedd.leaving = []

    monkeypatch.setattr(parts.ScheddProcess, "write_history", forget)
    wrong = search(CALM).wrong
    assert wrong is not None
    assert wrong[0][-1] == ("batch",)
    assert "1.0 is lost" in wrong[1]


def test_a_job_that_waits_for_ever_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery.leases, "give_up_all", lambda core: None)
    found = search(Scope(), begin=DIES_EARLY)
    assert found.wrong is None
    assert found.stuck is not None


def test_a_second_start_that_nobody_tells_of_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order to start a job leaves, and what was committed before it does not reach the disk."""
    reopened = parts.Disk.reopened

    def lose(disk: parts.Disk) -> MemoryQueue:
        queue = reopened(disk)
        for _, ad in queue.jobs():
            ad.set_int("JobStatus", 1)
            ad.remove("ClaimId")
        return queue

    monkeypatch.setattr(parts.Disk, "reopened", lose)
    found = search(Scope(), begin=(*DIES_EARLY[:-1], ("batch and die", 1), ("to startd",), ("from starter", 0)))
    assert found.wrong is not None
    assert "started 2 times, its log tells of 1" in found.wrong[1]


def test_the_startd_of_the_model_takes_all_orders() -> None:
    handled = {
        claims.Activate, claims.Acknowledge, claims.RequestClaim, claims.WithdrawClaim, claims.ReleaseClaim,
        claims.Deactivate, claims.SuspendClaim, claims.ContinueClaim,
    }  # fmt: skip
    orders = {kind for kind in claims.BY_STARTD.kinds.values() if kind.__module__ == claims.__name__}
    assert orders == handled | {claims.Hello, claims.Alive}
