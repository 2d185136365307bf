"""The load that jobs have made on a slot in the last minute."""

from __future__ import annotations

import pytest

from condor_py.core.slots.state import LoadWindow


def test_jobs_of_the_last_minute_count() -> None:
    window = LoadWindow()
    window.add(0.0, 30.0, 1.0)
    window.add(30.0, 60.0, 0.0)
    assert window.average(60.0) == pytest.approx(0.5)
    assert window.average(75.0) == pytest.approx(0.25)
    assert window.average(90.0) == 0.0
    other = LoadWindow()
    other.absorb(window, 60.0)
    assert other.average(75.0) == pytest.approx(0.25)


def test_a_partitionable_slot_forgets_what_its_dynamic_slots_did() -> None:
    """Slot after slot is given back to it, for months."""
    parent = LoadWindow()
    for number in range(200):
        child = LoadWindow()
        child.add(number * 10.0, number * 10.0 + 5.0, 1.0)
        parent.absorb(child, number * 10.0 + 5.0)
    assert len(parent._spans) <= 7
    assert parent.average(200 * 10.0) == pytest.approx(0.5, abs=0.1)


def test_many_short_jobs_count_as_much_and_take_little_room() -> None:
    """A slot that starts 50 jobs a second, each of which keeps a cpu busy for half of its time."""
    window = LoadWindow()
    for number in range(60 * 50):
        window.add(number / 50, number / 50 + 0.01, 1.0)
    assert window.average(60.0) == pytest.approx(0.5, abs=0.02)
    assert window.average(120.0) == pytest.approx(0.0, abs=0.02)
    assert len(window._spans) < 200


def test_the_load_of_a_thousand_dynamic_slots_is_kept_in_as_many_spans_as_the_minute_has_seconds() -> None:
    """Their jobs have begun an hour ago and in the last minute, and end together."""
    parent, now = LoadWindow(), 4000.25
    for number in range(1000):
        child = LoadWindow()
        child.add(now - 3600 if number % 2 else now - 30, now, 0.5)
        parent.absorb(child, now)
    assert len(parent._spans) <= 261
    assert parent.average(now) == pytest.approx(375.0, rel=0.02)
    assert parent.average(now + 45) == pytest.approx(1000 * 0.5 * 15 / 60, rel=0.05)
    assert parent.average(now + 61) == 0.0
