"""Submitting nodes into a queue that no schedd serves: what is made of descriptions, and what is said of those of which
nothing can be made.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.client.pool import Pool
from condor_py.daemons.dagman.submitter import Submitter
from condor_py.daemons.dagman.templates import NodeText
from condor_py.lang.config.builders.submit import submit as submit_settings

_TRUE = "executable = /bin/true\nshould_transfer_files = no\nrequest_disk = 1\n"


class Queue:
    """A submitter, and what it has queued."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.submitter = self.with_many(prohibited=False)

    def with_many(self, prohibited: bool) -> Submitter:
        """A submitter that refuses several jobs of a node, or does not."""
        return Submitter(self.pool, submit_settings(self.pool.config), prohibited)

    def args(self) -> list[str]:
        """DAGNodeName and arguments of every job."""
        view = self.pool.read_queue()
        return [f"{ad.eval_str('DAGNodeName', '')} {ad.eval_str('Args', '')}".strip() for _, ad in view.jobs()]


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Queue:
    """A pool that does not run; its directory is the current one."""
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path / "local"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return Queue(Pool("DAGMAN"))


def node(name: str, text: str | None = None, *before: tuple[str, str], directory: str = "") -> NodeText:
    """A node with a description of its own, or one of the file x.sub."""
    behind = (f"dag_node_name = {name}", f'MY.DAGNodeName = "{name}"')
    return NodeText(name, "x.sub" if text is None else "d", text, directory, (("JOB", name), *before), behind)


def test_nodes_before_one_that_cannot_be_submitted_are_in_the_queue(queue: Queue) -> None:
    nodes = [node("A", f"{_TRUE}queue\n"), node("B"), node("C", f"{_TRUE}queue\n")]
    done, failure = queue.submitter.submit(nodes)
    assert [one.jobs for one in done] == [1]
    assert failure is not None
    assert failure.for_good
    assert failure.reason == "Failed to open submit file: can't open file x.sub: No such file or directory"
    assert queue.args() == ["A"]


def test_of_several_queue_statements_the_first_counts(queue: Queue) -> None:
    done, failure = queue.submitter.submit([node("A", f"{_TRUE}arguments = 1\nqueue 2\narguments = 2\nqueue\n")])
    assert (done[0].jobs, failure) == (2, None)
    assert queue.args() == ["A 1", "A 1"]


@pytest.mark.parametrize("kind", ["universe = parallel", "+WantParallelScheduling = true"])
def test_a_parallel_job_is_one_job(queue: Queue, kind: str) -> None:
    """Its log has the submit and the end of proc 0 alone."""
    done, failure = queue.submitter.submit([node("A", f"{_TRUE}{kind}\nmachine_count = 2\nqueue 3\n")])
    assert (failure, [one.jobs for one in done]) == (None, [1])
    assert len(queue.args()) == 3


def test_a_list_of_nothing_makes_one_job(queue: Queue) -> None:
    done, failure = queue.submitter.submit([node("A", f"{_TRUE}arguments = x$(f)\nqueue f matching *.none\n")])
    assert (done[0].jobs, failure) == (1, None)
    assert queue.args() == ["A x"]


def test_what_nothing_has_asked_for_is_told_of_every_node(queue: Queue) -> None:
    text = f"{_TRUE}arguments = $(used)\nqueue\n"
    nodes = [node(name, text, ("used", "1"), ("b", "3"), ("c", "4")) for name in "AB"]
    done, _ = queue.submitter.submit([*nodes, node("C", text, ("used", "1"))])
    told = [f"Submit:0:the line '{line}' was unused by DAGMAN. Is it a typo?" for line in ("c = 4", "b = 3")]
    warning = "Submit warning: " + "\n|".join(told)
    assert [one.warning for one in done] == [warning, warning, ""]


def test_a_directory_that_is_not_there_may_come(queue: Queue) -> None:
    done, failure = queue.submitter.submit([node("A", f"{_TRUE}queue\n", directory="gone")])
    assert not done
    assert failure is not None
    assert not failure.for_good
    assert failure.lines[0].startswith("Could not change to node directory gone: Unable to chdir to gone: No such file")


def test_several_jobs_where_one_is_allowed(queue: Queue) -> None:
    done, failure = queue.with_many(prohibited=True).submit([node("A", f"{_TRUE}queue 2\n")])
    assert not done
    assert failure is not None
    assert "disallowed by DAGMAN_PROHIBIT_MULTI_JOBS" in failure.reason


@pytest.mark.parametrize("more", ["", "max_materialize = 1\n", "universe = parallel\nmachine_count = 1\n"])
def test_a_provisioner_has_one_job_or_the_dag_ends(queue: Queue, more: str) -> None:
    one, two = node("S", f"{_TRUE}{more}queue 2\n"), node("P", f"{_TRUE}{more}queue 2\n")._replace(is_single=True)
    done, failure = queue.submitter.submit([one, two])
    assert len(done) == 1
    assert failure is not None
    assert failure.ends_dag
    assert failure.reason == "ERROR: Provisioner node P submitted more than one job"
    assert not any(job.startswith("P") for job in queue.args())


@pytest.mark.parametrize("text", ["universe = nonsense\nexecutable = x\nqueue\n", "arguments = 1\nqueue\n", ""])
def test_what_is_no_description_fails_for_good(queue: Queue, text: str) -> None:
    done, failure = queue.submitter.submit([node("A", text)])
    assert not done
    assert failure is not None
    assert failure.for_good
    assert queue.args() == []
