"""Runs the programs of a cron list (STARTD_CRON, SCHEDD_CRON, BENCHMARKS) and hands on what they print."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from condor_py.core.slots.cron import Action, CronTable
from condor_py.core.slots.cronoutput import CronAd, CronOutput
from condor_py.daemons.common.condorids import Home
from condor_py.daemons.common.loop import Loop, Timer, monotonic, now
from condor_py.daemons.common.ownprograms import is_ours
from condor_py.lang.classad import ClassAd, is_true, is_valid, parse
from condor_py.lang.submit.env import parse_environment
from condor_py.model.arguments import ArgumentError
from condor_py.model.settings.cron import CronJobSettings, CronSettings

if TYPE_CHECKING:
    from condor_py.daemons.common.program import Ended, Program

_INTERFACE_VERSION = "1"
#: Programs that could not start yet (load, condition, benchmarks) are looked at again after so many seconds.
_RETRY = 5.0
#: Named ads of one program: they all stay until the program leaves the list.
_MOST_TAGS = 1000
#: Lines of one ad that are no attributes and that the log shows.
_MOST_TOLD = 20
#: Characters of a program's words that the log shows.
_SHOWN = 500
#: (job, ad) of a program.
OnAd = Callable[[CronJobSettings, CronAd], None]


class Cron:
    """One list of programs, which run as and where ``home`` says. ``about`` gives the ad that conditions are asked of;
    ``idle`` is called when the last program has ended; nothing starts while ``blocked`` says so."""

    def __init__(
        self,
        loop: Loop,
        settings: CronSettings,
        log: Callable[[str], None],
        on_ad: OnAd,
        *,
        home: Home,
        about: Callable[[], ClassAd],
        idle: Callable[[], None] | None = None,
        blocked: Callable[[], bool] | None = None,
    ) -> None:
        self._loop = loop
        self._log = log
        self._on_ad = on_ad
        self._home = home
        self._about = about
        self._idle = idle
        self._blocked = blocked
        self._programs: dict[str, Program] = {}
        self._tags: dict[str, set[str]] = {}
        #: Programs that have named too many ads, once the log says so.
        self._overflowed: set[str] = set()
        self._timer = Timer(_nothing)
        self._stopping = False
        loop.watch_children()
        self._table = CronTable(settings, monotonic(), self._allowed, log)
        self._complain(settings)
        loop.soon(self.look)

    def _complain(self, settings: CronSettings) -> None:
        for line in settings.problems:
            self._log(f"CronJob: {line}")
        if any(not is_ours(job.executable) for job in settings.jobs):
            self._home.warn(f"the programs of {settings.name}_JOBLIST", self._log)

    @property
    def settings(self) -> CronSettings:
        """The list as it is configured now."""
        return self._table.settings

    def busy(self) -> bool:
        """Whether a program runs."""
        return bool(self._programs)

    def load(self) -> float:
        """The sum of JOB_LOAD of what runs."""
        return self._table.load()

    def demand(self) -> int:
        """Runs what waits to be asked; how many programs that are."""
        count = self._table.demand()
        self.look()
        return count

    def configure(self, settings: CronSettings) -> None:
        """New settings; programs that are not on the list any more are killed."""
        self._complain(settings)
        names = {job.name.lower() for job in settings.jobs}
        self._tags = {name: tags for name, tags in self._tags.items() if name in names}
        self._overflowed &= names
        self._obey(self._table.configure(settings, monotonic()))
        self.look()

    def stop(self) -> None:
        """Kills what runs; nothing starts any more."""
        self._stopping = True
        self._timer.cancel()
        self._table.stop()
        for program in list(self._programs.values()):
            program.kill()

    def look(self) -> None:
        """Does what is due, and sets the timer for what comes next."""
        if self._stopping:
            return
        self._timer.cancel()
        free = self._blocked is None or not self._blocked()
        self._obey(self._table.due(monotonic(), start=free))
        times = [when for when in (self._table.next_wakeup(),) if when is not None]
        if len(self._table.running()) > len(self._programs):
            times.append(monotonic() + _RETRY)
        if times:
            self._timer = self._loop.after(max(0.0, min(times) - monotonic()), self.look)

    def _allowed(self, job: CronJobSettings) -> bool:
        if not job.condition:
            return True
        if not is_valid(job.condition):
            self._log(f"CronJob: job '{job.name}' CONDITION is no expression: {job.condition}")
            return False
        return bool(is_true(self._about().raw(parse(job.condition), None)))

    def _obey(self, actions: list[Action]) -> None:
        for action in actions:
            program = self._programs.get(action.job.name.lower())
            if action.order == "start":
                self._start(action.job)
            elif program is not None and action.order == "kill":
                program.kill()
            elif program is not None:
                number = signal.SIGHUP if action.order == "hup" else signal.SIGTERM
                self._log(f"CronJob: Sending {number.name} to '{action.job.name}' pid {program.pid}")
                program.signal(number)

    def _start(self, job: CronJobSettings) -> None:
        from condor_py.daemons.common.program import Program  # few schedds have a cron list
        from condor_py.model.arguments import words_of

        key = job.name.lower()
        output = CronOutput(job.prefix)
        try:
            self._home.check(job.executable)
            program = Program(
                self._loop,
                [job.executable, *words_of(job.arguments)],
                on_end=lambda ended: self._ended(key, job, program, output, ended),
                on_output=lambda data: self._take(job, output.feed(data, now())),
                environment=self._environment(job),
                directory=job.directory or self._home.directory,
                user=self._home.user_for(job.executable),
            )
        except (OSError, ArgumentError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._log(f"CronJob: Error running job '{job.name}' ({job.executable}): {reason}")
            self._loop.soon(lambda: self._over(key))
            return
        self._programs[key] = program
        self._log(f"{self._table.settings.name} job {job.name} started. pid={program.pid}")

    def _environment(self, job: CronJobSettings) -> dict[str, str]:
        manager = self._table.settings.name.partition("_")[0]
        found = dict(os.environ)
        found[f"{manager}_INTERFACE_VERSION"] = _INTERFACE_VERSION
        found[f"{manager}_CRON_NAME"] = manager
        if self._table.settings.config_val:
            found[f"{manager}_CONFIG_VAL"] = self._table.settings.config_val
        extra = parse_environment(job.environment)
        found.update((name, value) for name, value in extra.items() if value is not None)
        return found

    def _take(self, job: CronJobSettings, ads: Iterable[CronAd]) -> None:
        for ad in ads:
            for line in ad.rejected[:_MOST_TOLD]:
                self._log(f"Can't insert '{line[:_SHOWN]}' into '{job.name}' ClassAd")
            if (more := len(ad.rejected) - _MOST_TOLD) > 0:
                self._log(f"CronJob: {more} further lines of '{job.name}' cannot be inserted")
            if ad.left_out:
                self._log(f"CronJob: an ad of '{job.name}' is too long: {ad.left_out} bytes of it are left out")
            if not self._has_room(job, ad):
                continue
            if ad.pairs and not self._stopping:
                self._table.published(job.name)
                self._on_ad(job, ad)

    def _has_room(self, job: CronJobSettings, ad: CronAd) -> bool:
        """Whether the ad may be known: one without a tag, with a known tag, or with one of the first tags."""
        tags = self._tags.setdefault(job.name.lower(), set())
        if not ad.tag or ad.tag in tags:
            return True
        if len(tags) >= _MOST_TAGS:
            if job.name.lower() not in self._overflowed:
                self._log(
                    f"CronJob: '{job.name}' has named {_MOST_TAGS} ads: '{ad.tag[:_SHOWN]}' and later ones are left out"
                )
            self._overflowed.add(job.name.lower())
            return False
        tags.add(ad.tag)
        return True

    def _ended(self, key: str, job: CronJobSettings, program: Program, output: CronOutput, ended: Ended) -> None:
        self._take(job, output.finish(now()))
        if ended.exit_code is None:
            self._log(f"CronJob: '{job.name}' (pid {program.pid}) exit_signal={ended.signal}")
        elif ended.exit_code:
            self._log(f"CronJob: '{job.name}' (pid {program.pid}) exit_status={ended.exit_code}")
        if ended.exit_code is None or (ended.exit_code and self._table.settings.log_non_zero_exit):
            self._log_output(job, program.pid, ended)
        if self._programs.get(key) is program:
            del self._programs[key]
        self._over(key)

    def _log_output(self, job: CronJobSettings, pid: int, ended: Ended) -> None:
        head = f"CronJob: '{job.name}' (pid {pid}) produced"
        lines = [line for line in ended.out.decode("utf-8", "surrogateescape").splitlines() if line]
        errors = ended.err.decode(errors="replace").splitlines()
        if not lines and not errors:
            self._log(f"{head} no output")
        if lines:
            self._log(f"{head} {len(lines)} lines of standard output, which follow.")
            self._log("\n".join(f"['{job.name}' ({pid})] {line}" for line in lines))
        if errors:
            self._log(f"{head} {len(errors)} lines of standard error, which follow.")
            self._log("\n".join(errors))

    def _over(self, key: str) -> None:
        self._table.exited(key, monotonic())
        self.look()
        if self._idle is not None and not self._programs and not self._table.running():
            self._idle()


def _nothing() -> None:
    """The timer that is not set."""
