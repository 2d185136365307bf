"""What a run makes of its executor, its orders and its ends, with a simulated executor."""

from __future__ import annotations

import errno
import os
import pwd
import resource
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import run as runs
from condor_py.machine.run.destination import InvalidCheckpoint
from condor_py.machine.run.executor import Executor
from condor_py.machine.run.failures import TransferError
from condor_py.machine.run.identity import Account
from condor_py.machine.run.job import ToolDaemon, read_job
from condor_py.machine.run.process import Ending, StartError
from condor_py.machine.run.run import Meter, Run
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.machine.run.transfer import Transfer
from condor_py.model.report import ExitReport, Usage
from condor_py.model.settings.starter import TransferSettings
from condor_py.model.states import HoldCode, VacateCode

OWNER = pwd.getpwuid(os.geteuid()).pw_name
ENDED = Ending(3, None, False, 4.0, 2.0, 0)


@dataclass
class Used:
    """The usage of processes."""

    user_cpu: float = 0.0
    sys_cpu: float = 0.0
    rss_kb: int = 0
    image_kb: int = 0
    processes: int = 0


@dataclass
class Simulated:
    """An executor that notes what is asked of it."""

    pid: int = 0
    tmp: str = ""
    fetches_much: bool = False
    counts_ended: bool = False
    refused: bool = False
    traffic: tuple[int, int] = (-1, -1)
    used: Used = field(default_factory=Used)
    ending: Ending = field(default_factory=lambda: ENDED)
    left: tuple[float, float] = (0.0, 0.0)
    told: dict[str, str] = field(default_factory=dict)
    fails: Exception | None = None
    calls: list[str] = field(default_factory=list)
    counted: tuple[float, float] | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def noted(*words: Any, **named: Any) -> Any:
            self.calls.append(name)
            return 3

        return noted

    def usage(self) -> Used:
        return self.used

    def start(self, execution: Any, environment: Any) -> None:
        self.calls.append("start")
        if self.fails is not None:
            raise self.fails
        self.pid = 77

    def collect(self) -> Ending:
        self.calls.append("collect")
        return self.ending

    def uncounted(self, counted: tuple[float, float]) -> tuple[float, float]:
        self.counted = counted
        return self.left

    def news(self) -> dict[str, str]:
        told, self.told = self.told, {}
        return told


class World:
    """A run of a job of ours in a directory of a test."""

    def __init__(self, top: Path) -> None:
        self.top = top
        for name in ("iwd", "execute"):
            (top / name).mkdir()
        self.scratch = top / "execute" / "scratch"
        self.executor = Simulated()
        self.said: list[str] = []
        self.place = Place("slot1@here", "there", Sandbox(str(top / "execute")), "Memory = 1\n", {})
        self.place = replace(self.place, transfer=TransferSettings(), log=self.said.append)

    def run(self, ad: dict[str, object] | None = None, job_ad: str = "A = 1\n", **changes: Any) -> Run:
        bare = {
            "ClusterId": 7, "ProcId": 3, "Owner": OWNER, "Iwd": str(self.top / "iwd"), "Cmd": "/bin/true",
            "TransferExecutable": False, "ShouldTransferFiles": "YES", **(ad or {}),
        }  # fmt: skip
        job = replace(read_job(ClassAd(bare), "here"), **changes)
        return Run(self.place, cast(Executor, self.executor), job, ExitReport("claim", "7.3", 1), job_ad)

    def started(self, ad: dict[str, object] | None = None, **changes: Any) -> Run:
        run = self.run(ad, **changes)
        assert run.begin(100.0), run.report
        assert run.fetch(lambda: 101.0), run.report
        assert run.execute({}), run.report
        run.started(102.0)
        return run


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


# ---- usage --------------------------------------------------------------------------------------------------


def test_an_update_tells_what_lives() -> None:
    executor = Simulated(used=Used(1.234, 5.678, 300, 400, 5), traffic=(10, 20))
    meter = Meter(cast(Executor, executor))
    assert meter.look(None) == {
        "NetworkInputMb": "1e-05", "NetworkOutputMb": "2e-05", "ResidentSetSize_RAW": "300", "ImageSize_RAW": "400",
        "NumPids": "5", "RemoteUserCpu": "1.23", "RemoteSysCpu": "5.68",
    } | {name: text for name, text in meter.look(None).items() if name.startswith("Network")}  # fmt: skip


def test_an_update_counts_what_has_ended() -> None:
    executor = Simulated(used=Used(1.0, 0.5))
    meter = Meter(cast(Executor, executor))
    meter.add(10.0, 20.0)

    def cpu(ending: Ending | None) -> tuple[str, str]:
        found = meter.look(ending)
        return found["RemoteUserCpu"], found["RemoteSysCpu"]

    assert cpu(None) == ("11.0", "20.5")
    assert cpu(ENDED) == ("15.0", "22.5"), "only sessions are left: the program is counted by its end"
    executor.counts_ended = True
    assert cpu(ENDED) == ("11.0", "20.5"), "the control group has counted it"
    meter.session_ended(100.0, 100.0)
    assert meter.total(ENDED) == (14.0, 22.0)
    executor.counts_ended = False
    meter.session_ended(100.0, 200.0)
    assert meter.total(ENDED) == (114.0, 222.0)


def test_peaks_are_those_of_the_looks(tmp_path: Path) -> None:
    executor = Simulated(used=Used(rss_kb=300, image_kb=900), traffic=(1, 2))
    meter = Meter(cast(Executor, executor))
    meter.look(None)
    executor.used = Used(rss_kb=200, image_kb=1000)
    meter.look(None)
    executor.used = Used(rss_kb=100, image_kb=100)
    meter.look(None)
    (tmp_path / "file").write_bytes(b"x" * 5000)
    meter.add(1.0, 1.0)
    found = meter.usage(ENDED, str(tmp_path))
    assert (found.user_cpu, found.sys_cpu, found.max_rss_kb, found.image_kb) == (5.0, 3.0, 300, 1000)
    assert (found.net_received, found.net_sent, found.scratch_files) == (1, 2, 1)
    assert found.disk_kb >= 5
    assert not found.encrypted
    assert meter.usage(ENDED, str(tmp_path), encrypted=True).encrypted


def test_the_peak_of_the_kernel_counts_where_it_is_not_ours() -> None:
    """A program that was forked from us has our size as its own peak."""
    meter = Meter(cast(Executor, Simulated(used=Used(rss_kb=300))))
    meter.look(None)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert meter.usage(replace(ENDED, max_rss_kb=own), "/nowhere").max_rss_kb == 300
    assert meter.usage(replace(ENDED, max_rss_kb=own + 5000), "/nowhere").max_rss_kb == own + 5000


# ---- the start ----------------------------------------------------------------------------------------------


def test_the_scratch_directory_has_the_ads(world: World) -> None:
    run = world.started()
    assert (world.scratch / ".job.ad").read_text() == "A = 1\n"
    assert (world.scratch / ".machine.ad").read_text() == "Memory = 1\n"
    assert world.executor.calls == ["fetch", "prepare", "start"]
    assert (run.report.start_time, run.report.exec_time, run.report.pid) == (100.0, 102.0, 77)
    assert run.report.input_transfer == (100.0, 101.0)
    run.change(run.job, "B = 2\n")
    assert (world.scratch / ".job.ad").read_text() == "B = 2\n"


def test_news_of_the_executor_are_added_to_the_ad_of_the_job(world: World) -> None:
    run = world.started()
    world.executor.told = {"www_HostPort": "5"}
    assert run.news() == {"www_HostPort": "5"}
    assert (world.scratch / ".job.ad").read_text() == "A = 1\nwww_HostPort = 5\n"
    assert run.news() == {}
    (world.scratch / ".job.ad").unlink()
    world.executor.told = {"www_HostPort": "6"}
    assert run.news() == {"www_HostPort": "6"}, "a job may have removed it"


def test_the_environment_names_where_temporary_files_go(world: World) -> None:
    scratch = str(world.scratch)
    run = world.started()
    assert run.environment().get("TMPDIR", scratch) == scratch
    assert "_CONDOR_WRAPPER_ERROR_FILE" not in run.environment()
    world.executor.tmp = "/tmp"
    assert [run.environment()[name] for name in ("TMPDIR", "TMP", "TEMP")] == ["/tmp"] * 3
    run.job = replace(run.job, environment={"TMP": "/own"})
    assert [run.environment()[name] for name in ("TMPDIR", "TMP", "TEMP")] == ["/tmp", "/own", "/tmp"]
    run.place = replace(run.place, wrapper="/bin/wrapper")
    assert run.environment()["_CONDOR_WRAPPER_ERROR_FILE"] == f"{scratch}/.job_wrapper_failure"


@pytest.mark.parametrize(
    ("error", "code", "vacated"),
    [(StartError(HoldCode.IWD_ERROR, 2, "no such"), 14, False), (OSError(errno.ENOSPC, "No space left"), 0, True)],
)
def test_a_program_that_does_not_start_leaves_no_directory(
    world: World, error: Exception, code: int, vacated: bool
) -> None:
    world.executor.fails = error
    run = world.run()
    assert run.begin(100.0)
    assert run.fetch(lambda: 101.0)
    assert not run.execute({})
    assert (run.report.hold_code, bool(run.report.error)) == (code, vacated)
    assert not world.scratch.exists()


def test_a_refused_job_leaves_no_directory(world: World) -> None:
    run = world.started()
    run.hold(6, "because", 7)
    assert world.scratch.exists()
    run.refuse(5, "no", 8)
    assert not world.scratch.exists()
    assert (run.report.hold_code, run.report.hold_subcode, run.report.hold_reason) == (5, 8, "no")


def test_a_run_is_given_up_with_its_directory_unless_its_program_runs(world: World) -> None:
    run = world.started()
    run.give_up("the disk")
    assert (run.report.error, world.scratch.exists()) == ("the disk", True)
    world.executor.pid = 0
    run.give_up("the disk")
    assert not world.scratch.exists()


def test_what_a_stopped_transfer_has_left_is_removed(world: World) -> None:
    run = world.started()
    run.clean()
    assert not world.scratch.exists()


def test_input_that_takes_a_while_is_brought_by_a_child(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    run = world.run()
    assert run.begin(100.0)
    assert not run.brings_much
    world.executor.fetches_much = True
    assert run.brings_much
    world.executor.fetches_much = False
    monkeypatch.setattr(Transfer, "is_much", lambda transfer: True)
    assert run.brings_much

    def fails(transfer: Transfer) -> bool:
        raise OSError(errno.ENOENT, "none")

    monkeypatch.setattr(Transfer, "is_much", fails)
    assert not run.brings_much, "the transfer will tell"
    monkeypatch.setattr(Transfer, "is_much", lambda transfer: False)
    run._keeper = SimpleNamespace(left_behind="/spool/7")  # type: ignore[assignment]
    assert run.brings_much, "what an earlier run has left may be anything"
    shared = world.run({"ShouldTransferFiles": "NO"})
    assert not shared.brings_much


def test_a_run_without_transfers_has_none_to_tell_of(world: World) -> None:
    run = world.run({"ShouldTransferFiles": "NO"})
    assert (run.invalid_checkpoint, run.news_of_plugins(5.0)) == ("", [])
    assert run.stage().progress is None
    run.take(run.stage())
    started = world.run()
    assert started.begin(1.0)
    assert started.fetch(lambda: 1.0)
    assert started.stage().progress is not None
    assert started.invalid_checkpoint == ""


def test_a_job_that_shares_the_file_system_gets_its_common_files(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped: list[Any] = []
    monkeypatch.setattr(runs, "map_staged", lambda *words: mapped.append(words[:2]))
    run = world.run({"ShouldTransferFiles": "NO"})
    assert run.begin(1.0)
    assert run.fetch(lambda: 2.0)
    assert mapped == [(run.job, str(world.scratch))]


def test_a_manifest_of_the_input_is_written_if_the_job_wants_one(world: World) -> None:
    run = world.started({"ManifestDir": "list"})
    assert "./.job.ad\n" in (world.scratch / "list" / "in").read_text()
    assert "_CONDOR_JOB_IWD=" in (world.scratch / "list" / "environment").read_text()
    run.clean()
    world.started()
    assert not (world.scratch / "list").exists()


def test_a_child_that_moved_nothing_is_taken_over(world: World) -> None:
    child, ours = world.run(), world.run()
    assert ours.begin(1.0)
    assert not ours.brings_much
    before = ours.stage().progress
    assert before is not None
    ours.take(child.stage())
    assert ours.stage().progress == before


def test_input_that_did_not_come_brings_failure_files_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter((101.0, 102.0, 103.0, 104.0))
    sent: list[Any] = []
    monkeypatch.setattr(Transfer, "send_named", lambda transfer, names: sent.append(names))
    run = world.run({"TransferInput": "missing", "FailureFiles": "log"})
    assert run.begin(100.0)
    assert not run.fetch(lambda: next(times))
    assert run.report.hold_code == HoldCode.UPLOAD_FILE_ERROR
    assert run.report.input_transfer == (100.0, 101.0)
    assert run.report.output_transfer == (102.0, 103.0)
    assert sent == [run.job.wishes.failure_files]
    assert not world.scratch.exists()


# ---- another account ----------------------------------------------------------------------------------------


def test_files_are_given_to_the_account_of_the_program_and_taken_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[str, str, bool]] = []

    def hand(sandbox: Sandbox, giver: Account, to: Account, linked: bool = True) -> None:
        given.append((giver.name, to.name, linked))

    monkeypatch.setattr(runs, "hand_over", hand)
    run = world.run()
    run.runner = Account("slot1", 5001, 5001, "/", ())
    assert run.begin(100.0)
    assert run.fetch(lambda: 101.0)
    assert given == [(OWNER, "slot1", True), ("slot1", OWNER, True)], "an image is tried as the program"
    assert run.execute({})
    assert given[2:] == [(OWNER, "slot1", True)]
    assert (run.owner, run.submitter) == (run.runner, run._owner)
    assert run._owner is not None
    run.clean()
    plain = world.run()
    assert plain.begin(100.0)
    assert plain.owner == run._owner
    plain.clean()
    run.conclude(103.0)
    assert given[3:] == [("slot1", OWNER, True)]
    given.clear()
    run._owner = None
    run.give_away()
    run._take_back()
    assert given == [("slot1", "slot1", True)]
    given.clear()
    run.job = replace(run.job, staged=cast(Any, ("x",)))
    run.give_away()
    assert given == [("slot1", "slot1", False)], "common files are there for others as well"


# ---- orders -------------------------------------------------------------------------------------------------


def test_orders_go_to_the_executor(world: World) -> None:
    run = world.started()
    world.executor.calls.clear()
    run.soft_kill()
    run.hard_kill()
    assert (run.suspend_all(), run.continue_all()) == (3, 3)
    run.pause()
    assert world.executor.calls == ["signal", "kill", "suspend", "resume", "end"]


def test_an_interactive_program_is_dismissed_once_while_it_runs(world: World) -> None:
    run = world.run()
    run.dismiss()
    assert (run.dismissed, world.executor.calls) == (False, [])
    world.executor.pid = 7
    run.dismiss()
    run.dismiss()
    assert (run.dismissed, world.executor.calls) == (True, ["dismiss"])
    other = world.run()
    other.program_ended()
    other.program_ended()
    assert other.program_is_over
    other.dismiss()
    assert world.executor.calls == ["dismiss", "collect"]
    assert not other.dismissed


@pytest.mark.parametrize(
    ("stops", "sends"),
    [((), True), ((False,), False), ((True,), True), ((False, True), True), ((True, False), True)],
)
def test_a_stopped_run_sends_what_was_wanted(world: World, stops: tuple[bool, ...], sends: bool) -> None:
    run = world.run()
    for final in stops:
        run.stop(final=final)
    assert run.stopped == bool(stops)
    assert run._sends == sends
    kept = world.run({"WhenToTransferOutput": "ON_EXIT_OR_EVICT"})
    kept.stop()
    assert kept._sends
    world.executor.refused = True
    assert not kept._sends


# ---- the end ------------------------------------------------------------------------------------------------


def test_the_end_of_a_program_is_reported(world: World) -> None:
    run = world.started()
    world.executor.left = (1.0, 2.0)
    run.conclude(110.0)
    assert world.executor.counted == (4.0, 2.0)
    report = run.clear(iter((111.0, 112.0)).__next__)
    assert (report.exit_code, report.exit_signal, report.end_time, report.vacated) == (3, None, 110.0, False)
    assert (report.usage.user_cpu, report.usage.sys_cpu) == (5.0, 4.0)
    assert report.output_transfer == (111.0, 112.0)
    assert not report.core_dumped
    assert not world.scratch.exists()


def test_a_program_that_was_refused_has_no_end(world: World) -> None:
    run = world.started()
    world.executor.refused = True
    run.conclude(110.0)
    report = run.clear(lambda: 111.0)
    assert (report.exit_code, report.exit_signal, report.output_transfer) == (None, None, ())
    killed = World(world.top / "iwd")
    killed.executor.ending = replace(ENDED, exit_code=None, exit_signal=9)
    run = killed.started()
    run.stop()
    run.conclude(110.0)
    assert (run.report.exit_signal, run.report.vacated) == (9, True)
    assert run.clear(lambda: 1.0).output_transfer == ()


def test_a_core_file_is_kept_by_the_number_of_its_process(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, int]] = []

    def keep(directory: str, job: str, pid: int) -> str:
        asked.append((directory, job, pid))
        return "core.7.3"

    monkeypatch.setattr(runs, "keep_core", keep)
    monkeypatch.setattr(runs, "send_results", lambda *words: None)
    world.executor.ending = replace(ENDED, exit_code=None, exit_signal=11, core_dumped=True)
    run = world.started()
    run.conclude(110.0)
    assert asked == [(str(world.scratch), "7.3", 77)]
    assert run.clear(lambda: 111.0).core_dumped
    world.executor.ending = replace(world.executor.ending, own_pid=2)
    shared = world.started({"ShouldTransferFiles": "NO"})
    shared.conclude(110.0)
    assert asked[1:] == [(str(world.top / "iwd"), "7.3", 2)]


class Full:
    """A limited scratch directory."""

    size_kb = 300
    encrypted = False

    def __init__(self) -> None:
        self.full = True

    def look(self, scratch: str) -> bool:
        return self.full

    def make(self, scratch: str) -> None:
        os.mkdir(scratch)

    def remove(self, scratch: str) -> None:
        """Leave it."""


@pytest.mark.parametrize(
    ("code", "stopped", "full", "holds"),
    [(3, False, True, True), (0, False, True, False), (0, True, True, True), (3, True, False, False)],
)
def test_a_program_that_failed_on_a_full_disk_is_held(
    world: World, code: int, stopped: bool, full: bool, holds: bool
) -> None:
    volume = Full()
    volume.full = full
    world.place = replace(world.place, sandbox=replace(world.place.sandbox, volume=cast(Any, volume)))
    world.executor.ending = replace(ENDED, exit_code=code)
    run = world.started()
    if stopped:
        run.stop()
    run.conclude(110.0)
    assert (run.report.hold_code != 0) == holds
    assert ("300" in run.report.hold_reason) == holds


def test_a_wrapper_tells_why_it_did_not_execute_the_job(world: World) -> None:
    world.place = replace(world.place, wrapper="/bin/wrapper")
    run = world.started()
    (world.scratch / ".job_wrapper_failure").write_text("not today\n")
    run.conclude(110.0)
    assert "not today" in run.report.error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TransferError(HoldCode.UPLOAD_FILE_ERROR, errno.ENOENT, "x"), 13),
        (OSError(errno.EIO, "Input/output error"), 12),
    ],
)
def test_output_that_does_not_come_back(world: World, monkeypatch: pytest.MonkeyPatch, error: Any, code: int) -> None:
    def fail(*words: Any) -> None:
        raise error

    monkeypatch.setattr(runs, "send_results", fail)
    run = world.started()
    run.conclude(110.0)
    report = run.clear(lambda: 111.0)
    assert report.hold_code == code
    assert not world.scratch.exists()


def test_much_output_is_brought_back_by_a_child(world: World) -> None:
    run = world.started()
    assert not run.sends_much
    for kb, much in ((10_000, False), (10_001, True)):
        run.report = replace(run.report, usage=Usage(disk_kb=kb))
        assert run.sends_much == much
    run.report = replace(run.report, usage=Usage(disk_kb=0))
    for changes in (
        {"output_destination": "s3://x"}, {"stdout": "s3://x"}, {"stderr": "s3://x"},
        {"output_remaps": {"a": "s3://x"}},
    ):  # fmt: skip
        run.job = replace(run.job, **changes)  # type: ignore[arg-type]
        assert run.sends_much
        run.job = world.run().job
    shared = world.run({"ShouldTransferFiles": "NO"})
    shared.report = replace(shared.report, usage=Usage(disk_kb=10_001))
    assert not shared.sends_much


def test_a_stopped_run_brings_much_back_if_it_has_a_checkpoint_to_send(world: World) -> None:
    ad = {"SuccessCheckpointExitCode": 3, "CheckpointDestination": "s3://x", "WantFTOnCheckpoint": True}
    run = world.started(ad)
    run.report = replace(run.report, usage=Usage(disk_kb=10_001))
    run.stop()
    assert not run.sends_much, "the program has not ended at its checkpoint"
    run.program_ended()
    assert run.at_checkpoint
    assert (run.saves_much, run.sends_much) == (True, True)
    run.not_saved()
    assert not run.sends_much
    local = World(world.top / "iwd").started({**ad, "CheckpointDestination": ""})
    local.stop()
    local.program_ended()
    assert (local.saves_much, local.sends_much) == (False, False)


# ---- checkpoints --------------------------------------------------------------------------------------------


def test_a_program_at_its_checkpoint_is_started_again(world: World) -> None:
    run = world.started({"SuccessCheckpointExitCode": 3, "WantFTOnCheckpoint": True})
    assert not run.resumes(105.0), "it runs"
    assert not run.at_checkpoint
    run.program_ended()
    assert run.at_checkpoint
    assert not run.was_resumed
    assert run.resumes(105.0)
    assert run.was_resumed
    assert not run.program_is_over
    assert run.counted() == (8.0, 4.0), "what it used before counts"
    run.set_back(-50.0)
    assert run._executed == 55.0
    assert (run.report.start_time, run.report.exec_time) == (50.0, 52.0)


def test_other_ends_are_no_checkpoint(world: World) -> None:
    for ad in ({"SuccessCheckpointExitCode": 4, "WantFTOnCheckpoint": True}, {}):
        run = world.started(ad)
        run.program_ended()
        assert not run.at_checkpoint
        run.clean()
    shared = world.run({"SuccessCheckpointExitCode": 3, "WantFTOnCheckpoint": True, "ShouldTransferFiles": "NO"})
    shared.program_ended()
    assert not shared.at_checkpoint


def test_a_program_that_does_not_start_again_ends_the_run(world: World) -> None:
    run = world.started({"SuccessCheckpointExitCode": 3, "WantFTOnCheckpoint": True})
    run.program_ended()
    world.executor.fails = OSError(errno.ENOMEM, "Cannot allocate memory")
    assert not run.resumes(105.0)
    assert run.report.error or run.report.hold_code
    assert run.program_is_over
    assert not run.was_resumed


def test_a_run_gives_way_at_its_checkpoint(world: World) -> None:
    run = world.started()
    run.give_way()
    assert run.report.vacate_code == VacateCode.SUCCESSFUL_CHECKPOINT
    assert run.report.error == (
        "Rescheduling self-checkpoint job after checkpoint upload because reactivating the claim would have failed."
    )


def test_a_checkpoint_that_cannot_be_saved_holds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    run = world.started({"SuccessCheckpointExitCode": 3, "WantFTOnCheckpoint": True})
    run.program_ended()
    kept: list[bool] = []
    failure: list[Exception] = [OSError(errno.EIO, "broken")]

    def keep(job: Any, transfer: Any, before: Any, *, at_checkpoint: bool) -> None:
        kept.append(at_checkpoint)
        if failure:
            raise failure.pop()

    number = run._keeper.number
    monkeypatch.setattr(run._keeper, "keep", keep)
    assert not run.save()
    assert (run.report.hold_code, run.report.hold_subcode) == (HoldCode.FAILED_TO_CHECKPOINT, -1)
    assert run.report.hold_reason == "Starter failed to upload checkpoint: [Errno 5] broken"
    assert run._keeper.number == number
    assert run.save()
    assert kept == [True, True]
    assert run._keeper.number == number + 1


# ---- the tool daemon ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (StartError(HoldCode.FAILED_TO_CREATE_PROCESS, 2, "no tool"), 6, "no tool"),
        (ValueError("embedded null byte"), 6, "tool_daemon_cmd: embedded null byte"),
    ],
)
def test_a_tool_daemon_that_does_not_start_holds_the_job(
    world: World, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, text: str
) -> None:
    run = world.started()
    assert run.start_tool() is None
    assert "kill" not in world.executor.calls
    run.job = replace(run.job, tool=cast(ToolDaemon, SimpleNamespace()))

    def fail(*words: Any) -> Any:
        raise error

    monkeypatch.setattr(runs, "start_tool", lambda *words: "process")
    assert run.start_tool() == "process"  # type: ignore[comparison-overlap]
    monkeypatch.setattr(runs, "start_tool", fail)
    assert run.start_tool() is None
    assert run.report.hold_code == code
    assert text in run.report.hold_reason
    assert world.executor.calls[-1] == "kill"


# ---- what a child did ---------------------------------------------------------------------------------------


def test_what_a_child_has_moved_counts_as_moved(world: World) -> None:
    child, ours = world.run(), world.run()
    assert child._transferring() is not None
    moved = child._transfer
    assert moved is not None
    moved.came.add(500, 3)
    moved.refuse_checkpoint("it is odd")
    child.report = replace(child.report, error="no disk")
    assert ours.begin(1.0)
    assert not ours.brings_much
    ours.take(child.stage())
    assert ours._transfer is not None
    assert (ours._transfer.came.bytes, ours.invalid_checkpoint, ours.report.error) == (500, "it is odd", "no disk")
    shared = world.run({"ShouldTransferFiles": "NO"})
    shared.take(child.stage())
    assert shared._transfer is None


@pytest.mark.parametrize("transfer", ["YES", "NO"])
def test_a_checkpoint_that_is_no_good_is_refused(world: World, transfer: str) -> None:
    run = world.run({"ShouldTransferFiles": transfer})
    assert run.begin(1.0)
    run._transferring()

    def fails() -> None:
        raise InvalidCheckpoint("Invalid MANIFEST file")

    assert not run._attempt(fails)
    assert run.report.error == "Invalid MANIFEST file, aborting."
    assert run.invalid_checkpoint == ("Invalid MANIFEST file, aborting." if transfer == "YES" else "")
    other = world.run()
    assert other.begin(1.0)
    other._transferring()

    def breaks() -> None:
        raise OSError(errno.EIO, "Input/output error")

    assert not other._attempt(breaks)
    assert other.invalid_checkpoint == ""


def test_a_checkpoint_is_saved_as_the_owners(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, str]] = []
    monkeypatch.setattr(runs, "hand_over", lambda sandbox, giver, to, *more: given.append((giver.name, to.name)))
    run = world.run({"SuccessCheckpointExitCode": 3})
    run.runner = Account("slot1", 5001, 5001, "/", ())
    assert run.begin(1.0)
    assert run.fetch(lambda: 1.0)
    assert run.execute({})
    run.program_ended()
    given.clear()
    monkeypatch.setattr(run._keeper, "keep", lambda *words, **more: given.append(("keep", "")))
    assert run.save()
    assert given == [("slot1", OWNER), ("keep", "")]
    assert run.resumes(5.0)
    assert given[2:] == [(OWNER, "slot1")], "the program runs as another account again"


def test_a_saved_checkpoint_tells_how_long_the_program_has_run(world: World) -> None:
    run = world.started({"SuccessCheckpointExitCode": 3})
    run.program_ended()
    assert run.saved(112.0)["NewlyCommittedTime"] == "10", "since it was executed"
    assert run.resumes(120.0)
    run.program_ended()
    assert run.saved(125.0)["NewlyCommittedTime"] == "5", "since it was started again"
    assert run._transfer is not None
    run._transfer.lost = True
    assert run.saved(126.0)["FailedCheckpoint"] == "true"
    assert run._keeper.done
