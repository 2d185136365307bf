"""The life of jobs through the real tools and daemons."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from pool import PATIENCE, PersonalPool, wait_for

SLEEP = "executable = /bin/sleep\narguments = {seconds}\nlog = job.log\noutput = job.$(Process).out\nqueue {count}\n"


def test_a_job_runs_and_is_recorded(pool: PersonalPool) -> None:
    program = pool.script("hello.sh", 'echo "hello $1"; echo oops >&2; exit 3\n')
    cluster = pool.submit(f"executable = {program}\narguments = world\noutput = o\nerror = e\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "hello world\n"
    assert (pool.work / "e").read_text() == "oops\n"
    wait_for(lambda: pool.queue("ClusterId") == [], "the queue is empty")
    assert pool.history("ClusterId", "ProcId", "JobStatus", "ExitCode", "ExitBySignal", "NumJobStarts") == [
        [str(cluster), "0", "4", "3", "false", "1"]
    ]
    numbers = [number for number, _ in pool.events("job.log")]
    assert numbers[:2] == [0, 1]
    assert numbers[-1] == 5


def test_death_by_signal(pool: PersonalPool) -> None:
    program = pool.script("die.sh", "kill -SEGV $$\n")
    pool.submit(f"executable = {program}\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    assert "Abnormal termination (signal 11)" in (pool.work / "job.log").read_text()
    wait_for(lambda: pool.history("ExitBySignal", "ExitSignal") == [["true", "11"]], "recorded in the history")


def test_file_transfer_with_remaps(pool: PersonalPool) -> None:
    (pool.work / "in.txt").write_text("data\n")
    program = pool.script(
        "work.sh", "test $PWD = $_CONDOR_SCRATCH_DIR; tr a-z A-Z <in.txt >out.txt; echo x >extra.txt; pwd\n"
    )
    pool.submit(
        f"executable = {program}\nshould_transfer_files = YES\nwhen_to_transfer_output = ON_EXIT\n"
        "transfer_input_files = in.txt\ntransfer_output_files = out.txt\n"
        'transfer_output_remaps = "out.txt = results/final.txt"\noutput = o\nlog = job.log\nqueue\n'
    ) if (pool.work / "results").mkdir() is None else None
    pool.wait("job.log")
    assert (pool.work / "results" / "final.txt").read_text() == "DATA\n"
    assert not (pool.work / "extra.txt").exists()
    assert (pool.work / "o").read_text().strip().endswith("/scratch")
    assert [number for number, _ in pool.events("job.log") if number != 6] == [0, 40, 40, 1, 40, 40, 5]


def test_hold_release_remove(pool: PersonalPool) -> None:
    cluster = pool.submit(SLEEP.format(seconds=100, count=1))
    job = f"{cluster}.0"
    pool.started("job.log", job)
    pool.tool("condor_hold", job)
    wait_for(lambda: 12 in [number for number, _ in pool.events("job.log")], "event 012")
    assert pool.status_of(job) == 5
    pool.tool("condor_release", job)
    pool.started("job.log", job, 2)
    pool.tool("condor_rm", job)
    wait_for(lambda: pool.status_of(job) is None, "the job is gone")
    assert [number for number, _ in pool.events("job.log") if number != 6] == [0, 1, 4, 12, 13, 1, 4, 9]
    assert pool.history("JobStatus", "NumShadowStarts") == [["3", "2"]]


def test_removal_kills_the_whole_tree(pool: PersonalPool) -> None:
    program = pool.script(
        "tree.sh", "trap '' TERM\nsetsid sh -c 'trap \"\" TERM; sleep 300' &\n(sleep 300 &)\necho up\nsleep 300\n"
    )
    cluster = pool.submit(f"executable = {program}\noutput = o\nlog = job.log\njob_max_vacate_time = 1\nqueue\n")
    wait_for(lambda: (pool.work / "o").exists() and (pool.work / "o").read_text() == "up\n", "the tree is up")
    starters = pool.starters()
    pool.tool("condor_rm", str(cluster))
    wait_for(lambda: 9 in [number for number, _ in pool.events("job.log")], "event 009")
    left = [pid for pid in pool.processes() if _is_running(pid, b"sleep")]
    assert left == []
    assert len(starters) == 1


def test_priorities_decide_the_order(pool: PersonalPool) -> None:
    whole = "executable = /bin/true\nrequest_cpus = 4\nlog = job.log\nhold = true\n"
    first, second, third, fourth = (
        pool.submit(f"{whole}priority = {priority}\nbatch_name = p{priority}\nqueue\n") for priority in (0, 5, -3, 10)
    )
    pool.tool("condor_release", "-all")
    pool.wait("job.log")
    started = [job for number, job in pool.events("job.log") if number == 1]
    assert started == [f"{fourth}.0", f"{second}.0", f"{first}.0", f"{third}.0"]


def test_a_missing_executable_at_run_time_holds_the_job(pool: PersonalPool) -> None:
    program = pool.script("gone.sh", "exit 0\n")
    cluster = pool.submit(f"executable = {program}\nlog = job.log\nhold = true\nqueue\n")
    program.unlink()
    pool.tool("condor_release", str(cluster))
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 5, "the job is held")
    assert pool.queue("HoldReasonCode", "HoldReasonSubCode") == [["6", "2"]]


@pytest.mark.parametrize("name", ["output", "error"])
def test_an_output_that_cannot_be_opened_holds_the_job(pool: PersonalPool, name: str) -> None:
    cluster = pool.submit(f"executable = /bin/true\n{name} = nowhere/x\nlog = job.log\nqueue\n")
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 5, "the job is held")
    assert pool.queue("HoldReasonCode", "HoldReasonSubCode") == [["7", "2"]]


def test_suspend_and_continue(pool: PersonalPool) -> None:
    cluster = pool.submit(SLEEP.format(seconds=100, count=1))
    job = f"{cluster}.0"
    wait_for(
        lambda: pool.status_of(job) == 2 and pool.queue("JobCurrentStartExecutingDate") != [["undefined"]], "it runs"
    )
    pool.tool("condor_suspend", job)
    wait_for(lambda: pool.status_of(job) == 7, "suspended")
    wait_for(lambda: _state_of_sleep(pool) == "T", "stopped")
    pool.tool("condor_continue", job)
    wait_for(lambda: pool.status_of(job) == 2, "running")
    wait_for(lambda: _state_of_sleep(pool) == "S", "sleeping again")


def _state_of_sleep(pool: PersonalPool) -> str:
    for pid in pool.processes():
        try:
            if b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
    return ""


def test_vacate_puts_the_job_back(pool: PersonalPool) -> None:
    cluster = pool.submit(SLEEP.format(seconds=100, count=1))
    job = f"{cluster}.0"
    pool.started("job.log", job)
    pool.tool("condor_vacate_job", job)
    wait_for(lambda: [n for n, _ in pool.events("job.log") if n in (1, 4)] == [1, 4, 1], "evicted and started again")
    assert pool.queue("NumShadowStarts", "NumVacates") == [["2", "1"]]


def test_a_second_master_refuses(pool: PersonalPool) -> None:
    """As in HTCondor only the one in the foreground can tell by its exit status."""
    for words, code in ((("-f",), 4), ((), 0)):
        done = pool.tool("condor_master", *words, check=False)
        assert "another master runs this pool already" in done.stderr
        assert done.returncode == code


def test_submit_without_daemons_runs_once_the_pool_is_up(stopped_pool: PersonalPool) -> None:
    """Also in a pool that a process started which ignores signals; and when it ends, nothing is left."""
    pool = stopped_pool
    pool.submit(SLEEP.format(seconds=0, count=3))
    assert len(pool.queue("ClusterId")) == 3
    assert [number for number, _ in pool.events("job.log")] == [0, 0, 0]
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        pool.start()
    finally:
        signal.signal(signal.SIGUSR1, before)
    pool.wait("job.log")
    assert sorted(job for number, job in pool.events("job.log") if number == 5) == ["1.0", "1.1", "1.2"]
    assert sum(number == 0 for number, _ in pool.events("job.log")) == 3
    _a_job_inherits_nothing(pool)
    _graceful_shutdown_leaves_nothing(pool)


def _a_job_inherits_nothing(pool: PersonalPool) -> None:
    """Neither the environment nor which signals were ignored."""
    pool.submit("executable = /bin/grep\narguments = ^SigIgn /proc/self/status\noutput = i\nlog = own.log\nqueue\n")
    pool.submit(
        "executable = /usr/bin/env\noutput = o\nlog = own.log\nrequest_cpus = 2\n"
        "environment = \"A=1 B='two words'\"\nqueue\n"
    )
    pool.wait("own.log")
    seen = dict(line.split("=", 1) for line in (pool.work / "o").read_text().splitlines())
    assert (pool.work / "i").read_text() == "SigIgn:\t0000000000000000\n"
    assert seen["A"] == "1"
    assert seen["B"] == "two words"
    assert seen["OMP_NUM_THREADS"] == "2"
    assert seen["BATCH_SYSTEM"] == "HTCondor"
    assert seen["_CONDOR_SLOT"].startswith("slot1_")
    assert "PATH" not in seen
    assert "OF_THE_SHELL" not in seen
    assert not any(name.startswith("_CONDOR_LOCAL") or name == "CONDOR_CONFIG" for name in seen)


def _graceful_shutdown_leaves_nothing(pool: PersonalPool) -> None:
    cluster = pool.submit(SLEEP.format(seconds=100, count=3))
    wait_for(lambda: [row[0] for row in pool.queue("JobStatus")] == ["2"] * 3, "three jobs run")
    os.kill(pool.pid("master"), signal.SIGTERM)
    wait_for(lambda: pool.processes() == [], "no process is left")
    assert sorted(pool.queue("ClusterId", "ProcId", "JobStatus")) == [
        [str(cluster), str(proc), "1"] for proc in range(3)
    ]
    assert list(pool.execute.iterdir()) == []


def test_a_job_whose_event_log_cannot_be_written_runs_without_it(pool: PersonalPool) -> None:
    """As in HTCondor 25.14; and what it was to have is there when it can be written."""
    (pool.work / "file").touch()
    cluster = pool.submit("executable = /bin/true\noutput = o\nlog = file/job.log\nqueue\n")
    wait_for(lambda: pool.queue("ProcId") == [], "it has run and left")
    assert (pool.work / "o").exists()
    complaint = f"{pool.work}/file/job.log"
    wait_for(lambda: complaint in (pool.log / "SchedLog").read_text(), "the schedd says so")
    (pool.work / "file").unlink()
    (pool.work / "file").mkdir()
    wait_for(lambda: (5, f"{cluster}.0") in pool.events("file/job.log"), "its events are there")
    assert [number for number, _ in pool.events("file/job.log") if number != 6] == [0, 1, 5]


def test_events_follow_when_the_directory_of_their_log_is_there_again(pool: PersonalPool) -> None:
    (pool.work / "dir").mkdir()
    program = pool.script("waits.sh", f"while [ ! -e {pool.work}/go ]; do sleep 0.1; done\n")
    cluster = pool.submit(f"executable = {program}\nlog = dir/job.log\nqueue\n")
    wait_for(lambda: (1, f"{cluster}.0") in pool.events("dir/job.log"), "it runs")
    (pool.work / "dir").rename(pool.work / "away")
    (pool.work / "go").touch()
    wait_for(lambda: pool.queue("ProcId") == [], "it leaves the queue all the same")
    assert any((pool.spool / "late_events").iterdir()), "its last event is kept"
    (pool.work / "away").rename(pool.work / "dir")
    pool.wait("dir/job.log")
    assert [number for number, _ in pool.events("dir/job.log") if number != 6] == [0, 1, 5]
    wait_for(lambda: not any((pool.spool / "late_events").iterdir()), "nothing is kept")


def test_a_forced_removal_does_not_wait_for_the_job(pool: PersonalPool) -> None:
    program = pool.script("stubborn.sh", "trap '' TERM\necho up\nwhile :; do sleep 0.1; done\n")
    cluster = pool.submit(f"executable = {program}\noutput = o\nlog = job.log\nqueue\n")
    job = f"{cluster}.0"
    wait_for(lambda: (pool.work / "o").exists() and (pool.work / "o").read_text() == "up\n", "it runs")
    pool.started("job.log", job)
    pool.tool("condor_rm", job)
    assert pool.status_of(job) == 3
    pool.tool("condor_rm", "-forcex", job)
    wait_for(lambda: pool.status_of(job) is None, "it left")
    wait_for(lambda: not [pid for pid in pool.processes() if _is_running(pid, b"stubborn")], "it was killed")
    assert [number for number, _ in pool.events("job.log") if number != 6] == [0, 1, 9]


def _is_running(pid: int, word: bytes) -> bool:
    try:
        return word in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_a_deferred_job_waits_for_its_time(pool: PersonalPool) -> None:
    pool.submit(
        "executable = /bin/date\narguments = +%s\noutput = o\nlog = job.log\n"
        "deferral_time = $(SUBMIT_TIME) + 2\ndeferral_window = 600\nqueue\n"  # a busy machine may be late
    )
    pool.wait("job.log")
    wait_for(lambda: pool.history("ClusterId"), "it is recorded")
    ((due, queued),) = pool.history("DeferralTime", "QDate")
    assert int(due) - int(queued) == 2
    assert 0 <= int((pool.work / "o").read_text()) - int(due) <= 30 * PATIENCE


def test_a_missed_deferral_time_holds_the_job(pool: PersonalPool) -> None:
    """condor_submit lets no slot match once the time is over; whoever edits that away is told by a hold."""
    cluster = pool.submit("executable = /bin/true\nlog = job.log\ndeferral_time = 1000\nqueue\n")
    wait_for(lambda: pool.queue("LastRejMatchReason")[0][0] != "undefined", "nothing matches")
    pool.tool("condor_qedit", f"{cluster}.0", "Requirements", "true")
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 5, "the job is held")
    assert pool.queue("HoldReasonCode") == [["20"]]


def test_xml_event_log(pool: PersonalPool) -> None:
    pool.submit("executable = /bin/true\nlog = job.xml\nlog_xml = true\nqueue\n")
    wait_for(lambda: "<s>JobTerminatedEvent</s>" in _text(pool, "job.xml"), "terminated, in XML")


def _text(pool: PersonalPool, name: str) -> str:
    path = pool.work / name
    return path.read_text() if path.exists() else ""


def test_a_job_wrapper_is_used(pool: PersonalPool) -> None:
    wrapper = pool.script("wrap.sh", 'echo "wrapped $1"; exec "$@"\n')
    pool.configure(f'USER_JOB_WRAPPER = {wrapper}\nSTARTER_JOB_ENVIRONMENT = "SITE=here"\n')
    program = pool.script("job.sh", "echo $SITE\n")
    pool.submit(f"executable = {program}\noutput = o\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == f"wrapped {program}\nhere\n"


def test_dollar_dollar_comes_from_the_slot(pool: PersonalPool) -> None:
    pool.submit(
        "executable = /bin/echo\narguments = $$(OpSys) $$(NoSuch:default) $$([ 1 + 1 ])\n"
        "output = o\nlog = job.log\nqueue\n"
    )
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "LINUX default 2\n"


def test_a_dollar_dollar_that_no_slot_has_holds_the_job(pool: PersonalPool) -> None:
    cluster = pool.submit(
        "executable = /bin/echo\narguments = $$(NoSuch)\n+Requirements = true\nlog = job.log\nqueue\n"
    )
    pool.tool("condor_qedit", f"{cluster}.0", "Requirements", "true")
    wait_for(lambda: pool.status_of(f"{cluster}.0") == 5, "the job is held")
    assert "Cannot expand $$ expression (NoSuch)." in pool.tool("condor_q", "-af", "HoldReason").stdout


def test_jobs_of_the_schedd_itself(own_pool: PersonalPool) -> None:
    """They need no slot: they run while the startd is off."""
    own_pool.tool("condor_off", "-startd")
    for universe in ("local", "scheduler"):
        _jobs_of_the_schedd(own_pool, universe)


def _jobs_of_the_schedd(pool: PersonalPool, universe: str) -> None:
    """One job of the universe ends by itself, another is removed."""
    program = pool.script("here.sh", "echo here $_CONDOR_SLOT; exit 2\n")
    job = f"universe = {universe}\nlog = {universe}.log\n"
    cluster = pool.submit(f"{job}executable = {program}\noutput = {universe}.out\nqueue\n")
    pool.wait(f"{universe}.log")
    assert (pool.work / f"{universe}.out").read_text().startswith("here")
    wait_for(lambda: pool.history("ClusterId", "ExitCode")[0] == [str(cluster), "2"], "it is recorded")
    sleeper = pool.submit(f"{job}executable = /bin/sleep\narguments = 100\nqueue\n")
    second = f"{sleeper}.0"
    pool.started(f"{universe}.log", second)
    pool.tool("condor_rm", second)
    wait_for(lambda: pool.status_of(second) is None, "it is gone")
    numbers = [number for number, job in pool.events(f"{universe}.log") if job == second and number != 6]
    assert numbers == [0, 1, 4, 9]


def test_submit_returns_when_the_events_are_written(pool: PersonalPool) -> None:
    """A script may call condor_wait next: it must see the new jobs in a log that has old ones."""
    pool.submit("executable = /bin/true\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    pool.submit("executable = /bin/true\nlog = job.log\nqueue 150\n")
    assert sum(number == 0 for number, _ in pool.events("job.log")) == 151
    pool.wait("job.log", 120)
    assert sum(number == 5 for number, _ in pool.events("job.log")) == 151


def test_a_job_that_does_not_run_is_gone_when_condor_rm_returns(pool: PersonalPool) -> None:
    cluster = pool.submit("executable = /bin/true\nlog = gone.log\nhold = true\nqueue\n")
    pool.tool("condor_rm", str(cluster))
    assert pool.status_of(f"{cluster}.0") is None
    assert 9 in [number for number, _ in pool.events("gone.log")]


def test_users_of_accounting_groups_are_charged_once(own_pool: PersonalPool) -> None:
    pool = own_pool
    for user in ("ann", "ben"):
        pool.submit(
            f"executable = /bin/sleep\narguments = 0.5\naccounting_group_user = {user}\nlog = job.log\nqueue 2\n"
        )
    pool.wait("job.log")
    wait_for(lambda: "ben@example.net" in pool.tool("condor_userprio", "-allusers").stdout, "ben is accounted for")
    names = {line.split()[0] for line in pool.tool("condor_userprio", "-allusers", "-af", "Name").stdout.splitlines()}
    assert names - {"<none>"} == {"ann@example.net", "ben@example.net"}
