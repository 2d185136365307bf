"""A small run of the campaign of clocks and names."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import clocks


@pytest.mark.parametrize("name", ["zones", "leap-day", "locale-tr_TR.UTF-8", "account-vanishes"])
def test_a_situation(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = clocks.run(["-quick", "-only", name])
    told = capsys.readouterr()
    figures = json.loads(told.out.splitlines()[-1]) if status != 2 else {}
    if status == 2 or figures["left out"]:
        pytest.skip(told.err.strip() or str(figures["left out"]))
    assert status == 0, told.err
