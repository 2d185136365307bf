"""A short run of the campaign ``attacks``: a few attacks, of those that take a second."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_QUICK = ("path_of_a_job", "pretended_identity", "raw_submit", "text_for_screens")


def test_a_few_attacks_find_nothing() -> None:
    words = ["-n", "6", "-seed", "4", "-plain", "-quick", "-only", *_QUICK]
    program = Path(__file__).with_name("attacks.py")
    done = subprocess.run([sys.executable, str(program), *words], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["attacks"], told["findings"]) == (6, 0)
