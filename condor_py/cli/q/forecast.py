"""``condor_q -forecast`` (ours): when idle jobs will start, by the negotiator's own cycles in virtual time.

The cycles take every job to run as long as like jobs did on average; how much sooner or later it may be is drawn
(`prospect`) from how different these were.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.waiting.reasons import Expected, Reason, expected_start
from condor_py.cli.waiting.slots import Ends, emptied
from condor_py.core.jobs.jobad import MOST_NODES, hosts_of, is_gang
from condor_py.core.match.consumption import Consumer
from condor_py.core.match.slot import Slot
from condor_py.core.match.snapshot import Request
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId, grouped
from condor_py.model.settings.negotiator import NegotiatorSettings
from condor_py.model.sizes import Like
from condor_py.model.states import JobStatus, Universe
from condor_py.simulate.outlook import Amounts, Likely, Room, Runs, Span, User, Waits, outlook
from condor_py.simulate.runtimes import RunTimes, Sample

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.core.accounts import Accountant
    from condor_py.core.jobs.autocluster import Autoclusters
    from condor_py.core.match.forecast import Forecast
    from condor_py.core.match.snapshot import Snapshot, SubmitterDemand
    from condor_py.model.settings.negotiator import NegotiatorSettings
    from condor_py.simulate.outlook import Likely


#: So many jobs are started by the negotiator's own cycles; those behind them are put in order.
_BY_CYCLES = 400
_ROW = "{:<12} {:<24} {:<20} {:>12}  {}"
_SPAN = "{:>10} to {:<10}  {}"


class _Future(NamedTuple):
    """The result of a forecast.

    When each job starts (Unix seconds), the drawn spans (none where all jobs are said to run equally long), why others
    do not start, and when what runs on slots (by name) ends.
    """

    starts: dict[JobId, int]
    likely: dict[JobId, Likely]
    reasons: dict[JobId, str]
    ends: dict[str, float]


def forecast_text(
    pool: Pool | None, everything: Sequence[ClassAd], shown: Sequence[ClassAd], seconds: str | None
) -> str:
    """The table for the idle jobs of ``shown``; ``everything`` is the whole queue, which they wait in. ``seconds`` is
    how long jobs are taken to run; without it the last finished jobs like them tell. CondorError if it is no number."""
    if pool is None:
        raise CondorError("Error: -forecast needs the pool; it cannot be used with jobs from a file")
    from condor_py.cli.waiting import around_pool
    from condor_py.cli.waiting.alike import alike

    now = int(time.time())
    times = _Times(pool, everything, seconds)
    view = pool.read_queue()
    around = around_pool(pool, view)
    slots = around.slots
    idle = {job_id(ad): ad for ad in everything if _waits(ad)}
    future = _future(pool, slots, idle, times, now)
    head = f"{'8 OF 10 WAIT':<24}  END" if times.learnt else ""
    lines = [_ROW.format("ID", "OWNER", "START", "WAIT", head).rstrip()]
    around = around._replace(now=now, end=lambda slot: future.ends.get(slot.eval_str("Name", ""), float("inf")))
    waits = grouped(job_id(ad) for ad in shown if ad.eval_int("JobStatus") == JobStatus.IDLE)
    found = {JobId(one.cluster, proc): one.reasons for one in alike(view, waits, around) for proc in one.procs}
    last = ""
    judged = []
    for ad in shown:
        job = job_id(ad)
        reasons = found.get(job, [])
        words = "; ".join(reason.text for reason in reasons)
        if any(reason.final or reason.apart for reason in reasons):
            lines.append(_ROW.format(str(job), ad.eval_str("Owner") or "?", *_without_cycles(reasons, now), words))
        elif job in idle and job in future.starts:
            judged.append(ad)
            lines.append(_row(ad, job, future, now))
            if words and words != last:
                lines.append(f"{'':<13}{words}")
            last = words
        elif job in idle:
            words = words or future.reasons[job]
            lines.append(_ROW.format(str(job), ad.eval_str("Owner") or "?", "not foreseen", "", words))
    if len(lines) == 1:
        return "No idle job waits for a slot.\n"
    return "\n".join(lines) + "\n" + times.told(judged)


def _without_cycles(reasons: Sequence[Reason], now: int) -> tuple[str, str]:
    """Return when a job starts, and in how long, by reasons that no negotiation cycle changes."""
    if any(reason.final for reason in reasons):
        return "never", ""
    start = expected_start(reasons, None)
    return ("not foreseen", "") if start is None else (_shown(start.at), _wait(start.at - now))


def expected_starts(
    pool: Pool, everything: Sequence[ClassAd], slots: Sequence[ClassAd]
) -> tuple[dict[JobId, Expected], Ends]:
    """Return when the idle jobs of a queue are expected to start, and when what runs on slots is expected to end."""
    now = int(time.time())
    times = _Times(pool, everything, None)
    idle = {job_id(ad): ad for ad in everything if _waits(ad)}
    future = _future(pool, slots, idle, times, now)
    starts = {job: _expected(start, future.likely.get(job), now) for job, start in future.starts.items()}
    return starts, lambda slot: future.ends.get(slot.eval_str("Name", ""), float("inf"))


def _expected(start: int, likely: Likely | None, now: int) -> Expected:
    if likely is None or start <= now:
        return Expected(start)
    return Expected(start, now + int(likely.start.early), now + int(likely.start.late))


def _future(pool: Pool, slots: Sequence[ClassAd], idle: dict[JobId, ClassAd], times: _Times, now: int) -> _Future:
    from condor_py.core.match.forecast import forecast
    from condor_py.core.match.snapshot import Snapshot
    from condor_py.lang.config.builders.negotiator import negotiator as negotiator_knobs

    settings = negotiator_knobs(pool.config)
    snapshot = Snapshot(now, list(slots), _demand(pool, list(idle.values()), list(slots)))
    ends = {slot.eval_str("Name", ""): _end(slot, times.of_slot, now) for slot in slots if slot.has("RemoteUser")}
    most = _BY_CYCLES if times.learnt else None
    found = forecast(snapshot, _accountant(pool), settings, lambda job: times.of(idle[job]).mean, ends, most=most)
    reasons = {
        job: found.reasons.get((submitter.name, request.autocluster), "no match found")
        for submitter in snapshot.submitters
        for request in submitter.requests
        for part in request.parts
        for job in part.jobs
    }
    likely = _drawn(pool, snapshot, settings, idle, times, found) if times.learnt else {}
    return _Future(_starts(snapshot, found, likely), likely, reasons, ends)


def _starts(snapshot: Snapshot, found: Forecast, likely: dict[JobId, Likely]) -> dict[JobId, int]:
    """Return when jobs start (Unix seconds).

    Of jobs with equal requests, none starts before one that is ahead of it in its submitter's order.
    """
    starts: dict[JobId, int] = {}
    for submitter in snapshot.submitters:
        latest: dict[int, int] = {}
        for request in [part for whole in submitter.requests for part in whole.parts]:
            for job in request.jobs:
                start = _start(snapshot.now, found.starts.get(job), likely.get(job))
                if start is not None:
                    latest[request.autocluster] = max(start, latest.get(request.autocluster, start))
                    starts[job] = latest[request.autocluster]
    return starts


def _start(now: int, by_cycles: int | None, likely: Likely | None) -> int | None:
    """Return when a job starts: by the cycles if that is now or nothing was drawn, else in the middle of its span."""
    if likely is None or (by_cycles is not None and by_cycles <= now):
        return by_cycles
    return now + int(likely.start.middle)


def _drawn(
    pool: Pool,
    snapshot: Snapshot,
    settings: NegotiatorSettings,
    idle: dict[JobId, ClassAd],
    times: _Times,
    found: Forecast,
) -> dict[JobId, Likely]:
    """The spans of the jobs that start at some time."""
    from condor_py.lang.config.builders.schedd import schedd as schedd_knobs

    order = [
        Waiting(job, one.name, request.ad, times.of(idle[job]))
        for one in snapshot.submitters
        for request in one.requests
        if request.others is None and (one.name, request.autocluster) not in found.reasons
        for job in request.jobs
    ]
    return Prospect(snapshot.slots, settings, _accountant(pool).effective_priority).likely(
        order,
        lambda slot: max(0.0, snapshot.now - _begun(slot, snapshot.now)),
        times.of_slot,
        {job: start - snapshot.now for job, start in found.starts.items()},
        schedd_knobs(pool.config).claim_worklife,
    )


class _Times:
    """The run times of jobs like each job: as given, or learnt from the history."""

    def __init__(self, pool: Pool, everything: Sequence[ClassAd], seconds: str | None) -> None:
        from condor_py.cli.runtimes import run_times
        from condor_py.core.jobs.autorequests import like_of

        self.learnt = seconds is None
        self._fixed = None if seconds is None else Sample((_seconds(seconds),))
        self._like = like_of
        self._samples: dict[Like, Sample] = {}
        self._running = {str(job_id(ad)): ad for ad in everything if ad.eval_int("JobStatus") == JobStatus.RUNNING}
        now = time.time()
        running = ((like_of(ad), now - ad.eval_int("JobCurrentStartDate", int(now))) for ad in self._running.values())
        self._known = RunTimes(()) if seconds is not None else run_times(pool, running=running)

    def of(self, ad: ClassAd) -> Sample:
        """The run times of jobs like one of the queue."""
        return self._of(self._like(ad))

    def of_slot(self, slot: ClassAd) -> Sample:
        """The run times of jobs like that which runs on a slot."""
        ad = self._running.get(slot.eval_str("JobId", ""))
        return self.of(ad) if ad is not None else self._of(Like(slot.eval_str("RemoteOwner", "").split("@")[0], ""))

    def _of(self, like: Like) -> Sample:
        if self._fixed is not None:
            return self._fixed
        found = self._samples.get(like)
        if found is None:
            found = self._samples[like] = self._known.of(like)
        return found

    def told(self, ads: Sequence[ClassAd]) -> str:
        """A line about what these jobs are judged by; "" where run times are given."""
        if not self.learnt or not ads:
            return ""
        counts = Counter((sample.how, len(sample.times)) for sample in map(self.of, ads))
        parts = [
            f"{jobs} by {times} run time{'s' * (times != 1)} {how}" if how else f"{jobs} by none (an hour is taken)"
            for (how, times), jobs in counts.most_common(4)
        ]
        return f"Jobs judged: {', '.join(parts)}. New jobs are not foreseen.\n"


def _seconds(text: str) -> float:
    try:
        fixed = float(text)
    except ValueError:
        fixed = -1.0
    if not 0 < fixed < 1e9:
        raise CondorError(f"Error: -forecast:{text}: write a number of seconds above 0")
    return fixed


def expected_ends(pool: Pool) -> Callable[[ClassAd], float]:
    """A function that tells when what runs on a slot will end, in Unix seconds, by how long such jobs ran."""
    times = _Times(pool, (), None)
    now = int(time.time())
    return lambda slot: _end(slot, times.of_slot, now)


def _row(ad: ClassAd, job: JobId, future: _Future, now: int) -> str:
    """The row of a job that starts."""
    start, likely = future.starts[job], future.likely.get(job)
    wait = "now" if start <= now else _wait(start - now)
    span = ""
    if likely is not None:
        end = time.strftime("%m/%d/%Y %H:%M", time.localtime(now + likely.end.middle))
        if start > now:
            span = _SPAN.format(_wait(likely.start.early), _wait(likely.start.late), end)
        else:
            span = _SPAN.format("", "", end).replace(" to ", "    ")
    return _ROW.format(str(job), ad.eval_str("Owner") or "?", _shown(start), wait, span).rstrip()


def _shown(start: int) -> str:
    return time.strftime("%m/%d/%Y %H:%M:%S", time.localtime(start))


def _wait(seconds: float) -> str:
    """``0+01:05``: days, hours and minutes."""
    minutes = int(seconds) // 60
    return f"{minutes // 1440}+{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def job_id(ad: ClassAd) -> JobId:
    """The id of a job ad."""
    return JobId(ad.eval_int("ClusterId", 0), ad.eval_int("ProcId", 0))


def _waits(ad: ClassAd) -> bool:
    universe = ad.eval_int("JobUniverse", Universe.VANILLA)
    return ad.eval_int("JobStatus") == JobStatus.IDLE and universe in (Universe.VANILLA, Universe.PARALLEL)


def _begun(slot: ClassAd, now: int) -> int:
    """Return when what runs on a slot has begun, in Unix seconds."""
    return slot.eval_int("JobStart") or slot.eval_int("EnteredCurrentState") or now


def _end(slot: ClassAd, times: Callable[[ClassAd], Sample], now: int) -> float:
    """Return when what runs on a slot ends; a job that runs longer than expected is taken to need as long again."""
    expected, passed = times(slot).mean, max(0.0, now - _begun(slot, now))
    return now + (expected - passed if passed < expected else passed)


def _demand(pool: Pool, ads: list[ClassAd], slots: list[ClassAd]) -> list[SubmitterDemand]:
    """The demand as the schedd would tell it."""
    from condor_py.core.jobs.autocluster import Autoclusters
    from condor_py.core.jobs.index import order_of
    from condor_py.core.jobs.jobad import submitter_of
    from condor_py.core.match import SubmitterDemand, significant_attributes
    from condor_py.lang.config.builders.negotiator import negotiator as negotiator_knobs
    from condor_py.lang.config.builders.schedd import schedd as schedd_knobs

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
        together: dict[int, list[ClassAd]] = {}
        for ad in jobs:
            if is_gang(ad):
                together.setdefault(job_id(ad).cluster, []).append(ad)
                continue
            number = autoclusters.number(ad)
            if not requests or requests[-1][0] != number:
                requests.append((number, []))
            requests[-1][1].append(job_id(ad))
        places = {
            members[0]: Request(number, members, autoclusters.representative(number)) for number, members in requests
        }
        places |= {job_id(procs[0]): _parallel(procs, autoclusters) for procs in together.values()}
        result.append(
            SubmitterDemand(
                name,
                [places[job] for job in map(job_id, jobs) if job in places],
                idle_weight=sum((ad.eval_real("RequestCpus", 1.0) or 1.0) * _nodes(ad) for ad in jobs),
            )
        )
    return result


def _nodes(ad: ClassAd) -> int:
    """Return the number of slots that a job asks for."""
    return min(MOST_NODES, max(1, hosts_of(ad))) if is_gang(ad) else 1


def _parallel(procs: Sequence[ClassAd], autoclusters: Autoclusters) -> Request:
    """The request of a parallel job, whose nodes have the ids of their procs here."""
    numbers = [autoclusters.number(ad) for ad in procs]
    first, *others = [
        Request(number, [job_id(ad)] * _nodes(ad), autoclusters.representative(number))
        for number, ad in zip(numbers, procs, strict=True)
    ]
    one_group = procs[0].eval_bool("WantParallelSchedulingGroups", False) is True
    return Request(first.autocluster, first.jobs, first.ad, tuple(others), one_group)


def _accountant(pool: Pool) -> Accountant:
    """Priorities from the log, else from what the negotiator publishes."""
    from condor_py.client.accounting_ads import load_accountant
    from condor_py.core.accounts import Accountant, edits
    from condor_py.lang.config.builders.negotiator import accountant as accountant_knobs

    accountant = load_accountant(pool)
    if accountant is not None:
        return accountant
    accountant = Accountant(accountant_knobs(pool.config))
    for ad in pool.ads("ACCOUNTING"):
        name, factor = ad.eval_str("Name", ""), max(1.0, ad.eval_real("PriorityFactor", 1.0) or 1.0)
        if not ad.eval_bool("IsAccountingGroup"):
            edits.set_factor(accountant, name, factor)
            edits.set_priority(accountant, name, max(0.5, (ad.eval_real("Priority", 0.5) or 0.5) / factor))
            edits.set_ceiling(accountant, name, ad.eval_int("Ceiling", -1))
    return accountant


#: A limit of the pool that the drawn machine does not know makes jobs start so much later that it shows.
_LATER = 1.5


class Waiting(NamedTuple):
    """A job that waits: its submitter, the ad of its autocluster, run times of jobs like it."""

    job: JobId
    submitter: str
    request: ClassAd
    times: Sample


class Prospect:
    """The slots of a pool and what uses them. ``priority`` gives that of a submitter: a lower one gets more."""

    def __init__(
        self, slots: Sequence[ClassAd], settings: NegotiatorSettings, priority: Callable[[str], float]
    ) -> None:
        self._priority = priority
        self._names = sorted({name for slot in slots for name in _resources(slot)})
        self._consumer = Consumer(settings)
        self._whole = [slot for slot in slots if not slot.eval_bool("DynamicSlot")]
        self._parts = [slot for slot in slots if slot.eval_bool("DynamicSlot")]
        self._empty = next((emptied(slot) for slot in self._whole if slot.eval_bool("PartitionableSlot")), None)
        self._asked: dict[int, Amounts] = {}

    def likely(
        self,
        order: Sequence[Waiting],
        passed: Callable[[ClassAd], float],
        times: Callable[[ClassAd], Sample],
        at: Mapping[JobId, float],
        worklife: float,
    ) -> dict[JobId, Likely]:
        """The spans of jobs, each user's in the order in which they wait. ``passed`` tells how long a slot's job has
        run, ``times`` what it is like. ``at`` is when the negotiator's own cycles start jobs, in seconds from now, as
        far as they were analysed; ``worklife`` is CLAIM_WORKLIFE in seconds."""
        rooms = [Room(self._amounts(slot), not slot.eval_bool("PartitionableSlot")) for slot in self._whole]
        waiting = [Waits(self._user(one.submitter), self._asks(one.request), one.times) for one in order]
        found = outlook(rooms, list(self._runs(passed, times)), waiting, worklife=worklife)
        return {
            one.job: _not_before(likely, at.get(one.job))
            for one, likely in zip(order, found, strict=True)
            if likely is not None
        }

    def _user(self, submitter: str) -> User:
        return User(submitter, self._priority(submitter))

    def _runs(self, passed: Callable[[ClassAd], float], times: Callable[[ClassAd], Sample]) -> Iterable[Runs]:
        places = {_place(slot): number for number, slot in enumerate(self._whole)}
        nothing = (0.0,) * len(self._names)
        for part in self._parts:
            if _place(part) in places:
                yield Runs(self._holder(part), places[_place(part)], self._amounts(part), passed(part), times(part))
        for number, slot in enumerate(self._whole):
            if slot.has("RemoteUser") and not slot.eval_bool("PartitionableSlot"):
                yield Runs(self._holder(slot), number, nothing, passed(slot), times(slot))

    def _holder(self, slot: ClassAd) -> User:
        return self._user(slot.eval_str("AccountingGroup") or slot.eval_str("RemoteUser", ""))

    def _amounts(self, slot: ClassAd) -> Amounts:
        return tuple(slot.eval_real(name, 0.0) for name in self._names)

    def _asks(self, ad: ClassAd) -> Amounts:
        """Return a job's share of a slot, as the negotiator rounds it. ``ad`` is that of its autocluster."""
        known = self._asked.get(id(ad))
        if known is None:
            taken = None if self._empty is None else self._consumer.of(Slot(0, self._empty, 0.0), ad)
            if taken is not None:
                known = tuple(taken.amounts.get(name, 0.0) for name in self._names)
            else:
                known = tuple(ad.eval_real(f"Request{name}", 0.0, self._empty) for name in self._names)
            self._asked[id(ad)] = known
        return known


def _not_before(likely: Likely, at: float | None) -> Likely:
    """Spans moved to where quotas, ceilings and limits let the job start, if that is clearly later."""
    middle = likely.start.middle
    if at is None or at <= max(likely.start.late, middle * _LATER):
        return likely
    factor = at / middle if middle > 0 else 1.0
    more = at - middle
    start = Span(*(value * factor for value in likely.start)) if middle > 0 else Span(at, at, at)
    return Likely(start, Span(*(value + more for value in likely.end)))


def _resources(slot: ClassAd) -> list[str]:
    names = (slot.eval_str("MachineResources") or "Cpus Memory Disk").split()
    return [name for name in names if name.lower() != "swap"]


def _place(slot: ClassAd) -> tuple[str | None, int | None]:
    return slot.eval_str("Machine"), slot.eval_int("SlotID")
