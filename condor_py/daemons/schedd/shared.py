"""The queue, the core, and the inbox of the next batch: shared by the parts of the schedd."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.events import ClientWrites, Event
from condor_py.daemons.common.loop import Loop, now
from condor_py.lang.classad import ClassAd
from condor_py.model.copies import changed
from condor_py.model.record import Entry
from condor_py.model.settings.paths import PoolPaths
from condor_py.model.settings.submit_policy import SubmitPolicy
from condor_py.store.job_queue import JobQueue


class Asked(NamedTuple):
    """A request that waits for the commit, and the records that only it wants."""

    answer: Callable[[], None]
    refuse: Callable[[str], None] | None
    records: Sequence[Entry]


class Committed(NamedTuple):
    """Requests whose commit is over. ``records`` are new to the core, ``changes`` it has handled already."""

    requests: list[Asked]
    records: list[Entry]
    changes: list[Entry]


class Inbox:
    """Items for the next batch: functions that get its time (Unix seconds). The parts of the schedd fill the inbox,
    ``Batches`` empties it."""

    def __init__(self, loop: Loop, core: Schedd) -> None:
        self._loop = loop
        self._core = core
        self._items: list[Callable[[int], None]] = []
        self._requests: list[Asked] = []
        self._records: list[Entry] = []
        self._changes: list[Entry] = []

    def collect(self, item: Callable[[int], None]) -> None:
        """Call ``item(now)`` inside the next batch, under the lock of the queue. When that comes is not changed."""
        self._items.append(item)

    def later(self, item: Callable[[int], None]) -> None:
        """Call ``item(now)`` inside a batch that comes at once, in the next turn of the loop."""
        self._items.append(item)
        self.wake()

    def after(self, seconds: float, item: Callable[[int], None]) -> None:
        """Call ``item(now)`` inside a batch that comes after so many seconds."""
        self._loop.after(seconds, lambda: self.later(item))

    def when_idle(self, item: Callable[[int], None]) -> None:
        """Call ``item(now)`` inside a batch that comes when there is no other work."""
        self._loop.when_idle(lambda: self.later(item))

    def news(self, event: Event) -> None:
        """Hand the core an event inside the next batch."""
        self.collect(lambda moment: self._core.handle(event, moment))

    def news_at_once(self, event: Event) -> None:
        """Hand the core an event inside a batch that comes at once."""
        self.later(lambda moment: self._core.handle(event, moment))

    def wake(self) -> None:
        """Makes the next turn of the loop come at once."""
        self._loop.soon(_nothing)

    def commit_for_client(
        self,
        records: Sequence[Entry],
        answer: Callable[[], None],
        *,
        hold_now: bool = False,
        refuse: Callable[[str], None] | None = None,
    ) -> None:
        """Inside a batch: ``records`` go into its transaction, ``answer`` is called once they are durable.

        ``hold_now``: they change jobs that are there, and do so at once, before the rest of the batch is handled.
        ``refuse`` is called instead of ``answer`` when they cannot be written.
        """
        if hold_now:
            self._changes += records
        else:
            self._records += records
        self._core.handle(ClientWrites(records, hold_now), int(now()))
        self._requests.append(Asked(answer, refuse, [] if hold_now else records))

    # -- for the batch -----------------------------------------------------------------------------

    @property
    def is_empty(self) -> bool:
        """Whether there are no items."""
        return not self._items

    def take(self) -> list[Callable[[int], None]]:
        """The items, which are taken out."""
        items, self._items = self._items, []
        return items

    def committed(self) -> Committed:
        """The requests that wait, after a commit that worked."""
        found = Committed(self._requests, self._records, self._changes)
        self._requests, self._records, self._changes = [], [], []
        return found

    def refused(self) -> list[Asked]:
        """The requests that wait, after a commit that failed; their new records are dropped, their changes remain."""
        requests, self._requests = self._requests, []
        dropped = {id(record) for asked in requests for record in asked.records}
        self._records = [record for record in self._records if id(record) not in dropped]
        return requests


class Shared(NamedTuple):
    """The objects that most parts of the schedd work with. None of it is replaced while the schedd runs."""

    loop: Loop
    log: Callable[[str], None]
    paths: PoolPaths
    queue: JobQueue
    core: Schedd
    inbox: Inbox


class SubmitRules:
    """The rules for new jobs, which see the schedd's ad as it was last published."""

    def __init__(self, policy: SubmitPolicy, log: Callable[[str], None]) -> None:
        self._log = log
        self._schedd: tuple[tuple[str, str], ...] = ()
        self.configure(policy)

    def configure(self, policy: SubmitPolicy) -> None:
        """Take new rules, and log the notes about them."""
        self.policy = changed(policy, schedd=self._schedd) if self._schedd else policy
        for note in policy.notes:
            self._log(note)

    def published(self, schedd: ClassAd) -> None:
        """Take the ad of the schedd as it was published."""
        self._schedd = tuple(schedd.text_items())
        self.policy = changed(self.policy, schedd=self._schedd)


def _nothing() -> None:
    """The callback of ``Inbox.wake``: that it is due makes the next turn of the loop come at once."""
