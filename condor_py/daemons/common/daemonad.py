"""Attributes about the process that the ads of all daemons have."""

from __future__ import annotations

import os

from condor_py.lang.classad import ClassAd
from condor_py.lang.config.installed import commit
from condor_py.machine.probes.selfview import SelfView
from condor_py.model.settings.daemon import DaemonSettings
from condor_py.model.version import with_commit

#: Ads of others that a daemon publishes: they do not tell of its process.
_OF_OTHERS = frozenset(("Submitter", "Accounting"))


class OwnAds:
    """Makes the ads of the daemon that this process is; ``born`` is when it started (Unix seconds)."""

    def __init__(self, born: int) -> None:
        self.born = born
        #: That of the program that runs: what is checked out later is another one.
        self._version = with_commit(commit())
        self._view = SelfView(born)
        self._settings: DaemonSettings | None = None
        #: Since when it has these settings: its start, or the last reconfig.
        self._configured = born

    def make(self, my_type: str, name: str, settings: DaemonSettings, now: int) -> ClassAd:
        """Make an ad with the attributes that the ads of all daemons have."""
        ad = ClassAd()
        ad.set_str("MyType", my_type)
        ad.set_str("Name", name)
        ad.set_str("Machine", settings.host)
        ad.set_str("MyAddress", settings.address)
        ad.set_str("CondorVersion", self._version)
        if settings.platform:
            ad.set_str("CondorPlatform", settings.platform)
        ad.set_int("DaemonStartTime", self.born)
        ad.set_int("DaemonLastReconfigTime", self._configured_at(settings, now))
        ad.set_int("RealUid", os.getuid())
        ad.set_int("DetectedCpus", settings.detected_cpus)
        ad.set_int("DetectedMemory", settings.detected_memory)
        ad.set_int("MyCurrentTime", now)
        ad.set_int("LastHeardFrom", now)
        if my_type not in _OF_OTHERS:
            ad.set_texts(settings.attributes)
            if settings.shutdown_when:
                ad.set_text("DaemonShutdown", settings.shutdown_when)
            if settings.shutdown_fast_when:
                ad.set_text("DaemonShutdownFast", settings.shutdown_fast_when)
            ad.set_texts(self._view.look(now, 1))
        return ad

    def _configured_at(self, settings: DaemonSettings, now: int) -> int:
        if self._settings is not settings:
            if self._settings is not None:
                self._configured = now
            self._settings = settings
        return self._configured
