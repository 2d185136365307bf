"""A machine that slept for a night: what ran before it runs as if there had been none."""

from __future__ import annotations

from startd_bench import Bench, ev, fx, settings

from condor_py.core.accounts import Accountant
from condor_py.daemons.common import loop
from condor_py.model.settings.negotiator import AccountantSettings

NIGHT = 8 * 3600.0
HOUR = 3600.0


def night(bench: Bench) -> None:
    bench.now += NIGHT
    bench.do(ev.ClockJumped(NIGHT))


def back(bench: Bench) -> None:
    bench.now -= HOUR
    bench.do(ev.ClockJumped(-HOUR))


def test_a_lease_has_as_much_left_as_before() -> None:
    bench = Bench(settings(lease=2400))
    bench.running()
    bench.do(ev.ScheddGone())
    bench.wait(1000)
    night(bench)
    bench.wait(1399)
    assert not bench.has(fx.HardKill), "the schedd slept as well"
    bench.wait(1)
    assert bench.has(fx.HardKill)


def test_a_job_that_was_asked_to_end_has_as_long_for_it() -> None:
    bench = Bench(settings({"machine_max_vacate_time": "60"}))
    bench.running()
    bench.do(ev.Vacate(None))
    bench.wait(30)
    night(bench)
    bench.wait(29)
    assert not bench.has(fx.HardKill)
    bench.wait(1)
    assert bench.has(fx.HardKill)


def test_a_job_has_not_run_while_the_machine_slept() -> None:
    bench = Bench(settings({"preempt": "TotalJobRunTime > 3600", "want_vacate": "true"}))
    claim = bench.running()
    bench.wait(1000)
    night(bench)
    slot = next(ad for name, ad in bench.ads().items() if name.startswith("slot1_1"))
    assert slot.eval_int("TotalJobSuspendTime") == NIGHT
    bench.wait(2500)
    assert not bench.has(fx.SoftKill)
    assert claim in bench.claim_ids()


def test_nobody_is_charged_for_the_night() -> None:
    accountant = Accountant(AccountantSettings())
    accountant.update(1000)
    before = accountant.last_update
    accountant.pass_over(int(NIGHT))
    assert accountant.last_update - before == NIGHT
    fresh = Accountant(AccountantSettings())
    fresh.pass_over(int(NIGHT))
    assert fresh.last_update == 0, "who has counted nothing yet begins with the first look"


def test_the_loop_tells_of_a_clock_that_went_on_alone(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    told: list[float] = []
    turning = loop.Loop()
    turning.on_jump(told.append)
    turning.turn(0.0)
    real, ahead = loop.now, [0.0]
    monkeypatch.setattr(loop, "now", lambda: real() + ahead[0])
    for ahead[0] in (5.0, NIGHT, NIGHT, 0.0):
        turning.turn(0.0)
    assert [round(seconds) for seconds in told] == [round(NIGHT - 5), round(-NIGHT)], "not of a small correction"
    turning.close()


def test_a_clock_set_back_makes_no_lease_longer() -> None:
    bench = Bench(settings(lease=2400))
    bench.running()
    bench.do(ev.ScheddGone())
    bench.wait(1000)
    back(bench)
    bench.wait(1399)
    assert not bench.has(fx.HardKill)
    bench.wait(1)
    assert bench.has(fx.HardKill)


def test_a_job_asked_to_end_before_the_clock_was_set_back_has_no_longer_for_it() -> None:
    bench = Bench(settings({"machine_max_vacate_time": "60"}))
    bench.running()
    bench.do(ev.Vacate(None))
    bench.wait(30)
    back(bench)
    bench.wait(29)
    assert not bench.has(fx.HardKill)
    bench.wait(1)
    assert bench.has(fx.HardKill)


def test_a_job_has_run_as_long_as_before_the_clock_was_set_back() -> None:
    bench = Bench(settings({"preempt": "TotalJobRunTime > 1500", "want_vacate": "true"}))
    bench.running()
    bench.wait(1000)
    back(bench)
    slot = next(ad for name, ad in bench.ads().items() if name.startswith("slot1_1"))
    assert slot.eval_int("TotalJobRunTime") == 1000
    assert slot.eval_int("TotalJobSuspendTime", 0) == 0
    assert slot.eval_int("JobStart") + 1000 == bench.now
    assert slot.eval_int("EnteredCurrentActivity") + 1000 == bench.now
    bench.wait(499)
    assert not bench.has(fx.SoftKill)
    bench.wait(2)
    assert bench.has(fx.SoftKill)


def test_a_suspended_job_has_stood_still_as_long_as_before_the_clock_was_set_back() -> None:
    bench = Bench(settings())
    claim = bench.running()
    bench.wait(100)
    bench.do(ev.SuspendClaim(claim))
    bench.wait(50)
    back(bench)
    bench.wait(50)
    slot = next(ad for name, ad in bench.ads().items() if name.startswith("slot1_1"))
    assert (slot.eval_int("TotalJobRunTime"), slot.eval_int("TotalJobSuspendTime")) == (100, 100)


def test_a_policy_about_the_time_since_a_change_does_not_wait_for_the_hour_again() -> None:
    bench = Bench(settings({"start": "time() - EnteredCurrentActivity > 600"}))
    bench.wait(500)
    back(bench)
    bench.wait(50)
    slot = next(iter(bench.ads().values()))
    assert bench.now - slot.eval_int("EnteredCurrentActivity") == 550


def test_nobody_is_charged_less_when_the_clock_is_set_back() -> None:
    accountant = Accountant(AccountantSettings())
    accountant.update(10_000)
    accountant.charge("a@x", "slot1", 1.0, 10_000)
    accountant.pass_over(-3600)
    accountant.update(10_000 - 3600 + 500)
    row = accountant.table.index["a@x"]
    assert accountant.table.reals["WeightedAccumulatedUsage"][row] == 500
