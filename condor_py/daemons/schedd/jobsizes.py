"""The sizes of the jobs of the past: read for the first job that wants its requests found, and saved now and then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from condor_py.core.jobs.autorequests import OF_ENDED, like_of, size_of
from condor_py.core.jobs.events import SizesFound
from condor_py.core.jobs.jobad import status_of
from condor_py.daemons.common.loop import now
from condor_py.daemons.schedd.shared import Shared
from condor_py.lang.classad import ClassAd, ClassAdParseError
from condor_py.lang.classad.allowance import OwnerBudgets
from condor_py.model.errors import StoreError
from condor_py.model.sizes import Like, Size, Sizes
from condor_py.model.states import JobStatus
from condor_py.store.history import records_newest_first
from condor_py.store.job_sizes import JOB_SIZES, read, save

#: So many records of the history are read at most, the newest.
_LEARN_FROM = 2_000
_NEEDED = re.compile(rf"^({'|'.join(OF_ENDED)}) = (.*)$", re.MULTILINE)
#: Seconds from the first job that was learnt from to the next time that all is saved.
_SAVE_AFTER = 60.0


class JobSizes:
    """Finds and saves what the core knows of the sizes of jobs."""

    def __init__(self, shared: Shared) -> None:
        self._loop, self._core, self._inbox, self._log = shared.loop, shared.core, shared.inbox, shared.log
        self._history = shared.paths.history
        self._path = f"{shared.paths.spool}/{JOB_SIZES}"
        self._due = False

    def find(self) -> None:
        """Read what was saved, and from the history what came after that."""
        sizes = Sizes(self._core.settings.auto_requests)
        until = self._restore(sizes)
        try:
            ended = list(_ended_since(self._history, until)) if self._history else []
        except StoreError as error:
            self._log(f"the sizes of jobs are not read from the history: {error}")
            ended = []
        for like, size in reversed(ended):
            sizes.learn(like, size)
        self._inbox.news(SizesFound(sizes))

    def _restore(self, sizes: Sizes) -> int:
        """Return until when the jobs are known."""
        try:
            kinds, until = read(self._path)
            sizes.restore(kinds)
        except (StoreError, ValueError) as error:
            self._log(f"{error}: the sizes of jobs are read from the history")
            return 0
        return until

    def follow(self) -> None:
        """After a batch: what was learnt is saved after a while."""
        if self._core.state.sizing.unsaved and not self._due:
            self._due = True
            self._loop.after(_SAVE_AFTER, self._save)

    def _save(self) -> None:
        self._due = False
        self.save()

    def save(self) -> None:
        """Write all that is known, unless nothing is new."""
        sizing = self._core.state.sizing
        if sizing.sizes is None or not sizing.unsaved:
            return
        try:
            save(self._path, sizing.sizes.saved(), int(now()))
        except StoreError as error:
            self._log(str(error))
        sizing.saved()


def _ended_since(path: str, until: int) -> Iterator[tuple[Like, Size]]:
    """The sizes of completed jobs of the history that the schedd saw end after ``until``, newest first."""
    budgets, moment = OwnerBudgets(), now()
    for record in islice(records_newest_first(path), _LEARN_FROM):
        written = record.written()
        if written is not None and written < until:
            return
        # Of a record only these lines are read: there may be thousands, and each has more than a hundred.
        ad = ClassAd.from_text_items(_NEEDED.findall(record.text))
        try:
            with budgets.of(ad, moment):
                counts = status_of(ad) == JobStatus.COMPLETED and ad.eval_int("EnteredCurrentStatus", 0) > until
                size = size_of(ad) if counts else None
                like = like_of(ad)
        except ClassAdParseError:
            continue
        if size is not None:
            yield like, size
