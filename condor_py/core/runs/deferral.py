"""Time at which a job with a deferral_time may execute."""

from __future__ import annotations

from dataclasses import dataclass

from condor_py.lang.classad import ClassAd
from condor_py.model.states import HoldCode


class Refusal(Exception):
    """The time is no time, or is missed: the job is held with this code and text."""

    def __init__(self, code: HoldCode, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class Deferral:
    """``due``: Unix seconds, None for a job that has no time of its own; ``window``: so many seconds later is still in
    time."""

    due: int | None = None
    window: int = 0

    def wait(self, job: str, now: float) -> float:
        """Seconds until the job may execute, 0 for at once. Refusal."""
        if self.due is None:
            return 0.0
        if self.due <= 0:
            raise Refusal(HoldCode.INVALID_DEFERRAL_TIME, f"Invalid deferral time for Job {job}: '{self.due}'.")
        if now - self.due > self.window + 1:
            raise Refusal(HoldCode.MISSED_DEFERRAL_TIME, f"Job {job} missed its execution time.")
        return max(0.0, self.due - now)


#: The job does not wait.
AT_ONCE = Deferral()


def deferral_of(ad: ClassAd) -> Deferral:
    """Read DeferralTime and DeferralWindow from a job ad."""
    if ad.text("DeferralTime") is None:
        return AT_ONCE
    return Deferral(ad.eval_int("DeferralTime", 0), ad.eval_int("DeferralWindow", 0))
