"""Schedd cron: programs whose output goes into the ad of the schedd."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.core.slots.cronoutput import CronAd
from condor_py.core.slots.extras import Extras
from condor_py.daemons.common.condorids import Home
from condor_py.daemons.common.cron import Cron
from condor_py.daemons.common.loop import Loop
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.rooms.cron import schedd_cron
from condor_py.model.settings.cron import CronJobSettings


class ScheddCron:
    """Runs the programs of SCHEDD_CRON_JOBLIST; ``publish`` asks for the schedd's ad to be written soon."""

    def __init__(
        self, loop: Loop, config: Config, log: Callable[[str], None], publish: Callable[[], None], home: Home
    ) -> None:
        self._loop = loop
        self._home = home
        self._log = log
        self._publish = publish
        self._extras = Extras()
        self._last = ClassAd()
        self._cron: Cron | None = None
        self.prepare(config)()

    def merge_into(self, ad: ClassAd) -> None:
        """Adds what the programs have printed to the schedd's ad, which conditions are asked of from now on."""
        self._extras.merge_into(ad, 0)
        self._last = ad
        if self._cron is not None:
            self._loop.soon(self._cron.look)

    def prepare(self, config: Config) -> Callable[[], None]:
        """A new list."""
        settings = schedd_cron(config)

        def take() -> None:
            self._extras.set_jobs(job.name for job in settings.jobs)
            if self._cron is not None:
                self._cron.configure(settings)
            elif settings.jobs:
                self._cron = Cron(
                    self._loop, settings, self._log, self._take, home=self._home, about=lambda: self._last
                )

        return take

    def stop(self) -> None:
        """The schedd leaves."""
        if self._cron is not None:
            self._cron.stop()

    def _take(self, job: CronJobSettings, ad: CronAd) -> None:
        changed = self._extras.put(job.name, ad.tag, ad.pairs)
        if ad.update is True or (ad.update is None and changed):
            self._publish()
