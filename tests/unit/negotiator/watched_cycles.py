"""Cycles whose reports are watched."""

from __future__ import annotations

from negotiator_pool import Pool

from condor_py.core.match import SubmitterDemand, negotiate
from condor_py.core.match.recording import Recorder
from condor_py.model.cyclerecords import CycleRecord


class Watched(Pool):
    """A pool whose cycles are recorded."""

    recorder: Recorder

    def cycle(self, *demands: SubmitterDemand) -> None:
        """One cycle now."""
        if not hasattr(self, "recorder"):
            self.recorder = Recorder(self.accountant)
        snapshot = self.snapshot(*demands)
        self.recorder.observe(negotiate(snapshot, self.accountant, self.settings), snapshot)

    def record(self) -> CycleRecord:
        """What was recorded until now."""
        self.accountant.update(self.now)
        record = self.recorder.take(self.now, 1)
        assert record is not None
        return record
