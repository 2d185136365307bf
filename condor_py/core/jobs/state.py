"""State of the schedd core besides the job ads, and the functions that its event handlers share.

Event handlers get the state as ``core``. No code outside of this package changes it: the daemon and the simulator send
events to ``core.Schedd``.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from condor_py.core.jobs import crontab
from condor_py.core.jobs.actions import REMOVED_WITH_OUTPUT, set_text
from condor_py.core.jobs.autocluster import Autoclusters
from condor_py.core.jobs.autorequests import Sizing, edit_records, number_changes, numbers_of
from condor_py.core.jobs.claims import Claims
from condor_py.core.jobs.effects import Leave, RunRecord, SizesWanted
from condor_py.core.jobs.index import IdleIndex, IdleJob, prios_of
from condor_py.core.jobs.jobad import (
    cpus_wanted,
    is_away,
    is_gang,
    needs_slot,
    run_number,
    runs_here,
    status_of,
    submitter_of,
)
from condor_py.core.jobs.parts import (
    Claim,
    Gang,
    Gangs,
    GridJobs,
    JobTable,
    Known,
    Logs,
    Ocus,
    Outbox,
    Reassignments,
    Run,
    Stagings,
    never_runs,
)
from condor_py.core.jobs.policy import Verdict
from condor_py.core.jobs.quotas import Quotas
from condor_py.core.jobs.statistics import Statistics
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.allowance import OwnerBudgets
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import NO_GROUPS, Deactivate, ReleaseClaim, RequestClaim, WithdrawClaim
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.sizes import Like
from condor_py.model.states import HoldCode, JobStatus, VacateCode


class Waiting:
    """Idle jobs that are not in ``IdleIndex``: those in a cool-down pause, and those that the schedd itself is to start
    without a slot. It also keeps which jobs have a crontab schedule. Only its methods change it."""

    def __init__(self) -> None:
        self._cooling: set[JobId] = set()
        self._here: dict[JobId, None] = {}
        self._repeating: set[JobId] = set()
        #: Jobs whose JobCoolDownExpiration is ahead.
        self.cooling: Collection[JobId] = self._cooling
        #: Jobs of the local and scheduler universes that are to be started, in the order in which they came.
        self.here: Collection[JobId] = self._here.keys()
        #: Jobs with a crontab schedule, whatever they do.
        self.repeating: Collection[JobId] = self._repeating

    def cool(self, job: JobId) -> None:
        """A job has a pause; each tick reviews it until the pause is over."""
        self._cooling.add(job)

    def cooled(self, job: JobId) -> None:
        """The pause of a job is over."""
        self._cooling.discard(job)

    def start_here(self, job: JobId) -> None:
        """A job is to be started on this machine, without a slot."""
        self._here[job] = None

    def started_here(self, job: JobId) -> None:
        """A job has been started, or is not to be."""
        self._here.pop(job, None)

    def repeats(self, job: JobId) -> None:
        """A job has a schedule."""
        self._repeating.add(job)

    def leave(self, job: JobId) -> None:
        """A job neither has a pause nor waits for its start here. A schedule it keeps."""
        self._cooling.discard(job)
        self._here.pop(job, None)

    def forget(self, jobs: Iterable[JobId]) -> None:
        """Jobs have left, or are not to be reviewed again."""
        self._cooling.difference_update(jobs)
        self._repeating.difference_update(jobs)
        for job in jobs if self._here else ():
            self._here.pop(job, None)


class Watched:
    """Jobs with periodic expressions, and those of them that the present review has still to evaluate. Only its methods
    change it."""

    def __init__(self) -> None:
        self._jobs: set[JobId] = set()
        self._left: deque[JobId] = deque()
        self._updated: dict[JobId, None] = {}
        #: Jobs that have periodic expressions.
        self.jobs: AbstractSet[JobId] = self._jobs

    @property
    def left(self) -> int:
        """Number of jobs that the present review of all jobs has still to evaluate."""
        return len(self._left)

    @property
    def updated(self) -> int:
        """Number of jobs to review because their starter sent an update."""
        return len(self._updated)

    def add(self, jobs: Iterable[JobId]) -> None:
        """Jobs have periodic expressions."""
        self._jobs.update(jobs)

    def forget(self, jobs: Iterable[JobId]) -> None:
        """Jobs are not reviewed any more."""
        self._jobs.difference_update(jobs)

    def note_update(self, job: JobId) -> None:
        """The starter of a job sent an update."""
        self._updated[job] = None

    def look_at(self, jobs: Iterable[JobId]) -> None:
        """Start a review, unless one is under way."""
        if not self._left:
            self._left.extend(jobs)

    def each(self) -> Iterator[JobId]:
        """The jobs of the review, until the caller has enough."""
        while self._left:
            yield self._left.popleft()

    def each_updated(self) -> Iterator[JobId]:
        """The jobs whose starters sent an update, until the caller has enough."""
        while self._updated:
            job = next(iter(self._updated))
            del self._updated[job]
            yield job


_NONE: frozenset[JobId] = frozenset()


class Departing:
    """Finished jobs on their way out of the queue, in three steps: kept by leave_in_queue, leaving (the history is
    written), going (the record of their removal waits for its commit). Only its methods change it."""

    def __init__(self) -> None:
        self._kept: set[JobId] = set()
        self._leaving: set[JobId] = set()
        #: By cluster: their records may still wait for the commit.
        self._going: dict[int, set[JobId]] = {}
        #: Jobs that leave when their leave_in_queue lets them.
        self.kept: AbstractSet[JobId] = self._kept
        #: Jobs whose history record is being written.
        self.leaving: AbstractSet[JobId] = self._leaving

    def keep(self, job: JobId) -> None:
        """A job stays for now."""
        self._kept.add(job)

    def forget(self, job: JobId) -> None:
        """A job does not wait for its leave any more."""
        self._kept.discard(job)

    def leave(self, jobs: Collection[JobId]) -> bool:
        """Jobs leave; False when they do so already."""
        self._kept.difference_update(jobs)
        if not self._leaving.isdisjoint(jobs):
            return False
        self._leaving.update(jobs)
        return True

    def recorded(self, jobs: Iterable[JobId]) -> None:
        """The history has these jobs."""
        self._leaving.difference_update(jobs)
        give_table_back(self._leaving)

    def is_going(self, job: JobId) -> bool:
        """Whether the removal of a job waits for its commit."""
        return job in self._going.get(job.cluster, _NONE)

    def beyond(self, jobs: Iterable[JobId]) -> set[JobId]:
        """Return those of ``jobs`` that are leaving or going: a change now would be missing in their history."""
        if not self._leaving and not self._going:
            return set()
        return {job for job in jobs if job in self._leaving or self.is_going(job)}

    def go(self, cluster: int, jobs: Collection[JobId]) -> None:
        """The removal of jobs of a cluster is queued."""
        self._kept.difference_update(jobs)
        self._going.setdefault(cluster, set()).update(jobs)

    def still_going(self, cluster: int, there: Callable[[Collection[JobId]], Collection[JobId]]) -> int:
        """Forget the going jobs of a cluster that the queue has lost; return how many are left. ``there`` returns those
        of some jobs that the queue has."""
        going = set(there(self._going.pop(cluster, _NONE)))
        if going:
            self._going[cluster] = going
        return len(going)

    def cluster_gone(self, cluster: int) -> None:
        """The removal of a whole cluster is queued."""
        self._going.pop(cluster, None)


#: Submitters whose delays are remembered; when there are more, the delays that are over are forgotten.
_MANY = 1000


class Pace:
    """Limits how fast jobs are started: JOB_START_COUNT at once, then JOB_START_DELAY; and next_job_start_delay of a
    job. Times are in Unix seconds.

    The delay of a job applies only to jobs of its submitter (in HTCondor to all jobs): otherwise one user's jobs could
    keep all others waiting.
    """

    def __init__(self) -> None:
        self._next = 0
        self._own: dict[str, int] = {}
        self._count = 0

    def waits(self, now: int, submitter: str) -> bool:
        """Whether the next start of a submitter has to wait for a later second."""
        return now < self._next or now < self._own.get(submitter, now)

    def set_back(self, seconds: int) -> None:
        """The clock was set, by so many seconds (less than 0): no job waits longer for that."""
        self._next += seconds
        self._own = {name: until + seconds for name, until in self._own.items()}

    def started(self, ad: ClassAd, submitter: str, settings: ScheddSettings, now: int) -> None:
        """A job was started: its own delay counts at once, the configured one after JOB_START_COUNT of them."""
        delay = ad.eval_int("NextJobStartDelay", 0)
        if settings.max_next_job_start_delay:
            delay = min(delay, settings.max_next_job_start_delay)
        if delay > 0:
            if len(self._own) >= _MANY:
                self._own = {name: until for name, until in self._own.items() if until > now}
            self._own[submitter] = now + delay
        self._count += 1
        if self._count >= settings.job_start_count:
            self._count = 0
            if settings.job_start_delay > 0:
                self._next = now + settings.job_start_delay


class Agenda:
    """Work that is left for the end of an event, of a batch, or for a tick.

    ``cycle``: a negotiation cycle is wanted. ``kept``: claims without a job are kept, and checked after each tick.
    ``closed``: the schedd is shut down, and no job starts any more. ``ended`` and ``judged`` are jobs that an event
    made idle and that do not wait for a slot: ``ended`` do nothing (noop_job) and are completed, ``judged`` (with a
    schedule that cannot be read, for example) are held. Both happen at the end of the event.
    """

    def __init__(self) -> None:
        self.cycle = False
        self.kept = False
        self.closed = False
        self.ended: list[JobId] = []
        self.judged: list[tuple[JobId, Verdict]] = []

    def end(self, job: JobId) -> None:
        """The job is to be completed without running."""
        self.ended.append(job)

    def judge(self, job: JobId, verdict: Verdict) -> None:
        """The job is held instead of waiting."""
        self.judged.append((job, verdict))

    def take_settled(self) -> tuple[list[JobId], list[tuple[JobId, Verdict]]]:
        """Return the jobs that do not wait, and forget them."""
        taken = self.ended, self.judged
        self.ended, self.judged = [], []
        return taken

    def close(self) -> None:
        """The schedd is shut down."""
        self.closed = True

    def want_cycle(self) -> None:
        """Something was freed or became wanted: negotiate after this batch."""
        self.cycle = True

    def cycle_asked(self) -> None:
        """The negotiator is called."""
        self.cycle = False

    def begin(self) -> None:
        """The claims are checked again."""
        self.kept = False

    def keep(self) -> None:
        """A claim stays ours without a job."""
        self.kept = True


#: Attributes in the record of a start (JOB_EPOCH_HISTORY), in front of those that a knob adds.
_SPAWN_ATTRIBUTES = ("ClusterId", "ProcId", "NumShadowStarts", "Owner", "ShadowBday")
#: States of jobs that have a run.
_LIVE = (JobStatus.RUNNING, JobStatus.SUSPENDED, JobStatus.TRANSFERRING_OUTPUT)


class ScheddState:
    """The state of the core. Each attribute owns one part of it: ``idle`` the idle jobs in order, ``claims`` the claims
    with their runs, ``reach`` the runs without a connection (orphans), ``departing`` the jobs on their way out, ...

    The methods are what event handlers share because it concerns several parts.
    """

    def __init__(self, jobs: JobTable, settings: ScheddSettings, now: int) -> None:
        self.jobs = jobs
        self.settings = settings
        self.now = now
        self.out = Outbox()
        self._known: dict[JobId, Known] = {}
        #: What was last seen of each job.
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
        self.stagings = Stagings()
        self.ocus = Ocus()
        self.grid = GridJobs()
        self.gangs = Gangs()
        self.logs = Logs()
        self.pace = Pace()
        self.quotas = Quotas()
        self.agenda = Agenda()
        self.counters = Statistics(now, settings.statistics)
        self.sizing = Sizing()
        #: Whether the jobs of an autocluster and the slot of a claim match, by autocluster and claim id (``reuse``).
        self.fits: dict[tuple[int, str], bool] = {}
        self.budgets = OwnerBudgets()
        #: The schedd's own ad, as published last.
        self.own_ad = ClassAd()

    # -- what handlers share -----------------------------------------------------------------------

    def remember(self, jobs: Sequence[JobId], known: Known) -> None:
        """Jobs of one submitter are new or seen again, all in the same state ``known``."""
        self.forget(jobs)
        self._known.update(dict.fromkeys(jobs, known))
        self.tally.enter(self, jobs, known.status)

    def note(self, jobs: Iterable[JobId], known: Known) -> None:
        """Replace what is known of jobs. The caller changes ``tally`` if their status changes."""
        self._known.update(dict.fromkeys(jobs, known))

    def forget(self, jobs: Iterable[JobId]) -> None:
        """Jobs have left."""
        left: dict[int, list[JobId]] = {}
        for job in jobs:
            if (known := self._known.pop(job, None)) is not None:
                left.setdefault(known.status, []).append(job)
        for status, some in left.items():
            self.tally.leave(some, status)
        give_table_back(self._known)

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
        """End the run of a removed job. The job gets its kill signal first if want_graceful_removal says so (without it
        GRACEFULLY_REMOVE_JOBS), or if its output is wanted; else it is killed."""
        reason = ad.eval_str("RemoveReason", "")
        if ad.local_text(REMOVED_WITH_OUTPUT) is not None:
            self.stop_run(run, True, VacateCode.REMOVED_WITH_OUTPUT, reason)
        else:
            softly = bool(ad.eval_bool("WantGracefulRemoval", self.settings.gracefully_remove_jobs))
            self.stop_run(run, softly, VacateCode.REMOVED, reason)

    def stop_released(self, run: Run, ad: ClassAd) -> None:
        """Ends the run of a job that was held and released before it was reviewed: it runs again."""
        if not run.stop_code:
            self.stop_run(run, True, VacateCode.USER_HOLD, ad.eval_str("LastHoldReason", ""))

    def make_idle(self, job: JobId, ad: ClassAd) -> None:
        """Put an idle job where it waits: for a slot (``idle``), for its start here, for the end of its pause
        (``waiting``) or for a gridmanager (``grid``). One that is not to wait goes to ``agenda``."""
        if is_away(ad):
            self.idle.discard((job,))
            self.waiting.leave(job)
            self.withdraw(job)
            return
        if job in self.runs or job in self.reach.orphans or self.claims.asks_for(job) or job in self.reassignments:
            return
        if ad.eval_bool("IsNoopJob", False):
            self.agenda.end(job)
            return
        if crontab.repeats(ad) and not self._schedule(job, ad):
            return
        if ad.eval_int("JobCoolDownExpiration", 0) > self.now:
            self.waiting.cool(job)
            return
        self.waiting.cooled(job)
        if not needs_slot(ad):
            if runs_here(ad):
                self.waiting.start_here(job)
            else:
                self.grid.note(job, ad, self.out)
            return
        if is_gang(ad):
            self._gang_waits(job)
            return
        self._find_requests(job, ad)
        submitter = submitter_of(ad, self.settings.submitter_domain)
        entry = IdleJob(submitter, self.autoclusters.number(ad), prios_of(ad), cpus_wanted(ad))
        if self.idle.get(job) != entry:
            self.idle.put((job,), entry)
            self.agenda.want_cycle()

    def _find_requests(self, job: JobId, ad: ClassAd) -> None:
        """Give an idle job the requests that like jobs have shown (request_memory = auto), if it asks for such."""
        rule = self.settings.auto_requests
        self.out.apply(ad, list(edit_records(job, ad, rule)))
        if not numbers_of(ad):
            return
        if self.sizing.want():
            self.out.emit(SizesWanted())
        place, like, is_new = self.sizing.place(job, ad)
        if is_new:
            self.give_numbers(place, like)

    def give_numbers(self, place: JobId, like: Like) -> bool:
        """Let a job, or all jobs of a cluster (``place`` with proc -1), request what like jobs have used. Return
        whether that differs from what they requested before."""
        ad = self.jobs.cluster(place.cluster) if place.proc < 0 else self.jobs.job(place)
        asked = self.sizing.sizes.asked(like) if self.sizing.sizes is not None else None
        if ad is None or asked is None:
            return False
        key = f"0{place.cluster}.-1" if place.proc < 0 else str(place)
        changes = list(number_changes(key, ad, asked, self.settings.auto_requests))
        self.out.apply(ad, changes)
        if changes and place.proc < 0:
            self.autoclusters.forget_cluster(ad)
        return bool(changes)

    def _gang_waits(self, job: JobId) -> None:
        """A proc of a parallel job is idle; one that can never run is held."""
        if job.proc == 0 and (why := never_runs(self.jobs, job.cluster)):
            self.agenda.judge(job, Verdict("hold", why, int(HoldCode.UNSPECIFIED), 0))
            return
        self.gangs.wait(job.cluster)
        self.agenda.want_cycle()

    def _schedule(self, job: JobId, ad: ClassAd) -> bool:
        """Set the next start time of a job with a crontab schedule, unless that is still ahead. Return False if the
        schedule cannot be read: the job is to be held then."""
        self.waiting.repeats(job)
        known = ad.eval_int("DeferralTime", 0)
        try:
            due = crontab.next_run(crontab.schedule_of(ad), self.now)
        except crontab.BadSchedule as error:
            reason = f"Invalid cron schedule parameters: {error}"
            self.agenda.judge(job, Verdict("hold", reason, int(HoldCode.INVALID_CRON_SETTINGS), 0))
            return False
        # A later time than the next one was found before the clock was set back.
        if not known or known > due or self.now > known + ad.eval_int("DeferralWindow", 0):
            self.out.apply(ad, [set_text(job, "DeferralTime", str(due))])
        return True

    def stop_run(self, run: Run, graceful: bool, code: int, reason: str) -> None:
        """Order the end of a run. What becomes of the job is decided when the report of the run arrives."""
        run.stop(int(code), reason)
        for claim_id in self.claims_of(run):
            self.out.emit(Deactivate(claim_id, graceful, int(code), reason))

    def claims_of(self, run: Run) -> list[str]:
        """Return the claims of a run: one, or those of all nodes of a parallel job that have not ended."""
        gang = self.gangs.of(run.job.cluster) if self.gangs else None
        return [run.claim_id] if gang is None else [node.claim_id for node in gang.left]

    def run_for(self, job: JobId) -> Run | None:
        """The run of a job; that of proc 0 for the other procs of a parallel job."""
        gang = self.gangs.of(job.cluster) if self.gangs else None
        return self.runs.get(job if gang is None else gang.lead)

    # -- claims ------------------------------------------------------------------------------------

    def withdraw(self, job: JobId) -> None:
        """Takes back the request for a claim for a job that is not to run now."""
        for request_id in self.claims.withdraw(job):
            self.out.emit(WithdrawClaim(request_id))
        gang = self.gangs.of(job.cluster) if self.gangs else None
        if gang is not None and not gang.runs:
            self._disband(gang)

    def _disband(self, gang: Gang) -> None:
        """Take back the requests of a parallel job that does not start now, and give back what was granted."""
        self.gangs.drop(gang.lead.cluster)
        for node in gang.nodes:
            for request_id in self.claims.withdraw(node.asker):
                self.out.emit(WithdrawClaim(request_id))
            claim = self.claims.get(node.claim_id)
            if claim is not None:
                claim.free()
                self.give_back(claim)

    def ask_slot(self, job: JobId, slot: str, submitter: str) -> None:
        """Asks for a claim on a slot without negotiation."""
        self.idle.discard((job,))
        self.out.emit(RequestClaim(self.claims.ask(job), slot, job, submitter, (), False, NO_GROUPS))

    @property
    def spawn_names(self) -> tuple[str, ...] | None:
        """Names of the job's attributes in the record of a start; None for all."""
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
        """Return the run that a message is about; None if the schedd does not know it (any more)."""
        run = self.runs.get(job)
        if run is None or run.claim_id != claim_id or run.number != number:
            return None
        return run

    # -- leaving -----------------------------------------------------------------------------------

    def leave(self, jobs: Sequence[JobId], ads: Sequence[ClassAd]) -> None:
        """Let jobs leave, which have one cluster and JobStatus. The effect Leave has their history written; the event
        JobsRecorded, which follows that, takes them out of the queue."""
        self.idle.discard(jobs)
        self.watched.forget(jobs)
        if self.departing.leave(jobs):
            self.out.emit(Leave(tuple(jobs), tuple(ads), status_of(ads[0])))

    def live(self, ad: ClassAd) -> bool:
        """Whether the queue says that a job has a run."""
        return status_of(ad) in _LIVE


class Reach:
    """The connection to the startd, and the runs (orphans) that the queue has and the startd has not confirmed since it
    was lost. ``up``: the startd is connected; ``lost_at``: when it was last lost, or this schedd began (Unix seconds).
    """

    def __init__(self, now: int) -> None:
        self.up = False
        self.lost_at = now
        self._orphans: set[JobId] = set()
        self._told: set[JobId] = set()
        self._unlogged: set[JobId] = set()
        #: Jobs that run according to the queue, without a confirmation yet.
        self.orphans: AbstractSet[JobId] = self._orphans

    def connected(self) -> None:
        """The startd is there."""
        self.up = True

    def lost(self, now: int) -> None:
        """The startd is out of reach."""
        self.up = False
        self.lost_at = now

    def pass_over(self, seconds: int) -> None:
        """Move the time of the loss by the seconds that the clock has jumped: the startd does not count them either."""
        self.lost_at += seconds

    def orphan(self, job: JobId, *, told: bool = False, unlogged: bool = False) -> None:
        """A run is out of reach. ``told``: its event log has event 022 for that already; ``unlogged``: it lacks event
        001, the begin of the run, too."""
        self._orphans.add(job)
        if told:
            self._told.add(job)
        if unlogged:
            self._unlogged.add(job)

    def is_told(self, job: JobId) -> bool:
        """Whether the event log has event 022 for a run that is out of reach."""
        return job in self._told

    def is_unlogged(self, job: JobId) -> bool:
        """Whether the event log lacks the begin of the run."""
        return job in self._unlogged

    def forget(self, job: JobId) -> None:
        """A run was found again or given up, or its job has left."""
        self._orphans.discard(job)
        self._told.discard(job)
        self._unlogged.discard(job)

    def validate(self) -> None:
        """AssertionError when the state is inconsistent."""
        for job in self._told | self._unlogged:
            assert job in self._orphans, f"{job} is remembered as out of reach and is not"


def give_table_back(some: set[JobId] | dict[JobId, Known] | dict[JobId, str]) -> None:
    """Free the memory of a table that has become empty: a set or dict that loses its items one by one keeps its size
    until it is cleared."""
    if not some:
        some.clear()


_HELD = int(JobStatus.HELD)


class Tally:
    """Numbers of jobs by status, and of held jobs by submitter. Only its methods change it."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._holders: dict[JobId, str] = {}
        self._held: Counter[str] = Counter()
        #: Jobs by JobStatus.
        self.counts: Mapping[int, int] = self._counts
        #: Held jobs by submitter, as it was when they were held.
        self.held: Mapping[str, int] = self._held

    def enter(self, core: ScheddState, jobs: Sequence[JobId], status: int) -> None:
        """Jobs of one submitter are in this state now."""
        self._counts[status] += len(jobs)
        if status == _HELD:
            ad = core.jobs.job(jobs[0])
            holder = submitter_of(ad, core.settings.submitter_domain) if ad is not None else ""
            self._holders.update(dict.fromkeys(jobs, holder))
            self._held[holder] += len(jobs)

    def leave(self, jobs: Sequence[JobId], status: int) -> None:
        """Jobs that were in this state no longer are."""
        self._counts[status] -= len(jobs)
        if status == _HELD:
            for holder, count in Counter(map(self._holders.pop, jobs)).items():
                self._held[holder] -= count
                if not self._held[holder]:
                    del self._held[holder]
            give_table_back(self._holders)

    def validate(self, known: Mapping[JobId, int]) -> None:
        """AssertionError when this is not what the states of all jobs add up to."""
        assert +self._counts == Counter(known.values()), "the numbers of jobs by status are wrong"
        held = {job for job, status in known.items() if status == _HELD}
        assert self._holders.keys() == held, "the set of held jobs is wrong"
        assert self._held == Counter(self._holders.values()), "the numbers of held jobs by submitter are wrong"
