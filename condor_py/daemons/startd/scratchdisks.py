"""Storage for the disks of jobs: the volume group of the configuration, or one that the startd makes on a file."""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.machine.run import backingfile
from condor_py.machine.run.projectquota import has_quotas
from condor_py.machine.run.sandbox import group_of
from condor_py.machine.run.volume import may_make_volumes
from condor_py.model.settings.startd import DiskStore, StartdSettings
from condor_py.model.settings.starter import BackingFile, ScratchVolume, StarterSettings

_DISK, _GROUP, _FILE = "STARTD_ENFORCE_DISK_LIMITS", "LVM_VOLUME_GROUP_NAME", "LVM_BACKING_FILE"
_INSTEAD = "scratch directories are files on loop devices"


class ScratchDisks:
    """Makes the group on LVM_BACKING_FILE once, and takes it away in the end."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._made: tuple[BackingFile, ScratchVolume] | None = None
        self._tried = False

    def settled(self, starter: StarterSettings) -> StarterSettings:
        """The settings of starters with the group in them that their volumes are to be made in, if there is one. A file
        counts from the startd's start on, or from the first reconfig that asks for one."""
        disk = starter.scratch_volume
        if disk is None:
            return starter
        if disk.group:
            if reason := group_of(disk).why_not():
                self._tell(f"WARNING: {_GROUP} is set, but {reason}: {_INSTEAD}")
                return starter.changed(scratch_volume=disk._replace(group="", pool=""))
            return starter
        if disk.file is not None and not self._tried:
            self._tried = True
            self._make(disk.file, disk)
        if self._made is None:
            return starter
        file, made = self._made
        there = made._replace(hidden=disk.hidden, extra_mb=disk.extra_mb if made.thin else 0, file=file)
        return starter.changed(scratch_volume=there)

    def _make(self, file: BackingFile, disk: ScratchVolume) -> None:
        try:
            group = backingfile.set_up(file, disk.thin)
        except OSError as error:
            said = " ".join(str(error).split())
            self._tell(f"{_DISK}: there is no volume group on {_FILE} {file.path} ({said}): {_INSTEAD}")
            return
        self._made = file, disk._replace(group=group.name, pool=group.pool)
        self._tell(f"{_DISK}: volume group {group.store} on {file.path}")

    def take_down(self) -> None:
        """No job has a volume any more."""
        if self._made is not None:
            for text in backingfile.take_down(self._made[0]):
                self._tell(f"WARNING: {self._made[0].path} stays: {text}")
            self._made = None


def with_disk(knobs: StartdSettings, starter: StarterSettings) -> StartdSettings:
    """Return the settings with the disks of jobs as they are advertised. The disk space for jobs is that of their
    group, unless the configuration says how much it is."""
    disk = starter.scratch_volume
    if disk is None:
        return knobs
    if not disk.group:
        return knobs.changed(enforces_disk=may_make_volumes() or (disk.thin and has_quotas(starter.execute)))
    group = group_of(disk)
    try:
        room = group.room()
    except OSError:
        return knobs.changed(enforces_disk=True)
    store = DiskStore(group.store, bool(group.pool), disk.file is not None, room.detected, room.foreign, room.extent)
    kb = group.offered_kb(room.free, os.cpu_count() or 1) if knobs.disk_kb is None else knobs.disk_kb
    return knobs.changed(enforces_disk=True, disk_store=store, disk_kb=kb)
