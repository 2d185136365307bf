"""Jobs of the grid universe in the schedd core: told to their gridmanager, reported on by it."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs.actions import perform, set_text
from condor_py.core.jobs.effects import GridAcknowledge, GridNews
from condor_py.core.jobs.events import GridReported, GridReportsEnd, QueueTaken
from condor_py.core.jobs.guard import put_aside
from condor_py.model.gridjobs import GridStep
from condor_py.model.ids import JobId
from condor_py.model.messages.grid import GridReport

NAME = '"batch slurm here_1.0"'
ID = '"batch slurm here_1.0 17"'


def submitted(world: World, **attributes: str) -> JobId:
    (job,) = world.submit(1, JobUniverse="9", GridResource='"batch slurm"', **attributes)
    return job


def report(world: World, job: JobId, step: str, owner: str = "alice", **rest: object) -> None:
    told = {name: rest.pop(name) for name in list(rest) if name[0].isupper()}
    made = GridReport(job, step, tuple(told.items()), **rest)  # type: ignore[arg-type]
    world.core.handle(GridReported(owner, job, made), world.now)
    world.turn()


def sent(world: World, job: JobId) -> None:
    report(world, job, GridStep.UPDATE, GridJobId=NAME, GridAttempt="1")
    report(world, job, GridStep.SUBMITTED, GridJobId=ID, GridJobStatus='"IDLE"')


def act(world: World, job: JobId, action: str) -> None:
    ad = world.queue.job(job)
    assert ad is not None
    _, records = perform(action, job, ad, actor="alice", reason=None, subcode=None, now=world.now)
    world.written(records)


def news(world: World) -> int:
    return len(world.told(GridNews))


def test_its_gridmanager_hears_of_it_and_reports_its_life() -> None:
    world = World()
    job = submitted(world)
    assert world.told(GridNews) == [GridNews("alice", job)]
    assert world.core.grid_jobs("alice") == [job]
    sent(world, job)
    report(world, job, GridStep.RUNNING, when=1000.0, RemoteHost='"node1"')
    ad = world.queue.job(job)
    assert ad is not None
    assert (world.status(job), ad.eval_int("NumJobStarts"), ad.eval_str("RemoteHost")) == (2, 1, "node1")
    world.now += 100
    ended = {"ExitBySignal": "false", "ExitCode": "3", "RemoteUserCpu": "2.5"}
    report(world, job, GridStep.ENDED, when=1090.0, **ended)
    assert (world.status(job), world.events(job)) == (None, [0, 27, 1, 5])
    assert (ad.eval_int("ExitCode"), ad.eval_real("RemoteWallClockTime")) == (3, 90.0)
    assert ad.eval_int("CompletionDate") == 1090
    assert world.core.grid_jobs("alice") == []


def test_what_is_acknowledged_is_durable_before() -> None:
    world = World()
    job = submitted(world)
    report(world, job, GridStep.UPDATE, GridJobId=NAME)
    world.core.handle(GridReportsEnd("alice", 7), world.now)
    _, effects = world.core.take()
    assert effects == [GridAcknowledge("alice", 7)]


def test_a_removed_job_stays_until_nothing_of_it_is_elsewhere() -> None:
    world = World()
    job = submitted(world)
    sent(world, job)
    act(world, job, "remove")
    assert world.status(job) == 3
    assert 9 not in world.events(job)
    report(world, job, GridStep.LET_GO, deletions=("GridJobId",))
    assert (world.status(job), world.events(job)) == (None, [0, 27, 9])


def test_one_that_has_not_gone_anywhere_leaves_at_once_and_one_that_is_forced_too() -> None:
    world = World()
    first = submitted(world)
    act(world, first, "remove")
    assert world.status(first) is None
    (second,) = world.submit(2, JobUniverse="9", GridResource='"batch slurm"')
    sent(world, second)
    act(world, second, "remove")
    before = news(world)
    act(world, second, "removex")
    assert world.status(second) is None
    assert news(world) > before


def test_held_and_released_its_gridmanager_hears_of_both() -> None:
    world = World()
    job = submitted(world)
    sent(world, job)
    before = news(world)
    act(world, job, "hold")
    assert news(world) == before + 1
    report(world, job, GridStep.LET_GO, deletions=("GridJobId",))
    assert world.core.grid_jobs("alice") == []
    act(world, job, "release")
    assert world.core.grid_jobs("alice") == [job]
    assert world.events(job) == [0, 27, 12, 13]


def test_a_hold_of_the_gridmanager_has_its_code_and_reason() -> None:
    world = World()
    job = submitted(world)
    sent(world, job)
    report(world, job, GridStep.RUNNING)
    report(world, job, GridStep.HOLD, code=21, reason="time limit\nreached", deletions=("GridJobId",))
    ad = world.queue.job(job)
    assert ad is not None
    assert (world.status(job), ad.eval_int("HoldReasonCode")) == (5, 21)
    assert ad.eval_str("HoldReason") == "time limit reached"
    assert ad.text("GridJobId") is None
    assert ad.eval_int("NumSystemHolds") == 1
    assert world.events(job) == [0, 27, 1, 12]


def test_a_job_that_is_not_essential_is_removed_where_another_would_be_held() -> None:
    world = World()
    job = submitted(world, Nonessential="true", LeaveJobInQueue="true")
    sent(world, job)
    report(world, job, GridStep.RUNNING)
    report(world, job, GridStep.HOLD, code=21, reason="time limit\nreached", deletions=("GridJobId",))
    ad = world.queue.job(job)
    assert ad is not None
    assert (world.status(job), ad.eval_str("RemoveReason")) == (3, "time limit reached")
    assert ad.text("HoldReason") is None
    assert world.events(job) == [0, 27, 1, 9]
    assert world.core.grid_jobs("alice") == []


@pytest.mark.parametrize(
    ("policy", "status", "events"),
    [({"OnExitRemove": "ExitCode == 0"}, 1, [0, 27, 1, 4]), ({"OnExitHold": "ExitCode != 0"}, 5, [0, 27, 1, 12])],
)
def test_its_policy_counts_when_it_ends(policy: dict[str, str], status: int, events: list[int]) -> None:
    world = World()
    job = submitted(world, **policy)
    sent(world, job)
    report(world, job, GridStep.RUNNING)
    report(world, job, GridStep.ENDED, ExitBySignal="false", ExitCode="1")
    assert (world.status(job), world.events(job)) == (status, events)
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.text("GridJobId") is None


def test_a_resource_that_is_down_is_told_and_that_it_is_up() -> None:
    world = World()
    job = submitted(world)
    report(world, job, GridStep.DOWN, GridResourceUnavailableTime="1000", reason="no answer")
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.eval_int("GridResourceUnavailableTime") == 1000
    report(world, job, GridStep.UP, deletions=("GridResourceUnavailableTime",))
    assert ad.text("GridResourceUnavailableTime") is None
    assert world.events(job) == [0, 26, 25]


def test_nobody_reports_on_jobs_of_others_and_nobody_writes_what_the_schedd_decides() -> None:
    world = World()
    job = submitted(world)
    report(world, job, GridStep.ENDED, owner="bob", ExitCode="0")
    assert world.status(job) == 1
    report(world, job, GridStep.UPDATE, JobStatus="4", Owner='"root"', GridJobId=NAME, Bad="1 +")
    ad = world.queue.job(job)
    assert ad is not None
    assert (world.status(job), ad.eval_str("Owner"), ad.has("Bad")) == (1, "alice", False)


@pytest.mark.parametrize(
    ("attributes", "logged", "expected"),
    [
        ({"GridJobId": ID, "GridJobStatus": '"IDLE"'}, [0], [27]),
        ({"GridJobId": ID, "GridJobStatus": '"RUNNING"', "JobStatus": "2"}, [0, 27], [1]),
        ({"GridJobId": ID, "GridJobStatus": '"IDLE"', "JobStatus": "3"}, [0, 27], []),
        ({"GridJobId": ID, "GridJobStatus": '"IDLE"', "JobStatus": "5", "NumHolds": "1"}, [0, 27], [12]),
    ],
)
def test_a_schedd_that_takes_over_writes_what_the_log_lacks(
    attributes: dict[str, str], logged: list[int], expected: list[int]
) -> None:
    old = World()
    job = submitted(old)
    ad = old.queue.job(job)
    assert ad is not None
    for name, text in attributes.items():
        ad.set_text(name, text)
    world = World()
    world.queue.procs, world.queue.cluster_ads = old.queue.procs, old.queue.cluster_ads
    world.core.handle(QueueTaken({job: logged}, ()), world.now)
    world.turn()
    assert world.events(job) == expected
    assert world.core.grid_jobs("alice") == [job]


def test_on_hold_here_and_elsewhere_it_keeps_what_it_has_there_and_nobody_is_needed() -> None:
    world = World()
    job = submitted(world)
    sent(world, job)
    report(world, job, GridStep.RUNNING, when=1000.0, RemoteHost='"node1"')
    report(world, job, GridStep.HELD_THERE, GridJobStatus='"HELD"', reason="disk full", code=26, subcode=7)
    ad = world.queue.job(job)
    assert ad is not None
    assert (world.status(job), ad.eval_str("HoldReason"), ad.eval_int("HoldReasonCode")) == (5, "disk full", 26)
    assert (ad.text("GridJobId"), ad.text("RemoteHost"), ad.text("ShadowBday")) == (ID, None, None)
    assert (world.core.grid_jobs("alice"), world.core.grid_busy("alice")) == ([job], False)
    act(world, job, "release")
    assert world.core.grid_busy("alice")
    report(world, job, GridStep.HELD_THERE, GridJobStatus='"HELD"')
    assert (world.status(job), world.core.grid_busy("alice")) == (1, True), "its owner was quicker"
    act(world, job, "remove")
    assert world.status(job) == 3


@pytest.mark.parametrize("status", [1, 2])
def test_an_edit_is_told_to_its_gridmanager(status: int) -> None:
    world = World()
    job = submitted(world)
    sent(world, job)
    if status == 2:
        report(world, job, GridStep.RUNNING, when=1000.0)
    before = news(world)
    world.written([set_text(job, "Mine", "7")])
    assert news(world) == before + 1


def test_a_job_that_is_put_aside_is_taken_back_from_where_it_is() -> None:
    world = World()
    job = submitted(world)
    sent(world, job)
    put_aside(world.core.state, job, "a fault")
    world.turn()
    assert world.status(job) == 5
    assert world.told(GridNews)[-1] == GridNews("alice", job)
    assert world.core.grid_jobs("alice") == [job]
    report(world, job, GridStep.LET_GO)
    assert world.core.grid_jobs("alice") == []


def test_the_jobs_of_a_user_are_known_one_by_one() -> None:
    world = World()
    jobs = [world.submit(cluster, JobUniverse="9", GridResource='"batch slurm"')[0] for cluster in (1, 2, 3)]
    act(world, jobs[0], "remove")
    assert world.core.grid_jobs("alice") == jobs[1:]
    act(world, jobs[2], "remove")
    assert world.core.grid_jobs("alice") == [jobs[1]]


def test_a_job_of_this_pool_is_nobody_elses_whatever_it_says() -> None:
    world = World()
    (job,) = world.submit(1, GridJobId=NAME)
    act(world, job, "hold")
    assert (world.core.grid_jobs("alice"), news(world)) == ([], 0)
    act(world, job, "remove")
    assert world.status(job) is None
