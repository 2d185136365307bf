"""The condor_job_router daemon: follows the queue, asks the router's core what is to be done, and writes that."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Iterable

from condor_py.client.lockfile import take_lock
from condor_py.client.submission import SubmittedCluster, check_limits, submission
from condor_py.client.wire import ring
from condor_py.core.routes.actions import Action
from condor_py.core.routes.copying import Copy
from condor_py.core.routes.core import MOST_AT_ONCE, Router
from condor_py.core.routes.hooks import Answer, HookCall
from condor_py.daemons.common.loop import now, period
from condor_py.daemons.common.service import Service, tell_notes
from condor_py.daemons.common.watch import FileWatch
from condor_py.daemons.routerhooks import RouterHookRunner
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.builders.router import job_router
from condor_py.lang.config.builders.schedd import schedd as schedd_knobs
from condor_py.lang.config.builders.submit import submit_policy
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError, StoreError
from condor_py.model.ids import JobId
from condor_py.model.record import Entry, one_by_one
from condor_py.model.settings.submit_policy import SubmitPolicy
from condor_py.store.ad_store import AdStore
from condor_py.store.job_queue import JobQueue, QueueTransaction
from condor_py.store.keys import cluster_of, proc_of

#: Seconds after which a look that had too much to do continues.
_GOES_ON = 0.05
#: Seconds for which changes of the queue are collected until jobs show the state of their copies.
_FOLLOWS = 0.25


class JobRouterDaemon(Service):
    """Routes jobs in the queue of this machine, which it writes as the schedd and the tools do, under its lock."""

    subsystem = "JOB_ROUTER"
    kinds = ("JOB_ROUTER",)

    def __init__(self, local_name: str = "") -> None:
        super().__init__(local_name)
        knobs = job_router(self.config, self._only_owner())
        #: What the schedd asks of new jobs.
        self._limits, self._policy = schedd_knobs(self.config), submit_policy(self.config)
        self._only_one = take_lock(knobs.lock, 0.0) if knobs.lock else -1
        self.queue = JobQueue(
            self.paths.job_queue_log, uid_domain=self.settings.uid_domain, first_cluster=self.settings.first_cluster
        )
        self.router = Router(knobs, self.queue, int(now()))
        self.ads = AdStore(self.paths.ads)
        self._hooks = RouterHookRunner(self.loop, self.log.write, self._hook_input, self._hooked, knobs.hook_timeout)
        self._tell_table()
        self._polling = self.loop.every(float(knobs.polling_period), self._poll)
        #: JOB_ROUTER_ENTRIES_REFRESH: the table may have changed in a file, or in the output of a command.
        self._refreshing = self.loop.every(period(knobs.entries_refresh), self.reconfig)
        self._updating = self.loop.every(period(knobs.update_interval), self._publish)
        self.loop.soon(self._poll)
        self._follows = False
        self._watch: FileWatch | None = None
        self._publish()

    def _submit_policy(self) -> SubmitPolicy:
        """The policy of the schedd, with its ad of now."""
        published = self.ads.read("SCHEDD") if self._policy.requirements else []
        return changed(self._policy, schedd=tuple(published[0].text_items())) if published else self._policy

    def _only_owner(self) -> str:
        """The owner of the jobs that we may route: "" (all) as root, else ourselves."""
        return "" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name

    def _tell_table(self) -> None:
        for note in self.router.table.notes:
            self.log.write(f"JobRouter {note}")
        names = ", ".join(route.name for route in self.router.table.routes.values())
        if not self.router.table.enabled:
            self.log.write("JobRouter is disabled: no job is routed until the configuration is corrected.")
        self.log.write(f"JobRouter: Routes will be matched in this order: {names}")

    def prepare(self, config: Config) -> Callable[[], None]:
        """New routes."""
        knobs = job_router(config, self._only_owner())
        limits, policy = schedd_knobs(config), submit_policy(config)

        def take() -> None:
            self._limits, self._policy = limits, policy
            self.router.configure(knobs, int(now()))
            self._hooks.configure(knobs.hook_timeout)
            self._polling.change(float(knobs.polling_period))
            self._refreshing.change(period(knobs.entries_refresh))
            self._updating.change(period(knobs.update_interval))
            self._tell_table()
            self._publish()
            self.loop.soon(self._poll)

        return take

    def _queue_moved(self) -> None:
        """Jobs show what becomes of their copies soon after it has; new jobs are looked for at their time."""
        if self.router.pairs.sources or self.router.pairs.copies:
            self._follow_soon()

    def _follow_soon(self) -> None:
        if not self._follows:
            self._follows = True
            self.loop.after(_FOLLOWS, self._follow)

    def _follow(self) -> None:
        self._follows = False
        try:
            self._notice(self.queue.refresh())
            self._carry_out(self.router.follow(int(now())))
        except StoreError as error:
            self.log.write(f"JobRouter: {error}: trying again with the next look")

    # -- one look --------------------------------------------------------------------------------------------------

    def _poll(self) -> None:
        if self._watch is None and os.path.exists(self.paths.job_queue_log):
            self._watch = FileWatch(self.loop, self.paths.job_queue_log, self._queue_moved)
        try:
            self._notice(self.queue.refresh())
            for line in self.router.adjust(int(now())):
                self.log.write(f"JobRouter {line}")
            actions = self.router.poll(int(now()))
            self._carry_out(actions)
        except StoreError as error:
            self.log.write(f"JobRouter: {error}: trying again with the next look")
            return
        if sum(action.outcome == "routed" for action in actions) >= MOST_AT_ONCE:
            self.loop.after(_GOES_ON, self._poll)

    def _notice(self, entries: Iterable[Entry]) -> set[JobId]:
        """Hand the changed jobs to the core, and return them."""
        tell_notes(self.queue, self.log.write)
        changed: set[JobId] = set()
        for key in {record.key for record in one_by_one(entries)}:
            job, cluster = proc_of(key), cluster_of(key)
            if job is not None:
                changed.add(job)
            elif cluster is not None:
                changed.update(JobId(cluster, proc) for proc in self.queue.procs(cluster))
        self.router.notice(changed)
        return changed

    def _carry_out(self, actions: list[Action]) -> None:
        """Writes all that is to be written in one transaction, but what concerns jobs that have just changed."""
        for action in actions:
            if not action.changes and action.copy is None:
                if action.says:
                    self.log.write(f"JobRouter failure {action.says}")
                self._done(action)
        wanted = [action for action in actions if action.changes or action.copy is not None]
        if not wanted:
            return
        written: list[tuple[Action, JobId | None]] = []
        try:
            with self.queue.transaction() as transaction:
                changed = self._notice(transaction.caught_up)
                for action in wanted:
                    if changed.isdisjoint(action.jobs):
                        done = self._write(transaction, action)
                        written += [] if done is None else [(action, done)]
                    else:
                        self.router.again([action])
        except Exception:
            self.router.again(wanted)
            raise
        self._written(written)

    def _write(self, transaction: QueueTransaction, action: Action) -> JobId | None:
        """Adds the records of an action; the id of the new copy, or of its first job. None: it cannot be."""
        if action.copy is None:
            transaction.extend(action.changes)
            return action.jobs[0]
        try:
            return self._submit(transaction, action.copy)
        except Exception as error:  # an ad may say anything: the copies of others are queued all the same
            why = str(error) if isinstance(error, CondorError) else f"{type(error).__name__}: {error}"
            if says := self.router.refused(action, why, int(now())):
                self.log.write(f"JobRouter failure {says}")
            self._follow_soon()
            return None

    def _submit(self, transaction: QueueTransaction, copy: Copy) -> JobId:
        """Queues a copy and ties its job to it. CondorError when limits or the policy of the schedd forbid it."""
        number, moment = transaction.alloc_cluster(), int(now())
        clusters = [SubmittedCluster(number, copy.items, [[]])]
        check_limits(self.queue, copy.user, clusters, self._limits)
        name, warnings = self.settings.schedd_name, list[str]()
        records = submission(self.queue, clusters, copy.owner, copy.user, name, moment, self._submit_policy(), warnings)
        new = JobId(number, 0)
        transaction.extend([*records, *self.router.claim(copy, new)])  # both or nothing
        for warning in warnings:
            self.log.write(f"JobRouter (src={copy.source},dest={new}): {warning.strip()}")
        return new

    def _written(self, written: list[tuple[Action, JobId | None]]) -> None:
        for action, new in written:
            self._done(action)
            self.router.notice((*action.jobs, *(() if new is None else (new,))))
            if action.copy is not None:
                says = f"(src={action.copy.source},dest={new},route={action.route}): submitted job"
                self.log.write(f"JobRouter {says}")
            elif action.says:
                self.log.write(f"JobRouter {action.says}")
        if written:
            ring(self.paths.socket("schedd"))

    def _done(self, action: Action) -> None:
        self.router.done(action)
        if action.hook is not None:
            ad = self.queue.job(action.hook.job)
            self._hooks.run(action.hook, "" if ad is None else ad.eval_str("Owner", ""))

    # -- hooks -----------------------------------------------------------------------------------------------------

    def _hook_input(self, call: HookCall) -> tuple[str, ClassAd] | None:
        text = self.router.hook_input(call)
        ad = self.queue.job(call.job)
        return None if text is None or ad is None else (text, ad)

    def _hooked(self, call: HookCall, answer: Answer | None) -> None:
        """A hook has ended, or was not wanted any more: what follows is written with what else has changed."""
        if answer is None:
            self.router.not_run(call)
        elif says := self.router.hooked(answer, int(now())):
            self.log.write(f"JobRouter failure {says}")
        self._follow_soon()

    # -- the ad ----------------------------------------------------------------------------------------------------

    def _publish(self) -> None:
        name = self.router.settings.name
        full = name if "@" in name else f"{name}@{self.settings.host}"
        ad = self.own_ads.make("Job_Router", full, self.settings, int(now()))
        counts = self.router.counts()
        ad.set_int("RoutedJobs", sum(count.jobs for count in counts.values()))
        ad.set_int("RoutedJobsRunning", sum(count.running for count in counts.values()))
        try:
            self.ads.publish("JOB_ROUTER", [ad])
        except StoreError as error:
            self.log.write(str(error))
        self.published([ad])

    def shutdown(self, how: str) -> None:
        """Leave at once; copies continue, and the next router finds them. Hooks end, and it runs them again."""
        self._hooks.stop()
        self.leave(0)
