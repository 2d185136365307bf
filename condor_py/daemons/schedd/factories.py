"""Late materialization in the schedd: makes jobs of factories when there is room, and keeps their files in the
spool.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.client.submission import factory_folder, materialized_records
from condor_py.client.userlog import UserLogs
from condor_py.core.jobs import factory as rules
from condor_py.core.jobs.events import ClusterEmpty, Event, FactoryBegins, FactoryTold
from condor_py.core.jobs.requests import is_factory
from condor_py.daemons.common.configuration import DaemonConfiguration
from condor_py.daemons.common.loop import monotonic, now
from condor_py.daemons.schedd.shared import Shared, SubmitRules
from condor_py.lang.classad import ClassAd
from condor_py.lang.config.builders.submit import submit as submit_knobs
from condor_py.model.errors import CondorError
from condor_py.model.later import Later
from condor_py.model.record import Change, Entry
from condor_py.store.adlog import check_writable

if TYPE_CHECKING:
    from condor_py.lang.submit import admission
    from condor_py.lang.submit import factory as making
    from condor_py.lang.submit.factory import Factory, Materialized
else:  # many modules; few clusters are factories
    admission, making = Later("condor_py.lang.submit.admission"), Later("condor_py.lang.submit.factory")


#: Seconds that the factories of one user may make jobs in one batch.
_MOMENT = 0.1
#: Seconds until files that could not be read are tried again.
_AGAIN = 5.0


class Factories:
    """The factories of a schedd. After each batch ``due`` says whether ``grow`` has something to do in the next."""

    def __init__(
        self, shared: Shared, submit_rules: SubmitRules, userlogs: UserLogs, configuration: DaemonConfiguration
    ) -> None:
        self._log, self._spool = shared.log, shared.paths.spool
        self._queue, self._core, self._inbox = shared.queue, shared.core, shared.inbox
        self._submit_rules = submit_rules
        self._userlogs = userlogs
        self._configuration = configuration
        #: Factories by cluster; None until jobs are made.
        self._active: dict[int, Factory | None] = {}
        #: JobMaterializePaused as last seen, by cluster.
        self._modes: dict[int, int] = {}
        #: Those whose files cannot be read now; of these, those that wait for the next try.
        self._unread: set[int] = set()
        self._waiting: set[int] = set()
        for cluster in self._queue.clusters():
            self._take(cluster)
        for cluster in self._active:
            self._catch_up(cluster)

    def notice(self, entries: Iterable[Entry]) -> None:
        """Find new and paused factories among ``entries``, which were written and are in the queue."""
        paused: dict[int, list[Change]] = {}
        seen: set[str] = set()
        for record in entries:
            if type(record) is not Change:
                continue  # what is done to many jobs is about no cluster
            key = record.key
            if key[:1] == "0" and key.endswith(".-1"):
                name = record.name
                if name == "EditedClusterAttrs" and (cluster := int(key[1:-3])) in self._active:
                    self._active[cluster] = None  # it is read again, with the edited cluster ad
                if key not in seen:
                    seen.add(key)
                    self._take(int(key[1:-3]))
                if name.startswith("JobMaterializePause"):
                    paused.setdefault(int(key[1:-3]), []).append(record)
        for cluster, changes in paused.items():
            self._tell_of_pause(cluster, changes)

    def _tell_of_pause(self, cluster: int, changes: list[Change]) -> None:
        """The event log says when a factory is held and released."""
        ad = self._queue.cluster(cluster)
        if ad is not None:
            self._tell(FactoryTold(cluster, changes, self._modes.get(cluster, rules.RUNNING)))
            self._modes[cluster] = ad.eval_int("JobMaterializePaused", rules.RUNNING) or rules.RUNNING

    def _catch_up(self, cluster: int) -> None:
        """A factory that was held or released while there was no schedd: its event log says so now."""
        ad = self._queue.cluster(cluster)
        held = None if ad is None else self._userlogs.factory_held(cluster, ad)
        if ad is None or held is None:
            return
        self._tell(FactoryTold(cluster, rules.present_records(ad), rules.HELD if held else rules.RUNNING))

    def _tell(self, event: Event) -> None:
        self._core.handle(event, int(now()))

    def _take(self, cluster: int) -> None:
        ad = self._queue.cluster(cluster)
        if ad is not None and cluster not in self._active and is_factory(ad):
            self._active[cluster] = None
            self._modes[cluster] = ad.eval_int("JobMaterializePaused", rules.RUNNING) or rules.RUNNING

    def due(self) -> bool:
        """Whether jobs are to be made, or a cluster without jobs is to go."""
        return any(self._wanted(cluster) for cluster in list(self._active))

    def to_come(self) -> int:
        """Number of jobs that are still to be made."""
        ads = [self._queue.cluster(cluster) for cluster in self._active]
        return sum(rules.to_come(ad) for ad in ads if ad is not None)

    def _wanted(self, cluster: int) -> bool:
        ad = self._queue.cluster(cluster)
        if ad is None:
            self._forget(cluster)
            return False
        if cluster in self._waiting:
            return False
        present = self._queue.count(cluster)
        return self._room(cluster, ad, present) > 0 or (present == 0 and not rules.has_more(ad))

    def _room(self, cluster: int, ad: ClassAd, present: int, coming: int = 0) -> int:
        """Return how many jobs may be made now; ``coming`` are about to enter the queue for the same user."""
        limit, queued = self._core.settings.max_jobs_per_owner, self._queue.count()
        allowed = limit - (queued if queued < limit - rules.AT_ONCE else self._owned(ad))
        running = 0
        if ad.text("JobMaterializeMaxIdle") is not None:
            running = sum(job.cluster == cluster for job in self._core.runs)
        return max(0, min(rules.room(ad, present, running), allowed - coming))

    def _owned(self, ad: ClassAd) -> int:
        """Count the jobs that the user of a cluster has in the queue."""
        user = ad.text("User")
        return sum(job.text("User") == user for _, job in self._queue.jobs())

    def grow(self, moment: int) -> None:
        """Inside a batch: the records of what is due go into its transaction."""
        coming: dict[str | None, int] = {}
        busy: set[str | None] = set()  # users whose factories took their time of this batch
        for cluster in list(self._active):
            ad = self._queue.cluster(cluster)
            if ad is None or ad.text("User") in busy or cluster in self._waiting:
                continue
            present, user = self._queue.count(cluster), ad.text("User")
            count = self._room(cluster, ad, present, coming.get(user, 0))
            if count:
                coming[user] = coming.get(user, 0) + count
                begun = monotonic()
                self._make(cluster, ad, count, moment)
                if monotonic() - begun > _MOMENT / 2:
                    busy.add(user)
                    self._active[cluster] = self._active.pop(cluster)  # the others of this user are next
            elif present == 0 and not rules.has_more(ad):
                self._core.handle(ClusterEmpty(cluster), moment)

    def _make(self, cluster: int, ad: ClassAd, count: int, moment: int) -> None:
        first = rules.next_proc(ad)
        if first == 0 and cluster not in self._unread:
            self._core.handle(FactoryBegins(cluster), moment)
        try:
            until = monotonic() + _MOMENT
            made = making.materialize(self._factory(cluster, ad), first, count, lambda: monotonic() > until)
            records = self._records(cluster, ad, first, made, moment)
            check_writable(records)
        except _Unreadable as error:
            self._wait(cluster, error)
            return
        except Exception as error:  # a digest may come from anybody
            self._log(f"Factory {cluster} is paused: {error}")
            records = rules.pause_records(cluster, rules.HELD, str(error).strip())
        self._inbox.commit_for_client(records, lambda: None)

    def _records(self, cluster: int, ad: ClassAd, first: int, made: Materialized, moment: int) -> list[Change]:
        policy = self._submit_rules.policy
        name = self._core.settings.schedd_name
        try:
            records = materialized_records(cluster, ad, first, made, name, moment, policy)
        except admission.Refused as refusal:
            reason = str(refusal).partition("ERROR: ")[2].strip()
            self._log(f"Factory {cluster} is paused: {reason}")
            return rules.pause_records(cluster, rules.HELD, reason)
        if made.failure:
            self._log(f"Factory {cluster} is paused: {made.failure}")
            records += rules.pause_records(cluster, rules.HELD, made.failure)
        return records

    def _factory(self, cluster: int, ad: ClassAd) -> Factory:
        factory = self._active.get(cluster)
        if factory is None:
            folder = factory_folder(self._spool, cluster)
            items = ""
            if ad.text("JobMaterializeItemsFile") is not None:
                items = _read(f"{folder}/{making.items_name(cluster)}")
            text = making.FactoryText(_read(f"{folder}/{making.digest_name(cluster)}"), items, 0)
            knobs = submit_knobs(self._configuration.config)
            factory = self._active[cluster] = making.Factory(text, cluster, ad, knobs)
            if cluster in self._unread:
                self._unread.remove(cluster)
                self._log(f"Factory {cluster} continues: its files can be read again")
        return factory

    def _wait(self, cluster: int, error: _Unreadable) -> None:
        """The disk is in trouble, not the factory: it continues when its files can be read."""
        if cluster not in self._unread:
            self._log(f"Factory {cluster} waits: {error}; trying again every {_AGAIN:g} s")
        self._unread.add(cluster)
        self._waiting.add(cluster)
        self._inbox.after(_AGAIN, lambda _: self._waiting.discard(cluster))

    def _forget(self, cluster: int) -> None:
        """The cluster has left the queue, and its files go."""
        del self._active[cluster]
        self._unread.discard(cluster)
        self._modes.pop(cluster, None)
        folder = factory_folder(self._spool, cluster)
        for name in (making.digest_name(cluster), making.items_name(cluster)):
            try:
                os.unlink(f"{folder}/{name}")
            except FileNotFoundError:
                continue
            except OSError as error:
                self._log(f"cannot remove {folder}/{name}: {error.strerror}")
        try:
            os.rmdir(folder)
        except OSError:
            return  # another cluster still has files there


class _Unreadable(Exception):
    """A file of a factory is there, and cannot be read now."""


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:
        raise CondorError(f"its file {path} is gone") from None
    except OSError as error:
        raise _Unreadable(f"cannot read {path}: {error.strerror}") from error
