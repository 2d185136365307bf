"""The runs of the batches (clusters of several jobs) that ended last, for charts of their course."""

from __future__ import annotations

from condor_py.cli.history import lives
from condor_py.cli.history.lives import Run
from condor_py.cli.report.records import Values
from condor_py.cli.times import Period
from condor_py.model.states import SLOTLESS

#: So many batches are followed, the newest, with so many runs each; so many are shown, with so many lanes each.
_FOLLOWED, _RUNS = 40, 2_000
SHOWN, LANES = 5, 60


class Batch:
    """One cluster."""

    def __init__(self, cluster: int, owner: str, name: str) -> None:
        self.cluster, self.owner, self.name = cluster, owner, name
        self.hours = 0.0
        self.runs: list[Run] = []

    @property
    def jobs(self) -> int:
        """Return how many jobs of it ran."""
        return len({run.proc for run in self.runs})

    def outcomes(self) -> dict[str, int]:
        """Return how many runs there are of each kind that occurs."""
        counts = [(kind, sum(run.kind == number for run in self.runs)) for number, kind in enumerate(lives.KINDS)]
        return {kind: count for kind, count in counts if count}


class Batches:
    """The batches of a period, as the records of their runs tell, the newest first."""

    def __init__(self, period: Period) -> None:
        self._period = period
        self._known: dict[int, Batch] = {}

    def add(self, found: Values, now: int = 0) -> None:
        """Take the record of a run; ``now``: of one that still runs."""
        begin, end = found.whole("jobcurrentstartdate", "shadowbday"), now or found.whole("epochwritedate")
        cluster = found.whole("clusterid")
        in_period = begin <= end and self._period.since <= end and begin < self._period.until
        if not begin or not in_period or found.whole("totalsubmitprocs") < 2 or found.whole("jobuniverse") in SLOTLESS:
            return
        batch = self._known.get(cluster)
        if batch is None:
            if len(self._known) >= _FOLLOWED:
                return
            name = found.text("jobbatchname") or found.text("cmd").rpartition("/")[2] or "?"
            batch = self._known[cluster] = Batch(cluster, found.text("owner") or "?", name)
        batch.hours += (end - begin) * (max(0.0, found.number("cpusprovisioned", "requestcpus")) or 1.0) / 3600.0
        if len(batch.runs) < _RUNS:
            batch.runs.append(_run(found, cluster, begin, end, running=bool(now)))

    def largest(self, most: int = SHOWN) -> list[Batch]:
        """Return those with the most core-hours, the largest first."""
        return sorted(self._known.values(), key=lambda batch: (-batch.hours, batch.cluster))[:most]


def _run(found: Values, cluster: int, begin: int, end: int, *, running: bool) -> Run:
    code = found.whole("vacatereasoncode")
    kind = lives.RUNNING
    if not running:
        kind = lives.kind_of(
            found.whole("jobstatus"),
            code,
            vacated=bool(found.text("vacatereason")),
            failed=bool(found.number("exitbysignal") or found.whole("exitcode")),
        )
    executed = found.whole("jobcurrentstartexecutingdate")
    left = found.whole("jobcurrentstarttransferoutputdate")
    return Run(
        cluster,
        found.whole("procid"),
        found.whole("runinstanceid"),
        found.whole("qdate"),
        begin,
        executed if begin <= executed <= end else 0,
        left if begin <= left <= end else 0,
        end,
        kind,
        found.text("vacatereason") if kind in (lives.HELD, lives.EVICTED) else "",
        "",
        0.0,
        0.0,
    )
