"""A starter process and what takes part in a job besides its program: scripts, hooks, tool daemons, sessions."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starter_process import CLAIM, OWNER, Make, Starter

from condor_py.client.wire import Client
from condor_py.daemons.starter import daemon, jobwork
from condor_py.machine.probes import process
from condor_py.model.errors import CondorError
from condor_py.model.messages import runs as say
from condor_py.model.messages import sessions
from condor_py.model.settings.containers import DockerSettings
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import JobAccounts, ScratchVolume, StarterHooks, TransferSettings
from condor_py.model.states import HoldCode, VacateCode

FILES = {"ShouldTransferFiles": '"YES"', "WhenToTransferOutput": '"ON_EXIT"'}


def program(directory: Path, name: str, script: str) -> str:
    """A shell script that a hook or a job names; its path."""
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def runs_the_next(starter: Starter) -> None:
    starter.run("exit 6", number=9)
    report = starter.report()
    assert (report.run, report.exit_code, report.hold_code, report.error) == (9, 6, 0, "")


# -- PreCmd and PostCmd ----------------------------------------------------------------------------


def test_scripts_run_before_and_after_the_program(make: Make, tmp_path: Path) -> None:
    before = program(tmp_path, "before", "echo before >> order")
    after = program(tmp_path, "after", "echo after $_CONDOR_MAINJOB_EXIT_CODE >> order")
    starter = make(allow_scripts="true")
    starter.run("echo program >> order; exit 3", PreCmd=f'"{before}"', PostCmd=f'"{after}"')
    report = starter.report()
    assert (report.exit_code, report.hold_code) == (3, 0)
    assert (tmp_path / "order").read_text() == "before\nprogram\nafter 3\n"
    log = starter.log.read_text()
    assert [word in log for word in ("Pre script ended with status 0", "Post script ended with status 0")] == [True] * 2


def test_no_program_follows_a_script_that_failed(make: Make, tmp_path: Path) -> None:
    starter = make(allow_scripts="true")
    before = program(tmp_path, "before", "exit 4")
    starter.run("touch ran", PreCmd=f'"{before}"', SuccessPreExitCode="0", PostCmd=f'"{before}"')
    report = starter.report()
    assert (report.hold_code, report.hold_reason, report.exit_code) == (
        HoldCode.PRE_SCRIPT_FAILED, "Pre script failed.", None,
    )  # fmt: skip
    assert not (tmp_path / "ran").exists()
    assert "Job 1.0 was not started: Pre script failed.\n" in starter.log.read_text()
    runs_the_next(starter)


def test_no_script_follows_a_program_that_was_killed(make: Make, tmp_path: Path) -> None:
    starter = make(allow_scripts="true")
    after = program(tmp_path, "after", "touch after.ran")
    starter.run("echo here; exec sleep 300", PostCmd=f'"{after}"')
    starter.until_output("here")
    starter.order(say.HardKill(CLAIM))
    report = starter.report()
    assert (report.exit_signal, report.vacated) == (signal.SIGKILL, True)
    assert not (tmp_path / "after.ran").exists()
    starter.run("exit 2", number=2, PostCmd=f'"{after}"')
    assert starter.report().exit_code == 2
    assert (tmp_path / "after.ran").exists(), "the next job has its script"


def test_a_job_is_stopped_while_its_script_runs(make: Make, tmp_path: Path) -> None:
    starter = make(allow_scripts="true")
    before = program(tmp_path, "before", "echo $$ > pid.part; mv pid.part pid; exec sleep 300")
    starter.run("touch ran", PreCmd=f'"{before}"')
    starter.until((tmp_path / "pid").exists)
    starter.order(say.SoftKill(CLAIM, 0))
    report = starter.report()
    assert (report.vacated, report.pid, report.hold_code) == (True, 0, 0)
    starter.until(lambda: not process.alive(int((tmp_path / "pid").read_text())))
    runs_the_next(starter)
    assert not (tmp_path / "ran").exists()


# -- hooks -----------------------------------------------------------------------------------------


def test_a_job_is_stopped_while_a_hook_prepares_it(make: Make, tmp_path: Path) -> None:
    prepare = program(tmp_path, "prepare", f"[ -e {tmp_path}/pid ] && exit 0; echo $$ > {tmp_path}/pid; exec sleep 300")
    starter = make(hooks=(StarterHooks("MINE", prepare=prepare),), job_hook_keyword="MINE")
    starter.run("touch ran")
    starter.until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
    starter.order(say.HardKill(CLAIM))
    report = starter.report()
    assert (report.vacated, report.pid) == (True, 0)
    starter.until(lambda: not process.alive(int((tmp_path / "pid").read_text())))
    runs_the_next(starter)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 'HookStatusMessage = \"all is well\"'", (False, "succeeded (exited with status 0): all is well")),
        ("echo 'HookStatusMessage = \"not here\"'; echo 'HookStatusCode = 300'",
         (True, "failed (reported status 300): not here")),
        ("echo 'HookStatusMessage = \"not here\"'; echo 'HookStatusCode = 7'", None),
    ],
)  # fmt: skip
def test_what_a_preparing_hook_says_is_in_the_event_log_unless_the_hold_says_it(
    make: Make, tmp_path: Path, script: str, told: tuple[bool, str] | None
) -> None:
    prepare = program(tmp_path, "prepare", script)
    starter = make(hooks=(StarterHooks("MINE", prepare=prepare),), job_hook_keyword="MINE")
    starter.run("exit 0")
    notices: list[tuple[bool, str]] = []
    while (message := starter.told_any())["op"] != "ended":
        if message["op"] == "notice":
            notices.append((message["critical"], message["text"]))
    assert notices == ([] if told is None else [(told[0], f"PREPARE_JOB (prepare) {told[1]}")])


# -- tool daemons and sessions -----------------------------------------------------------------------


def test_a_tool_daemon_keeps_the_slot_until_it_has_ended(make: Make, tmp_path: Path) -> None:
    starter = make()
    tool = program(tmp_path, "tool", "until [ -e on ]; do sleep 0.02; done; exit 5")
    starter.run("exit 3", ToolDaemonCmd=f'"{tool}"')
    pid = starter.hears(say.RunStarted).pid
    starter.until(lambda: "Tool daemon of job 1.0 started, pid=" in starter.log.read_text())
    starter.until(lambda: not process.alive(pid))
    time.sleep(0.1)
    assert "Process exited" not in starter.log.read_text(), "the run is not over"
    (tmp_path / "on").touch()
    assert starter.report().exit_code == 3
    assert "Tool daemon of job 1.0 ended, status=5\n" in starter.log.read_text()
    runs_the_next(starter)


def test_a_tool_daemon_gets_the_kill_signal_of_its_job(make: Make, tmp_path: Path) -> None:
    starter = make()
    tool = program(
        tmp_path, "tool", "trap 'echo got > tool.got; exit 0' USR1; touch ready; while :; do sleep 0.02; done"
    )
    wait = "until [ -e tool.got ]; do sleep 0.02; done"
    starter.run(f"trap '{wait}; exit 7' USR1; echo here; while :; do sleep 0.02; done", ToolDaemonCmd=f'"{tool}"',
                KillSig='"SIGUSR1"')  # fmt: skip
    starter.until_output("here")
    starter.until((tmp_path / "ready").exists)
    starter.order(say.SoftKill(CLAIM, 0))
    report = starter.report()
    assert (report.exit_code, report.vacated) == (7, True)


def visitor(door: str, command: str, out: Path) -> Client:
    """A session of a job of the test's account."""
    tool = Client(door, timeout=60)
    with open(os.devnull, "rb") as null, out.open("wb") as file:
        files = (null.fileno(), file.fileno(), file.fileno())
        tool.send(sessions.Open("1.0", command, ("/bin/sh",), False, []), b"", files)
        assert isinstance(tool.hear(sessions.BY_VISITOR), sessions.Opened)
    return tool


def test_what_a_session_executes_is_none_of_the_jobs_processes(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in the moment in which it is executed: its environment is empty then."""
    monkeypatch.setattr(process, "environ", lambda pid: {})
    starter = make()
    starter.run("echo begun; exec sleep 300")
    started = starter.hears(say.RunStarted)
    starter.until_output("begun")
    tool = visitor(started.door, "echo here; exec sleep 300", tmp_path / "said")
    starter.until(lambda: (tmp_path / "said").read_text() != "")
    tool.send(sessions.AskFacts("1.0"))
    facts = tool.hear(sessions.BY_VISITOR)
    assert isinstance(facts, sessions.Facts)
    assert facts.pids == [started.pid]
    starter.order(say.HardKill(CLAIM, 0))
    starter.report()


def test_a_session_keeps_the_job_that_has_ended(make: Make, tmp_path: Path) -> None:
    starter = make()
    starter.run("sleep 300 & echo $! child; until [ -e on ]; do sleep 0.02; done; exit 3")
    started = starter.hears(say.RunStarted)
    starter.until_output("child")
    tool = visitor(started.door, "echo $PPID; until [ -e off ]; do sleep 0.02; done; exit 8", tmp_path / "said")
    tool.send(sessions.AskFacts("1.0"))
    facts = tool.hear(sessions.BY_VISITOR)
    assert isinstance(facts, sessions.Facts)
    assert facts.pids[0] == started.pid
    assert int(starter.output().split()[0]) in facts.pids
    others = [pid for pid in facts.pids[1:] if process.alive(pid)]
    starter.until(lambda: (tmp_path / "said").read_text() != "")
    assert int((tmp_path / "said").read_text()) == starter.pid
    assert not [pid for pid in others if b"_CONDOR_SSH_TO_JOB" in process.environ(pid)], "only the job's own"
    (tmp_path / "on").touch()
    starter.until(lambda: not process.alive(started.pid))
    time.sleep(0.1)
    assert "Process exited" not in starter.log.read_text()
    (tmp_path / "off").touch()
    assert tool.hear(sessions.BY_VISITOR) == sessions.SessionEnded(8)
    assert starter.report().exit_code == 3
    runs_the_next(starter)


def test_sessions_of_a_suspended_job_begin_when_it_continues(make: Make, tmp_path: Path) -> None:
    starter = make()
    starter.run("echo here; exec sleep 300")
    door = starter.hears(say.RunStarted).door
    for _ in range(2):
        starter.order(say.SuspendJob(CLAIM))
        assert starter.hears(say.RunSuspended).processes == 1
        tool = Client(door, timeout=60)
        tool.send(sessions.AskFacts("1.0"))
        assert tool.hear(sessions.BY_VISITOR) == sessions.NotNow("This slot is currently suspended.", True)
        starter.order(say.ContinueJob(CLAIM))
        assert starter.hears(say.RunSuspended).processes is None
        tool.send(sessions.AskFacts("1.0"))
        assert isinstance(tool.hear(sessions.BY_VISITOR), sessions.Facts)
    starter.order(say.HardKill(CLAIM))
    assert starter.report().exit_signal == signal.SIGKILL
    tool.send(sessions.AskFacts("1.0"))
    assert tool.hear(sessions.BY_VISITOR) == sessions.NotNow("Job 1.0 is not running.", True)


# -- the course of a job ---------------------------------------------------------------------------


def test_a_program_continues_after_its_checkpoint_where_nobody_is_to_be_asked(make: Make, tmp_path: Path) -> None:
    starter = make(check_reactivate=False, transfer=TransferSettings(spool=str(tmp_path / "spool")))
    starter.run("[ -e state ] && exit 4; touch state; exit 85", SuccessCheckpointExitCode="85", CheckpointExitCode="85",
                WantFTOnCheckpoint="true", TransferCheckpoint='"state"', **FILES)  # fmt: skip
    ops = []
    while (message := starter.told_any())["op"] != "ended":
        ops.append(message["op"])
    assert "checkpointed" not in ops
    log = starter.log.read_text()
    assert "Job 1.0 was checkpointed\n" in log
    assert "Job 1.0 continues, pid=" in log
    assert ", status=4\n" in log


def test_a_checkpoint_that_cannot_be_kept_holds_the_job(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    starter = make(check_reactivate=False, transfer=TransferSettings(spool=str(tmp_path / "file" / "spool")))
    starter.run("touch state; exit 85", SuccessCheckpointExitCode="85", CheckpointExitCode="85",
                WantFTOnCheckpoint="true", TransferCheckpoint='"state"', **FILES)  # fmt: skip
    report = starter.report()
    assert (report.hold_code, report.hold_subcode) == (HoldCode.FAILED_TO_CHECKPOINT, -1)
    assert report.hold_reason.startswith("Starter failed to upload checkpoint: [Errno 20] Not a directory")
    assert "was checkpointed" not in starter.log.read_text()
    runs_the_next(starter)


def test_the_record_of_use_has_what_happened(make: Make) -> None:
    starter = make(usage_record_interval=1, pid_snapshot_interval=1)
    starter.run("echo here; until [ -e on ]; do sleep 0.02; done")
    for _ in range(4):
        starter.told("sample")
    starter.order(say.SuspendJob(CLAIM))
    starter.hears(say.RunSuspended)
    starter.order(say.ContinueJob(CLAIM))
    (starter.directory / "on").touch()
    words = starter.report().usage.record.split("; ")
    marks = [word.split()[1] for word in words if len(word.split()) == 2]
    assert marks == ["suspended", "continued"]


def test_a_job_that_waits_for_its_time_can_be_stopped(make: Make) -> None:
    starter, later = make(), int(time.time()) + 1000
    starter.run("touch ran", DeferralTime=str(later))
    starter.hears(say.Ready)
    starter.until(lambda: "Job 1.0 is deferred for " in starter.log.read_text())
    assert 900 < int(starter.log.read_text().partition("is deferred for ")[2].split()[0]) <= 1000
    starter.order(say.SoftKill(CLAIM, 0))
    report = starter.report()
    assert (report.vacated, report.pid) == (True, 0)
    runs_the_next(starter)
    assert not (starter.directory / "ran").exists()


def test_the_clock_is_looked_at_while_a_job_waits_and_the_log_says_it_once(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "_LOOK_AT_CLOCK", 0.6)
    starter = make()
    starter.hears(say.Ready)
    due, said, report = starter.run_later("exit 0")
    assert report.exit_code == 0
    assert time.time() >= due
    assert said.count("is deferred for") == 1


def test_a_transfer_that_waits_for_its_turn_ends_with_its_job(make: Make) -> None:
    starter = make(queues_transfers=True, transfer=TransferSettings(queue_bytes=1))
    (starter.directory / "in.txt").write_text("input")
    starter.run("exit 0", TransferInput='"in.txt"', TransferInputSizeMB="1", **FILES)
    starter.hears(say.TransferWanted)
    starter.order(say.HardKill(CLAIM))
    report = starter.report()
    assert (report.vacated, report.pid, report.hold_code) == (True, 0, 0)
    starter.order(say.TransferTurn(True))
    runs_the_next(starter)


def test_a_small_transfer_has_no_turn(make: Make) -> None:
    starter = make(queues_transfers=True, transfer=TransferSettings(queue_bytes=1 << 20))
    (starter.directory / "in.txt").write_text("input")
    starter.run("cat in.txt > new.txt", TransferInput='"in.txt"', TransferInputSizeMB="1", **FILES)
    ops = []
    while (message := starter.told_any())["op"] != "ended":
        ops.append(message["op"])
    assert not {"transfer_wanted", "transfer_over"} & set(ops)
    assert (starter.directory / "new.txt").read_text() == "input"


def test_a_directory_comes_by_a_child(make: Make, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "x").write_text("from far")
    starter = make()
    starter.run("cat far/x > y", TransferInput='"far"', **FILES)
    assert starter.hears(say.RunUpdate).attributes == {"TransferringInput": "true"}
    assert starter.report().exit_code == 0
    assert (tmp_path / "y").read_text() == "from far"
    starter.run("exit 0", number=2, TransferInput='"far, none"', **FILES)
    report = starter.report()
    assert (report.hold_code, report.exit_code) == (HoldCode.UPLOAD_FILE_ERROR, None)
    runs_the_next(starter)


def test_a_job_that_need_not_run_says_so(make: Make, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("old")
    os.utime(tmp_path / "in", (5, 5))
    starter = make()
    wants: dict[str, str] = {"TransferInput": '"in"', "TransferOutput": '"result"', "SkipIfDataflow": "true", **FILES}
    starter.run("echo new > result", **wants)
    assert starter.hears(say.RunUpdate).attributes == {"DataflowJobSkipped": "false"}
    assert starter.report().exit_code == 0
    os.utime(tmp_path / "job.sh", (6, 6))
    (tmp_path / "result").write_text("kept")
    starter._start({"Cmd": f'"{tmp_path}/job.sh"', **wants}, {"run": 2})
    report = starter.report()
    assert (report.skipped, report.pid) == (True, 0)
    assert (tmp_path / "result").read_text() == "kept"
    assert "Job 1.0 was not started: its output is newer than its input\n" in starter.log.read_text()


@pytest.mark.parametrize("plain", [True, False])
def test_a_job_finds_its_credentials(make: Make, tmp_path: Path, plain: bool) -> None:
    store = tmp_path / "oauth" / OWNER
    store.mkdir(parents=True)
    (store / "box.use").write_text("secret\n")
    for path in (store.parent, store):
        path.chmod(0o700)
    (store / "box.use").chmod(0o600)
    starter = make(credentials=CredentialSettings(oauth=str(store.parent)))
    wants = {} if plain else {"DeferralTime": "1", "DeferralWindow": "2000000000"}
    starter.run("cat $_CONDOR_CREDS/box.use", OAuthServicesNeeded='"box"', **wants)
    assert (starter.report().exit_code, starter.output()) == (0, "secret\n")
    starter.run("exit 0", number=2, OAuthServicesNeeded='"other"', **wants)
    report = starter.report()
    assert (report.hold_code, report.exit_code) == (HoldCode.CORRUPTED_CREDENTIAL, None)
    starter.run("echo $_CONDOR_CREDS.", number=3, **wants)
    assert (starter.report().exit_code, starter.output()) == (0, ".\n")


def test_a_data_slot_has_a_log_of_its_own(make: Make, tmp_path: Path) -> None:
    starter = make(more={"log": LogSettings(str(tmp_path / "StarterLog.slot1"))})
    (tmp_path / "c").write_text("common")
    catalog = {"name": "one", "files": "c", "identity": "x", "key": "k", "scope": "1", "scope_type": "cluster"}
    starter.start(catalogs=[{**catalog, "access_point": "here"}])
    starter.hears(say.CatalogsStaged)
    assert "Finished common files transfer: success." in (tmp_path / "StarterLog.data1").read_text()
    starter.order(say.HardKill(CLAIM))
    assert starter.report().vacated


@pytest.mark.parametrize("plain", [True, False])
def test_the_cookie_of_a_job_is_worth_nothing_when_it_has_ended(make: Make, tmp_path: Path, plain: bool) -> None:
    starter = make()
    wants = {} if plain else {"DeferralTime": "1", "DeferralWindow": "2000000000"}
    starter.run("cp $_CONDOR_CHIRP_CONFIG kept", schedd="/no/schedd", WantIOProxy="true", **wants)
    assert starter.report().exit_code == 0
    host, port, cookie = (tmp_path / "kept").read_text().split()
    with socket.create_connection((host, int(port)), 30) as sock:
        try:
            sock.sendall(f"cookie {cookie}\n".encode())
            assert sock.recv(10) == b""
        except ConnectionError:
            pass  # it was closed before that


# -- slot and setup --------------------------------------------------------------------------------


@pytest.mark.parametrize("variables", [("OMP_NUM_THREADS",), ()])
def test_a_job_knows_how_many_cpus_it_has(make: Make, variables: tuple[str, ...]) -> None:
    cores = frozenset(list(os.sched_getaffinity(0))[:1])
    settings = {"num_threads_env_vars": variables, "assign_cpu_affinity": "RequestCpus == 3"}
    starter = make(slot="Cpus = 3", more={"cores": cores}, **settings)
    starter.run("grep Cpus_allowed_list /proc/self/status", RequestCpus="2")
    starter.report()
    unbound = starter.output().split()[1]
    assert unbound == Path("/proc/self/status").read_text().partition("Cpus_allowed_list:")[2].split()[0]
    starter.run("echo $OMP_NUM_THREADS; grep Cpus_allowed_list /proc/self/status", RequestCpus="3")
    starter.report()
    assert starter.output().split() == ["3", "Cpus_allowed_list:", str(min(cores))]


@pytest.mark.parametrize("plain", [True, False])
def test_an_account_that_only_jobs_use_is_cleared_after_each_job(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    def note(pattern: str, runner: Any) -> None:
        with (tmp_path / "cleared").open("a") as file:
            file.write(f"{pattern} {runner and runner.uid}\n")

    monkeypatch.setattr(jobwork, "clear_account", note)
    starter = make(accounts=JobAccounts(dedicated="slot[0-9]"))
    for number in (1, 2):
        starter.run("exit 3", number=number, **({} if plain else {"DeferralTime": "1", "DeferralWindow": "2000000000"}))
        assert starter.report().exit_code == 3
    assert (tmp_path / "cleared").read_text().splitlines() == [f"slot[0-9] {os.geteuid()}"] * 2


def test_a_scratch_directory_that_cannot_be_made_is_told(make: Make, tmp_path: Path) -> None:
    starter = make(more={"execute": str(tmp_path / "none")})
    told = starter.hears(say.Unable)
    assert told.reason.startswith("cannot make the scratch directory")
    assert "no such file or directory" in told.reason
    assert str(tmp_path / "none") in told.reason
    assert starter.status() == 1


@pytest.mark.parametrize(("slot", "size"), [("Disk = 77", 77), ("Disk = 0", 1), ("", 1)])
def test_a_volume_is_as_large_as_the_disk_of_the_slot(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slot: str, size: int
) -> None:
    create = daemon.create_root

    def note(execute: str, pid: int, mode: int, disk: ScratchVolume, size: int) -> Any:
        (tmp_path / "asked").write_text(f"{disk.thin} {size}")
        return create(execute, pid, mode)

    monkeypatch.setattr(daemon, "create_root", note)
    starter = make(slot=slot, scratch_volume=ScratchVolume(thin=True))
    starter.hears(say.Ready)
    runs_the_next(starter)
    assert (tmp_path / "asked").read_text() == f"True {size}"


class Busy:
    """A volume that the machine does not let go of."""

    size_kb = 1000
    encrypted = False

    def make(self, place: str) -> None:
        os.mkdir(place)

    def look(self, place: str) -> bool:
        return False

    def remove(self, place: str) -> None:
        shutil.rmtree(place)
        raise OSError("lvremove: Logical volume\n condor_1 is in use")


def test_a_volume_that_is_busy_at_the_end_is_not_the_fault_of_its_job(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = daemon.create_root
    monkeypatch.setattr(daemon, "create_root", lambda *words: replace(create(*words[:3]), volume=Busy()))
    starter = make(scratch_volume=ScratchVolume(thin=True))
    starter.run("echo done > made; exit 3", **FILES)
    report = starter.report()
    assert (report.exit_code, report.hold_code, report.error) == (3, 0, "")
    assert (tmp_path / "made").read_text() == "done\n"
    assert "scratch: lvremove: Logical volume condor_1 is in use\n" in starter.log.read_text()
    starter.run("exit 0", number=2, **FILES, TransferInput='"missing"')
    assert starter.report().hold_code == HoldCode.UPLOAD_FILE_ERROR
    runs_the_next(starter)


def test_a_job_runs_where_no_log_can_be_written(make: Make, tmp_path: Path) -> None:
    starter = make(more={"log": LogSettings(str(tmp_path / "none" / "StarterLog"))})
    starter.hears(say.Ready)
    runs_the_next(starter)
    assert not (tmp_path / "none").exists()


def test_the_log_names_who_submits_and_the_end_of_the_claim(make: Make) -> None:
    starter = make()
    starter.hears(say.Ready)
    starter.order(say.StopStarter(CLAIM))
    assert starter.status() == 0
    assert 'Submitting machine is "here"\n' in starter.log.read_text()
    assert not list(starter.directory.glob("dir_*"))


# -- faults ----------------------------------------------------------------------------------------


def test_a_refusal_without_a_job_ends_the_starter_without_a_report(make: Make) -> None:
    starter = make()
    starter.refuse(starter.told("ready"))
    with pytest.raises(AssertionError, match="has left without 'ended'"):
        starter.told("ended")
    assert starter.status() == 1


def test_a_refused_report_of_which_the_run_is_unknown_is_no_report(make: Make) -> None:
    starter = make()
    starter.run("exit 0")
    told = starter.told("ended")
    starter.refuse({"op": "ended", "claim": CLAIM, "job": told.get("job", "1.0"), "run": 0})
    with pytest.raises(AssertionError, match="has left without 'ended'"):
        starter.told("ended")
    assert starter.status() == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (CondorError("its ad is torn"), "The job cannot be run: its ad is torn"),
        (ValueError("x" * 500), f"The starter could not handle this job: ValueError: {'x' * 500}"[:200]),
    ],
)
def test_a_job_that_is_more_than_the_starter_can_deal_with_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    def fails(*words: object) -> None:
        raise error

    monkeypatch.setattr(jobwork, "facts_of", fails)
    starter = Starter(tmp_path)
    starter.run("exit 0", **FILES)
    report = starter.report()
    assert (report.hold_code, report.hold_reason, report.job) == (HoldCode.STARTD_HELD_JOB, reason, "1.0")
    assert report.end_time > 0
    assert starter.status() == 1
    assert ("failed, the daemon continues" in starter.log.read_text()) is isinstance(error, ValueError)
    assert not list(tmp_path.glob("dir_*"))


@pytest.mark.parametrize(("code", "kept"), [(int(VacateCode.REMOVED), False), (0, True)])
def test_output_on_its_way_is_let_finish_unless_its_user_does_not_want_it(
    make: Make, tmp_path: Path, code: int, kept: bool
) -> None:
    starter = make(queues_transfers=True, transfer=TransferSettings(queue_bytes=1))
    starter.run("echo 12345678 > new.txt", **FILES)
    assert not starter.hears(say.TransferWanted).upload
    starter.order(say.SoftKill(CLAIM, code))
    if kept:
        starter.order(say.TransferTurn(True))
    report = starter.report()
    assert (report.exit_code, report.vacated) == (0, not kept) if kept else report.vacated
    assert (tmp_path / "new.txt").exists() is kept
    runs_the_next(starter)


# -- what plugins leave ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "moved", [{"TransferInput": '"my://in"'}, {"TransferOutput": '"made"', "OutputDestination": '"my://there"'}]
)
def test_no_process_of_a_plugin_outlives_the_run(make: Make, tmp_path: Path, moved: dict[str, str]) -> None:
    """Whether no program is started, because its input did not come, or the program has ended."""
    child = tmp_path / "child"
    answer = 'while [ "$1" != -outfile ]; do shift; done; echo "TransferSuccess = false" >$2'
    plugin = program(tmp_path, "plugin", f"setsid sleep 600 >/dev/null 2>&1 & echo $! >{child}; {answer}")
    starter = make()
    starter.run("touch made", **FILES, **moved, TransferPlugins=f'"my={plugin}"')
    assert starter.report().hold_code
    assert not process.alive(int(child.read_text()))
    runs_the_next(starter)


# -- engines of containers ---------------------------------------------------------------------------


def test_an_engine_that_is_gone_at_the_end_of_a_container_holds_no_job(make: Make, tmp_path: Path) -> None:
    """Its end is not known, and so the job runs again: nothing of the job is wrong."""
    engine = program(tmp_path, "engine", 'case $1 in create) echo abc1;; start) rm "$0";; *) echo amd64;; esac')
    starter = make(docker=DockerSettings(engine, trusts_local_images=True))
    starter.run("exit 0", **FILES, WantDocker="true", DockerImage='"small"', JobUniverse="5")
    report = starter.report()
    assert (report.hold_code, report.hold_reason) == (0, "")
    assert (report.error, report.vacate_code) == ("Cannot inspect exited container", VacateCode.CONTAINER_ERROR)
    assert f"cannot run {engine}: No such file or directory" in starter.log.read_text()
    runs_the_next(starter)


def test_a_job_does_not_start_without_a_process_to_ask_the_engine(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not held: it may start where there are processes again."""
    engine = program(tmp_path, "engine", "echo amd64")

    def refuse(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("condor_py.machine.run.engine.start", refuse)
    starter = make(docker=DockerSettings(engine, trusts_local_images=True))
    starter.run("exit 0", **FILES, WantDocker="true", DockerImage='"small"', JobUniverse="5")
    report = starter.report()
    assert (report.hold_code, report.hold_reason) == (0, "")
    assert "Resource temporarily unavailable" in report.error
