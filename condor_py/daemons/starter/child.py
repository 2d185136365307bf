"""The child that does a step of a run which may take long, so that the starter goes on listening."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.loop import Loop
from condor_py.machine.run.builtin_urls import load_movers
from condor_py.machine.run.run import Run, Stage


class Child:
    """At most one at a time. ``starter`` is whose failure it is when the child fails."""

    def __init__(self, loop: Loop, starter: str) -> None:
        self._loop = loop
        self._starter = starter
        self._errand: Errand | None = None

    def do(self, run: Run, work: Callable[[], bool], then: Callable[[Callable[[], bool]], None]) -> None:
        """Does ``work`` in a child; ``then`` is called with what takes over how far the run came, and tells whether the
        work succeeded."""

        def step() -> tuple[bool, Stage]:
            load_movers()
            return work(), run.stage()

        def ended(result: tuple[bool, Stage] | None, why: str) -> None:
            self._errand = None
            then(lambda: self._take(run, result, why))

        self._errand = Errand(self._loop, step, ended)

    def stop(self) -> None:
        """Kills the child and all that it has started; nobody hears of it."""
        if self._errand is not None:
            self._errand.stop()
            self._errand = None

    def _take(self, run: Run, result: tuple[bool, Stage] | None, why: str) -> bool:
        if result is None:
            run.give_up(f"{self._starter}: {why}")
            return False
        run.take(result[1])
        return result[0]
