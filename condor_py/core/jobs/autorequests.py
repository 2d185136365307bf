"""Jobs whose requests are found from the history, and what is known of like jobs.

Such a job says ``RequestMemory = AutoRequestMemory``. AutoRequestMemory is a number of the cluster, which follows the
ends of like jobs for as long as its jobs wait; all that wait share it, so that they stay one autocluster. A proc with a
program or batch name of its own has a number of its own. A job that starts keeps the number it starts with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from condor_py.core.jobs.actions import set_string, set_text
from condor_py.core.jobs.jobad import universe_of
from condor_py.lang.classad import ClassAd, finite, quote_string, whole
from condor_py.model.ids import JobId
from condor_py.model.record import SET, Change
from condor_py.model.settings.sizing import AutoRequests
from condor_py.model.sizes import Like, Requests, Size, Sizes
from condor_py.model.states import Universe


class Attribute(NamedTuple):
    """The attributes of one such request: it, the number that it refers to, where that came from, its limit."""

    request: str
    number: str
    source: str
    most: str


MEMORY = Attribute("RequestMemory", "AutoRequestMemory", "MemoryRequestSource", "MaxRequestMemory")
DISK = Attribute("RequestDisk", "AutoRequestDisk", "DiskRequestSource", "MaxRequestDisk")
AUTOMATIC = (MEMORY, DISK)
#: How a user who edits a job writes it.
_WORD = "auto"
_DEFAULT, _EDITED = "default: too few like jobs have ended", "edited"
#: The attributes that ``size_of`` and ``like_of`` read of a completed job.
OF_ENDED = (
    "JobStatus", "JobUniverse", "Owner", "Cmd", "Iwd", "SUBMIT_Iwd", "JobBatchName", "ExitBySignal", "ExitCode",
    "JobSuccessExitCode", "ResidentSetSize_RAW", "DiskUsage_RAW", "EnteredCurrentStatus",
)  # fmt: skip
#: What makes the number of a proc its own, in small letters.
DECISIVE = ("cmd", "iwd", "submit_iwd", "owner", "jobbatchname", *(part.lower() for one in AUTOMATIC for part in one))
_UNIVERSES = (Universe.VANILLA, Universe.JAVA)
#: Of a cluster with so many kinds of jobs the others keep the default.
_MOST_PLACES = 100_000


def numbers_of(ad: ClassAd) -> tuple[str, ...]:
    """The attributes that the requests of a job refer to."""
    return tuple([one.number for one in AUTOMATIC if ad.text(one.request) == one.number])


def like_of(ad: ClassAd) -> Like:
    """Return the key under which a job is alike others: owner, program (with the directory of a spooled one's submit),
    batch name."""
    program = ad.eval_str("Cmd", "") or ""
    if not program.startswith("/"):
        program = f"{ad.eval_str('SUBMIT_Iwd', '') or ad.eval_str('Iwd', '') or ''}/{program}"
    return Like(ad.eval_str("Owner", "") or "", program, ad.eval_str("JobBatchName", "") or "")


def size_of(ad: ClassAd) -> Size | None:
    """The size of a completed job; None for one that says nothing about others: it failed, or was not measured."""
    if universe_of(ad) not in _UNIVERSES or ad.eval_bool("ExitBySignal", False):
        return None
    if ad.eval_int("ExitCode", 0) != ad.eval_int("JobSuccessExitCode", 0):
        return None
    size = Size(ad.eval_int("ResidentSetSize_RAW", 0), ad.eval_int("DiskUsage_RAW", 0))
    return size if size.memory > 0 else None


def kept_records(job: JobId, ad: ClassAd) -> Iterator[Change]:
    """The numbers with which a job starts become its own."""
    for one in AUTOMATIC:
        if ad.text(one.request) == one.number and (number := finite(ad.evaluate(one.number))) is not None:
            yield set_text(job, one.request, str(whole(number)))
            yield set_text(job, one.source, ad.text(one.source) or quote_string(_DEFAULT))


def edit_records(job: JobId, ad: ClassAd, rule: AutoRequests) -> Iterator[Change]:
    """Yield the consequences of an edited request: ``auto`` makes it one that is found, and the source of a number of
    the user's own is the edit."""
    for one, default in ((MEMORY, rule.memory_default), (DISK, rule.disk_default)):
        text = ad.text(one.request)
        if text is None:
            continue
        if text.lower() == _WORD:
            yield set_text(job, one.request, one.number)
            yield set_text(job, one.number, default or "undefined")
            yield set_string(job, one.source, _DEFAULT)
        elif text != one.number and ad.local_text(one.source) is None and ad.text(one.source) is not None:  # of others
            yield set_string(job, one.source, _EDITED)


def number_changes(key: str, ad: ClassAd, found: Requests, rule: AutoRequests) -> Iterator[Change]:
    """Changes of an ad, of a cluster or a proc with the ``key`` of the queue, whose jobs are to ask for what was found;
    none where they do."""
    for one, number, most in ((MEMORY, found.memory, rule.memory_max), (DISK, found.disk, rule.disk_max)):
        if not number or ad.text(one.request) != one.number:
            continue
        own = ad.text(one.most) or ""
        limits = [limit for limit in (most, int(own) if own.isdecimal() and len(own) < 19 else 0) if limit]
        text = str(min(number, *limits) if limits else number)
        if ad.text(one.number) != text or ad.text(one.source) == quote_string(_DEFAULT):
            yield Change(SET, key, one.number, text)
            yield Change(SET, key, one.source, quote_string(_source(found.jobs, rule)))


def _source(jobs: int, rule: AutoRequests) -> str:
    return f"history: {100 * rule.quantile:g} % of {jobs} jobs, {rule.headroom:g} headroom"


class Sizing:
    """The sizes of like jobs, and the places of the numbers of those that wait. Only its methods change it.

    A *place* is an ad with such numbers: of a cluster (proc -1) or of a proc.
    """

    def __init__(self) -> None:
        #: None until a job of this sort was met and what is known was found.
        self.sizes: Sizes | None = None
        self.is_wanted = False
        #: Jobs learnt from since ``sizes`` was saved.
        self.unsaved = 0
        self._places: dict[tuple[str, str], dict[JobId, Like]] = {}
        self._clusters: dict[int, set[tuple[str, str]]] = {}
        self._count = 0
        self._changed: set[tuple[str, str]] = set()

    def want(self) -> bool:
        """A job of this sort was met; whether it is the first."""
        first, self.is_wanted = not self.is_wanted, True
        return first

    def found(self, sizes: Sizes) -> None:
        """The sizes are there; they count for all that wait."""
        self.sizes = sizes
        self._changed.update(self._places)

    def configure(self, rule: AutoRequests) -> None:
        """Another rule."""
        if self.sizes is not None:
            self.sizes.configure(rule)
            self._changed.update(self._places)

    def learn(self, ad: ClassAd) -> None:
        """A job has completed: like ones ask for what it has shown."""
        if self.sizes is None or (size := size_of(ad)) is None:
            return
        like = like_of(ad)
        self.unsaved += 1
        if self.sizes.learn(like, size) and (like.owner, like.program) in self._places:
            self._changed.add((like.owner, like.program))

    def saved(self) -> None:
        """``sizes`` was saved."""
        self.unsaved = 0

    def place(self, job: JobId, ad: ClassAd) -> tuple[JobId, Like, bool]:
        """The place of the numbers of a job, what it is like, and whether it was not known."""
        own = any(ad.local_text(name) is not None for name in DECISIVE) or not isinstance(ad.parent, ClassAd)
        place, like = job if own else JobId(job.cluster, -1), like_of(ad)
        kind = (like.owner, like.program)
        there = self._places.setdefault(kind, {})
        is_new = place not in there
        if is_new and self._count < _MOST_PLACES:
            self._count += 1
            there[place] = like
            self._clusters.setdefault(job.cluster, set()).add(kind)
        return place, like, is_new

    def forget_cluster(self, cluster: int) -> None:
        """A cluster has left."""
        for kind in self._clusters.pop(cluster, ()):
            there = self._places[kind]
            for place in [place for place in there if place.cluster == cluster]:
                del there[place]
                self._count -= 1
            if not there:
                del self._places[kind]
                self._changed.discard(kind)

    @property
    def changes(self) -> bool:
        """Whether jobs that wait may have to ask for something else."""
        return bool(self._changed) and self.sizes is not None

    def take_changed(self) -> Iterable[tuple[JobId, Like]]:
        """The places of jobs that may have to ask for something else."""
        changed, self._changed = self._changed, set()
        return [pair for kind in changed for pair in self._places.get(kind, {}).items()]
