"""A pool that root started, used by an ordinary account: identity comes from the kernel, jobs run as their owner."""

from __future__ import annotations

import os
import pwd
import subprocess

import pytest
from pool import MAIN, Done, wait_for
from shared_pool import STRANGER, SharedPool, usable_python


def test_a_stranger_submits_and_his_job_runs_as_him(shared: SharedPool) -> None:
    (shared.theirs / "id.sub").write_text(
        "executable = /usr/bin/id\narguments = -un\noutput = o\nlog = job.log\n"
        "nice_user = true\naccounting_group = g1\nqueue 2\n"
    )
    done = shared.as_stranger("condor_submit", "id.sub")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("nice_user conflicts with accounting_group") == 1, "told for the cluster, and once"
    assert f"2 job(s) submitted to cluster {shared.first_cluster}." in done.stdout
    wait_for(
        lambda: (shared.theirs / "job.log").exists() and (shared.theirs / "job.log").read_text().count("\n005 (") == 2,
        "both ran",
    )
    assert (shared.theirs / "o").read_text() == f"{STRANGER}\n"
    uid = pwd.getpwnam(STRANGER).pw_uid
    assert (shared.theirs / "o").stat().st_uid == uid
    assert (shared.theirs / "job.log").stat().st_uid == uid
    wait_for(lambda: len(shared.history("Owner", "User")) == 2, "both are recorded")
    assert shared.history("Owner", "User")[0] == [STRANGER, f"{STRANGER}@example.net"]


def test_a_stranger_cannot_pretend_to_be_somebody_else(shared: SharedPool) -> None:
    (shared.theirs / "id.sub").write_text(
        'executable = /usr/bin/id\narguments = -un\noutput = o\nlog = job.log\n+Owner = "root"\n+OsUser = "root"\n'
        '+User = "root@example.net"\nqueue\n'
    )
    done = shared.as_stranger("condor_submit", "id.sub")
    if done.returncode:
        assert "Owner" in done.stderr or "owner" in done.stderr
        return
    wait_for(lambda: (shared.theirs / "o").exists() and (shared.theirs / "o").read_text(), "it ran")
    assert (shared.theirs / "o").read_text() == f"{STRANGER}\n"


@pytest.mark.promise("S5")
def test_strangers_touch_only_their_own_jobs(shared: SharedPool) -> None:
    cluster = shared.submit("executable = /bin/sleep\narguments = 100\nhold = true\nqueue\n")
    denied = shared.as_stranger("condor_release", f"{cluster}.0")
    assert denied.returncode == 1
    assert f"Permission denied to release job {cluster}.0" in denied.stderr
    assert shared.status_of(f"{cluster}.0") == 5
    refused = shared.as_stranger("condor_prio", "-p", "7", f"{cluster}.0")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"Couldn't set new priority for {cluster}.0: it is a job of " in refused.stderr
    assert shared.queue("JobPrio") == [["0"]]
    removed = shared.as_stranger("condor_rm", "-all")
    assert removed.returncode == 1
    assert shared.status_of(f"{cluster}.0") == 5


@pytest.mark.promise("S6")
def test_a_stranger_sees_the_queue_but_no_secret(shared: SharedPool) -> None:
    shared.submit("executable = /bin/sleep\narguments = 100\nlog = job.log\nqueue\n")
    wait_for(lambda: 1 in [number for number, _ in shared.events("job.log")], "it runs")
    seen = shared.as_stranger("condor_q", "-allusers", "-af", "Owner", "JobStatus", "ClaimId")
    assert seen.stdout == "root 2 undefined\n"
    assert (shared.spool / "job_queue.log").stat().st_mode & 0o077 == 0


def test_an_administrator_limits_and_disables_a_user_who_may_look(stopped_shared: SharedPool) -> None:
    shared = stopped_shared

    def submit() -> Done:
        return shared.as_stranger("condor_submit", "sleep.sub")

    (shared.theirs / "sleep.sub").write_text(
        "executable = /bin/sleep\narguments = 100\nrequest_memory = 16\nrequest_disk = 1M\n"
        '+ProjectName = "optics"\nqueue 2\n'
    )
    shared.knob("ALLOW_SUBMIT_FROM_KNOWN_USERS_ONLY", "true")
    shared.knob("SCHEDD_USER_DEFAULT_PROPERTIES", "MaxJobsRunning = 1")
    shared.start()
    assert f"Unknown User {STRANGER}@example.net. Use condor_qusers to add user" in submit().stderr
    shared.tool("condor_qusers", "-add", STRANGER)
    shared.tool("condor_qusers", "-projects", "-add", "optics")
    assert submit().returncode == 0
    wait_for(lambda: sorted(shared.queue("JobStatus")) == [["1"], ["2"]], "one of them runs")
    refused = shared.as_stranger("condor_qusers", "-edit", STRANGER, "MaxJobsRunning=9")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "only an administrator of the pool may change users and projects" in refused.stderr
    seen = shared.as_stranger("condor_qusers", "-af", "Owner", "MaxJobsRunning", "NumIdle", "NumRunning")
    assert seen.stdout == f"{STRANGER} 1 1 1\n"
    shared.tool("condor_qusers", "-edit", STRANGER, "MaxJobsRunning=delete")
    wait_for(lambda: shared.queue("JobStatus") == [["2"], ["2"]], "both run")
    shared.tool("condor_qusers", "-projects", "-disable", "optics", "-reason", "no budget")
    assert "Project optics is suspended : no budget" in submit().stderr
    shared.tool("condor_qusers", "-disable", STRANGER, "-reason", "talk to admin")
    assert f"User {STRANGER}@example.net is disabled : talk to admin\nUser is disabled" in submit().stderr


@pytest.mark.promise("S3")
def test_strangers_do_not_command_daemons(shared: SharedPool) -> None:
    for words in (("condor_off",), ("condor_reconfig",), ("condor_drain", "slot1@vm"), ("condor_vacate",)):
        done = shared.as_stranger(*words)
        assert done.returncode == 1, words
        assert "Traceback" not in done.stderr
    refused = shared.as_stranger("condor_drain").stderr
    assert "may not: only root and the account that the startd runs as may drain it" in refused
    assert shared.ready()


HOSTILE = """
import sys; sys.path.insert(0, sys.argv[1])
from condor_py.client.wire import Client, WireError, connect
for name in ("master", "schedd", "negotiator", "startd"):
    for head in (b"[" * 100_000, b"{}", b"not JSON", b'{"error": "words of a stranger"}', b'{"op": "drain", "how": 5}'):
        with connect(f"{sys.argv[2]}/{name}", 60.0) as sock:
            sock.sendall(len(head).to_bytes(4, "big") + bytes(4) + head)
            sock.recv(1000)
for assignment in (["Foo", "1 /*\\n103 1.0 Owner \\"root\\"\\n*/"], ["Foo", "\\ud800"], ["Foo Bar", "1"]):
    with Client(f"{sys.argv[2]}/schedd", 60.0) as client:
        client.send({"op": "edit", "ids": [[CLUSTER, 0]], "assignments": [assignment]})
        print(sorted(client.receive()[0]))
"""


def test_a_stranger_cannot_end_a_daemon(shared: SharedPool) -> None:
    names = ("master", "schedd", "negotiator", "startd")
    before = [shared.pid(name) for name in names]
    (shared.theirs / "held.sub").write_text("executable = /bin/true\nhold = true\nqueue\n")
    assert shared.as_stranger("condor_submit", "held.sub").returncode == 0
    program = HOSTILE.replace("sys.argv[2]", repr(str(shared.log / "daemon_sock")))
    done = shared.python_as_stranger(program.replace("CLUSTER", str(shared.first_cluster)))
    assert (done.returncode, done.stdout) == (0, "['error', 'ok']\n" * 3), done.stderr
    assert shared.status_of(str(shared.first_cluster)) == 5
    assert [shared.pid(name) for name in names] == before
    assert all(os.path.exists(f"/proc/{pid}") for pid in before)
    assert not any("words of a stranger" in log.read_text() for log in shared.log.glob("*Log"))


def test_a_job_is_entered_by_its_owner_and_by_root_and_by_nobody_else(shared: SharedPool) -> None:
    """Sessions run as the job's user, with nothing of root's."""
    (shared.theirs / "wait.sub").write_text("executable = /bin/sleep\narguments = 500\nlog = job.log\nqueue\n")
    assert shared.as_stranger("condor_submit", "wait.sub").returncode == 0
    roots = shared.submit("executable = /bin/sleep\narguments = 500\nlog = job.log\nqueue\n")
    theirs = f"{roots - 1}.0"
    wait_for(lambda: shared.status_of(theirs) == 2, "theirs runs")
    shared.started("job.log", f"{roots}.0")

    who = "id -un; id -Gn; ulimit -c; cd $_CONDOR_SCRATCH_DIR && touch mine && stat -c %U mine"
    for done in (shared.as_stranger("condor_ssh_to_job", "-auto-retry", str(roots - 1), who),
                 shared.tool("condor_ssh_to_job", theirs, who)):  # fmt: skip
        name, groups, _, owner = done.stdout.splitlines()
        assert (name, owner) == (STRANGER, STRANGER)
        assert "root" not in groups.split()
    denied = shared.as_stranger("condor_ssh_to_job", f"{roots}.0", "id")
    text = f"{STRANGER} is not authorized for access to the starter for job {roots}.0\n"
    assert (denied.returncode, denied.stdout, denied.stderr) == (1, "", text)
    # The starter itself asks the kernel, whoever finds its socket.
    for door in shared.execute.glob("dir_*/.sessions"):
        probe = (
            "import sys; sys.path.insert(0, sys.argv[1]); from condor_py.client.wire import Client\n"
            "with Client(sys.argv[2]) as client:\n"
            "    client.send({'op': 'open', 'job': sys.argv[3], 'command': 'id', 'shells': [], 'terminal': False,"
            " 'variables': []}, descriptors=(0, 1, 2))\n"
            "    print(client.receive()[0])\n"
        )
        done = subprocess.run(
            [usable_python(), "-I", "-c", probe, str(MAIN.parents[1]), str(door), f"{roots}.0"],
            user=STRANGER, cwd="/", capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        assert "not authorized" in done.stdout or "is not running" in done.stdout
        assert "uid=" not in done.stdout
    shared.tool("condor_rm", theirs, f"{roots}.0")
    answer = shared.as_stranger("condor_submit", "-interactive")
    assert answer.returncode == 0
    assert "Welcome to slot1_" in answer.stdout
    wait_for(lambda: shared.status_of(f"{roots + 1}.0") is None, "the interactive job is gone")


def test_tail_run_qsub_and_watch_q_serve_a_stranger(shared: SharedPool) -> None:
    done = shared.as_stranger("condor_run", "id -un; exit 4")
    assert (done.returncode, done.stdout, done.stderr) == (4, f"{STRANGER}\n", "")
    script = shared.theirs / "long.sh"
    script.write_text(f"echo begun\nuntil [ -e {shared.theirs}/gate ]; do sleep 0.05; done\n")
    said = shared.as_stranger("condor_qsub", "-S", "/bin/sh", "long.sh")
    cluster = shared.first_cluster + 1
    assert said.stdout == f'Your job {cluster} ("long.sh") has been submitted\n', said.stderr
    wait_for(lambda: shared.as_stranger("condor_tail", str(cluster)).stdout == "begun\n", "the job prints")
    sleeper = shared.submit("executable = /bin/sleep\narguments = 600\nlog = run.log\nqueue\n")
    roots = f"{sleeper}.0"
    shared.started("run.log", roots)
    refused = shared.as_stranger("condor_tail", roots)
    assert (refused.returncode, refused.stderr) == (
        1,
        f"{STRANGER} is not authorized for access to the starter for job {roots}\n",
    )
    shown = shared.as_stranger("condor_watch_q", "-exit", "any,active")
    assert f"Cluster {cluster} does not have a job event log file" in shown.stderr
    (shared.theirs / "gate").touch()


def test_a_url_that_refuses_the_output_of_a_stranger_holds_his_job(shared: SharedPool) -> None:
    """What moves URLs works with his rights, which need not suffice to read our own modules."""
    (shared.theirs / "out.sub").write_text(
        "executable = /bin/sh\narguments = \"-c 'echo 1 >made'\"\ntransfer_executable = false\nlog = job.log\n"
        'should_transfer_files = YES\ntransfer_output_remaps = "made = http://127.0.0.1:9/made"\nqueue\n'
    )
    assert shared.as_stranger("condor_submit", "out.sub").returncode == 0
    wait_for(lambda: shared.status_of(str(shared.first_cluster)) == 5, "it is held")
    ((code, *words),) = shared.queue("HoldReasonCode", "HoldReason")
    assert (code, "refused" in " ".join(words)) == ("12", True), words
