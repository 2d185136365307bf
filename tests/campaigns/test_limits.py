"""A small run of the campaign of limits."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import limits

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="limits of accounts and control groups need root")


@pytest.mark.parametrize("name", ["files-16", "files-32", "processes-12+hidden-proc"])
def test_a_life_under_a_limit(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = limits.run(["-only", name, "-jobs", "5"])
    told = capsys.readouterr()
    if status == 2:
        pytest.skip(told.err.strip())
    assert status == 0, told.err
    figures = json.loads(told.out.splitlines()[-1])
    assert (figures["situations"], figures["findings"]) == (1, 0)
    assert figures.get("refused" if name == "files-16" else "worked") == 1
