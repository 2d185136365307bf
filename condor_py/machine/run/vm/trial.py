"""Trying virtual machines, as the startd does at its start: one without a disk is started, looked at and ended."""

from __future__ import annotations

import json
import os
import select
import socket
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from condor_py.machine.run.identity import Account, UnknownAccount, account, as_user
from condor_py.machine.run.vm.drivers import work_of
from condor_py.machine.run.vm.executor import enter_as
from condor_py.machine.run.vm.keeper import start_keeper
from condor_py.machine.run.vm.spec import VmSpec
from condor_py.model.settings.virtual import LIBVIRT, VmAbilities, VmSettings

_SHOWN = 300
_MB = 32
#: Characters of a directory in which the sockets of libvirt have paths of 107 at most.
_LONGEST = 49


def try_machines(settings: VmSettings, user: Account | None) -> tuple[VmAbilities, str]:
    """Find out which virtual machines can run here, and why not. It may take twice as long as VM_GAHP_REQ_TIMEOUT:
    where a machine with the processor of this one does not start, as under nested KVM, one with qemu's default
    processor is tried. ``user``: the account whose rights jobs have, None for ours; as root those of an unprivileged
    account, as jobs are not root's."""
    whose = user or _nobody()
    broken = _not_set_up(settings)
    plain_because = ""
    if not broken and (broken := _run_one(settings, whose)) and not settings.emulates:
        plain_because = broken[:_SHOWN]
        if not _run_one(settings.changed(host_processor=False), whose):
            broken = ""
    if broken:
        return VmAbilities(), broken[:_SHOWN]
    able = VmAbilities(settings.kind, settings.memory, settings.most, settings.networks, settings.hardware_vt)
    return able._replace(plain_because=plain_because), ""


def _nobody() -> Account | None:
    if os.geteuid() != 0:
        return None
    try:
        return account("nobody")
    except UnknownAccount:
        return None


def _not_set_up(settings: VmSettings) -> str:
    if settings.kind != "kvm":
        return f"VM_TYPE is {settings.kind}, only kvm can be run here"
    if settings.memory <= 0:
        return "VM_MEMORY is not set"
    if settings.driver == LIBVIRT and not settings.virsh:
        return "there is no virsh (VIRSH), which is libvirt's"
    if not settings.qemu:
        return "there is no qemu (QEMU)"
    return ""


def _run_one(settings: VmSettings, user: Account | None) -> str:
    """Why a machine cannot run; "" when it can."""
    spec = VmSpec("condor_trial", min(_MB, settings.memory), 1, ())
    with _place(user) as place, _home(settings, place) as home:
        _give(home, user)
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": place}
        work = work_of(settings, spec, environment, place, lambda: "", home=home)
        try:
            pid, line = start_keeper(work, lambda: enter_as(user, place))
        except OSError as error:
            return f"no keeper: {error.strerror}"
        try:
            return _first_word(line, settings.patience)
        finally:
            line.close()  # which ends it
            os.waitpid(pid, 0)


@contextmanager
def _place(user: Account | None) -> Iterator[str]:
    """A directory for the files of the trial, which is the account's: in /tmp where it cannot get into EXECUTE, as that
    of a pool in root's home directory."""
    for above in (None, "/tmp"):
        with tempfile.TemporaryDirectory(prefix="vm_test.", dir=above) as place:
            _give(place, user)
            with as_user(user):
                reached = os.access(place, os.W_OK | os.X_OK, effective_ids=True)
            if reached or above is not None:
                yield place
                return


def _give(directory: str, user: Account | None) -> None:
    if user is not None and os.geteuid() == 0:
        os.chown(directory, user.uid, user.gid)


def _home(settings: VmSettings, place: str) -> AbstractContextManager[str]:
    """The directory for what libvirt needs: ``place``, or one in /tmp where the paths of its sockets would be too
    long."""
    if settings.driver != LIBVIRT or len(place) <= _LONGEST:
        return nullcontext(place)
    return tempfile.TemporaryDirectory(prefix="condor_vm.", dir="/tmp")


def _first_word(line: socket.socket, patience: float) -> str:
    while select.select([line], [], [], patience)[0]:
        text = line.recv(1 << 16)
        if not text:
            return "the trial died"
        message = json.loads(text)
        if message.get("running"):
            return ""
        if message.get("end"):
            return str(message.get("said") or "it does not run")
    return f"it did not start within {patience:.0f} seconds"
