"""A pool in virtual time: the cores of the daemons, seeded, without files, sockets and processes.

``Simulation`` is the pool, ``durations`` how long jobs run, ``scenario`` reads the files that
``python -m condor_py.simulate`` runs.
"""

from condor_py.simulate.durations import Constant, Duration, Exponential, LogNormal, OneOf, Uniform
from condor_py.simulate.pool import DOMAIN, START, PoolSettings, Submission, machine
from condor_py.simulate.report import Report, UserReport
from condor_py.simulate.simulation import BrokenSimulation, Simulation

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
