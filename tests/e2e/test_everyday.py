"""What people meet every day with a pool, and what once went wrong."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from pool import MAIN, PersonalPool, wait_for


def test_a_command_for_another_machine_touches_nothing_here(pool: PersonalPool) -> None:
    pids = {name: pool.pid(name) for name in ("schedd", "negotiator", "startd")}
    for words in (
        ("condor_off", "-name", "elsewhere"),
        ("condor_off", "-fast", "elsewhere"),
        ("condor_restart", "-startd", "-name", "elsewhere"),
        ("condor_vacate", "slot1@elsewhere"),
    ):
        done = pool.tool(*words, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"{words[0]}: unknown host {words[-1]}\n"
    for words in (
        ("condor_off", "-startd", "-pool", "elsewhere"),
        ("condor_drain", "-pool", "elsewhere", "slot1@elsewhere"),
        ("condor_userprio", "-pool", "elsewhere"),
        ("condor_status", "-pool", "elsewhere"),
    ):
        done = pool.tool(*words, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("Error: unknown host elsewhere: ")
    none = pool.tool("condor_off", "-constraint", 'Machine == "elsewhere"', check=False)
    assert none.returncode == 1
    assert none.stderr.startswith("Found no ClassAds when querying pool (local)\n")
    assert "local master" in pool.tool("condor_reconfig", "-constraint", 'MyType == "DaemonMaster"').stdout
    assert pids == {name: pool.pid(name) for name in pids}


def test_a_core_file_comes_back_under_the_name_of_the_job(pool: PersonalPool) -> None:
    if Path("/proc/sys/kernel/core_pattern").read_text().strip() not in ("core", "core.%p"):
        pytest.skip("this kernel does not write core files to the working directory")
    script = pool.work / "dies.sh"
    script.write_text("#!/bin/sh\nkill -SEGV $$\n")
    script.chmod(0o755)
    job = "executable = dies.sh\ncoresize = 10000000\nlog = dies.log\n"
    here = pool.submit(job + "queue\n")
    sent = pool.submit(job + "should_transfer_files = yes\ntransfer_output_files =\nqueue\n")
    pool.wait("dies.log")
    assert {path.name for path in pool.work.glob("core*")} == {f"core.{here}.0", f"core.{sent}.0"}


def test_an_output_file_that_cannot_be_written_says_so(pool: PersonalPool) -> None:
    job = pool.submit(
        "executable = /bin/sh\narguments = \"-c 'echo > made'\"\nshould_transfer_files = yes\nlog = remap.log\n"
        'transfer_output_files = made\ntransfer_output_remaps = "made = /nonexistent/made"\nqueue\n'
    )
    wait_for(lambda: pool.status_of(f"{job}.0") == 5, "the job is held")
    reason = pool.tool("condor_q", str(job), "-af", "HoldReason").stdout
    assert "while receiving files from execution point" in reason
    assert "writing to file /nonexistent" in reason
    assert "(errno 2)" in reason or "(errno 13)" in reason, "what is wrong with the directory"


def test_condor_status_of_a_stopped_pool_is_an_error(restarted: PersonalPool) -> None:
    pool = restarted
    pool.submit("executable = /bin/true\nlog = true.log\nqueue\n")
    pool.wait("true.log")
    pool.tool("condor_off", "-master", "-fast")
    wait_for(lambda: not pool.processes(), "the pool is down")
    done = pool.tool("condor_status", check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: communication error\n")
    assert pool.tool("condor_q", "-totals").returncode == 0


def test_what_a_killed_pool_has_published_is_not_shown(restarted: PersonalPool) -> None:
    pool = restarted
    assert pool.tool("condor_status").returncode == 0
    for pid in pool.processes():
        with suppress(ProcessLookupError):  # it may have ended with its master
            os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not pool.processes(), "the pool is dead")
    assert list((pool.spool / "ads").iterdir())
    done = pool.tool("condor_status", check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: communication error")


def test_a_result_never_hides_in_a_directory_of_its_name(pool: PersonalPool) -> None:
    (pool.work / "results").mkdir()
    job = pool.submit(
        "executable = /bin/echo\narguments = hi\nshould_transfer_files = yes\n"
        "output = results\nlog = results.log\nqueue\n"
    )
    wait_for(lambda: pool.status_of(f"{job}.0") == 5, "the job is held")
    assert pool.tool("condor_q", str(job), "-af", "HoldReasonCode", "HoldReasonSubCode").stdout.split() == ["12", "21"]
    assert not list((pool.work / "results").iterdir())


def test_results_go_to_a_file_url(pool: PersonalPool) -> None:
    (pool.work / "far").mkdir()
    (pool.work / "made.sub").touch()
    pool.submit(
        "executable = /usr/bin/touch\narguments = a b\nshould_transfer_files = yes\nlog = url.log\noutput = url.out\n"
        f"output_destination = file://{pool.work}/far\ntransfer_input_files = file://{pool.work}/made.sub\nqueue\n"
    )
    pool.wait("url.log")
    assert {path.name for path in (pool.work / "far").iterdir()} == {"a", "b"}
    assert (pool.work / "url.out").exists()
    assert not (pool.work / "a").exists()


def test_bytes_that_are_not_utf8_reach_the_job(pool: PersonalPool) -> None:
    (pool.work / "latin.sub").write_bytes(
        b"executable = /bin/echo\narguments = gr\xfc\xdfe\noutput = latin.out\nlog = latin.log\n"
        b"should_transfer_files = yes\nqueue\n"
    )
    pool.tool("condor_submit", "latin.sub")
    pool.wait("latin.log")
    assert (pool.work / "latin.out").read_bytes() == b"gr\xfc\xdfe\n"


def test_submitting_from_a_directory_that_is_gone_is_one_line(pool: PersonalPool) -> None:
    (pool.work / "job.sub").write_text("executable = /bin/true\nqueue\n")
    script = f"mkdir away && cd away && rmdir ../away && exec {sys.executable} -I {MAIN} condor_submit ../job.sub"
    environment = {name: value for name, value in pool.environment.items() if name != "CONDOR_PY_TRACEBACK"}
    done = subprocess.run(
        ["/bin/sh", "-c", script], env=environment, cwd=pool.work, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "\nERROR: the current directory does not exist any more; submit from one that does\n"


def test_values_of_the_slot_go_into_the_job(pool: PersonalPool) -> None:
    pool.submit(
        "executable = /bin/echo\narguments = $$(Memory) $$([ Cpus * 2 ]) $$(NoSuch:none)\n"
        "output = dollars.$$(SlotID).out\nrequest_memory = 256\nlog = dollars.log\nqueue\n"
    )
    missing = pool.submit("executable = /bin/echo\narguments = $$(NoSuch)\nlog = missing.log\nqueue\n")
    pool.wait("dollars.log")
    assert (pool.work / "dollars.1.out").read_text() == "256 2 none\n"
    wait_for(lambda: pool.status_of(f"{missing}.0") == 5, "the job is held")
    assert "Cannot expand $$ expression (NoSuch)." in pool.tool("condor_q", str(missing), "-af", "HoldReason").stdout
    assert 1 not in [number for number, _ in pool.events("missing.log")]


def test_a_group_counts_for_the_whole_name_of_the_submitter(pool: PersonalPool) -> None:
    pool.submit("executable = /bin/sleep\narguments = 100\naccounting_group_user = ada\nlog = group.log\nqueue\n")
    wait_for(lambda: pool.queue("JobStatus") == [["2"]], "the job runs")
    wait_for(lambda: "ada" in pool.tool("condor_status", "-af", "AccountingGroup").stdout, "the slot ad tells")
    found = pool.tool("condor_status", "-claimed", "-af", "AccountingGroup").stdout
    assert found == "ada@example.net\n"


def test_status_counts_held_and_local_jobs_apart(pool: PersonalPool) -> None:
    pool.submit("executable = /bin/sleep\narguments = 100\nqueue\n")
    pool.submit("executable = /bin/sleep\narguments = 100\nhold = true\nqueue 2\n")
    pool.submit("universe = local\nexecutable = /bin/sleep\narguments = 100\nqueue\n")

    def shown(mode: str, *attributes: str) -> str:
        return pool.tool("condor_status", mode, "-af", *attributes).stdout

    counts = ("RunningJobs", "IdleJobs", "HeldJobs", "LocalJobsRunning")
    wait_for(lambda: shown("-submitters", *counts) == "1 0 2 1\n", "every job counts where it belongs")
    assert shown("-schedd", "TotalRunningJobs", "TotalLocalJobsRunning", "TotalHeldJobs", "NumUsers") == "1 1 2 1\n"
    wait_for(lambda: shown("-collector", "RunningJobs", "HostsTotal", "HostsClaimed") == "1 2 1\n", "slots are told")
    asked = int(time.time())
    direct = pool.tool("condor_status", "-direct", "localhost", "-af", f"MyCurrentTime >= {asked}").stdout
    assert set(direct.split()) == {"true"}


def test_the_stack_of_a_job_is_as_large_as_it_may_be_or_as_it_says(pool: PersonalPool) -> None:
    """Programs in Fortran crash with less; HTCondor raises the soft limit to the hard one."""
    form = "executable = /bin/sh\narguments = \"-c 'ulimit -s'\"\nlog = stack.log\noutput = {name}\n{more}queue\n"
    pool.submit(form.format(name="small", more="stack_size = 4194304\n"))
    pool.submit(form.format(name="large", more=""))
    pool.wait("stack.log")
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    assert (pool.work / "small").read_text() == "4096\n"
    assert (pool.work / "large").read_text() == ("unlimited" if hard < 0 else str(hard // 1024)) + "\n"
