"""What the tests of all rooms may ask for."""

from __future__ import annotations

import pytest

from condor_py.classad import clock


@pytest.fixture
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at the clock of the machine fails: time is handed in, for expressions too."""

    def look() -> float:
        raise AssertionError("a core looked at the clock of the machine")

    monkeypatch.setattr(clock, "now", look)
