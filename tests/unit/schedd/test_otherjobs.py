"""Jobs that leave the queue with others, and removals that come when a job has already ended."""

from __future__ import annotations

from world import World

from condor_py.core.jobs.actions import Result, perform
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.events import QueueTaken
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus


def _ad(world: World, job: JobId) -> ClassAd:
    ad = world.queue.job(job)
    assert ad is not None
    return ad


def _remove(world: World, job: JobId) -> Result:
    result, records = perform("remove", job, _ad(world, job), actor="alice", reason=None, subcode=None, now=world.now)
    world.written(records)
    return result


def test_a_job_that_is_removed_takes_those_of_its_owner_with_it_that_its_expression_names() -> None:
    world = World()
    world.connect()
    (dag,) = world.submit(1, OtherJobRemoveRequirements='"DAGManJobId =?= 1"')
    idle, runs = world.submit(2, 2, DAGManJobId="1")
    (other,) = world.submit(3, DAGManJobId="3")
    (of_bob,) = world.submit(4, DAGManJobId="1", Owner='"bob"')
    world.match(runs)
    world.started(runs)
    assert _remove(world, dag) == Result.SUCCESS
    assert (world.status(dag), world.status(idle)) == (None, None)
    assert world.status(runs) == JobStatus.REMOVED
    assert (world.status(other), world.status(of_bob)) == (JobStatus.IDLE, JobStatus.IDLE)
    assert _ad(world, runs).eval_str("RemoveReason", "") == (
        "removed because <OtherJobRemoveRequirements = DAGManJobId =?= 1> fired when job (1.0) was removed"
    )
    world.ended(runs, vacated=True, exit_signal=15)
    assert world.status(runs) is None


def test_what_is_no_expression_takes_nothing_with_it() -> None:
    world = World()
    (job,) = world.submit(1, OtherJobRemoveRequirements='"1 +"')
    (other,) = world.submit(2)
    _remove(world, job)
    assert (world.status(job), world.status(other)) == (None, JobStatus.IDLE)


def test_a_job_that_has_completed_and_waits_for_its_history_is_not_removed_as_well() -> None:
    job, ad = JobId(1, 0), _ad_of_completed()
    result, records = perform("remove", job, ad, actor="alice", reason=None, subcode=None, now=1)
    assert (result, records) == (Result.NOT_FOUND, [])


def test_a_completed_job_that_stays_in_the_queue_can_be_removed() -> None:
    ad = _ad_of_completed()
    ad.set_text("LeaveJobInQueue", "true")
    assert perform("remove", JobId(1, 0), ad, actor="alice", reason=None, subcode=None, now=1)[0] == Result.SUCCESS


def _ad_of_completed() -> ClassAd:
    return ClassAd.from_text_items([("JobStatus", "4"), ("Owner", '"alice"')])


def test_a_schedd_that_dies_between_history_and_removal_takes_the_others_along_when_it_is_back() -> None:
    """The job with the lower number is met first: those that go with it are not known then."""
    world = World()
    (dag,) = world.submit(10, OtherJobRemoveRequirements='"DAGManJobId == 10"')
    (node,) = world.submit(11, DAGManJobId="10")
    removed = perform("remove", dag, _ad(world, dag), actor="alice", reason=None, subcode=None, now=world.now)
    world.queue.apply(removed[1])
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.core.handle(QueueTaken({dag: [0, 9], node: [0]}, {dag}), world.now)
    world.turn()
    assert (world.status(dag), world.status(node)) == (None, None)
