"""condor_drain and shutdown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from startd_bench import FACTS, Bench, ev, fx, job_ad, settings

from condor_py.model.settings.startd import SlotPolicy, SlotType
from condor_py.model.states import VacateCode


def drain(bench: Bench, **fields: str) -> fx.DrainReply:
    bench.do(ev.Drain(**fields))  # type: ignore[arg-type]
    return bench.only(fx.DrainReply)


def test_idle_machine_drains_at_once() -> None:
    bench = Bench()
    assert drain(bench, reason="new disk") == fx.DrainReply(True, "1")
    assert bench.place("slot1") == "Drained/Idle"
    ad = bench.ads()["slot1@vm"]
    assert ad.text("Requirements") == "false"
    assert ad.eval_bool("Draining") is True
    assert (ad.eval_str("DrainReason"), ad.eval_str("DrainingRequestId")) == ("new disk", "1")
    assert ad.eval_int("LastDrainStartTime") == int(bench.now)
    bench.ask()
    assert bench.only(fx.ClaimRefused).reason == "Slot is draining"


def test_second_drain_and_wrong_id_are_refused() -> None:
    bench = Bench()
    drain(bench)
    assert drain(bench) == fx.DrainReply(False, "", 10001, "Draining already in progress.")
    bench.do(ev.CancelDrain("99"))
    assert bench.only(fx.DrainReply) == fx.DrainReply(False, "", 10002, "No matching draining request id 99.")
    bench.do(ev.CancelDrain("1"))
    assert bench.only(fx.DrainReply).ok
    assert bench.place("slot1") == "Unclaimed/Idle"
    assert drain(bench).request_id == "2"


def test_cancel_without_a_drain_succeeds() -> None:
    bench = Bench()
    bench.do(ev.CancelDrain())
    assert bench.only(fx.DrainReply).ok


@pytest.mark.parametrize(
    ("check", "text"),
    [
        ("false", "Draining check expression is false on slot1@vm."),
        ("Cpus > 7 && NumDynamicSlots =?= 0", ""),
        ("NoSuchThing", "Draining check expression does not evaluate to a bool on slot1@vm."),
        ("1", "Draining check expression does not evaluate to a bool on slot1@vm."),
        ("((", "Draining check expression does not evaluate to a bool on slot1@vm."),
    ],
)
def test_check_expression(check: str, text: str) -> None:
    reply = drain(Bench(), check=check)
    assert (reply.text, reply.error_code) == (text, 10003 if text else 0)


def test_graceful_drain_lets_jobs_retire_and_can_be_cancelled() -> None:
    bench = Bench(settings({"max_job_retirement_time": "5000"}))
    claim = bench.running()
    drain(bench)
    assert bench.place("slot1_1") == "Claimed/Retiring"
    assert bench.place("slot1") == "Drained/Retiring"
    bench.do(ev.CancelDrain())
    assert bench.place("slot1_1") == "Claimed/Busy"
    assert bench.place("slot1") == "Unclaimed/Idle"
    bench.end(claim)
    assert bench.place("slot1_1") == "Claimed/Idle"


def test_graceful_drain_is_over_when_the_last_job_ends() -> None:
    bench = Bench(settings({"max_job_retirement_time": "5000"}))
    claim = bench.running()
    drain(bench)
    bench.wait(100)
    bench.end(claim, exit_code=0)
    assert bench.only(fx.ClaimLost).code == VacateCode.DRAINING
    assert bench.only(fx.RunEnded).vacate_code == 0
    assert bench.place("slot1_1") == "gone"
    assert bench.place("slot1") == "Drained/Idle"


def test_each_job_keeps_its_own_retirement() -> None:
    """Measured: retirement 20 and 40, vacate 2, drain at 3: TERM at 18 and 38 (own time less the vacate time)."""
    bench = Bench(settings({"max_job_retirement_time": "TARGET.Mine", "machine_max_vacate_time": "2"}))
    claims = {bench.running(ad=job_ad(Mine=str(mine))): mine for mine in (20, 40)}
    bench.wait(3)
    drain(bench)
    terms = {}
    for second in range(4, 42):
        bench.wait(1)
        for effect in bench.effects:
            if isinstance(effect, fx.SoftKill):
                terms[claims[effect.claim]] = second
    assert terms == {20: 18, 40: 38}


@pytest.mark.parametrize(
    ("how", "kill", "place"), [("quick", fx.SoftKill, "Vacating"), ("fast", fx.HardKill, "Killing")]
)
def test_quick_and_fast_drain(how: str, kill: type, place: str) -> None:
    bench = Bench(settings({"max_job_retirement_time": "5000"}))
    claim = bench.running(ad=job_ad(RequestCpus="2"))
    bench.wait(10)
    drain(bench, how=how)
    assert bench.has(kill)
    assert bench.place("slot1_1") == f"Preempting/{place}"
    bench.end(claim, vacated=True, exit_signal=15)
    vacated = bench.only(fx.RunEnded)
    assert (vacated.vacate_code, vacated.vacate_reason) == (VacateCode.DRAINING, "Startd was draining")
    ad = bench.ads()["slot1@vm"]
    assert (ad.eval_str("State"), ad.eval_str("Activity")) == ("Drained", "Idle")
    assert ad.eval_int("TotalMachineDrainingBadput") == 20


def test_idle_time_of_a_drain_is_counted() -> None:
    bench = Bench(settings({"max_job_retirement_time": "5000"}))
    bench.running(ad=job_ad(RequestCpus="2"))
    drain(bench)
    bench.wait(10)
    assert bench.ads()["slot1@vm"].eval_int("TotalMachineDrainingUnclaimedTime") == 60


@pytest.mark.parametrize(
    ("then", "effect", "place"),
    [
        ("nothing", None, "Drained/Idle"),
        ("resume", None, "Unclaimed/Idle"),
        ("reconfig", None, "Unclaimed/Idle"),
        ("exit", fx.Exit(False, stay_away=True), "Drained/Idle"),
        ("restart", fx.Exit(True), "Drained/Idle"),
    ],
)
def test_on_completion(then: str, effect: fx.Exit | None, place: str) -> None:
    bench = Bench()
    drain(bench, on_completion=then)
    assert bench.place("slot1") == place
    assert [e for e in bench.effects if isinstance(e, fx.Exit)] == ([effect] if effect else [])
    bench.wait(5)
    assert not bench.has(fx.Exit)


def test_start_expression_lets_small_jobs_in_until_the_old_ones_are_done() -> None:
    bench = Bench(settings({"max_job_retirement_time": "5000"}))
    old = bench.running()
    drain(bench, start="TARGET.Backfill =?= true")
    bench.ask(ad=job_ad())
    assert bench.only(fx.ClaimRefused).reason == "Slot is draining"
    young = bench.claim(ad=job_ad(Backfill="true"))
    bench.run(young, "2.0", ad=job_ad(Backfill="true"))
    ads = bench.ads()
    assert ads["slot1@vm"].text("Start") == "TARGET.Backfill =?= true"
    assert ads["slot1@vm"].text("Requirements") == "Start && WithinResourceLimits"
    assert ads["slot1_2@vm"].eval_bool("AcceptedWhileDraining") is True
    bench.wait(5)
    assert bench.place("slot1_2") == "Claimed/Busy"
    bench.end(old)
    assert bench.has(fx.SoftKill)
    assert bench.place("slot1_2") == "Preempting/Vacating"
    assert bench.ads()["slot1@vm"].text("Start") == "false"
    bench.end(young, "2.0", vacated=True)
    assert bench.place("slot1") == "Drained/Idle"


def test_static_and_partitionable_slots_drain_together() -> None:
    types = (SlotType(1, 1, True, "50%"), SlotType(2, 1, False, "50%"))
    bench = Bench(settings(types=types, claim_worklife=-1))
    claim = bench.running("slot2@vm")
    drain(bench, how="quick")
    assert (bench.place("slot1"), bench.place("slot2")) == ("Drained/Retiring", "Preempting/Vacating")
    bench.end(claim, vacated=True)
    assert (bench.place("slot1"), bench.place("slot2")) == ("Drained/Idle", "Drained/Idle")


def test_graceful_shutdown_waits_for_the_vacate_time() -> None:
    bench = Bench(settings({"machine_max_vacate_time": "7"}))
    claim = bench.running()
    bench.claim()
    bench.do(ev.Shutdown("graceful"))
    assert bench.has(fx.SoftKill)
    assert bench.only(fx.ClaimLost).code == VacateCode.STARTD_SHUTDOWN
    assert not bench.has(fx.Exit)
    bench.end(claim, vacated=True)
    assert bench.only(fx.RunEnded).vacate_reason == "Startd was shutdown"
    assert bench.only(fx.Exit) == fx.Exit(False)
    assert bench.startd.exiting


def test_fast_shutdown_kills_and_overtakes() -> None:
    bench = Bench(settings({"max_job_retirement_time": "5000"}))
    bench.running()
    bench.do(ev.Shutdown("graceful"))
    assert bench.place("slot1_1") == "Claimed/Retiring"
    bench.do(ev.Shutdown("fast"))
    assert bench.has(fx.HardKill)


def test_peaceful_shutdown_waits_for_ever() -> None:
    bench = Bench()
    claim = bench.running()
    bench.do(ev.Shutdown("peaceful"))
    bench.wait(10**6)
    assert bench.place("slot1_1") == "Claimed/Retiring"
    bench.end(claim, exit_code=0)
    assert bench.has(fx.Exit)


def test_no_claims_while_shutting_down() -> None:
    bench = Bench()
    bench.running()
    bench.do(ev.Shutdown("peaceful"))
    bench.ask()
    assert bench.only(fx.ClaimRefused).reason == "STARTD is shutting down"
    assert bench.ads()["slot1@vm"].text("Requirements") == "false"


def test_idle_startd_exits_at_once() -> None:
    bench = Bench()
    bench.do(ev.Shutdown())
    assert bench.has(fx.Exit)


# -- from one life to the next


def next_life(bench: Bench, boots: int = 0, seconds: float = 60) -> Bench:
    """A new startd that knows what the old one remembered; the machine was booted ``boots`` seconds later."""
    remembered = [effect.remembered for effect in bench.all_effects if isinstance(effect, fx.RememberDrain)][-1]
    facts = FACTS._replace(boot_time=FACTS.boot_time + boots)
    return Bench(facts=facts, remembered=json.loads(json.dumps(remembered)), now=bench.now + seconds)


def test_a_drain_goes_on_in_the_next_startd() -> None:
    first = Bench()
    first.do(ev.Drain("quick", "disk"))
    first.wait(100)
    second = next_life(first)
    assert second.place("slot1") == "Drained/Idle"
    ad = second.ads()["slot1@vm"]
    assert (ad.eval_str("DrainReason"), ad.eval_str("DrainingRequestId")) == ("disk", "1")
    assert ad.eval_int("LastDrainStartTime") == int(first.now - 100)
    second.do(ev.CancelDrain("1"))
    third = next_life(second)
    assert third.place("slot1") == "Unclaimed/Idle"
    third.do(ev.Drain())
    assert third.only(fx.DrainReply).request_id == "2"


def test_a_drain_ends_with_the_boot_of_the_machine() -> None:
    first = Bench()
    first.do(ev.Drain())
    second = next_life(first, boots=3600)
    assert second.place("slot1") == "Unclaimed/Idle"
    assert second.ads()["slot1@vm"].eval_int("LastDrainStopTime") == int(second.now)


@pytest.mark.parametrize("then", ["restart", "exit"])
def test_a_drain_that_is_done_with_its_startd_is_over(then: Any) -> None:
    first = Bench()
    first.do(ev.Drain(on_completion=then))
    assert next_life(first).place("slot1") == "Unclaimed/Idle"


def test_what_cannot_be_read_is_not_believed() -> None:
    bench = Bench(remembered={"active": "yes", "requests": [], "unknown": 1, "badput": 5})
    assert bench.place("slot1") == "Unclaimed/Idle"
    assert bench.ads()["slot1@vm"].eval_int("TotalMachineDrainingBadput") == 5


def test_totals_are_remembered_while_a_drain_is_on() -> None:
    bench = Bench(settings(update_interval=300))
    bench.do(ev.Drain())
    bench.wait(301)
    assert bench.only(fx.RememberDrain).remembered["unclaimed"] == 301 * 8


def test_the_start_expression_of_the_configuration() -> None:
    patient = SlotPolicy(max_job_retirement_time="1000")
    types = (SlotType(1, 2, False, policy=patient),)
    bench = Bench(settings(draining_start="TARGET.RequestMemory < 100", types=types))
    bench.running("slot2@vm")
    bench.do(ev.Drain())
    assert bench.ads()["slot1@vm"].text("Start") == "TARGET.RequestMemory < 100"


@pytest.mark.parametrize("how", ["quick", "fast"])
def test_only_a_graceful_drain_lets_jobs_in(how: str) -> None:
    """condor_drain(1): -start belongs to -graceful."""
    bench = Bench(settings(draining_start="true", types=(SlotType(1, 2, False),)))
    bench.running("slot2@vm")
    drain(bench, how=how, start="true")
    assert bench.ads()["slot1@vm"].text("Requirements") == "false"
    bench.ask("slot1@vm")
    assert bench.only(fx.ClaimRefused).reason == "Slot is draining"


def test_reconfig_on_completion_reads_the_configuration() -> None:
    bench = Bench()
    bench.do(ev.Drain(on_completion="reconfig"))
    assert bench.has(fx.Reread)
    assert bench.place("slot1") == "Unclaimed/Idle"
