"""Every DAG of etc/examples/dags runs to the end that its README promises; condor_submit_dag -wait tells which."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pool import MAIN, PATIENCE, ROOT, Done, PersonalPool, wait_for

EXAMPLES = ROOT / "etc" / "examples" / "dags"
#: What a DAG leaves, by file.
LEFT = {
    "diamond.dag": {"total.txt": "500500\n"},
    "sweep.dag": {"best.txt": "1 6\n"},
    "splices.dag": {"lines.txt": "line of Left\nline of Middle\nline of Right\n"},
    "nested.dag": {"report.txt": "the DAG ended with status 0\n", "total.txt": "500500\n"},
}


@pytest.fixture
def pool(pool: PersonalPool) -> PersonalPool:
    """A pool in whose work directory, which may be below /tmp, nothing is yet."""
    pool.configure("DAGMAN_AVOID_SLASH_TMP = false\n")
    return pool


def copied(pool: PersonalPool, name: str) -> Path:
    """A copy of the examples."""
    made = pool.work / name
    shutil.copytree(EXAMPLES, made)
    return made


def submit(pool: PersonalPool, made: Path, *words: str) -> Done:
    return pool.tool("condor_submit_dag", "-wait", *words, cwd=made, check=False)


def complaints(err: str) -> list[str]:
    """What stands on standard error beside the advice of condor_submit."""
    return [line for line in err.splitlines() if not line.startswith("To monitor your job(s), run: ")]


def said(made: Path, dag: str) -> str:
    return (made / f"{dag}.dagman.out").read_text()[-3000:]


def test_every_dag_is_in_the_table_and_is_run() -> None:
    table = re.findall(r"^\| (\w+\.dag) \|", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert {*table, "line.dag"} == {path.name for path in EXAMPLES.glob("*.dag")}
    assert {*LEFT, "retries.dag"} == set(table)


@pytest.mark.parametrize("dag", sorted(LEFT))
def test_a_dag_leaves_what_it_promises_and_waiting_in_a_pipe_is_quiet(pool: PersonalPool, dag: str) -> None:
    made = copied(pool, dag.removesuffix(".dag"))
    done = submit(pool, made, dag)
    assert done.returncode == 0, said(made, dag)
    assert not complaints(done.stderr)
    assert done.stdout.endswith("-" * 71 + "\n")
    for name, text in LEFT[dag].items():
        assert (made / name).read_text() == text


def test_a_dag_that_failed_goes_on_where_it_was(pool: PersonalPool) -> None:
    made = copied(pool, "retries")
    done = submit(pool, made, "retries.dag")
    assert done.returncode == 1
    assert complaints(done.stderr) == ["ERROR: retries.dag ended with 1: retries.dag.dagman.out says why"]
    assert "DONE Flaky" in (made / "retries.dag.rescue001").read_text()
    assert not (made / "result.txt").exists()
    (made / "mended").touch()
    assert submit(pool, made, "retries.dag").returncode == 0, said(made, "retries.dag")
    assert (made / "result.txt").read_text() == "done at last\n"
    assert (made / "flaky.err").read_text() == ""  # its last try, of the first run


def on_a_terminal(pool: PersonalPool, made: Path, *words: str) -> tuple[subprocess.Popen[bytes], int]:
    """A tool whose standard error is a terminal; its near end."""
    near, far = pty.openpty()
    process = subprocess.Popen([sys.executable, "-I", str(MAIN), *words], cwd=made, stderr=far,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               env={**pool.environment, "COLUMNS": "100"})  # fmt: skip
    os.close(far)
    return process, near


def shown(near: int, until: str, seconds: float = 60.0) -> str:
    """What the terminal shows, up to a text."""
    text, deadline = "", time.monotonic() + seconds * PATIENCE
    while until not in text:
        left = deadline - time.monotonic()
        assert left > 0, text
        if select.select([near], [], [], left)[0]:
            try:
                text += os.read(near, 4096).decode()
            except OSError:
                break  # the tool has ended
    return text


def test_on_a_terminal_a_line_tells_how_far_it_is_and_who_stops_waiting_stops_no_dag(pool: PersonalPool) -> None:
    made = pool.work / "shown"
    made.mkdir()
    (made / "t.dag").write_text("JOB A a.sub NOOP\nJOB B b.sub\nPARENT A CHILD B\n")
    (made / "b.sub").write_text(
        "executable = /bin/sh\narguments = \"-c 'until test -e go; do sleep 0.05; done'\"\n"
        "should_transfer_files = no\nrequest_disk = 10M\nqueue\n"
    )
    process, near = on_a_terminal(pool, made, "condor_submit_dag", "-wait", "t.dag")
    shown(near, "\rt.dag [##########----------] 1 of 2 nodes done, 1 running")
    process.send_signal(signal.SIGINT)
    cluster = shown(near, "\n").rpartition("continues as job ")[2].partition(".")[0]
    assert process.wait(60 * PATIENCE) == 130
    os.close(near)
    assert pool.status_of(cluster) == 2
    assert "1 has completed." in pool.tool("htcondor", "dag", "status", cluster).stderr
    row = pool.tool("htcondor", "dag", "resources", cluster).stderr.splitlines()[1].split()
    assert (row[0], row[2]) == ("B", "Running")
    limits = pool.tool("htcondor", "dag", "throttle", "--nodes", "3", cluster).stdout.splitlines()
    assert limits[1] == "\tMaximum Submitted Nodes-------: 3"
    for verb, done in (("halt", "Halted"), ("resume", "Resumed")):
        assert pool.tool("htcondor", "dag", verb, cluster).stderr == f"{done} DAG {cluster}\n"
    (made / "go").touch()
    wait_for(lambda: "All jobs Completed!" in said(made, "t.dag"), "the DAG comes to its end")
    assert "DAG Event Log Histogram" in pool.tool("htcondor", "dag", "histogram", cluster).stdout


def test_on_a_terminal_the_end_is_told(pool: PersonalPool) -> None:
    process, near = on_a_terminal(pool, copied(pool, "ended"), "condor_submit_dag", "-wait", "sweep.dag")
    assert "sweep.dag is done after 0:0" in shown(near, "is done after 0:0")
    assert process.wait(60 * PATIENCE) == 0
    os.close(near)


def test_a_dag_that_is_removed_ends_with_2(pool: PersonalPool) -> None:
    made = pool.work / "removed"
    made.mkdir()
    (made / "t.dag").write_text("JOB A a.sub\n")
    (made / "a.sub").write_text("executable = /bin/sleep\narguments = 1000\nhold = true\nqueue\n")
    words = [sys.executable, "-I", str(MAIN), "condor_submit_dag", "-wait", "t.dag"]
    with subprocess.Popen(
        words, cwd=made, env=pool.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as waiting:
        wait_for(lambda: pool.events("removed/t.dag.nodes.log"), "the node is in the queue")
        pool.tool("condor_rm", str(int((made / "t.dag.dagman.log").read_text()[5:].partition(".")[0])))
        assert complaints(waiting.communicate(timeout=60 * PATIENCE)[1])[0].startswith("ERROR: t.dag ended with 2: ")
        assert waiting.returncode == 2
