"""Ends of a run: completed, requeued, held, removed, evicted or lost; and the events that report them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.core.jobs import begun, jobevents, moves, notify, staging
from condor_py.core.jobs.actions import hold_records, plus, remove_records, set_string, set_text, stays_in_queue
from condor_py.core.jobs.effects import Note, Reconnect
from condor_py.core.jobs.jobad import follows, status_of, universe_of, was_executed
from condor_py.core.jobs.lifecycle import (
    cleanup_records,
    committed_records,
    duration_records,
    exit_records,
    input_records,
    output_records,
    usage_records,
    vacate_records,
)
from condor_py.core.jobs.parts import Run, is_local
from condor_py.core.jobs.policy import at_exit
from condor_py.core.jobs.rights import Caller, RefusedEdit, allowed_assignments
from condor_py.core.jobs.statistics import column
from condor_py.lang.classad import ClassAd, ClassAdParseError, finite, parse, whole
from condor_py.model import usagerecord
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Acknowledge
from condor_py.model.messages.runs import RunEnded, RunStarted
from condor_py.model.record import Change
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode, JobStatus, Universe, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState


#: Why event 024 says that a run is given up.
LOST = "Job disconnected too long or its execution was lost"
#: The longest that a job waits for its next try, in seconds.
_LONGEST_COOL_DOWN = 60
#: A job that ends within _QUICK seconds, and is sent back by its on_exit_remove or an error of its slot, is tried
#: _TRIES_AT_ONCE times without a pause; then a pause of _QUICK seconds follows every run.
_QUICK, _TRIES_AT_ONCE = 1, 10
#: Seconds that a job waits that was vacated: others get the slot, and users see the job idle.
_VACATED = 2
#: Holds for what is wrong with the submit directory, before anything is done in the slot.
_BEFORE_THE_RUN = (HoldCode.IWD_ERROR, HoldCode.MAX_TRANSFER_INPUT_SIZE_EXCEEDED)
#: Holds for a directory or file that may come back. Jobs of the scheduler universe are not held for them, as in
#: HTCondor.
_WITHOUT_FILES = (HoldCode.IWD_ERROR, HoldCode.UNABLE_TO_OPEN_OUTPUT, HoldCode.UNABLE_TO_OPEN_INPUT)
#: Holds whose reason names the slot where it happened.
_TOLD_BY_STARTER = frozenset(
    (
        HoldCode.FAILED_TO_CREATE_PROCESS,
        HoldCode.UNABLE_TO_OPEN_OUTPUT,
        HoldCode.UNABLE_TO_OPEN_INPUT,
        HoldCode.HOOK_PREPARE_JOB_FAILURE,
        HoldCode.STARTD_HELD_JOB,
        HoldCode.JOB_OUT_OF_RESOURCES,
        HoldCode.INVALID_DOCKER_IMAGE,
        HoldCode.SINGULARITY_TEST_FAILED,
    )
)
_REMOVED_OR_HELD = (JobStatus.REMOVED, JobStatus.HELD)


def run_ended(core: ScheddState, event: RunEnded) -> None:
    """Handle the report of a run: decide what becomes of the job, and free the claim."""
    report, code, reason = event.report, event.vacate_code, event.vacate_reason
    if staging.is_of_staging(report):
        staging.ended(core, report)
        return
    job = JobId.parse(report.job)
    run = core.run_of(job, report.claim_id, report.run)
    ad = core.jobs.job(job)
    core.out.emit(Acknowledge(report.claim_id, report.job, report.run))
    if run is None:
        return
    if report.pid and report.exec_time:  # does nothing if the start has been reported to this schedd
        transfer = report.input_transfer
        begun.started(core, RunStarted(report.claim_id, job, run.number, report.pid, report.exec_time, "", transfer))
    claim = core.claims.end(job)
    if claim is not None:
        kept = core.reassignments.reserves(report.claim_id) or core.ocus.of_claim(report.claim_id) is not None
        vacated = run.stop_code == VacateCode.VACATED_BY_SCHEDD and not kept
        if report.error or vacated:  # the slot would fail the next job as well, or it is for others
            core.give_back(claim)
    if ad is None:  # the job has left the queue meanwhile
        return
    if not run.stop_code:
        run.stop(code, f"{reason}{_for_whom(core, ad, code)}")
    weight = claim.weight if claim is not None else 1.0
    if run.common:
        staging.run_over(core, job)
    ended = _Ended(core, job, ad, run, report, weight)
    by_user = status_of(ad) in _REMOVED_OR_HELD and not run.by_policy
    ended.settle()
    if run.outgrown and claim is not None:
        core.give_back(claim)
    count_end(core, ad, end_counters(ad, report, executed=run.executing, by_user=by_user))


def _for_whom(core: ScheddState, ad: ClassAd, code: int) -> str:
    """Return the submitter for whose job a run was preempted, as the end of the reason; "" for other ends."""
    if code not in (VacateCode.BETTER_USER, VacateCode.BETTER_RANK):
        return ""
    slot = ad.eval_str("RemoteHost", "")
    taker = next((match.submitter for match in core.claims.yielding.values() if slot in match.victims), "")
    return f" ({taker})" if taker else ""


def run_lost(core: ScheddState, run: Run, code: int, reason: str) -> None:
    """End a run whose claim is gone and whose report will never come: its job is idle again, with events 022 and
    024."""
    ad = core.jobs.job(run.job)
    core.claims.end(run.job)
    if ad is not None:
        lost(core, run.job, ad, run.claim_id, reason, code)


def never_begun(core: ScheddState, run: Run, reason: str) -> None:
    """End a run whose claim was gone when the order to start it came: its job waits again, without an event."""
    core.out.emit(Note(f"Job {run.job} was not started, its claim was gone: {reason}"))
    ad = core.jobs.job(run.job)
    core.claims.end(run.job)
    if ad is None:
        return
    core.out.apply(ad, cleanup_records(run.job, ad, run.claim_id, 1.0, core.now))
    count_end(core, ad, ("JobsNotStarted",))
    after_stop(core, run.job, ad)


def lost(core: ScheddState, job: JobId, ad: ClassAd, claim_id: str, reason: str, code: int) -> None:
    """Give a run up: events 022 and 024, and the job is idle again unless it is held or removed."""
    if follows(job, ad):  # the events of a parallel job are those of proc 0
        core.reach.forget(job)
        core.out.apply(ad, cleanup_records(job, ad, claim_id, 1.0, core.now))
        after_stop(core, job, ad)
        return
    if not core.reach.is_told(job):
        jobevents.disconnected(core, job, ad, reason)
    core.reach.forget(job)
    jobevents.reconnect_failed(core, job, ad, LOST)
    reconnect(core, job, ad, found=False)
    core.out.apply(ad, vacate_records(job, ad, code, 0, reason, core.now))
    core.record_run("EPOCH", job, ad)
    cool_down(core, job, ad)
    core.out.apply(ad, cleanup_records(job, ad, claim_id, 1.0, core.now))
    count_end(core, ad, ("JobsShouldRequeue",))
    after_stop(core, job, ad)


def reconnect(core: ScheddState, job: JobId, ad: ClassAd, *, found: bool) -> None:
    """Records that a run out of reach was found again or given up."""
    activated = ad.eval_int("JobCurrentStartDate", core.now)
    heard = max(activated, core.now if core.reach.up and not found else min(core.reach.lost_at, core.now))
    lost = core.reach.up and not found
    core.out.emit(Reconnect(job, activated, heard, found, core.now, lease_of(core, ad), lost))


def lease_of(core: ScheddState, ad: ClassAd) -> int:
    """Seconds for which a run may be out of reach before it is given up."""
    lease = ad.eval_int("JobLeaseDuration", 0)
    if lease or not core.settings.job_lease_duration:
        return lease
    default = finite(ad.raw(parse(core.settings.job_lease_duration)))
    return 0 if default is None else whole(default)


def after_stop(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Do what is left to do for a job whose run is over: remove it, report its hold, or let it wait again."""
    status = status_of(ad)
    if status == JobStatus.REMOVED:
        removed(core, job, ad)
    elif status == JobStatus.HELD:
        held_event(core, job, ad)
    else:
        moves.to_idle(core, job, ad)


def cool_down(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """If a run failed before its program was started, let the next try wait, longer each time."""
    if was_executed(ad):
        return
    count = ad.eval_int("NumJobCoolDowns", 0)
    until = core.now + min(_LONGEST_COOL_DOWN, 2**count)
    changes = [
        set_text(job, "NumJobCoolDowns", str(count + 1)),
        set_text(job, "JobCoolDownExpiration", str(until)),
    ]
    core.out.apply(ad, changes)
    core.counters.add(core.now, JobsCoolDown=1)


def removed(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Event 009 of a removed job without a run; then it leaves the queue, unless leave_in_queue keeps it (not with
    JobLeaveForced)."""
    if ad.local_text("JobAbortEventLogged") is None:
        jobevents.aborted(core, job, ad)
        changes = [set_text(job, "JobAbortEventLogged", "1"), set_text(job, "JobFinishedHookDone", str(core.now))]
        core.out.apply(ad, changes)
    if ad.eval_bool("JobLeaveForced", False):
        core.leave((job,), (ad,))
    else:
        leave_when_allowed(core, job)


def held_event(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Event 012 of a held job, with the reason in its ad."""
    moves.hold_told(core, job, ad)
    code, subcode = (ad.eval_int(name, 0) for name in ("HoldReasonCode", "HoldReasonSubCode"))
    jobevents.held(core, job, ad, ad.eval_str("HoldReason", ""), code, subcode)


def held_again(core: ScheddState, job: JobId, ad: ClassAd, told: int) -> None:
    """Event 012 of a held job that its user has held as well. ``told``: number of its holds that are in the log."""
    if ad.eval_int("NumHolds", 0) > told:
        held_event(core, job, ad)


class _Ended:
    """A run that has ended, and what becomes of its job. ``weight`` is the weight of its slot."""

    def __init__(self, core: ScheddState, job: JobId, ad: ClassAd, run: Run, report: ExitReport, weight: float) -> None:
        self.core = core
        self.job = job
        self.ad = ad
        self.run = run
        self.report = report
        self.weight = weight

    def apply(self, changes: Iterable[Change]) -> None:
        self.core.out.apply(self.ad, changes)

    def settle(self) -> None:
        """Record the use of the run, then decide: was it stopped, has it failed, was it evicted, or has it exited?"""
        core, job, ad, report = self.core, self.job, self.ad, self.report
        if not self.run.executing:
            begun.tell(core, job, ad, begun.INPUT_STEPS, report.input_transfer)
            self.apply(input_records(job, ad, report.input_transfer))
        begun.tell(core, job, ad, begun.OUTPUT_STEPS, report.output_transfer)
        self.apply(output_records(job, ad, report.output_transfer))
        before = jobevents.size_of(ad)
        self.apply(usage_records(job, ad, report, core.settings.rounding))
        if not is_local(self.run.claim_id):
            jobevents.grown(core, job, ad, before, self._ended_at())
        self.apply(duration_records(job, ad, report))
        if status_of(ad) in _REMOVED_OR_HELD:
            self._stopped_by_user()
        elif report.hold_code:
            self._held_by_fault()
        elif report.error or report.vacated or not self._exited():
            self._evicted()
        else:
            self._exited_by_itself()

    def _ended_at(self) -> float:
        """Return the end of the run by the starter's clock (Unix seconds); 0, which events take as now, if it is
        unknown."""
        return max(self.report.end_time, *self.report.output_transfer, 0.0)

    def _exited(self) -> bool:
        return self.report.exit_code is not None or self.report.exit_signal is not None

    def _cleanup(self) -> None:
        self.apply(cleanup_records(self.job, self.ad, self.run.claim_id, self.weight, self.core.now))

    def _evict_event(self, code: int, subcode: int, reason: str, requeued: bool = False) -> None:
        core, job, ad, usage = self.core, self.job, self.ad, self.report.usage
        if code == HoldCode.HOOK_SHADOW_PREPARE_JOB_FAILURE and not self.report.hold_code:
            jobevents.shadow_exception(core, job, ad, usage, reason)
            return
        local = is_local(self.run.claim_id)  # it had no slot
        vacated = (0, 0, "") if local and not requeued else (code, subcode, reason)
        jobevents.evicted(core, job, ad, usage, vacated, requeued=requeued, table=not (requeued or local))

    def _record_run(self) -> None:
        """Record the run (JOB_EPOCH_HISTORY), with its use over time."""
        record = self.report.usage.record
        more = ((usagerecord.ATTRIBUTE, f'"{record}"'),) if usagerecord.is_sound(record) else ()
        self.core.record_run("EPOCH", self.job, self.ad, more=more)

    def _vacate(self, code: int, subcode: int, reason: str) -> None:
        executed = self.run.executing
        self.apply(vacate_records(self.job, self.ad, code, subcode, reason, self.core.now, executed=executed))
        self._record_run()
        self._evict_event(code, subcode, reason)
        self._cleanup()

    def _stopped_by_user(self) -> None:
        if self._exited() and not self._removes_manager():
            self.apply(exit_records(self.job, self.ad, self.report))
        if self.run.by_policy:
            self._ended_by_policy()
            return
        if status_of(self.ad) == JobStatus.HELD:
            code = VacateCode.USER_HOLD
            subcode = self.ad.eval_int("HoldReasonSubCode", 0)
            reason = self.ad.eval_str("HoldReason", "")
        else:
            code, subcode = VacateCode.REMOVED, 0
            reason = self.ad.eval_str("RemoveReason", "")
        self._vacate(int(code), subcode, reason)
        after_stop(self.core, self.job, self.ad)

    def _removes_manager(self) -> bool:
        """Whether the job is a removed one of the scheduler universe. It gets no exit code, as in HTCondor: its program
        ends because it was removed."""
        return universe_of(self.ad) == Universe.SCHEDULER and status_of(self.ad) == JobStatus.REMOVED

    def _ended_by_policy(self) -> None:
        """A policy expression has held or removed the job: event 012 or 009 without a 004."""
        self._record_run()
        code = int(VacateCode.CLAIM_DEACTIVATED)
        self.apply(vacate_records(self.job, self.ad, code, 0, "Claim deactivated", self.core.now))
        self._cleanup()
        tell = notify.held if status_of(self.ad) == JobStatus.HELD else notify.removed
        tell(self.core, self.job, self.ad)
        after_stop(self.core, self.job, self.ad)

    def _from_slot(self, reason: str) -> str:
        """Return a reason with the name of the slot where it happened, unless it happened on the side of the schedd."""
        if self.report.vacate_code == VacateCode.SUCCESSFUL_CHECKPOINT:
            return reason
        ours = HoldCode.HOOK_SHADOW_PREPARE_JOB_FAILURE in (self.report.vacate_code, self.report.hold_code)
        if ours or is_local(self.run.claim_id) or reason.startswith("Error from "):
            return reason
        return f"Error from {self.ad.eval_str('RemoteHost', '') or ''}: {reason}"

    def _held_by_fault(self) -> None:
        report, core = self.report, self.core
        if report.hold_code in _WITHOUT_FILES and universe_of(self.ad) == Universe.SCHEDULER and not self._exited():
            self._start_later()
            return
        if report.hold_code in _BEFORE_THE_RUN and not report.input_transfer:
            self._refused()
            return
        host = self.ad.eval_str("RemoteHost", "")
        message = report.hold_reason.removeprefix(f"Error from {host}: ")
        jobevents.complained(core, self.job, self.ad, message, report.hold_code, report.hold_subcode)
        if self._exited():
            self.apply(exit_records(self.job, self.ad, report))
        code, subcode, reason = report.hold_code, report.hold_subcode, report.hold_reason
        if code in _TOLD_BY_STARTER:
            reason = self._from_slot(reason)
        self._vacate(code, subcode, reason)
        self._hold(code, subcode, reason)

    def _start_later(self) -> None:
        """Let a job of the scheduler universe that could not start be tried again after a pause, without an event."""
        self._cleanup()
        self.apply([set_string(self.job, "VacateReason", self.report.hold_reason)])
        self._cool_down(str(self.core.settings.scheduler_cool_down))
        self._slow_down()
        moves.to_idle(self.core, self.job, self.ad)

    def _refused(self) -> None:
        """Hold the job for what was wrong before anything was done for it: event 012 alone."""
        report = self.report
        self._cleanup()
        self.apply([plus(self.job, self.ad, "NumSystemHolds", int(report.hold_code != HoldCode.IWD_ERROR))])
        self._hold(report.hold_code, report.hold_subcode, report.hold_reason)

    def _hold(self, code: int, subcode: int, reason: str) -> None:
        """Hold the job, unless a transform of its own (TransformOnEvict) gives it another request to run with."""
        if asks_for_more(self.core, self.job, self.ad, code, subcode, reason):
            self.run.outgrow()
            moves.to_idle(self.core, self.job, self.ad)
            return
        changes = hold_records(self.job, self.ad, code, subcode, reason, self.core.now)
        moves.move(self.core, self.job, self.ad, JobStatus.HELD, changes)
        notify.held(self.core, self.job, self.ad)
        held_event(self.core, self.job, self.ad)

    def _evicted(self) -> None:
        code = self.run.stop_code or int(VacateCode.INTERRUPTED)
        reason, subcode = self.run.stop_reason or self.report.error or "Unspecified job interruption", 0
        if self.report.error and not self.run.stop_code:
            subcode = self.report.vacate_subcode
            code, reason = self.report.vacate_code or int(VacateCode.STARTER_ERROR), self._from_slot(reason)
            cool_down(self.core, self.job, self.ad)
            self._slow_down()
        self._vacate(code, subcode, reason)
        if code in (VacateCode.VACATED_BY_SCHEDD, VacateCode.CONTAINER_ERROR):  # the startd tests the engine now
            self._cool_down(str(_VACATED))
        elif code == VacateCode.PREEMPT:  # the same slot would take the job at once, and evict it again
            self._cool_down(str(self.core.settings.preempted_pause))
        self._cool_down(self.core.settings.on_vacate_cool_down)
        moves.to_idle(self.core, self.job, self.ad)

    def _cool_down(self, expression: str) -> None:
        """Let the job wait before its next start. ``expression`` gives the seconds (as SYSTEM_ON_VACATE_COOL_DOWN
        does); there is no pause if its value is no positive integer."""
        try:
            seconds = self.ad.eval_text(expression)
        except ClassAdParseError:
            return
        if type(seconds) is int and seconds > 0:
            until = set_text(self.job, "JobCoolDownExpiration", str(self.core.now + seconds))
            self.apply([until])
            self.core.counters.add(self.core.now, JobsCoolDown=1)

    def _slow_down(self) -> None:
        """Give a job a pause that was sent back many times and ends at once: else it would keep the pool busy."""
        quick = self.core.now - self.ad.eval_int("JobCurrentStartDate", 0) < _QUICK
        if quick and self.ad.eval_int("NumShadowStarts", 0) >= _TRIES_AT_ONCE:
            self._cool_down(str(_QUICK))

    def _exited_by_itself(self) -> None:
        self.apply(exit_records(self.job, self.ad, self.report))
        if self.report.skipped:
            self.apply([set_text(self.job, "DataflowJobSkipped", "true")])
            jobevents.skipped(self.core, self.job, self.ad)
        self.apply([plus(self.job, self.ad, "NumJobCompletions")])
        self._record_run()
        verdict = at_exit(self.ad, self.core.settings.system_periodic, self.core.now)
        if verdict.action == "requeue":
            self.apply([set_string(self.job, "RequeueReason", verdict.reason)])
            self._evict_event(0, 0, verdict.reason, requeued=True)
            self._cleanup()
            ends_badly = universe_of(self.ad) == Universe.SCHEDULER and self.report.exit_code
            if ends_badly and not self.ad.eval_bool("DisableCoolDown", False):
                self._cool_down(str(self.core.settings.scheduler_cool_down))
            self._slow_down()
            moves.to_idle(self.core, self.job, self.ad)
        elif verdict.action == "hold":
            self._cleanup()
            self._hold(verdict.code, verdict.subcode, verdict.reason)
        elif verdict.reason and not is_local(self.run.claim_id):
            self._removed_at_exit(verdict.reason)
        else:
            self._complete()

    def _removed_at_exit(self, reason: str) -> None:
        """Remove the job, because a periodic expression says so: they are evaluated before those of the exit, so that
        the job has not completed. Not in the local and scheduler universes: HTCondor's shadow does it, which those
        lack."""
        changes = remove_records(self.job, self.ad, reason, self.core.now)
        moves.move(self.core, self.job, self.ad, JobStatus.REMOVED, changes)
        self._cleanup()
        notify.removed(self.core, self.job, self.ad)
        after_stop(self.core, self.job, self.ad)

    def _complete(self) -> None:
        core, job, ad = self.core, self.job, self.ad
        self.apply(committed_records(job, ad, self.report, self.weight))
        moves.move(core, job, ad, JobStatus.COMPLETED)
        report, has_slot = self.report, not is_local(self.run.claim_id)
        ended = jobevents.terminated(
            core, job, ad, report.usage, core_dumped=report.core_dumped, table=has_slot, when=self._ended_at()
        )
        self._cleanup()
        self.apply([set_text(job, "CompletionDate", str(int(self.report.end_time) or core.now))])
        self.apply([set_text(job, "JobFinishedHookDone", str(core.now))])
        core.sizing.learn(ad)
        notify.completed(core, job, ad, report.usage)
        jobevents.completed(core, ad, ended)
        leave_when_allowed(core, job)


def noop(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Complete a job with noop_job, which never runs, with noop_job_exit_code or noop_job_exit_signal."""
    code = ad.eval_int("NoopJobExitCode", None)
    signal = ad.eval_int("NoopJobExitSignal", 0) if code is None else 0  # the code counts where there are both
    report = ExitReport("", str(job), 0, exit_signal=signal or None, exit_code=None if signal else code or 0)
    core.out.apply(ad, exit_records(job, ad, report))
    moves.move(core, job, ad, JobStatus.COMPLETED)
    core.counters.add(core.now, JobsCompleted=1)
    core.out.apply(ad, [set_text(job, "CompletionDate", str(core.now))])
    jobevents.completed(core, ad, jobevents.terminated(core, job, ad, table=False))
    leave_when_allowed(core, job)


def leave_when_allowed(core: ScheddState, job: JobId) -> None:
    """Let a completed or removed job leave the queue; if its leave_in_queue keeps it, it is checked again later."""
    ad = core.jobs.job(job)
    assert ad is not None, f"{job} has left already"
    if stays_in_queue(ad):
        core.departing.keep(job)
    else:
        core.leave((job,), (ad,))


#: What no transform of a job changes, besides what its owner may not edit.
_STATUS = frozenset(("jobstatus", "lastjobstatus", "enteredcurrentstatus"))


def asks_for_more(core: ScheddState, job: JobId, ad: ClassAd, code: int, subcode: int, reason: str) -> bool:
    """Apply the transforms of a job (TransformOnEvict) that is to be held. They see the reason in its ad. Return True
    if one of them changed what the job requests: then it need not be held."""
    names = ad.eval_str("TransformOnEvict", "")
    for name in names.replace(",", " ").split():
        body = ad.eval_str(f"TransformBody_{name}", "")
        if not body.strip():
            continue
        seen = ad.copy()
        seen.set_int("HoldReasonCode", code)
        seen.set_int("HoldReasonSubCode", subcode)
        seen.set_str("HoldReason", reason)
        changes = _changes(core, job, seen, name, body)
        core.out.apply(ad, changes)
        if any(change.name.lower().startswith("request") for change in changes):
            core.out.emit(Note(f"job {job} is not held: TransformOnEvict {name} gives it another request"))
            return True
    return False


def _changes(core: ScheddState, job: JobId, ad: ClassAd, name: str, body: str) -> list[Change]:
    """Return the changes of one transform; none where it cannot be carried out."""
    from condor_py.lang.submit.evict import LINE  # few jobs bring a transform
    from condor_py.lang.submit.transform import read_rules
    from condor_py.lang.submit.transform_run import Log, Session, Subject, applies, run

    def complain(text: str) -> None:
        core.out.emit(Note(f"job {job}: TransformOnEvict {name}: {text.removeprefix('ERROR: ')}"))

    subject = Subject(ad.copy())
    try:
        rules = read_rules(body.replace(LINE, "\n"), name)
        if not applies(rules, ad):
            return []
        run(rules, subject, Session(), Log(error=complain))
    except CondorError as error:
        complain(str(error))
        return []
    return _allowed(core, job, ad, subject.ad, [key for key in subject.changed if key not in _STATUS])


def _allowed(core: ScheddState, job: JobId, before: ClassAd, after: ClassAd, keys: list[str]) -> list[Change]:
    """Return those changes that the owner of the job could make as well; the others are left out."""
    caller = Caller(before.eval_str("Owner", ""), superuser=False)
    rules = changed(core.settings.edit_rules, refuse_secure=False)
    changes: list[Change] = []
    for key in keys:
        binding = after.attrs.get(key)
        name, text = (key, "undefined") if binding is None else (binding.name, binding.text)
        if text == before.text(key):
            continue
        try:
            changes += (set_text(job, *each) for each in allowed_assignments([(name, text)], caller, rules))
        except RefusedEdit:
            continue
    return changes


# -- the counters of the schedd's ad for a run that is over

#: Counters of runs that were of use. That of a job that is sent back is among them, as in HTCondor.
_GOOD = frozenset(("JobsCompleted", "JobsShouldRequeue"))
#: Counters of runs that count neither as good nor as bad.
_NEITHER = frozenset(("JobsNotStarted",))


def end_counters(ad: ClassAd, report: ExitReport, *, executed: bool, by_user: bool) -> tuple[str, ...]:
    """Return the names of the counters for a run that is over. ``ad``: the job after it; ``by_user``: it was held or
    removed by a user while it ran."""
    if by_user:
        return ("JobsKilled",)
    status = status_of(ad)
    if status == JobStatus.REMOVED:
        return "JobsShouldRemove", "JobsKilled"
    if status == JobStatus.HELD:
        missed = report.hold_code == HoldCode.MISSED_DEFERRAL_TIME
        return ("JobsMissedDeferralTime",) if missed else ("JobsShouldHold",)
    if status == JobStatus.COMPLETED:
        return ("JobsCoredumped",) if report.core_dumped else ("JobsExitedNormally", "JobsCompleted")
    return ("JobsShouldRequeue",) if executed else ("JobsNotStarted",)


def count_end(core: ScheddState, ad: ClassAd, names: tuple[str, ...]) -> None:
    """Count a run that ends now in the counters ``names``, and the seconds that its steps took."""
    if universe_of(ad) == Universe.SCHEDULER:  # HTCondor counts only its starts
        return
    now = core.now
    begun = ad.eval_int("JobCurrentStartDate", now)
    ran = max(0, now - begun)
    if not _NEITHER.isdisjoint(names):
        core.counters.add(now, JobsExited=1, JobsAccumChurnTime=ran, **dict.fromkeys(names, 1))
        return
    good = not _GOOD.isdisjoint(names)
    word = "Completed" if good else "Badput"
    columns = column(f"Jobs{word}Sizes", ad.eval_int("ImageSize", 0) * 1024), column(f"Jobs{word}Runtimes", ran)
    counts = dict.fromkeys(("JobsExited", *names, *columns), 1)
    counts["JobsAccumRunningTime" if good else "JobsAccumBadputTime"] = ran
    counts.update(_steps(ad, begun, ran, now, good=good))
    core.counters.add_all(now, counts)


def _steps(ad: ClassAd, begun: int, ran: int, now: int, *, good: bool) -> dict[str, int]:
    """Return the seconds before the program ran, while it did, and after, by the counters for them."""
    executed = ad.eval_int("JobCurrentStartExecutingDate", 0)
    before = after = executing = 0
    counts = {}
    if was_executed(ad):
        before, executing = executed - begun, max(0, now - executed)
    elif not good:
        counts["JobsAccumChurnTime"] = ran
    over = ad.eval_int("JobCurrentStartTransferOutputDate", None)
    if over is not None and over >= begun:
        after, executing = max(0, now - over), max(0, over - max(begun, executed))
    return counts | {
        "JobsAccumPreExecuteTime": before,
        "JobsAccumPostExecuteTime": after,
        "JobsAccumExecuteTime": executing,
        "JobsAccumExecuteAltTime": max(0, ran - before - after),
    }
