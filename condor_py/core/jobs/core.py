"""The schedd as a pure machine: events in, records and effects out.

``Schedd.handle`` is the only way to change it. The core never reads a clock, a file or the configuration: time comes
with each event, the job ads are the image of the queue, and what it wants written and done ``take`` gives: records
first, effects when the records are durable. What goes wrong with one job holds it (``guard``); the others do not
notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from condor_py.core.jobs import (
    claiming,
    factory,
    finish,
    gangruns,
    gangs,
    gridjobs,
    guard,
    immediate,
    invariants,
    jobevents,
    leaving,
    local,
    ocu,
    otherjobs,
    policing,
    recovery,
    reuse,
    sizing,
    staging,
    suspension,
    updates,
    written,
)
from condor_py.core.jobs.actions import set_text
from condor_py.core.jobs.claims import Claims
from condor_py.core.jobs.effects import Effect
from condor_py.core.jobs.events import (
    ClaimGranted,
    ClientWrites,
    ClockJumped,
    ClusterEmpty,
    CycleWanted,
    Dispatch,
    Event,
    FactoryBegins,
    FactoryTold,
    GridReported,
    GridReportsEnd,
    JobsRecorded,
    Leaving,
    LogsWanted,
    OcuMade,
    OcuRemoved,
    OrderRefused,
    Planned,
    PoliciesDue,
    Published,
    QueueChanged,
    QueueTaken,
    Reconfigured,
    RunNow,
    SizesFound,
    SlotsOffered,
    StartdConnected,
    StartdLost,
    Tick,
    UpdatesDue,
    UserLine,
    UsersFound,
)
from condor_py.core.jobs.index import IdleIndex
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.parts import JobTable, Known, Run
from condor_py.core.jobs.policy import Verdict
from condor_py.core.jobs.state import ScheddState
from condor_py.core.jobs.statistics import Statistics
from condor_py.lang.classad import ClassAd, clock
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import ClaimLost, ClaimRefused, ClaimReleased, FilesStaged
from condor_py.model.messages.cycles import Significant
from condor_py.model.messages.runs import (
    RunDelayed,
    RunEnded,
    RunNotice,
    RunStarted,
    RunSuspended,
    RunUpdate,
    StagingStep,
)
from condor_py.model.record import Entry
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.states import JobStatus, VacateCode


class Schedd:
    """The jobs of one queue, and the claims that they run on. ``state`` is what it knows, to be looked at."""

    def __init__(self, jobs: JobTable, settings: ScheddSettings, now: int) -> None:
        self.state = ScheddState(jobs, settings, now)

    def handle(self, event: Event, now: int) -> None:
        """Takes one event at ``now`` (Unix seconds), which it is for expressions, too."""
        state = self.state
        state.now = now
        kind = type(event)
        with clock.frozen(now):
            job = guard.job_of(state, event) if kind in _ABOUT_ONE_JOB else None
            if job is None:
                _HANDLERS[kind](state, event)
            else:
                guard.take(state, job, _HANDLERS[kind], state, event)
            self._settle()

    def _settle(self) -> None:
        """End the jobs that an event made idle and that do not wait: those that do nothing, or have no schedule."""
        state = self.state
        while state.agenda.ended or state.agenda.judged:
            ended, judged = state.agenda.take_settled()
            for job in ended:
                guard.take(state, job, _complete, state, job)
            for job, verdict in judged:
                guard.take(state, job, _hold, state, job, verdict)
        if state.sizing.changes:
            sizing.resize(state)

    def take(self) -> tuple[list[Entry], list[Effect]]:
        """The records to commit and what is to be done after that, since the last call."""
        return self.state.out.take()

    @property
    def lacking(self) -> list[Entry] | None:
        """Those of the records of the next ``take`` that the image of the queue lacks; None where all are to be played
        on it, in their order."""
        return self.state.out.lacking

    def validate(self) -> None:
        """AssertionError when the state is inconsistent. At the end of a batch, with its records in the queue."""
        invariants.check(self.state)

    # -- questions ---------------------------------------------------------------------------------

    @property
    def settings(self) -> ScheddSettings:
        """The configured settings."""
        return self.state.settings

    @property
    def jobs(self) -> JobTable:
        """The image of the queue."""
        return self.state.jobs

    @property
    def known(self) -> Mapping[JobId, Known]:
        """Last seen state of each job."""
        return self.state.known

    @property
    def idle(self) -> IdleIndex:
        """The jobs that wait for slots."""
        return self.state.idle

    @property
    def claims(self) -> Claims:
        """The slots that are ours."""
        return self.state.claims

    @property
    def runs(self) -> Mapping[JobId, Run]:
        """The jobs that run."""
        return self.state.claims.runs

    @property
    def counters(self) -> Statistics:
        """Counters since this schedd started."""
        return self.state.counters

    @property
    def ticks(self) -> bool:
        """Whether a Tick has anything to look at."""
        state = self.state
        return bool(state.waiting.cooling or state.agenda.kept or state.waiting.here or state.stagings.stages)

    @property
    def needs_leases(self) -> bool:
        """Whether there are claims, or will be when the startd has answered."""
        claims = self.state.claims
        return bool(len(claims) or claims.asked)

    @property
    def policies_left(self) -> bool:
        """Whether the last PoliciesDue had enough before it was through."""
        return bool(self.state.watched.left)

    @property
    def updates_left(self) -> bool:
        """Whether the starters of jobs with a policy have reported something since the last UpdatesDue."""
        return bool(self.state.watched.updated)

    def grid_jobs(self, owner: str) -> list[JobId]:
        """The jobs of the grid universe that the gridmanager of a user has to know of."""
        return self.state.grid.of(owner)

    def grid_busy(self, owner: str) -> bool:
        """Whether the gridmanager of a user has something to do."""
        return self.state.grid.keeps_busy(owner)

    def request_ad(self, asker: JobId) -> ClassAd | None:
        """Ad that the startd gets instead of a job ad, when an owner capacity unit or a node of a parallel
        job requests a slot."""
        return self.state.ocus.request_ad(asker) or gangs.request_ad(self.state, asker)

    def node_ad(self, claim_id: str) -> ClassAd | None:
        """Ad that the startd gets instead of a job ad for a claim that a node of a parallel job has."""
        return gangs.node_ad(self.state, claim_id)

    def nodes_of(self, cluster: int) -> int:
        """The number of nodes that a parallel job runs on; 0 when it does not run."""
        gang = self.state.gangs.of(cluster)
        return 0 if gang is None or not gang.runs else len(gang.nodes)

    def run_at(self, job: JobId, node: int = -1) -> tuple[str, int, JobId]:
        """Return the claim and the number of the run of a job ("" and 0 for none), and its proc: of one node of a
        parallel job, or of the first node of the proc."""
        gang, run = self.state.gangs.of(job.cluster), self.runs.get(job)
        if gang is None:
            return ("", 0, job) if run is None else (run.claim_id, run.number, job)
        found = [one for one in gang.left if (one.number == node if node >= 0 else one.job == job)]
        return (found[0].claim_id, found[0].run, found[0].job) if found else ("", 0, job)

    def ocu_ads(self) -> Iterator[ClassAd]:
        """The owner capacity units, as condor_status shows them."""
        return ocu.shown(self.state)


def _on_user_line(core: ScheddState, event: UserLine) -> None:
    ad = core.jobs.job(event.job)
    if ad is not None:
        jobevents.generic(core, event.job, ad, event.text)


def _on_factory_begins(core: ScheddState, event: FactoryBegins) -> None:
    ad = core.jobs.cluster(event.cluster)
    with core.budgets.of(ad, core.now):
        if ad is not None:
            jobevents.cluster_submitted(core, event.cluster, ad)


def _on_factory_told(core: ScheddState, event: FactoryTold) -> None:
    """Its event log says when a factory is held and released."""
    ad = core.jobs.cluster(event.cluster)
    for event_of_pause in factory.pause_events(event.cluster, event.records, event.was, core.now):
        if ad is not None:
            jobevents.tell(core, ad, event_of_pause)


def _on_reconfigured(core: ScheddState, event: Reconfigured) -> None:
    core.settings = event.settings
    core.counters.configure(event.settings.statistics)
    core.sizing.configure(event.settings.auto_requests)
    if core.autoclusters.reconfigure(event.settings):
        core.agenda.want_cycle()
        reuse.regroup(core)
    claiming.keep_limit(core)


def _on_users_found(core: ScheddState, event: UsersFound) -> None:
    ocu.found(core, event)
    reuse.read_quotas(core)


def _on_published(core: ScheddState, event: Published) -> None:
    core.own_ad = event.ad


def _on_significant(core: ScheddState, event: Significant) -> None:
    """The autoclusters follow, and then the negotiator gets the demand."""
    core.agenda.want_cycle()
    if core.autoclusters.set_significant(event.names):
        reuse.regroup(core)


def _on_logs_wanted(core: ScheddState, event: LogsWanted) -> None:
    if event.all_jobs is not None:
        core.logs.all_jobs = event.all_jobs
    if event.runs is not None:
        core.logs.runs = event.runs


def _on_claim_released(core: ScheddState, event: ClaimReleased) -> None:
    core.claims.drop(event.claim)
    staging.gone(core, event.claim)
    core.agenda.want_cycle()


#: Attributes that say when a run, a step of it or a state of its job began.
_RUN_TIMES = (
    "ShadowBday",
    "JobStartDate",
    "JobCurrentStartDate",
    "JobCurrentStartExecutingDate",
    "JobCurrentStartTransferInputDate",
    "JobCurrentStartTransferOutputDate",
    "EnteredCurrentStatus",
    "LastSuspensionTime",
    "LastCkptTime",
)


def _on_clock_jumped(core: ScheddState, event: ClockJumped) -> None:
    """Move the times that the core keeps by the seconds that the clock has jumped."""
    seconds = event.seconds
    core.reach.pass_over(seconds)
    if seconds >= 0:
        return
    core.pace.set_back(seconds)
    core.claims.set_back(seconds)
    for stage in core.stagings.stages.values():
        stage.needed_at += seconds
    for job in sorted({*core.runs, *core.reach.orphans}):
        _move_times(core, job, _RUN_TIMES, seconds)
    for job in sorted(core.waiting.cooling):
        _move_times(core, job, ("JobCoolDownExpiration",), seconds)
    for job in list(core.waiting.repeating):
        run = core.runs.get(job)
        if run is not None and not run.executing:  # it waits for a time that is further away than its schedule says
            core.stop_run(run, True, VacateCode.VACATED_BY_SCHEDD, "The clock was set back")


def _move_times(core: ScheddState, job: JobId, names: tuple[str, ...], seconds: int) -> None:
    """Move the times (Unix seconds) that attributes of a job hold; 0 stands for none, and stays."""
    ad = core.jobs.job(job)
    if ad is None:
        return
    changes = []
    for name in names:
        when = ad.eval_int(name, 0)
        if when > 0:
            changes.append(set_text(job, name, str(max(1, when + seconds))))
    core.out.apply(ad, changes)


def _complete(core: ScheddState, job: JobId) -> None:
    ad = core.jobs.job(job)
    if ad is not None and status_of(ad) == JobStatus.IDLE:
        finish.noop(core, job, ad)


def _hold(core: ScheddState, job: JobId, verdict: Verdict) -> None:
    ad = core.jobs.job(job)
    if ad is not None and status_of(ad) == JobStatus.IDLE:
        policing.obey(core, job, ad, verdict)


_HANDLERS: dict[type, Callable[[ScheddState, Any], None]] = {
    QueueTaken: recovery.start,
    QueueChanged: written.queue_changed,
    ClientWrites: written.client_wrote,
    JobsRecorded: lambda core, event: otherjobs.take_out(core, event.jobs),
    UserLine: _on_user_line,
    FactoryBegins: _on_factory_begins,
    FactoryTold: _on_factory_told,
    ClusterEmpty: lambda core, event: leaving.remove_cluster(core, event.cluster),
    Reconfigured: _on_reconfigured,
    SizesFound: sizing.found,
    Published: _on_published,
    LogsWanted: _on_logs_wanted,
    Tick: reuse.tick,
    Dispatch: reuse.dispatch,
    PoliciesDue: policing.check,
    UpdatesDue: policing.check_updated,
    Leaving: local.stop_all,
    Planned: claiming.plan,
    Significant: _on_significant,
    CycleWanted: lambda core, event: core.agenda.want_cycle(),
    SlotsOffered: claiming.offered,
    RunNow: immediate.begin,
    UsersFound: _on_users_found,
    OcuMade: ocu.made,
    OcuRemoved: ocu.removed,
    RunStarted: gangruns.started,
    StagingStep: staging.step,
    FilesStaged: claiming.staged,
    RunUpdate: updates.updated,
    RunSuspended: suspension.reported,
    RunDelayed: updates.updated,
    RunNotice: updates.noticed,
    RunEnded: gangruns.ended,
    ClaimGranted: claiming.granted,
    ClaimRefused: claiming.refused,
    ClaimLost: claiming.lost,
    OrderRefused: claiming.order_refused,
    ClaimReleased: _on_claim_released,
    StartdConnected: recovery.startd_connected,
    StartdLost: recovery.startd_lost,
    ClockJumped: _on_clock_jumped,
    GridReported: gridjobs.reported,
    GridReportsEnd: gridjobs.settled,
}

#: Events of one job: an error in their handling holds it.
_ABOUT_ONE_JOB = frozenset(
    {
        RunStarted, StagingStep, FilesStaged, RunUpdate, RunSuspended, RunDelayed, RunNotice, RunEnded, ClaimGranted,
        ClaimRefused, ClaimLost, OrderRefused, UserLine,
        GridReported,
    }
)  # fmt: skip
