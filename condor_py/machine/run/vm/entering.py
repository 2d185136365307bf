"""How a keeper becomes the owner of its machine."""

from __future__ import annotations

import os
from dataclasses import replace

from condor_py.machine.run.identity import Account
from condor_py.machine.run.spawning import become

KVM = "/dev/kvm"


def enter_as(owner: Account | None, directory: str) -> None:
    """The calling process gets the rights of the owner (None: it keeps ours), who may use the processor's support for
    virtual machines, and goes to the directory."""
    os.umask(0o022)
    if owner is not None and os.geteuid() == 0 and owner.uid != 0:
        become(replace(owner, groups=(*owner.groups, *kvm_groups())))
    os.chdir(directory)


def kvm_groups() -> tuple[int, ...]:
    """The group that may use /dev/kvm, unless that is root's."""
    try:
        found = os.stat(KVM)
    except OSError:
        return ()
    return (found.st_gid,) if found.st_gid and found.st_mode & 0o060 == 0o060 else ()
