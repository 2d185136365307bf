"""The parts of a pool for the search: disk, schedd, startd, starters and the connection, each as small as it can be.

The decisions are those of the real cores. What surrounds them (batches, the connection, reports that are kept until
they are acknowledged) is that of the daemons in a few lines, without files, sockets, processes and time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from condor_py.core.jobs import effects as ask
from condor_py.core.jobs import events as told
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.parts import ClaimInfo
from condor_py.core.runs import events as tell
from condor_py.core.runs.core import Course
from condor_py.core.runs.effects import Do, Report, Signal, Step, Stopped
from condor_py.core.runs.facts import facts_of
from condor_py.core.slots import effects as do
from condor_py.core.slots import events as on
from condor_py.core.slots.core import Startd
from condor_py.core.slots.pending import PendingClaims
from condor_py.daemons.startd.publishing import claims_told, granted
from condor_py.daemons.startd.refusals import Reports
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages import claims, runs
from condor_py.model.messages.codec import Message
from condor_py.model.record import Entry
from condor_py.model.report import ExitReport, Usage
from condor_py.simulate.pool import ADDRESS, PoolSettings, Submission, machine
from condor_py.simulate.queue import MemoryQueue

#: The signal of a condor_rm, condor_hold or condor_vacate.
_SIGTERM = 15


@dataclass
class Disk:
    """What no crash takes away: the queue, the events in the log of each job, and the history."""

    queue: MemoryQueue = field(default_factory=MemoryQueue)
    log: dict[JobId, list[int]] = field(default_factory=dict)
    history: list[JobId] = field(default_factory=list)

    def reopened(self) -> MemoryQueue:
        """The queue as a new schedd reads it: the same attributes, and nothing else that the last one knew."""
        fresh = MemoryQueue()
        for cluster in sorted({job.cluster for job, _ in self.queue.jobs()}):
            ad = self.queue.cluster(cluster)
            assert ad is not None, "a cluster is there as long as its jobs are"
            procs = [(job, _copy(own)) for job, own in self.queue.procs_of(cluster)]
            fresh.add_cluster(cluster, _copy(ad), procs)
        return fresh


def _copy(ad: ClassAd) -> ClassAd:
    return ClassAd.from_text_items([(binding.name, binding.text) for binding in ad.attrs.values()])


@dataclass
class Truth:
    """What programs really did, by job: what logs and history are compared with."""

    starts: dict[JobId, int] = field(default_factory=dict)
    #: Programs that ended by themselves.
    ends: dict[JobId, int] = field(default_factory=dict)
    #: The runs whose program is alive.
    alive: set[tuple[JobId, int]] = field(default_factory=set)


class ScheddProcess:
    """A schedd that lives. ``send`` sends a message to the startd; False when there is no connection."""

    def __init__(self, disk: Disk, settings: PoolSettings, now: int, send: Callable[..., bool]) -> None:
        self._disk, self._send = disk, send
        disk.queue = disk.reopened()
        self.core = Schedd(disk.queue, settings.schedd, now)
        self.inbox: list[told.Event] = []
        #: Jobs whose history is to be written.
        self.leaving: list[JobId] = []
        self.core.handle(told.QueueTaken({job: tuple(log) for job, log in disk.log.items()}, set(disk.history)), now)

    def batch(self, now: int, most: int | None = None) -> None:
        """Handles the news, commits, and carries out what follows: ``most`` effects of it, if it dies then."""
        news, self.inbox = self.inbox, []
        for event in news:
            self.core.handle(event, now)
        self.core.handle(told.Dispatch(), now)
        records, effects = self.core.take()
        self._commit(records)
        self.core.validate()
        effects = sorted(_one_by_one(effects), key=_order)
        for effect in effects if most is None else effects[:most]:
            self._carry_out(effect)

    def effects_of_batch(self, now: int) -> int:
        """Number of effects of a batch that is done here."""
        self._counted = 0
        self.batch(now)
        return self._counted

    def _commit(self, records: Iterable[Entry]) -> None:
        self._disk.queue.committed(records)

    def write_history(self, now: int) -> None:
        """Finished jobs get their records; with the next batch they leave the queue."""
        leaving, self.leaving = self.leaving, []
        self._disk.history += leaving
        self.inbox.append(told.JobsRecorded(leaving))

    def _carry_out(self, effect: ask.Effect) -> None:
        match effect:
            case ask.UserEvent(_, event, procs):
                self._disk.log.setdefault(JobId(event.cluster, procs[0]), []).append(int(event.number))
            case ask.Leave(jobs):
                self.leaving += jobs
            case claims.RequestClaim(id=request):
                if not self._send(effect, self._ad(effect.job)):
                    self.inbox.append(claims.ClaimRefused(request, "the startd is not there"))
            case claims.Activate():
                self._send(effect, self._ad(effect.job))
            case Message():
                self._send(effect, None)

    def _ad(self, job: JobId) -> ClassAd:
        ad = self._disk.queue.job(job)
        return ClassAd() if ad is None else ad.flat_copy()


def _one_by_one(effects: Iterable[ask.Effect]) -> list[ask.Effect]:
    """Effects, with events of many jobs as one a job."""
    found: list[ask.Effect] = []
    for effect in effects:
        if isinstance(effect, ask.UserEvent):
            found += [ask.UserEvent(effect.ad, effect.event, (proc,)) for proc in effect.procs]
        else:
            found.append(effect)
    return found


def _order(effect: ask.Effect) -> int:
    """Messages first, then event logs, then the history (``daemons/schedd/batches.py``)."""
    return 0 if isinstance(effect, Message) else 1 if isinstance(effect, ask.UserEvent) else 2


@dataclass
class Starter:
    """A starter and the program that it runs; every step of it succeeds at once. ``to_startd`` are its messages."""

    claim: str
    truth: Truth
    course: Course = field(default_factory=Course)
    job: JobId = field(default_factory=lambda: JobId(0, 0))
    run: int = 0
    has_run: bool = False
    executed: bool = False
    vacated: bool = False
    #: The signal that the program has got; 0 for none.
    signalled: int = 0
    orders: deque[tuple[Message, ClassAd | None]] = field(default_factory=deque)
    to_startd: deque[Message] = field(default_factory=deque)
    #: It leaves when its messages are read.
    gone: bool = False

    @property
    def key(self) -> tuple[JobId, int]:
        """Job and run."""
        return self.job, self.run

    @property
    def runs_program(self) -> bool:
        """Whether its program is alive."""
        return self.has_run and self.key in self.truth.alive

    def obey(self, now: int) -> None:
        """Takes the next order."""
        order, ad = self.orders.popleft()
        if isinstance(order, runs.StartJob):
            assert ad is not None, "a job comes with its ad"
            assert not self.has_run, "one job at a time"
            self.job, self.run, self.has_run = JobId.parse(order.job), order.run, True
            self.executed = self.vacated = False
            self.signalled = 0
            self.happened(tell.Begin(facts_of(ad)), now)
        else:
            self.happened(order, now)  # type: ignore[arg-type]

    def program_ends(self, now: int) -> None:
        """The program exits, by itself or for a signal."""
        self.truth.alive.discard(self.key)
        if not self.signalled:
            self.truth.ends[self.job] = self.truth.ends.get(self.job, 0) + 1
        self.happened(tell.ProgramEnded(), now)

    def die(self) -> None:
        """SIGKILL; the startd kills what is left of the job when it finds out."""
        self.gone = True

    def happened(self, event: tell.Event, now: int) -> None:
        """Takes an event, and what follows from it until the program runs or has ended."""
        to_do = deque(self.course.handle(event, float(now)))
        while to_do and not self.gone:
            effect = to_do.popleft()
            if isinstance(effect, Step):
                if effect is Step.EXECUTE:
                    self._execute(now)
                done: tell.Event = tell.Drained() if effect is Step.DRAIN else tell.Done(effect)
                to_do.extend(self.course.handle(done, float(now)))
            elif effect is Do.KILL:
                self.signalled = self.signalled or 9
                if self.runs_program:
                    self.truth.alive.discard(self.key)
                    to_do.extend(self.course.handle(tell.ProgramEnded(), float(now)))
            elif effect is Do.LEAVE:
                self.truth.alive.discard(self.key)
                self.gone = True
            elif isinstance(effect, Signal):
                self.signalled = self.signalled or effect.number
            elif isinstance(effect, Stopped):
                self.vacated = True
            elif isinstance(effect, Report):
                self._report(effect.stopped, now)

    def _execute(self, now: int) -> None:
        assert not any(job == self.job for job, _ in self.truth.alive), f"job {self.job} has two live programs"
        self.executed = True
        self.truth.alive.add(self.key)
        self.truth.starts[self.job] = self.truth.starts.get(self.job, 0) + 1
        self.to_startd.append(runs.RunStarted(self.claim, self.job, self.run, 100, float(now), "/scratch"))

    def _report(self, stopped: bool, now: int) -> None:
        vacated = stopped or self.vacated
        by_itself = self.executed and not self.signalled
        report = ExitReport(
            self.claim, str(self.job), self.run, pid=100 if self.executed else 0,
            start_time=float(now), exec_time=float(now), end_time=float(now), vacated=vacated,
            exit_code=0 if by_itself else None, exit_signal=None if by_itself or not self.executed else self.signalled,
            usage=Usage(),
        )  # fmt: skip
        self.has_run = False
        self.to_startd.append(runs.RunEnded(report))


class StartdProcess:
    """A startd that lives, with its starters."""

    def __init__(self, settings: PoolSettings, cpus: int, now: int, birth: int, truth: Truth) -> None:
        self._truth, self._now = truth, now
        self._secrets = 0
        self.core = Startd(
            settings.startd, machine(cpus), float(now), address=f"{ADDRESS[:-1]}&birth={birth}>",
            new_secret=self._new_secret, quiet=True,
        )  # fmt: skip
        self.connected = False
        self.to_schedd: deque[Message] = deque()
        self.starters: list[Starter] = []
        self.reports = Reports(self._tell)
        self._started: dict[str, runs.RunStarted] = {}
        self._payloads: dict[tuple[str, str, int], ClassAd] = {}
        self._pending = PendingClaims(self.core.claimed_slots, self._handle)

    def _new_secret(self) -> str:
        self._secrets += 1
        return f"secret{self._secrets}"

    def _tell(self, message: Message) -> None:
        if self.connected:
            self.to_schedd.append(message)

    def hello(self, now: int) -> None:
        """A schedd is there, again perhaps."""
        self._now = now
        self.connected = True
        self._handle(on.ScheddBack())
        self._tell(claims.Claims(claims_told(self.core, self.reports.runs(), float(now))))
        for news in (*self._started.values(), *self.reports.messages()):
            self._tell(news)

    def schedd_gone(self, now: int) -> None:
        """The connection broke."""
        self._now = now
        self.connected = False
        self.to_schedd.clear()
        self._pending.forget_requests()
        self._handle(on.ScheddGone())

    def take(self, message: Message, ad: ClassAd | None, now: int) -> None:
        """A message of the schedd."""
        self._now = now
        match message:
            case claims.Activate(claim, job, run):
                assert ad is not None, "a job comes with its ad"
                self._payloads[(claim, str(job), run)] = ad
                self._handle(on.Activate(claim, str(job), run, ad))
            case claims.Acknowledge(claim, job, run):
                self.reports.drop(claim, job, run)
            case claims.RequestClaim():
                assert ad is not None, "a request comes with an ad"
                owner = ad.eval_str("Owner", "") or ""
                request = on.ClaimRequest(message.id, message.slot, message.submitter, owner, ad, *message.groups)
                self._pending.request(request, message.victims, message.by_rank)
            case claims.WithdrawClaim(request_id):
                self._pending.withdraw(request_id)
            case claims.ReleaseClaim(claim):
                self._pending.release(claim)
            case claims.Deactivate() | claims.SuspendClaim() | claims.ContinueClaim():
                self._handle(message)

    def hear(self, starter: Starter, now: int) -> None:
        """The next message of a starter."""
        self._now = now
        message = starter.to_startd.popleft()
        match message:
            case runs.RunStarted():
                self._started[starter.claim] = message
                self._tell(message)
                self._handle(message)
            case runs.RunEnded(report):
                self._started.pop(starter.claim, None)
                self._handle(runs.RunEnded(report))
            case runs.Ready():
                self._handle(message)

    def bury(self, starter: Starter, now: int) -> None:
        """A starter has ended: what was left of its job is killed."""
        self._now = now
        self.starters.remove(starter)
        status = 9 if starter.runs_program or starter.has_run else 0
        self._truth.alive.discard(starter.key)
        self._started.pop(starter.claim, None)
        self._handle(on.StarterGone(starter.claim, status))

    def vacate(self, now: int) -> None:
        """condor_vacate of the machine."""
        self._now = now
        self._handle(on.Vacate(None))

    def poll(self, now: int) -> None:
        """Time has passed."""
        self._now = now
        self._handle(on.Poll())

    def _handle(self, event: on.Event) -> None:
        for effect in self.core.handle(event, float(self._now)):
            self._carry_out(effect)
        self.core.validate()
        for claim in self._pending.settle():
            self._tell(claims.ClaimReleased(claim))

    def _carry_out(self, effect: do.Effect) -> None:
        match effect:
            case claims.ClaimRefused() | claims.ClaimLost():
                self._tell(effect)
            case do.ClaimGranted(request_id, claim, slot_name, slot_ad):
                submitter = next((info.submitter for info in self.core.claims() if info.claim_id == claim), "")
                self._tell(granted(request_id, claim, slot_name, submitter, slot_ad))
            case runs.RunEnded(report):
                self._payloads.pop((report.claim_id, report.job, report.run), None)
                self.reports.send(effect)
            case do.StartStarter(claim, _):
                starter = Starter(claim, self._truth)
                starter.to_startd.append(runs.Ready(claim, 50))
                self.starters.append(starter)
            case runs.StartJob(claim, job, run):
                self._order(claim, effect, self._payloads.pop((claim, job, run)))
            case runs.StarterOrder():
                self._order(effect.claim, effect, None)
            case do.KillStarter(claim):
                for starter in self.starters:
                    if starter.claim == claim:
                        starter.die()

    def _order(self, claim: str, order: Message, ad: ClassAd | None) -> None:
        for starter in self.starters:
            if starter.claim == claim and not starter.gone:
                starter.orders.append((order, ad))


def claim_info(message: claims.ClaimTold) -> ClaimInfo:
    """A claim of a message."""
    slot_ad = ClassAd.from_text_items(message.ad.items())
    return ClaimInfo(message.claim, message.slot, message.submitter, slot_ad, message.job, message.run)


def submission(user: str, jobs: int) -> Submission:
    """Jobs of a user that have an event log."""
    from condor_py.simulate.durations import Constant

    return Submission(user, jobs, Constant(1), attributes={"UserLog": '"/home/job.log"'})
