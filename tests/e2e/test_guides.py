"""The screens of the guides are what the tools print."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from guide_screens import Desk, alike, guide_pool, steps
from pool import ROOT

#: Slots show what jobs do within half a second.
_OF_SLOTS = ("condor_status", "condor_top")


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
            deadline = time.monotonic() + 10
            while step.kind == "screen" and step.command.startswith(_OF_SLOTS) and time.monotonic() < deadline:
                if alike(printed) == alike(lines[step.first : step.last]):
                    break
                printed = desk.do(step, lines)
            if step.kind == "screen":
                compared += 1
                assert alike(printed) == alike(lines[step.first : step.last]), f"{guide}: $ {step.command}"
    finally:
        pool.stop()
    assert compared >= 4
