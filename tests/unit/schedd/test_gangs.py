"""Parallel jobs: all nodes start together, and all end together."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs.demand import demand, promises, running_gangs
from condor_py.core.jobs.effects import CallNegotiator, Effect, Note, UserEvent
from condor_py.core.jobs.events import ClaimLost, ClaimRefused, OrderRefused, Planned, StartdLost
from condor_py.core.jobs.gangs import node_ad
from condor_py.lang.events import NodeTerminated
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Acknowledge, Activate, Deactivate, ReleaseClaim, RequestClaim, WithdrawClaim
from condor_py.model.messages.runs import RunEnded, RunStarted, RunUpdate
from condor_py.model.plan import Match, Plan, Preemption
from condor_py.model.record import DESTROY_AD, Change
from condor_py.model.report import ExitReport, Usage

LEAD = JobId(1, 0)
PARALLEL = {"JobUniverse": "11", "MaxHosts": "2", "MinHosts": "2"}


def asked(world: World) -> list[JobId]:
    """What the negotiator gets to see, all parts together."""
    wanted = [part for one in demand(world.core.state) for request in one.requests for part in request.parts]
    return [job for part in wanted for job in part.jobs]


def requests(world: World) -> list[RequestClaim]:
    """All nodes are matched."""
    plan = Plan(tuple(Match(job, "alice@example.net", "slot1@vm", 1.0) for job in asked(world)))
    world.core.handle(Planned(plan), world.now)
    return [effect for effect in world.turn() if isinstance(effect, RequestClaim)]


def running(procs: int = 1, **more: str) -> tuple[World, list[Activate]]:
    """A parallel job that has its slots, with the orders that start its nodes."""
    world = World()
    world.connect()
    world.submit(1, procs, **{**PARALLEL, **more})
    for request in requests(world):
        world.grant(request)
    return world, world.told(Activate)


def begin(world: World, orders: list[Activate]) -> None:
    for order in orders:
        world.handle(RunStarted(order.claim, order.job, order.run, 4711, float(world.now), "/dir_1/scratch"))


def end(world: World, order: Activate, **outcome: object) -> list[Effect]:
    given = {"exit_code": 0, "usage": Usage(1.0, 0.5, 2000), "exec_time": 999.0, "pid": 4711, **outcome}
    return world.handle(RunEnded(ExitReport(order.claim, str(order.job), order.run, **given)))  # type: ignore[arg-type]


def events(world: World) -> list[int]:
    return [one.event.number for one in world.told(UserEvent) if one.event.number != 6]


def killed(effects: list[Effect]) -> list[str]:
    return [effect.claim for effect in effects if isinstance(effect, Deactivate)]


def test_the_nodes_of_all_procs_are_one_job() -> None:
    world, orders = running(2)
    assert [str(order.job) for order in orders] == ["1.0", "1.0", "1.1", "1.1"]
    assert events(world) == [0]
    begin(world, orders)
    assert events(world) == [0, 14, 14, 14, 14, 1]
    assert killed(end(world, orders[3])) == []
    assert killed(end(world, orders[0], exit_code=3)) == [orders[1].claim, orders[2].claim]
    for order in orders[1:3]:
        end(world, order, exit_code=None, vacated=True)
    assert events(world)[6:] == [15, 15, 5]
    assert [world.status(JobId(1, proc)) for proc in (0, 1)] == [None, None]
    assert len(world.told(ReleaseClaim)) == 4


def test_the_slots_go_back_when_one_is_refused() -> None:
    world = World()
    world.connect()
    world.submit(1, 1, **{**PARALLEL, "MaxHosts": "3"})
    first, second, third = requests(world)
    world.grant(first)
    world.handle(ClaimRefused(second.id, "taken"))
    assert [effect.id for effect in world.told(WithdrawClaim)] == [third.id]
    assert len(world.told(ReleaseClaim)) == 1
    assert world.status(LEAD) == 1
    assert len(asked(world)) == 3


@pytest.mark.parametrize("policy", ["", "WAIT_FOR_ALL"])
def test_policies_of_the_end(policy: str) -> None:
    world, orders = running(ParallelShutdownPolicy=f'"{policy}"')
    begin(world, orders)
    stopped = killed(end(world, orders[0], exit_code=7))
    assert stopped == ([] if policy else [orders[1].claim])
    assert world.status(LEAD) == 2
    end(world, orders[1], exit_code=9)
    assert world.status(LEAD) is None
    ended = world.told(UserEvent)[-1].event
    assert (ended.number, getattr(ended, "return_value", None)) == (5, 7)


def test_lost_nodes() -> None:
    """Another node that is lost ends nothing; without node 0 the job is idle again."""
    world, orders = running(MaxHosts="3")
    begin(world, orders)
    world.handle(ClaimLost(orders[1].claim, 1010, "preempted"))
    assert world.status(LEAD) == 2
    assert killed(world.handle(ClaimLost(orders[0].claim, 1010, "preempted"))) == [orders[2].claim]
    end(world, orders[2], exit_code=None, vacated=True)
    assert world.status(LEAD) == 1
    assert events(world)[-2:] == [22, 24]
    assert len(asked(world)) == 3


def test_a_node_that_asks_for_a_hold_has_the_job_held() -> None:
    world, orders = running()
    begin(world, orders)
    assert killed(end(world, orders[1], exit_code=None, hold_code=34, hold_reason="memory")) == [orders[0].claim]
    end(world, orders[0], exit_code=None, vacated=True)
    ad = world.queue.job(LEAD)
    assert ad is not None
    assert (world.status(LEAD), ad.eval_int("HoldReasonCode")) == (5, 34)


def test_an_order_that_is_refused_holds_the_job() -> None:
    world, orders = running(2)
    world.handle(OrderRefused(orders[3].claim, "bad ad", "1.1"))
    assert [world.status(JobId(1, proc)) for proc in (0, 1)] == [5, 1]
    assert len(world.told(ReleaseClaim)) == 4


def test_the_startd_is_lost_and_found() -> None:
    world, orders = running(2)
    begin(world, orders)
    claims = [world.core.claims[order.claim].info for order in orders]
    world.handle(StartdLost())
    for info, order in zip(claims, orders, strict=True):
        info.job, info.run = str(order.job), order.run
    world.connect(*claims)
    assert events(world)[-2:] == [22, 23]
    assert world.status(LEAD) == 2
    for order in reversed(orders):
        end(world, order)
    assert world.status(LEAD) is None


def test_a_job_that_never_can_run_is_held() -> None:
    world = World()
    world.connect()
    for cluster, more in enumerate(({"MaxHosts": "0"}, {"MaxHosts": "1001"}, {"JobMaterializeDigestFile": '"x"'}), 1):
        world.submit(cluster, 1, **{**PARALLEL, **more})
        assert world.status(JobId(cluster, 0)) == 5
    assert events(world) == [0, 12] * 3


def test_a_job_whose_files_are_not_there_holds_back_the_later_ones_of_its_submitter() -> None:
    """DEDICATED_SCHEDULER_WAIT_FOR_SPOOLER; they are free again when it leaves."""
    bob = {"Owner": '"bob"', "User": '"bob@example.net"'}
    spooling = {**PARALLEL, "HoldReasonCode": "16"}
    for wait, wanted in (False, {1, 3, 4, 5}), (True, {1, 4}):
        world = World(wait_for_spooler=wait)
        world.connect()
        world.submit(1, 1, **PARALLEL)
        world.submit(2, 1, 5, **spooling)
        world.submit(3, 1, **PARALLEL)
        world.submit(4, 1, **PARALLEL, **bob)
        world.submit(5, 1, **PARALLEL)
        assert {job.cluster for job in asked(world)} == wanted
    ad = world.queue.job(JobId(5, 0))
    assert ad is not None
    assert "the parallel job 2 get their slots first, when its files" in ad.eval_str("LastRejMatchReason", "")
    world.seen.clear()
    world.written([Change(DESTROY_AD, "2.0", "", "")])
    assert {job.cluster for job in asked(world)} == {1, 3, 4, 5}
    assert world.told(CallNegotiator)


def test_the_slots_of_others_are_promised_until_they_are_left() -> None:
    """SCHEDD_PREEMPTION_REQUIREMENTS: the negotiator knows the slots of those that run, and keeps them for the job."""
    world, orders = running()
    begin(world, orders)
    slots = ("slot1_1@vm", "slot1_2@vm")
    assert running_gangs(world.core.state) == [slots]
    world.submit(2, 1, **PARALLEL)
    plan = Plan(
        tuple(Match(job, "alice@example.net", "slot1@vm", 1.0, Preemption.PRIORITY, slots) for job in asked(world))
    )
    world.core.handle(Planned(plan), world.now)
    wanted = [effect for effect in world.turn() if isinstance(effect, RequestClaim)]
    assert [one.victims for one in wanted] == [slots, slots]
    kept = [(one.slot, one.victims, dict(one.amounts)["Cpus"]) for one in promises(world.core.state)]
    assert kept == [("slot1@vm", slots, 1.0)] * 2
    for order in orders:
        world.handle(ClaimLost(order.claim, 1010, "preempted"))
    assert [world.status(JobId(cluster, 0)) for cluster in (1, 2)] == [1, 1]
    for request in wanted:
        world.grant(request)
    assert [world.status(JobId(cluster, 0)) for cluster in (1, 2)] == [1, 2]
    assert promises(world.core.state) == []


def test_what_the_other_nodes_use_is_known_while_they_run() -> None:
    """Sizes are those of the largest node, CPU that of all; no node tells of its transfers, as in HTCondor."""
    world, orders = running(2)
    begin(world, orders)

    def update(at: int, **values: object) -> None:
        order = orders[at]
        given = {name: str(value) for name, value in values.items()}
        world.handle(RunUpdate(order.claim, order.job, order.run, given))

    update(0, ResidentSetSize_RAW=1000, ImageSize_RAW=5000, RemoteUserCpu=1.5, RemoteSysCpu=0.5, NumPids=2)
    update(3, ResidentSetSize_RAW=3000, ImageSize_RAW=4000, RemoteUserCpu=2.0, RemoteSysCpu=0.25, NumPids=7)
    for at in 0, 1:
        update(at, TransferringOutput="true")
    ad = world.queue.job(LEAD)
    assert ad is not None
    found = [ad.evaluate(name) for name in ("ResidentSetSize_RAW", "ImageSize_RAW", "RemoteUserCpu", "RemoteSysCpu")]
    assert found == [3000, 5000, 3.5, 0.75]
    update(0, ResidentSetSize_RAW=1000, ImageSize_RAW=5000, RemoteUserCpu=2.5, RemoteSysCpu=0.5, NumPids=2)
    assert (ad.evaluate("RemoteUserCpu"), ad.evaluate("NumPids")) == (4.5, 2)
    assert [one.event.number for one in world.told(UserEvent)] == [0, 14, 14, 14, 14, 1, 6, 6]


def test_the_use_of_nodes_that_have_ended_survives_a_schedd_that_dies() -> None:
    """Their reports are acknowledged when the job ends, and events 015 are written once."""
    world, orders = running(MaxHosts="3", ParallelShutdownPolicy='"WAIT_FOR_ALL"')
    begin(world, orders)
    used = {"usage": Usage(4.0, 0.5, 2000)}
    end(world, orders[1], **used)
    end(world, orders[0], exit_code=3, **used)
    assert not world.told(Acknowledge)
    infos = [world.core.claims[order.claim].info for order in orders]
    world.handle(StartdLost())
    for info, order in zip(infos, orders, strict=True):
        info.job, info.run = str(order.job), order.run
    world.connect(*infos)
    for order in orders[1], orders[0], orders[1], orders[2]:
        end(world, order, **({"exit_code": 3, **used} if order is orders[0] else used))
    assert world.status(LEAD) is None
    assert events(world) == [0, 14, 14, 14, 1, 15, 15, 22, 23, 15, 5]
    told = [one.event for one in world.told(UserEvent)]
    assert [event.subproc for event in told if isinstance(event, NodeTerminated)] == [1, 0, 2]
    assert {one.claim for one in world.told(Acknowledge)} == {order.claim for order in orders}
    ended = world.told(UserEvent)[-1]
    assert ended.ad.eval_real("RemoteUserCpu") == 12.0


def test_a_lost_node_is_told_of() -> None:
    world, orders = running(MaxHosts="3")
    begin(world, orders)
    world.handle(ClaimLost(orders[2].claim, 1010, "The starter of the job died"))
    assert "node 2 of the parallel job 1.0 is lost: The starter of the job died" in [n.text for n in world.told(Note)]


def test_a_node_has_the_ad_of_its_proc_with_its_number() -> None:
    world, orders = running(2, Args='"#pArAlLeLnOdE# of many"', RequestCpus="2")
    ads = [node_ad(world.core.state, order.claim) for order in orders]
    assert [ad.eval_str("Args", "") for ad in ads if ad is not None] == [f"{number} of many" for number in range(4)]
    last = ads[3]
    assert last is not None
    found = [last.evaluate(name) for name in ("Node", "CurrentHosts", "ClaimId", "ProcId", "RemoteHost")]
    assert found == [3, 4, orders[3].claim, 1, "slot1_4@vm"]
    lead = world.queue.job(LEAD)
    assert lead is not None
    assert lead.evaluate("RemoteHosts") == "slot1_1@vm,slot1_2@vm"
    assert lead.evaluate("ClaimIds") == ",".join(order.claim for order in orders[:2])


def test_the_weight_of_a_job_that_waits_is_that_of_all_nodes() -> None:
    world = World()
    world.connect()
    world.submit(1, 2, **{**PARALLEL, "RequestCpus": "3"})
    assert demand(world.core.state)[0].idle_weight == 12.0


def test_a_node_that_is_killed_has_its_event_and_one_that_is_vacated_has_none() -> None:
    world, orders = running(MaxHosts="4")
    begin(world, orders)
    end(world, orders[1], exit_code=None, exit_signal=9)
    end(world, orders[2], exit_code=None, vacated=True)
    end(world, orders[3], exit_code=None, exit_signal=9, error="the starter failed")
    told = [one.event for one in world.told(UserEvent) if isinstance(one.event, NodeTerminated)]
    assert [(event.subproc, event.signal) for event in told] == [(1, 9)]
    assert world.status(LEAD) == 2


def test_reports_that_count_for_nothing_are_acknowledged() -> None:
    """Of a node whose slot is lost, and of a former run; not those that are kept for the end."""
    world, orders = running(MaxHosts="3")
    begin(world, orders)
    world.handle(ClaimLost(orders[1].claim, 1010, "lost"))
    world.handle(RunEnded(ExitReport(orders[2].claim, "1.0", 0, exit_code=0)))
    assert [one.claim for one in world.told(Acknowledge)] == [orders[2].claim]
    for _ in range(2):
        end(world, orders[2])
    assert len(world.told(Acknowledge)) == 1


def test_a_slot_that_is_lost_before_the_start_takes_the_others_with_it() -> None:
    world = World()
    world.connect()
    world.submit(1, 1, **PARALLEL)
    first, second = requests(world)
    world.grant(first)
    (claim,) = world.core.claims.values()
    world.handle(ClaimLost(claim.info.claim_id, 1010, "gone"))
    assert [effect.id for effect in world.told(WithdrawClaim)] == [second.id]
    assert not world.core.claims.values()
    assert len(asked(world)) == 2


@pytest.mark.parametrize(("text", "status"), [("$$(Memory)", 2), ("$$(Nothing)", 5)])
def test_what_a_slot_fills_in(text: str, status: int) -> None:
    world, orders = running(Args=f'"{text}"')
    assert world.status(LEAD) == status
    assert len(orders) == (2 if status == 2 else 0)
    assert len(world.told(ReleaseClaim)) == (0 if status == 2 else 2)


def test_a_node_whose_claim_is_gone_when_the_startd_is_back_is_over() -> None:
    world, orders = running(MaxHosts="3")
    begin(world, orders)
    claims = [world.core.claims[order.claim].info for order in orders]
    world.handle(StartdLost())
    for info, order in zip(claims, orders, strict=True):
        info.job, info.run = str(order.job), order.run
    claims[2].job, claims[2].run = "", 0
    world.connect(claims[0], claims[2])
    assert world.status(LEAD) == 2
    end(world, orders[0])
    assert world.status(LEAD) is None
    assert {one.claim for one in world.told(ReleaseClaim)} == {orders[0].claim, orders[2].claim}
