"""The columns of condor_status's tables."""

from __future__ import annotations

from condor_py.cli.output import renderers
from condor_py.cli.output.mask import Column, Renderer
from condor_py.cli.status import gpus
from condor_py.cli.status.modes import Style
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.values import UNDEFINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Constraint of a compact table: partitionable slots and those that were not cut from one.
COMPACT = "PartitionableSlot =?= true || DynamicSlot =!= true"
AVAILABLE = 'State == "Unclaimed" && Cpus > 0 && Memory > 0'
CLAIMED_COMPACT = (
    '(State == "Claimed" && DynamicSlot =!= true) || (NumDynamicSlots isnt undefined && NumDynamicSlots > 0)'
)
GPUS_COMPACT = (
    "AvailableGPUs isnt undefined && (size(AvailableGPUs) > 0 || (PartitionableSlot && AssignedGPUs isnt undefined))"
)
GPUS = "(PartitionableSlot && AssignedGPUs isnt undefined) ?: Gpus"


class Display:
    """A table: its columns, what is added to the constraint, and how wide everything but Name and Machine is
    (tty)."""

    __slots__ = ("columns", "fixed", "where")

    def __init__(self, columns: Callable[[], list[Column]], where: str = "", fixed: int = 0) -> None:
        self.columns = columns
        self.where = where
        self.fixed = fixed


def _text(
    source: str,
    heading: str = "",
    fmt: str | None = "%v",
    render: Renderer | None = None,
    *,
    at_least: int = 0,
    alt: str = "",
    prefix: bool = True,
) -> Column:
    """A column as wide as its heading (or ``at_least``) that grows with its values."""
    label = heading or source
    shape = None if render is not None and fmt == "%v" else fmt
    width = -max(len(label), at_least)
    return Column(source, label, width, shape, render, auto=True, alt=alt, prefix=prefix)


def _blank_undefined(value: Any, ad: ClassAd) -> Any:
    return "" if value is UNDEFINED else value


def _fixed(
    source: str,
    heading: str,
    width: int,
    fmt: str | None = None,
    render: Renderer | None = None,
    *,
    alt: str = "??",
    truncate: bool = False,
    prefix: bool = True,
) -> Column:
    """A column of one width; negative widths align left. Without a format an undefined value is shown as spaces."""
    if fmt is None and render is None:
        render = _blank_undefined
    return Column(source, heading, width, fmt, render, truncate=truncate, alt=alt, prefix=prefix)


def _name(width: int = 34) -> Column:
    return Column("Name", "Name", -width, "%s", auto=True, alt="??")


def _machine(width: int = 7) -> Column:
    return Column("Machine", "Machine", -width, "%s", auto=True)


def activity(value: Any, ad: ClassAd) -> Any:
    """The activity; OCU for a slot that its owner keeps while no job runs."""
    if value == "Idle" and ad.eval_bool("OCU", False):
        return "OCU"
    return "??" if value is UNDEFINED else value


def slot_count_tag(value: Any, ad: ClassAd) -> str:
    """The letter behind the number of slots: S for static ones."""
    text = value if isinstance(value, str) else ""
    return {"Static": "S", "Partitionable": " "}.get(text, text[:1])


def _platform() -> Column:
    return _text("OpSys", "Platform", render=renderers.platform)


def _who() -> list[Column]:
    return [_name(), _fixed("OpSys", "OpSys", -10), _fixed("Arch", "Arch", -8)]


def _load() -> Column:
    return _fixed("CondorLoadAvg", "LoadAv", 6, render=renderers.load_average, truncate=True)


def _activity_time(heading: str) -> Column:
    render = renderers.activity_time
    prefix = not heading.startswith(" ")
    return _fixed("EnteredCurrentActivity", heading, 12, "%T", render, alt="-", truncate=True, prefix=prefix)


def slots(wide: bool) -> list[Column]:
    """The default table."""
    return [
        *_who(),
        _text("State", alt="??"),
        _fixed("Activity", "Activity", -8, render=activity),
        _load(),
        _fixed("Memory", "Mem", 6, "%6d"),
        _activity_time("ActivityTime" if wide else "  ActvtyTime"),
    ]


def _claimed() -> list[Column]:
    return [
        *_who(),
        _load(),
        _fixed("RemoteUser", "RemoteUser", -20),
        _fixed("ClientMachine", "ClientMachine", -16),
    ]


def _server() -> list[Column]:
    return [
        *_who(),
        _load(),
        _fixed("Memory", "Memory", 8, "%8d"),
        _fixed("Disk", "Disk", 9, "%9d"),
        _fixed("Mips", "Mips", 7, "%7d"),
        _fixed("KFlops", "KFlops", 9, "%9d"),
    ]


def _state() -> list[Column]:
    return [
        _name(),
        _text("Cpus", "Cpu", alt="??"),
        _fixed("Memory", " Mem", 5),
        _load(),
        _fixed("KeyboardIdle", "  KbdIdle", 12, render=renderers.elapsed, truncate=True),
        _fixed("State", "State", -7),
        _fixed("EnteredCurrentState", "  StateTime", 12, "%T", renderers.elapsed_time, truncate=True),
        _text("Activity", "Activ", alt="??"),
        _fixed("EnteredCurrentActivity", "  ActvtyTime", 12, "%T", renderers.elapsed_time, alt="-", truncate=True),
    ]


def _compact_head(machine_width: int = 7) -> list[Column]:
    return [
        _machine(machine_width),
        _platform(),
        _text("NumDynamicSlots", "Slot", "%4d", alt=" "),
        _text("SlotType", "s", render=slot_count_tag, prefix=False),
    ]


def _sizes() -> list[Column]:
    return [
        _text("TotalSlotCpus", "Cpus", "%4d"),
        _text("TotalSlotGPUs", "Gpus", "%4d"),
        _text("TotalSlotMemory / 1024.0", " TotalGb", "%8.2f"),
    ]


def _load_and_starts() -> list[Column]:
    return [
        _text("TotalLoadAvg * 1.0 / TotalCpus", "CpuLoad", "%7.2f"),
        _fixed("Activity", "ST", 2, render=renderers.activity_code, alt=""),
        _text("RecentJobStarts / 20.0", "Jobs/Min", "%8.2f", alt="_"),
    ]


def _compact_slots() -> list[Column]:
    return [
        *_compact_head(12),
        *_sizes(),
        _text("Cpus", "FreCpu", "%6d"),
        _text("Memory / 1024.0", " FreeGb ", "%8.2f"),
        *_load_and_starts(),
        _text("Max(ChildMemory) / 1024.0", "MaxSlotGb", "%9.2f", alt="*"),
    ]


def _compact_server() -> list[Column]:
    speeds = [_text("Mips", " Mips  ", "%7d", alt="-"), _text("KFlops", " KFlops  ", "%9d", alt="-")]
    return [*_compact_head(), *_sizes(), *speeds, *_load_and_starts()]


def _compact_state() -> list[Column]:
    return [*_compact_head(), *_sizes(), *_load_and_starts()]


def _compact_claimed() -> list[Column]:
    return [*_compact_head(), _text("ChildRemoteUser", "Users", render=renderers.unique)]


def _gpus() -> list[Column]:
    names = 'GPUs_DeviceName ?: join(",", evalInEachContext(DeviceName, AvailableGPUs)) ?: CUDADeviceName'
    return [
        _text("Name"),
        _fixed("Activity", "ST", 2, render=renderers.activity_code, alt=""),
        _text("RemoteUser", "User", "%s", alt="_"),
        _text("GPUs", "GPUs", "%4d"),
        _text("GPUs_GlobalMemoryMB", "GPU-Memory", render=renderers.readable(1048576.0), alt="_"),
        _text(names, "GPU-Name", "%s", alt="*"),
    ]


def _compact_gpus() -> list[Column]:
    return [
        *_compact_head(),
        _text("GPUs", "FreGPU", "%6d"),
        _text("TotalSlotGPUs", "TotGPUs", render=gpus.total),
        _text("AssignedGPUs", "Capability", render=gpus.capabilities),
        _text("AssignedGPUs", "GPUsMemory", render=gpus.memories),
        _text("AssignedGPUs", "DeviceNames", render=gpus.names),
    ]


def _startd_gpus() -> list[Column]:
    def each(name: str) -> str:
        return f"evalInEachContext({name},DetectedGPUs)"

    return [
        _text("Name"),
        _text("DetectedCPUs", "Cores"),
        _fixed("DetectedMemory", "  Memory", 10, render=renderers.readable(1048576.0)),
        _text("DetectedGPUs", "GPUs", "%d", renderers.member_count),
        _text(each("GlobalMemoryMB"), "GPU-Memory", render=renderers.unique, alt=" "),
        _text(each("DeviceName"), "GPU-Name", render=renderers.unique, alt=" "),
        _text("OfflineGPUs", "Offline-GPUs", render=renderers.unique, alt=" "),
    ]


def _broken() -> list[Column]:
    return [
        _text("Name"),
        _text("SlotBrokenCode", "Code", "%4d", alt=" "),
        _text("SlotBrokenReason", "Reason"),
    ]


def broken_reasons(value: Any, ad: ClassAd) -> str | None:
    """A line for each reason that BrokenReasons names: the slot and why."""
    found = []
    for name, _ in ad.text_items("sorted"):
        if name.lower().endswith("brokenreason") and name.lower() != "slotbrokenreason":
            found.append(f"{name[: -len('BrokenReason')]:<12.12} {ad.eval_str(name) or ''}")
    return "\n".join(found) or None


def _startd_broken() -> list[Column]:
    return [_text("Name", "Machine"), _text("BrokenReasons", "Resource     Reason", render=broken_reasons)]


def _provision() -> Column:
    return _fixed('LvmIsThinProvisioning =?= true ? "thin " : "thick"', "PROVISION", 9, "%-9s")


def _lvm() -> list[Column]:
    return [
        _text("Name", "NAME"),
        _provision(),
        _fixed("Disk", "ALLOCATED", 9, render=renderers.readable(1024.0)),
        _text("(DiskUsage ?: 0 / real(Disk)) * 100", "  USAGE", "%3.2f%%"),
    ]


def _startd_lvm() -> list[Column]:
    return [
        _text("Name", "HOST"),
        _text("LvmBackingStore", "DEVICE", alt="??"),
        _provision(),
        _fixed("max({(LvmDetectedDisk ?: 0 - LvmNonCondorDiskUsage ?: 0), 0})", "    DISK", 9,
               render=renderers.readable(1.0)),
        _fixed('LvmUsingLoopback =?= true ? " true" : "false"', "LOOPBACK", 8, "%8s"),
    ]  # fmt: skip


def _health(heading: str, factor: str) -> list[Column]:
    return [
        _text("Name", heading),
        _text("int(HealthFactor * 100)", factor, "%5d%%", alt="?"),
        _text("HealthExprs", "FAILED_HEALTH_CHECKS", render=renderers.unique, alt="?"),
    ]


def _startd() -> list[Column]:
    return [
        _text("Name"),
        _text("OpSys", "Platform", render=renderers.platform),
        _text("CondorVersion", "Version", render=renderers.condor_version),
        *_daemon_sizes(),
        _fixed("DetectedGPUs", "GPUs", 5, "%d", renderers.member_count, alt=" "),
        _uptime(),
    ]


def _daemon_sizes() -> list[Column]:
    return [
        _fixed("DetectedCpus", "Cpus", 4, "%4d"),
        _fixed("DetectedMemory", "  Memory", 10, render=renderers.readable(1048576.0)),
    ]


def _uptime() -> Column:
    return _fixed("DaemonStartTime", "   Uptime", 13, "%T", renderers.elapsed_time, alt="")


def _master() -> list[Column]:
    version = _fixed("CondorVersion", "Version", -14, render=renderers.condor_version, alt="")
    return [_text("Name", at_least=12), version, *_daemon_sizes(), _uptime()]


def _schedd() -> list[Column]:
    return [_text("Name", at_least=15), _machine(12), *_job_counts("Total")]


def _job_counts(prefix: str) -> list[Column]:
    return [
        _text(f"{prefix}RunningJobs", "RunningJobs", "%11d"),
        _text(f"{prefix}IdleJobs", "  IdleJobs", "%10d"),
        _text(f"{prefix}HeldJobs", "  HeldJobs", "%10d"),
    ]


def _schedd_run() -> list[Column]:
    return [
        _text("Name", at_least=15),
        _text("TotalJobAds", "TotalJobs", "%9d"),
        _text("ShadowsRunning", "Shadows", "%7d"),
        _text("TotalSchedulerJobsRunning", "ActiveDAGs", "%10d"),
        _text("TotalSchedulerJobsIdle", "IdleDAGs", "%8d"),
        _text("RecentJobsCompleted", "RcntDone", "%8d"),
        _text("RecentJobsStarted", "RcntStart", "%9d"),
    ]


def _schedd_data() -> list[Column]:
    return [
        _text("Name", at_least=15),
        _text("TransferQueueNumDownloading", "Download", "%8d"),
        _text("FileTransferDownloadBytesPerSecond_5m / 1024.0", "KB/sec(5m)", "%9.2f"),
        _text("TransferQueueNumWaitingToDownload", "Waiting", "%7d"),
        _text("FileTransferMBWaitingToDownload", "WaitingMB", "%9.2f"),
        _text("TransferQueueNumUploading", "      Upload", "%12d"),
        _text("FileTransferUploadBytesPerSecond_5m / 1024.0", "KB/sec(5m)", "%9.2f"),
        _text("TransferQueueNumWaitingToUpload", "Waiting", "%7d"),
        _text("FileTransferMBWaitingToUpload", "WaitingMB", "%9.2f"),
    ]


def _submitters() -> list[Column]:
    return [_text("Name", at_least=15), _machine(12), *_job_counts("")]


def _collector() -> list[Column]:
    return [
        _text("Name"),
        _fixed("Machine", "Machine", -18, "%s", alt=""),
        _text("RunningJobs", "RunningJobs", "%11d"),
        _text("IdleJobs", "  IdleJobs", "%10d"),
        _text("HostsTotal", "HostsTotal", "%10d"),
    ]


def _negotiator() -> list[Column]:
    last = "LastNegotiationCycle"
    return [
        _text("Name", at_least=12),
        _fixed(f"{last}End0", "LastCycleEnd", 12, render=renderers.date, alt=""),
        _text(f"{last}Duration0", "(Sec)", "%5d"),
        _text(f"{last}CandidateSlots0", "  Slots", "%7d"),
        _text(f"{last}ActiveSubmitterCount0", "Submitrs", "%8d"),
        _text(f"{last}NumSchedulers0", "Schedds", "%7d"),
        _text(f"{last}NumIdleJobs0", "   Jobs", "%7d"),
        _text(f"{last}Matches0", "Matches", "%7d"),
        _text(f"{last}Rejections0", "Rejections", "%10d"),
    ]


def _accounting() -> list[Column]:
    return [
        Column("Name", "Name", -12, "%v"),
        _text("Priority", "Priority", "%8.2f"),
        _text("PriorityFactor", "PrioFactor", "%10.2f"),
        _text("ResourcesUsed", "ResInUse", "%8d"),
        _fixed("WeightedAccumulatedUsage", "WeightedUsage", 13, "%13.2f", alt=""),
        _fixed("LastUsageTime", "  LastUsage", 12, "%T", renderers.elapsed_time, alt=""),
    ]


def _grid() -> list[Column]:
    return [
        Column("Name", "Name", -34, "%s", alt="??"),
        _fixed("NumJobs", "NumJobs", 7, "%7d"),
        _fixed("SubmitsAllowed", "Allowed", 7, "%7d"),
        _fixed("SubmitsWanted", " Wanted", 7, "%7d"),
        _fixed("RunningJobs", "RunningJobs", 11, "%11d"),
        _fixed("IdleJobs", "IdleJobs", 8, "%8d"),
    ]


def _defrag() -> list[Column]:
    return [
        _text("Name", at_least=12),
        _text("MachinesDraining", "Draining", "%8d"),
        _text("MachinesDrainingPeak", "    Peak", "%8d"),
        _text("DrainedMachines", "TotalDrained", "%12d"),
    ]


def _any() -> list[Column]:
    return [
        _fixed('MyType ?: "None"', "MyType", -18, "%v", alt=""),
        _fixed('TargetType ?: "None"', "TargetType", -18, "%v", alt=""),
        Column("Name", "Name", -41, "%v", alt="?"),
    ]


def _storage() -> list[Column]:
    return [_name(), _fixed("Disk", "AvailDisk", 9, "%9d"), _fixed("Subnet", "Subnet", -11)]


DISPLAYS: dict[Style, Display] = {
    Style.SLOTS: Display(lambda: slots(False), fixed=65),
    Style.SERVER: Display(_server, fixed=65),
    Style.STATE: Display(_state, fixed=70),
    Style.CLAIMED: Display(_claimed, fixed=63),
    Style.GPUS: Display(_gpus, GPUS),
    Style.BROKEN: Display(_broken, "size(SlotBrokenReason) > 0"),
    Style.LVM: Display(_lvm, "IsEnforcingDiskUsage && PartitionableSlot =!= true"),
    Style.SLOT_HEALTH: Display(lambda: _health("SLOT_NAME", "Health")),
    Style.STARTD: Display(_startd),
    Style.STARTD_GPUS: Display(_startd_gpus, "TotalGPUs > 0"),
    Style.STARTD_BROKEN: Display(_startd_broken, "size(BrokenReasons) > 0"),
    Style.STARTD_LVM: Display(_startd_lvm, "IsEnforcingDiskUsage"),
    Style.STARTD_HEALTH: Display(lambda: _health("HOST_NAME", "HEALTH")),
    Style.SCHEDD: Display(_schedd, fixed=35),
    Style.SCHEDD_DATA: Display(_schedd_data, "TransferQueueMaxUploading isnt undefined", fixed=70),
    Style.SCHEDD_RUN: Display(_schedd_run, "(ShadowsRunning + TotalSchedulerJobsRunning) > 0", fixed=35),
    Style.SUBMITTERS: Display(_submitters, fixed=35),
    Style.MASTER: Display(_master),
    Style.COLLECTOR: Display(_collector),
    Style.CKPTSRVR: Display(_storage),
    Style.GRID: Display(_grid),
    Style.STORAGE: Display(_storage),
    Style.NEGOTIATOR: Display(_negotiator, fixed=60),
    Style.DEFRAG: Display(_defrag),
    Style.ACCOUNTING: Display(_accounting),
    Style.ANY: Display(_any),
}
COMPACT_DISPLAYS: dict[Style, Display] = {
    Style.SLOTS: Display(_compact_slots),
    Style.SERVER: Display(_compact_server),
    Style.STATE: Display(_compact_state),
    Style.CLAIMED: Display(_compact_claimed),
    Style.GPUS: Display(_compact_gpus, GPUS_COMPACT),
}
