"""A queue of which nothing has been made yet: its jobs are places in the log, and are read when they are asked for.

Opening 100,000 jobs so costs what finding their lines costs, and a few milliseconds with an index of the log: a file
next to it, made from its first bytes by a process that may write there and has read them. The index only saves time: a
process that finds none, or one that does not fit, reads everything. It is put in place by renaming: readers see a whole
one.
"""

from __future__ import annotations

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import apply
from condor_py.model.errors import StoreError
from condor_py.model.record import DELETE, SET
from condor_py.model.record import Change as Record
from condor_py.store.fs import FileSystem, close_quietly, describe, replace_file
from condor_py.store.keys import cluster_of, plain_job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Protocol, TypeAlias, TypeVar

    from condor_py.model.record import Entry

    _Found = TypeVar("_Found")
    #: Jobs as (cluster, procs), both ascending.
    Groups: TypeAlias = list[tuple[int, Sequence[int]]]

    class Image(Protocol):
        """The notes of the compiled reader about a log; see ``_logimage.c``."""

        length: int
        indexed: int
        end: tuple[int, int, int, int]
        odd: bool
        repeated: bool

        def groups(self) -> Groups: ...
        def procs(self, cluster: int, /) -> Sequence[int]: ...
        def clusters(self) -> list[int]: ...
        def count(self) -> int: ...
        def privates(self) -> list[int]: ...
        def expressions(self) -> set[str]: ...
        def job(self, cluster: int, proc: int, /) -> ClassAd | None: ...
        def cluster(self, cluster: int, /) -> tuple[str, str, bytes] | None: ...
        def own_texts(
            self, cluster: int, procs: Iterable[int], keys: tuple[str, ...], gone: str, /
        ) -> list[list[str | None]]: ...
        def mentioned(self, cluster: int, keys: tuple[str, ...], /) -> tuple[str, ...]: ...
        def states(self, cluster: int, key: str, /) -> tuple[dict[int, int], list[int]]: ...
        def texts(self, groups: Groups, keys: tuple[str, ...], /) -> list[list[str | None]]: ...
        def where(self, groups: Groups, key: str, text: str, /) -> Groups: ...
        def groups_states(self, groups: Groups, /) -> list[dict[int, int] | None]: ...
        def may_say(self, keys: tuple[str, ...], /) -> bool: ...
        def tally(self, groups: Groups, /) -> tuple[list[tuple[int, int, int]], Groups]: ...
        def unfold(self) -> tuple[dict[str, Any], dict[int, dict[int, Any]], list[tuple[str, str, str, bytes]]]: ...
        def others(self) -> list[tuple[str, str, str, bytes]]: ...
        def index(self) -> bytes: ...
        def rest(self) -> None: ...


#: Bytes that the log may be longer than its index, and the part of the index on top of that.
_UNINDEXED = 256 << 10
_UNINDEXED_PART = 8
#: What the name of a log and the name of its index differ in.
_INDEX = ".index"


class Folded:
    """The jobs of a log in an ``Image``. ``make`` makes an ad that is no job's from its MyType and lines and from
    whether it is a ``cluster``'s.

    Every caller gets the same ad. Raises StoreError where the log cannot be read any more.
    """

    def __init__(self, image: Image, path: str, make: Callable[..., ClassAd]) -> None:
        self._image = image
        self._path = path
        self._make = make
        self._jobs: dict[tuple[int, int], ClassAd] = {}
        self._clusters: dict[int, ClassAd | None] = {}
        self._others: dict[str, ClassAd] | None = None

    def _ask(self, question: Callable[..., _Found], *words: object) -> _Found:
        try:
            return question(*words)
        except OSError as error:
            raise StoreError(describe(error, "cannot read the log", self._path)) from None
        except ValueError as error:
            raise StoreError(f"{self._path} has been written over: {error}") from None

    def job(self, cluster: int, proc: int) -> ClassAd | None:
        """The ad of a job, chained to its cluster's."""
        known = self._jobs.get((cluster, proc))
        if known is None:
            known = self._ask(self._image.job, cluster, proc)
            if known is not None:
                known.parent = self.cluster(cluster)
                self._jobs[cluster, proc] = known
        return known

    def cluster(self, cluster: int) -> ClassAd | None:
        """The ad of a cluster."""
        if cluster not in self._clusters:
            found = self._ask(self._image.cluster, cluster)
            self._clusters[cluster] = None if found is None else self._make(found[0], found[2], cluster=True)
        return self._clusters[cluster]

    def others(self) -> dict[str, ClassAd]:
        """The ads that are none of jobs and clusters, by their keys."""
        if self._others is None:
            found = self._ask(self._image.others)
            self._others = {key: self._make(my_type, lines, cluster=False) for key, my_type, _, lines in found}
        return self._others

    def privates(self) -> list[int]:
        """The clusters that have a private ad."""
        return self._image.privates()

    def expressions(self) -> set[str]:
        """The values that the log sets and that are no plain literals, of ads that are there no more, too."""
        return self._ask(self._image.expressions)

    def clusters(self) -> list[int]:
        """The clusters that have an ad, ascending."""
        return self._image.clusters()

    def procs(self, cluster: int) -> Sequence[int]:
        """The procs of a cluster, ascending."""
        return self._image.procs(cluster)

    def groups(self) -> Groups:
        """All jobs as (cluster, procs), both ascending."""
        return self._image.groups()

    def count(self) -> int:
        """The number of jobs."""
        return self._image.count()

    def own_texts(self, cluster: int, procs: Iterable[int], keys: tuple[str, ...], gone: str) -> list[list[str | None]]:
        """See ``logreader.own_texts``."""
        return self._ask(self._image.own_texts, cluster, procs, keys, gone)

    def mentioned(self, cluster: int, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Those of ``keys`` that any job of the cluster may say itself."""
        return self._image.mentioned(cluster, keys)

    def states(self, cluster: int, key: str) -> tuple[dict[int, int], list[int]]:
        """Count the jobs of a cluster by the JobStatus in their own ads (0: none). Also return the procs whose ads have
        another text there, or may set ``key`` themselves."""
        return self._image.states(cluster, key)

    def texts(self, groups: Groups, keys: tuple[str, ...]) -> list[list[str | None]]:
        """See ``JobQueue.texts``; not for MyType and TargetType."""
        return self._ask(self._image.texts, groups, keys)

    def where(self, groups: Groups, key: str, text: str) -> Groups:
        """See ``JobQueue.where``."""
        return self._ask(self._image.where, groups, key, text)

    def groups_states(self, groups: Groups) -> list[dict[int, int] | None]:
        """See ``JobQueue.groups_states``."""
        return self._image.groups_states(groups)

    def tally(self, groups: Groups) -> tuple[list[tuple[int, int, int]], Groups]:
        """See ``JobQueue.tally``."""
        return self._image.tally(groups)

    def may_say(self, keys: tuple[str, ...]) -> bool:
        """See ``JobQueue.may_say``."""
        return self._image.may_say(keys)

    @property
    def repeated(self) -> bool:
        """Whether the log makes an ad again that was there already, in bytes that no index covers."""
        return self._image.repeated

    def rest(self) -> None:
        """Free the memory of what was read of the log, which may be all of it; it is read again where it is needed."""
        self._image.rest()

    def unfold(self) -> tuple[dict[str, Any], dict[int, dict[int, Any]], list[tuple[str, str, str, bytes]]]:
        """None by the key of each ad that is no job or cluster, jobs by cluster and proc, and what those ads are made
        of."""
        ads, procs, others = self._ask(self._image.unfold)
        for (cluster, proc), ad in self._jobs.items():
            procs[cluster][proc] = ad
        return ads, procs, others

    def made_others(self) -> dict[str, ClassAd]:
        """The ads that are none of jobs and clusters that were given away."""
        return self._others or {}

    def can_follow(self, entries: Sequence[Entry]) -> bool:
        """Whether the ads of jobs and clusters that were given away, if any, stay true by ``follow``."""
        return not (self._jobs or self._clusters) or all(
            type(entry) is Record and entry.op in (SET, DELETE) for entry in entries
        )

    def follow(self, entries: Sequence[Entry]) -> None:
        """Change the ads that were given away as these entries say."""
        for entry in entries if self._jobs or self._clusters else ():
            assert type(entry) is Record
            ad = self._given(entry.key)
            if ad is not None:
                apply(ad, (entry,))

    def _given(self, key: str) -> ClassAd | None:
        job = plain_job(key)
        if job is not None:
            return self._jobs.get(job)
        cluster = cluster_of(key)
        return None if cluster is None else self._clusters.get(cluster)

    # the index

    def keep_index(self, fs: FileSystem, mode: int) -> None:
        """Writes the index of the log anew if much was written since the last one. Where that fails there is none."""
        image = self._image
        if not is_outdated(image.indexed, image.length):
            return
        try:
            replace_file(fs, self._path + _INDEX, image.index(), mode, durable=False)
        except OSError:
            return


def is_outdated(indexed: int, length: int) -> bool:
    """Whether an index of ``indexed`` bytes is worth being made again for a log of ``length``."""
    return length - indexed >= _UNINDEXED + indexed // _UNINDEXED_PART


def read_index(path: str, fs: FileSystem) -> bytes | None:
    """The index beside a log, whatever it is worth; None where there is none that can be read."""
    try:
        handle = fs.open_read(path + _INDEX)
    except OSError:
        return None
    try:
        return fs.read_at(handle, 0, fs.fstat(handle).size)
    except OSError:
        return None
    finally:
        close_quietly(fs, handle)
