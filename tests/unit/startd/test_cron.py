"""When cron programs run, what becomes of what they print, and which slots get it."""

from __future__ import annotations

import pytest
from cron_table import Table, job
from startd_bench import START, Bench, ev, fx, job_ad
from startd_bench import settings as startd_settings

from condor_py.core.slots.cronoutput import CronAd, CronOutput
from condor_py.model.settings.cron import CronMode
from condor_py.model.settings.startd import MachineResource, SlotType


def test_a_periodic_job_runs_at_once_and_then_every_period() -> None:
    table = Table(job())
    assert table.at(0) == ["start a"]
    table.ends("a", 10)
    assert table.at(59) == []
    assert table.table.next_wakeup() == START + 60
    assert table.at(60) == ["start a"]
    table.ends("a", 61)
    assert table.at(200) == ["start a"], "beats that were slept through are left out"
    assert table.table.next_wakeup() == START + 240


def test_a_job_that_still_runs_is_left_alone() -> None:
    table = Table(job())
    table.at(0)
    assert table.at(60) == []
    assert table.log == ["CronJob: Job 'a' is still running!"]
    table.ends("a", 70)
    assert table.at(119) == []
    assert table.at(120) == ["start a"]


def test_a_job_that_still_runs_is_killed_where_it_says_so() -> None:
    table = Table(job(kill=True))
    table.at(0)
    assert table.at(60) == ["term a"]
    assert table.at(60.5) == []
    assert table.at(61) == ["kill a"]
    table.ends("a", 61.1)
    assert table.at(61.1) == ["start a"]


def test_a_wait_for_exit_job_counts_its_period_from_the_end() -> None:
    table = Table(job(mode=CronMode.WAIT_FOR_EXIT, period=30))
    assert table.at(0) == ["start a"]
    assert table.at(100) == []
    table.ends("a", 100)
    assert table.at(129) == []
    assert table.at(130) == ["start a"]


def test_a_wait_for_exit_job_without_period_does_not_spin() -> None:
    table = Table(job(mode=CronMode.WAIT_FOR_EXIT, period=0))
    table.at(0)
    table.ends("a", 0.01)
    assert table.at(0.5) == []
    assert table.at(1) == ["start a"]


def test_a_one_shot_job_runs_once_and_again_with_reconfig_rerun() -> None:
    once, again = job("once", CronMode.ONE_SHOT), job("again", CronMode.ONE_SHOT, reconfig_rerun=True)
    table = Table(once, again)
    assert table.at(0) == ["start once", "start again"]
    table.ends("once", 1)
    table.ends("again", 1)
    assert table.at(1000) == []
    assert table.change(once, again) == []
    assert table.at(1001) == ["start again"]


def test_jobs_on_demand_wait_to_be_asked() -> None:
    benchmarks = [job(name, CronMode.ON_DEMAND, load=1.0) for name in ("mips", "kflops")]
    table = Table(*benchmarks, job("other", CronMode.ONE_SHOT, load=0.0), max_load=1.0)
    assert table.at(0) == ["start other"]
    table.ends("other", 0)
    assert table.table.demand() == 2
    assert table.at(0) == ["start mips"], "the load allows one at a time"
    table.ends("mips", 5)
    assert table.at(5) == ["start kflops"]
    table.ends("kflops", 9)
    assert not table.table.running()


def test_the_load_is_limited() -> None:
    table = Table(*(job(name, load=0.04) for name in "abc"))
    assert table.at(0) == ["start a", "start b"]
    table.ends("b", 3)
    assert table.at(3) == ["start c"]


def test_a_condition_is_asked_at_each_start() -> None:
    table = Table(job())
    table.forbidden = {"a"}
    assert table.at(0) == []
    table.forbidden = set()
    assert table.at(7) == ["start a"]


def test_nothing_starts_while_benchmarks_run() -> None:
    table = Table(job())
    assert table.at(0, start=False) == []
    assert table.at(9) == ["start a"]


def test_a_changed_list() -> None:
    table = Table(job("a"), job("b"), job("c", reconfig=True))
    table.at(0)
    table.table.published("c")
    assert table.change(job("a", CronMode.ONE_SHOT), job("c", reconfig=True)) == ["kill a", "hup c", "kill b"]
    assert table.at(1) == ["start a"], "another mode makes another job"


def test_a_changed_period_counts_from_the_last_start() -> None:
    table = Table(job(period=600))
    table.at(0)
    table.ends("a", 1)
    table.at(100)
    table.change(job(period=120))
    assert table.table.next_wakeup() == START + 120


def test_the_end_kills_what_runs() -> None:
    table = Table(job("a"), job("b", CronMode.ON_DEMAND))
    table.at(0)
    assert [(action.order, action.job.name) for action in table.table.stop()] == [("kill", "a")]
    assert table.at(100) == []


# -- output


def ads(text: str, prefix: str = "") -> list[CronAd]:
    output = CronOutput(prefix)
    half = len(text) // 2
    found = list(output.feed(text[:half].encode(), START))
    found += output.feed(text[half:].encode(), START)
    return found + list(output.finish(START))


def test_one_ad_with_a_prefix() -> None:
    [ad] = ads('Temp = 40 + 2\n\nName2="x"\n', "Room")
    assert ad.pairs == (("RoomTemp", "40 + 2"), ("RoomName2", '"x"'), ("RoomLastUpdate", str(int(START))))
    assert (ad.tag, ad.update) == ("", None)


@pytest.mark.parametrize(
    ("separator", "tag", "update"),
    [
        ("-", "", None),
        ("- one", "one", None),
        ("-one update:true", "one", True),
        ("- update:true", "", True),
        ("- update:false", "", False),
        ("- update:", "", True),
        ("- two update", "two", True),
    ],
)
def test_separators(separator: str, tag: str, update: bool | None) -> None:
    [ad] = ads(f"A = 1\n{separator}\n")
    assert (ad.tag, ad.update) == (tag, update)


def test_several_ads_and_lines_that_are_none() -> None:
    found = ads("A = 1\nnonsense\nB = (\n- x\nA = 2")
    assert [ad.tag for ad in found] == ["x", ""]
    assert found[0].rejected == ("nonsense", "B = (")
    assert found[1].pairs[0] == ("A", "2")
    assert ads("\n- x\n-\n") == []


# -- slots


def three_slots() -> Bench:
    types = (SlotType(1, 2, False, "25%"), SlotType(2, 1, True, "50%"))
    bench = Bench(startd_settings(types=types))
    bench.do(ev.CronJobs(("first", "second")))
    return bench


def publish(bench: Bench, text: str, name: str = "first", slots: tuple[int, ...] = ()) -> None:
    for ad in ads(text):
        bench.do(ev.CronAd(name, ad.tag, ad.pairs, slots, publish=ad.update is True))


def values(bench: Bench, attribute: str = "Value") -> list[int | None]:
    found = bench.ads()
    return [found[f"slot{n}@vm"].eval_int(attribute, None) for n in (1, 2, 3)]


def test_the_manuals_example() -> None:
    bench = three_slots()
    publish(bench, "Value=1\nSlotId=1\n-s1\nValue=2\nSlotId=2\n-s2\nValue=10\n- update:true\n")
    assert bench.has(fx.Publish)
    assert values(bench) == [1, 2, 10]
    assert values(bench, "SlotID") == [1, 2, 3], "what selects is not merged"
    publish(bench, "Value=10\n-all\n")
    assert values(bench) == [10, 10, 10]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("SlotMergeConstraint = TARGET.SlotTypeID == 2", [None, None, 5]),
        ("SlotMergeConstraint = PartitionableSlot =!= true", [5, 5, None]),
        ('SlotName = "slot2"', [None, 5, None]),
        ('Name = "SLOT"', [5, 5, 5]),
        ("SlotTypeId = 1", [5, 5, None]),
        ("SlotId = 3", [None, None, 5]),
    ],
)
def test_selectors(selector: str, expected: list[int | None]) -> None:
    bench = three_slots()
    publish(bench, f"Value = 5\n{selector}\n")
    assert values(bench) == expected


def test_the_list_of_slots_of_a_job() -> None:
    bench = three_slots()
    publish(bench, "Value = 7\n", slots=(2, 3))
    assert values(bench) == [None, 7, 7]


def test_jobs_merge_in_the_order_of_the_list_and_leave_with_it() -> None:
    bench = three_slots()
    publish(bench, "Value = 2\n", "second")
    publish(bench, "Value = 1\nOnly = 1\n", "first")
    assert values(bench) == [2, 2, 2]
    bench.do(ev.CronJobs(("first",)))
    assert values(bench) == [1, 1, 1]
    bench.do(ev.CronJobs(()))
    assert values(bench, "Only") == [None] * 3


def test_the_policy_sees_what_a_program_says() -> None:
    from condor_py.model.settings.startd import SlotPolicy

    bench = Bench(startd_settings(types=(SlotType(1, 1, False, policy=SlotPolicy(is_owner="HostBusy =?= true")),)))
    bench.do(ev.CronJobs(("first",)))
    publish(bench, "HostBusy = true\n")
    bench.wait(5)
    assert bench.place("slot1") == "Owner/Idle"


@pytest.mark.parametrize(("again", "published"), [("Value = 1\n", False), ("Value = 2\n", True)])
def test_publishing_only_what_changed(again: str, published: bool) -> None:
    bench = three_slots()
    publish(bench, "Value = 1\n")
    bench.now += 9
    [ad] = ads(again)
    bench.do(ev.CronAd("first", "", ad.pairs, publish=None))
    assert bench.has(fx.Publish) is published


def test_attributes_from_condor_update_machine_ad_stay() -> None:
    bench = three_slots()
    bench.do(ev.UpdateAd((("MyType", '"X"'), ("HasVM", "false"), ("Value", "3"))))
    bench.wait(400)
    ad = bench.ads()["slot1@vm"]
    assert (ad.text("HasVM"), ad.eval_str("MyType"), ad.eval_int("Value")) == ("false", "Machine", 3)


def test_universes_that_are_offline() -> None:
    bench = three_slots()
    lines = (("HasVM", "False"), ("HasDocker", "false"), ("VMOfflineReason", '"Cosmic rays."'), ("HasFoo", "false"))
    bench.do(ev.UpdateAd(lines))
    ad = bench.ads()["slot1@vm"]
    assert ad.text("OfflineUniverses") == '{ "Docker","VM",13 }'
    assert (ad.eval_str("VMOfflineReason"), ad.eval_int("VMOfflineTime")) == ("Cosmic rays.", int(bench.now))
    assert ad.eval_str("DockerOfflineReason") == "[unknown reason]"
    bench.do(ev.UpdateAd((("HasVM", "true"),)))
    ad = bench.ads()["slot1@vm"]
    assert (ad.text("OfflineUniverses"), ad.text("VMOfflineTime")) == ('{ "Docker" }', "undefined")


# -- monitors of devices

METRICS = (("SUM", "GPUs"), ("PEAK", "GPUsMemory"))


def measure(bench: Bench, device: str, seconds: float, peak: int) -> None:
    """An ad of the monitor about a device."""
    text = (
        f'SlotMergeConstraint = StringListMember("{device}", AssignedGPUs)\n'
        f"UptimeGPUsSeconds = {seconds}\nUptimeGPUsMemoryPeakUsage = {peak}\n- {device}\n"
    )
    for ad in ads(text):
        bench.do(ev.CronAd("monitor", ad.tag, ad.pairs, metrics=METRICS))


def test_monitors_add_up_what_the_devices_of_a_slot_do() -> None:
    devices = MachineResource("GPUs", 2, ("a", "b"))
    bench = Bench(startd_settings(resources=(devices,)))
    bench.do(ev.CronJobs(("monitor",)))
    bench.now += 100
    measure(bench, "a", 50.0, 1000)
    measure(bench, "b", 10.0, 3000)
    claim = bench.running(ad=job_ad(RequestGPUs="2"))
    bench.now += 10
    measure(bench, "a", 5.0, 500)
    measure(bench, "b", 5.0, 700)
    bench.now += 10
    measure(bench, "a", 10.0, 900)
    measure(bench, "b", 5.0, 100)
    ad = bench.ads()["slot1_1@vm"]
    assert ad.eval_real("GPUsAverageUsage") == (10 + 5) / 10
    assert ad.eval_real("GPUsMemoryUsage") == 900
    assert ad.eval_real("DeviceGPUsAverageUsage") == pytest.approx((65 + 20) / 120)
    assert ad.eval_real("DeviceGPUsMemoryPeakUsage") == 3000
    assert not ad.has("UptimeGPUsSeconds")
    assert bench.startd.measured(claim)["GPUsMemoryUsage"] == "900.0"
    bench.end(claim)
    assert bench.startd.measured(claim) == {}
    assert not bench.ads()["slot1_1@vm"].has("GPUsAverageUsage")


def test_what_a_monitor_says_besides_its_metrics_counts_for_start() -> None:
    devices = MachineResource("GPUs", 2, ("a", "b"))
    bench = Bench(startd_settings({"start": "DriverOk =?= true"}, resources=(devices,)))
    bench.do(ev.CronJobs(("monitor", "other")))
    bench.ask()
    assert bench.has(fx.ClaimRefused)
    bench.do(ev.CronAd("other", "", (("Temperature", "1"),)))
    for ad in ads("DriverOk = true\nTemperature = 60\nUptimeGPUsSeconds = 3.0\n"):
        bench.do(ev.CronAd("monitor", ad.tag, ad.pairs, metrics=METRICS))
    slot = bench.ads()["slot1@vm"]
    assert (slot.text("DriverOk"), slot.text("Temperature"), slot.has("UptimeGPUsSeconds")) == ("true", "60", False)
    assert bench.claim() != ""


def test_a_job_colors_the_slots_of_its_number_while_its_claim_lasts() -> None:
    bench = Bench(startd_settings(colors=True))
    claim = bench.running(ad=job_ad(ColorAd="[ ColorAttr = 7 ]"))
    color = "[ ColorAttr = 7; SlotMergeConstraint = SlotID == 1 ]"
    assert [ad.text("colors_of_slot1_1") for ad in bench.ads().values()] == [color, color, None]
    [(name, pairs)] = bench.startd.extras()
    assert name.startswith("#coloring.")
    assert pairs == (("colors_of_slot1_1", color),)
    bench.end(claim)
    bench.do(ev.ReleaseClaim(claim))
    assert bench.startd.extras() == []
    assert not bench.ads()["slot1@vm"].has("colors_of_slot1_1")
