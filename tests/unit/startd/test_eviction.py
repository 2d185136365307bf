"""Retirement, vacate and kill times, as measured on the real startd (seconds after the job's start)."""

from __future__ import annotations

from typing import Any

import pytest
from startd_bench import START, Bench, ev, fx, job_ad, settings

from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, VacateCode

#: PREEMPT becomes true three seconds after the start.
AT_3 = f"time_left_out =?= undefined && MY.MyCurrentTime >= {int(START) + 3}"


def timeline(bench: Bench, claim: str, until: int, **facts: Any) -> dict[str, int]:
    """Polls every second; when each thing first happened, in seconds since the start."""
    seen: dict[str, int] = {}
    names = {fx.SoftKill: "TERM", fx.HardKill: "KILL", fx.KillStarter: "STARTER"}
    for _ in range(until):
        bench.wait(1, **facts)
        second = int(bench.now - START)
        for effect in bench.effects:
            for kind, name in names.items():
                if isinstance(effect, kind):
                    seen.setdefault(name, second)
        place = bench.place("slot1_1").partition("/")[2]
        seen.setdefault(place, second)
    return seen


def test_preempt_then_vacate_time_then_kill() -> None:
    bench = Bench(settings({"preempt": AT_3, "machine_max_vacate_time": "5"}))
    claim = bench.running()
    seen = timeline(bench, claim, 8)
    assert seen == {"Busy": 1, "Vacating": 3, "TERM": 3, "KILL": 8}
    bench.end(claim, exit_signal=9, vacated=True)
    vacated = bench.only(fx.RunEnded)
    assert (vacated.vacate_code, vacated.vacate_reason) == (VacateCode.PREEMPT, "PREEMPT expression evaluated to True")
    assert bench.only(fx.ClaimLost).code == VacateCode.PREEMPT
    assert bench.place("slot1_1") == "gone"


def test_without_want_vacate_the_job_is_killed_at_once() -> None:
    bench = Bench(settings({"preempt": AT_3, "want_vacate": "false"}))
    claim = bench.running()
    assert timeline(bench, claim, 4) == {"Busy": 1, "Killing": 3, "KILL": 3}


@pytest.mark.parametrize(
    ("policy", "job", "expected"),
    [
        ({"machine_max_vacate_time": "40"}, {"JobMaxVacateTime": "4"}, {"TERM": 3, "KILL": 7}),
        ({"machine_max_vacate_time": "4"}, {"JobMaxVacateTime": "40"}, {"TERM": 3, "KILL": 7}),
        ({"machine_max_vacate_time": "40"}, {"KillSigTimeout": "2"}, {"TERM": 3, "KILL": 5}),
        (
            {"machine_max_vacate_time": "3", "max_job_retirement_time": "30"},
            {"JobMaxVacateTime": "20"},
            {"Retiring": 3, "TERM": 10, "KILL": 30},
        ),
        (
            {"machine_max_vacate_time": "5", "max_job_retirement_time": "18"},
            {},
            {"Retiring": 3, "TERM": 13, "KILL": 18},
        ),
        (
            {"machine_max_vacate_time": "2", "max_job_retirement_time": "600"},
            {"MaxJobRetirementTime": "12"},
            {"Retiring": 3, "TERM": 10, "KILL": 12},
        ),
        (
            {"machine_max_vacate_time": "60", "kill": "MY.MyCurrentTime - MY.EnteredCurrentActivity > 3"},
            {},
            {"TERM": 3, "KILL": 7},
        ),
        ({"max_job_retirement_time": "600"}, {}, {"TERM": 3}),
    ],
)
def test_measured_times(policy: dict[str, str], job: dict[str, str], expected: dict[str, int]) -> None:
    bench = Bench(settings({"preempt": AT_3, **policy}))
    claim = bench.running(ad=job_ad(**job))
    seen = timeline(bench, claim, 31)
    assert {name: seen.get(name) for name in expected} == expected


def test_kill_expression_changes_the_activity() -> None:
    bench = Bench(settings({"preempt": AT_3, "machine_max_vacate_time": "60", "kill": "true"}))
    claim = bench.running()
    timeline(bench, claim, 4)
    assert bench.place("slot1_1") == "Preempting/Killing"


def test_preempt_is_irreversible() -> None:
    only_at_3 = f"MY.MyCurrentTime == {int(START) + 3}"
    bench = Bench(settings({"preempt": only_at_3, "machine_max_vacate_time": "5", "max_job_retirement_time": "18"}))
    claim = bench.running()
    assert timeline(bench, claim, 18) == {"Busy": 1, "Retiring": 3, "Vacating": 13, "TERM": 13, "KILL": 18}


def test_job_that_ends_while_it_retires_leaves_an_idle_claim() -> None:
    bench = Bench(settings({"preempt": AT_3, "max_job_retirement_time": "5000"}))
    claim = bench.running()
    timeline(bench, claim, 4)
    assert bench.place("slot1_1") == "Claimed/Retiring"
    bench.end(claim, exit_code=0)
    assert bench.place("slot1_1") == "Claimed/Idle"
    assert bench.only(fx.RunEnded).vacate_code == 0


def test_starter_that_does_not_obey_is_killed() -> None:
    bench = Bench(settings({"preempt": AT_3, "want_vacate": "false"}, killing_timeout=5))
    claim = bench.running()
    assert timeline(bench, claim, 9)["STARTER"] == 8
    assert any("is not responding to the request to hardkill its job" in line for line in bench.log)
    bench.do(ev.StarterGone(claim, 9))
    assert bench.only(fx.ClaimLost).code == VacateCode.PREEMPT
    assert not bench.has(fx.StopStarter)
    assert bench.place("slot1_1") == "gone"


def test_want_hold_goes_with_the_eviction() -> None:
    policy = {
        "preempt": AT_3,
        "want_hold": "true",
        "want_hold_reason": '"too " + "big"',
        "want_hold_subcode": "102",
    }
    policy["want_hold_reason"] = 'strcat("too ", "big")'
    bench = Bench(settings(policy))
    claim = bench.running()
    timeline(bench, claim, 3)
    bench.end(claim, exit_signal=15, vacated=True)
    vacated = bench.only(fx.RunEnded)
    assert (vacated.report.hold_code, vacated.report.hold_subcode) == (HoldCode.STARTD_HELD_JOB, 102)
    assert vacated.report.hold_reason == "too big"


def test_want_hold_without_reason_tells_its_expression() -> None:
    bench = Bench(settings({"preempt": AT_3, "want_hold": "1 == 1"}))
    claim = bench.running()
    timeline(bench, claim, 3)
    bench.end(claim, vacated=True)
    assert bench.only(fx.RunEnded).report.hold_reason == (
        "The startd put this job on hold.  (At preemption time, WANT_HOLD evaluated to true: WANT_HOLD = 1 == 1)"
    )


def test_finished_job_is_no_eviction_even_if_asked_to_end() -> None:
    bench = Bench(settings({"preempt": AT_3}))
    claim = bench.running()
    timeline(bench, claim, 3)
    bench.end(claim, exit_code=0)
    assert bench.only(fx.RunEnded).vacate_code == 0
    assert bench.has(fx.ClaimLost)


@pytest.mark.parametrize(("graceful", "kill", "place"), [(True, fx.SoftKill, "Busy"), (False, fx.HardKill, "Busy")])
def test_deactivation_keeps_slot_and_claim(graceful: bool, kill: type, place: str) -> None:
    bench = Bench(settings({"machine_max_vacate_time": "6"}))
    claim = bench.running()
    bench.do(ev.Deactivate(claim, graceful, VacateCode.REMOVED, "via condor_rm (by user alice)"))
    assert bench.has(kill)
    assert bench.place("slot1_1") == f"Claimed/{place}"
    if graceful:
        assert bench.startd.next_wakeup() == bench.now + 6
        bench.wait(6)
        assert bench.has(fx.HardKill)
    bench.end(claim, exit_signal=9, vacated=True)
    assert bench.only(fx.RunEnded).vacate_code == VacateCode.REMOVED
    assert bench.only(fx.RunEnded).vacate_reason == "via condor_rm (by user alice)"
    assert bench.place("slot1_1") == "Claimed/Idle"
    bench.run(claim, "1.1")
    assert bench.has(fx.StartJob)


def test_deactivation_of_a_job_that_still_waits_takes_it_back() -> None:
    bench = Bench()
    bench.ask()
    claim = bench.only(fx.ClaimGranted).claim
    bench.do(ev.Activate(claim, "1.0", 1, job_ad()))
    bench.do(ev.Deactivate(claim, True, VacateCode.REMOVED, "removed"))
    assert bench.only(fx.RunEnded).report == ExitReport(claim, "1.0", 1, error="removed")
    bench.do(ev.Ready(claim, 1))
    assert not bench.has(fx.StartJob)


@pytest.mark.parametrize(
    ("slot", "hit"),
    [("slot1_1@vm", {1}), ("slot1_1", {1}), ("slot1@vm", {1, 2}), (None, {1, 2}), ("slot7", set())],
)
def test_vacate_by_the_administrator(slot: str | None, hit: set[int]) -> None:
    bench = Bench(settings({"max_job_retirement_time": "5000"}))
    claims = [bench.running() for _ in range(2)]
    bench.do(ev.Vacate(slot))
    for number in (1, 2):
        expected = "Claimed/Retiring" if number in hit else "Claimed/Busy"
        assert bench.place(f"slot1_{number}") == expected
    bench.wait(4600)
    if 1 in hit:
        assert bench.place("slot1_1") == "Preempting/Vacating", "the vacate time is part of the retirement"
        bench.end(claims[0], vacated=True)
        assert bench.only(fx.RunEnded).vacate_reason == "Claim vacated by the administrator"
        assert bench.only(fx.ClaimLost).code == VacateCode.VACATED_BY_ADMIN


def test_a_vacated_slot_goes_through_every_place_in_the_log() -> None:
    """As 25.14 logs it (measured)."""
    bench = Bench(settings({"machine_max_vacate_time": "3"}))
    bench.running()
    bench.log.clear()
    bench.do(ev.Vacate("slot1_1@vm"))
    assert bench.log == [
        "slot1_1: State change: received VACATE_CLAIM command",
        "slot1_1: Changing activity: Busy -> Retiring",
        "slot1_1: eval_policy state should be: Preempting/Retiring 2 claim retirement ended/expired",
        "slot1_1: State change: claim retirement ended/expired.",
        "slot1_1: Changing state and activity: Claimed/Retiring -> Preempting/Vacating",
    ]
    bench.log.clear()
    bench.do(ev.Vacate("slot1_1@vm", graceful=False))
    assert bench.log == [
        "slot1_1: State change: received VACATE_CLAIM_FAST command",
        "slot1_1: Changing activity: Vacating -> Killing",
    ]


def test_a_draining_job_that_is_to_be_held_is_held() -> None:
    """HOLD_IF_MEMORY_EXCEEDED takes the retirement away of a job that PREEMPT wants; it is held, draining or not."""
    bad = "TARGET.Bad =?= true"
    bench = Bench(
        settings(
            {
                "preempt": bad,
                "want_hold": bad,
                "want_hold_subcode": "102",
                "max_job_retirement_time": f"ifThenElse({bad}, -1, 5000)",
            }
        )
    )
    ad = job_ad()
    claim = bench.running(ad=ad)
    bench.do(ev.Drain("graceful", "test"))
    assert bench.place("slot1_1") == "Claimed/Retiring"
    ad.set_text("Bad", "true")
    bench.wait(5)
    assert bench.place("slot1_1") == "Preempting/Vacating"
    bench.end(claim, vacated=True)
    gone = bench.only(fx.RunEnded)
    assert (gone.report.hold_code, gone.report.hold_subcode, gone.vacate_reason) == (21, 102, "Startd was draining")


def test_fast_vacate_of_a_vacating_slot_kills() -> None:
    bench = Bench()
    claim = bench.running()
    bench.do(ev.Vacate(None))
    bench.do(ev.Vacate(None, graceful=False))
    assert bench.only(fx.HardKill).claim == claim
    assert bench.place("slot1_1") == "Preempting/Killing"


def test_suspend_and_continue_by_policy() -> None:
    hot = "MY.TotalLoadAvg > 5"
    bench = Bench(settings({"want_suspend": "true", "suspend": hot, "continue_": "MY.TotalLoadAvg < 1"}))
    bench.running()
    bench.wait(10, load_avg=6.0)
    assert bench.has(fx.SuspendJob)
    assert bench.place("slot1_1") == "Claimed/Suspended"
    bench.wait(10, load_avg=3.0)
    assert bench.place("slot1_1") == "Claimed/Suspended"
    bench.wait(10, load_avg=0.5)
    assert bench.has(fx.ContinueJob)
    ad = bench.ads()["slot1_1@vm"]
    assert (ad.eval_int("TotalJobRunTime"), ad.eval_int("TotalJobSuspendTime")) == (10, 20)


def test_job_suspended_by_command_ignores_continue_and_is_continued_before_it_is_killed() -> None:
    bench = Bench()
    claim = bench.running()
    bench.do(ev.SuspendClaim(claim))
    bench.wait(5)
    assert bench.place("slot1_1") == "Claimed/Suspended"
    bench.do(ev.Vacate(None))
    kinds = [type(effect) for effect in bench.effects]
    assert kinds.index(fx.ContinueJob) < kinds.index(fx.SoftKill)


def test_continue_by_command() -> None:
    bench = Bench()
    claim = bench.running()
    bench.do(ev.SuspendClaim(claim))
    bench.do(ev.ContinueClaim(claim))
    assert bench.only(fx.ContinueJob).claim == claim
    assert bench.place("slot1_1") == "Claimed/Busy"


def test_time_suspended_is_no_retirement_time() -> None:
    bench = Bench(settings({"max_job_retirement_time": "1300"}))
    claim = bench.running()
    bench.do(ev.Shutdown("graceful"))
    bench.wait(4)
    before = bench.ads()["slot1_1@vm"].eval_int("RetirementTimeRemaining")
    bench.do(ev.SuspendClaim(claim))
    bench.wait(8)
    bench.do(ev.ContinueClaim(claim))
    assert bench.ads()["slot1_1@vm"].eval_int("RetirementTimeRemaining") == before == 1296
    assert bench.place("slot1_1") == "Claimed/Retiring"


def test_vanilla_form_of_a_knob_comes_first() -> None:
    policy = {"preempt": "false", "vanilla": (("PREEMPT", "TARGET.JobPrio > 5"),)}
    bench = Bench(settings(policy))
    bench.running(ad=job_ad(JobPrio="9"))
    bench.wait(1)
    assert bench.place("slot1_1") == "Preempting/Vacating"
    other = Bench(settings(policy))
    other.running(ad=job_ad())
    other.wait(1)
    assert other.place("slot1_1") == "Claimed/Busy"


def test_owner_comes_and_goes() -> None:
    bench = Bench(settings({"is_owner": "MY.KeyboardIdle < 60"}, slots_connected_to_keyboard=8))
    assert bench.place("slot1") == "Unclaimed/Idle"
    bench.wait(5, keyboard_idle=3)
    assert bench.place("slot1") == "Owner/Idle"
    bench.wait(5, keyboard_idle=300)
    assert bench.place("slot1") == "Unclaimed/Idle"


def test_owner_takes_an_idle_claim_back() -> None:
    bench = Bench(settings({"is_owner": "MY.KeyboardIdle < 60"}, slots_connected_to_keyboard=8))
    bench.claim()
    bench.wait(5, keyboard_idle=3)
    assert bench.has(fx.ClaimLost)
    assert bench.place("slot1_1") == "gone"


def test_better_claim_lets_the_job_retire_and_says_why() -> None:
    bench = Bench(settings({"max_job_retirement_time": "700", "machine_max_vacate_time": "100"}))
    claim = bench.running()
    bench.wait(10)
    bench.do(ev.Vacate("slot1_1@vm", code=VacateCode.BETTER_USER, reason="better user", retire=True))
    assert bench.place("slot1_1") == "Claimed/Retiring"
    bench.wait(590)
    assert bench.has(fx.SoftKill)
    bench.end(claim, vacated=True)
    assert bench.only(fx.RunEnded).vacate_code == VacateCode.BETTER_USER
    assert bench.only(fx.ClaimLost).reason == "better user"


def test_first_reason_to_end_a_job_is_the_one_told() -> None:
    bench = Bench()
    claim = bench.running()
    bench.do(ev.Deactivate(claim, True, VacateCode.USER_HOLD, "held"))
    bench.do(ev.Vacate(None, graceful=False))
    bench.end(claim, vacated=True)
    assert bench.only(fx.RunEnded).vacate_code == VacateCode.USER_HOLD
    assert bench.only(fx.ClaimLost).code == VacateCode.VACATED_BY_ADMIN


def test_drain_does_not_make_preempt_reversible() -> None:
    bench = Bench(settings({"preempt": AT_3, "max_job_retirement_time": "5000"}))
    bench.running()
    timeline(bench, "", 4)
    bench.do(ev.Drain())
    bench.do(ev.CancelDrain())
    assert bench.place("slot1_1") == "Claimed/Retiring"
