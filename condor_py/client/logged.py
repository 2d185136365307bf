"""What the event logs have of the jobs of a queue, for a schedd that starts: what is in a log is not told again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from condor_py.client.lateevents import Log
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.store.event_log import LastStates


class Logs:
    """The event log of each job of a queue. The jobs of a cluster mostly have one."""

    def __init__(self) -> None:
        self.shared: dict[int, Log | None] = {}
        self.own: dict[JobId, Log | None] = {}

    def of(self, job: JobId) -> Log | None:
        """The log of a job; None when it has none."""
        return self.own[job] if job in self.own else self.shared.get(job.cluster)

    def clusters(self) -> Mapping[Log, set[int]]:
        """The logs, with the clusters whose jobs they tell of."""
        found: dict[Log, set[int]] = {}
        for cluster, log in self._all():
            if log is not None:
                found.setdefault(log, set()).add(cluster)
        return found

    def _all(self) -> Iterator[tuple[int, Log | None]]:
        yield from self.shared.items()
        for job, log in self.own.items():
            yield job.cluster, log


class Logged:
    """The numbers of the events of each job in its log, in their order. ``found`` is what the logs have; None for one
    that cannot be read. ``groups`` are the jobs of the queue, as (cluster, procs)."""

    def __init__(
        self, logs: Logs, found: Mapping[Log, LastStates | None], groups: Iterable[tuple[int, Sequence[int]]]
    ) -> None:
        self._logs = logs
        self._found = found
        #: The events of clusters all of whose jobs have had the same; of these nothing else is kept.
        self._common: dict[int, tuple[int, ...]] = {}
        apart = {job.cluster for job in logs.own}
        for cluster, procs in groups:
            states = self._states(logs.shared.get(cluster)) if cluster not in apart else None
            if states is not None and states.whole:
                told = states.events.get(cluster, {})
                kinds = set(map(told.get, procs))
                if len(kinds) == 1:
                    self._common[cluster] = kinds.pop() or ()
                    states.events.pop(cluster, None)

    def _states(self, log: Log | None) -> LastStates | None:
        return None if log is None else self._found.get(log)

    def get(self, job: JobId, /) -> Sequence[int] | None:
        """The events of a job. None for one without a log, or when its log does not tell, as it cannot be read, or only
        its end was looked at; what is found there is taken to follow a submit event."""
        common = self._common.get(job.cluster)
        if common is not None:
            return common
        states = self._states(self._logs.of(job))
        if states is None:
            return None
        events = states.events.get(job.cluster, {}).get(job.proc)
        if states.whole:
            return events or ()
        return (JobEventType.SUBMIT, *events) if events else None

    def is_partly(self, job: JobId) -> bool:
        """Whether only the last events of a job are known."""
        if job.cluster in self._common:
            return False
        states = self._states(self._logs.of(job))
        return states is not None and not states.whole and bool(states.events.get(job.cluster, {}).get(job.proc))

    def are_alike(self, cluster: int) -> bool:
        """Whether all jobs of a cluster have had the same events, and all of these are known."""
        return cluster in self._common
