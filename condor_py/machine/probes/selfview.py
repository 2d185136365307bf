"""Attributes of a daemon about its own process: MonitorSelf... and DaemonCoreDutyCycle."""

from __future__ import annotations

import os

from condor_py.machine.probes import process

#: Seconds that the recent share is of, at least; what a daemon used to start does not count as being busy.
_WINDOW = 20.0
Pairs = tuple[tuple[str, str], ...]


class SelfView:
    """Looks at the calling process; ``born`` is when it started, in Unix seconds."""

    def __init__(self, born: float) -> None:
        self._born = born
        self._looked = born
        self._cpu = 0.0
        self._recent = 0.0

    def look(self, now: float, sockets: int) -> Pairs:
        """The attributes now; CPU usage in percent (recently), sizes in KB; ``sockets`` are those served."""
        found = process.stat(os.getpid())
        if found is None:
            return ()
        cpu = found.user_cpu + found.sys_cpu
        since = now - self._looked
        if since >= _WINDOW:
            self._recent = min(1.0, max(0.0, cpu - self._cpu) / since)
            self._looked, self._cpu = now, cpu
        recent = self._recent
        overall = min(1.0, cpu / max(_WINDOW, now - self._born))
        return (
            ("DaemonCoreDutyCycle", _real(overall)),
            ("RecentDaemonCoreDutyCycle", _real(recent)),
            ("MonitorSelfAge", str(int(now - self._born))),
            ("MonitorSelfCPUUsage", _real(recent * 100)),
            ("MonitorSelfImageSize", str(found.image_kb)),
            ("MonitorSelfRegisteredSocketCount", str(sockets)),
            ("MonitorSelfResidentSetSize", str(found.rss_kb)),
            ("MonitorSelfSecuritySessions", "0"),
            ("MonitorSelfTime", str(int(now))),
        )


def _real(value: float) -> str:
    text = f"{value:.6g}"
    return text if "." in text or "e" in text else f"{text}.0"
