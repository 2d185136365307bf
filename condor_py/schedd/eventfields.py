"""What events of a job tell: its size, how it ended, and the table of its resources."""

from __future__ import annotations

from typing import Any

from condor_py.classad import ClassAd
from condor_py.model.report import Usage

#: Resources that every slot has.
_BUILT_IN = frozenset(("cpus", "disk", "memory"))


def image_fields(ad: ClassAd) -> dict[str, Any]:
    """Fields of event 006."""
    rss = ad.eval_int("ResidentSetSize_RAW", 0) or 0
    return {
        "image_size_kb": ad.eval_int("ImageSize_RAW", 0) or 0,
        "memory_usage_mb": (rss + 1023) // 1024,
        "resident_set_size_kb": rss,
    }


def termination_fields(ad: ClassAd, usage: Usage | None = None) -> dict[str, Any]:
    """Fields of events 004 and 005 that the ad tells: ending, CPU, bytes and the resource table.

    The ad has the bytes of all runs; ``usage`` those of the last one, where it is known.
    """
    by_signal = ad.eval_bool("ExitBySignal", False)
    run_cpu = (ad.eval_real("RemoteUserCpu", 0.0) or 0.0, ad.eval_real("RemoteSysCpu", 0.0) or 0.0)
    total_cpu = (
        ad.eval_real("CumulativeRemoteUserCpu", 0.0) or 0.0,
        ad.eval_real("CumulativeRemoteSysCpu", 0.0) or 0.0,
    )
    sent, received = ad.eval_real("BytesSent", 0.0) or 0.0, ad.eval_real("BytesRecvd", 0.0) or 0.0
    return {
        "exit_code": None if by_signal else ad.eval_int("ExitCode", None),
        "exit_signal": ad.eval_int("ExitSignal", None) if by_signal else None,
        "run_cpu": run_cpu,
        "total_cpu": total_cpu,
        "sent": sent if usage is None else float(usage.bytes_sent),
        "received": received if usage is None else float(usage.bytes_received),
        "total_sent": sent,
        "total_received": received,
        "resources": resource_table(ad),
    }


def resource_table(ad: ClassAd) -> tuple[tuple[str, Any, Any, Any, Any], ...]:
    """Rows (name, usage, request, allocated, assigned) of the Partitionable Resources table; None leaves a cell
    empty."""
    given = [name.removesuffix("Provisioned") for name, _ in ad.local_items() if name.endswith("Provisioned")]
    custom = [name for name in given if name.lower() not in _BUILT_IN and name != "GPUs"]
    units = tuple(
        (
            name,
            _used(ad, name),
            _whole(ad.eval_real(f"Request{name}", None)),
            _whole(ad.eval_real(f"{name}Provisioned", None)),
            ad.text(f"Assigned{name}"),
        )
        for name in ("GPUs", *custom)
    )
    memory = ((f"{name}Memory", _used(ad, f"{name}Memory"), None, None, None) for name in ("GPUs", *custom))
    used = (row for row in memory if row[1] is not None)
    return (*((*row, None) for row in _standard_rows(ad)), *units, *used)


def _used(ad: ClassAd, name: str) -> float | None:
    """What monitors of devices have seen of it: the average, else the peak."""
    average = ad.eval_real(f"{name}AverageUsage", None)
    return ad.eval_real(f"{name}Usage", None) if average is None else average


def _whole(value: float | None) -> float | None:
    """An integer where it is one."""
    return int(value) if value is not None and value == int(value) else value


def _standard_rows(ad: ClassAd) -> tuple[tuple[str, Any, Any, Any], ...]:
    memory = ad.eval_int("MemoryUsage", None)
    return (
        (
            "Cpus",
            ad.eval_real("CpusUsage", None),
            ad.eval_int("RequestCpus", None),
            ad.eval_int("CpusProvisioned", None),
        ),
        (
            "Disk",
            ad.eval_int("DiskUsage_RAW", None),
            ad.eval_int("RequestDisk", None),
            ad.eval_int("DiskProvisioned", None),
        ),
        ("Memory", memory, ad.eval_int("RequestMemory", None), ad.eval_int("MemoryProvisioned", None)),
        ("TimeExecute", ad.eval_int("ActivationExecutionDuration", None), None, None),
        ("TimeSlotBusy", ad.eval_int("ActivationDuration", None), None, None),
    )
