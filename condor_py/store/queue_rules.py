"""Rules of the ads of a job queue, for any writer.

A job has its cluster's ad and what every job has. Where anything is wrong with a queue, each job gets the numbers in
its key. A job that lacks something, or of which a line was left out, is held with that as the reason. A cluster has
jobs, or makes them; the next one gets a new number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.record import DESTROY_AD, NEW_AD, SET
from condor_py.model.states import HoldCode, JobStatus
from condor_py.store.adlog import Record
from condor_py.store.keys import HEADER, cluster_key, private_key, split_key
from condor_py.store.mend import Image, Note, Remedy, is_expression

_NUMBER = r"(?:0|[1-9]\d{0,8})"
_POSITIVE = r"[1-9]\d{0,8}"
#: Jobs, clusters and the like, user records.
_KEY = re.compile(rf"{_POSITIVE}\.{_NUMBER}|0{_POSITIVE}\.-1|{_POSITIVE}\.-(?!1\Z){_POSITIVE}|0\.{_NUMBER}", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\]|\\.)+"').fullmatch
_STATUS = re.compile(r"[1-7]").fullmatch
_INTEGER = re.compile(r"\d{1,9}", re.ASCII).fullmatch
#: What every job has, and what it looks like.
NEEDED: dict[str, Callable[[str], object]] = {
    "Owner": _STRING,
    "User": _STRING,
    "Cmd": _STRING,
    "JobUniverse": _INTEGER,
    "JobStatus": _STATUS,
}
_NEEDED = [(name.lower(), fits) for name, fits in NEEDED.items()]
_REASON = "The record of this job in the queue was damaged"
_OVER = (str(int(JobStatus.REMOVED)), str(int(JobStatus.COMPLETED)))
_MOST_CLUSTERS = 2**31
#: A job of which there is less than that is none: a damaged key may have made it.
_ENOUGH = 2
#: Numbers of lines that a hold reason has.
_SHOWN = 5


def is_queue_key(key: str) -> bool:
    """Whether it is a key of a job queue, written as all programs write it."""
    return _KEY.fullmatch(key) is not None


def next_cluster_of(text: str | None) -> int:
    """NextClusterNum; 0 for what is none."""
    fits = text is not None and text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST_CLUSTERS))
    number = int(text) if fits and text is not None else 0
    return number if number < _MOST_CLUSTERS else 0


class QueueRules:
    """``last_in_history`` is the highest number of a cluster of which the history tells."""

    def __init__(self, last_in_history: Callable[[], int]) -> None:
        self._last_in_history = last_in_history

    def knows(self, key: str) -> str:
        return "" if is_queue_key(key) else f"{key!r} is no key of a job queue"

    def types(self, key: str, attributes: dict[str, str], witnesses: int) -> tuple[str, str] | None:
        cluster, proc = split_key(key) or (0, 0)
        if cluster == 0:
            return ("Job", "Machine") if proc == 0 else ("Owner", "")
        if proc < -1:
            return None
        named = proc >= 0 and (attributes.get("procid") == str(proc) or f"#{key}#" in attributes.get("globaljobid", ""))
        return ("Job", "Machine") if named or witnesses >= _ENOUGH else None

    def objection(self, record: Record, image: Image) -> str:
        if record.op != DESTROY_AD:
            return ""
        cluster, proc = split_key(record.key) or (0, 0)
        if cluster == 0:
            return "nobody removes the header" if proc == 0 else ""
        if proc == -1:
            return f"cluster {cluster} has jobs" if _has_jobs(image, cluster) else ""
        status = _said(image, record.key, "jobstatus")
        return f"job {record.key} has not ended" if proc >= 0 and _STATUS(status) and status not in _OVER else ""

    def remedies(self, image: Image, hurt: dict[str, list[int]], changed: bool) -> Iterator[Remedy]:
        """Yield what makes the queue whole again, with the text of each for the log; ``image`` changes on the way."""
        # Jobs before clusters, which are left over without jobs, and clusters before what is secret of them.
        for key in sorted(image.ads, key=lambda key: max(0, -_numbers(key)[1])):
            if _is_leftover(image, key):
                changed = True
                done = f"ad {key} belonged to no job and was removed"
                yield _remedy(_why_leftover(key), done, Record(DESTROY_AD, key))
        jobs = _jobs(image)
        for cluster in sorted({cluster for cluster, _ in jobs}):
            for remedy in _cluster_again(image, cluster):
                changed = True
                yield remedy
        if changed or not all(_is_whole(image, f"{cluster}.{proc}") for cluster, proc in jobs):
            changed = True
            yield from _made_whole(image, jobs, hurt)
        yield from self._numbers(image, changed)

    def _numbers(self, image: Image, changed: bool) -> Iterator[Remedy]:
        """The header, and the number of the next cluster."""
        if not image.ads:
            return
        if HEADER not in image.ads:
            made = Record(NEW_AD, HEADER, "Job", "Machine")
            yield _remedy("there is no header ad 0.0", "the header ad 0.0 was made", made)
        text = image.ads[HEADER].get("nextclusternum")
        given = next_cluster_of(text)
        highest = max((cluster for cluster, _ in map(_numbers, image.ads)), default=0)
        if given > highest and not changed:
            return
        highest = max(highest, self._last_in_history())
        if 0 < highest >= given:
            yield _remedy(
                f"NextClusterNum is {text}, but there is a cluster {highest}",
                f"NextClusterNum is {highest + 1} now",
                Record(SET, HEADER, "NextClusterNum", str(highest + 1)),
            )


def _remedy(wrong: str, done: str, *records: Record) -> Remedy:
    return Remedy(Note(-1, wrong, done), records)


def _numbers(key: str) -> tuple[int, int]:
    return split_key(key) or (0, 0)


def _jobs(image: Image) -> list[tuple[int, int]]:
    return sorted((cluster, proc) for cluster, proc in map(_numbers, image.ads) if cluster > 0 and proc >= 0)


def _said(image: Image, key: str, name: str) -> str:
    """Return the text of an attribute in a job's ad or its cluster's; "" without one."""
    own = image.ads.get(key, {})
    return own[name] if name in own else image.ads.get(cluster_key(_numbers(key)[0]), {}).get(name, "")


def _has_jobs(image: Image, cluster: int) -> bool:
    return image.number.get(str(cluster), 0) > (private_key(cluster) in image.ads)


def _is_leftover(image: Image, key: str) -> bool:
    """A cluster without jobs, what is secret of none, or a job of which there is nothing but a number."""
    cluster, proc = _numbers(key)
    if cluster == 0 or proc < -2:
        return False
    ad, has_cluster = image.ads[key], cluster_key(cluster) in image.ads
    if proc >= 0:
        return not ad or (not has_cluster and "jobstatus" not in ad)
    if proc == -2:
        return not has_cluster
    return not _has_jobs(image, cluster) and "jobmaterializedigestfile" not in ad


def _why_leftover(key: str) -> str:
    cluster, proc = _numbers(key)
    if proc >= 0:
        return f"of job {key} there is no more than a number"
    return f"cluster {cluster} has no jobs" if proc == -1 else f"private ad {key} has no cluster ad"


def _cluster_again(image: Image, cluster: int) -> Iterator[Remedy]:
    key = cluster_key(cluster)
    number = Record(SET, key, "ClusterId", str(cluster))
    ad = image.ads.get(key)
    if ad is None:
        made = Record(NEW_AD, key, "Job", "Machine")
        yield _remedy(f"cluster {cluster} has jobs and no ad", f"cluster {cluster} has an ad again", made, number)
    elif ad.get("clusterid", str(cluster)) != str(cluster):
        yield _remedy(f"cluster {cluster} has a wrong ClusterId", f"cluster {cluster} has its ClusterId again", number)


def _is_whole(image: Image, key: str) -> bool:
    own, shared = image.ads[key], image.ads.get(cluster_key(_numbers(key)[0]), {})
    return all(fits(own.get(name) or shared.get(name, "")) for name, fits in _NEEDED)


def _made_whole(image: Image, jobs: list[tuple[int, int]], hurt: dict[str, list[int]]) -> Iterator[Remedy]:
    """Yield what the jobs of a damaged queue lack."""
    for cluster, proc in jobs:
        yield from _numbered(image, cluster, proc)
        lines = [*hurt.get(f"{cluster}.{proc}", ()), *hurt.get(cluster_key(cluster), ())]
        yield from _held(image, f"{cluster}.{proc}", sorted(lines))


def _numbered(image: Image, cluster: int, proc: int) -> Iterator[Remedy]:
    """Gives a job the numbers that its key says."""
    key = f"{cluster}.{proc}"
    for name, number in (("ClusterId", cluster), ("ProcId", proc)):
        if _said(image, key, name.lower()) != str(number):
            yield _remedy(
                f"job {key} has no {name}, or a wrong one",
                f"job {key} has its {name} again",
                Record(SET, key, name, str(number)),
            )


def _counted(lines: list[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]} was"
    more = f" and {len(lines) - _SHOWN} others" if len(lines) > _SHOWN else ""
    return f"lines {', '.join(map(str, lines[:_SHOWN]))}{more} were"


def _held(image: Image, key: str, lines: list[int]) -> Iterator[Remedy]:
    """Holds a job that lacks what every job has, or of which lines were left out, if it has not ended."""
    lacks = ", ".join(name for name, fits in NEEDED.items() if not fits(_said(image, key, name.lower())))
    status = _said(image, key, "jobstatus")
    if not lines and (not lacks or _said(image, key, "holdreason").startswith(f'"{_REASON}')):
        return
    if not lacks and status in _OVER:
        return
    what = [f"it lacks {lacks}"] if lacks else []
    what += [f"{_counted(lines)} left out of the log"] if lines else []
    text = " and ".join(what)
    reason = quote_string(f"{_REASON}: {text}")
    values = (
        ("JobStatus", str(int(JobStatus.HELD))),
        ("HoldReason", reason),
        ("HoldReasonCode", str(int(HoldCode.UNSPECIFIED))),
        ("HoldReasonSubCode", "0"),
    )
    wrong = f"job {key} has no {lacks}" if lacks else f"job {key} is damaged: {text}"
    yield _remedy(wrong, f"job {key} is held, {text}", *(Record(SET, key, name, value) for name, value in values))


# a queue that was just opened: whether surely nothing is wrong with it


class Folded(Protocol):
    """The facts known of a queue of which no ad has been made."""

    def privates(self) -> list[int]: ...
    def expressions(self) -> set[str]: ...
    def others(self) -> dict[str, ClassAd]: ...


class Queue(Protocol):
    """A queue, of which only so much is read as is asked for."""

    @property
    def header(self) -> ClassAd | None: ...
    def groups(self) -> list[tuple[int, Sequence[int]]]: ...
    def clusters(self) -> list[int]: ...
    def cluster(self, cluster: int, /) -> ClassAd | None: ...
    def states(self, cluster: int, key: str, /) -> tuple[dict[int, int], Sequence[int]]: ...
    def mentioned(self, cluster: int, keys: tuple[str, ...], /) -> tuple[str, ...]: ...
    def own_texts(self, cluster: int, procs: Iterable[int], keys: tuple[str, ...], /) -> list[list[str | None]]: ...


def is_sound(queue: Queue, folded: Folded) -> bool:
    """Whether ``mend`` would surely find nothing: records were checked, this checks the ads they lead to."""
    groups, clusters = dict(queue.groups()), set(queue.clusters())
    if not groups and not clusters and queue.header is None:
        return not folded.others()
    header = queue.header
    return (
        header is not None
        and next_cluster_of(header.text("NextClusterNum")) > max(clusters, default=0)
        and groups.keys() <= clusters
        and clusters.issuperset(folded.privates())
        and all(map(is_queue_key, folded.others()))
        and all(_is_sound_cluster(queue, cluster, groups.get(cluster, ())) for cluster in clusters)
        and all(map(is_expression, folded.expressions()))
    )


def _is_sound_cluster(queue: Queue, cluster: int, procs: Sequence[int]) -> bool:
    ad = queue.cluster(cluster)
    if ad is None or (not procs and ad.text("JobMaterializeDigestFile") is None):
        return False
    if ad.text("ClusterId") not in (None, str(cluster)):
        return False
    counts, odd = queue.states(cluster, "")
    shared = _STATUS(ad.text("JobStatus") or "") is not None
    (texts,) = queue.own_texts(cluster, odd, ("jobstatus",))
    said = {*map(str, counts), *("0" if text is None else text for text in texts)}
    if not all(_STATUS(status) or (status == "0" and shared) for status in said):
        return False
    needed = {name: fits for name, fits in _NEEDED if name != "jobstatus"}
    own = queue.mentioned(cluster, tuple(needed))
    columns = dict(zip(own, queue.own_texts(cluster, procs, own), strict=True))
    return all(fits(text or ad.text(name) or "") for name, fits in needed.items() for text in columns.get(name, [None]))
