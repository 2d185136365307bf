"""The ends of runs and their reasons (not in HTCondor): a line a run, from the records of runs and the history.

Records come newest first. A record of the history takes the place of the last run of its job where that has no record
of its own, and adds a line for a job that was removed while it did not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from condor_py.lang.classad.ad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus, VacateCode

#: From this code on a run was ended from outside and its job not held.
_FIRST_VACATE = 1000
#: Seconds by which the record of a run may be written after the end of its job.
_LATE = 10
#: Words for the codes of runs that were ended from outside: a kind for programs, and a text.
_VACATED = {
    VacateCode.REMOVED: ("removed", "removed"),
    VacateCode.JOB_POLICY: ("evicted", "evicted by the job's own policy"),
    VacateCode.SYSTEM_POLICY: ("evicted", "evicted by the policy of the pool"),
    VacateCode.SHADOW_EXCEPTION: ("failed", "interrupted by an error"),
    VacateCode.JOB_NOT_STARTED: ("failed", "not started"),
    VacateCode.INTERRUPTED: ("evicted", "interrupted"),
    VacateCode.STARTER_ERROR: ("failed", "interrupted by an error of its starter"),
    VacateCode.RECONNECT_FAILED: ("lost", "lost with its machine, startd or starter"),
    VacateCode.CLAIM_DEACTIVATED: ("evicted", "stopped by a policy"),
    VacateCode.VACATED_BY_ADMIN: ("evicted", "evicted by condor_vacate"),
    VacateCode.PREEMPT: ("preempted", "preempted by the policy of its slot (PREEMPT)"),
    VacateCode.STARTD_SHUTDOWN: ("evicted", "evicted because the daemons were stopped"),
    VacateCode.DRAINING: ("evicted", "evicted because its machine was drained"),
    VacateCode.STARTD_HIBERNATE: ("evicted", "evicted because its machine went to sleep"),
    VacateCode.CLAIM_RELEASED: ("evicted", "evicted because its claim was given back"),
    VacateCode.BETTER_RANK: ("preempted", "preempted by a job that its slot prefers (RANK)"),
    VacateCode.BETTER_USER: ("preempted", "preempted by a user with a better priority"),
    VacateCode.VM_ERROR: ("failed", "interrupted by an error of its virtual machine"),
    VacateCode.CONTAINER_ERROR: ("failed", "interrupted by an error of its container"),
    VacateCode.VACATED_BY_SCHEDD: ("evicted", "evicted by condor_vacate_job"),
    VacateCode.SUCCESSFUL_CHECKPOINT: ("restarted", "restarted after a checkpoint"),
}


class Ending(NamedTuple):
    """The end of one run. ``run`` counts from 1 (0: the job did not run), times are Unix seconds (0: not known).

    ``kind`` is exited, killed, held, removed, preempted, evicted, lost, failed, restarted or ended; ``code`` the exit
    code, signal, hold code or VacateReasonCode that belongs to it.
    """

    job: JobId
    owner: str
    run: int
    slot: str
    began: int
    ended: int
    kind: str
    code: int
    why: str
    then: str = ""

    @property
    def text(self) -> str:
        """Why it ended, and what happened to the job then."""
        return f"{self.why}; {self.then}" if self.then else self.why


def endings(runs: Iterable[ClassAd], jobs: Iterable[ClassAd], queued: Iterable[ClassAd] = ()) -> Iterator[Ending]:
    """Yield the ends of runs, newest first. ``runs`` are EPOCH records and ``jobs`` the records of the history, both
    newest first; ``queued`` are jobs of the queue, as they are now."""
    left = iter(runs)
    run = next(left, None)
    story = _Story()
    for job in queued:
        yield from story.job(job, has_runs=True)
    for job in jobs:
        while run is not None and run.eval_int("EpochWriteDate", 0) > _when(job) + _LATE:
            yield from story.run(run)
            run = next(left, None)
        yield from story.job(job, has_runs=run is not None)
    while run is not None:
        yield from story.run(run)
        run = next(left, None)
    yield from story.missing()


class _Story:
    """Remembers, of each job, the record that followed on the one that comes next."""

    def __init__(self) -> None:
        self._later: dict[JobId, ClassAd] = {}
        #: Jobs that left the queue and whose last run has not been seen.
        self._missing: dict[JobId, ClassAd] = {}

    def run(self, ad: ClassAd) -> Iterator[Ending]:
        """Yield the end of a run that has a record, after that of a later one that has none."""
        job, number = _job_of(ad), ad.eval_int("NumShadowStarts", 0)
        missing = self._missing.pop(job, None)
        if missing is not None and missing.eval_int("NumShadowStarts", 0) != number:
            yield _last_run(missing)
        later = self._later.pop(job, None)
        if number > 1:
            self._later[job] = ad
        cause = _cause(ad, ad.eval_int("JobStatus", 0))
        yield _ending(ad, ad.eval_int("EpochWriteDate", 0), cause, _then(ad, later))

    def job(self, ad: ClassAd, *, has_runs: bool) -> Iterator[Ending]:
        """Yield what a record of the history says; ``has_runs``: older records of runs are to come."""
        job, status = _job_of(ad), ad.eval_int("JobStatus", 0)
        if status == JobStatus.REMOVED and not _removed_in_run(ad):
            cause = "removed", 0, f"removed while it did not run{_because(ad, 'Remove')}"
            yield _ending(ad, _when(ad), cause)._replace(run=0, slot="", began=0)
        if ad.eval_int("NumShadowStarts", 0):
            self._later[job] = ad
            if status in (JobStatus.REMOVED, JobStatus.COMPLETED):
                self._missing[job] = ad
                if not has_runs:
                    yield from self.missing()

    def missing(self) -> Iterator[Ending]:
        """Yield the last runs of jobs whose runs have no records, as far as the history tells of them."""
        yield from map(_last_run, self._missing.values())
        self._missing.clear()


def _last_run(ad: ClassAd) -> Ending:
    """The end of the last run of a job, by its record in the history."""
    removed = ad.eval_int("JobStatus") == JobStatus.REMOVED and _removed_in_run(ad)
    return _ending(ad, _when(ad), _cause(ad, JobStatus.REMOVED if removed else JobStatus.COMPLETED))


def _job_of(ad: ClassAd) -> JobId:
    return JobId(ad.eval_int("ClusterId", 0), ad.eval_int("ProcId", 0))


def _when(ad: ClassAd) -> int:
    """Return when a job got into the state that its record has."""
    return ad.eval_int("CompletionDate", 0) or ad.eval_int("EnteredCurrentStatus", 0) or ad.eval_int("QDate", 0)


def _removed_in_run(ad: ClassAd) -> bool:
    """Whether a removed job ran when it was removed."""
    ended = ad.eval_int("VacateReasonCode", 0) in (VacateCode.REMOVED, VacateCode.CLAIM_DEACTIVATED)
    return ended and ad.eval_int("LastVacateTime", 0) >= ad.eval_int("EnteredCurrentStatus", 0)


def _ending(ad: ClassAd, ended: int, cause: tuple[str, int, str], then: str = "") -> Ending:
    slot = ad.eval_str("RemoteHost") or ad.eval_str("LastRemoteHost", "")
    began = ad.eval_int("JobCurrentStartDate", 0) or ad.eval_int("ShadowBday", 0)
    owner, run = ad.eval_str("Owner") or "?", ad.eval_int("NumShadowStarts", 0)
    return Ending(_job_of(ad), owner, run, slot, began, ended, *cause, then)


def _cause(ad: ClassAd, status: int) -> tuple[str, int, str]:
    """Return kind, code and text of the end of a run in which its job had this status at last."""
    code = ad.eval_int("VacateReasonCode")
    if code is None or code == VacateCode.CLAIM_DEACTIVATED:
        if status == JobStatus.HELD:
            return "held", ad.eval_int("HoldReasonCode", 0), f"held{_because(ad, 'Hold')}{_codes(ad, 'Hold')}"
        if status == JobStatus.REMOVED:
            return "removed", 0, f"removed{_because(ad, 'Remove')}"
    if code is None:
        return _exit(ad)
    if code < _FIRST_VACATE:
        return "held", code, f"held{_because(ad, 'Vacate')}{_codes(ad, 'Vacate')}"
    kind, text = _VACATED.get(code, ("evicted", "evicted"))  # type: ignore[call-overload]
    return kind, code, f"{text}{_because(ad, 'Vacate')}"


def _exit(ad: ClassAd) -> tuple[str, int, str]:
    if ad.eval_bool("ExitBySignal"):
        number = ad.eval_int("ExitSignal", 0)
        dumped = " and left a core file" if ad.eval_bool("JobCoreDumped") else ""
        return "killed", number, f"killed by signal {number}{dumped}"
    code = ad.eval_int("ExitCode")
    if code is None:
        return "ended", 0, "ended; its record does not say how"
    return "exited", code, f"exited with status {code}"


def _because(ad: ClassAd, what: str) -> str:
    reason = ad.eval_str(f"{what}Reason", "")
    return f": {reason}" if reason else ""


def _codes(ad: ClassAd, what: str) -> str:
    """The hold code and its subcode, where there are any."""
    code, sub = ad.eval_int(f"{what}ReasonCode", 0), ad.eval_int(f"{what}ReasonSubCode", 0)
    return f" (code {code}{f'/{sub}' if sub else ''})" if code else ""


def _then(ad: ClassAd, later: ClassAd | None) -> str:
    """Return what happened between the end of a run and the next record of its job: of its next run, or of its end."""
    if later is None:
        return ""
    is_last = later.eval_int("NumShadowStarts", 0) == ad.eval_int("NumShadowStarts", 0)
    status = later.eval_int("JobStatus")
    if ad.eval_int("JobStatus") == JobStatus.HELD or 0 < ad.eval_int("VacateReasonCode", 0) < _FIRST_VACATE:
        return "" if is_last else "then released"
    before = later.eval_int("NumHolds", 0) - (status == JobStatus.HELD and not is_last)
    if before <= ad.eval_int("NumHolds", 0):
        return "" if is_last else "then tried again"
    what = "Hold" if is_last and status == JobStatus.HELD else "LastHold"
    held = f"then held{_because(later, what)}{_codes(later, what)}"
    return held if is_last else f"{held}, and released"
