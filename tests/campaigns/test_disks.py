"""The campaign of bad disks, small: every part of it works, and it finds nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def test_a_few_troubles() -> None:
    words = [sys.executable, str(Path(__file__).with_name("disks.py")), "-n", "2"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode == 2:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    line = json.loads(done.stdout.splitlines()[-1])
    assert (line["campaign"], line["troubles"], line["findings"]) == ("disks", 2, 0)
