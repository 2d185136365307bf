"""Rules of slots that are small, and of which each somebody relies on."""

from __future__ import annotations

from typing import Any

import pytest
from startd_bench import Bench, ev, fx, job_ad, settings

from condor_py.core.slots import inventory, layout, running
from condor_py.core.slots.ads import within_resource_limits
from condor_py.core.slots.layout import _ordinal
from condor_py.core.slots.request import requested, taken
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import ConfigError
from condor_py.model.report import ExitReport, Usage
from condor_py.model.settings.startd import FetchHooks, MachineResource, SlotPolicy, SlotType
from condor_py.model.states import VacateCode

#: More digits than Python reads.
MANY = "9" * 5000


def static(count: int = 1, fields: dict[str, Any] | None = None, **policy: str) -> Bench:
    return Bench(settings(types=(SlotType(1, count, False, "auto", SlotPolicy(**policy)),), **(fields or {})))  # type: ignore[arg-type]


# what a machine is divided into


def test_units_that_do_not_divide_go_to_the_first_slots() -> None:
    gpus = MachineResource("GPUs", 5.0, ids=tuple("abcde"))
    ads = static(3, {"resources": (gpus,)}).ads()
    assert [ads[f"slot{n}@vm"].eval_int("TotalSlotGPUs") for n in (1, 2, 3)] == [2, 2, 1]
    assert [ads[f"slot{n}@vm"].eval_str("AssignedGPUs") for n in (1, 2, 3)] == ["a,b", "c,d", "e"]


def test_a_slot_for_which_nothing_is_left_says_what_it_lacks() -> None:
    types = (SlotType(1, 1, False, "cpus=8"), SlotType(2, 1, False, "auto"))
    bench = Bench(settings(types=types, failure_mode="CONTINUE"))
    ad = bench.ads()["vm"]
    assert "Cpus (1.00 short)" in (ad.eval_str("slot2BrokenReason") or "")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [("disk=1T", "disk", 2**30), ("disk=2g", "disk", 2**21), ("memory=1t", "memory", 2**20), ("cpus=2b", "cpus", 2)],
)
def test_amounts_have_units(text: str, key: str, value: float) -> None:
    assert layout.parse_shares(text, (), "SLOT_TYPE_1")[key] == layout.Share(layout.Kind.AMOUNT, value)


def test_slots_of_a_type_are_counted_as_people_count() -> None:
    assert [_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 112, 113)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th", "112th", "113th")
    ]


def test_an_inventory_names_units_and_what_they_are_like() -> None:
    text = (
        '\nDetectedGPUs = "GPU-1, GPU-2"\n\nCommon = [ Memory = 8; Id = "all" ]\nGPU_1 = [ Id = "one"; Memory = 9 ]\n'
    )
    found = inventory.parse("GPUs", text + "Driver = 12.4\n", "KNOB")
    assert (found.quantity, found.ids, found.attrs) == (2.0, ("GPU-1", "GPU-2"), (("Driver", "12.4"),))
    assert found.properties == (
        ("GPU-1", (("Id", '"one"'), ("Memory", "9"))),
        ("GPU-2", (("Id", '"all"'), ("Memory", "8"))),
    )
    assert inventory.parse("Licenses", "DetectedLicenses = 3", "KNOB").quantity == 3.0
    assert inventory.parse("Licenses", "", "KNOB").quantity == 0.0
    for wrong in ("nonsense", "A = ((", "DetectedLicenses = { 1 }"):
        with pytest.raises(ConfigError, match="KNOB"):
            inventory.parse("Licenses", wrong, "KNOB")


# what a job takes


def test_requests_have_least_amounts() -> None:
    job = job_ad(RequestCpus="0", RequestMemory="0", RequestDisk="0", RequestGPUs="-1")
    amount = requested(job, None, ("GPUs",))
    assert amount is not None
    assert (amount.cpus, amount.memory, amount.disk, amount.swap, amount.custom) == (1.0, 1, 0, 0, (("GPUs", 0.0),))


def test_a_consumption_policy_that_names_no_cpus_takes_none() -> None:
    policy = SlotPolicy(consumption=(("Memory", "TARGET.RequestMemory"),))
    amount = taken(job_ad(), ClassAd(), ("GPUs",), policy)
    assert amount is not None
    assert (amount.cpus, amount.memory, amount.disk, amount.custom) == (0.0, 128, 0, (("GPUs", 0.0),))


def test_the_limits_of_a_slot_with_a_consumption_policy_name_all_its_resources() -> None:
    assert within_resource_limits(()) + " && TARGET.WantJobNetworking =?= false" == within_resource_limits(
        (), networking=False
    )
    text = within_resource_limits(("GPUs",), consumes=True)
    assert [name for name in ("Cpus", "Memory", "Disk", "GPUs") if f"MY.Consumption{name} <= MY.{name}" in text] == [
        *("Cpus", "Memory", "Disk", "GPUs")
    ]


# what becomes of jobs and claims


def test_a_record_of_every_run() -> None:
    bench = static(max_job_retirement_time="0")
    claim = bench.running()
    bench.now += 30.5
    bench.end(claim, exit_code=3, pid=5000, usage=Usage(2.0, 1.0))
    ad = bench.only(fx.RunOver).ad
    names = ("ExitBySignal", "ExitCode", "CompletionDate", "RemoteWallClockTime", "StarterExitStatus", "JobStatus")
    assert [ad.text(name) for name in names] == ["false", "3", str(int(bench.now)), "30", "0", "4"]
    assert (ad.eval_str("RemoteHost"), ad.text("RemoteUserCpu"), ad.text("VacateReason")) == ("slot1@vm", "2.0", None)
    assert (ad.text("BadputCausedByDraining"), ad.text("BadputCausedByPreemption")) == ("false", "false")
    bench.run(claim, run=2)
    bench.end(claim, run=2, exit_signal=9)
    ad = bench.only(fx.RunOver).ad
    assert (ad.text("ExitBySignal"), ad.text("ExitSignal"), ad.text("ExitCode")) == ("true", "9", None)


@pytest.mark.parametrize("why", ["drain", "vacate"])
def test_a_record_says_whose_fault_the_end_was(why: str) -> None:
    bench = static()
    claim = bench.running()
    bench.do(ev.Drain("quick") if why == "drain" else ev.Vacate("slot1@vm"))
    bench.end(claim, exit_signal=15, vacated=True)
    ad = bench.only(fx.RunOver).ad
    assert ad.text("BadputCausedByDraining") == ("true" if why == "drain" else "false")
    assert ad.text("BadputCausedByPreemption") == "false"
    assert ad.text("VacateReason") is not None


def test_a_starter_that_dies_leaves_a_record_too() -> None:
    bench = static()
    claim = bench.running()
    bench.do(ev.StarterGone(claim, 9))
    ad = bench.only(fx.RunOver).ad
    assert (ad.text("StarterExitStatus"), ad.text("JobStatus"), ad.eval_str("VacateReason")) == (
        *("9", "3", "The starter of the job died"),
    )


@pytest.mark.parametrize(
    ("worklife", "seconds", "again"), [(1, 1, True), (1, 2, False), (0, 1, False), (-1, 9999, True)]
)
def test_a_claim_takes_jobs_for_its_worklife(worklife: int, seconds: int, again: bool) -> None:
    bench = static(fields={"claim_worklife": worklife})
    claim = bench.running()
    bench.now += seconds
    bench.end(claim, exit_code=0)
    assert (claim in bench.claim_ids()) is again


def test_a_job_comes_back_after_a_checkpoint_where_it_is_still_welcome() -> None:
    bench = static(start='TARGET.User == "alice@example.net"', fields={"claim_worklife": 100})
    claim = bench.running()
    pool = bench.startd._pool
    assert running.may_reactivate(pool, claim)
    assert not running.may_reactivate(pool, "another")
    bench.do(ev.Vacate("slot1@vm"))
    assert not running.may_reactivate(pool, claim)
    bench = static(fields={"claim_worklife": 100})
    claim = bench.running()
    bench.wait(101)
    assert not running.may_reactivate(bench.startd._pool, claim)


def test_a_job_that_is_told_to_leave_is_not_suspended() -> None:
    bench = static()
    claim = bench.running()
    bench.do(ev.Deactivate(claim, True, VacateCode.CLAIM_DEACTIVATED, "by the schedd"))
    bench.do(ev.SuspendClaim(claim))
    assert not bench.has(fx.SuspendJob)
    assert bench.place("slot1") == "Claimed/Busy"


def test_the_event_log_tells_how_a_job_was_taken_back() -> None:
    for graceful in (True, False):
        bench = static()
        claim = bench.running()
        bench.do(ev.Deactivate(claim, graceful, VacateCode.CLAIM_DEACTIVATED, "by the schedd"))
        told = bench.only(fx.EpEvent)
        assert (told.name, told.number, told.where) == ("EP_DEACTIVATE_CLAIM", 107, (1, 0))
        assert told.attributes == (("Force", "false" if graceful else "true"), ("Success", "true"))


def test_without_a_log_of_events_nothing_is_made_for_it() -> None:
    bench = static(fields={"events": False})
    claim = bench.running()
    bench.do(ev.Deactivate(claim, True, VacateCode.CLAIM_DEACTIVATED, "by the schedd"))
    assert not [effect for effect in bench.all_effects if isinstance(effect, fx.EpEvent)]


def test_a_job_that_does_not_leave_is_killed_and_then_its_starter() -> None:
    bench = static(machine_max_vacate_time="20", fields={"killing_timeout": 30})
    claim = bench.running()
    bench.do(ev.Vacate("slot1@vm"))
    bench.wait(19)
    assert not bench.has(fx.HardKill)
    bench.wait(1)
    assert bench.only(fx.HardKill).claim == claim
    assert any("max vacate time expired.  Escalating to a fast shutdown of the job." in line for line in bench.log)
    bench.wait(29)
    assert not bench.has(fx.KillStarter)
    bench.wait(1)
    assert bench.only(fx.KillStarter).claim == claim


def test_a_fault_of_the_startd_over_an_end_keeps_the_end_from_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = static()
    claim = bench.running("slot1@vm")

    def fail(*_: object) -> None:
        raise ValueError("no record")

    monkeypatch.setattr(running, "record", fail)
    ended = fx.RunEnded(ExitReport(claim, "1.0", 1, exit_code=0))
    with pytest.raises(ValueError, match="no record"):
        bench.do(ended)
    assert ended in bench.startd.interrupted()


# slots that nobody has


@pytest.mark.parametrize("end", ["drain", "shutdown"])
def test_a_match_is_given_up_when_the_startd_goes(end: str) -> None:
    bench = static()
    bench.do(ev.Match("slot1@vm"))
    assert bench.place("slot1") == "Matched/Idle"
    bench.do(ev.Drain() if end == "drain" else ev.Shutdown())
    assert bench.place("slot1") != "Matched/Idle"
    assert any("the match is given up" in line for line in bench.log)


def test_a_match_is_for_whole_slots_that_are_free() -> None:
    bench = Bench()
    bench.do(ev.Match("slot1@vm"))
    assert bench.place("slot1") == "Unclaimed/Idle"
    claimed = static()
    claimed.running()
    claimed.do(ev.Match("slot1@vm"))
    assert claimed.place("slot1") == "Claimed/Busy"
    claimed.do(ev.Match("slot9@vm"))


@pytest.mark.parametrize("end", ["drain", "shutdown"])
def test_no_work_is_fetched_for_a_startd_that_goes(end: str) -> None:
    hooks = (FetchHooks("F", "/hooks/fetch", "", ""),)
    policy = SlotPolicy(hook_keyword="F", fetch_work_delay="10")
    bench = Bench(settings(types=(SlotType(1, 2, False, "auto", policy),), fetch_hooks=hooks))
    for slot in ("slot1@vm", "slot2@vm"):
        bench.do(ev.WorkFetched(slot, None))
    claim = bench.running("slot2@vm")
    bench.do(ev.Drain() if end == "drain" else ev.Shutdown("peaceful"))
    bench.wait(100)
    assert not bench.has(fx.FetchWork)
    assert claim in bench.claim_ids() or end == "drain"


def test_loads_and_idle_times_are_told_as_often_as_is_asked_for() -> None:
    def lines(**levels: int) -> int:
        bench = Bench(settings(update_interval=300, **levels))
        bench.log.clear()
        for _ in range(10):
            bench.wait(5)
        return len([line for line in bench.log if "LoadAvg:" in line or "Idle time:" in line])

    assert lines() == 0
    assert lines(log_load=1) == lines(log_idle=1) == 0
    assert lines(log_load=2) == lines(log_idle=2) == 10


def test_latches_are_looked_at_whatever_stands_before_them() -> None:
    bench = Bench(settings({"attrs": (("Busy", "TotalLoadAvg > 5"),)}, latched=("NumDynamicSlots", "Busy")))
    assert bench.ads()["slot1@vm"].eval_int("BusyTime") == int(bench.now)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("cpus=min", layout.Share(layout.Kind.FRACTION, 1 / 128)),
        ("cpus=minimal", layout.Share(layout.Kind.FRACTION, 1 / 128)),
        ("cpus=1/1", layout.Share(layout.Kind.FRACTION, 1.0)),
        ("cpus=auto", layout.AUTO),
        ("cpus=automatic", layout.AUTO),
        (f"cpus={MANY}", layout.Share(layout.Kind.AMOUNT, 2.0**63)),
        (f"cpus={MANY}%", layout.Share(layout.Kind.FRACTION, 2.0**63 / 100)),
        (f"cpus={MANY}/2", layout.Share(layout.Kind.FRACTION, 2.0**62)),
        (f"cpus=1/{MANY}", layout.Share(layout.Kind.FRACTION, 2.0**-63)),
    ],
)
def test_words_and_fractions_for_a_share(text: str, share: layout.Share) -> None:
    assert layout.parse_shares(text, (), "SLOT_TYPE_1")["cpus"] == share


def test_a_policy_that_gives_back_more_than_it_takes_is_none() -> None:
    policy = SlotPolicy(consumption=(("Cpus", "1"), ("Memory", "-1")))
    assert taken(job_ad(), ClassAd(), (), policy) is None


def test_a_consumption_policy_is_shown_where_slots_are_cut() -> None:
    policy = SlotPolicy(consumption=(("Cpus", "1"), ("Memory", "2"), ("Disk", "3")))
    cut = Bench(settings(types=(SlotType(1, 1, policy=policy),)))
    cut.running()
    ads = cut.ads()
    assert ads["slot1@vm"].text("ConsumptionCpus") == "1"
    assert [ads[f"{name}@vm"].text("NumClaims") for name in ("slot1", "slot1_1")] == ["7", None]


def test_a_job_that_the_policy_preempted_is_recorded_as_such() -> None:
    bench = static(preempt="TotalLoadAvg > 5")
    claim = bench.running()
    bench.wait(1, load_avg=6.0)
    bench.end(claim, exit_signal=15, vacated=True)
    ad = bench.only(fx.RunOver).ad
    assert (ad.text("BadputCausedByPreemption"), ad.text("BadputCausedByDraining")) == ("true", "false")


def test_the_log_names_decisions_by_htcondors_numbers() -> None:
    bench = static(fields={"claim_worklife": 10})
    claim = bench.running()
    bench.do(ev.Deactivate(claim, True, VacateCode.CLAIM_DEACTIVATED, "by the schedd"))
    assert any("Called deactivate_claim()" in line for line in bench.log)
    bench.now += 11
    bench.end(claim, exit_signal=15, vacated=True)
    assert any("Preempting/Idle 12 idle claim shutting down due to CLAIM_WORKLIFE" in line for line in bench.log)


def test_the_ad_of_the_startd_leaves_out_attributes_without_an_expression() -> None:
    made = settings(daemon_attrs=(("Site", '"here"'), ("Gone", ""), ("Bad", "(1 +")))
    ad = Bench(made).ads()["vm"]
    assert [ad.text(name) for name in ("Site", "Gone", "Bad")] == ['"here"', None, None]
