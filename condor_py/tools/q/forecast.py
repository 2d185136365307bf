"""``condor_q -forecast`` (ours): when idle jobs will start, by the negotiator's own cycles in virtual time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING

from condor_py.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.access.pool import Pool
    from condor_py.accountant import Accountant
    from condor_py.negotiator.snapshot import SubmitterDemand

#: The universe whose jobs wait for a slot.
_VANILLA = 5
#: Without any finished job to learn from: seconds a job is taken to run.
_UNKNOWN = 3600.0
#: So many of the last finished jobs say how long jobs run.
_LEARN_FROM = 500
_ROW = "{:<12} {:<24} {:<20} {:>12}  {}"


def forecast_text(
    pool: Pool | None, everything: Sequence[ClassAd], shown: Sequence[ClassAd], seconds: str | None
) -> str:
    """The table for the idle jobs of ``shown``; ``everything`` is the whole queue, which they wait in. ``seconds`` is
    how long jobs are taken to run; without it the last finished jobs of each owner tell. CondorError if it is no
    number."""
    if pool is None:
        raise CondorError("Error: -forecast needs the pool; it cannot be used with jobs from a file")
    from condor_py.config.rooms.negotiator import negotiator as negotiator_knobs
    from condor_py.negotiator.forecast import forecast
    from condor_py.negotiator.snapshot import Snapshot
    from condor_py.tools.cannot_run import cannot_run

    now = int(time.time())
    settings = negotiator_knobs(pool.config)
    slots = [ad for ad in pool.ads("STARTD") if ad.has("SlotID")]
    idle = {job_id(ad): ad for ad in everything if _waits(ad)}
    lasts = _durations(pool, seconds)
    snapshot = Snapshot(now, slots, _demand(pool, list(idle.values()), slots))
    ends = {slot.eval_str("Name") or "": _end(slot, lasts, now) for slot in slots if slot.has("RemoteUser")}
    found = forecast(snapshot, _accountant(pool), settings, lambda job: lasts(idle[job].eval_str("Owner") or ""), ends)
    reasons = {
        job: found.reasons.get((submitter.name, request.autocluster), "no match found")
        for submitter in snapshot.submitters
        for request in submitter.requests
        for job in request.jobs
    }
    lines = [_ROW.format("ID", "OWNER", "START", "WAIT", "").rstrip()]
    told = ""
    for ad in shown:
        job = job_id(ad)
        never = cannot_run(ad, slots) if ad.eval_int("JobStatus") == JobStatus.IDLE else ""
        if never:
            lines.append(_ROW.format(str(job), ad.eval_str("Owner") or "?", "never", "", never))
        elif job in idle:
            lines.append(_row(ad, job, found.starts.get(job), reasons[job], now))
            told = _add_blocked(lines, ad, slots, ends, told)
    return "\n".join(lines) + "\n" if len(lines) > 1 else "No idle job waits for a slot.\n"


def _add_blocked(lines: list[str], ad: ClassAd, slots: Sequence[ClassAd], ends: dict[str, float], told: str) -> str:
    """Adds what a job lacks, where that is not what was told last; what is told last then."""
    from condor_py.tools.q.blocked import blocked

    lack = blocked(ad, slots)
    text = "" if lack is None else lack.text(lambda slot: ends.get(slot.eval_str("Name") or "", float("inf")))
    if text and text != told:
        lines.append(f"{'':<13}{text}")
    return text


def expected_ends(pool: Pool) -> Callable[[ClassAd], float]:
    """A function that tells when what runs on a slot will end, in Unix seconds, by how long such jobs ran."""
    lasts = _durations(pool, None)
    now = int(time.time())
    return lambda slot: _end(slot, lasts, now)


def _row(ad: ClassAd, job: JobId, start: int | None, reason: str, now: int) -> str:
    owner = ad.eval_str("Owner") or "?"
    if start is None:
        return _ROW.format(str(job), owner, "not foreseen", "", reason).rstrip()
    minutes, days = (start - now) // 60, (start - now) // 86400
    wait = "now" if start <= now else f"{days}+{minutes // 60 % 24:02d}:{minutes % 60:02d}"
    return _ROW.format(str(job), owner, time.strftime("%m/%d/%Y %H:%M:%S", time.localtime(start)), wait, "").rstrip()


def job_id(ad: ClassAd) -> JobId:
    """The id of a job ad."""
    return JobId(ad.eval_int("ClusterId", 0) or 0, ad.eval_int("ProcId", 0) or 0)


def _waits(ad: ClassAd) -> bool:
    return ad.eval_int("JobStatus") == JobStatus.IDLE and ad.eval_int("JobUniverse", _VANILLA) == _VANILLA


def _durations(pool: Pool, seconds: str | None) -> Callable[[str], float]:
    """How long a job of an owner runs, in seconds: as given, else the mean of his last finished jobs, else of all."""
    if seconds is not None:
        try:
            fixed = float(seconds)
        except ValueError:
            fixed = -1.0
        if not 0 < fixed < 1e9:
            raise CondorError(f"Error: -forecast:{seconds}: write a number of seconds above 0")
        return lambda owner: fixed
    from condor_py.store.history import records_newest_first

    taken: dict[str, list[float]] = {}
    path = pool.config.string("HISTORY")
    try:
        for record in islice(records_newest_first(path), _LEARN_FROM) if path else ():
            ad = record.ad()
            wall = ad.eval_real("RemoteWallClockTime", 0.0) or 0.0
            if wall > 0:
                taken.setdefault(ad.eval_str("Owner") or "", []).append(wall)
    except (CondorError, OSError):
        taken.clear()  # no history, or one that the caller may not read: nothing to learn from
    means = {owner: fmean(times) for owner, times in taken.items()}
    average = fmean([wall for times in taken.values() for wall in times]) if taken else _UNKNOWN
    return lambda owner: means.get(owner, average)


def _end(slot: ClassAd, lasts: Callable[[str], float], now: int) -> float:
    """When what runs on a slot ends; a job that runs longer than expected is taken to need as long again."""
    owner = (slot.eval_str("RemoteOwner") or "").partition("@")[0]
    begun = slot.eval_int("JobStart") or slot.eval_int("EnteredCurrentState") or now
    expected = lasts(owner)
    passed = max(0.0, now - begun)
    return now + (expected - passed if passed < expected else passed)


def _demand(pool: Pool, ads: list[ClassAd], slots: list[ClassAd]) -> list[SubmitterDemand]:
    """The demand as the schedd would tell it."""
    from condor_py.config.rooms.negotiator import negotiator as negotiator_knobs
    from condor_py.config.rooms.schedd import schedd as schedd_knobs
    from condor_py.negotiator import Request, SubmitterDemand, significant_attributes
    from condor_py.schedd.autocluster import Autoclusters
    from condor_py.schedd.identity import submitter_of
    from condor_py.schedd.index import order_of

    schedd = schedd_knobs(pool.config)
    autoclusters = Autoclusters(schedd)
    autoclusters.set_significant(significant_attributes(slots, negotiator_knobs(pool.config)))
    by_user: dict[str, list[ClassAd]] = {}
    for ad in ads:
        by_user.setdefault(submitter_of(ad, schedd.submitter_domain), []).append(ad)
    result = []
    for name, jobs in sorted(by_user.items()):
        jobs.sort(key=lambda ad: order_of(job_id(ad), ad))
        requests: list[tuple[int, list[JobId]]] = []
        for ad in jobs:
            number = autoclusters.number(ad)
            if not requests or requests[-1][0] != number:
                requests.append((number, []))
            requests[-1][1].append(job_id(ad))
        result.append(
            SubmitterDemand(
                name,
                [Request(number, members, autoclusters.representative(number)) for number, members in requests],
                idle_weight=sum(ad.eval_real("RequestCpus", 1.0) or 1.0 for ad in jobs),
            )
        )
    return result


def _accountant(pool: Pool) -> Accountant:
    """Priorities from the log, else from what the negotiator publishes."""
    from condor_py.access.accounting_ads import load_accountant
    from condor_py.accountant import Accountant, edits
    from condor_py.config.rooms.accountant import accountant as accountant_knobs

    accountant = load_accountant(pool)
    if accountant is not None:
        return accountant
    accountant = Accountant(accountant_knobs(pool.config))
    for ad in pool.ads("ACCOUNTING"):
        name, factor = ad.eval_str("Name") or "", max(1.0, ad.eval_real("PriorityFactor", 1.0) or 1.0)
        if not ad.eval_bool("IsAccountingGroup"):
            edits.set_factor(accountant, name, factor)
            edits.set_priority(accountant, name, max(0.5, (ad.eval_real("Priority", 0.5) or 0.5) / factor))
            edits.set_ceiling(accountant, name, ad.eval_int("Ceiling", -1))
    return accountant
