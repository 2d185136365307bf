"""Work that a hook fetches: asked for, taken or refused, run without a schedd, asked for again."""

from __future__ import annotations

from typing import Any

from startd_bench import Bench, ev, fx, job_ad
from startd_bench import settings as startd_settings

from condor_py.lang.classad import ClassAd
from condor_py.model.report import ExitReport
from condor_py.model.settings.startd import FetchHooks, SlotPolicy, SlotType

HOOKS = FetchHooks("F", "/hooks/fetch", "/hooks/reply", "/hooks/evict")


def bench(policy: dict[str, Any] | None = None, *, static: bool = True, **fields: Any) -> Bench:
    wanted = SlotPolicy(hook_keyword="F", **(policy or {}))
    return Bench(startd_settings(types=(SlotType(1, 1, not static, "auto", wanted),), fetch_hooks=(HOOKS,), **fields))


def work(**attributes: str) -> ClassAd:
    items = {"Cmd": '"/bin/true"', "Owner": '"u"', "User": '"u@example.net"', "JobUniverse": "5", **attributes}
    return ClassAd.from_text_items(items.items())


def fetched(bench: Bench, job: ClassAd | None, slot: str = "slot1@vm") -> None:
    bench.do(ev.WorkFetched(slot, job))


def running(bench: Bench, slot: str = "slot1@vm", **attributes: str) -> str:
    """A fetched job that runs."""
    fetched(bench, work(**attributes), slot)
    claim = bench.only(fx.StartStarter).claim
    bench.do(ev.Ready(claim, 4711))
    assert bench.has(fx.StartJob)
    return claim


def test_an_idle_slot_asks_and_waits_for_the_delay() -> None:
    machine = bench({"fetch_work_delay": "10"})
    assert machine.only(fx.FetchWork) == fx.FetchWork("slot1@vm", "/hooks/fetch")
    assert not any(isinstance(effect, fx.FetchWork) for effect in machine.wait(100)), "one fetch at a time"
    fetched(machine, None)
    assert machine.startd.next_wakeup() == machine.now + 10
    machine.wait(9)
    assert not machine.has(fx.FetchWork)
    machine.wait(1)
    assert machine.has(fx.FetchWork)
    ad = machine.ads()["slot1@vm"]
    assert ad.eval_int("NextFetchWorkDelay") == 10
    assert ad.eval_int("LastFetchWorkSpawned") == int(machine.now)


def test_the_delay_is_five_minutes_where_it_is_undefined() -> None:
    machine = bench()
    fetched(machine, None)
    assert machine.startd.next_wakeup() == machine.now + 300


def test_a_slot_that_takes_no_job_at_all_does_not_ask() -> None:
    machine = bench({"start": "false"})
    assert not machine.has(fx.FetchWork)
    assert bench({"start": 'TARGET.Owner == "u"'}).has(fx.FetchWork)


def test_fetched_work_is_claimed_run_and_answered() -> None:
    machine = bench()
    fetched(machine, work())
    reply = machine.only(fx.ReplyFetch)
    assert reply.accept
    assert reply.claim == machine.only(fx.StartStarter).claim
    assert reply.job_ad.eval_str("HookKeyword") == "F"
    assert reply.job_ad.eval_int("RequestMemory") == 1, "a static slot fills in what is missing"
    assert not machine.has(fx.ClaimGranted), "there is no schedd to tell"
    machine.do(ev.Ready(reply.claim, 4711))
    assert machine.place("slot1") == "Claimed/Busy"
    ad = machine.ads()["slot1@vm"]
    assert ad.eval_str("RemoteOwner") == "u"
    assert not ad.has("JobId")
    assert machine.startd.claims() == []
    assert not machine.startd.has_claims


def test_the_next_job_waits_for_the_delay() -> None:
    """As 25.14 does (measured)."""
    machine = bench({"fetch_work_delay": "50"})
    claim = running(machine)
    machine.now += 3
    machine.end(claim, "0.0")
    assert not machine.has(fx.FetchWork)
    machine.wait(47)
    assert machine.has(fx.FetchWork)


def test_the_next_job_is_asked_for_at_once_if_the_delay_says_so_and_no_work_ends_the_claim() -> None:
    machine = bench({"fetch_work_delay": 'ifThenElse(State == "Claimed" && Activity == "Idle", 0, 300)'})
    claim = running(machine)
    machine.end(claim, "0.0")
    assert machine.place("slot1") == "Claimed/Idle"
    assert machine.has(fx.FetchWork)
    fetched(machine, work())
    assert machine.has(fx.StartJob), "on the same claim, with the same starter"
    machine.end(claim, "0.0", 2)
    machine.wait(0)
    fetched(machine, None)
    assert machine.has(fx.StopStarter)
    assert not machine.has(fx.ClaimLost)
    assert machine.place("slot1") == "Unclaimed/Idle"


def test_work_that_start_refuses_is_rejected() -> None:
    machine = bench({"start": 'TARGET.Owner != "u"'})
    fetched(machine, work())
    reply = machine.only(fx.ReplyFetch)
    assert (reply.accept, reply.claim) == (False, "")
    assert machine.place("slot1") == "Unclaimed/Idle"


def test_better_ranked_work_takes_the_slot_of_a_job() -> None:
    machine = bench({"rank": "TARGET.Prio", "fetch_work_delay": "0", "machine_max_vacate_time": "10"})
    claim = machine.running(ad=job_ad(Prio="5"))
    machine.wait(5)
    fetched(machine, work(Prio="5"))
    assert not machine.only(fx.ReplyFetch).accept, "only a higher rank is good enough"
    machine.wait(5)
    fetched(machine, work(Prio="6"))
    assert machine.only(fx.ReplyFetch).accept
    assert machine.has(fx.SoftKill)
    machine.end(claim, vacated=True, exit_signal=15)
    assert machine.has(fx.ClaimLost)
    assert machine.has(fx.FetchedJob)


def test_a_rank_does_not_make_up_for_what_start_refuses() -> None:
    policy = {"rank": "TARGET.Prio", "start": "TARGET.Prio < 9", "fetch_work_delay": "0"}
    machine = bench(policy)
    machine.running(ad=job_ad(Prio="5"))
    machine.wait(5)
    fetched(machine, work(Prio="10"))
    assert not machine.only(fx.ReplyFetch).accept
    assert machine.place("slot1") == "Claimed/Busy"


def test_a_partitionable_slot_is_cut_for_fetched_work() -> None:
    machine = bench(static=False)
    fetched(machine, work())
    assert not machine.only(fx.ReplyFetch).accept, "it has to say how much memory and disk it needs"
    claim = running(machine, RequestCpus="2", RequestMemory="100", RequestDisk="1000")
    assert machine.place("slot1_1") == "Claimed/Busy"
    assert machine.ads()["slot1_1@vm"].eval_int("Cpus") == 2
    machine.end(claim, "0.0")
    machine.wait(0)
    fetched(machine, None, "slot1_1@vm")
    assert machine.place("slot1_1") == "gone"


def test_eviction_tells_the_hook() -> None:
    machine = bench()
    claim = running(machine)
    machine.do(ev.Vacate("slot1@vm"))
    assert machine.only(fx.EvictFetched).program == "/hooks/evict"
    assert machine.has(fx.SoftKill)
    machine.end(claim, "0.0", vacated=True)
    assert not machine.has(fx.RunEnded)
    assert machine.place("slot1") == "Unclaimed/Idle"


def test_fetched_work_does_not_mind_the_schedd() -> None:
    machine = bench()
    claim = running(machine, JobLeaseDuration="10")
    machine.do(ev.ScheddGone())
    machine.wait(5000)
    assert machine.place("slot1") == "Claimed/Busy"
    machine.do(ev.StarterGone(claim, 9))
    assert not machine.has(fx.ClaimLost)


def test_no_work_is_fetched_while_draining() -> None:
    for drain in (False, True):
        machine = bench({"fetch_work_delay": "50"})
        fetched(machine, None)
        if drain:
            machine.do(ev.Drain())
        machine.wait(100)
        assert machine.has(fx.FetchWork) is not drain


def test_work_that_follows_runs_although_the_starter_of_the_claim_has_died() -> None:
    machine = bench({"fetch_work_delay": "0"})
    claim = running(machine)
    machine.do(ev.RunEnded(ExitReport(claim, "0.0", 1, exit_code=0)))
    machine.do(ev.StarterGone(claim, 9))
    fetched(machine, work())
    assert machine.only(fx.StartStarter).claim == claim
    machine.do(ev.Ready(claim, 4712))
    assert machine.has(fx.StartJob)
