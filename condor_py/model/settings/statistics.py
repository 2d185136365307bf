"""Which statistics a daemon publishes, and of what time the recent ones are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StatisticsSettings:
    """Defaults are HTCondor's."""

    window: int = 1200  # STATISTICS_WINDOW_SECONDS
    quantum: int = 240  # STATISTICS_WINDOW_QUANTUM_SCHEDD, _QUANTUM: what leaves the window leaves it in such steps
    #: Of STATISTICS_TO_PUBLISH. 0: none, 1: the usual ones, 2 and 3: more.
    level: int = 1
    recent: bool = True
    nonzero: bool = False  # leave out rare ones that are zero
    named: frozenset[str] = frozenset()  # STATISTICS_TO_PUBLISH_LIST, in small letters: published at every level

    def shows(self, name: str, level: int = 1) -> bool:
        """Whether an attribute is published that belongs to ``level``."""
        return self.level >= level or name.lower() in self.named

    @property
    def steps(self) -> int:
        """Quanta of a window, the one that is being filled among them."""
        return max(1, self.window // max(1, self.quantum))
