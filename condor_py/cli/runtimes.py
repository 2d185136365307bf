"""Run times of jobs, from the history (ours), for the forecasts of condor_q and condor_submit_dag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from condor_py.core.jobs.autorequests import like_of
from condor_py.model.errors import CondorError
from condor_py.model.sizes import Like
from condor_py.model.states import SLOTLESS, JobStatus
from condor_py.simulate.runtimes import RunTimes

if TYPE_CHECKING:
    from condor_py.client.pool import Pool

#: How many of the last jobs of the history tell how long jobs run.
_LEARN_FROM = 2000


def run_times(pool: Pool, owner: str | None = None, running: Iterable[tuple[Like, float]] = ()) -> RunTimes:
    """The run times of the last jobs that completed in a slot, of one owner or of all; none where the history cannot be
    read. ``running`` are those that have not ended."""
    try:
        return RunTimes(list(_completed(pool, owner)), running)
    except (CondorError, OSError):
        return RunTimes(())


def _completed(pool: Pool, owner: str | None) -> Iterator[tuple[Like, float]]:
    from condor_py.store.history import records_newest_first

    path = pool.config.string("HISTORY")
    for record in islice(records_newest_first(path), _LEARN_FROM) if path else ():
        ad = record.ad()
        if ad.eval_int("JobStatus") != JobStatus.COMPLETED or ad.eval_int("JobUniverse") in SLOTLESS:
            continue
        if owner is None or ad.eval_str("Owner") == owner:
            last = ad.eval_real("LastRemoteWallClockTime", 0.0)
            yield like_of(ad), last or ad.eval_real("RemoteWallClockTime", 0.0)
