"""Queue records of a run: start, executing, end, requeue, and what the clean-up after a run leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log10

from condor_py.core.jobs.actions import counted, delete, enter_status, plus, set_string, set_text
from condor_py.core.jobs.jobad import universe_of
from condor_py.core.jobs.parts import ClaimInfo, is_local
from condor_py.lang.classad import ClassAd, value_text
from condor_py.model.commonfiles import QUEUED, common_files, queued_files
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import RunStarted
from condor_py.model.record import SET, Change, is_attribute_name
from condor_py.model.report import ExitReport, protocols_of, traffic_attributes
from condor_py.model.settings.schedd import Rounding
from condor_py.model.signals import exit_reason
from condor_py.model.states import CODE_NAMES, JobStatus, Universe

#: The attribute that tells how much of a resource a job got, and that; the one that names its units, and these.
Given = tuple[str, str, str, str | None]
#: Attributes that exist only while a job has a claim.
MATCH_ATTRIBUTES = (
    "ClaimId",
    "ClaimIds",
    "EndedNodes",
    "PublicClaimId",
    "StartdIpAddr",
    "RemoteHost",
    "RemoteHosts",
    "RemoteSlotID",
    "ShadowBday",
    "TransferringInput",
    "TransferringOutput",
    "TransferQueued",
    "RunCommand",
    "WallClockCheckpoint",
    "CommonFilesMappedTime",
    "UncommittedSuspensionTime",
)

#: Attributes of its slots that a job may ask for in addition to those of the pool.
_MOST_MACHINE_ATTRS = 100
#: The statistics of transfers where there was never anything.
_NO_TRANSFERS = "[  ]"
#: The end of the name of a count of files, behind its protocol.
_TOTAL = "FilesCountTotal"
#: So many names of matched slots a job keeps at most, whatever it asks for.
_MOST_MATCHES = 100
#: What the record of an owner sums up of jobs that were completed, or not.
_TOTALS = {
    True: ("TotalCompletedJobs", "CompletedJobsCpuTime", "CompletedJobsSlotTime"),
    False: ("TotalRemovedJobs", "RemovedJobsCpuTime", "RemovedJobsSlotTime"),
}
#: What tells how long the parts of a run took.
_DURATIONS = ("ActivationDuration", "ActivationExecutionDuration", "ActivationTeardownDuration", "CpusUsage")


def public_claim_id(claim_id: str) -> str:
    """A claim id without its secret."""
    return claim_id.rsplit("#", 1)[0] + "#..."


def real(value: float) -> str:
    """A real as the schedd writes wall-clock times: six decimals."""
    return f"{value:.6f}"


def _more(job: JobId, ad: ClassAd, name: str, amount: float) -> Change:
    """A sum of a job's runs higher by ``amount``."""
    return set_text(job, name, _real_text(ad.eval_real(name, 0.0) + amount))


def start_records(
    job: JobId, ad: ClassAd, claim: ClaimInfo, given: Iterable[Given], run: int, address: str, now: int
) -> Iterator[Change]:
    """Written, and made durable, before the startd is asked to start anything. ``given``: see ``given_by``."""
    yield from enter_status(job, ad, JobStatus.RUNNING, now)
    yield set_text(job, "LastSuspensionTime", "0")
    yield set_text(job, "CurrentHosts", "1")
    yield set_string(job, "ClaimId", claim.claim_id)
    yield set_string(job, "PublicClaimId", public_claim_id(claim.claim_id))
    yield set_string(job, "StartdIpAddr", address)
    yield set_text(job, "LastJobLeaseRenewal", str(now))
    yield set_string(job, "RemoteHost", claim.slot)
    yield set_text(job, "RemoteSlotID", str(claim.slot_ad.eval_int("SlotID", 1)))
    if not is_local(claim.claim_id):
        yield from _match_records(job, ad, given, claim.slot, now)
    yield from _start_dates(job, ad, now)
    yield set_text(job, "NumShadowStarts", str(run))
    yield plus(job, ad, "JobRunCount")
    if ad.text("InitialWaitDuration") is None:
        yield set_text(job, "InitialWaitDuration", str(max(0, now - ad.eval_int("QDate", now))))
    for name in ("VacateReason", "VacateReasonCode", "VacateReasonSubCode"):
        if ad.text(name) is not None:  # of the run before
            yield delete(job, name)


def started_elsewhere_records(job: JobId, ad: ClassAd, when: int, now: int) -> Iterator[Change]:
    """The program of a grid job runs since ``when``: its remote system has started it."""
    yield from enter_status(job, ad, JobStatus.RUNNING, now)
    yield from _start_dates(job, ad, when)
    yield set_text(job, "JobCurrentStartExecutingDate", str(when))
    starts = str(ad.eval_int("NumJobStarts", 0) + 1)
    yield set_text(job, "NumJobStarts", starts)
    yield set_text(job, "JobRunCount", starts)


def _start_dates(job: JobId, ad: ClassAd, when: int) -> Iterator[Change]:
    """A run has begun. The program of the one before may have been executed in this very second (see
    ``was_executed``)."""
    if ad.eval_int("JobCurrentStartExecutingDate", when - 1) >= when:
        yield delete(job, "JobCurrentStartExecutingDate")
    yield set_text(job, "ShadowBday", str(when))
    if ad.text("JobStartDate") is None:
        yield set_text(job, "JobStartDate", str(when))
    before = ad.text("JobCurrentStartDate")
    if before is not None:
        yield set_text(job, "JobLastStartDate", before)
    yield set_text(job, "JobCurrentStartDate", str(when))


def _match_records(job: JobId, ad: ClassAd, given: Iterable[Given], slot: str, now: int) -> Iterator[Change]:
    """Records that only a job matched with a slot has."""
    yield plus(job, ad, "NumJobMatches")
    yield set_text(job, "LastMatchTime", str(now))
    if ad.text("FirstJobMatchDate") is None:
        yield set_text(job, "FirstJobMatchDate", str(now))
    yield from _last_matches(job, ad, slot)
    for provisioned, amount, assigned, units in given:
        yield set_text(job, provisioned, amount)
        if units is not None:
            yield set_text(job, assigned, units)
        elif ad.local_text(assigned) is not None:
            yield delete(job, assigned)


def _last_matches(job: JobId, ad: ClassAd, slot: str) -> Iterator[Change]:
    """LastMatchName0, the newest, and so on: the slots of as many matches as match_list_length says."""
    length = min(ad.eval_int("LastMatchListLength", 0), _MOST_MATCHES)
    if length <= 0:
        return
    kept = [text for age in range(length - 1) if (text := ad.text(f"LastMatchName{age}")) is not None]
    for age, text in enumerate(kept, 1):
        yield set_text(job, f"LastMatchName{age}", text)
    yield set_string(job, "LastMatchName0", slot)


def given_by(slot: ClassAd) -> tuple[Given, ...]:
    """Resources that a slot gives each of its jobs: the names of the attributes and their values."""
    return tuple(
        (
            f"{name}Provisioned",
            value_text(slot.evaluate(name)) if slot.has(name) else "0",
            f"Assigned{name}",
            slot.text(f"Assigned{name}"),
        )
        for name in resource_names(slot)
    )


def resource_names(slot: ClassAd) -> list[str]:
    """Names of a slot's own resources; swap is shared."""
    names = slot.eval_str("MachineResources", "").split()
    return [name for name in names if name != "Swap"] or ["Cpus", "Memory", "Disk", "GPUs"]


def executing_records(job: JobId, ad: ClassAd, started: RunStarted) -> Iterator[Change]:
    """Written when the starter says that the job's program runs."""
    when = int(started.when)
    begun = ad.eval_int("JobCurrentStartDate", when)
    yield set_text(job, "JobCurrentStartExecutingDate", str(when))
    yield set_text(job, "ActivationSetupDuration", str(max(0, when - begun)))
    yield plus(job, ad, "NumJobStarts")


def input_records(job: JobId, ad: ClassAd, transfer: Sequence[float]) -> Iterator[Change]:
    """Records of the input transfer of a run; none for one that transfers no input."""
    if transfer:
        yield from _transfer_times(job, "Input", "In", transfer)
        yield plus(job, ad, "NumInputTransferStarts")
        yield set_text(job, "TransferInputFileCounts", input_counts(ad))


def input_counts(ad: ClassAd) -> str:
    """Number of files that a job requests, by protocol; those that are not URLs come by CEDAR."""
    names = [name.strip() for name in ad.eval_str("TransferInput", "").split(",") if name.strip()]
    names += queued_files(ad.text(QUEUED), ad.eval_str)
    names += [name for name in common_files(ad.eval_str) if name not in names]
    if ad.eval_bool("TransferExecutable", True) is not False:
        names.append(ad.eval_str("Cmd", ""))
    if (ad.eval_str("In", None) or "/dev/null") != "/dev/null":
        names.append("stdin")
    counts: dict[str, int] = {}
    for name in names:
        protocol = name.partition("://")[0].upper() if "://" in name else "CEDAR"
        counts[protocol] = counts.get(protocol, 0) + 1
    return f"[ {'; '.join(f'{protocol} = {count}' for protocol, count in sorted(counts.items()))} ]"


def output_records(job: JobId, ad: ClassAd, transfer: tuple[float, ...]) -> Iterator[Change]:
    """Records of the output transfer of a run; none for one that transfers no output."""
    if transfer:
        yield from _transfer_times(job, "Output", "Out", transfer)
        yield plus(job, ad, "NumOutputTransferStarts")


def _transfer_times(job: JobId, direction: str, short: str, transfer: Sequence[float]) -> Iterator[Change]:
    for word, past, when in zip(("Start", "Finish"), ("Started", "Finished"), transfer, strict=False):
        yield set_text(job, f"JobCurrent{word}Transfer{direction}Date", str(int(when)))
        yield set_text(job, f"Transfer{short}{past}", str(int(when)))


def rounded(value: int, how: str) -> int:
    """A size as published (SCHEDD_ROUND_ATTR_*): up to the next P% of its order of magnitude, or to N zeros."""
    if value <= 0:
        return value
    try:
        number = float(how.rstrip("% "))
    except ValueError:
        return value
    if not number:
        return value
    step = number / 100 * 10.0 ** int(log10(value / 5) + 1) if how.strip().endswith("%") else 10.0**number
    return int(ceil(value / step) * step)


def memory_records(job: JobId, ad: ClassAd, resident_kb: int, image_kb: int, how: Rounding) -> Iterator[Change]:
    """Peaks of resident memory (also in MB) and image, as measured and rounded, where they are higher than before. The
    memory of a virtual machine is its image."""
    shown = "ImageSize" if universe_of(ad) == Universe.VM else "ResidentSetSize"
    if resident_kb > ad.eval_int("ResidentSetSize_RAW", 0):
        yield set_text(job, "ResidentSetSize_RAW", str(resident_kb))
        yield set_text(job, "ResidentSetSize", str(rounded(resident_kb, how.resident)))
        yield set_text(job, "MemoryUsage", f"(({shown} + 1023) / 1024)")
    if image_kb > ad.eval_int("ImageSize_RAW", 0):
        yield set_text(job, "ImageSize_RAW", str(image_kb))
        yield set_text(job, "ImageSize", str(rounded(image_kb, how.image)))


def machine_records(job: JobId, ad: ClassAd, slot: ClassAd, names: Iterable[str], length: int) -> Iterator[Change]:
    """``MachineAttr<Name>0`` and so on (job_machine_attrs): attributes of the slots of the last ``length`` runs."""
    listed = ad.eval_str("JobMachineAttrs", "").replace(",", " ").split()
    own = [name for name in listed[:_MOST_MACHINE_ATTRS] if is_attribute_name(name)]
    own_length = ad.eval_int("JobMachineAttrsHistoryLength", 1) or 1
    wanted = {name.lower(): (name, length) for name in names}
    wanted.update((name.lower(), (name, own_length)) for name in own)
    for name, count in wanted.values():
        kept: list[str] = []  # looked for one by one: a user may write any length into a job
        while len(kept) < count - 1 and (text := ad.text(f"MachineAttr{name}{len(kept)}")) is not None:
            kept.append(text)
        for age in range(len(kept), 0, -1):
            yield set_text(job, f"MachineAttr{name}{age}", kept[age - 1])
        if count > 0:
            yield set_text(job, f"MachineAttr{name}0", value_text(slot.evaluate(name)))


def usage_records(job: JobId, ad: ClassAd, report: ExitReport, how: Rounding) -> Iterator[Change]:
    """CPU, memory, disk and transfer of a run that ended, added to what earlier runs used."""
    usage = report.usage
    yield set_text(job, "RemoteUserCpu", _real_text(usage.user_cpu))
    yield set_text(job, "RemoteSysCpu", _real_text(usage.sys_cpu))
    yield _more(job, ad, "CumulativeRemoteUserCpu", usage.user_cpu)
    yield _more(job, ad, "CumulativeRemoteSysCpu", usage.sys_cpu)
    yield _more(job, ad, "BytesSent", usage.bytes_sent)
    yield _more(job, ad, "BytesRecvd", usage.bytes_received)
    received = usage.files_received, usage.bytes_received
    yield _transfer_statistics(
        job, ad, "TransferInputStats", received, usage.received_by_url, image_seconds=usage.image_seconds
    )
    yield _transfer_statistics(job, ad, "TransferOutputStats", (usage.files_sent, usage.bytes_sent), usage.sent_by_url)
    if usage.scratch_files >= 0:
        yield set_text(job, "ScratchDirFileCount", str(usage.scratch_files))
        yield set_text(job, "ExecuteDirWasEncrypted", "true" if usage.encrypted else "false")
    for name, text in traffic_attributes(usage.net_received, usage.net_sent).items():
        yield set_text(job, name, text)
    yield from memory_records(job, ad, usage.max_rss_kb, usage.image_kb, how)
    if usage.disk_kb:
        yield set_text(job, "DiskUsage_RAW", str(usage.disk_kb))
        yield set_text(job, "DiskUsage", str(rounded(usage.disk_kb, how.disk)))


def _transfer_statistics(
    job: JobId, ad: ClassAd, name: str, moved: tuple[int, int], by_url: str, image_seconds: int = -1
) -> Change:
    """Files and bytes by protocol (Cedar for those without a URL), and the seconds that the image of a container took,
    of the last run and of all; an empty ad where there was never anything."""
    by_protocol = protocols_of(by_url)
    files = moved[0] - sum(files for files, _ in by_protocol.values())
    size = moved[1] - sum(size for _, size in by_protocol.values())
    runs = {"Cedar": (max(0, files), max(0, size)), **by_protocol}
    before = None if ad.text(name) in (None, _NO_TRANSFERS) else ad.evaluate(name)
    former = before if isinstance(before, ClassAd) else ClassAd()
    for attribute in former:
        if attribute.endswith(_TOTAL) and is_attribute_name(attribute):
            runs.setdefault(attribute.removesuffix(_TOTAL), (0, 0))
    parts = []
    for protocol, (files, size) in runs.items():
        total_files = files + former.eval_int(f"{protocol}{_TOTAL}", 0)
        if total_files:
            total_size = size + former.eval_int(f"{protocol}SizeBytesTotal", 0)
            parts.append(f"{protocol}SizeBytesTotal = {total_size}; {protocol}{_TOTAL} = {total_files}")
            parts.append(f"{protocol}SizeBytesLastRun = {size}; {protocol}FilesCountLastRun = {files}")
    earlier = former.eval_int("ContainerDurationTotal", -1)
    if image_seconds >= 0 or earlier >= 0:
        last = max(0, image_seconds)
        parts.append(f"ContainerDurationTotal = {max(0, earlier) + last}; ContainerDurationLastRun = {last}")
    return set_text(job, name, f"[ {'; '.join(parts)} ]" if parts else _NO_TRANSFERS)


def _real_text(value: float) -> str:
    return repr(round(float(value), 6))


def duration_records(job: JobId, ad: ClassAd, report: ExitReport) -> Iterator[Change]:
    """Records of the durations of the parts of a run, in whole seconds."""
    wall = report.end_time - report.exec_time if report.pid else 0.0
    stale = _DURATIONS if not report.exec_time else ("CpusUsage",) if wall < 1.0 else ()
    for name in stale:
        if ad.local_text(name) is not None:
            yield delete(job, name)
    if not report.exec_time:
        return
    gone = int(max(report.end_time, *report.output_transfer, 0.0))
    yield set_text(job, "ActivationDuration", str(max(0, gone - int(report.start_time))))
    if report.pid:
        since = max(int(report.exec_time), ad.eval_int("LastCkptTime", 0))  # a checkpoint starts the program again
        yield set_text(job, "ActivationExecutionDuration", str(max(0, int(report.end_time) - since)))
    yield set_text(job, "ActivationTeardownDuration", str(max(0, gone - int(report.end_time))))
    if wall >= 1.0:
        yield set_text(job, "CpusUsage", _real_text((report.usage.user_cpu + report.usage.sys_cpu) / wall))


def exit_records(job: JobId, ad: ClassAd, report: ExitReport) -> Iterator[Change]:
    """Records of the program's end."""
    if report.exit_signal is not None:
        yield set_text(job, "ExitBySignal", "true")
        yield set_text(job, "ExitSignal", str(report.exit_signal))
        yield delete(job, "ExitCode")
        yield set_string(job, "ExitReason", exit_reason(report.exit_signal))
    elif report.exit_code is not None:
        yield set_text(job, "ExitBySignal", "false")
        yield set_text(job, "ExitCode", str(report.exit_code))
        yield delete(job, "ExitSignal")
    if report.core_dumped:
        yield set_text(job, "JobCoreDumped", "true")
        yield set_string(job, "JobCoreFileName", f"{ad.eval_str('Iwd', '')}/core.{job.cluster}.{job.proc}")


def vacate_records(
    job: JobId, ad: ClassAd, code: int, subcode: int, reason: str, now: int, *, executed: bool = True
) -> Iterator[Change]:
    """A run that was ended from outside, perhaps before its program was ``executed``."""
    yield set_string(job, "VacateReason", reason)
    for when in ("",) if executed else ("", "PreExecution"):
        yield plus(job, ad, f"NumVacates{when}")
        name = f"NumVacatesByReason{when}"
        yield set_text(job, name, counted(ad.text(name), CODE_NAMES.get(code, "Unspecified")))
    yield set_text(job, "VacateReasonCode", str(code))
    yield set_text(job, "VacateReasonSubCode", str(subcode))
    yield set_text(job, "LastVacateTime", str(now))


def committed_records(job: JobId, ad: ClassAd, report: ExitReport, weight: float) -> Iterator[Change]:
    """Time that counts because the job finished by itself: since its start, or since its checkpoint."""
    since = max(int(report.start_time), ad.eval_int("LastCkptTime", 0))
    seconds = max(0, int(report.end_time) - since)
    yield plus(job, ad, "CommittedTime", seconds)
    yield _more(job, ad, "CommittedSlotTime", seconds * weight)
    if suspended := ad.eval_int("UncommittedSuspensionTime", 0):
        yield plus(job, ad, "CommittedSuspensionTime", suspended)
    yield set_text(job, "TerminationPending", "true")


def cleanup_records(job: JobId, ad: ClassAd, claim_id: str, weight: float, now: int) -> Iterator[Change]:
    """After every run: wall-clock accounting, and nothing left of the match."""
    born = ad.eval_int("ShadowBday", 0) or now
    wall = float(max(0, now - born))
    total = ad.eval_real("RemoteWallClockTime", 0.0) + wall
    slot_time = ad.eval_real("CumulativeSlotTime", 0.0) + wall * weight
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


@dataclass(slots=True)
class Totals:
    """Amounts that jobs leaving together add to the totals of their owner."""

    count: int = 0
    cpu: float = 0.0
    slot: int = 0

    def add(self, ad: ClassAd, count: int = 1) -> None:
        """``count`` more jobs, that say the same."""
        cpu = ad.eval_real("RemoteUserCpu", 0.0) + ad.eval_real("RemoteSysCpu", 0.0)
        slot = int(ad.eval_real("CumulativeSlotTime", 0.0))
        self.count, self.cpu, self.slot = self.count + count, self.cpu + count * cpu, self.slot + count * slot


def user_totals(key: str, user: ClassAd, completed: bool, more: Totals) -> Iterator[Change]:
    """The owner's totals, written in the transaction that removes the jobs."""
    jobs, cpu, slot = _TOTALS[completed]
    yield Change(SET, key, jobs, str(user.eval_int(jobs, 0) + more.count))
    yield Change(SET, key, cpu, _real_text(user.eval_real(cpu, 0.0) + more.cpu))
    yield Change(SET, key, slot, str(user.eval_int(slot, 0) + more.slot))
