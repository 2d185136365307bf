"""What the analysis of a waiting job says beyond HTCondor's lines: the reasons why it waits, and what would help."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property

from condor_py.cli.q.analysis.counts import HELD, Schedd
from condor_py.cli.q.analysis.slots import Slots
from condor_py.cli.q.source import Source
from condor_py.cli.waiting import Around, why_it_waits
from condor_py.lang.classad.ad import ClassAd


class Lacks:
    """Why jobs wait, by the slots of the pool or by those of a file."""

    def __init__(self, source: Source, slots: Slots, schedd: Schedd) -> None:
        self._source = source
        self._slots = slots
        self._schedd = schedd

    def text(self, job: ClassAd) -> str:
        """A line a reason, and one for what helps; "" where nothing keeps the job from running."""
        lines = []
        held = job.eval_int("JobStatus") == HELD  # the analysis has told the reason
        for reason in why_it_waits(job, self._around):
            if not held:
                lines.append(f"{'It will never run here' if reason.final else 'Why it waits'}: {reason.text}\n")
            if reason.help:
                lines.append(f"What helps: {reason.help}\n")
        return "".join(lines)

    @cached_property
    def _around(self) -> Around:
        return Around(self._ads, time.time(), self._accounts, self._schedd, self._end)

    @cached_property
    def _ads(self) -> list[ClassAd]:
        if self._source.pool is None:
            return [slot.ad for slot in self._slots]
        wanted = {slot.machine for slot in self._slots}
        return [
            ad for ad in self._source.pool.ads("STARTD")
            if ad.has("SlotID") and ad.eval_str("Machine") in wanted
        ]  # fmt: skip

    def _accounts(self) -> Sequence[ClassAd]:
        pool = self._source.pool
        return () if pool is None else pool.ads("ACCOUNTING")

    @cached_property
    def _end(self) -> Callable[[ClassAd], float] | None:
        """When what runs on a slot will end; None where the pool does not tell."""
        if self._source.pool is None:
            return None
        from condor_py.cli.q.forecast import expected_ends

        return expected_ends(self._source.pool)
