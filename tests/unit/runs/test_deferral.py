"""When a job with deferral_time may execute."""

from __future__ import annotations

import pytest

from condor_py.core.runs.facts import Refusal, deferral_of
from condor_py.lang.classad import ClassAd
from condor_py.model.states import HoldCode


def wait(now: float, **attributes: str) -> float:
    ad = ClassAd()
    for name, text in attributes.items():
        ad.set_text(name, text)
    return deferral_of(ad).wait("7.3", now)


def test_a_job_without_a_time_does_not_wait() -> None:
    assert wait(1000.0) == 0.0


def test_a_job_waits_for_its_time() -> None:
    assert wait(1000.5, DeferralTime="1010") == 9.5


def test_a_time_that_is_just_over_is_met() -> None:
    assert wait(1001.0, DeferralTime="1000") == 0.0
    assert wait(1061.0, DeferralTime="1000", DeferralWindow="60") == 0.0


def test_a_time_that_is_missed_holds_the_job() -> None:
    with pytest.raises(Refusal, match=r"^Job 7\.3 missed its execution time\.$") as caught:
        wait(1061.5, DeferralTime="1000", DeferralWindow="60")
    assert caught.value.code == HoldCode.MISSED_DEFERRAL_TIME


@pytest.mark.parametrize("time", ["0", "-5"])
def test_a_time_that_is_none_holds_the_job(time: str) -> None:
    with pytest.raises(Refusal, match=f"^Invalid deferral time for Job 7.3: '{time}'.$") as caught:
        wait(1000.0, DeferralTime=time)
    assert caught.value.code == HoldCode.INVALID_DEFERRAL_TIME
