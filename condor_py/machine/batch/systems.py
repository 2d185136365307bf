"""The batch systems by name."""

from __future__ import annotations

from condor_py.machine.batch.lsf import Lsf
from condor_py.machine.batch.pbs import Pbs
from condor_py.machine.batch.sge import GridEngine
from condor_py.machine.batch.slurm import Slurm
from condor_py.machine.batch.system import BatchSystem

SYSTEMS: dict[str, BatchSystem] = {system.name: system for system in (Slurm(), GridEngine(), Pbs(), Lsf())}
