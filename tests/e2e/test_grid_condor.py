"""Grid jobs in a pool of a real HTCondor: their files, their ends, and a gridmanager that is killed again and again."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from event_logs import check_event_logs
from pool import kill, wait_for
from real_pool import RealPool
from shared_pool import STRANGER, SharedPool, usable_python

#: One worker runs all tests: both pools are made once.
pytestmark = pytest.mark.xdist_group("grid_condor")

SAYS = 'cat in; echo "$1/$2/$3/$A" >&2; echo data > made; sleep 1; exit 3\n'


class Both(SharedPool):
    """Our pool beside a real one."""

    remote: RealPool

    def grid(self, text: str) -> None:
        """Submits grid jobs as the other account."""
        self.submit_as_stranger(f"universe = grid\ngrid_resource = {self.remote.resource}\n{text}queue\n")

    def count(self, log: str, number: int) -> int:
        """How often an event is in a log."""
        path = self.theirs / log
        return len(re.findall(rf"^{number:03d} ", path.read_text(), re.MULTILINE)) if path.exists() else 0


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    top = Path(f"/tmp/condor_py-pools-{os.getpid()}")
    remote = RealPool(top / "remote")
    if usable_python("htcondor2") != sys.executable:  # which talks to the other pool, with the rights of the account
        pytest.skip(f"the account {STRANGER} may not execute {sys.executable}")
    (top / "remote").mkdir(parents=True, mode=0o755)
    made = Both(
        top / "pool", cpus=1, GRIDMANAGER_CONDOR_CONFIG=str(remote.config), GRIDMANAGER_JOB_PROBE_INTERVAL="1",
        GRIDMANAGER_RESOURCE_PROBE_INTERVAL="1",
    )  # fmt: skip
    made.remote = remote
    try:
        remote.start()
        made.start()
        yield made
        check_event_logs(made.theirs)
    finally:
        made.stop()
        remote.stop()
        shutil.rmtree(top)


def test_files_words_and_exit_code(both: Both) -> None:
    (both.theirs / "says").write_text("#!/bin/sh\n" + SAYS)
    (both.theirs / "says").chmod(0o755)
    (both.theirs / "in").write_text("input\n")
    both.grid(
        "executable = says\narguments = \"one 'two three' $(DOLLAR)(date)\"\nenvironment = \"A='x y'\"\n"
        "transfer_input_files = in\noutput = o\nerror = e\nlog = a.log\n+Mine = [ a = 1 ]\n"
    )
    wait_for(lambda: ["1"] in both.remote.jobs("Mine.a"), "it is there")
    wait_for(lambda: both.count("a.log", 5) == 1, "it has ended", 60)
    found = {name: (both.theirs / name).read_text() for name in ("o", "e", "made")}
    assert found == {"o": "input\n", "e": "one/two three/$(date)/x y\n", "made": "data\n"}
    wait_for(lambda: both.history("ExitCode", "JobStatus")[0] == ["3", "4"], "it is recorded")


def test_held_released_edited_and_removed_here_is_so_there(both: Both) -> None:
    sleeps = "executable = /bin/sleep\ntransfer_executable = false\narguments = 600\n"
    both.grid(sleeps + "log = b.log\n+Mine = 1\n")
    wait_for(lambda: both.count("b.log", 1) == 1, "it runs", 60)
    (job,) = [number for number, status in both.remote.jobs("ClusterId", "JobStatus") if status == "2"]

    def there(*attributes: str) -> list[str]:
        return next((words[1:] for words in both.remote.jobs("ClusterId", *attributes) if words[0] == job), [])

    both.tool("condor_hold", "-all")
    wait_for(lambda: there("JobStatus", "HoldReason")[:3] == ["5", "by", "gridmanager"], "it is held there")
    wait_for(lambda: both.queue("GridJobStatus", "HoldReasonCode") == [["HELD", "1"]], "that is known here")
    both.tool("condor_qedit", "-constraint", "true", "Mine", "2", "Other2", '"x"')
    wait_for(lambda: there("Mine", "Other2") == ["2", "x"], "it is edited there")
    both.tool("condor_release", "-all")
    wait_for(lambda: both.count("b.log", 1) == 2, "it runs again", 60)
    assert there("JobStatus", "NumShadowStarts") == ["2", "2"], "and is the same job"
    both.tool("condor_qedit", "-constraint", "true", "Mine", "3")
    wait_for(lambda: there("Mine") == ["3"], "it is edited there while it runs")
    both.remote.tool("condor_hold", job, "-reason", "not now", "-subcode", "42")
    wait_for(lambda: both.queue("JobStatus") == [["5"]], "what was held there is held here")
    assert both.queue("HoldReasonCode", "HoldReasonSubCode", "HoldReason")[0][:4] == ["1", "42", "not", "now"]
    both.tool("condor_release", "-all")
    wait_for(lambda: there("JobStatus") in (["1"], ["2"]), "and released there")
    both.tool("condor_rm", "-all")
    wait_for(lambda: not both.queue("ClusterId"), "it has left here")
    wait_for(lambda: ["2"] not in both.remote.jobs("JobStatus"), "it has left there")
    assert (both.count("b.log", 12), both.count("b.log", 9), both.count("b.log", 27)) == (2, 1, 1)


def test_whoever_is_killed_nothing_is_lost_and_nothing_runs_twice(both: Both) -> None:
    ran = both.theirs / "ran"
    both.submit_as_stranger(
        f"universe = grid\ngrid_resource = {both.remote.resource}\nexecutable = /bin/sh\ntransfer_executable = false\n"
        f"arguments = \"-c 'echo $(Process) >> {ran}; sleep 1'\"\nlog = c.log\nqueue 8\n"
    )
    killed: set[int] = set()
    for number in range(1, 6):  # at other moments each time: when so many have been submitted, and so many have ended
        wait_for(lambda wanted=number: both.count("c.log", 27) + both.count("c.log", 5) >= wanted, "it goes on", 60)
        found = re.findall(rf"gridmanager for {STRANGER}, pid = (\d+)", (both.log / "SchedLog").read_text())
        if int(found[-1]) not in killed:
            kill(int(found[-1]))
            killed.add(int(found[-1]))
    wait_for(lambda: both.count("c.log", 5) == 8, lambda: (both.theirs / "c.log").read_text(), 90)
    assert sorted(ran.read_text().split()) == [str(number) for number in range(8)]


def test_submitting_there_and_asking_there(both: Both) -> None:
    (both.theirs / "x.sub").write_text(
        "executable = /bin/cat\narguments = in\ntransfer_input_files = in\nshould_transfer_files = yes\n"
        "when_to_transfer_output = on_exit\nlog = x.log\noutput = got\nnote @=end\n  queue\n@end\nqueue 2\n"
    )
    (both.theirs / "in").write_text("input\n")
    name, host = both.remote.resource.split()[1:]
    place = ("-name", name, "-pool", host)
    done = both.as_stranger("condor_submit", "-remote", name, "-pool", host, "x.sub", "-append", "+Foo = 7")
    found = re.search(r"2 job\(s\) submitted to cluster (\d+)", done.stdout)
    assert found, done.stderr
    cluster = found[1]
    shown = both.as_stranger("condor_q", *place, "-constraint", "Foo == 7", "-af", "ProcId")
    assert shown.stdout.split() == ["0", "1"]
    done = both.as_stranger(
        "condor_submit",
        *place,
        "-spool",
        "x.sub",
    )
    assert "2 job(s) submitted to cluster" in done.stdout, done.stderr
    done = both.as_stranger("condor_submit", *place, "x.sub")
    assert (done.returncode, "need -spool" in done.stderr) == (1, True)
    done = both.as_stranger("condor_q", "-name", "nobody", "-pool", host)
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot locate the schedd nobody" in done.stderr

    def there(*attributes: str) -> list[list[str]]:
        return [words[1:] for words in both.remote.jobs("ClusterId", *attributes) if words[0] == cluster]

    wait_for(lambda: there("JobStatus") == [["4"], ["4"]], "they have ended", 60)
    done = both.as_stranger("condor_qedit", *place, cluster, "Foo", "8")
    assert done.stdout == 'Set attribute "Foo" for 2 matching jobs.\n', done.stderr
    done = both.as_stranger("condor_qedit", *place, f"{cluster}.0", "Foo", "9", "Other", "1", "Guarded", "1")
    assert (done.returncode, there("Foo", "Other")) == (1, [["8", "undefined"]] * 2), "all of it or nothing"
    done = both.as_stranger("condor_qedit", *place, "99999.0", "Foo", "9")
    assert done.stderr.splitlines()[0] == 'Failed to set attribute "Foo" for job 99999.0.'
    there_too = ("-n", name, "-pool", host)
    assert both.as_stranger("condor_prio", "-p", "5", *there_too, cluster).stderr == ""
    assert both.as_stranger("condor_prio", "+2", *there_too, f"{cluster}.1").returncode == 0
    assert there("JobPrio") == [["5"], ["7"]]
    done = both.as_stranger("condor_prio", "-p", "5", *there_too, "99999.0")
    assert done.stderr == "Couldn't retrieve current priority for 99999.0.\n"
    (both.theirs / "got").unlink(missing_ok=True)
    done = both.as_stranger("condor_transfer_data", *place, f"{cluster}.0")
    assert (done.returncode, (both.theirs / "got").read_text()) == (0, "input\n"), done.stderr
    done = both.as_stranger("condor_rm", *place, f"{cluster}.0")
    assert done.stdout == f"Job {cluster}.0 marked for removal\n", done.stderr
    done = both.as_stranger("condor_hold", *place, "99999.0")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "Job 99999.0 not found")
    done = both.as_stranger("condor_rm", *place, cluster)
    assert done.stdout == f"All jobs in cluster {cluster} have been marked for removal\n", done.stderr
