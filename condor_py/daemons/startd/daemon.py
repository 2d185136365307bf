"""The startd daemon: carries out what the core decides, and is the parent of the starters."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from condor_py.core.slots import effects as do
from condor_py.core.slots import events as on
from condor_py.core.slots.core import Startd
from condor_py.core.slots.guard import answer as answer_to_fault
from condor_py.core.slots.pending import PendingClaims
from condor_py.core.slots.policy import check_policies
from condor_py.daemons.common.leftovers import clear_execute
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.loop import now
from condor_py.daemons.common.remover import Remover
from condor_py.daemons.common.service import NO_RESTART, Service
from condor_py.daemons.startd.abilities import Abilities, with_isolation
from condor_py.daemons.startd.containers import clear_containers, container_setup, executes_of
from condor_py.daemons.startd.fetchhooks import FetchHookRunner
from condor_py.daemons.startd.publishing import MachineLooks, Publishing, claims_told, granted
from condor_py.daemons.startd.refusals import Refusals, Reports
from condor_py.daemons.startd.rehoming import Rehoming
from condor_py.daemons.startd.runhistory import EpEventLog, RunHistory, started
from condor_py.daemons.startd.scratchdisks import ScratchDisks
from condor_py.daemons.startd.silence import Silence
from condor_py.daemons.startd.sleeping import Alarm, Sleeping
from condor_py.daemons.startd.startdprograms import StartdPrograms, with_inventories
from condor_py.daemons.startd.starters import Starters
from condor_py.daemons.startd.transfermethods import with_methods
from condor_py.daemons.startd.transferqueue import TransferTurns
from condor_py.daemons.starter.jobfamily import clear_groups
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd, sent
from condor_py.lang.config import Config
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.lang.config.builders.machine import probes as probe_knobs
from condor_py.lang.config.builders.startd import startd as startd_knobs
from condor_py.lang.config.builders.starter import starter as starter_knobs
from condor_py.lang.config.builders.starter import transfer_queue
from condor_py.machine.probes import machine
from condor_py.machine.probes.selfview import SelfView
from condor_py.model.copies import changed
from condor_py.model.errors import StoreError
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.model.messages import claims as say
from condor_py.model.messages import machine as ask
from condor_py.model.messages import runs
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.messages.wakeups import Done, Ring
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import StarterSettings
from condor_py.store.ad_store import AdStore
from condor_py.store.drain_file import DrainFile


def shut_down_machine(lock: str) -> None:
    """Asks our master, if we have one, to take everything down; ``lock`` is the file with its process id."""
    master = os.getppid()
    try:
        with open(lock, encoding="ascii") as file:
            holder = int(file.read())
    except (OSError, ValueError):
        holder = 0
    if holder == master:
        os.kill(master, signal.SIGTERM)


#: Exit status of a startd that has been drained and wants the master to start it again.
_RESTART = 3
#: Seconds that a startd that leaves waits for the acknowledgements of its last reports, and between checks of that.
_LAST_REPORTS, _REPORTS_POLL = 2.0, 0.02
#: Jobs that run in containers have these in their ads.
_IMAGES = (b"DockerImage", b"ContainerImage")
#: News of starters for the schedd.
_FOR_SCHEDD = (runs.AboutRun, runs.StagingStep)
#: What a slot has to offer: when this changes (a drain was cancelled, START is another), waiting jobs get a new chance.
_OFFER = ("Name", "State", "Cpus", "Memory", "Disk", "Start", "Requirements", "StarterAbilityList", "HasVM", "Offline")


class StartdDaemon(Service):
    """One core, one schedd at a time, a starter a claim."""

    subsystem = "STARTD"
    kinds = ("STARTD",)
    hears = say.BY_STARTD

    def __init__(self, local_name: str = "") -> None:
        super().__init__(local_name)
        self.birth = int(now())
        self.loop.watch_children()
        asked = starter_knobs(self.config)
        self._clear_leftovers(asked)
        self.ads = AdStore(self.paths.ads)
        self._machine = machine.Machine(probe_knobs(self.config))
        facts = self._machine.facts(now())
        self._disks = ScratchDisks(self.log.write)
        self._starter_settings = starter = self._disks.settled(asked)
        knobs = with_methods(startd_knobs(self.config), starter, self.home, self.log.write)
        knobs = with_isolation(with_inventories(knobs, self.config, self.home, self.log.write), starter, self.log.write)
        self._self = SelfView(self.birth)
        self._drain_file = DrainFile(self.paths.spool)
        self.core = Startd(
            knobs,
            facts,
            now(),
            address=self.settings.address,
            new_secret=lambda: os.urandom(20).hex(),
            remembered=self._drain_file.read(),
        )
        self._looks = MachineLooks(self.loop, float(knobs.polling_interval), self._look, self.core.next_look)
        self._alarm = Alarm(self.loop, self._next_wakeup, lambda: self._handle(on.Poll()))
        self._starter_log = daemon_knobs.log(self.config, "STARTER")
        self.schedd: Link | None = None
        self._starters = Starters(self.loop, self._from_starter, self._starter_gone, self.log.write)
        self._turns = TransferTurns(self.loop, transfer_queue(self.config), self._starters.tell, self.log.write)
        self._payloads: dict[tuple[str, str, int], bytes] = {}
        #: What data slots are to fetch, by claim, until their starters know.
        self._catalogs: dict[str, Sequence[runs.CatalogWanted]] = {}
        self._started: dict[str, runs.RunStarted] = {}
        self.reports = Reports(self.to_schedd)
        self.pending_claims = PendingClaims(self.core.claimed_slots, self._handle)
        self._refusals = Refusals(
            self.reports, self.pending_claims, self.core.claims, self.to_schedd, self.ended, self.log.write
        )
        self._publishing = Publishing(self.loop, self._publish, self._send)
        self._offer: tuple[tuple[str | None, ...], ...] = ()
        #: Whether it leaves, and waits for the acknowledgements of the last reports.
        self._leaving = False
        self._rehoming = Rehoming(self.loop, self.log.write, self.configuration, self.core, self.reconfig, self._handle)
        #: The tool that waits for the answer about a drain.
        self._asks_to_drain: Link | None = None
        self._programs = StartdPrograms(
            self.loop, self.log.write, self.config, asked, self.home, self.core, self._handle
        )
        self._sleeping = Sleeping(
            self.loop, self.log.write, self.config, self.home, self.paths.job_queue_log,
            self._handle, self._publishing.at_once,
        )  # fmt: skip
        self._hooks = FetchHookRunner(self.loop, self.log.write, self._handle, self._named_ad, self.home)
        self._events = EpEventLog(self.config, self.log.write)
        self._run_history = RunHistory(self.loop, self.config, self.log.write)
        self._fetched: set[str] = set()
        #: Claims that have had no job yet.
        self._unused: set[str] = set()
        self._abilities = Abilities(self.loop, self.log.write, self._handle)
        self._abilities.use(container_setup(self.config, self.home.user, executes_of(self.config)), starter)
        self._silence = Silence(
            self.loop, knobs.silence, lambda: self.schedd is not None, lambda: self.core.has_claims, self._handle
        )
        started(self._events, self.core.slots)
        if self.core.failed:
            self.log.write('ERROR "Ran out of system resources" (SLOT_CONFIG_FAILURE_MODE = ABORT)')
            self.loop.soon(lambda: self.leave(4))
        else:
            self._publishing.at_once()

    def _clear_leftovers(self, starter: StarterSettings) -> None:
        """Kills jobs of a startd that died with its starters, and removes their directories."""
        clear_groups(starter)
        executes = executes_of(self.config)
        for execute in executes:
            clear_execute(execute, self.paths.log, Remover(self.loop, self.log.write), self.log.write)
        clear_containers(self.loop, starter.docker, executes, self.log.write)

    # -- events ------------------------------------------------------------------------------------

    def _handle(self, event: on.Event) -> list[do.Effect]:
        effects = self._decide(event)
        self._carry_out_all(effects)
        return effects

    def _decide(self, event: on.Event) -> list[do.Effect]:
        """Return the core's effects of an event. If the core fails on it, they end with an answer to the fault."""
        self._looks.stir()
        self._alarm.stir()
        try:
            return self.core.handle(event, now())
        except Exception as error:  # the ad of a job may say anything
            return self.core.interrupted() + answer_to_fault(event, error)

    def _after_event(self) -> None:
        for claim_id in self.pending_claims.settle():
            self._publishing.before(say.ClaimReleased(claim_id))

    def _look(self) -> None:
        self.guard.turn("a look at the machine", self._poll)

    def _poll(self) -> None:
        self._handle(on.Poll(self._machine.facts(now())))
        self._alarm.look()
        self._silence.go_on()

    def _next_wakeup(self) -> float | None:
        return now() if self.stopping else self.core.next_wakeup()

    def message(self, link: Link, message: Message, body: bytes) -> None:
        """Messages of the schedd, and of tools."""
        if link is self.schedd:
            self._silence.heard()
            self._from_schedd(message, body)
        elif isinstance(message, say.Hello) and self.is_admin(link):
            self._hello(link)
        elif not isinstance(message, Ring):
            self._answer(link, message)

    def _answer(self, link: Link, message: Message) -> None:
        """Answer a request of a tool."""
        match message:
            case ask.Publish():
                if not self._publishing.is_recent:
                    self._publishing.at_once()
                link.send(Done())
            case ask.Extras():
                link.send(ask.SlotExtras(self.core.extras()))
            case ask.AdminRequest() if self.is_admin(link):
                self._obey_administrator(link, message)
            case _:
                link.send(Refused("denied"))

    def _obey_administrator(self, link: Link, request: ask.AdminRequest[Any]) -> None:
        match request:
            case ask.Drain() | ask.CancelDrain():
                self._asks_to_drain = link
                self._handle(request)
            case ask.Rehome():
                link.send(self._rehoming.answer(request))
            case ask.UpdateAd():
                self._handle(request)
                link.send(Done())
            case ask.Vacate(slot, graceful):
                self._handle(on.Vacate(slot, graceful))
                link.send(Done())

    def _answer_drain(self, reply: do.DrainReply) -> None:
        link, self._asks_to_drain = self._asks_to_drain, None
        if link is None:
            return
        if reply.ok:
            link.send(ask.Draining(reply.request_id))
        else:
            link.send(Refused(reply.text, reply.error_code, reply.request_id))

    def _hello(self, link: Link) -> None:
        """A schedd (again): tell it every claim, and replay what it may have missed."""
        self._publishing.settle()
        self.schedd = link
        self._silence.begins()
        self._handle(on.ScheddBack())
        link.send(say.Claims(claims_told(self.core, self.reports.runs(), now())))
        for news in (*self._started.values(), *self.reports.messages()):
            link.send(news)

    def _from_schedd(self, message: Message, body: bytes) -> None:
        match message:
            case say.Activate(claim_id, job, run, common, catalogs):
                if message.ended_job:
                    self.reports.drop(claim_id, message.ended_job, message.ended_run)
                name = str(job)
                self._payloads[(claim_id, name, run)] = body
                if catalogs:
                    self._catalogs[claim_id] = catalogs
                self._handle(on.Activate(claim_id, name, run, _job_ad(body), tuple(common), bool(catalogs)))
                if claim_id in self._unused:
                    self._unused.discard(claim_id)
                    self._publishing.in_a_blink()
            case say.Acknowledge(claim_id, job, run):
                self.reports.drop(claim_id, job, run)
            case say.RequestClaim():
                self._claim(message, _job_ad(body))
            case say.Deactivate() | say.SuspendClaim() | say.ContinueClaim():
                self._handle(message)
            case say.WithdrawClaim(request_id):
                self.pending_claims.withdraw(request_id)
            case say.ReleaseClaim(claim_id):
                self.pending_claims.release(claim_id)
            case say.Alive():
                pass  # that it came is all it says
            case Refused():
                self._refusals.by_schedd(message)

    def _claim(self, asked: say.RequestClaim, ad: ClassAd) -> None:
        if asked.matched:
            self._handle(on.Match(asked.slot))
        owner = ad.eval_str("Owner", "") or ""
        request = on.ClaimRequest(
            asked.id, asked.slot, asked.submitter, owner, ad, *asked.groups,
            schedd=self.settings.schedd_name, client=self.settings.host,
        )  # fmt: skip
        self.pending_claims.request(request, tuple(asked.victims), asked.by_rank)
        self._silence.listen()

    def link_closed(self, link: Link) -> None:
        """The schedd's connection broke; its jobs keep running for their lease."""
        if link is self.schedd:
            self.schedd = None
            if not self.stopping:
                self.pending_claims.forget_requests()
            self._handle(on.ScheddGone())

    # -- effects -----------------------------------------------------------------------------------

    def to_schedd(self, message: Message) -> None:
        """Send a message to the schedd, if it is connected."""
        self._publishing.settle()
        self._send(message)

    def _send(self, message: Message) -> None:
        if self.schedd is not None:
            self.schedd.send(message)

    def _carry_out_all(self, effects: Sequence[do.Effect]) -> None:
        """Carry out the effects of one event; its lines go to the log in one piece."""
        logs = [effect for effect in effects if type(effect) is do.Log]
        for (category, block), ones in groupby(logs, attrgetter("category", "block")):
            self.log.write_all([one.text for one in ones], category, block=block)
        for effect in effects:
            if type(effect) is not do.Log:
                self.guard.turn(type(effect).__name__, self._carry_out, effect)
        self._after_event()

    def _carry_out(self, effect: do.Effect) -> None:
        match effect:
            case say.FilesStaged() | say.ClaimRefused():
                self.to_schedd(effect)
            case say.ClaimLost():
                self._publishing.before(effect)
            case do.Publish():
                self._publishing.soon()
            case runs.StartJob():
                self._order_starter(effect)
            case do.RunOver():
                self._run_history.obey(effect)
            case do.ClaimGranted(request_id, claim_id, slot_name, slot_ad):
                submitter = self.core.submitter_of(claim_id)
                self._unused.add(claim_id)
                self._publishing.before(granted(request_id, claim_id, slot_name, submitter, slot_ad))
            case runs.RunEnded(report):
                self._payloads.pop((report.claim_id, report.job, report.run), None)
                self._catalogs.pop(report.claim_id, None)
                self.reports.send(effect)
            case do.DrainReply():
                self._answer_drain(effect)
            case do.RememberDrain(remembered):
                self._remember(dict(remembered))
            case do.ShutdownMachine():
                shut_down_machine(self.paths.daemon_lock("MASTER"))
            case do.Reread():
                self.loop.soon(self.reconfig)
            case do.Exit(restart=True):
                self.leave(_RESTART)
            case do.Exit(stay_away=stay_away):
                self.leave(NO_RESTART if stay_away else 0)
            case do.FetchedJob(claim_id, job, run, job_ad):
                self._fetched.add(claim_id)
                self._payloads[(claim_id, job, run)] = sent.write(job_ad)
            case _:
                helpers = (self._run_history, self._programs, self._sleeping, self._hooks, self._events)
                if not any(helper.obey(effect) for helper in helpers):
                    self._order_starter(effect)

    def _remember(self, remembered: dict[str, Any]) -> None:
        try:
            self._drain_file.write(remembered)
        except StoreError as error:
            self.log.write(str(error))

    def _order_starter(self, effect: do.Effect) -> None:
        match effect:
            case do.StartStarter(claim_id, slot_name):
                self._fork(claim_id, slot_name)
            case runs.StartJob(claim_id, job, run):
                body = self._payloads.pop((claim_id, job, run), b"{}")
                if any(word in body for word in _IMAGES):
                    self._abilities.started(claim_id, _job_ad(body))
                schedd = "" if claim_id in self._fetched else self.paths.socket("schedd")
                start = effect.but(schedd=schedd, catalogs=self._catalogs.pop(claim_id, ()))
                self._starters.tell(claim_id, start, body)
            case runs.StarterOrder():
                self._starters.tell(effect.claim, effect)
            case do.KillStarter(claim_id):
                self._starters.kill(claim_id)

    # -- starters ----------------------------------------------------------------------------------

    def _fork(self, claim_id: str, slot_name: str) -> None:
        slot_ad = self.core.slot_ad(claim_id, now()) or ClassAd()
        setup = StarterSetup(
            claim_id=claim_id,
            slot_name=slot_name,
            slot_ad=slot_ad,
            execute=self._machine.settings.execute_of(slot_ad.eval_int("SlotID", 0) or 0),
            bin_dir=self.paths.bin,
            host=self.settings.host,
            file_system_domain=self.settings.file_system_domain,
            settings=self._abilities.settled(self._starter_settings),
            log=self._log_of_starter(slot_name.partition("@")[0]),
            images=self._abilities.images,
            queues_transfers=True,
            ancestors=(f"_CONDOR_ANCESTOR_{os.getpid()}={os.getpid()}:{self.birth}:{self.birth}",),
        )
        sys.stdout.flush()
        self._starters.fork(setup)

    def _log_of_starter(self, slot: str) -> LogSettings:
        """STARTER_LOG_NAME_APPEND; what is named after jobs, the starter names itself."""
        named = self._starter_settings.log_name_append == "slot"
        return changed(self._starter_log, path=f"{self._starter_log.path}.{slot}") if named else self._starter_log

    def _from_starter(self, claim_id: str, message: Message) -> None:
        self._turns.hear(claim_id, message)
        if isinstance(message, _FOR_SCHEDD) and claim_id not in self._fetched:
            if isinstance(message, runs.RunStarted):
                self._started[claim_id] = message
            self.to_schedd(message)
        match message:
            case runs.Ready() | runs.RunStarted() | runs.RunUpdate() | runs.Sample() | runs.CatalogsStaged():
                self._handle(message)
            case runs.RunEnded():
                self.ended(claim_id, message)
            case runs.Checkpointed():
                self._starters.tell(claim_id, runs.Restart(self.core.may_reactivate(claim_id, now())))
            case runs.Unable(_, reason):
                self.log.write(f"ERROR the starter of {claim_id.rpartition('#')[0]}#... {reason}")
            case Refused():
                self._refusals.by_starter(claim_id, message)

    def ended(self, claim_id: str, message: runs.RunEnded) -> None:
        """Take the report of a run that has ended."""
        report = message.report
        self._started.pop(claim_id, None)
        self._abilities.ended(claim_id, report)
        measured = self.core.measured(claim_id)
        if measured and claim_id not in self._fetched:
            job = JobId(*map(int, report.job.split(".")))  # a data slot has a negative proc
            self.to_schedd(runs.RunUpdate(claim_id, job, report.run, measured))
        self._handle(message)

    def _named_ad(self, slot_name: str) -> ClassAd | None:
        return self.core.named_ad(slot_name, now())

    def _starter_gone(self, claim_id: str, status: int) -> None:
        self._started.pop(claim_id, None)
        self._unused.discard(claim_id)
        self._fetched.discard(claim_id)
        self._turns.over(claim_id)
        self._handle(on.StarterGone(claim_id, status))

    # -- publishing --------------------------------------------------------------------------------

    def _publish(self) -> None:
        if self.core.failed:  # it leaves: the master would take one that has published for one that serves
            return
        self._looks.refresh()
        ads = self.core.ads(now(), self._self.look(now(), 1 + len(self.listener.links)))
        try:
            self.ads.publish("STARTD", ads)
        except StoreError as error:
            self.log.write(str(error))
        self.published(ads)
        offer = tuple(tuple(ad.text(name) for name in _OFFER) for ad in ads if ad.text("DynamicSlot") is None)
        if offer != self._offer:
            self._offer = offer
            self.to_schedd(say.NewOffer())

    # -- life --------------------------------------------------------------------------------------

    def prepare(self, config: Config) -> Callable[[], None]:
        """New policy; the slot layout stays."""
        asked = starter_knobs(config)
        log, starter = daemon_knobs.log(config, "STARTER"), self._disks.settled(asked)
        turns = transfer_queue(config)
        knobs = with_methods(startd_knobs(config), starter, self.home, self.log.write)
        knobs = with_isolation(knobs, starter, self.log.write)
        check_policies(knobs)
        engines = container_setup(config, self.home.user, executes_of(config))
        parts = [
            self._programs.prepare(config, asked),
            *(part.prepare(config) for part in (self._sleeping, self._run_history, self._events)),
        ]

        def take() -> None:
            self._starter_log, self._starter_settings = log, starter
            self._silence.change(knobs.silence)
            self._turns.change(turns)
            self._machine.configure(probe_knobs(config))
            self._looks.change(float(knobs.polling_interval))
            self._handle(on.Reconfig(knobs))
            for part in parts:
                part()
            self._abilities.use(engines, starter)

        return take

    def shutdown(self, how: str) -> None:
        """Jobs get their retirement and vacate time, or are killed; ``Exit`` follows from the core."""
        match how:
            case "fast" | "peaceful":
                self._handle(on.Shutdown(how))
            case _:
                self._handle(on.Shutdown("graceful"))

    def leave(self, status: int) -> None:
        """Leave when the schedd has acknowledged all reports of runs, or after ``_LAST_REPORTS`` seconds. A second call
        does not wait."""
        self.status = status
        if self._leaving or not self._owes_reports():
            self._leave_now(status)
            return
        self._leaving = True
        self.loop.after(_LAST_REPORTS, lambda: self._leave_now(status))
        self.loop.every(_REPORTS_POLL, lambda: self._leave_if_reported(status))

    def _owes_reports(self) -> bool:
        """Whether the schedd is there and lacks reports of runs."""
        return bool(self.reports) and self.schedd is not None

    def _leave_if_reported(self, status: int) -> None:
        if not self._owes_reports():
            self._leave_now(status)

    def _leave_now(self, status: int) -> None:
        self._programs.stop()
        self._abilities.stop()
        self._hooks.stop()
        self._starters.close()
        self._disks.take_down()
        self._run_history.flush()
        self._events.tell(JobEventType.EP_SHUTDOWN, ExitCode=str(status))
        super().leave(status)


def _job_ad(body: bytes) -> ClassAd:
    return sent.read(body or b"{}")
