"""A moment of the campaign ``differences``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = str(Path(__file__).resolve().parent / "differences.py")


def test_matches_submits_and_configurations_are_those_of_htcondor() -> None:
    pytest.importorskip("htcondor2")
    words = [sys.executable, SCRIPT, "-n", "150", "-seed", "1", "-kind", "match", "-kind", "submit", "-kind", "config"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.splitlines()[-1])["by kind"] == {"match": 50, "submit": 50, "config": 50}


def test_an_unknown_kind_is_refused() -> None:
    pytest.importorskip("htcondor2")
    words = [sys.executable, SCRIPT, "-n", "1", "-kind", "nothing"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "no kind is called nothing" in done.stderr


def test_a_value_that_the_library_cannot_give_is_not_compared() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import differences

    class Mine:
        """A configuration in which A is x."""

        def setting(self, name: str) -> None:
            return None

        def expanded(self, name: str) -> str:
            return "x"

    assert differences._difference(Mine(), {"IS_IT_READ": None, "!": "UnicodeDecodeError"}, ["A"]) is None
    assert differences._difference(Mine(), {"IS_IT_READ": None, "A": "y"}, ["A"]) == ("A = y", "A = x")
