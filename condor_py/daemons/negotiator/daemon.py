"""The negotiator daemon: runs a cycle when the schedd has news, and keeps the accountant's log."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from typing import Any, NamedTuple

from condor_py.core.accounts import Accountant, accounting_ads
from condor_py.core.accounts.edits import apply_edit
from condor_py.core.match.carried import Carried
from condor_py.core.match.cycle import Cycle, match_slots, negotiate, prepare
from condor_py.core.match.offline import missed
from condor_py.core.match.recording import Recorder
from condor_py.core.match.significant import significant_attributes
from condor_py.core.match.snapshot import Snapshot, SubmitterDemand
from condor_py.core.match.tally import Clocks, Tally
from condor_py.core.match.trial import without_culprits
from condor_py.daemons.common.configuration import Outcome
from condor_py.daemons.common.demand import (
    elsewhere_of,
    gangs_of,
    job_ads_of,
    plan_message,
    promises_of,
    submitters_of,
    wants_slots,
)
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import Timer, monotonic, now
from condor_py.daemons.common.service import Service, open_table, tell_notes
from condor_py.daemons.common.watch import FileWatch
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.build import build
from condor_py.lang.config.builders.daemon import log as log_knobs
from condor_py.lang.config.builders.history import cycle_history
from condor_py.lang.config.builders.negotiator import accountant as accountant_knobs
from condor_py.lang.config.builders.negotiator import negotiator as negotiator_knobs
from condor_py.model.errors import CondorError, StoreError
from condor_py.model.messages import cycles as say
from condor_py.model.messages.codec import BadMessage, Message, Refused
from condor_py.model.messages.wakeups import Done, Ring
from condor_py.model.plan import Plan
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.store.accountant_log import AccountantLog
from condor_py.store.ad_store import AdStore
from condor_py.store.advertised import Advertised
from condor_py.store.cyclelog import CycleLog
from condor_py.store.table import Transaction

# The last negotiation cycles, as the negotiator ad tells of them (LastNegotiationCycle attributes).

Value = int | float | str


class Fetching(NamedTuple):
    """The start of phase 1, the reading of the ads: wall clock and processor time in seconds."""

    wall: float
    cpu: float

    def seconds(self, wall: float, cpu: float) -> tuple[float, float]:
        """Seconds of wall clock and of processor time from the start until now."""
        return wall - self.wall, cpu - self.cpu


class CycleHistory:
    """Figures of the last cycles, latest first."""

    def __init__(self, length: int) -> None:
        self._cycles: deque[dict[str, Value]] = deque(maxlen=max(1, length))
        self._length = length

    def keep(self, length: int) -> None:
        """Remember ``length`` cycles from now on; one always, for the period of the next."""
        self._cycles = deque(list(self._cycles)[: max(1, length)], maxlen=max(1, length))
        self._length = length

    def add(self, cycle: Cycle, began: int, ended: int, fetched: tuple[float, float]) -> None:
        """A cycle that ended. Reading the slot ads took ``fetched`` (wall, processor) seconds."""
        period = ended - int(self._cycles[0]["End"]) if self._cycles else 0
        self._cycles.appendleft(_figures(cycle, began, ended, period, fetched))

    def attributes(self) -> Iterator[tuple[str, Value]]:
        """Names and values for the ad."""
        for number, figures in enumerate(list(self._cycles)[: self._length]):
            for name, value in figures.items():
                yield f"LastNegotiationCycle{name}{number}", value


def _figures(cycle: Cycle, began: int, ended: int, period: int, fetched: tuple[float, float]) -> dict[str, Value]:
    tally, plan = cycle.tally, cycle.plan
    matches, duration = len(plan.matches), ended - began
    return {
        "Time": began,
        "End": ended,
        "Period": period,
        "Duration": duration,
        **_phases(cycle, fetched),
        "PrefetchDuration": 0,
        "PrefetchCpuTime": 0.0,
        "TotalSlots": tally.slots,
        "TrimmedSlots": tally.trimmed,
        "CandidateSlots": tally.candidates,
        "SlotShareIter": tally.rounds,
        "NumSchedulers": len(tally.schedds),
        "NumIdleJobs": sum(tally.idle.values()),
        "NumJobsConsidered": tally.considered,
        "Matches": matches,
        "Rejections": tally.rejections,
        "MatchRate": matches / duration if duration > 0 else 0.0,
        "MatchRateSustained": matches / period if period > 0 else 0.0,
        "ActiveSubmitterCount": len(tally.idle),
        "Pies": tally.pies,
        "PieSpins": tally.spins,
        "SubmittersFailed": "",
        "SubmittersOutOfTime": ", ".join(tally.out_of_time),
        "SubmittersShareLimit": ", ".join(tally.share_limit),
        "ScheddsOutOfTime": ", ".join(tally.schedds_out_of_time),
    }


def _phases(cycle: Cycle, fetched: tuple[float, float]) -> dict[str, Value]:
    """Durations in whole seconds, processor time in fractions; the sorting of phase 3 is no part of phase 4."""
    figures: dict[str, Value] = {}
    wall, cpu = list(cycle.tally.phase_time), list(cycle.tally.phase_cpu)
    for seconds, first in (wall, fetched[0]), (cpu, fetched[1]):
        seconds[0] += first
        seconds[3] = max(0.0, seconds[3] - seconds[2])
    figures["CpuTime"] = sum(cpu)
    for number in range(4):
        figures[f"Phase{number + 1}Duration"] = int(wall[number])
        figures[f"Phase{number + 1}CpuTime"] = cpu[number]
    return figures


#: Cycles on news follow each other no faster than this, in seconds; the first one starts at once.
_MIN_PAUSE = 0.02
#: One on news of which nothing can come, as no job waits, leaves the processors to the jobs that have just begun.
_PATIENT_PAUSE = 0.25
_PUBLISH_EVERY = 1.0
#: A cycle that goes on with what the last one had no steps for comes after so many times its duration.
_REST = 10
#: Lines that go into the MatchLog, too.
_MATCH_LINES = ("Matched ", "Rejected ")


class NegotiatorDaemon(Service):
    """Demand comes from the schedd, slots from the published ads; the plan goes back."""

    subsystem = "NEGOTIATOR"
    kinds = ("NEGOTIATOR",)
    hears = say.BY_NEGOTIATOR

    def __init__(self, local_name: str = "") -> None:
        super().__init__(local_name)
        self.knobs = negotiator_knobs(self.config)
        path = self.paths.accountant_log
        self.table = open_table(lambda: AccountantLog(path), path, self.log.write)
        self.table.compact(0)
        tell_notes(self.table, self.log.write)
        self.accountant = Accountant(accountant_knobs(self.config))
        self._load()
        self.ads = AdStore(self.paths.ads)
        self._job_ads: dict[int, ClassAd] = {}
        self._schedd: Link | None = None
        self._significant: tuple[str, ...] | None = None
        #: Whether the next demand is an answer to a call of ours.
        self._called = False
        self._demand: say.Demand | None = None
        self._last_start = self._last_end = float("-inf")
        self._pauses = _pauses(self.config)
        self._last = Cycle(Plan(), {}, {}, Tally(self.knobs, Clocks()))
        self._carried = Carried()
        self._once_more: Timer | None = None
        self._cycles = CycleHistory(_history_length(self.config))
        self._cycle_log = CycleLog(cycle_history(self.config))
        self._recorder = Recorder(self.accountant)
        self._recording = self.loop.every(self._cycle_log.settings.interval, self._record)
        self._timer: Timer | None = None
        self._due = 0.0
        self._publish_due = False
        FileWatch(self.loop, self.paths.accountant_log, self._log_moved)
        self._asking = self.loop.every(_interval(self.config), self._ask)
        self._publishing = _Publishing.of(self.config)
        self._match_log = DaemonLog(log_knobs(self.config, "NEGOTIATOR_MATCH"), self.name)
        self._updating = self.loop.every(self._publishing.interval, self._publish)
        self._log_limit = _log_limit(self.config)
        self._publish()
        self.loop.on_jump(lambda seconds: self.accountant.pass_over(int(seconds)))

    def _load(self) -> None:
        self.accountant.load(self.table.customers(), self.table.resources(), self.table.last_update)

    def _log_moved(self) -> None:
        """A tool edited priorities: take its changes over."""
        try:
            if self.table.refresh():
                self._load()
                self._publish_soon()
        except StoreError as error:
            self.log.write(str(error))

    # -- messages ----------------------------------------------------------------------------------

    def message(self, link: Link, message: Message, body: bytes) -> None:
        """Demand of the schedd, and doorbells."""
        match message:
            case Ring():
                self._log_moved()
            case _ if not self.is_admin(link):
                link.send(Refused("denied"))
            case Refused(error):
                self.log.write(f"The schedd says: {error}")
            case say.Demand():
                self._demanded(link, message)
            case say.EditPriorities():
                self._edit(link, message)

    def _demanded(self, link: Link, demand: say.Demand) -> None:
        if link is not self._schedd:
            self._schedd = link
            self._significant = None
            self._job_ads.clear()
        self._job_ads.update(job_ads_of(demand, self.log.write))
        self._demand = demand
        self._run_soon()

    def _edit(self, link: Link, request: say.EditPriorities) -> None:
        try:
            with self._up_to_date() as transaction:
                apply_edit(self.accountant, request.edit, list(request.arguments), int(now()))
                transaction.extend(self.accountant.take_log())
            link.send(Done())
        except (CondorError, TypeError, ValueError, KeyError) as error:
            link.send(Refused(str(error)))

    def _ask(self) -> None:
        """NEGOTIATOR_INTERVAL: the schedd is asked for its demand even without news."""
        if self._schedd is not None and self._schedd.open:
            self._called = True
            self._schedd.send(say.Call())
        else:
            self._recorder.lost_touch(int(now()))
            self._account_only()

    def _run_soon(self) -> None:
        earliest = max(self._last_end + self._pauses.after_end, self._last_start + self._pauses.after_start)
        pause = max(0.0, earliest - monotonic())
        if not self._called and (self._demand is None or not wants_slots(self._demand)):
            pause = max(pause, _PATIENT_PAUSE)
        self._called = False
        if self._timer is not None:
            if pause >= self._due - monotonic():
                return
            self._timer.cancel()
            self._timer = None
        if pause == 0.0:
            self._cycle()
        else:
            self._due = monotonic() + pause
            self._timer = self.loop.after(pause, self._cycle)

    # -- a cycle -----------------------------------------------------------------------------------

    def _cycle(self) -> None:
        self._timer = None
        demand, self._demand = self._demand, None
        if demand is None:
            return
        if self.config.boolean("NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE"):
            super().reconfig()  # this is the cycle that reconfig would ask for
        moment = int(now())
        self._last_start = monotonic()
        fetching = Fetching(self._last_start, process_time())
        try:
            with self._up_to_date() as transaction:
                slots = self._slots()
                if self._autoclusters_change(slots):
                    return
                submitters = self._submitters(demand)
                promises = promises_of(demand, self.log.write)
                elsewhere = elsewhere_of(demand, self.log.write)
                gangs = gangs_of(demand, self.log.write)
                snapshot = Snapshot(moment, slots, submitters, promises, elsewhere, gangs)
                fetched = fetching.seconds(monotonic(), process_time())
                clocks = Clocks(monotonic, process_time)
                self._last = self._negotiate(snapshot, clocks)
                plan = self._last.plan
                transaction.extend(self.accountant.take_log())
        except (StoreError, BadMessage) as error:
            self.log.write(f"{error}: cycle given up")
            return
        if self._schedd is not None:
            self._schedd.send(plan_message(plan, self.knobs.match_exprs, self.knobs.inform_startd))
            self._schedd.flush()  # jobs wait for it; what follows is not urgent
        for line in plan.log:
            self.log.write(line)
            if line.lstrip().startswith(_MATCH_LINES):
                self._match_log.write(line)
        self._look_at_sleepers(plan, moment)
        self._last_end = monotonic()
        self._recorder.observe(self._last, snapshot)
        self._plan_next(self._last.again)
        self._cycles.add(self._last, moment, int(now()), fetched)
        if self._publishing.after_cycle or not (submitters or self._publish_due):
            self._publish()
        else:
            self._publish_soon()

    def _look_at_sleepers(self, plan: Plan, moment: int) -> None:
        """Machines that are offline hear that a job would have liked them (condor_rooster looks for that)."""
        try:
            advertised = Advertised(self.ads, build(RememberedSettings, self.config))
            if not plan.rejections or not advertised.any:
                return
            offline = [ad for ad in advertised.read("STARTD", moment) if ad.eval_bool("Offline", False)]
            wanted = missed(plan.rejections, self._job_ads, offline, moment)
            advertised.merge("STARTD", wanted, moment)
        except StoreError as error:
            self.log.write(str(error))
            return
        for name in wanted:
            self.log.write(f"    Matched with offline {name}")

    def _negotiate(self, snapshot: Snapshot, clocks: Clocks) -> Cycle:
        """A cycle; one that fails is run again without the jobs and slots that it fails over."""
        try:
            return negotiate(snapshot, self.accountant, self.knobs, self._carried, clocks)
        except Exception as error:  # the ad of a job may say anything
            self.guard.fault(error, "a negotiation cycle")
        verdict = without_culprits(snapshot, lambda part: match_slots(part, self.accountant, self.knobs))
        last = negotiate(verdict.snapshot, self.accountant, self.knobs, self._carried, clocks)
        plan = last.plan
        plan = plan._replace(rejections=plan.rejections + verdict.rejections, log=verdict.log + plan.log)
        return last._replace(plan=plan)

    def _plan_next(self, seconds: int | None) -> None:
        """A cycle without news in that many seconds, because it can do more than the last one; so late that costly
        expressions do not keep the processor busy."""
        if self._once_more is not None:
            self._once_more.cancel()
            self._once_more = None
        if seconds is not None:
            took = self._last_end - self._last_start
            self._once_more = self.loop.after(max(float(seconds), _REST * took), self._ask)

    def _autoclusters_change(self, slots: list[ClassAd]) -> bool:
        """Tells the schedd which attributes of jobs matter, if it does not know yet; it answers with a new demand."""
        names = significant_attributes(slots, self.knobs)
        if names == self._significant or self._schedd is None:
            return False
        self._significant = names
        self._schedd.send(say.Significant(names))
        return self._schedd.open

    @contextmanager
    def _up_to_date(self) -> Iterator[Transaction]:
        """Begin a transaction of the log. What tools have edited meanwhile is read first, so that no edit is lost."""
        try:
            with self.table.transaction() as transaction:
                if transaction.caught_up:
                    self._load()
                yield transaction
        except BaseException:
            self._load()  # what the accountant has in memory beyond the log would never be written
            raise
        self.table.compact_if_large(self._log_limit)

    def _slots(self) -> list[ClassAd]:
        """The slots that are awake."""
        ads = self.ads.read("STARTD")
        return [ad for ad in ads if ad.text("SlotID") is not None and not _sleeps(ad)]

    def _submitters(self, demand: say.Demand) -> list[SubmitterDemand]:
        """The submitters of a demand; with their published ads where NEGOTIATOR_SUBMITTER_CONSTRAINT may ask."""
        submitters = submitters_of(demand, self._job_ads, self.settings.address, self.log.write)
        if not self.knobs.submitter_constraint.strip():
            return submitters
        ads = {ad.eval_str("Name", ""): ad for ad in self.ads.read("SUBMITTERS")}
        return [one._replace(ad=ads.get(one.name)) for one in submitters]

    def _account_only(self) -> None:
        try:
            with self._up_to_date() as transaction:
                prepare(Snapshot(int(now()), self._slots(), []), self.accountant, self.knobs)
                transaction.extend(self.accountant.take_log())
        except StoreError as error:
            self.log.write(str(error))
        self._publish_soon()

    def _record(self) -> None:
        """Append the statistics of the cycles of the last interval to NEGOTIATION_HISTORY."""
        moment, log = int(now()), self._cycle_log
        record = self._recorder.take(moment, log.settings.interval)
        if record is None:
            return
        try:
            log.append(record, moment)
        except StoreError as error:
            self.log.write(str(error))

    # -- publishing --------------------------------------------------------------------------------

    def _publish_soon(self) -> None:
        if not self._publish_due:
            self._publish_due = True
            self.loop.after(_PUBLISH_EVERY, self._publish)

    def _publish(self) -> None:
        self._publish_due = False
        moment = int(now())
        ad = self.own_ads.make("Negotiator", self.settings.host, self.settings, moment)
        ad.set_str("NegotiatorIpAddr", self.settings.address)
        records = accounting_ads(self.accountant, self._last.groups, self._last.submitters)
        for name, value in self._cycles.attributes():
            ad[name] = value
        try:
            self.ads.publish("NEGOTIATOR", [ad])
            accounting = [self._accounting_ad(record, moment) for record in records]
            self.ads.publish("ACCOUNTING", accounting if self._publishing.accounting else [])
        except StoreError as error:
            self.log.write(str(error))
        self.published([ad])

    def _accounting_ad(self, record: dict[str, Any], moment: int) -> ClassAd:
        ad = self.own_ads.make("Accounting", record["Name"], self.settings, moment)
        ad.set_str("NegotiatorName", self.settings.host)
        for name, value in record.items():
            ad[name] = value
        return ad

    # -- life --------------------------------------------------------------------------------------

    def prepare(self, config: Config) -> Callable[[], None]:
        """New settings; priorities stay."""
        knobs, accounting = negotiator_knobs(config), accountant_knobs(config)
        interval, limit = _interval(config), _log_limit(config)
        pauses, length = _pauses(config), _history_length(config)
        publishing, match_log = _Publishing.of(config), log_knobs(config, "NEGOTIATOR_MATCH")
        kept = cycle_history(config)

        def take() -> None:
            self._pauses = pauses
            self._cycles.keep(length)
            self._publishing = publishing
            self._cycle_log.settings = kept
            self._recording.change(kept.interval)
            self._match_log.retune(match_log)
            self._updating.change(publishing.interval)
            self._asking.change(interval)
            self._log_limit = limit
            self.knobs = knobs
            self.accountant.reconfigure(accounting)

        return take

    def reconfig(self) -> Outcome:
        """Read the configuration again, and ask for a cycle: it works out what the tables say of quotas."""
        outcome = super().reconfig()
        self._ask()
        return outcome

    def shutdown(self, how: str) -> None:
        """Accounts up to now and leaves. The Accounting ads stay readable."""
        self._account_only()
        self._cycle_log.settings = self._cycle_log.settings.changed(interval=0)
        self._record()
        self.leave(0)


def _sleeps(slot: ClassAd) -> bool:
    return slot.text("Offline") is not None and slot.eval_bool("Offline") is True


def _interval(config: Config) -> float:
    """NEGOTIATOR_INTERVAL in seconds."""
    return float(config.integer("NEGOTIATOR_INTERVAL"))


def _log_limit(config: Config) -> int:
    """MAX_ACCOUNTANT_DATABASE_SIZE in bytes."""
    return config.integer("MAX_ACCOUNTANT_DATABASE_SIZE")


def _history_length(config: Config) -> int:
    """NEGOTIATION_CYCLE_STATS_LENGTH: of how many cycles the negotiator ad tells."""
    return max(0, min(100, config.integer("NEGOTIATION_CYCLE_STATS_LENGTH")))


class _Publishing(NamedTuple):
    """The negotiator's publishing of itself: seconds between updates (NEGOTIATOR_UPDATE_INTERVAL), whether every cycle
    sends one at once (NEGOTIATOR_UPDATE_AFTER_CYCLE; by default a little later, one for several), and whether there are
    Accounting ads (NEGOTIATOR_ADVERTISE_ACCOUNTING)."""

    interval: float
    after_cycle: bool
    accounting: bool

    @classmethod
    def of(cls, config: Config) -> _Publishing:
        """As configured; ConfigError names the knob."""
        return cls(
            float(max(1, config.integer("NEGOTIATOR_UPDATE_INTERVAL"))),
            config.boolean("NEGOTIATOR_UPDATE_AFTER_CYCLE"),
            config.boolean("NEGOTIATOR_ADVERTISE_ACCOUNTING"),
        )


class _Pauses(NamedTuple):
    """The least seconds between the end of a cycle, and the start of it, and the start of the next."""

    after_end: float
    after_start: float


def _pauses(config: Config) -> _Pauses:
    """NEGOTIATOR_CYCLE_DELAY and NEGOTIATOR_MIN_INTERVAL where set; by default cycles follow news at once."""
    delay = config.integer("NEGOTIATOR_CYCLE_DELAY") if config.macros.get("NEGOTIATOR_CYCLE_DELAY") else 0
    interval = config.integer("NEGOTIATOR_MIN_INTERVAL") if config.macros.get("NEGOTIATOR_MIN_INTERVAL") else 0
    return _Pauses(max(_MIN_PAUSE, float(delay)), float(interval))
