"""The ads that the schedd publishes: its own and one a submitter."""

from __future__ import annotations

from collections import Counter

from condor_py.core.jobs import gangs, ocu
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.jobad import submitter_of
from condor_py.core.jobs.parts import is_local
from condor_py.core.jobs.statistics import RUNTIMES, SIZES, histogram
from condor_py.daemons.common.daemonad import OwnAds
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.daemon import DaemonSettings
from condor_py.model.states import UNIVERSE_NAMES, JobStatus, Universe

_COUNTED = {
    JobStatus.IDLE: "Idle",
    JobStatus.RUNNING: "Running",
    JobStatus.TRANSFERRING_OUTPUT: "Running",
    JobStatus.SUSPENDED: "Running",
    JobStatus.HELD: "Held",
    JobStatus.REMOVED: "Removed",
}
#: What runs on the schedd's own machine, without a slot.
_UNIVERSES = tuple(UNIVERSE_NAMES[universe] for universe in (Universe.LOCAL, Universe.SCHEDULER))


#: Attributes of a job about its transfer, and the names for it in the schedd's ad.
_WAYS = (("TransferringInput", "Upload"), ("TransferringOutput", "Download"))
#: Where the ad of a job has the time at which it began to wait for its turn.
_QUEUED = {"Upload": "TransferInQueued", "Download": "TransferOutQueued"}


class ScheddAds:
    """Writes the Scheduler ad and the Submitter ads."""

    def __init__(self, core: Schedd, own_ads: OwnAds) -> None:
        self._core = core
        self._own_ads = own_ads

    def write(self, settings: DaemonSettings, now: int, to_come: int = 0) -> tuple[ClassAd, list[ClassAd]]:
        """The Scheduler ad and the Submitter ads, as the jobs are now; ``to_come`` jobs are still to be made."""
        core = self._core
        totals = {"Idle": 0, "Running": 0, "Held": 0, "Removed": 0}
        for status, word in _COUNTED.items():
            totals[word] += core.state.tally.counts.get(status, 0)
        here = self._here()
        for (_, word, _), count in here.items():
            totals[word] -= count
        schedd = self._own_ads.make("Scheduler", settings.schedd_name, settings, now)
        for word, count in totals.items():
            schedd.set_int(f"Total{word}Jobs", count)
        for universe in _UNIVERSES:
            for word in ("Idle", "Running"):
                schedd.set_int(f"Total{universe}Jobs{word}", _sum(here, universe, word))
        schedd.set_str("ScheddIpAddr", settings.address)
        submitters = self._submitters(settings, now, here)
        schedd.set_int("NumUsers", len(submitters))
        schedd.set_int("MaxJobsRunning", core.settings.max_jobs_running)
        schedd.set_text("StartLocalUniverse", core.settings.start_local_universe)
        schedd.set_text("StartSchedulerUniverse", core.settings.start_scheduler_universe)
        schedd.set_int("TotalJobAds", len(core.known))
        schedd.set_int("NumPendingClaims", len(core.claims.asked))
        for name, text in (
            ("StartLocalUniverse", core.settings.start_local_universe),
            ("StartSchedulerUniverse", core.settings.start_scheduler_universe),
        ):
            if text:
                schedd.set_text(name, text)
        schedd.set_int("ShadowsRunning", len(core.runs))
        schedd.set_texts(core.counters.shown(now))
        self._running(schedd, now, to_come)
        self._transfers(schedd, now)
        return schedd, submitters

    def _transfers(self, schedd: ClassAd, now: int) -> None:
        """Publish the number of transfers that are active and that wait, how long these wait, and the MB of input that
        wait."""
        counts = {f"{state}{way}": 0 for state in ("Num", "NumWaitingTo") for way in ("Upload", "Download")}
        longest = dict.fromkeys(_QUEUED, 0)
        waiting = 0
        for job in self._core.runs:
            ad = self._core.jobs.job(job)
            if ad is None:
                continue
            way = next((way for mark, way in _WAYS if ad.local_text(mark) == "true"), "")
            if way:
                queued = ad.local_text("TransferQueued") == "true"
                counts[f"{'NumWaitingTo' if queued else 'Num'}{way}"] += 1
                if queued:
                    waiting += ad.eval_int("TransferInputSizeMB", 0) if way == "Upload" else 0
                    longest[way] = max(longest[way], now - ad.eval_int(_QUEUED[way], now))
        for name, count in counts.items():
            schedd.set_int(f"TransferQueue{name}{'' if 'Waiting' in name else 'ing'}", count)
        for way, seconds in longest.items():
            schedd.set_int(f"TransferQueue{way}WaitTime", seconds)
        settings = self._core.settings
        schedd.set_int("TransferQueueMaxUploading", settings.max_uploads)
        schedd.set_int("TransferQueueMaxDownloading", settings.max_downloads)
        schedd.set_text("TransferQueueUserExpr", settings.transfer_user)
        schedd.set_real("FileTransferMBWaitingToUpload", float(waiting))
        schedd.set_real("FileTransferMBWaitingToDownload", 0.0)

    def _running(self, schedd: ClassAd, now: int, to_come: int) -> None:
        """Statistics of the runs that there are."""
        core = self._core
        settings = core.counters.settings
        if not settings.level and not settings.named:
            return
        ads = [ad for job in core.runs if (ad := core.jobs.job(job)) is not None]
        sizes = [ad.eval_int("ImageSize", 0) * 1024 for ad in ads]
        begun = [ad.eval_int("JobCurrentStartDate", now) for ad in ads]
        counts = {
            "JobsRunning": len(ads),
            "JobsUnmaterialized": to_come,
            "ShadowsRunningPeak": core.counters.peak,
            "Autoclusters": core.state.autoclusters.count,
        }
        columns = {
            "JobsRunningSizes": histogram(SIZES, sizes),
            "JobsRunningRuntimes": histogram(RUNTIMES, [max(0, now - start) for start in begun]),
        }
        for name, count in counts.items():
            if settings.shows(name):
                schedd.set_int(name, count)
        for name, text in columns.items():
            if settings.shows(name):
                schedd.set_str(name, text)

    def _submitter(self, job: JobId) -> str:
        ad = self._core.jobs.job(job)
        return submitter_of(ad, self._core.settings.submitter_domain) if ad is not None else ""

    def _here(self) -> Counter[tuple[str, str, str]]:
        """Count the jobs of the local and scheduler universes by (universe, state, submitter)."""
        core = self._core
        found: Counter[tuple[str, str, str]] = Counter()
        running = [run.job for run in core.runs.values() if is_local(run.claim_id)]
        for job in (*running, *core.state.waiting.here):
            ad, known = core.jobs.job(job), core.known.get(job)
            word = _COUNTED.get(known.status) if known is not None else None  # type: ignore[call-overload]
            if ad is not None and word in ("Idle", "Running"):
                universe = UNIVERSE_NAMES[ad.eval_int("JobUniverse", 0)]
                found[universe, word, self._submitter(job)] += 1
        return found

    def _submitters(self, settings: DaemonSettings, now: int, here: Counter[tuple[str, str, str]]) -> list[ClassAd]:
        core = self._core
        running: dict[str, tuple[int, float]] = {}
        for run in core.runs.values():
            if is_local(run.claim_id):
                continue
            count, weight = running.get(run.submitter, (0, 0.0))
            claim = core.claims.get(run.claim_id)
            running[run.submitter] = (count + 1, weight + (claim.weight if claim is not None else 1.0))
        held = core.state.tally.held
        units = ocu.counts(core.state)
        together: Counter[str] = Counter()
        cpus: Counter[str] = Counter()
        for gang in gangs.waiting(core.state):
            together[gang.submitter] += len(gang.request.parts)
            cpus[gang.submitter] += int(gang.cpus)
        names = {*core.idle.submitters(), *running, *held, *units, *together, *(name for _, _, name in here)}
        ads = []
        for name in sorted(names - {""}):
            ad = self._own_ads.make("Submitter", name, settings, now)
            count, weight = running.get(name, (0, 0.0))
            ad.set_int("IdleJobs", core.idle.count(name) + together[name])
            ad.set_int("RunningJobs", count)
            ad.set_int("HeldJobs", held.get(name, 0))
            ad.set_real("WeightedIdleJobs", core.idle.weight(name) + cpus[name])
            ad.set_real("WeightedRunningJobs", weight)
            for universe in _UNIVERSES:
                for word in ("Idle", "Running"):
                    ad.set_int(f"{universe}Jobs{word}", here[universe, word, name])
            mine = units.get(name, ocu.OcuCounts())
            ad.set_int("OCUClaimsClaimed", mine.claimed)
            ad.set_int("OCUClaimsBorrowed", mine.borrowed)
            ad.set_int("OCURunningJobs", mine.running)
            ad.set_int("OCUWantedJobs", mine.wanted)
            ad.set_str("ScheddName", settings.schedd_name)
            ad.set_str("ScheddIpAddr", settings.address)
            ads.append(ad)
        return ads


def _sum(here: Counter[tuple[str, str, str]], universe: str, word: str) -> int:
    return sum(count for (each, state, _), count in here.items() if (each, state) == (universe, word))
