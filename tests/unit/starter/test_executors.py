"""What every executor promises, whatever it runs its programs with. Each new one is a line of EXECUTORS."""

from __future__ import annotations

import os
import pwd
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from apart import apart

from condor_py.classad import ClassAd, quote_string
from condor_py.daemon.starter.jobfamily import JobFamily
from condor_py.hardware import process
from condor_py.model.report import ExitReport
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import HoldCode
from condor_py.starter.environment import job_environment
from condor_py.starter.executor import Execution, Executor
from condor_py.starter.identity import account_for
from condor_py.starter.job import read_job
from condor_py.starter.process import StartError, Streams
from condor_py.starter.processes import ProcessExecutor
from condor_py.starter.sandbox import Place, Sandbox
from condor_py.starter.session import SessionPlace, SessionRequest

OWNER = pwd.getpwuid(os.geteuid()).pw_name


def of_processes(ad: ClassAd) -> Executor:
    return ProcessExecutor(JobFamily(StarterSettings("/nowhere", base_cgroup=""), "slot1@here", ClassAd()), ad)


EXECUTORS: dict[str, Callable[[ClassAd], Executor]] = {"processes": of_processes}


class Bench:
    """One executor and a directory for its jobs."""

    def __init__(self, make: Callable[[ClassAd], Executor], top: Path) -> None:
        self.scratch = top / "scratch"
        self.scratch.mkdir()
        self.place = Place("slot1@here", "there", Sandbox(str(top)), "", {"PATH": os.environ["PATH"]})
        self.place = replace(self.place, log=lambda *told: None)
        self.make = make

    def execution(self, script: str, **attributes: str) -> tuple[Executor, Execution]:
        program = self.scratch / "job.sh"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        ad = ClassAd()
        texts = {
            "ClusterId": "7", "ProcId": "3", "Owner": quote_string(OWNER), "Iwd": quote_string(str(self.scratch)),
            "Cmd": quote_string("job.sh"), "Out": quote_string("out"), "Err": quote_string("err"),
            "ShouldTransferFiles": '"NO"', **attributes,
        }  # fmt: skip
        for name, text in texts.items():
            ad.set_text(name, text)
        job = read_job(ad, "here")
        return self.make(ad), Execution(job, self.place, str(self.scratch), account_for(OWNER))

    def start(self, script: str, **attributes: str) -> tuple[Executor, Execution]:
        executor, execution = self.execution(script, **attributes)
        assert executor.pid == 0
        executor.fetch(execution)
        executor.prepare(execution)
        executor.start(execution, self.environment(execution))
        assert executor.pid > 0
        executor.admit()
        return executor, execution

    def environment(self, execution: Execution) -> dict[str, str]:
        return job_environment(self.place.base_environment, execution.job, execution.owner, self.place.sandbox)

    def said(self, name: str) -> str:
        path = self.scratch / name
        return path.read_text() if path.exists() else ""


@pytest.fixture(params=EXECUTORS)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    return Bench(EXECUTORS[request.param], tmp_path)


def wait(executor: Executor) -> None:
    os.waitid(os.P_PID, executor.pid, os.WEXITED | os.WNOWAIT)


def until(true: Callable[[], object]) -> None:
    limit = time.monotonic() + 20
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.01)


def ended(executor: Executor) -> tuple[int | None, int | None]:
    """Exit code and signal, when nothing of the job is left."""
    wait(executor)
    ending = executor.collect()
    executor.end()
    executor.close()
    return ending.exit_code, ending.exit_signal


@apart
def test_a_program_runs_in_its_directory_and_its_code_is_told(bench: Bench) -> None:
    executor, _ = bench.start('pwd; echo "$1 $WORD"; echo no >&2; exit 3', Arguments='"a"', Environment='"WORD=b"')
    assert ended(executor) == (3, None)
    assert (bench.said("out"), bench.said("err")) == (f"{bench.scratch}\na b\n", "no\n")


@apart
def test_a_signal_that_ends_a_program_is_told(bench: Bench) -> None:
    executor, _ = bench.start("kill -USR1 $$")
    assert ended(executor) == (None, signal.SIGUSR1)


@apart
def test_a_program_that_cannot_be_executed_is_the_fault_of_its_job(bench: Bench) -> None:
    executor, execution = bench.execution("", Cmd='"nothing"')
    executor.prepare(execution)
    with pytest.raises(StartError) as caught:
        executor.start(execution, {})
    assert caught.value.code == HoldCode.FAILED_TO_CREATE_PROCESS
    executor.close()


@apart
def test_a_signal_goes_to_the_program_alone(bench: Bench) -> None:
    executor, _ = bench.start(
        "trap 'exit 9' USR1; (trap 'echo child > child' USR1; echo > ready; sleep 1000) & while :; do wait; done"
    )
    until(lambda: (bench.scratch / "ready").exists())
    executor.signal(signal.SIGUSR1)
    assert ended(executor) == (9, None)
    assert not bench.said("child")


@apart
def test_everything_of_a_job_is_killed(bench: Bench) -> None:
    executor, _ = bench.start("trap '' TERM; setsid sh -c 'echo $$ > pid; exec sleep 1000' & while :; do sleep 1; done")
    until(lambda: bench.said("pid").strip())
    executor.kill()
    assert ended(executor) == (None, signal.SIGKILL)
    assert not process.alive(int(bench.said("pid")))


@apart
def test_what_a_program_leaves_behind_ends_with_it(bench: Bench) -> None:
    executor, _ = bench.start("setsid sleep 1000 & echo $! > pid")
    assert ended(executor) == (0, None)
    assert not process.alive(int(bench.said("pid")))


@apart
def test_a_job_stands_still_and_goes_on(bench: Bench) -> None:
    executor, _ = bench.start("while :; do echo x >> ticks; sleep 0.01; done")
    until(lambda: bench.said("ticks"))
    assert executor.suspend() >= 1
    # One that is just starting a child waits for that (D), which is stopped.
    until(lambda: (stat := process.stat(executor.pid)) is not None and stat.state in "TD")
    before = bench.said("ticks")
    assert executor.resume() >= 1
    until(lambda: len(bench.said("ticks")) > len(before))
    executor.kill()
    assert ended(executor) == (None, signal.SIGKILL)


@apart
def test_what_lives_of_a_job_is_measured(bench: Bench) -> None:
    executor, _ = bench.start("echo > ready; sleep 1000 & wait")
    until(lambda: (bench.scratch / "ready").exists())
    used = executor.usage()
    assert used.processes >= 1
    assert used.rss_kb > 0
    assert not executor.over_limit()
    assert executor.look_interval > 0
    executor.dismiss()
    assert ended(executor) == (None, signal.SIGTERM)


@apart
def test_a_program_that_is_over_takes_no_signal(bench: Bench) -> None:
    executor, _ = bench.start("exit 5")
    wait(executor)
    assert executor.collect().exit_code == 5
    executor.signal(signal.SIGTERM)
    executor.dismiss()
    executor.kill()
    executor.end()
    assert executor.uncounted((1e9, 1e9)) == (0.0, 0.0)
    report = ExitReport("claim", "7.3", 1, exit_code=5)
    assert executor.judge(report) == report
    executor.close()


@apart
def test_a_program_is_started_again(bench: Bench) -> None:
    executor, execution = bench.start("echo x >> runs; exit 85")
    for _ in range(2):
        wait(executor)
        assert executor.collect().exit_code == 85
        executor.end()
        executor.start(execution, bench.environment(execution))
    assert ended(executor) == (85, None)
    assert bench.said("runs") == "x\n" * 3


@apart
def test_a_session_sees_what_the_program_sees_and_ends_with_it(bench: Bench) -> None:
    executor, execution = bench.start("ulimit -n 321; echo > ready; sleep 1000 & wait")
    until(lambda: (bench.scratch / "ready").exists())
    executor.admit()
    with open(bench.scratch / "told", "wb") as told:
        streams = Streams(os.open(os.devnull, os.O_RDONLY), told.fileno(), told.fileno())
        request = SessionRequest("pwd; ulimit -n; echo $_CONDOR_SSH_TO_JOB; exec sleep 1000", ("/bin/sh",), False)
        place = SessionPlace(execution.directory, bench.environment(execution), (executor.pid,), "slot1@here", "1.1")
        session = executor.enter(request, place, streams, execution.owner)
    until(lambda: bench.said("told").count("\n") == 3)
    assert bench.said("told") == f"{bench.scratch}\n321\n1.1\n"
    executor.kill()
    assert ended(executor) == (None, signal.SIGKILL)
    assert not process.alive(session.pid)


@apart
def test_a_run_that_never_starts_is_closed(bench: Bench) -> None:
    executor, execution = bench.execution("exit 0")
    executor.fetch(execution)
    executor.close()
    assert executor.pid == 0
    executor, execution = bench.execution("exit 0")
    executor.prepare(execution)
    executor.close()
    assert not executor.fetches_much
