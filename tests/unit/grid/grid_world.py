"""A queue and a batch system around the gridmanager's core, in which anything may happen at any moment."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from condor_py.core.grid import actions as do
from condor_py.core.grid import events as told
from condor_py.core.grid.core import GridManager
from condor_py.core.grid.events import Ending, Event, Seen, Stand
from condor_py.lang.classad import ClassAd
from condor_py.model.gridjobs import GridStep
from condor_py.model.ids import JobId
from condor_py.model.settings.grid import GridSettings, Limits
from condor_py.model.states import JobStatus

RESOURCE = "batch slurm"
_WANTED = (JobStatus.IDLE, JobStatus.RUNNING)


@dataclass
class Queued:
    """A job as the queue has it."""

    status: int = JobStatus.IDLE
    grid_id: str = ""
    grid_status: str = ""
    wait_reason: str = ""
    value: int = 0
    attempt: int = 0
    steps: list[str] = field(default_factory=list)
    reason: str = ""
    exit_code: int | None = None


@dataclass
class RemoteJob:
    """A job of the batch system."""

    name: str
    stand: Stand = Stand.WAITS
    lists: bool = True
    reason: str = "Job removed from batch queue manually"
    waits: str = ""
    value: int = 0


class World:
    """What is durable (queue, batch system, notices of wrappers) and the manager, which is not."""

    def __init__(self, settings: GridSettings | None = None, jobs: int = 1, resource: str = RESOURCE) -> None:
        self.now = 1000
        self.resource = resource
        self.settings = settings or GridSettings(max_submitted={"": Limits(5)}, max_pending_submits=3)
        self.queue = {JobId(1, proc): Queued() for proc in range(jobs)}
        self.remote: dict[str, RemoteJob] = {}
        self.began: dict[str, str] = {}
        self.ended: dict[str, Ending] = {}
        self.staged: set[str] = set()
        self.runs: dict[str, int] = {}
        self.counter = 0
        self.asked = 0
        self.up = True
        #: What a submit does besides failing: "takes" or "refuses"; "" for one that works.
        self.grumbles = ""
        self.pending: list[do.Action] = []
        self.start()

    def start(self) -> None:
        """A new manager, told of all jobs."""
        self.manager = GridManager(self.settings, self.now)
        self.pending = []
        for job in self.queue:
            self.tell_of(job)
        self.give(told.AllTold())

    def tell_of(self, job: JobId) -> None:
        if job not in self.queue:
            self.give(told.JobGone(job))
            return
        ad = self.queue[job]
        self.give(
            told.JobTold(job, ad.status, self.resource, f"schedd#{job}#7", ad.grid_id, ad.attempt, ad.grid_status)
        )

    def give(self, event: Event) -> None:
        self.manager.handle(event, self.now)
        self.manager.validate()
        self.pending += self.manager.take()

    # -- what the manager wants ----------------------------------------------------------------------

    def settle(self, limit: int = 1000) -> None:
        """Does all that is wanted, in order."""
        while self.pending and limit:
            limit -= 1
            self.do(self.pending.pop(0))

    def do(self, action: do.Action) -> None:
        getattr(self, "_" + type(action).__name__)(action)

    def _StageIn(self, action: do.StageIn) -> None:
        self.staged.add(action.name)
        self.give(told.StagedIn(action.job, 10, 1))

    def _Submit(self, action: do.Submit) -> None:
        if not self.up:
            self.give(told.SubmitFailed(action.job, "cannot contact the controller", away=True))
            return
        assert action.name in self.staged
        if self.grumbles:
            if self.grumbles == "takes":
                self.submit(action.name)
            self.give(told.SubmitFailed(action.job, "a warning", certain=False, code=21))
            return
        self.give(told.Submitted(action.job, self.submit(action.name)))

    def submit(self, name: str) -> str:
        self.counter += 1
        self.remote[str(self.counter)] = RemoteJob(name)
        return str(self.counter)

    def _Look(self, action: do.Look) -> None:
        if not self.up:
            self.give(told.LookFailed(action.resource, "cannot contact the controller"))
            return
        self.notices()
        found: dict[str, tuple[Seen, ...]] = {}
        for number, job in self.remote.items():
            if job.lists:
                reason = job.waits if job.stand is Stand.WAITS else job.reason
                seen = Seen(number, job.stand, reason, None, 26, 7)
                found[job.name] = (*found.get(job.name, ()), seen)
        self.give(told.Looked(action.resource, found))

    def notices(self) -> None:
        """What wrappers have written."""
        for name, number in list(self.began.items()):
            job = self.manager.job_named(name)
            if job is not None:
                self.give(told.Began(job, number, float(self.now)))
                if name in self.ended:
                    self.give(told.Ended(job, self.ended[name]))

    def _Cancel(self, action: do.Cancel) -> None:
        if not self.up:
            self.give(told.CancelFailed(action.job, action.remote_id, "cannot contact the controller"))
            return
        job = self.remote.get(action.remote_id)
        if job is not None and job.stand in (Stand.WAITS, Stand.RUNS, Stand.HELD):
            job.stand = Stand.STOPPED
        self.give(told.Cancelled(action.job, action.remote_id))

    def _Order(self, action: do.Order) -> None:
        if not self.up:
            self.give(told.Disobeyed(action.job, action.remote_id, "cannot connect"))
            return
        self.obey(action)
        self.give(told.Obeyed(action.job, action.remote_id))

    def obey(self, action: do.Order) -> None:
        """The remote system holds or releases a job, if it can."""
        job = self.remote.get(action.remote_id)
        if job is None:
            return
        if action.release and job.stand is Stand.HELD:
            job.stand = Stand.WAITS
        elif not action.release and job.stand in (Stand.WAITS, Stand.RUNS):
            if job.stand is Stand.RUNS:  # what it has done does not count
                del self.began[job.name], self.runs[job.name]
            job.stand, job.reason = Stand.HELD, "by gridmanager"

    def _Edit(self, action: do.Edit) -> None:
        job = self.remote.get(action.remote_id)
        if job is not None and self.up:
            job.value = action.ad.eval_int("Value", 0)

    def _StageOut(self, action: do.StageOut) -> None:
        assert action.name in self.staged, f"the output of {action.name} is gone"
        self.give(told.StagedOut(action.job, 5, 1))

    def _Clean(self, action: do.Clean) -> None:
        self.staged.discard(action.name)

    def _CleanOthers(self, action: do.CleanOthers) -> None:
        self.staged &= action.names

    def _AskAd(self, action: do.AskAd) -> None:
        self.asked += 1
        queued = self.queue.get(action.job)
        self.give(told.AdCame(action.job, None if queued is None else ClassAd({"Value": queued.value})))

    def _AskJob(self, action: do.AskJob) -> None:
        self.tell_of(action.job)

    def _Say(self, action: do.Say) -> None:
        pass

    def _Tell(self, action: do.Tell) -> None:
        self.commit(action)
        self.give(told.Settled(action.number))

    def commit(self, action: do.Tell) -> None:
        """What the schedd makes of a report."""
        ad = self.queue.get(action.job)
        if ad is None:
            return
        ad.steps.append(action.step.value)
        values = dict(action.assignments)
        if "GridJobId" in values:
            ad.grid_id = values["GridJobId"].strip('"')
            ad.attempt = int(values.get("GridAttempt", ad.attempt))
        ad.grid_status = values.get("GridJobStatus", ad.grid_status).strip('"')
        ad.wait_reason = values.get("GridJobWaitReason", ad.wait_reason).strip('"')
        if "GridJobWaitReason" in action.deletions:
            ad.wait_reason = ""
        if "GridJobId" in action.deletions:
            ad.grid_id = ad.grid_status = ""
        ad.reason = action.reason or ad.reason
        if action.step is GridStep.ENDED:
            if ad.status == JobStatus.HELD:  # its owner was quicker
                ad.grid_id = ""
                return
            ad.exit_code = int(values.get("ExitCode", "-1"))
            del self.queue[action.job]
            self.done(action.job, ad)
        elif action.step is GridStep.RUNNING and ad.status == JobStatus.IDLE:
            ad.status = JobStatus.RUNNING
        elif action.step is GridStep.IDLE and ad.status == JobStatus.RUNNING:
            ad.status = JobStatus.IDLE
        elif action.step in (GridStep.HOLD, GridStep.HELD_THERE) and action.reason and ad.status in _WANTED:
            ad.status = JobStatus.HELD
        elif action.step is GridStep.LET_GO and ad.status == JobStatus.REMOVED:
            del self.queue[action.job]
        elif action.step is GridStep.LET_GO and ad.status == JobStatus.RUNNING:
            ad.status = JobStatus.IDLE

    def done(self, job: JobId, ad: Queued) -> None:
        self.last = ad

    # -- the batch system ------------------------------------------------------------------------------

    def run(self, number: str) -> None:
        """A job begins: its wrapper does nothing when another one of that name has begun."""
        job = self.remote[number]
        if self.began.get(job.name, number) != number:
            job.stand = Stand.OVER
            return
        self.began[job.name] = number
        self.runs[job.name] = self.runs.get(job.name, 0) + 1
        job.stand = Stand.RUNS

    def end(self, number: str, code: int = 0, signal: int | None = None) -> None:
        job = self.remote[number]
        job.stand = Stand.OVER
        self.ended[job.name] = Ending(None if signal else code, signal, 1.0, 0.5, 0, float(self.now), float(self.now))

    def change(self, job: JobId, status: int) -> None:
        """Its owner does something about a job."""
        ad = self.queue.get(job)
        if ad is None:
            return
        ad.status = status
        if status == JobStatus.REMOVED and not ad.grid_id:
            del self.queue[job]
        self.tell_of(job)

    def pass_time(self, seconds: int) -> None:
        self.now += seconds
        self.give(told.Tick())

    def random_step(self, dice: random.Random) -> None:
        """Anything."""
        choice = dice.random()
        if choice < 0.45 and self.pending:
            self.do(self.pending.pop(0))
        elif choice < 0.47:
            self.start()  # kill -9
        elif choice < 0.50 and self.pending:  # killed when the remote side had heard of it, and before we could know
            action = self.pending[0]
            if isinstance(action, do.Submit) and self.up:
                self.submit(action.name)
            elif isinstance(action, do.Tell):
                self.commit(action)
            elif isinstance(action, do.Order) and self.up:
                self.obey(action)
            self.start()
        elif choice < 0.75 and self.remote:
            number = dice.choice(list(self.remote))
            stand = self.remote[number].stand
            if stand is Stand.WAITS and self.resource.startswith("condor") and dice.random() < 0.1:
                self.remote[number].stand = Stand.HELD
            elif stand is Stand.WAITS:
                self.run(number)
            elif stand is Stand.RUNS:
                self.end(number, dice.choice((0, 1)), dice.choice((None, None, 9, 11)))
        elif choice < 0.78:
            self.up = not self.up
        elif choice < 0.82 and self.queue:
            self.change(dice.choice(list(self.queue)), dice.choice((JobStatus.HELD, JobStatus.REMOVED)))
        elif choice < 0.86:
            for job, ad in list(self.queue.items()):
                if ad.status == JobStatus.HELD:
                    self.change(job, JobStatus.IDLE)
        elif choice < 0.90:
            self.notices()
        else:
            self.pass_time(dice.choice((1, 5, 30, 100)))
