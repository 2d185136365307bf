"""The setup that a starter gets at its start."""

from __future__ import annotations

import os
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import StarterSettings


class StarterSetup(NamedTuple):
    """The startd's setup for a starter, given at its start."""

    claim_id: str
    slot_name: str
    slot_ad: ClassAd
    execute: str
    bin_dir: str
    host: str
    file_system_domain: str
    ancestors: tuple[str, ...]
    log: LogSettings
    settings: StarterSettings
    #: The cpus that the slot's jobs may run on (ASSIGN_CPU_AFFINITY); empty for all.
    cores: frozenset[int] = frozenset()
    #: Names of images of containers that are known to be here and to run.
    images: frozenset[str] = frozenset()
    #: The group of everything that it starts for its jobs (USE_GID_PROCESS_TRACKING); 0 for none.
    tracking_gid: int = 0
    #: Whether large transfers wait for their turn, which the process that forked it gives.
    queues_transfers: bool = False
    #: Nice level of the starter itself, and so the least of its jobs.
    niceness: int = 0

    @property
    def door(self) -> str:
        """The socket for sessions, named in the starter (its directory is named after its pid)."""
        return f"{self.execute}/dir_{os.getpid()}/.sessions"
