"""What a terminal shows of a waiting job beyond HTCondor's lines: the resources it lacks, and who holds them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from condor_py.classad.ad import ClassAd
from condor_py.tools.cannot_run import cannot_run
from condor_py.tools.q.analysis.counts import IDLE, LOCAL_UNIVERSE, SCHEDULER_UNIVERSE
from condor_py.tools.q.analysis.slots import Slots
from condor_py.tools.q.blocked import blocked
from condor_py.tools.q.source import Source


class Lacks:
    """What jobs lack on the slots of the pool, or on those of a file."""

    def __init__(self, source: Source, slots: Slots) -> None:
        self._source = source
        self._slots = slots

    def text(self, job: ClassAd) -> str:
        """A line about an idle job; "" where it lacks nothing."""
        if job.eval_int("JobStatus") != IDLE:
            return ""
        reason = cannot_run(job, [ad for ad in self._ads if ad.has("SlotID")])
        if reason:
            return f"It will never run here: {reason}\n"
        if job.eval_int("JobUniverse") in (LOCAL_UNIVERSE, SCHEDULER_UNIVERSE):
            return ""
        lack = blocked(job, self._ads)
        return "" if lack is None else f"What it lacks: {lack.text(self._end)}\n"

    @cached_property
    def _ads(self) -> list[ClassAd]:
        if self._source.pool is None:
            return [slot.ad for slot in self._slots]
        wanted = {slot.machine for slot in self._slots}
        return [ad for ad in self._source.pool.ads("STARTD") if ad.eval_str("Machine") in wanted]

    @cached_property
    def _end(self) -> Callable[[ClassAd], float] | None:
        """When what runs on a slot will end; None where the pool does not tell."""
        if self._source.pool is None:
            return None
        from condor_py.tools.q.forecast import expected_ends

        return expected_ends(self._source.pool)
