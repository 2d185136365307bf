"""What the owner of a job may change while root's daemons work for him: links in place of his directories above all."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import stat
from pathlib import Path

import pytest
from pool import wait_for
from shared_pool import STRANGER, SharedPool


def swap(mine: Path, private: Path) -> None:
    """What the stranger does: his directory becomes a link into a place where he is not let in."""
    shutil.move(mine, f"{mine}.away")
    mine.symlink_to(private / "inner")


def diary(done_output: str) -> bool:
    return "dear diary" in done_output


def test_a_session_goes_nowhere_where_the_owner_of_the_job_may_not(shared: SharedPool) -> None:
    """The shell's directory is entered with his rights: a link behind a closed door stays closed."""
    work = shared.theirs / "work"
    work.mkdir()
    os.chown(work, os.stat(shared.theirs).st_uid, -1)
    shared.submit_as_stranger(
        f"executable = /bin/sleep\narguments = 500\nshould_transfer_files = NO\ninitialdir = {work}\nqueue\n"
    )
    job = f"{shared.first_cluster}.0"
    wait_for(lambda: shared.status_of(job) == 2, "the job runs")
    assert shared.as_stranger("condor_ssh_to_job", "-auto-retry", job, "pwd").stdout == f"{work}\n"
    swap(work, shared.private)
    done = shared.as_stranger("condor_ssh_to_job", "-auto-retry", job, "cat diary; cat ./*")
    assert not diary(done.stdout)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Cannot start a session for job {job}"), done.stderr
    assert shared.status_of(job) == 2


def test_hooks_of_a_job_go_nowhere_either(shared: SharedPool) -> None:
    """A job's hooks work in its scratch directory, and with its owner's rights from the first step on."""
    hooks = shared.work / "hooks"
    hooks.mkdir()
    for name, text in (("prepare", "id -un >&2; pwd >&2; ls -ld . >&2"), ("exit", "echo $(id -ru):$(id -G) >&2")):
        (hooks / name).write_text(f"#!/bin/sh\ncat >/dev/null\n{text}\n")
        (hooks / name).chmod(0o755)
    shared.configure(
        f"STARTER_JOB_HOOK_KEYWORD = H\nH_HOOK_PREPARE_JOB = {hooks}/prepare\nH_HOOK_JOB_EXIT = {hooks}/exit\n"
    )
    shared.submit_as_stranger("executable = /bin/true\nqueue\n")
    wait_for(lambda: shared.status_of(f"{shared.first_cluster}.0") is None, "the job is over")
    account = pwd.getpwnam(STRANGER)
    told = "".join(path.read_text() for path in shared.log.glob("StarterLog*"))
    assert f"{hooks}/prepare printed to stderr: {STRANGER}\n" in told
    assert f"{hooks}/exit printed to stderr: {account.pw_uid}:{account.pw_gid}\n" in told


def test_what_a_job_uses_of_the_disk_is_measured_in_its_own_directory_only(shared: SharedPool) -> None:
    """Neither a link nor one that appears while we look leads the measuring to what is somebody else's."""
    from condor_py.machine.run.trees import measure

    big = shared.private / "big"
    big.write_bytes(bytes(3_000_000))
    there = shared.theirs / "there"
    there.mkdir()
    (there / "a").write_bytes(bytes(5000))
    (there / "out").symlink_to(shared.private)
    used, count = measure(str(there))
    assert (used < 100, count) == (True, 2)


@pytest.mark.promise("S47")
def test_root_looks_at_output_and_fetches_it_with_the_rights_of_the_owner(shared: SharedPool) -> None:
    """condor_tail of root shows nothing that the job may not read; condor_transfer_data of root writes nothing that its
    owner may not write."""
    script = shared.theirs / "swap.sh"
    script.write_text(
        f"#!/bin/sh\nln -sf {shared.private}/inner/diary diary\necho hello\ntouch {shared.theirs}/on\n"
        f"until [ -e {shared.theirs}/off ]; do sleep 0.05; done\n"
    )
    script.chmod(0o755)
    shared.submit_as_stranger(
        f"executable = {script}\nshould_transfer_files = YES\ntransfer_output_files = diary\noutput = o\nqueue\n"
    )
    wait_for((shared.theirs / "on").exists, "the job runs")
    job, spooled = f"{shared.first_cluster}.0", f"{shared.first_cluster + 1}.0"
    assert shared.tool("condor_tail", job).stdout == "hello\n"
    peeked = shared.tool("condor_tail", "-no-stdout", job, "diary", check=False)
    assert not diary(peeked.stdout)
    assert "Permission denied" in peeked.stderr
    (shared.theirs / "off").touch()

    (shared.theirs / "spooled.sub").write_text(
        "executable = /bin/sh\narguments = \"-c 'echo mine >made'\"\ntransfer_executable = false\nqueue\n"
    )
    assert shared.as_stranger("condor_submit", "-spool", "spooled.sub").returncode == 0
    wait_for(lambda: shared.status_of(spooled) == 4, "the spooled job has run")
    (shared.theirs / "made").symlink_to(shared.private / "inner" / "diary")
    done = shared.tool("condor_transfer_data", spooled, check=False)
    assert done.returncode == 1
    assert (shared.private / "inner" / "diary").read_text() == "dear diary\n"
    (shared.theirs / "made").unlink()
    assert shared.tool("condor_transfer_data", spooled, check=False).returncode == 0
    assert stat.S_ISREG((shared.theirs / "made").stat().st_mode)
    assert (shared.theirs / "made").stat().st_uid == shared.theirs.stat().st_uid


@pytest.mark.parametrize("place", ["/dev/zero", "pipe"])
def test_condor_tail_of_root_reads_no_pipe_or_device_in_place_of_an_ad(shared: SharedPool, place: str) -> None:
    """Every tail looks at the ads of all jobs that run."""
    os.mkfifo(shared.theirs / "pipe", 0o666)
    script = shared.theirs / "swap.sh"
    script.write_text(f"#!/bin/sh\nrm -f .job.ad\nln -s $1 .job.ad\ntouch {shared.theirs}/on\nexec sleep 500\n")
    script.chmod(0o755)
    shared.submit_as_stranger(
        f"executable = {script}\narguments = {shared.theirs / place}\nshould_transfer_files = YES\noutput = o\nqueue\n"
    )
    wait_for((shared.theirs / "on").exists, "the job has begun")
    job = f"{shared.first_cluster}.0"
    done = shared.tool("condor_tail", job, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"Job {job} is not running.\n")


def test_condor_tail_shows_the_job_of_its_owner(shared: SharedPool) -> None:
    """A job may write the number of another job into the ad in its sandbox."""
    script = shared.theirs / "claim.sh"
    forged = f"s/^ClusterId = .*/ClusterId = {shared.first_cluster + 1}/; s/^ProcId = .*/ProcId = 0/"
    script.write_text(f"#!/bin/sh\necho forged\nsed -i '{forged}' .job.ad\ntouch {shared.theirs}/on\nexec sleep 500\n")
    script.chmod(0o755)
    shared.submit_as_stranger(f"executable = {script}\nshould_transfer_files = YES\noutput = o\nqueue\n")
    wait_for((shared.theirs / "on").exists, "the forged ad is there")
    other = shared.submit(
        "executable = /bin/sh\narguments = \"-c 'echo true; exec sleep 500'\"\ntransfer_executable = false\n"
        "should_transfer_files = YES\noutput = o\nqueue\n"
    )
    wait_for(
        lambda: shared.tool("condor_tail", f"{other}.0", check=False).stdout == "true\n", "the owner's output is shown"
    )


def test_condor_tail_of_root_waits_for_no_output_that_is_a_pipe(shared: SharedPool) -> None:
    script = shared.theirs / "swap.sh"
    script.write_text(
        f"#!/bin/sh\nrm -f _condor_stdout\nmkfifo _condor_stdout\ntouch {shared.theirs}/on\nexec sleep 500\n"
    )
    script.chmod(0o755)
    shared.submit_as_stranger(f"executable = {script}\nshould_transfer_files = YES\noutput = o\nqueue\n")
    wait_for((shared.theirs / "on").exists, "the job has begun")
    done = shared.tool("condor_tail", str(shared.first_cluster), check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("_condor_stdout: Invalid argument\n"), done.stderr


def test_a_local_job_whose_starter_does_not_answer_is_removed(shared: SharedPool) -> None:
    """Its starter waits for a file system of its owner, or copies what has no end; the schedd ends it."""
    shared.configure("KILLING_TIMEOUT = 2\n")
    log, job = shared.written("SchedLog"), f"{shared.first_cluster}.0"
    shared.submit_as_stranger(
        "universe = local\nexecutable = /bin/sleep\narguments = 500\nlog = job.log\nkill_sig_timeout = 1\nqueue\n"
    )
    wait_for(lambda: "\n001 " in (shared.theirs / "job.log").read_text(), "the job runs")
    (place,) = (shared.spool / "local_univ_execute").glob("dir_*")
    os.kill(int(place.name[4:]), signal.SIGSTOP)
    shared.tool("condor_rm", job)
    wait_for(lambda: shared.status_of(job) is None, "the job has left the queue", 30)
    wait_for(lambda: not place.exists(), "its directory is gone")
    assert f"The starter of job {job} does not end its job and is killed" in log()
