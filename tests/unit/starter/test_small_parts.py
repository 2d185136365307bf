"""What starters make of streams, programs, messages of wrappers and disks that are full."""

from __future__ import annotations

import errno
import gc
import grp
import os
import resource
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from condor_py.daemons.starter.starterfacts import starting
from condor_py.lang.classad import ClassAd
from condor_py.machine.run import process
from condor_py.machine.run.builtin_urls import load_movers
from condor_py.machine.run.destination import Checkpoint, latest, new_one
from condor_py.machine.run.executor import Executor
from condor_py.machine.run.identity import Account, NotInGroup, account, with_primary_group
from condor_py.machine.run.job import Job, read_job
from condor_py.machine.run.keeper import Keeper
from condor_py.machine.run.places import STDERR_NAME
from condor_py.machine.run.results import how_it_failed, keep_core, wrapper_error, write_manifest
from condor_py.machine.run.run import Meter
from condor_py.machine.run.sandbox import Sandbox, ScratchVolume, encrypted
from condor_py.machine.run.spool import JobSpool
from condor_py.machine.run.transfer import Transfer
from condor_py.machine.run.verdict import TOO_DEEP, byte_units, out_of_disk, output_failed
from condor_py.machine.run.volume import Volume
from condor_py.model.report import ExitReport, Usage


def job(**attributes: object) -> Job:
    bare = {"ClusterId": 7, "ProcId": 3, "Iwd": "/home/ann", "Cmd": "sub/run", "ShouldTransferFiles": "YES"}
    return read_job(ClassAd({**bare, **attributes}), "here")


@pytest.mark.parametrize(
    ("attributes", "path"),
    [
        ({}, "/scratch/run"),
        ({"TransferExecutable": False}, "/scratch/sub/run"),
        ({"TransferExecutable": False, "Cmd": "/bin/run"}, "/bin/run"),
        ({"TransferExecutable": False, "PreserveRelativeExecutable": True}, "sub/run"),
        ({"PreserveRelativeExecutable": True}, "/scratch/run"),
        ({"PreserveRelativeExecutable": True, "ShouldTransferFiles": "NO"}, "/home/ann/sub/run"),
        ({"ShouldTransferFiles": "NO"}, "/home/ann/sub/run"),
        ({"ShouldTransferFiles": "NO", "Cmd": "/bin/run"}, "/bin/run"),
        ({"ShouldTransferFiles": "NO", "RemoteIwd": "/far"}, "/far/sub/run"),
    ],
)
def test_the_path_of_the_program(attributes: dict[str, object], path: str) -> None:
    assert process.program_of(job(**attributes), "/scratch") == path


@pytest.mark.parametrize(("names", "shared"), [(("out", "out"), True), (("out", "err"), False)])
@pytest.mark.parametrize("transfer", ["YES", "NO"])
def test_streams_of_one_name_are_one_file(tmp_path: Path, names: tuple[str, str], shared: bool, transfer: str) -> None:
    (tmp_path / "scratch").mkdir()
    wanted = job(Iwd=str(tmp_path), ShouldTransferFiles=transfer, Out=names[0], Err=names[1])
    streams = process.open_streams(wanted, str(tmp_path / "scratch"), "slot1@here")
    try:
        assert os.path.sameopenfile(streams.stdout, streams.stderr) is shared
        os.write(streams.stdout, b"first")
        os.write(streams.stderr, b"second")
    finally:
        streams.close()
    written = {path.name: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert sorted(written.values()) == (["firstsecond"] if shared else ["first", "second"])


def test_messages_of_a_wrapper(tmp_path: Path) -> None:
    path = tmp_path / "message"
    assert wrapper_error(str(path), None) == ""
    path.write_text(" no licence\ntoday \n")
    assert wrapper_error(str(path), None) == "The job wrapper failed to execute the job: no licence|today"
    path.unlink()
    path.mkdir()
    assert wrapper_error(str(path), None).startswith("The job wrapper failed to execute the job: ")
    assert not wrapper_error(str(path), None).endswith(": ")


def test_a_job_that_wrote_too_much_is_held() -> None:
    report = out_of_disk(ExitReport("c", "7.3", 1, usage=Usage(disk_kb=3 * 1024 * 1024)), 1536)
    assert (report.hold_code, report.hold_subcode) == (34, 104)
    assert report.hold_reason == (
        "Job has exceeded allocated disk (1.50 MB). Last measured usage: 3.00 GB. "
        "Consider increasing the value of request_disk."
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives directories away")
@pytest.mark.parametrize("act", ["open", "prepare"])
def test_the_spool_of_a_job_is_its_owners(tmp_path: Path, act: str) -> None:
    nobody = account("nobody")
    spool = JobSpool(str(tmp_path), "7.3", nobody, "/home/ann")
    if act == "open":
        spool.open()
        path = Path(spool.directory)
    else:
        path = Path(spool.prepare())
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (nobody.uid, nobody.gid, 0o700)


@pytest.mark.parametrize("thin", [True, False])
def test_a_volume_is_set_aside_without_a_descriptor_left(tmp_path: Path, thin: bool) -> None:
    gc.collect()  # it closes what tests before this one have forgotten
    before = len(os.listdir("/proc/self/fd"))
    image = Volume(str(tmp_path), 64, thin)._set_aside()
    size = os.path.getsize(image)
    assert size > 64 * 1024
    assert (os.stat(image).st_blocks * 512 >= size) is not thin
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("#!/none/sh -x", "invalid interpreter (/none/sh) specified on first line of script "),
        ("#! /none/sh", "invalid interpreter (/none/sh) specified on first line of script "),
        ("#!/bin/sh", ""),
        ("#!", ""),
        ("/none/sh", ""),
        ("", ""),
    ],
)
def test_a_script_whose_interpreter_is_missing_says_so(tmp_path: Path, line: str, why: str) -> None:
    script = tmp_path / "run"
    script.write_text(f"{line}\nexit\n")
    error = process.exec_error(str(script), ["a b"], "/", FileNotFoundError(2, "x", str(script)))
    text = f"Failed to execute '{script}' with arguments a' 'b: {why}(errno=2: 'No such file or directory')"
    assert (error.code, error.subcode, str(error)) == (6, 2, text)


def test_a_directory_that_is_gone_is_no_fault_of_the_program() -> None:
    error = process.exec_error("/bin/true", [], "/none", FileNotFoundError(2, "x", "/none"))
    text = "Cannot access initial working directory /none: No such file or directory"
    assert (error.code, str(error)) == (14, text)


@pytest.mark.parametrize(
    ("report", "said", "text"),
    [
        (ExitReport("c", "7.3", 1, exit_code=0), "x", ""),
        (ExitReport("c", "7.3", 1, exit_code=3), None, "; the program had exited with status 3"),
        (ExitReport("c", "7.3", 1, exit_signal=9), "", "; the program was killed by signal 9"),
        (
            ExitReport("c", "7.3", 1, exit_code=1), "first\n  no\tfile \n\n",
            "; the program had exited with status 1, its standard error ends with: no file",
        ),
    ],
)  # fmt: skip
def test_missing_output_is_explained_by_the_program(
    tmp_path: Path, report: ExitReport, said: str | None, text: str
) -> None:
    if said is not None:
        (tmp_path / STDERR_NAME).write_text(said)
    assert how_it_failed(report, str(tmp_path)) == text


def test_a_core_file_is_kept_under_the_name_of_its_job(tmp_path: Path) -> None:
    assert keep_core(str(tmp_path), "7.3", 5) is None
    (tmp_path / "core").write_text("plain")
    assert keep_core(str(tmp_path), "7.3", 5) == "core.7.3"
    (tmp_path / "core").write_text("plain")
    (tmp_path / "core.5").write_text("numbered")
    keep_core(str(tmp_path), "7.3", 5)
    assert (tmp_path / "core.7.3").read_text() == "numbered"


def test_a_manifest_lists_what_is_below(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "b" / "c" / "d").touch()
    (tmp_path / "a").symlink_to("b")
    write_manifest(str(tmp_path), "m", "out")
    assert (tmp_path / "m" / "out").read_text() == "./a\n./b/\n./b/c/\n./b/c/d\n./m/\n./m/out\n"


@pytest.mark.parametrize(
    ("kb", "text"),
    [(0, "0.00 KB"), (1023, "1023.00 KB"), (1024, "1.00 MB"), (1536, "1.50 MB"), (1 << 30, "1.00 TB"),
     (1 << 41, "2048.00 TB")],
)  # fmt: skip
def test_sizes_are_written_with_their_unit(kb: int, text: str) -> None:
    assert byte_units(kb) == text


@pytest.mark.parametrize(("disk", "thin"), [(None, True), (ScratchVolume(thin=True), True), (ScratchVolume(), False)])
def test_an_encrypted_directory_takes_blocks_as_its_volume_does(
    tmp_path: Path, disk: ScratchVolume | None, thin: bool
) -> None:
    made = encrypted(Sandbox(str(tmp_path)), disk, 64, "").volume
    assert isinstance(made, Volume)
    assert (made.thin, made.encrypted) == (thin, True)


@pytest.mark.parametrize(
    ("there", "found"),
    [([], None), (["new"], "new"), (["old"], "old"), (["new", "old"], "new"), (["arriving"], None)],
)
def test_the_last_complete_set_of_files_is_found(tmp_path: Path, there: list[str], found: str | None) -> None:
    spool = JobSpool(str(tmp_path), "7.3", None, "/home/ann")
    paths = {"new": spool.directory, "old": f"{spool.directory}.old", "arriving": f"{spool.directory}.tmp"}
    for name in there:
        os.makedirs(paths[name])
    assert spool.found() == (None if found is None else paths[found])


def test_a_new_set_of_files_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    spool = JobSpool(str(tmp_path), "20007.3", None, "/home/ann")
    assert spool.directory == f"{tmp_path}/7/3/cluster20007.proc3.subproc0"
    for text in ("first", "second"):
        (Path(spool.prepare()) / "state").write_text(text)
        spool.commit()
        assert (Path(spool.directory) / "state").read_text() == text
    assert [path.name for path in Path(spool.directory).parent.iterdir()] == ["cluster20007.proc3.subproc0"]
    own = JobSpool(str(tmp_path), "20007.3", None, spool.directory)
    own.open()
    assert os.path.isdir(own.directory)
    assert own.directory == f"{spool.directory}.checkpoint", "the job was submitted with its files"


@pytest.mark.parametrize(
    ("stack", "least"), [(0, None), (1, 1 << 20), (4 << 20, 4 << 20)], ids=["no limit", "small", "as wanted"]
)
def test_the_stack_of_a_job_is_large_enough_for_a_starter(stack: int, least: int | None) -> None:
    before = [resource.getrlimit(kind) for kind in (resource.RLIMIT_CORE, resource.RLIMIT_STACK)]
    hard = before[1][1]
    wanted = hard if least is None else least if hard == resource.RLIM_INFINITY else min(least, hard)
    try:
        process.set_limits(0, stack)
        assert resource.getrlimit(resource.RLIMIT_STACK) == (wanted, hard)
        assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0
    finally:
        process.set_limits(before[0][0], 0 if before[1][0] == hard else before[1][0])


@pytest.mark.parametrize(
    ("name", "mode", "code"), [("In", 0o600, 0), ("In", 0o200, 8), ("Out", 0o600, 0), ("Out", 0o400, 7)]
)
def test_a_pipe_that_may_not_be_opened_holds_the_job(tmp_path: Path, name: str, mode: int, code: int) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "pipe").chmod(mode)
    tmp_path.chmod(0o755)
    wanted = job(Iwd=str(tmp_path), ShouldTransferFiles="NO", **{name: "pipe"})
    asked: list[int] = []

    def access(path: str, needed: int, **more: object) -> bool:  # root may do everything
        asked.append(needed)
        return bool(mode & (0o400 if needed == os.R_OK else 0o200))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "access", access)
        if code:
            with pytest.raises(process.StartError, match="Permission denied") as caught:
                process.open_streams(wanted, str(tmp_path), "slot1@here", pipes=True)
            assert (caught.value.code, caught.value.subcode) == (code, 13)
        else:
            streams = process.open_streams(wanted, str(tmp_path), "slot1@here", pipes=True)
            streams.close()
            assert streams.pipes[0 if name == "In" else 1] == str(tmp_path / "pipe")
    assert asked == [os.R_OK if name == "In" else os.W_OK]


class Used:
    """An executor of which only the use counts."""

    traffic = (-1, -1)
    counts_ended = False

    def __init__(self) -> None:
        self.used = SimpleNamespace(rss_kb=10, image_kb=20, processes=3, user_cpu=1.004, sys_cpu=2.006)

    def usage(self) -> SimpleNamespace:
        return self.used


def test_the_use_of_a_job_with_what_its_sessions_used() -> None:
    executor = Used()
    meter = Meter(cast(Executor, executor))
    assert meter.look(None) == {
        "ResidentSetSize_RAW": "10", "ImageSize_RAW": "20", "NumPids": "3", "RemoteUserCpu": "1.0",
        "RemoteSysCpu": "2.01",
    }  # fmt: skip
    meter.session_ended(0.5, 0.25)
    found = meter.look(None)
    assert (found["RemoteUserCpu"], found["RemoteSysCpu"]) == ("1.5", "2.26")
    executor.counts_ended = True
    meter.session_ended(5.0, 5.0)
    ending = process.Ending(0, None, False, 3.0, 4.0, 5)
    assert meter.total(ending) == (3.5, 4.25), "a control group has counted it"


def test_what_moves_urls_is_loaded_before_rights_are_given_up() -> None:
    load_movers()
    assert {"ftplib", "http.client", "urllib.request", "hmac", "encodings.idna"} <= set(sys.modules)


def test_the_account_of_a_job_may_have_another_name_than_its_owner() -> None:
    assert [job(Owner="ann", **more).owner for more in ({"OsUser": "bob"}, {"OsUser": ""}, {})] == ["bob", "ann", "ann"]
    assert job().owner == ""


def test_only_root_changes_the_first_group(monkeypatch: pytest.MonkeyPatch) -> None:
    name = grp.getgrgid(0).gr_name
    ann = Account("ann", 1000, 1000, "/home/ann", (0,))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    found = with_primary_group(ann, name)
    assert found is not None
    assert found.gid == 0
    assert with_primary_group(found, name) is found
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(NotInGroup, match="only a pool of root can change it"):
        with_primary_group(ann, name)


def test_output_that_cannot_come_back_holds_the_job() -> None:
    report = ExitReport("c", "7.3", 1)
    deep, full = (output_failed(report, error) for error in (RecursionError(), OSError(28, "No space left", "/home/x")))
    assert (deep.hold_subcode, deep.hold_reason) == (errno.ELOOP, TOO_DEEP)
    assert (full.hold_subcode, full.hold_reason) == (28, "No space left: /home/x")


def test_what_a_run_keeps_is_kept_once_until_it_begins_again(tmp_path: Path) -> None:
    """The number grows once for each checkpoint; what the job lists as output is kept though it has not changed."""
    (tmp_path / "same").write_text("x")
    wanted = job(Iwd=str(tmp_path), TransferOutput="same,missing")
    saved: list[list[str]] = []

    class Unchanged:
        scratch = str(tmp_path)

        def changed(self, before: object) -> list[str]:
            return ["new"]

        def save(self, target: str, names: list[str]) -> None:
            saved.append(names)

    keeper, transfer = Keeper(4), cast("Transfer", Unchanged())
    keeper.keep(wanted, transfer, {}, at_checkpoint=False)
    assert saved == [], "there is nowhere to keep it"
    keeper.open(str(tmp_path / "spool"), wanted, None)
    keeper.keep(wanted, transfer, {}, at_checkpoint=False)
    keeper.count()
    keeper.count()
    keeper.keep(wanted, transfer, {}, at_checkpoint=False)
    assert (saved, keeper.number) == ([["new", "same"]], 5)
    keeper.begin_again()
    keeper.count()
    assert keeper.number == 6
    told = keeper.told(20.9, 10.0, lost=False)
    assert told == {"CheckpointNumber": "6", "LastCkptTime": "20", "NewlyCommittedTime": "10"}
    assert keeper.told(20.0, 10.0, lost=True) == {"CheckpointNumber": "6", "FailedCheckpoint": "true"}


@pytest.mark.parametrize(
    ("attributes", "leaves"),
    [
        ({}, False),
        ({"WhenToTransferOutput": "ON_EXIT_OR_EVICT"}, True),
        ({"SuccessCheckpointExitCode": 85}, True),
        ({"SuccessCheckpointExitCode": 85, "ShouldTransferFiles": "NO"}, False),
    ],
)
def test_which_runs_leave_something_for_the_next(attributes: dict[str, object], leaves: bool) -> None:
    assert job(**attributes).leaves_files is leaves


def test_streams_nodes_and_tool_daemons_of_a_job() -> None:
    assert not job().stream_input
    assert job(StreamIn=True).stream_input
    assert not job(StreamIn=True, JobUniverse=9).stream_input, "another system runs it"
    assert [job(**more).is_node for more in ({}, {"Node": 0})] == [False, True]
    tool = job(ToolDaemonCmd="t", ToolDaemonInput="i", ToolDaemonOutput="o", ToolDaemonError="e").tool
    assert tool is not None
    assert (tool.cmd, tool.stdin, tool.stdout, tool.stderr) == ("t", "i", "o", "e")


def test_a_run_starts_from_the_last_checkpoint_whose_list_is_whole(tmp_path: Path) -> None:
    """Numbers count, not names; files are listed in the same order every time."""
    scratch, spool = tmp_path / "scratch", tmp_path / "spool"
    spool.mkdir()
    for name in ("b/2", "b/1", "a/3", "c"):
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).write_text(name)
    wanted = job(SuccessCheckpointExitCode=85, CheckpointDestination="file:///far/", GlobalJobId="host#7.3#1")
    assert latest(wanted, str(spool)) is None
    for number in (1, 2, 10, 9, 11):
        checkpoint = Checkpoint(str(spool), "file:///far/host_7.3_1", number)
        urls = [url for url, _ in checkpoint.begin(str(scratch), [".", "c"])]
        assert [url.removeprefix(f"file:///far/host_7.3_1/{number:04d}/") for url in urls] == ["c", "a/3", "b/1", "b/2"]
        if number != 11:
            checkpoint.complete()
    (spool / "_condor_checkpoint_MANIFEST.0010").write_text("torn")
    found = latest(wanted, str(spool))
    assert found is not None
    assert found.number == 9
    assert new_one(wanted, str(spool), 4).number == 12
    assert new_one(wanted, str(spool), 20).number == 21


@pytest.mark.parametrize(("universe", "name"), [(5, "VANILLA"), (13, "VM")])
def test_the_log_names_the_job_that_starts(universe: int, name: str) -> None:
    wanted = job(JobUniverse=universe, Owner="ann", Out="o", Err="e", Args="a b")
    assert starting(wanted, 77) == [
        f"Starting a {name} universe job with ID: 7.3", "IWD: /home/ann", "Output file: o", "Error file: e",
        "Running job as user ann", "About to exec sub/run a b", "Create_Process succeeded, pid=77",
    ]  # fmt: skip
