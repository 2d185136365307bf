"""A pool of one schedd and one startd whose every step is an action of its own: what may happen next, and doing it.

An action is a name with its arguments. ``World.actions`` gives those that are possible now; faults and requests of
users have budgets, so that there are finitely many states. Time stands still but for the action ``time``.
"""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

from model_parts import Disk, ScheddProcess, StartdProcess, Starter, Truth, claim_info, submission
from stories import story_of, told_runs

from condor_py.core.jobs import events as told
from condor_py.core.jobs.actions import perform
from condor_py.core.runs.phases import WITH_PROGRAM, Phase
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages import claims, runs
from condor_py.model.messages.codec import Message
from condor_py.model.plan import Match, Plan
from condor_py.model.states import JobStatus
from condor_py.simulate.pool import START, PoolSettings

Action = tuple[str | int, ...]

USER = "alice"
#: Effects of a batch after which a schedd may die: the next ones are lost.
_LAST_EFFECTS = 4
#: Seconds after which every lease is over.
_LONG = 10_000


@dataclass(frozen=True, slots=True)
class Scope:
    """How much may happen: jobs, slots, deaths of each process, requests of users, evictions, pauses beyond leases."""

    jobs: int = 1
    cpus: int = 1
    schedd_deaths: int = 1
    startd_deaths: int = 0
    starter_deaths: int = 0
    broken_links: int = 0
    requests: int = 0
    evictions: int = 0
    pauses: int = 0
    #: What users may ask for: actions of ``condor_py.core.jobs.actions``.
    kinds: tuple[str, ...] = ("hold", "release", "remove", "vacate")


class Violation(AssertionError):
    """Something that must never be."""


class World:
    """Everything there is, after some actions."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.now = START
        self.truth = Truth()
        self.disk = Disk()
        self.settings = PoolSettings()
        self.left = {
            "schedd": scope.schedd_deaths, "startd": scope.startd_deaths, "starter": scope.starter_deaths,
            "link": scope.broken_links, "request": scope.requests, "evict": scope.evictions, "time": scope.pauses,
        }  # fmt: skip
        self.births = 0
        self.linked = False
        #: Messages of the schedd to the startd; those of one that died are read, too, unless its heir is quicker.
        self.orders: deque[tuple[Message, ClassAd | None]] = deque()
        self._submit()
        self.schedd: ScheddProcess | None = None
        self.startd: StartdProcess | None = None
        #: The startd has not yet noticed that its schedd is gone.
        self.unnoticed = False
        self.do(("start schedd",))
        self.do(("start startd",))
        self.do(("connect",))

    def _submit(self) -> None:
        one = submission(USER, self.scope.jobs)
        shared = ClassAd.from_text_items(one.cluster_items(1, self.now).items())
        shared.set_text("JobLeaseDuration", "2400")
        procs = [
            (JobId(1, proc), ClassAd.from_text_items([("ProcId", str(proc)), ("JobStatus", "1")]))
            for proc in range(self.scope.jobs)
        ]
        self.disk.queue.add_cluster(1, shared, procs)
        self.jobs = [job for job, _ in procs]
        for job in self.jobs:
            self.disk.log[job] = []

    # -- what may happen ---------------------------------------------------------------------------------------------

    def actions(self) -> list[Action]:
        """What is possible now; what is expected before what goes wrong."""
        return [*self.steps(), *self._faults()]

    def steps(self) -> list[Action]:
        """What happens by itself, sooner or later."""
        found: list[Action] = []
        schedd, startd = self.schedd, self.startd
        if schedd is None:
            found.append(("start schedd",))
        elif schedd.inbox:
            found.append(("batch",))
        if schedd is not None and schedd.leaving:
            found.append(("history",))
        if schedd is not None and schedd.core.state.waiting.cooling and not schedd.inbox:
            found.append(("second",))
        if startd is None:
            return [*found, ("start startd",)]
        if self.orders:
            found.append(("to startd",))
        elif self.unnoticed:
            found.append(("notice",))
        if startd.to_schedd and self.linked:
            found.append(("to schedd",))
        if schedd is not None and not self.linked:
            found.append(("connect",))
        for number, starter in enumerate(startd.starters):
            found += _steps_of(number, starter)
        if schedd is not None and self.linked and not schedd.inbox:
            room = self.scope.cpus - len(schedd.core.claims) - len(schedd.core.claims.asked)
            idle = [job for job in self.jobs if job in schedd.core.idle]
            found += [("plan", job.proc) for job in idle[:1] if room > 0 and not self.orders and not startd.to_schedd]
        return found

    def _faults(self) -> list[Action]:
        found: list[Action] = []
        left, schedd, startd = self.left, self.schedd, self.startd
        if schedd is not None and left["schedd"]:
            found.append(("kill schedd",))
            if schedd.inbox:
                found += [("batch and die", most) for most in range(_LAST_EFFECTS)]
        if startd is not None:
            if left["startd"]:
                found.append(("kill startd",))
            if left["starter"]:
                found += [("kill starter", at) for at, one in enumerate(startd.starters) if not one.gone]
            if left["evict"] and startd.core.claims():
                found.append(("evict",))
        if self.linked and left["link"]:
            found.append(("break link",))
        if left["time"] and not (schedd is not None and schedd.inbox):
            found.append(("time",))
        if left["request"] and (schedd is None or not schedd.inbox):
            found += [(kind, job.proc) for job in self.jobs for kind in self.scope.kinds if self._would(kind, job)]
        return found

    def _would(self, kind: str, job: JobId) -> bool:
        """Whether a request is one that changes something."""
        ad = self.disk.queue.job(job)
        status = None if ad is None else ad.eval_int("JobStatus")
        if kind == "release":
            return status == JobStatus.HELD
        if kind == "vacate":
            return status == JobStatus.RUNNING
        return status in (JobStatus.IDLE, JobStatus.RUNNING) or (kind == "remove" and status == JobStatus.HELD)

    # -- doing it ----------------------------------------------------------------------------------------------------

    def do(self, action: Action) -> None:
        """Does one action. Violation, or another AssertionError, when something is wrong then."""
        self._act(action)
        self._check()

    def follow(self, way: tuple[Action, ...]) -> None:
        """Does actions that were done before, one after the other, in a world that began alike."""
        for action in way:
            self._act(action)

    def _act(self, action: Action) -> None:
        name, *arguments = action
        if name in self.scope.kinds:
            self._request(str(name), JobId(1, int(arguments[0])))
        else:
            getattr(self, f"_{str(name).replace(' ', '_')}")(*arguments)

    def _start_schedd(self) -> None:
        self.schedd = ScheddProcess(self.disk, self.settings, self.now, self._send)
        self.schedd.batch(self.now)

    def _start_startd(self) -> None:
        self.births += 1
        self.startd = StartdProcess(self.settings, self.scope.cpus, self.now, self.births, self.truth)

    def _send(self, message: Message, ad: ClassAd | None) -> bool:
        if self.linked:
            self.orders.append((message, ad))
        return self.linked

    def _connect(self) -> None:
        assert self.startd is not None, "there is a startd to connect to"
        self.orders.clear()
        self.unnoticed = False
        self.startd.to_schedd.clear()
        self.linked = True
        self.startd.hello(self.now)

    def _batch(self) -> None:
        assert self.schedd is not None, "there is a schedd"
        self.schedd.batch(self.now)

    def _batch_and_die(self, most: int) -> None:
        assert self.schedd is not None, "there is a schedd"
        self.schedd.batch(self.now, most)
        self._kill_schedd()

    def _history(self) -> None:
        assert self.schedd is not None, "there is a schedd"
        self.schedd.write_history(self.now)

    def _to_startd(self) -> None:
        assert self.startd is not None, "there is a startd"
        message, ad = self.orders.popleft()
        self.startd.take(message, ad, self.now)

    def _to_schedd(self) -> None:
        assert self.startd is not None, "there is a startd"
        assert self.schedd is not None, "there is a schedd"
        message = self.startd.to_schedd.popleft()
        match message:
            case claims.Granted():
                self.schedd.inbox.append(told.ClaimGranted(message.id, claim_info(message)))
            case claims.Claims(claims=found):
                self.schedd.inbox.append(told.StartdConnected(tuple(map(claim_info, found))))
            case runs.RunStarted() | runs.RunEnded() | claims.ClaimRefused() | claims.ClaimLost():
                self.schedd.inbox.append(message)
            case claims.ClaimReleased():
                self.schedd.inbox.append(message)

    def _starter(self, number: int) -> tuple[StartdProcess, Starter]:
        assert self.startd is not None, "there is a startd"
        return self.startd, self.startd.starters[number]

    def _to_starter(self, number: int) -> None:
        self._starter(number)[1].obey(self.now)

    def _from_starter(self, number: int) -> None:
        startd, starter = self._starter(number)
        startd.hear(starter, self.now)

    def _bury(self, number: int) -> None:
        startd, starter = self._starter(number)
        startd.bury(starter, self.now)

    def _exit(self, number: int) -> None:
        self._starter(number)[1].program_ends(self.now)

    def _plan(self, proc: int) -> None:
        assert self.schedd is not None, "there is a schedd"
        match = Match(JobId(1, proc), f"{USER}@example.net", "slot1@vm", 1.0)
        self.schedd.inbox.append(told.Planned(Plan((match,))))

    # -- faults and requests -----------------------------------------------------------------------------------------

    def _kill_schedd(self) -> None:
        self.left["schedd"] -= 1
        self.schedd = None
        if self.linked:
            self.linked = False
            self.unnoticed = True

    def _notice(self) -> None:
        """The startd reads the end of its connection."""
        assert self.startd is not None, "there is a startd"
        self.unnoticed = False
        self.startd.schedd_gone(self.now)

    def _kill_startd(self) -> None:
        """Its starters see that at once, and kill their jobs."""
        self.left["startd"] -= 1
        self.startd = None
        self.truth.alive.clear()
        self._unlink()

    def _break_link(self) -> None:
        self.left["link"] -= 1
        self.unnoticed = True
        self._unlink()

    def _unlink(self) -> None:
        if self.startd is None:
            self.unnoticed = False
            self.orders.clear()
        if self.linked:
            self.linked = False
            if self.schedd is not None:
                self.schedd.inbox.append(told.StartdLost())

    def _kill_starter(self, number: int) -> None:
        self.left["starter"] -= 1
        self._starter(number)[1].die()

    def _evict(self) -> None:
        assert self.startd is not None, "there is a startd"
        self.left["evict"] -= 1
        self.startd.vacate(self.now)

    def _time(self) -> None:
        self.left["time"] -= 1
        self.now += _LONG
        if self.startd is not None:
            self.startd.poll(self.now)
        if self.schedd is not None:
            self.schedd.inbox += [told.Tick(), told.PoliciesDue()]

    def _second(self) -> None:
        """What cools down is through with it."""
        assert self.schedd is not None, "there is a schedd"
        self.now += 1
        self.schedd.inbox.append(told.Tick())

    def _request(self, kind: str, job: JobId) -> None:
        """A command writes into the queue."""
        self.left["request"] -= 1
        ad = self.disk.queue.job(job)
        assert ad is not None, "the job is in the queue"
        _, records = perform(kind, job, ad, actor=USER, reason=None, subcode=None, now=self.now)
        self.disk.queue.written(records)
        if self.schedd is not None:
            self.schedd.inbox.append(told.QueueChanged(records))

    # -- what must be true -------------------------------------------------------------------------------------------

    def _check(self) -> None:
        for job in self.jobs:
            in_queue, recorded = self.disk.queue.job(job) is not None, self.disk.history.count(job)
            _must(in_queue or recorded > 0, f"{job} is lost")
            _must(recorded <= 1, f"{job} is {recorded} times in the history")
            events = self.disk.log[job]
            _must(events.count(5) + events.count(9) <= 1, f"{job} ended twice: {events}")
            _must(5 not in events or self.truth.ends.get(job, 0) > 0, f"{job} never ended by itself: {events}")
        for job, run in self.truth.alive:
            _must(self.startd is not None, f"run {run} of {job} lives without a startd")

    def is_over(self) -> bool:
        """Whether nothing is left to do: all jobs have left the queue, or wait for their user."""
        ads = [self.disk.queue.job(job) for job in self.jobs]
        return all(ad is None or ad.eval_int("JobStatus") == JobStatus.HELD for ad in ads)

    def check_end(self) -> None:
        """Violation unless the story of each job that left is complete."""
        for job in self.jobs:
            if self.disk.queue.job(job) is not None:
                continue
            events, starts = self.disk.log[job], self.truth.starts.get(job, 0)
            told_of, fault = told_runs(events), story_of(events)
            _must(starts <= told_of, f"{job} was started {starts} times, its log tells of {told_of}: {events}")
            _must(not fault, f"the log of {job} is {events}: {fault}")


def _steps_of(number: int, starter: Starter) -> list[Action]:
    found: list[Action] = []
    if starter.to_startd:
        found.append(("from starter", number))
    elif starter.gone:
        found.append(("bury", number))
    if starter.gone:
        return found
    if starter.orders:
        found.append(("to starter", number))
    if starter.runs_program and starter.course.phase in WITH_PROGRAM and starter.course.phase is Phase.RUNNING:
        found.append(("exit", number))
    return found


def _must(truth: bool, text: str) -> None:
    if not truth:
        raise Violation(text)
