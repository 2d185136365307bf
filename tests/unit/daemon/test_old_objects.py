"""The collector of garbage cycles in a daemon that holds much for long."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from condor_py.daemons.common import oldobjects


@pytest.fixture
def callbacks() -> Iterator[None]:
    before = list(gc.callbacks)
    yield
    gc.callbacks[:] = before
    gc.unfreeze()


@pytest.mark.usefixtures("callbacks")
def test_what_a_long_collection_has_looked_through_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    oldobjects.leave_old_objects_alone()
    oldobjects.leave_old_objects_alone()
    gc.collect()
    gc.unfreeze()
    monkeypatch.setattr(oldobjects, "_LONG", 1000.0)
    gc.collect()
    assert gc.get_freeze_count() == 0
    monkeypatch.setattr(oldobjects, "_LONG", 0.0)
    gc.collect(1)
    assert gc.get_freeze_count() == 0
    gc.collect()
    seen = gc.get_freeze_count()
    assert seen > 1000
    kept = [[number] for number in range(1000)]
    gc.collect()
    assert gc.get_freeze_count() >= seen + len(kept)
