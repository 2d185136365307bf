"""What the tests of all rooms may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.classad import clock


@pytest.fixture
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at the clock of the machine fails: time is handed in, for expressions too."""

    def look() -> float:
        raise AssertionError("a core looked at the clock of the machine")

    monkeypatch.setattr(clock, "now", look)


@pytest.fixture
def open_path(tmp_path: Path) -> Path:
    """``tmp_path``, with the way to it open for other accounts."""
    for place in (tmp_path, *tmp_path.parents):
        if place.stat().st_uid == os.geteuid() and place.stat().st_mode & 0o005 != 0o005:
            place.chmod(0o755)
    return tmp_path
