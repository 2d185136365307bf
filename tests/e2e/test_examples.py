"""Every example of etc/examples runs to the end that its table promises."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from pool import ROOT, PersonalPool, wait_for

EXAMPLES = ROOT / "etc" / "examples"
ROW = re.compile(r"^\| (\w+\.sub) \| (\d+) \| .* \| (completed|held|removed|waiting|looked at) \|$", re.MULTILINE)
TABLE = [(name, int(jobs), end) for name, jobs, end in ROW.findall((EXAMPLES / "README.md").read_text())]


def test_every_submit_file_is_in_the_table() -> None:
    assert {name for name, _, _ in TABLE} == {path.name for path in EXAMPLES.glob("*.sub")}
    assert len(TABLE) >= 10


@pytest.fixture
def quick_pool(tmp_path: Path) -> PersonalPool:
    """A pool that looks at periodic expressions every second, not yet started."""
    made = PersonalPool(tmp_path / "pool", cpus=4, PERIODIC_EXPR_INTERVAL="1")
    shutil.copytree(EXAMPLES, made.work, dirs_exist_ok=True)
    return made


@pytest.mark.parametrize(("name", "jobs", "end"), TABLE)
def test_example(quick_pool: PersonalPool, name: str, jobs: int, end: str) -> None:
    pool = quick_pool
    try:
        if end == "looked at":
            done = pool.tool("condor_submit", "-dry-run", "-", name)
            assert f"{jobs} job(s) dry-run" in done.stdout
            assert "WARNING" not in done.stderr
            return
        pool.start()
        done = pool.tool("condor_submit", name)
        assert f"{jobs} job(s) submitted" in done.stdout
        if end == "held":
            wait_for(lambda: [row[0] for row in pool.queue("JobStatus")] == ["5"] * jobs, "held", 90)
            return
        if end == "waiting":
            wait_for(lambda: pool.queue("JobStatus", "DeferralTime > time()") == [["1", "true"]] * jobs, "waiting")
            return
        # A factory may have an empty queue for a moment, between two jobs that it makes.
        wait_for(lambda: len(pool.history("JobStatus")) >= jobs, "all jobs are in the history", 150)
        wait_for(lambda: pool.queue("ClusterId") == [], "all jobs have left the queue", 30)
        rows = pool.history("JobStatus", "ExitCode")
        assert len(rows) == jobs
        expected = [["4", "0"]] if end == "completed" else [["3", rows[0][1]]]
        assert rows == expected * jobs
    finally:
        pool.stop()
