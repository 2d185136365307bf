"""Abilities of this machine that have to be tried: containers, virtual machines and Java."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from condor_py.core.slots import events as on
from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.loop import Loop, Timer
from condor_py.daemons.startd.containers import ContainerSetup, Engines, in_execute, remove_trials
from condor_py.daemons.startd.scratchdisks import with_disk
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.lang.config.builders.isolation import promise_of
from condor_py.machine.run.identity import Account
from condor_py.machine.run.means import Means, means
from condor_py.machine.run.namespaces import may_mount
from condor_py.machine.run.projectquota import has_quotas
from condor_py.machine.run.sandbox import why_not_encrypted
from condor_py.machine.run.spawning import quick
from condor_py.machine.run.volume import may_make_volumes
from condor_py.model.messages import machine
from condor_py.model.report import ExitReport
from condor_py.model.settings.java import JavaAbilities, JavaSettings
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.settings.virtual import VmAbilities, VmSettings
from condor_py.model.states import VacateCode

# Whether virtual machines can run here. They are tried by a child: a real one is started and ended, as a job's is.

Tell = Callable[[str], None]


class VirtualMachines:
    """Those of one startd. ``happened`` gets events for its core."""

    def __init__(self, loop: Loop, tell: Tell, happened: Callable[[on.Event], object]) -> None:
        self._loop, self._tell, self._happened = loop, tell, happened
        self._settings = VmSettings()
        self._user: Account | None = None
        self._executes: tuple[str, ...] = ()
        self._errand: Errand | None = None
        self._timer: Timer | None = None
        self._again = self._offline = False
        #: Whether machines get the processor of this machine.
        self.host_processor = True

    def use(self, settings: VmSettings, user: Account | None, executes: tuple[str, ...] = ()) -> None:
        """Takes what the configuration says, and tries it with the rights of ``user`` (None: ours), in the first of
        ``executes``."""
        self._executes = executes
        if settings == self._settings and self._user == user and not self._offline:
            return
        self._settings, self._user = settings, user
        self.look()

    def look(self) -> None:
        """Try a virtual machine while the startd works."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._errand is not None:
            self._again = True
        elif not self._settings.kind:
            self._happened(on.MachinesFound(VmAbilities()))
        else:
            settings, user = self._settings, self._user
            work = in_execute(self._executes, lambda: _try_machines(settings, user))
            self._errand = Errand(self._loop, work, self._tried)

    def _tried(self, result: tuple[VmAbilities, str] | None, why: str) -> None:
        self._errand = None
        if self._again:
            self._again = False
            self.look()
            return
        if result is None:
            remove_trials(self._executes)
        able, broken = result if result is not None else (VmAbilities(), why)
        self._tell(f"VM universe: {broken}" if broken else f"VMType('{able.kind}') is supported")
        self.host_processor = not able.plain_because
        if able.plain_because:
            why = f"not that of this machine: {able.plain_because}"
            self._tell(f"VM universe: machines get qemu's default processor, {why}")
        if able.kind:
            import condor_py.machine.run.vm.executor  # noqa: F401 - starters are copies of us
        self._happened(on.MachinesFound(able))
        if broken:
            self._go_offline(broken)
        elif self._offline:
            self._offline = False
            self._happened(machine.UpdateAd((("HasVM", "true"),)))

    def _go_offline(self, why: str) -> None:
        """The machine ad says why; after VM_RECHECK_INTERVAL it is tried again."""
        self._offline = True
        self._happened(machine.UpdateAd((("HasVM", "false"), ("VMOfflineReason", quote_string(why)))))
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.after(float(self._settings.recheck_interval), self.look)

    def ended(self, report: ExitReport) -> None:
        """A machine that ended for a reason that is not its job's may mean that none works any more. (It may also mean
        that its owner has killed it, which must not take virtual machines from other users.)"""
        if report.vacate_code == VacateCode.VM_ERROR:
            self._tell(f"VM universe: {report.error}")
            self.look()

    def stop(self) -> None:
        """Stop the trial: its result is not needed any more."""
        if self._errand is not None:
            self._errand.stop()


def _try_machines(settings: VmSettings, user: Account | None) -> tuple[VmAbilities, str]:
    from condor_py.machine.run.vm.trial import try_machines  # the child that tries them needs it alone

    return try_machines(settings, user)


class Java:
    """The Java machine of one startd. ``happened`` gets events for its core. It takes a moment to start, and so a child
    tries it."""

    def __init__(self, loop: Loop, tell: Tell, happened: Callable[[on.Event], object]) -> None:
        self._loop, self._tell, self._happened = loop, tell, happened
        self._settings = JavaSettings()
        self._user: Account | None = None
        self._executes: tuple[str, ...] = ()
        self._errand: Errand | None = None
        self._again = False

    def use(self, settings: JavaSettings, user: Account | None, executes: tuple[str, ...] = ()) -> None:
        """Takes what the configuration says (now), and tries it with the rights of ``user`` (None: ours), in the first
        of ``executes``."""
        self._settings, self._user, self._executes = settings, user, executes
        if self._errand is not None:
            self._again = True
        elif not os.path.exists(settings.command):
            self._happened(on.JavaFound(JavaAbilities()))
        else:
            work = in_execute(self._executes, lambda: _try_java(settings, user))
            self._errand = Errand(self._loop, work, self._tried)

    def _tried(self, result: tuple[JavaAbilities, str] | None, why: str) -> None:
        self._errand = None
        if self._again:
            self._again = False
            self.use(self._settings, self._user, self._executes)
            return
        if result is None:
            remove_trials(self._executes)
        found, broken = result if result is not None else (JavaAbilities(), why)
        self._tell(f"Java universe: {broken}" if broken else f"Java {found.version} ({found.vendor}) works")
        self._happened(on.JavaFound(found))

    def stop(self) -> None:
        """Stop the trial: its result is not needed any more."""
        if self._errand is not None:
            self._errand.stop()


def _try_java(settings: JavaSettings, user: Account | None) -> tuple[JavaAbilities, str]:
    from condor_py.machine.run.java import try_java  # the child that tries it needs it alone

    return try_java(settings, user)


class Abilities:
    """Those of one startd. ``happened`` gets events for its core."""

    def __init__(self, loop: Loop, tell: Callable[[str], None], happened: Callable[[on.Event], object]) -> None:
        self._engines = Engines(loop, tell, lambda found: happened(on.ContainersFound(found)))
        self._machines = VirtualMachines(loop, tell, happened)
        self._java = Java(loop, tell, happened)

    @property
    def images(self) -> frozenset[str]:
        """Names of images that jobs have run in."""
        return self._engines.images

    def settled(self, settings: StarterSettings) -> StarterSettings:
        """The settings of a starter with what was found out."""
        virtual = settings.virtual
        if virtual.host_processor == self._machines.host_processor:
            return settings
        return settings.changed(virtual=virtual.changed(host_processor=self._machines.host_processor))

    def use(self, containers: ContainerSetup, starter: StarterSettings) -> None:
        """Takes what the configuration says (now), and tries it."""
        self._engines.use(containers)
        self._machines.use(starter.virtual, containers.user, containers.executes)
        self._java.use(starter.java, containers.user, containers.executes)

    def started(self, claim_id: str, job_ad: ClassAd) -> None:
        """A job goes to its starter."""
        self._engines.started(claim_id, job_ad)

    def ended(self, claim_id: str, report: ExitReport) -> None:
        """Learn from the end of a run that something does not work any more."""
        self._engines.ended(claim_id, report)
        self._machines.ended(report)

    def stop(self) -> None:
        """Stop the trials: their results are not needed any more."""
        self._engines.stop()
        self._machines.stop()
        self._java.stop()


_DISK = "STARTD_ENFORCE_DISK_LIMITS"
_ENCRYPTED = "ENCRYPT_EXECUTE_DIRECTORY"
_PROCESSES, _NETWORK, _MOUNTS = "USE_PID_NAMESPACES", "NO_JOB_NETWORKING", "MOUNT_UNDER_SCRATCH"
_NO_VOLUMES = "there are no loop devices, or no mkfs.ext4: jobs may use more disk than they ask for"


def _not_possible(starter: StarterSettings) -> Iterator[tuple[str, str]]:
    """Yield what is configured but impossible here, as (knob, reason)."""
    wanted = {
        _PROCESSES: starter.use_pid_namespaces,
        _NETWORK: starter.no_job_networking,
        _MOUNTS: bool(starter.mount_under_scratch),
    }
    if starter.scratch_volume is not None or any(wanted.values()):
        able = means()
        there = {_PROCESSES: able.processes, _NETWORK: able.network, _MOUNTS: able.mounts}
        yield from ((knob, _why(able)) for knob, is_wanted in wanted.items() if is_wanted and not there[knob])
        if starter.scratch_volume is not None and not may_mount():
            yield _DISK, _why(able)
    disk = starter.scratch_volume
    if disk is not None and not may_make_volumes() and not (disk.thin and has_quotas(starter.execute)):
        yield _DISK, _NO_VOLUMES
    if starter.encrypt_execute_directory and (reason := why_not_encrypted(starter)):
        yield _ENCRYPTED, f"scratch directories are not encrypted: {reason}"
    if starter.use_pid_namespaces and not quick():
        yield _PROCESSES, "the C module _spawn is not built: jobs see the processes of the machine"
    if starter.use_pid_namespaces and not starter.per_job_namespaces:
        yield _PROCESSES, "PER_JOB_NAMESPACES is false: jobs see the processes of the machine"


def _why(able: Means) -> str:
    if not able.unprivileged:
        return "this root may not mount (CAP_SYS_ADMIN)"
    return "it takes root here: this account could not make it in a namespace of users"


def with_isolation(knobs: StartdSettings, starter: StarterSettings, tell: Callable[[str], None]) -> StartdSettings:
    """The startd's knobs with all that is missing. ``tell`` takes lines for its log."""
    missing = {knob: promise_of(knob) for knob in knobs.missing_isolation} | dict(_not_possible(starter))
    for knob, text in missing.items():
        tell(f"WARNING: {knob} is set, but {text}")
    if _DISK not in missing:
        knobs = with_disk(knobs, starter)
    networking = knobs.job_networking or _NETWORK in missing
    return knobs.changed(
        missing_isolation=tuple(missing), job_networking=networking, encrypts=not why_not_encrypted(starter)
    )
