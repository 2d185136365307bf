"""condor_status on the recorded pools prints what HTCondor's printed."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import make_pools

from condor_py.cli.status import main

TRANSCRIPT = Path(__file__).with_name("transcript.txt").read_text()
POOLS = {"a": make_pools.pool_a, "b": make_pools.pool_b, "others": make_pools.other_daemons}


def cases() -> list[tuple[str, str, str]]:
    """(pool, command, output) of the transcript."""
    found: list[tuple[str, str, list[str]]] = []
    for line in TRANSCRIPT.splitlines():
        if line.startswith("["):
            pool, _, command = line[1:].partition("] $ ")
            found.append((pool, command, []))
        elif found:
            found[-1][2].append(line)
    return [(pool, command, "\n".join(lines)) for pool, command, lines in found]


def assert_like(shown: str, wanted: str) -> None:
    """Line by line; three dots in ``wanted`` stand for any lines."""
    parts = wanted.split("\n...")
    assert shown.startswith(parts[0])
    at = len(parts[0])
    for part in parts[1:]:
        if part:
            at = shown.index(part, at) + len(part)
    if parts[-1]:
        assert at == len(shown)


@pytest.mark.usefixtures("universal_time")
@pytest.mark.parametrize(("pool", "command", "output"), cases(), ids=lambda text: text[:40])
def test_recorded(
    pool: str,
    command: str,
    output: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", str(make_pools.publish(tmp_path, POOLS[pool]())))
    assert main(shlex.split(command)[1:]) == 0
    shown = capsys.readouterr().out.rstrip("\n")
    assert_like(shown, output.rstrip("\n"))
