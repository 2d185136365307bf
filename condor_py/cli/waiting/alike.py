"""The reasons of many jobs: each is found once for all jobs that agree in every attribute that decides.

Only texts of the queue are compared; the ad of a job is read where its kind has not been judged before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from condor_py.cli.waiting.finding import Around, why_such_jobs_wait
from condor_py.cli.waiting.reasons import Reason
from condor_py.client.queue_view import QueueView
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import OF_SCHEDD, JobStatus

_STATUS = "jobstatus"
#: The states of jobs that have reasons, as texts of the queue.
WAITING = (str(int(JobStatus.IDLE)), str(int(JobStatus.HELD)))
#: The universes of jobs that the schedd starts itself, as texts of the queue.
_OF_SCHEDD = frozenset(str(int(universe)) for universe in OF_SCHEDD)
#: Attributes (their keys) that a reason may depend on, besides requests and what slots and Requirements refer to.
_DECIDING = (
    _STATUS, "jobuniverse", "requirements", "checkpointdestination", "deferraltime", "deferralpreptime",
    "scheddinterval", "jobcooldownexpiration", "vacatereason", "cronminute", "cronhour", "crondayofmonth", "cronmonth",
    "crondayofweek", "user", "projectname", "accountinggroup", "acctgroup", "lastrejmatchreason", "holdreason",
    "holdreasoncode", "gridresource", "gridresourceunavailabletime", "gridjobid", "gridjobstatus",
)  # fmt: skip
_SINCE = ("enteredcurrentstatus", "qdate")
#: What slots say about jobs.
_OF_SLOTS = ("Start", "Requirements", "WithinResourceLimits")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

_Texts = tuple[str | None, ...]


class Alike(NamedTuple):
    """Jobs of one cluster that wait, or are held, for the same reasons, none where nothing keeps them from starting;
    ``since`` is when the first of them began to (Unix seconds; 0: not known)."""

    cluster: int
    procs: list[int]
    held: bool
    reasons: list[Reason]
    since: int


def alike(view: QueueView, groups: Iterable[tuple[int, Sequence[int]]], around: Around) -> Iterator[Alike]:
    """Yield the idle and held jobs of ``groups`` with their reasons, those that agree together."""
    finder = _Finder(view, around)
    for cluster, procs in groups:
        yield from finder.of_cluster(cluster, procs)


class _Finder:
    """Judges the jobs of a queue, each kind once."""

    def __init__(self, view: QueueView, around: Around) -> None:
        self._view = view
        self._around = around
        self._asked = _names_of(around.slots, _OF_SLOTS)
        #: The reasons of each kind, by the keys that decide and their texts.
        self._known: dict[tuple[tuple[str, ...], _Texts], list[Reason]] = {}
        #: What the texts of some attributes refer to besides these attributes.
        self._more: dict[tuple[tuple[str, ...], _Texts], tuple[str, ...]] = {}

    @cached_property
    def _asked_by_schedd(self) -> tuple[str, ...]:
        """The names that occur in what the schedd asks of jobs that it starts itself."""
        ad = self._around.schedd()
        return () if ad is None else _names_of([ad], ("StartLocalUniverse", "StartSchedulerUniverse"))

    def of_cluster(self, cluster: int, procs: Sequence[int]) -> Iterator[Alike]:
        """Yield the jobs of one cluster."""
        ad = self._view.table.cluster(cluster)
        requests = () if ad is None else tuple(sorted(key for key in ad.attrs if key.startswith("request")))
        asked = self._asked
        if self._view.cluster_text(cluster, "jobuniverse") in _OF_SCHEDD:
            asked = self._asked_by_schedd
        keys = self._closed(cluster, tuple(dict.fromkeys((*_DECIDING, *requests, *asked))))
        common = self._common(cluster, keys)
        kinds, own = self._kinds(cluster, procs, keys)
        together: dict[tuple[bool, tuple[Reason, ...]], list[int]] = {}
        for texts, members in kinds.items():
            said = dict(zip(own, texts, strict=True))
            whole = tuple([said.get(key) or text for key, text in zip(keys, common, strict=True)]) if said else common
            if whole[0] in WAITING:
                reasons = self._reasons((*keys, *own), (*whole, *texts), JobId(cluster, members[0]))
                together.setdefault((whole[0] == WAITING[1], tuple(reasons)), []).extend(members)
        for (held, found), members in together.items():
            members.sort()
            since, first = self._since(cluster, members), f"{cluster}.{members[0]}"
            yield Alike(cluster, members, held, [one.of_job(first, since) for one in found], since)

    def _reasons(self, keys: tuple[str, ...], texts: _Texts, job: JobId) -> list[Reason]:
        known = self._known.get((keys, texts))
        if known is None:
            ad = self._view.job(job)
            known = self._known[keys, texts] = [] if ad is None else why_such_jobs_wait(ad, self._around)
        return known

    def _kinds(
        self, cluster: int, procs: Sequence[int], keys: tuple[str, ...]
    ) -> tuple[dict[_Texts, list[int]], tuple[str, ...]]:
        """Return the procs by what they say themselves of the keys that decide, and those keys that any says."""
        table = self._view.table
        while True:
            own = table.mentioned(cluster, keys)
            columns = table.own_texts(cluster, procs, own) if own else []
            named = {word for column in columns for text in set(column) if text for word in _words(text)}
            more = named.difference(keys)
            if not more:
                break
            keys = (*keys, *sorted(more))
        kinds: dict[_Texts, list[int]] = {}
        if not own:
            return {(): list(procs)}, own
        for proc, texts in zip(procs, zip(*columns, strict=True), strict=True):
            kinds.setdefault(texts, []).append(proc)
        return kinds, own

    def _closed(self, cluster: int, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Return the keys with those that their texts in the cluster refer to, and so on."""
        while True:
            texts = self._common(cluster, keys)
            more = self._more.get((keys, texts))
            if more is None:
                found = {word for text in texts if text for word in _words(text)}
                more = self._more[keys, texts] = tuple(sorted(found.difference(keys)))
            if not more:
                return keys
            keys = (*keys, *more)

    def _common(self, cluster: int, keys: Sequence[str]) -> _Texts:
        return tuple(self._view.cluster_texts(cluster, keys))

    def _since(self, cluster: int, procs: Sequence[int]) -> int:
        """Return when the first of these jobs began to wait."""
        for key in _SINCE:
            times = [int(text) for text in self._view.texts(key, [(cluster, procs)]) if text and text.isdecimal()]
            if times:
                return min(times)
        return 0


@cache
def _words(text: str) -> frozenset[str]:
    """The names that occur in an expression outside of its strings, as keys."""
    return frozenset(word.lower() for word in _NAME.findall(_STRING.sub("", text)))


def _names_of(ads: Iterable[ClassAd], attributes: Iterable[str]) -> tuple[str, ...]:
    """The names that occur in what some ads ask of jobs by these attributes."""
    texts = {ad.text(name) for ad in ads for name in attributes}
    return tuple(sorted({word for text in texts if text for word in _words(text)}))
