"""DAGs on a real pool: condor_submit_dag, condor_dagman and the nodes, one pool for all of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pool import ROOT, PersonalPool, of_processes, wait_for

#: One worker runs all tests: the pool is made once.
pytestmark = pytest.mark.xdist_group("dagman")

_TRUE = "executable = /bin/true\nrequest_disk = 1\nqueue\n"
#: A job that notes that it ran, and waits until there is a file ``go``.
_NOTED = """executable = /bin/sh
arguments = "-c 'echo $(JOB) >> ran; while [ ! -e go ]; do sleep 0.05; done'"
should_transfer_files = no
request_disk = 1
queue
"""


class Dags:
    """A pool and one directory a DAG."""

    def __init__(self, pool: PersonalPool) -> None:
        self.pool = pool

    def make(self, name: str, text: str, **files: str) -> Path:
        """A directory with ``t.dag`` and other files (``a_sub`` is a.sub)."""
        made = self.pool.work / name
        made.mkdir()
        (made / "t.dag").write_text(text)
        (made / "true.sub").write_text(_TRUE)
        (made / "noted.sub").write_text(_NOTED)
        for file, content in files.items():
            path = made / file.replace("_", ".")
            path.write_text(content)
            path.chmod(0o755)
        return made

    def start(self, made: Path, *options: str) -> int:
        """condor_submit_dag; the cluster of condor_dagman."""
        done = self.pool.tool("condor_submit_dag", *options, "t.dag", cwd=made)
        return int(done.stdout.partition("submitted to cluster ")[2].partition(".")[0])

    def end(self, cluster: int, made: Path) -> int:
        """Wait for the end of condor_dagman; its exit code."""
        wait_for(lambda: self.pool.status_of(str(cluster)) is None, lambda: said(made))
        rows = self.pool.history("ClusterId", "ExitCode")
        return next(int(code) for number, code in rows if int(number) == cluster)

    def run(self, made: Path, *options: str) -> int:
        """Submit and wait; the exit code."""
        return self.end(self.start(made, *options), made)


def said(made: Path) -> str:
    """The log of condor_dagman, for messages of failed tests."""
    path = made / "t.dag.dagman.out"
    return path.read_text()[-4000:] if path.exists() else "no log"


@pytest.fixture(scope="module")
def dags(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dags]:
    pool = PersonalPool(
        tmp_path_factory.mktemp("dags") / "pool",
        cpus=8,
        DAGMAN_AVOID_SLASH_TMP="false",
        SCHEDULER_UNIVERSE_COOL_DOWN_DURATION="1",
    )
    pool.start()
    try:
        yield Dags(pool)
    finally:
        pool.stop()


def test_a_diamond_with_scripts_runs_in_order_and_leaves_its_files(dags: Dags) -> None:
    made = dags.make(
        "diamond",
        "JOB A true.sub\nJOB B true.sub\nJOB C nodes.sub\nJOB D true.sub\nPARENT A CHILD B C\nPARENT B C CHILD D\n"
        "SCRIPT PRE B note.sh pre $NODE\nSCRIPT DEBUG debug.txt ALL POST B note.sh post $RETURN\n"
        "NODE_STATUS_FILE status\nJOBSTATE_LOG jobstate\nDOT picture.dot\n",
        note_sh='#!/bin/sh\necho "$@" | tee -a notes\n',
        nodes_sub=f"universe = parallel\nmachine_count = 1\n{_TRUE.replace('queue', 'queue 2')}",
    )
    assert dags.run(made) == 0, said(made)
    assert (made / "notes").read_text() == "pre B\npost 0\n"
    assert (made / "debug.txt").read_text().startswith("*** Node=B Type=POST ExitCode=0 Completion=")
    order = [line.split() for line in (made / "jobstate").read_text().splitlines()]
    submits = [words[1] for words in order if words[2] == "SUBMIT"]
    assert submits[0] == "A"
    assert submits[-1] == "D"
    assert sorted(submits) == ["A", "B", "C", "D"]
    metrics = json.loads((made / "t.dag.metrics").read_text())
    assert (metrics["nodes_succeeded"], metrics["exitcode"], metrics["DagStatus"]) == (4, 0, 0)
    assert 'DagStatus = 5; /* "STATUS_DONE (success)" */' in (made / "status").read_text()
    assert '"A" -> "B";' in (made / "picture.dot.0").read_text()
    assert "All jobs Completed!" in said(made)
    assert not (made / "t.dag.lock").exists()


def test_a_failed_node_is_tried_again_then_leaves_a_rescue_file_from_which_the_dag_goes_on(dags: Dags) -> None:
    made = dags.make(
        "rescue",
        "JOB A true.sub\nJOB B fail.sub\nJOB C true.sub\nPARENT A CHILD B\nPARENT B CHILD C\nRETRY B 2\n",
        fail_sub="executable = /bin/sh\narguments = \"-c 'echo try >> tries; test -e fixed'\"\n"
        "should_transfer_files = no\nrequest_disk = 1\nqueue\n",
    )
    assert dags.run(made) == 1, said(made)
    assert (made / "tries").read_text() == "try\n" * 3
    rescue = (made / "t.dag.rescue001").read_text()
    assert "#   B,<ENDLIST>" in rescue
    assert rescue.endswith("\nDONE A\n")
    (made / "fixed").touch()
    assert dags.run(made) == 0, said(made)
    assert (made / "tries").read_text() == "try\n" * 4
    assert "Number of pre-completed nodes: 1" in (made / "t.dag.dagman.out").read_text()


def test_condor_dagman_killed_and_held_goes_on_and_no_node_runs_twice(dags: Dags) -> None:
    made = dags.make(
        "killed", "".join(f"JOB N{i} noted.sub\n" for i in range(4)) + "JOB Z noted.sub\nPARENT N0 N1 N2 N3 CHILD Z\n"
    )
    cluster = dags.start(made)
    ran = made / "ran"
    wait_for(lambda: ran.exists() and len(ran.read_text().split()) == 4, said(made))
    os.kill(manager(made), signal.SIGKILL)
    wait_for(lambda: "HTCondor Recovery Complete" in said(made), "condor_dagman recovers")
    dags.pool.tool("condor_hold", str(cluster))
    wait_for(lambda: "EXITING WITH STATUS 3" in said(made), "condor_dagman is held")
    (made / "go").touch()
    dags.pool.tool("condor_release", str(cluster))
    assert dags.end(cluster, made) == 0, said(made)
    assert sorted(ran.read_text().split()) == ["N0", "N1", "N2", "N3", "Z"]


def manager(made: Path) -> int:
    """The process id of the condor_dagman of a DAG."""
    for pid, command in of_processes("cmdline"):
        with suppress(OSError):
            if b"condor_dagman" in command and b"-Lockfile" in command and Path(f"/proc/{pid}/cwd").readlink() == made:
                return pid
    raise AssertionError(said(made))


def test_sub_dags_splices_variables_and_empty_nodes(dags: Dags) -> None:
    made = dags.make(
        "nested",
        "SUBDAG EXTERNAL S inner.dag\nSPLICE X inner.dag\nJOB N true.sub NOOP\nJOB V vars.sub\n"
        'VARS V word="hello there"\nPARENT N CHILD S X\nPARENT S CHILD V\n',
        inner_dag="JOB A true.sub\nJOB B true.sub\nPARENT A CHILD B\n",
        vars_sub="executable = /bin/echo\narguments = $(word) $(JOB)\noutput = said\nshould_transfer_files = no\n"
        "request_disk = 1\nqueue\n",
    )
    assert dags.run(made) == 0, said(made)
    assert (made / "said").read_text() == "hello there V\n"
    inner = json.loads((made / "inner.dag.metrics").read_text())
    assert inner["parent_dagman_id"] == json.loads((made / "t.dag.metrics").read_text())["dagman_id"]


def test_save_points_have_no_retries_and_are_in_the_directory_of_their_dag(dags: Dags) -> None:
    made = dags.make("saved", "")
    (made / "in").mkdir()
    (made / "true.sub").rename(made / "in" / "true.sub")
    (made / "in" / "t.dag").write_text(
        "CONFIG own.conf\nJOB A true.sub\nJOB B true.sub\nPARENT A CHILD B\nRETRY B 2\n"
        "SAVE_POINT_FILE A\nSAVE_POINT_FILE B ./B.save\n"
    )
    (made / "in" / "own.conf").write_text("DAGMAN_RESET_RETRIES_UPON_RESCUE = false\n")
    dags.pool.tool("condor_submit_dag", "-usedagdir", "in/t.dag", cwd=made)
    wait_for(lambda: not dags.pool.read_queue().clusters(), str(made))
    assert (made / "in" / "save_files" / "A-t.dag.save").read_text().endswith("#   <ENDLIST>\n\n")
    assert (made / "in" / "B.save").read_text().endswith("#   <ENDLIST>\n\nDONE A\n")
    assert not (made / "B.save").exists()


def test_a_halted_dag_starts_nothing_more(dags: Dags) -> None:
    made = dags.make("halted", "JOB A noted.sub\nJOB B true.sub\nPARENT A CHILD B\n")
    cluster = dags.start(made)
    wait_for((made / "ran").exists, said(made))
    (made / "t.dag.halt").touch()
    # Once it has answered, it has looked for the file before it reads of the end of A.
    dags.pool.tool("htcondor", "dag", "throttle", "--nodes", "9", str(cluster))
    (made / "go").touch()
    assert dags.end(cluster, made) == 1, said(made)
    assert "DAG_STATUS_HALTED" in said(made)
    assert "DONE A" in (made / "t.dag.rescue001").read_text()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("unknown", "JOB A true.sub\nRETRY Z 3\n", "ERROR: Unknown node Z referenced"),
        ("missing", "JOB A nowhere.sub\n", "Node submit failed after 1 try."),
        ("noscript", "JOB A true.sub\nSCRIPT PRE A nosuch.sh\n", 'executable "nosuch.sh": errno = 2'),
    ],
)
def test_what_is_wrong_is_said_and_ends_the_dag_with_1(dags: Dags, name: str, text: str, words: str) -> None:
    made = dags.make(name, text)
    assert dags.run(made) == 1, said(made)
    assert words in said(made)


def test_a_post_script_runs_although_the_submit_failed(dags: Dags) -> None:
    made = dags.make("unsubmitted", "JOB A nowhere.sub\nSCRIPT POST A post.sh $RETURN\n",
                     post_sh='#!/bin/sh\necho "$@" > returned\n')  # fmt: skip
    assert dags.run(made) == 0, said(made)
    assert (made / "returned").read_text() == "-1001\n"


def test_a_dag_that_a_file_has_halted_continues_when_that_is_removed_and_the_dag_resumed(dags: Dags) -> None:
    """The example of the man page of condor_dagman."""
    made = dags.make("resumed", "JOB A noted.sub\nJOB B true.sub\nPARENT A CHILD B\n")
    cluster = dags.start(made)
    wait_for((made / "ran").exists, lambda: said(made))
    (made / "t.dag.halt").touch()
    wait_for(lambda: ["6"] in dags.pool.queue("DAG_Status"), lambda: said(made))
    (made / "t.dag.halt").unlink()
    dags.pool.tool("htcondor", "dag", "resume", str(cluster))
    (made / "go").touch()
    assert dags.end(cluster, made) == 0, said(made)


def test_commands_of_the_bindings_halt_resume_and_limit(dags: Dags) -> None:
    made = dags.make("commanded", "JOB A noted.sub\nJOB B true.sub\nPARENT A CHILD B\n")
    cluster = dags.start(made)
    wait_for((made / "ran").exists, said(made))
    program = (
        "from condor_py.bindings import DAGMan\n"
        f"dag = DAGMan({cluster})\n"
        "print(dag.throttle(max_nodes=7)['DAGMan_MaxJobs'], dag.halt('lunch'), dag.resume())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=dags.pool.environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"7 (True, 'Halted DAG {cluster}') (True, 'Resumed DAG {cluster}')\n"
    assert ["7"] in dags.pool.queue("DAGMan_MaxJobs"), "what a condor_dagman that is started again takes"
    (made / "go").touch()
    assert dags.end(cluster, made) == 0, said(made)
    assert "Halt reason: lunch" in said(made)


@pytest.mark.parametrize(("pre", "post"), [("sleep.sh", "/bin/true"), ("/bin/true", "sleep.sh")])
def test_the_final_node_decides_although_scripts_were_killed_for_it(dags: Dags, pre: str, post: str) -> None:
    made = dags.make(
        f"killed{pre == 'sleep.sh'}",
        f"JOB A true.sub\nJOB B true.sub\nSCRIPT PRE A {pre}\nSCRIPT POST A {post}\nSCRIPT PRE B until.sh\n"
        "ABORT-DAG-ON B 4 RETURN 6\nFINAL F true.sub\nNODE_STATUS_FILE status\n",
        sleep_sh="#!/bin/sh\ntouch begun\nexec sleep 100\n",
        until_sh="#!/bin/sh\nwhile [ ! -e begun ]; do sleep 0.05; done\nexit 4\n",
    )
    assert dags.run(made) == 0, said(made)
    assert f"{'PRE Script of node A' if pre == 'sleep.sh' else 'POST Script of node A'} died on signal 9" in said(made)
    assert 'DagStatus = 5; /* "STATUS_DONE (success)" */' in (made / "status").read_text()


def test_a_removed_dag_takes_its_nodes_along_and_leaves_a_rescue_file(dags: Dags) -> None:
    made = dags.make("removed", "JOB A noted.sub\nJOB B true.sub\nPARENT A CHILD B\n")
    cluster = dags.start(made)
    wait_for((made / "ran").exists, said(made))
    rows = dags.pool.queue("DAGNodeName", "DAGManJobId", "JobBatchName", "JobBatchId")
    assert ["A", str(cluster), f"t.dag+{cluster}", f"{cluster}.0"] in rows
    dags.pool.tool("condor_rm", str(cluster))
    wait_for(lambda: not dags.pool.read_queue().clusters(), said(made))
    assert "#   <ENDLIST>" in (made / "t.dag.rescue001").read_text()
    assert "EXITING WITH STATUS 2" in said(made)


def test_a_removed_dag_that_was_paused_runs_its_final_node(dags: Dags) -> None:
    made = dags.make("paused", "JOB A noted.sub\nFINAL F true.sub\n")
    cluster = dags.start(made)
    wait_for((made / "ran").exists, said(made))
    dags.pool.tool("htcondor", "dag", "halt", "--pause", str(cluster))
    dags.pool.tool("condor_rm", str(cluster))
    wait_for(lambda: not dags.pool.read_queue().clusters(), lambda: said(made))
    assert "Node F job(s) have exited the queue" in said(made)
    assert "EXITING WITH STATUS 0" in said(made)


def test_a_dag_whose_nodes_log_can_not_be_written_leaves_a_rescue_file(dags: Dags) -> None:
    made = dags.make(
        "unwritable",
        "JOB A true.sub\nJOB B true.sub\nJOB C noted.sub\nPARENT A CHILD B\nSCRIPT POST B post.sh\n",
        post_sh="#!/bin/sh\nrm t.dag.nodes.log\nmkdir t.dag.nodes.log\n",
    )
    assert dags.run(made) == 1, said(made)
    assert (made / "t.dag.rescue001").read_text().endswith("\nDONE A\n")
    assert (made / "t.dag.metrics").exists()
    assert not (made / "t.dag.lock").exists()
    assert "ERROR: cannot write the event log" in said(made)
    wait_for(
        lambda: ["C", "3"] in dags.pool.history("DAGNodeName", "JobStatus"), lambda: said(made)
    )  # what ran is removed
    (made / "t.dag.nodes.log").rmdir()
    (made / "post.sh").write_text("#!/bin/sh\n")
    (made / "go").touch()
    assert dags.run(made) == 0, said(made)
    assert "Number of pre-completed nodes: 1" in (made / "t.dag.dagman.out").read_text()


def test_no_dag_ends_for_want_of_room_for_what_condor_dagman_prints(dags: Dags) -> None:
    made = dags.make(
        "unprinted", "JOB A true.sub\nSUBDAG EXTERNAL B in.dag\nPARENT A CHILD B\n", in_dag="JOB C noted.sub\n"
    )
    (made / "go").touch()
    full = ("-append", "output = /dev/full", "-append", "error = /dev/full")
    assert dags.run(made, *full) == 0, said(made)
    assert (made / "ran").read_text() == "C\n"


#: B begins when A has ended, C when B has.
_LINE = "JOB A true.sub\nJOB B noted.sub\nJOB C noted.sub\nFINAL F noted.sub\nPARENT A CHILD B\nPARENT B CHILD C\n"


def goes_on_from_the_rescue_file(dags: Dags, made: Path) -> None:
    """Check that a DAG whose nodes log was damaged behind the end of A has ended, and that the next one begins at B."""
    assert "not a job event: 'garbage'" in said(made)
    assert (made / "t.dag.rescue001").read_text().endswith("\nDONE A\n")
    assert not (made / "t.dag.lock").exists()
    assert (made / "ran").read_text() == "B\n"
    assert dags.run(made) == 0, said(made)
    assert (made / "ran").read_text() == "B\nB\nC\nF\n"


def test_a_nodes_log_that_is_damaged_ends_the_dag_with_a_rescue_file(dags: Dags) -> None:
    made = dags.make("damaged", _LINE)
    cluster = dags.start(made)
    wait_for((made / "ran").exists, lambda: said(made))
    with (made / "t.dag.nodes.log").open("a") as log:
        log.write("garbage\n...\n")
    (made / "go").touch()
    assert dags.end(cluster, made) == 2, said(made)
    goes_on_from_the_rescue_file(dags, made)


def test_a_recovery_that_cannot_read_the_whole_nodes_log_starts_nothing(dags: Dags) -> None:
    made = dags.make("damaged_before", _LINE)
    cluster = dags.start(made)
    wait_for((made / "ran").exists, lambda: said(made))
    dags.pool.tool("condor_hold", str(cluster))
    wait_for(lambda: "EXITING WITH STATUS 3" in said(made), lambda: said(made))
    log = made / "t.dag.nodes.log"
    before, submit, behind = log.read_text().rpartition("000 (")
    assert 'DAGNodeName = "B"' in behind
    log.write_text(f"{before}garbage\n...\n{submit}{behind}")
    (made / "go").touch()
    wait_for(lambda: "\n005 (" in log.read_text().partition("garbage")[2], "B ends")
    wait_for(lambda: dags.pool.queue("ClusterId") == [[str(cluster)]], "B has left the queue")
    dags.pool.tool("condor_release", str(cluster))
    assert dags.end(cluster, made) == 2, said(made)
    goes_on_from_the_rescue_file(dags, made)


def test_a_dag_that_has_ended_does_not_run_again_when_its_job_was_held_at_that_moment(dags: Dags) -> None:
    """condor_dagman leaves DAG_ExitCode in its job before it exits; a job that was held meanwhile starts once more."""
    made = dags.make("ended", "JOB A noted.sub\n")
    (made / "go").touch()
    assert dags.run(made) == 0, said(made)
    assert ["0"] in dags.pool.history("DAG_ExitCode")
    assert dags.run(made, "-f", "-append", "My.DAG_ExitCode = 1") == 1, said(made)
    assert (made / "ran").read_text() == "A\n"
    assert "This DAG has already ended, with 1" in said(made)


@pytest.mark.parametrize(("option", "words"), [("-DryRun", "Processing node: B"), ("-Dot", "Writing .dot file: t.dot")])
def test_what_is_to_run_nothing_runs_nothing(dags: Dags, option: str, words: str) -> None:
    made = dags.make(
        f"only{option}",
        "JOB A true.sub\nJOB B true.sub\nSCRIPT PRE A /bin/touch ran\nPARENT A CHILD B\nDOT t.dot OVERWRITE\n",
    )
    before = dags.pool.history("ClusterId")
    done = dags.pool.tool("condor_dagman", "-f", "-l", ".", "-Dag", "t.dag", option, cwd=made)
    assert done.returncode == 0
    assert words in next(made.glob("*.dagman.out")).read_text()
    assert (made / "t.dot").exists() is (option == "-Dot")
    assert not (made / "ran").exists()
    assert [*made.glob("*.nodes.log"), *made.glob("*.lock")] == []
    assert dags.pool.queue("ClusterId") == []
    assert dags.pool.history("ClusterId") == before
