"""Finding the reasons why a job does not run: one list, from the job, the slots and the negotiator's accounts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.waiting.abilities import cannot_run
from condor_py.cli.waiting.reasons import HELD, JOB, Reason, moment
from condor_py.cli.waiting.slots import Ends, why_no_slot
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.values import as_bool
from condor_py.model.states import HoldCode, JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import QueueView


def _nothing() -> Sequence[ClassAd]:
    return ()


def _no_schedd() -> ClassAd | None:
    return None


class Around(NamedTuple):
    """The surroundings of a waiting job: all slot ads, the time (Unix seconds), and functions called only if needed.

    ``accounts`` returns the negotiator's Accounting ads, ``schedd`` its ad with the expressions for local jobs, ``end``
    the time at which the job on a slot will end (Unix seconds), ``limited`` the records of users and projects with a
    limit on their running jobs (``limited_records``).
    """

    slots: Sequence[ClassAd]
    now: float
    accounts: Callable[[], Sequence[ClassAd]] = _nothing
    schedd: Callable[[], ClassAd | None] = _no_schedd
    end: Ends | None = None
    limited: Callable[[], Sequence[ClassAd]] = _nothing


def why_it_waits(job: ClassAd, around: Around) -> list[Reason]:
    """The reasons why a job does not run, the one that decides first; none for a job that runs or may run now."""
    since = job.eval_int("EnteredCurrentStatus", 0) or job.eval_int("QDate", 0)
    return [reason.of_job(name_of(job), since) for reason in why_such_jobs_wait(job, around)]


def why_such_jobs_wait(job: ClassAd, around: Around) -> list[Reason]:
    """``why_it_waits`` of all jobs like one: what helps names no job, and the times of the job are left out."""
    status = job.eval_int("JobStatus")
    if status == JobStatus.HELD:
        return [_held_because(job)]
    return _why_idle(job, around) if status == JobStatus.IDLE else []


def _why_idle(job: ClassAd, around: Around) -> list[Reason]:
    universe = job.eval_int("JobUniverse", Universe.VANILLA)
    later = list(_later(job, around.now))
    if universe in (Universe.LOCAL, Universe.SCHEDULER):
        return later or _schedd_refuses(job, universe, around.schedd())
    if universe == Universe.GRID:
        return later or list(_remote(job))
    never = cannot_run(job, around.slots)
    if never:
        return [Reason(never, "it needs another pool, or this machine what it lacks", True)]
    if later:
        return later
    if limits := list(_quotas(job, around.limited())):
        return limits
    if not around.slots:
        return [Reason("the pool has no slots", "condor_who tells whether a startd runs; condor_on starts it")]
    found = list(drained_machines(around.slots))
    open_slots = [slot for slot in around.slots if not slot.eval_bool("Draining")]
    if open_slots:
        found += why_no_slot(job, open_slots, around.end)
        if not any(reason.final for reason in found):
            found += _limits(job, around.accounts())
    return found or list(_nodes_wait(job))


def name_of(job: ClassAd) -> str:
    """The id of a job as people write it."""
    return f"{job.eval_int('ClusterId', 0)}.{job.eval_int('ProcId', 0)}"


def _nodes_wait(job: ClassAd) -> Iterator[Reason]:
    """Return the words of the negotiator about the nodes of a parallel job, each of which has slots that it fits."""
    said = job.eval_str("LastRejMatchReason", "")
    if "nodes of the parallel job" in said:
        final = said.startswith("the slots of this pool cannot")
        helps = (
            "let it ask for fewer nodes (machine_count), or smaller ones" if final else "it starts when all are free"
        )
        yield Reason(said, helps, final)


#: What helps a held job besides condor_release, by hold code.
_HOLD_HELP = {
    HoldCode.JOB_POLICY: "the job's own policy holds it again as long as it is true: condor_qedit changes it",
    HoldCode.FAILED_TO_CREATE_PROCESS: "make the executable one that this machine can run",
    HoldCode.UNABLE_TO_OPEN_OUTPUT: "make its output file one that can be written",
    HoldCode.UNABLE_TO_OPEN_INPUT: "make its input file one that can be read",
    HoldCode.DOWNLOAD_FILE_ERROR: "make the files that it transfers available",
    HoldCode.UPLOAD_FILE_ERROR: "see why its output could not be brought back",
    HoldCode.IWD_ERROR: "make its initial directory accessible",
    HoldCode.SYSTEM_POLICY: "the policy of the pool holds it again as long as it is true",
    HoldCode.JOB_OUT_OF_RESOURCES: "let it ask for more first, e.g. condor_qedit {job} RequestMemory 2048",
    HoldCode.INVALID_DOCKER_IMAGE: "name an image that exists",
    HoldCode.INVALID_DEFERRAL_TIME: "give it a deferral_time that is a number",
    HoldCode.INVALID_CRON_SETTINGS: "put its cron_ commands right",
    HoldCode.JOB_DURATION_EXCEEDED: "let it run longer: allowed_job_duration",
    HoldCode.JOB_EXECUTE_EXCEEDED: "let it run longer: allowed_execute_duration",
}


def held_because(job: ClassAd) -> Reason:
    """Return why a job is held, and what would help."""
    return _held_because(job).of_job(name_of(job), job.eval_int("EnteredCurrentStatus", 0))


def _held_because(job: ClassAd) -> Reason:
    code = job.eval_int("HoldReasonCode", 0)
    if code == HoldCode.SPOOLING_INPUT:
        return Reason("its input files are being spooled", "condor_transfer_data or the submitting program brings them")
    first = _HOLD_HELP.get(code, "")  # type: ignore[call-overload]
    release = f"condor_release {JOB}"
    text = f"{HELD}{job.eval_str('HoldReason') or 'no reason is given'}"
    return Reason(text, f"{first}; then {release}" if first else release, final=True)


def _later(job: ClassAd, now: float) -> Iterator[Reason]:
    """Return the time that a job waits for, after a failure or as its submit says (deferral_time, cron_hour ...)."""
    cool = job.eval_int("JobCoolDownExpiration", 0)
    if cool > now:
        reason = job.eval_str("VacateReason", "")
        why = f" ({reason})" if reason else ""
        text = f"it cools down after a failed attempt{why} until {moment(cool, now)}"
        yield Reason(text, "it is tried again then", apart=True, until=cool)
    start = job.eval_int("DeferralTime") or _next_by_crontab(job, now)
    before = job.eval_int("DeferralPrepTime", 0) + job.eval_int("ScheddInterval", 0)
    if start - before > now:
        text = f"it waits for its time: it starts at {moment(start, now)}"
        yield Reason(text, "nothing needs to be done", apart=True, until=start)


def _next_by_crontab(job: ClassAd, now: float) -> int:
    """Return when a job with a crontab is due next (Unix seconds); 0 without one."""
    from condor_py.core.jobs.crontab import BadSchedule, next_run, repeats, schedule_of

    try:
        return next_run(schedule_of(job), int(now)) if repeats(job) else 0
    except BadSchedule:
        return 0


def _schedd_refuses(job: ClassAd, universe: int, schedd: ClassAd | None) -> list[Reason]:
    from condor_py.core.jobs.local import meets

    name = "StartLocalUniverse" if universe == Universe.LOCAL else "StartSchedulerUniverse"
    if schedd is None or not schedd.has(name):
        return []
    if as_bool(schedd.raw(name, job)):
        if meets(job, schedd):
            return []
        text = f"the schedd does not meet its Requirements: {job.text('Requirements')}"
        return [Reason(text, f"it starts when they are true; condor_qedit {JOB} Requirements changes them")]
    knob = "START_LOCAL_UNIVERSE" if universe == Universe.LOCAL else "START_SCHEDULER_UNIVERSE"
    text = f"the schedd does not start it: {knob} = {schedd.text(name)} is not true"
    return [Reason(text, f"it starts when that is true; an administrator can change {knob}")]


def _remote(job: ClassAd) -> Iterator[Reason]:
    """Yield that the system that a grid job is for does not answer, or lets it wait."""
    name, since = job.eval_str("GridResource", "its remote system"), job.eval_int("GridResourceUnavailableTime", 0)
    if since:
        yield Reason(f"{name} does not answer", "it is asked again and again: the job continues then", since=since)
    elif job.has("GridJobId"):
        state = job.eval_str("GridJobStatus", "")
        yield Reason(f"it waits at {name}{f' ({state})' if state else ''}", "the remote system starts it")


def limited_records(view: QueueView) -> list[ClassAd]:
    """Return the records of users and projects that limit their running jobs, with the numbers of their jobs."""
    table = view.table
    if not any(ad.has(_LIMIT) for ad in table.user_records.values()):
        return []
    from condor_py.core.jobs.userrecs import counted

    return [ad for kind in ("Owner", "Project") for ad in counted(table, kind) if ad.has(_LIMIT)]


#: The attribute of a record with the most running jobs.
_LIMIT = "MaxJobsRunning"


def _quotas(job: ClassAd, records: Iterable[ClassAd]) -> Iterator[Reason]:
    """Yield the limits of the job's user and project that are reached."""
    from condor_py.core.jobs.quotas import limit_reached

    for ad in records:
        is_project = ad.eval_str("MyType") == "Project"
        name = ad.eval_str("Name" if is_project else "User", "")
        mine = job.eval_str("ProjectName" if is_project else "User", "")
        limit = ad.eval_int(_LIMIT)
        running = ad.eval_int("NumRunning", 0) + ad.eval_int("NumSuspended", 0)
        if limit is not None and running >= limit and name.lower() == mine.lower():
            text = limit_reached("Project" if is_project else "Owner", name, running, limit)
            yield Reason(text, "an administrator changes the limit with condor_qusers -edit", apart=True)


def drained_machines(slots: Iterable[ClassAd]) -> Iterator[Reason]:
    """Yield that a machine is being drained, for each."""
    found: set[str] = set()
    for slot in slots:
        machine = slot.eval_str("Machine") or slot.eval_str("Name") or "?"
        if slot.eval_bool("Draining") and machine not in found:
            found.add(machine)
            why = slot.eval_str("DrainReason")
            text = f"machine {machine} is being drained{f' ({why})' if why else ''}"
            yield Reason(text, f"condor_drain -cancel {machine}", since=slot.eval_int("LastDrainStartTime", 0))


_GROUP = "IsAccountingGroup"


def _limits(job: ClassAd, accounts: Sequence[ClassAd]) -> Iterator[Reason]:
    """Yield the negotiator's limits on the job's submitter that are reached."""
    refusal = job.eval_str("LastRejMatchReason", "")
    if refusal.startswith("concurrency limit"):
        yield Reason(refusal, "jobs with that limit have to end first; an administrator can raise it (NAME_LIMIT)")
    name = job.eval_str("AccountingGroup") or job.eval_str("User", "")
    group = job.eval_str("AcctGroup", "")
    for ad in accounts:
        here, used = ad.eval_str("Name", ""), ad.eval_real("WeightedResourcesUsed", 0.0)
        if ad.eval_bool(_GROUP):
            quota = ad.eval_real("EffectiveQuota", 0.0)
            if here == group and used >= quota and ad.eval_str("SurplusPolicy") == "no":
                text = f"accounting group {here} uses {used:g} of its quota of {quota:g}"
                yield Reason(
                    text, f"jobs of the group have to end first; an administrator can raise GROUP_QUOTA_{here}"
                )
        elif here.partition("@")[0] == name.partition("@")[0]:
            yield from _limits_of_submitter(ad, here, used, accounts)


def _limits_of_submitter(ad: ClassAd, name: str, used: float, accounts: Sequence[ClassAd]) -> Iterator[Reason]:
    ceiling = ad.eval_real("Ceiling", -1.0)
    if 0 <= ceiling <= used:
        text = f"{name} uses {used:g} of the ceiling of {ceiling:g}"
        yield Reason(text, f"an administrator changes it: condor_userprio -setceiling {name} N")
    share = ad.eval_real("SubmitterShare", 0.0)
    total = sum(one.eval_real("WeightedResourcesUsed", 0.0) for one in accounts if not one.eval_bool(_GROUP))
    if 0 < share < 1 and used >= share * total:
        text = f"{name} uses {used:g} of the {total:g} in use, and its share is {share:.0%}"
        yield Reason(text, f"it has its share while others wait; condor_userprio -explain {name} says why")


def slots_of(pool: Pool) -> list[ClassAd]:
    """The slots that the pool advertises."""
    return [ad for ad in pool.ads("STARTD") if ad.has("SlotID")]


def around_pool(pool: Pool, view: QueueView) -> Around:
    """The surroundings of the jobs of a pool."""
    from functools import cache

    accounts = cache(lambda: pool.ads("ACCOUNTING"))
    schedd, limited = cache(lambda: schedd_ad(pool, view)), cache(lambda: limited_records(view))
    return Around(slots_of(pool), pool.now(), accounts, schedd, limited=limited)


def schedd_ad(pool: Pool, view: QueueView) -> ClassAd:
    """The ad of the schedd with the expressions by which it starts local and scheduler jobs, and how many of them
    run."""
    from condor_py.core.jobs.local import as_machine
    from condor_py.lang.config.builders.schedd import schedd as schedd_knobs
    from condor_py.machine.probes.disks import disk_space

    knobs = schedd_knobs(pool.config)
    published = next(iter(pool.ads("SCHEDD")), ClassAd())
    found = as_machine(published, knobs, disk_space(knobs.local_execute).free_kb)
    kinds = list(zip(view.texts("JobUniverse"), view.texts("JobStatus"), strict=True))
    for name, text, universe in (
        ("Local", knobs.start_local_universe, Universe.LOCAL),
        ("Scheduler", knobs.start_scheduler_universe, Universe.SCHEDULER),
    ):
        found.set_text(f"Start{name}Universe", text)
        found.set_int(f"Total{name}JobsRunning", kinds.count((str(int(universe)), str(int(JobStatus.RUNNING)))))
    return found
