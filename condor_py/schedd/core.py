"""The schedd core: one mutator that takes news and queues records and effects.

It never reads a clock or a file: ``now`` comes with every call, the job ads are the image of the queue, and what it
wants written or sent lies in ``out`` (records first, effects after the records are durable).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from condor_py.classad import ClassAd, clock
from condor_py.classad.allowance import OwnerBudgets
from condor_py.model.ids import JobId
from condor_py.model.plan import Plan
from condor_py.model.record import DELETE, SET, Change
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.states import HoldCode, JobStatus, Universe, VacateCode
from condor_py.schedd import (
    claiming,
    crontab,
    direct,
    finish,
    leaving,
    local,
    ocu,
    otherjobs,
    policing,
    progress,
    recovery,
    requests,
    reuse,
    review,
    staging,
    suspension,
    turns,
)
from condor_py.schedd.actions import REMOVED_WITH_OUTPUT, set_text
from condor_py.schedd.autocluster import Autoclusters
from condor_py.schedd.claims import Claims
from condor_py.schedd.effects import (
    Acknowledge,
    CallNegotiator,
    ClaimGranted,
    ClaimLost,
    ClaimRefused,
    Deactivate,
    Event,
    FilesStaged,
    Leave,
    ReleaseClaim,
    RequestClaim,
    RunDelayed,
    RunEnded,
    RunNotice,
    RunRecord,
    RunStarted,
    RunSuspended,
    RunUpdate,
    StagingStep,
    StartdConnected,
    StartdLost,
    WithdrawClaim,
)
from condor_py.schedd.external import away
from condor_py.schedd.identity import submitter_of
from condor_py.schedd.immediate import Reassignments
from condor_py.schedd.index import IdleIndex, IdleJob, order_of
from condor_py.schedd.pace import Pace
from condor_py.schedd.policy import PERIODIC, Verdict
from condor_py.schedd.state import Claim, Counters, JobTable, Known, Outbox, Run

_SPAWN_ATTRIBUTES = ("ClusterId", "ProcId", "NumShadowStarts", "Owner", "ShadowBday")
_LIVE = (JobStatus.RUNNING, JobStatus.SUSPENDED, JobStatus.TRANSFERRING_OUTPUT)


class Schedd:
    """State: idle jobs in order, claims with their runs, and runs whose fate is unknown (orphans)."""

    def __init__(self, jobs: JobTable, settings: ScheddSettings, now: int) -> None:
        self.jobs = jobs
        self.settings = settings
        self.now = now
        self.out = Outbox()
        self.known: dict[JobId, Known] = {}
        self.idle = IdleIndex()
        self.autoclusters = Autoclusters(settings)
        self.claims = Claims()
        self.runs = self.claims.runs
        self.orphans: set[JobId] = set()
        self.disconnected: set[JobId] = set()
        self.unlogged_starts: set[JobId] = set()
        self.periodic_jobs: set[JobId] = set()
        self.to_judge: deque[JobId] = deque()
        self.waiting_to_leave: set[JobId] = set()
        self.leaving: set[JobId] = set()
        self.cooling: set[JobId] = set()
        self.local_waiting: dict[JobId, None] = {}
        #: Jobs whose policy is to be looked at because their starter told something.
        self.updated: dict[JobId, None] = {}
        self.repeating: set[JobId] = set()
        self.reassignments = Reassignments()
        self.stagings = staging.Stagings()
        self.ocus = ocu.Ocus()
        #: Whether events of jobs without a log are wanted, too (EVENT_LOG).
        self.logs_all = False
        self.records_runs = False
        #: Jobs on their way out by cluster: their records may still wait for the commit.
        self.going: dict[int, set[JobId]] = {}
        self.pace = Pace()
        self.kept_claims = False
        #: The schedd is shut down: no job starts any more.
        self.is_closing = False
        self.startd_lost_at = now
        self.startd_up = False
        self.counters = Counters()
        self._wants_cycle = False
        self.fits: dict[tuple[int, str], bool] = {}
        self.budgets = OwnerBudgets()

    # -- news from outside --------------------------------------------------------------------------------------------

    def _at(self, now: int) -> clock.frozen:
        """Every way in goes through this: inside it is ``now``, for expressions too."""
        self.now = now
        return clock.frozen(now)

    def handle(self, event: Event, now: int) -> None:
        """Takes one event."""
        with self._at(now):
            job = turns.job_of(self, event)
            if job is None:
                self._handle(event)
            else:
                turns.take(self, job, self._handle, event)

    def _handle(self, event: Event) -> None:
        match event:
            case RunEnded(report, code, reason):
                finish.run_ended(self, report, code, reason)
            case RunStarted():
                progress.started(self, event)
            case RunUpdate() | RunDelayed():
                progress.updated(self, event)
            case RunNotice():
                progress.noticed(self, event)
            case RunSuspended():
                suspension.told(self, event)
            case StagingStep():
                staging.step(self, event)
            case FilesStaged():
                staging.staged(self, event)
            case ClaimGranted(request_id, claim):
                claiming.granted(self, request_id, claim)
            case ClaimRefused(request_id, reason, fault):
                claiming.refused(self, request_id, reason, fault)
            case ClaimLost(claim_id, code, reason):
                claiming.lost(self, claim_id, code, reason)
            case StartdConnected(claims):
                recovery.startd_connected(self, claims)
            case StartdLost():
                recovery.startd_lost(self)

    def queue_changed(self, records: Iterable[Change], now: int) -> None:
        """Somebody else (a tool) wrote ``records``, which are already in the image."""
        with self._at(now):
            touched: dict[JobId, None] = {}
            clusters: set[str] = set()
            names: set[str] = set()
            for record in records:
                key = record.key
                names.add(record.name)
                if key[0] == "0":
                    if record.op in (SET, DELETE) and key not in clusters and key.endswith(".-1"):
                        clusters.add(key)
                        self._cluster_changed(int(key[1:-3]), touched)
                    continue
                cluster, _, proc = key.partition(".")
                if proc and proc[0] != "-":
                    touched[JobId(int(cluster), int(proc))] = None
            for job in touched:
                turns.take(self, job, review.review, self, job)
            if any(name.lower() in PERIODIC for name in names):  # an edit may be the first to ask for it
                policing.watch(self, touched)

    def commit(self, records: Iterable[Change]) -> None:
        """Records made on behalf of a client: written with this batch, and seen as news when they are in the queue."""
        self.out.records.extend(records)

    def change(self, records: Iterable[Change], now: int) -> None:
        """Changes of jobs on behalf of a client hold at once: for the next client, and for claims looking for jobs."""
        requests.apply(self.jobs, records)
        self.queue_changed(records, now)

    def _cluster_changed(self, cluster: int, touched: dict[JobId, None]) -> None:
        ad = self.jobs.cluster(cluster)
        if ad is not None:
            self.autoclusters.forget_cluster(ad)
        for job, _ in self.jobs.procs_of(cluster):
            touched.setdefault(job)

    # -- what handlers share -----------------------------------------------------------------------

    def record_run(self, kind: str, job: JobId, ad: ClassAd, names: Iterable[str] | None = None) -> None:
        """Queues a record of a run (JOB_EPOCH_HISTORY) with all attributes, or those of ``names``."""
        if not self.records_runs:
            return
        if names is None:
            items = tuple(ad.text_items())
        else:
            items = tuple((name, text) for name in names if (text := ad.text(name)) is not None)
        run = (ad.eval_int("NumShadowStarts", 1) or 1) - 1
        self.out.emit(RunRecord(kind, job, run, ad.eval_str("Owner", "") or "", items))

    def stop_removed(self, run: Run, ad: ClassAd) -> None:
        """Ends the run of a removed job. It gets its kill signal first with want_graceful_removal, else
        GRACEFULLY_REMOVE_JOBS, and when its output is to come."""
        reason = ad.eval_str("RemoveReason", "") or ""
        if ad.local_text(REMOVED_WITH_OUTPUT) is not None:
            self.stop_run(run, True, VacateCode.REMOVED_WITH_OUTPUT, reason)
        else:
            softly = bool(ad.eval_bool("WantGracefulRemoval", self.settings.gracefully_remove_jobs))
            self.stop_run(run, softly, VacateCode.REMOVED, reason)

    def make_idle(self, job: JobId, ad: ClassAd) -> None:
        """Puts a job where claims and the negotiator find it; one that does nothing is at its end already."""
        if away(self, job, ad):
            return
        if job in self.runs or job in self.orphans or self.claims.asks_for(job) or job in self.reassignments:
            return
        if ad.text("IsNoopJob") is not None and ad.eval_bool("IsNoopJob", False):
            finish.noop(self, job, ad)
            return
        if crontab.repeats(ad) and not self._schedule(job, ad):
            return
        if ad.eval_int("JobCoolDownExpiration", 0) > self.now:
            self.cooling.add(job)
            return
        self.cooling.discard(job)
        if ad.eval_int("JobUniverse", 5) != Universe.VANILLA:
            if local.runs_here(ad):
                self.local_waiting[job] = None
            return
        submitter = submitter_of(ad, self.settings.submitter_domain)
        cpus = ad.eval_real("RequestCpus", 1.0) or 1.0
        entry = IdleJob(submitter, self.autoclusters.number(ad), order_of(job, ad), cpus)
        if self.idle.get(job) != entry:
            self.idle.put(job, entry)
            self._wants_cycle = True

    def _schedule(self, job: JobId, ad: ClassAd) -> bool:
        """Gives a job that repeats its next time unless it has one ahead; False when its schedule had it held."""
        self.repeating.add(job)
        due = ad.eval_int("DeferralTime", 0) or 0
        if due and self.now <= due + (ad.eval_int("DeferralWindow", 0) or 0):
            return True
        try:
            due = crontab.next_run(crontab.schedule_of(ad), self.now)
        except crontab.BadSchedule as error:
            reason = f"Invalid cron schedule parameters: {error}"
            policing.obey(self, job, ad, Verdict("hold", reason, int(HoldCode.INVALID_CRON_SETTINGS), 0))
            return False
        self.out.apply(ad, [set_text(job, "DeferralTime", str(due))])
        return True

    def stop_run(self, run: Run, graceful: bool, code: int, reason: str) -> None:
        """Ends a run from here; what happens to the job is decided when the report arrives."""
        run.stop_code = int(code)
        run.stop_reason = reason
        self.out.emit(Deactivate(run.claim_id, graceful, int(code), reason))

    def want_cycle(self) -> None:
        """Something was freed or became wanted: negotiate after this batch."""
        self._wants_cycle = True

    # -- claims ------------------------------------------------------------------------------------

    def plan(self, plan: Plan, now: int) -> None:
        """Asks the startd for the claims of a negotiation cycle and remembers why jobs were rejected."""
        with self._at(now):
            for match in plan.matches:
                turns.take(self, match.job, claiming.ask, self, match)
            for rejection in plan.rejections:
                turns.take(self, rejection.job, claiming.rejected, self, rejection)

    def offered(self, slots: Sequence[ClassAd], now: int, *, alone: bool = False) -> None:
        """The startd offers its slots to this schedd directly; ``alone`` when no negotiator has a say."""
        with self._at(now):
            if alone and self.autoclusters.set_significant(direct.looked_at(slots)):
                self._regroup()
            direct.offer(self, slots)

    def withdraw(self, job: JobId) -> None:
        """Takes back the request for a claim for a job that is not to run now."""
        for request_id in self.claims.withdraw(job):
            self.out.emit(WithdrawClaim(request_id))

    def ask_slot(self, job: JobId, slot: str, submitter: str) -> None:
        """Asks for a claim on a slot without negotiation."""
        self.idle.discard(job)
        self.out.emit(RequestClaim(self.claims.ask(job), slot, job, submitter))

    def start(self, job: JobId, ad: ClassAd, claim: Claim) -> None:
        """Commits a job to a claim; the activation leaves after the commit."""
        claiming.start(self, job, ad, claim)

    @property
    def spawn_names(self) -> tuple[str, ...] | None:
        """What the record of a start has of the job's ad; None for everything."""
        more = self.settings.spawn_attributes
        return None if more == ("all",) else (*_SPAWN_ATTRIBUTES, *more)

    @property
    def ticks(self) -> bool:
        """Whether ``tick`` has anything to look at."""
        return bool(self.cooling or self.kept_claims or self.local_waiting or self.stagings.stages)

    def tick(self, now: int) -> None:
        """Every second or so: jobs that have cooled down get their next chance, idle claims are looked at again."""
        with self._at(now):
            staging.look(self)
            for job in sorted(self.cooling):
                ad = self.jobs.job(job)
                if ad is None or ad.eval_int("JobStatus", 0) != JobStatus.IDLE:
                    self.cooling.discard(job)
                else:
                    turns.take(self, job, self.make_idle, job, ad)

    def dispatch(self, now: int) -> None:
        """After the news of a batch: idle claims get their next job or go back, and a cycle is asked for if it is
        worth one.
        """
        if self.is_closing:
            return
        with self._at(now):
            self.kept_claims = False
            if self.reassignments:
                self.reassignments.step(self)
            if self.ocus:
                ocu.call_back(self)
            for claim_id in self.claims.free():
                if not self.reassignments or not self.reassignments.reserves(claim_id):
                    reuse.take_next(self, self.claims[claim_id])
            if self.local_waiting:
                local.start_waiting(self)
            answered = not self.claims.awaits_answer
            if self._wants_cycle and self.startd_up and answered and not self.reassignments:
                self._wants_cycle = False  # without idle jobs the cycle only accounts what was freed
                self.out.emit(CallNegotiator())

    def give_back(self, claim: Claim) -> None:
        """Releases a claim; the slot is free once the startd confirms."""
        claim.releasing = True
        self._wants_cycle = True
        self.out.emit(ReleaseClaim(claim.info.claim_id))

    def released(self, claim_id: str) -> None:
        """The startd confirmed that a claim is gone."""
        self.claims.drop(claim_id)
        staging.gone(self, claim_id)
        self._wants_cycle = True

    # -- runs --------------------------------------------------------------------------------------

    def run_of(self, job: JobId, claim_id: str, number: int) -> Run | None:
        """The run that a message is about, None when it is not (or no longer) ours."""
        run = self.runs.get(job)
        if run is None or run.claim_id != claim_id or run.number != number:
            return None
        return run

    def started(self, event: RunStarted) -> None:
        """The program of a run was executed; to be told once."""
        progress.started(self, event)

    def acknowledge(self, claim_id: str, job: str, run: int) -> None:
        """The startd may forget a report once this batch is durable."""
        self.out.emit(Acknowledge(claim_id, job, run))

    # -- leaving -----------------------------------------------------------------------------------

    def leave(self, job: JobId, ad: ClassAd) -> None:
        """History first, then ``removal``."""
        self.idle.discard(job)
        self.periodic_jobs.discard(job)
        self.waiting_to_leave.discard(job)
        if job not in self.leaving:
            self.leaving.add(job)
            self.out.emit(Leave(job, ad))

    def removal(self, jobs: Iterable[JobId]) -> None:
        """Queues the records that take finished jobs (and emptied clusters) out of the queue, and removes those that
        go with them."""
        finished = tuple(jobs)
        otherjobs.remove(self, finished)
        leaving.remove(self, finished)

    def remove_cluster(self, cluster: int) -> None:
        """Queues the records that take a cluster out of the queue."""
        leaving.remove_cluster(self, cluster)

    # -- policy ------------------------------------------------------------------------------------

    def check_policies(self, now: int, enough: Callable[[], bool] = lambda: False) -> bool:
        """Evaluates the periodic expressions of all jobs that have any; False when a call must follow for more."""
        with self._at(now):
            return policing.check(self, enough)

    def check_updated(self, now: int, enough: Callable[[], bool] = lambda: False) -> bool:
        """The same for the jobs whose starter told something."""
        with self._at(now):
            return policing.check_updated(self, enough)

    def log_refused(self, job: JobId, now: int) -> None:
        """The event log of a new job cannot be written: it is held, or nobody would ever learn of its end."""
        with self._at(now):
            ad = self.jobs.job(job)
            if ad is not None and ad.eval_int("JobStatus", 0) in (JobStatus.IDLE, *_LIVE):
                refused = Verdict("hold", "Failed to initialize user log", int(HoldCode.UNABLE_TO_INIT_USER_LOG), 0)
                policing.obey(self, job, ad, refused)

    def significant(self, names: Iterable[str], now: int) -> None:
        """The negotiator says which attributes slots look at; the autoclusters follow, and then it gets the demand."""
        with self._at(now):
            self._wants_cycle = True
            if self.autoclusters.set_significant(names):
                self._regroup()

    def reconfigure(self, settings: ScheddSettings) -> None:
        """New settings hold from now on."""
        self.settings = settings
        if self.autoclusters.reconfigure(settings):
            self._wants_cycle = True
            self._regroup()

    def _regroup(self) -> None:
        """Waiting jobs get the numbers of their new autoclusters."""
        self.fits.clear()
        for job, ad in list(self.jobs.jobs()):
            if job in self.idle:
                self.make_idle(job, ad)

    def live(self, ad: ClassAd) -> bool:
        """Whether the queue says that a job has a run."""
        return ad.eval_int("JobStatus", 0) in _LIVE
