"""PreCmd and PostCmd: programs that jobs run before and after their own, where the machine lets them."""

from __future__ import annotations

from pathlib import Path

from pool import PersonalPool, wait_for

JOB = """executable = /bin/sh
arguments = "-c 'cat said; echo job $0; sleep {seconds}; exit 3' x"
output = {name}.out
log = {name}.log
should_transfer_files = YES
transfer_executable = false
transfer_input_files = script, said
{more}
queue
"""


def script(folder: Path) -> None:
    """A program that writes what it was called, its arguments and variables into the file ``said``; its last argument
    is its exit code."""
    path = folder / "script"
    path.write_text(
        '#!/bin/sh\nfor last; do :; done\necho "script $* [$COLOUR] [$_CONDOR_MAINJOB_EXIT_CODE]" >>said\nexit $last\n'
    )
    path.chmod(0o755)
    (folder / "said").write_text("")


def job(pool: PersonalPool, name: str, more: str, seconds: int = 0) -> int:
    return pool.submit(JOB.format(name=name, more=more, seconds=seconds))


def test_programs_before_and_after_that_of_a_job(pool: PersonalPool) -> None:
    pool.configure("STARTER_ALLOW_JOB_PRE_AND_POST_CMD = TARGET.Forbidden =!= true && MY.Memory > 0\n")
    script(pool.work)
    both = '+PreCmd = "script"\n+PostCmd = "script"\n'

    words = '+PreArguments = "\'a b\' 5"\n+PreEnvironment = "COLOUR=red"\n+PostArgs = "c d 7"\n'
    job(pool, "both", f"{both}{words}")
    pool.wait("both.log")
    assert (pool.work / "both.out").read_text() == "script a b 5 [red] []\njob x\n"
    assert (pool.work / "said").read_text() == "script a b 5 [red] []\nscript c d 7 [] [3]\n"
    pool.recorded([["3", "7", "false"]], "ExitCode", "PostExitCode", "PostExitBySignal")
    (pool.work / "said").write_text("")

    fails = {
        "pre": ('+PreCmd = "script"\n+PreArgs = "4"\n+SuccessPreExitCode = 0\n', "43", "Pre script failed.", "4"),
        "post": ('+PostCmd = "script"\n+PostArgs = "4"\n+SuccessPostExitCode = 0\n', "44", "Post script failed.", "3"),
        "none": ('+PreCmd = "/no/such"\n', "6", "Failed to execute '/no/such': No such file", "undefined"),
    }
    jobs = {name: job(pool, name, more) for name, (more, *_) in fails.items()}
    refused = job(pool, "refused", f"{both}+Forbidden = true\n")
    for name, (_, code, reason, exit_code) in fails.items():
        wait_for(lambda name=name: pool.status_of(f"{jobs[name]}.0") == 5, f"{name} is held")
        asked = ("HoldReasonCode", "ExitCode", "HoldReason")
        said = pool.tool("condor_q", str(jobs[name]), "-af:t", *asked).stdout.strip().split("\t")
        assert said[:2] == [code, exit_code], name
        assert reason in said[2]
    assert not (pool.work / "post.out").exists(), "output does not come back"
    pool.wait("refused.log")
    assert (pool.work / "refused.out").read_text() == "job x\n", f"job {refused} runs without its scripts"
    assert "PreCmd and PostCmd will be ignored" in pool.logged("StarterLog*")

    path = pool.work / "script"
    path.write_text(f"#!/bin/sh\necho $$ >{pool.work}/pid\nsleep 1000\n")
    slow = job(pool, "slow", '+PreCmd = "script"\n')
    wait_for(lambda: (pool.work / "pid").exists() and (pool.work / "pid").read_text() != "", "the script runs")
    pool.tool("condor_rm", str(slow))
    wait_for(lambda: pool.status_of(f"{slow}.0") is None, "a removed job does not wait for its script")
    pid = (pool.work / "pid").read_text().strip()
    wait_for(lambda: not Path(f"/proc/{pid}/cmdline").exists(), "and the script is killed")
