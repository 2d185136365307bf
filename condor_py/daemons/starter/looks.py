"""The looks of a starter at its running job: what it uses, reported to the startd and, now and then, to the schedd."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from condor_py.daemons.common.guard import FaultGuard
from condor_py.daemons.common.loop import Loop, unset_timer
from condor_py.daemons.starter.chirp import ChirpServer
from condor_py.daemons.starter.starterhooks import JobHooks
from condor_py.daemons.starter.teller import Teller
from condor_py.daemons.starter.usagerecorder import UsageRecorder
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.machine.run.run import Run
from condor_py.model.settings.starter import StarterSettings


class Looks:
    """The looks of one starter at its job. A failed look is logged, and the next one comes. ``over_limit`` is called
    when the job uses more memory or disk than it may."""

    def __init__(
        self,
        loop: Loop,
        guard: FaultGuard,
        settings: StarterSettings,
        tell: Teller,
        chirp: ChirpServer,
        recorder: UsageRecorder,
        over_limit: Callable[[], None],
    ) -> None:
        self._over_limit = over_limit
        self._loop, self._guard, self._settings = loop, guard, settings
        self._teller, self._chirp, self._recorder = tell, chirp, recorder
        self._hooks: JobHooks | None = None
        self._sampler = unset_timer()
        self._updater = unset_timer()

    def begin(self, run: Run, hooks: JobHooks | None) -> None:
        """The program was started; ``hooks`` are those of its job."""
        self._hooks = hooks
        self._recorder.begin()
        self._sample_later(run, 0, max(1, run.executor.look_interval))

    def end(self) -> None:
        """No more looks."""
        self._sampler.cancel()
        self._updater.cancel()

    def _sample_later(self, run: Run, turn: int, interval: float) -> None:
        """Samples the job's memory, often at first, then every CGROUP_POLLING_INTERVAL or PID_SNAPSHOT_INTERVAL."""
        first = run.executor.first_looks
        seconds = min(first[turn], interval) if turn < len(first) else interval

        def look() -> None:
            if turn == 0:  # few jobs of a busy slot live so long
                self._tell_later(run, self._settings.initial_update_interval - seconds)
            self._sample_later(run, turn + 1, interval)
            self._guard.turn("a look at the job", self._sample, run)

        self._sampler = self._loop.after(seconds, look)

    def _sample(self, run: Run) -> None:
        sample = run.sample()
        self._teller.sample(sample)
        self._recorder.look(run, sample)
        self.tell_news(run)
        if run.executor.over_limit() or run.place.sandbox.over_disk():
            self._over_limit()

    def tell_news(self, run: Run) -> None:
        """Send the new attributes of the job to the schedd, if there are any."""
        if news := run.news():
            self._teller.attributes(run, news)

    def _tell(self, run: Run) -> None:
        usage = run.sample() | told_of(run)
        settings = self._settings
        metric = settings.memory_usage_metric_vm if run.job.is_machine else settings.memory_usage_metric
        if metric:
            usage["MemoryUsage"] = metric
        self._teller.attributes(run, usage)
        self._teller.delayed(run, self._chirp.take_delayed())
        if self._hooks is not None:
            self._hooks.update(usage)

    def _tell_later(self, run: Run, seconds: float) -> None:
        """Send the job's use after so many seconds, and again every STARTER_UPDATE_INTERVAL."""

        def tell() -> None:
            self._tell_later(run, self._settings.update_interval)
            self._guard.turn("an update about the job", self._tell, run)

        self._updater = self._loop.after(max(1.0, seconds), tell)


def told_of(run: Run) -> dict[str, str]:
    """Return when the program last wrote its output, whether that is encrypted, and that a control group holds the
    program, as attributes of the job."""
    found = {"CgroupEnforced": "true"} if run.executor.counts_ended else {}
    found["ExecuteDirWasEncrypted"] = "true" if run.place.sandbox.encrypted else "false"
    for attribute, name in (("StdoutMtime", STDOUT_NAME), ("StderrMtime", STDERR_NAME)):
        with suppress(OSError):
            found[attribute] = str(int(os.lstat(f"{run.place.sandbox.scratch}/{name}").st_mtime))
    return found
