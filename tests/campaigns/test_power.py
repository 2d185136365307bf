"""The campaign of power loss, for a few crashes, and what it concludes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE))

from hanging import missing


@pytest.mark.skipif(bool(missing()), reason=missing() or "it can be mounted")
def test_a_few_crashes_lose_nothing() -> None:
    words = [str(_HERE / "power.py"), "-n", "4", "-way", "moment", "-stories", "runs,edits"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        pytest.skip(done.stderr)
    line = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, line["findings"], line["crashes"]) == (0, 0, 4), done.stderr
