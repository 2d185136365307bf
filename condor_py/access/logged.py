"""What the event logs have of the jobs of a queue, for a schedd that starts: what is in a log is not told again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from condor_py.access.lateevents import Log
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
    that cannot be read."""

    def __init__(self, logs: Logs, found: Mapping[Log, LastStates | None]) -> None:
        self._logs = logs
        self._found = found

    def get(self, job: JobId, /) -> Sequence[int] | None:
        """The events of a job. None for one without a log, or when its log does not tell, as it cannot be read, or only
        its end was looked at; what is found there is taken to follow a submit event."""
        log = self._logs.of(job)
        states = None if log is None else self._found.get(log)
        if states is None:
            return None
        events = states.events.get(job.cluster, {}).get(job.proc)
        if states.whole:
            return events or ()
        return (JobEventType.SUBMIT, *events) if events else None

    def is_partly(self, job: JobId) -> bool:
        """Whether only the last events of a job are known."""
        log = self._logs.of(job)
        states = None if log is None else self._found.get(log)
        return states is not None and not states.whole and bool(states.events.get(job.cluster, {}).get(job.proc))
