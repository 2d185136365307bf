"""condor_gpu_utilization: what startd cron runs to learn how busy GPUs are (GPU_MONITOR)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable

from condor_py.cli.options import Opt, ToolSpec, parse
from condor_py.machine.probes.gpu.nvidia import NoLibrary
from condor_py.machine.probes.gpu.utilization import Busy, Monitor

_SPEC = ToolSpec(
    name="condor_gpu_utilization",
    usage="[-help]",
    summary="Report to the startd how busy its GPUs are.",
    description=(
        "Samples the NVIDIA GPUs of this machine every second, and every ten seconds prints an ad for each, which is "
        "merged into the ads of the slots that have it: UptimeGPUsSeconds (seconds at work) and "
        "UptimeGPUsMemoryPeakUsage (MB). The startd runs it when `use FEATURE: GPUs` is configured. It never ends, "
        "except at once on a machine without a GPU."
    ),
    options=(Opt("help", 1, help="this text"),),
    examples=(("timeout 25 condor_gpu_utilization", "watch the GPUs for two reports"),),
    unknown="{tool}: unknown argument {arg}",
    see_also=("condor_gpu_discovery", "condor_status"),
)
SPECS = (_SPEC,)
_SAMPLE, _REPORT = 1.0, 10


def main(argv: list[str]) -> int:
    """Run condor_gpu_utilization."""
    args = parse(_SPEC, argv)
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    try:
        watch(Monitor(), time.sleep)
    except NoLibrary as problem:
        sys.stderr.write(f"condor_gpu_utilization: {problem}\n")
    return 0


def watch(monitor: Monitor, sleep: Callable[[float], None], reports: int = 0) -> None:
    """Prints reports for ever, or so many."""
    done = 0
    while not reports or done < reports:
        for _ in range(_REPORT):
            sleep(_SAMPLE)
            monitor.sample(_SAMPLE)
        sys.stdout.write(text_of(monitor.report()))
        sys.stdout.flush()
        done += 1


def text_of(devices: Iterable[Busy]) -> str:
    """An ad for each device, in the form of startd cron."""
    lines = []
    for device in devices:
        names = (f"CUDA{device.number}", f"GPU-{device.uuid[:8]}", f"GPU-{device.uuid}")
        condition = " || ".join(f'StringListMember("{name}", AssignedGPUs)' for name in names)
        lines += [
            f"SlotMergeConstraint = {condition}",
            f"UptimeGPUsSeconds = {device.seconds:.6f}",
            f"UptimeGPUsMemoryPeakUsage = {device.peak_mb}",
            f"- GPUsSlot{device.number}",
        ]
    return "".join(f"{line}\n" for line in lines)
