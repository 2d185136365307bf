"""The job queue: job_queue.log as ads.

Keys are HTCondor's: ``0.0`` header, ``0.N`` user records, ``0C.-1`` cluster ads, ``C.-2`` private cluster
ads, ``C.P`` proc ads. A proc ad is chained to its cluster ad, so that it answers for attributes that only
the cluster has.

A queue that was just opened is *folded* (``folded.py``): a process that reads a few jobs, or a few attributes of all,
has no other ads made. To ask for all ads, or to change the queue, unfolds it.
"""

from __future__ import annotations

from itertools import chain, compress, groupby
from operator import itemgetter

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import apply, play
from condor_py.model.ids import JobId
from condor_py.model.record import Alike, Change, Entry, Gone, NewJobs
from condor_py.model.texts import as_integer
from condor_py.store import logreader
from condor_py.store.adlog import NEW_AD, SET, Record, collector_paused, scan, type_in
from condor_py.store.cluster_ads import ClusterAd, Families, as_bytes
from condor_py.store.folded import Folded, read_index
from condor_py.store.fs import FileSystem
from condor_py.store.keys import HEADER, cluster_key, cluster_of, plain_job, proc_of, split_key, user_of
from condor_py.store.lock import Lock
from condor_py.store.logreader import Arrivals
from condor_py.store.stored_ad import StoredAd
from condor_py.store.table import LOCK_TIMEOUT, AdTable, Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from condor_py.store.folded import Groups

_CLUSTER, _PROC = itemgetter(0), itemgetter(1)
_JOB_TYPES = ("Job", "Machine")
#: Attributes that an ad may have from its 101.
_TYPES = frozenset(("mytype", "targettype"))
#: What a job deletes.
_GONE = "\0gone"
#: What a folded queue has not.
_UNFOLDED = ("_ads", "_procs", "_clusters", "_users")
#: With so many jobs at most the ad of a cluster is read as seldom as theirs.
_ALONE = 4


class JobQueue(AdTable):
    """The queue at ``path``. Opening reads the whole log; a file that does not exist is an empty queue.

    ``uid_domain`` (an unquoted string) goes into the header of a brand-new queue, which numbers its clusters from
    ``first_cluster`` on. ``lasting``: no process empties the file while it is open. ``arrivals``: many jobs that others
    add arrive as ``NewJobs``. ``index``: one of a log that is not lasting, next to which there is none. ``whole``:
    every line is read, whatever an index says. Raises StoreError for a file that cannot be read or is damaged.
    """

    _folded: Folded | None = None
    #: What was written since the queue was opened, of one that is folded: played when more is asked.
    _behind: Sequence[Entry] = ()

    new_ad = StoredAd

    def __init__(
        self,
        path: str,
        fs: FileSystem | None = None,
        readonly: bool = False,
        uid_domain: str = "",
        lock: Lock | None = None,
        *,
        first_cluster: int = 1,
        lasting: bool = True,
        arrivals: bool = False,
        index: bytes | None = None,
        whole: bool = False,
    ) -> None:
        self._uid_domain = uid_domain
        self._first_cluster = first_cluster
        self._whole = whole
        self._lasting = lasting
        self._index = index
        self._clear_indices()
        super().__init__(path, fs, readonly=readonly, lock=lock)
        self._file.tells_arrivals = arrivals

    def _clear_indices(self) -> None:
        self._procs: dict[int, dict[int, ClassAd]] = {}
        self._clusters: dict[int, ClassAd] = {}
        self._users: dict[int, ClassAd] = {}
        self._families = Families()
        #: Whether the ads of jobs have their keys in ``_ads``, as others have: where one is not written as all are.
        self._keyed = False

    def _start_empty(self) -> None:
        super()._start_empty()
        self._clear_indices()

    def _load(self) -> None:
        fs = self.fs
        index = read_index(self.path, fs) if self._lasting and not self._whole else self._index
        image = self._file.image(index, lasting=self._lasting)
        self._index = None
        if image is None:
            with collector_paused(True):
                self.refresh()
            return
        self._folded = Folded(image, self.path, _ad_of)
        for name in _UNFOLDED:
            del self.__dict__[name]
        if image.odd:
            self._unfold()

    def is_sound(self) -> bool:
        from condor_py.store.queue_rules import is_sound

        folded = self._folded
        return folded is not None and self._whole and not folded.repeated and is_sound(self, folded)

    def __getattr__(self, name: str) -> Any:
        """Unfold the queue when an attribute is asked for that a folded queue does not have."""
        if name not in _UNFOLDED or self._folded is None:
            raise AttributeError(name)
        self._unfold()
        return self.__dict__[name]

    def _unfold(self) -> None:
        folded = self._folded
        assert folded is not None
        with collector_paused(True):
            ads, procs, others = folded.unfold()
            clusters = folded.clusters()
            self._folded = None
            self._clear_indices()
            self._ads, self._procs = ads, procs
            self._add_loaded(others)
            for number in clusters:
                self._add_cluster(number, folded)
        for key, ad in folded.made_others().items():
            self._ads[key] = ad
            if (user := user_of(key)) is not None:
                self._users[user] = ad
        behind, self._behind = self._behind, ()
        super()._apply(behind)

    def _add_cluster(self, number: int, folded: Folded) -> None:
        known = folded.cluster(number)
        assert known is not None
        self._clusters[number] = self._ads[cluster_key(number)] = known
        procs = self._procs.get(number, {})
        for ad in procs.values():
            ad.parent = known
        if len(procs) <= _ALONE:
            self._rest_cluster(known)

    def _rest_cluster(self, ad: ClassAd | None) -> None:
        if isinstance(ad, ClusterAd):
            self._families.rest(ad)

    def _image(self) -> Folded | None:
        """The queue as it was opened, as long as that is what it is."""
        if self._behind and self._folded is not None:
            self._unfold()
        return self._folded

    def _apply(self, entries: Sequence[Entry]) -> None:
        """Apply entries, or only keep them while the queue is folded. A process that adds or changes a few jobs of a
        long queue reads nothing of it afterwards. Ads that have been given out must stay true."""
        folded = self._folded
        if folded is None or not folded.can_follow(entries):
            super()._apply(entries)
        else:
            folded.follow(entries)
            self._behind = [*self._behind, *entries]

    @property
    def is_folded(self) -> bool:
        """Whether the queue is still places in its log."""
        return self._folded is not None

    def keep_index(self) -> None:
        """Gives the next one who opens the queue an index of its log, if that is worth it and this one is folded."""
        if self._folded is not None:
            self._folded.keep_index(self.fs, self._file.mode)

    # looking

    @property
    def header(self) -> ClassAd | None:
        """The ad of the queue itself. To be read only."""
        folded = self._image()
        return self._ads.get(HEADER) if folded is None else folded.others().get(HEADER)

    @property
    def last_cluster(self) -> int:
        """The highest number of a cluster in the queue; 0 where there is none."""
        folded = self._image()
        return max(self._clusters if folded is None else folded.clusters(), default=0)

    @property
    def next_cluster(self) -> int:
        """The number that the next cluster gets."""
        header = self.header
        text = header.text("NextClusterNum") if header is not None else None
        return as_integer(text) if text is not None and text.isdecimal() else self._first_cluster

    @property
    def user_records(self) -> dict[int, ClassAd]:
        """User records by their number N of key ``0.N``. To be read only."""
        folded = self._image()
        if folded is None:
            return self._users
        return {user: ad for key, ad in folded.others().items() if (user := user_of(key)) is not None}

    def user_record_of(self, user: str) -> tuple[int, ClassAd] | None:
        """The record whose User is ``user`` (``name@domain``), with its number."""
        quoted = f'"{user}"'
        for number, ad in self.user_records.items():
            if ad.text("User") == quoted:
                return number, ad
        return None

    @property
    def next_user(self) -> int:
        """The number that the next user record gets; the first is 2."""
        return max(self.user_records, default=1) + 1

    def job(self, job: JobId) -> ClassAd | None:
        """The ad of a job, chained to its cluster's; None when it is not in the queue."""
        if self._folded is not None and (folded := self._image()) is not None:
            return folded.job(*job)
        procs = self._procs.get(job[0])
        return procs.get(job[1]) if procs is not None else None

    def cluster(self, cluster: int) -> ClassAd | None:
        """The ad of a cluster; None when it is not in the queue."""
        if (folded := self._image()) is not None:
            return folded.cluster(cluster)
        return self._clusters.get(cluster)

    def clusters(self) -> list[int]:
        """The clusters in the queue, ascending."""
        return folded.clusters() if (folded := self._image()) is not None else sorted(self._clusters)

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        """All jobs in the order of cluster, then proc. The queue must not change meanwhile."""
        for cluster in sorted(self._procs):
            yield from self.procs_of(cluster)

    def procs_of(self, cluster: int) -> list[tuple[JobId, ClassAd]]:
        """The jobs of a cluster in the order of proc."""
        procs = self._procs.get(cluster, {})
        return [(JobId(cluster, proc), procs[proc]) for proc in sorted(procs)]

    def procs(self, cluster: int) -> Sequence[int]:
        """The procs of a cluster, ascending, without reading an ad."""
        folded = self._image()
        return folded.procs(cluster) if folded is not None else sorted(self._procs.get(cluster, ()))

    def groups(self) -> Groups:
        """All jobs as (cluster, procs), both ascending, without reading an ad."""
        if (folded := self._image()) is not None:
            return folded.groups()
        return [(cluster, sorted(self._procs[cluster])) for cluster in sorted(self._procs)]

    def mentioned(self, cluster: int, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Those of ``keys`` (lower-case ASCII names) that any job of the cluster may say itself; next to no work."""
        return folded.mentioned(cluster, keys) if (folded := self._image()) is not None else keys

    def states(self, cluster: int, key: str) -> tuple[dict[int, int], Sequence[int]]:
        """Count the jobs of a cluster by the JobStatus in their own ads (0: none, 1 to 9). Also return the procs whose
        ads have another text there, or may set ``key`` (a lower-case ASCII name) themselves."""
        return folded.states(cluster, key) if (folded := self._image()) is not None else ({}, self.procs(cluster))

    def own_texts(self, cluster: int, procs: Iterable[int], keys: tuple[str, ...]) -> list[list[str | None]]:
        """For each of ``keys`` (lower-case ASCII names): what the log says of it for each proc itself, not its cluster.

        Much cheaper than reading the ads. KeyError for a job that is not there.
        """
        if (folded := self._image()) is not None:
            texts = folded.own_texts(cluster, procs, keys, _GONE)
        else:
            known = self._procs[cluster]
            texts = logreader.own_texts([known[proc] for proc in procs], keys, _GONE)
        parent = self.cluster(cluster)
        for key, column in zip(keys, texts, strict=True):
            if _GONE in column:  # that hides what the cluster says
                instead = "undefined" if parent is not None and key in parent.attrs else None
                column[:] = [instead if text is _GONE else text for text in column]
        return texts

    def like(self, jobs: Iterable[JobId], keys: tuple[str, ...]) -> Iterable[list[JobId]]:
        """Jobs in groups whose clusters say the same of all of ``keys`` (lower-case names) and have the same
        attributes; those of one cluster are together. No ad is read; clusters of many jobs are like no others."""
        names, found = as_bytes(keys), dict[object, list[JobId]]()
        for cluster, some in groupby(jobs, _CLUSTER):
            ad, kind = self._clusters.get(cluster), None
            if isinstance(ad, ClusterAd) and len(self._procs.get(cluster, ())) <= _ALONE:
                self._families.rest(ad)
                kind = ad.kind(names)
            found.setdefault(cluster if kind is None else kind, []).extend(some)
        return found.values()

    def kinds(self, jobs: Sequence[JobId], keys: tuple[str, ...]) -> list[list[JobId]]:
        """Jobs in groups that say the same themselves, whatever their clusters say, of all of ``keys`` (lower-case
        ASCII names), reading no ad. KeyError for a job that is not there."""
        ads = [self._procs[cluster][proc] for cluster, proc in jobs]
        return [[jobs[at] for at in places] for places in logreader.kinds(ads, keys)]

    def texts(self, groups: Groups, keys: tuple[str, ...]) -> list[list[str | None]]:
        """For each of ``keys`` (lower-case ASCII names): the expression that each job, or else its cluster, has for it,
        in the order of ``groups``. Cheap however many clusters there are. KeyError for a job that is not there."""
        if (folded := self._image()) is not None and _TYPES.isdisjoint(keys):
            return folded.texts(groups, keys)
        found: list[list[str | None]] = [[] for _ in keys]
        for cluster, procs in groups:
            common = self._cluster_texts(cluster, keys)
            own = self.own_texts(cluster, procs, keys)
            for column, texts, shared in zip(found, own, common, strict=True):
                column += texts if shared is None else [shared if text is None else text for text in texts]
        return found

    def _cluster_texts(self, cluster: int, keys: tuple[str, ...]) -> list[str | None]:
        ad = self.cluster(cluster)
        found = [None if ad is None else ad.attrs.get(key) for key in keys]
        return [None if one is None else one.raw if one.raw is not None else one.text for one in found]

    def may_say(self, keys: tuple[str, ...]) -> bool:
        """Whether any job or cluster may have any of ``keys`` (lower-case ASCII names); next to no work."""
        return folded.may_say(keys) if (folded := self._image()) is not None else True

    def where(self, groups: Groups, key: str, text: str) -> Groups:
        """Those of these jobs that have exactly this expression for ``key`` (a lower-case ASCII name), or else whose
        clusters have."""
        if (folded := self._image()) is not None and key not in _TYPES:
            return folded.where(groups, key, text)
        found: Groups = []
        for cluster, procs in groups:
            (texts,) = self.texts([(cluster, procs)], (key,))
            if fitting := [proc for proc, said in zip(procs, texts, strict=True) if said == text]:
                found.append((cluster, fitting))
        return found

    def groups_states(self, groups: Groups) -> list[dict[int, int] | None]:
        """Count the jobs of each group by JobStatus (0: none); None for a group in which one has no plain number.
        Groups may share a dictionary."""
        return folded.groups_states(groups) if (folded := self._image()) is not None else [None] * len(groups)

    def tally(self, groups: Groups) -> tuple[list[tuple[int, int, int]], Groups]:
        """Count these jobs by JobUniverse and JobStatus (0: none): tuples of both with the number of jobs. Also return
        the jobs of which either may be no plain number."""
        return folded.tally(groups) if (folded := self._image()) is not None else ([], groups)

    def change(self, jobs: Sequence[JobId], changes: Sequence[Change]) -> None:
        """Sets and deletes attributes, as ``changes`` say whatever their keys, of the jobs that are there. Ads that
        were not read yet are not read for that."""
        for ad in logreader.change(self.ads_of(jobs), tuple(changes)):
            apply(ad, changes)

    def ads_of(self, jobs: Sequence[JobId]) -> list[ClassAd]:
        """The ads of the jobs that are there, in the order of clusters and jobs."""
        by_cluster: dict[int, list[int]] = {}
        for cluster, some in groupby(jobs, _CLUSTER):
            by_cluster.setdefault(cluster, []).extend(map(_PROC, some))
        found = [map(self._procs.get(cluster, {}).get, procs) for cluster, procs in by_cluster.items()]
        return [ad for ad in chain.from_iterable(found) if ad is not None]

    def among(self, jobs: Iterable[JobId]) -> list[JobId]:
        """Those of these jobs that are there."""
        found: list[JobId] = []
        for cluster, some in groupby(jobs, _CLUSTER):
            procs = self._procs.get(cluster, {})
            group = list(some)
            found += compress(group, map(procs.__contains__, map(_PROC, group)))
        return found

    def rest(self, cluster: int, procs: Iterable[int]) -> None:
        """Free the memory that reading the ads of these jobs costs, or of a folded queue that of all reading. To be
        called when they are not expected to be read soon."""
        if (folded := self._image()) is not None:
            folded.rest()
            return
        known = self._procs.get(cluster, {})
        for ad in map(known.get, procs):
            if isinstance(ad, StoredAd):
                ad.rest()
        if len(known) <= _ALONE:
            self._rest_cluster(self._clusters.get(cluster))

    def count(self, cluster: int | None = None) -> int:
        """The number of jobs, of one cluster or in all."""
        if (folded := self._image()) is not None:
            return folded.count() if cluster is None else len(folded.procs(cluster))
        if cluster is not None:
            return len(self._procs.get(cluster, ()))
        return sum(map(len, self._procs.values()))

    def __contains__(self, job: JobId) -> bool:
        if (folded := self._image()) is not None:
            return folded.job(*job) is not None
        return job[1] in self._procs.get(job[0], ())

    # the image: jobs are found by their numbers alone

    @property
    def ads(self) -> Mapping[str, ClassAd]:
        """All ads by key, gathered again each time."""
        return self._ads if self._keyed else {**self._ads, **self._jobs_by_key()}

    def _jobs_by_key(self) -> dict[str, ClassAd]:
        return {f"{cluster}.{proc}": ad for cluster, procs in self._procs.items() for proc, ad in procs.items()}

    def entries(self) -> Iterator[tuple[str, ClassAd]]:
        others = super().entries()
        if self._keyed:
            return others
        groups = [(cluster, list(procs), list(procs.values())) for cluster, procs in self._procs.items()]
        jobs = ((f"{number}.{proc}", ad) for number, procs, ads in groups for proc, ad in zip(procs, ads, strict=True))
        return chain(others, jobs)

    def _find(self, key: str) -> ClassAd | None:
        job = None if self._keyed else plain_job(key)
        return self._ads.get(key) if job is None else self._procs.get(job[0], {}).get(job[1])

    def _key_jobs(self) -> None:
        """Find the ads of jobs by key from now on. Code that plays records finds no job in its dictionary."""
        self._ads.update(self._jobs_by_key())
        procs, self._procs, self._keyed = self._procs, dict(self._procs), True
        procs.clear()

    def _has_ads(self) -> bool:
        return bool(self._ads or self._procs)

    def _make(self, key: str) -> ClassAd:
        return ClusterAd() if key[0] == "0" and key.endswith(".-1") else StoredAd()

    def _keep(self, key: str, ad: ClassAd) -> None:
        if self._keyed or plain_job(key) is None:
            super()._keep(key, ad)

    def _drop(self, key: str) -> None:
        self._ads.pop(key, None)

    def _play(self, records: Sequence[Record]) -> None:
        play(self._ads, records, self._play_other, None if self._keyed else self._procs)

    def _play_alike(self, entry: Alike) -> None:
        if self._keyed:
            super()._play_alike(entry)
        else:
            self.change(entry.jobs, entry.changes)

    def _play_gone(self, entry: Gone) -> None:
        if self._keyed:
            super()._play_gone(entry)
            return
        for cluster, some in groupby(entry.jobs, _CLUSTER):
            procs = self._procs.get(cluster, {})
            for _, proc in some:
                procs.pop(proc, None)
            if not procs:
                self._procs.pop(cluster, None)

    def _take_in(self, arrived: Arrivals) -> list[Entry]:
        """Many new jobs: of their ads nothing is read."""
        if any(not self._procs.get(cluster, {}).keys().isdisjoint(procs) for cluster, procs in arrived.jobs.items()):
            return super()._take_in(arrived)
        others = scan(arrived.others, self.path).records
        with collector_paused(True):
            self._play(others)
            for cluster, ads in arrived.jobs.items():
                parent = self._clusters.get(cluster)
                for ad in ads.values():
                    ad.parent = parent
                self._procs.setdefault(cluster, {}).update(ads)
                if self._keyed:
                    self._ads.update(zip([f"{cluster}.{proc}" for proc in ads], ads.values(), strict=True))
        return [*others, NewJobs(tuple([(cluster, tuple(ads)) for cluster, ads in arrived.jobs.items()]))]

    def _added(self, key: str, ad: ClassAd, my_type: str, target_type: str) -> None:
        numbers = split_key(key)
        if numbers is not None and numbers[0] > 0 and numbers[1] >= 0:
            if not self._keyed and plain_job(key) is None:
                self._key_jobs()
            self._added_proc(numbers[0], numbers[1], ad)
            return
        _set_types(ad, my_type)
        cluster = cluster_of(key)
        if cluster is not None:
            self._clusters[cluster] = ad
            for proc_ad in self._procs.get(cluster, {}).values():  # a rewrite has them in any order
                proc_ad.parent = ad
            return
        user = user_of(key)
        if user is not None:
            self._users[user] = ad

    def _added_proc(self, cluster: int, proc: int, ad: ClassAd) -> None:
        """The types of a proc ad are those of its cluster ad; they are not stored again."""
        parent = self._clusters.get(cluster)
        if parent is not None:
            ad.chain(parent)
        self._procs.setdefault(cluster, {})[proc] = ad

    def _removed(self, key: str, ad: ClassAd) -> None:
        job = proc_of(key)
        if job is not None:
            procs = self._procs[job.cluster]
            del procs[job.proc]
            if not procs:
                del self._procs[job.cluster]
            return
        cluster = cluster_of(key)
        if cluster is not None:
            del self._clusters[cluster]
            for proc_ad in self._procs.get(cluster, {}).values():  # orphans, which only damage leaves behind
                proc_ad.parent = None
            return
        user = user_of(key)
        if user is not None:
            del self._users[user]

    def types_of(self, key: str, ad: ClassAd) -> tuple[str, str]:
        if proc_of(key) is not None:
            return _JOB_TYPES
        return super().types_of(key, ad)

    def _first_records(self) -> list[Record]:
        first = [
            Record(NEW_AD, HEADER, *_JOB_TYPES),
            Record(SET, HEADER, "MyType", '"Job"'),
            Record(SET, HEADER, "TargetType", '"Machine"'),
        ]
        if self._uid_domain:
            first.append(Record(SET, HEADER, "UidDomain", f'"{self._uid_domain}"'))
        first.append(Record(SET, HEADER, "NextClusterNum", str(self._first_cluster)))
        return first

    def transaction(self, timeout: float = LOCK_TIMEOUT) -> QueueTransaction:
        """See ``AdTable.transaction``; this one can number clusters."""
        return QueueTransaction(self, timeout)


def _set_types(ad: ClassAd, my_type: str) -> None:
    if my_type:
        ad.set_text("MyType", f'"{my_type}"')
    if my_type == "Job":
        ad.set_text("TargetType", '"Machine"')


def _ad_of(my_type: str, lines: bytes, *, cluster: bool) -> ClassAd:
    """The ad of a cluster, or another that is no job's, that a log leads to."""
    ad = ClusterAd() if cluster else StoredAd()
    _set_types(ad, type_in(my_type))
    logreader.fill(ad.attrs, lines)
    return ad


class QueueTransaction(Transaction):
    """A transaction of the job queue."""

    __slots__ = ("_next_cluster",)

    def __init__(self, queue: JobQueue, timeout: float) -> None:
        super().__init__(queue, timeout)
        self._next_cluster = 0

    def __enter__(self) -> QueueTransaction:
        super().__enter__()
        return self

    def alloc_cluster(self) -> int:
        """A cluster number that no other cluster has; the raised NextClusterNum is part of this transaction."""
        queue = self.table
        assert isinstance(queue, JobQueue)
        cluster = self._next_cluster or max(queue.next_cluster, queue.last_cluster + 1)
        self._next_cluster = cluster + 1
        if queue.header is None:  # a log that another program began
            self.extend(queue._first_records()[:-1])
        self.set(HEADER, "NextClusterNum", str(cluster + 1))
        return cluster
