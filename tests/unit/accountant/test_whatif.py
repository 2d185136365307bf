"""What priorities and factors are worth: the shares of users who all have enough to run."""

from __future__ import annotations

import pytest

from condor_py.core.accounts import Accountant, ClaimedUse, edits
from condor_py.core.accounts.whatif import factor_for, shares, steady_shares, within_ceilings
from condor_py.model.settings.negotiator import AccountantSettings


def test_shares_are_in_the_inverse_ratio_of_priorities() -> None:
    assert shares({"a": 500.0, "b": 1000.0, "c": 1000.0}) == {"a": 0.5, "b": 0.25, "c": 0.25}
    assert shares({}) == {}


def test_what_is_above_a_ceiling_goes_to_the_others() -> None:
    parts = {"a": 0.5, "b": 0.25, "c": 0.25}
    assert within_ceilings(parts, 16.0, {}) == {"a": 8.0, "b": 4.0, "c": 4.0}
    assert within_ceilings(parts, 16.0, {"a": 8.0}) == {"a": 8.0, "b": 4.0, "c": 4.0}
    assert within_ceilings(parts, 16.0, {"a": 4.0}) == {"a": 4.0, "b": 6.0, "c": 6.0}
    assert within_ceilings(parts, 16.0, {"a": 4.0, "b": 5.0}) == {"a": 4.0, "b": 5.0, "c": 7.0}
    assert within_ceilings(parts, 16.0, {"a": 1.0, "b": 1.0, "c": 1.0}) == {"a": 1.0, "b": 1.0, "c": 1.0}


def test_steady_shares_follow_the_root_of_the_factors() -> None:
    assert steady_shares({"a": 1000.0, "b": 4000.0}, 30.0) == pytest.approx({"a": 2 / 3, "b": 1 / 3})
    assert steady_shares({"a": 1000.0, "b": 1e9}, 0.3) == pytest.approx({"a": 1.0, "b": 1e-6}, rel=1e-5)
    assert steady_shares({}, 30.0) == {}
    assert steady_shares({"a": 1000.0}, 0.0) == {}


def test_steady_shares_keep_to_ceilings() -> None:
    factors = {"a": 1000.0, "b": 1000.0}
    assert steady_shares(factors, 30.0, {"a": 3.0}) == pytest.approx({"a": 0.1, "b": 0.9})
    assert steady_shares(factors, 30.0, {"a": 3.0, "b": 6.0}) == pytest.approx({"a": 0.1, "b": 0.2})
    assert steady_shares(factors, 9.0, {"a": 3.0, "b": 6.0}) == pytest.approx({"a": 1 / 3, "b": 2 / 3})


def test_a_factor_for_a_share() -> None:
    """Twice the share of somebody of priority 5 and factor 1000, oneself being at 2."""
    factor = factor_for(2.0, 2.0, 5.0, 1000.0)
    parts = shares({"me": 2.0 * factor, "other": 5.0 * 1000.0})
    assert parts["me"] == pytest.approx(2 * parts["other"])


@pytest.mark.parametrize("factors", [{"a@x": 1000.0, "b@x": 9000.0}, {"a@x": 1000.0, "b@x": 1e6, "c@x": 2000.0}])
def test_priorities_that_follow_use_for_long_give_the_steady_shares(factors: dict[str, float]) -> None:
    """The accountant's own decay, with the pool always dealt by the shares of the moment."""
    accountant = Accountant(AccountantSettings(halflife=600.0))
    now = 1_795_213_926
    accountant.update(now)
    for name, factor in factors.items():
        edits.set_factor(accountant, name, factor)
    for _ in range(400):
        parts = shares({name: accountant.effective_priority(name) for name in factors})
        accountant.adopt([ClaimedUse(name, name, 40.0 * part) for name, part in parts.items()], now)
        now += 60
        accountant.update(now)
    assert parts == pytest.approx(steady_shares(factors, 40.0), abs=2e-3)
