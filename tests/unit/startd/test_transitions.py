"""Every numbered transition of the manual's state diagram, made by an event that causes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from startd_bench import START, Bench, ev, fx, job_ad
from startd_bench import settings as startd_settings

from condor_py.core.slots.transitions import MOVES, NUMBERED, UNNUMBERED, describe
from condor_py.model.settings.startd import SlotPolicy, SlotType

BUSY_OWNER = "MY.TotalLoadAvg > 5"
VERY_BUSY = "MY.TotalLoadAvg > 8"


def static(policy: dict[str, Any] | None = None, count: int = 1, **fields: Any) -> Bench:
    """A machine of static slots."""
    types = (SlotType(1, count, False, "auto", SlotPolicy(**(policy or {}))),)
    return Bench(startd_settings(types=types, **fields))


def suspending(**policy: str) -> tuple[Bench, str]:
    """A job that the owner's load has suspended."""
    wanted = {"want_suspend": "true", "suspend": BUSY_OWNER, "continue_": "MY.TotalLoadAvg < 1", **policy}
    bench = static(wanted)
    claim = bench.running()
    bench.wait(1, load_avg=6.0)
    return bench, claim


def better(bench: Bench, by_rank: bool = True, **attributes: str) -> None:
    """A better claim for slot1."""
    request = ev.ClaimRequest("better", "slot1@vm", "bob@example.net", "bob", job_ad(**attributes))
    bench.do(ev.BetterClaim(request, by_rank))


def vacating(**policy: str) -> tuple[Bench, str]:
    bench = static({"machine_max_vacate_time": "60", **policy})
    claim = bench.running()
    bench.do(ev.Vacate("slot1@vm"))
    return bench, claim


def killing(with_better: bool = False) -> tuple[Bench, str]:
    bench, claim = vacating() if not with_better else retiring_for_better()
    if with_better:
        bench.wait(100)
    bench.do(ev.Vacate("slot1@vm", graceful=False))
    return bench, claim


def retiring_for_better() -> tuple[Bench, str]:
    bench = static({"max_job_retirement_time": "100", "machine_max_vacate_time": "20"})
    claim = bench.running()
    better(bench)
    return bench, claim


def backfill(count: int = 1, **policy: str) -> Bench:
    """A machine that does backfill work."""
    wanted = {"start_backfill": "true", "evict_backfill": BUSY_OWNER, **policy}
    bench = static(wanted, count, backfill=True)
    bench.do(ev.BackfillStarted())
    return bench


def _1() -> Bench:
    bench = static({"is_owner": BUSY_OWNER})
    bench.wait(1, load_avg=6.0)
    bench.wait(1)
    return bench


def _2() -> Bench:
    bench = static({"is_owner": BUSY_OWNER})
    bench.wait(1, load_avg=6.0)
    return bench


def _3() -> Bench:
    bench = static({"run_benchmarks": "LastBenchmark == 0"})
    assert any("RunBenchmarks is TRUE" in line for line in bench.log)
    return bench


def _4() -> Bench:
    bench = _3()
    bench.do(ev.BenchmarksDone({"Mips": "1000"}))
    return bench


def _5() -> Bench:
    bench = static()
    bench.claim()
    return bench


def _6() -> Bench:
    bench = static()
    bench.do(ev.Match("slot1@vm"))
    assert bench.ads()["slot1@vm"].text("Requirements") == "false"
    return bench


def _7() -> Bench:
    return static({"start_backfill": "true"}, backfill=True)


def _8() -> Bench:
    bench = _6()
    assert bench.startd.next_wakeup() == bench.now + 120
    bench.wait(119)
    assert bench.place("slot1") == "Matched/Idle"
    bench.wait(1)
    assert bench.place("slot1") == "Unclaimed/Idle"
    return bench


def _9() -> Bench:
    bench = _6()
    bench.claim()
    return bench


def _10() -> Bench:
    bench = static(claim_worklife=100)
    bench.claim()
    bench.wait(101)
    return bench


def _11() -> Bench:
    bench = static()
    bench.running()
    return bench


def _12() -> Bench:
    bench = static()
    bench.end(bench.running(), exit_code=0)
    return bench


def _13() -> Bench:
    bench = static({"preempt": BUSY_OWNER, "max_job_retirement_time": "1000"})
    bench.running()
    bench.wait(1, load_avg=6.0)
    return bench


def _14() -> Bench:
    return suspending()[0]


def _15() -> Bench:
    bench, _ = suspending()
    bench.wait(1)
    return bench


def _16() -> Bench:
    bench, _ = suspending(preempt=VERY_BUSY, max_job_retirement_time="1000")
    bench.wait(1, load_avg=9.0)
    assert bench.has(fx.ContinueJob)
    return bench


def _17() -> Bench:
    shrinking = f"(MY.MyCurrentTime < {int(START) + 50}) * 1000"
    bench, _ = suspending(max_job_retirement_time=shrinking)
    bench.do(ev.Drain())
    assert bench.place("slot1") == "Claimed/Suspended"
    bench.wait(60, load_avg=6.0)
    return bench


def _18() -> Bench:
    bench = _13()
    bench.wait(1000)
    return bench


def _19() -> Bench:
    bench, _ = retiring_for_better()
    assert bench.place("slot1") == "Claimed/Retiring"
    bench.do(ev.WithdrawClaim(""))
    assert bench.place("slot1") == "Claimed/Busy"
    return bench


def _20() -> Bench:
    bench = static({"want_suspend": "true", "suspend": BUSY_OWNER, "max_job_retirement_time": "1000"})
    bench.running()
    bench.do(ev.Drain())
    bench.wait(1, load_avg=6.0)
    return bench


def _21() -> Bench:
    bench, _ = vacating(kill=VERY_BUSY)
    bench.wait(1, load_avg=9.0)
    return bench


def _22() -> Bench:
    bench, claim = vacating()
    bench.end(claim, vacated=True, exit_signal=15)
    return bench


def _23() -> Bench:
    bench, claim = retiring_for_better()
    bench.wait(100)
    bench.end(claim, vacated=True, exit_signal=15)
    assert bench.only(fx.ClaimGranted).request_id == "better"
    return bench


def _24() -> Bench:
    bench, claim = killing(with_better=True)
    bench.end(claim, vacated=True, exit_signal=9)
    assert bench.only(fx.ClaimGranted).request_id == "better"
    return bench


def _25() -> Bench:
    bench, claim = killing()
    bench.end(claim, vacated=True, exit_signal=9)
    return bench


def _26() -> Bench:
    return backfill()


def _27() -> Bench:
    bench = backfill()
    bench.do(ev.BackfillGone())
    bench.wait(5)
    assert bench.has(fx.StartBackfill), "the client is started again"
    return bench


def _28() -> Bench:
    bench = backfill()
    bench.wait(1, load_avg=6.0)
    assert bench.has(fx.StopBackfill)
    return bench


def _29() -> Bench:
    bench = _28()
    bench.do(ev.BackfillGone())
    return bench


def _31() -> Bench:
    bench = backfill()
    bench.ask()
    assert not bench.has(fx.ClaimGranted), "not before the client is gone"
    bench.do(ev.BackfillGone())
    assert bench.has(fx.ClaimGranted)
    return bench


def _32() -> Bench:
    bench = backfill()
    bench.do(ev.Match("slot1@vm"))
    bench.do(ev.BackfillGone())
    return bench


def _33() -> Bench:
    bench = static()
    bench.do(ev.Drain())
    return bench


def _34() -> Bench:
    bench = _33()
    bench.do(ev.CancelDrain())
    return bench


def _35() -> Bench:
    bench = static({"max_job_retirement_time": "1000"}, 2)
    bench.running("slot2@vm")
    bench.do(ev.Drain())
    assert bench.place("slot1") == "Drained/Retiring"
    bench.do(ev.CancelDrain())
    return bench


def _36() -> Bench:
    bench = _2()
    bench.do(ev.Drain())
    return bench


CAUSES: dict[int, Callable[[], Bench]] = {
    1: _1, 2: _2, 3: _3, 4: _4, 5: _5, 6: _6, 7: _7, 8: _8, 9: _9, 10: _10, 11: _11, 12: _12, 13: _13, 14: _14,
    15: _15, 16: _16, 17: _17, 18: _18, 19: _19, 20: _20, 21: _21, 22: _22, 23: _23, 24: _24, 25: _25, 26: _26,
    27: _27, 28: _28, 29: _29, 30: _29, 31: _31, 32: _32, 33: _33, 34: _34, 35: _35, 36: _36, 37: _33,
}  # fmt: skip


@pytest.mark.parametrize("number", range(1, 38))
def test_transition(number: int) -> None:
    bench = CAUSES[number]()
    lines = [line.partition(": ")[2] for line in bench.log]
    assert any(describe(old, new) in lines for old, new in NUMBERED[number]), bench.log


def test_the_table_is_the_whole_truth() -> None:
    drawn = [move for moves in NUMBERED.values() for move in moves]
    assert len(drawn) == len(set(drawn))
    assert not set(drawn) & set(UNNUMBERED)
    assert {(old, new) for old, found in MOVES.items() for new in found} == {*drawn, *UNNUMBERED}
    assert all(place in MOVES for found in MOVES.values() for place in found), "every place can be left"


def test_one_client_does_the_backfill_work_of_all_slots() -> None:
    bench = backfill(2)
    assert bench.place("slot1") == bench.place("slot2") == "Backfill/Busy"
    bench.ask("slot1@vm")
    assert bench.has(fx.ClaimGranted)
    assert not bench.has(fx.StopBackfill), "slot2 still needs the client"
    assert bench.place("slot1") == "Claimed/Idle"
    bench.do(ev.Vacate("slot2@vm"))
    assert bench.has(fx.StopBackfill)


def test_backfill_ends_with_drain_and_shutdown() -> None:
    bench = backfill()
    bench.do(ev.Drain())
    assert bench.has(fx.StopBackfill)
    bench.do(ev.BackfillGone())
    bench.wait(1)
    assert bench.place("slot1") == "Drained/Idle"
    bench = backfill()
    bench.do(ev.Shutdown())
    assert not bench.startd.exiting
    bench.do(ev.BackfillGone())
    assert bench.has(fx.Exit)


def test_a_client_that_cannot_be_started_is_tried_again() -> None:
    bench = static({"start_backfill": "true"}, backfill=True)
    bench.do(ev.BackfillStarted(ok=False))
    assert bench.place("slot1") == "Backfill/Idle"
    bench.wait(5)
    assert bench.has(fx.StartBackfill)


def test_a_job_cuts_a_partitionable_slot_out_of_its_backfill_work() -> None:
    bench = Bench(startd_settings({"start_backfill": "true"}, backfill=True))
    bench.do(ev.BackfillStarted())
    assert bench.place("slot1") == "Backfill/Busy"
    bench.ask()
    assert bench.has(fx.ClaimGranted)
    assert bench.has(fx.StopBackfill)
    bench.do(ev.BackfillGone())
    bench.wait(1)
    assert (bench.place("slot1"), bench.place("slot1_1")) == ("Unclaimed/Idle", "Claimed/Idle")


def test_a_match_ends_with_the_owner_and_with_vacate() -> None:
    bench = static({"start": "MY.TotalLoadAvg < 5", "is_owner": "START =?= false"})
    bench.do(ev.Match("slot1@vm"))
    bench.wait(1, load_avg=6.0)
    assert bench.place("slot1") == "Owner/Idle"
    bench = _6()
    bench.do(ev.Vacate(None))
    assert bench.place("slot1") == "Owner/Idle"


def test_benchmarks_are_averaged_and_shown() -> None:
    bench = static({"run_benchmarks": "(MyCurrentTime - LastBenchmark) >= 100"}, 2)
    assert len([line for line in bench.log if "Idle -> Benchmarking" in line]) == 1, "one slot at a time"
    bench.do(ev.BenchmarksDone({"Mips": "1000", "KFlops": "800"}))
    assert bench.ads()["slot2@vm"].eval_int("Mips") == 1000
    bench.wait(100)
    bench.do(ev.BenchmarksDone({"Mips": "2000", "KFlops": "800"}))
    ad = bench.ads()["slot1@vm"]
    assert (ad.eval_int("Mips"), ad.eval_int("KFlops")) == (1250, 800)
    assert ad.eval_int("LastBenchmark") == int(bench.now)


@pytest.mark.parametrize("expression", ["", "false", "0"])
def test_benchmarks_never_run_where_they_are_not_wanted(expression: str) -> None:
    bench = static({"run_benchmarks": expression})
    bench.wait(1000)
    assert bench.place("slot1") == "Unclaimed/Idle"


def test_a_better_claim_is_shown_while_it_waits() -> None:
    bench = static({"rank": "TARGET.JobPrio", "max_job_retirement_time": "100"})
    bench.running(ad=job_ad(JobPrio="1"))
    better(bench, JobPrio="7")
    ad = bench.ads()["slot1@vm"]
    assert ad.eval_real("PreemptingRank") == 7.0
    assert (ad.eval_str("PreemptingOwner"), ad.eval_str("PreemptingUser")) == ("bob", "bob@example.net")
    better(bench)
    assert bench.only(fx.ClaimRefused).reason == "Slot is already being preempted"


def test_a_job_that_ends_in_time_leaves_the_slot_to_the_better_claim() -> None:
    bench, claim = retiring_for_better()
    bench.end(claim, exit_code=0)
    assert bench.only(fx.RunEnded).vacate_code == 0
    assert bench.only(fx.ClaimGranted).request_id == "better"


def test_a_better_claim_for_a_small_dynamic_slot_gets_what_its_parent_has_then() -> None:
    bench = Bench()
    bench.running()
    request = ev.ClaimRequest(
        "big", "slot1_1@vm", "bob@example.net", "bob", job_ad(RequestCpus="8"))  # fmt: skip
    bench.do(ev.BetterClaim(request, True))
    claim = bench.startd.claims()[0].claim_id
    bench.end(claim, vacated=True, exit_signal=15)
    granted = bench.only(fx.ClaimGranted)
    assert (granted.request_id, granted.slot_ad.eval_int("Cpus")) == ("big", 8)


def test_a_better_claim_is_refused_when_the_slot_has_changed_its_mind() -> None:
    bench, claim = retiring_for_better()
    bench.do(ev.Drain("quick"))
    bench.end(claim, vacated=True, exit_signal=15)
    assert bench.only(fx.ClaimRefused).reason == "Slot is draining"
    assert bench.place("slot1") == "Drained/Idle"


def test_only_the_request_that_is_named_is_withdrawn() -> None:
    bench, _ = retiring_for_better()
    bench.do(ev.WithdrawClaim("another"))
    assert bench.place("slot1") == "Claimed/Retiring"
    bench.do(ev.WithdrawClaim("better"))
    assert bench.place("slot1") == "Claimed/Busy"
    assert not bench.ads()["slot1@vm"].has("PreemptingUser")
