"""What a startd counts, averages, remembers and asks for: rules that need no slot."""

from __future__ import annotations

from typing import Any

import pytest
from cron_table import Table, job
from startd_bench import START, Bench, ev, job_ad, settings

from condor_py.core.slots.extras import Extras
from condor_py.core.slots.pool import Counters
from condor_py.core.slots.request import requested, rounded, taken
from condor_py.core.slots.resources import Resources, fitting_units, required_units
from condor_py.core.slots.state import DrainState, LoadWindow, recalled
from condor_py.model.settings.cron import CronMode
from condor_py.model.settings.startd import MachineResource, SlotPolicy, SlotType

# counts of the last twenty minutes


@pytest.mark.parametrize(
    ("moments", "now", "recent"),
    [
        ([0, 1, 59], 60, 3),
        ([0, 60, 119], 120, 3),
        ([0], 1199, 1),
        ([0], 1260, 0),
        ([0, 90], 1259, 1),
        ([0, 90], 1260, 0),
    ],
)
def test_recent_counts_are_those_of_twenty_minutes(moments: list[int], now: int, recent: int) -> None:
    counters = Counters(("JobStarts", "JobPreemptions"))
    for moment in moments:
        counters.add("JobStarts", moment + 6000)
    assert counters.recent("JobStarts", now + 6000) == recent
    assert (counters.totals["JobStarts"], counters.totals["JobPreemptions"]) == (len(moments), 0)


# the load of jobs in the last minute


@pytest.mark.parametrize(
    ("spans", "now", "average"),
    [
        ([], 100.0, 0.0),
        ([(40.0, 100.0, 1.0)], 100.0, 1.0),
        ([(70.0, 100.0, 1.0)], 100.0, 0.5),
        ([(0.0, 100.0, 1.0)], 130.0, 0.5),
        ([(0.0, 30.0, 2.0), (30.0, 60.0, 1.0)], 60.0, 1.5),
        ([(10.0, 10.0, 9.0)], 30.0, 0.0),
        ([(10.0, 10.2, 1.0), (10.2, 10.4, 3.0), (10.4, 10.8, 2.0)], 60.0, 1.6 / 60),
        ([(10.0, 12.0, 1.0), (12.0, 14.0, 2.0)], 60.0, 6.0 / 60),
        ([(0.0, 10.0, 1.0), (80.0, 90.0, 1.0)], 90.0, 10.0 / 60),
    ],
)
def test_the_load_is_the_average_of_the_last_minute(
    spans: list[tuple[float, float, float]], now: float, average: float
) -> None:
    window = LoadWindow()
    for begin, end, cpus in spans:
        window.add(begin, end, cpus)
    assert window.average(now) == pytest.approx(average)
    other = LoadWindow()
    other.add(now - 6.0, now, 1.0)
    other.absorb(window, now)
    assert other.average(now) == pytest.approx(average + 0.1)


def test_what_a_slot_does_in_a_second_is_kept_as_one() -> None:
    window = LoadWindow()
    for tenth in range(100):
        window.add(tenth / 10, (tenth + 1) / 10, 1.0)
    assert len(window._spans) <= 11
    assert window.average(10.0) == pytest.approx(10.0 / 60)
    window.add(200.0, 201.0, 1.0)
    assert len(window._spans) == 1


# what is remembered of draining

DRAINED = {
    "active": True,
    "start": "x",
    "boot_time": 1000,
    "request_id": "3",
    "last_stop": 5,
    "badput": 7,
    "requests": 3,
}


@pytest.mark.parametrize(
    ("boot_time", "goes_on"), [(1000, True), (1030, True), (970, True), (1031, False), (960, False)]
)
def test_a_drain_goes_on_until_the_machine_is_booted_anew(boot_time: int, goes_on: bool) -> None:
    state = recalled(DRAINED, boot_time, 99.5)
    assert (state.active, state.start, state.last_stop) == ((True, "x", 5) if goes_on else (False, "", 99))
    assert (state.request_id, state.badput, state.requests, state.counted_until) == ("3", 7, 3, 99.5)


def test_what_makes_no_sense_is_not_remembered() -> None:
    state = recalled({"active": "yes", "requests": 2.5, "badput": "x", "unclaimed": 3, "other": 1}, 0, 1.0)
    assert state == DrainState(unclaimed=3, counted_until=1.0)
    assert recalled(state.remembered(77), 77, 2.0).boot_time == 77


# what jobs ask for


@pytest.mark.parametrize(
    ("attributes", "found"),
    [
        ({}, Resources(1.0, 128, 1024, 0, (("GPUs", 0.0),))),
        ({"RequestCpus": "2.9", "RequestMemory": "0.5", "RequestDisk": "0"}, Resources(2.0, 1, 0, 0, (("GPUs", 0.0),))),
        ({"RequestCpus": "0"}, Resources(1.0, 128, 1024, 0, (("GPUs", 0.0),))),
        ({"RequestCpus": "NoSuch"}, Resources(1.0, 128, 1024, 0, (("GPUs", 0.0),))),
        ({"RequestGPUs": "2", "RequestVirtualMemory": "70"}, Resources(1.0, 128, 1024, 70, (("GPUs", 2.0),))),
        ({"RequestGPUs": "-2"}, Resources(1.0, 128, 1024, 0, (("GPUs", 0.0),))),
        ({"RequestMemory": "NoSuch"}, None),
        ({"RequestDisk": "NoSuch"}, None),
    ],
)
def test_what_a_job_requests(attributes: dict[str, str], found: Resources | None) -> None:
    assert requested(job_ad(**attributes), None, ("GPUs",)) == found


@pytest.mark.parametrize(
    ("consumption", "found"),
    [
        ({"Cpus": "TARGET.RequestCpus", "Memory": "256"}, Resources(1.0, 256, 0, 0, (("GPUs", 0.0),))),
        ({"Cpus": "0", "Memory": "0", "GPUs": "TARGET.RequestGPUs"}, None),  # the job names none
        ({"Cpus": "0", "Memory": "0", "Disk": "8"}, Resources(0.0, 0, 8, 0, (("GPUs", 0.0),))),
        ({"Cpus": "0"}, None),
        ({"Cpus": "-1", "Memory": "9"}, None),
        ({"Cpus": "NoSuch"}, None),
    ],
)
def test_what_a_consumption_policy_takes(consumption: dict[str, str], found: Resources | None) -> None:
    policy = SlotPolicy(consumption=tuple(consumption.items()))
    slot = Bench().ads()["slot1@vm"]
    assert taken(job_ad(), slot, ("GPUs",), policy) == found


def test_requests_are_rounded_where_that_gives_a_number() -> None:
    rules = (("RequestCpus", ""), ("RequestMemory", "quantize(RequestMemory,{100})"), ("RequestDisk", "NoSuch"))
    ad = rounded(job_ad(RequestCpus="3"), None, SlotPolicy(modify_request=rules))
    assert [ad.eval_int(name) for name in ("RequestCpus", "RequestMemory", "RequestDisk")] == [3, 200, 1024]


GPUS = MachineResource(
    "GPUs", 3.0, ids=("GPU-a", "GPU-b", "GPU-c"), properties=(("GPU-a", (("Capability", "8.0"), ("Id", '"GPU-a"'))),)
)


@pytest.mark.parametrize(
    ("constraint", "units"),
    [
        ("", ["GPU-a", "GPU-b", "GPU-c"]),
        ("Capability > 7", ["GPU-a"]),
        ("Capability > MinimumCapability", ["GPU-a"]),
        ('Id == "GPU-b"', ["GPU-b"]),
        ('"gpu-C"', ["GPU-c"]),
        ("NoSuch", []),
        ("1", ["GPU-a", "GPU-b", "GPU-c"]),
    ],
)
def test_which_units_meet_a_demand(constraint: str, units: list[str]) -> None:
    wanted = job_ad(MinimumCapability="7.5", RequireGPUs="Capability > 7")
    assert list(fitting_units(GPUS, GPUS.ids, constraint, wanted)) == units
    assert (required_units(wanted, "GPUs"), required_units(wanted, "FPGAs")) == ("Capability > 7", "")


# programs


def test_the_next_timer_is_that_of_a_program_or_of_a_kill() -> None:
    table = Table(job("a", period=60, kill=True), job("b", CronMode.ONE_SHOT))
    assert table.table.next_wakeup() is None
    assert table.at(0) == ["start a", "start b"]
    assert table.table.next_wakeup() == START + 60
    assert table.at(60) == ["term a"]
    assert table.table.next_wakeup() == START + 61
    assert table.table.running() == ["a", "b"]
    assert table.at(61) == ["kill a"]
    assert table.table.next_wakeup() == START + 120
    assert table.at(62) == []
    table.ends("nobody", 63)
    table.table.published("nobody")
    table.ends("b", 63)
    assert table.table.running() == ["a"]


def test_a_program_that_ended_by_itself_waits_for_its_next_beat() -> None:
    table = Table(job("a", period=60), job("w", CronMode.WAIT_FOR_EXIT, period=60))
    table.at(0)
    table.ends("a", 5)
    table.ends("w", 5)
    assert table.at(5) == []
    assert table.at(60) == ["start a"]
    assert table.at(65) == ["start w"]


def test_a_program_that_was_killed_runs_anew_only_where_it_has_a_period() -> None:
    table = Table(job("w", CronMode.WAIT_FOR_EXIT, period=0, kill=True))
    table.at(0)
    table.ends("w", 10)
    assert table.at(10) == ["start w"]


def test_how_often_a_program_has_run_and_what_it_does_after_a_change() -> None:
    def rerun(**more: Any) -> Any:
        return job("r", CronMode.PERIODIC, 60, reconfig_rerun=True, **more)

    table = Table(rerun())
    assert table.change(rerun()) == []
    assert table.at(0) == ["start r"]
    assert table.table.entries["r"].runs == 1
    assert table.change(rerun()) == []
    assert table.at(1) == [], "it still runs"
    table.ends("r", 2)
    assert table.change(rerun()) == []
    assert table.at(3) == ["start r"]
    assert table.table.entries["r"].runs == 2


def test_a_program_is_told_of_a_change_while_it_runs_and_has_spoken() -> None:
    table = Table(job("h", reconfig=True))
    assert table.change(job("h", reconfig=True)) == []
    table.at(0)
    assert table.change(job("h", reconfig=True)) == [], "it may not have its handler yet"
    table.table.published("H")
    assert table.change(job("h", reconfig=True)) == ["hup h"]
    table.ends("h", 5)
    assert table.change(job("h", reconfig=True)) == []


def test_a_changed_period_of_a_program_that_has_none_running() -> None:
    table = Table(job("o", CronMode.ONE_SHOT, 60))
    table.at(0)
    table.change(job("o", CronMode.ONE_SHOT, 30))
    assert table.table.next_wakeup() is None


# their ads


def test_what_changes_in_an_ad_counts_but_not_its_time() -> None:
    extras = Extras()
    assert extras.put("Temp", "", (("Temp", "1"), ("TempLastUpdate", "1")))
    assert not extras.put("Temp", "", (("Temp", "1"), ("TempLastUpdate", "2")))
    assert extras.put("Temp", "", (("Temp", "2"), ("TempLastUpdate", "2")))
    assert extras.put("Temp", "x", (("Temp", "2"),))
    assert [name for name, _ in extras.shown()] == ["temp", "temp.x"]
    extras.set_jobs(["other"])
    assert extras.shown() == []


@pytest.mark.parametrize(
    ("selector", "slots"),
    [
        ({}, ["1", "2", "3"]),
        ({"SlotId": "2"}, ["2"]),
        ({"SlotTypeId": "1"}, ["1", "2"]),
        ({"SlotTypeId": "2"}, ["3"]),
        ({"SlotName": '"slot1"'}, ["1"]),
        ({"Name": '"SLOT2"'}, ["2"]),
        ({"Name": '"vm"'}, []),
        ({"SlotMergeConstraint": "SlotID >= 2"}, ["2", "3"]),
        ({"SlotMergeConstraint": "NoSuch"}, []),
        ({"SlotMergeConstraint": "TARGET.SlotID >= 2", "SlotId": "1"}, ["2", "3"]),
    ],
)
def test_ads_of_programs_go_to_the_slots_that_they_name(selector: dict[str, str], slots: list[str]) -> None:
    bench = Bench(settings(types=(SlotType(1, 2, False, "cpus=2"), SlotType(2, 1, False, "cpus=2"))))
    bench.do(ev.CronJobs(("temp",)))
    bench.do(ev.CronAd("temp", "", (("Temp", "20"), *selector.items())))
    ads = bench.ads()
    assert [number for number in "123" if ads[f"slot{number}@vm"].eval_int("Temp") == 20] == slots
    assert not any(ad.has("SlotMergeConstraint") for ad in ads.values())


def test_what_an_administrator_tells_does_not_change_what_a_machine_is() -> None:
    bench = Bench()
    before = {name: ad.text("MyType") for name, ad in bench.ads().items()}
    pairs = (
        ("MyType", '"x"'),
        ("TargetType", '"x"'),
        ("OfflineUniverses", '{"x"}'),
        ("HasParallel", "false"),
        ("A", "1"),
    )
    bench.do(ev.UpdateAd(pairs))
    ads = bench.ads()
    assert {name: ad.text("MyType") for name, ad in ads.items()} == before
    told = {
        "TargetType": '"Job"',
        "OfflineUniverses": '{ "Parallel",11 }',
        "A": "1",
        "ParallelOfflineTime": str(int(START)),
    }
    assert {name: ads["slot1@vm"].text(name) for name in told} == told
    assert ads["slot1@vm"].text("ParallelOfflineReason") == '"[unknown reason]"'


def test_the_ad_of_the_startd_alone_tells_when_it_would_be_drained() -> None:
    bench = Bench(settings({"max_job_retirement_time": "100"}))
    bench.running()
    assert bench.startd.daemon_ad(bench.now).eval_int("ExpectedMachineGracefulDrainingCompletion") == START + 600


def test_what_a_claim_added_is_taken_away_with_it() -> None:
    extras = Extras()
    extras.color("c1", (("colors_of_slot1", "[ ]"),), 1)
    extras.announce("c2", (("catalog_1", "[ ]"),))
    assert [name for name, _ in extras.shown()] == ["#coloring.c1", "#catalog.c2"]
    extras.uncolor("c1")
    assert [name for name, _ in extras.shown()] == ["#catalog.c2"]
    extras.uncolor("c2")
    extras.uncolor("c2")
    assert extras.shown() == []
