"""Why jobs wait: each waiting batch with its reasons and its forecast, and held jobs by what holds them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from condor_py.cli.waiting import Around, Reason, limited_records
from condor_py.cli.waiting.reasons import Expected, expected_start
from condor_py.cli.web.judged import Judged
from condor_py.cli.web.page import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Asked,
    Data,
    Page,
    Parameter,
    array,
    maybe,
    record,
)
from condor_py.cli.web.works import works_of
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.cli.waiting.alike import Alike
    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.work import Steps
    from condor_py.cli.web.works import State
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd

#: Rows of each table, and idle jobs of all users together whose starts are foreseen.
_MOST_ROWS, _MOST_FORESEEN = 200, 5000
_NAMED = 5


def view(watch: Watch, asked: Asked) -> Data:
    """Return what waits and why, and when it is expected to start; what is held and why. BadRequest."""
    user = asked.viewer.name if asked.text("user") == "me" else asked.text("user")
    foreseen = works_of(watch).ask("starts", "", {}, patience=0.0)
    memory = _MEMORIES.setdefault(watch, _Memory())
    rows, held = memory.rows(watch, foreseen, asked.now)
    judged = memory.judged
    users = sorted({row["owner"] for row in rows}.union(*(row["owners"] for row in held)))
    rows = [row for row in rows if not user or row["owner"] == user]
    held = [row for row in held if not user or user in row["owners"]]
    counts = watch.jobs.counts()
    return {
        "user": user,
        "users": users,
        "idle": counts.get(JobStatus.IDLE, 0),
        "held_jobs": counts.get(JobStatus.HELD, 0),
        "waiting": rows[:_MOST_ROWS],
        "held": held[:_MOST_ROWS],
        "rows_left_out": max(0, len(rows) - _MOST_ROWS) + max(0, len(held) - _MOST_ROWS),
        "clusters_not_judged": judged.left,
        "judged": judged.made,
        "forecast": {
            "made": int(foreseen.made) or None,
            "reading": foreseen.works is not None and foreseen.result is None,
            "failed": foreseen.failed,
            "jobs_left_out": (foreseen.result or {}).get("left_out", 0),
        },
        "again": foreseen.again,
    }


class _Memory:
    """The rows of the page, made again where jobs were judged or foreseen again."""

    def __init__(self) -> None:
        self.judged = Judged()
        self._key: tuple[int, float] | None = None
        self._rows: tuple[list[Data], list[Data]] = [], []

    def rows(self, watch: Watch, foreseen: State, now: int) -> tuple[list[Data], list[Data]]:
        """Return the rows of jobs that wait, and of those that are held."""
        found = self.judged.look(watch.jobs, lambda: _around(watch, foreseen), now)
        key = self.judged.looks, foreseen.made
        if key != self._key:
            begun = time.monotonic()
            self._key = key
            self._rows = _waiting(watch, found, foreseen), _held(watch, found)
            self.judged.took(time.monotonic() - begun)
        return self._rows


_MEMORIES: WeakKeyDictionary[Watch, _Memory] = WeakKeyDictionary()


def _around(watch: Watch, foreseen: State) -> Around:
    """Return what jobs are judged by: slots, accounts, limits, and when running jobs are expected to end."""
    jobs = watch.jobs
    ends: Mapping[str, float] = (foreseen.result or {}).get("ends", {})

    def end(slot: ClassAd) -> float:
        return ends.get(slot.eval_str("Name", ""), float("inf"))

    return Around(
        watch.slots(), jobs.now, lambda: watch.ads("ACCOUNTING"), lambda: next(iter(watch.ads("SCHEDD")), None),
        end if ends else None, lambda: limited_records(jobs.view),
    )  # fmt: skip


# ---- jobs that wait --------------------------------------------------------------------------------------------------


def _waiting(watch: Watch, found: Sequence[Alike], foreseen: State) -> list[Data]:
    """Return the idle jobs of each batch that wait for the same, those that start first before others."""
    starts: Mapping[str, list[list[int]]] = (foreseen.result or {}).get("starts", {})
    parts: dict[tuple[int, tuple[str, ...]], list[Alike]] = {}
    for one in found:
        if not one.held:
            parts.setdefault((_batch(watch, one)[2], tuple(reason.text for reason in one.reasons)), []).append(one)
    rows = [_row(watch, members, starts) for members in parts.values()]
    return sorted(rows, key=lambda row: (row["never"], row["starts"]["at"] if row["starts"] else 1 << 62, row["since"]))


def _batch(watch: Watch, one: Alike) -> tuple[str, str, int]:
    """Return the owner, the name and the first cluster of the batch of a job."""
    group = watch.batches.group_of(one.cluster)
    return ("?", f"ID: {one.cluster}", one.cluster) if group is None else (group.owner, group.name, group.first)


def _row(watch: Watch, members: Sequence[Alike], starts: Mapping[str, list[list[int]]]) -> Data:
    owner, name, first = _batch(watch, members[0])
    reasons = members[0].reasons
    never = any(reason.final for reason in reasons)
    return {
        "owner": owner,
        "batch": name,
        "first_cluster": first,
        "jobs": sum(len(one.procs) for one in members),
        "example": f"{members[0].cluster}.{members[0].procs[0]}",
        "since": min((one.since for one in members if one.since), default=0),
        "never": never,
        "reasons": [_reason(reason) for reason in reasons],
        "starts": None if never else _starts(members, starts),
    }


def _reason(reason: Reason) -> Data:
    data = reason._asdict()
    return {**data, "text": reason.text, "holders": [holder._asdict() for holder in reason.holders]}


def _starts(members: Sequence[Alike], starts: Mapping[str, list[list[int]]]) -> Data | None:
    """Return when the first and the last of some jobs are expected to start."""
    times = []
    for one in members:
        procs = set(one.procs)
        times += [Expected(*span) for proc, *span in starts.get(str(one.cluster), ()) if proc in procs]
    reasons = members[0].reasons
    first, last = (expected_start(reasons, which(times, default=None)) for which in (min, max))
    if first is None or last is None:
        return None
    whole = len(times) == sum(len(one.procs) for one in members)
    return {**first._asdict(), "last": last.at if whole and last.at > first.at else None}


# ---- jobs that are held ----------------------------------------------------------------------------------------------


def _held(watch: Watch, found: Sequence[Alike]) -> list[Data]:
    """Return the held jobs by what holds them, the most jobs first."""
    parts: dict[str, list[Alike]] = {}
    for one in found:
        if one.held:
            parts.setdefault(one.reasons[0].what if one.reasons else "", []).append(one)
    rows = [_held_row(watch, what, members) for what, members in parts.items()]
    return sorted(rows, key=lambda row: (-row["jobs"], row["what"]))


def _held_row(watch: Watch, what: str, members: Sequence[Alike]) -> Data:
    batches: Counter[tuple[str, str, int]] = Counter()
    for one in members:
        batches[_batch(watch, one)] += len(one.procs)
    return {
        "what": what,
        "help": members[0].reasons[0].help if members[0].reasons else "",
        "jobs": batches.total(),
        "since": min((one.since for one in members if one.since), default=0),
        "example": f"{members[0].cluster}.{members[0].procs[0]}",
        "owners": sorted({owner for owner, _, _ in batches}),
        "batches": [
            {"owner": owner, "batch": name, "first_cluster": first, "jobs": count}
            for (owner, name, first), count in batches.most_common(_NAMED)
        ],
        "more_batches": max(0, len(batches) - _NAMED),
    }


# ---- the forecast ----------------------------------------------------------------------------------------------------


def work(pool: Pool, request: Mapping[str, Any], steps: Steps) -> Data:
    """Return when idle jobs are expected to start, and what runs on slots to end: [proc, at, early, late] by cluster,
    and Unix seconds by slot. Of many idle jobs only the first of each user are foreseen."""
    from condor_py.cli.q.forecast import expected_starts
    from condor_py.cli.waiting import slots_of

    slots = slots_of(pool)
    ads, left_out = _foreseen(pool)
    found, end = expected_starts(pool, ads, slots)
    starts: dict[str, list[list[int]]] = {}
    for (cluster, proc), expected in found.items():
        starts.setdefault(str(cluster), []).append([proc, *expected])
    ends = {slot.eval_str("Name", ""): end(slot) for slot in slots if slot.has("RemoteUser")}
    return {"starts": starts, "ends": {name: at for name, at in ends.items() if at < 1e12}, "left_out": left_out}


def _foreseen(pool: Pool) -> tuple[list[ClassAd], int]:
    """Return the running jobs and the first idle ones of each user, and how many idle jobs are left out."""
    view = pool.read_queue()
    groups = view.groups()
    ids = [JobId(cluster, proc) for cluster, procs in groups for proc in procs]
    states, users = view.texts("JobStatus", groups), view.texts("User", groups)
    idle = str(int(JobStatus.IDLE))
    waiting = Counter(user for state, user in zip(states, users, strict=True) if state == idle)
    most = _MOST_FORESEEN // max(1, len(waiting))
    taken: Counter[str | None] = Counter()
    chosen = []
    for job, state, user in zip(ids, states, users, strict=True):
        if state == str(int(JobStatus.RUNNING)):
            chosen.append(job)
        elif state == idle and taken[user] < most:
            taken[user] += 1
            chosen.append(job)
    ads = [ad for job in chosen if (ad := view.job(job)) is not None]
    return ads, waiting.total() - taken.total()


_HOLDER = record(user=TEXT, share=TEXT, jobs=array(TEXT), since=WHOLE, until=NUMBER)
_REASON = record(what=TEXT, text=TEXT, help=TEXT, final=TRUTH, holders=array(_HOLDER), since=WHOLE)
_STARTS = record(at=WHOLE, early=WHOLE, late=WHOLE, last=maybe(WHOLE))
_ROW = record(
    owner=TEXT, batch=TEXT, first_cluster=WHOLE, jobs=WHOLE, example=TEXT, since=WHOLE, never=TRUTH,
    reasons=array(_REASON), starts=maybe(_STARTS),
)  # fmt: skip
_OF_BATCH = record(owner=TEXT, batch=TEXT, first_cluster=WHOLE, jobs=WHOLE)
_HELD = record(
    what=TEXT, help=TEXT, jobs=WHOLE, since=WHOLE, example=TEXT, owners=array(TEXT), batches=array(_OF_BATCH),
    more_batches=WHOLE,
)  # fmt: skip
PAGE = Page(
    name="why",
    title="Why",
    view=view,
    schema=record(
        user=TEXT,
        users=array(TEXT),
        idle=WHOLE,
        held_jobs=WHOLE,
        waiting=array(_ROW),
        held=array(_HELD),
        rows_left_out=WHOLE,
        clusters_not_judged=WHOLE,
        judged=WHOLE,
        forecast=record(made=maybe(WHOLE), reading=TRUTH, failed=TEXT, jobs_left_out=WHOLE),
        again=NUMBER,
    ),
    parameters=(Parameter("user", "only jobs of this account (me: your own)"),),
    subjects=("queue", "slots"),
)
