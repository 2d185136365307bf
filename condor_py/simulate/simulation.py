"""A pool in virtual time: the cores that the daemons run, wired without files, sockets and processes."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple

from condor_py.core.accounts import Accountant, edits
from condor_py.core.jobs import actions
from condor_py.core.jobs import effects as ask
from condor_py.core.jobs import events as job_events
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.demand import demand, promises, running_gangs
from condor_py.core.jobs.jobad import submitter_of
from condor_py.core.jobs.parts import ClaimInfo
from condor_py.core.match import Carried, Cycle, Snapshot, negotiate, significant_attributes
from condor_py.core.runs.facts import RunFacts, facts_of
from condor_py.core.slots import effects as do
from condor_py.core.slots import events as on
from condor_py.core.slots.core import Startd
from condor_py.core.slots.pending import PendingClaims
from condor_py.core.slots.policy import needs_polls
from condor_py.lang.classad import ClassAd, clock
from condor_py.model.errors import CondorError
from condor_py.model.facts import MachineFacts
from condor_py.model.garbage import seldom_collected
from condor_py.model.ids import JobId
from condor_py.model.messages import claims, cycles, kinds, runs
from condor_py.model.messages.machine import CancelDrain, Drain
from condor_py.model.record import SET, Change
from condor_py.model.sizes import Sizes
from condor_py.model.states import JobStatus
from condor_py.simulate.durations import Duration
from condor_py.simulate.heap import EventHeap
from condor_py.simulate.memory import OVER_MEMORY, MemoryUse, auto_items, shortened
from condor_py.simulate.pool import ADDRESS, DOMAIN, START, PoolSettings, Submission, machine
from condor_py.simulate.queue import MemoryQueue
from condor_py.simulate.report import Report, UserReport
from condor_py.simulate.sleeping import PowerReport, Sleeper, SleepPolicy, energy
from condor_py.simulate.starters import Plan, Starters

#: Sums of six-decimal numbers may differ by this much, in weight-seconds a cycle.
_ROUNDING = 1e-5


class BrokenSimulation(CondorError):
    """An invariant does not hold; names the moment, the seed and what is wrong."""


class Simulation:
    """One machine, its users and their jobs. The same seed and the same calls give the same history.

    Times given to methods are seconds since the start; durations count in whole seconds, at least one.
    ``sleep`` is for a machine that is put to sleep. With ``auto`` the memory of jobs is found from the history, in
    place of what they ask for.
    ``check_every`` steps the invariants are checked (0: only at the end of ``run``).
    """

    def __init__(
        self,
        settings: PoolSettings | None = None,
        facts: MachineFacts | None = None,
        *,
        seed: int = 0,
        start: int = START,
        check_every: int = 0,
        keep_history: bool = True,
        sleep: SleepPolicy | None = None,
        auto: bool = False,
    ) -> None:
        self.settings = settings or PoolSettings()
        if sleep is not None:
            self.settings = replace(self.settings, startd=sleep.applied(self.settings.startd))
        self.seed = seed
        self.start = start
        self.random = Random(seed)
        self.heap = EventHeap(start)
        self.queue = MemoryQueue()
        self.ledger = Ledger(start, keep_history)
        self.cycles = 0
        #: Called with (simulation, cycle) after each cycle, for what a caller wants to measure.
        self.after_cycle: Callable[[Simulation, Cycle], object] | None = None
        #: Called with the simulation after each step.
        self.after_step: Callable[[Simulation], object] | None = None
        self._durations: dict[JobId, float] = {}
        #: Megabytes that jobs need, where that matters.
        self._needs: dict[JobId, int] = {}
        self._needed = Random(seed + 3)
        self.is_auto = auto
        self.memory = MemoryUse()
        #: How long jobs mind their kill signal, by cluster.
        self._stops: dict[int, float] = {}
        #: News for the next batch of the schedd.
        self._news: list[job_events.Event] = []
        self._finished: list[JobId] = []
        self._clusters = 0
        self._pending = 0
        self._steps = 0
        self._check_every = check_every
        self._cycle_at: float | None = None
        self._significant: tuple[str, ...] = ()
        self._last_cycle_at = float("-inf")
        self._poll_planned = False
        self._carried = Carried()
        #: Whether anything has happened since the last cycle, which may be done again for other reasons, too.
        self._changed, self._again = True, False
        #: When a cycle last had nothing to do but to count what is in use, which the next one does for it; 0: it did.
        self._passed_over = 0
        self._preempts = self.settings.negotiator.preemption_requirements.strip().lower() not in ("", "false")
        self.sleeper: Sleeper | None = None
        self._make_cores(facts or machine())
        self.sleeper = None if sleep is None else Sleeper(sleep, self.heap, self._tell_startd, self._woken)

    def _woken(self) -> None:
        self._news.append(job_events.CycleWanted())

    def _make_cores(self, facts: MachineFacts) -> None:
        with clock.frozen(self.start):
            settings = self.settings
            self.accountant = Accountant(settings.accountant, quiet=True)
            self.accountant.update(self.start)
            self.schedd = Schedd(self.queue, settings.schedd, self.start)
            secrets = Random(self.seed + 1)
            self.startd = Startd(
                settings.startd,
                facts,
                float(self.start),
                address=ADDRESS,
                new_secret=lambda: f"{secrets.getrandbits(160):040x}",
                quiet=True,
            )
            self._most = facts.memory_mb
            self.capacity = sum(ad.eval_real("SlotWeight", 1.0) for ad in self.slot_ads())
        self.pending_claims = PendingClaims(self.startd.claimed_slots, self._tell_startd)
        self.starters = Starters(self.heap, self._plan_of, self._tell_startd, self._started)
        self._always_polls = needs_polls(settings.startd)
        self._news.append(job_events.StartdConnected(()))
        self.heap.at(self.start, self._first_turn)

    def _first_turn(self) -> None:
        self._plan_interval()
        if self._always_polls:
            self._plan_poll()

    @property
    def now(self) -> float:
        """Virtual time, Unix seconds."""
        return self.heap.now

    # -- what people do ----------------------------------------------------------------------------

    def submit(self, user: str, jobs: int, duration: Duration, *, at: float | None = None, **more: Any) -> Submission:
        """Queues ``jobs`` like jobs of ``user`` at time ``at`` (now without). ``more`` are fields of Submission."""
        submission = Submission(user, jobs, duration, **more)
        self._pending += 1
        self.at(at, self._queue_jobs, submission)
        return submission

    def at(self, when: float | None, deed: Callable[..., object], *arguments: Any) -> None:
        """Does something at ``when`` seconds after the start (None: now)."""
        self.heap.at(self.now if when is None else self.start + when, deed, *arguments)

    def drain(self, how: kinds.DrainHow = "graceful", on_completion: kinds.OnCompletion = "nothing") -> None:
        """condor_drain."""
        self._tell_startd(Drain(how, on_completion=on_completion))

    def cancel_drain(self) -> None:
        """condor_drain -cancel."""
        self._tell_startd(CancelDrain())
        self._news.append(job_events.CycleWanted())

    def vacate(self, slot: str | None = None, graceful: bool = True) -> None:
        """condor_vacate of one slot (its Name) or all."""
        self._tell_startd(on.Vacate(slot, graceful))

    def remove(self, job: JobId) -> None:
        """condor_rm."""
        ad = self.queue.job(job)
        if ad is not None:
            self._written(list(actions.remove_records(job, ad, "via condor_rm", int(self.now))))

    def set_prio(self, job: JobId, prio: int) -> None:
        """condor_prio."""
        self._written([Change(SET, str(job), "JobPrio", str(prio))])

    def set_factor(self, submitter: str, factor: float) -> None:
        """condor_userprio -setfactor; ``submitter`` without domain."""
        edits.set_factor(self.accountant, f"{submitter}@{DOMAIN}", factor)

    def set_ceiling(self, submitter: str, ceiling: int) -> None:
        """condor_userprio -setceiling."""
        edits.set_ceiling(self.accountant, f"{submitter}@{DOMAIN}", ceiling)

    def set_floor(self, submitter: str, floor: int) -> None:
        """condor_userprio -setfloor."""
        edits.set_floor(self.accountant, f"{submitter}@{DOMAIN}", floor)

    def _written(self, records: list[Change]) -> None:
        """A tool's transaction."""
        self.queue.written(records)
        self._news.append(job_events.QueueChanged(records))

    def _queue_jobs(self, submission: Submission) -> None:
        self._pending -= 1
        self._clusters += 1
        cluster = submission.cluster = self._clusters
        now = int(self.now)
        items = submission.cluster_items(cluster, now)
        if self.is_auto:
            rule = self.settings.schedd.auto_requests
            items |= auto_items(int(rule.memory_default), self.settings.auto_retries, rule.memory_max or self._most)
        shared = ClassAd.from_text_items(items.items())
        submitter = submitter_of(shared, DOMAIN)
        self._stops[cluster] = submission.stop_seconds
        procs = []
        for proc in range(submission.jobs):
            job = JobId(cluster, proc)
            seconds = self._durations[job] = float(max(1, round(submission.duration.draw(self.random))))
            if submission.uses is not None:
                self._needs[job] = max(1, round(submission.uses.draw(self._needed)))
            procs.append((job, ClassAd.from_text_items([("ProcId", str(proc)), ("JobStatus", "1")])))
            self.ledger.queued(submitter, job, seconds * submission.cpus * submission.nodes, now)
        self.ledger.note(now, "submit", str(cluster), f"{submitter} {submission.jobs}")
        news = self.queue.add_cluster(cluster, shared, procs)
        self._news.append(job_events.QueueChanged(news))
        if self.sleeper is not None:
            self.sleeper.somebody_came()

    # -- time --------------------------------------------------------------------------------------

    def run(self, until: float | None = None) -> Report:
        """Lets time pass until ``until`` seconds after the start, or until every job has left the queue.

        BrokenSimulation when an invariant does not hold.
        """
        with seldom_collected():
            self._let_time_pass(until)
        return report_of(self)

    def _let_time_pass(self, until: float | None) -> None:
        end = float("inf") if until is None else self.start + until
        now, clock.now = clock.now, lambda: self.heap.now
        uniform, clock.uniform = clock.uniform, Random(self.seed + 2).random
        try:
            while (when := self.heap.next_time()) is not None and when <= end:
                self.heap.step()
                if self._news or self._finished:
                    self._settle()
                self._steps += 1
                if self.after_step is not None:
                    self.after_step(self)
                if self._check_every and self._steps % self._check_every == 0:
                    _check(self)
                if until is None and not self._pending and self._none_will_run() and not self.ledger.claims:
                    break
            if until is not None:
                self.heap.now = end
            self._count_up()
            _check(self)
        finally:
            clock.now, clock.uniform = now, uniform

    def _none_will_run(self) -> bool:
        """Whether the jobs that are left, if any, are on hold."""
        return len(self.queue) == self.on_hold

    @property
    def on_hold(self) -> int:
        """Number of jobs on hold."""
        return self.schedd.state.tally.counts.get(JobStatus.HELD, 0)

    def _settle(self) -> None:
        """Batches of the schedd until there is no news for it."""
        core = self.schedd
        while self._news or self._finished:
            now = int(self.now)
            news, self._news = self._news, []
            for event in news:
                self._changed |= not (isinstance(event, job_events.Planned) and not event.plan.matches)
                core.handle(event, now)
            finished, self._finished = self._finished, []
            written = 0
            if finished:
                self._changed = True
                written = len(core.state.out.records)
                self._leave(finished)
            core.handle(job_events.Dispatch(), now)
            records, effects = core.take()
            if finished:  # other records change what is there, which the core has done already
                self.queue.committed(records[written:])
            for effect in effects:
                self._carry_out(effect)

    def _leave(self, finished: list[JobId]) -> None:
        for job in finished:
            ad = self.queue.job(job)
            if ad is not None:
                completed = ad.eval_int("JobStatus", 0) == JobStatus.COMPLETED
                self.ledger.left(submitter_of(ad, DOMAIN), job, completed)
                self.ledger.note(self.now, "leave", str(job))
                del self._durations[job]
                self._needs.pop(job, None)
        self.schedd.handle(job_events.JobsRecorded(finished), int(self.now))

    # -- what the schedd wants ---------------------------------------------------------------------

    def _carry_out(self, effect: ask.Effect) -> None:
        if type(effect) is claims.Acknowledge:  # of each run; no process waits for it
            return
        now = self.now
        match effect:
            case claims.Activate(claim_id, job, number):
                ad = self.schedd.node_ad(claim_id) or self.queue.job(job)
                if ad is not None:
                    self._tell_startd(on.Activate(claim_id, str(job), number, ad.flat_copy()))
            case ask.Leave(jobs):
                self._finished += jobs
            case claims.RequestClaim():
                self._request_claim(effect)
            case claims.Deactivate() | claims.SuspendClaim() | claims.ContinueClaim():
                self._tell_startd(effect)
            case claims.WithdrawClaim(request_id):
                self.pending_claims.withdraw(request_id)
            case claims.ReleaseClaim(claim_id):
                self.pending_claims.release(claim_id)
            case ask.SizesWanted():
                self._news.append(job_events.SizesFound(Sizes(self.settings.schedd.auto_requests)))
            case ask.CallNegotiator():
                self._plan_cycle(max(now, self._last_cycle_at + self.settings.cycle_pause))

    def _request_claim(self, effect: claims.RequestClaim) -> None:
        ad = self.queue.job(effect.job) or self.schedd.request_ad(effect.job)
        copy = ClassAd() if ad is None else ad.flat_copy()
        owner = copy.eval_str("Owner", "") or ""
        request = on.ClaimRequest(effect.id, effect.slot, effect.submitter, owner, copy, *effect.groups)
        self.pending_claims.request(request, effect.victims, effect.by_rank)

    # -- what the startd wants ---------------------------------------------------------------------

    def _tell_startd(self, event: on.Event) -> None:
        self._obey(self.startd.handle(event, self.now))

    def _obey(self, effects: list[do.Effect]) -> None:
        now = int(self.now)
        for effect in effects:
            match effect:
                case do.Publish() | do.DrainReply() | do.Exit():
                    pass  # ads are taken when they are wanted
                case runs.StartJob() | do.StartStarter():
                    self.starters.obey(effect)
                case do.ClaimGranted(request_id, claim_id, slot_name, slot_ad):
                    self._granted(request_id, claim_id, slot_name, slot_ad)
                case claims.ClaimRefused(request_id, reason):
                    self.ledger.note(now, "refused", request_id, reason)
                    self._news.append(effect)
                case claims.ClaimLost():
                    self.ledger.freed(effect.claim, now)
                    self.ledger.note(now, "lost", "", effect.reason)
                    self._news.append(effect)
                case runs.RunEnded():
                    self._ended(effect)
                case do.Sleep():
                    if self.sleeper is not None:
                        self.sleeper.sleep()
                case _:
                    self.starters.obey(effect)
        for claim_id in self.pending_claims.settle():
            self.ledger.freed(claim_id, now)
            self._news.append(claims.ClaimReleased(claim_id))
        self._look_after_restless()

    def _granted(self, request_id: str, claim_id: str, slot_name: str, slot_ad: ClassAd) -> None:
        submitter = slot_ad.eval_str("AccountingGroup", None) or slot_ad.eval_str("RemoteUser", "") or ""
        now = int(self.now)
        self.ledger.claimed(claim_id, submitter, slot_ad.eval_real("SlotWeight", 1.0), now)
        self.ledger.note(now, "claim", request_id, f"{slot_name} {submitter}")
        info = ClaimInfo(claim_id, slot_name, submitter, slot_ad)
        self._news.append(job_events.ClaimGranted(request_id, info))

    def _plan_of(self, job: JobId) -> Plan:
        """Return the plan of a job that is started now."""
        ad = self.queue.job(job)
        facts = RunFacts() if ad is None else facts_of(ad)
        seconds, stop = self._durations[job], self._stops[job.cluster]
        needed, run = self._needs.get(job, 0), self.schedd.runs.get(job)
        slot = None if run is None else self.schedd.claims[run.claim_id].info.slot_ad
        if slot is None or needed <= slot.eval_int("Memory", 0):
            return Plan(seconds, stop, facts, needed)
        return Plan(shortened(seconds), stop, facts, slot.eval_int("Memory", 0), starves=True)

    def _started(self, message: runs.RunStarted) -> None:
        claim = self.schedd.claims[message.claim]
        self.ledger.started(claim.info.submitter, message.job, self.now)
        self.ledger.note(self.now, "start", str(message.job), claim.info.slot)
        self._news.append(message)

    def _ended(self, message: runs.RunEnded) -> None:
        report = message.report
        if not report.error:  # else it never began
            if report.vacated:
                self.ledger.tally(self.schedd.claims[message.claim].info.submitter).evicted += 1
            slot = self.schedd.claims[message.claim].info.slot_ad
            job, starved = JobId.parse(report.job), report.hold_subcode == OVER_MEMORY[1]
            seconds = max(0.0, report.end_time - report.exec_time)
            self.memory.count(seconds, slot.eval_int("Memory", 0), self._needs.get(job, 0), starved)
            self.ledger.note(self.now, "vacated" if report.vacated else "end", report.job, message.vacate_reason)
        self._news.append(message)

    def _look_after_restless(self) -> None:
        """Jobs that retire, vacate or are suspended need the polls that the daemon makes all the time."""
        if self._poll_planned or not self.startd.restless:
            return
        self._plan_poll()

    def _plan_poll(self) -> None:
        self._poll_planned = True
        wakeup = self.startd.next_wakeup()
        regular = self.now + self.settings.startd.polling_interval
        self.heap.at(regular if wakeup is None else min(regular, max(wakeup, self.now + 1)), self._poll)

    def _poll(self) -> None:
        self._poll_planned = False
        self._tell_startd(on.Poll())
        if self._always_polls and not self._poll_planned:
            self._plan_poll()

    def slot_ads(self) -> list[ClassAd]:
        """The slots as the negotiator sees them now."""
        if self.sleeper is not None and self.sleeper.is_asleep:
            return []
        return [ad for ad in self.startd.ads(self.now) if ad.text("SlotID") is not None]

    # -- the negotiator ----------------------------------------------------------------------------

    def _plan_interval(self) -> None:
        """NEGOTIATOR_INTERVAL: a cycle even without news."""
        if self._last_cycle_at + self.settings.interval <= self.now:
            self._plan_cycle(self.now)
        self.heap.at(max(self._last_cycle_at, self.now) + self.settings.interval, self._plan_interval)

    def _plan_cycle(self, when: float) -> None:
        if self._cycle_at is None:
            self._cycle_at = when
            self.heap.at(when, self._cycle)

    def _cycle(self) -> None:
        self._cycle_at = None
        self._last_cycle_at = self.now
        now = int(self.now)
        if not self._cycle_matters():
            self.cycles += 1
            self._passed_over = now
            return
        self._passed_over = 0
        self.ledger.account(self.accountant, now)
        self._changed = False
        slots = self.slot_ads()
        names = significant_attributes(slots, self.settings.negotiator)
        if names != self._significant:
            self._significant = names
            self.schedd.handle(cycles.Significant(names), now)
        state = self.schedd.state
        snapshot = Snapshot(now, slots, demand(state), promises(state), gangs=running_gangs(state))
        done = negotiate(snapshot, self.accountant, self.settings.negotiator, self._carried)
        self._again = done.again is not None
        if done.again is not None:
            self.heap.at(now + done.again, lambda: self._plan_cycle(self.now))
        self.cycles += 1
        for match in done.plan.matches:
            self.ledger.note(now, "match", str(match.job), match.slot)
        self._news.append(job_events.Planned(done.plan))
        if self.after_cycle is not None:
            self.after_cycle(self, done)

    def _count_up(self) -> None:
        """Account for the use of slots during the cycles passed over, as if they had run."""
        if self._passed_over:
            self.ledger.account(self.accountant, self._passed_over)
            self.accountant.update(self._passed_over)
            self._passed_over = 0

    def _cycle_matters(self) -> bool:
        """Whether a cycle could find what the last one did not: something has happened, or priorities may preempt. A
        cycle that does not only counts what is in use."""
        return self._changed or self._again or self._preempts or self._always_polls or self.after_cycle is not None

    def priorities(self) -> Mapping[str, tuple[float, float]]:
        """Real priority and factor of every submitter."""
        accountant = self.accountant
        return {name: (accountant.real_priority(name), accountant.factor(name)) for name, _ in accountant.table.rows()}


class Happening(NamedTuple):
    """One line of the history: seconds since the start, what, to which job, and where or why."""

    when: float
    what: str
    job: str
    detail: str = ""


@dataclass(slots=True)
class Tally:
    """One submitter: jobs counted, seconds that jobs waited for their first start, and use in weight-seconds.

    ``asked`` is the work submitted (duration x cpus), ``held`` the weight of their claims over time.
    """

    submitted: int = 0
    finished: int = 0
    removed: int = 0
    evicted: int = 0
    asked: float = 0.0
    held: float = 0.0
    waits: list[float] = field(default_factory=list)


class _Claim(NamedTuple):
    submitter: str
    weight: float
    since: float


class Ledger:
    """Counts from what the cores do, never from what they say about themselves."""

    def __init__(self, start: float, keep_history: bool) -> None:
        self.start = start
        self.tallies: dict[str, Tally] = {}
        self.history: list[Happening] = []
        self.digest = 0
        self.claims: dict[str, _Claim] = {}
        self.waiting: dict[JobId, float] = {}
        #: Use that the accountant should have found, in weight-seconds: what it held charged, over time.
        self.charged: dict[str, float] = {}
        self.most_held: dict[str, float] = {}
        self._now_held: dict[str, float] = {}
        self._charged_until = int(start)
        self._keep = keep_history

    def tally(self, submitter: str) -> Tally:
        """The tally of a submitter, made at first sight."""
        found = self.tallies.get(submitter)
        if found is None:
            found = self.tallies[submitter] = Tally()
        return found

    def note(self, now: float, what: str, job: str = "", detail: str = "") -> None:
        """Adds to the history; the digest covers it all even where it is not kept."""
        when = now - self.start
        self.digest = zlib.crc32(f"{when:.0f} {what} {job} {detail}".encode(), self.digest)
        if self._keep:
            self.history.append(Happening(when, what, job, detail))

    # -- jobs --------------------------------------------------------------------------------------

    def queued(self, submitter: str, job: JobId, work: float, now: float) -> None:
        """A job was submitted."""
        tally = self.tally(submitter)
        tally.submitted += 1
        tally.asked += work
        self.waiting[job] = now

    def started(self, submitter: str, job: JobId, now: float) -> None:
        """A job's program runs."""
        since = self.waiting.pop(job, None)
        if since is not None:
            self.tally(submitter).waits.append(now - since)

    def left(self, submitter: str, job: JobId, completed: bool) -> None:
        """A job left the queue."""
        tally = self.tally(submitter)
        self.waiting.pop(job, None)
        if completed:
            tally.finished += 1
        else:
            tally.removed += 1

    # -- claims ------------------------------------------------------------------------------------

    def claimed(self, claim_id: str, submitter: str, weight: float, now: float) -> None:
        """A slot of this weight is the submitter's from now on."""
        self.claims[claim_id] = _Claim(submitter, weight, now)
        held = self._now_held[submitter] = self._now_held.get(submitter, 0.0) + weight
        self.most_held[submitter] = max(held, self.most_held.get(submitter, 0.0))

    def freed(self, claim_id: str, now: float) -> None:
        """A claim ended; one that ended already is passed over."""
        claim = self.claims.pop(claim_id, None)
        if claim is not None:
            self.tally(claim.submitter).held += claim.weight * (now - claim.since)
            self._now_held[claim.submitter] -= claim.weight

    def held(self, submitter: str, now: float) -> float:
        """Use of a submitter until now, in weight-seconds."""
        tally = self.tallies.get(submitter)
        running = sum(c.weight * (now - c.since) for c in self.claims.values() if c.submitter == submitter)
        return running + (tally.held if tally is not None else 0.0)

    def held_now(self) -> Mapping[str, float]:
        """Weight in use by submitter."""
        return self._now_held

    # -- the accountant ----------------------------------------------------------------------------

    def account(self, accountant: Accountant, now: int) -> None:
        """To be called before each cycle: the slots charged since the last one have been in use until now."""
        seconds = now - self._charged_until
        self._charged_until = now
        if seconds:
            for holding in accountant.holdings.values():
                total = self.charged.get(holding.submitter, 0.0)
                self.charged[holding.submitter] = total + holding.weight * seconds


# The report of a simulation.


def report_of(simulation: Simulation) -> Report:
    """The report as of now."""
    seconds = simulation.now - simulation.start
    whole = max(simulation.capacity * seconds, 1e-9)
    users = tuple(_user(simulation, name, whole) for name in sorted(simulation.ledger.tallies))
    return Report(
        users,
        seconds,
        simulation.capacity,
        sum(user.held for user in users) / whole,
        simulation.cycles,
        sum(user.submitted for user in users),
        sum(user.finished for user in users),
        simulation.ledger.digest,
    )


def _user(simulation: Simulation, submitter: str, whole: float) -> UserReport:
    tally = simulation.ledger.tallies[submitter]
    waits = sorted(tally.waits)
    held = simulation.ledger.held(submitter, simulation.now)
    return UserReport(
        submitter.rpartition("@")[0],
        simulation.accountant.factor(submitter),
        simulation.accountant.real_priority(submitter),
        tally.submitted,
        tally.finished,
        tally.evicted,
        tally.asked / whole,
        held / whole,
        held,
        sum(waits) / len(waits) if waits else 0.0,
        waits[len(waits) // 2] if waits else 0.0,
        waits[-1] if waits else 0.0,
    )


def compared(simulation: Simulation, report: Report, awake: Report) -> PowerReport:
    """Return the effect of a simulation's power policy, compared with the same simulation whose machine never slept."""
    sleeper = simulation.sleeper
    assert sleeper is not None
    rest = sleeper.rest(simulation.now)
    before = {user.name: user.mean_wait for user in awake.users}
    longer = [(user.mean_wait - before.get(user.name, 0.0), user.submitted) for user in report.users]
    jobs = sum(count for _, count in longer)
    return PowerReport(
        rest,
        report.seconds,
        energy(sleeper.policy, report.seconds, rest.asleep, report.utilisation),
        energy(sleeper.policy, awake.seconds, 0.0, awake.utilisation),
        max(0.0, sum(wait * count for wait, count in longer) / max(1, jobs)),
        max((wait for wait, _ in longer), default=0.0),
        sum(user.evicted for user in report.users) - sum(user.evicted for user in awake.users),
        awake.finished - report.finished,
    )


# Invariants of a pool that must hold after every step.


def _check(simulation: Simulation) -> None:
    """BrokenSimulation when the state of the pool is inconsistent."""
    try:
        simulation.schedd.validate()
        simulation.startd.validate()
        found = simulation.starters.broken()
        assert not found, found
        _jobs(simulation)
        _slots(simulation)
        _claims(simulation)
        _usage(simulation)
    except (AssertionError, CondorError) as error:
        moment = simulation.now - simulation.start
        raise BrokenSimulation(f"seed {simulation.seed}, {moment:.0f} s after the start: {error}") from error


def _jobs(simulation: Simulation) -> None:
    """Every job submitted is idle, cooling down, held, running or gone, and only one of these."""
    core = simulation.schedd
    kinds = ("idle", "cooling", "asked", "running", "held", "gone")
    counted = dict.fromkeys(kinds, 0)
    for job, ad in simulation.queue.jobs():
        status = ad.eval_int("JobStatus", 0)
        waits = job in core.idle, job in core.state.waiting.cooling and job not in core.runs, core.claims.asks_for(job)
        places = [*waits, job in core.runs, status == JobStatus.HELD]
        gone = status in (JobStatus.COMPLETED, JobStatus.REMOVED) and job not in core.runs
        assert sum(places) + gone == 1 or (status == JobStatus.HELD and job in core.runs), (
            f"job {job} with status {status} is in {sum(places) + gone} places: {places}"
        )
        counted[kinds[places.index(True) if any(places) else -1]] += 1
    tallies = simulation.ledger.tallies.values()
    submitted = sum(tally.submitted for tally in tallies)
    left = sum(tally.finished + tally.removed for tally in tallies)
    assert submitted == len(simulation.queue) + left, f"{submitted} jobs submitted, {left} left, {counted} in the queue"


def _slots(simulation: Simulation) -> None:
    """No slot gives more than it has: what dynamic slots hold and what is free make the whole."""
    sizes: dict[int, dict[str, float]] = {}
    for ad in simulation.slot_ads():
        number = ad.eval_int("SlotID", 0)
        if ad.eval_bool("PartitionableSlot", False):
            total = sizes.setdefault(number, {"Cpus": 0.0, "Memory": 0.0})
            for name in total:
                free = ad.eval_real(name, 0.0)
                assert free >= 0, f"{ad.eval_str('Name')} has {free} {name}"
                total[name] += free - ad.eval_real(f"TotalSlot{name}", 0.0)
        elif ad.eval_bool("DynamicSlot", False):
            total = sizes.setdefault(number, {"Cpus": 0.0, "Memory": 0.0})
            for name in total:
                total[name] += ad.eval_real(name, 0.0)
    for number, total in sizes.items():
        for name, difference in total.items():
            assert abs(difference) < 1e-9, f"slot{number}: {name} differs from the whole by {difference}"


def _claims(simulation: Simulation) -> None:
    """Startd, schedd and ledger know the same claims; a run of the schedd is the run of the startd."""
    startd = {info.claim_id: info for info in simulation.startd.claims()}
    assert startd.keys() == simulation.ledger.claims.keys(), "claims of the startd are not those that were granted"
    assert startd.keys() == simulation.schedd.claims.keys(), "claims of the startd are not those of the schedd"
    for run in simulation.schedd.runs.values():
        info = startd[run.claim_id]
        assert info.job == str(run.job), f"{run.job} runs on {info.slot_name}, which runs {info.job or 'nothing'}"


def _usage(simulation: Simulation) -> None:
    """The accountant counted what it held charged, second by second."""
    table = simulation.accountant.table
    used, uncharged = table.reals["WeightedAccumulatedUsage"], table.reals["WeightedUnchargedTime"]
    allowed = _ROUNDING * (1 + simulation.cycles)
    for name, expected in simulation.ledger.charged.items():
        row = table.index[name]
        found = used[row] + uncharged[row]
        assert abs(found - expected) <= allowed + 1e-9 * expected, f"{name} used {expected}, accounted are {found}"
