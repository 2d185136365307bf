"""A machine that sleeps when nobody needs it: HIBERNATE, what stands against it, and what the slots show meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
from startd_bench import FACTS, Bench, ev, fx, settings

from condor_py.core.slots.power import Outlook, choose, outlook
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.power import PowerAbilities, SleepState, WakeFacts
from condor_py.model.settings.backfill import CommandSettings
from condor_py.model.settings.power import PowerSettings, RoosterSettings
from condor_py.model.settings.startd import SlotPolicy, SlotType

MAGIC = WakeFacts(0b100000, 0b100000)
TIRED = 'ifThenElse(State == "Unclaimed" && KeyboardIdle > 100, "S3", "NONE")'
S3, S4 = SleepState.S3, SleepState.S4


def machine(
    *hibernate: str, power: PowerSettings | None = None, wake: WakeFacts = MAGIC, idle: int = 1000, **fields: Any
) -> Bench:
    """A machine with a static slot for each policy."""
    texts = hibernate or (TIRED,)
    types = tuple(SlotType(n, 1, False, "1/4", SlotPolicy(hibernate=text)) for n, text in enumerate(texts, 1))
    made = settings(types=types, power=power or PowerSettings(interval=60), **fields)
    bench = Bench(made, FACTS._replace(keyboard_idle=idle, wake=wake, interface="eth0"))
    bench.do(ev.PowerFound(PowerAbilities("/sys", (S3, S4))))
    return bench


def slept(bench: Bench, seconds: int = 60) -> str:
    """The state that the machine enters after so many seconds; "" for none."""
    bench.wait(seconds)
    return next((effect.state for effect in bench.effects if isinstance(effect, fx.Sleep)), "")


def test_it_sleeps_when_all_slots_want_to_as_deeply_as_one_of_them_wants() -> None:
    assert slept(machine(TIRED, '"RAM"')) == "S3"
    assert slept(machine(TIRED, '"disk"', '"s1"')) == "S4"
    assert slept(machine(TIRED, '"NONE"')) == ""
    assert slept(machine(TIRED, "undefined")) == ""
    assert slept(machine(TIRED, "3")) == "", "a number is no name of a state"
    assert slept(machine(), 59) == "", "not before HIBERNATE_CHECK_INTERVAL"
    assert slept(machine(power=PowerSettings())) == ""


@pytest.mark.parametrize(
    ("wanted", "wake", "override", "why"),
    [
        ('"S5"', MAGIC, False, "does not support the sleep state S5"),
        ('"S3"', WakeFacts(0b100000, 0), False, "cannot be woken by its public network adapter (eth0)"),
        ('"S3"', WakeFacts(), True, ""),
    ],
)
def test_what_stands_against_it(wanted: str, wake: WakeFacts, override: bool, why: str) -> None:
    bench = machine(wanted, wake=wake, power=PowerSettings(interval=60, override_wol=override))
    assert slept(bench) == ("" if why else "S3")
    assert [line for line in bench.log if "Ignoring HIBERNATE" in line and why in line] or not why
    bench.wait(60)
    assert sum("Ignoring HIBERNATE" in line for line in bench.log) == bool(why), "it is said once"


def test_a_machine_that_cannot_sleep_says_so() -> None:
    bench = machine()
    bench.do(ev.PowerFound(PowerAbilities()))
    assert bench.ads()["slot1@vm"].eval_bool("CanHibernate") is False
    assert slept(bench) == ""
    assert any("does not support any sleep states" in line for line in bench.log)


def test_jobs_and_backfill_work_end_before_it_sleeps() -> None:
    bench = machine('"S3"', '"S3"', power=PowerSettings(interval=60), backfill=True)
    claim = bench.running("slot1@vm")
    bench.wait(60)
    assert bench.has(fx.HardKill)
    assert not bench.has(fx.Sleep), "the job is still there"
    bench.ask("slot2@vm")
    assert bench.only(fx.ClaimRefused).reason == "Machine is about to hibernate"
    bench.end(claim, vacated=True, exit_signal=9)
    assert bench.only(fx.RunEnded).vacate_code == 1016
    bench.wait(1)
    assert bench.only(fx.Sleep).state == "S3"
    bench.wait(1)
    assert not bench.has(fx.Sleep), "it is told once"


def test_backfill_work_is_gone_before_it_sleeps() -> None:
    types = (SlotType(1, 1, False, "1/4", SlotPolicy(hibernate='"S3"', start_backfill="true")),)
    made = settings(types=types, power=PowerSettings(interval=60), backfill=True, backfill_command=CommandSettings("x"))
    bench = Bench(made, FACTS._replace(wake=MAGIC))
    bench.do(ev.PowerFound(PowerAbilities("/sys", (S3,))))
    bench.do(ev.BackfillStarted(slot="slot1@vm"))
    bench.wait(60)
    assert (bench.has(fx.StopBackfill), bench.has(fx.Sleep)) == (True, False)
    bench.do(ev.BackfillGone(9, "slot1@vm"))
    bench.wait(1)
    assert (bench.has(fx.Sleep), bench.has(fx.StartBackfill)) == (True, False)
    bench.do(ev.Woken())
    bench.wait(1)
    assert bench.has(fx.StartBackfill)


def test_what_the_slots_show() -> None:
    bench = machine(TIRED)
    awake = bench.ads()["slot1@vm"]
    assert (awake.eval_str("HibernationState"), awake.eval_str("HibernationSupportedStates")) == ("NONE", "S3,S4")
    assert (awake.eval_bool("IsWakeAble"), awake.eval_str("WakeOnLanEnabledFlags")) == (True, "Magic Packet")
    assert awake.eval_bool("Unhibernate") is False
    bench.wait(60, load_avg=2.0)
    asleep = bench.ads()["slot1@vm"]
    told = [asleep.eval(name) for name in ("Offline", "HibernationState", "HibernationLevel", "State", "LoadAvg")]
    assert told == [True, "S3", 3, "Unclaimed", 0.0]
    assert asleep.eval_int("KeyboardIdle") == 2**31 - 1
    asleep["MachineLastMatchTime"] = 1
    assert asleep.eval_bool("Unhibernate") is True
    bench.do(ev.Woken(), bench.now + 8 * 3600)
    assert not bench.ads()["slot1@vm"].has("Offline")
    assert bench.ads()["slot1@vm"].eval_str("HibernationState") == "NONE"


def test_it_stays_awake_for_a_while_after_it_was_woken() -> None:
    bench = machine()
    assert slept(bench)
    bench.now += 8 * 3600
    bench.do(ev.Woken())
    assert not slept(bench, 3599)
    assert slept(bench, 1)
    bench.do(ev.Woken("no permission"))
    assert any("did not enter S3: no permission" in line for line in bench.log)
    assert not slept(bench, 299), "nor is one that could not sleep asked again at once"
    assert slept(bench, 1)


def test_a_drain_and_a_shutdown_come_first() -> None:
    bench = machine()
    bench.do(ev.Drain())
    assert slept(bench, 600) == ""
    bench.do(ev.CancelDrain())
    bench.wait(1)
    assert slept(bench) == "S3"
    bench = machine('"S3"')
    claim = bench.running()
    bench.wait(60)
    bench.do(ev.Shutdown())
    bench.end(claim, vacated=True)
    bench.wait(1)
    assert (bench.has(fx.Sleep), bench.startd.exiting) == (False, True)


def test_when_the_next_job_wants_the_machine() -> None:
    def job(number: int, **attributes: str) -> tuple[JobId, ClassAd]:
        items = {"JobStatus": "1", "JobUniverse": "5", **attributes}
        return JobId(number, 0), ClassAd.from_text_items(items.items())

    later = job(1, DeferralTime="9000", DeferralPrepTime="300")
    sooner = job(2, DeferralTime="5000")
    held = job(3, DeferralTime="2000", JobStatus="5")
    over = job(4, DeferralTime="900")
    late = job(7, DeferralTime="900", DeferralWindow="150")
    dag = job(5, JobUniverse="7", JobStatus="2")
    assert outlook([later, sooner, held, over, job(6)], 1000) == Outlook(5000, "")
    assert outlook([later], 1000) == Outlook(8700, "")
    assert outlook([later, dag], 8800) == Outlook(8800, "5.0")
    assert outlook([late, later], 1000) == Outlook(1000, ""), "it may still begin, and the machine stays awake for it"
    assert outlook([late], 1050) == Outlook()
    assert outlook([], 1000) == Outlook()


def test_no_machine_sleeps_through_a_job_whose_time_is_near() -> None:
    """Its clock would ring before it sleeps."""
    assert not Outlook(2000).is_near(S3, 60, 1910)
    assert Outlook(2000).is_near(S3, 60, 1911)
    assert Outlook(2000).is_near(S3, 60, 1999)
    assert not Outlook().is_near(S4, 60, 0)


def test_to_be_written_to_the_disk_takes_longer() -> None:
    assert not Outlook(2000).is_near(S4, 60, 1640)
    assert Outlook(2000).is_near(S4, 60, 1641)
    assert Outlook(2000).is_near(SleepState.S5, 60, 1641)


def test_the_rooster_wakes_each_machine_once_the_best_first() -> None:
    def slot(name: str, machine: str, **attributes: str) -> ClassAd:
        items = {"Name": f'"{name}"', "Machine": f'"{machine}"', "Offline": "true", "Unhibernate": "true", **attributes}
        return ClassAd.from_text_items(items.items())

    ads = [
        slot("slot1@a", "a", Mips="1"), slot("slot2@a", "a", Mips="9"), slot("slot1@b", "b", Mips="5"),
        slot("slot1@c", "c", Unhibernate="MY.MachineLastMatchTime =!= undefined"),
        slot("slot1@d", "d", Offline="false"),
    ]  # fmt: skip
    plain = RoosterSettings(300, "Offline && Unhibernate", "", "x")
    assert [ad.eval_str("Name") for ad in choose(ads, plain).ads] == ["slot1@a", "slot1@b"]
    ranked = choose(ads, plain.changed(rank="TARGET.Mips", most=1))
    assert [ad.eval_str("Name") for ad in ranked.ads] == ["slot2@a"]
    assert ranked.lines == ["Reached ROOSTER_MAX_UNHIBERNATE=1 in this cycle."]
