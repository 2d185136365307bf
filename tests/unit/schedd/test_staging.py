"""Common files in the schedd core: who stages them, who waits, who starts, and what becomes of all when it fails."""

from __future__ import annotations

import random

import pytest
from world import Activate, ReleaseClaim, World, job_of

from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.effects import RunRecord, ShadowNote, StageFiles, UserEvent
from condor_py.core.jobs.events import (
    ClaimLost,
    ClaimRefused,
    ClaimReleased,
    FilesStaged,
    LogsWanted,
    QueueTaken,
    StartdConnected,
    StartdLost,
    Tick,
)
from condor_py.core.jobs.parts import ClaimInfo
from condor_py.lang.events import CommonFiles
from condor_py.model.catalogs import catalogs_of
from condor_py.model.commonfiles import asked_by, staging_id
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import RequestClaim
from condor_py.model.messages.runs import RunEnded, StagingStep
from condor_py.model.record import DESTROY_AD, SET, Change, one_by_one
from condor_py.model.report import ExitReport

IDLE, RUNNING, HELD, BLOCKED = 1, 2, 5, 9
COMMON = {"CommonInputFiles": '"a, b"', "GlobalJobId": '"vm#1.0#1000"', "Iwd": '"/home/alice"'}


def scene(procs: int = 3, **knobs: object) -> tuple[World, list[JobId]]:
    """Jobs of a cluster with common files that have been given slots at the same time."""
    world = World(keep_data_claim_idle=10, **knobs)
    world.slot_more = {"HasCommonFilesTransfer": "2", "SlotType": '"Dynamic"'}
    world.connect()
    jobs = world.submit(1, procs=procs, **COMMON)
    world.match(*jobs)
    return world, jobs


def stages(world: World) -> list[StageFiles]:
    return [effect for effect in world.seen if isinstance(effect, StageFiles)]


def activated(world: World) -> list[tuple[JobId, int]]:
    return [(effect.job, len(effect.common)) for effect in world.seen if isinstance(effect, Activate)]


def statuses(world: World, jobs: list[JobId]) -> list[int | None]:
    return [world.status(job) for job in jobs]


def asked(world: World) -> list[RequestClaim]:
    return [effect for effect in world.seen if isinstance(effect, RequestClaim)]


def test_a_claim_is_given_back_once() -> None:
    world, _ = scene()
    (stage,) = stages(world)
    claim = world.core.claims[stage.claim_id]
    world.seen.clear()
    for _ in range(2):
        world.core.state.give_back(claim)
        world.turn()
    assert [effect.claim for effect in world.seen if isinstance(effect, ReleaseClaim)] == [stage.claim_id]


def over(stage: StageFiles, **outcome: object) -> RunEnded:
    job = str(staging_id(stage.job))
    return RunEnded(ExitReport(stage.claim_id, job, 1, **outcome))  # type: ignore[arg-type]


def test_the_first_job_stages_and_the_others_wait_with_their_slots() -> None:
    world, jobs = scene()
    (stage,) = stages(world)
    assert (stage.job, [one.name for one in stage.catalogs]) == (jobs[0], ["ClusterId_1"])
    assert statuses(world, jobs) == [BLOCKED] * 3
    assert not activated(world)
    assert not world.told(ReleaseClaim)
    before = len(asked(world))
    world.handle(FilesStaged(stage.claim_id))
    assert activated(world) == [(jobs[1], 1), (jobs[2], 1)]
    (request,) = asked(world)[before:]
    assert (request.job, request.slot) == (jobs[0], "slot1@vm")
    world.grant(request)
    assert activated(world)[2:] == [(jobs[0], 1)]
    assert statuses(world, jobs) == [RUNNING] * 3
    assert len(stages(world)) == 1


def test_a_job_that_cannot_start_keeps_no_other_from_starting() -> None:
    world, jobs = scene()
    (stage,) = stages(world)
    world.queue.procs[jobs[1]].set_int("JobStatus", HELD)  # behind the schedd's back: no held job starts
    world.core.handle(FilesStaged(stage.claim_id), world.now)
    records, effects = world.core.take()
    world.queue.apply(records)
    world.core.validate()
    assert [effect.job for effect in effects if isinstance(effect, Activate)] == [jobs[2]]
    assert [effect.job for effect in effects if isinstance(effect, RequestClaim)] == [jobs[0]]
    assert statuses(world, jobs) == [IDLE, HELD, RUNNING]
    assert jobs[1] not in world.core.state.stagings.waiting


def test_a_job_that_comes_later_finds_the_files_there() -> None:
    world, jobs = scene(1)
    world.handle(FilesStaged(stages(world)[0].claim_id))
    world.grant(asked(world)[-1])
    world.ended(jobs[0], exit_code=0)
    (later,) = world.submit(1, procs=1, **COMMON)
    world.match(later)
    assert activated(world)[-1] == (later, 1)
    assert len(stages(world)) == 1


def test_the_data_slot_goes_back_when_nobody_has_needed_it_for_a_while() -> None:
    world, jobs = scene(1)
    (stage,) = stages(world)
    world.handle(FilesStaged(stage.claim_id))
    world.grant(asked(world)[-1])
    world.now += 60
    world.core.handle(Tick(), world.now)
    world.turn()
    world.ended(jobs[0], exit_code=0)
    for seconds, gone in ((9, False), (1, True)):
        world.now += seconds
        world.core.handle(Tick(), world.now)
        world.turn()
        assert (ReleaseClaim(stage.claim_id) in world.told(ReleaseClaim)) == gone
    world.core.handle(ClaimReleased(stage.claim_id), world.now)
    world.turn()
    assert not world.core.state.stagings.providers


def test_events_tell_of_the_staging_under_a_number_of_its_own() -> None:
    world, _ = scene(1)
    (stage,) = stages(world)
    for step in ("TransferStarted", "TransferFinished"):
        world.handle(StagingStep(stage.claim_id, "ClusterId_1", step, 1000.0, True, "", {}))
    told = [(job_of(effect), effect.event) for effect in world.told(UserEvent)]
    assert [(job, event.type) for job, event in told if isinstance(event, CommonFiles)] == [
        (JobId(1, -1000), "TransferStarted"),
        (JobId(1, -1000), "TransferFinished"),
    ]
    assert asked_by(staging_id(JobId(4, 7))) == JobId(4, 7)


def test_where_staging_fails_every_job_fetches_its_own_files() -> None:
    world, _ = scene()
    (stage,) = stages(world)
    world.handle(over(stage, hold_code=13, hold_subcode=2, hold_reason="no such file"))
    assert ReleaseClaim(stage.claim_id) in world.told(ReleaseClaim)
    assert [common for _, common in activated(world)] == [0, 0]  # on the two claims that there are
    assert not world.core.state.stagings.waiting
    assert len(stages(world)) == 1
    cluster = world.queue.cluster(1)
    assert cluster is not None
    assert cluster.eval_int("CommonTransferFailed") == 1


def test_a_lost_data_slot_is_made_anew_by_who_waits() -> None:
    world, jobs = scene(2)
    (first,) = stages(world)
    world.handle(ClaimLost(first.claim_id, 1008, "The starter of the job died"))
    assert len(stages(world)) == 2
    assert stages(world)[1].claim_id != first.claim_id
    assert BLOCKED in statuses(world, jobs)


def test_a_staging_that_is_lost_again_and_again_has_failed() -> None:
    world, jobs = scene(1)
    for _ in range(3):
        world.handle(ClaimLost(stages(world)[-1].claim_id, 1008, "died"))
        world.match(jobs[0])
    assert len(stages(world)) == 3
    assert activated(world) == [(jobs[0], 0)]


def test_the_job_that_gave_its_slot_stays_idle_when_it_is_refused_another() -> None:
    world, jobs = scene(1)
    world.handle(FilesStaged(stages(world)[0].claim_id))
    world.handle(ClaimRefused(asked(world)[-1].id, "no room"))
    assert world.status(jobs[0]) == IDLE
    world.match(jobs[0])
    assert activated(world) == [(jobs[0], 1)]


def test_a_job_that_is_held_while_it_waits_leaves_its_slot() -> None:
    world, jobs = scene(2)
    world.written([Change(SET, str(jobs[1]), "JobStatus", "5")])
    assert world.told(ReleaseClaim)
    world.handle(FilesStaged(stages(world)[0].claim_id))
    assert statuses(world, jobs) == [IDLE, HELD]


def test_a_job_that_loses_its_slot_while_it_waits_is_idle_again() -> None:
    world, jobs = scene(2)
    kept = world.core.state.stagings.waiting[jobs[1]]
    world.handle(ClaimLost(kept, 1010, "Claim vacated by the administrator"))
    assert statuses(world, jobs) == [BLOCKED, IDLE]
    world.match(jobs[1])
    world.handle(FilesStaged(stages(world)[0].claim_id))
    assert activated(world) == [(jobs[1], 1)]


def test_a_removed_job_leaves_its_staging_to_the_others() -> None:
    world, jobs = scene(2)
    world.written([Change(SET, str(jobs[0]), "JobStatus", "3")])
    world.handle(FilesStaged(stages(world)[0].claim_id))
    assert activated(world) == [(jobs[1], 1)]


def test_without_the_startd_nobody_waits() -> None:
    world, jobs = scene()
    world.handle(StartdLost())
    assert statuses(world, jobs) == [IDLE] * 3
    assert not world.core.state.stagings.providers


def test_a_new_schedd_takes_over_what_is_staged() -> None:
    world, jobs = scene(1)
    (stage,) = stages(world)
    after = World(keep_data_claim_idle=10)
    after.slot_more, after.claims = world.slot_more, world.claims
    after.queue = world.queue
    after.core = Schedd(world.queue, after.core.settings, after.now)
    after.core.handle(QueueTaken({}, set()), after.now)
    after.turn()
    assert after.status(jobs[0]) == IDLE
    keys = tuple(one.key for one in stage.catalogs)
    slot = world.core.claims[stage.claim_id].info.slot_ad
    info = ClaimInfo(stage.claim_id, "data1_1@vm", "alice@example.net", slot, "1.-1000", 1, True, keys)
    after.handle(StartdConnected((info,)))
    after.match(jobs[0])
    assert activated(after) == [(jobs[0], 1)]


def test_a_new_schedd_gives_back_what_was_not_finished() -> None:
    world, _ = scene(1)
    (stage,) = stages(world)
    slot = world.core.claims[stage.claim_id].info.slot_ad
    after = World()
    after.connect(ClaimInfo(stage.claim_id, "data1_1@vm", "alice@example.net", slot, "1.-1000", 1, True))
    assert after.told(ReleaseClaim) == [ReleaseClaim(stage.claim_id)]


def test_nothing_is_staged_where_it_cannot_be() -> None:
    for knobs, slot in (
        ({"forbid_common_files": True}, {}),
        ({}, {"HasCommonFilesTransfer": "1"}),
        ({}, {"SlotType": '"Static"'}),
    ):
        world = World(**knobs)
        world.slot_more = {"HasCommonFilesTransfer": "2", "SlotType": '"Dynamic"', **slot}
        world.connect()
        world.match(*world.submit(1, **COMMON))
        assert not stages(world)
        assert activated(world) == [(JobId(1, 0), 0)]


def keys(cluster: int = 1, dag: int | None = None, **ad: str) -> list[str]:
    strings = {"GlobalJobId": "vm#1.0#1000", "Owner": "alice", "User": "alice@vm", "Iwd": "/home/alice", **ad}
    return [one.key for one in catalogs_of(strings.get, cluster, dag)]


def test_only_what_is_the_same_is_ever_shared() -> None:
    whole = {"CommonInputFiles": "/a, /b"}
    assert keys(1, 7, **whole) == keys(2, 7, **whole)
    assert keys(1, 7, **whole) == keys(1, 7, **whole, Iwd="/elsewhere")
    assert keys(1, None, **whole) != keys(2, None, **whole)
    assert keys(1, 7, **whole) != keys(1, 8, **whole)
    for other in (
        {"Owner": "bob"},
        {"User": "alice@elsewhere"},
        {"CommonInputFiles": "/a, /c"},
        {"GlobalJobId": "elsewhere#1.0#1000"},
    ):
        assert keys(1, 7, **whole) != keys(1, 7, **{**whole, **other}), other
    open_, encrypted = (catalogs_of({"GlobalJobId": "vm#1.0#1", **whole}.get, 1, 7, wish) for wish in (False, True))
    assert open_[0].key != encrypted[0].key, "what an encrypted job reads does not lie open"
    assert open_[0].identity == encrypted[0].identity
    relative = {"CommonInputFiles": "a, b"}
    assert keys(**relative) != keys(**relative, Iwd="/elsewhere")


def test_an_encrypted_job_does_not_share_what_lies_open() -> None:
    world = World()
    world.slot_more = {"HasCommonFilesTransfer": "2", "SlotType": '"Dynamic"'}
    world.connect()
    world.match(*world.submit(1, **COMMON))
    assert len(stages(world)) == 1
    world.match(*world.submit(2, **COMMON, DAGManJobId="7", EncryptExecuteDirectory="true"))
    world.match(*world.submit(3, **COMMON, DAGManJobId="7", EncryptExecuteDirectory="true"))
    world.match(*world.submit(4, **COMMON, DAGManJobId="7"))
    assert len(stages(world)) == 3, "those of the second cluster are shared with the third, not with the fourth"


def _move(world: World, chance: random.Random, clusters: list[int]) -> None:
    """Something happens; the books are checked after it."""
    core, jobs = world.core, list(world.queue.procs)
    stage = chance.choice(list(core.state.stagings.stages) or [""])
    what = chance.randrange(9)
    if what == 0 and len(clusters) < 5:
        clusters.append(len(clusters) + 1)
        world.submit(clusters[-1], procs=3, **COMMON)
    elif what in (1, 2):
        world.match(*[job for job in jobs if job in core.idle and chance.random() < 0.7])
    elif what == 3 and stage and not core.state.stagings.stages[stage].staged:
        world.handle(FilesStaged(stage))
        for request in [one for one in asked(world) if one.id in core.claims.asked]:
            refused = ClaimRefused(request.id, "no room")
            world.handle(refused) if chance.random() < 0.3 else world.grant(request)
    elif what == 4 and stage:
        outcome = chance.choice(({"hold_code": 13, "hold_reason": "x"}, {"error": "x"}, {"vacated": True}))
        world.handle(RunEnded(ExitReport(stage, "1.-1000", 1, **outcome)))  # type: ignore[arg-type]
    elif what == 5 and core.claims:
        world.handle(ClaimLost(chance.choice(list(core.claims)), 1010, "vacated"))
    elif what == 6 and jobs:
        world.written([Change(SET, str(chance.choice(jobs)), "JobStatus", chance.choice(("1", "3", "5")))])
    elif what == 7 and core.runs:
        world.ended(chance.choice(list(core.runs)), exit_code=0)
    elif what == 8:
        world.now += chance.randrange(8)
        core.handle(Tick(), world.now)
        world.turn()
        for claim_id in [one for one, claim in core.claims.items() if claim.releasing]:
            core.handle(ClaimReleased(claim_id), world.now)
            world.turn()


@pytest.mark.parametrize("seed", range(25))
def test_whatever_happens_nobody_waits_for_nothing(seed: int) -> None:
    """Every turn is validated: who is blocked waits for a data slot that is being made, or is on his way out."""
    chance = random.Random(seed)
    world = World(keep_data_claim_idle=10)
    world.slot_more = {"HasCommonFilesTransfer": "2", "SlotType": '"Dynamic"'}
    world.connect()
    clusters: list[int] = []
    for _ in range(150):
        _move(world, chance, clusters)
        unfinished = [one for one in world.core.state.stagings.stages.values() if not one.staged]
        assert unfinished or not world.core.state.stagings.waiting
    world.handle(StartdLost())
    assert not [job for job in world.queue.procs if world.status(job) == BLOCKED]
    assert stages(world), "the walk went past what it is about"


def failed(world: World, stage: StageFiles) -> None:
    world.handle(over(stage, hold_code=13, hold_reason="no such file"))


def test_who_was_held_behind_the_schedds_back_neither_asks_nor_waits() -> None:
    world, jobs = scene()
    (stage,) = stages(world)
    for job in jobs[:2]:
        world.queue.procs[job].set_int("JobStatus", HELD)
    before = len(asked(world))
    kept = world.core.state.stagings.waiting[jobs[1]]
    world.core.handle(ClaimLost(kept, 0, "gone"), world.now)
    world.core.handle(FilesStaged(stage.claim_id), world.now)
    world.queue.apply(list(one_by_one(world.core.take()[0])))
    assert statuses(world, jobs) == [HELD, HELD, RUNNING]
    assert len(asked(world)) == before
    assert list(world.core.state.stagings.waiting) == []


@pytest.mark.parametrize(
    ("dag", "owner", "shared"),
    [("7", "alice", True), ("7", "bob", False), ("8", "alice", False), ("0", "alice", False), ("-1", "alice", False)],
)
def test_the_jobs_of_a_dag_share_what_has_failed(dag: str, owner: str, shared: bool) -> None:
    """If the DAG is in the queue, and of the same owner; else each cluster finds out for itself."""
    world = World()
    world.slot_more = {"HasCommonFilesTransfer": "2", "SlotType": '"Dynamic"'}
    world.connect()
    world.submit(7, JobUniverse="5", Owner=f'"{owner}"', User=f'"{owner}@example.net"', Requirements="false")
    for cluster in (1, 2):
        world.submit(cluster, DAGManJobId=dag, **COMMON)
    world.match(JobId(1, 0))
    failed(world, stages(world)[0])
    world.match(JobId(2, 0))
    assert (world.status(JobId(2, 0)) == RUNNING) is shared
    marked = [cluster for cluster, ad in world.queue.cluster_ads.items() if ad.has("CommonTransferFailed")]
    assert marked == ([7] if shared else [1])


def test_files_of_others_concern_nobody() -> None:
    """Two clusters with files of their own: what comes or goes of one does not move the jobs of the other."""
    world, first = scene(2)
    second = world.submit(2, procs=2, **{**COMMON, "CommonInputFiles": '"c"'})
    world.match(*second)
    one, two = stages(world)
    world.handle(FilesStaged(one.claim_id))
    assert statuses(world, second) == [BLOCKED, BLOCKED]
    world.handle(ClaimLost(one.claim_id, 0, "gone"))
    assert statuses(world, second) == [BLOCKED, BLOCKED]
    world.handle(FilesStaged(two.claim_id))
    assert world.status(second[1]) == RUNNING
    assert world.status(first[1]) == RUNNING


def test_a_job_without_a_slot_fetches_its_files_itself() -> None:
    world = World()
    (job,) = world.submit(1, JobUniverse="12", **COMMON)
    assert world.status(job) == RUNNING
    assert not stages(world)


def test_only_what_was_moved_is_recorded_and_only_if_wanted() -> None:
    for runs, step, attributes, records in (
        (True, "TransferFinished", {"A": "1"}, 1),
        (True, "TransferFinished", {}, 0),
        (True, "TransferStarted", {"A": "1"}, 0),
        (False, "TransferFinished", {"A": "1"}, 0),
    ):
        world, _ = scene(1)
        world.handle(LogsWanted(runs=runs))
        (stage,) = stages(world)
        world.handle(StagingStep(stage.claim_id, "C", step, 1000.0, True, "/path", attributes))
        found = [effect for effect in world.seen if isinstance(effect, RunRecord) and effect.kind == "COMMON"]
        assert len(found) == records, (runs, step, attributes)


@pytest.mark.parametrize("gone", [False, True])
def test_a_data_slot_that_ends_without_a_fault_of_the_files_is_made_anew(gone: bool) -> None:
    """The job that gave its slot may have left; the others try again, and nothing is said to have failed."""
    world, jobs = scene(2)
    (stage,) = stages(world)
    if gone:
        world.written([Change(DESTROY_AD, str(jobs[0]))])
    world.handle(StagingStep(stage.claim_id, "C", "TransferStarted", 1000.0, True, "", {}))
    world.handle(over(stage, error="the starter died"))
    assert len(stages(world)) == 2
    assert (world.status(jobs[0]), world.status(jobs[1])) == ((None, BLOCKED) if gone else (BLOCKED, IDLE))
    told = [effect.text for effect in world.seen if isinstance(effect, ShadowNote) and "EXITING" in effect.text]
    assert told == ([] if gone else ["**** condor_shadow (condor_SHADOW) EXITING WITH STATUS 107"])


def test_a_fault_of_the_files_says_so_with_its_own_status() -> None:
    world, _ = scene(1)
    failed(world, stages(world)[0])
    told = [effect.text for effect in world.seen if isinstance(effect, ShadowNote)]
    assert told[-2:] == [
        "common file transfer failed, aborting job: no such file",
        "**** condor_shadow (condor_SHADOW) EXITING WITH STATUS 112",
    ]
