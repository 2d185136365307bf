"""Late materialization in the schedd: makes jobs of factories when there is room, and keeps their files in the
spool.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.classad import ClassAd
from condor_py.config.rooms.submit import submit as submit_knobs
from condor_py.daemon.submission import factory_folder, materialized_records
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.schedd import factory as rules
from condor_py.submit.admission import Refused
from condor_py.submit.factory import Factory, FactoryText, Materialized, digest_name, items_name, materialize

if TYPE_CHECKING:
    from condor_py.daemon.schedd import ScheddDaemon


class Factories:
    """The factories of a schedd. After each batch ``due`` says whether ``grow`` has something to do in the next."""

    def __init__(self, daemon: ScheddDaemon) -> None:
        self._daemon = daemon
        #: Factories by cluster; None until jobs are made.
        self._active: dict[int, Factory | None] = {}
        for cluster in daemon.queue.clusters():
            self._take(cluster)

    def notice(self, records: Iterable[Change]) -> None:
        """Somebody wrote ``records``, which are in the queue: are there new factories among them?"""
        for record in records:
            key = record.key
            if key[:1] == "0" and key.endswith(".-1"):
                self._take(int(key[1:-3]))

    def _take(self, cluster: int) -> None:
        if cluster not in self._active and rules.is_factory(self._daemon.queue.cluster(cluster)):
            self._active[cluster] = None

    def due(self) -> bool:
        """Whether jobs are to be made, or a cluster without jobs is to go."""
        return any(self._wanted(cluster) for cluster in list(self._active))

    def _wanted(self, cluster: int) -> bool:
        ad = self._daemon.queue.cluster(cluster)
        if ad is None:
            self._forget(cluster)
            return False
        present = self._daemon.queue.count(cluster)
        return self._room(cluster, ad, present) > 0 or (present == 0 and not rules.has_more(ad))

    def _room(self, cluster: int, ad: ClassAd, present: int) -> int:
        running = 0
        if ad.text("JobMaterializeMaxIdle") is not None:
            running = sum(job.cluster == cluster for job in self._daemon.core.runs)
        return rules.room(ad, present, running)

    def grow(self, moment: int) -> None:
        """Inside a batch: the records of what is due go into its transaction."""
        for cluster in list(self._active):
            ad = self._daemon.queue.cluster(cluster)
            if ad is None:
                continue
            present = self._daemon.queue.count(cluster)
            count = self._room(cluster, ad, present)
            if count:
                self._make(cluster, ad, count, moment)
            elif present == 0 and not rules.has_more(ad):
                self._daemon.core.remove_cluster(cluster)

    def _make(self, cluster: int, ad: ClassAd, count: int, moment: int) -> None:
        core = self._daemon.core
        first = rules.next_proc(ad)
        if first == 0:
            core.user_event(JobId(cluster, -1), ad, 35, {})
        try:
            made = materialize(self._factory(cluster, ad), first, count)
            records = self._records(cluster, ad, first, made, moment)
        except (CondorError, OSError, ValueError, KeyError, TypeError) as error:  # a digest may come from anybody
            self._daemon.log.write(f"Factory {cluster} is paused: {error}")
            records = rules.pause_records(cluster, rules.HELD, str(error).strip())
        self._daemon.commit_for_client(records, lambda: None)

    def _records(self, cluster: int, ad: ClassAd, first: int, made: Materialized, moment: int) -> list[Change]:
        policy = self._daemon.submit_policy
        name = self._daemon.core.settings.schedd_name
        try:
            records = materialized_records(cluster, ad, first, made, name, moment, policy)
        except Refused as refusal:
            reason = str(refusal).partition("ERROR: ")[2].strip()
            self._daemon.log.write(f"Factory {cluster} is paused: {reason}")
            return rules.pause_records(cluster, rules.HELD, reason)
        if made.failure:
            self._daemon.log.write(f"Factory {cluster} is paused: {made.failure}")
            records += rules.pause_records(cluster, rules.HELD, made.failure)
        return records

    def _factory(self, cluster: int, ad: ClassAd) -> Factory:
        factory = self._active.get(cluster)
        if factory is None:
            folder = factory_folder(self._daemon.paths.spool, cluster)
            items = ""
            if ad.text("JobMaterializeItemsFile") is not None:
                items = _read(f"{folder}/{items_name(cluster)}")
            text = FactoryText(_read(f"{folder}/{digest_name(cluster)}"), items, 0)
            factory = self._active[cluster] = Factory(text, cluster, ad, submit_knobs(self._daemon.config))
        return factory

    def _forget(self, cluster: int) -> None:
        """The cluster has left the queue, and its files go."""
        del self._active[cluster]
        folder = factory_folder(self._daemon.paths.spool, cluster)
        for name in (digest_name(cluster), items_name(cluster)):
            try:
                os.unlink(f"{folder}/{name}")
            except FileNotFoundError:
                continue
            except OSError as error:
                self._daemon.log.write(f"cannot remove {folder}/{name}: {error.strerror}")
        try:
            os.rmdir(folder)
        except OSError:
            return  # another cluster still has files there


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
