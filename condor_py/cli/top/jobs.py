"""The jobs of the queue for condor_top: who has which in what state is kept, and brought up to date by what changes.

A queue may have 100,000 jobs, of which twenty are shown: of the others no ad is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.output import renderers
from condor_py.cli.top.columns import JOBS
from condor_py.cli.top.rows import STATES, JobRow, Wanted
from condor_py.cli.waiting import Around, why_it_waits
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.client.queue_follower import QueueFollower
    from condor_py.client.queue_view import Groups, QueueView
    from condor_py.lang.classad import ClassAd

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


class LiveJobs:
    """The jobs that a follower of the queue sees; a ``JobList``. ``now`` in Unix seconds is that of the last look."""

    def __init__(self, follower: QueueFollower, now: int) -> None:
        self.now = now
        #: The slots that idle jobs wait for, which the reasons are found by.
        self.around: Around | None = None
        self._follower = follower
        self._known: dict[JobId, Known] = {}
        self._orders: dict[Wanted, list[JobId]] = {}
        #: How many jobs there are of each submitter in each state.
        self.tally: Counter[Known] = Counter()
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

    def counts(self) -> dict[int, int]:
        found: Counter[int] = Counter()
        for known, count in self.tally.items():
            found[known.status] += count
        return {status: count for status, count in found.items() if count}

    def owner(self, job: JobId) -> str | None:
        known = self._known.get(job)
        return None if known is None else known.owner

    def ordered(self, wanted: Wanted) -> Sequence[JobId]:
        found = self._orders.get(wanted)
        if found is None:
            if len(self._orders) > 3:
                self._orders.clear()
            found = self._orders[wanted] = self._order(wanted)
        return found

    def row(self, job: JobId) -> JobRow | None:
        """Return the row of a job; None when it has left the queue."""
        known, ad = self._known.get(job), self.view.job(job)
        if known is None or ad is None:
            return None
        runs = known.status in _ACTIVE
        since = (ad.eval_int("ShadowBday") if runs else None) or ad.eval_int("QDate") or self.now
        memory = renderers.memory_usage(None, ad) if runs else None
        slot = (ad.eval_str("RemoteHost") or "").partition("@")[0] if runs else ""
        cpus = ad.eval_int("CpusProvisioned") if runs else None
        return JobRow(
            job, known.owner, known.status, self.now - since, cpus or ad.eval_int("RequestCpus") or 1,
            int(memory if memory is not None else ad.eval_int("RequestMemory") or 0), slot, _command(ad),
            _note(ad, known.status, self.around),
        )  # fmt: skip

    # ---- keeping it ---------------------------------------------------------------------------------------------

    def _all(self) -> None:
        self._known.clear()
        self.tally.clear()
        self._orders.clear()
        self._take(self.view.groups())

    def _some(self, changed: set[JobId]) -> None:
        table = self.view.table
        members: dict[int, list[int]] = {}
        before = {job: self._known.get(job) for job in changed}
        for job in changed:
            old = self._known.pop(job, None)
            if old is not None:
                self.tally[old] -= 1
            if job in table:
                members.setdefault(job.cluster, []).append(job.proc)
        self._take([(cluster, sorted(procs)) for cluster, procs in members.items()])
        moved = any(self._known.get(job) != old for job, old in before.items())
        kept = (wanted for wanted in self._orders if not moved and wanted.column in ("ID", "OWNER", "ST"))
        self._orders = {wanted: self._orders[wanted] for wanted in list(kept)}

    def _take(self, groups: Groups) -> None:
        view = self.view
        alike: dict[tuple[str | None, ...], Known] = {}
        for cluster, procs in groups:
            common = [view.cluster_text(cluster, key) for key in _KEYS]
            columns = view.table.own_texts(cluster, procs, _KEYS)
            told = [
                column if text is None else [text if own is None else own for own in column]
                for column, text in zip(columns, common, strict=True)
            ]
            for proc, said in zip(procs, zip(*told, strict=True), strict=True):
                known = alike.get(said)
                if known is None:
                    known = alike[said] = _known(*said)
                self._known[JobId(cluster, proc)] = known
                self.tally[known] += 1

    # ---- the order ----------------------------------------------------------------------------------------------

    def _order(self, wanted: Wanted) -> list[JobId]:
        jobs = sorted(self._filtered(wanted))
        column = wanted.column
        backwards = wanted.backwards != (column in _FALLING)
        if column == "ID":
            return jobs[::-1] if backwards else jobs
        known = self._known
        if column == "ST":
            return sorted(jobs, key=lambda job: _PLACES.get(known[job].status, 99), reverse=backwards)
        if column == "OWNER":
            return sorted(jobs, key=lambda job: known[job].owner, reverse=backwards)
        return sorted(jobs, key=self._values(column, jobs).__getitem__, reverse=backwards)

    def _filtered(self, wanted: Wanted) -> Iterable[JobId]:
        if not wanted.text and not wanted.owner:
            return self._known
        mine = {known for known in self.tally if not wanted.owner or known.owner == wanted.owner}
        text = wanted.text.lower()
        named = {known for known in mine if text in known.submitter.lower() or text in known.owner.lower()}
        commands: dict[int, bool] = {}

        def has_text(job: JobId) -> bool:
            return text in f"{job[0]}.{job[1]}" or self._has_command(job.cluster, text, commands)

        return [job for job, known in self._known.items() if known in named or (known in mine and has_text(job))]

    def _has_command(self, cluster: int, text: str, found: dict[int, bool]) -> bool:
        """Whether the command or the batch name of a cluster has the text."""
        if cluster not in found:
            view = self.view
            said = (view.cluster_text(cluster, key) or "" for key in ("cmd", "jobbatchname", "args", "arguments"))
            found[cluster] = any(text in one.lower() for one in said)
        return found[cluster]

    def _values(self, column: str, jobs: list[JobId]) -> dict[JobId, float | str]:
        """Return the values by which jobs are sorted in a column that is not kept."""
        groups = _grouped(jobs)
        if column == "TIME":
            submitted, begun = self._numbers("QDate", groups), self._numbers("ShadowBday", groups)
            known = self._known
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


def _grouped(jobs: list[JobId]) -> Groups:
    """Jobs in order as clusters with their procs."""
    groups: dict[int, list[int]] = {}
    for cluster, proc in jobs:
        groups.setdefault(cluster, []).append(proc)
    return list(groups.items())


def _command(ad: ClassAd) -> str:
    batch = ad.eval_str("JobBatchName")
    shown = renderers.description(None, ad) or ""
    return f"{batch}: {shown}" if batch else shown


def _note(ad: ClassAd, status: int, around: Around | None) -> str:
    """Why a job is held or does not start, in a few words; without slots to compare with, what the queue knows."""
    if status == JobStatus.HELD:
        return f"held: {ad.eval_str('HoldReason') or 'no reason is given'}"
    if status != JobStatus.IDLE:
        return ""
    reasons = why_it_waits(ad, around) if around is not None else []
    if reasons:
        return f"{'never runs here' if reasons[0].final else 'waits'}: {reasons[0].text}"
    reason = ad.eval_str("LastRejMatchReason")
    return f"waits: {reason}" if reason else ""
