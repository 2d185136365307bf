"""A submit, a moment at a time: reading its jobs, judging them and making their records goes on between other work of
the schedd. What has come of it is written with one transaction, so that nothing or all of it is in the queue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from condor_py.client.submission import SubmittedCluster, from_body, submission_steps
from condor_py.daemons.common.loop import monotonic
from condor_py.model.record import Entry
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.submit_policy import SubmitPolicy
from condor_py.store.adlog import check_writable, collector_paused

#: Seconds of one piece.
_MOMENT = 0.008


class SlicedSubmit:
    """Of ``owner``, who is ``user`` in the queue; ``body`` is what ``access.submission.to_body`` makes."""

    def __init__(
        self, body: bytes, owner: str, user: str, settings: ScheddSettings, policy: SubmitPolicy, moment: int
    ) -> None:
        self.owner, self.user = owner, user
        self.clusters: list[SubmittedCluster] = []
        self.records: list[Entry] = []
        self.warnings: list[str] = []
        self.done = False
        self._steps = self._work(body, settings, policy, moment)

    def _work(self, body: bytes, settings: ScheddSettings, policy: SubmitPolicy, moment: int) -> Iterator[None]:
        yield from from_body(body, settings.max_jobs_per_submission, self.clusters)
        made: Iterator[Sequence[Entry]] = submission_steps(
            self.clusters, self.owner, self.user, settings.schedd_name, moment, policy, self.warnings
        )
        for records in made:
            check_writable(records)
            self.records += records
            yield

    def piece(self) -> bool:
        """Works for a moment; whether that was the last. Raises what is wrong with the submit."""
        until = monotonic() + _MOMENT
        with collector_paused(True):
            for _ in self._steps:
                if monotonic() > until:
                    return False
        self.done = True
        return True
