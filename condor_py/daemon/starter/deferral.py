"""When a job may execute that is to run at a certain time (deferral_time)."""

from __future__ import annotations

from condor_py.classad import ClassAd
from condor_py.model.states import HoldCode


class Refusal(Exception):
    """The time is no time, or is missed: the job is held with this code and text."""

    def __init__(self, code: HoldCode, text: str) -> None:
        super().__init__(text)
        self.code = code


def wait_of(ad: ClassAd, job: str, now: float) -> float:
    """Seconds until the job of an ad may execute, 0 for at once. Refusal."""
    if ad.text("DeferralTime") is None:
        return 0.0
    due = ad.eval_int("DeferralTime", 0)
    if due <= 0:
        raise Refusal(HoldCode.INVALID_DEFERRAL_TIME, f"Invalid deferral time for Job {job}: '{due}'.")
    if now - due > ad.eval_int("DeferralWindow", 0) + 1:
        raise Refusal(HoldCode.MISSED_DEFERRAL_TIME, f"Job {job} missed its execution time.")
    return max(0.0, due - now)
