"""The history of the pool (KEEP_POOL_HISTORY), in the files of HTCondor's view server.

There are four sets of data, each at three levels of detail. The master takes a sample of the published ads every
POOL_HISTORY_SAMPLING_INTERVAL; a level writes the mean of 4, 16 or 64 samples::

    POOL_HISTORY_DIR/viewhist<set>.<level>.new     the present file; one line a name: TIME \t NAME \t : \t figures
    POOL_HISTORY_DIR/viewhist<set>.<level>.old     the one before, when that had its part of POOL_HISTORY_MAX_STORAGE

Sets are 0, submitters at schedds (running and idle jobs); 1, slots (seconds of idle keyboard, load, state); 2,
platforms (slots in each state); 3, submitters. ``Total`` is the sum over a set of groups.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum

from condor_py.lang.classad import ClassAd

#: State of a slot -> its number; condor_stats shows the names in capitals.
STATES = ("Unclaimed", "Matched", "Claimed", "Preempting", "Owner", "Shutdown", "Delete", "Backfill", "Drained")
_LEVELS = 3
#: HTCondor has five sets; the one of checkpoint servers is always empty.
_FILES = _LEVELS * 5 * 2


#: A time has fewer digits.
_DIGITS = 16


class Set(IntEnum):
    """A set of data."""

    SUBMITTERS = 0
    SLOTS = 1
    PLATFORMS = 2
    SUBMITTER_GROUPS = 3


_FORMATS = {
    Set.SUBMITTERS: ("%.0f", "%.0f"),
    Set.SUBMITTER_GROUPS: ("%.0f", "%.0f"),
    Set.SLOTS: ("%.0f", "%7.3f", "%.0f"),
    Set.PLATFORMS: ("%.1f",) * len(STATES),
}


def file_name(directory: str, data: Set, level: int, *, old: bool = False) -> str:
    """Return the path of a file."""
    return f"{directory}/viewhist{int(data)}.{level}.{'old' if old else 'new'}"


class PoolHistory:
    """The samples that are not written yet. ``most`` is POOL_HISTORY_MAX_STORAGE."""

    def __init__(self, directory: str, most: int) -> None:
        self._directory = directory
        self._most = most // _FILES
        #: Per set and level the means by name, and how many samples they are of.
        self._means: dict[tuple[Set, int], dict[str, list[float]]] = {}
        self._counts: dict[tuple[Set, int], int] = {(data, level): 0 for data in Set for level in range(_LEVELS)}

    def sample(self, submitters: Iterable[ClassAd], slots: Iterable[ClassAd], now: int) -> None:
        """Take a sample, and write the levels that have all theirs. OSError; what could not be written is lost."""
        jobs, groups = _of_submitters(submitters)
        states, platforms = _of_slots(slots)
        found = {
            Set.SUBMITTERS: jobs, Set.SUBMITTER_GROUPS: groups, Set.SLOTS: states, Set.PLATFORMS: platforms,
        }  # fmt: skip
        problem: OSError | None = None
        for (data, level), count in self._counts.items():
            means = self._means.setdefault((data, level), {})
            for name, figures in found[data].items():
                _add(means, name, figures, count, last=2 if data is Set.SLOTS else None)
            self._counts[data, level] = count + 1
            if count + 1 < 4 * 4**level:
                continue
            self._means[data, level], self._counts[data, level] = {}, 0
            try:
                self._write(data, level, means, now)
            except OSError as error:
                problem = error
        if problem is not None:
            raise problem

    def _write(self, data: Set, level: int, means: dict[str, list[float]], now: int) -> None:
        path = file_name(self._directory, data, level)
        with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
            for name, figures in sorted(means.items()):
                text = "\t".join(form % figure for form, figure in zip(_FORMATS[data], figures, strict=False))
                file.write(f"{now}\t{name}\t:\t{text}\n")
            size = file.tell()
        if size > self._most:
            os.replace(path, file_name(self._directory, data, level, old=True))


def _add(means: dict[str, list[float]], name: str, figures: list[float], count: int, last: int | None) -> None:
    """Count ``figures`` as one sample more, after ``count`` ones; of the figure at ``last`` the last sample counts."""
    mean = means.setdefault(name, [0.0] * len(figures))
    for at, figure in enumerate(figures):
        mean[at] = figure if at == last else (mean[at] * count + figure) / (count + 1)


_Figures = dict[str, list[float]]


def _of_submitters(ads: Iterable[ClassAd]) -> tuple[_Figures, _Figures]:
    at_schedds, groups = _Figures(), _Figures()
    for ad in ads:
        name, machine = ad.eval_str("Name", None), ad.eval_str("Machine", None)
        if name is None or machine is None:
            continue
        jobs = [float(ad.eval_int(attribute, 0) or 0) for attribute in ("RunningJobs", "IdleJobs")]
        at_schedds[_plain(f"{name}/{machine}")] = jobs
        for group in ("Total", _plain(name)):
            groups[group] = [old + new for old, new in zip(groups.get(group, (0.0, 0.0)), jobs, strict=True)]
    return at_schedds, groups


def _of_slots(ads: Iterable[ClassAd]) -> tuple[_Figures, _Figures]:
    slots, platforms = _Figures(), _Figures()
    for ad in ads:
        name, state = ad.eval_str("Name", None), ad.eval_str("State", None)
        if name is None or state not in STATES:
            continue
        number = STATES.index(state)
        idle, load = ad.eval_int("KeyboardIdle", 0) or 0, ad.eval_real("LoadAvg", 0.0) or 0.0
        slots[_plain(name)] = [float(idle), load, float(number + 1)]
        platform = "/".join(_plain(ad.eval_str(attribute, None) or "Unknown") for attribute in ("Arch", "OpSys"))
        for group in ("Total", platform):
            platforms.setdefault(group, [0.0] * len(STATES))[number] += 1.0
    return slots, platforms


def _plain(name: str) -> str:
    """A name without what would end it in a file."""
    return "".join(char if char.isprintable() and char != " " else "_" for char in name)


# -- reading -----------------------------------------------------------------------------------------------------------


def names(directory: str, data: Set, begin: int, end: int) -> Iterator[str]:
    """Each name that has data between two times, once."""
    given: set[str] = set()
    for path in _chosen(directory, data, begin, end):
        for _, name, _ in _between(path, begin, end, lambda name: True):
            if name not in given:
                given.add(name)
                yield name


def whole_lines(directory: str, data: Set, name: str, begin: int, end: int) -> Iterator[str]:
    """The lines about a name (``*``: all) between two times, as they are in the files."""
    for path in _chosen(directory, data, begin, end):
        for time, each, text in _between(path, begin, end, _wanted(name)):
            yield f"{time}\t{each}\t:{text}"


def figures(directory: str, data: Set, name: str, begin: int, end: int) -> Iterator[tuple[float, str]]:
    """The figures about a name between two times, at most a thousand a file: how many per cent of the time had passed,
    and their text."""
    for path in _chosen(directory, data, begin, end):
        before = 0
        for time, _, text in _between(path, begin, end, _wanted(name)):
            part = (time - begin) / (end - begin) if end > begin else 0.0
            if (now := round(1000 * part)) != before:
                before = now
                yield part * 100, text


def _wanted(name: str) -> Callable[[str], bool]:
    return lambda each: name in ("*", each)


def _chosen(directory: str, data: Set, begin: int, end: int) -> list[str]:
    """The files of the finest level that goes back to ``begin``; of the one that goes back most if none does."""
    starts: list[tuple[int, list[str]]] = []
    for level in range(_LEVELS):
        new, old = file_name(directory, data, level), file_name(directory, data, level, old=True)
        new_start, old_start = _start(new), _start(old)
        if 0 <= new_start <= begin:
            return [new]
        if 0 <= old_start <= begin:
            return [old] if end < new_start else [old, new]
        if old_start >= 0 or new_start >= 0:
            starts.append((old_start if old_start >= 0 else new_start, [old, new]))
    return min(starts)[1] if starts else []


def _start(path: str) -> int:
    """Return the time of the first line of a file; -1 without one."""
    return next((time for time, _, _ in _lines(path)), -1)


def _between(path: str, begin: int, end: int, wanted: Callable[[str], bool]) -> Iterator[tuple[int, str, str]]:
    for time, name, text in _lines(path):
        if time > end:
            return
        if time >= begin and wanted(name):
            yield time, name, text


def _lines(path: str) -> Iterator[tuple[int, str, str]]:
    """Time, name and the text behind the colon of each line that can be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                head, colon, text = line.partition("\t:")
                time, _, name = head.partition("\t")
                if colon and line.endswith("\n") and time.isascii() and time.isdecimal() and len(time) < _DIGITS:
                    yield int(time), name, text
    except (FileNotFoundError, PermissionError):
        return
