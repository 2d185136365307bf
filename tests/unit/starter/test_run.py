"""One run of a job, from its scratch directory to its report, with real programs and files."""

from __future__ import annotations

import grp
import os
import pickle
import pwd
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from apart import apart

from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.daemons.starter.looks import told_of
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.machine.probes import process
from condor_py.machine.run.job import ToolDaemon, read_job
from condor_py.machine.run.processes import ProcessExecutor
from condor_py.machine.run.run import Run
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.model.report import ExitReport
from condor_py.model.settings.starter import StarterSettings, TransferSettings
from condor_py.model.states import HoldCode, VacateCode

OWNER = pwd.getpwuid(os.geteuid()).pw_name


def executor(ad: ClassAd) -> ProcessExecutor:
    """Of a slot without a control group: who has ended is not counted by anybody else."""
    return ProcessExecutor(JobFamily(StarterSettings("/nowhere", base_cgroup=""), "slot1@here", ClassAd()), ad)


class Pool:
    """Where jobs run: below one directory."""

    def __init__(self, top: Path) -> None:
        self.iwd = top / "iwd"
        self.iwd.mkdir()
        (top / "execute").mkdir()
        self.sandbox = Sandbox(str(top / "execute"))
        self.scratch = Path(self.sandbox.scratch)
        transfer = TransferSettings(spool=str(top / "spool"))
        self.place = Place("slot1@here", "there", self.sandbox, 'Name = "slot1"\n', {"PATH": os.environ["PATH"]})
        self.place = replace(self.place, transfer=transfer, log=lambda *told: None)
        self.number = 0

    def run(self, script: str, transfer: bool = False, **attributes: str) -> Run:
        """A run of a shell script; ``attributes`` are expressions."""
        path = self.iwd / "job.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        self.number += 1
        ad = ClassAd()
        texts = {
            "ClusterId": "7", "ProcId": "3", "Owner": quote_string(OWNER), "Iwd": quote_string(str(self.iwd)),
            "Cmd": quote_string("job.sh"), "Out": quote_string("out"), "Err": quote_string("err"),
            "ShouldTransferFiles": quote_string("YES" if transfer else "NO"), **attributes,
        }  # fmt: skip
        for name, text in texts.items():
            ad.set_text(name, text)
        report = ExitReport(claim_id="claim", job="7.3", run=self.number)
        return Run(self.place, executor(ad), read_job(ad, "here"), report, "")


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    return Pool(tmp_path)


def begin(run: Run) -> bool:
    return run.begin(100.0) and run.fetch(lambda: 101.0)


def start(run: Run) -> None:
    assert begin(run), run.report
    assert run.execute({}), run.report
    run.started(102.0)


def wait(run: Run) -> None:
    """The program has ended, and is collected."""
    os.waitid(os.P_PID, run.executor.pid, os.WEXITED | os.WNOWAIT)
    run.program_ended()


def end(run: Run) -> ExitReport:
    run.conclude(103.0)
    return run.clear(lambda: 104.0)


def complete(run: Run) -> ExitReport:
    start(run)
    wait(run)
    return end(run)


def until(true: Callable[[], Any]) -> None:
    limit = time.monotonic() + 60
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.01)


# -- where things come from and go ------------------------------------------------------------------


def test_output_goes_to_a_directory_of_its_own(pool: Pool) -> None:
    directory = pool.iwd / "results" / "7"
    run = pool.run(
        "echo said; echo made >made; mkdir -p sub; echo inner >sub/inner",
        transfer=True, OutputDirectory='"results/7"', TransferOutput='"made,sub"',
        TransferOutputRemaps=quote_string("made = deeper/made"),
    )  # fmt: skip
    report = complete(run)
    assert (report.exit_code, report.hold_reason) == (0, "")
    found = {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}
    assert found == {"out", "err", "deeper/made", "sub/inner"}
    assert {path.name for path in pool.iwd.iterdir()} == {"job.sh", "results"}


def test_a_program_that_cannot_be_stopped_at_its_start_holds(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.machine.run.process.quick", lambda: False)
    run = pool.run("true", SuspendJobAtExec="true")
    assert begin(run)
    assert not run.execute({})
    assert run.report.hold_code == HoldCode.FAILED_TO_CREATE_PROCESS
    assert "suspend_job_at_exec needs the modules in C" in run.report.hold_reason


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("cmd", "a\0b"), ("cmd", "/"), ("cmd", "x" * 300), ("cmd", "no such\n\udcff/file"), ("stdin", "a\0b"),
        ("stdout", "/"), ("stderr", "no such\n\udcff/file"),
    ],
)  # fmt: skip
def test_a_tool_daemon_with_a_name_that_is_none_holds_its_job(pool: Pool, field: str, name: str) -> None:
    run = pool.run("exec sleep 60", ToolDaemonCmd=quote_string("/bin/true"))
    run.job = replace(run.job, tool=ToolDaemon("/bin/true")._replace(**{field: name}))
    start(run)
    assert run.start_tool() is None
    wait(run)
    report = end(run)
    assert (report.hold_code in (6, 7, 8), report.exit_signal) == (True, signal.SIGKILL), report


@pytest.mark.parametrize("transfer", [True, False])
def test_a_program_starts_in_its_remote_directory(pool: Pool, tmp_path: Path, transfer: bool) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    (pool.iwd / "given").write_text("here\n")
    attributes = {"Cmd": quote_string(str(pool.iwd / "job.sh")), "In": '"given"'}
    remote = {**attributes, "RemoteIwd": quote_string(str(elsewhere))}
    report = complete(pool.run("pwd; cat; echo $_CONDOR_JOB_IWD; echo x >left", transfer, **remote))
    assert report.exit_code == 0, report
    assert (pool.iwd / "out").read_text() == f"{elsewhere}\nhere\n{elsewhere}\n"
    assert (elsewhere / "left").exists()
    run = pool.run("true", transfer, **attributes, RemoteIwd='"/nosuch"')
    assert begin(run)
    assert not run.execute({})
    assert (run.report.hold_code, "/nosuch" in run.report.hold_reason) == (HoldCode.IWD_ERROR, True)


def test_an_output_directory_that_cannot_be_made_holds(pool: Pool) -> None:
    (pool.iwd / "taken").write_text("")
    report = complete(pool.run("echo said", transfer=True, OutputDirectory='"taken/here"'))
    assert report.hold_code == HoldCode.DOWNLOAD_FILE_ERROR
    assert "taken" in report.hold_reason


def test_streamed_input_is_read_where_it_is(pool: Pool) -> None:
    (pool.iwd / "given").write_text("here\n")
    run = pool.run("cat; ls", transfer=True, In='"given"', StreamIn="true")
    assert complete(run).exit_code == 0
    said = (pool.iwd / "out").read_text().split()
    assert "here" in said
    assert "given" not in said


@pytest.mark.parametrize("group", ["no_such_group", "daemon"])
def test_a_group_that_the_owner_is_not_in_holds(pool: Pool, group: str) -> None:
    run = pool.run("true", PrimaryUnixGroup=quote_string(group))
    assert not begin(run)
    assert run.report.hold_code == 49
    assert f"primary unix group {group}" in run.report.hold_reason


def test_the_group_of_the_account_may_be_named(pool: Pool) -> None:
    mine = grp.getgrgid(pwd.getpwnam(OWNER).pw_gid).gr_name
    assert complete(pool.run("true", PrimaryUnixGroup=quote_string(mine))).exit_code == 0


# -- an ordinary job ------------------------------------------------------------------------------


@apart
def test_a_job_that_shares_the_file_system_runs_where_it_was_submitted(pool: Pool) -> None:
    run = pool.run("pwd; echo to stderr >&2; exit 3")
    report = complete(run)
    assert (report.exit_code, report.exit_signal, report.vacated, report.hold_code) == (3, None, False, 0)
    assert (report.start_time, report.exec_time, report.end_time) == (100.0, 102.0, 103.0)
    assert report.pid == run.executor.pid
    assert (pool.iwd / "out").read_text() == f"{pool.iwd}\n"
    assert (pool.iwd / "err").read_text() == "to stderr\n"
    assert report.input_transfer == report.output_transfer == ()
    assert not pool.scratch.exists()


@apart
def test_a_signal_ends_a_job(pool: Pool) -> None:
    report = complete(pool.run("kill -USR1 $$"))
    assert (report.exit_code, report.exit_signal, report.outcome) == (None, signal.SIGUSR1, -signal.SIGUSR1)


@apart
def test_files_go_into_the_scratch_directory_and_what_is_new_comes_back(pool: Pool) -> None:
    (pool.iwd / "in").write_text("input")
    run = pool.run("pwd; cat in; echo result > new", transfer=True, TransferInput='"in"')
    report = complete(run)
    assert (pool.iwd / "out").read_text() == f"{pool.scratch}\ninput"
    assert (pool.iwd / "new").read_text() == "result\n"
    assert report.input_transfer == (100.0, 101.0)
    assert report.output_transfer == (104.0, 104.0)
    assert (report.usage.files_received, report.usage.files_sent) == (2, 3)
    assert not pool.scratch.exists()


@apart
def test_a_failed_job_brings_only_its_failure_files_back(pool: Pool) -> None:
    wishes = {"JobSuccessExitCode": "0", "FailureFiles": '"why"', "TransferOutput": '"result"'}
    complete(pool.run("echo x > why; echo y > result; exit 1", transfer=True, **wishes))
    assert (pool.iwd / "why").exists()
    assert not (pool.iwd / "result").exists()


@apart
def test_a_job_whose_output_is_newer_than_its_input_is_not_run(pool: Pool) -> None:
    (pool.iwd / "in").write_text("")
    wishes = {"SkipIfDataflow": "true", "TransferInput": '"in"', "TransferOutput": '"result"'}
    run = pool.run("exit 1", transfer=True, **wishes)
    (pool.iwd / "result").write_text("")
    later = time.time() + 100
    os.utime(pool.iwd / "result", (later, later))
    assert not run.begin(100.0)
    assert (run.report.skipped, run.report.exit_code) == (True, 0)
    assert not pool.scratch.exists()


# -- jobs that cannot start -----------------------------------------------------------------------


def fails(run: Run, code: HoldCode) -> str:
    """Why a run is held that does not get to its program."""
    assert not (begin(run) and run.execute({}))
    assert (run.report.hold_code, run.report.error) == (code, "")
    assert not Path(run.place.sandbox.scratch).exists()
    return run.report.hold_reason


@apart
def test_what_cannot_be_executed_holds_the_job(pool: Pool) -> None:
    reason = fails(pool.run("", Cmd='"nothing"'), HoldCode.FAILED_TO_CREATE_PROCESS)
    assert reason.startswith(f"Error from slot1@here: Failed to execute '{pool.iwd}/nothing'")


@apart
def test_files_and_directories_that_are_not_there_hold_the_job(pool: Pool) -> None:
    reason = fails(pool.run("", transfer=True, TransferInput='"nothing"'), HoldCode.UPLOAD_FILE_ERROR)
    assert "nothing" in reason
    assert "Failed to open" in fails(pool.run("", In='"nothing"'), HoldCode.UNABLE_TO_OPEN_INPUT)
    reason = fails(pool.run("", Iwd='"/nothing"'), HoldCode.IWD_ERROR)
    assert reason == "Cannot access initial working directory /nothing: No such file or directory"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root looks at the owner")
@apart
@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("exit 0", ""),
        ("echo no licence >&2; echo >&2; exit 3",
         "; the program had exited with status 3, its standard error ends with: no licence"),
        ("exit 4", "; the program had exited with status 4"),
        (r"printf 'a\nb\033[1mc\000d\n' >&2; kill -9 $$",
         "; the program was killed by signal 9, its standard error ends with: b [1mc d"),
        ("rm -f _condor_stderr; mkfifo _condor_stderr; exit 5", "; the program had exited with status 5"),
    ],
)  # fmt: skip
def test_output_that_a_failed_program_never_wrote_is_told_with_how_it_ended(pool: Pool, script: str, told: str) -> None:
    where = {"Err": '"/dev/null"'} if "mkfifo" in script else {}
    report = complete(pool.run(script, transfer=True, TransferOutput='"result"', **where))
    assert report.hold_code == HoldCode.DOWNLOAD_FILE_ERROR
    assert report.hold_reason.endswith(f"(errno 2) No such file or directory{told}")


def test_an_owner_without_an_account_holds_the_job(pool: Pool) -> None:
    reason = fails(pool.run("", Owner='"no such user"'), HoldCode.FAILED_TO_ACCESS_USER_ACCOUNT)
    assert reason == "no account named 'no such user' on this machine"


@apart
def test_a_machine_that_fails_is_not_the_fault_of_the_job(pool: Pool) -> None:
    os.rmdir(pool.sandbox.root)
    run = pool.run("")
    assert not run.begin(100.0)
    assert run.report.hold_code == 0
    assert run.report.error.startswith("starter on slot1@here: ")


@apart
def test_a_wrapper_that_did_not_execute_its_job_makes_it_run_again(pool: Pool) -> None:
    wrapper = pool.iwd / "wrapper"
    wrapper.write_text('#!/bin/sh\nprintf "no\\nlicence" > $_CONDOR_WRAPPER_ERROR_FILE; exit 1\n')
    wrapper.chmod(0o755)
    pool.place = replace(pool.place, wrapper=str(wrapper))
    assert complete(pool.run("")).error == "The job wrapper failed to execute the job: no|licence"
    wrapper.write_text('#!/bin/sh\nexec "$@"\n')
    report = complete(pool.run("exit 4"))
    assert (report.exit_code, report.error) == (4, "")


# -- stopping -------------------------------------------------------------------------------------

#: Tells that it is there, starts nothing after that, and leaves with 9 at SIGTERM.
PATIENT = "trap 'exit 9' TERM; sleep 1000 & echo > ready; wait"


@apart
def test_a_soft_kill_signals_a_program_that_goes_on_after_it_stood_still(pool: Pool) -> None:
    run = pool.run(PATIENT)
    start(run)
    until((pool.iwd / "ready").exists)
    assert run.suspend_all() >= 1
    pid = run.executor.pid
    until(lambda: (stat := process.stat(pid)) is not None and stat.state == "T")
    run.stop()
    run.continue_all()
    run.soft_kill()
    wait(run)
    report = end(run)
    assert (report.exit_code, report.vacated) == (9, True)


@apart
def test_a_hard_kill_ends_processes_that_have_left_the_session(pool: Pool) -> None:
    run = pool.run("trap '' TERM; setsid sh -c 'echo $$ > pid; exec sleep 1000' & while :; do sleep 1; done")
    start(run)
    until(lambda: (pool.iwd / "pid").exists() and (pool.iwd / "pid").read_text().strip())
    stray = int((pool.iwd / "pid").read_text())
    run.stop()
    run.hard_kill()
    wait(run)
    report = end(run)
    assert (report.exit_signal, report.vacated) == (signal.SIGKILL, True)
    assert not process.alive(stray)


@apart
def test_what_a_program_leaves_behind_ends_with_it(pool: Pool) -> None:
    run = pool.run("setsid sleep 1000 & echo $! > pid")
    assert not complete(run).vacated
    assert not process.alive(int((pool.iwd / "pid").read_text()))


@apart
def test_a_signal_for_a_program_that_is_over_goes_nowhere(pool: Pool) -> None:
    run = pool.run("exit 5")
    start(run)
    wait(run)
    run.soft_kill()  # its slot was kept by a session
    report = end(run)
    assert (report.exit_code, report.vacated) == (5, False)


@apart
def test_the_program_of_an_interactive_job_is_dismissed_and_stopped_when_its_sessions_are(pool: Pool) -> None:
    run = pool.run("exec sleep 1000")
    start(run)
    run.dismiss()
    wait(run)
    run.stop()
    run.hard_kill()
    assert end(run).vacated


@apart
def test_a_stopped_job_brings_nothing_back_unless_its_output_is_wanted(pool: Pool) -> None:
    for final in (False, True):
        run = pool.run(f"echo x > result; {PATIENT}", transfer=True)
        start(run)
        until((pool.scratch / "ready").exists)
        run.stop(final=final)
        run.soft_kill()
        wait(run)
        end(run)
        assert (pool.iwd / "result").exists() == final


@apart
def test_a_run_that_was_refused_leaves_no_directory(pool: Pool) -> None:
    run = pool.run("")
    assert begin(run), run.report
    run.refuse(HoldCode.HOOK_PREPARE_JOB_FAILURE, "the hook said so", 4)
    report = run.report
    assert (report.hold_code, report.hold_subcode) == (HoldCode.HOOK_PREPARE_JOB_FAILURE, 4)
    assert report.hold_reason == "the hook said so"
    assert not pool.scratch.exists()


# -- what the next run finds ----------------------------------------------------------------------


@apart
def test_an_evicted_run_leaves_its_files_to_the_next_one(pool: Pool) -> None:
    wishes = {"WhenToTransferOutput": '"ON_EXIT_OR_EVICT"'}
    run = pool.run(f"echo half > state; {PATIENT}", transfer=True, **wishes)
    start(run)
    until((pool.scratch / "ready").exists)
    run.stop()
    run.soft_kill()
    wait(run)
    assert end(run).vacated
    assert not (pool.iwd / "state").exists()
    complete(pool.run("cat state; echo whole > state", transfer=True, **wishes))
    assert (pool.iwd / "out").read_text() == "half\n"
    assert (pool.iwd / "state").read_text() == "whole\n"


CHECKPOINTS = {"SuccessCheckpointExitCode": "85", "TransferCheckpoint": '"state"', "WantFTOnCheckpoint": "true"}
#: Pauses when it runs for the first time.
PAUSES = "[ -f state ] && exit 0; echo half > state; exit 85"


@apart
def test_a_program_goes_on_after_its_checkpoint(pool: Pool) -> None:
    run = pool.run(PAUSES, transfer=True, **CHECKPOINTS)
    start(run)
    wait(run)
    assert run.at_checkpoint
    run.pause()
    assert run.save()
    told = run.saved(110.0)
    assert told == {"CheckpointNumber": "0", "LastCkptTime": "110", "NewlyCommittedTime": "8"}
    assert run.resumes(111.0)
    assert run.was_resumed
    assert not run.program_is_over
    wait(run)
    assert not run.at_checkpoint
    assert end(run).exit_code == 0


@apart
def test_a_signal_may_be_the_end_at_a_checkpoint(pool: Pool) -> None:
    ad = {"SuccessCheckpointExitBySignal": "true", "SuccessCheckpointExitSignal": "10", "WantFTOnCheckpoint": "true"}
    run = pool.run("[ -f state ] && kill -TERM $$; echo half > state; kill -USR1 $$", transfer=True, **ad)
    start(run)
    wait(run)
    assert run.at_checkpoint
    run.pause()
    assert run.save()
    assert run.resumes(111.0)
    wait(run)
    assert not run.at_checkpoint, "another signal"
    assert end(run).exit_signal == 15


@apart
def test_a_run_that_gives_way_at_its_checkpoint_is_followed_by_one_that_has_it(pool: Pool) -> None:
    run = pool.run(PAUSES, transfer=True, **CHECKPOINTS)
    start(run)
    wait(run)
    assert run.at_checkpoint
    run.pause()
    assert run.save()
    run.saved(110.0)
    run.give_way()
    report = end(run)
    assert report.vacate_code == VacateCode.SUCCESSFUL_CHECKPOINT
    assert report.error
    assert report.usage.bytes_sent >= len("half\n"), "the checkpoint"
    assert report.usage.bytes_received > 0, "the program"
    assert complete(pool.run("cat state", transfer=True, **CHECKPOINTS)).exit_code == 0
    assert (pool.iwd / "out").read_text().splitlines()[-1] == "half"


@apart
def test_a_paused_run_that_is_stopped_did_not_end_by_itself(pool: Pool) -> None:
    run = pool.run(PAUSES, transfer=True, **CHECKPOINTS)
    start(run)
    wait(run)
    assert run.at_checkpoint
    run.pause()
    assert run.save()
    run.saved(110.0)
    run.stop()
    assert end(run).vacated


@apart
def test_a_checkpoint_that_cannot_be_kept_holds_the_job(pool: Pool) -> None:
    run = pool.run("exit 85", transfer=True, **CHECKPOINTS)
    start(run)
    wait(run)
    assert run.at_checkpoint
    run.pause()
    assert not run.save()
    run.not_saved()
    report = end(run)
    assert report.hold_code == HoldCode.FAILED_TO_CHECKPOINT
    assert report.hold_reason.startswith("Starter failed to upload checkpoint: ")
    assert report.usage.bytes_received > 0


# -- what is measured and told --------------------------------------------------------------------


@apart
def test_what_a_job_uses_is_measured_while_it_runs(pool: Pool) -> None:
    run = pool.run(PATIENT)
    start(run)
    until((pool.iwd / "ready").exists)
    used = run.sample()
    assert int(used["NumPids"]) >= 1
    assert int(used["ResidentSetSize_RAW"]) > 0
    run.hard_kill()
    wait(run)
    assert end(run).usage.max_rss_kb >= int(used["ResidentSetSize_RAW"])


@apart
def test_an_update_tells_when_output_was_last_written(pool: Pool) -> None:
    run = pool.run(f"echo well; {PATIENT}", transfer=True)
    start(run)
    until((pool.scratch / "ready").exists)
    told = told_of(run)
    assert told["StdoutMtime"] == str(int((pool.scratch / "_condor_stdout").stat().st_mtime))
    assert ("CgroupEnforced" in told) == run.executor.counts_ended
    run.hard_kill()
    wait(run)
    end(run)


@apart
def test_sessions_count_as_the_use_of_their_job(pool: Pool) -> None:
    run = pool.run("exit 0")
    start(run)
    run.meter.session_ended(5.0, 2.0)
    wait(run)
    usage = end(run).usage
    assert 5.0 <= usage.user_cpu < 7.0
    assert 2.0 <= usage.sys_cpu < 4.0


@apart
def test_a_step_that_a_child_did_is_taken_over(pool: Pool) -> None:
    (pool.iwd / "in").write_text("input")
    run = pool.run("cat in; echo result > new", transfer=True, TransferInput='"in"')
    assert run.begin(100.0)
    assert not run.brings_much
    reading, writing = os.pipe()
    if not (child := os.fork()):
        done = run.fetch(lambda: 101.0)
        os.write(writing, pickle.dumps((done, run.stage())))
        os._exit(0)
    os.waitpid(child, 0)
    done, stage = pickle.loads(os.read(reading, 60_000))
    assert done
    run.take(stage)
    assert run.report.input_transfer == (100.0, 101.0)
    assert run.execute({}), run.report
    wait(run)
    report = end(run)
    assert report.exit_code == 0
    assert (pool.iwd / "new").read_text() == "result\n"


def test_a_run_is_as_long_as_before_where_the_clock_was_set_back() -> None:
    report = ExitReport("claim", "1.0", 1, start_time=5000.0, exec_time=5001.0, input_transfer=(5000.2, 5000.8))
    moved = report.moved(-3600.0)
    assert (moved.start_time, moved.exec_time, moved.end_time) == (1400.0, 1401.0, 0.0), "it has no end yet"
    assert moved.input_transfer == pytest.approx((1400.2, 1400.8))
    assert moved.output_transfer == ()
