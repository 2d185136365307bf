"""The collector of garbage cycles in a daemon that holds much for long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
#: In a process of its own: among all tests, which pytest holds, each collection takes seconds.
PROGRAM = """
import gc
from condor_py.daemons.common import oldobjects

oldobjects.leave_old_objects_alone()
oldobjects.leave_old_objects_alone()
gc.collect()
gc.unfreeze()
oldobjects._LONG = 1000.0
gc.collect()
assert gc.get_freeze_count() == 0
oldobjects._LONG = 0.0
gc.collect(1)
assert gc.get_freeze_count() == 0
gc.collect()
seen = gc.get_freeze_count()
assert seen > 1000, seen
kept = [[number] for number in range(1000)]
gc.collect()
assert gc.get_freeze_count() >= seen + len(kept)
print("left alone")
"""


def test_what_a_long_collection_has_looked_through_is_left_alone() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("left alone\n", "")
