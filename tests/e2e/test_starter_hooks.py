"""Hooks of jobs: they prepare them, refuse them, hear of them, and learn of their end."""

from __future__ import annotations

import os
import re
import signal
import time

import pytest
from hook_programs import hook_program, told
from pool import PersonalPool, wait_for

JOB = """executable = /bin/{program}
arguments = {arguments}
output = out
log = log
should_transfer_files = YES
+HookKeyword = "mine"
queue
"""


def submit(pool: PersonalPool, program: str = "sleep", arguments: str = "1000") -> int:
    return pool.submit(JOB.format(program=program, arguments=arguments))


def hooks(pool: PersonalPool, keyword: str = "MINE", more: str = "", **texts: str) -> None:
    """Gives the pool hooks, by the text of their programs, and further knobs."""
    lines = [f"{keyword}_HOOK_{name} = {hook_program(pool, name, text)}\n" for name, text in texts.items()]
    pool.configure("".join(lines) + more)


def test_a_hook_changes_the_job_and_others_hear_of_it(pool: PersonalPool) -> None:
    until = f"until [ -e {pool.work}/UPDATE_JOB_INFO.args ]; do sleep 0.1; done"
    hooks(
        pool,
        more="MINE_HOOK_PREPARE_JOB_ARGS = one 'two three'\nSTARTER_INITIAL_UPDATE_INTERVAL = 1\n",
        PREPARE_JOB_BEFORE_TRANSFER="pwd > $_CONDOR_SCRATCH_DIR/where; ls > $_CONDOR_SCRATCH_DIR/before",
        PREPARE_JOB=f"""echo 'Cmd = "/bin/sh"'
echo "Arguments = \\"-c 'cat where before; grep ^Cmd .job.ad; sleep 1.5; {until}; exit 5'\\""
echo 'TransferExecutable = false'""",
        UPDATE_JOB_INFO="",
        JOB_EXIT=f"ls > {pool.work}/at_end",
    )
    begun = time.monotonic()
    submit(pool, "false", "ignored")
    pool.wait("log")
    lasted = time.monotonic() - begun
    where, *files = (pool.work / "out").read_text().splitlines()
    assert re.search(r"/dir_\d+/scratch$", where)
    assert files[-1] == 'Cmd = "/bin/sh"'
    pool.recorded([["5"]], "ExitCode")
    assert told(pool, "PREPARE_JOB")["Cmd"] == '"/bin/false"'
    assert (pool.work / "PREPARE_JOB.args").read_text().endswith("hook_PREPARE_JOB one two three\n")
    running = told(pool, "UPDATE_JOB_INFO")
    assert (running["JobState"], running["Cmd"]) == ('"Running"', '"/bin/sh"')
    assert {"JobPid", "NumPids", "JobStartDate", "RemoteSysCpu", "RemoteUserCpu", "ImageSize"} <= set(running)
    ended = told(pool, "JOB_EXIT")
    assert (ended["JobState"], ended["ExitBySignal"], ended["ExitCode"]) == ('"Exited"', "false", "5")
    assert 1.4 < float(ended["JobDuration"]) < lasted
    assert (pool.work / "JOB_EXIT.args").read_text().split()[1:] == ["exit"]
    assert "where" in (pool.work / "at_end").read_text(), "the scratch directory is still there"


@pytest.mark.parametrize(
    ("text", "subcode", "reason"),
    [
        ("exit 7", 7, "PREPARE_JOB (hook_PREPARE_JOB) failed (exited with status 7): <no message>"),
        (
            "echo HookStatusCode = 190; echo 'HookStatusMessage = \"no licence today\"'",
            190,
            "PREPARE_JOB (hook_PREPARE_JOB) failed (reported status 190): no licence today",
        ),
    ],
)
def test_a_hook_holds_the_job(pool: PersonalPool, text: str, subcode: int, reason: str) -> None:
    hooks(pool, PREPARE_JOB=text)
    job = submit(pool)
    wait_for(lambda: pool.status_of(str(job)) == 5, "the job is held")
    assert pool.queue("HoldReasonCode", "HoldReasonSubCode") == [["19", str(subcode)]]
    assert reason in pool.tool("condor_q", "-af", "HoldReason").stdout
    assert not list(pool.execute.glob("dir_*/scratch"))


def test_a_hook_sends_the_job_back_to_the_queue(pool: PersonalPool) -> None:
    second = pool.work / "second"
    message = "echo 'HookStatusMessage = \"the licence server sleeps\"'"
    hooks(pool, PREPARE_JOB=f"{message}; [ -e {second} ] && exit 0; touch {second}; echo HookStatusCode = 300")
    submit(pool, "true", "")
    pool.wait("log")
    assert [number for number, _ in pool.events("log") if number in (1, 4, 5, 21)] == [21, 4, 21, 1, 5]
    text = (pool.work / "log").read_text()
    failed = "PREPARE_JOB (hook_PREPARE_JOB) failed (reported status 300): the licence server sleeps"
    assert re.search(rf"Error from starter on \S*slot1_1@\S+:\n\t{re.escape(failed)}\n", text)
    assert f"\tReason: Error from slot1_1@{os.uname().nodename}: {failed}\n" in text
    assert text.count("Code 1007 Subcode 0") == 1
    assert re.search(r"Message from starter on \S+:\n\tPREPARE_JOB \(hook_PREPARE_JOB\) succeeded \(exited", text)
    recorded = ([["0", "undefined"]], [["0", "0"]])
    wait_for(lambda: pool.history("ExitCode", "NumHolds") in recorded, "it is recorded")


def test_the_end_of_an_evicted_job(pool: PersonalPool) -> None:
    hooks(pool, JOB_EXIT="")
    job = submit(pool)
    wait_for(lambda: (6, f"{job}.0") in pool.events("log") or pool.status_of(str(job)) == 2, "the job runs")
    wait_for(lambda: [n for n, _ in pool.events("log") if n == 1], "it executes")
    pool.tool("condor_rm", str(job))
    wait_for(lambda: (pool.work / "JOB_EXIT.args").read_text().split()[1:] == ["evict"], "the hook has run")
    ended = told(pool, "JOB_EXIT")
    assert (ended["ExitSignal"], ended["ExitReason"]) == (str(int(signal.SIGTERM)), '"died on signal 15 (Terminated)"')


def test_a_job_that_is_removed_while_it_is_prepared(pool: PersonalPool) -> None:
    hooks(pool, PREPARE_JOB="exec sleep 1000")
    job = submit(pool)
    wait_for(lambda: (pool.work / "PREPARE_JOB.args").exists(), "the hook runs")
    pool.tool("condor_rm", str(job))
    wait_for(lambda: pool.status_of(str(job)) is None, "the job is gone")
    wait_for(lambda: not list(pool.execute.glob("dir_*/scratch")), "and its directory")
    assert (9, f"{job}.0") in pool.events("log")


def test_keywords(pool: PersonalPool) -> None:
    hooks(pool, "SITE", "STARTER_DEFAULT_JOB_HOOK_KEYWORD = SITE\n", PREPARE_JOB="exit 3")
    job = submit(pool)  # names a keyword that the configuration does not know
    wait_for(lambda: pool.status_of(str(job)) == 5, "the default hook refuses")
    assert pool.queue("HoldReasonCode", "HoldReasonSubCode") == [["19", "3"]]


@pytest.mark.promise("S45")
def test_a_hook_that_others_may_change_is_not_used(pool: PersonalPool) -> None:
    hooks(pool, PREPARE_JOB="")
    (pool.work / "hook_PREPARE_JOB").chmod(0o757)
    job = submit(pool)
    wait_for(lambda: pool.status_of(str(job)) == 5, "the job is held")
    assert "failed to execute PREPARE_JOB" in pool.tool("condor_q", "-af", "HoldReason").stdout
    assert "is writable by all accounts" in pool.logged("StarterLog.slot1_1")
