"""A terminal session in a running job: condor_ssh_to_job and condor_submit -interactive, with real terminals."""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import MAIN, PATIENCE, PersonalPool, of_processes, wait_for

from condor_py.client.wire import Client

SFTP_SERVER = Path("/usr/lib/openssh/sftp-server")
PROMPT = "# " if os.geteuid() == 0 else "$ "
SLEEPER = "executable = /bin/sleep\narguments = 1000\nlog = job.log\nshould_transfer_files = yes\n{more}\nqueue\n"


class Person:
    """Somebody at a terminal who types and reads, and the tool that he has started there."""

    def __init__(self, pool: PersonalPool, *words: str, rows: int = 30, columns: int = 100) -> None:
        self.terminal, theirs = os.openpty()
        self.before = termios.tcgetattr(theirs)
        self.size(rows, columns)
        self.text = ""
        environment = {**pool.environment, "SHELL": "/bin/sh", "TERM": "vt100"}
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(MAIN), *words],
            env=environment,
            cwd=pool.work,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.theirs = theirs
        self.ended = os.pidfd_open(self.process.pid)

    def size(self, rows: int, columns: int) -> None:
        """Makes the window another size."""
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        """Types."""
        os.write(self.terminal, text.encode())

    def read_until(self, *wanted: str, seconds: float = 60.0) -> str:
        """What the screen showed since the last call, up to the first of ``wanted``."""
        deadline = time.monotonic() + seconds * PATIENCE
        while True:
            places = [(self.text.index(word), word) for word in wanted if word in self.text]
            if places:
                at, word = min(places)
                seen, self.text = self.text[: at + len(word)], self.text[at + len(word) :]
                return seen
            ready, _, _ = select.select([self.terminal, self.ended], [], [], max(0.0, deadline - time.monotonic()))
            if self.terminal not in ready:
                pytest.fail(f"waited for {wanted}, saw {self.text!r}, exit code {self.process.poll()}")
            self.text += os.read(self.terminal, 65536).decode(errors="replace")

    def ends(self) -> int:
        """The exit code, once the tool has ended; its terminal must be as it was."""
        code = self.process.wait(60 * PATIENCE)
        assert termios.tcgetattr(self.theirs)[:4] == self.before[:4]
        return code

    def close_window(self) -> int:
        """What happens then is the kernel's: the tool gets a SIGHUP. Its exit code."""
        os.close(self.terminal)
        self.terminal = os.dup(self.theirs)
        return self.process.wait(60 * PATIENCE)

    def close(self) -> None:
        """Goes home."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.ended, self.terminal, self.theirs):
            os.close(descriptor)


@pytest.fixture
def people() -> Iterator[list[Person]]:
    """Who is to be sent home at the end."""
    found: list[Person] = []
    yield found
    for person in found:
        person.close()


def running(pool: PersonalPool, more: str = "") -> str:
    """A job that sleeps; its id."""
    job = f"{pool.submit(SLEEPER.format(more=more))}.0"
    wait_for(lambda: pool.status_of(job) == 2 and (1, job) in pool.events("job.log"), "the job runs")
    return job


def test_a_shell_in_a_job(pool: PersonalPool, people: list[Person]) -> None:
    job = running(pool, 'environment = "COLOUR=blue"')
    me = Person(pool, "condor_ssh_to_job", job)
    people.append(me)
    greeting = me.read_until(PROMPT)
    assert "Welcome to slot1_1@" in greeting
    assert "Your condor job is running with pid(s) " in greeting
    me.type("echo $COLOUR-$(basename $PWD)-$TERM-$(stty size)\n")
    assert "blue-scratch-vt100-30 100" in me.read_until("30 100\r\n")
    me.size(40, 120)
    me.read_until(PROMPT)
    me.type("stty size; kill -0 ${_CONDOR_JOB_PIDS%% *} && echo ali''ve\n")
    assert "40 120\r\n" in me.read_until("alive\r\n")
    me.read_until(PROMPT)
    me.type("\r~\x1aecho ba''ck\r")  # nobody could continue a tool without a shell: the kernel does not stop it
    me.read_until("back\r\n")
    me.read_until(PROMPT)
    me.type("(echo slee''ps; exec sleep 500)\n")
    me.read_until("sleeps\r\n")
    me.type("\x03")
    me.read_until(PROMPT)
    me.type("exit 7\n")
    assert "Connection to condor-job." in me.read_until("closed.\r\n")
    assert me.ends() == 7
    assert pool.status_of(job) == 2


def enter(pool: PersonalPool, *words: str, stdin: str | None = None) -> tuple[int, str, str]:
    """condor_ssh_to_job without a terminal: (exit code, standard output, standard error)."""
    done = pool.tool("condor_ssh_to_job", *words, check=False, stdin=stdin)
    return done.returncode, done.stdout, done.stderr


def test_commands_have_the_streams_and_the_exit_code_of_the_caller(pool: PersonalPool) -> None:
    job = running(pool)
    assert enter(pool, job, "echo", "out;", "echo", "err", ">&2;", "exit 3") == (3, "out\n", "err\n")
    code, out, _ = enter(pool, job.split(".")[0], "wc -c; ls -a", stdin="x" * 300_000)
    assert (code, out.splitlines()[0]) == (0, "300000")
    assert ".job.ad" in out
    code, out, _ = enter(pool, job, stdin="echo from a pipe\nexit 5\n")
    assert code == 5
    assert out.endswith("from a pipe\n")
    assert out.startswith("Welcome to slot1_1@")
    assert enter(pool, job, "kill -9 $$")[0] == 128 + 9
    assert enter(pool, "-ssh", "ssh -t", job, "tty >/dev/null && seq 20000", stdin="")[1].endswith("\n20000\n")


def test_the_session_has_the_limits_and_the_family_of_the_job(pool: PersonalPool) -> None:
    pool.configure("JOB_RENICE_INCREMENT = 7\nSTARTER_RLIMIT_AS = 3000\n")
    job = running(pool, "coresize = 4096")
    starter = pool.starters()[0]
    asked = "ulimit -c; ulimit -v; nice; echo $PPID; echo $_CONDOR_SLOT; umask"
    same = "cmp /proc/self/cgroup /proc/$_CONDOR_JOB_PIDS/cgroup && echo same"
    code, out, _ = enter(pool, job, f"{asked}; {same}")
    assert out.splitlines() == ["4", str(3000 * 1024), str(max(7, os.nice(0))), str(starter), "slot1_1", "0022", "same"]
    assert code == 0
    burn = f"exec {sys.executable} -Ic 'import time\nwhile time.process_time() < 1: pass'"
    assert enter(pool, job, burn)[0] == 0
    assert enter(pool, job, "kill $_CONDOR_JOB_PIDS")[0] == 0
    wait_for(lambda: pool.status_of(job) is None, "the job leaves the queue")
    used = sum(float(word) for word in pool.history("RemoteUserCpu", "RemoteSysCpu")[0])
    assert 0.9 < used < 1.8, "the session counts, and once"


def test_what_cannot_be_entered_says_why_in_one_line(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.start()
    held = pool.submit(SLEEPER.format(more="hold = true"))
    big = pool.submit(SLEEPER.format(more="request_cpus = 99"))
    errors = {
        "77.0": (1, "Unable to fetch job ad; is it still in the queue?\n"),
        f"{held}": (1, 'The job is on hold: "submitted on hold at user\'s request".\n'),
        f"{big}.0": (1, f"Job {big}.0 is not running.\n(Use -auto-retry to keep trying periodically.)\n"),
        "1.x": (2, "Invalid job id: 1.x\n"),
        "": (2, "ERROR: You must specify a job!\n"),
        "-wrong": (2, "Unrecognized argument: -wrong\n"),
    }
    for word, (code, text) in errors.items():
        assert enter(pool, *([word] if word else [])) == (code, "", text)
    for nonsense in ({}, {"job": "x"}, {"job": [1, 2, 3]}, {"job": [1, "a"]}, {"job": 7}):
        with Client(str(next(pool.directory.rglob("schedd")))) as client:
            client.send({"op": "locate", **nonsense})
            assert client.receive()[0]["error"].startswith("locate: job ")
    pool.kill("master", signal.SIGSTOP)
    try:
        pool.kill("schedd", signal.SIGKILL)
        done = enter(pool, "1.0")
        assert done[0] == 1
        assert "condor_schedd is not running" in done[2]
    finally:
        pool.kill("master", signal.SIGCONT)


def test_the_slot_stays_busy_until_the_last_session_ends(pool: PersonalPool, people: list[Person]) -> None:
    job = running(pool)
    first, second = Person(pool, "condor_ssh_to_job", job), Person(pool, "condor_ssh_to_job", job)
    people.extend((first, second))
    for person in (first, second):
        person.read_until(PROMPT)
    first.type("kill $_CONDOR_JOB_PIDS; sleep 1000 & echo job''less\n")
    first.read_until("jobless\r\n")
    first.type("exit 0\n")
    assert first.ends() == 0
    second.type("echo st''ill\n")
    second.read_until("still\r\n")
    assert pool.status_of(job) == 2
    second.type("exit\n")
    assert second.ends() == 0
    wait_for(lambda: pool.status_of(job) is None, "the job leaves the queue")
    assert pool.history("ClusterId", "ExitBySignal", "ExitSignal") == [[job.split(".")[0], "true", "15"]]


def test_killing_the_tool_ends_its_session_and_not_the_job(pool: PersonalPool, people: list[Person]) -> None:
    job = running(pool)
    me = Person(pool, "condor_ssh_to_job", job)
    people.append(me)
    me.read_until(PROMPT)
    me.type("trap '' HUP; nohup setsid sleep 1234 & sleep 2345 & echo be''gun\n")
    me.read_until("begun\r\n")
    wait_for(lambda: {b"1234", b"2345"} <= arguments(pool), "both run")
    me.process.kill()
    me.process.wait()
    wait_for(lambda: not {b"1234", b"2345"} & arguments(pool), "nothing of the session is left")
    assert termios.tcgetattr(me.theirs)[:4] == me.before[:4]
    assert pool.status_of(job) == 2
    assert enter(pool, job, "echo again")[1] == "again\n"


def arguments(pool: PersonalPool) -> set[bytes]:
    """Last words of the command lines of the pool's processes."""
    found = set()
    for pid in pool.processes():
        try:
            found.add(Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").rpartition(b"\0")[2])
        except OSError:
            continue
    return found


def test_a_job_that_is_removed_takes_its_sessions_along(pool: PersonalPool, people: list[Person]) -> None:
    job = running(pool)
    me = Person(pool, "condor_ssh_to_job", job)
    people.append(me)
    me.read_until(PROMPT)
    pool.tool("condor_rm", job)
    assert "Connection to condor-job." in me.read_until("closed by remote host.\r\n")
    assert me.ends() == 255


def test_a_starter_that_dies_loses_its_sessions_and_nothing_of_them_stays(
    pool: PersonalPool, people: list[Person]
) -> None:
    me = Person(pool, "condor_submit", "-interactive")
    people.append(me)
    me.read_until(PROMPT)
    me.type("trap '' HUP; sleep 3456 & echo be''gun\n")
    me.read_until("begun\r\n")
    os.kill(pool.starters()[0], signal.SIGKILL)
    me.read_until("closed by remote host.\r\n")
    assert me.ends() == 255
    wait_for(lambda: b"3456" not in arguments(pool), "nothing of the session is left")
    wait_for(lambda: pool.status_of(str(pool.first_cluster)) is None, "the job is removed")


def stands_still(pool: PersonalPool) -> bool:
    """Whether the program of the job is stopped, and not only in the queue."""
    ours = set(pool.processes())
    (pid,) = [pid for pid, words in of_processes("cmdline") if pid in ours and words.endswith(b"sleep\x001000\0")]
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_a_suspended_job_suspends_its_sessions(pool: PersonalPool, people: list[Person]) -> None:
    job = running(pool)
    me = Person(pool, "condor_ssh_to_job", job)
    people.append(me)
    me.read_until(PROMPT)
    pool.tool("condor_suspend", job)
    wait_for(lambda: pool.status_of(job) == 7 and stands_still(pool), "it is suspended")
    me.type("echo a''wake\n")
    code, _, err = enter(pool, job, "true")
    assert (code, err.splitlines()[0]) == (1, "This slot is currently suspended.")
    assert "awake" not in me.text
    pool.tool("condor_continue", job)
    me.read_until("awake\r\n")
    me.type("\r~.")
    assert me.ends() == 255


def test_waiting_for_the_job(pool: PersonalPool, people: list[Person]) -> None:
    job = f"{pool.submit(SLEEPER.format(more='hold = true'))}.0"
    pool.tool("condor_qedit", job, "Requirements", "false")
    pool.tool("condor_release", job)
    me = Person(pool, "condor_ssh_to_job", "-auto-retry", job, "echo in''side")
    other = Person(pool, "condor_ssh_to_job", "-auto-retry", "-remove-on-interrupt", job)
    people.extend((me, other))
    for person in (me, other):
        person.read_until("Waiting for job to start...\r\n")
    pool.tool("condor_qedit", job, "Requirements", "true")
    me.read_until("inside\r\n")
    assert me.ends() == 0
    other.read_until(PROMPT)
    other.process.send_signal(signal.SIGTERM)
    other.read_until(f"Interrupted by signal 15 (SIGTERM), removing job {job}...\r\n")
    assert other.ends() == 1
    wait_for(lambda: pool.status_of(job) is None, "the job is gone")


def test_the_administrator_can_forbid_it(pool: PersonalPool) -> None:
    pool.configure("ENABLE_SSH_TO_JOB = TARGET.Open =?= true\n")
    shut = running(pool)
    assert enter(pool, shut, "true") == (1, "", "Rejecting request, because ENABLE_SSH_TO_JOB=false\n")
    assert enter(pool, running(pool, "+Open = true"), "true")[0] == 0
    pool.tool("condor_rm", "-all")


# -- condor_submit -interactive ---------------------------------------------------------------------------------------


def test_an_interactive_job_is_a_shell_in_a_slot(pool: PersonalPool, people: list[Person]) -> None:
    (pool.work / "my.sub").write_text(
        "executable = own.sh\narguments = a b\nrequest_memory = 100\nshould_transfer_files = yes\n"
        "transfer_input_files = data\nlog = job.log\nqueue 5\n"
    )
    (pool.work / "data").write_text("here it is\n")
    (pool.work / "own.sh").write_text("#!/bin/sh\necho own $*\n")
    (pool.work / "own.sh").chmod(0o755)
    me = Person(pool, "condor_submit", "-interactive", "my.sub")
    people.append(me)
    screen = me.read_until(PROMPT)
    assert f"Submitting job(s).\r\n1 job(s) submitted to cluster {pool.first_cluster}.\r\n" in screen
    assert "Welcome to slot1_1@" in screen
    assert "Your condor job is running" not in screen
    me.type("cat data; echo ${_CONDOR_JOB_PIDS:-none} $(basename $_CONDOR_SCRATCH_DIR)\n")
    me.read_until("here it is\r\nnone scratch\r\n")
    me.type("./own.sh pro''gram\n")
    me.read_until("own program\r\n")
    assert pool.queue("ProcId", "InteractiveJob", "JobDescription", "OrigCmd", "JobStatus") == [
        ["0", "true", "interactive", "job", str(pool.work / "own.sh"), "2"]
    ]
    me.type("exit 42\n")
    assert me.ends() == 42
    wait_for(lambda: pool.status_of(str(pool.first_cluster)) is None, "the job leaves the queue")
    assert pool.history("ClusterId", "JobStatus", "InteractiveJob") == [[str(pool.first_cluster), "4", "true"]]


def test_without_a_description_and_without_a_terminal(pool: PersonalPool) -> None:
    done = pool.tool("condor_submit", "-interactive", stdin="echo $TMOUT-$BATCH_SYSTEM\nexit 9\n", check=False)
    assert done.returncode == 9
    submitted = f"1 job(s) submitted to cluster {pool.first_cluster}."
    assert done.stdout.startswith(f"Submitting job(s).\n{submitted}\nWelcome to slot1_1@")
    assert done.stdout.endswith("!\nYou will be logged out after 7200 seconds of inactivity.\n7200-HTCondor\n")
    wait_for(lambda: pool.status_of(str(pool.first_cluster)) is None, "the job leaves the queue")
    assert pool.history("RequestMemory", "JobPrio") == [["512", "1000"]]


def test_killing_the_tool_in_mid_session_removes_the_interactive_job(pool: PersonalPool, people: list[Person]) -> None:
    me = Person(pool, "condor_submit", "-interactive")
    people.append(me)
    me.read_until(PROMPT)
    me.type("sleep 4321 & echo be''gun\n")
    me.read_until("begun\r\n")
    me.process.kill()
    me.process.wait()
    wait_for(lambda: pool.status_of(str(pool.first_cluster)) is None, "the job leaves the queue")
    wait_for(lambda: b"4321" not in arguments(pool), "and so is what it has started")
    wait_for(lambda: not list(pool.execute.glob("dir_*/scratch")), "and its directory")
    assert termios.tcgetattr(me.theirs)[:4] == me.before[:4]


def test_an_interactive_job_that_cannot_run_can_be_given_up(pool: PersonalPool, people: list[Person]) -> None:
    me = Person(pool, "condor_submit", "-interactive", "-append", "requirements = false")
    people.append(me)
    me.read_until("Waiting for job to start...\r\n")
    me.type("\x03")
    me.read_until(f"Interrupted by signal 2 (SIGINT), removing job {pool.first_cluster}.0...\r\n")
    assert me.ends() == 1
    wait_for(lambda: pool.status_of(str(pool.first_cluster)) is None, "the job is gone")


def test_closing_the_window_gives_an_interactive_job_up(pool: PersonalPool, people: list[Person]) -> None:
    waits = Person(pool, "condor_submit", "-interactive", "-append", "requirements = false")
    people.append(waits)
    waits.read_until("Waiting for job to start...\r\n")
    assert waits.close_window() == 1
    works = Person(pool, "condor_submit", "-interactive")
    people.append(works)
    works.read_until(PROMPT)
    works.close_window()
    wait_for(lambda: not pool.queue("ClusterId"), "both jobs are gone")


def test_removing_or_vacating_an_interactive_job_ends_its_session(pool: PersonalPool, people: list[Person]) -> None:
    for number, command in enumerate(("condor_rm", "condor_vacate_job"), start=pool.first_cluster):
        me = Person(pool, "condor_submit", "-interactive")
        people.append(me)
        me.read_until(PROMPT)
        pool.tool(command, f"{number}.0")
        me.read_until("closed by remote host.\r\n")
        assert me.ends() == 255
        wait_for(lambda job=f"{number}.0": pool.status_of(job) is None, "the job is gone")


def test_sessions_of_the_schedds_own_jobs(pool: PersonalPool) -> None:
    local = running(pool, "universe = local")
    assert enter(pool, local, "pwd; echo $_CONDOR_JOB_PIDS | wc -w; exit 2")[0] == 2
    scheduler = running(pool, "universe = scheduler")
    assert enter(pool, scheduler) == (1, "", f"Job {scheduler} does not support remote access.\n")


def test_nothing_is_queued_interactively_when_it_cannot_work(stopped_pool: PersonalPool) -> None:
    (stopped_pool.work / "my.sub").write_text("executable = /bin/true\nqueue\n")
    done = stopped_pool.tool("condor_submit", "-interactive", "-factory", "my.sub", check=False)
    assert (done.returncode, done.stderr) == (1, "\nERROR: Interactive jobs cannot be materialized late\n")
    done = stopped_pool.tool("condor_submit", "-interactive", check=False)
    text = "ERROR: Can't find address of local schedd: condor_schedd is not running\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", text)


@pytest.mark.skipif(shutil.which("scp") is None or not SFTP_SERVER.exists(), reason="no scp or no sftp-server")
def test_files_are_copied_with_scp_and_sftp(pool: PersonalPool) -> None:
    job = running(pool)
    (pool.work / "to it").write_text("a line\n")
    assert enter(pool, "-auto-retry", "-ssh", "scp -q", job, "to it", "remote:in the job")[:2] == (0, "")
    assert enter(pool, job, "cat 'in the job'") == (0, "a line\n", "")
    (pool.work / "commands").write_text('get "in the job" back\n')
    assert enter(pool, "-ssh", "sftp -q -b commands", job)[0] == 0
    assert (pool.work / "back").read_text() == "a line\n"
    code, _, errors = enter(pool, "-ssh", "scp", "77.0", "commands", "remote:")
    assert (code != 0, "is it still in the queue?" in errors) == (True, True)
