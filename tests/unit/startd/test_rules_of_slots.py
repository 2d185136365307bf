"""What is told of slots, what jobs may ask of them, and what is remembered: each rule with what it leaves out."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from startd_bench import FACTS, START, Bench, ev, fx, job_ad, settings

from condor_py.core.slots import guard, layout, power
from condor_py.core.slots import power as alarm
from condor_py.core.slots.cron import CronTable
from condor_py.core.slots.cronoutput import CronOutput
from condor_py.core.slots.pending import PendingClaims
from condor_py.core.slots.policy import check_policies, needs_polls
from condor_py.core.slots.pool import IllegalTransition
from condor_py.core.slots.request import requested, taken
from condor_py.core.slots.resources import Resources, custom
from condor_py.core.slots.state import ClaimInfo, LoadWindow, recalled
from condor_py.model.errors import ConfigError
from condor_py.model.facts import SlotVolume
from condor_py.model.ids import JobId
from condor_py.model.report import ExitReport
from condor_py.model.settings.containers import ContainerAbilities
from condor_py.model.settings.cron import CronJobSettings, CronMode, CronSettings
from condor_py.model.settings.startd import FetchHooks, MachineResource, SlotPolicy, SlotType, StartdSettings
from condor_py.model.states import HoldCode


def static(count: int = 1, fields: dict[str, Any] | None = None, **policy: Any) -> Bench:
    return Bench(settings(types=(SlotType(1, count, False, "auto", SlotPolicy(**policy)),), **(fields or {})))


def plan(*types: SlotType, volumes: tuple[SlotVolume, ...] = (), **fields: Any) -> layout.Layout:
    made_of = StartdSettings(types=types, **fields)
    return layout.plan(made_of, layout.machine_resources(made_of, FACTS), volumes)


# how a machine is divided


def test_a_slot_for_which_something_is_left_over_twice_gets_none_of_it() -> None:
    """Swap is shared: who asks for all of it gets it, and a slot that has to be trimmed gets nothing of what is
    overdrawn already."""
    all_of_it = SlotType(1, 1, False, "cpus=1, memory=1000, swap=100%")
    found = plan(
        all_of_it, dataclasses.replace(all_of_it, type_id=2), SlotType(3, 1, False, "cpus=8, memory=1000, swap=100%")
    )
    swap = [one.amount.swap for one in found.slots]
    assert swap == [16_384_000, 16_384_000, 0]
    assert found.slots[2].broken == "Not enough Cpus (2.00 short)"


def test_a_part_of_a_disk_is_one_of_the_file_system_that_the_slot_is_on() -> None:
    share = SlotType(1, 2, False, "cpus=1, memory=25%, disk=25%")
    found = plan(share, volumes=(SlotVolume(2, "7", 40_000),))
    assert [(one.amount.memory, one.amount.disk) for one in found.slots] == [(4000, 18_900_000), (4000, 10_000)]


def test_slots_that_share_a_disk_that_is_too_small_find_nothing_left() -> None:
    """Each slot has at least 1 MB: the second of two finds half of that."""
    found = plan(SlotType(1, 2, False), volumes=(SlotVolume(1, "7", 1536), SlotVolume(2, "7", 1536)))
    assert [one.broken for one in found.slots] == ["", "Not enough Disk (512 short)"]
    assert [one.amount.disk for one in found.slots] == [1024, 0]


# amounts


def test_amounts_add_up_in_every_part() -> None:
    one = Resources(1.5, 10, 100, 1000, (("GPUs", 2.0),))
    two = Resources(0.5, 5, 50, 500, (("GPUs", 1.0),))
    assert one + two == Resources(2.0, 15, 150, 1500, (("GPUs", 3.0),))
    assert one - two == Resources(1.0, 5, 50, 500, (("GPUs", 1.0),))


def test_what_is_short_is_named_and_swap_is_not() -> None:
    wanted = Resources(4.0, 1000, 10, 10**9, (("GPUs", 1.0), ("Licenses", 2.0)))
    assert wanted.shortage(Resources(0.5, 800, 10, 0, (("Licenses", 2.0),))) == (
        "Cpus (3.50 short) Memory (200 short) GPUs (1.00 short)"
    )


def test_custom_resources_are_in_the_order_of_their_names_without_case() -> None:
    assert custom({"beta": 1.0, "Alpha": 2.0, "gamma": 3.0}) == (
        ("Alpha", 2.0),
        ("beta", 1.0),
        ("gamma", 3.0),
        ("GPUs", 0.0),
    )


def test_a_job_may_ask_for_swap() -> None:
    job = job_ad(RequestVirtualMemory="2048.7")
    amount = requested(job, None, ())
    assert amount is not None
    assert amount.swap == 2048
    by_policy = taken(job, job_ad(), (), SlotPolicy(consumption=(("Cpus", "1"),)))
    assert by_policy is not None
    assert by_policy.swap == 2048


# what the ads tell


def test_abilities_name_what_works_only() -> None:
    def told(**abilities: Any) -> tuple[str, str | None]:
        ad = Bench(settings(containers=ContainerAbilities(**abilities))).ads()["vm"]
        return ad.eval_str("StarterAbilityList") or "", ad.text("HasDocker")

    works, flag = told(docker="29.1.0")
    assert (works.split(",").count("HasDocker"), flag) == (1, "true")
    broken, flag = told(docker_broken="no daemon")
    assert ("HasDocker" in broken, flag) == (False, "false")


def test_an_expression_that_loses_its_value_has_a_time_and_no_value() -> None:
    room = ("Room", "TotalLoadAvg > 5 ? undefined : 3 + 0 * KeyboardIdle")
    bench = static(fields={"latched": ("Room",)}, attrs=(room,))
    ad = bench.ads()["slot1@vm"]
    assert (ad.text("RoomValue"), ad.eval_int("RoomTime")) == ("3", int(START))
    bench.wait(10, load_avg=6.0)
    ad = bench.ads()["slot1@vm"]
    assert (ad.text("RoomValue"), ad.eval_int("RoomTime")) == (None, int(START) + 10)


def test_the_programs_that_measure_reach_the_run_behind_claims_that_wait() -> None:
    gpus = MachineResource("GPUs", 2.0, ids=("a", "b"))
    bench = Bench(settings(resources=(gpus,)))
    bench.do(ev.CronJobs(("monitor",)))
    idle, waiting = (bench.claim(ad=job_ad(RequestGPUs=count)) for count in ("0", "1"))
    bench.do(ev.StarterGone(waiting, 9))
    bench.do(ev.Activate(waiting, "1.0", 1, job_ad()))
    busy = bench.running(ad=job_ad(RequestGPUs="1"))
    for seconds, used, device in ((0, 10.0, "a"), (0, 10.0, "b"), (10, 90.0, "a"), (0, 30.0, "b")):
        bench.now += seconds
        mine = ("SlotMergeConstraint", f'StringListMember("{device}", AssignedGPUs)')
        pairs = (mine, ("UptimeGPUsSeconds", str(used)))
        bench.do(ev.CronAd("monitor", device, pairs, metrics=(("SUM", "GPUs"),)))
    assert bench.ads()["slot1_2@vm"].eval_str("AssignedGPUs") == "a"
    measured = {claim: bench.startd.measured(claim) for claim in (waiting, idle, busy)}
    assert measured == {waiting: {}, idle: {}, busy: {"GPUsAverageUsage": "3.0"}}


def test_a_job_tells_its_slot_colors_only_where_the_pool_is_told_to_listen() -> None:
    color = job_ad(ColorAd='[ Mood = "blue" ]')
    for colors in (False, True):
        bench = static(fields={"colors": colors})
        bench.running(ad=color)
        assert (bench.ads()["slot1@vm"].text("colors_of_slot1") is not None) == colors, colors


def test_what_a_schedd_that_comes_back_is_told_of_its_claims() -> None:
    bench = static(2)
    idle = bench.claim("slot1@vm")
    busy = bench.running("slot2@vm")
    told = bench.startd.claims()
    assert told == [
        ClaimInfo(idle, "slot1@vm", "alice@example.net", "Claimed", "Idle"),
        ClaimInfo(busy, "slot2@vm", "alice@example.net", "Claimed", "Busy", "1.0", 1, 5000, START),
    ]


def test_an_ad_that_a_job_sees_names_the_policy_of_its_slot() -> None:
    policy = {
        "suspend": "X == 1",
        "continue_": "X == 2",
        "preempt": "X == 3",
        "kill": "X == 4",
        "want_suspend": "X == 5",
        "want_vacate": "X == 6",
        "want_hold": "X == 7",
        "is_owner": "X == 8",
    }
    bench = static(**policy)
    ad = bench.startd.slot_ad(bench.claim(), bench.now)
    assert ad is not None
    names = ("SUSPEND", "CONTINUE", "PREEMPT", "KILL", "WANT_SUSPEND", "WANT_VACATE", "WANT_HOLD", "IsOwner")
    assert [ad.text(name) for name in names] == [f"X == {number}" for number in range(1, 9)]


def test_shares_with_constraints_may_have_commas_inside_of_parentheses() -> None:
    text = 'GPUs=1:member(Name, {"a", "b"}) && Big , cpus=2, , Nothing=0, memory=5'
    found = layout.parse_shares(text, ("GPUs",), "SLOT_TYPE_1")
    assert found["gpus"].constraint == 'member(Name, {"a", "b"}) && Big'
    assert (found["cpus"].value, found["memory"].value, found[""]) == (2.0, 5.0, layout.AUTO)
    mixed = layout.parse_shares("25%, cpus=2", (), "SLOT_TYPE_1")
    assert (mixed[""].value, mixed["cpus"].value) == (0.25, 2.0)
    assert layout.parse_shares("cpus=2, 25%, memory=5", (), "SLOT_TYPE_1")["memory"].value == 5.0


# policy


@pytest.mark.parametrize(
    ("universe", "evicted"), [({}, True), ({"JobUniverse": "5"}, True), ({"JobUniverse": "12"}, False)]
)
def test_a_job_without_a_universe_is_a_vanilla_job(universe: dict[str, str], evicted: bool) -> None:
    bench = static(vanilla=(("PREEMPT", "true"),))
    ad = job_ad()
    ad.remove("JobUniverse")
    ad.set_texts(universe.items())
    bench.running(ad=ad)
    bench.wait(1)
    assert bench.has(fx.SoftKill) == evicted


def test_time_has_to_be_looked_at_where_some_policy_may_change_its_mind() -> None:
    def of(override: SlotPolicy | None = None, **policy: Any) -> bool:
        overrides = () if override is None else ((1, override),)
        return needs_polls(settings(policy, overrides=overrides))

    assert not of()
    assert not of(start="KeyboardIdle > 5"), "asked when somebody comes"
    for knob in (
        "is_owner",
        "want_suspend",
        "suspend",
        "preempt",
        "run_benchmarks",
        "start_backfill",
        "evict_backfill",
    ):
        assert of(**{knob: "KeyboardIdle > 5"}), knob
    assert of(vanilla=(("PREEMPT", "KeyboardIdle > 5"),))
    assert of(SlotPolicy(preempt="KeyboardIdle > 5"))


def test_a_policy_that_cannot_be_read_names_its_knob() -> None:
    check_policies(settings())
    for wrong in (
        settings({"preempt": "(("}),
        settings(overrides=((1, SlotPolicy(preempt="((")),)),
        settings({"vanilla": (("PREEMPT", "(("),)}),
    ):
        with pytest.raises(ConfigError, match="PREEMPT is not a valid expression"):
            check_policies(wrong)


# what cannot be handled


def test_a_request_that_cannot_be_handled_is_answered() -> None:
    error = ValueError("no " + 300 * "x")
    request = ev.ClaimRequest("r1", "slot1@vm", "a@x", "a", job_ad())
    log, refused = guard.answer(request, error)
    assert isinstance(log, fx.Log)
    assert log.text.startswith("ERROR ClaimRequest failed: ")
    assert refused == fx.ClaimRefused(
        "r1", f"The startd could not handle this job: ValueError: no {300 * 'x'}"[:200], fault=True
    )
    activate = guard.answer(ev.Activate("c1", "1.0", 2, job_ad()), ValueError("no"))
    reason = "The startd could not handle this job: ValueError: no"
    held = ExitReport("c1", "1.0", 2, hold_code=HoldCode.STARTD_HELD_JOB, hold_reason=reason)
    assert activate[1:] == [fx.RunEnded(held)]
    assert len(guard.answer(ev.RunUpdate("c1", JobId(1, 0), 1, {}), error)) == 1, "the next one may be better"
    assert guard.answer(ev.Ready("c1", 4711), error)[1:] == [fx.KillStarter("c1")]
    assert len(guard.answer(ev.Poll(), error)) == 1


def test_whose_expressions_an_event_makes_the_startd_evaluate() -> None:
    bench = static(2)
    claim = bench.running("slot1@vm")
    pool = bench.startd._pool
    job = job_ad()
    request = ev.ClaimRequest("r1", "slot1@vm", "a@x", "a", job)
    assert guard.payer(pool, request) is job
    assert guard.payer(pool, ev.BetterClaim(request, True)) is job
    assert guard.payer(pool, ev.SuspendClaim(claim)) is pool.claims[claim]
    assert guard.payer(pool, ev.Poll()) is None


# what is remembered


def test_what_was_remembered_of_a_drain_is_taken_as_far_as_it_can_be_read() -> None:
    good = {"active": True, "how": "quick", "reason": "why", "requests": 3, "badput": 2, "boot_time": 100}
    state = recalled(good, 100, START)
    assert (state.active, state.how, state.reason, state.requests, state.badput) == (True, "quick", "why", 3, 2)
    for name, wrong in (("requests", "3"), ("reason", 7), ("badput", "2"), ("requests", 2.5), ("other", 1)):
        state = recalled({**good, name: wrong}, 100, START)
        assert getattr(state, name, None) != wrong, name
        assert state.active
    assert not recalled(good, 131, START).active
    assert recalled(good, 130, START).active


# programs


def cron(*jobs: CronJobSettings) -> CronTable:
    return CronTable(CronSettings("STARTD_CRON", jobs, 0.1), START, lambda job: True, lambda line: None)


def test_a_program_that_was_asked_to_end_is_not_asked_again() -> None:
    table = cron(CronJobSettings("a", "/bin/a", CronMode.PERIODIC, 1, kill=True))
    orders = [[action.order for action in table.due(START + second)] for second in (0.0, 1.0, 1.9, 2.0, 3.0)]
    assert orders[:2] == [["start"], ["term"]]
    assert [order for at_once in orders for order in at_once].count("term") == 1


def test_what_a_program_has_said_is_counted() -> None:
    table = cron(CronJobSettings("a", "/bin/a", CronMode.PERIODIC, 60))
    table.due(START)
    for said in (1, 2):
        table.published("A")
        assert table.entries["a"].outputs == said


def test_nothing_starts_any_more_when_the_daemon_ends() -> None:
    table = cron(
        CronJobSettings("a", "/bin/a", CronMode.PERIODIC, 60), CronJobSettings("b", "/bin/b", CronMode.ON_DEMAND, 0)
    )
    table.due(START)
    assert [(action.order, action.job.name) for action in table.stop()] == [("kill", "a")]
    assert (table.stop(), table.due(START + 600), table.next_wakeup(), table.running()) == ([], [], None, [])


def test_what_stood_idle_for_a_drain_is_counted_up_to_its_end() -> None:
    bench = static(2)
    bench.running("slot1@vm")
    bench.do(ev.Drain())
    bench.now += 10
    bench.do(ev.CancelDrain())
    assert bench.ads()["vm"].eval_int("TotalMachineDrainingUnclaimedTime") == 40


def test_a_fast_shutdown_kills_every_job_and_ends_every_claim() -> None:
    bench = static(3)
    idle, *busy = bench.claim("slot1@vm"), bench.running("slot2@vm"), bench.running("slot3@vm")
    bench.do(ev.Shutdown("fast"))
    assert [effect.claim for effect in bench.effects if isinstance(effect, fx.HardKill)] == busy
    assert bench.claim_ids() == set(busy)
    assert bench.only(fx.ClaimLost).claim == idle


def test_only_dynamic_slots_were_cut_for_what_a_job_was_rounded_to() -> None:
    smaller = (("RequestMemory", "quantize(RequestMemory, {128}) - 256"),)
    bench = static(modify_request=smaller)
    bench.ask(ad=job_ad(RequestMemory="16128"))
    assert bench.only(fx.ClaimRefused).reason == "Not enough Memory (128 short)"


def test_work_that_is_fetched_for_a_slot_with_an_idle_claim_takes_it_if_it_is_better() -> None:
    hooks = FetchHooks("X", fetch_work="/f")
    bench = static(fields={"fetch_hooks": (hooks,)}, hook_keyword="X", rank="TARGET.Prio ?: 0")
    claim = bench.claim()
    bench.do(ev.WorkFetched("slot1@vm", job_ad(Owner='"hal"')))
    assert bench.claim_ids() == {claim}, "not better"
    bench.do(ev.WorkFetched("slot1@vm", job_ad(Owner='"hal"', Prio="1")))
    assert bench.only(fx.ClaimLost).claim == claim
    bench.do(ev.StarterGone(claim, 0))
    (fetched,) = bench.claim_ids()
    assert fetched != claim


def test_work_that_a_hook_brings_which_is_none_any_more_is_taken_without_a_reply() -> None:
    bench = static(fields={"fetch_hooks": (FetchHooks("X", fetch_work="/f", reply_fetch="/r"),)}, hook_keyword="X")
    assert bench.all_effects[-1] == fx.FetchWork("slot1@vm", "/f")
    policy = SlotPolicy(hook_keyword="X")
    bench.do(ev.Reconfig(settings(types=(SlotType(1, 1, False, "auto", policy),))))
    bench.do(ev.WorkFetched("slot1@vm", job_ad(Owner='"hal"')))
    assert not bench.has(fx.ReplyFetch)
    assert bench.has(fx.FetchedJob)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("tag", ("tag", None)),
        ("tag update", ("tag", True)),
        ("update:true", ("", True)),
        ("tag update:false", ("tag", False)),
        ("tag UPDATE:((", ("tag", True)),
        ("tag update:", ("tag", True)),
        ("tag other:false", ("tag", None)),
    ],
)
def test_what_stands_behind_the_end_of_an_ad(words: str, found: tuple[str, bool | None]) -> None:
    (ad,) = CronOutput("").feed(f"A = 1\n- {words}\n".encode(), START)
    assert (ad.tag, ad.update) == found


def test_victims_are_asked_to_leave_in_the_order_of_their_names() -> None:
    bench = static(3)
    told: list[ev.Event] = []
    desk = PendingClaims(bench.startd.claimed_slots, told.append)
    request = ev.ClaimRequest("r1", "slot1@vm", "a@x", "a", job_ad())
    desk.request(request, ["slot3@vm", "slot1@vm", "slot2@vm"], by_rank=False)
    assert [event.slot for event in told if isinstance(event, ev.Vacate)] == ["slot1@vm", "slot2@vm", "slot3@vm"]
    assert told[-1] is request


def test_an_ad_that_chooses_no_slots_is_for_all_of_them() -> None:
    bench = static(2)
    bench.do(ev.CronJobs(("p",)))
    bench.do(ev.CronAd("p", "", (("Mood", '"good"'),)))
    bench.do(ev.CronAd("p", "two", (("SlotId", "2"), ("Light", '"on"'))))
    found = [
        (ad.eval_str("Mood", ""), ad.eval_str("Light", "")) for name, ad in sorted(bench.ads().items()) if name != "vm"
    ]
    assert found == [("good", ""), ("good", "on")]


# slots that have it all once more


def backfill(*, share: str = "auto", licenses: float = 0.0) -> Bench:
    types = (SlotType(1, 1, True), SlotType(2, 1, True, share, prefix="behind", backfill=True))
    return Bench(settings(types=types, resources=(MachineResource("Licenses", licenses),)))


def test_backfill_slots_that_have_less_than_the_machine_add_nothing_to_it() -> None:
    bench = backfill(share="cpus=2, memory=100, disk=2000, swap=10%", licenses=2.0)
    excess = bench.startd._pool.overlap().excess
    assert (excess.cpus, excess.memory, excess.disk, excess.swap) == (0.0, 0, 0, 0)
    assert {amount for _, amount in excess.custom} == {0.0}


def test_backfill_slots_do_not_offer_what_primary_jobs_have_of_anything() -> None:
    bench = backfill(licenses=3.0)
    bench.running("slot1@vm", job_ad(RequestCpus="3", RequestMemory="1024", RequestLicenses="2"))
    ad = bench.ads()["behind2@vm"]
    assert [ad.eval_int(name) for name in ("Cpus", "Memory", "Licenses")] == [5, 16000 - 1024, 1]


# one after the other


def test_a_job_that_was_continued_by_command_may_be_suspended_and_continued_by_policy() -> None:
    bench = static(want_suspend="true", suspend="TotalLoadAvg > 5", continue_="TotalLoadAvg < 5")
    claim = bench.running()
    bench.do(ev.SuspendClaim(claim))
    bench.wait(1)
    assert bench.place("slot1") == "Claimed/Suspended", "whatever CONTINUE says"
    bench.do(ev.ContinueClaim(claim))
    bench.wait(1, load_avg=6.0)
    assert bench.place("slot1") == "Claimed/Suspended"
    bench.wait(1)
    assert bench.place("slot1") == "Claimed/Busy"


def test_a_match_that_is_not_claimed_is_published_as_given_up_to_the_owner() -> None:
    bench = static(is_owner="TotalLoadAvg > 5")
    bench.do(ev.Match("slot1@vm"))
    bench.wait(120, load_avg=6.0)
    assert bench.place("slot1") == "Owner/Idle"
    assert bench.has(fx.Publish)


def test_starters_that_work_again_are_forgiven() -> None:
    bench = static()
    rests = []
    for _ in range(2):
        claim = bench.claim()
        bench.do(ev.StarterGone(claim, 0))
        bench.do(ev.Activate(claim, "1.0", 1, job_ad()))
        for _ in range(3):
            bench.do(ev.StarterGone(claim, 9))
        rests += [line for line in bench.log if "no claims for" in line][len(rests) :]
        bench.wait(2)
    assert rests == ["Starters fail on this machine: no claims for 1 s"] * 2


def test_only_dynamic_slots_can_be_deleted() -> None:
    bench = static()
    pool = bench.startd._pool
    with pytest.raises(IllegalTransition, match="slot1@vm is no dynamic slot"):
        pool.delete(pool.slots[0])


def test_what_slots_tell_of_each_other() -> None:
    bench = static(2, {"slot_attrs": ("RemoteOwner", "RemoteUser", "State")})
    bench.running("slot1@vm")
    bench.wait(1)
    ads = bench.ads()
    assert ads["slot2@vm"].text("slot1_RemoteOwner") == '"alice@example.net"'
    told = [ads["slot1@vm"].text(name) for name in ("slot2_RemoteOwner", "slot2_RemoteUser", "slot2_State")]
    assert told == [None, None, '"Unclaimed"']


def test_a_slot_whose_time_to_vacate_has_no_value_kills_at_once() -> None:
    bench = static(machine_max_vacate_time="undefined")
    claim = bench.running()
    bench.do(ev.Vacate("slot1@vm"))
    assert bench.only(fx.SoftKill).claim == claim
    bench.wait(0)
    assert bench.has(fx.HardKill)


def test_loads_that_overlap_within_a_second_count_together_up_to_the_later_end() -> None:
    window = LoadWindow()
    window.add(0.0, 1.0, 1.0)
    window.add(0.2, 0.8, 1.0)
    assert window.average(60.0) * 60.0 == pytest.approx(1.6)
    window.add(0.9, 0.9, 5.0)
    assert window.average(60.0) * 60.0 == pytest.approx(1.6), "no time at all"


def test_a_program_may_print_bytes_that_are_no_text() -> None:
    (ad,) = CronOutput("X_").feed(b'A = "\xff"\r\n-\n', START)
    assert dict(ad.pairs)["X_A"] == '"\udcff"'


def test_the_owners_load_is_seen_on_dynamic_slots_beyond_what_is_free() -> None:
    bench = Bench(settings())
    bench.claim(ad=job_ad(RequestCpus="7"))
    bench.wait(1, load_avg=1.5)
    ads = bench.ads()
    assert (ads["slot1@vm"].eval_real("LoadAvg"), ads["slot1_1@vm"].eval_real("LoadAvg")) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("attribute", "shown"),
    [
        *(("HasVanilla", '"Vanilla",5'), ("HasScheduler", '"Scheduler",7'), ("HasGrid", '"Grid",9')),
        *(("HasJava", '"Java",10'), ("HasParallel", '"Parallel",11'), ("HasLocal", '"Local",12')),
        *(("HasVM", '"VM",13'), ("HasContainer", '"Container"')),
    ],
)
def test_what_an_administrator_takes_offline_is_named_with_its_number(attribute: str, shown: str) -> None:
    bench = static()
    bench.do(ev.UpdateAd(((attribute, "false"),)))
    assert bench.ads()["slot1@vm"].text("OfflineUniverses") == f"{{ {shown} }}"


def test_slots_show_what_is_known_of_their_job() -> None:
    bench = static()
    names = ("ImageSize", "ResidentSetSize", "DiskUsage", "ExecutableSize", "MemoryUsage", "NumPids")
    claim = bench.running(ad=job_ad(**{name: str(number) for number, name in enumerate(names, 10)}))
    bench.do(ev.RunUpdate(claim, JobId(1, 0), 1, {"NumPids": "99"}))
    ad = bench.ads()["slot1@vm"]
    assert [ad.text(name) for name in names] == ["10", "11", "12", "13", "14", "99"]


def test_which_jobs_keep_a_machine_awake_or_wake_it() -> None:
    def look(**texts: str) -> alarm.Outlook:
        return alarm.outlook([(JobId(1, 0), job_ad(**texts))], 1000)

    assert look(JobStatus="2", JobUniverse="7").busy == look(JobStatus="2", JobUniverse="12").busy == "1.0"
    assert look(JobStatus="1", JobUniverse="7") == look(JobStatus="2", JobUniverse="5") == alarm.Outlook()
    assert look(JobStatus="1", DeferralTime="2000", DeferralPrepTime="300").wake_at == 1700
    assert look(JobStatus="1", DeferralTime="1100", DeferralPrepTime="300").wake_at == 1000
    assert look(JobStatus="1", DeferralTime="1000") == look(JobStatus="5", DeferralTime="2000") == alarm.Outlook()


def test_a_machine_that_sleeps_shows_its_slots_and_not_what_was_cut_from_them() -> None:
    bench = Bench(settings())
    bench.running()
    ads = [bench.ads()[name] for name in ("vm", "slot1_1@vm", "slot1@vm")]
    (shown,) = power.offline_ads(ads, START)
    assert (shown.eval_str("Name"), shown.eval_bool("Offline"), shown.eval_str("State")) == (
        "slot1@vm",
        True,
        "Unclaimed",
    )


def test_a_machine_without_slots_is_not_sent_to_sleep() -> None:
    bench = Bench(settings(types=(SlotType(1, 0, False),)))
    assert power.wanted_state(bench.startd._pool) is power.SleepState.NONE
