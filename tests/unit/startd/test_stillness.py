"""When time alone changes nothing on a machine: looks at it may wait for the next update."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from startd_bench import Bench, ev, job_ad, settings

from condor_py.core.slots.effects import Publish
from condor_py.model.settings.startd import FetchHooks, SlotPolicy, SlotType


def bench(policy: dict[str, Any] | None = None, **fields: Any) -> Bench:
    """Its slots have been published now."""
    made = Bench(settings(policy, **fields))
    made.ads()
    return made


def test_a_machine_nobody_works_on_is_looked_at_with_its_updates() -> None:
    idle = bench()
    assert idle.startd.next_look() == 300.0
    idle.now += 120.0
    idle.do(ev.Poll())
    assert idle.startd.next_look() == 180.0
    assert [type(effect) for effect in idle.wait(180.0)] == [Publish]
    assert idle.startd.next_look() == 5.0, "until they are published"
    assert bench(update_interval=2).startd.next_look() == 5.0


def test_what_is_claimed_is_looked_at_every_polling_interval() -> None:
    busy = bench(polling_interval=7)
    claim = busy.running()
    assert busy.startd.next_look() == 7.0
    busy.end(claim)
    assert busy.startd.next_look() == 7.0, "a claim without a job, too"
    busy.do(ev.ReleaseClaim(claim))
    busy.wait(1.0)
    assert busy.startd.next_look() > 7.0


@pytest.mark.parametrize(
    "policy",
    [
        {"is_owner": "KeyboardIdle < 60"},
        {"start_backfill": "LoadAvg < 0.3"},
        {"run_benchmarks": "time() - LastBenchmark > 3600"},
        {"vanilla": (("PREEMPT", "KeyboardIdle < 60"),)},
        {"hook_keyword": "F"},
    ],
)
def test_a_policy_that_may_change_its_mind_is_asked_every_polling_interval(policy: dict[str, Any]) -> None:
    fields = {"fetch_hooks": (FetchHooks("F", "/fetch", "/reply", "/evict"),)} if "hook_keyword" in policy else {}
    assert bench(policy, **fields).startd.next_look() == 5.0
    types = (SlotType(1, 2, False), SlotType(2, 1, False, policy=SlotPolicy(**policy)))
    assert bench(types=types, **fields).startd.next_look() == 5.0, "one slot's is enough"


@pytest.mark.parametrize(
    "fields",
    [{"noclaim_shutdown": 600}, {"log_load": 2}, {"log_idle": 2}, {"latched": ("CpuBusy",)}],
)
def test_what_is_counted_from_look_to_look_needs_looks(fields: dict[str, Any]) -> None:
    assert bench(**fields).startd.next_look() == 5.0


def test_what_is_told_with_each_update_needs_no_more() -> None:
    assert bench(log_load=1, log_idle=1, latched=("NumDynamicSlots",)).startd.next_look() == 300.0


def test_a_drain_and_a_shutdown_are_seen_to_their_end() -> None:
    drained = bench()
    drained.do(ev.Drain())
    assert drained.startd.next_look() == 5.0
    leaving = bench()
    leaving.running()
    leaving.do(ev.Shutdown("graceful"))
    assert leaving.startd.next_look() == 5.0


def test_whatever_has_happened_a_look_at_a_machine_at_rest_changes_nothing() -> None:
    random, rests = Random(20), 0
    for _ in range(20):
        made = bench(types=(SlotType(1, 1, True, "75%"), SlotType(2, 2, False, "10%")))
        claims: list[str] = []
        for _ in range(25):
            _something(made, claims, random)
            made.ads()
            if made.startd.next_look() > 5.0:
                rests += 1
                before = {name: ad.text("State") for name, ad in made.ads().items()}
                looked = {"load_avg": random.choice([0.0, 20.0]), "keyboard_idle": random.choice([0, 10**6])}
                assert made.wait(random.choice([5.0, 100.0, 299.0]), **looked) == []
                assert {name: ad.text("State") for name, ad in made.ads().items()} == before
    assert rests > 50


def _something(made: Bench, claims: list[str], random: Random) -> None:
    what = random.choice(["ask", "ask", "end", "release", "release", "lost", "match", "drain", "cancel", "poll"])
    if what == "ask":
        before = made.claim_ids()
        made.ask(random.choice(["slot1@vm", "slot2@vm", "slot3@vm"]), job_ad(RequestCpus=str(random.choice([1, 2]))))
        new = made.claim_ids() - before
        for claim in new:
            made.do(ev.Ready(claim, 4711))
            made.run(claim)
        claims += new
    elif what in ("end", "release", "lost") and claims:
        claim = claims.pop(random.randrange(len(claims)))
        if claim in made.claim_ids():
            made.end(claim)
            made.do(ev.ReleaseClaim(claim) if what == "release" else ev.StarterGone(claim, 0))
    elif what == "match":
        made.do(ev.Match("slot2@vm"))
    elif what == "drain":
        made.do(ev.Drain())
    elif what == "cancel":
        made.do(ev.CancelDrain())
    else:
        made.wait(random.choice([1.0, 200.0]))
