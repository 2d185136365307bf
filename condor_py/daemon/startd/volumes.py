"""Whether this machine can give each job a file system of its own (STARTD_ENFORCE_DISK_LIMITS)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.starter import StarterSettings
from condor_py.starter.volume import may_make_volumes

_KNOB = "STARTD_ENFORCE_DISK_LIMITS"


def with_disk_limits(knobs: StartdSettings, starter: StarterSettings, tell: Callable[[str], None]) -> StartdSettings:
    """The startd's knobs, with a word where the limits cannot be kept although root wants them."""
    if starter.scratch_volume is None or may_make_volumes():
        return knobs
    why = "there are no loop devices, or no mkfs.ext4: jobs may use more disk than they ask for"
    tell(f"WARNING: {_KNOB} is set, but {why}")
    return replace(knobs, missing_isolation=(*knobs.missing_isolation, _KNOB))
