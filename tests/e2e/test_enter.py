"""condor_nsenter and condor_docker_enter: shells in running jobs and in namespaces."""

from __future__ import annotations

import os
import pwd
import select
import subprocess
import sys
from pathlib import Path

import pytest
from pool import MAIN, PersonalPool, wait_for

NOBODY = pwd.getpwnam("nobody")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may enter")
def test_a_shell_in_the_namespaces_of_a_process() -> None:
    """Its files, its processes, its environment and another account's rights; also on a terminal."""
    script = "mount -t tmpfs none /mnt && echo inside > /mnt/word && echo ready && exec sleep 600"
    try:
        process = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script],
            stdout=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "MARK": "of the job", "_CONDOR_SCRATCH_DIR": "/mnt"},
        )
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    assert process.stdout is not None
    try:
        if process.stdout.readline() != b"ready\n":
            pytest.skip("no namespaces may be made here")
        inner = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
        wait_for(lambda: "sleep" in Path(f"/proc/{inner}/cmdline").read_text().split("\0"), "it sleeps")
        tool = [sys.executable, "-I", "-S", str(MAIN), "condor_nsenter", "-t", inner, "-S", str(NOBODY.pw_uid)]
        tool += ["-G", str(NOBODY.pw_gid)]
        done = subprocess.run(
            [*tool, "--", "sh", "-c", "cat word; echo $MARK $(id -u); exit 7"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (7, f"inside\nof the job {NOBODY.pw_uid}\n"), done
        child, terminal = os.forkpty()
        if not child:
            os.execv(tool[0], tool)
        os.write(terminal, b"tty >/dev/null && cat word && exit 5\n")
        assert b"inside" in _read_all(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    finally:
        process.kill()
        process.wait()


def _read_all(terminal: int) -> bytes:
    found = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        found += data
    return found


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-S 5 -G 5", "missing -t argument > 1"),
        ("-t 1 -S 0 -G 5", "missing -S argument > 1"),
        ("-t 1 -S 5 -G x", "missing -G argument > 1"),
        ("-t 999999999 -S 5 -G 5", "cannot enter process 999999999: /proc/999999999 No such file or directory"),
        ("here", "unrecognized argument here"),
    ],
)
def test_what_is_refused(stopped_pool: PersonalPool, words: str, told: str) -> None:
    done = stopped_pool.tool("condor_nsenter", *words.split(), check=False)
    assert (done.returncode, told in done.stderr) == (1, True), done


def test_a_command_in_the_job_of_a_directory(pool: PersonalPool) -> None:
    cluster = pool.submit("executable = /bin/sleep\narguments = 600\nlog = job.log\nenvironment = MINE=7\nqueue\n")
    pool.started("job.log", f"{cluster}.0")
    wait_for(lambda: list(pool.execute.glob("dir_*/scratch/.job.ad")), "the job has a directory")
    (directory,) = (path.parent for path in pool.execute.glob("dir_*/scratch/.job.ad"))
    done = pool.tool("condor_docker_enter", "echo", "$MINE", "&&", "exit", "3", check=False, cwd=directory)
    assert (done.returncode, done.stdout) == (3, "7\n"), done
    nowhere = pool.tool("condor_docker_enter", check=False)
    assert (nowhere.returncode, "is no scratch directory of a job" in nowhere.stderr) == (255, True)
    refused = pool.tool("htcondor", "annex", "create", "--nodes", "2", "x", "q@s", check=False)
    assert (refused.returncode, refused.stderr.startswith("htcondor annex: an annex adds machines")) == (1, True)
