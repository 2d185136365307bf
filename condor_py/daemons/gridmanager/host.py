"""The surroundings of an engine: the loop, the log, settings, places for files, and the way for events to the core."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from condor_py.core.grid.events import Event
from condor_py.daemons.common.loop import Loop
from condor_py.model.ids import JobId
from condor_py.model.settings.grid import GridPlaces
from condor_py.model.settings.starter import TransferSettings

#: What commands of remote systems get of our environment, besides what begins with one of these.
_KEPT = frozenset(("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "LD_LIBRARY_PATH", "KRB5CCNAME"))
_KEPT_BEGINNINGS = ("LC_", "SLURM_", "SGE_", "PBS_", "LSF_", "LSB_", "LSB", "EGO_", "XDG_RUNTIME")
_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"


@dataclass
class Host:
    """``directory`` is the user's own below the knob for it. ``job_named`` gives the job with a name elsewhere."""

    loop: Loop
    tell: Callable[[Event], None]
    log: Callable[[str], None]
    owner: str
    directory: str
    places: GridPlaces
    transfer: TransferSettings
    access_point: str
    job_named: Callable[[str], JobId | None]
    #: What the remote system calls a job; "" when it has not got it.
    remote_id: Callable[[JobId], str]
    #: All names that jobs have elsewhere.
    names: Callable[[], Iterable[str]]
    environment: Mapping[str, str] = field(default_factory=lambda: clean_environment(os.environ))

    def configure(self, places: GridPlaces, transfer: TransferSettings) -> None:
        """Take new settings."""
        self.places, self.transfer = places, transfer


def clean_environment(found: Mapping[str, str]) -> dict[str, str]:
    """Return the part of our environment that remote systems may see. The marks of our ancestors are left out:
    processes with them are killed when a daemon dies, and a job of a batch system on this machine must survive that."""
    kept = {name: value for name, value in found.items() if name in _KEPT or name.startswith(_KEPT_BEGINNINGS)}
    for name in ("SLURM_JOB_ID", "SLURM_JOBID", "LSB_JOBID", "PBS_JOBID"):
        kept.pop(name, None)  # we are not of the job that may have started us
    kept.setdefault("PATH", _PATH)
    return kept


def mark_of(directory: str) -> str:
    """Eight letters for a directory of this machine."""
    try:
        with open("/etc/machine-id", encoding="ascii") as file:
            machine = file.read().strip()
    except (OSError, ValueError):
        machine = ""
    return hashlib.sha256(f"{machine}:{directory}".encode("utf-8", "surrogateescape")).hexdigest()[:8]
