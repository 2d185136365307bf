"""Priority and use over time, read back from the records of negotiation cycles and from the accountant's log.

The records reach back for weeks; the log starts from its state when it is compacted. For a time in both, the records
count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from condor_py.model.errors import CondorError, StoreError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.model.cyclerecords import CycleRecord
    from condor_py.model.record import Change

_SET = 103


class Point(NamedTuple):
    """One submitter at one update: Unix seconds, real priority, and slot weight in use."""

    when: int
    priority: float
    use: float


class Stretch(NamedTuple):
    """One submitter from ``begin`` to ``end`` (Unix seconds): real priority, and mean slot weight in use."""

    begin: int
    end: int
    priority: float
    use: float


def series(records: Iterable[Change]) -> dict[str, list[Point]]:
    """The points of each submitter, in time order. The log begins afresh when it is compacted, and so does this."""
    now = 0
    state: dict[str, list[float]] = {}
    points: dict[str, list[Point]] = {}
    touched: set[str] = set()
    for op, key, name, value in records:
        if op != _SET:
            continue
        if name == "LastUpdateTime":
            _flush(points, state, touched, now)
            now = int(value)
        elif key.startswith("Customer.") and "@" in key and name in ("Priority", "WeightedResourcesUsed"):
            customer = key.removeprefix("Customer.")
            state.setdefault(customer, [0.5, 0.0])[name != "Priority"] = float(value)
            touched.add(customer)
    _flush(points, state, touched, now)
    return points


def _flush(points: dict[str, list[Point]], state: dict[str, list[float]], touched: set[str], now: int) -> None:
    """Writes down who changed at ``now``; before the first update there is no time to write."""
    if now:
        for customer in touched:
            priority, use = state[customer]
            points.setdefault(customer, []).append(Point(now, max(0.5, priority), use))
        touched.clear()


def stretches(
    points: dict[str, list[Point]], records: Iterable[CycleRecord], since: int, until: int
) -> dict[str, list[Stretch]]:
    """Return the stretches of each submitter from ``since`` to ``until``: by the records, or else by the points."""
    found: dict[str, list[Stretch]] = {}
    first, last = 0, 0
    for record in records:
        if not since <= record.begin < until:
            continue
        first, last = first or record.begin, record.end
        seconds = max(1, record.end - record.begin)
        for name, part in record.submitters.items():
            found.setdefault(name, []).append(Stretch(record.begin, record.end, part.real, part.used / seconds))
    for name, listed in points.items():
        for one, after in zip(listed, [*listed[1:], None], strict=True):
            for begin, end in _outside(one.when, one.when + 1 if after is None else after.when, first, last):
                if max(begin, since) < min(end, until):
                    piece = Stretch(max(begin, since), min(end, until), one.priority, one.use)
                    found.setdefault(name, []).append(piece)
    return {name: sorted(parts) for name, parts in found.items()}


def _outside(begin: int, end: int, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a stretch before ``first`` and after ``last``."""
    if not last:
        yield begin, end
    else:
        yield begin, min(end, first)
        yield max(begin, last), end


def read(pool: Pool, since: int, until: int) -> dict[str, list[Stretch]]:
    """Return the stretches that the pool's files record. CondorError when neither can be read."""
    from condor_py.store.cyclelog import records

    path, log = pool.config.path("NEGOTIATION_HISTORY"), pool.paths.accountant_log
    points: dict[str, list[Point]] = {}
    refused = ""
    try:
        points = read_series(log)
    except CondorError as error:
        refused = str(error)  # the log is its owner's alone where a pool is shared
    try:
        found = stretches(points, records(path, since) if path else (), since, until)
    except StoreError as error:
        raise CondorError(f"condor_userprio: {error}") from None
    if not found and refused:
        raise CondorError(refused)
    return found


def read_series(path: str) -> dict[str, list[Point]]:
    """The series of a log file. CondorError when it cannot be read."""
    from condor_py.store.adlog import records_of

    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise CondorError(f"condor_userprio: cannot read {path}: {error.strerror}") from error
    return series(records_of(data, path))
