"""Starters that die, a schedd that goes, reports that belong to nobody."""

from __future__ import annotations

import pytest
from startd_bench import Bench, ev, fx, job_ad, settings

from condor_py.core.slots.pool import BrokenInvariant, IllegalTransition
from condor_py.model.ids import JobId
from condor_py.model.report import ExitReport
from condor_py.model.states import Activity, SlotState, VacateCode


def test_starter_death_loses_job_and_claim() -> None:
    bench = Bench()
    claim = bench.running()
    bench.do(ev.StarterGone(claim, 9))
    lost = bench.only(fx.ClaimLost)
    assert (lost.claim, lost.code, lost.idle) == (claim, VacateCode.RECONNECT_FAILED, False)
    assert not bench.has(fx.RunEnded)
    assert bench.place("slot1_1") == "gone"
    assert "Starter pid 4711 died on signal 9 (signal 9 (Killed))" in bench.log


def test_idle_claim_survives_its_starter() -> None:
    bench = Bench()
    claim = bench.claim()
    bench.do(ev.StarterGone(claim, 0))
    assert bench.place("slot1_1") == "Claimed/Idle"
    bench.do(ev.Activate(claim, "1.0", 1, job_ad()))
    assert bench.has(fx.StartStarter)
    bench.do(ev.Ready(claim, 99))
    assert bench.has(fx.StartJob)


def test_starter_that_never_gets_ready_is_tried_three_times() -> None:
    bench = Bench()
    bench.ask()
    claim = bench.only(fx.ClaimGranted).claim
    bench.do(ev.Activate(claim, "1.0", 1, job_ad()))
    for _ in range(2):
        bench.do(ev.StarterGone(claim, 1))
        assert bench.has(fx.StartStarter)
    bench.do(ev.StarterGone(claim, 1))
    assert bench.has(fx.RunEnded)
    assert bench.only(fx.ClaimLost).code == VacateCode.STARTER_ERROR


def test_death_of_a_starter_whose_claim_was_released_still_tells_of_the_job() -> None:
    bench = Bench()
    claim = bench.running()
    bench.do(ev.ReleaseClaim(claim))
    bench.do(ev.StarterGone(claim, 9))
    assert bench.only(fx.ClaimLost).claim == claim
    assert bench.place("slot1_1") == "gone"


def test_running_job_outlives_the_schedd_for_its_lease() -> None:
    bench = Bench()
    claim = bench.running(ad=job_ad(JobLeaseDuration="100"))
    bench.do(ev.ScheddGone())
    assert bench.startd.next_wakeup() == bench.now + 100
    bench.wait(99)
    assert bench.place("slot1_1") == "Claimed/Busy"
    bench.wait(1)
    assert bench.has(fx.HardKill)
    assert not bench.has(fx.SoftKill)
    bench.end(claim, vacated=True, exit_signal=9)
    assert bench.only(fx.RunEnded).vacate_code == VacateCode.RECONNECT_FAILED


def test_schedd_that_comes_back_renews_the_lease() -> None:
    bench = Bench()
    bench.running(ad=job_ad(JobLeaseDuration="100"))
    bench.do(ev.ScheddGone())
    bench.wait(50)
    bench.do(ev.ScheddBack())
    bench.wait(500)
    assert bench.place("slot1_1") == "Claimed/Busy"
    assert bench.startd.next_wakeup() is None


def test_idle_claims_go_with_the_schedd() -> None:
    bench = Bench()
    bench.claim()
    bench.do(ev.ScheddGone())
    assert bench.has(fx.StopStarter)
    assert bench.place("slot1_1") == "gone"


@pytest.mark.parametrize(("job", "run"), [("1.0", 2), ("1.1", 1)])
def test_report_of_another_run_is_passed_on_to_the_schedd_and_nothing_else(job: str, run: int) -> None:
    bench = Bench()
    claim = bench.running()
    for of in (claim, "unknown claim"):
        bench.end(of, job, run)
        assert bench.effects == [fx.RunEnded(ExitReport(of, job, run))]
    assert bench.place("slot1_1") == "Claimed/Busy"


def test_events_of_a_claim_that_is_gone_do_nothing() -> None:
    bench = Bench()
    claim = bench.running()
    bench.end(claim)
    bench.do(ev.ReleaseClaim(claim))
    for event in (
        ev.ReleaseClaim(claim),
        ev.Deactivate(claim, True, 1, ""),
        ev.Ready(claim, 1),
        ev.StarterGone(claim, 0),
        ev.RunStarted(claim, JobId(1, 0), 1, 1, 0.0, "/dir_1"),
        ev.RunUpdate(claim, JobId(1, 0), 1, {"ImageSize": "1"}),
        ev.SuspendClaim(claim),
        ev.ContinueClaim(claim),
    ):
        assert bench.do(event) == []


def test_illegal_move_tells_the_story() -> None:
    bench = Bench()
    bench.running()
    pool = bench.startd._pool
    slot = pool.slots[0].children[0]
    with pytest.raises(IllegalTransition) as caught:
        pool.move(slot, (SlotState.DRAINED, Activity.IDLE))
    text = str(caught.value)
    assert text.startswith("slot1_1@vm cannot go from Claimed/Busy to Drained/Idle. Story: ")
    assert "Changing state: Owner -> Claimed; " in text
    assert text.endswith("now to Drained/Idle")


def test_validate_sees_a_hole_in_the_books() -> None:
    bench = Bench()
    bench.claim()
    pool = bench.startd._pool
    pool.slots[0].free = pool.slots[0].total
    with pytest.raises(BrokenInvariant, match="its parts are more than the whole"):
        bench.startd.validate()


def test_every_run_leaves_a_record() -> None:
    bench = Bench()
    claim = bench.running(ad=job_ad(ClusterId="1", ProcId="0"))
    bench.now += 7
    bench.end(claim, exit_signal=11)
    ad = bench.only(fx.RunOver).ad
    names = ("ExitSignal", "JobStatus", "RemoteWallClockTime", "StarterExitStatus", "BadputCausedByPreemption")
    assert [ad.text(name) for name in names] == ["11", "4", "7", "0", "false"]
    bench.run(claim, "1.1", 2)
    bench.do(ev.StarterGone(claim, 9))
    ad = bench.only(fx.RunOver).ad
    assert (ad.text("JobStatus"), ad.eval_str("VacateReason")) == ("3", "The starter of the job died")


def test_a_stopped_schedd_loses_its_claims_when_their_lease_is_over() -> None:
    bench = Bench(settings(lease=60))
    busy = bench.running(ad=job_ad(JobLeaseDuration="30"))
    idle = bench.claim()
    since = bench.now
    bench.now += 15
    bench.do(ev.ScheddSilent(since))
    assert bench.claim_ids() == {busy, idle}, "silence alone takes nothing away"
    bench.wait(16)
    assert bench.only(fx.HardKill).claim == busy
    bench.end(busy, vacated=True)
    assert bench.only(fx.ClaimLost).code == VacateCode.RECONNECT_FAILED
    bench.wait(20)
    assert bench.claim_ids() == {idle}
    bench.wait(10)
    assert bench.claim_ids() == set()


def test_a_schedd_that_is_heard_again_keeps_its_claims() -> None:
    bench = Bench()
    claim = bench.running(ad=job_ad(JobLeaseDuration="30"))
    bench.do(ev.ScheddSilent(bench.now - 15))
    bench.do(ev.ScheddBack(), bench.now + 1)
    bench.wait(100)
    assert bench.claim_ids() == {claim}


def test_claims_rest_while_starters_fail() -> None:
    """EXECUTE cannot be written: three starters a claim, then a pause that grows, and no match meanwhile."""
    bench = Bench()
    for seconds in (1, 2, 4):
        bench.ask()
        claim_id = bench.only(fx.ClaimGranted).claim
        bench.do(ev.Activate(claim_id, "1.0", 1, job_ad()))
        for _ in range(3):
            bench.do(ev.StarterGone(claim_id, 256))
        assert bench.log.count(f"Starters fail on this machine: no claims for {seconds} s") == 1
        assert bench.ads()["slot1@vm"].text("Requirements") == "false"
        bench.ask()
        assert bench.only(fx.ClaimRefused).reason == "Starters fail on this machine"
        assert bench.startd.next_wakeup() == bench.now + seconds
        bench.wait(seconds)
        assert bench.has(fx.Publish)
        assert bench.ads()["slot1@vm"].text("Requirements") != "false"
    bench.claim()  # its starter is ready: the next failure counts as the first
    bench.ask()
    claim_id = bench.only(fx.ClaimGranted).claim
    bench.do(ev.Activate(claim_id, "2.0", 1, job_ad()))
    for _ in range(3):
        bench.do(ev.StarterGone(claim_id, 256))
    assert bench.log.count("Starters fail on this machine: no claims for 1 s") == 2
