"""The engines of a gridmanager, by the type of resource; made when the first job needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from condor_py.core.grid.actions import Engine
from condor_py.daemons.gridmanager.host import Host
from condor_py.model.errors import CondorError


def _batch(host: Host) -> Engine:
    from condor_py.daemons.gridmanager.batchengine import BatchEngine

    return BatchEngine(host)


def _condor(host: Host) -> Engine:
    from condor_py.daemons.gridmanager.condorengine import CondorEngine

    return CondorEngine(host)


def _arc(host: Host) -> Engine:
    from condor_py.daemons.gridmanager.arcengine import ArcEngine

    return ArcEngine(host)


#: What makes the engine of a type.
MAKERS: dict[str, Callable[[Host], Engine]] = {"batch": _batch, "condor": _condor, "arc": _arc}


def load_engines() -> None:
    """Imports what all engines need: for whoever is about to become a user, who may not be able to read where Python
    lies."""
    from condor_py.daemons.gridmanager import arcengine, batchengine, condorengine  # noqa: F401


def engine_for(host: Host, engines: dict[str, Engine], kind: str) -> Engine:
    """The engine of a type. CondorError when there is none."""
    found = engines.get(kind)
    if found is None:
        maker = MAKERS.get(kind)
        if maker is None:
            raise CondorError(f"no jobs of grid type {kind!r} are run here")
        found = engines[kind] = maker(host)
    return found


def engines_in(host: Host, engines: dict[str, Engine]) -> Iterator[Engine]:
    """All engines that may have something to clean up: those in use, and that of batch systems, which leaves files."""
    engine_for(host, engines, "batch")
    return iter(list(engines.values()))
