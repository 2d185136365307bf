"""State of the gridmanager's core: jobs and the resources that they go to."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from condor_py.core.grid.actions import Action, AskAd, Tell
from condor_py.core.grid.events import Began, Ended, Ending
from condor_py.core.grid.naming import type_of
from condor_py.core.grid.phases import LOOKED_AT, MOVES, PENDING, THERE, TOLD, Phase
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.gridjobs import GridStep
from condor_py.model.ids import JobId
from condor_py.model.settings.grid import GridSettings
from condor_py.model.states import JobStatus

_WANTED = (JobStatus.IDLE, JobStatus.RUNNING)
#: So many ads of jobs that are elsewhere are kept until their output comes; those of others are asked for again.
_KEPT = 1000


class IllegalMove(CondorError):
    """A job was to make a move that does not exist."""


@dataclass(slots=True)
class Job:
    """One grid job. There may be a hundred thousand of them: its ad is here only while it is needed."""

    id: JobId
    resource: str
    global_id: str
    #: JobStatus as the queue has it.
    status: int
    attempt: int
    name: str = ""
    remote_id: str = ""
    phase: Phase = Phase.UNSUBMITTED
    #: The report that has to be in the queue before it continues.
    waits_for: int = 0
    ad: ClassAd | None = None
    #: Its ad was asked for, and has not come.
    asked: bool = False
    ending: Ending | None = None
    #: GridJobStatus as it was last reported, and whether its program ran then.
    told: str = ""
    running: bool = False
    #: Whether its wrapper has reported that the program has begun, and the ids under which it was submitted as well.
    begun: bool = False
    others: tuple[str, ...] = ()
    #: Why it waits, as it was last reported.
    waits: str = ""
    #: Since when looks (the first that counts for it has this number) have not told how it stands, or something else
    #: than its wrapper.
    first_look: int = 0
    missed_since: int = 0
    #: Events of its engine that came while it was still being submitted.
    early: tuple[Began | Ended, ...] = ()
    #: The queue said something of it that could not be heeded: it is asked when this attempt is over.
    again: bool = False
    #: It has left the queue.
    gone: bool = False
    told_down: bool = False
    #: It has been edited, or may have been, since its ad was last here.
    edited: bool = False
    #: Why it is being cancelled, where that is to hold it.
    verdict: str = ""
    #: Reason, code and subcode of what its resource said of it, which may have taken it all the same.
    refusal: tuple[str, int, int] | None = None
    #: It is certain that its resource, which did not answer, has not got it.
    absent: bool = False
    moved: tuple[int, int] = (0, 0)

    @property
    def wanted(self) -> bool:
        """Whether the queue wants it to run."""
        return not self.gone and self.status in _WANTED


@dataclass(slots=True)
class Resource:
    """One place that jobs go to."""

    name: str
    #: Jobs that wait for their turn, in the order in which they came.
    waiting: deque[JobId] = field(default_factory=deque)
    there: set[JobId] = field(default_factory=set)
    pending: set[JobId] = field(default_factory=set)
    followed: set[JobId] = field(default_factory=set)
    #: Unix seconds: since when it does not answer (0: it does), when it is looked at next, when it had its last job.
    down_since: int = 0
    down_reason: str = ""
    next_look: int = 0
    empty_since: int = 0
    looking: bool = False
    #: The number of the last look.
    look: int = 0
    failed_looks: int = 0
    #: Jobs whose end, hold or release the resource did not accept, with the time of the next try.
    retries: dict[JobId, int] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """``batch``, ``condor`` ..."""
        return type_of(self.name)


class GridState:
    """State that any function may read; it changes only through its methods."""

    def __init__(self, settings: GridSettings, now: int) -> None:
        self.settings = settings
        self.now = now
        self.jobs: dict[JobId, Job] = {}
        self.names: dict[str, JobId] = {}
        self.resources: dict[str, Resource] = {}
        self.actions: list[Action] = []
        self.reports = 0
        self.settled = 0
        #: The jobs that wait for a report, by its number.
        self.waiters: dict[int, JobId] = {}
        self._kept: set[JobId] = set()

    def emit(self, action: Action) -> None:
        """Queues an action."""
        self.actions.append(action)

    def report(
        self,
        job: Job,
        step: GridStep,
        assignments: dict[str, str] | None = None,
        deletions: tuple[str, ...] = (),
        *,
        reason: str = "",
        code: int = 0,
        subcode: int = 0,
        when: float = 0.0,
    ) -> int:
        """Queues a report about a job; its number."""
        self.reports += 1
        items = tuple((assignments or {}).items())
        self.emit(Tell(self.reports, job.id, step, items, deletions, reason, code, subcode, when))
        return self.reports

    def wait(self, job: Job, number: int) -> None:
        """A job continues when a report is in the queue, whatever it has waited for before."""
        self.waiters.pop(job.waits_for, None)
        job.waits_for = number
        self.waiters[number] = job.id

    def ask_ad(self, job: Job) -> None:
        """Its ad is needed, unless it is on its way."""
        if not job.asked:
            job.asked = True
            self.emit(AskAd(job.id))

    def keep_ad(self, job: Job) -> None:
        """Its ad will be needed again, when its output comes."""
        if len(self._kept) < _KEPT and not job.edited:
            self._kept.add(job.id)
        else:
            job.ad = None

    def drop_ad(self, job: Job) -> None:
        """Its ad is not needed any more, or not what it was."""
        self._kept.discard(job.id)
        job.ad = None

    # -- jobs and where they are -------------------------------------------------------------------

    def resource(self, name: str) -> Resource:
        """The resource of a name, which may be new."""
        found = self.resources.get(name)
        if found is None:
            found = self.resources[name] = Resource(name, empty_since=self.now)
        return found

    def meet(self, job: Job) -> None:
        """A new job, filed by its phase."""
        self.jobs[job.id] = job
        if job.name:
            self.names[job.name] = job.id
        self._file(job)

    def rename(self, job: Job, name: str) -> None:
        """It gets another name elsewhere."""
        self.names.pop(job.name, None)
        job.name = name
        self.names[name] = job.id

    def move(self, job: Job, phase: Phase) -> None:
        """Another phase. IllegalMove, and nothing has changed."""
        if phase not in MOVES[job.phase]:
            raise IllegalMove(f"job {job.id} cannot go from {job.phase} to {phase}")
        job.phase = phase
        self.resource(job.resource).retries.pop(job.id, None)
        self._file(job)

    def forget(self, job: Job) -> None:
        """Remove a job from the state."""
        resource = self.resource(job.resource)
        for place in (resource.there, resource.pending, resource.followed):
            place.discard(job.id)
        resource.retries.pop(job.id, None)
        self._kept.discard(job.id)
        if not resource.there:
            resource.empty_since = self.now
        self.waiters.pop(job.waits_for, None)
        self.names.pop(job.name, None)
        del self.jobs[job.id]

    def _file(self, job: Job) -> None:
        resource, phase = self.resource(job.resource), job.phase
        for place, phases in (
            (resource.there, THERE),
            (resource.pending, PENDING),
            (resource.followed, LOOKED_AT),
        ):
            if phase in phases:
                place.add(job.id)
            else:
                place.discard(job.id)
        if not resource.there:
            resource.empty_since = self.now
        if phase in LOOKED_AT:
            job.first_look, job.missed_since = resource.look + 1, 0
        if phase is Phase.UNSUBMITTED:
            resource.waiting.append(job.id)

    def validate(self) -> None:
        """AssertionError when the state is inconsistent."""
        for name, owner in self.names.items():
            assert self.jobs[owner].name == name, f"{owner} is not called {name}"
        for number, owner in self.waiters.items():
            assert self.jobs[owner].waits_for == number, f"{owner} does not wait for report {number}"
            assert number > self.settled, f"{owner} waits for report {number}, which is in the queue"
        for job in self.jobs.values():
            resource = self.resources[job.resource]
            assert (job.id in resource.there) == (job.phase in THERE), f"{job.id}: {job.phase} and there"
            assert (job.id in resource.pending) == (job.phase in PENDING), f"{job.id}: {job.phase} and pending"
            assert (job.id in resource.followed) == (job.phase in LOOKED_AT), f"{job.id}: {job.phase} and followed"
            assert job.name or job.phase in (Phase.UNSUBMITTED, Phase.CLEAR_REQUEST), f"{job.id} has no name"
            assert job.phase is not Phase.UNSUBMITTED or job.id in resource.waiting, f"{job.id} waits in no line"
            assert job.remote_id or job.phase is not Phase.SUBMITTED, f"{job.id} is submitted without an id"
        for resource in self.resources.values():
            assert resource.pending <= resource.there, f"{resource.name}: {resource.pending} are nowhere"
            for owner in resource.retries:
                assert self.jobs[owner].phase in TOLD, f"{owner} is {self.jobs[owner].phase} and nobody is told"
