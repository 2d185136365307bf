"""Looking at a pool for condor_top: its queue, the ads that its daemons publish, and the machine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from condor_py.cli.top.jobs import LiveJobs
from condor_py.cli.top.rows import JobRow, Part, SlotRow, Snapshot, UserRow, Wanted
from condor_py.cli.waiting import Around
from condor_py.client.lockfile import lock_holder
from condor_py.client.queue_follower import QueueFollower
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus
from condor_py.store.ad_store import AdStore

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd

_FREE = ("Unclaimed", "Owner")


class Looker:
    """Read one pool again and again."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._store = AdStore(pool.paths.ads)
        self._jobs: LiveJobs | None = None

    def snapshot(self) -> Snapshot:
        """The pool as it is now; what cannot be read is said in ``problem``. Never raises CondorError."""
        pool, now = self._pool, self._pool.now()
        problem = "" if lock_holder(pool.paths.daemon_lock("MASTER")) else _NOTHING_RUNS
        try:
            jobs = self._live(now)
            slot_ads = [ad for ad in self._store.read("STARTD") if ad.eval_str("State", None) is not None]
            accounts = self._store.read("ACCOUNTING")
            users = user_rows(accounts, slot_ads, jobs)
            jobs.around = Around(slot_ads, now, lambda: accounts) if slot_ads else None
        except CondorError as error:
            return _empty(pool, now, str(error).splitlines()[0])
        return Snapshot(
            pool.settings.host, now, os.getloadavg(), *_parts(slot_ads), users,
            [slot_row(ad, now) for ad in slot_ads], jobs, pool.owner, pool.is_superuser, problem,
        )  # fmt: skip

    def _live(self, now: int) -> LiveJobs:
        if self._jobs is None:
            self._jobs = LiveJobs(QueueFollower(self._pool), now)
        else:
            self._jobs.look(now)
        return self._jobs


_NOTHING_RUNS = "No condor_master is running on this machine: start it with condor_master"


class _NoJobs:
    """A queue that cannot be read."""

    def ordered(self, wanted: Wanted) -> Sequence[JobId]:
        return ()

    def row(self, job: JobId) -> JobRow | None:
        return None

    def owner(self, job: JobId) -> str | None:
        return None

    def counts(self) -> dict[int, int]:
        return {}


def _empty(pool: Pool, now: int, problem: str) -> Snapshot:
    nothing = Part(0, 0)
    return Snapshot(
        pool.settings.host, now, os.getloadavg(), nothing, nothing, nothing, [], [], _NoJobs(), pool.owner,
        pool.is_superuser, problem, failed=True,
    )  # fmt: skip


def slot_row(ad: ClassAd, now: int) -> SlotRow:
    """A slot of its ad."""
    user = ad.eval_str("AccountingGroup") or ad.eval_str("RemoteUser") or ""
    return SlotRow(
        (ad.eval_str("Name") or "").partition("@")[0], ad.eval_str("State") or "", ad.eval_str("Activity") or "",
        ad.eval_real("Cpus", 0.0), ad.eval_int("Memory", 0), ad.eval_int("GPUs", 0), ad.eval_real("LoadAvg", 0.0),
        user.partition("@")[0], ad.eval_str("JobId") or "", now - ad.eval_int("EnteredCurrentActivity", now),
    )  # fmt: skip


def _parts(ads: list[ClassAd]) -> tuple[Part, Part, Part]:
    """Return how much of the machine's cpus, memory (MB) and GPUs is claimed."""
    found = []
    for name in ("Cpus", "Memory", "GPUs"):
        amounts = [(ad.eval_real(name, 0.0), ad.eval_str("State") in _FREE) for ad in ads]
        total = sum(amount for amount, _ in amounts)
        found.append(Part(sum(amount for amount, free in amounts if not free), total))
    return found[0], found[1], found[2]


def user_rows(ads: list[ClassAd], slots: list[ClassAd], jobs: LiveJobs | None) -> list[UserRow]:
    """Return rows of all users with jobs or slots: the negotiator's records, and counts of jobs in the queue."""
    counts = _counts(jobs)
    whole = sum(ad.eval_real("SlotWeight", 0.0) for ad in slots)
    rows = []
    for ad in ads:
        name = (ad.eval_str("Name") or "").rpartition("@")[0]
        used = ad.eval_real("WeightedResourcesUsed", 0.0)
        if ad.eval_bool("IsAccountingGroup", False) or not (used or name in counts):
            continue
        share, count = used / whole if whole else None, counts.pop(name, Counter())
        rows.append(_user(name, ad.eval_real("Priority", None), used, share, _entitled(ad), count))
    rows += [_user(name, None, 0.0, 0.0, None, count) for name, count in counts.items()]
    return rows


def _entitled(ad: ClassAd) -> float | None:
    share = ad.eval_real("SubmitterShare", None)
    return share if share else None


def _user(
    name: str, priority: float | None, used: float, share: float | None, entitled: float | None, count: Counter[int]
) -> UserRow:
    running = count[JobStatus.RUNNING] + count[JobStatus.TRANSFERRING_OUTPUT] + count[JobStatus.SUSPENDED]
    return UserRow(name, priority, used, share, entitled, running, count[JobStatus.IDLE], count[JobStatus.HELD])


def _counts(jobs: LiveJobs | None) -> dict[str, Counter[int]]:
    """The jobs of each submitter by state."""
    found: dict[str, Counter[int]] = {}
    for known, count in (jobs.tally if jobs is not None else {}).items():
        if count:
            found.setdefault(known.submitter, Counter())[known.status] += count
    return found
