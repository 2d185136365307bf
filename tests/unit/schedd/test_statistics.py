"""Statistics of the schedd: what is counted, and for how long it is recent. The counts are those of HTCondor."""

from __future__ import annotations

import os
import re

import pytest
from world import World

from condor_py.core.jobs.statistics import RUNTIMES, SIZES, Statistics, histogram
from condor_py.daemons.common.daemonad import OwnAds
from condor_py.daemons.common.publish import ScheddAds
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import load
from condor_py.lang.config.builders.daemon import daemon
from condor_py.lang.config.builders.schedd import published, schedd_statistics
from condor_py.model.record import SET, Change
from condor_py.model.settings.schedd import StatisticsSettings

SMALL = StatisticsSettings(window=60, quantum=10)
_SETTINGS = daemon(load({"CONDOR_CONFIG": "ONLY_ENV"}, subsystem="SCHEDD"), "SCHEDD")


def shown(counters: Statistics, now: int) -> dict[str, str]:
    return dict(counters.shown(now))


def test_recent_counts_leave_the_window_a_quantum_at_a_time() -> None:
    counters = Statistics(1000, SMALL)
    for now in (1003, 1009, 1010, 1055):
        counters.add(now, JobsCompleted=1)
    recent = {now: counters.recent(now).get("JobsCompleted", 0) for now in (1055, 1059, 1060, 1069, 1070, 1109, 1110)}
    assert recent == {1055: 4, 1059: 4, 1060: 2, 1069: 2, 1070: 1, 1109: 1, 1110: 0}
    ad = shown(counters, 1110)
    assert (ad["JobsCompleted"], ad["RecentJobsCompleted"]) == ("4", "0")
    assert (ad["StatsLifetime"], ad["RecentStatsLifetime"]) == ("110", "60")


def test_what_is_old_is_not_kept() -> None:
    counters = Statistics(0, SMALL)
    for now in range(0, 100_000, 7):
        counters.add(now, JobsStarted=1)
    assert len(counters._quanta) <= SMALL.steps
    assert counters.recent(100_000)["JobsStarted"] <= 9


def test_a_clock_that_jumps_forward_empties_the_window_and_backward_loses_nothing() -> None:
    counters = Statistics(1000, SMALL)
    counters.add(1001, JobsStarted=1)
    assert counters.recent(1000 + 8 * 3600) == {}
    counters.add(1000 + 8 * 3600, JobsStarted=1)
    counters.add(500, JobsStarted=1)
    assert counters.totals["JobsStarted"] == 3
    ad = shown(counters, 500)
    assert (ad["StatsLifetime"], ad["RecentStatsLifetime"], ad["RecentJobsStarted"]) == ("0", "0", "2")


def test_new_windows_go_on_with_what_was_counted() -> None:
    counters = Statistics(1000, SMALL)
    counters.add(1001, JobsStarted=2)
    counters.configure(StatisticsSettings(window=1200, quantum=240))
    counters.add(1100, JobsStarted=1)
    assert shown(counters, 1200)["RecentJobsStarted"] == "3"
    assert shown(counters, 1000 + 1200)["RecentJobsStarted"] == "0"


def test_columns_of_histograms_begin_at_their_limits() -> None:
    assert histogram(RUNTIMES, [0, 29, 30, 59, 60, 10**9]) == "2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1"


@pytest.mark.parametrize(
    ("text", "level", "recent", "nonzero"),
    [
        ("DEFAULT", 1, True, False),
        ("NONE", 0, False, False),
        ("SCHEDD:2", 2, True, False),
        ("schedd:3!R", 3, False, False),
        ("ALL:Z", 1, True, True),
        ("DC:2 COLLECTOR:3", 0, False, False),
        ("ALL:1, SCHEDULER:2Z, DC:3", 2, True, True),
        ("SCHEDD:NONE", 0, False, False),
        ("SCHEDD:0", 0, True, False),
        ("SCHEDD:?!", 1, True, False),
    ],
)
def test_what_statistics_to_publish_says(text: str, level: int, recent: bool, nonzero: bool) -> None:
    found = published(text, ("SCHEDD", "SCHEDULER"), StatisticsSettings())
    assert (found.level, found.recent, found.nonzero) == (level, recent, nonzero)


def test_knobs_of_the_window() -> None:
    def of(**knobs: str) -> StatisticsSettings:
        environment = {f"_CONDOR_{name}": value for name, value in knobs.items()}
        return schedd_statistics(load({"CONDOR_CONFIG": "ONLY_ENV", **environment}, subsystem="SCHEDD"))

    assert of() == StatisticsSettings()
    assert of(STATISTICS_WINDOW_SECONDS="10", STATISTICS_WINDOW_QUANTUM="60") == StatisticsSettings(60, 60)
    own = of(STATISTICS_WINDOW_QUANTUM_SCHEDD="2 * 60", STATISTICS_TO_PUBLISH="SCHEDD:2")
    assert (own.quantum, own.steps, own.level) == (120, 10, 2)
    own = of(
        STATISTICS_WINDOW_QUANTUM_SCHEDD="9", STATISTICS_WINDOW_QUANTUM_SCHEDULER="30", STATISTICS_WINDOW_SECONDS="50",
        STATISTICS_WINDOW_SECONDS_SCHEDD="600",
    )  # fmt: skip
    assert (own.quantum, own.window) == (30, 600)
    assert of(STATISTICS_TO_PUBLISH_LIST="JobsExited, RecentJobsExited").named == {"jobsexited", "recentjobsexited"}


def test_single_attributes_are_published_whatever_the_level_is() -> None:
    def of(text: str) -> set[str]:
        usual = StatisticsSettings(named=frozenset(("jobscompleted", "recentshadowsrecycled")))
        return set(shown(Statistics(0, published(text, ("SCHEDD",), usual)), 5))

    assert of("NONE") == {"JobsCompleted"}
    assert of("SCHEDD:0") == {"JobsCompleted", "RecentShadowsRecycled"}
    assert of("SCHEDD:1") - set(shown(Statistics(0, StatisticsSettings()), 5)) == {"RecentShadowsRecycled"}


def test_the_schedds_ad_is_as_new_as_its_own_interval_says() -> None:
    """SCHEDD_INTERVAL: what is recent leaves the ad in time although nothing happens."""
    config = load({"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_SCHEDD_INTERVAL": "7"}, subsystem="SCHEDD")
    assert (daemon(config, "SCHEDD").update_interval, daemon(config, "NEGOTIATOR").update_interval) == (7, 300)


def test_what_is_published() -> None:
    bare = shown(Statistics(0, StatisticsSettings(level=0)), 5)
    assert bare == {}
    usual = shown(Statistics(0, StatisticsSettings()), 5)
    assert usual["RecentJobsShouldHold"] == "0"
    assert "RecentWindowMax" not in usual
    more = shown(Statistics(0, StatisticsSettings(level=2, nonzero=True)), 5)
    assert more["RecentWindowMax"] == "1200"
    assert "JobsShouldHold" not in more
    assert not [name for name in shown(Statistics(0, StatisticsSettings(recent=False)), 5) if name.startswith("Recent")]


#: Of what HTCondor counts what never happens here: programs that read the ad of a schedd find it all the same.
NEVER = {
    "JobsAccumExceptionalBadputTime", "JobsWierdTimestamps", "JobsExitException", "JobsExecFailed", "JobsCheckpointed",
    "JobsShadowNoMemory", "JobsExitedAndClaimClosing", "JobsDebugLogError", "ShadowsRecycled", "ShadowsReconnections",
}  # fmt: skip


def test_what_is_never_counted_is_published_as_zero() -> None:
    ad = shown(Statistics(0, StatisticsSettings(level=2)), 5)
    assert {ad[prefix + name] for name in NEVER for prefix in ("", "Recent")} == {"0"}
    counters = Statistics(0, StatisticsSettings(level=2))
    assert (counters.started, counters.completed, counters.peak) == (0, 0, 0)


def test_which_names_belong_to_which_level() -> None:
    usual, more = (shown(Statistics(0, StatisticsSettings(level=level)), 5) for level in (1, 2))
    times = {"StatsLastUpdateTime", "RecentWindowMax", "RecentStatsTickTime"}
    rare = {"ShadowsRecycled", "ShadowsReconnections", "RecentShadowsRecycled", "RecentShadowsReconnections"}
    assert more.keys() - usual.keys() == times | rare
    assert (more["StatsLastUpdateTime"], more["RecentStatsTickTime"]) == ("5", "0")


UNITS = {
    "Sec": 1, "Min": 60, "Hr": 3600, "Day": 86400, "Kb": 1 << 10, "Mb": 1 << 20, "Gb": 1 << 30
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "limits"), [("JobsRuntimesHistogramBuckets", RUNTIMES), ("JobsSizesHistogramBuckets", SIZES)]
)
def test_columns_of_histograms_are_called_by_their_limits(name: str, limits: tuple[int, ...]) -> None:
    named = [re.fullmatch(r"(\d+)(\w+)", word) for word in shown(Statistics(0, SMALL), 5)[name].strip('"').split(", ")]
    assert tuple(int(one[1]) * UNITS[one[2]] for one in named if one) == limits


def test_quanta_begin_with_the_schedd() -> None:
    counters = Statistics(1007, SMALL)
    counters.add(1016, JobsStarted=1)
    assert counters.recent(1066) == {"JobsStarted": 1}, "its quantum, from 1007 to 1017, is the oldest of six"
    assert counters.recent(1067) == {}


def counted(world: World) -> dict[str, int]:
    hidden = ("JobsStarted", "ShadowsStarted", "JobsSubmitted", "JobsExited")
    totals = world.core.counters.totals
    return {
        name: number
        for name, number in totals.items()
        if number and not name.startswith("JobsAccum") and "/" not in name and name not in hidden
    }


@pytest.mark.parametrize(
    ("ended", "counts"),
    [
        ({"exit_code": 0}, {"JobsExitedNormally": 1, "JobsCompleted": 1}),
        ({"exit_code": 3}, {"JobsExitedNormally": 1, "JobsCompleted": 1}),
        ({"exit_signal": 11}, {"JobsExitedNormally": 1, "JobsCompleted": 1}),
        ({"exit_signal": 11, "core_dumped": True}, {"JobsCoredumped": 1}),
        ({"hold_code": 13, "hold_reason": "no input"}, {"JobsShouldHold": 1}),
        ({"hold_code": 20, "hold_reason": "too late"}, {"JobsMissedDeferralTime": 1}),
        ({"vacated": True}, {"JobsShouldRequeue": 1}),
    ],
)
def test_how_runs_end(ended: dict[str, object], counts: dict[str, int]) -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    world.now += 40
    world.ended(job, **ended)
    assert counted(world) == counts
    totals = world.core.counters.totals
    assert (totals["JobsSubmitted"], totals["JobsExited"]) == (1, 1)
    assert totals["JobsStarted"] == (2 if "vacated" in ended else 1), "the slot is still there"
    good = not {"JobsCoredumped", "JobsShouldHold", "JobsMissedDeferralTime"} & set(counts)
    assert totals["JobsAccumRunningTime" if good else "JobsAccumBadputTime"] >= 40
    assert totals[f"Jobs{'Completed' if good else 'Badput'}Runtimes/1"] == 1


def test_the_ad_of_the_schedd_has_them() -> None:
    world = World()
    world.connect()
    done, runs = world.submit(1)[0], world.submit(2)[0]
    for job in (done, runs):
        world.match(job)
        world.started(job)
    world.now += 70
    world.ended(done, exit_code=0)
    ad: ClassAd = ScheddAds(world.core, OwnAds(world.now - 100)).write(_SETTINGS, world.now, 7)[0]
    assert ad.eval_int("RecentJobsCompleted", -1) == 1
    assert ad.eval_int("RecentJobsStarted", -1) == 2
    assert ad.eval_int("JobsUnmaterialized", -1) == 7
    assert ad.eval_int("NumPendingClaims", -1) == 0
    assert ad.text("StartLocalUniverse") == "TotalLocalJobsRunning < 200"
    assert ad.eval_bool("StartSchedulerUniverse") is True
    assert (ad.eval_int("JobsRunning", -1), ad.eval_int("ShadowsRunningPeak", -1)) == (1, 2)
    assert ad.eval_str("JobsRunningRuntimes", "") == "0, 0, 1" + ", 0" * 12
    assert ad.eval_str("RecentJobsCompletedRuntimes", "") == "0, 0, 1" + ", 0" * 12


_WAITS = (("TransferringInput", "TransferInQueued", 30), ("TransferringOutput", "TransferOutQueued", 5))


def test_the_ad_of_the_schedd_tells_how_long_transfers_wait() -> None:
    world = World()
    world.connect()
    for cluster, (mark, began, waited) in enumerate(_WAITS, 1):
        (job,) = world.submit(cluster)
        world.match(job)
        world.started(job)
        values = {mark: "true", "TransferQueued": "true", began: str(world.now - waited)}
        world.written([Change(SET, str(job), name, text) for name, text in values.items()])
    ad: ClassAd = ScheddAds(world.core, OwnAds(world.now - 100)).write(_SETTINGS, world.now)[0]
    found = [ad.eval_int(f"TransferQueue{name}", -1) for name in ("UploadWaitTime", "DownloadWaitTime")]
    assert found == [30, 5]
    assert [ad.eval_int(f"TransferQueueNumWaitingTo{way}", -1) for way in ("Upload", "Download")] == [1, 1]


def test_the_ads_of_daemons_tell_since_when_they_have_their_settings() -> None:
    other = daemon(load({"CONDOR_CONFIG": "ONLY_ENV"}, subsystem="SCHEDD"), "SCHEDD")
    own_ads = OwnAds(777)
    times = [
        own_ads.make("Scheduler", "s", settings, now).eval_int("DaemonLastReconfigTime")
        for settings, now in ((_SETTINGS, 800), (_SETTINGS, 900), (other, 1000), (other, 1100))
    ]
    assert times == [777, 777, 1000, 1000]
    assert own_ads.make("Scheduler", "s", other, 1200).eval_int("RealUid") == os.getuid()
