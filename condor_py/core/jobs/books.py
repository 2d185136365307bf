"""What the schedd core knows besides the job ads, and what the handlers of its events share.

Whoever handles an event gets the books as ``core``. Nobody outside of this room changes anything in them: the daemon
and the simulator tell ``core.Schedd`` of events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from condor_py.core.jobs import (
    crontab,
    finish,
    gridjobs,
    local,
    ocu,
    policing,
    staging,
)
from condor_py.core.jobs.actions import REMOVED_WITH_OUTPUT, set_text
from condor_py.core.jobs.agenda import Agenda
from condor_py.core.jobs.autocluster import Autoclusters
from condor_py.core.jobs.claims import Claims
from condor_py.core.jobs.departing import Departing
from condor_py.core.jobs.effects import (
    Deactivate,
    Leave,
    Leaves,
    ReleaseClaim,
    RequestClaim,
    RunRecord,
    WithdrawClaim,
)
from condor_py.core.jobs.external import away
from condor_py.core.jobs.identity import submitter_of
from condor_py.core.jobs.immediate import Reassignments
from condor_py.core.jobs.index import IdleIndex, IdleJob, prios_of
from condor_py.core.jobs.jobad import cpus_wanted, needs_slot, run_number, status_of
from condor_py.core.jobs.pace import Pace
from condor_py.core.jobs.policy import Verdict
from condor_py.core.jobs.reach import Reach
from condor_py.core.jobs.state import Claim, JobTable, Known, Logs, Outbox, Run
from condor_py.core.jobs.statistics import Statistics
from condor_py.core.jobs.tally import Tally
from condor_py.core.jobs.waiting import Waiting
from condor_py.core.jobs.watched import Watched
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.allowance import OwnerBudgets
from condor_py.model.ids import JobId
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.states import HoldCode, JobStatus, VacateCode

_SPAWN_ATTRIBUTES = ("ClusterId", "ProcId", "NumShadowStarts", "Owner", "ShadowBday")
_LIVE = (JobStatus.RUNNING, JobStatus.SUSPENDED, JobStatus.TRANSFERRING_OUTPUT)


class Books:
    """Idle jobs in order, claims with their runs, runs whose fate is unknown (orphans), and who is on the way out."""

    def __init__(self, jobs: JobTable, settings: ScheddSettings, now: int) -> None:
        self.jobs = jobs
        self.settings = settings
        self.now = now
        self.out = Outbox()
        self._known: dict[JobId, Known] = {}
        self.known: Mapping[JobId, Known] = self._known
        self.tally = Tally()
        self.idle = IdleIndex()
        self.autoclusters = Autoclusters(settings)
        self.claims = Claims()
        self.runs = self.claims.runs
        self.waiting = Waiting()
        self.reach = Reach(now)
        self.watched = Watched()
        self.departing = Departing()
        self.reassignments = Reassignments()
        self.stagings = staging.Stagings()
        self.ocus = ocu.Ocus()
        self.grid = gridjobs.GridJobs()
        self.logs = Logs()
        self.pace = Pace()
        self.agenda = Agenda()
        self.counters = Statistics(now, settings.statistics)
        self.fits: dict[tuple[int, str], bool] = {}
        self.budgets = OwnerBudgets()
        #: The schedd's own ad, as published last.
        self.own_ad = ClassAd()

    # -- what handlers share -----------------------------------------------------------------------

    def remember(self, job: JobId, known: Known) -> None:
        """A job has come, or is met anew."""
        self.forget(job)
        self._known[job] = known
        self.tally.enter(self, job, known.status)

    def remember_alike(self, jobs: Sequence[JobId], known: Known) -> None:
        """Jobs that have come, none of them held, and of which the same is to be known."""
        self._known.update(dict.fromkeys(jobs, known))
        self.tally.enter_many(len(jobs), known.status)

    def note(self, job: JobId, known: Known) -> None:
        """Something else is known of a job now; what counts jobs by their states is told by whoever moves it."""
        self._known[job] = known

    def note_many(self, jobs: Sequence[JobId], known: Known) -> None:
        """The same is known of these jobs now; see ``note``."""
        self._known.update(dict.fromkeys(jobs, known))

    def forget(self, job: JobId) -> None:
        """A job has left."""
        known = self._known.pop(job, None)
        if known is not None:
            self.tally.leave(job, known.status)

    def forget_many(self, jobs: Iterable[JobId]) -> None:
        """These have left."""
        known = [(job, self._known.pop(job)) for job in jobs if job in self._known]
        self.tally.leave_many([(job, one.status) for job, one in known])

    def record_run(
        self,
        kind: str,
        job: JobId,
        ad: ClassAd,
        names: Iterable[str] | None = None,
        more: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Queues a record of a run (JOB_EPOCH_HISTORY) with all attributes, or those of ``names``, and ``more``."""
        if not self.logs.runs:
            return
        if names is None:
            items = ad.pairs()
        else:
            items = [(name, text) for name in names if (text := ad.text(name)) is not None]
        if more:
            items = list(dict([*items, *more]).items())
        self.out.emit(RunRecord(kind, job, run_number(ad), ad.eval_str("Owner", ""), tuple(items)))

    def stop_removed(self, run: Run, ad: ClassAd) -> None:
        """Ends the run of a removed job. It gets its kill signal first with want_graceful_removal, else
        GRACEFULLY_REMOVE_JOBS, and when its output is to come."""
        reason = ad.eval_str("RemoveReason", "")
        if ad.local_text(REMOVED_WITH_OUTPUT) is not None:
            self.stop_run(run, True, VacateCode.REMOVED_WITH_OUTPUT, reason)
        else:
            softly = bool(ad.eval_bool("WantGracefulRemoval", self.settings.gracefully_remove_jobs))
            self.stop_run(run, softly, VacateCode.REMOVED, reason)

    def stop_released(self, run: Run, ad: ClassAd) -> None:
        """Ends the run of a job that was held and released before anybody looked: it runs anew."""
        if not run.stop_code:
            self.stop_run(run, True, VacateCode.USER_HOLD, ad.eval_str("LastHoldReason", ""))

    def make_idle(self, job: JobId, ad: ClassAd) -> None:
        """Puts a job where claims and the negotiator find it; one that does nothing is at its end already."""
        if away(self, job, ad):
            return
        if job in self.runs or job in self.reach.orphans or self.claims.asks_for(job) or job in self.reassignments:
            return
        if ad.eval_bool("IsNoopJob", False):
            finish.noop(self, job, ad)
            return
        if crontab.repeats(ad) and not self._schedule(job, ad):
            return
        if ad.eval_int("JobCoolDownExpiration", 0) > self.now:
            self.waiting.cool(job)
            return
        self.waiting.cooled(job)
        if not needs_slot(ad):
            if local.runs_here(ad):
                self.waiting.start_here(job)
            else:
                gridjobs.changed(self, job, ad)
            return
        submitter = submitter_of(ad, self.settings.submitter_domain)
        entry = IdleJob(submitter, self.autoclusters.number(ad), prios_of(ad), cpus_wanted(ad))
        if self.idle.get(job) != entry:
            self.idle.put(job, entry)
            self.agenda.want_cycle()

    def _schedule(self, job: JobId, ad: ClassAd) -> bool:
        """Gives a job that repeats its next time unless it has one ahead; False when its schedule had it held."""
        self.waiting.repeats(job)
        due = ad.eval_int("DeferralTime", 0)
        if due and self.now <= due + ad.eval_int("DeferralWindow", 0):
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
        run.stop(int(code), reason)
        self.out.emit(Deactivate(run.claim_id, graceful, int(code), reason))

    # -- claims ------------------------------------------------------------------------------------

    def withdraw(self, job: JobId) -> None:
        """Takes back the request for a claim for a job that is not to run now."""
        for request_id in self.claims.withdraw(job):
            self.out.emit(WithdrawClaim(request_id))

    def ask_slot(self, job: JobId, slot: str, submitter: str) -> None:
        """Asks for a claim on a slot without negotiation."""
        self.idle.discard(job)
        self.out.emit(RequestClaim(self.claims.ask(job), slot, job, submitter))

    @property
    def spawn_names(self) -> tuple[str, ...] | None:
        """What the record of a start has of the job's ad; None for everything."""
        more = self.settings.spawn_attributes
        return None if more == ("all",) else (*_SPAWN_ATTRIBUTES, *more)

    def give_back(self, claim: Claim) -> None:
        """Releases a claim, unless that is under way; the slot is free once the startd confirms."""
        if claim.releasing:
            return
        claim.give_back()
        self.agenda.want_cycle()
        self.out.emit(ReleaseClaim(claim.info.claim_id))

    # -- runs --------------------------------------------------------------------------------------

    def run_of(self, job: JobId, claim_id: str, number: int) -> Run | None:
        """The run that a message is about, None when it is not (or no longer) ours."""
        run = self.runs.get(job)
        if run is None or run.claim_id != claim_id or run.number != number:
            return None
        return run

    # -- leaving -----------------------------------------------------------------------------------

    def leave(self, job: JobId, ad: ClassAd) -> None:
        """History first; then the event JobsRecorded takes the job out of the queue."""
        self.idle.discard(job)
        self.watched.forget(job)
        if self.departing.leave(job):
            self.out.emit(Leave(job, ad))

    def leave_many(self, jobs: Sequence[JobId]) -> None:
        """The same for jobs of one cluster and JobStatus that are in the queue and not on their way out."""
        self.idle.discard_many(jobs)
        self.watched.forget_many(jobs)
        self.departing.leave_many(jobs)
        self.out.emit(Leaves(tuple(jobs), tuple(self.jobs.ads_of(jobs)), self.known[jobs[0]].status))

    def live(self, ad: ClassAd) -> bool:
        """Whether the queue says that a job has a run."""
        return status_of(ad) in _LIVE
