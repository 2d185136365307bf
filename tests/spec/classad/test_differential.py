"""A short run of differential.py: random texts mean to us what they mean to HTCondor's library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "differential.py"


@pytest.mark.parametrize("kind", ["expressions", "functions", "texts", "eval", "ads", "objects", "numbers"])
def test_random_texts_mean_the_same(kind: str) -> None:
    pytest.importorskip("htcondor2")
    words = [sys.executable, str(SCRIPT), "--seed", "1", "--count", "250", kind]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2500:] + done.stderr[-2000:]
    assert f"{kind}: 250 cases from seed 1, 0 differ" in done.stdout
