"""Priority and use over time, read back from the accountant's log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.model.record import Change

_SET = 103


class Point(NamedTuple):
    """One submitter at one update: Unix seconds, real priority, and slot weight in use."""

    when: int
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


def read_series(path: str) -> dict[str, list[Point]]:
    """The series of a log file. CondorError when it cannot be read."""
    from condor_py.store.adlog import records_of

    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise CondorError(f"condor_userprio: cannot read {path}: {error.strerror}") from error
    return series(records_of(data, path))
