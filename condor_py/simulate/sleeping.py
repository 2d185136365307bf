"""A machine that sleeps in virtual time: the startd's own power policy, and what it costs and saves.

A submit wakes the machine (condor_rooster, or the submitting process), which takes a while. No user is at its keyboard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace

from condor_py.core.slots import events as on
from condor_py.lang.classad import is_valid
from condor_py.model.power import PowerAbilities, SleepState
from condor_py.model.settings.power import PowerSettings
from condor_py.model.settings.startd import StartdSettings
from condor_py.simulate.heap import EventHeap

_ALL = (SleepState.S1, SleepState.S2, SleepState.S3, SleepState.S4, SleepState.S5)


@dataclass(frozen=True, slots=True)
class SleepPolicy:
    """HIBERNATE, and how often it is asked; seconds that it takes to wake up, and that the machine stays awake then at
    least; watts of the machine asleep, idle, and with all cores busy."""

    hibernate: str
    interval: int = 300
    wake_seconds: float = 30.0
    awake: int = 3600
    asleep_watts: float = 5.0
    idle_watts: float = 60.0
    busy_watts: float = 200.0

    @classmethod
    def read(cls, entry: Mapping[str, object]) -> SleepPolicy:
        """From a scenario. ValueError names what is missing or wrong."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(entry.keys() - known):
            raise ValueError(f"power: there is no {', '.join(unknown)}")
        if not isinstance(hibernate := entry.get("hibernate"), str) or not is_valid(hibernate):
            raise ValueError(f"power: hibernate = {hibernate} is no expression")
        for name in sorted(entry.keys() - {"hibernate"}):
            value = entry[name]
            if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
                raise ValueError(f"power: {name} must be a number, not {value}")
        if entry.get("interval", 1) == 0:
            raise ValueError("power: interval must be more than 0")
        return cls(**entry)  # type: ignore[arg-type]

    def applied(self, settings: StartdSettings) -> StartdSettings:
        """A startd with this policy on all slots."""
        types = tuple(replace(one, policy=one.policy.changed(hibernate=self.hibernate)) for one in settings.types)
        power = PowerSettings(interval=self.interval, override_wol=True, awake=self.awake)
        return settings.changed(types=types, power=power)


@dataclass(frozen=True, slots=True)
class Rest:
    """Seconds asleep, and how often."""

    asleep: float = 0.0
    sleeps: int = 0


class Sleeper:
    """Asks the startd when it is time, and keeps the machine asleep until it is woken. ``woken`` is called when it
    is awake again."""

    def __init__(
        self,
        policy: SleepPolicy,
        heap: EventHeap,
        tell: Callable[[on.Event], None],
        woken: Callable[[], None],
    ) -> None:
        self.policy, self._heap, self._tell, self._woken = policy, heap, tell, woken
        self._since: float | None = None
        self._waking = False
        self._asleep, self._sleeps = 0.0, 0
        heap.at(heap.now, self._begin)

    def _begin(self) -> None:
        self._tell(on.PowerFound(PowerAbilities("simulated", _ALL)))
        self._look()

    def _look(self) -> None:
        """The polls of a startd that may go to sleep."""
        if self._since is None:
            self._tell(on.Poll())
        self._heap.at(self._heap.now + self.policy.interval, self._look)

    @property
    def is_asleep(self) -> bool:
        """Whether nothing can be started now."""
        return self._since is not None

    def sleep(self) -> None:
        """The startd has put the machine to sleep."""
        self._since = self._heap.now
        self._sleeps += 1

    def somebody_came(self) -> None:
        """A submit wakes the machine."""
        if self._since is not None and not self._waking:
            self._waking = True
            self._heap.at(self._heap.now + self.policy.wake_seconds, self._wake)

    def _wake(self) -> None:
        self._asleep += self._heap.now - (self._since or self._heap.now)
        self._since, self._waking = None, False
        self._tell(on.Woken())
        self._woken()

    def rest(self, now: float) -> Rest:
        """Return the time asleep and the number of sleeps until ``now``."""
        return Rest(self._asleep + (now - self._since if self._since is not None else 0.0), self._sleeps)


@dataclass(frozen=True, slots=True)
class PowerReport:
    """The effect of a policy, compared with a machine that never sleeps.

    Seconds, kWh, seconds that jobs wait longer, how many more of their runs were evicted, and how many more jobs were
    not finished.
    """

    rest: Rest
    seconds: float
    kwh: float
    kwh_awake: float
    longer_mean: float
    longest_mean: float
    evicted: int = 0
    unfinished: int = 0

    def lines(self, span: Callable[[float], str]) -> list[str]:
        """For people."""
        share = self.rest.asleep / max(self.seconds, 1e-9)
        saved = self.kwh_awake - self.kwh
        texts = [
            f"Asleep {self.rest.asleep / 3600:.1f} of {self.seconds / 3600:.1f} hours ({share:.1%}), in "
            f"{self.rest.sleeps} stretches",
            f"Energy {self.kwh:.1f} kWh instead of {self.kwh_awake:.1f} kWh: {saved:.1f} kWh saved",
            f"Jobs wait {span(self.longer_mean)} longer on average, those of one user {span(self.longest_mean)}",
        ]
        if not self.rest.sleeps:
            texts.append("HIBERNATE never named a state (S1 to S5) on all slots at once")
        if self.evicted > 0 or self.unfinished > 0:
            texts.append(f"{self.evicted} runs were evicted by it, {self.unfinished} jobs fewer were finished")
        return texts


def energy(policy: SleepPolicy, seconds: float, asleep: float, busy: float) -> float:
    """kWh of a machine: ``busy`` is the part (0..1) of its cores that worked, over all the time."""
    work = busy * seconds * (policy.busy_watts - policy.idle_watts)
    return (asleep * policy.asleep_watts + (seconds - asleep) * policy.idle_watts + work) / 3_600_000
