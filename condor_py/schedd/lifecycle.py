"""Queue records of a run: start, executing, end, requeue, and what the clean-up after a run leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil, log10

from condor_py.classad import ClassAd, value_text
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.report import ExitReport
from condor_py.model.states import CODE_NAMES, JobStatus
from condor_py.schedd.actions import counted, delete, enter_status, set_string, set_text
from condor_py.schedd.effects import ClaimInfo, RunStarted

#: Attributes that exist only while a job has a claim.
MATCH_ATTRIBUTES = (
    "ClaimId",
    "PublicClaimId",
    "StartdIpAddr",
    "RemoteHost",
    "RemoteSlotID",
    "ShadowBday",
    "TransferringInput",
    "TransferringOutput",
    "RunCommand",
    "WallClockCheckpoint",
)


def public_claim_id(claim_id: str) -> str:
    """A claim id without its secret."""
    return claim_id.rsplit("#", 1)[0] + "#..."


def real(value: float) -> str:
    """A real as the schedd writes wall-clock times: six decimals."""
    return f"{value:.6f}"


def _plus(job: JobId, ad: ClassAd, name: str, amount: int = 1) -> Change:
    return set_text(job, name, str((ad.eval_int(name, 0) or 0) + amount))


def start_records(job: JobId, ad: ClassAd, claim: ClaimInfo, run: int, address: str, now: int) -> Iterator[Change]:
    """Written, and made durable, before the startd is asked to start anything."""
    yield from enter_status(job, ad, JobStatus.RUNNING, now)
    yield set_text(job, "LastSuspensionTime", "0")
    yield set_text(job, "CurrentHosts", "1")
    yield set_string(job, "ClaimId", claim.claim_id)
    yield set_string(job, "PublicClaimId", public_claim_id(claim.claim_id))
    yield set_string(job, "StartdIpAddr", address)
    yield set_text(job, "LastJobLeaseRenewal", str(now))
    yield set_string(job, "RemoteHost", claim.slot)
    yield set_text(job, "RemoteSlotID", str(claim.slot_ad.eval_int("SlotID", 1)))
    if claim.job == "":
        yield _plus(job, ad, "NumJobMatches")
    yield set_text(job, "LastMatchTime", str(now))
    yield set_text(job, "ShadowBday", str(now))
    if ad.text("JobStartDate") is None:
        yield set_text(job, "JobStartDate", str(now))
    yield set_text(job, "JobCurrentStartDate", str(now))
    yield set_text(job, "NumShadowStarts", str(run))
    yield _plus(job, ad, "JobRunCount")


def executing_records(job: JobId, ad: ClassAd, claim: ClaimInfo, started: RunStarted) -> Iterator[Change]:
    """Written when the starter says that the job's program runs."""
    slot = claim.slot_ad
    when = int(started.when)
    begun = ad.eval_int("JobCurrentStartDate", when) or when
    yield set_text(job, "JobCurrentStartExecutingDate", str(when))
    yield set_text(job, "ActivationSetupDuration", str(max(0, when - begun)))
    if ad.text("InitialWaitDuration") is None:
        yield set_text(job, "InitialWaitDuration", str(max(0, begun - (ad.eval_int("QDate", begun) or begun))))
    for name in ("Cpus", "Memory", "Disk", "GPUs"):
        yield set_text(job, f"{name}Provisioned", str(slot.eval_int(name, 0) or 0))
    yield _plus(job, ad, "NumJobStarts")


def rounded(value: int, how: str = "25%") -> int:
    """A size as published (SCHEDD_ROUND_ATTR_*): up to the next P% of its order of magnitude, or to N zeros."""
    if value <= 0:
        return value
    number = int(how.rstrip("% ") or 0) if how.rstrip("% ").isdigit() else 0
    if not number:
        return value
    step = number / 100 * 10.0 ** int(log10(value / 5) + 1) if how.strip().endswith("%") else 10.0**number
    return int(ceil(value / step) * step)


def memory_records(job: JobId, resident_kb: int, how: str = "25%") -> Iterator[Change]:
    """Peak resident memory as measured, rounded, and in MB."""
    yield set_text(job, "ResidentSetSize_RAW", str(resident_kb))
    yield set_text(job, "ResidentSetSize", str(rounded(resident_kb, how)))
    yield set_text(job, "MemoryUsage", "((ResidentSetSize + 1023) / 1024)")


def machine_records(job: JobId, ad: ClassAd, slot: ClassAd, names: Iterable[str], length: int) -> Iterator[Change]:
    """``MachineAttr<Name>0`` and so on (job_machine_attrs): attributes of the slots of the last ``length`` runs."""
    own = (ad.eval_str("JobMachineAttrs", "") or "").replace(",", " ").split()
    own_length = ad.eval_int("JobMachineAttrsHistoryLength", 1) or 1
    wanted = {name.lower(): (name, length) for name in names}
    wanted.update((name.lower(), (name, own_length)) for name in own)
    for name, count in wanted.values():
        for age in range(count - 1, 0, -1):
            before = ad.text(f"MachineAttr{name}{age - 1}")
            if before is not None:
                yield set_text(job, f"MachineAttr{name}{age}", before)
        if count > 0:
            yield set_text(job, f"MachineAttr{name}0", value_text(slot.evaluate(name)))


def usage_records(job: JobId, ad: ClassAd, report: ExitReport, rounding: tuple[str, str]) -> Iterator[Change]:
    """CPU, memory, disk and transfer of a run that ended, added to what earlier runs used.

    ``rounding`` are SCHEDD_ROUND_ATTR_ResidentSetSize and _DiskUsage.
    """
    usage = report.usage
    yield set_text(job, "RemoteUserCpu", _real_text(usage.user_cpu))
    yield set_text(job, "RemoteSysCpu", _real_text(usage.sys_cpu))
    total = (ad.eval_real("CumulativeRemoteUserCpu", 0.0) or 0.0) + usage.user_cpu
    yield set_text(job, "CumulativeRemoteUserCpu", _real_text(total))
    total = (ad.eval_real("CumulativeRemoteSysCpu", 0.0) or 0.0) + usage.sys_cpu
    yield set_text(job, "CumulativeRemoteSysCpu", _real_text(total))
    yield set_text(job, "BytesSent", _real_text((ad.eval_real("BytesSent", 0.0) or 0.0) + usage.bytes_sent))
    yield set_text(job, "BytesRecvd", _real_text((ad.eval_real("BytesRecvd", 0.0) or 0.0) + usage.bytes_received))
    if usage.max_rss_kb:
        yield from memory_records(job, usage.max_rss_kb, rounding[0])
    if usage.disk_kb:
        yield set_text(job, "DiskUsage_RAW", str(usage.disk_kb))
        yield set_text(job, "DiskUsage", str(rounded(usage.disk_kb, rounding[1])))


def _real_text(value: float) -> str:
    text = repr(round(value, 6))
    return text if "." in text or "e" in text else text + ".0"


def duration_records(job: JobId, report: ExitReport) -> Iterator[Change]:
    """How long the parts of a run took, in whole seconds."""
    executed = int(report.end_time) - int(report.exec_time) if report.exec_time else 0
    yield set_text(job, "ActivationExecutionDuration", str(max(0, executed)))
    yield set_text(job, "ActivationDuration", str(max(0, int(report.end_time) - int(report.start_time))))
    wall = report.end_time - report.exec_time if report.exec_time else 0.0
    cpus = (report.usage.user_cpu + report.usage.sys_cpu) / wall if wall >= 1.0 else 0.0
    yield set_text(job, "CpusUsage", _real_text(cpus))


def exit_records(job: JobId, ad: ClassAd, report: ExitReport) -> Iterator[Change]:
    """How the program ended."""
    if report.exit_signal is not None:
        yield set_text(job, "ExitBySignal", "true")
        yield set_text(job, "ExitSignal", str(report.exit_signal))
        yield delete(job, "ExitCode")
        yield set_string(job, "ExitReason", f"died on signal {report.exit_signal}")
    elif report.exit_code is not None:
        yield set_text(job, "ExitBySignal", "false")
        yield set_text(job, "ExitCode", str(report.exit_code))
        yield delete(job, "ExitSignal")
        yield set_string(job, "ExitReason", f"exited normally with status {report.exit_code}")
    if report.core_dumped:
        yield set_text(job, "JobCoreDumped", "true")
        yield set_string(job, "JobCoreFileName", f"{ad.eval_str('Iwd', '')}/core.{job.cluster}.{job.proc}")


def vacate_records(job: JobId, ad: ClassAd, code: int, subcode: int, reason: str, now: int) -> Iterator[Change]:
    """A run that was ended from outside."""
    yield set_string(job, "VacateReason", reason)
    yield _plus(job, ad, "NumVacates")
    yield set_text(
        job, "NumVacatesByReason", counted(ad.text("NumVacatesByReason"), CODE_NAMES.get(code, "Unspecified"))
    )
    yield set_text(job, "VacateReasonCode", str(code))
    yield set_text(job, "VacateReasonSubCode", str(subcode))
    yield set_text(job, "LastVacateTime", str(now))


def committed_records(job: JobId, ad: ClassAd, report: ExitReport, weight: float) -> Iterator[Change]:
    """Time that counts because the job finished by itself."""
    seconds = max(0, int(report.end_time) - int(report.start_time))
    yield set_text(job, "CommittedTime", str((ad.eval_int("CommittedTime", 0) or 0) + seconds))
    slot_time = (ad.eval_real("CommittedSlotTime", 0.0) or 0.0) + seconds * weight
    yield set_text(job, "CommittedSlotTime", _real_text(slot_time))
    yield set_text(job, "TerminationPending", "true")


def cleanup_records(job: JobId, ad: ClassAd, claim_id: str, weight: float, now: int) -> Iterator[Change]:
    """After every run: wall-clock accounting, and nothing left of the match."""
    born = ad.eval_int("ShadowBday", 0) or now
    wall = float(max(0, now - born))
    total = (ad.eval_real("RemoteWallClockTime", 0.0) or 0.0) + wall
    slot_time = (ad.eval_real("CumulativeSlotTime", 0.0) or 0.0) + wall * weight
    yield set_text(job, "LastRemoteWallClockTime", real(wall))
    yield set_text(job, "RemoteWallClockTime", real(total))
    yield set_text(job, "CumulativeSlotTime", real(slot_time))
    host = ad.text("RemoteHost")
    if host is not None:
        yield set_text(job, "LastRemoteHost", host)
    yield set_string(job, "LastPublicClaimId", public_claim_id(claim_id))
    for name in MATCH_ATTRIBUTES:
        if ad.local_text(name) is not None:
            yield delete(job, name)
    yield set_text(job, "CurrentHosts", "0")


def user_totals(key: str, user: ClassAd, ad: ClassAd, completed: bool) -> Iterator[Change]:
    """The owner's totals, written in the transaction that removes the job."""
    word = "Completed" if completed else "Removed"
    cpu = (ad.eval_real("RemoteUserCpu", 0.0) or 0.0) + (ad.eval_real("RemoteSysCpu", 0.0) or 0.0)
    slot = int(ad.eval_real("CumulativeSlotTime", 0.0) or 0.0)
    count = (user.eval_int(f"Total{word}Jobs", 0) or 0) + 1
    yield Change(103, key, f"Total{word}Jobs", str(count))
    yield Change(103, key, f"{word}JobsCpuTime", _real_text((user.eval_real(f"{word}JobsCpuTime", 0.0) or 0.0) + cpu))
    yield Change(103, key, f"{word}JobsSlotTime", str((user.eval_int(f"{word}JobsSlotTime", 0) or 0) + slot))
