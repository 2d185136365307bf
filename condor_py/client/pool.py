"""The tools' way to the pool: its configuration, its queue (directly or through the schedd), its daemons.

A process that may write the spool does so directly, daemon running or not, and wakes the schedd. Any other asks
the schedd over its socket; the schedd learns the caller's identity from the kernel.
"""

from __future__ import annotations

import gc
import os
import time

from condor_py.client.asking import for_jobs, granted
from condor_py.client.queue_view import QueueView
from condor_py.lang.config import Config, load
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.lang.config.builders import expressions
from condor_py.lang.config.builders.paths import paths as path_knobs
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.later import Later
from condor_py.model.settings.daemon import Names
from condor_py.model.settings.paths import PoolPaths

TYPE_CHECKING = False
if TYPE_CHECKING:
    import json
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from condor_py.client import wire
    from condor_py.client.asking import Listener
    from condor_py.core.jobs.external import JobChanges
    from condor_py.core.jobs.rights import Caller
    from condor_py.core.jobs.userrecs import UserRequest
    from condor_py.lang.classad import ClassAd
    from condor_py.model.messages.codec import A, Refused, Request
    from condor_py.model.messages.queue import ForJobs, Results
    from condor_py.model.messages.wakeups import Change
    from condor_py.model.selection import Selection
    from condor_py.store.ad_store import AdStore
    from condor_py.store.job_queue import JobQueue

    T = TypeVar("T")
else:
    json, wire = Later("json"), Later("condor_py.client.wire")


#: Seconds for which a schedd that its master starts (again) is waited for.
_START_PATIENCE = 60.0
_POLL = 0.05
#: Bytes of a queue whose schedd is asked even by who may write it.
_LONG_QUEUE = 4 << 20
#: Seconds that a removal waits for a busy schedd.
_SETTLED = 5.0
#: Seconds that the change of very many jobs may take.
_BULK_PATIENCE = 600.0


class NoSchedd(CondorError):
    """The schedd has to be asked and does not run."""


class ActResult:
    """Result codes (see schedd.actions.Result) by job."""

    __slots__ = ("results",)

    def __init__(self, results: dict[JobId, int]) -> None:
        self.results = results


class Pool:
    """One pool as its configuration describes it. Everything is looked up when first needed."""

    def __init__(self, subsystem: str = "TOOL") -> None:
        self.config: Config = load(os.environ, subsystem=subsystem)
        self.paths: PoolPaths = path_knobs(self.config)
        expressions.install(self.config, "TOOL")
        self._settings: Names | None = None
        self._table: JobQueue | None = None
        self._asks_schedd = False
        #: What the schedd's policy had to say of the last submit.
        self.warnings: list[str] = []

    def configure(self, config: Config) -> None:
        """Use another configuration from now on; the paths stay."""
        self.config = config

    def ask_schedd(self) -> None:
        """Let the schedd make all changes, also where the caller could write the queue: a process that changes it again
        and again would read each time what all others have written."""
        self._asks_schedd = True

    @property
    def settings(self) -> Names:
        """Names and addresses."""
        if self._settings is None:
            self._settings = daemon_knobs.names(self.config)
        return self._settings

    @property
    def schedd_name(self) -> str:
        """Name of the schedd."""
        return self.settings.schedd_name

    @property
    def schedd_address(self) -> str:
        """Sinful string of the schedd."""
        return self.settings.address

    @property
    def owner(self) -> str:
        """The caller's account name."""
        import pwd

        uid = os.geteuid()
        try:
            return pwd.getpwuid(uid).pw_name
        except KeyError:
            raise CondorError(f"ERROR: user id {uid} has no account on this machine") from None

    @property
    def user(self) -> str:
        """``owner@UID_DOMAIN``."""
        return f"{self.owner}@{self.settings.uid_domain}"

    @property
    def is_superuser(self) -> bool:
        """Whether the caller may act on all users' jobs: the owner of a shared pool, root, QUEUE_SUPER_USERS."""
        from condor_py.client.accounts import is_super_user
        from condor_py.lang.config.builders.superusers import super_users

        return os.geteuid() == 0 or is_super_user(self.owner, super_users(self.config))

    def now(self) -> int:
        """Unix seconds."""
        return int(time.time())

    # -- the queue ----------------------------------------------------------------------------------------------------

    @property
    def owns_spool(self) -> bool:
        """Whether the caller writes the queue directly: they own it, or there is none yet and they may create it."""
        if self._asks_schedd:
            return False
        try:
            return os.stat(self.paths.job_queue_log).st_uid == os.geteuid()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError:
            return False
        try:
            return os.stat(self.paths.spool).st_uid == os.geteuid()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False

    def table(self, readonly: bool) -> JobQueue:
        """The queue as it is now, read once; StoreError. ``readonly``: it will not be changed."""
        from condor_py.store.job_queue import JobQueue

        if not readonly:
            self._make_spool()
        if self._table is None:  # who looks and then changes need not read it twice: a transaction catches up
            readonly = readonly and not self.owns_spool
            names = self.settings
            self._table = JobQueue(
                self.paths.job_queue_log, None, readonly, names.uid_domain, first_cluster=names.first_cluster
            )
        else:
            self._table.refresh()
        return self._table

    def _make_spool(self) -> None:
        from condor_py.store import fs

        try:
            fs.make_pool_directory(self.paths.spool)
        except OSError as error:
            raise CondorError(f"cannot make SPOOL {self.paths.spool}: {error.strerror}") from None

    @property
    def reads_queue_file(self) -> bool:
        """Whether the caller may read the file of the queue."""
        return self.owns_spool or os.access(self.paths.job_queue_log, os.R_OK)

    def keep_index(self) -> None:
        """Leaves the index of the queue that was read, where the caller may, and its log has grown much since the last
        one: the next one need not read all of it."""
        if self._table is not None and self.owns_spool:
            self._table.keep_index()

    def forget_queue(self) -> None:
        """Give back the memory of the queue that was read; the next look reads all of it."""
        self._table = None

    def read_queue(self) -> QueueView:
        """The queue: from the file where the caller may read it, else from the schedd."""
        if self.reads_queue_file:
            table = self.table(readonly=True)
            self.keep_index()
            return QueueView(table, self.now())
        return self._query()

    def _query(self) -> QueueView:
        from condor_py.client.shown_queue import shown_queue

        return self._with_schedd(shown_queue)

    def _with_schedd(self, use: Callable[[wire.Client], T], patience: float = 60.0) -> T:
        """Return the result of ``use`` with the schedd.

        If the schedd dies meanwhile, its successor is asked again: doing it twice does no harm.
        """
        deadline = time.monotonic() + _START_PATIENCE
        while True:
            with self.schedd(patience) as client:
                try:
                    return use(client)
                except wire.Closed:
                    if time.monotonic() > deadline or not client.has_died():
                        raise

    def schedd(self, patience: float = 60.0) -> wire.Client:
        """A connection to the schedd. One that its master is about to start is waited for. NoSchedd, with what helps,
        when it does not run."""
        deadline = time.monotonic() + _START_PATIENCE
        while True:
            try:
                return wire.Client(self.paths.socket("schedd"), patience)
            except wire.WireError as error:
                if why := self._why_no_schedd():
                    raise NoSchedd(why) from None
                if time.monotonic() > deadline:
                    log = self.config.path("SCHEDD_LOG")
                    raise NoSchedd(f"the condor_schedd does not come up: see {log} ({error})") from None
            time.sleep(_POLL)

    def _why_no_schedd(self) -> str:
        """Why the schedd does not run, and what helps; "" when its master will start it."""
        from condor_py.client.lockfile import lock_holder
        from condor_py.model.messages.codec import Refused
        from condor_py.model.messages.master import Status

        if text := why_closed(self.paths):
            return text
        if not lock_holder(self.paths.daemon_lock("MASTER")):
            return f"no condor_master runs on this machine: {self._remedy('condor_master')}"
        if "SCHEDD" not in map(str.upper, self.config.list("DAEMON_LIST")):
            return "DAEMON_LIST has no SCHEDD"
        try:
            answer = self.ask("master", Status(), timeout=5.0)
        except wire.WireError:
            return ""
        if isinstance(answer, Refused) or "SCHEDD" not in answer.off:
            return ""
        return f"the condor_schedd is off: {self._remedy('condor_on')}"

    def _remedy(self, command: str) -> str:
        return f"start it with {command}" if self.owns_spool else f"ask the owner of the pool for {command}"

    @property
    def schedd_runs(self) -> bool:
        """Whether a process listens on the schedd's socket."""
        try:
            wire.connect(self.paths.socket("schedd"), 1.0).close()
        except wire.WireError:
            return False
        return True

    def ring(self, change: Change | None = None) -> bool:
        """Wakes the schedd, and says what was changed in the queue; False when it does not run."""
        return wire.ring(self.paths.socket("schedd"), change)

    def caller(self) -> Caller:
        """The rights of the user of this tool."""
        from condor_py.core.jobs.rights import Caller

        return Caller(self.owner, self.is_superuser)

    # -- changes -----------------------------------------------------------------------------------

    def act(
        self,
        action: str,
        selection: Selection,
        reason: str | None = None,
        subcode: int | None = None,
        listener: Listener | None = None,
    ) -> ActResult:
        """Holds, releases, removes … jobs; see schedd.actions. ``listener`` gets the progress of the schedd."""
        from condor_py.model.messages.queue import Act

        request = Act(action=action, reason=reason, subcode=subcode)
        if not self.owns_spool:
            return ActResult(self._by_schedd(request, selection, listener))
        if (done := self._by_busy_schedd(request, selection, listener)) is not None:
            return ActResult(done)
        from condor_py.core.jobs import factory, requests
        from condor_py.store.adlog import collector_paused

        queue = self.table(readonly=False)
        with collector_paused(True), queue.transaction() as transaction:
            results, records = requests.act(queue, self.caller(), action, selection, reason, subcode, self.now())
            factories, changes = factory.act(queue, self.caller(), action, selection, reason)
            factory.add_results(results, factories)
            transaction.extend([*records, *changes])
            gc.freeze()  # the jobs leave memory with the process: no need to search them for garbage
        change = _change(action, selection, reason)
        if action.startswith("remove"):
            self._settle(change)
        else:
            self.ring(change)
        return ActResult(results)

    def edit(
        self, selection: Selection, assignments: Sequence[tuple[str, str]], listener: Listener | None = None
    ) -> dict[JobId, int]:
        """Sets attributes (name, expression text) of the selected jobs, in one transaction.

        ``listener`` gets the progress of the schedd.
        """
        from condor_py.model.messages.queue import Edit

        request = Edit(assignments=list(assignments))
        if not self.owns_spool:
            return self._by_schedd(request, selection, listener)
        from condor_py.core.jobs import requests
        from condor_py.lang.config.builders.submit import edit_rules
        from condor_py.store.adlog import collector_paused

        rules = edit_rules(self.config)
        plain = not any(name.lower() in rules.protected for name, _ in assignments)
        if plain and (done := self._by_busy_schedd(request, selection, listener)) is not None:
            return done
        # Protected attributes are protected from others, not from the owner of the pool.
        rules = changed(rules, protected=frozenset())
        queue = self.table(readonly=False)
        with collector_paused(True), queue.transaction() as transaction:
            results, records = requests.edit(queue, self.caller(), selection, list(assignments), rules)
            transaction.extend(records)
            gc.freeze()
        self.ring(_change("edit", selection, assignments=assignments))
        return results

    def would_edit(self, selection: Selection, assignments: Sequence[tuple[str, str]]) -> dict[JobId, int]:
        """Return the results that `edit` would have, and change nothing. RefusedEdit as there."""
        from condor_py.core.jobs import requests
        from condor_py.lang.config.builders.submit import edit_rules

        rules = edit_rules(self.config)
        if self.owns_spool:
            rules = changed(rules, protected=frozenset())
        return requests.edit(self.read_queue().table, self.caller(), selection, list(assignments), rules)[0]

    def manage_elsewhere(
        self, action: str, clusters: Sequence[int] = (), changes: Sequence[JobChanges] = ()
    ) -> list[JobId]:
        """``export`` and ``unexport`` jobs of clusters, or ``import`` what became of them: the jobs concerned.

        See schedd.external. CondorError when that is not allowed.
        """
        from condor_py.model.messages.wakeups import named

        if not self.owns_spool:
            from condor_py.model.messages.queue import ManageElsewhere

            body = json.dumps([[*job, list(items)] for job, items in changes]).encode()
            with self.schedd() as client:
                return list(granted(client, ManageElsewhere(action, list(clusters)), body).jobs)
        from condor_py.core.jobs import external
        from condor_py.lang.config.builders.submit import edit_rules

        queue = self.table(readonly=False)
        with queue.transaction() as transaction:
            if action == "import":
                rules = edit_rules(self.config)
                jobs, records = external.take_back(queue, self.caller(), changes, rules, self.now())
            else:
                change = external.export if action == "export" else external.unexport
                jobs, records = change(queue, self.caller(), clusters)
            transaction.extend(records)
        self.ring(named(action, jobs))
        return jobs

    def act_on_users(self, kind: str, action: str, requests: Sequence[UserRequest], reason: str = "") -> ClassAd:
        """Adds, enables, disables, changes or removes records of users (kind "Owner") or projects ("Project"): the
        answer as an ad; see schedd.userrecs. CondorError for who is no administrator."""
        if not self.owns_spool:
            from condor_py.lang.classad import ClassAd
            from condor_py.model.messages.queue import ActOnUsers

            request = ActOnUsers(kind, action, [list(item) for item in requests], reason)
            with self.schedd() as client:
                ad = granted(client, request).ad
            return ClassAd.from_text_items([(name, text) for name, text in ad])
        from condor_py.core.jobs import userrecs
        from condor_py.model.messages.wakeups import Change

        queue = self.table(readonly=False)
        knob = "SCHEDD_USER_DEFAULT_PROPERTIES" if kind == "Owner" else "SCHEDD_PROJECTREC_DEFAULT_PROPERTIES"
        defaults = self.config.string(knob)
        with queue.transaction() as transaction:
            answer = userrecs.act(queue, kind, action, requests, self.settings.uid_domain, reason, defaults)
            transaction.extend(answer.records)
        self.ring(Change(kind=action, records=kind))
        return answer.ad(action)

    def make_room(self, jobs: Sequence[JobId]) -> dict[JobId, str]:
        """Directories to put the input files of spooled jobs into, for those of ``jobs`` that wait for files."""
        if not self.owns_spool:
            from condor_py.model.messages.queue import SpoolBegin

            folders = self._asked_schedd(SpoolBegin(list(jobs))).folders
            return {JobId(cluster, proc): path for cluster, proc, path in folders}
        from condor_py.client.spooling import make_room
        from condor_py.core.jobs import spooled
        from condor_py.lang.config.builders.paths import spool_mode

        waiting = spooled.awaiting(self.table(readonly=True), self.caller(), jobs)
        spool, mode = self.paths.spool, spool_mode(self.config)
        return {job: make_room(spool, job, ad.eval_str("Owner", "") or "", mode) for job, ad in waiting}

    def files_arrived(self, jobs: Sequence[JobId], begun: int) -> None:
        """The directories of ``make_room`` are filled, since ``begun`` (Unix time), and on disk: the jobs may run.

        An event log that is in the spool (EVENT_LOGS_IN_SPOOL) is there on return, if a schedd runs.
        """
        from condor_py.model.messages.wakeups import named

        log_too = self.config.boolean("EVENT_LOGS_IN_SPOOL")
        if self.owns_spool:
            self._stage_in(jobs, begun, log_too)
        else:
            from condor_py.model.messages.queue import SpoolEnd

            self._asked_schedd(SpoolEnd(begun, list(jobs)))
        if log_too:
            self._settle(named("spooled", jobs))
        elif self.owns_spool:
            self.ring(named("spooled", jobs))

    def _stage_in(self, jobs: Sequence[JobId], begun: int, log_too: bool) -> None:
        from condor_py.client.spooling import close_room
        from condor_py.core.jobs import spooled

        queue = self.table(readonly=False)
        with queue.transaction() as transaction:
            for job, ad in spooled.awaiting(queue, self.caller(), jobs):
                folder = close_room(self.paths.spool, job)
                transaction.extend(list(spooled.staged_in(job, ad, folder, begun, self.now(), log_too)))

    def _settle(self, change: Change) -> None:
        """Wakes the schedd and waits, for a moment at most, until it has taken in what we wrote: removed jobs that
        nothing keeps are gone then, and the next reader does not see them any more."""
        from condor_py.model.messages.wakeups import Sync

        try:
            self.ask("schedd", Sync(change), timeout=_SETTLED)
        except (wire.WireError, OSError):
            return

    def _asked_schedd(self, request: Request[A]) -> A:
        return self._with_schedd(lambda client: granted(client, request))

    def _by_schedd(
        self, request: ForJobs[Results], selection: Selection, listener: Listener | None
    ) -> dict[JobId, int]:
        return self._with_schedd(lambda client: for_jobs(client, request, selection, listener), _BULK_PATIENCE)

    def _by_busy_schedd(
        self, request: ForJobs[Results], selection: Selection, listener: Listener | None
    ) -> dict[JobId, int] | None:
        """Let the schedd of a long queue change the jobs piece by piece.

        So no process waits while the schedd reads what this process would write, and this process need not read the
        queue. None means that the queue is short, that no schedd runs, or that it went away before it answered. What it
        has done by then is in the queue; doing it again does no harm.
        """
        try:
            if os.stat(self.paths.job_queue_log).st_size < _LONG_QUEUE:
                return None
            with wire.Client(self.paths.socket("schedd"), _BULK_PATIENCE) as client:
                return for_jobs(client, request, selection, listener)
        except OSError:
            return None
        except wire.WireError:
            if self.schedd_runs:
                raise
            return None

    # -- daemons -----------------------------------------------------------------------------------

    def ask(self, daemon: str, request: Request[A], timeout: float = 30.0) -> A | Refused:
        """Asks a daemon (``master``, ``schedd``, ``negotiator``, ``startd``). wire.WireError: it does not answer."""
        knobs = self.config
        times = knobs.integer("TOOL_TIMEOUT_MULTIPLIER", knobs.integer("TIMEOUT_MULTIPLIER", 1))
        return wire.ask(self.paths.socket(daemon), request, timeout=timeout * max(1, times))

    def ads(self, kind: str, *, absent: bool = False) -> list[ClassAd]:
        """Published ads: STARTD, SCHEDD, SUBMITTERS, MASTER, NEGOTIATOR, ACCOUNTING, DEFRAG; and COLLECTOR, which
        is made of them. What programs advertised as that kind comes last; ``absent`` machines only if asked for."""
        from condor_py.lang.config.build import build
        from condor_py.model.settings.remembered import RememberedSettings
        from condor_py.store.ad_store import AdStore
        from condor_py.store.advertised import Advertised

        store = AdStore(self.paths.ads)
        return [
            *self._own_ads(store, kind),
            *Advertised(store, build(RememberedSettings, self.config)).read(kind, self.now(), absent=absent),
        ]

    def _own_ads(self, store: AdStore, kind: str) -> list[ClassAd]:
        if kind != "COLLECTOR":
            return store.read(kind)
        from condor_py.client.collector_ad import collector_ad

        name, admin = self.config.string("COLLECTOR_NAME"), self.config.string("CONDOR_ADMIN")
        slots, submitters = store.read("STARTD"), store.read("SUBMITTERS")
        return [collector_ad(name, admin, master, slots, submitters) for master in store.read("MASTER")]

    def freshen(self) -> None:
        """Has the startd publish what its slots are like now; one that does not run or is busy is left alone."""
        from condor_py.model.messages.machine import Publish

        try:
            self.ask("startd", Publish(), timeout=2.0)
        except (wire.WireError, OSError):
            return


def why_closed(paths: PoolPaths) -> str:
    """Return why the caller cannot reach the daemons of a pool, which is another account's; "" where the way to the
    schedd's socket is open."""
    path = paths.socket("schedd")
    try:
        found = os.stat(path)
        # The next schedd replaces the socket of a dead one: what could not be written may only have gone away.
        closed = not os.access(path, os.W_OK) and os.path.samestat(found, os.stat(path))
    except OSError as error:
        closed = isinstance(error, PermissionError)
    text = f"permission denied: the pool in {paths.local_dir} serves only the account that it belongs to"
    return text if closed else ""


def open_pool(subsystem: str = "TOOL") -> Pool:
    """The pool of this environment. ConfigError when the configuration cannot be read."""
    return Pool(subsystem)


def _change(
    kind: str, selection: Selection, reason: str | None = None, assignments: Sequence[tuple[str, str]] = ()
) -> Change:
    """Return what a tool has done to some jobs, for the schedd's log of changes."""
    from condor_py.model.messages.wakeups import named

    pairs = [list(pair) for pair in assignments]
    more = {"constraint": selection.constraint, "reason": reason, "assignments": pairs}
    return named(kind, selection.ids, selection.clusters, **more)
