"""Looking at a pool for condor_top: its queue, the ads that its daemons publish, and the machine."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.output import renderers
from condor_py.cli.top.columns import JOBS
from condor_py.cli.top.rows import STATES, JobRow, Part, SlotRow, Snapshot, UserRow, Wanted
from condor_py.cli.waiting import Around, limited_records, why_it_waits
from condor_py.client.lockfile import lock_holder
from condor_py.client.queue_follower import QueueFollower
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId, grouped, jobs_of
from condor_py.model.states import JobStatus
from condor_py.store.ad_store import AdStore

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.client.queue_follower import QueueFollower
    from condor_py.client.queue_view import Groups, QueueView
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
            limited = limited_records(jobs.view)
            jobs.around = Around(slot_ads, now, lambda: accounts, limited=lambda: limited) if slot_ads else None
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
    user = ad.eval_str("AccountingGroup") or ad.eval_str("RemoteUser", "")
    return SlotRow(
        ad.eval_str("Name", "").partition("@")[0], ad.eval_str("State", ""), ad.eval_str("Activity", ""),
        ad.eval_real("Cpus", 0.0), ad.eval_int("Memory", 0), ad.eval_int("GPUs", 0), ad.eval_real("LoadAvg", 0.0),
        user.partition("@")[0], ad.eval_str("JobId", ""), now - ad.eval_int("EnteredCurrentActivity", now),
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
        name = ad.eval_str("Name", "").rpartition("@")[0]
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


_KEYS = ("jobstatus", "owner", "accountinggroup")
_PLACES = {int(state): place for place, state in enumerate(STATES)}
#: What columns sort by that are not known of every job: attributes, of which the first that a job has counts.
_SORTED_BY = {
    "CPUS": ("CpusProvisioned", "RequestCpus"),
    "MEM": ("MemoryProvisioned", "RequestMemory"),
    "SLOT": ("RemoteHost",),
    "CMD": ("Cmd",),
}
_FALLING = frozenset(column.title for column in JOBS if column.falls)
_ACTIVE = (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED)


class Known(NamedTuple):
    """The data kept of every job. Jobs with equal data share one."""

    status: int
    owner: str
    submitter: str


class _Cluster:
    """The data known of the jobs of one cluster, in a few bytes a job: procs ascending, and the data next to each. A
    job that has left keeps its place, with None."""

    __slots__ = ("_known", "_procs")

    def __init__(self) -> None:
        self._procs: list[int] = []
        self._known: list[Known | None] = []

    def get(self, proc: int) -> Known | None:
        """Return the data of a job; None when there is no such job."""
        at = bisect_left(self._procs, proc)
        return self._known[at] if at < len(self._procs) and self._procs[at] == proc else None

    def put(self, proc: int, known: Known | None) -> None:
        """Replace the data of a job; None when it leaves."""
        at = len(self._procs)
        if at and proc <= self._procs[-1]:
            at = bisect_left(self._procs, proc)
        if at < len(self._procs) and self._procs[at] == proc:
            self._known[at] = known
        elif known is not None:
            self._procs.insert(at, proc)
            self._known.insert(at, known)

    def jobs(self, number: int) -> Iterator[tuple[JobId, Known]]:
        """The jobs that are there, by proc; ``number`` is that of the cluster."""
        ids = jobs_of(number, self._procs)
        return ((job, known) for job, known in zip(ids, self._known, strict=True) if known is not None)


class LiveJobs:
    """The jobs that a follower of the queue sees; a ``JobList``. ``now`` in Unix seconds is that of the last look."""

    def __init__(self, follower: QueueFollower, now: int) -> None:
        self.now = now
        #: The slots that idle jobs wait for, which the reasons are found by.
        self.around: Around | None = None
        self._follower = follower
        self._known: dict[int, _Cluster] = {}
        self._orders: dict[Wanted, list[JobId]] = {}
        #: How many jobs there are of each submitter in each state, and those of each cluster.
        self.tally: Counter[Known] = Counter()
        self.clusters: dict[int, Counter[Known]] = {}
        self._touched: set[int] | None = None
        self._all()

    def look(self, now: int) -> None:
        """Brings everything up to date. CondorError."""
        self.now = now
        changed = self._follower.look()
        if changed is None:
            self._all()
        elif changed:
            self._some(changed)

    @property
    def view(self) -> QueueView:
        """The queue as it was at the last look."""
        return self._follower.view

    def take_touched(self) -> set[int] | None:
        """Return the clusters whose jobs came, changed or left since the last call; None when it may be any."""
        touched, self._touched = self._touched, set()
        return touched

    def counts(self) -> dict[int, int]:
        """Return how many jobs there are in each JobStatus; states without jobs are left out."""
        found: Counter[int] = Counter()
        for known, count in self.tally.items():
            found[known.status] += count
        return {status: count for status, count in found.items() if count}

    def owner(self, job: JobId) -> str | None:
        """Return the owner of a job; None when it has left the queue."""
        known = self._known_of(job)
        return None if known is None else known.owner

    def status(self, job: JobId) -> int:
        """Return the JobStatus of a job; 0 when it has left the queue."""
        known = self._known_of(job)
        return 0 if known is None else known.status

    def ordered(self, wanted: Wanted) -> Sequence[JobId]:
        """Return the wanted jobs in the wanted order."""
        found = self._orders.get(wanted)
        if found is None:
            if len(self._orders) > 3:
                self._orders.clear()
            found = self._orders[wanted] = self._order(wanted)
        return found

    def row(self, job: JobId) -> JobRow | None:
        """Return the row of a job; None when it has left the queue."""
        known, ad = self._known_of(job), self.view.job(job)
        if known is None or ad is None:
            return None
        runs = known.status in _ACTIVE
        since = (ad.eval_int("ShadowBday") if runs else None) or ad.eval_int("QDate") or self.now
        memory = renderers.memory_usage(None, ad) if runs else None
        slot = ad.eval_str("RemoteHost", "").partition("@")[0] if runs else ""
        cpus = ad.eval_int("CpusProvisioned") if runs else None
        return JobRow(
            job, known.owner, known.status, self.now - since, cpus or ad.eval_int("RequestCpus") or 1,
            int(memory if memory is not None else ad.eval_int("RequestMemory", 0)), slot, _command(ad),
            _note(ad, known.status, self.around),
        )  # fmt: skip

    # ---- keeping it ---------------------------------------------------------------------------------------------

    def _known_of(self, job: JobId) -> Known | None:
        cluster = self._known.get(job[0])
        return None if cluster is None else cluster.get(job[1])

    def _all(self) -> None:
        self._known.clear()
        self.tally.clear()
        self.clusters.clear()
        self._touched = None
        self._orders.clear()
        self._take(self.view.groups())

    def _some(self, changed: set[JobId]) -> None:
        table = self.view.table
        members: dict[int, list[int]] = {}
        before = {job: self._known_of(job) for job in changed}
        for job, old in before.items():
            if old is not None:
                self._known[job.cluster].put(job.proc, None)
                self._uncount(job.cluster, old)
            if job in table:
                members.setdefault(job.cluster, []).append(job.proc)
        self._take([(cluster, sorted(procs)) for cluster, procs in members.items()])
        if self._touched is not None:
            self._touched.update(job.cluster for job in changed)
        moved = any(self._known_of(job) != old for job, old in before.items())
        kept = (wanted for wanted in self._orders if not moved and wanted.column in ("ID", "OWNER", "ST"))
        self._orders = {wanted: self._orders[wanted] for wanted in list(kept)}

    def _take(self, groups: Groups) -> None:
        view = self.view
        alike: dict[tuple[str | None, ...], Known] = {}
        for cluster, procs in groups:
            common = [view.cluster_text(cluster, key) for key in _KEYS]
            columns = view.table.own_texts(cluster, procs, _KEYS)
            merged = [
                column if text is None else [text if own is None else own for own in column]
                for column, text in zip(columns, common, strict=True)
            ]
            counted = self.clusters.setdefault(cluster, Counter())
            jobs = self._known.setdefault(cluster, _Cluster())
            for proc, said in zip(procs, zip(*merged, strict=True), strict=True):
                known = alike.get(said)
                if known is None:
                    known = alike[said] = _known(*said)
                jobs.put(proc, known)
                self.tally[known] += 1
                counted[known] += 1
            view.table.rest(cluster, procs)

    def _uncount(self, cluster: int, known: Known) -> None:
        self.tally[known] -= 1
        counted = self.clusters[cluster]
        counted[known] -= 1
        if not counted[known]:
            del counted[known]
        if not counted:
            del self.clusters[cluster], self._known[cluster]

    # ---- the order ----------------------------------------------------------------------------------------------

    def _order(self, wanted: Wanted) -> list[JobId]:
        known = {job: one for number in sorted(self._known) for job, one in self._known[number].jobs(number)}
        jobs = sorted(self._filtered(wanted, known))
        column = wanted.column
        backwards = wanted.backwards != (column in _FALLING)
        if column == "ID":
            return jobs[::-1] if backwards else jobs
        if column == "ST":
            return sorted(jobs, key=lambda job: _PLACES.get(known[job].status, 99), reverse=backwards)
        if column == "OWNER":
            return sorted(jobs, key=lambda job: known[job].owner, reverse=backwards)
        return sorted(jobs, key=self._values(column, jobs, known).__getitem__, reverse=backwards)

    def _filtered(self, wanted: Wanted, jobs: dict[JobId, Known]) -> Iterable[JobId]:
        if not wanted.text and not wanted.owner:
            return jobs
        mine = {known for known in self.tally if not wanted.owner or known.owner == wanted.owner}
        text = wanted.text.lower()
        named = {known for known in mine if text in known.submitter.lower() or text in known.owner.lower()}
        commands: dict[int, bool] = {}

        def has_text(job: JobId) -> bool:
            return text in f"{job[0]}.{job[1]}" or self._has_command(job.cluster, text, commands)

        return [job for job, known in jobs.items() if known in named or (known in mine and has_text(job))]

    def _has_command(self, cluster: int, text: str, found: dict[int, bool]) -> bool:
        """Whether the command or the batch name of a cluster has the text."""
        if cluster not in found:
            view = self.view
            said = (view.cluster_text(cluster, key) or "" for key in ("cmd", "jobbatchname", "args", "arguments"))
            found[cluster] = any(text in one.lower() for one in said)
        return found[cluster]

    def _values(self, column: str, jobs: list[JobId], known: dict[JobId, Known]) -> dict[JobId, float | str]:
        """Return the values by which jobs are sorted in a column that is not kept."""
        groups = grouped(jobs)
        if column == "TIME":
            submitted, begun = self._numbers("QDate", groups), self._numbers("ShadowBday", groups)
            return {
                job: self.now - ((begun[at] if known[job].status in _ACTIVE else 0) or submitted[at])
                for at, job in enumerate(jobs)
            }
        names = _SORTED_BY[column]
        if column in ("SLOT", "CMD"):
            texts = self.view.texts(names[0], groups)
            return {job: text or "" for job, text in zip(jobs, texts, strict=True)}
        given, asked = (self._numbers(name, groups) for name in names)
        return {job: given[at] or asked[at] for at, job in enumerate(jobs)}

    def _numbers(self, name: str, groups: Groups) -> list[float]:
        return [_number(text) for text in self.view.texts(name, groups)]


def _known(status: str | None, owner: str | None, group: str | None) -> Known:
    name = (owner or "").strip('"')
    return Known(int(status) if status is not None and status.isdigit() else 0, name, (group or "").strip('"') or name)


def _number(text: str | None) -> float:
    return float(text) if text is not None and text.isdigit() else 0.0


def _command(ad: ClassAd) -> str:
    batch = ad.eval_str("JobBatchName")
    shown = renderers.description(None, ad) or ""
    return f"{batch}: {shown}" if batch else shown


def _note(ad: ClassAd, status: int, around: Around | None) -> str:
    """Return why a job is held or does not start, in a few words; without slots, what the queue knows of that."""
    if status == JobStatus.HELD:
        return f"held: {ad.eval_str('HoldReason') or 'no reason is given'}"
    if status != JobStatus.IDLE:
        return ""
    reasons = why_it_waits(ad, around) if around is not None else []
    if reasons:
        return f"{'never runs here' if reasons[0].final else 'waits'}: {reasons[0].text}"
    reason = ad.eval_str("LastRejMatchReason")
    return f"waits: {reason}" if reason else ""
