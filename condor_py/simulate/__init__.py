"""A pool in virtual time: the cores of the daemons, seeded, without files, sockets and processes.

``Simulation`` is the pool, ``durations`` how long jobs run, ``scenario`` reads the files that
``python -m condor_py.simulate`` runs.

What has names here is imported on first use: forecasts need other modules of this package, and not the simulator.
"""

from typing import TYPE_CHECKING

from condor_py.model.later import loaded

if TYPE_CHECKING:
    from condor_py.simulate.durations import Constant, Duration, Exponential, LogNormal, OneOf, Uniform
    from condor_py.simulate.pool import DOMAIN, START, PoolSettings, Submission, machine
    from condor_py.simulate.report import Report, UserReport
    from condor_py.simulate.simulation import BrokenSimulation, Simulation

_PLACES = {
    **dict.fromkeys(("Constant", "Duration", "Exponential", "LogNormal", "OneOf", "Uniform"), "durations"),
    **dict.fromkeys(("DOMAIN", "START", "PoolSettings", "Submission", "machine"), "pool"),
    **dict.fromkeys(("Report", "UserReport"), "report"),
    **dict.fromkeys(("BrokenSimulation", "Simulation"), "simulation"),
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(loaded(f"{__name__}.{_PLACES[name]}"), name)


__all__ = [
    "DOMAIN",
    "START",
    "BrokenSimulation",
    "Constant",
    "Duration",
    "Exponential",
    "LogNormal",
    "OneOf",
    "PoolSettings",
    "Report",
    "Simulation",
    "Submission",
    "Uniform",
    "UserReport",
    "machine",
]
