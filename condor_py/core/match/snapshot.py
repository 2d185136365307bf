"""Input of a negotiation cycle: slots and demand at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId


class Request(NamedTuple):
    """Idle jobs of one submitter that no slot can tell apart, best first; ``ad`` represents all of them.

    With ``others`` (None: not so) the jobs are nodes of one parallel job, as are those of the ``others``: all of them
    are matched, or none is. ``one_group``: only slots with the same ParallelSchedulingGroup will do.
    """

    autocluster: int
    jobs: Sequence[JobId]
    ad: ClassAd
    others: Sequence[Request] | None = None
    one_group: bool = False

    @property
    def parts(self) -> tuple[Request, ...]:
        """The request itself, and those that are matched together with it."""
        return (self, *(self.others or ()))


class SubmitterDemand(NamedTuple):
    """One submitter: its requests in the order in which they are to be served, and its use in slot weight.

    ``running_weight`` and ``idle_weight`` are WeightedRunningJobs and WeightedIdleJobs; ``running`` and
    ``held`` count jobs. ``schedd`` is the address shown in log lines; ``job_prio`` the best priority among
    the idle jobs (USE_GLOBAL_JOB_PRIOS). ``ad`` is its published ad, which may be older; None where there is none.
    """

    name: str
    requests: Sequence[Request] = ()
    running_weight: float = 0.0
    idle_weight: float = 0.0
    running: int = 0
    held: int = 0
    schedd: str = "local"
    job_prio: int = 0
    ad: ClassAd | None = None

    @property
    def idle(self) -> int:
        """Number of idle jobs."""
        return sum(len(request.jobs) for request in self.requests)


class Promise(NamedTuple):
    """Match of a job that waits for others to leave: the slot, the slots whose holders leave, and the part of the slot
    that the job gets then, by resource name."""

    submitter: str
    slot: str
    victims: tuple[str, ...]
    weight: float
    amounts: tuple[tuple[str, float], ...] = ()


class Snapshot(NamedTuple):
    """The pool at ``now`` (Unix seconds): every slot ad, claimed ones included, every submitter with demand, what is
    promised already, and what submitters use outside of the pool, in slot weight (None: as it was). ``gangs`` has the
    names of the slots of each running parallel job."""

    now: int
    slots: Sequence[ClassAd]
    submitters: Sequence[SubmitterDemand]
    promises: Sequence[Promise] = ()
    elsewhere: Mapping[str, float] | None = None
    gangs: Sequence[Sequence[str]] = ()
