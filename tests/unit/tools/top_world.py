"""A pool for condor_top that is only values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from condor_py.cli.top.picture import heights
from condor_py.cli.top.rows import JobRow, Part, SlotRow, Snapshot, UserRow, Wanted
from condor_py.cli.top.state import Order, State, press, settle
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

LINES = 24


class Jobs:
    """Jobs in the order of their ids, of which those are wanted whose command has the text."""

    def __init__(self, rows: Sequence[JobRow]) -> None:
        self.rows = {row.id: row for row in rows}

    def ordered(self, wanted: Wanted) -> Sequence[JobId]:
        rows = [row for row in self.rows.values() if wanted.text in row.command and wanted.owner in ("", row.owner)]
        return sorted((row.id for row in rows), reverse=wanted.backwards)

    def row(self, job: JobId) -> JobRow | None:
        return self.rows.get(job)

    def owner(self, job: JobId) -> str | None:
        row = self.rows.get(job)
        return None if row is None else row.owner

    def counts(self) -> dict[int, int]:
        return Counter(row.status for row in self.rows.values())


def job(
    cluster: int, owner: str = "alice", status: int = JobStatus.IDLE, command: str = "sleep", note: str = ""
) -> JobRow:
    return JobRow(JobId(cluster, 0), owner, status, 60, 1, 128, "", command, note)


def snapshot(*jobs: JobRow, **changes: object) -> Snapshot:
    users = [
        UserRow("alice", 500.0, 3.0, 0.75, 0.5, 3, 1, 0),
        UserRow("bob", 1000.0, 1.0, 0.25, 0.5, 1, 7, 0),
    ]
    slots = [
        SlotRow(f"slot1_{number}", "Claimed", "Busy", 1.0, 128, 0, 1.0, "alice", f"{number}.0", 5)
        for number in (1, 2, 10)
    ]
    seen = Snapshot(
        "lab", 1795212563, (0.5, 0.25, 0.1), Part(3, 4), Part(384, 8000), Part(0, 0), users, slots, Jobs(jobs), "alice"
    )
    return seen._replace(**changes)


def type_keys(state: State, seen: Snapshot, *keys: str) -> tuple[State, list[Order]]:
    """The state after these keys, and what they ordered."""
    orders = []
    for key in keys:
        state = settle(state, seen, heights(state, seen, LINES))
        state, order = press(state, key, seen, heights(state, seen, LINES))
        orders.append(order)
    return settle(state, seen, heights(state, seen, LINES)), [order for order in orders if order is not None]
