"""The figures of a pool: from its queue, from the ads that its daemons publish, and from the disks."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from condor_py.cli.metrics.families import Family
from condor_py.client.lockfile import lock_holder
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd

_DAEMONS = ("MASTER", "SCHEDD", "STARTD", "NEGOTIATOR")
_STATES = {
    str(int(status)): status.name.lower()
    for status in (
        JobStatus.IDLE, JobStatus.RUNNING, JobStatus.REMOVED, JobStatus.COMPLETED, JobStatus.HELD,
        JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED,
    )
}  # fmt: skip
_CYCLE = "LastNegotiationCycle"


def families(pool: Pool) -> Iterator[Family]:
    """All families; those of which nothing is known have no samples."""
    yield from _daemons(pool)
    yield _jobs(pool)
    yield from _schedd(next(iter(pool.ads("SCHEDD")), None))
    yield from _slots(pool.ads("STARTD"))
    yield from _negotiator(next(iter(pool.ads("NEGOTIATOR")), None))
    yield from _submitters(pool.ads("ACCOUNTING"))
    yield from _disks(pool)


def _number(ad: ClassAd | None, name: str) -> float | None:
    return None if ad is None else ad.eval_real(name, None)


def _daemons(pool: Pool) -> Iterator[Family]:
    up = Family("condor_daemon_up", "gauge", "Whether the daemon runs.")
    memory = Family("condor_daemon_resident_memory_bytes", "gauge", "Resident memory of the daemon.", "bytes")
    duty = Family("condor_daemon_duty_cycle_ratio", "gauge", "Part of the time that the daemon is busy.", "ratio")
    for name in _DAEMONS:
        label = {"daemon": name.lower()}
        pid = lock_holder(pool.paths.daemon_lock(name))
        up.add(int(bool(pid)), label)
        memory.add(_resident(pid), label)
        duty.add(_number(next(iter(pool.ads(name)), None), "RecentDaemonCoreDutyCycle") if pid else None, label)
    yield from (up, memory, duty)


def _resident(pid: int) -> float | None:
    """Bytes in memory of a process; None when it cannot be seen."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return None


def _jobs(pool: Pool) -> Family:
    jobs = Family("condor_jobs", "gauge", "Jobs in the queue by owner and state.")
    counts: Counter[tuple[str, str]] = Counter()
    view = pool.read_queue()
    for cluster, procs in view.groups():
        group = [(cluster, procs)]
        states = view.texts("JobStatus", group)
        owners = view.texts("Owner", group)
        counts.update((owner or "", state or "") for owner, state in zip(owners, states, strict=True))
    for (owner, state), count in sorted(counts.items()):
        jobs.add(count, {"owner": owner.strip('"'), "state": _STATES.get(state, "other")})
    return jobs


def _schedd(ad: ClassAd | None) -> Iterator[Family]:
    for name, attribute, told in (
        ("condor_schedd_jobs_started", "JobsStarted", "Jobs that the schedd has started."),
        ("condor_schedd_jobs_completed", "JobsCompleted", "Jobs that have completed."),
        ("condor_schedd_log_syncs", "LogSyncs", "Times that the job queue was forced to disk."),
    ):
        family = Family(name, "counter", f"{told} Begins with each schedd.")
        family.add(_number(ad, attribute))
        yield family
    seconds = Family(
        "condor_schedd_log_sync_seconds", "counter", "Time that these took. Begins with each schedd.", "seconds"
    )
    seconds.add(_number(ad, "LogSyncSeconds"))
    yield seconds


def _slots(ads: list[ClassAd]) -> Iterator[Family]:
    slots = Family("condor_slots", "gauge", "Slots by state and activity.")
    counts: Counter[tuple[str, str]] = Counter()
    resources = Family("condor_machine_resources", "gauge", "What the machine has (Memory in MB, Disk in KB).")
    free = Family("condor_machine_resources_free", "gauge", "What no claim has (Memory in MB, Disk in KB).")
    totals: Counter[str] = Counter()
    unused: Counter[str] = Counter()
    machine = [ad for ad in ads if ad.eval_str("State", None) is not None]
    for ad in machine:
        state = ad.eval_str("State", "") or ""
        counts[state, ad.eval_str("Activity", "") or ""] += 1
        for name in ("Cpus", "Memory", "Disk", "GPUs"):
            amount = _number(ad, name) or 0.0
            totals[name] += amount  # type: ignore[assignment]
            unused[name] += amount if state in ("Unclaimed", "Owner") else 0.0  # type: ignore[assignment]
    for (state, activity), count in sorted(counts.items()):
        slots.add(count, {"state": state, "activity": activity})
    for name, amount in totals.items():
        resources.add(amount, {"resource": name})
        free.add(unused[name], {"resource": name})
    load = Family("condor_machine_load", "gauge", "Load of the machine, and what of it is of jobs.")
    first = machine[0] if machine else None
    load.add(_number(first, "TotalLoadAvg"), {"of": "all"})
    load.add(_number(first, "TotalCondorLoadAvg"), {"of": "jobs"})
    yield from (slots, resources, free, load)
    for name, attribute, told in (
        ("condor_startd_job_starts", "JobStarts", "Starts of jobs."),
        ("condor_startd_evictions", "JobPreemptions", "Jobs that were preempted."),
        ("condor_startd_rank_preemptions", "JobRankPreemptions", "Jobs that were preempted for a higher rank."),
        ("condor_startd_priority_preemptions", "JobUserPrioPreemptions", "Jobs that were preempted for a better user."),
    ):
        family = Family(name, "counter", f"{told} Begins with each startd.")
        for ad in ads:
            family.add(_number(ad, attribute) if ad.eval_str("MyType") == "StartD" else None)
        yield family


def _negotiator(ad: ClassAd | None) -> Iterator[Family]:
    for name, attribute, told, unit in (
        ("condor_negotiation_cycle_seconds", "Duration0", "Duration of the last cycle.", "seconds"),
        ("condor_negotiation_cycle_cpu_seconds", "CpuTime0", "CPU time of the last cycle.", "seconds"),
        ("condor_negotiation_cycle_matches", "Matches0", "Matches of the last cycle.", ""),
        ("condor_negotiation_cycle_rejections", "Rejections0", "Requests that the last cycle rejected.", ""),
        ("condor_negotiation_cycle_end_timestamp_seconds", "End0", "When the last cycle ended.", "seconds"),
    ):
        family = Family(name, "gauge", told, unit)
        family.add(_number(ad, f"{_CYCLE}{attribute}"))
        yield family


def _submitters(ads: list[ClassAd]) -> Iterator[Family]:
    made = [
        (Family(name, kind, told), attribute)
        for name, kind, attribute, told in (
            ("condor_submitter_priority", "gauge", "Priority", "Effective user priority: lower is better."),
            ("condor_submitter_priority_factor", "gauge", "PriorityFactor", "Priority factor."),
            ("condor_submitter_slots", "gauge", "ResourcesUsed", "Slots in use."),
            ("condor_submitter_weighted_slots", "gauge", "WeightedResourcesUsed", "Weight of the slots in use."),
            ("condor_submitter_share_ratio", "gauge", "SubmitterShare", "Part of the pool that he is entitled to."),
            ("condor_submitter_limit", "gauge", "SubmitterLimit", "Slots that he may have at most now."),
            ("condor_submitter_usage", "counter", "WeightedAccumulatedUsage", "Weighted slot seconds used so far."),
        )
    ]
    for ad in ads:
        kind = "group" if ad.eval_bool("IsAccountingGroup", False) else "user"
        labels = {"submitter": ad.eval_str("Name", "") or "", "kind": kind}
        for family, attribute in made:
            family.add(_number(ad, attribute), labels)
    yield from (family for family, _ in made)


def _disks(pool: Pool) -> Iterator[Family]:
    free = Family("condor_disk_free_bytes", "gauge", "Room that is left for who is not root.", "bytes")
    size = Family("condor_disk_size_bytes", "gauge", "Size of the file system.", "bytes")
    for name, path in (("SPOOL", pool.paths.spool), ("EXECUTE", pool.paths.execute), ("LOG", pool.paths.log)):
        try:
            found = os.statvfs(path)
        except OSError:
            continue
        free.add(found.f_bavail * found.f_frsize, {"directory": name})
        size.add(found.f_blocks * found.f_frsize, {"directory": name})
    yield from (free, size)
