"""The way of a machine into a low power state, as the startd goes it."""

from __future__ import annotations

from types import MethodType, SimpleNamespace
from typing import Any

import pytest

from condor_py.core.slots.effects import Sleep
from condor_py.core.slots.events import Woken
from condor_py.core.slots.power import Outlook
from condor_py.daemons.startd.sleeping import Sleeping


def test_a_machine_that_cannot_go_to_sleep_is_awake_whatever_fails() -> None:
    """It took no job any more, as it counted as asleep."""
    told: list[Any] = []

    def fails() -> None:
        raise MemoryError("for its ads")

    sleeping: Any = SimpleNamespace(_hindrance=lambda order, found, why: "", _publish=fails, _handle=told.append)
    sleeping._woken = MethodType(Sleeping._woken, sleeping)
    with pytest.raises(MemoryError):
        Sleeping._looked(sleeping, Sleep("S3", 60), Outlook(), "")
    assert told == [Woken("MemoryError: for its ads")]
