"""Every example of etc/examples runs to the end that its table promises."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import ROOT, PersonalPool, wait_for

EXAMPLES = ROOT / "etc" / "examples"
ROW = re.compile(r"^\| (\w+\.sub) \| (\d+) \| .* \| (completed|held|removed|waiting|try it) \|$", re.MULTILINE)
TABLE = [(name, int(jobs), end) for name, jobs, end in ROW.findall((EXAMPLES / "README.md").read_text())]


def test_every_submit_file_is_in_the_table() -> None:
    assert {name for name, _, _ in TABLE} == {path.name for path in EXAMPLES.glob("*.sub")}
    assert len(TABLE) >= 10


class Examples:
    """All examples in one pool that looks at periodic expressions every second; each has a directory of its own."""

    def __init__(self, pool: PersonalPool) -> None:
        self.pool = pool
        self.clusters: dict[str, str] = {}

    def submit(self, name: str, jobs: int) -> None:
        place = self.pool.work / name
        shutil.copytree(EXAMPLES, place)
        done = self.pool.tool("condor_submit", name, cwd=place)
        found = re.search(rf"^{jobs} job\(s\) submitted to cluster (\d+)\.$", done.stdout, re.MULTILINE)
        assert found, done.stdout + done.stderr
        self.clusters[name] = found[1]

    def is_queued(self, name: str) -> bool:
        """Whether jobs of an example are in the queue. Tests ask so often that no tool is run for it."""
        return int(self.clusters[name]) in self.pool.read_queue().clusters()

    def queued(self, name: str, *attributes: str) -> list[list[str]]:
        return self._rows("condor_q", name, attributes)

    def ended(self, name: str, *attributes: str) -> list[list[str]]:
        return self._rows("condor_history", name, attributes)

    def _rows(self, tool: str, name: str, attributes: tuple[str, ...]) -> list[list[str]]:
        done = self.pool.tool(tool, self.clusters[name], "-af", *attributes)
        return [line.split() for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def examples() -> Iterator[Examples]:
    with tempfile.TemporaryDirectory(prefix="examples.") as top:
        knobs = {"PERIODIC_EXPR_INTERVAL": "1", "STARTER_ALLOW_JOB_PRE_AND_POST_CMD": "true"}
        knobs |= {"AUTO_INCLUDE_CREDD_IN_DAEMON_LIST": "true", "SEC_CREDENTIAL_DIRECTORY_OAUTH": f"{top}/credentials"}
        pool = PersonalPool(Path(top) / "pool", cpus=24, **knobs)
        made = Examples(pool)
        try:
            pool.start()
            pool.tool("condor_store_cred", "add-oauth", "-s", "box", "-P", "-i", "-", stdin="for oauth.sub\n")
            for name, jobs, end in sorted(TABLE, key=lambda row: row[1]):
                if end != "try it":
                    made.submit(name, jobs)
            yield made
        finally:
            pool.stop()


@pytest.mark.parametrize(("name", "jobs"), [(name, jobs) for name, jobs, end in TABLE if end == "try it"])
def test_an_example_for_another_pool(stopped_pool: PersonalPool, name: str, jobs: int) -> None:
    for key in ("key.id", "key.secret"):
        (stopped_pool.work / key).write_text("for s3.sub\n")
    stopped_pool.environment["_CONDOR_USE_JOBSETS"] = "true"  # for set.sub
    done = stopped_pool.tool("condor_submit", "-dry-run", "-", str(EXAMPLES / name))
    assert f"{jobs} job(s) dry-run" in done.stdout
    assert "WARNING" not in done.stderr


# One worker runs all: the pool is made once.
@pytest.mark.xdist_group("examples")
@pytest.mark.parametrize(("name", "jobs", "end"), [row for row in TABLE if row[2] != "try it"])
def test_example(examples: Examples, name: str, jobs: int, end: str) -> None:
    if end == "held":
        wait_for(lambda: examples.queued(name, "JobStatus") == [["5"]] * jobs, "held", 90)
        return
    if end == "waiting":
        wait_for(lambda: examples.queued(name, "DeferralTime > time()") == [["true"]] * jobs, "waiting")
        assert examples.ended(name, "JobStatus") == []
        return
    rows: list[list[str]] = []

    def all_ended() -> bool:
        """Whether all jobs are in the history and none in the queue. A factory may have none there for a moment,
        between two jobs that it makes."""
        if examples.is_queued(name):
            return False
        rows[:] = examples.ended(name, "JobStatus", "ExitCode")
        return len(rows) >= jobs

    wait_for(all_ended, lambda: f"all jobs are in the history: {len(rows)}", 150)
    assert len(rows) == jobs
    expected = [["4", "0"]] if end == "completed" else [["3", rows[0][1]]]
    assert rows == expected * jobs
