"""Jobs of the local and scheduler universes: they run on the schedd's own machine, without a slot and without
negotiation.

Each gets a claim of the schedd's own (its id begins with ``LOCAL``), so that everything after that is as for any
other job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import guard, starting
from condor_py.core.jobs.events import Leaving
from condor_py.core.jobs.index import order_of
from condor_py.core.jobs.jobad import status_of, universe_of
from condor_py.core.jobs.parts import LOCAL, Claim, ClaimInfo, is_local
from condor_py.lang.classad import ClassAd, ClassAdParseError, is_true
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus, Universe, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState
    from condor_py.model.settings.schedd import ScheddSettings

_NAMES = {Universe.LOCAL: "TotalLocalJobsRunning", Universe.SCHEDULER: "TotalSchedulerJobsRunning"}


#: What the schedd can do for the jobs that it runs itself, as machines say it.
_ABILITIES = ("HasContainer", "HasDocker", "HasDockerURL", "HasSIF", "HasSandboxImage")
#: Seconds that a start may take before the next job does not wait for it any longer.
_PATIENCE = 2


def start_waiting(core: ScheddState) -> None:
    """Starts what START_LOCAL_UNIVERSE and START_SCHEDULER_UNIVERSE let start, the best priority first, and each when
    the one before has begun: event logs tell of them in that order."""
    for job in _by_priority(core):
        if _starting(core):
            return
        guard.take(core, job, _start, core, job)


def as_machine(schedd: ClassAd, settings: ScheddSettings, free_kb: int) -> ClassAd:
    """Return the ad of the schedd as the jobs that it runs itself see it: it is their machine, too. ``free_kb`` are
    there for their directories."""
    found = schedd.flat_copy()
    found.set_texts(settings.machine)
    for name in ("Cpus", "Memory"):
        found.set_int(name, schedd.eval_int(f"Detected{name}", 0))
    found.set_int("Disk", free_kb)
    for name in _ABILITIES:
        found.set_bool(name, True)
    return found


def meets(job: ClassAd, schedd: ClassAd) -> bool:
    """Whether the schedd, as a machine, is what a job requires."""
    return job.text("Requirements") is None or is_true(job.raw("Requirements", schedd))


def stop_all(core: ScheddState, event: Leaving) -> None:
    """The schedd is shut down: nothing starts, and the jobs that it runs itself end."""
    core.agenda.close()
    for run in [run for run in core.runs.values() if is_local(run.claim_id) and not event.fast]:
        core.stop_run(run, True, VacateCode.STARTD_SHUTDOWN, "The schedd was shut down")


def _starting(core: ScheddState) -> bool:
    """Whether a job of these universes has been started just now and does not run yet."""
    return any(
        not run.executing and is_local(run.claim_id) and core.now - core.claims[run.claim_id].created < _PATIENCE
        for run in core.runs.values()
    )


def _start(core: ScheddState, job: JobId) -> None:
    ad = core.jobs.job(job)
    assert ad is not None, "a job that leaves the queue does not wait any more"
    if status_of(ad) != JobStatus.IDLE:
        core.waiting.started_here(job)
    elif _may_start(core, ad):
        core.waiting.started_here(job)
        starting.start(core, job, ad, _claim(core, job))


def _by_priority(core: ScheddState) -> list[JobId]:
    """The jobs that wait, in the order in which jobs of one user run."""
    return sorted(core.waiting.here, key=lambda job: order_of(job, core.jobs.job(job) or ClassAd()))


def _may_start(core: ScheddState, ad: ClassAd) -> bool:
    counts = ClassAd()
    counts.chain(core.own_ad)
    for universe, name in _NAMES.items():
        counts.set_int(name, _running(core, universe))
    local = universe_of(ad) == Universe.LOCAL
    if not local and _of_owner(core, ad) >= core.settings.max_running_scheduler_jobs_per_owner:
        return False
    text = core.settings.start_local_universe if local else core.settings.start_scheduler_universe
    try:
        value = counts.eval_text(text, ad)
    except ClassAdParseError:
        return False
    return is_true(value) and meets(ad, counts)


def _running(core: ScheddState, universe: Universe) -> int:
    ads = (core.jobs.job(run.job) for run in core.runs.values() if is_local(run.claim_id))
    return sum(ad is not None and universe_of(ad) == universe for ad in ads)


def _of_owner(core: ScheddState, ad: ClassAd) -> int:
    """Number of running scheduler universe jobs of the same owner."""
    owner = ad.eval_str("Owner", "")
    ads = [core.jobs.job(run.job) for run in core.runs.values() if is_local(run.claim_id)]
    return sum(
        one is not None and one.eval_str("Owner", "") == owner and universe_of(one) == Universe.SCHEDULER for one in ads
    )


def _claim(core: ScheddState, job: JobId) -> Claim:
    slot = ClassAd()
    slot.set_str("Name", core.settings.schedd_name)
    for name, value in (("SlotID", 1), ("Cpus", 1), ("Memory", 0), ("Disk", 0)):
        slot.set_int(name, value)
    info = ClaimInfo(f"{LOCAL}{core.now}#{core.claims.next_local()}#{job}", core.settings.schedd_name, "", slot)
    return core.claims.take(info, core.now)
