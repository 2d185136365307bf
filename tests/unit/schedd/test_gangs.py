"""Parallel jobs: all nodes start together, and all end together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from world import World

from condor_py.core.jobs import dissolving, gangs
from condor_py.core.jobs.demand import demand, promises, running_gangs
from condor_py.core.jobs.effects import CallNegotiator, Effect, Note, UserEvent
from condor_py.core.jobs.events import ClaimLost, ClaimRefused, OrderRefused, Planned, QueueChanged, StartdLost
from condor_py.core.jobs.gangs import node_ad, request_ad
from condor_py.core.jobs.state import ScheddState
from condor_py.lang.events import NodeExecute, NodeTerminated
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Acknowledge, Activate, Deactivate, ReleaseClaim, RequestClaim, WithdrawClaim
from condor_py.model.messages.runs import RunEnded, RunStarted, RunUpdate
from condor_py.model.plan import Match, Plan, Preemption
from condor_py.model.record import DESTROY_AD, SET, Change
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


# ---- from the match to the start ----------------------------------------------------------------------------


def plan_for(jobs: list[JobId]) -> Planned:
    return Planned(Plan(tuple(Match(job, "alice@example.net", "slot1@vm", 1.0) for job in jobs)))


def test_a_match_for_some_nodes_is_none() -> None:
    world = World()
    world.connect()
    world.submit(1, 2, **PARALLEL)
    nodes = asked(world)
    for some in (nodes[:3], nodes[1:], [*nodes[:3], JobId(1, 77)]):
        world.handle(plan_for(some))
    assert world.told(RequestClaim) == []
    world.handle(plan_for(nodes))
    world.handle(plan_for(nodes))
    assert len(world.told(RequestClaim)) == 4, "a job that has asked does not ask again"


@pytest.mark.parametrize(("most", "asks"), [(3, 0), (4, 4), (5, 4)])
def test_all_nodes_count_as_running_jobs(most: int, asks: int) -> None:
    world = World(max_jobs_running=most)
    world.connect()
    world.submit(1, 2, **PARALLEL)
    assert len(requests(world)) == asks


def test_the_claims_of_a_job_say_where_it_runs() -> None:
    world, orders = running(2)
    for proc in (0, 1):
        ad = world.queue.job(JobId(1, proc))
        assert ad is not None
        ours = [order.claim for order in orders if order.job == JobId(1, proc)]
        assert ad.eval_str("ClaimIds", "") == ",".join(ours)
        assert ad.eval_str("ClaimId", "") == ours[0]
        found = [ad.evaluate(name) for name in ("JobStatus", "CurrentHosts", "NumShadowStarts", "NumJobMatches")]
        assert found[:3] == [2, 4, 1]
        assert ad.eval_str("RemoteHost", "") == ad.eval_str("RemoteHosts", "").split(",")[0]
        assert ad.eval_str("AllRemoteHosts", "") == ",".join(f"slot1_{number}@vm" for number in range(1, 5))
    assert {order.run for order in orders} == {1}
    run = world.core.runs[LEAD]
    assert (run.claim_id, run.number, run.submitter) == (orders[0].claim, 1, "alice@example.net")
    assert len(world.core.runs) == 1, "the run of node 0 is that of the job"


def test_the_event_of_the_job_follows_that_of_its_last_node() -> None:
    world, orders = running(MaxHosts="3")
    begin(world, orders[1:2])
    begin(world, orders[:1])
    assert events(world) == [0, 14, 14]
    begin(world, orders)
    assert events(world) == [0, 14, 14, 14, 1], "each node is told once"
    told = [one.event for one in world.told(UserEvent) if one.event.number == 14]
    assert [event.subproc for event in told if isinstance(event, NodeExecute)] == [1, 0, 2]


def test_a_node_that_is_over_is_not_waited_for() -> None:
    world, orders = running(MaxHosts="3", ParallelShutdownPolicy='"WAIT_FOR_ALL"')
    begin(world, orders[:2])
    world.handle(ClaimLost(orders[2].claim, 1010, "lost"))
    assert events(world) == [0, 14, 14], "as long as another node begins"
    begin(world, orders[:1])
    end(world, orders[0])
    end(world, orders[1])
    assert events(world) == [0, 14, 14, 15, 15, 1, 5]
    assert world.status(LEAD) is None


def test_a_start_of_another_run_is_not_that_of_a_node() -> None:
    world, orders = running()
    world.handle(RunStarted(orders[1].claim, LEAD, orders[1].run + 1, 4711, float(world.now), ""))
    assert events(world) == [0]


def test_a_report_tells_of_a_start_that_was_not_heard() -> None:
    world, orders = running()
    end(world, orders[1])
    assert events(world) == [0, 14, 15]
    bare = running()[0]
    assert events(bare) == [0]
    world, orders = running()
    end(world, orders[1], exit_code=None, vacated=True, pid=0, exec_time=0.0)
    assert events(world) == [0]


# ---- the end ------------------------------------------------------------------------------------------------


def test_what_all_nodes_have_used_is_that_of_the_job() -> None:
    """CPU and traffic of all, sizes of the largest."""
    world, orders = running(MaxHosts="3", ParallelShutdownPolicy='"WAIT_FOR_ALL"')
    begin(world, orders)
    used = [
        Usage(1.0, 2.0, 300, bytes_sent=1, bytes_received=10, disk_kb=7, files_sent=1, files_received=2, image_kb=50),
        Usage(4.0, 8.0, 100, bytes_sent=2, bytes_received=20, disk_kb=9, files_sent=3, files_received=4, image_kb=20),
        Usage(16.0, 32.0, 200, bytes_sent=4, bytes_received=40, disk_kb=8, files_sent=5, files_received=6, image_kb=90),
    ]
    for order, usage in zip(orders[1:], used[1:], strict=True):
        end(world, order, usage=usage)
    end(world, orders[0], usage=used[0])
    ad = world.told(UserEvent)[-1].ad
    assert (ad.eval_real("RemoteUserCpu"), ad.eval_real("RemoteSysCpu")) == (21.0, 42.0)
    assert (ad.eval_real("BytesSent"), ad.eval_real("BytesRecvd")) == (7.0, 70.0)
    found = [ad.evaluate(name) for name in ("ResidentSetSize_RAW", "ImageSize_RAW", "DiskUsage_RAW")]
    assert found == [300, 90, 9]


@pytest.mark.parametrize("first", [True, False])
def test_the_first_hold_of_a_node_is_that_of_the_job(first: bool) -> None:
    world, orders = running(MaxHosts="3")
    begin(world, orders)
    hold = {"exit_code": None, "hold_code": 34, "hold_subcode": 102, "hold_reason": "memory"}
    assert killed(end(world, orders[1], **hold)) == [orders[0].claim, orders[2].claim]
    assert killed(end(world, orders[2], exit_code=None, hold_code=13, hold_reason="later")) == []
    own = {"exit_code": None, "hold_code": 6, "hold_subcode": 1, "hold_reason": "its own"}
    end(world, orders[0], **({"exit_code": 0} if first else own))
    ad = world.queue.job(LEAD)
    assert ad is not None
    found = [ad.evaluate(name) for name in ("JobStatus", "HoldReasonCode", "HoldReasonSubCode")]
    assert found == ([5, 34, 102] if first else [5, 6, 1])
    assert ("memory" in ad.eval_str("HoldReason", "")) == first


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ({"exit_code": 3}, None), ({"exit_code": None, "exit_signal": 9}, None),
        ({"exit_code": None, "vacated": True}, 1), ({"exit_code": 0, "error": "the starter failed"}, 1),
        ({"exit_code": None, "hold_code": 6, "hold_reason": "no"}, 5),
    ],
)  # fmt: skip
def test_all_procs_go_where_the_first_one_goes(outcome: dict[str, object], status: int | None) -> None:
    world, orders = running(2)
    begin(world, orders)
    end(world, orders[0], **outcome)
    for order in orders[1:]:
        end(world, order, exit_code=None, vacated=True)
    assert [world.status(JobId(1, proc)) for proc in (0, 1)] == [status, status]
    ad = world.queue.job(JobId(1, 1))
    if ad is not None:
        assert not ad.has("ClaimId")
        assert not ad.has("ClaimIds")
    if status == 5:
        assert ad is not None
        assert ad.evaluate("HoldReasonCode") == 6
        assert events(world).count(12) == 2
    if status is None:
        gone = [change for change in world.committed if change.key == "1.1" and change.name == "CompletionDate"]
        assert [change.value for change in gone] == [str(world.now)]
        codes = [
            change.value
            for change in world.committed
            if change.key == "1.1" and change.name == "ExitCode" and change.value
        ]
        assert codes == (["3"] if "exit_signal" not in outcome else [])
    assert {one.claim for one in world.told(ReleaseClaim)} == {order.claim for order in orders}
    assert len(world.told(Acknowledge)) == 4


@pytest.mark.parametrize("policy", ["", "WAIT_FOR_ALL"])
def test_a_first_node_that_did_not_end_by_itself_ends_all(policy: str) -> None:
    world, orders = running(ParallelShutdownPolicy=f'"{policy}"')
    begin(world, orders)
    assert killed(end(world, orders[0], exit_code=None, vacated=True)) == [orders[1].claim]
    stopped = world.told(Deactivate)[-1]
    assert (stopped.graceful, stopped.reason) == (False, "The parallel job has ended")


def test_nodes_are_ended_once() -> None:
    world, orders = running(MaxHosts="4")
    begin(world, orders)
    assert killed(end(world, orders[0])) == [order.claim for order in orders[1:]]
    assert killed(end(world, orders[2], exit_code=None, vacated=True)) == []
    assert killed(world.handle(ClaimLost(orders[3].claim, 1010, "lost"))) == []
    assert world.status(LEAD) == 2
    end(world, orders[1], exit_code=None, vacated=True)
    assert world.status(LEAD) is None


@pytest.mark.parametrize("then", ["hold", "remove"])
def test_what_a_user_does_to_one_proc_is_done_to_the_job(then: str) -> None:
    world, orders = running(2)
    begin(world, orders)
    status, reason = (5, "HoldReason") if then == "hold" else (3, "RemoveReason")
    end(world, orders[0])
    for order in orders[1:3]:
        end(world, order, exit_code=None, vacated=True)
    world.written([Change(SET, "1.1", "JobStatus", str(status)), Change(SET, "1.1", reason, '"mine"')])
    end(world, orders[3], exit_code=None, vacated=True)
    found = 5 if then == "hold" else None
    assert [world.status(JobId(1, proc)) for proc in (0, 1)] == [found, found]


def test_a_job_that_cannot_be_handled_is_given_up_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    world, orders = running(2)
    begin(world, orders)
    gang = world.core.state.gangs.of(1)
    assert gang is not None
    end(world, orders[3])
    world.seen.clear()
    dissolving.abandon(world.core.state, gang)
    _, effects = world.core.take()
    world.seen += effects
    stopped = world.told(Deactivate)
    assert [one.claim for one in stopped] == [order.claim for order in orders]
    assert {(one.graceful, one.reason) for one in stopped} == {(False, "The job cannot be handled")}
    assert [one.claim for one in world.told(Acknowledge)] == [orders[3].claim]
    assert world.core.state.gangs.of(1) is None
    assert not world.core.runs


def test_the_hold_of_the_first_proc_is_that_of_all() -> None:
    world, orders = running(2)
    begin(world, orders)
    end(world, orders[0], exit_code=None, hold_code=6, hold_subcode=2, hold_reason="no program")
    for order in orders[1:]:
        end(world, order, exit_code=None, vacated=True)
    for proc in (0, 1):
        ad = world.queue.job(JobId(1, proc))
        assert ad is not None
        found = [ad.evaluate(name) for name in ("HoldReasonCode", "HoldReasonSubCode", "NumHolds")]
        assert found == [6, 2, 1]
        assert ad.eval_str("HoldReason", "")


def test_the_removal_of_the_first_proc_is_that_of_all() -> None:
    world, orders = running(2)
    begin(world, orders)
    world.written([Change(SET, "1.0", "JobStatus", "3"), Change(SET, "1.0", "RemoveReason", '"by ann"')])
    for order in orders:
        end(world, order, exit_code=None, vacated=True)
    reasons = [change.value for change in world.committed if (change.key, change.name) == ("1.1", "RemoveReason")]
    assert reasons[:1] == ['"by ann"']
    assert [world.status(JobId(1, proc)) for proc in (0, 1)] == [None, None]


def test_the_end_of_all_nodes_is_a_reason_for_a_cycle() -> None:
    """The next parallel job may be matched with all of their slots."""
    world, orders = running()
    begin(world, orders)
    world.submit(2, 1, **PARALLEL)
    world.seen.clear()
    for order in orders:
        end(world, order)
    assert world.told(CallNegotiator)
    assert len(asked(world)) == 2


# ---- the startd is lost and found again ---------------------------------------------------------------------


@pytest.mark.parametrize("executed", [True, False])
def test_a_job_that_was_not_begun_begins_after_the_startd_is_back(executed: bool) -> None:
    world, orders = running(2)
    if executed:
        begin(world, orders)
    infos = [world.core.claims[order.claim].info for order in orders]
    world.handle(StartdLost())
    for info, order in zip(infos, orders, strict=True):
        info.job, info.run = str(order.job), order.run
    world.connect(*infos)
    assert [world.status(JobId(1, proc)) for proc in (0, 1)] == [2, 2]
    assert len(world.core.claims.values()) == 4
    if not executed:
        begin(world, orders)
        assert events(world)[-5:] == [14, 14, 14, 14, 1]
    before = len(events(world))
    end(world, orders[0])
    for order in orders[1:]:
        end(world, order, exit_code=None, vacated=True)
    assert events(world)[before:] == [15, 5]
    assert [world.status(JobId(1, proc)) for proc in (0, 1)] == [None, None]


def test_a_job_whose_first_node_is_gone_is_idle_again_when_the_startd_is_back() -> None:
    world, orders = running(2)
    begin(world, orders)
    infos = [world.core.claims[order.claim].info for order in orders]
    world.handle(StartdLost())
    for info, order in zip(infos, orders, strict=True):
        info.job, info.run = str(order.job), order.run
    world.connect(*infos[1:])
    assert [world.status(JobId(1, proc)) for proc in (0, 1)] == [1, 1]
    assert len(asked(world)) == 4


def test_a_job_that_waited_for_its_slots_waits_again_when_the_startd_is_lost() -> None:
    world = World()
    world.connect()
    world.submit(1, 1, **PARALLEL)
    first, _ = requests(world)
    world.grant(first)
    world.handle(StartdLost())
    world.connect()
    assert world.status(LEAD) == 1
    assert len(requests(world)) == 2


# ---- what the negotiator sees -------------------------------------------------------------------------------


def test_procs_that_ask_for_other_things_are_parts_of_one_request() -> None:
    world = World()
    world.connect()
    for cluster, more in ((1, {}), (2, {"WantParallelSchedulingGroups": "true"})):
        world.submit(cluster, 2, **{**PARALLEL, "RequestCpus": "2", **more})
    ad = world.queue.job(JobId(1, 1))
    assert ad is not None
    world.written([Change(SET, "1.1", "RequestMemory", "999")])
    (one,) = demand(world.core.state)
    first, second = one.requests
    parts = list(first.parts)
    assert [len(part.jobs) for part in parts] == [2, 2]
    assert len({part.autocluster for part in parts}) == 2
    assert [part.ad.evaluate("RequestMemory") for part in parts if part.ad is not None] == [128, 999]
    assert (first.one_group, second.one_group) == (False, True)
    assert one.idle_weight == 16.0


@pytest.mark.parametrize("change", [("JobStatus", "5"), ("MaxHosts", "0"), ("MaxHosts", "-3")])
def test_a_job_is_matched_when_all_of_its_procs_wait(change: tuple[str, str]) -> None:
    world = World()
    world.connect()
    world.submit(1, 2, **PARALLEL)
    assert len(asked(world)) == 4
    world.written([Change(SET, "1.1", *change)])
    assert len(asked(world)) == (0 if change[0] == "JobStatus" else 2)


def test_only_waiting_jobs_that_are_behind_are_told_why() -> None:
    spooling = {**PARALLEL, "HoldReasonCode": "16"}
    world = World(wait_for_spooler=True)
    world.connect()
    world.submit(1, 1, **PARALLEL)
    world.submit(2, 1, 5, **spooling)
    world.submit(3, 1, **PARALLEL)
    asked(world)
    reasons = []
    for cluster in (1, 3):
        ad = world.queue.job(JobId(cluster, 0))
        assert ad is not None
        reasons.append(ad.eval_str("LastRejMatchReason", ""))
    assert reasons[0] == ""
    assert reasons[1] == "the nodes of the parallel job 2 get their slots first, when its files are in the spool"


def test_a_claim_of_no_node_has_no_ad() -> None:
    world, orders = running()
    assert node_ad(world.core.state, "<other>#1") is None
    assert request_ad(world.core.state, JobId(1, 0)) is None
    found = node_ad(world.core.state, orders[1].claim)
    assert found is not None
    assert found.evaluate("RemoteHost") == "slot1_2@vm"
    begin(world, orders)
    for order in orders:
        end(world, order)
    assert node_ad(world.core.state, orders[1].claim) is None


def test_a_job_beyond_its_quota_gives_its_slots_back() -> None:
    world = World()
    world.connect()
    world.submit(1, 1, **PARALLEL)
    first, second = requests(world)
    world.grant(first)
    world.queue.user.set_int("MaxJobsRunning", 0)
    world.core.handle(QueueChanged([Change(SET, "0.2", "MaxJobsRunning", "0")]), world.now)
    world.grant(second)
    assert world.told(Activate) == []
    assert world.status(LEAD) == 1
    assert len(world.told(ReleaseClaim)) == 2


def test_the_start_of_a_job_is_recorded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[tuple[str, JobId]] = []
    monkeypatch.setattr(ScheddState, "record_run", lambda _self, kind, job, *more: recorded.append((kind, job)))
    running(2)
    assert recorded == [("SPAWN", LEAD)]


def test_a_refused_node_is_noted_and_the_job_is_matched_again() -> None:
    world = World()
    world.connect()
    world.submit(1, 1, **PARALLEL)
    first, _ = requests(world)
    world.seen.clear()
    world.handle(ClaimRefused(first.id, "taken"))
    assert "claim for a node of the parallel job 1.0 refused: taken" in [note.text for note in world.told(Note)]
    assert world.told(CallNegotiator)
    assert len(asked(world)) == 2


# ---- parts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "by_itself"),
    [
        ({"exit_code": 0}, True), ({"exit_signal": 9}, True), ({}, False), ({"exit_code": 0, "vacated": True}, False),
        ({"exit_code": 0, "error": "x"}, False), ({"exit_code": 0, "hold_code": 3}, False),
    ],
)  # fmt: skip
def test_ends_that_are_those_of_the_program(outcome: dict[str, object], by_itself: bool) -> None:
    assert dissolving.exited(ExitReport("c", "1.0", 1, **outcome)) is by_itself  # type: ignore[arg-type]


def test_all_that_nodes_use_is_summed_or_the_largest() -> None:
    def usage(first: int) -> Usage:
        numbers = [float(first << shift) for shift in range(9)]
        return Usage(
            numbers[0], numbers[1], int(numbers[2]), image_kb=int(numbers[3]), disk_kb=int(numbers[4]),
            bytes_sent=int(numbers[5]), bytes_received=int(numbers[6]), files_sent=int(numbers[7]),
            files_received=int(numbers[8]),
        )  # fmt: skip

    one, three, two = usage(1), usage(3), usage(2)
    found = dissolving._summed(one, [three, two])
    summed = usage(6)
    assert found == replace(
        summed, max_rss_kb=three.max_rss_kb, image_kb=three.image_kb, disk_kb=three.disk_kb
    )  # fmt: skip
    assert dissolving._summed(one, []) == one
    http, both = (replace(one, sent_by_url=text, received_by_url=text) for text in ("HTTP 1 5", "FILE 1 2, HTTP 2 6"))
    assert dissolving._summed(http, [both]).sent_by_url == "HTTP 3 11, FILE 1 2"
    assert dissolving._summed(both, [http]).received_by_url == "FILE 1 2, HTTP 3 11"


@pytest.mark.parametrize("state", ["cooling", "orphan", "away", "unknown"])
def test_a_proc_that_does_not_wait_keeps_the_others_waiting(state: str) -> None:
    world = World()
    world.connect()
    world.submit(1, 2, **PARALLEL)
    core, proc = world.core.state, JobId(1, 1)
    ad = world.queue.job(proc)
    assert ad is not None
    assert gangs.formed(core, 1) is not None
    if state == "cooling":
        core.waiting.cool(proc)
    elif state == "orphan":
        core.reach.orphan(proc)
    elif state == "away":
        ad.set_text("Managed", '"External"')
    else:
        del core.known[proc]
    assert gangs.formed(core, 1) is None
    assert gangs.formed(core, 7) is None


@pytest.mark.parametrize(("hosts", "forms"), [("0", False), ("1", True), ("1000", True), ("1001", False)])
def test_how_many_nodes_a_job_may_have(hosts: str, forms: bool) -> None:
    world = World()
    world.connect()
    world.submit(1, 1, **{**PARALLEL, "MaxHosts": hosts, "MinHosts": hosts})
    found = gangs.formed(world.core.state, 1)
    if forms:
        assert found is not None
        assert [node.number for node in found.nodes] == list(range(int(hosts)))
    else:
        assert found is None


def test_a_cycle_gets_the_first_jobs_of_each_submitter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gangs, "_A_CYCLE", 3)
    world = World()
    world.connect()
    for cluster in range(1, 6):
        world.submit(cluster, 1, **PARALLEL)
    world.submit(500, 1, **PARALLEL, Owner='"bob"', User='"bob@example.net"')
    seen = [one.cluster for one in gangs.waiting(world.core.state)]
    assert seen == [1, 2, 3, 500]


def test_the_first_job_whose_files_are_awaited_counts() -> None:
    spooling = {**PARALLEL, "HoldReasonCode": "16"}
    world = World(wait_for_spooler=True)
    world.connect()
    for cluster in (4, 2, 3):
        world.submit(cluster, 1, 5, **spooling)
    assert gangs.spoolers(world.core.state) == {"alice@example.net": 2}
    world.written([Change(SET, "2.0", "HoldReasonCode", "1")])
    assert gangs.spoolers(world.core.state) == {"alice@example.net": 3}
    world.written([Change(DESTROY_AD, "3.0", "", "")])
    assert gangs.spoolers(world.core.state) == {"alice@example.net": 4}
    plain = World()
    plain.connect()
    plain.submit(2, 1, 5, **spooling)
    assert gangs.spoolers(plain.core.state) == {}


def test_a_job_whose_first_node_is_lost_tells_why() -> None:
    world, orders = running()
    begin(world, orders)
    world.handle(ClaimLost(orders[0].claim, 1010, "preempted by its owner"))
    end(world, orders[1], exit_code=None, vacated=True)
    ad = world.queue.job(LEAD)
    assert ad is not None
    assert (ad.evaluate("VacateReasonCode"), ad.eval_str("VacateReason", "")) == (1010, "preempted by its owner")


def test_the_start_of_a_job_counts_in_the_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[tuple[int, int, int]] = []
    world = World()
    world.connect()
    kind = type(world.core.state.counters)
    monkeypatch.setattr(kind, "began", lambda _self, *words: began.append(words))
    world.submit(1, 1, **PARALLEL, QDate="990")
    for request in requests(world):
        world.grant(request)
    assert began == [(1000, 10, 1)]
    world.submit(2, 1, **PARALLEL, QDate="9999")
    for request in requests(world):
        world.grant(request)
    assert began[1:] == [(1000, 0, 2)], "a clock that was set back"


def test_a_report_without_a_start_begins_nothing() -> None:
    for more in ({"pid": 0}, {"exec_time": 0.0}):
        world, orders = running()
        end(world, orders[1], exit_code=None, vacated=True, **more)
        assert events(world) == [0]
