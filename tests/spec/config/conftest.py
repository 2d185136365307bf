"""The real HTCondor as a function: configuration texts in, values out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Answers = list[dict[str, Any]]
Ask = Callable[[Sequence[tuple[str, Sequence[str]]]], Answers]


@pytest.fixture(scope="session")
def htcondor() -> Ask:
    """``htcondor([(text, names), ...])`` gives a dict of values for each text; stderr stands under "!"."""
    pytest.importorskip("htcondor2")
    script = Path(__file__).with_name("condor_oracle.py")

    def ask(cases: Sequence[tuple[str, Sequence[str]]]) -> Answers:
        done = subprocess.run(
            [sys.executable, str(script)],
            input=json.dumps([[text, list(names)] for text, names in cases]),
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        answers: Answers = json.loads(done.stdout)
        return answers

    return ask
