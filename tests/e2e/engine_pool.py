"""A pool in front of a remote system that runs for it alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pool import PersonalPool


class Engine(Protocol):
    """A remote system in a directory of its own; what runs with ``environment`` uses it."""

    environment: dict[str, str]

    def start(self) -> None:
        """All of it, until it takes jobs."""

    def stop(self) -> None:
        """All of it, and what its jobs have left."""


E = TypeVar("E", bound=Engine)


class EnginePool(PersonalPool, Generic[E]):
    """A pool of one cpu, and ``engine`` beside it."""

    engine: E


@contextmanager
def beside(name: str, make: Callable[[Path], E]) -> Iterator[EnginePool[E]]:
    """A pool in front of what ``make`` makes in a new directory."""
    top = Path(f"/tmp/condor_py-{name}-{os.getpid()}")
    engine = make(top / name)
    top.mkdir(mode=0o755)
    made: EnginePool[E] = EnginePool(top / "pool", cpus=1, GRIDMANAGER_JOB_PROBE_INTERVAL="1")
    made.engine = engine
    made.environment |= engine.environment
    try:
        engine.start()
        made.start()
        yield made
    finally:
        made.stop()
        engine.stop()
        shutil.rmtree(top)
