"""The screens of the guides are what the tools print."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from guide_screens import Desk, alike, guide_pool, steps
from pool import PATIENCE, ROOT

#: What only looks, and so may look again: the pool needs a moment to show what a command has changed.
_LOOKS = ("cat", "condor_history", "condor_q", "condor_status", "condor_top", "condor_userprio", "grep", "ls")


@pytest.mark.parametrize("guide", ["README.md", "docs/user-guide.md", "docs/admin-guide.md", "docs/tour.md"])
def test_screens(guide: str, tmp_path: Path) -> None:
    lines = (ROOT / guide).read_text().splitlines()
    pool = guide_pool(tmp_path, lines)
    try:
        pool.start()
        desk = Desk(pool)
        compared = 0
        for step in steps(lines):
            printed = desk.do(step, lines)
            deadline = time.monotonic() + 30 * PATIENCE
            while step.kind == "screen" and step.command.split()[0] in _LOOKS and time.monotonic() < deadline:
                if alike(printed) == alike(lines[step.first : step.last]):
                    break
                printed = desk.do(step, lines)
            if step.kind == "screen":
                compared += 1
                assert alike(printed) == alike(lines[step.first : step.last]), f"{guide}: $ {step.command}"
    finally:
        pool.stop()
    assert compared >= 4
