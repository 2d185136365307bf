"""condor_history -efficiency (ours): cpu, memory and time of jobs or batches that left the queue against what they
held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from condor_py.cli.output import renderers
from condor_py.cli.output.conversion import elapsed
from condor_py.cli.output.mask import Column, Mask
from condor_py.lang.classad.ad import ClassAd

#: No figure of a job is larger; what is counts as this.
_MOST = 1e15
_MB = 1024.0


@dataclass(slots=True)
class Use:
    """Sums over jobs.

    Seconds of cpu used (by all, and by those that held some), and held; the most megabytes used and held, and both in
    megabyte-seconds; seconds of run time, and of limited jobs what they used and were allowed.
    """

    jobs: int = 0
    cpu: float = 0.0
    cpu_measured: float = 0.0
    cpu_held: float = 0.0
    memory: float = 0.0
    memory_held: float = 0.0
    memory_time: float = 0.0
    memory_held_time: float = 0.0
    time: float = 0.0
    limited: float = 0.0
    allowed: float = 0.0

    def add(self, ad: ClassAd) -> None:
        """One more job."""
        wall = _number(ad, "RemoteWallClockTime")
        cpu = _number(ad, "CumulativeRemoteUserCpu") + _number(ad, "CumulativeRemoteSysCpu")
        cpus = _number(ad, "CpusProvisioned") or _number(ad, "RequestCpus") or 1.0
        memory = (_number(ad, "ResidentSetSize_RAW") or _number(ad, "ResidentSetSize")) / _MB
        held = _number(ad, "MemoryProvisioned") or _number(ad, "RequestMemory")
        allowed = _number(ad, "AllowedExecuteDuration") or _number(ad, "AllowedJobDuration")
        self.jobs += 1
        self.time += wall
        cpu = cpu or _number(ad, "RemoteUserCpu") + _number(ad, "RemoteSysCpu")
        self.cpu += cpu
        self.cpu_measured += cpu if wall else 0.0  # a shorter job held nothing that was counted
        self.cpu_held += wall * cpus
        if memory and held:
            self.memory, self.memory_held = max(self.memory, memory), max(self.memory_held, held)
            weight = wall or 1.0
            self.memory_time += weight * memory
            self.memory_held_time += weight * held
        if allowed:
            self.limited += _number(ad, "LastRemoteWallClockTime") or wall
            self.allowed += allowed

    def into(self, ad: ClassAd) -> ClassAd:
        """Set the attributes that tell it; those of what was not measured are left out."""
        numbers = {
            "CpuTimeUsed": self.cpu, "CpuTimeHeld": self.cpu_held, "MemoryUsed": self.memory,
            "MemoryHeld": self.memory_held, "TimeUsed": self.time, "TimeAllowed": self.allowed,
        }  # fmt: skip
        parts = {
            "CpuEfficiency": (self.cpu_measured, self.cpu_held),
            "MemoryEfficiency": (self.memory_time, self.memory_held_time),
            "TimeEfficiency": (self.limited, self.allowed),
        }  # fmt: skip
        for name, number in numbers.items():
            if number > 0:
                ad.set_real(name, round(number, 3))
        for name, (used, held) in parts.items():
            if held > 0:
                ad.set_real(name, round(used / held, 4))
        return ad


def _number(ad: ClassAd, name: str) -> float:
    value = ad.eval_real(name, 0.0)
    return min(value, _MOST) if value is not None and value > 0 else 0.0


def of_jobs(ads: Iterable[ClassAd]) -> Iterator[ClassAd]:
    """The ads, each with its efficiency."""
    for ad in ads:
        use = Use()
        use.add(ad)
        yield use.into(ad)


def of_batches(ads: Iterable[ClassAd]) -> Iterator[ClassAd]:
    """An ad for each batch of jobs: those of one owner and batch name, or of one cluster without a name."""
    found: dict[tuple[str, str, int], tuple[Use, str]] = {}
    for ad in ads:
        name = ad.eval_str("JobBatchName", "")
        cluster = ad.eval_int("ClusterId", 0)
        key = ad.eval_str("Owner", ""), name, 0 if name else cluster
        use, _ = found.setdefault(key, (Use(), ad.eval_str("Cmd", "")))
        use.add(ad)
    for (owner, name, cluster), (use, command) in found.items():
        ad = ClassAd()
        ad.set_str("Owner", owner)
        ad.set_str("JobBatchName", name or f"ID: {cluster}")
        ad.set_str("Cmd", command)
        ad.set_int("Jobs", use.jobs)
        yield use.into(ad)


def _percent(value: Any, ad: ClassAd) -> str:
    return f"{100 * value:.1f}" if isinstance(value, float) and value < _MOST else "-"


def _megabytes(value: Any, ad: ClassAd) -> str:
    return f"{value:.0f}" if isinstance(value, float) else "-"


def _seconds(value: Any, ad: ClassAd) -> str:
    return elapsed(round(value)) if isinstance(value, float) else "-"


def table(batches: bool) -> Mask:
    """The columns: of batches, or of jobs."""
    who = (
        [Column("JobBatchName", "BATCH_NAME", -12, auto=True), Column("Jobs", "  JOBS", 6, "%6d")]
        if batches
        else [Column("ClusterId", "ID", -10, render=renderers.job_id, auto=True)]
    )
    return Mask(
        [
            *who,
            Column("Owner", "OWNER", -10, render=renderers.owner, auto=True, alt="??"),
            Column("CpuTimeUsed", "    CPU_TIME", 12, render=_seconds),
            Column("CpuTimeHeld", "    CPU_HELD", 12, render=_seconds),
            Column("CpuEfficiency", "  CPU%", 6, render=_percent),
            Column("MemoryUsed", " MB_USED", 8, render=_megabytes),
            Column("MemoryHeld", " MB_HELD", 8, render=_megabytes),
            Column("MemoryEfficiency", "  MEM%", 6, render=_percent),
            Column("TimeUsed", "    RUN_TIME", 12, render=_seconds),
            Column("TimeEfficiency", " TIME%", 6, render=_percent),
            Column("Cmd", "CMD", 0, render=renderers.description),
        ]
    )
