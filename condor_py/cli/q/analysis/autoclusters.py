"""Jobs that no slot can tell apart, and what the queue knows of them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from condor_py.cli.q.analysis.counts import AT_WORK, COMPLETED
from condor_py.client.aggregates import Key, Likeness
from condor_py.lang.classad.ad import ClassAd

#: The number under which jobs without an autocluster are, each for itself.
UNGROUPED = -1
#: Jobs by the number of their autocluster, in order of it.
Clusters = Mapping[int, Sequence[ClassAd]]
_REFUSAL = ("LastRejMatchTime", "LastRejMatchReason", "LastRejMatchNegotiator")


class Numbers:
    """The numbers of autoclusters: those that jobs tell. In the queue, where no job tells one, jobs that are alike get
    one in the order in which they are met."""

    def __init__(self, *, online: bool) -> None:
        self._likeness = Likeness() if online else None
        self._met: dict[Key, int] = {}

    def of(self, job: ClassAd) -> int:
        """The number of a job's autocluster, -1 without one."""
        number = job.eval_int("AutoClusterId", UNGROUPED)
        if number != UNGROUPED or self._likeness is None:
            return number
        return self._met.setdefault(self._likeness.key(job), len(self._met) + 1)

    def clusters(self, jobs: Iterable[ClassAd]) -> Clusters:
        """Jobs by autocluster."""
        found: dict[int, list[ClassAd]] = {}
        for job in jobs:
            found.setdefault(self.of(job), []).append(job)
        return dict(sorted(found.items()))


class Row(NamedTuple):
    """A ``job`` that is analysed for others as well: the ``members`` of its autocluster, of this ``number``.

    For each job without an autocluster HTCondor tells the number and the state of the first of them.
    """

    number: int
    job: ClassAd
    members: Sequence[ClassAd]


def represented(clusters: Clusters) -> list[Row]:
    """The jobs that are analysed."""
    found: list[Row] = []
    for number, members in clusters.items():
        if number == UNGROUPED:
            found += [Row(number, job, members[:1]) for job in members]
        else:
            found.append(Row(number, members[0], members))
    return found


def known_of(numbers: Numbers, wanted: Iterable[ClassAd], everything: Iterable[ClassAd]) -> dict[int, ClassAd]:
    """Return ads that describe the autoclusters of ``wanted`` jobs.

    Each holds why the first of those jobs was refused. Where it was not refused, the ad combines all jobs of the queue:
    the last match, the last refusal, how many run and have completed.
    """
    first: dict[int, ClassAd] = {}
    for job in wanted:
        first.setdefault(numbers.of(job), job)
    found = {number: _refusal(job) for number, job in first.items() if job.has("LastRejMatchReason")}
    members: dict[int, list[ClassAd]] = {number: [] for number in first if number not in found}
    for job in everything if members else ():
        number = numbers.of(job)
        if number in members:
            members[number].append(job)
    return {**found, **{number: _known(jobs) for number, jobs in members.items()}}


def _refusal(job: ClassAd) -> ClassAd:
    ad = ClassAd()
    for name in _REFUSAL:
        text = job.text(name)
        if text is not None:
            ad.set_text(name, text)
    return ad


def _known(jobs: list[ClassAd]) -> ClassAd:
    ad = _refusal(max(jobs, key=lambda job: job.eval_int("LastRejMatchTime", 0)))
    last = max(job.eval_int("LastMatchTime", 0) for job in jobs)
    if last:
        ad.set_int("LastMatchTime", last)
    states = [job.eval_int("JobStatus") for job in jobs]
    running = sum(state in AT_WORK for state in states)
    for name, count in (("NumRunning", running), ("NumCompleted", states.count(COMPLETED))):
        if count:
            ad.set_int(name, count)
    return ad
