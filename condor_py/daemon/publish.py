"""The ads that the schedd publishes: its own and one a submitter."""

from __future__ import annotations

from condor_py.classad import ClassAd
from condor_py.hardware.selfview import SelfView
from condor_py.model.settings.daemon import DaemonSettings
from condor_py.model.states import JobStatus
from condor_py.model.version import CONDOR_VERSION
from condor_py.schedd.core import Schedd

_COUNTED = {
    JobStatus.IDLE: "Idle",
    JobStatus.RUNNING: "Running",
    JobStatus.TRANSFERRING_OUTPUT: "Running",
    JobStatus.SUSPENDED: "Running",
    JobStatus.HELD: "Held",
    JobStatus.REMOVED: "Removed",
}


#: Ads of others that a daemon publishes: they do not tell of its process.
_OF_OTHERS = frozenset(("Submitter", "Accounting"))
#: Of the daemon that this process is, by when it started.
_selves: dict[int, SelfView] = {}


def daemon_ad(my_type: str, name: str, settings: DaemonSettings, now: int, born: int) -> ClassAd:
    """What the ads of all daemons have; ``born`` is when the daemon started."""
    ad = ClassAd()
    ad.set_str("MyType", my_type)
    ad.set_str("Name", name)
    ad.set_str("Machine", settings.host)
    ad.set_str("MyAddress", settings.address)
    ad.set_str("CondorVersion", CONDOR_VERSION)
    if settings.platform:
        ad.set_str("CondorPlatform", settings.platform)
    ad.set_int("DaemonStartTime", born)
    ad.set_int("DetectedCpus", settings.detected_cpus)
    ad.set_int("DetectedMemory", settings.detected_memory)
    ad.set_int("MyCurrentTime", now)
    ad.set_int("LastHeardFrom", now)
    if my_type not in _OF_OTHERS:
        ad.set_texts(_selves.setdefault(born, SelfView(born)).look(now, 1))
    return ad


def schedd_ads(core: Schedd, settings: DaemonSettings, now: int, born: int) -> tuple[ClassAd, list[ClassAd]]:
    """The Scheduler ad and the Submitter ads."""
    totals = {"Idle": 0, "Running": 0, "Held": 0, "Removed": 0}
    for known in core.known.values():
        word = _COUNTED.get(known.status)  # type: ignore[call-overload]
        if word is not None:
            totals[word] += 1
    schedd = daemon_ad("Scheduler", settings.schedd_name, settings, now, born)
    for word, count in totals.items():
        schedd.set_int(f"Total{word}Jobs", count)
    schedd.set_str("ScheddIpAddr", settings.address)
    schedd.set_int("NumUsers", len(list(core.idle.submitters())))
    schedd.set_int("MaxJobsRunning", core.settings.max_jobs_running)
    schedd.set_int("TotalJobAds", len(core.known))
    schedd.set_int("ShadowsRunning", len(core.runs))
    schedd.set_int("JobsStarted", core.counters.started)
    schedd.set_int("JobsCompleted", core.counters.completed)
    return schedd, _submitters(core, settings, now, born)


def _submitters(core: Schedd, settings: DaemonSettings, now: int, born: int) -> list[ClassAd]:
    running: dict[str, tuple[int, float]] = {}
    for run in core.runs.values():
        count, weight = running.get(run.submitter, (0, 0.0))
        claim = core.claims.get(run.claim_id)
        running[run.submitter] = (count + 1, weight + (claim.weight if claim is not None else 1.0))
    ads = []
    for name in sorted({*core.idle.submitters(), *running}):
        ad = daemon_ad("Submitter", name, settings, now, born)
        count, weight = running.get(name, (0, 0.0))
        ad.set_int("IdleJobs", core.idle.count(name))
        ad.set_int("RunningJobs", count)
        ad.set_int("HeldJobs", 0)
        ad.set_real("WeightedIdleJobs", core.idle.weight(name))
        ad.set_real("WeightedRunningJobs", weight)
        ad.set_str("ScheddName", settings.schedd_name)
        ad.set_str("ScheddIpAddr", settings.address)
        ads.append(ad)
    return ads
