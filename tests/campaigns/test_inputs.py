"""A moment of the campaign ``inputs``: each parser gets some inputs of a fixed seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """The campaign, to its end."""
    command = [sys.executable, str(HERE / "inputs.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_every_parser_reads_or_refuses_what_comes() -> None:
    done = run("-n", "3000", "-seed", "1")
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["inputs"] == 3000
    assert min(told["by parser"].values()) >= 3000 // len(told["by parser"])


def test_the_same_seed_makes_the_same_input() -> None:
    first, second = (run("-parser", "submit", "-only", "3", "-seed", "7").stdout.splitlines()[0] for _ in range(2))
    assert first == second


@pytest.mark.parametrize("words", [["-parser", "nothing"]])
def test_what_it_cannot_do_it_says(words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert "no parser is called nothing" in done.stderr


def test_a_parser_that_fails_is_found(tmp_path: Path) -> None:
    """A program with three bad parsers: an error of another kind, one that never ends, and a crash."""
    (tmp_path / "bad.py").write_text(
        "import os, sys, signal\n"
        f"sys.path[:0] = [{str(HERE)!r}]\n"
        "import inputs, input_maker\n"
        "def fails(data): raise KeyError('x')\n"
        "def crashes(data): os.kill(os.getpid(), signal.SIGSEGV)\n"
        "def slow(data):\n    while True: pass\n"
        "make = lambda maker: maker.pick(['1 2 7'])\n"
        "inputs._SOON = 0.2\n"
        "bad = [input_maker.Parser(f.__name__, make, f, errors=(ValueError,)) for f in (fails, crashes, slow)]\n"
        "inputs.PARSERS = tuple(bad)\n"
        "sys.exit(inputs.main())\n"
    )
    words = [sys.executable, str(tmp_path / "bad.py"), "-n", "6", "-keep", str(tmp_path / "kept")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, env={**os.environ})
    assert done.returncode == 1, done.stderr
    assert "KeyError" in done.stderr
    assert "ended by SIGSEGV" in done.stderr
    assert "TooSlow" in done.stderr
    assert (tmp_path / "kept").is_dir()
