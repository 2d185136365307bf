"""What the configuration asks for to isolate jobs, and this machine does not do: nobody is to believe it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from condor_py.config.rooms.isolation import promise_of
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.starter import StarterSettings
from condor_py.starter.volume import may_make_volumes

_DISK = "STARTD_ENFORCE_DISK_LIMITS"
_NO_VOLUMES = "there are no loop devices, or no mkfs.ext4: jobs may use more disk than they ask for"


def with_isolation(knobs: StartdSettings, starter: StarterSettings, tell: Callable[[str], None]) -> StartdSettings:
    """The startd's knobs with all that is missing. ``tell`` takes lines for its log."""
    missing = {knob: promise_of(knob) for knob in knobs.missing_isolation}
    if starter.scratch_volume is not None and not may_make_volumes():
        missing[_DISK] = _NO_VOLUMES
    for knob, text in missing.items():
        tell(f"WARNING: {knob} is set, but {text}")
    return replace(knobs, missing_isolation=tuple(missing))
