"""What the startd runs besides starters: cron programs, benchmarks, and backfill work."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.core.slots import effects as do
from condor_py.core.slots import events as on
from condor_py.core.slots.cronoutput import CronAd
from condor_py.daemons.common.cron import Cron
from condor_py.daemons.common.loop import now
from condor_py.daemons.startd.backfillwork import BackfillWork
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.builders.cron import benchmarks as benchmark_knobs
from condor_py.lang.config.builders.cron import startd_cron as cron_knobs
from condor_py.model.settings.cron import CronJobSettings

if TYPE_CHECKING:
    from condor_py.daemons.startd.daemon import StartdDaemon

_PUBLISH = {"NEVER": False, "ALWAYS": True, "IF_CHANGED": None}


class StartdPrograms:
    """Takes the effects that start and stop these programs; what they give and how they end comes back as events."""

    def __init__(self, daemon: StartdDaemon, handle: Callable[[on.Event], object]) -> None:
        self._daemon = daemon
        self._handle = handle
        self._results: dict[str, str] = {}
        self._backfill = BackfillWork(daemon, handle)
        loop, log = daemon.loop, daemon.log.write
        cron, benchmarks = cron_knobs(daemon.config), benchmark_knobs(daemon.config)
        loop.soon(lambda: self._tell(on.CronJobs(now(), tuple(job.name for job in cron.jobs))))
        self.benchmarks = Cron(
            loop, benchmarks, log, self._measured,
            home=daemon.home, about=self._about, idle=self._measured_all, blocked=self._crowded,
        )  # fmt: skip
        self.cron = Cron(
            loop, cron, log, self._published, home=daemon.home, about=self._about, blocked=self.benchmarks.busy
        )

    def _tell(self, event: on.Event) -> None:
        self._handle(event)

    def _about(self) -> ClassAd:
        """The ad of the startd itself, which conditions are asked of."""
        return self._daemon.core.daemon_ad(now())

    def prepare(self, config: Config) -> Callable[[], None]:
        """New lists."""
        cron, benchmarks, backfill = cron_knobs(config), benchmark_knobs(config), self._backfill.prepare(config)

        def take() -> None:
            backfill()
            self._handle(on.CronJobs(now(), tuple(job.name for job in cron.jobs)))
            self.cron.configure(cron)
            self.benchmarks.configure(benchmarks)

        return take

    def obey(self, effect: do.Effect) -> bool:
        """Carries out an effect that is for these programs; False for any other."""
        match effect:
            case do.StartBenchmarks():
                self._daemon.loop.soon(self._measure)
            case do.StartBackfill(slot):
                self._backfill.start(slot)
            case do.StopBackfill(slot):
                self._backfill.stop(slot)
            case _:
                return False
        return True

    def stop(self) -> None:
        """The startd leaves."""
        self.cron.stop()
        self.benchmarks.stop()
        self._backfill.stop_all()

    # -- cron and benchmarks

    def _published(self, job: CronJobSettings, ad: CronAd) -> None:
        publish = ad.update if ad.update is not None else _PUBLISH[self.cron.settings.autopublish]
        self._handle(on.CronAd(now(), job.name, ad.tag, ad.pairs, job.slots, publish, job.metrics))

    def _measure(self) -> None:
        self._results = {}
        if not self.benchmarks.demand():
            self._measured_all()

    def _measured(self, job: CronJobSettings, ad: CronAd) -> None:
        last = f"{job.prefix}LastUpdate"
        self._results.update((name, text) for name, text in ad.pairs if name != last)

    def _measured_all(self) -> None:
        results, self._results = self._results, {}
        self._handle(on.BenchmarksDone(now(), results))
        self.cron.look()

    def _crowded(self) -> bool:
        return self.cron.load() >= self.cron.settings.max_load
