"""What condor_defrag takes from the configuration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DefragSettings:
    """Field names are the knobs' names without DEFRAG_; times in seconds; -1 is no limit; expressions are texts that
    parse. ``interval`` 0 or less: nothing is drained. ``schedule`` is graceful, quick or fast."""

    name: str
    interval: int = 600
    machines_per_hour: float = 0.0
    max_concurrent: int = -1
    max_whole: int = -1
    requirements: str = ""
    rank: str = "-ExpectedMachineGracefulDrainingBadput"
    whole_machine: str = "Cpus == TotalSlotCpus"
    cancel_requirements: str = "Cpus == TotalSlotCpus"
    draining_start: str = "FALSE"
    schedule: str = "graceful"
    update_interval: int = 300
