"""A starter process: what it makes of the orders of its startd, and what it tells."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starter_process import CLAIM, Make, Starter

from condor_py.daemons.starter import daemon
from condor_py.daemons.starter.jobwork import clear_account
from condor_py.daemons.starter.looks import Looks
from condor_py.machine.probes import process
from condor_py.machine.run.identity import Account
from condor_py.model.messages import runs as say
from condor_py.model.settings.starter import ChirpSettings, StarterHooks, StarterSettings, TransferSettings
from condor_py.model.states import HoldCode, VacateCode

EVICTED = 0


def left(starter: Starter) -> list[str]:
    """Scratch directories that are there."""
    return [path.name for path in starter.directory.glob("dir_*/*") if not path.name.startswith(".")]


def test_a_program_that_ends_is_told_with_its_status_and_its_times(make: Make) -> None:
    starter, before = make(), time.time()
    assert starter.hears(say.Ready).pid == starter.pid
    starter.run("echo hello; exit 3")
    started = starter.hears(say.RunStarted)
    assert (str(started.job), started.run, tuple(started.transfer)) == ("1.0", 1, ())
    assert started.scratch.startswith(f"{starter.directory}/dir_{starter.pid}")
    assert started.door == f"{starter.directory}/dir_{starter.pid}/.sessions"
    report = starter.report()
    assert (report.claim_id, report.job, report.run, report.pid) == (CLAIM, "1.0", 1, started.pid)
    assert (report.exit_code, report.exit_signal, report.vacated, report.hold_code, report.error) == (
        3, None, False, 0, "",
    )  # fmt: skip
    assert before <= report.start_time <= report.exec_time <= report.end_time <= time.time()
    assert (report.exec_time, starter.output()) == (started.when, "hello\n")
    starter.order(say.StopStarter(CLAIM))
    assert starter.status() == 0
    assert left(starter) == []
    log = starter.log.read_text()
    assert f"Process exited, pid={started.pid}, status=3\n" in log
    assert f"pid {starter.pid} EXITING WITH STATUS 0\n" in log


def test_jobs_follow_one_another_on_a_claim(make: Make) -> None:
    starter = make()
    for number in (1, 2, 3):
        starter.run(f"exit {number}", number=number)
        report = starter.report()
        assert (report.run, report.exit_code) == (number, number)
    assert left(starter) == []


def test_a_signal_that_ends_a_program_is_told(make: Make) -> None:
    starter = make()
    starter.run("kill -9 $$")
    report = starter.report()
    assert (report.exit_code, report.exit_signal, report.vacated) == (None, 9, False)
    assert f"Process exited, pid={report.pid}, signal=9\n" in starter.log.read_text()


@pytest.mark.parametrize(
    ("order", "attributes", "got"),
    [
        (say.SoftKill(CLAIM, EVICTED), {}, "TERM"),
        (say.SoftKill(CLAIM, EVICTED), {"KillSig": '"SIGUSR1"'}, "USR1"),
        (say.SoftKill(CLAIM, int(VacateCode.REMOVED)), {"KillSig": '"SIGUSR1"', "RemoveKillSig": '"SIGUSR2"'}, "USR2"),
        (say.SoftKill(CLAIM, int(VacateCode.USER_HOLD)), {"HoldKillSig": '"SIGUSR2"'}, "TERM"),
    ],
)
def test_a_soft_kill_sends_the_signal_that_the_job_wants(
    make: Make, order: say.SoftKill, attributes: dict[str, str], got: str
) -> None:
    starter = make()
    traps = "; ".join(f"trap 'echo {name}; exit 7' {name}" for name in ("TERM", "USR1", "USR2"))
    starter.run(f"{traps}; echo ready; while :; do sleep 0.02; done", **attributes)
    starter.until_output("ready")
    starter.order(order)
    report = starter.report()
    assert (report.exit_code, report.vacated) == (7, True)
    assert starter.output() == f"ready\n{got}\n"


def test_a_hard_kill_ends_everything_at_once(make: Make) -> None:
    starter = make()
    starter.run("trap '' TERM; sleep 300 & echo $! here; while :; do sleep 0.02; done")
    starter.until_output("here")
    starter.order(say.HardKill(CLAIM))
    report = starter.report()
    assert (report.exit_signal, report.vacated) == (9, True)
    assert not process.alive(int(starter.output().split()[0]))


def test_a_startd_that_goes_takes_the_job_with_it(make: Make) -> None:
    starter = make()
    starter.run("echo $$ here; exec sleep 300")
    starter.until_output("here")
    starter.close()
    assert starter.status() == 0
    assert not process.alive(int(starter.output().split()[0]))
    assert left(starter) == []


def test_a_job_is_suspended_and_goes_on(make: Make) -> None:
    starter = make()
    # No child: a shell whose child is stopped between vfork and exec never shows as stopped itself.
    starter.run("echo $$ here; until [ -e on ]; do :; done")
    starter.until_output("here")
    pid = int(starter.output().split()[0])
    starter.order(say.SuspendJob(CLAIM))
    assert (starter.hears(say.RunSuspended).processes or 0) >= 1
    starter.until(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    (starter.directory / "on").touch()
    starter.order(say.ContinueJob(CLAIM))
    assert starter.hears(say.RunSuspended).processes is None
    assert starter.report().exit_code == 0


def test_a_job_waits_for_its_time_and_is_held_when_that_is_past(make: Make) -> None:
    starter = make()
    starter.hears(say.Ready)
    due, said, report = starter.run_later("date +%s")
    assert report.exit_code == 0
    assert int(starter.output()) >= due
    assert "Job 1.0 is deferred for " in said
    starter.run("exit 0", number=9, DeferralTime=str(due - 1000), DeferralWindow="100")
    report = starter.report()
    assert (report.exit_code, report.hold_code) == (None, HoldCode.MISSED_DEFERRAL_TIME)


def test_what_cannot_be_executed_is_told_as_started_and_holds_the_job(make: Make) -> None:
    starter = make()
    starter.run("", Cmd='"/nowhere/at/all"')
    assert starter.hears(say.RunStarted).pid == 0
    report = starter.report()
    assert (report.hold_code, report.exit_code) == (HoldCode.FAILED_TO_CREATE_PROCESS, None)
    assert f"Job 1.0 was not started: {report.hold_reason}\n" in starter.log.read_text()


def test_the_use_of_a_job_and_the_times_of_its_output_are_told_while_it_runs(make: Make) -> None:
    starter = make(initial_update_interval=1)
    starter.run("echo out; while [ ! -e on ]; do sleep 0.02; done", ShouldTransferFiles='"YES"',
                WhenToTransferOutput='"ON_EXIT"', MemoryUsage="1")  # fmt: skip
    assert abs(int(starter.hears_of("StdoutMtime")) - time.time()) < 60
    starter.order(say.HardKill(CLAIM))
    assert starter.report().vacated


def test_files_travel_and_their_times_are_told(make: Make) -> None:
    starter = make()
    (starter.directory / "in.txt").write_text("input")
    starter.run("cat in.txt > new.txt; rm in.txt", ShouldTransferFiles='"YES"', WhenToTransferOutput='"ON_EXIT"',
                TransferInput='"in.txt"', TransferExecutable="true")  # fmt: skip
    began, ended = starter.hears(say.RunStarted).transfer
    report = starter.report()
    assert report.exit_code == 0
    assert report.start_time <= began <= ended <= report.exec_time
    assert len(report.output_transfer) == 2
    assert (report.usage.files_received, report.usage.bytes_received) == (2, 5 + os.path.getsize(
        starter.directory / "job.sh"
    ))  # fmt: skip
    assert (starter.directory / "new.txt").read_text() == "input"


def test_large_transfers_wait_for_their_turn(make: Make) -> None:
    starter = make(queues_transfers=True, transfer=TransferSettings(queue_bytes=1))
    (starter.directory / "in.txt").write_text("input")
    starter.run("echo 12345678 > new.txt", ShouldTransferFiles='"YES"', WhenToTransferOutput='"ON_EXIT"',
                TransferInput='"in.txt"', TransferInputSizeMB="1")  # fmt: skip
    wanted = starter.hears(say.TransferWanted)
    assert wanted.upload
    starter.order(say.TransferTurn(False))
    update = starter.hears(say.RunUpdate).attributes
    assert update == {"TransferringInput": "true", "TransferQueued": "true"}
    turn = time.time()
    starter.order(say.TransferTurn(True))
    assert starter.hears(say.RunUpdate).attributes == {"TransferringInput": "true", "TransferQueued": "false"}
    starter.hears(say.TransferOver)
    assert starter.hears(say.RunStarted).transfer[0] >= turn, "the wait is no part of the transfer"
    assert not starter.hears(say.TransferWanted).upload
    assert not (starter.directory / "new.txt").exists()
    starter.order(say.TransferTurn(True))
    assert starter.report().exit_code == 0
    assert (starter.directory / "new.txt").exists()


@pytest.mark.parametrize("may_go_on", [True, False])
def test_a_program_that_has_its_checkpoint_asks_before_it_goes_on(make: Make, tmp_path: Path, may_go_on: bool) -> None:
    starter = make(check_reactivate=True, transfer=TransferSettings(spool=str(tmp_path / "spool")))
    starter.run("[ -e state ] && exit 4; touch state; exit 85", ShouldTransferFiles='"YES"',
                WhenToTransferOutput='"ON_EXIT"', SuccessCheckpointExitCode="85", WantFTOnCheckpoint="true",
                CheckpointExitCode="85", TransferCheckpoint='"state"')  # fmt: skip
    starter.hears(say.Checkpointed)
    starter.order(say.Restart(may_go_on))
    report = starter.report()
    if may_go_on:
        assert (report.exit_code, report.vacated) == (4, False)
        assert "Job 1.0 continues, pid=" in starter.log.read_text()
    else:
        assert report.vacate_code == VacateCode.SUCCESSFUL_CHECKPOINT


def hook(directory: Path, name: str, script: str) -> str:
    """A program that a hook runs; its path."""
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_hooks_prepare_a_job_and_hear_of_its_end(make: Make, tmp_path: Path) -> None:
    prepare = hook(tmp_path, "prepare", f"cat > {tmp_path}/seen; echo 'Environment = \"A=prepared\"'")
    ended = hook(tmp_path, "ended", f"echo $1 > {tmp_path}/why; cat > {tmp_path}/last")
    starter = make(hooks=(StarterHooks("MINE", prepare=prepare, exit=ended),), default_job_hook_keyword="MINE")
    starter.run("echo $A; exit 5", Environment='"A=before"')
    report = starter.report()
    assert (report.exit_code, starter.output()) == (5, "prepared\n")
    assert "ClusterId = 1\n" in (tmp_path / "seen").read_text()
    assert (tmp_path / "why").read_text() == "exit\n"
    assert "ExitCode = 5\n" in (tmp_path / "last").read_text()


@pytest.mark.parametrize(
    ("script", "hold", "error"),
    [
        ("echo 'HookStatusMessage = \"not here\"'; echo 'HookStatusCode = 7'", HoldCode.HOOK_PREPARE_JOB_FAILURE, ""),
        ("echo 'HookStatusMessage = \"not here\"'; echo 'HookStatusCode = 300'", 0, "not here"),
        ("exit 3", HoldCode.HOOK_PREPARE_JOB_FAILURE, ""),
    ],
)
def test_a_hook_may_refuse_a_job(make: Make, tmp_path: Path, script: str, hold: int, error: str) -> None:
    prepare = hook(tmp_path, "prepare", script)
    starter = make(hooks=(StarterHooks("MINE", prepare=prepare),), job_hook_keyword="MINE")
    starter.run("touch ran")
    report = starter.report()
    assert (report.hold_code, report.exit_code) == (hold, None)
    assert error in report.error
    if "HookStatusMessage" in script and hold:
        assert "not here" in report.hold_reason
        assert report.hold_subcode == 7
    assert not (tmp_path / "ran").exists()


def test_the_signals_of_the_starter_are_not_those_of_the_job(make: Make) -> None:
    starter = make()
    starter.run("echo $$ here; exec sleep 300")
    starter.until_output("here")
    os.kill(starter.pid, signal.SIGTERM)
    starter.order(say.SuspendJob(CLAIM))
    assert starter.hears(say.RunSuspended).processes == 1
    starter.order(say.HardKill(CLAIM))
    assert starter.report().exit_signal == 9


def test_a_refused_message_without_which_the_job_cannot_go_on_holds_it(make: Make) -> None:
    starter = make()
    starter.start()
    told = starter.told("started")
    starter.refuse({"op": "update", **{name: told[name] for name in ("claim", "job", "run")}})
    starter.until(lambda: "not understood: pid is too large a number" in starter.log.read_text())
    starter.refuse(told)
    report = starter.report()
    text = "The message 'started' of the starter was refused: pid is too large a number"
    assert (report.job, report.run, report.hold_code, report.hold_reason) == ("1.0", 1, HoldCode.STARTD_HELD_JOB, text)
    assert starter.status() == 1
    assert left(starter) == []


def test_a_refused_report_is_sent_again_as_a_hold(make: Make) -> None:
    starter = make()
    starter.run("exit 0")
    starter.refuse(starter.told("ended"))
    report = starter.report()
    assert (report.job, report.run, report.exit_code, report.hold_code) == ("1.0", 1, None, HoldCode.STARTD_HELD_JOB)
    assert report.end_time > 0
    assert starter.status() == 1


@pytest.mark.parametrize(("name", "job"), [("cluster", "1"), ("jobid", "1.0"), ("slot", "")])
def test_the_log_may_be_that_of_the_cluster_or_the_job(make: Make, name: str, job: str) -> None:
    starter = make(log_name_append=name)
    starter.run("exit 0")
    assert starter.report().exit_code == 0
    path = starter.directory / f"StarterLog.{job}" if job else starter.log
    starter.until(lambda: "1.0" in path.read_text())


def test_a_job_may_have_a_copy_of_the_log_and_events_of_its_own(make: Make) -> None:
    starter = make()
    script = (
        "copy=$_CONDOR_SCRATCH_DIR/.starter.log; until grep -q 1.0 $copy; do sleep 0.01; done; cp $copy kept; exit 3"
    )
    starter.run(script, JobStarterDebug="true", StarterUserLog='"mine.log"')
    assert starter.report().exit_code == 3
    assert "1.0" in (starter.directory / "kept").read_text()
    events = (starter.directory / "mine.log").read_text()
    assert [line[:3] for line in events.splitlines() if "(001.000.000)" in line] == ["001", "005"]
    assert "return value 3" in events


def test_an_update_runs_its_hook_and_tells_of_a_job_that_changed_its_ad(make: Make, tmp_path: Path) -> None:
    update = hook(tmp_path, "update", f"cat > {tmp_path}/part; mv {tmp_path}/part {tmp_path}/seen")
    starter = make(
        hooks=(StarterHooks("MINE", update=update),), job_hook_keyword="MINE",
        initial_update_interval=0, update_interval=1, memory_usage_metric="ImageSize + 1",
    )  # fmt: skip
    starter.run("exec sleep 1000")
    assert starter.hears_of("MemoryUsage") == "ImageSize + 1"
    starter.until(lambda: (tmp_path / "seen").exists())
    seen = (tmp_path / "seen").read_text()
    assert 'JobState = "Running"' in seen
    assert "MemoryUsage = ImageSize + 1" in seen
    (tmp_path / "seen").unlink()
    starter.until(lambda: (tmp_path / "seen").exists())
    starter.order(say.HardKill(CLAIM))
    assert starter.report().vacated


def test_use_is_sampled_for_the_startd_while_the_job_runs(make: Make) -> None:
    starter = make(pid_snapshot_interval=1)
    starter.run("exec sleep 1000")
    samples = [starter.told("sample")["attributes"] for _ in range(2)]
    assert all(int(sample["ResidentSetSize"].split("_")[0]) > 0 for sample in samples if "ResidentSetSize" in sample)
    assert any("NumPids" in sample or "ResidentSetSize" in sample for sample in samples)


@pytest.mark.parametrize("place", ["file:///nonexistent/place", "there"])
def test_output_that_goes_elsewhere_is_brought_by_a_child(make: Make, place: str) -> None:
    starter = make()
    there = starter.directory / "there"
    there.mkdir()
    target = place if "://" in place else f"file://{there}/x.txt"
    starter.run("echo 12345678 > x.txt", ShouldTransferFiles='"YES"', WhenToTransferOutput='"ON_EXIT"',
                TransferOutputRemaps=f'"x.txt={target}"')  # fmt: skip
    starter.hears(say.RunStarted)
    while "TransferringOutput" not in (update := starter.hears(say.RunUpdate).attributes):
        pass
    assert update == {"TransferringOutput": "true"}
    report = starter.report()
    assert report.exit_code == (0 if place == "there" else None) or report.hold_code
    assert (there / "x.txt").exists() is (place == "there")
    assert bool(report.hold_code) is (place != "there")
    assert left(starter) == []


def test_the_starter_of_a_data_slot_keeps_files_until_it_is_stopped(make: Make) -> None:
    starter = make()
    (starter.directory / "c").write_text("common")
    catalog = {"name": "one", "files": "c", "identity": "x", "key": "k", "scope": "1", "scope_type": "cluster"}
    starter.start(catalogs=[{**catalog, "access_point": "here"}])
    assert starter.hears(say.StagingStep).step == "TransferStarted"
    done = starter.hears(say.StagingStep)
    assert (done.step, done.ok, done.path) == ("TransferFinished", True, done.path)
    staged = starter.hears(say.CatalogsStaged)
    assert [(one.name, one.path) for one in staged.catalogs] == [("one", done.path)]
    assert Path(done.path, "c").read_text() == "common"
    starter.order(say.HardKill(CLAIM))
    report = starter.report()
    assert (report.job, report.vacated, report.hold_code) == ("1.0", True, 0)
    assert left(starter) == []


def test_common_files_that_cannot_come_hold_the_job(make: Make) -> None:
    starter = make()
    catalog = {"name": "one", "files": "none", "identity": "x", "key": "k", "scope": "1", "scope_type": "cluster"}
    starter.start(catalogs=[{**catalog, "access_point": "here"}])
    report = starter.report()
    assert (report.hold_code, report.hold_subcode) == (HoldCode.UPLOAD_FILE_ERROR, 2)
    starter.run("exit 4", number=2)
    assert starter.report().exit_code == 4, "the next job runs"


def test_delayed_changes_of_the_ad_are_sent_with_an_update_and_at_the_end(make: Make) -> None:
    starter = make(initial_update_interval=1, update_interval=1, chirp=ChirpSettings(delayed_names=("Chirp*",)))
    (starter.directory / "program.py").write_text(
        "import os, time\nfrom condor_py.client.chirp import condor_chirp as ask\n"
        "ask('set_job_attr_delayed ChirpA 1')\n"
        "while not os.path.exists('on'): time.sleep(0.01)\n"
        "ask('set_job_attr_delayed ChirpB 2')\n"
    )
    starter.run(f"exec {sys.executable} program.py", schedd="/no/schedd")
    assert starter.hears(say.RunDelayed).attributes == {"ChirpA": "1"}
    (starter.directory / "on").touch()
    delayed = starter.hears(say.RunDelayed)
    assert (str(delayed.job), delayed.run, delayed.attributes) == ("1.0", 1, {"ChirpB": "2"})
    assert starter.report().exit_code == 0


class World:
    """A loop whose timers are listed, and a run whose looks are."""

    def __init__(self) -> None:
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.told: list[str] = []
        self.big = self.over_disk = False
        sandbox = SimpleNamespace(over_disk=lambda: self.over_disk)
        executor = SimpleNamespace(first_looks=(0.5, 20.0), look_interval=9.0, over_limit=lambda: self.big)
        self.run: Any = SimpleNamespace(
            executor=executor, place=SimpleNamespace(sandbox=sandbox), sample=lambda: {"A": "1"}, news=dict
        )

    def after(self, seconds: float, call: Callable[[], None]) -> Any:
        self.timers.append((seconds, call))
        return SimpleNamespace(cancel=lambda: None)

    def looks(self) -> Looks:
        guard = SimpleNamespace(turn=lambda name, work, *words: work(*words))
        tell = SimpleNamespace(sample=lambda attributes: self.told.append("sample"))
        settings: Any = StarterSettings("/e", initial_update_interval=1000)
        recorder = SimpleNamespace(begin=lambda: None, look=lambda run, sample: None)
        parts: list[Any] = [self, guard, settings, tell, None, recorder]
        return Looks(*parts, lambda: self.told.append("over"))


def test_a_job_is_looked_at_often_at_first_and_then_at_the_interval() -> None:
    world = World()
    world.looks().begin(world.run, None)
    seconds = []
    for _ in range(4):
        (look,) = [one for one in world.timers if one[0] < 900]
        world.timers.remove(look)
        seconds.append(look[0])
        look[1]()
    assert seconds == [0.5, 9.0, 9.0, 9.0]
    assert world.told == ["sample"] * 4


@pytest.mark.parametrize("limit", ["big", "over_disk"])
def test_a_job_above_its_limit_is_reported_at_the_next_look(limit: str) -> None:
    world = World()
    world.looks().begin(world.run, None)
    setattr(world, limit, True)
    world.timers[0][1]()
    assert world.told == ["sample", "over"]


@pytest.mark.parametrize(
    ("uid", "pattern", "name", "killed"),
    [(0, "slot.*", "slot1", [77]), (0, "slot", "slot1", []), (0, "", "slot1", []), (5, "slot.*", "slot1", [])],
)
def test_processes_of_an_account_that_only_jobs_use_end_with_the_job(
    monkeypatch: pytest.MonkeyPatch, uid: int, pattern: str, name: str, killed: list[int]
) -> None:
    found: list[int] = []
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    monkeypatch.setattr(process, "user_pids", lambda account: [account])
    monkeypatch.setattr(process, "kill_family", lambda members: found.extend(members()))
    clear_account(pattern, None)
    clear_account(pattern, Account(name, 0, 0, "/", ()))
    assert found == [], "the processes of root are not those of a job"
    clear_account(pattern, Account(name, 77, 77, "/", ()))
    assert found == killed


# -- plain jobs ------------------------------------------------------------------------------------


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with the kinds of events that starters made from now on ask their core about."""
    path, happened = tmp_path / "told", daemon.StarterDaemon.happened
    path.touch()

    def note(self: daemon.StarterDaemon, event: object) -> None:
        with path.open("a") as file:
            file.write(f"{type(event).__name__}\n")
        happened(self, event)  # type: ignore[arg-type]

    monkeypatch.setattr(daemon.StarterDaemon, "happened", note)
    return path


def test_the_core_is_not_asked_about_a_plain_job(make: Make, told: Path) -> None:
    starter = make()
    for number in (1, 2):
        starter.run("sleep 0.1; exit 3", number=number)
        assert starter.report().exit_code == 3
    assert told.read_text() == ""
    starter.run("exit 4", number=3, DeferralTime=str(int(time.time()) - 1), DeferralWindow="60")
    assert starter.report().exit_code == 4
    assert told.read_text().splitlines()[0] == "Begin"


@pytest.mark.parametrize(
    "attributes",
    [
        {"ShouldTransferFiles": '"YES"'}, {"DeferralTime": "1", "DeferralWindow": "2000000000"},
        {"JobStarterDebug": "true"}, {"SkipIfDataflow": "true"}, {"RemoteIwd": '"/"'},
        {"ToolDaemonCmd": '"/bin/true"'}, {"PreCmd": '"/bin/true"'}, {"HookKeyword": '"mine"'},
    ],
)  # fmt: skip
def test_the_core_decides_about_a_job_that_wants_more(make: Make, told: Path, attributes: dict[str, str]) -> None:
    hooks = (StarterHooks("mine"),)
    starter = make(hooks=hooks, allow_scripts="true")
    starter.run("exit 0", **attributes)
    starter.report()
    assert told.read_text().splitlines()[0] == "Begin"


def test_the_core_decides_about_a_plain_job_once_it_gets_an_order(make: Make, told: Path) -> None:
    starter = make()
    starter.run("trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done")
    starter.until_output("ready")
    starter.order(say.SuspendJob(CLAIM))
    assert starter.hears(say.RunSuspended).processes
    starter.order(say.SoftKill(CLAIM, EVICTED))
    report = starter.report()
    assert (report.exit_code, report.vacated) == (7, True)
    # The event that hands over comes from inside the first order.
    assert told.read_text().splitlines()[:3] == ["SuspendJob", "Underway", "SoftKill"]


def test_a_plain_job_that_cannot_be_started_is_held_and_the_next_one_runs(make: Make, told: Path) -> None:
    starter = make()
    starter.run("exit 0", Cmd='"/none/there"')
    assert starter.report().hold_code == HoldCode.FAILED_TO_CREATE_PROCESS
    kept = starter.directory / "kept"
    kept.write_text("of another run")
    starter.run("exit 0", number=2, Iwd='"/none/there"', Out=f'"{kept}"')
    report = starter.report()
    assert (report.hold_code, "/none/there" in report.hold_reason) == (HoldCode.IWD_ERROR, True)
    assert kept.read_text() == "of another run"
    assert set(told.read_text().split()) == {"Begin", "Done"}
    assert left(starter) == []
    starter.run("exit 5", number=3)
    assert starter.report().exit_code == 5
