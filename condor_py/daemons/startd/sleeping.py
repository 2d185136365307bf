"""Puts the machine into a low power state and notices when it is awake again.

Everything that takes long is a child's: the look at the queue (when has the machine to be awake again?) and the program
that puts it to sleep, which ends when it is awake.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.core.slots import effects as do
from condor_py.core.slots import events as on
from condor_py.core.slots.power import Outlook, outlook
from condor_py.daemons.common.condorids import Home
from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.loop import Loop, Timer, now
from condor_py.daemons.common.program import Ended, Program
from condor_py.lang.classad.formats.old import split_line
from condor_py.lang.config import Config
from condor_py.lang.config.builders.machine import power as power_knobs
from condor_py.machine.probes.power import Power
from condor_py.model.power import PowerAbilities, SleepState, sleep_state
from condor_py.store.job_queue import JobQueue

_STATES = "HibernationSupportedStates"
#: A machine that is switched off has so many seconds until we believe that it was not.
_SWITCHED_OFF = 120.0
#: The name by which our own plugin is run.
_OURS = "condor_power_state"


class Sleeping:
    """Takes the effect Sleep; makes the events PowerFound and Woken. ``publish`` brings the published ads up to
    date."""

    def __init__(
        self,
        loop: Loop,
        log: Callable[[str], None],
        config: Config,
        home: Home,
        job_queue_log: str,
        handle: Callable[[on.Event], object],
        publish: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._log = log
        self._home = home
        self._job_queue_log = job_queue_log
        self._handle = handle
        self._publish = publish
        self._settings = power_knobs(config)
        loop.soon(self._ask)
        loop.on_jump(lambda seconds: self._handle(on.ClockJumped(seconds)))

    def prepare(self, config: Config) -> Callable[[], None]:
        """Ask another plugin or method again."""
        settings = power_knobs(config)

        def take() -> None:
            different = settings.changed(interval=0) != self._settings.changed(interval=0)
            self._settings = settings
            if different:
                self._ask()

        return take

    def obey(self, effect: do.Effect) -> bool:
        """Carries out an effect that is for us; False for any other."""
        if not isinstance(effect, do.Sleep):
            return False
        Errand(self._loop, self._outlook, lambda found, why: self._looked(effect, found, why))
        return True

    # -- what the machine can do

    def _ask(self) -> None:
        settings = self._settings
        if settings.plugin:
            self._run(["ad"], self._answered)
        else:
            self._found(Power(settings.sys).abilities(settings.method))

    def _answered(self, ended: Ended) -> None:
        """The plugin's ad."""
        pairs = dict(filter(None, map(split_line, ended.out.decode("utf-8", "replace").splitlines())))
        known = {name.lower(): text.strip().strip('"') for name, text in pairs.items()}
        text = known.get(_STATES.lower())
        if ended.exit_code != 0 or text is None:
            self._log(f"{_STATES} missing in ad from hibernation plugin {self._settings.plugin}")
            self._found(PowerAbilities())
            return
        states = {sleep_state(word) for word in text.split(",")} - {SleepState.NONE}
        self._found(PowerAbilities(known.get("hibernationmethod", "plugin"), tuple(sorted(states))))

    def _found(self, abilities: PowerAbilities) -> None:
        self._handle(on.PowerFound(abilities))

    # -- into sleep

    def _outlook(self) -> Outlook:
        """In a child: reading a long queue takes a while."""
        path = self._job_queue_log
        if not os.path.exists(path):
            return Outlook()
        return outlook(JobQueue(path, readonly=True).jobs(), int(now()))

    def _looked(self, order: do.Sleep, found: Outlook | None, why: str) -> None:
        try:
            hindrance = self._hindrance(order, found, why)
            if not hindrance:
                self._publish()
                self._run(["set", order.state], lambda ended: self._returned(order, ended))
        except Exception as error:  # it counted as asleep, and would take no job any more
            self._woken(f"{type(error).__name__}: {error}")
            raise
        if hindrance:
            self._woken(hindrance)

    def _hindrance(self, order: do.Sleep, found: Outlook | None, why: str) -> str:
        """Sets the clock for the next job; why the machine must not sleep."""
        if found is None:
            return f"the queue cannot be read: {why}"
        if found.busy:
            return f"job {found.busy} runs without a slot"
        if found.is_near(SleepState[order.state], order.early, int(now())):
            return "a job waits for its time, which is near"
        if found.wake_at:
            moment = found.wake_at - order.early
            if not Power(self._settings.sys).wake_at(moment):
                return "a job waits for its time, and no clock can wake this machine"
            self._log(f"The clock wakes this machine at {moment}, for a job that waits for its time")
        return ""

    def _returned(self, order: do.Sleep, ended: Ended) -> None:
        Power(self._settings.sys).wake_at(0)
        if ended.exit_code != 0:
            said = ended.err.decode("utf-8", "replace").strip().splitlines()
            self._woken(said[-1] if said else f"the plugin ended with {ended.exit_code}")
        elif order.state == SleepState.S5.name:
            self._loop.after(_SWITCHED_OFF, lambda: self._woken("it was not switched off"))
        else:
            self._woken("")

    def _woken(self, reason: str) -> None:
        self._handle(on.Woken(reason))

    def _run(self, words: list[str], then: Callable[[Ended], None]) -> None:
        """Runs the plugin with root's rights, which it needs."""
        settings = self._settings
        argv = [settings.plugin or _OURS, *settings.plugin_args]
        if not settings.plugin:
            argv += [*(["-m", settings.method] if settings.method else []), "-sys", settings.sys]
        try:
            self._home.check(argv[0])
            Program(self._loop, [*argv, *words], on_end=then, environment=dict(os.environ))
        except OSError as error:
            self._log(f"Failed to run hibernation plugin '{' '.join(argv)}': {error.strerror}")
            failed = Ended(127, 0, b"", (error.strerror or "").encode())
            self._loop.soon(lambda: then(failed))


#: Seconds between an event and the look at the timers that it may have set, and between looks while one is due.
_SOON = 0.2


class Alarm:
    """``wakeup`` says when the next timer is due (Unix seconds, None for none), ``poll`` has the core look at them."""

    def __init__(self, loop: Loop, wakeup: Callable[[], float | None], poll: Callable[[], object]) -> None:
        self._loop, self._wakeup, self._poll = loop, wakeup, poll
        self._timer = Timer(_never)
        self._is_soon = False

    def stir(self) -> None:
        """Something happened."""
        if not self._is_soon:
            self._set(_SOON)

    def look(self) -> None:
        """Polls if a timer is due; else waits for the next one."""
        self._is_soon = False  # if we fail now, the next event has us look again
        wakeup = self._wakeup()
        if wakeup is not None and wakeup <= now():
            self._set(_SOON)
            self._poll()
        elif wakeup is not None:
            self._set(wakeup - now())
        else:
            self._timer.cancel()

    def _set(self, seconds: float) -> None:
        self._timer.cancel()
        self._timer = self._loop.after(max(seconds, 0.0), self.look)
        self._is_soon = seconds <= _SOON


def _never() -> None:
    """The timer that is not set."""
