"""The processes of a job: found as descendants of the starter, in a control group where one may be made, and by a group
id of their own where root wants that (USE_GID_PROCESS_TRACKING).

The starter is their subreaper, so that none escapes while it lives. The group also holds those whose starter and startd
died together, limits memory and processes, and counts the CPU of processes that no process waited for. A job is in its
group before its program is executed: nothing that it does is uncounted.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from condor_py.daemons.starter.starterfacts import gpu_uuids
from condor_py.lang.classad import ClassAd, finite, parse, whole
from condor_py.lang.classad.references import external_references
from condor_py.machine.probes import jobgroup, process
from condor_py.machine.probes.containergroup import ContainerGroup
from condor_py.machine.probes.devicefilter import Device
from condor_py.machine.probes.gpu.devicefiles import others
from condor_py.machine.probes.jobgroup import GroupDoor, JobGroup, Limits
from condor_py.machine.probes.process import FamilyUsage
from condor_py.machine.run.process import Within
from condor_py.machine.run.spawning import Inhabitant, quick
from condor_py.model.report import ExitReport
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import HoldCode, Universe

_MB = 1024 * 1024
#: As many bytes as the kernel takes for a limit.
_MOST_MB = (1 << 43) - 1
#: Nice value where JOB_RENICE_INCREMENT gives no number.
_NICENESS = 10
#: Hold subcode of memory.
_MEMORY = 102
_BELOW_LIMIT = 0.9
#: What follows EXECUTE in the name of a group; the groups of a pool whose EXECUTE merely begins like ours do not.
_SLOT = re.compile(r"[A-Za-z]+\d+(?:_\d+)?@")
#: Where the kernel does not keep the limit: bytes that processes may seem to have beyond it, as pages of libraries are
#: counted for each of them.
_SLACK = 64 * _MB


def group_name(execute: str, slot: str, starter: int) -> str:
    """The name of a starter's group below BASE_CGROUP: EXECUTE with underscores, its own doubled, the slot, and the
    process number. No two pools have the same, nor have a starter that leaves and the next one of its slot."""
    return f"{_place(execute)}{slot}.{starter}"


def _place(execute: str) -> str:
    return f"{execute.replace('_', '__').replace('/', '_')}_"


def clear_groups(settings: StarterSettings) -> None:
    """Kills what starters of all slots left in their groups."""
    clear_tracked(*settings.tracking_gids or (0, 0))
    start = _place(settings.execute)
    for group in jobgroup.left_over(settings.base_cgroup, start):
        if _SLOT.match(os.path.basename(group.directories[0]).removeprefix(start)):
            group.clear()


def clear_group(settings: StarterSettings, slot: str, starter: int) -> None:
    """Kills what the starter of this process number, which died, left in the group that it had for ``slot``."""
    name = group_name(settings.execute, slot, starter)
    for group in jobgroup.left_over(settings.base_cgroup, name):
        if os.path.basename(group.directories[0]) == name:
            group.clear()


def clear_tracked(lowest: int, highest: int) -> set[int]:
    """Kills the processes that have a group in this range (USE_GID_PROCESS_TRACKING); what is left. 0 is none."""
    return process.kill_family(lambda: process.with_groups(lowest, highest)) if lowest else set()


class JobFamily:
    """The implementation of ``machine.run.family.Family``, and what only a group can do; one a starter."""

    def __init__(self, settings: StarterSettings, slot_name: str, slot_ad: ClassAd, tracking_gid: int = 0) -> None:
        self._settings = settings
        self._slot_ad = slot_ad
        self._group: JobGroup | None = None
        self._limits: Limits | None = None
        #: The universe of the job that they are for; None where more than that decides about them.
        self._limited: int | None = None
        self._looks_at_job = _looks_at_job(settings, slot_ad)
        #: The surroundings of all jobs; None as long as they are unknown, and where jobs decide about them.
        self._within_all: Within | None = None
        self._over = False
        self._peak_kb = 0
        self._gid = tracking_gid
        #: Our own processes that work while the job runs: they are neither counted nor stopped with it.
        self.helpers: set[int] = set()
        hidden = _others_gpus(slot_ad) if settings.starter_hide_gpu_devices else ()
        if settings.base_cgroup:
            name = group_name(settings.execute, slot_name, os.getpid())
            cache = not settings.cgroup_ignore_cache_memory
            self._group = jobgroup.create(settings.base_cgroup, name, cache=cache, hidden=hidden)
        self._door = GroupDoor(self._group, Inhabitant if quick() else None) if self._group is not None else None

        #: What the log is to say of what the jobs get; "" where it is what they should.
        self.warning = ""
        if hidden and not (self._group is not None and self._group.hides):
            self.warning = "there is no control of devices here: the job may open GPUs of other slots"

    @property
    def grouped(self) -> bool:
        """True when there is a control group."""
        return self._group is not None

    # -- what a run asks for

    @property
    def counts_ended(self) -> bool:
        """A group counts everything that ever ran in it."""
        return self.grouped

    def descendants(self, pid: int, /) -> set[int]:
        """All living processes below ``pid``, and those in the group."""
        found = process.descendants(pid) - self.helpers
        return found | {member for member in self._members() if process.alive(member)} | self._tracked()

    def _members(self) -> set[int]:
        return self._group.members() if self._group is not None else set()

    def _tracked(self) -> set[int]:
        """The processes in the group of our jobs; ourselves not, who work as their owner now and then."""
        if not self._gid:
            return set()
        return set(process.with_groups(self._gid, self._gid)) - self.helpers - {os.getpid()}

    def send(self, pids: Iterable[int], number: int, /) -> int:
        """Sends a signal to each; how many took it."""
        return process.send(pids, number)

    def usage(self, pids: Iterable[int], /) -> FamilyUsage:
        """Return the common usage of living processes; with a group also the CPU time of ended ones."""
        found = process.usage(pids)
        if self._group is None:
            return found
        used = self._group.usage()
        return found._replace(
            user_cpu=max(used.user_cpu, found.user_cpu),
            sys_cpu=max(used.sys_cpu, found.sys_cpu),
            rss_kb=used.rss_kb or found.rss_kb,
        )

    def container(self, name: str, /) -> ContainerGroup:
        """The container with this id."""
        return ContainerGroup(name)

    def sees(self, pid: int, path: str, /) -> tuple[int, int] | None:
        """Device and inode of what ``path`` is for a process; None when it is gone, or sees nothing there."""
        return process.sees(pid, path)

    def innermost(self, pid: int, /) -> int:
        """The first process below ``pid`` that sees other directories than ``pid`` and we do; 0 if no process does."""
        return process.innermost(pid)

    def kill_family(self, find: Callable[[], Iterable[int]], /) -> set[int]:
        """Kills what ``find`` finds until nothing is found; what is left."""
        if self._group is not None:
            self._group.kill()
        return process.kill_family(find)

    # -- a job

    def prepare(self, job_ad: ClassAd) -> None:
        """Limits the group for the next job. OSError when that cannot be done."""
        self._over, self._peak_kb = False, 0
        if self._group is None:
            return
        kind = None if self._looks_at_job else job_ad.eval_int("JobUniverse", 0)
        if kind is None or kind != self._limited:
            self._limit(job_ad)
            self._limited = kind
        self._group.begin()
        if self._settings.cgroup_use_peak_memory:
            self._group.begin_peak()

    def _limit(self, job_ad: ClassAd) -> None:
        limits = _limits(self._settings, self._slot_ad, job_ad)
        if self._group is not None and limits != self._limits:
            if not self._group.limit(limits):
                raise OSError(errno.EBUSY, "the limit of memory cannot be set", self._group.directories[0])
            self._limits = limits

    def within(self, job_ad: ClassAd) -> Within:
        """Return the surroundings of this job's program: its group from the beginning, its priority and its limits."""
        if self._within_all is not None:
            return self._within_all
        increment, space = self._settings.job_renice_increment, self._settings.rlimit_as_expr
        wanted = _whole(job_ad, increment)
        niceness = _NICENESS if wanted is None else max(0, min(19, wanted))
        address_space = whole(_whole(self._slot_ad, space, job_ad) or 0, 0, _MOST_MB) * _MB
        within = Within(door=self._door, niceness=niceness, address_space=address_space)
        if increment.isdecimal() and space.isdecimal():
            self._within_all = within
        return within

    def join(self) -> None:
        """Takes the calling process, a fresh child of the starter, into the group. OSError."""
        if self._group is not None:
            self._group.join()

    def again(self) -> None:
        """The job continues with a new program (after a checkpoint): the use so far has been counted."""
        if self._group is not None:
            self._group.begin()

    def too_big(self) -> bool:
        """Whether a job has met its limit of memory: the kernel has killed something of it (version 1 of control groups
        leaves the rest alone), or it uses more where the kernel does not see to that."""
        limit = self._limits.hard if self._limits is not None else 0
        if limit and self._group is not None and not self._over:
            if self._group.limits_memory:
                self._over = self._group.oom_kills() > 0
            else:
                self._over = process.usage(self._members()).rss_kb * 1024 > limit + _SLACK
        return self._over

    def uncounted(self, counted: tuple[float, float]) -> tuple[float, float]:
        """Seconds of CPU (user, system) that the group used beyond what is ``counted``: those of processes that were
        not waited for. Notes the peak of memory as well, while the files of the job are there, and with them the page
        cache that is not to count."""
        if self._group is None:
            return 0.0, 0.0
        if self._settings.cgroup_use_peak_memory:
            self._peak_kb = self._group.peak_kb()
        user_cpu, sys_cpu = self._group.cpu()
        return max(0.0, user_cpu - counted[0]), max(0.0, sys_cpu - counted[1])

    def judge(self, report: ExitReport) -> ExitReport:
        """The report of a job that the kernel killed for its memory: it is held, or runs again where there is room."""
        report = self._with_peak(report)
        if self._group is None or self._limits is None:
            return report
        if not self._over and not self._group.oom_kills():
            return report
        limit = self._limits.hard // _MB
        used = report.usage.max_rss_kb // 1024
        if not self._settings.always_hold_on_oom and limit and used < _BELOW_LIMIT * limit:
            return replace(report, error="Worker node is out of memory")
        if self._settings.always_hold_on_oom or not used:
            used = limit
        reason = "Job has encountered an out-of-memory event."
        if limit:
            reason = (
                f"Job has gone over cgroup memory limit of {limit} megabytes. Last measured usage: {used} megabytes.  "
                "Consider resubmitting with a higher request_memory."
            )
        code = int(HoldCode.JOB_OUT_OF_RESOURCES)
        return replace(report, hold_code=code, hold_subcode=_MEMORY, hold_reason=reason)

    def _with_peak(self, report: ExitReport) -> ExitReport:
        """The report with the kernel's peak of memory (CGROUP_USE_PEAK_MEMORY), which looks may have missed."""
        if not self._peak_kb:
            return report
        peak_kb = max(report.usage.max_rss_kb, self._peak_kb)
        return replace(report, usage=replace(report.usage, max_rss_kb=peak_kb))

    def close(self) -> None:
        """Kills what is left in the group and removes it."""
        if self._door is not None:
            self._door.close()
        if self._group is not None:
            self._group.clear()
        if self._gid:
            process.kill_family(self._tracked)


def _others_gpus(slot_ad: ClassAd) -> tuple[Device, ...]:
    """The GPUs of this machine that the slot does not have. None when it is not known which ones it has."""
    known = dict(gpu_uuids(slot_ad))
    if set((slot_ad.eval_str("AssignedGPUs", None) or "").replace(",", " ").split()) - known.keys():
        return ()
    return others(known.values())


def _looks_at_job(settings: StarterSettings, slot_ad: ClassAd) -> bool:
    """Whether an expression that may look at a job, or at the time, decides about its limits."""
    if settings.cgroup_memory_limit_policy == "custom":
        return True
    deciding = (settings.cgroup_low_memory_limit, settings.cgroup_pids_limit_expr)
    return any("(" in text or external_references(text, slot_ad) for text in deciding if text)


def _limits(settings: StarterSettings, slot_ad: ClassAd, job_ad: ClassAd) -> Limits:
    """Return the limits that CGROUP_MEMORY_LIMIT_POLICY makes of the slot's memory, and those of CPU and processes."""
    is_machine = job_ad.eval_int("JobUniverse", 0) == Universe.VM
    own = settings.virtual.overhead if is_machine else 0  # of the program that is the machine
    memory = ((slot_ad.eval_int("Memory", 0) or 0) + own) * _MB
    cpus = max(1, int(slot_ad.eval_real("Cpus", 1.0) or 1))
    low = _whole(slot_ad, settings.cgroup_low_memory_limit, job_ad) or 0
    policy = settings.cgroup_memory_limit_policy
    hard = memory if policy == "hard" else 0
    soft = memory if policy == "soft" else 0
    if policy == "custom":
        hard = (_whole(slot_ad, settings.cgroup_hard_memory_limit_expr, job_ad) or 0) * _MB
        soft = (_whole(slot_ad, settings.cgroup_soft_memory_limit_expr, job_ad) or 0) * _MB
    processes = max(0, _whole(slot_ad, settings.cgroup_pids_limit_expr, job_ad) or 0)
    return Limits(hard, soft, low * _MB, not settings.disable_swap_for_job, cpus, processes)


def _whole(ad: ClassAd, text: str, target: ClassAd | None = None) -> int | None:
    """The whole number that an expression gives; None for anything else."""
    if not text:
        return None
    if text.isascii() and text.isdecimal():
        return whole(int(text))
    value = ad.raw(parse(text), target)
    number = None if type(value) is bool else finite(value)
    return None if number is None else whole(number)
