"""Schedule of the programs of a cron list (manual: STARTD_CRON_JOBLIST): a pure table for startd, schedd, benchmarks.

The daemon asks for the actions that are ``due``, carries them out, and reports the results. Times are Unix seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal, NamedTuple

from condor_py.model.settings.cron import CronJobSettings, CronMode, CronSettings

#: Seconds between SIGTERM and SIGKILL for a program that has to go.
KILL_AFTER = 1.0
#: A program that runs again and again is started at most this often, in seconds.
_LEAST_INTERVAL = 1.0
Order = Literal["start", "term", "kill", "hup"]


class State(Enum):
    """State of a program. READY: it would run if it were allowed to."""

    IDLE = auto()
    READY = auto()
    RUNNING = auto()
    TERMINATED = auto()
    KILLED = auto()


_ALIVE = (State.RUNNING, State.TERMINATED, State.KILLED)


class Action(NamedTuple):
    """Action on a program; ``start`` is answered by ``started`` or ``failed``."""

    order: Order
    job: CronJobSettings


@dataclass(slots=True)
class Entry:
    """One program. ``next_run`` is when its timer rings, None for never; ``outputs`` counts the ads it has given."""

    settings: CronJobSettings
    state: State = State.IDLE
    next_run: float | None = None
    kill_at: float | None = None
    started_at: float = 0.0
    outputs: int = 0
    runs: int = 0


class CronTable:
    """The programs of one list. ``allowed`` says whether a program's condition holds now; ``log`` takes lines."""

    def __init__(
        self,
        settings: CronSettings,
        now: float,
        allowed: Callable[[CronJobSettings], bool],
        log: Callable[[str], None],
    ) -> None:
        self.settings = settings
        self._allowed = allowed
        self._log = log
        self.entries: dict[str, Entry] = {}
        self.configure(settings, now)

    # -- asking

    def load(self) -> float:
        """The sum of JOB_LOAD of what runs."""
        return sum(entry.settings.load for entry in self.entries.values() if entry.state in _ALIVE)

    def running(self) -> list[str]:
        """The names of what runs or waits to run."""
        return [e.settings.name for e in self.entries.values() if e.state is not State.IDLE]

    def next_wakeup(self) -> float | None:
        """Latest time at which ``due`` has to be called; None when no timer runs."""
        times = [when for e in self.entries.values() for when in (e.next_run, e.kill_at) if when is not None]
        return min(times, default=None)

    def due(self, now: float, *, start: bool = True) -> list[Action]:
        """Return the actions that are due now. Without ``start`` no program is started (benchmarks run)."""
        actions: list[Action] = []
        for entry in self.entries.values():
            if entry.kill_at is not None and now >= entry.kill_at:
                entry.kill_at = None
                entry.state = State.KILLED
                actions.append(Action("kill", entry.settings))
            if entry.next_run is not None and now >= entry.next_run:
                actions += self._ring(entry, now)
        if start:
            actions += [action for entry in self.entries.values() for action in self._start(entry, now)]
        return actions

    def _ring(self, entry: Entry, now: float) -> list[Action]:
        """The timer of a program: it becomes ready; one that still runs is left alone, or killed (KILL)."""
        job = entry.settings
        periodic = job.mode is CronMode.PERIODIC
        entry.next_run = _following(entry.next_run or now, job.period, now) if periodic else None
        if entry.state not in _ALIVE:
            entry.state = State.READY
            return []
        self._log(f"CronJob: Job '{job.name}' is still running!")
        if not job.kill or entry.state is not State.RUNNING:
            return []
        entry.state = State.TERMINATED
        entry.kill_at = now + KILL_AFTER
        return [Action("term", job)]

    def _start(self, entry: Entry, now: float) -> list[Action]:
        job = entry.settings
        if entry.state is not State.READY:
            return []
        if self.load() + job.load > self.settings.max_load + 1e-9 or not self._allowed(job):
            return []
        entry.state = State.RUNNING
        entry.started_at = now
        entry.runs += 1
        if job.mode is CronMode.PERIODIC and entry.next_run is None:
            entry.next_run = now + job.period
        return [Action("start", job)]

    # -- telling

    def demand(self) -> int:
        """Runs every program of mode OnDemand that is idle; how many."""
        waiting = [e for e in self.entries.values() if e.settings.mode is CronMode.ON_DEMAND and e.state is State.IDLE]
        for entry in waiting:
            entry.state = State.READY
        return len(waiting)

    def published(self, name: str) -> None:
        """The program has given an ad."""
        entry = self.entries.get(name.lower())
        if entry is not None:
            entry.outputs += 1

    def exited(self, name: str, now: float) -> None:
        """The program has ended, or could not be started at all."""
        entry = self.entries.get(name.lower())
        if entry is None:
            return
        was, entry.state, entry.kill_at = entry.state, State.IDLE, None
        job = entry.settings
        if job.mode is CronMode.WAIT_FOR_EXIT:
            entry.next_run = max(now + job.period, entry.started_at + _LEAST_INTERVAL)
        elif job.mode is CronMode.PERIODIC and was in (State.TERMINATED, State.KILLED):
            entry.state = State.READY  # it was killed so that it can run again

    def stop(self) -> list[Action]:
        """The daemon ends: nothing starts any more, what runs is killed."""
        actions = [Action("kill", e.settings) for e in self.entries.values() if e.state in _ALIVE]
        self.entries.clear()
        return actions

    # -- changing

    def configure(self, settings: CronSettings, now: float) -> list[Action]:
        """Takes new settings. Programs that are gone are killed; a changed mode makes a new program of the old."""
        actions: list[Action] = []
        before, self.entries, self.settings = self.entries, {}, settings
        for job in settings.jobs:
            entry = before.pop(job.name.lower(), None)
            if entry is not None and entry.settings.mode is not job.mode:
                actions += self._drop(entry)
                entry = None
            if entry is None:
                initial = State.IDLE if job.mode is CronMode.ON_DEMAND else State.READY
                entry = Entry(job, state=initial)
            else:
                actions += _reconfigure(entry, job, now)
            self.entries[job.name.lower()] = entry
        for entry in before.values():
            actions += self._drop(entry)
        return actions

    def _drop(self, entry: Entry) -> list[Action]:
        return [Action("kill", entry.settings)] if entry.state in _ALIVE else []


def _reconfigure(entry: Entry, job: CronJobSettings, now: float) -> list[Action]:
    """A program that stays in the list: run it again, send it SIGHUP, or give it another period."""
    old, entry.settings = entry.settings, job
    if job.reconfig_rerun and entry.runs and entry.state is State.IDLE:
        entry.state = State.READY
    elif job.reconfig and entry.state is State.RUNNING:
        return [Action("hup", job)] if entry.outputs else []
    if job.period != old.period and entry.next_run is not None:
        entry.next_run = max(now, entry.next_run - old.period + job.period)
    return []


def _following(rung: float, period: int, now: float) -> float:
    """The next beat of a period after ``now``; beats that were slept through are left out."""
    missed = int((now - rung) // period)
    return rung + (missed + 1) * period
