"""The schedd daemon: feeds the core, commits what it decides, and then carries it out.

One turn of the loop is one batch: under the queue lock the tail is read, all news is handled and one transaction is
written and synced. Only then anything is sent, acknowledged or logged.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from condor_py.access.mail import Mailer
from condor_py.access.userlog import UserLogs
from condor_py.access.wire import Head
from condor_py.config import Config
from condor_py.config.rooms import daemon as daemon_knobs
from condor_py.config.rooms.checkpoints import checkpoints as checkpoint_knobs
from condor_py.config.rooms.history import history as history_knobs
from condor_py.config.rooms.history import reconnects as reconnect_knobs
from condor_py.config.rooms.schedd import schedd as schedd_knobs
from condor_py.config.rooms.shadowhooks import shadow_hooks
from condor_py.config.rooms.startd import sign_of_life
from condor_py.config.rooms.submit import edit_rules, submit_policy
from condor_py.config.rooms.userlog import userlog as userlog_knobs
from condor_py.daemon.common.demand import demand_message, plan_of
from condor_py.daemon.common.link import Link
from condor_py.daemon.common.loop import monotonic, now
from condor_py.daemon.common.publish import ScheddAds
from condor_py.daemon.common.service import Service
from condor_py.daemon.common.tables import open_table, tell_notes
from condor_py.daemon.common.watch import FileWatch
from condor_py.daemon.schedd.checkpointcleaner import CheckpointCleaner
from condor_py.daemon.schedd.clients import ClientRequests
from condor_py.daemon.schedd.departures import Departures
from condor_py.daemon.schedd.factories import Factories
from condor_py.daemon.schedd.local import LocalStarters
from condor_py.daemon.schedd.locate import Locations
from condor_py.daemon.schedd.peer import PeerLink
from condor_py.daemon.schedd.reconnects import ReconnectLog
from condor_py.daemon.schedd.records import JobRecords
from condor_py.daemon.schedd.scheddcron import ScheddCron
from condor_py.daemon.schedd.shadowhooks import Preparations
from condor_py.daemon.schedd.showing import QueueShown
from condor_py.daemon.schedd.startdnews import event_of, stage_message
from condor_py.daemon.starter.starterhooks import Pairs
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.plan import Plan
from condor_py.model.record import Change
from condor_py.model.report import ExitReport
from condor_py.model.settings.history import HistorySettings
from condor_py.model.settings.submit_policy import EditRules, SubmitPolicy
from condor_py.model.states import VacateCode
from condor_py.schedd import recovery
from condor_py.schedd.core import Schedd
from condor_py.schedd.effects import (
    Acknowledge,
    Activate,
    CallNegotiator,
    ClaimRefused,
    Deactivate,
    Effect,
    Event,
    Leave,
    Mail,
    Note,
    Reconnect,
    ReleaseClaim,
    RequestClaim,
    RunEnded,
    RunRecord,
    RunUpdate,
    ShadowNote,
    SignalRun,
    StageFiles,
    StartdLost,
    UserEvent,
    WithdrawClaim,
)
from condor_py.schedd.state import Run, is_local
from condor_py.store.ad_store import AdStore
from condor_py.store.address import ensure_spool_version
from condor_py.store.adlog import Record, collector_paused, is_writable
from condor_py.store.history import tail_ids
from condor_py.store.job_queue import JobQueue
from condor_py.store.table import Compaction

#: Seconds between looks at slots that nobody offers.
_NO_OFFERS = 300.0
_RETRY_COMMIT = 1.0
_FALLBACK_POLL = 5.0
_HISTORY_TAIL = 4 * 1024 * 1024
_PUBLISH_EVERY = 1.0
#: ``MATCH_EXP_X`` is X with its ``$$()`` filled in: what the starter gets as X.
_EXPANDED = "MATCH_EXP_"
_LEAVE_POLL = 0.02
#: Seconds of one look at periodic expressions, and the pause before the next as a multiple of the time that it took.
_JUDGE_SLICE = 0.1
_JUDGE_PAUSE = 3.0
_MANY_RECORDS = 20_000
#: A rewrite of the log takes so many ads in a turn of the loop, and leaves others this time before the next.
_COMPACT_ADS = 400
_COMPACT_PAUSE = 0.004
#: How long a fast shutdown waits for the reports of the jobs that the startd kills, in seconds.
_FAST_PATIENCE = 2.0


class _Asked(NamedTuple):
    """A request that waits for the commit, and the records that only it wants."""

    answer: Callable[[], None]
    refuse: Callable[[str], None] | None
    records: list[Change]


class ScheddDaemon(Service):
    """Inbox, batch, effects."""

    subsystem = "SCHEDD"
    kinds = ("SCHEDD", "SUBMITTERS")
    longest_request = 64 << 20  # a submit of many jobs

    def __init__(self) -> None:
        super().__init__()
        ensure_spool_version(self.paths.spool)
        knobs = schedd_knobs(self.config)
        path = self.paths.job_queue_log
        self.queue = open_table(lambda: JobQueue(path, uid_domain=knobs.uid_domain), path, self.log.write)
        self.queue.compact(knobs.max_job_queue_log_rotations)
        tell_notes(self.queue, self.log.write)
        self.core = Schedd(self.queue, knobs, int(now()))
        self._own_ads = ScheddAds(self.core)
        self.userlogs = UserLogs(self.settings.address, userlog_knobs(self.config), self.log.write)
        self.core.logs_all = self.userlogs.everything
        self.mailer = Mailer(daemon_knobs.mail(self.config), self.log.write, self.condor)
        self.records = JobRecords(self.paths.history, self.log.write)
        self._take_history(history_knobs(self.config))
        self._reconnects = ReconnectLog(reconnect_knobs(self.config), self.log.write)
        self.ads = AdStore(self.paths.ads)
        self.clients = ClientRequests(self)
        self.shown = QueueShown(self)
        self.locations = Locations(self)
        self.local = LocalStarters(self, self.news)
        self._cron = ScheddCron(self.loop, self.config, self.log.write, self._publish_soon, self.home)
        shadow_log = daemon_knobs.log(self.config, "SHADOW")
        self._preparations = Preparations(self.loop, shadow_log, self._activate, self._not_started)
        self._preparations.settings = shadow_hooks(self.config)
        self._take_policy(submit_policy(self.config), edit_rules(self.config))
        self._cleaner = CheckpointCleaner(self.loop, self.paths.spool, checkpoint_knobs(self.config), self.log.write)
        self._departures = Departures(self.loop, self.records, self.paths.spool, self.log.write, self._cleaner)
        self._inbox: list[Callable[[int], None]] = []
        self._dirty = True
        self._judging = self._judging_updated = False
        self._held: tuple[list[Change], list[Effect]] = ([], [])
        #: NEGOTIATOR_MATCH_EXPRS: what the ads of matched jobs get on their way to the startd.
        self._match_exprs: dict[str, str] = {}
        #: NEGOTIATOR_INFORM_STARTD: whether the startd hears of a match before it hears of the claim.
        self._tells_matches = False
        self._known_ads: set[int] = set()
        self._publish_due = False
        self._startd_talks = False
        self._client_records: list[Change] = []
        self._changes: list[Change] = []
        self._answers: list[_Asked] = []
        self._late: list[Callable[[], None]] = []
        self.factories = Factories(self)
        self._grows = False
        self._compaction: Compaction | None = None
        recovery.start(self.core, self.userlogs.logged(self.queue), self._in_history())
        self.startd = PeerLink(
            self.loop, self.paths.socket("startd"), self._from_startd, self._startd_up, self._startd_down
        )
        self.loop.every(sign_of_life(self.config), self._say_alive)
        self.negotiator = PeerLink(
            self.loop,
            self.paths.socket("negotiator"),
            self._from_negotiator,
            self._negotiator_up,
            self._known_ads.clear,
        )
        FileWatch(self.loop, self.paths.job_queue_log, self._queue_moved)
        self.loop.every(_FALLBACK_POLL, self._queue_moved)
        self.loop.every(1.0, self._tick)
        self._offers_due = self.loop.every(float(knobs.direct_attach_interval or _NO_OFFERS), self._offered)
        self._policies_due = self.loop.every(float(knobs.periodic_expr_interval), self._periodic)
        self._compaction_due = self.loop.every(float(knobs.queue_clean_interval), self._compact)
        self._update_due = self.loop.every(float(self.settings.update_interval), self._publish_soon)
        self.loop.at_batch_end = self._batch
        self._publish()
        gc.freeze()

    def _in_history(self) -> set[JobId]:
        """Jobs of the queue whose history record was written before a crash could remove them."""
        written = tail_ids(self.paths.history, _HISTORY_TAIL)
        if not written:
            return set()
        return {job for job, ad in self.queue.jobs() if (ad.eval_str("GlobalJobId", None) or str(job)) in written}

    # -- news --------------------------------------------------------------------------------------

    def news(self, event: Event) -> None:
        """Something for the core in the next batch."""
        self._inbox.append(lambda moment: self.core.handle(event, moment))

    def later(self, job: Callable[[int], None]) -> None:
        """Runs ``job(now)`` inside the next batch, under the queue lock, which comes at once."""
        self._inbox.append(job)
        self.loop.soon(_nothing)

    def commit_for_client(
        self,
        records: list[Change],
        answer: Callable[[], None],
        *,
        hold_now: bool = False,
        refuse: Callable[[str], None] | None = None,
    ) -> None:
        """Inside a batch: ``records`` go into its transaction, ``answer`` is called once they are durable.

        ``hold_now``: they change what is there, and do so before anything else of the batch is decided. ``refuse`` is
        called instead of ``answer`` when they cannot be written.
        """
        self.core.commit(records)
        if hold_now:
            self._changes += records
            self.core.change(records, int(now()))  # behind its records come those of what follows from them
        else:
            self._client_records += records
        self._answers.append(_Asked(answer, refuse, [] if hold_now else records))

    def _queue_moved(self) -> None:
        try:
            size = os.stat(self.paths.job_queue_log).st_size
        except OSError:
            size = -1
        if size != self.queue.size:
            self._dirty = True

    def message(self, link: Link, head: Head, body: bytes) -> None:
        """Doorbells and requests of tools. ``sync`` is a bell that answers: what was in the queue when it rang has been
        taken in, and its events are in the event logs.
        """
        if head.get("op") == "ring":
            self._dirty = True
        elif head.get("op") == "sync":
            self._dirty = True
            self._late.append(partial(link.send, {"ok": True}))
        elif head.get("op") == "locate":
            self.locations.ask(link, head)
        elif head.get("op") == "query":
            self.shown.show(link)
        else:
            self.clients.message(link, head, body)

    def link_closed(self, link: Link) -> None:
        """A tool left."""
        self.clients.forget(link)
        self.locations.forget(link)

    def _tick(self) -> None:
        if self.core.ticks:
            self._inbox.append(self.core.tick)

    def _offered(self) -> None:
        """The slots of this machine, which the startd offers without a negotiator."""
        if self.core.settings.direct_attach_interval and len(self.core.idle):
            alone = self.negotiator.link is None
            self._inbox.append(lambda moment: self.core.offered(self.ads.read("STARTD"), moment, alone=alone))

    def _periodic(self) -> None:
        if not self._judging:
            self._judging = True
            self._inbox.append(self._judge)

    def _judge_updated(self, moment: int) -> None:
        """The same for jobs whose starter told something."""
        begun = monotonic()
        if self.core.check_updated(moment, lambda: monotonic() - begun > _JUDGE_SLICE):
            self._judging_updated = False
            return
        self.loop.after((monotonic() - begun) * _JUDGE_PAUSE, lambda: self._inbox.append(self._judge_updated))

    def _judge(self, moment: int) -> None:
        """Some periodic expressions, which may be as costly as users like; the others are served in between."""
        begun = monotonic()
        if self.core.check_policies(moment, lambda: monotonic() - begun > _JUDGE_SLICE):
            self._judging = False
            return
        pause = (monotonic() - begun) * _JUDGE_PAUSE
        self.loop.after(pause, lambda: self._inbox.append(self._judge))

    def _compact(self) -> None:
        """Begins a rewrite of the log, which goes on between the turns of the loop."""
        if self._compaction is None:
            self._rewrite_log(lambda: self.queue.compaction(self.core.settings.max_job_queue_log_rotations))

    def _compact_on(self) -> None:
        compaction = self._compaction
        if compaction is not None:
            self._rewrite_log(lambda: compaction if compaction.step(_COMPACT_ADS) else compaction.finish())

    def _rewrite_log(self, step: Callable[[], Compaction | list[Record]]) -> None:
        """One step of a rewrite; the last one has what others wrote meanwhile."""
        try:
            done = step()
        except StoreError as error:
            self.log.write(str(error))
            self._compaction = None
            return
        begun = self._compaction is None
        self._compaction = done if isinstance(done, Compaction) else None
        records = done.caught_up if isinstance(done, Compaction) else done
        if begun or self._compaction is None:
            self._inbox.append(lambda moment: self.core.queue_changed(records, moment))
        if self._compaction is not None:
            self.loop.after(_COMPACT_PAUSE, self._compact_on)

    # -- startd and negotiator ---------------------------------------------------------------------

    def _startd_up(self) -> None:
        self.startd.send({"op": "hello"})

    def _startd_down(self) -> None:
        if self._startd_talks:
            self._startd_talks = False
            self.log.write("Lost the connection to the startd")
            self.news(StartdLost())

    def _say_alive(self) -> None:
        """The leases of our claims hold as long as the startd hears this."""
        self.startd.send({"op": "alive"})

    def _from_startd(self, link: Link, head: Head, body: bytes) -> None:
        operation = head.get("op")
        if operation == "slots":
            self._inbox.append(lambda moment: self.core.want_cycle())
        elif operation == "released":
            self._inbox.append(lambda moment: self.core.released(head["claim"]))
        elif (event := event_of(head)) is None:
            self.log.write(f"The startd says: {head.get('error') or head}")
        else:
            if operation == "started":
                self.locations.started(head["claim"], head)
            elif isinstance(event, RunUpdate):
                self._cleaner.updated(event, self.core.jobs.job(event.job))
            self._startd_talks = self._startd_talks or operation == "claims"
            self.news(event)

    def _negotiator_up(self) -> None:
        self._inbox.append(lambda moment: self.core.want_cycle())

    def _from_negotiator(self, link: Link, head: Head, body: bytes) -> None:
        match head.get("op"):
            case "plan":
                plan: Plan = plan_of(head)
                self._match_exprs, self._tells_matches = head["match_exprs"], bool(head.get("inform_startd"))
                self._inbox.append(lambda moment: self.core.plan(plan, moment))
            case "call":
                self._call_negotiator()
            case "significant":
                self._inbox.append(lambda moment: self.core.significant(head["names"], moment))

    def _call_negotiator(self) -> None:
        self.negotiator.send(demand_message(self.core, self._known_ads))

    # -- the batch ---------------------------------------------------------------------------------

    def _batch(self) -> None:
        if not (self._inbox or self._dirty or self._held[0] or self._departures.ready or self._late):
            return
        late, self._late = self._late, []
        try:
            with self.queue.transaction() as transaction:
                tell_notes(self.queue, self.log.write)
                self._dirty = False
                many = len(transaction.caught_up) > _MANY_RECORDS
                with collector_paused(many):
                    self._decide(transaction.caught_up)
                transaction.extend(self._held[0])
        except StoreError as error:
            self.log.write(f"{error}: nothing is acknowledged; trying again in {_RETRY_COMMIT:g} s")
            self._refuse_clients(str(error))
            for answer in late:
                self.wall.turn("an answer", answer)
            self.loop.after(_RETRY_COMMIT, self._mark_dirty)
            return
        except ValueError as error:  # one of the records would not read back: the others must not wait for it
            self.wall.fault(error, "the commit of a batch")
            self._held = ([record for record in self._held[0] if is_writable(record)], self._held[1])
            self._late = late + self._late
            self.loop.soon(self._mark_dirty)
            return
        if many:
            gc.freeze()  # what so many jobs are made of is looked through for garbage never again
        effects = self._held[1]
        self._held = ([], [])
        self.wall.turn("the answers to clients", self._answer_clients)
        self._carry_out(effects)
        for answer in late:
            self.wall.turn("an answer", answer)
        self.locations.settle()
        if not self._grows and self.factories.due():
            self._grows = True
            self.later(self._grow)
            self.loop.soon(_nothing)

    def _grow(self, moment: int) -> None:
        self._grows = False
        self.factories.grow(moment)

    def _answer_clients(self) -> None:
        """What clients wrote is in the image now: the core looks at it in the next batch, which comes at once."""
        answers, self._answers = self._answers, []
        records, self._client_records = self._client_records, []
        changes, self._changes = self._changes, []
        self.clients.settled()
        if not records and not changes:
            for asked in answers:
                self.wall.turn("an answer", asked.answer)
            return
        self._late += [
            asked.answer for asked in answers
        ]  # they leave when the events of what was written are in the event logs
        if records:
            self._inbox.append(lambda moment: self.core.queue_changed(records, moment))
        self.factories.notice([*records, *changes])
        self.loop.soon(_nothing)

    def _refuse_clients(self, why: str) -> None:
        """The queue cannot be written (a full disk): nobody waits for that. What would be new is dropped, what changes
        the queue as we hold it already is written when it can be."""
        answers, self._answers = self._answers, []
        dropped: set[int] = set()
        for asked in answers:
            dropped.update(map(id, asked.records))
            late = "" if asked.records else "; it is done when the queue can be written again"
            self.wall.turn("an answer", partial(asked.refuse, why + late) if asked.refuse else asked.answer)
        self._held = ([record for record in self._held[0] if id(record) not in dropped], self._held[1])
        self._client_records = [record for record in self._client_records if id(record) not in dropped]
        self.clients.settled()

    def _mark_dirty(self) -> None:
        self._dirty = True

    def _decide(self, caught_up: list[Any]) -> None:
        moment = int(now())
        core = self.core
        self.wall.turn("what tools wrote", core.queue_changed, caught_up, moment)
        self.wall.turn("what tools wrote of factories", self.factories.notice, caught_up)
        inbox, self._inbox = self._inbox, []
        for handle in inbox:
            self.wall.turn("an item of the batch", handle, moment)
        finished = self._departures.take()
        self.wall.turn("the removal of jobs", core.removal, finished)
        if core.updated and not self._judging_updated:
            self._judging_updated = True
            self._inbox.append(self._judge_updated)
            self.loop.soon(_nothing)
        self.wall.turn("the dispatch of claims", core.dispatch, moment)
        records, effects = core.out.take()
        self._held = (self._held[0] + records, self._held[1] + effects)

    def _carry_out(self, effects: list[Effect]) -> None:
        for effect in effects:
            self.wall.turn(type(effect).__name__, self._carry_out_one, effect)
        self._flush_links()
        self.wall.turn("the records of runs", self.records.flush, int(now()))
        for job in self.userlogs.flush():
            self._inbox.append(partial(self.core.log_refused, job))
            self.loop.soon(_nothing)
        if effects:
            self._publish_soon()

    def _carry_out_one(self, effect: Effect) -> None:
        match effect:
            case UserEvent():
                self.userlogs.add(effect)
            case Leave():
                self._departures.add(effect)
            case RunRecord():
                self.records.add(effect)
            case Reconnect():
                self._reconnects.add(effect)
            case Mail(to, subject, text):
                self.mailer.send(to, subject, text)
            case CallNegotiator():
                self._call_negotiator()
            case Note(text):
                self.log.write(text)
            case ShadowNote(job, text):
                self._preparations.tell(f"({job}) {text}")
            case _:
                self._tell_startd(effect)

    def _flush_links(self) -> None:
        for peer in (self.startd, self.negotiator):
            if peer.link is not None:
                peer.link.flush()

    def descriptors(self) -> list[int]:
        """What a forked starter must not keep."""
        links = [peer.link.fileno() for peer in (self.startd, self.negotiator) if peer.link is not None]
        return [*super().descriptors(), *self.shown.descriptors(), *links]

    def _tell_startd(self, effect: Effect) -> None:
        claim_id = getattr(effect, "claim_id", "")
        if is_local(claim_id):
            self.local.carry_out(effect, self._payload(effect.job) if isinstance(effect, Activate) else b"")
            return
        match effect:
            case Activate(_, job, _):
                ad = self.queue.job(job)
                if ad is None or not self._preparations.begin(effect, ad):
                    self._activate(effect, ())
            case StageFiles(_, job, _):
                self.startd.send(stage_message(effect), self._payload(job))
            case Acknowledge(claim_id, name, run):
                self.startd.send({"op": "ack", "claim": claim_id, "job": name, "run": run})
            case RequestClaim():
                self._request_claim(effect)
            case WithdrawClaim(request_id):
                self.startd.send({"op": "withdraw", "id": request_id})
            case ReleaseClaim(claim_id):
                self.startd.send({"op": "release", "claim": claim_id})
            case Deactivate(claim_id, graceful, code, reason) if not self._preparations.stop(claim_id):
                self.startd.send(
                    {"op": "deactivate", "claim": claim_id, "graceful": graceful, "code": code, "reason": reason}
                )
            case SignalRun(claim_id, verb):
                self.startd.send({"op": verb, "claim": claim_id})

    def _activate(self, effect: Activate, changes: Pairs) -> None:
        """Sends a job to its claim; a hook may have changed its ad for the run."""
        head = {"op": "activate", "claim": effect.claim_id, "job": str(effect.job), "run": effect.run}
        if effect.common:
            head["common"] = effect.common
        self.startd.send(head, self._payload(effect.job, changes))

    def _not_started(self, report: ExitReport) -> None:
        self.news(RunEnded(report))

    def _request_claim(self, effect: RequestClaim) -> None:
        head = {
            "op": "claim",
            "matched": self._tells_matches,
            "id": effect.request_id,
            "slot": effect.slot,
            "submitter": effect.submitter,
            "job": str(effect.job),
            "victims": effect.victims,
            "by_rank": effect.by_rank,
            "groups": [effect.group, effect.autoregroup, effect.own_group],
        }
        if not self.startd.send(head, self._payload(effect.job)):
            self.news(ClaimRefused(effect.request_id, "the startd is not there"))

    def _payload(self, job: JobId, changes: Pairs = ()) -> bytes:
        ad = self.queue.job(job)
        if ad is None:
            return b"{}"
        items = {binding.name: binding.text for binding in ad.merged().values()}
        for name in [name for name in items if name.startswith(_EXPANDED)]:
            items[name[len(_EXPANDED) :]] = items[name]
        items.update(self._match_exprs)
        items.update(changes)
        return json.dumps(items, separators=(",", ":")).encode()

    # -- publishing --------------------------------------------------------------------------------

    def _publish_soon(self) -> None:
        if not self._publish_due:
            self._publish_due = True
            self.loop.after(_PUBLISH_EVERY, self._publish)

    def _publish(self) -> None:
        self._publish_due = False
        schedd, submitters = self._own_ads.write(self.settings, int(now()), self.born)
        self._cron.merge_into(schedd)
        try:
            self.ads.publish("SCHEDD", [schedd])
            self.ads.publish("SUBMITTERS", submitters)
        except StoreError as error:
            self.log.write(str(error))
        self.published([schedd])

    # -- life --------------------------------------------------------------------------------------

    def prepare(self, config: Config) -> Callable[[], None]:
        """New settings for the core, and for what comes in."""
        knobs, policy, rules = schedd_knobs(config), submit_policy(config), edit_rules(config)
        mail = daemon_knobs.mail(config)
        history, events, reconnects = history_knobs(config), userlog_knobs(config), reconnect_knobs(config)
        cron, hooks, cleaning = self._cron.prepare(config), shadow_hooks(config), checkpoint_knobs(config)

        def take() -> None:
            self.core.reconfigure(knobs)
            self._take_history(history)
            self._reconnects.settings = reconnects
            self.mailer.settings = mail
            self._preparations.settings = hooks
            self._cleaner.settings = cleaning
            self.userlogs.configure(events)
            self.core.logs_all = self.userlogs.everything
            self._offers_due.change(float(knobs.direct_attach_interval or _NO_OFFERS))
            self._policies_due.change(float(knobs.periodic_expr_interval))
            self._compaction_due.change(float(knobs.queue_clean_interval))
            self._update_due.change(float(self.settings.update_interval))
            self._take_policy(policy, rules)
            cron()
            self._publish_soon()

        return take

    def _take_policy(self, policy: SubmitPolicy, rules: EditRules) -> None:
        self.submit_policy = policy
        self.edit_rules = rules
        for note in self.submit_policy.notes:
            self.log.write(note)

    def _take_history(self, settings: HistorySettings) -> None:
        self.records.configure(settings)
        self.core.records_runs = self.records.runs_wanted

    def shutdown(self, how: str) -> None:
        """The startd ends the jobs of this pool; the schedd stays until their reports are in the queue (when fast:
        a moment).
        """
        if how == "fast":
            self.local.close()
        else:
            for run in [run for run in self.core.runs.values() if is_local(run.claim_id)]:
                self.later(partial(self._stop_local, run))
        if not self.core.runs or not self.startd.up:
            self._leave_now()
            return
        self.loop.every(_LEAVE_POLL, self._leave_when_empty)
        if how == "fast":
            self.loop.after(_FAST_PATIENCE, self._leave_now)

    def _stop_local(self, run: Run, moment: int) -> None:
        self.core.stop_run(run, True, VacateCode.STARTD_SHUTDOWN, "The schedd was shut down")

    def _leave_when_empty(self) -> None:
        if not self.core.runs or not self.startd.up:
            self._leave_now()

    def _leave_now(self) -> None:
        self._cron.stop()
        self._preparations.close()
        self._batch()
        self._departures.write()
        self._batch()
        if self._compaction is not None:
            self._compaction.drop()
        try:
            self.queue.compact(self.core.settings.max_job_queue_log_rotations)
        except StoreError as error:
            self.log.write(str(error))
        self.leave(0)


def _nothing() -> None:
    """Makes the next turn come at once."""
