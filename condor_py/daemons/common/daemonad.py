"""Attributes about the process that the ads of all daemons have."""

from __future__ import annotations

import os
from functools import cache

from condor_py.lang.classad import ClassAd
from condor_py.lang.config.installed import commit
from condor_py.machine.probes.selfview import SelfView
from condor_py.model.settings.daemon import DaemonSettings
from condor_py.model.version import with_commit

#: Ads of others that a daemon publishes: they do not tell of its process.
_OF_OTHERS = frozenset(("Submitter", "Accounting"))
#: Of the daemon that this process is, by when it started.
_selves: dict[int, SelfView] = {}


#: Of the same daemon, its settings and since when it has them.
_settings: dict[int, tuple[DaemonSettings, int]] = {}


def daemon_ad(my_type: str, name: str, settings: DaemonSettings, now: int, born: int) -> ClassAd:
    """Make the ad with the attributes that the ads of all daemons have; ``born`` is when the daemon started."""
    ad = ClassAd()
    ad.set_str("MyType", my_type)
    ad.set_str("Name", name)
    ad.set_str("Machine", settings.host)
    ad.set_str("MyAddress", settings.address)
    ad.set_str("CondorVersion", _version())
    if settings.platform:
        ad.set_str("CondorPlatform", settings.platform)
    ad.set_int("DaemonStartTime", born)
    ad.set_int("DaemonLastReconfigTime", _configured(settings, now, born))
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
        ad.set_texts(_selves.setdefault(born, SelfView(born)).look(now, 1))
    return ad


@cache
def _version() -> str:
    """The version of the program that runs: what is checked out later is another one."""
    return with_commit(commit())


def _configured(settings: DaemonSettings, now: int, born: int) -> int:
    """Since when the daemon has these settings: its start, or the last reconfig."""
    known = _settings.setdefault(born, (settings, born))
    if known[0] is not settings:
        known = _settings[born] = (settings, now)
    return known[1]
