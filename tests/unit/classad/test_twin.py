"""The extension and the pure-Python twin agree on everything, hostile texts included."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.lang.classad import kernel

CORPUS = Path(__file__).with_name("twin_corpus.py")
ROOT = Path(__file__).resolve().parents[3]


def output(seed: int, count: int, pure: bool) -> list[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": "0",
        "CONDOR_PY_NO_EXT": "1" if pure else "0",
    }
    command = [sys.executable, str(CORPUS), str(seed), str(count)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.splitlines()


@pytest.mark.skipif(kernel.native is None, reason="the extension is not built (or CONDOR_PY_NO_EXT=1)")
@pytest.mark.parametrize("seed", [1, 2])
def test_both_agree_on_random_texts(seed: int) -> None:
    compiled, pure = output(seed, 750, False), output(seed, 750, True)
    different = [pair for pair in zip(compiled, pure, strict=True) if pair[0] != pair[1]]
    assert different == []
