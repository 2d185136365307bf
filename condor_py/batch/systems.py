"""The batch systems by name."""

from __future__ import annotations

from condor_py.batch.lsf import Lsf
from condor_py.batch.pbs import Pbs
from condor_py.batch.sge import GridEngine
from condor_py.batch.slurm import Slurm
from condor_py.batch.system import BatchSystem

SYSTEMS: dict[str, BatchSystem] = {system.name: system for system in (Slurm(), GridEngine(), Pbs(), Lsf())}
