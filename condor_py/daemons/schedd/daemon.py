"""The schedd daemon: hands events to the core, commits its records (``batches``), and then carries out its effects."""

from __future__ import annotations

import gc
import os
import pwd
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

from condor_py.client.mail import Mailer
from condor_py.client.userlog import UserLogs
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.effects import (
    CallNegotiator,
    Effect,
    GridAcknowledge,
    GridNews,
    Leave,
    Mail,
    Note,
    Notify,
    Reconnect,
    RunRecord,
    ShadowNote,
    SizesWanted,
    UserEvent,
)
from condor_py.core.jobs.events import (
    ClockJumped,
    Event,
    Leaving,
    LogsWanted,
    Published,
    QueueTaken,
    Reconfigured,
    SlotsOffered,
    Tick,
    UsersFound,
)
from condor_py.core.jobs.local import as_machine
from condor_py.core.slots.cronoutput import CronAd
from condor_py.core.slots.extras import Extras
from condor_py.daemons.common.condorids import Home
from condor_py.daemons.common.cron import Cron
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.loop import Loop, Timer, monotonic, now
from condor_py.daemons.common.publish import ScheddAds
from condor_py.daemons.common.service import Service, open_table, tell_notes
from condor_py.daemons.common.watch import FileWatch
from condor_py.daemons.schedd.audit import AuditLog, audit_settings
from condor_py.daemons.schedd.batches import Batches, BatchParts
from condor_py.daemons.schedd.checkpointcleaner import CheckpointCleaner
from condor_py.daemons.schedd.clients import ClientRequests
from condor_py.daemons.schedd.departures import Departures
from condor_py.daemons.schedd.factories import Factories
from condor_py.daemons.schedd.gridmanagers import GridManagers
from condor_py.daemons.schedd.jobsizes import JobSizes
from condor_py.daemons.schedd.links import NegotiatorLink, StartdLink
from condor_py.daemons.schedd.local import LocalStarters
from condor_py.daemons.schedd.locate import Locations
from condor_py.daemons.schedd.logwriters import LogWriters
from condor_py.daemons.schedd.notices import Notices
from condor_py.daemons.schedd.records import JobRecords, recorded_jobs
from condor_py.daemons.schedd.shared import Inbox, Shared, SubmitRules
from condor_py.daemons.schedd.spoolsweep import SpoolSweep
from condor_py.daemons.schedd.upkeep import CredentialMarks, Judging, Leftovers, LogRewrites
from condor_py.lang import events
from condor_py.lang.classad import ClassAd, record
from condor_py.lang.config import Config
from condor_py.lang.config.build import build
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.lang.config.builders.checkpoints import checkpoints as checkpoint_knobs
from condor_py.lang.config.builders.cron import schedd_cron
from condor_py.lang.config.builders.history import history as history_knobs
from condor_py.lang.config.builders.history import reconnects as reconnect_knobs
from condor_py.lang.config.builders.history import userlog as userlog_knobs
from condor_py.lang.config.builders.schedd import schedd as schedd_knobs
from condor_py.lang.config.builders.schedd import shadow_hooks
from condor_py.lang.config.builders.submit import submit_policy
from condor_py.lang.events import JobEvent
from condor_py.machine.probes.disks import disk_space
from condor_py.model.errors import ConfigError, StoreError
from condor_py.model.ids import JobId
from condor_py.model.messages import queue as say
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.messages.queue import CopyIndex, QueueCopy
from condor_py.model.messages.sessions import Locate
from condor_py.model.messages.wakeups import Done, Ring, Sync
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.model.settings.cron import CronJobSettings
from condor_py.model.settings.grid import GridPlaces
from condor_py.model.settings.history import HistorySettings, ReconnectSettings
from condor_py.model.settings.schedd import ShadowHooks
from condor_py.store.ad_store import AdStore
from condor_py.store.address import ensure_spool_version
from condor_py.store.adlog import collector_paused
from condor_py.store.fs import CLOSED, RealFs
from condor_py.store.history import tail_ids
from condor_py.store.job_queue import JobQueue
from condor_py.store.preen import LATE_EVENTS, NOTICES
from condor_py.store.public_copy import PublicCopy


class TimedFs(RealFs):
    """The file system of the job queue, which counts the calls that force data to the medium (``syncs``) and the
    seconds that they took (``sync_seconds``)."""

    def __init__(self) -> None:
        self.syncs = 0
        self.sync_seconds = 0.0

    def sync(self, handle: int) -> None:
        begin = perf_counter()
        super().sync(handle)
        self.syncs += 1
        self.sync_seconds += perf_counter() - begin


#: Attributes by which tools find the schedd, in lower case: no program may change them.
_IDENTITY = frozenset(("mytype", "targettype", "name", "machine", "myaddress", "scheddipaddr", "addressv1"))


class ScheddCron:
    """Runs the programs of SCHEDD_CRON_JOBLIST, whose output goes into the ad of the schedd. ``publish`` asks for that
    to be written soon."""

    def __init__(
        self, loop: Loop, config: Config, log: Callable[[str], None], publish: Callable[[], None], home: Home
    ) -> None:
        self._loop = loop
        self._home = home
        self._log = log
        self._publish = publish
        self._extras = Extras()
        #: The schedd's ad as last published, for the conditions of the programs.
        self._last = ClassAd()
        self._cron: Cron | None = None
        #: (program, attribute) that the log has named as left out.
        self._refused: set[tuple[str, str]] = set()
        self.prepare(config)()

    def merge_into(self, ad: ClassAd) -> None:
        """Add the output of the programs to the schedd's ad. Their conditions are evaluated in this ad from now on."""
        self._extras.merge_into(ad, 0)
        self._last = ad
        if self._cron is not None:
            self._loop.soon(self._cron.look)

    def prepare(self, config: Config) -> Callable[[], None]:
        """Read the settings of the programs; return a function that puts them in force."""
        settings = schedd_cron(config)

        def take() -> None:
            self._extras.set_jobs(job.name for job in settings.jobs)
            if self._cron is not None:
                self._cron.configure(settings)
            elif settings.jobs:
                self._cron = Cron(
                    self._loop, settings, self._log, self._take, home=self._home, about=lambda: self._last
                )

        return take

    def stop(self) -> None:
        """End the programs: the schedd leaves."""
        if self._cron is not None:
            self._cron.stop()

    def _take(self, job: CronJobSettings, ad: CronAd) -> None:
        """Take the output of a program, without attributes by which tools find the schedd."""
        pairs = []
        for name, text in ad.pairs:
            if name.lower() not in _IDENTITY:
                pairs.append((name, text))
            elif (job.name, name.lower()) not in self._refused:
                self._refused.add((job.name, name.lower()))
                self._log(f"CronJob: {name} of '{job.name}' is left out: tools find the schedd by it")
        changed = self._extras.put(job.name, ad.tag, tuple(pairs))
        if ad.update is True or (ad.update is None and changed):
            self._publish()


#: Seconds of the timer for STARTD_DIRECT_ATTACH_INTERVAL if that is 0: it runs, and offers no slots.
_NO_OFFERS = 300.0
#: Seconds between checks whether the queue has grown: if the kernel reports changes of its file, and if it does not.
_WATCHED_POLL, _FALLBACK_POLL = 60.0, 5.0
#: Seconds between ticks, while they have work.
_TICK = 1.0
#: A log of more bytes is rewritten when the schedd serves, between other work, not before.
_LONG_LOG = 4 << 20
#: Seconds between a change and the ad that shows it.
_PUBLISH_EVERY = 1.0
#: The most events that are made into text at once.
_EVENTS_AT_ONCE = 5_000
#: Characters of a reason that the log shows.
_SHOWN_REASON = 400
#: Seconds between tries to write events whose log could not be written.
_RETRY_LOGS = 1.0
#: Seconds between checks whether all runs have ended, at a shutdown.
_LEAVE_POLL = 0.02
#: Pairs (name, text) of a generation of those that ads share (``record.know``).
_KNOWN = 4096
#: How long a fast shutdown waits for the reports of the jobs that the startd kills, in seconds.
_FAST_PATIENCE = 2.0
#: Seconds between checks whether helpers have written the event logs that a client waits for, and the most checks.
_TOLD_POLL, _TOLD_TRIES = 0.01, 200


def _account(link: Link) -> str:
    """Return the name of the account at the other end of a connection, "" if it has none."""
    try:
        return pwd.getpwuid(link.peer.uid).pw_name
    except KeyError:
        return ""


class ScheddDaemon(Service):
    """One turn of the loop fills the inbox, ``Batches`` commits it as one batch, ``carry_out`` does its effects."""

    subsystem = "SCHEDD"
    kinds = ("SCHEDD", "SUBMITTERS", "GRID")
    hears = say.BY_SCHEDD
    longest_request = 64 << 20  # a submit of many jobs

    def __init__(self, local_name: str = "") -> None:
        super().__init__(local_name)
        record.know(_KNOWN)
        with collector_paused(True):  # nearly all that is made here stays
            self._begin()
            gc.freeze()

    def _begin(self) -> None:
        """Open the queue, take it over, and make all parts of the schedd."""
        ensure_spool_version(self.paths.spool)
        knobs = schedd_knobs(self.config)
        path, first = self.paths.job_queue_log, self.settings.first_cluster
        self._disk = TimedFs()
        self.queue = open_table(
            lambda: JobQueue(
                path, self._disk, uid_domain=knobs.uid_domain, first_cluster=first, arrivals=True, whole=True
            ),
            path,
            self.log.write,
        )
        rewrite_later = self.queue.size > _LONG_LOG
        if not rewrite_later:
            self.queue.compact(knobs.max_job_queue_log_rotations)
        tell_notes(self.queue, self.log.write)
        self.userlogs = UserLogs(
            userlog_knobs(self.config), self.log.write, LogWriters(self.loop), at_progress=self._logs_written
        )
        self.userlogs.late.keep_in(f"{self.paths.spool}/{LATE_EVENTS}", monotonic())
        logged = self.userlogs.logged(self.queue)  # before the core makes ads of the jobs
        self.core = Schedd(self.queue, knobs, int(now()))
        self.core.handle(UsersFound(self.queue.user_records), int(now()))
        self.inbox = Inbox(self.loop, self.core)
        self._shared = Shared(self.loop, self.log.write, self.paths, self.queue, self.core, self.inbox)
        self._schedd_ads = ScheddAds(self.core, self.own_ads)
        self.ads = AdStore(self.paths.ads)
        self._publish_due = self._logs_due = self._ticking = False
        self._counted: dict[int, int] = {}  # numbers of jobs by status, as published
        self._open_logs()
        self._serve_clients()
        self.core.handle(QueueTaken(logged, self._in_history(), logged.is_partly, logged.are_alike), int(now()))
        self.startd = StartdLink(
            self._shared, self.config, self.locations, self.cleaner, self._edited_hooks, self.local.carry_out
        )
        self.negotiator = NegotiatorLink(self._shared, self.startd)
        self._carriers = self._by_kind()
        self._begin_timers()
        SpoolSweep(self.loop, self.queue, self.paths.spool, self.log.write).begin()
        self.gridmanagers.clean_up()
        if rewrite_later:
            self.loop.soon(self.rewrites.begin)
        self.loop.on_batch_end(self.batches.run)
        self._publish()

    def _open_logs(self) -> None:
        """Open the logs that the schedd writes besides its queue."""
        self._tell(LogsWanted(all_jobs=self.userlogs.everything))
        self.mailer = Mailer(daemon_knobs.mail(self.config), self.log.write, self.condor)
        path = f"{self.paths.spool}/{NOTICES}"
        self.notices = Notices(self.loop, path, lambda: self.core.settings, self.log.write)
        self.records = JobRecords(self.paths.history, self.log.write)
        self._take_history(history_knobs(self.config))
        self._reconnects = ReconnectLog(reconnect_knobs(self.config), self.log.write)
        self.cleaner = CheckpointCleaner(self.loop, self.paths.spool, checkpoint_knobs(self.config), self.log.write)
        self.departures = Departures(
            self.loop, self.records, self.paths.spool, self.log.write, self.cleaner, self.userlogs.late
        )
        self._flush_logs()

    def _serve_clients(self) -> None:
        """Make the parts that answer tools, and those that work between the batches."""
        self.audit = AuditLog(audit_settings(self.config), self.log.write)
        self.rules = SubmitRules(submit_policy(self.config), self.log.write)
        self.clients = ClientRequests(self._shared, self.rules, self.audit, self.send_when_told)
        self.shown = QueueShown(self._shared)
        self.locations = Locations(self._shared, self.clients.caller, lambda: self.settings.host)
        self.local = LocalStarters(self._shared, self.locations, self.configuration, lambda: self.settings, self.born)
        self.gridmanagers = GridManagers(
            self._shared, self.log, self.ads, lambda: self.settings, lambda: build(GridPlaces, self.config)
        )
        self._cron = ScheddCron(self.loop, self.config, self.log.write, self._publish_soon, self.home)
        self.sizes = JobSizes(self._shared)
        self.factories = Factories(self._shared, self.rules, self.userlogs, self.configuration)
        self.judging = Judging(self._shared)
        self.rewrites = LogRewrites(self._shared)
        self._marks = CredentialMarks(self._shared, lambda: build(CredentialSettings, self.config))
        parts = BatchParts(
            self.clients, self.departures, self.factories, self.judging, self.locations, self.rewrites,
            Leftovers(self._shared),
        )  # fmt: skip
        self.batches = Batches(self._shared, self.guard, parts, self.carry_out)

    def _begin_timers(self) -> None:
        knobs = self.core.settings
        self._watch = FileWatch(self.loop, self.paths.job_queue_log, self.batches.queue_moved)
        self._look_later()
        self.loop.on_jump(lambda seconds: self._tell(ClockJumped(int(seconds))))
        self._tick_later()
        self._offers_due = self.loop.every(float(knobs.direct_attach_interval or _NO_OFFERS), self._offered)
        self._policies_due = self.loop.every(float(knobs.periodic_expr_interval), self.judging.begin)
        self._compaction_due = self.loop.every(float(knobs.queue_clean_interval), self.rewrites.begin)
        self._update_due = self.loop.every(float(self.settings.update_interval), self._publish_soon)
        self._marks_due = self.loop.every(float(self.settings.update_interval), self._marks.begin)

    def _look_later(self) -> None:
        self.loop.after(_WATCHED_POLL if self._watch.works else _FALLBACK_POLL, self._look_at_queue)

    def _look_at_queue(self) -> None:
        """Check the queue for a change that no wakeup has reported."""
        self._look_later()
        self.batches.queue_moved()

    def _in_history(self) -> set[JobId]:
        """Jobs of the queue whose history record was written before a crash could remove them."""
        written = tail_ids(self.paths.history) if self.queue.count() else set()
        return recorded_jobs(self.queue, written) if written else set()

    # -- news --------------------------------------------------------------------------------------

    def _tell(self, event: Event) -> None:
        """Hand the core an event at once, outside a batch."""
        self.core.handle(event, int(now()))
        self._tick_later()

    def message(self, link: Link, message: Message, body: bytes) -> None:
        """Handle wakeups and requests of tools."""
        match message:
            case Ring(change, changed):
                self.audit.changed(link.peer, change, changed)
                self.batches.mark_dirty()
            case Sync(change, changed):
                self.audit.changed(link.peer, change, changed)
                self.batches.answer_late(partial(self.send_when_told, link, Done()))
            case Locate():
                self.locations.ask(link, message)
            case say.Query():
                self.shown.show(link)
            case say.QueryIndex():
                self.shown.show_index(link)
            case _:
                self.clients.message(link, message, body)

    def send_when_told(self, link: Link, message: Message, tries: int = _TOLD_TRIES) -> None:
        """Send an answer to a client that may read its event logs next: when helpers have written them, but after
        ``_TOLD_TRIES`` checks at the latest."""
        if tries and self.userlogs.late and self.userlogs.late.has_some_of(_account(link), monotonic()):
            self.loop.after(_TOLD_POLL, partial(self.send_when_told, link, message, tries - 1))
        else:
            link.send(message)

    def link_closed(self, link: Link) -> None:
        """Forget what waits for a tool that has gone."""
        self.clients.forget(link)
        self.locations.forget(link)

    def _tick_later(self) -> None:
        """Start the timer of the ticks if they have work. Only events for the core change that: an idle schedd
        sleeps."""
        if self.core.ticks and not self._ticking:
            self._ticking = True
            self.loop.after(_TICK, self._tick)

    def _tick(self) -> None:
        self._ticking = False
        if self.core.ticks:
            self.inbox.news(Tick())

    def _offered(self) -> None:
        """Offer the core the slots of this machine without a negotiator (STARTD_DIRECT_ATTACH_INTERVAL)."""
        if self.core.settings.direct_attach_interval and len(self.core.idle):
            alone = self.negotiator.peer.link is None
            self.inbox.collect(lambda moment: self.core.handle(SlotsOffered(self.ads.read("STARTD"), alone), moment))

    # -- effects -----------------------------------------------------------------------------------

    def carry_out(self, effects: list[Effect]) -> None:
        """Carry out effects after their commit: startd and negotiator first, then event logs and records of runs."""
        for effect in effects:
            kind = type(effect)
            self.guard.turn(kind.__name__, self._carriers.get(kind, self.startd.tell), effect)
        self.startd.acknowledgements.send_rest()
        for peer in (self.startd.peer, self.negotiator.peer):
            if peer.link is not None:
                peer.link.flush()
        self.startd.keep_leases()
        self.guard.turn("the records of runs", self.records.flush, int(now()))
        self._flush_logs()
        self.sizes.follow()
        if effects or self.core.state.tally.counts != self._counted:
            self._publish_soon()
        self._tick_later()

    def _log_event(self, event: JobEvent, procs: Sequence[int]) -> None:
        """Write holds, releases and removals into the log of the schedd; jobs that share one event share a line."""
        match event:
            case events.JobHeld(reason=reason):
                what = f"put on hold: {reason}"
            case events.JobReleased(reason=reason):
                what = f"released from hold: {reason}"
            case events.JobAborted(reason=reason):
                what = f"aborted: {reason}"
            case _:
                return
        first, last = min(procs), max(procs)
        jobs = f"Job {event.cluster}.{first}"
        if len(procs) > 1:
            jobs = f"{len(procs)} jobs {event.cluster}.{first}-{last}"
        if first >= 0:
            self.log.write(f"{jobs} {what[:_SHOWN_REASON]}")

    def _log_for_users(self, effect: UserEvent) -> None:
        """Write an event of many jobs into their logs some at a time: the texts of all of them would take much
        memory."""
        for at in range(0, len(effect.procs), _EVENTS_AT_ONCE):
            if at:
                self._flush_logs()
            self.userlogs.add(UserEvent(effect.ad, effect.event, effect.procs[at : at + _EVENTS_AT_ONCE]))

    def _logs_written(self) -> None:
        """Let jobs leave that waited until their event logs were written."""
        self.departures.look_again()

    def _flush_logs(self) -> None:
        """Write the event logs; what cannot be written is tried again after a moment."""
        self.guard.turn("the event logs", self.userlogs.flush)
        if self.userlogs.late and not self._logs_due:
            self._logs_due = True
            self.loop.after(_RETRY_LOGS, self._retry_logs)

    def _retry_logs(self) -> None:
        self._logs_due = False
        self.guard.turn("the events that wait for their logs", self.userlogs.retry)
        self._flush_logs()

    def _by_kind(self) -> dict[type, Callable[[Any], object]]:
        """Return what carries out the effects of each kind; all others are for the startd."""
        return {
            UserEvent: self._tell_users,
            Leave: self.departures.add,
            RunRecord: self.records.add,
            Reconnect: self._reconnects.add,
            Mail: lambda mail: self.mailer.send(mail.to, mail.subject, mail.text),
            Notify: lambda effect: self.notices.add(effect.notice),
            CallNegotiator: lambda _: self.negotiator.call(),
            Note: lambda note: self.log.write(note.text),
            GridNews: self.gridmanagers.carry_out,
            GridAcknowledge: self.gridmanagers.carry_out,
            SizesWanted: lambda _: self.sizes.find(),
            ShadowNote: lambda note: self.startd.preparations.tell(f"({note.job}) {note.text}"),
        }

    def _tell_users(self, effect: UserEvent) -> None:
        """Write an event into the log of the schedd and those of users."""
        self._log_event(effect.event, effect.procs)
        self._log_for_users(effect)

    # -- publishing --------------------------------------------------------------------------------

    def _publish_soon(self) -> None:
        if not self._publish_due:
            self._publish_due = True
            self.loop.after(_PUBLISH_EVERY, self._publish)

    def _publish(self) -> None:
        self._publish_due = False
        self._counted = dict(self.core.state.tally.counts)
        schedd, submitters = self._schedd_ads.write(self.settings, int(now()), self.factories.to_come())
        schedd.set_int("LogSyncs", self._disk.syncs)
        schedd.set_real("LogSyncSeconds", round(self._disk.sync_seconds, 6))
        self._cron.merge_into(schedd)
        try:
            self.ads.publish("SCHEDD", [schedd])
            self.ads.publish("SUBMITTERS", submitters)
        except StoreError as error:
            self.log.write(str(error))
        self.published([schedd])
        self.rules.published(schedd)
        knobs = self.core.state.settings
        seen = Published(as_machine(schedd, knobs, disk_space(knobs.local_execute).free_kb))
        if self.core.state.waiting.here:  # jobs of the local and scheduler universes wait: it may let them start
            self.inbox.news(seen)
        else:
            self._tell(seen)

    # -- life --------------------------------------------------------------------------------------

    def prepare(self, config: Config) -> Callable[[], None]:
        """Read all settings; return a function that puts them in force."""
        knobs, policy = schedd_knobs(config), submit_policy(config)
        mail = daemon_knobs.mail(config)
        history, events, reconnects = history_knobs(config), userlog_knobs(config), reconnect_knobs(config)
        cron, hooks, cleaning = self._cron.prepare(config), shadow_hooks(config), checkpoint_knobs(config)
        audited = audit_settings(config)

        def take() -> None:
            """Puts all of it in force."""
            self._tell(Reconfigured(knobs))
            self.audit.configure(audited)
            self._take_history(history)
            self._reconnects.configure(reconnects)
            self.mailer.configure(mail)
            self.startd.preparations.configure(hooks)
            self.cleaner.configure(cleaning)
            self.userlogs.configure(events)
            self._tell(LogsWanted(all_jobs=self.userlogs.everything))
            self._offers_due.change(float(knobs.direct_attach_interval or _NO_OFFERS))
            self._policies_due.change(float(knobs.periodic_expr_interval))
            self._compaction_due.change(float(knobs.queue_clean_interval))
            self._update_due.change(float(self.settings.update_interval))
            self._marks_due.change(float(self.settings.update_interval))
            self.rules.configure(policy)
            cron()
            self.gridmanagers.reconfigure()
            self._publish_soon()

        return take

    def _edited_hooks(self) -> ShadowHooks | None:
        config = self.configuration.edited()
        try:
            return None if config is None else shadow_hooks(config)
        except ConfigError:
            return None

    def _take_history(self, settings: HistorySettings) -> None:
        self.records.configure(settings)
        self._tell(LogsWanted(runs=self.records.runs_wanted))

    def shutdown(self, how: str) -> None:
        """Leave when the runs, which the startd ends, have been reported and committed; if ``how`` is fast, after
        ``_FAST_PATIENCE`` seconds at the latest."""
        if how == "fast":
            self.local.close()
        self.inbox.news_at_once(Leaving(how == "fast"))
        if not self.core.runs or not self.startd.up:
            self._leave_now()
            return
        self.loop.every(_LEAVE_POLL, self._leave_when_empty)
        if how == "fast":
            self.loop.after(_FAST_PATIENCE, self._leave_now)

    def _leave_when_empty(self) -> None:
        if not self.core.runs or not self.startd.up:
            self._leave_now()

    def _leave_now(self) -> None:
        self._cron.stop()
        self.gridmanagers.close()
        self.notices.close()
        self.startd.preparations.close()
        self.batches.run()
        self.userlogs.close()
        self.departures.write_all(self.batches.run)
        self.userlogs.close()
        self.sizes.save()
        self.rewrites.finish()
        self.leave(0)


class ReconnectLog:
    """Appends a line for each run that was out of reach and has been found again or given up (SHADOW_RECONNECT_LOG). A
    line that cannot be written is lost, and the log of the schedd says so."""

    def __init__(self, settings: ReconnectSettings, complain: Callable[[str], None]) -> None:
        self._settings = settings
        self._complain = complain

    def configure(self, settings: ReconnectSettings) -> None:
        """Takes other settings."""
        self._settings = settings

    def add(self, record: Reconnect) -> None:
        """Append the line of one run."""
        path = self._settings.path
        if not path:
            return
        found, dead = (str(value).lower() for value in (record.found, record.starter_dead))
        fields = (record.job, record.activated, record.heard, found, record.when, record.lease)
        line = ",".join([*map(str, fields), self._settings.version.replace(",", " "), dead])
        try:
            self._rotate(path)
            with open(path, "a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            self._complain(f"cannot write {path}: {error.strerror}")

    def _rotate(self, path: str) -> None:
        if not os.path.exists(path) or os.path.getsize(path) < self._settings.max_size:
            return
        for number in range(self._settings.rotations, 0, -1):
            older = path if number == 1 else f"{path}.{number - 1}"
            if os.path.exists(older):
                os.replace(older, f"{path}.{number}")


#: Seconds after the last request after which the memory of the copy is freed.
_KEPT_FOR = 60.0


class QueueShown:
    """Answers Query and QueryIndex with a public copy of the queue, for accounts that cannot read its log."""

    def __init__(self, shared: Shared) -> None:
        self._loop, self._log, self._inbox = shared.loop, shared.log, shared.inbox
        self._copy = PublicCopy(shared.queue)
        self._until: Timer | None = None

    def show(self, link: Link) -> None:
        """Send the copy after the next batch, so that it has everything that was acknowledged before."""
        self._inbox.later(lambda _: self._inbox.commit_for_client([], lambda: self._answer(link)))

    def show_index(self, link: Link) -> None:
        """Send the index of the copy that was sent last."""
        try:
            descriptor = self._copy.index()
        except OSError:
            descriptor = CLOSED
        link.send(CopyIndex(descriptor != CLOSED), descriptor=descriptor)

    def _keep_index(self) -> None:
        try:
            self._copy.keep_index()
        except (OSError, StoreError) as error:
            self._log(f"no index of the queue for others: {error}")

    def _answer(self, link: Link) -> None:
        if self._until is not None:
            self._until.cancel()
        self._until = self._loop.after(_KEPT_FOR, self._copy.forget)
        try:
            descriptor = self._copy.descriptor(monotonic())
        except (OSError, StoreError) as error:
            link.send(Refused(f"the queue cannot be shown: {error}"))
            return
        link.send(QueueCopy(int(now())), descriptor=descriptor)
        self._loop.when_idle(self._keep_index)
