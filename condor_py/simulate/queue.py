"""The job queue of a simulation: the image that the store keeps, without a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from condor_py.core.jobs.grouping import by_cluster
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import apply
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Change, Entry, Gone


class MemoryQueue:
    """Job, cluster and user ads, changed by records as the store changes its image (a JobTable of the schedd)."""

    def __init__(self) -> None:
        self._jobs: dict[JobId, ClassAd] = {}
        self._clusters: dict[int, tuple[ClassAd, dict[JobId, ClassAd]]] = {}
        self._users: dict[str, tuple[int, ClassAd]] = {}
        self._user_ads: dict[str, ClassAd] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def job(self, job: JobId) -> ClassAd | None:
        """A proc ad, None when it is not in the queue."""
        return self._jobs.get(job)

    def cluster(self, cluster: int) -> ClassAd | None:
        """A cluster ad."""
        found = self._clusters.get(cluster)
        return None if found is None else found[0]

    def procs_of(self, cluster: int) -> Iterable[tuple[JobId, ClassAd]]:
        """The procs of a cluster that are in the queue."""
        found = self._clusters.get(cluster)
        return [] if found is None else list(found[1].items())

    def count(self, cluster: int) -> int:
        """Return the number of procs of a cluster in the queue."""
        found = self._clusters.get(cluster)
        return 0 if found is None else len(found[1])

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        """All jobs, by cluster and proc."""
        return iter(sorted(self._jobs.items()))

    def groups(self) -> Iterable[tuple[int, Sequence[int]]]:
        """All jobs as (cluster, procs), both ascending."""
        found: dict[int, list[int]] = {}
        for cluster, proc in sorted(self._jobs):
            found.setdefault(cluster, []).append(proc)
        return found.items()

    def like(self, jobs: Iterable[JobId], keys: tuple[str, ...]) -> Iterable[list[JobId]]:
        """Jobs by their cluster."""
        return by_cluster(jobs).values()

    def kinds(self, jobs: Sequence[JobId], keys: tuple[str, ...]) -> list[list[JobId]]:
        """Jobs whose own attributes say the same of ``keys``. KeyError for one that is not there."""
        wanted, found = frozenset(keys), dict[tuple[tuple[str, str], ...], list[JobId]]()
        for job in jobs:
            own = self._jobs[job].attrs
            said = tuple([(key, binding.text) for key, binding in own.items() if key in wanted])
            found.setdefault(said, []).append(job)
        return list(found.values())

    def among(self, jobs: Iterable[JobId]) -> list[JobId]:
        """Those that are in the queue."""
        return [job for job in jobs if job in self._jobs]

    def ads_of(self, jobs: Iterable[JobId]) -> list[ClassAd]:
        """The ads of those that are in the queue."""
        return [ad for job in jobs if (ad := self._jobs.get(job)) is not None]

    def change(self, jobs: Iterable[JobId], changes: Sequence[Change]) -> None:
        """Sets and deletes attributes of jobs."""
        for ad in self.ads_of(jobs):
            apply(ad, changes)

    def rest(self, cluster: int, procs: Iterable[int]) -> None:
        """Ads stay as they are."""

    def user_record_of(self, user: str) -> tuple[int, ClassAd] | None:
        """Number N (key ``0.N``) and ad of the record of ``user@domain``; made at first sight, as the store does."""
        if user not in self._users:
            number = len(self._users) + 1
            ad = ClassAd()
            ad.set_str("User", user)
            self._users[user] = number, ad
            self._user_ads[f"0.{number}"] = ad
        return self._users[user]

    @property
    def user_records(self) -> dict[int, ClassAd]:
        """Records of users by number."""
        return dict(self._users.values())

    def add_cluster(self, cluster: int, shared: ClassAd, procs: Iterable[tuple[JobId, ClassAd]]) -> list[Change]:
        """Queues a cluster of ready ads; the records of its procs, as news for the schedd."""
        jobs: dict[JobId, ClassAd] = {}
        news = []
        for job, ad in procs:
            ad.chain(shared)
            jobs[job] = ad
            news.append(Change(NEW_AD, str(job), "Job", "Machine"))
        self._clusters[cluster] = shared, jobs
        self._jobs.update(jobs)
        return news

    def written(self, records: Iterable[Change]) -> None:
        """A tool's transaction: attributes are set or removed."""
        for op, key, name, value in records:
            ad = self._ad(key)
            if ad is not None and op == SET:
                ad.set_text(name, value)
            elif ad is not None and op == DELETE:
                ad.remove(name)

    def committed(self, records: Iterable[Entry]) -> None:
        """The schedd's transaction. It has changed the attributes already; here ads leave."""
        for record in records:
            if type(record) is Gone:
                for one in record.each():
                    self._destroy(one.key)
            elif type(record) is Change and record[0] == DESTROY_AD:
                self._destroy(record[1])

    def _ad(self, key: str) -> ClassAd | None:
        if key[0] != "0":
            return self._jobs.get(JobId.parse(key))
        if key.endswith(".-1"):
            return self.cluster(int(key[1:-3]))
        return self._user_ads.get(key)

    def _destroy(self, key: str) -> None:
        if key.endswith(".-2"):
            return
        if key[0] == "0":
            self._clusters.pop(int(key[1:].partition(".")[0]), None)
            return
        job = JobId.parse(key)
        if self._jobs.pop(job, None) is not None and job.cluster in self._clusters:
            del self._clusters[job.cluster][1][job]
