"""Statistics of the schedd: since it started, and of late (the attributes Recent...). Pure.

The names, and the way each end of a run is counted, are HTCondor's.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from condor_py.model.settings.schedd import StatisticsSettings

#: Upper limits of the columns of histograms: seconds of runs, bytes of jobs.
RUNTIMES = (30, 60, 180, 600, 1800, *(hours * 3600 for hours in (1, 3, 6, 12, 24, 48, 96, 192, 384)))
SIZES = tuple(0x10000 * 4**power for power in range(12))
RUNTIME_BUCKETS = "30Sec, 1Min, 3Min, 10Min, 30Min, 1Hr, 3Hr, 6Hr, 12Hr, 1Day, 2Day, 4Day, 8Day, 16Day"
SIZE_BUCKETS = "64Kb, 256Kb, 1Mb, 4Mb, 16Mb, 64Mb, 256Mb, 1Gb, 4Gb, 16Gb, 64Gb, 256Gb"

#: Published always.
USUAL = [
    "JobsStarted",
    "JobsExited",
    "JobsCompleted",
    "JobsAccumTimeToStart",
    "JobsAccumBadputTime",
    "JobsAccumExceptionalBadputTime",
    "JobsAccumRunningTime",
    "JobsAccumExecuteTime",
    "JobsAccumPreExecuteTime",
    "JobsAccumPostExecuteTime",
    "JobsAccumChurnTime",
    "JobsAccumExecuteAltTime",
    "JobsWierdTimestamps",
    "JobsExitedNormally",
    "JobsKilled",
    "JobsExitException",
    "JobsExecFailed",
    "JobsSubmitted",
    "ShadowsStarted",
]
#: Left out where they are zero, if Z is among the options.
RARE = [
    "JobsCheckpointed",
    "JobsShadowNoMemory",
    "JobsShouldRequeue",
    "JobsNotStarted",
    "JobsShouldHold",
    "JobsShouldRemove",
    "JobsCoredumped",
    "JobsMissedDeferralTime",
    "JobsExitedAndClaimClosing",
    "JobsDebugLogError",
    "JobsCoolDown",
]
#: Published from the second level on.
MORE = ("ShadowsRecycled", "ShadowsReconnections")
HISTOGRAMS = {
    "JobsCompletedSizes": SIZES,
    "JobsBadputSizes": SIZES,
    "JobsCompletedRuntimes": RUNTIMES,
    "JobsBadputRuntimes": RUNTIMES,
}


def histogram(limits: tuple[int, ...], values: Iterable[int]) -> str:
    """Number of ``values`` below the first limit, below the second, ..., and not below the last."""
    columns = [0] * (len(limits) + 1)
    for value in values:
        columns[bisect_right(limits, value)] += 1
    return ", ".join(map(str, columns))


def column(name: str, value: int) -> str:
    """Name of the counter for ``value`` in a histogram: that of its column."""
    return f"{name}/{bisect_right(HISTOGRAMS[name], value)}"


class Statistics:
    """Counters. A quantum of the window holds what was counted in it; the oldest is dropped as a whole.

    Quanta are counted from the start, as HTCondor's are; the clock may jump: forward the window is empty then, and
    backward everything counts as of now until the clock is where it was.
    """

    __slots__ = ("_born", "_quanta", "_settings", "peak", "totals")

    def __init__(self, now: int, settings: StatisticsSettings) -> None:
        self._born = now
        self._settings = settings
        self._quanta: deque[tuple[int, dict[str, int]]] = deque()
        self.totals: dict[str, int] = {}
        self.peak = 0  # the most runs at a time

    @property
    def settings(self) -> StatisticsSettings:
        """Settings: the published statistics and their window."""
        return self._settings

    def configure(self, settings: StatisticsSettings) -> None:
        """Change the settings; the counts so far are kept."""
        self._settings = settings

    @property
    def started(self) -> int:
        """Jobs that were started."""
        return self.totals.get("JobsStarted", 0)

    @property
    def completed(self) -> int:
        """Jobs that have completed."""
        return self.totals.get("JobsCompleted", 0)

    def add(self, now: int, **amounts: int) -> None:
        """Counts ``amounts`` by name."""
        self.add_all(now, amounts)

    def add_all(self, now: int, amounts: Mapping[str, int]) -> None:
        """The same of a mapping."""
        quantum = self._quantum(now)
        totals = self.totals
        for name, amount in amounts.items():
            totals[name] = totals.get(name, 0) + amount
            quantum[name] = quantum.get(name, 0) + amount

    def began(self, now: int, waited: int, runs: int) -> None:
        """A job starts that waited so many seconds; with it there are ``runs``."""
        self.add(now, JobsStarted=1, ShadowsStarted=1, JobsAccumTimeToStart=waited)
        self.peak = max(self.peak, runs)

    def _quantum(self, now: int) -> dict[str, int]:
        quanta, begun = self._quanta, self._begin(now)
        if not quanta or quanta[-1][0] < begun:
            oldest = self._oldest(now)
            while quanta and quanta[0][0] < oldest:
                quanta.popleft()
            quanta.append((begun, {}))
        return quanta[-1][1]

    def _begin(self, now: int) -> int:
        return now - (now - self._born) % self._settings.quantum

    def _oldest(self, now: int) -> int:
        return self._begin(now) - (self._settings.steps - 1) * self._settings.quantum

    def recent(self, now: int) -> dict[str, int]:
        """Counts within the window that ends now."""
        found: dict[str, int] = {}
        oldest = self._oldest(now)
        for begun, amounts in self._quanta:
            if begun >= oldest:
                for name, amount in amounts.items():
                    found[name] = found.get(name, 0) + amount
        return found

    def shown(self, now: int) -> Iterator[tuple[str, str]]:
        """The attributes of an ad, as text."""
        settings = self._settings
        if not settings.level and not settings.named:
            return
        life = max(0, now - self._born)
        if settings.level:
            yield "StatsLifetime", str(life)
            yield "JobsSizesHistogramBuckets", f'"{SIZE_BUCKETS}"'
            yield "JobsRuntimesHistogramBuckets", f'"{RUNTIME_BUCKETS}"'
        yield from self._counted("", self.totals)
        if settings.recent:
            if settings.level:
                yield "RecentStatsLifetime", str(min(life, settings.window))
            yield from self._counted("Recent", self.recent(now))
        if settings.level > 1:
            yield "StatsLastUpdateTime", str(now)
            if settings.recent:
                yield "RecentWindowMax", str(settings.window)
                yield "RecentStatsTickTime", str(self._begin(now))

    def _counted(self, prefix: str, amounts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        settings = self._settings
        rare = RARE if not settings.nonzero else [name for name in RARE if self.totals.get(name)]
        for level, names in ((1, USUAL), (1, rare), (2, MORE)):
            for name in names:
                if settings.shows(prefix + name, level):
                    yield prefix + name, str(amounts.get(name, 0))
        for name, limits in HISTOGRAMS.items():
            if not settings.shows(prefix + name):
                continue
            columns = ", ".join([str(amounts.get(f"{name}/{column}", 0)) for column in range(len(limits) + 1)])
            yield prefix + name, f'"{columns}"'
