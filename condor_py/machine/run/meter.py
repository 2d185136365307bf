"""What one run uses: measured while they run, added up when they have ended."""

from __future__ import annotations

import resource

from condor_py.machine.run.executor import Executor
from condor_py.machine.run.process import Ending
from condor_py.machine.run.sandbox import disk_usage
from condor_py.model.report import Usage, traffic_attributes


class Meter:
    """One run. CPU times are seconds (user, system), sizes KB."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        #: CPU of ended sessions, and of the program before its last restart.
        self._others = (0.0, 0.0)
        self._peak_kb = 0
        self._image_kb = 0

    def look(self, ending: Ending | None) -> dict[str, str]:
        """Usage as attributes for an update; ``ending`` is that of the program when only sessions are left."""
        used = self._executor.usage()
        counted = ending is None or self._executor.counts_ended
        spent = self._others if counted or ending is None else self.total(ending)
        self._peak_kb = max(self._peak_kb, used.rss_kb)
        self._image_kb = max(self._image_kb, used.image_kb)
        return {
            **traffic_attributes(*self._executor.traffic),
            "ResidentSetSize_RAW": str(used.rss_kb),
            "ImageSize_RAW": str(used.image_kb),
            "NumPids": str(used.processes),
            "RemoteUserCpu": repr(round(used.user_cpu + spent[0], 2)),
            "RemoteSysCpu": repr(round(used.sys_cpu + spent[1], 2)),
        }

    def add(self, user_cpu: float, sys_cpu: float) -> None:
        """Counts what neither the program nor anything it waited for has used."""
        self._others = (self._others[0] + user_cpu, self._others[1] + sys_cpu)

    def session_ended(self, user_cpu: float, sys_cpu: float) -> None:
        """Counts what an ended session used as the job's, where nothing else has counted it."""
        if not self._executor.counts_ended:
            self.add(user_cpu, sys_cpu)

    def total(self, ending: Ending) -> tuple[float, float]:
        """CPU of the ended program and of everything that was added."""
        return ending.user_cpu + self._others[0], ending.sys_cpu + self._others[1]

    def usage(self, ending: Ending, scratch: str) -> Usage:
        """All that an ended run has used."""
        user_cpu, sys_cpu = self.total(ending)
        disk_kb, files = disk_usage(scratch)
        peak_kb = self._peak(ending.max_rss_kb)
        received, sent = self._executor.traffic
        return Usage(
            user_cpu, sys_cpu, max_rss_kb=peak_kb, disk_kb=disk_kb, scratch_files=files, image_kb=self._image_kb,
            net_received=received, net_sent=sent,
        )  # fmt: skip

    def _peak(self, waited_kb: int) -> int:
        """Peak resident size. What the kernel reports of the ended process includes our own size at the fork, so it
        counts only where it is larger; otherwise the samples do."""
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return max(self._peak_kb, waited_kb if waited_kb > own else 0)
