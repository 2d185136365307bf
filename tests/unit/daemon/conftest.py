"""What several tests of daemons share are plain modules beside them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def a_moment_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stands still does not cut a request in pieces, so that the next one overtakes it."""
    monkeypatch.setattr("condor_py.daemons.schedd.clients._MOMENT", 300.0)
